# SPDX-License-Identifier: Apache-2.0
"""The cells of an ECP5 netlist as plain Verilog: the same function without 50,000 instances.

A simulator compiles a netlist of LUT and flip-flop instances for minutes. Here each cell becomes what it
does: a LUT an expression of its truth table, a flip-flop a line in the always block of its clock, enable and
reset, and the small RAMs that share clock and addresses one wider RAM. Block RAMs and gates of clocks stay
instances, of tests/netlist/dp16kd.sv and dcca.sv. A cell or option that is not known here is an error.
"""

import collections
import functools
import re

CELL = re.compile(r"^  ([A-Z][A-Z0-9_]+) (?:#\(\n(.*?)\n  \) )?(\S+) \(\n(.*?)\n  \);\n", re.S | re.M)
PIN = re.compile(r"^    \.(\w+)\((.*?)\),?$", re.M)
KEPT = {"DP16KD", "DCCA"}


class UnknownCell(Exception):
    pass


def expand(netlist):
    """The text of a netlist with its cells replaced, module by module."""
    return "".join(map(expand_module, re.split(r"(?<=^endmodule\n)", netlist, flags=re.M)))


def expand_module(module):
    shared = Shared()

    def replace(match):
        kind, parameters, name, pins = match[1], match[2] or "", match[3], match[4]
        if kind in KEPT:
            return match[0]
        if kind not in WRITERS:
            raise UnknownCell(f"the netlist has a cell {kind} that sim/cells.py does not know")
        return WRITERS[kind](name, dict(PIN.findall(parameters)), dict(PIN.findall(pins)), shared)

    text = CELL.sub(replace, module).replace("  wire ", "  logic ")
    return text.replace("endmodule", shared.write() + "endmodule")


class Shared:
    """Cells written together: flip-flops of one clock, enable and reset; RAMs of one clock and addresses."""

    def __init__(self):
        self.flops = collections.defaultdict(list)
        self.rams = collections.defaultdict(list)

    def write(self):
        blocks = [flop_block(*item) for item in self.flops.items()]
        blocks += [ram_block(index, *item) for index, item in enumerate(self.rams.items())]
        return "".join(blocks)


def require(cell, parameters, allowed):
    for key, values in allowed.items():
        if key in parameters and parameters[key] not in values:
            raise UnknownCell(f"{cell}: {key}={parameters[key]} is not known to sim/cells.py")


# ---------------------------------------------------------------- truth tables


@functools.cache
def formula(table, count):
    """Template of a truth table over %(0)s .. %(count-1)s, the last one the most significant."""
    size = 1 << count
    if table == 0:
        return "1'b0"
    if table == (1 << size) - 1:
        return "1'b1"
    half = size // 2
    low, high = table & ((1 << half) - 1), table >> half
    if low == high:
        return formula(low, count - 1)
    v = f"%({count - 1})s"
    zero, one = 0, (1 << half) - 1
    f, g = (formula(part, count - 1) for part in (low, high))
    if (low, high) == (zero, one):
        return v
    if (low, high) == (one, zero):
        return f"~{v}"
    if low == zero:
        return f"({v} & {g})"
    if high == zero:
        return f"(~{v} & {f})"
    if low == one:
        return f"(~{v} | {g})"
    if high == one:
        return f"({v} | {f})"
    if low == high ^ one:
        return f"({v} ^ {f})"
    return f"({v} ? {g} : {f})"


def constant(text):
    """The value of a Verilog constant; unknown bits count as 0."""
    _, base, digits = re.fullmatch(r"(\d+)'([bdh])([0-9a-fxz]+)", text).groups()
    return int(re.sub("[xz]", "0", digits), {"b": 2, "d": 10, "h": 16}[base])


def lut(table, *inputs):
    """A LUT's expression; inputs from the least significant."""
    known = {str(index): "1'b0" if name in ("1'hx", "1'bx") else name for index, name in enumerate(inputs)}
    return formula(table & ((1 << (1 << len(inputs))) - 1), len(inputs)) % known


# ---------------------------------------------------------------- cells


def write_lut(name, parameters, pins, shared):
    return f"  assign {pins['Z']} = {lut(constant(parameters['INIT']), *(pins[pin] for pin in 'ABCD'))};\n"


def write_pfumx(name, parameters, pins, shared):
    return f"  assign {pins['Z']} = {pins['C0']} ? {pins['ALUT']} : {pins['BLUT']};\n"


