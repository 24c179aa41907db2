# SPDX-License-Identifier: Apache-2.0
"""replacement: victim and ages, against the model."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer
from support import model
from support.bench import expect, rounds
from support.runner import Mutant, Unit

REPLACEMENT = Unit("replacement", ["common/replacement.sv"])
MUTANTS = [
    Mutant("highest_invalid", "invalid & (~invalid + Ways'(1))", "invalid"),
    Mutant("youngest", "ages_i[v] > ages_i[w]", "ages_i[v] < ages_i[w]"),
    Mutant("ages_all", "ages_i[w] < ages_i[touch_way_i]", "1'b1"),
    Mutant("ignores_exclusion", "~valid_i & ~exclude_i", "~valid_i"),
]


def pack(ages, width):
    return sum(age << (way * width) for way, age in enumerate(ages))


async def check(dut, ages, valid, excluded, touched):
    """One state of a set; excluded is a way, or -1."""
    ways = len(ages)
    width = max(1, (ways - 1).bit_length())
    dut.valid_i.value, dut.ages_i.value = valid, pack(ages, width)
    dut.exclude_i.value = 0 if excluded < 0 else 1 << excluded
    dut.touch_way_i.value = touched
    await Timer(1, "ns")
    if ways > 1 or excluded < 0:
        expect("victim", int(dut.victim_o.value), model.victim(ages, valid, excluded))
    expect("ages", int(dut.ages_o.value), pack(model.touch(ages, touched), width))


@cocotb.test()
async def random_states(dut):
    ways = int(dut.Ways.value)
    for _ in range(rounds(3000)):
        ages = random.sample(range(ways), ways)
        valid = random.choice([(1 << ways) - 1, random.getrandbits(ways)])
        excluded = random.choice([-1, random.randrange(ways)])
        await check(dut, ages, valid, excluded, random.randrange(ways))


@cocotb.test()
async def a_life_from_reset(dut):
    """Ages as a cache keeps them, from one touch to the next."""
    ways = int(dut.Ways.value)
    ages = list(range(ways))
    for _ in range(rounds(1000)):
        touched = random.randrange(ways)
        await check(dut, ages, (1 << ways) - 1, -1, touched)
        ages = model.touch(ages, touched)
        expect("ages are a permutation", sorted(ages), list(range(ways)))


@pytest.mark.parametrize("ways", [1, 2, 3, 8, 16])
def test_replacement(ways):
    REPLACEMENT.run(__file__, parameters={"Ways": ways})


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_replacement_is_noticed(mutant):
    REPLACEMENT.run(__file__, parameters={"Ways": 8}, mutant=mutant)
