# SPDX-License-Identifier: Apache-2.0
"""misses: outstanding fills and who waits on them, against a table written in Python."""

import random

import cocotb
import pytest
from support.bench import LONG, Bench, chance, expect, rounds
from support.runner import Mutant, Unit

LINE_BITS = 40 - 5  # of a line's number; tiny has lines of 32 B
PORTS = ("allocate", "join", "close", "fill", "answer")
STEPS = (*PORTS, "store")  # a miss that nobody joins


class Table:
    """The same, slowly: what the outputs must be, and what each step does."""

    def __init__(self, entries, waiters):
        self.entries = [None] * entries  # or [line, is open, may be joined]
        self.waiters = [None] * waiters  # or (entry, cu, id)
        self.fill = 0
        self.left = 0

    def open_of(self, line):
        found = [i for i, entry in enumerate(self.entries) if entry == [line, True, True]]
        return found[0] if found else None

    def waiting_on(self, index):
        return [i for i, waiter in enumerate(self.waiters) if waiter and waiter[0] == index]

    def free(self, table):
        return [i for i, entry in enumerate(table) if entry is None]

    def fillable(self):
        """Misses whose line may come: in use, and not the one that is being answered."""
        busy = self.fill if self.left else None
        return [i for i, entry in enumerate(self.entries) if entry and i != busy]

    def legal(self, step, line):
        room = bool(self.free(self.waiters))
        opened = self.open_of(line) is not None
        return {
            "allocate": room and not opened and bool(self.free(self.entries)),
            "join": room and opened,
            "store": room and bool(self.free(self.entries)),
            "close": True,
            "fill": not self.left and bool(self.fillable()),
            "answer": self.left > 0,
        }[step]

    def perform(self, step, line, cu, id_, index):
        opened = self.open_of(line)
        if step in ("allocate", "join", "store"):
            entry = opened if step == "join" else self.free(self.entries)[0]
            self.waiters[self.free(self.waiters)[0]] = (entry, cu, id_)
            self.entries[entry] = [line, True, step != "store"]
        elif step == "close":
            for entry in self.entries:
                if entry and entry[0] == line:
                    entry[1] = False
        elif step == "fill":
            self.entries[index][1] = False
            self.fill, self.left = index, len(self.waiting_on(index))
        elif step == "answer":
            self.waiters[self.waiting_on(self.fill)[0]] = None
            self.left -= 1
            if not self.left:
                self.entries[self.fill] = None


class Driver:
    def __init__(self, dut, bench):
        self.dut, self.bench = dut, bench
        self.table = Table(int(dut.Entries.value), int(dut.Waiters.value))
        self.lines = [random.getrandbits(LINE_BITS) for _ in range(2 * len(self.table.entries))]
        self.seen = set()

    async def cycle(self, step, line):
        dut, table = self.dut, self.table
        cu, id_ = random.randrange(8), random.randrange(64)
        fillable = table.fillable()
        index = random.choice(fillable) if fillable else random.randrange(len(table.entries))
        peek = random.randrange(len(table.entries))
        dut.line_i.value, dut.cu_i.value, dut.id_i.value = line, cu, id_
        dut.fill_index_i.value, dut.peek_index_i.value = index, peek
        for name in PORTS:
            getattr(dut, f"{name}_i").value = name == step
        dut.shared_i.value = step != "store"
        if step == "store":
            dut.allocate_i.value = 1
        await self.bench.settle()
        self.check(line, index, peek)
        await self.bench.next()
        table.perform(step, line, cu, id_, index)

    def check(self, line, index, peek):
        dut, table = self.dut, self.table
        entries, waiters = table.free(table.entries), table.free(table.waiters)
        opened = table.open_of(line)
        expect("open", int(dut.open_o.value), opened is not None)
        expect("open index", int(dut.open_index_o.value), opened or 0)
        expect("free entries", int(dut.free_entries_o.value), len(entries))
        expect("free waiters", int(dut.free_waiters_o.value), len(waiters))
        if entries:
            expect("free index", int(dut.free_index_o.value), entries[0])
        if table.entries[index]:
            expect("fill open", int(dut.fill_open_o.value), table.entries[index][1])
        if table.entries[peek]:
            expect("line of a miss", int(dut.peek_line_o.value), table.entries[peek][0])
        expect("answers left", int(dut.answers_left_o.value), table.left)
        if table.left:
            self.check_answer()
        effects = {"all entries": not entries, "all waiters": not waiters, "nobody": not any(table.entries)}
        self.seen |= {name for name, happened in effects.items() if happened}

    def check_answer(self):
        dut, table = self.dut, self.table
        _, cu, id_ = table.waiters[table.waiting_on(table.fill)[0]]
        found = tuple(int(port.value) for port in (dut.answer_index_o, dut.answer_cu_o, dut.answer_id_o))
        expect("miss, cu and id of the next answer", found, (table.fill, cu, id_))


