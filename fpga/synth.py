#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesises a configuration for its board and keeps what it takes: fpga/reports/NAME.json and NAME.md.

synth.py NAME            synthesise, then write the report
synth.py NAME --check    only say whether the kept report is that of these sources

Two runs of Yosys at a time: `flat`, whose netlist is what place and route will take and whose total counts,
and `units`, which keeps the boundaries of the units so that each has figures of its own.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sim", "sw/setup", "rtl/config")]
import build_rtl  # noqa: E402
import ecp5  # noqa: E402
import report  # noqa: E402
import tools  # noqa: E402


def target(name):
    """The configuration with its generated sources, in a folder of its own."""
    made = build_rtl.Target(name)
    made.folder = made.build / "fpga" / name
    made.folder.mkdir(parents=True, exist_ok=True)
    build_rtl.generate_sources(made)
    return made


def yosys(board, name, script, files):
    """Runs one script in the board's folder, unless it was run on the same files; returns its cells."""
    recipe, stamp = board.folder / f"{name}.ys", board.folder / f"{name}.stamp"
    digest = build_rtl.hash_files(hashlib.sha256(script.encode()), files)
    if not stamp.exists() or stamp.read_text() != digest:
        stamp.unlink(missing_ok=True)
        recipe.write_text(script)
        command = ecp5.command(recipe, board.folder / f"{name}.log")
        build_rtl.run(board, f"synthesising ({name})", command, env=tools.environment(), cwd=ROOT)
        stamp.write_text(digest)
    return json.loads((board.folder / f"{name}.stat.json").read_text())


def synthesise(board):
    """Both runs; returns the cells of the whole and of each module."""
    files = [board.generated / "weft_pkg.sv", *build_rtl.rtl_files(board.generated), *report.board_sources()]

    def stat(name):
        return ecp5.relative(board.folder / f"{name}.stat.json")

    netlist = ecp5.relative(board.folder / f"{board.name}.json")
    # A question mark stands for the brackets, which mean something else in a pattern.
    copies = [f"gen_node?{number}?" for number in range(1, board.values["nodes"])]
    scripts = {
        "flat": ecp5.flat(report.TOP, files, stat("flat"), netlist),
        "units": ecp5.units(report.TOP, files, report.unit_names(), copies, stat("units")),
    }
    build_rtl.say(board, "synthesising for ECP5: the whole, and its units")
    with concurrent.futures.ThreadPoolExecutor(len(scripts)) as pool:
        runs = {name: pool.submit(yosys, board, name, script, files) for name, script in scripts.items()}
        cells = {name: run.result() for name, run in runs.items()}
    return cells["flat"]["design"]["num_cells_by_type"], cells["units"]["modules"]


def check_stripped(board):
    """Sequence numbers serve the event ports alone: one that is left means that a board would carry them."""
    left = report.event_flops(json.loads((board.folder / f"{board.name}.json").read_text()))
    if left:
        raise build_rtl.Failure(f"{len(left)} flip-flops of event ports are left, such as {left[0]}", 1)


def make(name):
    board = target(name)
    (board.folder / "build.log").unlink(missing_ok=True)
    whole, modules = synthesise(board)
    check_stripped(board)
    made = report.compose(board, whole, modules)
    over = report.too_large(made)
    if over:
        raise build_rtl.Failure(f"{name} does not fit {report.PART}: {over}; no report was written", 1)
    for path in report.write(made):
        print(f"  FPGA  {os.path.relpath(path)}")
    print(report.summary(made))


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("name", help="a configuration with a board: ulx3s")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args(argv)
    try:
        if args.check:
            reason = report.stale(args.name)
            if reason:
                raise build_rtl.Failure(f"{reason}: run `make fpga`", 1)
        else:
            make(args.name)
    except FileNotFoundError as error:
        print(f"synth.py: {error}", file=sys.stderr)
        return 4
    except ValueError as error:
        print(f"synth.py: {error}", file=sys.stderr)
        return 2
    except ecp5.UnknownCell as error:
        print(f"synth.py: {error}", file=sys.stderr)
        return 1
    except build_rtl.Failure as failure:
        print(f"synth.py: {failure}", file=sys.stderr)
        return failure.code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
