# SPDX-License-Identifier: Apache-2.0
"""Synthesis of a configuration for ECP5, so that what synthesis writes runs the same tests as its source."""

import hashlib

import build_rtl
import tools

TOP = "fabric"
# A netlist is not written to be linted, and its cells have wires that lead nowhere.
VERILATOR_FLAGS = ["-Wno-lint", "-Wno-style", "-Wno-SPECIFYIGN", "-Wno-MULTITOP", "--bbox-unsup"]


def cells():
    """Simulation models of the cells: Yosys's own where it has one, ours for the block RAM."""
    share = tools.yosys_share() / "ecp5"
    return [
        share / "common_sim.vh",
        share / "ccu2c_sim.vh",
        build_rtl.ROOT / "tests" / "netlist" / "dp16kd.sv",
    ]


def path(target):
    return target.folder / f"{TOP}_netlist.v"


def sources(target):
    return [path(target), *cells()]


def script(target, verilog):
    files = " ".join(str(source) for source in verilog)
    return (
        f"read_slang -j 1 --top {TOP} {files}\n"
        f"synth_ecp5 -top {TOP}\n"
        f"chformal -remove\n"  # assertions have no gates
        f"tee -q -o {target.folder}/synthesis.txt stat\n"
        f"write_verilog -noattr {path(target)}\n"
    )


def synthesise(target, run):
    """Writes the netlist, unless the sources are those it was made from."""
    verilog = [target.generated / "weft_pkg.sv", *build_rtl.rtl_files(target.generated)]
    text = script(target, verilog)
    digest = hashlib.sha256(text.encode())
    for source in verilog:
        digest.update(source.read_bytes())
    stamp = target.folder / "netlist.stamp"
    if path(target).exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    build_rtl.say(target, "synthesising for ECP5")
    recipe = target.folder / "synthesis.ys"
    recipe.write_text(text)
    log = target.folder / "synthesis.log"
    run(target, "synthesis", [*tools.yosys(), "-q", "-l", str(log), str(recipe)], env=tools.environment())
    stamp.write_text(digest.hexdigest())
