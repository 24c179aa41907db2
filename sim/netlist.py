# SPDX-License-Identifier: Apache-2.0
"""Synthesis of a configuration for ECP5, so that what synthesis writes runs the same tests as its source."""

import hashlib
import os

import build_rtl
import cells
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
    return [plain(target), build_rtl.ROOT / "tests" / "netlist" / "dp16kd.sv"]


def relative(path):
    """Yosys from a wheel sees a /tmp of its own: paths from the tree's root serve everywhere."""
    return os.path.relpath(path, build_rtl.ROOT)


def script(target, verilog):
    """Synthesis up to its own checks, which are made here; then nets of one bit and short names."""
    files = " ".join(relative(source) for source in verilog)
    return (
        f"read_slang -j 1 --top {TOP} {files}\n"
        f"synth_ecp5 -top {TOP} -run begin:check\n"
        f"hierarchy -check\n"
        f"check -assert -noinit\n"
        f"chformal -remove\n"  # assertions have no gates
        f"blackbox =A:whitebox\n"
        f"tee -q -o {relative(target.folder / 'synthesis.txt')} stat\n"
        f"splitnets\n"
        f"opt_clean -purge\n"
        f"rename -hide w:* c:*\n"
        f"write_verilog -noattr {relative(netlist(target))}\n"
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
        command = [*tools.yosys(), "-q", "-l", relative(target.folder / "synthesis.log"), relative(recipe)]
        run(target, "synthesis", command, env=tools.environment(), cwd=build_rtl.ROOT)
        stamp.write_text(digest.hexdigest())
    plain(target).write_text(cells.expand(netlist(target).read_text()))
