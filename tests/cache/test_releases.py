# SPDX-License-Identifier: Apache-2.0
"""releases: who is still to be told, how many have still to answer, against a table written in Python."""

import random

import cocotb
import pytest
from support import shape
from support.bench import LONG, Bench, chance, expect, rounds
from support.runner import Mutant, Unit

NODES = shape.config().nodes


class Release:
    def __init__(self, cu, id_):
        self.cu, self.id = cu, id_
        self.homes = list(range(NODES))  # that have still to be told
        self.owed = 0  # acknowledgements that homes already told may send
        self.left = NODES * (NODES - 1)


class Table:
    """The same, slowly. Acknowledgements come only from homes that were told, and never too many."""

    def __init__(self, entries):
        self.entries = [None] * entries

    def free(self):
        return [i for i, entry in enumerate(self.entries) if entry is None]

    def sending(self):
        return [i for i, entry in enumerate(self.entries) if entry and entry.homes]

    def acknowledgeable(self, sends):
        """Releases that may be acknowledged in this cycle; the home that is told in it may answer at once."""
        just_told = self.sending()[0] if sends else None
        return [i for i, entry in enumerate(self.entries) if entry and (entry.owed or i == just_told)]

    def send(self):
        entry = self.entries[self.sending()[0]]
        entry.owed += NODES - 1
        return entry.homes.pop(0)

    def acknowledge(self, index, count):
        entry = self.entries[index]
        entry.owed -= count
        entry.left -= count
        if not entry.left:
            self.entries[index] = None


class Driver:
    def __init__(self, dut, bench):
        self.dut, self.bench = dut, bench
        self.table = Table(int(dut.Entries.value))
        self.done = 0
        self.seen = set()

    async def cycle(self, start=False, send=False, acknowledge=False):
        dut, table = self.dut, self.table
        cu, id_ = random.randrange(8), random.randrange(64)
        told = table.sending()[0] if send else None
        index, count = self.some_acknowledgement(send, told) if acknowledge else (0, random.randrange(16))
        dut.start_i.value, dut.cu_i.value, dut.id_i.value = start, cu, id_
        dut.send_i.value, dut.ack_i.value = send, acknowledge
        dut.ack_index_i.value, dut.ack_count_i.value = index, count
        await self.bench.settle()
        self.check(index if acknowledge else None, count)
        await self.bench.next()
        if start:
            table.entries[table.free()[0]] = Release(cu, id_)
        if send:
            table.send()
        if acknowledge:
            table.acknowledge(index, count)

    def some_acknowledgement(self, send, told):
        index = random.choice(self.table.acknowledgeable(send))
        owed = self.table.entries[index].owed + (NODES - 1 if index == told else 0)
        return index, random.randint(1, min(owed, NODES - 1))

    def check(self, acknowledged, count):
        dut, table = self.dut, self.table
        free, sending = table.free(), table.sending()
        homes = sum(len(table.entries[i].homes) for i in sending)
        expect("free", int(dut.free_o.value), len(free))
        expect("pending", int(dut.pending_o.value), homes > 0)
        expect("more than one pending", int(dut.pending_more_o.value), homes > 1)
        if free:
            expect("entry for the next", int(dut.free_index_o.value), free[0])
        if sending:
            found = (int(dut.send_index_o.value), int(dut.send_home_o.value))
            expect("release and home to tell", found, (sending[0], table.entries[sending[0]].homes[0]))
        entry = None if acknowledged is None else table.entries[acknowledged]
        last = entry is not None and entry.left == count
        expect("done", int(dut.done_o.value), last)
        if last:
            expect("of", (int(dut.done_cu_o.value), int(dut.done_id_o.value)), (entry.cu, entry.id))
            self.done += 1
        self.seen |= {"full"} if not free else {"empty"} if len(free) == len(table.entries) else set()


async def start(dut):
    inputs = "start_i cu_i id_i send_i ack_i ack_index_i ack_count_i".split()
    every_home = (1 << NODES) - 1
    return Driver(dut, await Bench.start(dut, homes_i=every_home, **dict.fromkeys(inputs, 0)))


@cocotb.test()
@cocotb.parametrize(starts=[0.1, 0.5], acks=[0.3, 0.9])
async def random_steps(dut, starts, acks):
    """A bank starts a release or tells a home, never both; an acknowledgement may meet the telling."""
    driver = await start(dut)
    for turn in range(rounds(1500)):
        begins = bool(driver.table.free()) and chance(starts) and turn % 100 < 60
        sends = not begins and bool(driver.table.sending()) and chance(0.6)
        acknowledges = not begins and bool(driver.table.acknowledgeable(sends)) and chance(acks)
        await driver.cycle(begins, sends, acknowledges)
    expect("releases ended", driver.done > 20, True)
    expect("full and empty", driver.seen, {"full", "empty"})


@cocotb.test()
async def reset_forgets(dut):
    for _ in range(2):
        driver = await start(dut)
        for _ in driver.table.entries:
            await driver.cycle(start=True)
        await driver.cycle(send=True)


# ---------------------------------------------------------------- pytest

RELEASES = Unit("releases", ["common/cut.sv", "cache/releases.sv"])
MUTANTS = [
    Mutant("tells_a_home_twice", " & ~(Nodes'(1) << send_home_o)", ""),
    Mutant("never_free", "if (done_o) used_q[ack_index_i] <= 1'b0;", ""),
]


def run(nodes=3, entries=3, **options):
    changes = [f"nodes={nodes}"]
    env = shape.environment("tiny", changes)
    RELEASES.run(__file__, overrides=changes, parameters={"Entries": entries}, env=env, **options)


@pytest.mark.parametrize("nodes, entries", [(3, 3), (2, 1), (16, 16)] if LONG else [(3, 3)])
def test_releases(nodes, entries):
    run(nodes, entries)


def test_fault_is_noticed():
    run(fault="release_counts_twice")


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:1], ids=lambda mutant: mutant.name)
def test_broken_releases_are_noticed(mutant):
    run(mutant=mutant)
