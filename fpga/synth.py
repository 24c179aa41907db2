# SPDX-License-Identifier: Apache-2.0
"""Yosys, twice at a time: `flat`, whose netlist place and route takes and whose total counts, and `units`,
which keeps the boundaries of the units so that each has figures of its own."""

import concurrent.futures
import hashlib
import json
import pathlib

import build_rtl
import ecp5
import report
import tools

ROOT = pathlib.Path(__file__).resolve().parent.parent


def target(board):
    """The board's configuration with its generated sources, in a folder of its own."""
    made = build_rtl.Target(board.config)
    made.folder = made.build / "fpga" / board.name
    made.folder.mkdir(parents=True, exist_ok=True)
    build_rtl.generate_sources(made)
    return made


def netlist(made, board):
    return made.folder / f"{board.name}.json"


def sources(made, board):
    """All that Yosys reads: the board's own cells in the place of what they stand for."""
    fabric = [made.generated / "weft_pkg.sv", *build_rtl.rtl_files(made.generated)]
    own = report.replaced(board)
    return [path for path in fabric if path.stem not in own] + report.board_sources(board)


def yosys(made, name, script, files):
    """Runs one script in the board's folder, unless it was run on the same files; returns its cells."""
    recipe, stamp = made.folder / f"{name}.ys", made.folder / f"{name}.stamp"
    digest = build_rtl.hash_files(hashlib.sha256(script.encode()), files)
    if not stamp.exists() or stamp.read_text() != digest:
        stamp.unlink(missing_ok=True)
        recipe.write_text(script)
        command = ecp5.command(recipe, made.folder / f"{name}.log")
        build_rtl.run(made, f"synthesising ({name})", command, env=tools.environment(), cwd=ROOT)
        stamp.write_text(digest)
    return json.loads((made.folder / f"{name}.stat.json").read_text())


def synthesise(made, board):
    """Both runs; returns the cells of the whole and of each module."""
    files, parameters = sources(made, board), report.parameters_of(board)

    def stat(name):
        return ecp5.relative(made.folder / f"{name}.stat.json")

    # A question mark stands for the brackets, which mean something else in a pattern.
    copies = [f"gen_node?{number}?" for number in range(1, made.values["nodes"])]
    scripts = {
        "flat": ecp5.flat(board.top, files, stat("flat"), ecp5.relative(netlist(made, board)), parameters),
        "units": ecp5.units(board.top, files, report.unit_names(), copies, stat("units"), parameters),
    }
    build_rtl.say(made, "synthesising for ECP5: the whole, and its units")
    with concurrent.futures.ThreadPoolExecutor(len(scripts)) as pool:
        runs = {name: pool.submit(yosys, made, name, script, files) for name, script in scripts.items()}
        cells = {name: run.result() for name, run in runs.items()}
    return cells["flat"]["design"]["num_cells_by_type"], cells["units"]["modules"]
