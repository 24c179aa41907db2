# SPDX-License-Identifier: Apache-2.0
"""ram: zero at the start, synchronous read that stays, write enables, and new bytes when both ports meet."""

import random

import cocotb
import pytest
from support.bench import Bench, chance, expect, rounds
from support.runner import Mutant, Unit

RAM = Unit("ram", ["common/ram.sv"])
SHAPES = [(1, 8, 8), (2, 12, 4), (13, 32, 8), (64, 24, 24)]
MUTANTS = [
    Mutant("reads_old", "if (bypass_valid_q[g])", "if (1'b0)"),
    Mutant("bypasses_whole_words", "? wen_i : '0", "&& wen_i != '0 ? '1 : '0"),
    Mutant("bypasses_other_words", "(raddr_i == waddr_i) ?", "1'b1 ?"),
    Mutant("does_not_hold", "if (ren_i) begin", "begin"),
]


class Words:
    """The contents as they should be."""

    def __init__(self, dut):
        self.count, self.width = int(dut.Words.value), int(dut.Width.value)
        self.granule = int(dut.Granule.value)
        self.granules = self.width // self.granule
        self.words = [0] * self.count
        self.seen = None

    def cycle(self, ren, raddr, wen, waddr, wdata):
        for g in range(self.granules):
            if wen >> g & 1:
                bits = ((1 << self.granule) - 1) << (g * self.granule)
                self.words[waddr] = self.words[waddr] & ~bits | wdata & bits
        if ren:
            self.seen = self.words[raddr]


async def one_cycle(dut, bench, words, ren, raddr, wen, waddr, wdata):
    dut.ren_i.value, dut.raddr_i.value = ren, raddr
    dut.wen_i.value, dut.waddr_i.value, dut.wdata_i.value = wen, waddr, wdata
    await bench.settle()
    if words.seen is not None:
        expect("read data", int(dut.rdata_o.value), words.seen)
    await bench.next()
    words.cycle(ren, raddr, wen, waddr, wdata)


@cocotb.test()
async def all_zero_at_the_start(dut):
    """Runs first: nothing was written yet."""
    bench = await Bench.start(dut, ren_i=0, wen_i=0)
    words = Words(dut)
    for address in range(words.count):
        await one_cycle(dut, bench, words, 1, address, 0, 0, 0)
    await one_cycle(dut, bench, words, 0, 0, 0, 0, 0)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], meeting=[0.0, 0.5, 1.0])
async def random_accesses(dut, idle, meeting):
    bench = await Bench.start(dut, ren_i=0, wen_i=0)
    words = Words(dut)
    for address in range(words.count):  # whatever earlier tests left
        await one_cycle(dut, bench, words, 0, 0, (1 << words.granules) - 1, address, 0)
    for _ in range(rounds(1500)):
        raddr = random.randrange(words.count)
        waddr = raddr if chance(meeting) else random.randrange(words.count)
        wen = 0 if chance(idle) else random.getrandbits(words.granules)
        wdata = random.getrandbits(words.width)
        await one_cycle(dut, bench, words, not chance(idle), raddr, wen, waddr, wdata)


@pytest.mark.parametrize("words,width,granule", SHAPES)
def test_ram(words, width, granule):
    RAM.run(__file__, parameters={"Words": words, "Width": width, "Granule": granule})


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_ram_is_noticed(mutant):
    RAM.run(__file__, parameters={"Words": 13, "Width": 32, "Granule": 8}, mutant=mutant)
