# SPDX-License-Identifier: Apache-2.0
"""What is generated from weft.rdl for one configuration, where the tests of host units find it."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "sw" / "setup"), str(ROOT / "rtl" / "config")]
import generate
import protocols
import registers
import tools

TOP = registers.compile_map()
WINDOW, STRIDE = registers.node_window(TOP)


def sources(config, overrides=(), block=False):
    """The generated sources: the counters' package, and with `block` the register block."""
    folder = tools.build_directory() / "cocotb" / "gen" / "-".join([config, *overrides])
    rows = registers.counters(TOP)
    package = registers.sv_package(config, generate.resolve(config, overrides), rows)
    generate.write(folder / "weft_counters_pkg.sv", package)
    found = [folder / "weft_counters_pkg.sv"]
    if block:
        registers.export_rtl(TOP, folder)
        found += [folder / "weft_registers_pkg.sv", folder / "weft_registers.sv"]
    return found


def counters(config, overrides=()):
    """The counters of a node: rows with name and the most that a cycle can add (`most`)."""
    values = generate.resolve(config, overrides)
    rows = registers.counters(TOP)
    for row in rows:
        row["most"] = registers.most_per_cycle(row, values, protocols.lines_most(values))
    return [row for row in rows if row["cu"] is None or row["cu"] < values["cus"]]


def increment_bits(rows):
    """Bits of one counter's increment on the port of `counters`."""
    return max(8, max(row["most"] for row in rows).bit_length())


def addresses():
    """Dotted name of every register that is not a counter, to its address."""
    return {name: address for name, address, _ in registers.registers(TOP)}


def counter_address(node, number):
    return WINDOW + node * STRIDE + 8 * number
