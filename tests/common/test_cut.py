# SPDX-License-Identifier: Apache-2.0
"""cut: the same value, at once or a cycle later."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer
from support.bench import expect, rounds
from support.runner import Mutant, Unit

CUT = Unit("cut", ["common/cut.sv"])
MUTANTS = [
    Mutant("registers_always", "if (Cut != 0)", "if (Cut < 2)"),
    Mutant("turns_bits", "assign data_o = data_i", "assign data_o = ~data_i"),
]


async def tick(dut):
    for level in (0, 1):
        dut.clk_i.value = level
        await Timer(1, "ns")


@cocotb.test()
async def values_pass(dut):
    width, late = int(dut.Width.value), int(dut.Cut.value)
    before = 0
    dut.data_i.value = before
    await tick(dut)
    for _ in range(rounds(200)):
        value = random.getrandbits(width)
        dut.data_i.value = value
        await Timer(1, "ns")
        expect("before the edge", int(dut.data_o.value), before if late else value)
        await tick(dut)
        expect("behind it", int(dut.data_o.value), value)
        before = value


@pytest.mark.parametrize("width,late", [(1, 0), (1, 1), (77, 0), (77, 1)])
def test_cut(width, late):
    CUT.run(__file__, parameters={"Width": width, "Cut": late})


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_cut_is_noticed(mutant):
    CUT.run(__file__, parameters={"Width": 9, "Cut": 0}, mutant=mutant)
