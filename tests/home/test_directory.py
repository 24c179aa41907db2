# SPDX-License-Identifier: Apache-2.0
"""directory: every result and every event against the model, at one lookup and update per cycle."""

import os
import random

import cocotb
import pytest
from support import model
from support.bench import Bench, chance, expect, rounds
from support.events import expect_event
from support.figures import figure
from support.runner import Mutant, Unit

ROWS = {row["name"]: row for row in model.gen.PROTOCOLS}
PROTOCOLS = [name for name, row in ROWS.items() if row["tracker"] == "directory" and not row.get("model")]
POLICIES = [f"home/directory_{name.replace('-', '_')}.sv" for name in PROTOCOLS]
PARTS = ["common/cut.sv", "common/ram.sv", "common/replacement.sv", "home/directory_line.sv", *POLICIES]
DIRECTORY = Unit("directory", [*PARTS, "home/directory_policies.sv", "home/directory.sv"])
PROTOCOL = os.environ.get("PROTOCOL", "baseline")  # handed from the pytest side to the cocotb side
PAGE_BITS = 12
EFFECTS = (
    "hit",
    "way",
    "allocated",
    "evicted",
    "evicted_address",
    "lines",
    "inv_sharers",
    "invs",
    "cause",
    "sharers",
)
INPUTS = ("op", "local", "requester", "address")


