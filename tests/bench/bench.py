#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the workloads: cycles on the fabric, speed of the simulators; JSON under build/bench/.

Cycles repeat exactly. The price of lock-step is a ratio of two runs on this machine: the same RTL with and
without the model beside it, the best of three each.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support.weft import BUILD, run, tool  # noqa: E402

CONFIG = "quad"
CLASSES = ("request", "forward", "response")
REPEATS = 3


def seconds(workload, backend, *options):
    """Best time inside the back-end of a few runs, and the last result."""
    results = [run(workload, backend, *options) for _ in range(REPEATS)]
    return min(result["wall_seconds"] for result in results), results[-1]


def measure(workload):
    model_seconds, model = seconds(workload, f"model:{CONFIG}")
    plain_seconds, _ = seconds(workload, f"rtl:{CONFIG}", "--no-lockstep")
    checked_seconds, checked = seconds(workload, f"rtl:{CONFIG}")
    counters = checked["counters"]
    return {
        "workload": workload,
        "cycles": checked["cycles"],
        "cycles_model": model["cycles"],
        "operations": checked["operations"],
        "link_bytes": sum(counters[f"total.link.bytes_{kind}"] for kind in CLASSES),
        "model_cycles_per_second": model["cycles"] / model_seconds,
        "rtl_cycles_per_second": checked["cycles"] / plain_seconds,
        "lockstep_ratio": checked_seconds / plain_seconds,
    }


def print_table(rows):
    head = f"{'workload':<10} {'cycles':>9} {'operations':>10} {'link bytes':>11}"
    print(f"{head} {'model kc/s':>11} {'rtl kc/s':>9} {'lock-step x':>11}")
    for row in rows:
        print(
            f"{row['workload']:<10} {row['cycles']:>9} {row['operations']:>10} {row['link_bytes']:>11} "
            f"{row['model_cycles_per_second'] / 1000:>11.0f} {row['rtl_cycles_per_second'] / 1000:>9.1f} "
            f"{row['lockstep_ratio']:>11.2f}"
        )


def main():
    listing = tool("list", "--json").json
    names = [entry if isinstance(entry, str) else entry["name"] for entry in listing["workloads"]]
    rows = []
    for name in names:
        if name != "trace":  # needs a file: it replays what the others do
            print(f"bench: {name} ...", file=sys.stderr, flush=True)
            rows.append(measure(name))
    print_table(rows)
    out = BUILD / "bench" / "workloads.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"config": CONFIG, "rows": rows}, indent=1) + "\n")
    print(f"written to {out}", file=sys.stderr)


if __name__ == "__main__":
    main()
