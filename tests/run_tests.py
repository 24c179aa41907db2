#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs all tests, two at a time, and counts every test case.

run_tests.py [PATH ...]     only tests whose path starts with one of these (tests/home, tests/lib/test_x.c)

Tests are found by their names:
  tests/**/test_*.c     a cmocka program, run as built plain and as built with sanitizers
  tests/fuzz/fuzz_*.c   a libFuzzer target: its kept corpus, then 10 s of fuzzing (WEFT_LONG=1: 30 minutes)
  tests/**/test_*.py    pytest
A program that crashes, hangs, cannot be built or runs no case counts as a failure.
The last line is `N passed, N failed`, with `, N skipped` if there are any.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "driver"))
import jobs  # noqa: E402
import report  # noqa: E402

# Known to take longest, so they start first and the two workers end together.
LONGEST_FIRST = ("netlist", "lint", "litmus", "formal", "system", "docs", "cache", "episodes", "explore")


def start_order(job):
    place = LONGEST_FIRST.index(job.group) if job.group in LONGEST_FIRST else len(LONGEST_FIRST)
    return (place, job.name)


def run_all(found, workers, out):
    """Runs the jobs and prints each one's cases as it ends; returns the results in order of their ends."""
    results = []
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(job.run) for job in found]
        for future in concurrent.futures.as_completed(futures):
            results.append(future.result())
            report.print_cases(results[-1], out)
    return results


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("paths", nargs="*", help="run only what lies under these")
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parent, help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args(argv)
    context = jobs.Context(args.root.resolve(), long=bool(os.environ.get("WEFT_LONG")), workers=args.workers)
    found = sorted(jobs.discover(context, args.paths), key=start_order)
    start = time.monotonic()
    results = run_all(found, args.workers, sys.stdout)
    return report.summary(results, time.monotonic() - start, sys.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
