# SPDX-License-Identifier: Apache-2.0
"""stream_mux: inputs in turn, each in its own order, nothing lost, one element per cycle."""

import pathlib
import random
from collections import deque

import cocotb
import pytest
from support.bench import LONG, Bench, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit
from support.turn import Turn


class Harness:
    """Queues before the inputs; what is offered stays until it is taken."""

    def __init__(self, dut, bench):
        self.dut, self.bench = dut, bench
        self.count = int(dut.Count.value)
        self.waiting = [deque() for _ in range(self.count)]
        self.offered = [False] * self.count
        self.turn = Turn(self.count)
        self.passed = [0] * self.count

    async def cycle(self, idle=0.0, stall=0.0):
        for i, queue in enumerate(self.waiting):
            self.offered[i] = bool(queue) and (self.offered[i] or not chance(idle))
            self.dut.data_i[i].value = queue[0] if self.offered[i] else random.getrandbits(16)
        self.dut.valid_i.value = sum(offered << i for i, offered in enumerate(self.offered))
        ready = not chance(stall)
        self.dut.ready_i.value = ready
        await self.bench.settle()
        self.check(ready)
        await self.bench.next()

    def check(self, ready):
        dut = self.dut
        granted = self.turn.granted(lambda i: self.offered[i])
        expect("valid", int(dut.valid_o.value), granted is not None)
        taken = granted if ready else None
        expect("ready", int(dut.ready_o.value), 0 if taken is None else 1 << taken)
        if granted is not None:
            expect("data", int(dut.data_o.value), self.waiting[granted][0])
        if taken is not None:
            self.waiting[taken].popleft()
            self.offered[taken] = False
            self.turn.used(taken)
            self.passed[taken] += 1


async def start(dut):
    return Harness(dut, await Bench.start(dut, valid_i=0, ready_i=0))


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3, 0.9], stall=[0.0, 0.6])
async def random_traffic(dut, idle, stall):
    harness = await start(dut)
    for _ in range(rounds(400)):
        for queue in harness.waiting:
            if len(queue) < 2:
                queue.append(random.getrandbits(16))
        await harness.cycle(idle, stall)
    left = sum(map(len, harness.waiting))
    for _ in range(left + 1):
        await harness.cycle()
    expect("what is left", sum(map(len, harness.waiting)), 0)


@cocotb.test()
async def one_element_per_cycle_and_equal_shares(dut):
    harness = await start(dut)
    for queue in harness.waiting:
        queue.extend(range(60))
    for _ in range(60 * harness.count):
        await harness.cycle()
    expect("elements passed", harness.passed, [60] * harness.count)
    what = f"elements of {harness.count} inputs"
    figure("stream_mux", what, count=sum(harness.passed), cycles=60 * harness.count, per_cycle=1)


# ---------------------------------------------------------------- pytest

BENCH = pathlib.Path(__file__).parent / "stream_mux_bench.sv"
MUX = Unit("stream_mux_bench", ["common/arbiter.sv", "common/stream_mux.sv", BENCH])
MUTANTS = [
    Mutant("all_see_ready", "ready_i ? grant : '0", "ready_i ? valid_i : '0"),
    Mutant("turn_moves_on_a_stall", ".advance_i(ready_i)", ".advance_i(1'b1)"),
]


def measure(**options):
    MUX.run(__file__, parameters={"Count": 3}, cases="one_element_per_cycle", **options)


@pytest.mark.parametrize("count", [1, 2, 5, 8] if LONG else [1, 3])
def test_stream_mux(count):
    MUX.run(__file__, parameters={"Count": count})


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:1], ids=lambda mutant: mutant.name)
def test_broken_stream_mux_is_noticed(mutant):
    MUX.run(__file__, parameters={"Count": 3}, mutant=mutant)
