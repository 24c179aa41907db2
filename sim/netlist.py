# SPDX-License-Identifier: Apache-2.0
"""Synthesis of a configuration for ECP5, so that what synthesis writes runs the same tests as its source."""

import hashlib
import os

import build_rtl
import tools

TOP = "fabric"


def verilator_flags():
    """A netlist is not written to be linted: its cells have wires that lead nowhere and timing that we pass over."""
    return [
        "-DNETLIST",
        "-Wno-lint",
        "-Wno-style",
        "-Wno-SPECIFYIGN",
        f"+incdir+{tools.yosys_share() / 'ecp5'}",
    ]


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


def relative(path):
    """Yosys from a wheel sees a /tmp of its own: paths from the tree's root serve everywhere."""
    return os.path.relpath(path, build_rtl.ROOT)


def script(target, verilog):
    files = " ".join(relative(source) for source in verilog)
    return (
        f"read_slang -j 1 --top {TOP} {files}\n"
        f"synth_ecp5 -top {TOP}\n"
        f"chformal -remove\n"  # assertions have no gates
        f"tee -q -o {relative(target.folder / 'synthesis.txt')} stat\n"
        f"write_verilog -noattr {relative(path(target))}\n"
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
    command = [*tools.yosys(), "-q", "-l", relative(target.folder / "synthesis.log"), relative(recipe)]
    run(target, "synthesis", command, env=tools.environment(), cwd=build_rtl.ROOT)
    stamp.write_text(digest.hexdigest())
