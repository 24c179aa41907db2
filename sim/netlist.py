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
# All nodes are one module, their links too: the first node's are synthesised, and stand in all places. A node
# knows its number by an input, so that nothing of it could differ but what constants from outside make of it.
ONCE = {"node": ["u_node"], "link": ["u_up", "u_down"]}


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


def once(target):
    """Commands that put the first node's modules in the place of all others'.

    read_slang calls a module NAME$PATH. A question mark stands for the brackets, which mean something else
    in a pattern.
    """
    path = "board_top.u_fabric.u_fabric" if target.board else "fabric"
    text = ""
    for module, instances in ONCE.items():
        for instance in instances:
            first = f"{module}${path}.gen_node[0].{instance}"
            for number in range(1, target.values["nodes"]):
                text += f"chtype -set {first} t:{module}$*.gen_node?{number}?.{instance}\n"
    kept = " ".join(f"{module}$*" for module in ONCE)
    return f"{text}hierarchy -check -top {top(target)}\nsetattr -mod -set keep_hierarchy 1 {kept}\n"


def script(target, verilog):
    """Synthesis as for the board, but for what is made once; then nets of one bit and short names.

    ABC searches less: here it is tried whether what was made is right, not how small and fast it is.
    """
    name = top(target)
    parameters = (("ClockHz", target.clock_hz),) if target.board else ()
    kept = f" w:{SEEN} %d" if target.board else ""
    return (
        ecp5.read(name, verilog, hierarchy=True, parameters=parameters)
        + once(target)
        + (f"setattr -set keep 1 w:{SEEN}\n" if target.board else "")
        + "scratchpad -copy abc9.script.default.fast abc9.script\n"
        + ecp5.synthesise(name)
        + "delete */t:$scopeinfo\n"  # notes of where boundaries were
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
