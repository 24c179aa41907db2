#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From source to bitstream for a board: build/fpga/weft-BOARD.bit, and what it takes and how fast it is in
fpga/reports/BOARD.json and BOARD.md.

bitstream.py BOARD            synthesise, place, route, pack, then write the report
bitstream.py BOARD --placed   no further than placed, which takes minutes: no bitstream; the report says so
bitstream.py BOARD --check    only say whether the kept report is that of these sources

A step whose inputs are the same is not done again, so that it may be interrupted at any time.
"""

import argparse
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sim", "sw/setup", "rtl/config")]
import boards  # noqa: E402
import build_rtl  # noqa: E402
import ecp5  # noqa: E402
import place  # noqa: E402
import report  # noqa: E402
import synth  # noqa: E402
import timing  # noqa: E402


def check_stripped(netlist):
    """Sequence numbers serve the event ports alone: one that is left means that a board would carry them."""
    left = report.event_flops(netlist)
    if left:
        raise build_rtl.Failure(f"{len(left)} flip-flops of event ports are left, such as {left[0]}", 1)


def check_timing(board, made, page):
    """A clock that is missed ends the build; the page tells whoever wants to know why."""
    slow = timing.misses(made, board.clock_hz)
    if slow:
        page.write_text(report.table(made))
        raise build_rtl.Failure(
            f"{board.name} misses its clock: {'; '.join(slow)}\n"
            f"what limits: {timing.said(made['critical_path'])}\n"
            f"no bitstream and no report were written; all about it is in {os.path.relpath(page)}",
            1,
        )


def make(name, placed):
    board = boards.find(name)
    target = synth.target(board)
    (target.folder / "build.log").unlink(missing_ok=True)
    whole, modules = synth.synthesise(target, board)
    netlist = json.loads(synth.netlist(target, board).read_text())
    check_stripped(netlist)
    made = report.compose(board, target.hash, whole, modules)
    over = report.too_large(made)
    if over:
        raise build_rtl.Failure(f"{board.config} does not fit {board.part}: {over}; no report was written", 1)
    build_rtl.say(target, f"placing{'' if placed else ' and routing'} for {board.mhz:g} MHz")
    raw = (place.place if placed else place.route)(target, board, synth.netlist(target, board))
    found = timing.figures(raw, timing.Names(netlist["modules"][board.top]), board.clock_hz)
    made = report.with_timing(made, found, place.used(raw), place.version(), routed=not placed)
    check_timing(board, made, target.folder / "missed.md")
    bits = [] if placed else [place.pack(target, board)]
    for path in [*bits, *report.write(made)]:
        print(f"  FPGA  {os.path.relpath(path)}")
    print(report.summary(made))


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("board", help="a board of fpga/boards.toml: ulx3s")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--placed", action="store_true")
    args = parser.parse_args(argv)
    try:
        if args.check:
            reason = report.stale(args.board)
            if reason:
                raise build_rtl.Failure(f"{reason}: run `make fpga`", 1)
        else:
            make(args.board, args.placed)
    except FileNotFoundError as error:
        print(f"bitstream.py: {error}", file=sys.stderr)
        return 4
    except ValueError as error:
        print(f"bitstream.py: {error}", file=sys.stderr)
        return 2
    except (ecp5.UnknownCell, timing.Unclear) as error:
        print(f"bitstream.py: {error}", file=sys.stderr)
        return 1
    except build_rtl.Failure as failure:
        print(f"bitstream.py: {failure}", file=sys.stderr)
        return failure.code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
