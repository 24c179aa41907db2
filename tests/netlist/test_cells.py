# SPDX-License-Identifier: Apache-2.0
"""The cells of a netlist as plain Verilog: truth tables, flip-flops, carry chains, and what is refused."""

import itertools
import pathlib
import random
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sim"))
import cells  # noqa: E402


def evaluate(expression, values):
    """A Verilog expression over one-bit names: (a op b), (a ? b : c), ~a, a name or a constant."""
    tokens = re.findall(r"1'b[01]|\w+|[()~&|^?:]", expression)[::-1]

    def term():
        token = tokens.pop()
        if token == "~":
            return 1 ^ term()
        if token != "(":
            return int(token[-1]) if token.startswith("1'b") else values[token]
        left, operator, right = term(), tokens.pop(), term()
        if operator == "?":
            assert tokens.pop() == ":"
            other = term()
            result = right if left else other
        else:
            result = {"&": left & right, "|": left | right, "^": left ^ right}[operator]
        assert tokens.pop() == ")"
        return result

    result = term()
    assert not tokens
    return result


def every_input(count):
    return itertools.product((0, 1), repeat=count)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_small_truth_table(count):
    names = "abcd"[:count]
    for table in range(1 << (1 << count)):
        expression = cells.lut(table, *names)
        for bits in every_input(count):
            index = sum(bit << place for place, bit in enumerate(bits))
            assert evaluate(expression, dict(zip(names, bits))) == (table >> index) & 1, (table, expression)


def test_truth_tables_of_four_inputs():
    draw = random.Random(1)
    for table in [0x8000, 0x6996, 0xCA0F, *(draw.getrandbits(16) for _ in range(2000))]:
        expression = cells.lut(table, *"abcd")
        for bits in every_input(4):
            index = sum(bit << place for place, bit in enumerate(bits))
            assert evaluate(expression, dict(zip("abcd", bits))) == (table >> index) & 1, (table, expression)


def test_expressions_are_short():
    assert cells.lut(0xCACA, *"abcd") == "(c ? b : a)"
    assert cells.lut(0x00F0, *"abcd") == "(~d & c)"
    assert cells.lut(0x6666, *"abcd") == "(b ^ a)"


def netlist(*instances):
    return "module m(a, z);\n" + "".join(instances) + "endmodule\n"


def cell(kind, name, pins, **parameters):
    options = ",\n".join(f"    .{key}({value})" for key, value in parameters.items())
    ports = ",\n".join(f"    .{key}({value})" for key, value in pins.items())
    return f"  {kind} #(\n{options}\n  ) {name} (\n{ports}\n  );\n"


FLOP = {"CEMUX": '"CE"', "CLKMUX": '"CLK"', "GSR": '"DISABLED"', "LSRMUX": '"LSR"', "SRMODE": '"LSR_OVER_CE"'}


def flop(q, **changes):
    pins = {"CE": "en", "CLK": "clk", "DI": f"d{q}", "LSR": "rst", "Q": q}
    return cell("TRELLIS_FF", f"_{q}_", pins, **{**FLOP, "REGSET": '"RESET"', **changes})


def test_flops_of_one_clock_share_a_block():
    text = cells.expand(netlist(flop("p"), flop("q", REGSET='"SET"')))
    assert text.count("always @(posedge clk)") == 1
    assert "if (rst) begin\n      p <= 1'b0;\n      q <= 1'b1;\n    end else if (en) begin" in text
    assert "    q = 1'b1;" in text and "    p = 1'b1;" not in text, "a flip-flop starts as its reset value"


def test_a_start_without_a_reset():
    """Synthesis calls its reset asynchronous, and never asks for it; one that is asked for is not known."""
    options = {**FLOP, "REGSET": '"SET"', "SRMODE": '"ASYNC"'}
    pins = {"CE": "en", "CLK": "clk", "DI": "d", "LSR": "1'h0", "Q": "q"}
    text = cells.expand(netlist(cell("TRELLIS_FF", "_1_", pins, **options)))
    assert "    q = 1'b1;" in text
    assert "if (en) begin\n      q <= d;" in text
    with pytest.raises(cells.UnknownCell):
        cells.expand(netlist(cell("TRELLIS_FF", "_1_", {**pins, "LSR": "rst"}, **options)))


def test_every_module_has_its_own():
    text = cells.expand(netlist(flop("p")) + netlist(flop("q")))
    first, second = text.split("endmodule")[:2]
    assert "p <= 1'b0;" in first and "q <= 1'b0;" not in first
    assert "q <= 1'b0;" in second and "p <= 1'b0;" not in second


def test_inverted_enable_is_another_block():
    text = cells.expand(netlist(flop("p"), flop("q", CEMUX='"INV"')))
    assert text.count("always @(posedge clk)") == 2
    assert "else if (~en)" in text


def test_small_rams_share_their_addresses():
    options = {"INITVAL": "64'hxxxxxxxxxxxxxxxx", "WCKMUX": '"WCK"', "WREMUX": '"WRE"'}
    shared = {"WCK": "clk", "WRE": "we", "WAD": "{ 2'h0, w }", "RAD": "{ 2'h0, r }"}
    pins = [{**shared, "DI": f"i{index}", "DO": f"o{index}"} for index in "01"]
    rams = [cell("TRELLIS_DPR16X4", f"_{index}_", each, **options) for index, each in enumerate(pins)]
    text = cells.expand(netlist(*rams))
    assert "logic [7:0] ram16_0 [16];" in text
    assert "ram16_0[{ 2'h0, w }] <= { i0, i1 };" in text
    assert "assign { o0, o1 } = ram16_0[{ 2'h0, r }];" in text


@pytest.mark.parametrize("cut", ['"NO"', '"YES"'])
def test_carry(cut):
    """An adder's cell: two LUTs, and the carry passes unless it is cut."""
    pins = {pin + half: pin.lower() + half for pin in "ABCD" for half in "01"}
    pins |= {"CIN": "cin", "S0": "s0", "S1": "s1", "COUT": "cout"}
    options = {"INIT0": "16'h96aa", "INIT1": "16'h96aa", "INJECT1_0": cut, "INJECT1_1": cut}
    text = cells.expand(netlist(cell("CCU2C", "_1_", pins, **options)))
    assert ("assign s0 = _1_four0 ^ cin;" in text) == (cut == '"NO"')
    assert "assign cout = _1_carry1;" in text
    assert not re.search(r"^  (logic|wire) [^;]* = ", text, re.M), "a value there would be an initial one"


def test_block_ram_stays():
    ram = cell("DP16KD", "_1_", {"CLKA": "clk"}, DATA_WIDTH_A="32'd9")
    assert ram in cells.expand(netlist(ram))


@pytest.mark.parametrize(
    "instance",
    [
        cell("MULT18X18D", "_1_", {"A0": "a"}, X="1"),
        flop("q", SRMODE='"ASYNC"'),
        flop("q", CLKMUX='"INV"'),
        cell("TRELLIS_DPR16X4", "_1_", {"WCK": "c"}, INITVAL="64'h1", WCKMUX='"WCK"', WREMUX='"WRE"'),
    ],
)
def test_unknown_is_refused(instance):
    with pytest.raises(cells.UnknownCell):
        cells.expand(netlist(instance))