class Shape:
    """The geometry of the unit under test, and how its lines are numbered."""

    def __init__(self, dut):
        self.nodes, self.entries = int(dut.Nodes.value), int(dut.Entries.value)
        self.ways, self.line = int(dut.Ways.value), int(dut.Line.value)
        self.banks, self.width = int(dut.Banks.value), int(dut.LineWidth.value)
        self.sets = self.entries // self.ways
        self.range = int(dut.Range.value)
        lines = ROWS[PROTOCOL].get("lines", "1")  # of an entry
        self.lines = eval(lines, {"range": self.range // self.line})
        self.refreshes = bool(ROWS[PROTOCOL].get("refresh")) and int(dut.Refresh.value) == 1

    def config(self):
        return model.config(
            "tiny",
            nodes=self.nodes,
            line=self.line,
            l2_banks=self.banks,
            directory_entries=self.entries * self.banks,
            directory_ways=self.ways,
            directory_range=self.range,
            directory_refresh=self.refreshes,
        )

    def address(self, home, bank, number):
        line_bits, bank_bits = self.line.bit_length() - 1, self.banks.bit_length() - 1
        page, inside = divmod(number << line_bits, 1 << PAGE_BITS)
        return home << 36 | page << (PAGE_BITS + bank_bits) | bank << PAGE_BITS | inside

    def some_lines(self):
        """Few enough to meet again, enough to overfill: three entries for every way of at most four sets, and
        of the lines of each entry a few."""
        sets = random.sample(range(self.sets), min(4, self.sets))
        tags = range(max(1, (1 << self.width) // self.lines // self.sets))
        chosen = random.sample(tags, min(len(tags), 3 * self.ways))
        places = random.sample(range(self.lines), min(3, self.lines))
        return [
            self.number(tag * self.sets + index, place)
            for tag in chosen
            for index in sets
            for place in places
        ]

    def number(self, entry, place=0):
        """A bank line by its entry's number."""
        return (entry * self.lines + place) % (1 << self.width)


class Scoreboard:
    """The model beside the unit: results in the cycle of the step, the event one cycle later."""

    def __init__(self, dut, shape, home, bank):
        self.dut, self.shape, self.home, self.bank = dut, shape, home, bank
        self.directory = model.Directory(shape.config(), home, PROTOCOL)
        self.awaited = None
        self.steps = 0
        self.kinds = set()
        self.invs = [0]  # owed by each step

    def check_event(self):
        fields = INPUTS + EFFECTS
        expect_event(self.dut, "dir_event", self.shape.line, self.awaited, self.steps - 1, fields)
        self.awaited = None

    def check_step(self, op, local, requester, number):
        address = self.shape.address(self.home, self.bank, number)
        wanted = self.directory.step(op=op, local=local, requester=requester, address=address)
        dut = self.dut
        for name in ("hit", "way", "allocated", "evicted", "lines", "inv_sharers", "invs", "sharers"):
            expect(name, int(getattr(dut, f"{name}_o").value), getattr(wanted, name))
        if wanted.evicted:
            number = int(dut.evicted_line_o.value)
            expect("evicted line", self.shape.address(self.home, self.bank, number), wanted.evicted_address)
        expect("nodes", int(dut.inv_nodes_o.value), self.directory.nodes(wanted.inv_sharers, self.home))
        if wanted.inv_sharers:
            expect("cause", int(dut.inv_cause_o.value), wanted.cause)
            if wanted.evicted:
                expect("cause of an eviction", wanted.cause, model.CAUSE["evict"])
            self.check_item(wanted, address)
        self.awaited = wanted
        self.steps += 1
        self.invs.append(wanted.invs)
        self.kinds.add((op, local, wanted.hit, wanted.evicted))

    def check_item(self, wanted, address):
        """What the step puts into the forward queue."""
        dut, shape, block = self.dut, self.shape, self.directory.block
        base = address & ~(shape.lines * shape.line - 1)
        owed = wanted.evicted_address if wanted.evicted else base if block else address
        spread = wanted.evicted and not block and shape.lines > 1
        expect("address", int(dut.inv_address_o.value), owed)
        expect("block", int(dut.inv_block_o.value), block)
        expect("spread", int(dut.inv_spread_o.value), spread)
        if spread:
            bits = int(dut.inv_lines_o.value)
            sharers = shape.nodes - 1
            found = [bits >> i * sharers & ((1 << sharers) - 1) for i in range(shape.lines)]
            expect("sharers of the evicted lines", found, list(self.directory.owed)[: shape.lines])


class Driver:
    """Two stages: a lookup in one cycle, its step (or none) in the next."""

    def __init__(self, dut, bench, board):
        self.dut, self.bench, self.board = dut, bench, board
        self.looked_up = None

    async def cycle(self, lookup, step):
        """lookup: a bank line or None; step: (op, local, requester) for the last cycle's lookup, or None."""
        dut, board = self.dut, self.board
        dut.lookup_i.value = lookup is not None
        dut.line_i.value = random.getrandbits(board.shape.width) if lookup is None else lookup
        dut.step_i.value = step is not None
        op, local, requester = step or (random.randrange(3), chance(0.5), random.randrange(16))
        dut.op_i.value, dut.local_i.value = op, local
        # what stands here for a local request is of no meaning
        dut.requester_i.value = random.randrange(16) if local else requester
        await self.bench.settle()
        board.check_event()
        if step:
            board.check_step(op, local, requester, self.looked_up)
        await self.bench.next()
        self.looked_up = lookup

    async def drain(self):
        await self.cycle(None, None)


def some_step(shape, home, local_share=0.3):
    others = [node for node in range(shape.nodes) if node != home]
    local = not others or chance(local_share)
    return random.randrange(3), local, home if local else random.choice(others)


async def start(dut, home=None):
    shape = Shape(dut)
    home = random.randrange(shape.nodes) if home is None else home
    bank = random.randrange(shape.banks)
    inputs = {"protocol_i": model.PROTOCOL[PROTOCOL], "lookup_i": 0, "step_i": 0}
    bench = await Bench.start(dut, self_i=home, bank_i=bank, **inputs)
    walk = 0
    while True:
        await bench.settle()
        ready = int(dut.ready_o.value)
        await bench.next()
        if ready:
            break
        walk += 1
        expect("walk is over in time", walk <= shape.sets, True)
    expect("cycles of the walk", walk, 0 if shape.nodes == 1 else shape.sets)
    board = Scoreboard(dut, shape, home, bank)
    return shape, board, Driver(dut, bench, board)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3, 0.8], stall=[0.0, 0.3, 0.8])
async def random_requests(dut, idle, stall):
    """idle: no lookup; stall: a lookup whose request is not performed."""
    shape, board, driver = await start(dut)
    lines = shape.some_lines()
    for _ in range(rounds(600)):
        lookup = None if chance(idle) else random.choice(lines)
        performed = driver.looked_up is not None and not chance(stall)
        await driver.cycle(lookup, some_step(shape, board.home) if performed else None)
    await driver.drain()


@cocotb.test()
async def every_home_and_every_case(dut):
    """All nodes as homes; hits and misses of every request, evictions, from all requesters."""
    homes = range(Shape(dut).nodes)
    for home in homes:
        shape, board, driver = await start(dut, home)
        lines = shape.some_lines()
        for _ in range(rounds(4000 // len(homes))):
            performed = driver.looked_up is not None
            await driver.cycle(random.choice(lines), some_step(shape, home) if performed else None)
        await driver.drain()
        if shape.nodes == 1:
            continue
        for op in model.DIR_OP.values():
            for local in (False, True):
                for hit in (0, 1):
                    seen = any(kind[:3] == (op, local, hit) for kind in board.kinds)
                    expect(f"op {op} local {local} hit {hit} was tried", seen, True)
        if 1 << shape.width > shape.entries * shape.lines:
            expect("evictions were tried", any(kind[3] for kind in board.kinds), True)


@cocotb.test()
@cocotb.parametrize(lines=[1, 2])
async def one_lookup_and_update_per_cycle(dut, lines):
    """The same entry, or two that fight for one way, in every cycle: as many events as cycles."""
    shape, board, driver = await start(dut)
    numbers = [shape.some_lines()[0]]
    numbers.append((numbers[0] + shape.sets * shape.lines) % (1 << shape.width))
    cycles = 300
    await driver.cycle(numbers[0], None)
    for i in range(cycles):
        await driver.cycle(numbers[i % lines], some_step(shape, board.home))
    await driver.drain()
    what = "lookup + update, " + ("one entry back to back" if lines == 1 else "two entries in turn")
    figure("directory", what, count=board.steps, cycles=cycles, per_cycle=1)


@cocotb.test()
async def reset_forgets(dut):
    for _ in range(2):
        shape, board, driver = await start(dut, 0)
        lines = shape.some_lines()
        for number in [*lines, *lines]:
            performed = driver.looked_up is not None
            await driver.cycle(number, some_step(shape, 0, 0.0) if performed else None)
        await driver.drain()


@cocotb.test()
async def who_goes_first(dut):
    """Known answer, not the model's: a set is filled, its first entry is read again. First in first out, it
    still goes first; where a hit refreshes, the second does."""
    shape, board, driver = await start(dut, 0)
    if (
        shape.nodes == 1
        or shape.ways == 1
        or (1 << shape.width) < (shape.ways + 1) * shape.sets * shape.lines
    ):
        return
    numbers = [shape.number(way * shape.sets) for way in range(shape.ways + 1)]
    read = (model.DIR_OP["read"], False, 1)
    evictions = []
    for number in [*numbers[:-1], numbers[0], numbers[-1], numbers[0]]:
        await driver.cycle(number, None)
        dut.lookup_i.value, dut.step_i.value = 0, 1
        dut.op_i.value, dut.local_i.value, dut.requester_i.value = read
        await driver.bench.settle()
        evictions.append(
            (int(dut.hit_o.value), int(dut.evicted_o.value) and int(dut.evicted_line_o.value) + 1)
        )
        board.check_step(*read, number)
        await driver.bench.next()
    filled = [(0, 0)] * shape.ways
    end = [(0, numbers[1] + 1), (1, 0)] if shape.refreshes else [(0, numbers[0] + 1), (0, numbers[1] + 1)]
    expect("hits and evictions", evictions, [*filled, (1, 0), *end])


@cocotb.test()
async def a_burst_does_not_stop_lookups(dut):
    """An entry with all its lines at all sharers is evicted: every INV of it is owed in that one step, and
    the other sets go on, a lookup and update in every cycle."""
    shape, board, driver = await start(dut, 0)
    if shape.nodes == 1 or (1 << shape.width) < (shape.ways + 1) * shape.sets * shape.lines:
        return
    steps = [(shape.number(0, place), node) for place in range(shape.lines) for node in range(1, shape.nodes)]
    steps += [(shape.number(way * shape.sets), 1) for way in range(1, shape.ways + 1)]
    elsewhere = [(shape.number(shape.sets - 1, i % shape.lines), 1) for i in range(60)]
    await driver.cycle(steps[0][0], None)
    for (_, node), (after, _) in zip(steps + elsewhere, (steps + elsewhere)[1:]):
        await driver.cycle(after, (model.DIR_OP["read"], False, node))
    await driver.drain()
    count = len(steps + elsewhere) - 1
    figure(
        "directory", "lookups around an eviction of all lines", count=board.steps, cycles=count, per_cycle=1
    )
    block = 1 if board.directory.block else shape.lines
    expect("the most INVs of one step", max(board.invs), block * (shape.nodes - 1))


TINY = {"Nodes": 2, "Entries": 4, "Ways": 2, "LineWidth": 10, "Line": 32, "Banks": 1, "Range": 128}
QUAD = {"Nodes": 4, "Entries": 64, "Ways": 8, "LineWidth": 17, "Line": 64, "Banks": 2, "Range": 1024}
SHAPES = {
    "tiny": TINY,
    "quad": QUAD,
    "one-node": {**TINY, "Nodes": 1},
    "one-entry": {**TINY, "Entries": 1, "Ways": 1, "Nodes": 3},
    "sixteen-nodes": {**QUAD, "Nodes": 16, "Line": 128, "Banks": 8, "LineWidth": 26, "Range": 256},
    "more-sets-than-lines": {**TINY, "Entries": 256, "Ways": 1, "LineWidth": 7},
}
RANGES = {"1-line": {**QUAD, "Range": 64}, "4-KiB": {**QUAD, "Nodes": 3, "Range": 4096}}
FAULTS = {
    "directory_single_sharer": "baseline",
    "directory_forgets_writer": "hmg",
    "directory_evicts_silently": "rec",
    "directory_evicts_first_line": "rec",
    "directory_block_one_line": "hmg",
    "directory_tells_requester": "rec",
    "home_two_steps": "baseline",
}
MUTANTS = [
    Mutant("no_forwarding", "if (bypass_valid_q[g])", "if (1'b0)"),
    Mutant("touches_on_hits", "(allocate || refreshes) ? touched_age", "1'b1 ? touched_age"),
    Mutant("steps_unasked", "step_i && (hit_o || allocate) && !late", "(hit_o || allocate) && !late"),
    Mutant("home_is_a_sharer_bit", "(4'(s) < self_i) ? 4'(s) : 4'(s + 1)", "4'(s)"),
]


def measure(**options):
    DIRECTORY.run(__file__, parameters=QUAD, cases="one_lookup_and_update", **options)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_directory(protocol, shape):
    """Every protocol of the table, in one build per shape: its policy in RTL against its policy in C."""
    DIRECTORY.run(__file__, parameters=SHAPES[shape], env={"PROTOCOL": protocol})


@pytest.mark.parametrize("shape", RANGES)
def test_range(shape):
    """The smallest and the largest range of rec."""
    DIRECTORY.run(__file__, parameters=RANGES[shape], env={"PROTOCOL": "rec"}, cases="every_home|burst")


def test_range_first_in_first_out():
    """rec without refreshing."""
    DIRECTORY.run(
        __file__,
        parameters={**QUAD, "Refresh": 0},
        env={"PROTOCOL": "rec"},
        cases="who_goes_first|every_home",
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_noticed(fault):
    DIRECTORY.run(__file__, parameters=QUAD, fault=fault, env={"PROTOCOL": FAULTS[fault]})


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_directory_is_noticed(mutant):
    DIRECTORY.run(__file__, parameters=TINY, mutant=mutant)


REC_MUTANTS = [
    Mutant("one_position", "if (position_i == 7'(i)) places_next", "if (i == 0) places_next"),
    Mutant("position_stays", "position: sharers_o != '0", "position: 1'b1"),
    Mutant("never_refreshes", "entry_refresh(protocol_i) && hit_o", "1'b0 && hit_o"),
    Mutant("index_of_the_line", "assign block        = line_q >> shift", "assign block        = line_q"),
]


@pytest.mark.parametrize("mutant", REC_MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_range_is_noticed(mutant):
    DIRECTORY.run(__file__, parameters=QUAD, mutant=mutant, env={"PROTOCOL": "rec"})
