#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The timed model beside the RTL: cycles, which must agree, and speed, which is why it exists.

Speed is the ratio of two times on this machine, the best of a few runs each, inside the back-end. What the
model costs per operation is shown too where the machine gets larger or slower: it should hardly change.
"""

import math
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support import benchmarks  # noqa: E402
from support.weft import run, tool  # noqa: E402

NAME = "simulators"
CONFIGS = ("quad", "duo")
MODEL_RUNS, RTL_RUNS = 5, 2
TRACED = "jacobi2d"
# What software simulators are usually shown with: 1,024 vertices, 1 % of all possible edges.
PAGERANK = ("--graph", "uniform:1024,1", "--iterations", 4)
# What the model is for: the geometric mean over all workloads, and the least of them.
REQUIRED_MEAN, REQUIRED_EACH = 30, 10
LATENCIES = ((40, 20), (400, 200), (1000, 1000))


def best(runs, workload, backend, *options):
    """The run that was fastest inside the back-end."""
    results = [run(workload, backend, *options) for _ in range(runs)]
    return min(results, key=lambda result: result["wall_seconds"])


def compare(config, workload, *options):
    model = best(MODEL_RUNS, workload, f"model:{config}", *options)
    rtl = best(RTL_RUNS, workload, f"rtl:{config}", "--no-lockstep", *options)
    return {
        "workload": workload,
        "operations": model["operations"],
        "cycles_model": model["cycles"],
        "cycles_rtl": rtl["cycles"],
        "cycles_error_percent": 100 * (model["cycles"] / rtl["cycles"] - 1),
        "seconds_model": model["wall_seconds"],
        "seconds_rtl": rtl["wall_seconds"],
        "speed_ratio": rtl["wall_seconds"] / model["wall_seconds"],
    }


def compare_all(config, workloads):
    rows = []
    for workload in workloads:
        benchmarks.say(NAME, f"{workload} on {config}")
        if workload not in ("trace", "fig5"):  # fig5 needs leases, and is no load
            rows.append(compare(config, workload))
            continue
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "trace.txt"
            run(TRACED, f"model:{config}", "--trace-out", trace)
            rows.append(compare(config, "trace", "--file", trace))
    return {"rows": rows, **summary(rows)}


def summary(rows):
    ratios = [row["speed_ratio"] for row in rows]
    return {
        "geomean": {"speed_ratio": math.exp(sum(map(math.log, ratios)) / len(ratios))},
        "least_speed_ratio": min(ratios),
        "largest_error_percent": max(abs(row["cycles_error_percent"]) for row in rows),
    }


def cost(name, workload, config, *options):
    result = best(MODEL_RUNS, workload, f"model:{config}", *options)
    return {
        "machine": name,
        "workload": workload,
        "cycles": result["cycles"],
        "operations": result["operations"],
        "seconds": result["wall_seconds"],
        "operations_per_second": result["operations"] / result["wall_seconds"],
    }


def costs():
    """What an operation costs the model where the machine is slower, and where it is larger."""
    rows = [cost("quad, uniform graph", "pagerank", "quad", *PAGERANK)]
    for memory, link in LATENCIES:
        options = ("--set", f"memory.latency={memory}", "--set", f"link.latency={link}")
        rows.append(cost(f"quad, memory {memory}, link {link}", "jacobi2d", "quad", *options))
    for nodes, cus in ((4, 8), (8, 8), (16, 8)):
        options = ("--set", f"nodes={nodes}", "--set", f"cus={cus}", "--size", 32 * nodes)
        rows.append(cost(f"{nodes} nodes of {cus} CUs", "jacobi2d", "quad", *options))
    return rows


def print_comparison(config, result):
    print(
        f"{config:<10} {'cycles rtl':>10} {'model %':>8} {'operations':>10} "
        f"{'rtl s':>8} {'model s':>8} {'x':>6}"
    )
    for row in result["rows"]:
        print(
            f"{row['workload']:<10} {row['cycles_rtl']:>10} {row['cycles_error_percent']:>+8.2f} "
            f"{row['operations']:>10} {row['seconds_rtl']:>8.3f} {row['seconds_model']:>8.4f} "
            f"{row['speed_ratio']:>6.1f}"
        )
    print(f"{'geomean':<56} {result['geomean']['speed_ratio']:>8.1f}\n")


def print_summary(result):
    mean, least = result["geomean"]["speed_ratio"], result["least_speed_ratio"]
    print(f"all: {mean:.1f} times as fast on the geometric mean (required {REQUIRED_MEAN}), ", end="")
    print(f"{least:.1f} at least (required {REQUIRED_EACH}); ", end="")
    print(f"cycles differ by at most {result['largest_error_percent']:.2f} % (allowed 5)\n")


def print_costs(rows):
    print(
        f"{'model':<28} {'workload':<10} {'cycles':>9} {'operations':>10} {'seconds':>8} {'operations/s':>12}"
    )
    for row in rows:
        print(
            f"{row['machine']:<28} {row['workload']:<10} {row['cycles']:>9} {row['operations']:>10} "
            f"{row['seconds']:>8.4f} {row['operations_per_second']:>12.0f}"
        )


def main():
    workloads = tool("list", "--json").json["workloads"]
    comparisons = {}
    for config in CONFIGS:
        comparisons[config] = compare_all(config, workloads)
        print_comparison(config, comparisons[config])
    whole = summary([row for comparison in comparisons.values() for row in comparison["rows"]])
    print_summary(whole)
    rows = costs()
    print_costs(rows)
    benchmarks.keep(NAME, "quad", {"configs": comparisons, **whole, "costs": rows})


if __name__ == "__main__":
    main()
