# SPDX-License-Identifier: Apache-2.0
"""skid: nothing lost, doubled or out of order, the reader served as if it were not there, and a ready that
is a register."""

import pathlib
import random

import cocotb
import pytest
from support.bench import Bench, Mismatch, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

HERE = pathlib.Path(__file__).parent
SKID = Unit("skid_bench", ["common/skid.sv", HERE / "skid_bench.sv"])
MUTANTS = [
    Mutant("holds_what_has_left", "valid_o && !ready_i;", "valid_i && !ready_i;"),
    Mutant("looks_at_ready", "ready_o     = !held_q;", "ready_o     = !held_q || ready_i;"),
    Mutant("copies_always", "if (!held_q) held_data_q", "held_data_q"),
    Mutant("newest_first", "data_o      = held_q ? held_data_q : data_i", "data_o      = data_i"),
    Mutant("always_a_register", "valid_o     = held_q || valid_i", "valid_o     = held_q"),
]


class Writer:
    """Shows an element until it is taken; `idle` of the time it has none."""

    def __init__(self, idle):
        self.idle, self.shown, self.made = idle, None, 0

    def show(self):
        if self.shown is None and not chance(self.idle):
            self.shown, self.made = random.getrandbits(16), self.made + 1
        return self.shown

    def taken(self):
        self.shown = None


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3, 0.9], stall=[0.0, 0.3, 0.9])
async def random_traffic(dut, idle, stall):
    bench = await Bench.start(dut, valid_i=0, ready_i=0)
    writer, aside, passed = Writer(idle), None, 0
    for _ in range(rounds(400)):
        shown, reads = writer.show(), not chance(stall)
        dut.valid_i.value, dut.ready_i.value = shown is not None, reads
        dut.data_i.value = random.getrandbits(16) if shown is None else shown
        await bench.settle()
        oldest = aside if aside is not None else shown
        expect("ready", int(dut.ready_o.value), aside is None)
        expect("held", int(dut.held_o.value), aside is not None)
        expect("valid", int(dut.valid_o.value), oldest is not None)
        if oldest is not None:
            expect("data", int(dut.data_o.value), oldest)
        if aside is not None:
            expect("held data", int(dut.held_data_o.value), aside)
        leaves = reads and oldest is not None
        passed += leaves
        if aside is None:
            writer.taken()
            aside = None if leaves else shown
        elif leaves:
            aside = None
        await bench.next()
    if not passed:
        raise Mismatch("nothing came through")
    expect("all that was made", writer.made - passed - (aside is not None) - (writer.shown is not None), 0)


@cocotb.test()
async def one_element_per_cycle(dut):
    """Without a cycle of its own."""
    bench = await Bench.start(dut, valid_i=0, ready_i=0)
    passed = 0
    for i in range(200):
        dut.valid_i.value, dut.ready_i.value, dut.data_i.value = 1, 1, i
        await bench.settle()
        expect("data", int(dut.data_o.value), i)
        passed += int(dut.valid_o.value)
        await bench.next()
    expect("elements in 200 cycles", passed, 200)
    figure("skid", "elements", count=passed, cycles=200, per_cycle=1)


@cocotb.test()
async def reset_empties(dut):
    bench = await Bench.start(dut, valid_i=1, ready_i=0)
    await bench.next()
    dut.valid_i.value = 0
    await bench.settle()
    expect("held", int(dut.held_o.value), 1)
    await bench.next()
    await bench.reset()
    await bench.settle()
    expect("held after reset", int(dut.held_o.value), 0)
    expect("valid after reset", int(dut.valid_o.value), 0)


def measure(**options):
    SKID.run(__file__, cases="one_element_per_cycle", **options)


def test_skid():
    SKID.run(__file__)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_skid_is_noticed(mutant):
    SKID.run(__file__, mutant=mutant)
