# SPDX-License-Identifier: Apache-2.0
"""fifo: order, nothing lost or invented, fullness, throughput, and outputs that come from registers alone."""

import pathlib
import random
from collections import deque

import cocotb
import pytest
from support.bench import Bench, Mismatch, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

HERE = pathlib.Path(__file__).parent
FIFO = Unit("fifo_bench", ["common/fifo.sv", HERE / "fifo_bench.sv"])
MUTANTS = [
    Mutant("wraps_late", "index == index_t'(Depth - 1)", "index == index_t'(Depth)"),
    Mutant("takes_when_full", "push    = valid_i && ready_o", "push    = valid_i"),
    Mutant("forgets_simultaneous", "if (push && !pop) free_d", "if (push) free_d"),
    Mutant("writes_when_full", "Late ? ready_q : push", "Late ? 1'b1 : push"),
    Mutant("looks_at_ready", "assign ready_o = ready_q;", "assign ready_o = ready_q || ready_i;"),
]


class Scoreboard:
    """The queue as it should be, checked in every cycle."""

    def __init__(self, dut, depth):
        self.dut = dut
        self.depth = depth
        self.queue = deque()
        self.passed = 0

    def check(self, pushing, popping, data):
        dut, queue = self.dut, self.queue
        expect("free", int(dut.free_o.value), self.depth - len(queue))
        expect("ready", int(dut.ready_o.value), len(queue) < self.depth)
        expect("valid", int(dut.valid_o.value), len(queue) > 0)
        if queue:
            expect("data", int(dut.data_o.value), queue[0])
        push, pop = pushing and len(queue) < self.depth, popping and len(queue) > 0
        if pop:
            queue.popleft()
            self.passed += 1
        if push:
            queue.append(data)


def depth_of(dut):
    return int(dut.Depth.value)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3, 0.9], stall=[0.0, 0.3, 0.9])
async def random_traffic(dut, idle, stall):
    bench = await Bench.start(dut, valid_i=0, ready_i=0)
    board = Scoreboard(dut, depth_of(dut))
    for _ in range(rounds(400)):
        pushing, popping, data = (not chance(idle), not chance(stall), random.getrandbits(16))
        dut.valid_i.value, dut.ready_i.value, dut.data_i.value = pushing, popping, data
        await bench.settle()
        board.check(pushing, popping, data)
        await bench.next()
    if not board.passed:
        raise Mismatch("nothing came through")


@cocotb.test()
async def one_element_per_cycle(dut):
    """Push and pop always: from depth 2 on every cycle moves one element; with 1 every other."""
    bench = await Bench.start(dut, valid_i=0, ready_i=0)
    board = Scoreboard(dut, depth_of(dut))
    for i in range(200):
        dut.valid_i.value, dut.ready_i.value, dut.data_i.value = 1, 1, i
        await bench.settle()
        board.check(True, True, i)
        await bench.next()
    depth = depth_of(dut)  # the first element comes out in the second cycle
    expect("elements in 200 cycles", board.passed, 100 if depth == 1 else 199)
    cycles, required = (200, 0.5) if depth == 1 else (199, 1)
    figure("fifo", "elements", count=board.passed, cycles=cycles, per_cycle=required)


@cocotb.test()
async def reset_empties(dut):
    bench = await Bench.start(dut, valid_i=1, ready_i=0)
    for _ in range(depth_of(dut)):
        await bench.next()
    dut.valid_i.value = 0
    await bench.settle()
    expect("free when full", int(dut.free_o.value), 0)
    await bench.next()
    await bench.reset()
    await bench.settle()
    expect("free after reset", int(dut.free_o.value), depth_of(dut))
    expect("valid after reset", int(dut.valid_o.value), 0)


def measure(depth=2, **options):
    FIFO.run(__file__, parameters={"Depth": depth}, cases="one_element_per_cycle", **options)


@pytest.mark.parametrize(("depth", "late"), [(1, 0), (2, 0), (3, 0), (8, 0), (2, 1), (4, 1)])
def test_fifo(depth, late):
    FIFO.run(__file__, parameters={"Depth": depth, "Late": late})


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_fifo_is_noticed(mutant):
    FIFO.run(__file__, parameters={"Depth": 3, "Late": int(mutant.name == "writes_when_full")}, mutant=mutant)
