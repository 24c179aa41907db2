# SPDX-License-Identifier: Apache-2.0
"""fetches: lines on their way from memory and the lists of who waits, against lists written in Python."""

import random

import cocotb
import pytest
from support import model
from support.bench import LONG, Bench, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

LINE = 32
LINE_BITS = 40 - 5  # of a line's number
STEPS = ("allocate", "join", "start", "pop")


class Table:
    """The same, slowly: each fetch is a line and a list of requests; one list at a time is replayed."""

    def __init__(self, entries, waiters):
        self.entries = [None] * entries  # or (line, list of requests)
        self.waiters = waiters
        self.replay = None

    def match(self, line):
        found = [i for i, entry in enumerate(self.entries) if entry and entry[0] == line]
        return found[0] if found else None

    def free(self):
        return [i for i, entry in enumerate(self.entries) if entry is None]

    def used(self):
        return [i for i, entry in enumerate(self.entries) if entry]

    def free_waiters(self):
        return self.waiters - sum(len(self.entries[i][1]) for i in self.used())

    def left(self):
        return 0 if self.replay is None else len(self.entries[self.replay][1])

    def legal(self, step, line):
        """The home takes no request while a list is replayed."""
        idle, matched = self.replay is None, self.match(line) is not None
        room = self.free_waiters() > 0
        return {
            "allocate": idle and room and not matched and bool(self.free()),
            "join": idle and room and matched,
            "start": idle and bool(self.used()),
            "pop": not idle,
        }[step]

    def perform(self, step, line, request, index):
        if step == "allocate":
            self.entries[self.free()[0]] = (line, [request])
        elif step == "join":
            self.entries[self.match(line)][1].append(request)
        elif step == "start":
            self.replay = index
        elif step == "pop":
            self.entries[self.replay][1].pop(0)
            if not self.left():
                self.entries[self.replay] = self.replay = None


class Driver:
    def __init__(self, dut, bench):
        self.dut, self.bench = dut, bench
        self.table = Table(int(dut.Entries.value), int(dut.Waiters.value))
        self.lines = [random.getrandbits(LINE_BITS) for _ in range(2 * len(self.table.entries))]
        self.width = model.width("req", LINE)
        self.seen = set()

    async def cycle(self, step, line, index=None):
        dut, table = self.dut, self.table
        request = random.getrandbits(self.width)
        index = random.choice(table.used() or [0]) if index is None else index
        peek = random.randrange(len(table.entries))
        dut.line_i.value, dut.request_i.value = line, request
        dut.start_index_i.value, dut.peek_index_i.value = index, peek
        for name in STEPS:
            getattr(dut, f"{name}_i").value = name == step
        await self.bench.settle()
        self.check(step, line, peek)
        await self.bench.next()
        table.perform(step, line, request, index)

    def check(self, step, line, peek):
        dut, table = self.dut, self.table
        match, free, left = table.match(line), table.free(), table.left()
        expect("match", int(dut.match_o.value), match is not None)
        expect("match index", int(dut.match_index_o.value), match or 0)
        expect("free entries", int(dut.free_entries_o.value), len(free))
        expect("free waiters", int(dut.free_waiters_o.value), table.free_waiters())
        expect("fetches in use", int(dut.used_o.value), sum(1 << i for i in table.used()))
        expect("replays left", int(dut.replays_left_o.value), left)
        expect("a fetch ends", int(dut.ends_o.value), step == "pop" and left == 1)
        if free:
            expect("free index", int(dut.free_index_o.value), free[0])
        if table.entries[peek]:
            expect("line of a fetch", int(dut.peek_line_o.value), table.entries[peek][0])
        if left:
            expect("fetch in replay", int(dut.replay_index_o.value), table.replay)
            expect("next request", int(dut.head_o.value), table.entries[table.replay][1][0])
        effects = {"entries": not free, "waiters": not table.free_waiters(), "nobody": not table.used()}
        self.seen |= {name for name, happened in effects.items() if happened}


async def start(dut):
    inputs = [f"{step}_i" for step in STEPS] + "line_i request_i start_index_i peek_index_i".split()
    return Driver(dut, await Bench.start(dut, **dict.fromkeys(inputs, 0)))


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.7])
async def random_steps(dut, idle):
    """Filling up, emptying, and all in between: one step per cycle."""
    driver = await start(dut)
    up, lines, down, even = [5, 5, 0.1, 5], [5, 0.001, 0.001, 5], [0.1, 0.3, 5, 5], [2, 3, 1, 5]
    phases = (up, down, lines, even, down)
    steps = 6 * (len(driver.table.entries) + driver.table.waiters)
    for turn in range(max(len(phases), rounds(1500) // steps)):
        chosen = phases[turn % len(phases)]
        for _ in range(steps):
            line = random.choice(driver.lines)
            legal = [step for step in STEPS if driver.table.legal(step, line)]
            if not legal or chance(idle):
                await driver.cycle(None, line)
                continue
            await driver.cycle(random.choices(legal, [chosen[STEPS.index(step)] for step in legal])[0], line)
    expect("full and empty", driver.seen, {"entries", "waiters", "nobody"})


@cocotb.test()
async def a_list_leaves_in_its_order_at_one_per_cycle(dut):
    """As many requests as there are waiters on one line, while another line's list stands."""
    driver = await start(dut)
    other, line = driver.lines[:2]
    await driver.cycle("allocate", other)
    await driver.cycle("allocate", line)
    for _ in range(driver.table.free_waiters()):
        await driver.cycle("join", line)
    await driver.cycle("start", line, index=1)
    waiting, since = driver.table.left(), driver.bench.cycle
    for _ in range(waiting):
        await driver.cycle("pop", line)
    expect("what is left", driver.table.used(), [0])
    cycles = driver.bench.cycle - since
    figure("fetches", "requests replayed", count=waiting, cycles=cycles, per_cycle=1)


@cocotb.test()
async def reset_forgets(dut):
    for _ in range(2):
        driver = await start(dut)
        for line in driver.lines[: len(driver.table.entries)]:
            await driver.cycle("allocate", line)
        await driver.cycle("start", driver.lines[0])


# ---------------------------------------------------------------- pytest

FETCHES = Unit("fetches", ["common/cut.sv", "home/fetches.sv"])
SHAPES = [(3, 5), (2, 2), (16, 16), (32, 64)]
MUTANTS = [
    Mutant("first_joins_last", "next_q[tail_q[match_index_o]] <= free_slot;",
           "next_q[head_q[match_index_o]] <= free_slot;"),
    Mutant("never_ends", "if (ends_o) used_q[replay_q] <= 1'b0;", ""),
    Mutant("forgets_a_join", "length_q[match_index_o] + 1'b1", "length_q[match_index_o]"),
]  # fmt: skip


def measure(**options):
    FETCHES.run(__file__, parameters={"Entries": 3, "Waiters": 5}, cases="a_list_leaves", **options)


@pytest.mark.parametrize("entries, waiters", SHAPES if LONG else SHAPES[:1])
def test_fetches(entries, waiters):
    FETCHES.run(__file__, parameters={"Entries": entries, "Waiters": waiters})


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:1], ids=lambda mutant: mutant.name)
def test_broken_fetches_are_noticed(mutant):
    FETCHES.run(__file__, parameters={"Entries": 3, "Waiters": 5}, mutant=mutant)
