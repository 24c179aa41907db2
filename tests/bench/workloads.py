#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workloads on quad: cycles and bytes on the links, speed of the RTL, and the price of lock-step.

Cycles repeat exactly. The price of lock-step is a ratio of two runs on this machine: the same RTL with and
without the model beside it, the best of three each. How the model compares is the benchmark `simulators`.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support import benchmarks  # noqa: E402
from support.weft import run, tool  # noqa: E402

NAME, CONFIG = "workloads", "quad"
CLASSES = ("request", "forward", "response")
REPEATS = 3


def best_of_each(workload, *kinds):
    """Fastest time inside the back-end for each kind of run, and the last result. The kinds take turns, so
    that whatever else the machine does meets all of them."""
    rounds = [[run(workload, f"rtl:{CONFIG}", *options) for options in kinds] for _ in range(REPEATS)]
    return [min(result["wall_seconds"] for result in results) for results in zip(*rounds)], rounds[-1][-1]


def measure(workload):
    (plain_seconds, checked_seconds), checked = best_of_each(workload, ("--no-lockstep",), ())
    counters = checked["counters"]
    return {
        "workload": workload,
        "cycles": checked["cycles"],
        "operations": checked["operations"],
        "link_bytes": sum(counters[f"total.link.bytes_{kind}"] for kind in CLASSES),
        "rtl_cycles_per_second": checked["cycles"] / plain_seconds,
        "lockstep_ratio": checked_seconds / plain_seconds,
    }


def print_table(rows):
    head = f"{'workload':<10} {'cycles':>9} {'operations':>10} {'link bytes':>11}"
    print(f"{head} {'rtl kc/s':>9} {'lock-step x':>11}")
    for row in rows:
        print(
            f"{row['workload']:<10} {row['cycles']:>9} {row['operations']:>10} {row['link_bytes']:>11} "
            f"{row['rtl_cycles_per_second'] / 1000:>9.1f} {row['lockstep_ratio']:>11.2f}"
        )


def main():
    listing = tool("list", "--json").json
    names = [entry if isinstance(entry, str) else entry["name"] for entry in listing["workloads"]]
    rows = []
    for name in names:
        # A trace needs a file: it replays what the others do. fig5 needs leases, and is no load.
        if name not in ("trace", "fig5"):
            benchmarks.say(NAME, name)
            rows.append(measure(name))
    print_table(rows)
    benchmarks.keep(NAME, CONFIG, {"config": CONFIG, "rows": rows})


if __name__ == "__main__":
    main()
