# SPDX-License-Identifier: Apache-2.0
"""The kept report of a board: what is in it, the page made from it, and when it is stale."""

import hashlib
import json
import os
import pathlib
import re
import subprocess

import boards
import ecp5
import generate
import place
import tools

ROOT = pathlib.Path(__file__).resolve().parent.parent
FPGA = ROOT / "fpga"
REPORTS = FPGA / "reports"
TITLES = {"luts": "LUT4", "ffs": "flip-flops", "brams": "block RAMs"}
# Small modules are part of whoever uses them, but for those of interest by themselves.
ROOMS = ("", "cache", "home", "link", "host")
ALONE = ("atomic",)


def unit_names():
    """The modules whose boundaries are kept."""
    found = [path.stem for room in ROOMS for path in sorted((ROOT / "rtl" / room).glob("*.sv"))]
    return [name for name in found if not name.endswith("_pkg")] + list(ALONE)


def board_sources(board):
    """What a board adds to the fabric: cells of its chip that are used by name are in files .v."""
    return sorted(FPGA.glob("*.sv")) + sorted((FPGA / pathlib.Path(board.folder).name).glob("*.*v"))


def replaced(board):
    """Sources of the fabric in whose place the board has its own."""
    return {path.stem for path in board_sources(board) if path.suffix == ".v"}


def board_digest(board):
    """SHA-256 of what the board adds to the fabric, of its row and pins, and of the recipes of all steps."""
    parameters = parameters_of(board)
    recipe = [
        ecp5.flat(board.top, [], "cells", "netlist", parameters),
        ecp5.units(board.top, [], unit_names(), [], "cells", parameters),
        repr((board, place.options(board), place.PACK)),
    ]
    sha = hashlib.sha256("\0".join(recipe).encode())
    for path in [*board_sources(board), FPGA.parent / board.pins]:
        sha.update(path.name.encode() + b"\0" + path.read_bytes())
    return sha.hexdigest()


def parameters_of(board):
    """Of the board's top."""
    return (("ClockHz", board.clock_hz),)


# ---------------------------------------------------------------- figures


def plain(name):
    """Yosys writes \\NAME$PATH for the module NAME that stands at PATH."""
    return name.removeprefix("\\")


def unit_of(name):
    return plain(name).split("$")[0]


def is_unit(kind):
    """A kind of cell with a $ inside is a module that was kept; Yosys's own have theirs in front."""
    return "$" in plain(kind)[1:]


def twin(name):
    """The module that was synthesised in this one's place: all nodes are alike."""
    return re.sub(r"gen_node\[\d+\]", "gen_node[0]", plain(name))


def add(left, right):
    return {key: left[key] + right[key] for key in left}


class Hierarchy:
    """Cells of each module, alone and with the units inside."""

    def __init__(self, modules):
        self.modules = {plain(name): module["num_cells_by_type"] for name, module in modules.items()}

    def parts(self, name):
        """Units inside, one entry per instance."""
        cells = self.modules[twin(name)].items()
        return [plain(kind) for kind, number in cells if is_unit(kind) for _ in range(number)]

    def own(self, name):
        cells = self.modules[twin(name)].items()
        return ecp5.count({kind: number for kind, number in cells if not is_unit(kind)})

    def whole(self, name):
        figures = self.own(name)
        for part in self.parts(name):
            figures = add(figures, self.whole(part))
        return figures

    def instances(self, name):
        """The module and every unit below it."""
        return [plain(name), *(below for part in self.parts(name) for below in self.instances(part))]


def units(modules, top):
    """Per unit: the largest instance with its parts, and what all instances take without them."""
    tree = Hierarchy(modules)
    table = {}
    for name in tree.instances(top):
        row = table.setdefault(
            unit_of(name), {"instances": 0, "luts": 0, "ffs": 0, "brams": 0, "own": dict.fromkeys(TITLES, 0)}
        )
        row["instances"] += 1
        row["own"] = add(row["own"], tree.own(name))
        row.update({key: max(row[key], value) for key, value in tree.whole(name).items()})
    return table


def event_flops(netlist):
    """Flip-flops in a netlist, as Yosys writes it in JSON, that count the events of an event port."""
    left = []
    for module in netlist["modules"].values():
        cells = module["cells"].values()
        flops = {cell["connections"]["Q"][0] for cell in cells if cell["type"] in ecp5.FFS}
        named = {name: net["bits"] for name, net in module["netnames"].items() if name.endswith(".seq_q")}
        left += [name for name, bits in named.items() for bit in bits if bit in flops]
    return left


def yosys_version():
    answer = subprocess.run([*tools.yosys(), "-V"], capture_output=True, text=True, check=True)
    return answer.stdout.split(" (")[0].strip()


def compose(board, digest, cells, modules):
    """The report as far as synthesis goes: the flat whole, the units, and what it was made from."""
    whole = ecp5.count(cells)
    percent = {key: round(100 * whole[key] / offer, 1) for key, offer in board.offers.items()}
    return {
        "board": board.name,
        "config": board.config,
        "top": board.top,
        **whole,
        "fits": {"part": board.part, "available": board.offers, "percent": percent},
        "cells": dict(sorted((kind, number) for kind, number in cells.items() if kind in ecp5.KNOWN)),
        "units": units(modules, board.top),
        "provenance": {
            "version": (ROOT / "VERSION").read_text().strip(),
            "hash": digest,
            "board": board_digest(board),
            "tools": {"yosys": yosys_version()},
            "command": "make fpga" + f" BOARD={board.name}" * (board.name != boards.DEFAULT),
        },
    }


