#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks of this folder one after the other, or those that are named.

bench.py [NAME ...]     each NAME.py prints a table and writes build/bench/NAME.json

A benchmark that fails or takes more than 30 minutes makes the exit code 1; the others still run.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "driver"))
import jobs  # noqa: E402

LIMIT_SECONDS = 30 * 60


def names():
    found = {path.stem for path in HERE.glob("*.py")} - {pathlib.Path(__file__).stem}
    return sorted(name for name in found if not name.startswith("test_"))


def run(name):
    """Whether the benchmark ended well."""
    print(f"\n== {name}", flush=True)
    command = [sys.executable, str(HERE / f"{name}.py")]
    environment = jobs.Context(ROOT).environment()
    process = subprocess.Popen(command, env=environment, cwd=ROOT, start_new_session=True)
    try:
        status = process.wait(LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"bench {name}: stopped after {LIMIT_SECONDS // 60} minutes", file=sys.stderr)
        status = None
    finally:
        # What it started ends with it, also when somebody interrupts us.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if status:
        print(f"bench {name}: ended with {status}", file=sys.stderr)
    return status == 0


def main(chosen):
    unknown = sorted(set(chosen) - set(names()))
    if unknown:
        print(f"bench: no benchmark {unknown[0]}; there are: {' '.join(names())}", file=sys.stderr)
        return 2
    failed = [name for name in chosen or names() if not run(name)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
