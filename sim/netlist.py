# SPDX-License-Identifier: Apache-2.0
"""Synthesis of a configuration for ECP5, so that what synthesis writes runs the same tests as its source.

Of the fabric, or of a board: all but its pads and PLL, with the chip's own cells for its clocks.
"""

import hashlib

import build_rtl
import cells
import ecp5
import tools

# The simulation of a board looks at this net, which must keep its name.
SEEN = "running"
# NETLIST: the simulation's top has a short cut into the source's memories, which a netlist does not have.
# A netlist is not written to be linted. It is large and runs little, so it is compiled without optimisation.
VERILATOR_FLAGS = ["-DNETLIST", "-Wno-lint", "-Wno-style"]
OPTIMISE = "-O0"


def top(target):
    return "board_top" if target.board else "fabric"


def netlist(target):
    """What synthesis wrote."""
    return target.folder / f"{top(target)}_netlist.v"


def plain(target):
    """The same with every cell but block RAMs and clock gates written as what it does."""
    return target.folder / f"{top(target)}_plain.sv"


def sources(target):
    """With the packages that have the type of what simulation does to the wires."""
    types = [build_rtl.ROOT / "rtl" / "link" / name for name in ("weft_cost_pkg.sv", "weft_frame_pkg.sv")]
    models = [build_rtl.ROOT / "tests" / "netlist" / name for name in ("dp16kd.sv", "dcca.sv")]
    return [plain(target), *models] if target.board else [*types, plain(target), models[0]]


def synthesised(target):
    """What synthesis reads."""
    fabric = [target.generated / "weft_pkg.sv", *build_rtl.rtl_files(target.generated)]
    if not target.board:
        return fabric
    cells = sorted((build_rtl.ROOT / "fpga" / "ulx3s").glob("*.v"))
    own = {path.stem for path in cells}
    return [path for path in fabric if path.stem not in own] + build_rtl.board_files() + cells


def script(target, verilog):
    """Synthesis as for the board; then nets of one bit and short names."""
    name = top(target)
    parameters = (("ClockHz", target.clock_hz),) if target.board else ()
    kept = f" w:{SEEN} %d" if target.board else ""
    return (
        ecp5.read(name, verilog, parameters=parameters)
        + (f"setattr -set keep 1 w:{SEEN}\n" if target.board else "")
        + ecp5.synthesise(name)
        + f"tee -q -o {ecp5.relative(target.folder / 'synthesis.txt')} stat\n"
        + "splitnets\n"
        + "opt_clean -purge\n"
        + f"rename -hide w:*{kept} c:*\n"
        + f"write_verilog -noattr {ecp5.relative(netlist(target))}\n"
    )


def synthesise(target, run):
    """Writes the netlist, unless the sources are those it was made from."""
    verilog = synthesised(target)
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
