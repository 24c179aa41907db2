# SPDX-License-Identifier: Apache-2.0
"""tsu: every answer, event and count against the model, at one lookup and update per cycle."""

import os
import random

import cocotb
import pytest
from support import model
from support.bench import Bench, chance, expect, rounds
from support.events import expect_event
from support.figures import figure
from support.runner import Mutant, Unit

TSU = Unit("tsu", ["cache/l2_pkg.sv", "common/cut.sv", "common/ram.sv", "home/tsu.sv"])
PAGE_BITS = 12
READ, WRITE, PEEK = (model.TSU_OP[name] for name in ("read", "write", "peek"))
INPUTS = ("op", "causal", "renews", "cts", "address")
EFFECTS = ("hit", "way", "allocated", "evicted", "reentered", "wts", "rts", "memts", "hwm", "was")
# Handed from the pytest side to the cocotb side: the configuration, and a fault of unit and model alike.
CONFIG, BOTH = os.environ.get("CONFIG", "tiny"), int(os.environ.get("BOTH", "0"))
CHANGES = [item.split("=") for item in os.environ.get("CHANGES", "").split()]


class Shape:
    """The geometry of the unit under test, and how its lines are numbered."""

    def __init__(self, dut):
        changes = {key.replace(".", "_"): int(value) for key, value in CHANGES}
        self.config = config = model.config(CONFIG, **changes)
        self.line, self.banks, self.ways = config.line, config.l2_banks, config.tsu_ways
        self.sets = config.tsu_entries // config.l2_banks // config.tsu_ways
        expect("sets", int(dut.Sets.value), self.sets)
        self.last = (1 << config.lease_bits) - 1
        self.lines = config.memory_bytes // config.l2_banks // config.line

    def address(self, home, bank, number):
        line_bits, bank_bits = self.line.bit_length() - 1, self.banks.bit_length() - 1
        page, inside = divmod(number << line_bits, 1 << PAGE_BITS)
        return home << 36 | page << (PAGE_BITS + bank_bits) | bank << PAGE_BITS | inside

    def some_lines(self):
        """Few enough to meet again, enough to overfill: three blocks for every way of at most four sets."""
        sets = random.sample(range(self.sets), min(4, self.sets))
        tags = range(max(1, self.lines // self.sets))
        chosen = random.sample(tags, min(len(tags), 3 * self.ways))
        return [(tag * self.sets + index) % self.lines for tag in chosen for index in sets]

    def some_leases(self):
        """Unequal ones as a rule, the smallest and the largest among them."""
        most = self.last - 2
        usual = [1, 2, 5, 10, 20, 10, 5]
        return tuple(min(most, most if chance(0.05) else random.choice(usual)) for _ in range(2))


class Scoreboard:
    """The model beside the unit: answers in the cycle of the step, the event one cycle later. And, from the
    answers alone: no write before the end of what was promised of its block."""

    def __init__(self, dut, shape, home, leases):
        self.dut, self.shape, self.home, self.bank = dut, shape, home, int(dut.Bank.value)
        self.tsu = model.Tsu(shape.config, home, leases, BOTH)
        self.awaited = None
        self.steps = 0
        self.rebases = 0
        self.kinds = set()
        self.promised = {}
        self.written = {}
        self.largest = 0
        self.renews = False  # what the protocol says: steady

    def check_event(self):
        fields = INPUTS + EFFECTS
        expect_event(self.dut, "tsu_event", self.shape.line, self.awaited, self.steps - 1, fields)
        self.awaited = None

    def request(self, op, causal, cts, number):
        address = self.shape.address(self.home, self.bank, number)
        carried = causal or (self.renews and op == READ)
        fields = {"op": op, "causal": causal, "renews": self.renews, "address": address}
        return fields | {"cts": cts if carried else 0}

    def wants_rebase(self, request):
        wanted = self.tsu.wants_rebase(**request)
        expect("wants a rebase", int(self.dut.wants_rebase_o.value), wanted)
        return wanted

    def check_step(self, request):
        wanted = self.tsu.step(**request)
        expect("wts", int(self.dut.wts_o.value), wanted.wts)
        expect("rts", int(self.dut.rts_o.value), wanted.rts)
        expect("was", int(self.dut.was_o.value), wanted.was)
        if not BOTH:
            self.check_promises(wanted)
        self.check_count(wanted)
        self.awaited = wanted
        self.steps += 1
        self.kinds.add((wanted.op, wanted.causal or bool(wanted.cts), wanted.hit, wanted.evicted))

    def check_promises(self, wanted):
        expect("largest", int(self.dut.largest_o.value), self.largest)
        self.largest = max(self.largest, wanted.rts)
        before = self.promised.get(wanted.address, -1)
        if wanted.op == WRITE:
            expect("a write comes after every promise", wanted.wts > before, True)
            expect("a write is later than the value that it replaces", wanted.wts > wanted.was, True)
        written = self.written.get(wanted.address, 0)
        expect("no value is younger than its write", wanted.was >= written, True)
        self.written[wanted.address] = wanted.wts if wanted.op == WRITE else written
        expect("a lease ends after it began", wanted.wts <= wanted.rts, True)
        self.promised[wanted.address] = max(before, wanted.rts)

    def check_count(self, wanted):
        counts = {"late": 0}
        fields = ("lookups", "hits", "misses", "evictions", "reentries")
        counts |= dict.fromkeys(fields, 0)
        if wanted:
            values = (1, wanted.hit, 1 - wanted.hit, wanted.evicted, wanted.reentered)
            counts |= dict(zip(fields, values))
        found = model.unpack("tsu_count", int(self.dut.count_o.value), self.shape.line)
        for name, value in counts.items():
            expect(f"count {name}", getattr(found, name), value)

    def rebase(self):
        self.tsu.rebase()
        self.rebases += 1
        self.promised = {}
        self.written = {}
        self.largest = 0


class Driver:
    """Two stages: a lookup in one cycle, its step (or none) in the next. A rebase where it is wanted."""

    def __init__(self, dut, bench, board):
        self.dut, self.bench, self.board = dut, bench, board
        self.looked_up = None

    async def cycle(self, lookup, step, rebase=False):
        """lookup: a bank line or None; step: (op, causal, cts) for the last cycle's lookup, or None."""
        dut, board = self.dut, self.board
        dut.rebase_i.value = rebase
        dut.lookup_i.value = lookup is not None
        dut.line_i.value = random.randrange(board.shape.lines) if lookup is None else lookup
        op, causal, cts = step or some_step(board)
        dut.op_i.value, dut.causal_i.value, dut.cts_i.value = op, causal, cts
        performed = step is not None
        if performed:
            # Whether the step may be taken must be known before the unit says so, the same, below.
            performed = not board.tsu.wants_rebase(**board.request(op, causal, cts, self.looked_up))
        dut.step_i.value = performed
        await self.bench.settle()
        board.check_event()
        if step:
            board.wants_rebase(board.request(op, causal, cts, self.looked_up))
        if performed:
            board.check_step(board.request(op, causal, cts, self.looked_up))
        else:
            board.check_count(None)
        await self.bench.next()
        self.looked_up = lookup
        if step and not performed:
            await self.rebase()

    async def rebase(self):
        """All times to 0, and the walk: nothing may be looked up meanwhile."""
        self.looked_up = None
        await self.cycle(None, None, rebase=True)
        self.board.rebase()
        self.dut.rebase_i.value = 0
        cycles = await walk(self.dut, self.bench, self.board.shape)
        expect("cycles of the walk", cycles, self.board.shape.sets)

    async def drain(self):
        await self.cycle(None, None)


def some_step(board):
    """Clocks of those that read before, of those that lag, and now and then one far ahead."""
    last = board.shape.last
    recent = random.choice(list(board.promised.values()) or [0])
    cts = random.choice([0, recent, recent + 1, recent // 2, random.randrange(16)])
    if chance(0.005):
        cts = random.randrange(last + 1)
    if board.renews and chance(0.5):
        cts = 0
    return random.randrange(3), not board.renews and chance(0.5), min(cts, last)


async def walk(dut, bench, shape):
    cycles = 0
    while True:
        await bench.settle()
        ready = int(dut.ready_o.value)
        await bench.next()
        if ready:
            return cycles
        cycles += 1
        expect("walk is over in time", cycles <= shape.sets, True)


async def start(dut, leases=None, renews=False):
    shape = Shape(dut)
    home = random.randrange(shape.config.nodes)
    leases = leases or shape.some_leases()
    inputs = {"leases_i": leases[0] << 16 | leases[1], "lookup_i": 0, "step_i": 0, "rebase_i": 0}
    inputs |= {"renews_i": renews} | ({"fault_i": BOTH} if BOTH else {})
    bench = await Bench.start(dut, self_i=home, **inputs)
    expect("cycles of the walk", await walk(dut, bench, shape), shape.sets)
    board = Scoreboard(dut, shape, home, leases)
    board.renews = renews
    return shape, board, Driver(dut, bench, board)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3], stall=[0.0, 0.3])
async def random_requests(dut, idle, stall):
    """idle: no lookup; stall: a lookup whose request is not performed."""
    for turn in range(4):
        shape, board, driver = await start(dut, renews=turn % 2 == 1)
        lines = shape.some_lines()
        for _ in range(rounds(300)):
            lookup = None if chance(idle) else random.choice(lines)
            performed = driver.looked_up is not None and not chance(stall)
            await driver.cycle(lookup, some_step(board) if performed else None)
        await driver.drain()


@cocotb.test()
async def every_case(dut):
    """Hits and misses of every request with and without a clock, evictions; rebases, if times are short."""
    shape, board, driver = await start(dut, (4, 2))
    lines = shape.some_lines()
    for _ in range(rounds(3000)):
        performed = driver.looked_up is not None
        await driver.cycle(random.choice(lines), some_step(board) if performed else None)
    await driver.drain()
    evicts = shape.lines > shape.ways * shape.sets
    for op in model.TSU_OP.values():
        for causal in (False, True):
            for hit in (0, 1) if evicts else (1,):
                seen = any(kind[:3] == (op, causal, hit) for kind in board.kinds)
                expect(f"op {op} causal {causal} hit {hit} was tried", seen, True)
    expect("evictions were tried", any(kind[3] for kind in board.kinds), evicts)
    if shape.last < 256:
        expect("rebases were tried", board.rebases > 1, True)


@cocotb.test()
@cocotb.parametrize(lines=[1, 2])
async def one_lookup_and_update_per_cycle(dut, lines):
    """The same block, or two of one set, in every cycle: as many events as cycles."""
    shape, board, driver = await start(dut, (2, 2))
    if shape.last < 4096:
        return  # rebases would be among them
    numbers = [shape.some_lines()[0]]
    numbers.append((numbers[0] + shape.sets) % shape.lines)
    cycles = 300
    await driver.cycle(numbers[0], None)
    for i in range(cycles):
        await driver.cycle(numbers[i % lines], (random.randrange(3), chance(0.5), random.randrange(8)))
    await driver.drain()
    what = "lookup + update, " + ("one block back to back" if lines == 1 else "two of one set in turn")
    figure("tsu", what, count=board.steps, cycles=cycles, per_cycle=1)


async def told(driver, number, op, causal=False, cts=0):
    """The times that one request gets."""
    await driver.cycle(number, None)
    dut = driver.dut
    dut.lookup_i.value, dut.step_i.value = 0, 1
    dut.op_i.value, dut.causal_i.value, dut.cts_i.value = op, causal, cts
    await driver.bench.settle()
    times = int(dut.wts_o.value), int(dut.rts_o.value)
    driver.board.check_step(driver.board.request(op, causal, cts, number))
    await driver.bench.next()
    driver.looked_up = None
    return times


def lease(driver, read, write):
    driver.dut.leases_i.value = read << 16 | write
    driver.board.tsu.leases.read, driver.board.tsu.leases.write = read, write


@cocotb.test()
@cocotb.parametrize(mode=["weak", "causal", "renew"])
async def figure_5(dut, mode):
    """Known answer, the paper's: X is read with a lease of 10 and Y with one of 7, writes have 5."""
    causal = mode == "causal"
    shape, _, driver = await start(dut, (10, 5), renews=mode == "renew")
    if shape.last < 32 or shape.ways * shape.sets == 1:
        return
    x, y = 0, 1
    expect("CU0 reads X", await told(driver, x, READ), (0, 10))
    lease(driver, 7, 5)
    expect("CU1 reads Y", await told(driver, y, READ), (0, 7))
    expect("CU0 writes Y", await told(driver, y, WRITE, causal, 0), (8, 12))
    expect("CU1 writes X", await told(driver, x, WRITE, causal, 0), (11, 15))
    expect("CU1 reads Y", await told(driver, y, READ, causal, 11), (8, 18 if causal else 19))


@cocotb.test()
async def lease_begins_at_the_units_time(dut):
    """Known answer: a block that nobody has asked for since has its lease from the latest write on, or
    from the clock of somebody who renewed; a peek has none, and a write is behind its block's promises."""
    shape, _, driver = await start(dut, (10, 5), renews=True)
    if shape.last < 64 or shape.ways * shape.sets < 4 or shape.lines < 4:
        return
    expect("a first read", await told(driver, 0, READ), (0, 10))
    expect("a write behind it", await told(driver, 0, WRITE), (11, 15))
    expect("another block, from that write on", await told(driver, 1, READ), (0, 21))
    expect("renewed from its reader's clock on", await told(driver, 1, READ, cts=30), (0, 40))
    expect("a third, from that clock on", await told(driver, 2, READ), (0, 40))
    expect("a clock that lags counts for nothing", await told(driver, 3, READ, cts=3), (0, 40))
    expect("a peek takes no lease", await told(driver, 0, PEEK), (11, 15))
    expect("a write is no later than it must be", await told(driver, 0, WRITE), (16, 20))


@cocotb.test()
async def evicted_promise_stays(dut):
    """Known answer: the block with the lowest memts goes, its promise and when it was written stay in the
    high-water marks, and whoever enters the set starts there: the block itself too, when it comes back."""
    shape, _, driver = await start(dut, (3, 2))
    if shape.last < 4096 or shape.lines < (shape.ways + 1) * shape.sets:
        return
    numbers = [way * shape.sets for way in range(shape.ways + 1)]
    for times, number in enumerate(numbers[:-1], 1):  # memts 3, 6, 9, ...: the first has the lowest
        for _ in range(times):
            await told(driver, number, READ)
    expect("enters behind the first", await told(driver, numbers[-1], PEEK), (0, 3))
    # The others stand at 6 or above: the newcomer has the lowest memts now, and goes; then it comes back.
    expect("comes back to write", await told(driver, numbers[0], WRITE), (4, 5))
    expect("comes back to read", await told(driver, numbers[-1], READ), (4, 8))


@cocotb.test()
async def reset_forgets(dut):
    for _ in range(2):
        shape, board, driver = await start(dut)
        lines = shape.some_lines()
        for number in [*lines, *lines]:
            performed = driver.looked_up is not None
            await driver.cycle(number, some_step(board) if performed else None)
        await driver.drain()


@cocotb.test()
async def an_answer_that_is_not_there_is_late(dut):
    """A step without a lookup before it: what the counter `late` is there for, and what no home does. A step
    that waits is not late: its answer stands."""
    _, board, driver = await start(dut)
    await driver.cycle(0, None)
    dut.lookup_i.value = 0
    for late in (0, 1):
        await driver.bench.next()
        dut.step_i.value = 1
        await driver.bench.settle()
        count = model.unpack("tsu_count", int(dut.count_o.value), board.shape.line)
        expect("late", count.late, late)


SMALL = ["memory.bytes=8192"]
SHAPES = {
    "tiny": ("tiny", []),
    "6-bits": ("tiny", ["lease.bits=6", "lease.read=4", "lease.write=2"]),
    "4-bits": ("tiny", ["lease.bits=4", "lease.read=3", "lease.write=2", "line=128", *SMALL]),
    "quad": ("quad", ["l2.banks=2", "tsu.entries=128"]),
    "one-entry": ("tiny", ["tsu.entries=1", "tsu.ways=1", "lease.bits=8"]),
    "one-set": ("tiny", ["tsu.entries=16", "tsu.ways=16", "nodes=16", "l2.sets=2", "lease.bits=7"]),
    "more-sets-than-lines": ("tiny", ["tsu.entries=512", "tsu.ways=1", "directory.ways=1", *SMALL]),
}
FAULTS = [
    "tsu_write_at_memts",
    "tsu_reenters_wts_zero",
    "tsu_reenters_memts_zero",
    "tsu_rebase_misses_victim",
]
MUTANTS = [
    Mutant("no_forwarding", "if (bypass_valid_q[g])", "if (1'b0)"),
    Mutant("steps_unasked", ".wen_i  (step_i || !ready_q)", ".wen_i  (1'b1)"),
    Mutant("forgets_the_evicted", "found.victim_valid ? found.victim_memts : set.hwm", "set.hwm"),
    Mutant("enters_before_the_mark", "memts_zero ? '0 : hwm;", "memts_zero ? '0 : set.hwm;"),
    Mutant("forgets_when_written", "? set.way[w].wts : set.written", "? set.written : set.written"),
    Mutant("written_by_the_last", "? set.way[w].wts : set.written", "? set.way[w].wts : set.way[w].wts"),
    Mutant("first_way_goes", "= {set.way[w].valid, set.way[w].memts} <", "= {set.way[w].valid} <"),
    Mutant("ties_to_the_highest", "} < {", "} <= {"),
    Mutant("forgets_the_largest", "largest_q <= largest;", "largest_q <= last_q;"),
    Mutant("rebase_a_tick_late", "sum_t'(2 ** TimeBits - 2)", "sum_t'(2 ** TimeBits - 1)"),
    Mutant("peek_takes_a_lease", "(op_i == TsuOpPeek) ? '0 : ", "1'b0 ? '0 : "),
    Mutant("clock_without_causal", "(causal_i || renews) ? time_t'(cts_i) : '0", "time_t'(cts_i)"),
    Mutant("renews_without_a_time", "cts    = (renews && now > asked) ? now : asked", "cts    = asked"),
    Mutant("forgets_its_time", "now_q     <= now;", "now_q     <= heard_q;"),
    Mutant("never_late", "step_i && !answers_q", "1'b0 && !answers_q"),
]


def options(shape):
    """The build's configuration, handed on to the cocotb side."""
    name, changes = SHAPES[shape]
    env = {"CONFIG": name, "CHANGES": " ".join(changes)}
    return {"config": name, "overrides": changes, "env": env}


def measure(**more):
    TSU.run(__file__, cases="one_lookup_and_update", **options("quad"), **more)


@pytest.mark.parametrize("shape", SHAPES)
def test_tsu(shape):
    TSU.run(__file__, **options(shape))


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_noticed(fault):
    TSU.run(__file__, fault=fault, **options("6-bits"))


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_of_the_model_is_the_same(fault):
    """The explorer finds with the model what simulation would find: the fault is one, not two."""
    chosen = options("6-bits")
    chosen["env"]["BOTH"] = str(1 + [row["name"] for row in model.gen.FAULTS].index(fault))
    TSU.run(__file__, cases="random_requests|every_case", **chosen)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_tsu_is_noticed(mutant):
    TSU.run(__file__, mutant=mutant, **options("6-bits"))