def write_l6mux(name, parameters, pins, shared):
    return f"  assign {pins['Z']} = {pins['SD']} ? {pins['D1']} : {pins['D0']};\n"


def write_carry(name, parameters, pins, shared):
    """Two LUTs and two bits of a carry chain; with INJECT1 the chain is cut."""
    require("CCU2C", parameters, {"INJECT1_0": ('"NO"', '"YES"'), "INJECT1_1": ('"NO"', '"YES"')})
    out, carry = [], pins.get("CIN", "1'b0")
    for half in "01":
        table = constant(parameters[f"INIT{half}"])
        four = lut(table, *(pins[pin + half] for pin in "ABCD"))
        two = lut(table, pins["A" + half], pins["B" + half])
        cut = parameters.get(f"INJECT1_{half}") == '"YES"'
        local, chain = f"{name}four{half}", f"{name}carry{half}"
        out.append(f"  logic {local}, {chain};\n  assign {local} = {four};\n")
        generated = "1'b0" if cut else two
        out.append(f"  assign {chain} = (~{local} & {generated}) | ({local} & {carry});\n")
        if "S" + half in pins:
            out.append(f"  assign {pins['S' + half]} = {local}{'' if cut else f' ^ {carry}'};\n")
        carry = chain
    if "COUT" in pins:
        out.append(f"  assign {pins['COUT']} = {carry};\n")
    return "".join(out)


def write_flop(name, parameters, pins, shared):
    # One that starts as 1 and has no reset is said to have an asynchronous one, which is never asked for.
    never = pins.get("LSR", "1'h0") == "1'h0"
    resets = ('"LSR_OVER_CE"', '"ASYNC"') if never else ('"LSR_OVER_CE"',)
    require(
        "TRELLIS_FF",
        parameters,
        {"CLKMUX": ('"CLK"',), "LSRMUX": ('"LSR"',), "SRMODE": resets, "LSRMODE": ('"LSR"',)},
    )
    enable = {'"1"': "1'h1", '"CE"': pins.get("CE"), '"INV"': f"~{pins.get('CE')}"}[parameters["CEMUX"]]
    value = "1'b1" if parameters["REGSET"] == '"SET"' else "1'b0"
    shared.flops[(pins["CLK"], enable, pins.get("LSR", "1'h0"))].append((pins["Q"], pins["DI"], value))
    return ""


def flop_block(key, rows):
    """Flip-flops start as 0, as everything does here, unless their reset value is 1."""
    clock, enable, reset = key
    loads = "".join(f"      {q} <= {d};\n" for q, d, _ in rows)
    resets = "".join(f"      {q} <= {value};\n" for q, _, value in rows)
    first = "".join(f"    {q} = 1'b1;\n" for q, _, value in rows if value == "1'b1")
    body = f"    if ({enable}) begin\n{loads}    end\n"
    if reset != "1'h0":
        body = f"    if ({reset}) begin\n{resets}    end else if ({enable}) begin\n{loads}    end\n"
    block = f"  always @(posedge {clock}) begin\n{body}  end\n"
    return block + (f"  initial begin\n{first}  end\n" if first else "")


def write_ram(name, parameters, pins, shared):
    require("TRELLIS_DPR16X4", parameters, {"WCKMUX": ('"WCK"',), "WREMUX": ('"WRE"',)})
    if constant(parameters.get("INITVAL", "64'h0")):
        raise UnknownCell("TRELLIS_DPR16X4: a start value other than 0 is not known to sim/cells.py")
    key = tuple(pins[pin] for pin in ("WCK", "WRE", "WAD", "RAD"))
    shared.rams[key].append((pins["DI"], pins["DO"]))
    return ""


def ram_block(index, key, columns):
    """Sixteen words: written at the clock's edge, read at once."""
    clock, write, waddr, raddr = key
    store = f"ram16_{index}"
    data = ", ".join(di for di, _ in columns)
    out = ", ".join(do for _, do in columns)
    return (
        f"  logic [{4 * len(columns) - 1}:0] {store} [16];\n"
        f"  always @(posedge {clock}) if ({write}) {store}[{waddr}] <= {{ {data} }};\n"
        f"  assign {{ {out} }} = {store}[{raddr}];\n"
    )


WRITERS = {
    "LUT4": write_lut,
    "PFUMX": write_pfumx,
    "L6MUX21": write_l6mux,
    "CCU2C": write_carry,
    "TRELLIS_FF": write_flop,
    "TRELLIS_DPR16X4": write_ram,
}
