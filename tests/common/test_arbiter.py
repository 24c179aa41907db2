# SPDX-License-Identifier: Apache-2.0
"""arbiter: grants in turn, moves only when its grant is used, starves nobody."""

import random

import cocotb
import pytest
from support.bench import Bench, chance, expect, rounds
from support.runner import Mutant, Unit

ARBITER = Unit("arbiter", ["common/arbiter.sv"])
MUTANTS = [
    Mutant("fixed_priority", "assign ahead   = request_i & turn_q", "assign ahead   = '0 & turn_q"),
    Mutant("always_moves", "advance_i && request_i != '0", "request_i != '0 || advance_i"),
    Mutant("stays_with_the_granted", "(grant_o - Count'(1)) | grant_o", "grant_o - Count'(1)"),
]


class Turn:
    """Whose turn it is, as the page of the unit says."""

    def __init__(self, count):
        self.count = count
        self.first = 0

    def granted(self, request):
        order = [(self.first + i) % self.count for i in range(self.count)]
        return next((i for i in order if request >> i & 1), None)


def check(dut, turn, request, advance):
    granted = turn.granted(request)
    expect("grant", int(dut.grant_o.value), 0 if granted is None else 1 << granted)
    expect("index", int(dut.index_o.value), granted or 0)
    if advance and granted is not None:
        turn.first = (granted + 1) % turn.count
    return granted


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3, 0.8], stall=[0.0, 0.5])
async def random_requests(dut, idle, stall):
    count = int(dut.Count.value)
    bench = await Bench.start(dut, request_i=0, advance_i=0)
    turn = Turn(count)
    for _ in range(rounds(500)):
        request = sum(1 << i for i in range(count) if not chance(idle))
        advance = not chance(stall)
        dut.request_i.value, dut.advance_i.value = request, advance
        await bench.settle()
        check(dut, turn, request, advance)
        await bench.next()


@cocotb.test()
async def nobody_starves(dut):
    """One input asks all the time, the others at random: it waits for at most Count - 1 others."""
    count = int(dut.Count.value)
    bench = await Bench.start(dut, request_i=0, advance_i=1)
    for patient in range(count):
        waited = 0
        for _ in range(40):
            dut.request_i.value = random.getrandbits(count) | 1 << patient
            await bench.settle()
            waited = 0 if int(dut.grant_o.value) >> patient & 1 else waited + 1
            expect("waits at most for all others once", waited < count, True)
            await bench.next()


@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_arbiter(count):
    ARBITER.run(__file__, parameters={"Count": count})


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_arbiter_is_noticed(mutant):
    ARBITER.run(__file__, parameters={"Count": 5}, mutant=mutant)