async def start(dut):
    zero = dict.fromkeys([f"{step}_i" for step in PORTS] + ["cu_i", "id_i", "line_i"], 0)
    zero |= {"now_i": 0, "rebase_i": 0, "close_all_i": 0, "installs_i": 1, "shared_i": 1}
    bench = await Bench.start(dut, fill_index_i=0, peek_index_i=0, **zero)
    return Driver(dut, bench)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.7])
async def random_steps(dut, idle):
    """Filling up, emptying, and all in between: one step per cycle, each legal one likely."""
    driver = await start(dut)
    up, lines = [5, 5, 1, 0.2, 0.2, 2], [5, 0.001, 0.1, 0.001, 1, 0.1]
    down, even = [0.2, 0.2, 1, 5, 5, 0.2], [2, 2, 1, 2, 4, 1]
    phases = (up, down, lines, even, down)
    steps = 6 * (len(driver.table.entries) + len(driver.table.waiters))
    for turn in range(max(len(phases), rounds(1500) // steps)):
        chosen = phases[turn % len(phases)]
        for _ in range(steps):
            line = random.choice(driver.lines)
            legal = [step for step in STEPS if driver.table.legal(step, line)]
            shares = [chosen[STEPS.index(step)] for step in legal]
            await driver.cycle(None if chance(idle) else random.choices(legal, shares)[0], line)
    expect("full and empty", driver.seen, {"all entries", "all waiters", "nobody"})


@cocotb.test()
async def reset_forgets(dut):
    for _ in range(2):
        driver = await start(dut)
        for line in driver.lines[: len(driver.table.entries)]:
            if driver.table.legal("allocate", line):
                await driver.cycle("allocate", line)
        await driver.cycle("fill", driver.lines[0])
    await start(dut)


# ---------------------------------------------------------------- pytest

MISSES = Unit("misses", ["common/cut.sv", "cache/misses.sv"])
SHAPES = [(3, 5), (2, 2), (4, 4), (16, 32), (64, 64)]
MUTANTS = [
    Mutant("fill_stays_open", "if (fill_i) isopen_q[fill_index_i] <= 1'b0;", ""),
    Mutant("close_forgotten", "if (close_i) begin", "if (1'b0) begin"),
    Mutant(
        "close_spares_stores", "known.same[i]) isopen", "known.same[i] && shared_q[i]) isopen"
    ),
    Mutant("joins_the_wrong_miss", "allocate_i ? free_index_o : open_index_o", "free_index_o"),
    Mutant("last_answer_keeps_the_miss", "answer_i && left_q == LeftBits'(1)", "answer_i && left_q == '0"),
]


@pytest.mark.parametrize("entries, waiters", SHAPES if LONG else SHAPES[:1])
def test_misses(entries, waiters):
    MISSES.run(__file__, parameters={"Entries": entries, "Waiters": waiters})


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:1], ids=lambda mutant: mutant.name)
def test_broken_misses_are_noticed(mutant):
    MISSES.run(__file__, parameters={"Entries": 3, "Waiters": 5}, mutant=mutant)
