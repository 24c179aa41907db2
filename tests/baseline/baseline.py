#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all kept figures anew and writes tests/baseline/figures.json; wants to be told why they changed.

baseline.py [--check]     make baseline REASON="..." calls it; the reason is in the environment.
                          --check: only whether there is one

Exit code 0: written, or nothing has changed; 1: a measurement failed; 2: no reason was given.
"""

import argparse
import os
import sys

import figures
import jobs
from support import benchmarks, provenance

NAME, CONFIG = "baseline", "quad"


def measure_all():
    measured = {}
    for case in figures.WORKLOADS:
        benchmarks.say(NAME, figures.workload_name(*case))
        measured[figures.workload_name(*case)] = figures.of_workload(*case)
    for path in figures.units.sources():
        benchmarks.say(NAME, figures.unit_name(path))
        measured |= figures.of_unit(path)
    return measured


def renewed(kept, measured, reason, origin):
    """The new content of the file, or None if no figure has changed."""
    gone = {name: {} for name in kept["figures"] if name not in measured}
    changed = figures.differences(kept["figures"], measured | gone)
    if not changed:
        return None
    change = {"version": origin["version"], "reason": reason, "changed": {n: [o, w] for n, o, w in changed}}
    return {"figures": measured, "changes": [*kept["changes"], change], "provenance": origin}


def renew(reason):
    os.environ.update(jobs.Context(figures.ROOT).environment())
    try:
        kept = figures.load()
        measured = measure_all()
    except (AssertionError, ValueError) as error:
        print(f"baseline: nothing was written: {error}", file=sys.stderr)
        return 1
    origin = provenance.of("make baseline", benchmarks.configuration_hash(CONFIG))
    content = renewed(kept, measured, reason, origin)
    if content is None:
        print("baseline: nothing has changed")
        return 0
    fresh = figures.KEPT.with_suffix(".new")
    fresh.write_text(figures.as_text(content) + "\n")
    fresh.replace(figures.KEPT)
    for name, (old, new) in content["changes"][-1]["changed"].items():
        print(f"{name}: {old} -> {new}")
    print(f"baseline: {len(measured)} measurements kept in {figures.KEPT.relative_to(figures.ROOT)}")
    return 0


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args(argv)
    reason = " ".join(os.environ.get("REASON", "").split())
    if not reason:
        print(f"baseline: say why the figures change: {figures.RENEW}", file=sys.stderr)
        return 2
    return 0 if args.check else renew(reason)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
