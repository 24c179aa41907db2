# SPDX-License-Identifier: Apache-2.0
"""Counters against plain sums: every total of every snapshot, of exactly the cycle it was taken in."""

import random

import cocotb
import host_map
import pytest
from support import bench, runner
from support.gated import GatedBench

ROWS = host_map.counters("tiny")
COUNT = len(ROWS)
MOST = [row["most"] for row in ROWS]
BUILT = [number for number, most in enumerate(MOST) if most]
BITS = host_map.increment_bits(ROWS)
READ_LIMIT = 3  # host cycles that a read may take
WALK = 2 * COUNT  # host cycles of one pass over all counters


class Counters:
    """Counts with the unit; a snapshot has all cycles before the host cycle that comes before it."""

    def __init__(self, dut, bench_):
        self.dut, self.bench = dut, bench_
        self.total = [0] * COUNT
        self.kept = {}  # what the last host cycle adds
        self.shot = [0] * COUNT  # of the last snapshot
        self.due = None  # host cycle in which a snapshot is taken

    async def turn(self, increments=None, snapshot=False):
        """One host cycle; increments is a dict of number to amount, counted if fabric time runs."""
        word = sum(amount << BITS * number for number, amount in (increments or {}).items())
        self.dut.inc_i.value = word
        self.dut.snapshot_i.value = int(snapshot)
        if snapshot:
            self.due = self.bench.host_cycle + 1 + self.bench.host_cycle % 2
        if self.due == self.bench.host_cycle:
            self.shot, self.due = list(self.total), None
        for number, amount in self.kept.items():
            self.total[number] += amount
        self.kept = dict(increments or {}) if self.bench.running else {}
        await self.bench.settle()
        await self.bench.next()

    def busy(self):
        return int(self.dut.snapshot_busy_o.value)

    async def finish_snapshot(self, more=lambda: None):
        for _ in range(WALK + 4):
            if not self.busy():
                return
            await self.turn(more())
        bench.expect("a snapshot ends within a walk", self.busy(), 0)

    async def read(self, number, more=lambda: None):
        self.dut.read_i.value = 1
        self.dut.index_i.value = number
        for _ in range(READ_LIMIT):
            await self.turn(more())
            if int(self.dut.valid_o.value):
                value = int(self.dut.data_o.value)
                self.dut.read_i.value = 0
                await self.turn(more())
                return value
        raise bench.Mismatch(f"a read of counter {number} took more than {READ_LIMIT} host cycles")

    async def compare(self, numbers=range(COUNT), more=lambda: None):
        wanted = list(self.shot)
        for number in numbers:
            found = await self.read(number, more)
            bench.expect(f"counter {number} ({ROWS[number]['name']})", found, wanted[number])

    async def snapshot_and_compare(self, more=lambda: None):
        await self.turn(more(), snapshot=True)
        await self.turn(more())
        await self.finish_snapshot(more)
        await self.compare(more=more)


async def start(dut):
    bench_ = await GatedBench.start(dut, inc_i=0, snapshot_i=0, read_i=0, index_i=0)
    counters = Counters(dut, bench_)
    while not int(dut.ready_o.value):
        await counters.turn()
    bench.expect("the walk after reset takes two cycles per counter", bench_.host_cycle, WALK)
    await counters.finish_snapshot()  # the last copy of the walk
    return counters


def sparse():
    """A few counters, any amount; often none."""
    chosen = random.sample(BUILT, random.choice([0, 0, 1, 2, 8]))
    return {number: random.randint(1, MOST[number]) for number in chosen}


def full():
    return dict(enumerate(MOST))


@cocotb.test()
@cocotb.parametrize(stands=[0.0, 0.5, 0.95])
async def random_counts(dut, stands):
    """Increments, snapshots and reads while fabric time runs, halts now and then, or mostly stands."""
    counters = await start(dut)

    def more():
        counters.bench.running = not bench.chance(stands)
        return sparse()

    for _ in range(bench.rounds(4)):
        for _ in range(random.randrange(2 * WALK)):
            await counters.turn(more())
        await counters.snapshot_and_compare(more)


@cocotb.test()
async def everything_at_its_most(dut):
    """All counters grow by the most there is in every cycle, through scans and snapshots."""
    counters = await start(dut)
    for _ in range(bench.rounds(2)):
        for _ in range(3 * WALK + random.randrange(10)):
            await counters.turn(full())
        await counters.snapshot_and_compare(full)
        # Again at once: the longest that a small counter has to hold out.
        await counters.turn(full(), snapshot=True)
        await counters.turn(full())
        await counters.finish_snapshot(full)
        await counters.snapshot_and_compare(full)


@cocotb.test()
async def a_snapshot_stands_still(dut):
    """What the host reads does not change while counting goes on."""
    counters = await start(dut)
    await counters.turn(full())
    await counters.snapshot_and_compare()
    for _ in range(3 * WALK):
        await counters.turn(full())
    await counters.compare(random.sample(range(COUNT), 10), more=full)


@cocotb.test()
async def totals_carry_to_the_top(dut):
    """Upper parts near their end: the carry runs through all of a total."""
    counters = await start(dut)
    for _ in range(WALK):
        await counters.turn(full())
    for _ in range(WALK):
        await counters.turn()
    # In an even cycle one total is between its reading and its writing, in a register.
    if counters.bench.host_cycle % 2:
        await counters.turn()
    under_way = int(dut.sum_index_q.value)
    visit = 4 * COUNT + 8
    for number in range(COUNT):
        width = (visit * MOST[number]).bit_length()
        high = (1 << 56) - (1 << width)
        dut.i_totals.store_q[number].value = high + counters.total[number] % (1 << width)
        counters.total[number] = high + counters.total[number] % (1 << width)
        if number == under_way:
            dut.total_q.value = counters.total[number]
    for _ in range(3 * visit):
        await counters.turn(full())
    await counters.snapshot_and_compare(full)


@cocotb.test()
async def reset_clears_and_strange_numbers_read_zero(dut):
    counters = await start(dut)
    for _ in range(100):
        await counters.turn(full())
    await counters.snapshot_and_compare()
    counters = await start(dut)
    await counters.compare()
    await counters.turn(full())
    await counters.snapshot_and_compare()
    for number in (COUNT, COUNT + 1, 511):
        bench.expect(f"counter {number}", await counters.read(number), 0)


# ---------------------------------------------------------------- pytest


def run(**options):
    unit = runner.Unit("counters", [*host_map.sources("tiny"), "common/ram_dual.sv", "host/counters.sv"])
    unit.run(__file__, **options)


def test_counters():
    run()


def test_fault_is_found():
    run(fault="counter_drops")


MUTANTS = [
    runner.Mutant("narrow", "localparam int unsigned Visit = 4 * Count + 8;",
                  "localparam int unsigned Visit = Count;"),
    runner.Mutant("not-atomic", "seen_q <= shadow_q[index_q];", "seen_q <= small_q[index_q];"),
    runner.Mutant("takes-any-time", "wanted_q && state_q == StateScan && odd_q",
                  "wanted_q && state_q == StateScan"),
]  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS if bench.LONG else MUTANTS[1:2], ids=lambda mutant: mutant.name)
def test_mutant_is_found(mutant):
    run(mutant=mutant)
