# SPDX-License-Identifier: Apache-2.0
"""From a netlist to a bitstream: nextpnr places and routes, ecppack packs."""

import hashlib
import json
import pathlib
import re
import subprocess

import build_rtl
import ecp5
import tools

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Missed clocks are told of by timing.py, which also looks at the ways between two of them.
OPTIONS = ["--timing-allow-fail", "--quiet"]
PACK = ["--compress"]


def options(board):
    """All that place and route depends on beside netlist and pins."""
    return [*board.place, *OPTIONS, "--freq", f"{board.mhz:g}", "--seed", str(board.seed)]


def version():
    answer = subprocess.run([*tools.nextpnr(), "--version"], capture_output=True, text=True, check=True)
    return re.search(r"nextpnr-\d[\w.]*", answer.stdout + answer.stderr)[0]


def once(target, name, what, command, inputs):
    """One step in the target's folder, unless it was done with the same inputs."""
    stamp = target.folder / f"{name}.stamp"
    digest = build_rtl.hash_files(hashlib.sha256(repr(command[1:]).encode()), inputs)
    if stamp.exists() and stamp.read_text() == digest:
        return
    stamp.unlink(missing_ok=True)
    build_rtl.run(target, what, command, env=tools.environment(), cwd=ROOT)
    stamp.write_text(digest)


def route(target, board, netlist):
    """Places and routes; returns nextpnr's report."""
    out, log, text = (target.folder / f"{board.name}.{end}" for end in ("timing.json", "place.log", "config"))
    pins = ROOT / board.pins
    files = {"--json": netlist, "--lpf": pins, "--report": out, "--log": log, "--textcfg": text}
    named = [word for option, path in files.items() for word in (option, ecp5.relative(path))]
    command = [*tools.nextpnr(), *options(board), *named]
    once(target, "place", "placing and routing", command, [netlist, pins])
    return json.loads(out.read_text())


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
