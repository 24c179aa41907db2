# SPDX-License-Identifier: Apache-2.0
"""clock_gate: an edge for every cycle whose end finds the enable set, and no other; never a short pulse."""

import cocotb
import pytest
from cocotb.triggers import Timer
from support.bench import chance, expect, rounds
from support.runner import Mutant, Unit

GATE = Unit("clock_gate", ["common/clock_gate.sv"])
MUTANTS = [
    Mutant("at_once", "clk_i && enable_q", "clk_i && enable_i"),
    Mutant("always", "clk_i && enable_q", "clk_i"),
]


async def clock(dut, level):
    """Half a cycle; the gated clock in it."""
    dut.clk_i.value = level
    await Timer(1, "ns")
    return int(dut.clk_o.value)


@cocotb.test()
async def edges_of_enabled_cycles(dut):
    dut.enable_i.value = 0
    await clock(dut, 1)
    await clock(dut, 0)
    told = 0
    for _ in range(rounds(400)):
        expect("low while the clock is low", await clock(dut, 0), 0)
        expect("as it was told before the fall", await clock(dut, 1), told)
        enable = int(chance(0.5))
        dut.enable_i.value = enable  # in the high half, as a register on the clock's rise does
        await Timer(1, "ns")
        expect("no glitch", int(dut.clk_o.value), told)
        told = enable


def test_clock_gate():
    GATE.run(__file__)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_clock_gate_is_noticed(mutant):
    GATE.run(__file__, mutant=mutant)
