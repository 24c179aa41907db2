# SPDX-License-Identifier: Apache-2.0
"""Synthesis of a configuration for ECP5, so that what synthesis writes runs the same tests as its source."""

import hashlib

import build_rtl
import cells
import ecp5
import tools

TOP = "fabric"
# NETLIST: the simulation's top has a short cut into the source's memories, which a netlist does not have.
# A netlist is not written to be linted. It is large and runs little, so it is compiled without optimisation.
VERILATOR_FLAGS = ["-DNETLIST", "-Wno-lint", "-Wno-style"]
OPTIMISE = "-O0"


def netlist(target):
    """What synthesis wrote."""
    return target.folder / f"{TOP}_netlist.v"


def plain(target):
    """The same with every cell but the block RAMs written as what it does."""
    return target.folder / f"{TOP}_plain.sv"


def sources(target):
    """With the packages that have the type of what simulation does to the wires."""
    types = [build_rtl.ROOT / "rtl" / "link" / name for name in ("weft_cost_pkg.sv", "weft_frame_pkg.sv")]
    return [*types, plain(target), build_rtl.ROOT / "tests" / "netlist" / "dp16kd.sv"]


def script(target, verilog):
    """Synthesis as for the board; then nets of one bit and short names."""
    return (
        ecp5.read(TOP, verilog)
        + ecp5.synthesise(TOP)
        + f"tee -q -o {ecp5.relative(target.folder / 'synthesis.txt')} stat\n"
        + "splitnets\n"
        + "opt_clean -purge\n"
        + "rename -hide w:* c:*\n"
        + f"write_verilog -noattr {ecp5.relative(netlist(target))}\n"
    )


def synthesise(target, run):
    """Writes the netlist, unless the sources are those it was made from."""
    verilog = [target.generated / "weft_pkg.sv", *build_rtl.rtl_files(target.generated)]
    text = script(target, verilog)
    digest = hashlib.sha256(text.encode())
    for source in verilog:
        digest.update(source.read_bytes())
    stamp = target.folder / "netlist.stamp"
    if not netlist(target).exists() or not stamp.exists() or stamp.read_text() != digest.hexdigest():
        build_rtl.say(target, "synthesising for ECP5")
        recipe = target.folder / "synthesis.ys"
        recipe.write_text(text)
        command = ecp5.command(recipe, target.folder / "synthesis.log")
        run(target, "synthesis", command, env=tools.environment(), cwd=build_rtl.ROOT)
        stamp.write_text(digest.hexdigest())
    plain(target).write_text(cells.expand(netlist(target).read_text()))