def with_timing(made, timing, placed, version, routed=True):
    """The same with what place and route found, or place alone."""
    provenance = made["provenance"]
    command = provenance["command"] + ("" if routed else " PLACED=1")
    return {
        **made,
        **timing,
        "routed": routed,
        "placed": placed,
        "provenance": {
            **provenance,
            "command": command,
            "tools": {**provenance["tools"], "nextpnr": version},
        },
    }


def too_large(made):
    """What the part does not have enough of, or nothing."""
    over = [
        f"{made[key]} {TITLES[key]} of {offer}"
        for key, offer in made["fits"]["available"].items()
        if made[key] > offer
    ]
    if not over:
        return ""
    largest = max(made["units"], key=lambda name: made["units"][name]["own"]["luts"])
    return f"{', '.join(over)} (most LUTs without parts: {largest})"


# ---------------------------------------------------------------- the files


def table(made):
    """The report as a page."""
    fits = made["fits"]
    lines = [
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        f"# `{made['config']}` on {fits['part']}",
        f"Made by `{made['provenance']['command']}` from `{made['board']}.json` beside it; not to be edited.",
        "",
        "| the whole, flat | used | of | % |",
        "|---|---|---|---|",
    ]
    for key, title in TITLES.items():
        lines.append(f"| {title} | {made[key]} | {fits['available'][key]} | {fits['percent'][key]} |")
    lines += timing_lines(made)
    lines += [
        "",
        "Per unit, from a synthesis that keeps the units' boundaries; the whole is optimised across them.",
        "*One* is the largest instance with the units inside it, *own* all instances without those, so that",
        "the columns of *own* can be added. Small modules (`rtl/common`) count to the unit they serve.",
        "",
        "| unit | instances | LUT4, one | flip-flops, one | block RAMs, one | LUT4, own | flip-flops, own "
        "| block RAMs, own |",
        "|---|---|---|---|---|---|---|---|",
    ]
    total = dict.fromkeys(TITLES, 0)
    for name, row in made["units"].items():
        one = " | ".join(str(row[key]) for key in TITLES)
        own = " | ".join(str(row["own"][key]) for key in TITLES)
        total = add(total, row["own"])
        lines.append(f"| `{name}` | {row['instances']} | {one} | {own} |")
    sums = " | ".join(str(total[key]) for key in TITLES)
    lines.append(f"| **together** | | | | | {sums} |")
    return "\n".join(lines) + "\n"


def timing_lines(made):
    """Clocks, and what limits the fabric's."""
    path, placed = made["critical_path"], made["placed"]
    how = "Placed and routed" if made["routed"] else "**Placed, not routed**: the wires are nextpnr's guess"
    lines = [
        "",
        f"{how} ({made['provenance']['tools']['nextpnr']}, with the LUTs that wires go through: "
        f"{placed['TRELLIS_COMB']} LUT4). *host* is the clock of bridge and fronts, *fabric* the same behind "
        "its gate; the ways between them have one period, too.",
        "",
        "| clock | wanted, MHz | achieved, MHz |",
        "|---|---|---|",
    ]
    for name, row in made["clocks"].items():
        lines.append(f"| {name} | {row['wanted_mhz']:.1f} | {row['achieved_mhz']:.1f} |")
    pads = ", ".join(f"{name} {ns:.1f}" for name, ns in made["pads_ns"].items())
    pads_line = f"Longest ways without the clock's own, in ns, which nothing judges: {pads}."
    lines += ["", pads_line, ""]
    if path is None:
        return [*lines, "What limits is named when it is routed: nextpnr tells of no path before."]
    lines += [
        f"What limits, {path['clock']}: `{path['from']}` to `{path['to']}`, {path['ns']:.2f} ns: "
        f"{path['logic_ns']:.2f} of logic in {path['levels']} levels, {path['wires_ns']:.2f} of wires.",
        "",
        "| ns | step | signal, or where it is written; of logic: what goes into it and has a name |",
        "|---|---|---|",
    ]
    for step in path["steps"]:
        named = f"`{step['at']}`" if step["at"] else ""
        lines.append(f"| {step['ns']:.2f} | {step['kind']} | {named} |")
    return lines


def summary(made):
    percent = made["fits"]["percent"]
    used = ", ".join(f"{made[key]} {title} ({percent[key]} %)" for key, title in TITLES.items())
    how = "" if made["routed"] else ", placed and not routed"
    return f"{made['config']} on {made['fits']['part']}: {used}; {made['fmax_mhz']:.1f} MHz{how}"


def path_of(name):
    return REPORTS / f"{name}.json"


def write(made):
    return write_pair(path_of(made["board"]), made, table(made))


def write_pair(path, made, page):
    """A report and its page, each whole or not at all."""
    texts = {path: json.dumps(made, indent=2) + "\n", path.with_suffix(".md"): page}
    path.parent.mkdir(exist_ok=True)
    for out, text in texts.items():
        fresh = out.with_suffix(".new")
        fresh.write_text(text)
        os.replace(fresh, out)
    return list(texts)


def load(name):
    return json.loads(path_of(name).read_text())


def stale(name):
    """Why the kept report of a board is not that of these sources, or nothing."""
    board = boards.find(name)
    values = generate.resolve(board.config)
    if not path_of(name).exists():
        return f"there is no report of {name}"
    kept = load(name)["provenance"]
    if kept["hash"] != generate.digest(values):
        return f"the report of {name} was made from another configuration or other RTL sources"
    if kept["board"] != board_digest(board):
        return f"the report of {name} was made with another board top, pins, clock or recipe"
    return ""
