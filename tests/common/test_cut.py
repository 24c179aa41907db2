# SPDX-License-Identifier: Apache-2.0
"""cut: the same value, at once or some cycles later."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer
from support.bench import expect, rounds
from support.runner import Mutant, Unit

CUT = Unit("cut", ["common/cut.sv"])
MUTANTS = [
    Mutant("registers_always", "else if (Cut == 1)", "else if (Cut < 2)"),
    Mutant("turns_bits", "assign data_o = data_i", "assign data_o = ~data_i"),
]


async def tick(dut):
    for level in (0, 1):
        dut.clk_i.value = level
        await Timer(1, "ns")


@cocotb.test()
async def values_pass(dut):
    width, late = int(dut.Width.value), int(dut.Cut.value)
    under_way = [0] * (late + 1)  # the newest first
    dut.data_i.value = 0
    for _ in range(late):
        await tick(dut)
    for _ in range(rounds(200)):
        under_way = [random.getrandbits(width), *under_way[:late]]
        dut.data_i.value = under_way[0]
        await Timer(1, "ns")
        expect("before the edge", int(dut.data_o.value), under_way[late])
        await tick(dut)
        expect("behind it", int(dut.data_o.value), under_way[max(late - 1, 0)])


@pytest.mark.parametrize("width,late", [(1, 0), (1, 1), (77, 0), (77, 1), (77, 2)])
def test_cut(width, late):
    CUT.run(__file__, parameters={"Width": width, "Cut": late})


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_cut_is_noticed(mutant):
    CUT.run(__file__, parameters={"Width": 9, "Cut": 0}, mutant=mutant)
