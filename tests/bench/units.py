#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Throughput and latency of the units in cycles: what is required, and what the RTL does.

Every test of a unit that has a measure() is asked to run its own throughput cases with support.figures; the
cases themselves fail where the requirement is not met.
"""

import importlib.util
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support import benchmarks, figures  # noqa: E402

NAME, CONFIG = "units", "quad"
# What the house will have, and what its units must then sustain.
NOT_BUILT = {
    "TSU": "1 per cycle",
    "remote write queue": "1 store per cycle",
    "packetizer": "1 link beat per cycle, 98 % busy",
    "de-packetizer": "1 beat in or 1 store out per cycle",
}


def sources():
    """The tests that measure something."""
    found = sorted((ROOT / "tests").glob("*/test_*.py"))
    return [path for path in found if re.search(r"^def measure\(", path.read_text(), re.M)]


def load(path):
    """A test file as a module; its own folder's helpers can be imported."""
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(path, **options):
    """The figures of one test file."""
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(folder) / "figures"
        load(path).measure(figures=kept, **options)
        rows = figures.read(kept)
    assert rows, f"{path} measured nothing"
    return rows


def print_table(rows):
    print(f"{'unit':<11} {'what':<46} {'required':>9} {'measured':>9}   count in cycles")
    for row in rows:
        count, cycles = row["count"], row["cycles"]
        if row["what"].startswith("latency"):
            required, measured = f"{1 / row['required_per_cycle']:.0f} cyc", f"{cycles} cyc"
        else:
            required, measured = f"{row['required_per_cycle']:.3g}/cyc", f"{count / cycles:.3g}/cyc"
        name = f"{row['unit']:<11} {row['what']:<46}"
        print(f"{name} {required:>9} {measured:>9}   {count} in {cycles}")
    for unit, required in NOT_BUILT.items():
        print(f"{unit}: not built yet ({required})")


def main():
    rows = []
    for path in sources():
        benchmarks.say(NAME, f"{path.parent.name}/{path.stem}")
        rows += measure(path)
    print_table(rows)
    benchmarks.keep(NAME, CONFIG, {"rows": rows, "not_built": NOT_BUILT})


if __name__ == "__main__":
    main()
