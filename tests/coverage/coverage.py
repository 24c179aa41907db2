#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures which lines of the RTL the tests execute, and writes the report that is kept.

coverage.py            build, run, report; keeps the report if every line is executed or explained
coverage.py --again    only the report, of what the last run counted (after a change of the reasons)

Exit code 1: a test failed, or a line is neither executed nor explained.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "sw" / "setup"), str(ROOT / "tests"), str(HERE)]
import kept  # noqa: E402
import points  # noqa: E402
import reasons  # noqa: E402
import summary  # noqa: E402
import tools  # noqa: E402

CONFIG = "tiny"
# Whole machines: what lies between the units. Protocol none does not promise a right answer.
RUNS = (
    (0, "mix", "--size", "6000"),
    (0, "mix", "--size", "6000", "--jitter", "200", "--seed", "2"),
    (0, "pagerank", "--size", "96"),
    (None, "mix", "--size", "3000", "--protocol", "none"),
    (0, "mix", "--size", "3000", "--protocol", "halcone-weak", "--set", "lease.read=20000"),
    (0, "mix", "--size", "3000", "--protocol", "halcone-causal", "--set", "lease.read=9000"),
    (0, "mix", "--size", "3000", "--protocol", "halcone-renew"),
    (0, "vecadd", "--size", "512", "--protocol", "halcone-weak"),
)


class Failure(Exception):
    """Something that ends the measurement; its text says what to look at."""


def say(text):
    print(f"coverage: {text}", file=sys.stderr, flush=True)


def unit_tests():
    """The tests of the units: tests/ mirrors rtl/."""
    folders = sorted(path.name for path in (ROOT / "rtl").iterdir() if any(path.glob("*.sv")))
    return [f"tests/{name}" for name in folders if (ROOT / "tests" / name).is_dir()]


def measure(folder, jobs):
    data = folder / "data"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    env = {**os.environ, "WEFT_COVERAGE": str(data), "WEFT_LONG": ""}
    say(f"building {CONFIG} with counters")
    build = [sys.executable, str(ROOT / "sim" / "build_rtl.py"), CONFIG, "--coverage", "--jobs", str(jobs)]
    if subprocess.run(build, env=env, stdout=sys.stderr).returncode:
        raise Failure(f"rtl:{CONFIG} with counters could not be built")
    run_units(env, jobs, folder / "units.log")
    run_machines(env | {"WEFT_RTL_PATH": str(folder / "rtl")})


def run_units(env, jobs, log):
    tests = unit_tests()
    say(f"running {' '.join(tests)}")
    command = [sys.executable, str(ROOT / "tests" / "run_tests.py"), "--workers", str(jobs), *tests]
    with log.open("w") as out:
        done = subprocess.run(command, env=env, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT)
    say(log.read_text().splitlines()[-1])
    if done.returncode:
        raise Failure(f"a test of a unit failed: see {log}")


def run_machines(env):
    weft = tools.build_directory() / "weft"
    for wanted, workload, *options in RUNS:
        command = [str(weft), "run", workload, "-b", f"rtl:{CONFIG}", *options]
        say(" ".join(["weft", *command[1:]]))
        done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=ROOT)
        if wanted is not None and done.returncode != wanted:
            raise Failure(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")


def gather(data):
    counts = points.Counts()
    files = sorted(data.glob("*.dat"))
    if not any(path.name.startswith("fabric-") for path in files):
        raise Failure(f"nothing was counted in {data}: run make coverage")
    for path in files:
        counts.read(path)
    return counts


def write_listings(folder, sources):
    shutil.rmtree(folder, ignore_errors=True)
    for path, source in sources.items():
        listing = folder / f"{path}.txt"
        listing.parent.mkdir(parents=True, exist_ok=True)
        listing.write_text("\n".join(source.listing()) + "\n")


def print_table(figures):
    print(f"{'file':<26} {'lines':>6} {'executed':>9} {'explained':>10} {'branches':>9} {'toggles':>8}")
    for path, lines, executed, explained, branches, toggles in summary.rows(figures):
        print(f"{path:<26} {lines:>6} {executed:>9} {explained:>10} {branches:>9} {toggles:>8}")


def report(folder):
    sources = summary.sources(ROOT, gather(folder / "data"))
    wrong, explained = reasons.judge(sources, reasons.load(ROOT / kept.REASONS))
    figures = {path: source.figures(explained[path]) for path, source in sources.items()}
    write_listings(folder / "listing", sources)
    print_table(figures)
    if wrong:
        raise Failure("\n".join([*wrong, f"test these lines, or give their reason in {kept.REASONS}"]))
    kept.write(ROOT, figures)
    say(f"kept in {kept.REPORT} and {kept.PAGE}; listings in {os.path.relpath(folder / 'listing')}")


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args(argv)
    folder = tools.build_directory() / "coverage"
    try:
        if not args.again:
            measure(folder, args.jobs)
        report(folder)
    except (Failure, points.Malformed, reasons.Wrong) as failure:
        print(f"coverage: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
