#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves what tests/formal/proofs.toml lists, refutes the broken variants, and prints a table.

prove.py                    everything, each proof in all of its shapes
prove.py --only fifo        one proof (or several: --only fifo --only arbiter)
prove.py --quick            the proofs of `make test`: not the slow ones, and each in its first shape only
prove.py --list             the names

The same as JSON: build/formal/proofs.json. Exit code 1 if anything is not as it must be.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import engine  # noqa: E402
import table  # noqa: E402

WIDTHS = (13, 36, 38, 9, 5, 18, 7)
HEADER = ("proof", "shape", "property", "method", "depth", "result", "seconds")


def questions(proofs, quick):
    """What is to be asked, as functions without arguments."""
    for proof in proofs:
        if quick and proof.slow:
            continue
        for shape in proof.shapes[:1] if quick else proof.shapes:
            yield lambda p=proof, s=shape: table.prove(p, s)
            if not proof.bounded:
                yield lambda p=proof, s=shape: table.cover(p, s)
        for broken in proof.broken:
            yield lambda p=proof, b=broken: (table.refute(p, b), b["name"])


def line(cells):
    print("  ".join(str(cell).ljust(width) for cell, width in zip(cells, WIDTHS)).rstrip(), flush=True)


def shown(result):
    """Properties by name; what only serves the induction, as a number."""
    named = [name for name in result.properties if not name.split(".")[-1].startswith(table.INVARIANT)]
    invariants = len(result.properties) - len(named)
    return named + ([f"{invariants} invariants inside"] if invariants else [])


def show(result, variant):
    """A row per property; the run that answered for all of them is timed once."""
    shape = variant or " ".join(f"{key}={value}" for key, value in result.shape.items())
    for number, name in enumerate(shown(result)):
        first = number == 0
        method = result.kind if not variant else "broken"
        seconds = f"{result.seconds:.1f}" if first else ""
        line((result.proof, shape if first else "", name, method, result.depth, result.text, seconds))


def run(proofs, quick, jobs):
    """Asks all, prints rows in the order of the table; returns them as dictionaries."""
    rows = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in [pool.submit(question) for question in questions(proofs, quick)]:
            answer = future.result()
            result, variant = answer if isinstance(answer, tuple) else (answer, None)
            show(result, variant)
            rows.append(dataclasses.asdict(result) | {"broken": variant})
    return rows


def summary(rows):
    count = {kind: sum(row["kind"] == kind and row["good"] for row in rows) for kind in table.KINDS}
    bad = [row for row in rows if not row["good"]]
    proofs = [row for row in rows if row["kind"] in ("induction", "bounded")]
    good = count["induction"] + count["bounded"]
    proved = sum(len(row["properties"]) for row in proofs if row["good"])
    print(
        f"{good} proofs with {proved} properties, {count['cover']} sets of covers reached, "
        f"{count['refutation']} broken variants refuted, {len(bad)} failed"
    )
    return 1 if bad else 0


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--only", action="append", metavar="NAME", help="one proof of the table")
    parser.add_argument("--quick", action="store_true", help="the first shape of each that is not slow")
    parser.add_argument("--list", action="store_true", help="the names of all proofs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args(argv)
    proofs = table.load()
    unknown = sorted(set(args.only or ()) - set(proofs))
    if unknown:
        print(f"prove.py: no proof '{unknown[0]}': one of {', '.join(proofs)}", file=sys.stderr)
        return 2
    if args.list:
        print("\n".join(proofs))
        return 0
    line(HEADER)
    try:
        rows = run([proofs[name] for name in args.only or proofs], args.quick, args.jobs)
    except FileNotFoundError as error:
        print(f"prove.py: {error}", file=sys.stderr)
        return 4
    folder = engine.tools.build_directory() / "formal"
    (folder / "proofs.json").write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    return summary(rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
