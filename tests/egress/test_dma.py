# SPDX-License-Identifier: Apache-2.0
"""dma: a node's copy engine in lock-step with its model, before an L1 that answers late and out of order.
What it copied is compared with what its descriptors say, line by line, without the model."""

import random

import cocotb
import pytest
from support import model, shape
from support.bench import Bench, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

DMA = Unit("dma", ["common/arbiter.sv", "egress/dma.sv"])
CONFIG = shape.config()
LINE = CONFIG.line
LINES = 256  # of the memory behind the L1; addresses from there on are bad
ADDRESSES = 2**40 // LINE
ALL = (1 << LINE) - 1
LOAD, STORE = model.CU_OP["load"], model.CU_OP["store"]
WARPS, TAGS = 4, 16


class L1:
    """Takes operations and answers them later: one per cycle, in any order. Stores are done when taken."""

    def __init__(self, latency):
        self.memory = [random.randbytes(LINE) for _ in range(LINES)]
        self.latency = latency
        self.owed = []  # (cycle from which on it may be answered, answer)
        self.stores = 0

    def take(self, cycle, request):
        index, answer = request.address // LINE, model.STRUCTS["cu_rsp"](warp=request.warp, tag=request.tag)
        if index >= LINES:
            answer.error = 1
        elif request.op == LOAD:
            answer.data = model.data(self.memory[index])
        else:
            self.memory[index] = masked(self.memory[index], request.data, bits_of(request.mask))
        self.stores += request.op == STORE
        self.owed.append((cycle + self.latency(), answer))

    def answer(self, cycle):
        """The one that goes out in this cycle, or None."""
        ready = [i for i, (when, _) in enumerate(self.owed) if when <= cycle]
        return self.owed.pop(random.choice(ready))[1] if ready else None


def bits_of(mask):
    return mask[0] | mask[1] << 64


def masked(old, new, mask):
    return bytes(new[i] if mask >> i & 1 else old[i] for i in range(LINE))


def packed(kind, message):
    return model.pack(kind, message, LINE)


class Scoreboard:
    """The model beside the unit, one cycle at a time; and what the descriptors promise."""

    def __init__(self, dut, bench, latency):
        self.dut, self.bench = dut, bench
        config = model.config("tiny", line=LINE, dma_slots=int(dut.Slots.value))
        self.engine = model.Dma(config)
        self.l1 = L1(latency)
        self.flying = {}  # (warp, tag): the request
        self.shown = None
        self.done = 0

    async def cycle(self, request=None, ready=True):
        """request: what the compute unit shows until it is taken; returns whether it was."""
        dut, now = self.dut, self.bench.cycle
        back = self.l1.answer(now)
        job = request is not None and request.op == STORE and request.attr & model.Dma.ATTRIBUTE
        dut.cu_valid_i.value = request is not None
        dut.cu_req_i.value = packed("cu_req", request or model.STRUCTS["cu_req"]())
        dut.l1_ready_i.value = ready
        dut.l1_valid_i.value = back is not None
        dut.l1_rsp_i.value = packed("cu_rsp", back or model.STRUCTS["cu_rsp"]())
        await self.bench.settle()
        offer, room = self.engine.offer(), self.engine.room() >= 0
        passes = offer is None and request is not None and not job
        self.check_offer(offer or (request if passes else None))
        taken = room if job else passes and ready
        if request is not None:
            expect("ready", int(dut.cu_ready_o.value), int(bool(taken)))
        told = self.check_answer(back)
        expect("idle", int(dut.idle_o.value), int(self.engine.idle()))
        await self.bench.next()
        own = back is not None and back.tag & model.Dma.TAG
        sent = offer if offer is not None and ready else None
        self.engine.step(
            job=request if job and taken else None, sent=sent, back=back if own else None, told=told
        )
        if ready and (offer is not None or passes):
            self.l1.take(now, offer or request)
        if taken:
            self.flying[request.warp, request.tag] = request
        return bool(taken)

    def check_offer(self, wanted):
        expect("valid to the L1", int(self.dut.l1_valid_o.value), int(wanted is not None))
        if wanted is not None:
            expect("operation", int(self.dut.l1_req_o.value), packed("cu_req", wanted))

    def check_answer(self, back):
        """Returns whether the engine's own was told."""
        own = back is not None and back.tag & model.Dma.TAG
        told = self.engine.answer() if back is None or own else None
        wanted = told or (None if own else back)
        expect("valid to the compute unit", int(self.dut.cu_valid_o.value), int(wanted is not None))
        if wanted is None:
            return False
        bits = int(self.dut.cu_rsp_o.value)
        expect("answer", bits, packed("cu_rsp", wanted))
        found = model.unpack("cu_rsp", bits, LINE)
        request = self.flying.pop((found.warp, found.tag))
        if told:
            self.check_copy(request, found.error)
        return told is not None

    def check_copy(self, request, error):
        """What the descriptor asked for lies where it should, in the moment in which it is answered."""
        source, target, lines = request.address // LINE, *fields_of(request)
        mask, bad = bits_of(request.mask), False
        for i in range(lines):
            read, written = (source + i) % ADDRESSES, (target + i) % ADDRESSES
            if read >= LINES or written >= LINES:
                bad = True
            else:
                wanted = masked(self.l1.memory[written], self.l1.memory[read], mask)
                expect(f"line {written}", self.l1.memory[written].hex(), wanted.hex())
        expect("error", error, int(bad))
        self.done += 1

    def free_name(self):
        names = [(w, t) for w in range(WARPS) for t in range(TAGS) if (w, t) not in self.flying]
        return random.choice(names) if names else None


