# SPDX-License-Identifier: Apache-2.0
"""Yosys for ECP5: the one way from SystemVerilog to cells, for the board and for the netlist test."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "sw" / "setup"))
import tools  # noqa: E402

# What one cell takes of the chip, counted as nextpnr counts: a carry cell is two LUTs; sixteen words of four
# bits are four LUTs of storage and two whose inputs carry the write. PFUMX and L6MUX21 join LUTs, take none.
LUTS = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}
FFS = {"TRELLIS_FF": 1}
BRAMS = {"DP16KD": 1}
# The last is a note, no cell. Before it: a pad, the PLL, the buffer of a clock.
FREE = {"PFUMX", "L6MUX21", "TRELLIS_IO", "EHXPLLL", "DCCA", "$scopeinfo"}
KNOWN = {*LUTS, *FFS, *BRAMS, *FREE}
COMPARE = ROOT / "fpga" / "compare.v"
# An unused port of a fabric is found unused one boundary at a time: fabric, node, l2, l2_data, atomic.
HIERARCHY_ROUNDS = 5


class UnknownCell(Exception):
    """A cell that would be counted as nothing."""


def relative(path):
    """Yosys from a wheel sees a /tmp of its own: paths from the tree's root serve everywhere."""
    return os.path.relpath(path, ROOT)


def read(top, files, hierarchy=False, parameters=()):
    """Reads the sources. Assertions are taken out before they can keep logic alive: they have no gates.

    Parameters of the top are pairs of name and value.
    """
    options = "--keep-hierarchy " if hierarchy else ""
    options += "".join(f"-G {name}={value} " for name, value in parameters)
    names = " ".join(relative(path) for path in files)
    options += "--unroll-limit 65536 "  # a RAM's zeroes are a loop over its words
    return f"read_slang -j 1 {options}--top {top} {names}\nhierarchy -check -top {top}\nchformal -remove\n"


def synthesise(top):
    """Cells of the chip, with Yosys's own checks made into errors.

    LUTs of four inputs alone: wider ones, of several joined, save the whole nothing and cost units a third.
    Comparisons are made differences first (compare.v), while they still are comparisons. State machines keep
    the codes that they are written with: Yosys's own have no way out of a state that is none of them, not
    even by a reset, and a chip begins with all bits 0, which one-hot codes do not have.
    """
    return (
        f"synth_ecp5 -nowidelut -top {top} -run begin:coarse\n"
        f"proc\nflatten\nopt_expr\nopt_clean\nwreduce\ntechmap -map {relative(COMPARE)}\n"
        f'setattr -set fsm_encoding "none" w:*\n'
        f"synth_ecp5 -nowidelut -top {top} -run coarse:check\n"
        f"hierarchy -check\n"
        f"check -assert -noinit\n"
        f"blackbox =A:whitebox\n"
    )


def command(script, log):
    """The command line that runs a script file, from the tree's root."""
    return [*tools.yosys(), "-q", "-l", relative(log), relative(script)]


def count(cells):
    """Cells by kind, as `stat -json` has them, in what the chip offers."""
    strange = set(cells) - KNOWN
    if strange:
        raise UnknownCell(f"cells that are not counted: {', '.join(sorted(strange))}")

    def total(prices):
        return sum(cells.get(kind, 0) * price for kind, price in prices.items())

    return {"luts": total(LUTS), "ffs": total(FFS), "brams": total(BRAMS)}


def flat(top, files, stat, netlist, parameters=()):
    """The whole without boundaries: its cells into `stat`, its netlist for place and route into `netlist`."""
    return (
        read(top, files, parameters=parameters)
        + synthesise(top)
        + f"tee -q -o {stat} stat -json\n"
        + f"write_json {netlist}\n"
    )


def units(top, files, names, alike, stat, parameters=()):
    """The boundaries of the named modules are kept; what is unused or constant is still found across them.

    Everything else becomes part of the unit that it stands in. read_slang calls a module NAME$PATH; those
    whose path matches one of `alike` are copies of others and are left out.
    """
    kept = " ".join(f"{name}$*" for name in names)
    copies = " ".join(f"*{path}*" for path in alike)
    return (
        read(top, files, hierarchy=True, parameters=parameters)
        + (f"blackbox {copies}\n" if alike else "")
        + f"setattr -mod -set keep_hierarchy 1 {kept}\n"
        + "proc\nflatten\n"
        + "opt_hier\nopt_expr\nopt_clean\n" * HIERARCHY_ROUNDS
        + synthesise(top)
        + f"tee -q -o {stat} stat -json\n"
    )
