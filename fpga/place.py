# SPDX-License-Identifier: Apache-2.0
"""From a netlist to a bitstream: nextpnr places and routes, ecppack packs."""

import hashlib
import json
import pathlib
import re
import subprocess

import build_rtl
import ecp5
import timing
import tools

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Missed clocks are told of by timing.py, which also looks at the ways between two of them. Cells take at most
# seven tenths of the places of a region, not nine: then wires are shorter, and fewer are wanted twice. The
# default router takes its time and comes to an end; router2 stays at some thousand wires that are in use
# twice. More weight on the longest ways (--placer-heap-timingweight 30) promises 2 MHz more and crowds the
# wires.
OPTIONS = ["--timing-allow-fail", "--quiet", "--router", "router1", "--placer-heap-beta", "0.7"]
PACK = ["--compress"]


def options(board):
    """All that place and route depends on beside netlist and pins."""
    return [*board.place, *OPTIONS, "--freq", f"{board.mhz:g}", "--seed", str(board.seed)]


def version():
    """As `nextpnr-0.11.1`; a distribution's says only the number."""
    answer = subprocess.run([*tools.nextpnr(), "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"Version (?:nextpnr-)?(\d[\w.]*)", answer.stdout + answer.stderr)
    return f"nextpnr-{found[1] if found else 'unknown'}"


def once(target, name, what, command, inputs):
    """One step in the target's folder, unless it was done with the same inputs."""
    stamp = target.folder / f"{name}.stamp"
    digest = build_rtl.hash_files(hashlib.sha256(repr(command[1:]).encode()), inputs)
    if stamp.exists() and stamp.read_text() == digest:
        return
    stamp.unlink(missing_ok=True)
    build_rtl.run(target, what, command, env=tools.environment(), cwd=ROOT)
    stamp.write_text(digest)


def run(target, board, netlist, name, what, outputs, extra=()):
    """One run of nextpnr; returns its report."""
    pins, out = ROOT / board.pins, target.folder / f"{board.name}.{name}.json"
    files = {"--json": netlist, "--lpf": pins, "--report": out, **outputs}
    named = [word for option, path in files.items() for word in (option, ecp5.relative(path))]
    command = [*tools.nextpnr(), *options(board), *extra, *named]
    once(target, name, what, command, [netlist, pins])
    return json.loads(out.read_text())


def placed_design(target, board):
    """The design with its places, which routing begins from."""
    return target.folder / f"{board.name}.design.json"


def place(target, board, netlist):
    """Places: what nextpnr expects of the clocks then, with wires that it guesses."""
    log = target.folder / f"{board.name}.placed.log"
    outputs = {"--log": log, "--write": placed_design(target, board)}
    raw = run(target, board, netlist, "placed", "placing", outputs, ["--no-route"])
    return {**raw, **timing.of_log(log.read_text())}


def route(target, board, netlist):
    """Routes what is placed: cells, places and nextpnr's settings, the router among them, are as written."""
    placed = place(target, board, netlist)
    log, text = (target.folder / f"{board.name}.{end}" for end in ("route.log", "config"))
    outputs, extra = {"--log": log, "--textcfg": text}, ["--no-pack", "--no-place"]
    raw = run(target, board, placed_design(target, board), "timing", "routing", outputs, extra)
    # The pins' own clocks are not in what was written.
    for clock, row in raw["fmax"].items():
        row["constraint"] = placed["fmax"][clock]["constraint"]
    return raw


def pack(target, board):
    """Writes the bitstream; whole or not at all."""
    text, bit = target.folder / f"{board.name}.config", target.build / "fpga" / f"weft-{board.name}.bit"
    fresh = target.folder / f"{board.name}.bit"
    command = [*tools.ecppack(), *PACK, "--input", ecp5.relative(text), "--bit", ecp5.relative(fresh)]
    once(target, "pack", "packing", command, [text])
    bit.write_bytes(fresh.read_bytes())
    return bit


def used(raw):
    """What place and route took of the chip, by nextpnr's names of it."""
    return {kind: row["used"] for kind, row in sorted(raw["utilization"].items()) if row["used"]}