def fields_of(request):
    data = bytes(request.data)
    return int.from_bytes(data[:8], "little") // LINE, int.from_bytes(data[8:10], "little")


def descriptor(name, source, target, lines, mask=ALL):
    data = (target * LINE).to_bytes(8, "little") + lines.to_bytes(2, "little")
    return model.STRUCTS["cu_req"](
        warp=name[0],
        tag=name[1],
        op=STORE,
        attr=model.Dma.ATTRIBUTE,
        address=source * LINE,
        mask=model.mask(mask),
        data=model.data(data.ljust(LINE, b"\0")),
    )


def some_load(name):
    return model.STRUCTS["cu_req"](
        warp=name[0],
        tag=name[1],
        op=LOAD,
        attr=0,
        address=random.randrange(LINES) * LINE,
        mask=model.mask(ALL),
    )


def some_descriptor(name, targets, bad=0.05):
    """Sources are the lower half, and a few lines at the end, from where they run out of memory. Every target
    line is written by one descriptor alone at a time."""
    lines = random.choice((1, 1, 2, 3, 5, 8))
    source, target = random.randrange(LINES // 2 - lines), targets(lines)
    if chance(bad):
        source, target = random.choice(
            ((LINES - lines // 2 - 1, target), (source, 4 * LINES), (4 * LINES, target))
        )
    mask = ALL if chance(0.7) else random.getrandbits(LINE) | 1
    return descriptor(name, source, target, lines, mask)


async def start(dut, latency=lambda: 1):
    bench = await Bench.start(dut, cu_valid_i=0, l1_valid_i=0, l1_ready_i=0)
    return Scoreboard(dut, bench, latency)


async def drain(board):
    while board.flying or not board.engine.idle():
        await board.cycle()
    await board.cycle()


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.7], stall=[0.0, 0.5, 0.9], slow=[1, 30])
async def random_copies(dut, idle, stall, slow):
    board = await start(dut, lambda: random.randint(1, slow))
    half, at = LINES // 2, 0

    def targets(lines):
        nonlocal at
        start, at = (at, at + lines) if at + lines <= half - 8 else (0, lines)
        return half + start

    request = None
    for _ in range(rounds(1500)):
        name = board.free_name()
        jobs = sum(bool(r.attr) for r in board.flying.values())
        if request is None and name and not chance(idle):
            # The targets go round; of those in flight none may be met again.
            if jobs < 8 and chance(0.6):
                request = some_descriptor(name, targets)
            elif chance(0.1):
                request = some_load(name)
        if await board.cycle(request, not chance(stall)):
            request = None
    await drain(board)
    expect("descriptors were answered", board.done > 5, True)


@cocotb.test()
async def two_cycles_a_line(dut):
    """Before an L1 that takes everything and answers soon: a load and a store in turn, without a gap."""
    board = await start(dut, lambda: 2)
    lines, cycles = 60, 100
    await board.cycle(descriptor((0, 0), 0, 100, lines))
    await board.cycle(descriptor((1, 0), 0, 170, lines))
    for _ in range(20):
        await board.cycle()
    first = board.l1.stores
    for _ in range(cycles):
        await board.cycle()
    copied = board.l1.stores - first
    await drain(board)
    figure("dma", "lines copied", count=copied, cycles=cycles, per_cycle=0.5)


@cocotb.test()
async def descriptors_by_turns(dut):
    """Two long ones end together, and the port is not shut meanwhile."""
    board = await start(dut, lambda: 2)
    await board.cycle(descriptor((0, 0), 0, 100, 60))
    await board.cycle(descriptor((1, 0), 0, 170, 60))
    loads = 0
    while not board.done:
        name = board.free_name()
        loads += await board.cycle(some_load(name) if name else None, chance(0.9))
    expect("the other is as far", board.l1.stores >= 2 * 60 - 2, True)
    await drain(board)
    expect("both were answered", board.done, 2)
    expect("loads of the port went between", loads > 0, True)


@cocotb.test()
async def errors_are_told(dut):
    """A line that cannot be read is not stored; one that cannot be written is said; the others are copied."""
    board = await start(dut)
    await board.cycle(descriptor((0, 1), LINES - 2, 10, 4))
    await drain(board)
    await board.cycle(descriptor((1, 2), 0, LINES - 3, 5))
    await board.cycle(descriptor((2, 3), 0, 100, 5))
    await board.cycle(descriptor((3, 4), ADDRESSES - 2, 110, 4))  # bad at first, then round to line 0
    await drain(board)
    expect("descriptors that were answered", board.done, 4)
    expect("stores", board.l1.stores, 2 + 5 + 5 + 2)


@cocotb.test()
async def all_of_a_counter(dut):
    """0 lines are 65,536; those behind the memory are answered with an error, the first ones are copied."""
    board = await start(dut)
    board.l1.latency = lambda: 1
    await board.cycle(descriptor((0, 0), LINES - 3, 10, 0))
    for _ in range(40):
        await board.cycle()
    expect("it goes on", board.engine.idle(), False)
    expect("stores", board.l1.stores, 3)


SHAPES = {
    "duo": ("duo", {"Slots": 3}),
    "finepack4": ("finepack4", {"Slots": 8}),
    "one-slot": ("tiny", {"Slots": 1}),
    "sixteen": ("quad", {"Slots": 16}),
}
MUTANTS = [
    Mutant("mask_is_forgotten", "l1_req_o.mask = job_q[storing].mask", "l1_req_o.mask = '1"),
    Mutant("stores_what_was_bad", "== Loaded && !bad_q[store_q]", "== Loaded"),
    Mutant("error_is_forgotten", "bad_q[oldest_q] || error_q[freeing]", "bad_q[oldest_q]"),
    Mutant("tells_early", "told       = done && info_q[oldest_q].last", "told       = done"),
    Mutant("overruns_an_answer", "info_q[oldest_q].last && !passes", "info_q[oldest_q].last"),
    Mutant("one_slot_too_many", "slots_q != UsedBits'(Slots)", "slots_q != UsedBits'(Slots + 1)"),
    Mutant(
        "one_line_too_few", "if (job_q[turn].left == 16'd1) loads_q", "if (job_q[turn].left <= 16'd2) loads_q"
    ),
    Mutant("weak_loads", "l1_req_o.order = OrderRelaxed", "l1_req_o.order = OrderWeak"),
]


def run(name, **options):
    config, parameters = SHAPES[name]
    DMA.run(__file__, config=config, parameters=parameters, env=shape.environment(config), **options)


def measure(**options):
    run("finepack4", cases="two_cycles_a_line", **options)


@pytest.mark.parametrize("name", SHAPES)
def test_dma(name):
    cases = "random_copies|descriptors|errors|counter" if name in ("duo", "one-slot") else None
    run(name, cases=cases)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_dma_is_noticed(mutant):
    run("duo", mutant=mutant, cases="random_copies|errors")
