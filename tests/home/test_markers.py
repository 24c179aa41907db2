# SPDX-License-Identifier: Apache-2.0
"""markers: each waits for the fetches in use when it came and for no later one, against lists in Python."""

import random

import cocotb
import pytest
from support import shape
from support.bench import LONG, Bench, chance, expect, rounds
from support.runner import Mutant, Unit

FETCHES = shape.config().home_fetches


class Table:
    """The same, slowly."""

    def __init__(self, entries):
        self.entries = [None] * entries  # or (src, id, set of fetches)
        self.used = set()  # fetches

    def free(self):
        return [i for i, entry in enumerate(self.entries) if entry is None]

    def ready(self):
        return [i for i, entry in enumerate(self.entries) if entry and not entry[2]]

    def end(self, fetch):
        self.used.remove(fetch)
        for entry in self.entries:
            if entry:
                entry[2].discard(fetch)


class Driver:
    def __init__(self, dut, bench):
        self.dut, self.bench = dut, bench
        self.table = Table(int(dut.Entries.value))
        self.seen = set()

    async def cycle(self, park=False, go=False, end=None, begin=None):
        """A marker is parked, or one goes, or a fetch ends; a fetch may begin at the end of the cycle."""
        dut, table = self.dut, self.table
        src, id_ = random.randrange(16), random.randrange(64)
        dut.park_i.value, dut.src_i.value, dut.id_i.value = park, src, id_
        dut.fetches_i.value = sum(1 << fetch for fetch in table.used)
        dut.go_i.value = go
        dut.fetch_ends_i.value = end is not None
        dut.fetch_index_i.value = random.randrange(FETCHES) if end is None else end
        await self.bench.settle()
        self.check()
        await self.bench.next()
        if park:
            table.entries[table.free()[0]] = (src, id_, set(table.used))
        if go:
            table.entries[table.ready()[0]] = None
        if end is not None:
            table.end(end)
        if begin is not None:
            table.used.add(begin)

    def check(self):
        dut, table = self.dut, self.table
        free, ready = table.free(), table.ready()
        expect("free", int(dut.free_o.value), len(free))
        expect("ready", int(dut.ready_o.value), len(ready))
        if free:
            expect("entry for the next", int(dut.free_index_o.value), free[0])
        if ready:
            found = tuple(int(port.value) for port in (dut.go_index_o, dut.src_o, dut.id_o))
            expect("entry, source and id that go", found, (ready[0], *table.entries[ready[0]][:2]))
        self.seen |= {"full"} if not free else {"empty"} if len(free) == len(table.entries) else set()
        self.seen |= {"several ready"} if len(ready) > 1 else set()


async def start(dut):
    inputs = "park_i src_i id_i fetches_i fetch_ends_i fetch_index_i go_i".split()
    return Driver(dut, await Bench.start(dut, **dict.fromkeys(inputs, 0)))


@cocotb.test()
@cocotb.parametrize(parks=[0.2, 0.7], goes=[0.2, 0.9])
async def random_steps(dut, parks, goes):
    driver = await start(dut)
    table = driver.table
    for turn in range(rounds(1200)):
        idle = [fetch for fetch in range(FETCHES) if fetch not in table.used]
        begin = random.choice(idle) if idle and chance(0.4) else None
        many = turn % 80 < 50  # then they drain
        if table.free() and table.used and many and chance(parks):
            await driver.cycle(park=True, begin=begin)
        elif table.ready() and chance(goes):
            await driver.cycle(go=True, begin=begin)
        elif table.used and chance(0.5):
            await driver.cycle(end=random.choice(sorted(table.used)), begin=begin)
        else:
            await driver.cycle(begin=begin)
    expect("full, empty, several", driver.seen, {"full", "empty", "several ready"})


@cocotb.test()
async def a_later_fetch_does_not_hold_a_marker(dut):
    """Fetch 0 is in use; a marker comes; fetch 1 begins and stays; the marker goes when fetch 0 ends."""
    driver = await start(dut)
    await driver.cycle(begin=0)
    await driver.cycle(park=True, begin=1)
    await driver.cycle()
    expect("ready before", driver.table.ready(), [])
    await driver.cycle(end=0)
    expect("ready after", driver.table.ready(), [0])
    await driver.cycle(go=True)
    await driver.cycle()


# ---------------------------------------------------------------- pytest

MARKERS = Unit("markers", ["home/markers.sv"])
MUTANTS = [
    Mutant("waits_for_one_only", "waits: fetches_i}", "waits: fetches_i & (~fetches_i + 1'b1)}"),
    Mutant("goes_unready", "used_q[i] && marker_q[i].waits == '0", "used_q[i]"),
]


def run(entries=3, fetches=5, **options):
    changes = [f"home.fetches={fetches}"]
    env = shape.environment("tiny", changes)
    MARKERS.run(__file__, overrides=changes, parameters={"Entries": entries}, env=env, **options)


@pytest.mark.parametrize("entries, fetches", [(3, 5), (2, 2), (16, 32)] if LONG else [(3, 5)])
def test_markers(entries, fetches):
    run(entries, fetches)


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:1], ids=lambda mutant: mutant.name)
def test_broken_markers_are_noticed(mutant):
    run(mutant=mutant)
