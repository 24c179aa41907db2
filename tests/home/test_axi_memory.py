# SPDX-License-Identifier: Apache-2.0
"""The AXI4 side of a home against cocotbext-axi's memory, sw/model/memory.c being the contract: data, order,
errors, what may pass what, and how fast."""

import collections
import random

import cocotb
import pytest
from axi_world import DECERR, SLVERR, AxiWorld
from support import bench, model, shape
from support.bench import expect
from support.figures import figure
from support.runner import Mutant, Unit
from support.streams import Sink, Source

CONFIG = shape.config()
LINE = CONFIG.line
PAGE = 4096


class Harness:
    """The home: requests in, answers compared with the model's, in the order in which they were asked for."""

    def __init__(self, dut, bench_, lines):
        self.dut, self.bench = dut, bench_
        self.node = random.randrange(CONFIG.nodes)
        self.base = self.node * CONFIG.memory_bytes
        dut.base_i.value = self.base
        self.model = model.Memory(CONFIG, self.node)
        self.world = AxiWorld(dut, CONFIG.memory_bytes * CONFIG.nodes)
        self.req = Source(dut, "req", "mem_req", LINE)
        self.rsp = Sink(dut, "rsp", "mem_rsp", LINE)
        self.answers = collections.deque()
        self.bus_bytes = len(dut.axi_wdata_o) // 8
        self.beats = max(1, LINE // self.bus_bytes)
        self.pool = random.sample(range(0, CONFIG.memory_bytes, LINE), lines)
        self.failing = set()  # offsets
        self.errors = {"read": 0, "write": 0}
        self.taken, self.given = [], []  # cycles

    def request(self, write, offset):
        return model.STRUCTS["mem_req"](
            write=write,
            id=random.getrandbits(5),
            address=self.node << 36 | offset,
            data=model.data(random.randbytes(LINE)),
        )

    def feed(self, write, offset):
        self.req.feed(self.request(write, offset))

    def feed_traffic(self, writes=0.5):
        if not self.req.queue:
            self.feed(bench.chance(writes), random.choice(self.pool))

    def reads_in_flight(self):
        return len(self.answers)

    async def cycle(self, idle=0.0, stall=0.0):
        # The home never has more reads in flight than it has fetches.
        full = self.reads_in_flight() >= CONFIG.home_fetches
        waits = full and bool(self.req.queue) and not self.req.queue[0].write
        self.req.drive(1.0 if waits else idle)
        self.rsp.drive(stall)
        await self.bench.settle()
        self.world.watch(self.bench.cycle)
        answer, request = self.rsp.taken(), self.req.taken()
        if answer is not None:
            self._compare(answer)
        if request is not None:
            self._perform(request)
        await self.bench.next()

    def _perform(self, request):
        self.taken.append(self.bench.cycle)
        offset = request.address % 2**36
        failing = offset in self.failing
        self.errors["write" if request.write else "read"] += failing
        if failing:
            wanted = None if request.write else model.STRUCTS["mem_rsp"]()  # a line of zeros
        else:
            wanted = self.model.step(request)
        if wanted:
            wanted.id = request.id
            self.answers.append(wanted)

    def _compare(self, found):
        expect("an answer was asked for", bool(self.answers), True)
        wanted = self.answers.popleft()
        self.given.append(self.bench.cycle)
        what = f"cycle {self.bench.cycle}: answer"
        expect(f"{what} id", found.id, wanted.id)
        expect(f"{what} data", bytes(found.data)[:LINE].hex(), bytes(wanted.data)[:LINE].hex())

    def busy(self):
        return bool(self.req.queue or self.answers or not int(self.dut.idle_o.value))

    async def drain(self, limit=20000):
        for _ in range(limit):
            if not self.busy():
                break
            await self.cycle()
        expect("still busy", self.busy(), False)

    def compare_memory(self):
        """All of it, the other nodes' parts included."""
        image = bytearray(len(self.world.ram.mem))
        for offset in range(0, CONFIG.memory_bytes, LINE):
            found = self.model.step(model.STRUCTS["mem_req"](address=self.node << 36 | offset))
            image[self.base + offset : self.base + offset + LINE] = bytes(found.data)[:LINE]
        found = self.world.ram.mem
        lines = [slice(at, at + LINE) for at in range(0, len(image), LINE)]
        wrong = [hex(line.start) for line in lines if image[line] != found[line]]
        expect("lines of the memory that differ", wrong, [])

    def compare_errors(self):
        found = {kind: int(getattr(self.dut, f"{kind}_errors_o").value) for kind in self.errors}
        expect("errors counted", found, self.errors)


async def start(dut, lines=24):
    inputs = ("req_valid_i", "req_i", "rsp_ready_i", "base_i")
    bus = ("awready", "wready", "bvalid", "arready", "rvalid")
    bench_ = await bench.Bench.start(dut, **dict.fromkeys(inputs + tuple(f"axi_{pin}_i" for pin in bus), 0))
    return Harness(dut, bench_, lines)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6], pause=[0.0, 0.5])
async def random_accesses(dut, idle, stall, pause):
    """Idle insertion crossed with back-pressure and a memory that pauses on every channel by itself."""
    harness = await start(dut)
    harness.world.pause(pause)
    for _ in range(bench.rounds(250)):
        harness.feed_traffic()
        await harness.cycle(idle, stall)
    await harness.drain()
    harness.compare_memory()
    harness.compare_errors()


@cocotb.test()
@cocotb.parametrize(slow=["aw", "w", "b", "ar", "r"])
async def accesses_to_one_line_keep_their_order(dut, slow):
    """One channel is far behind the others, and nearly every access meets one of the same line."""
    harness = await start(dut, lines=2)
    harness.world.pause(0.9, [slow])
    for _ in range(bench.rounds(200)):
        harness.feed_traffic()
        await harness.cycle()
    harness.world.pause(0)
    await harness.drain()
    harness.compare_memory()


@cocotb.test()
@cocotb.parametrize(slow=["b", "r"])
async def other_lines_do_not_wait(dut, slow):
    """A write that is not answered holds up the reads of its line alone, and a read the writes."""
    harness = await start(dut)
    first, other = harness.pool[:2]
    harness.world.stop(slow)
    write = slow == "b"
    harness.feed(write, first)
    harness.feed(not write, other)
    harness.feed(not write, first)
    for _ in range(40):
        await harness.cycle()
    expect("taken while the first is not answered", len(harness.taken), 2)
    expect("idle", int(dut.idle_o.value), 0)
    harness.world.pause(0)
    await harness.drain()
    expect("taken", len(harness.taken), 3)
    harness.compare_memory()


@cocotb.test()
async def room_for_every_read(dut):
    """As many answers as the home has fetches wait for their reader, and writes go on."""
    harness = await start(dut)
    for i in range(CONFIG.home_fetches):
        harness.feed(False, harness.pool[i % 8])
    for _ in range(CONFIG.home_fetches * (harness.beats + 8)):
        await harness.cycle(stall=1.0)
    before = len(harness.taken)
    for i in range(16):
        harness.feed(True, harness.pool[8 + i])
    for _ in range(16 * (harness.beats + 8)):
        await harness.cycle(stall=1.0)
    expect("writes taken while no answer is", len(harness.taken) - before, 16)
    await harness.drain()


@cocotb.test()
@cocotb.parametrize(resp=[SLVERR, DECERR], pause=[0.0, 0.5])
async def errors_are_counted_and_hang_nothing(dut, resp, pause):
    """The line of a read that failed is zero; what follows is as if nothing had been."""
    harness = await start(dut)
    harness.world.pause(pause)
    step = max(LINE, harness.bus_bytes)  # a beat that fails may hold several lines
    harness.pool = random.sample(range(0, CONFIG.memory_bytes, step), 16)
    harness.failing = set(harness.pool[:4])
    for offset in harness.failing:
        # Not always the whole burst: one beat is enough.
        size = min(LINE, harness.bus_bytes)
        harness.world.fail(harness.base + offset + size * random.randrange(harness.beats), size, resp)
    while len(harness.taken) < bench.rounds(80):
        harness.feed_traffic()
        await harness.cycle(0.1, 0.1)
    await harness.drain()
    expect("failed", min(harness.errors.values()) > 0, True)
    harness.compare_errors()
    harness.feed(False, harness.pool[0])
    await harness.drain()
    expect("offset of the last error", int(dut.error_offset_o.value), harness.pool[0])


# ---------------------------------------------------------------- cycles


@cocotb.test()
@cocotb.parametrize(kinds=["read", "write", "both"])
async def a_beat_every_cycle(dut, kinds):
    """With work waiting, the bus has no idle beats: each way by itself, and both at once."""
    harness = await start(dut)
    writes = {"read": [False], "write": [True], "both": [False, True]}[kinds]
    warm, cycles = 60, 256
    for i in range(warm + cycles):
        while len(harness.req.queue) < 2:
            turn = len(harness.taken) + len(harness.req.queue)
            harness.feed(writes[turn % len(writes)], harness.pool[turn % len(harness.pool)])
        if i == warm:
            harness.world.beats.clear()
        await harness.cycle()
    # One request is taken per cycle: with lines of one beat, reads and writes share that.
    share = min(cycles, cycles * harness.beats // len(writes))
    wanted = {"r": share if False in writes else 0, "w": share if True in writes else 0}
    found = {name: harness.world.beats[name] for name in wanted}
    expect(f"beats in {cycles} cycles", found, wanted)
    for name, count in wanted.items():
        if count:
            what = f"{kinds}: {name.upper()} beats, {harness.beats} to a line"
            figure("axi_memory", what, count=found[name], cycles=cycles, per_cycle=count / cycles)
    harness.req.queue.clear()
    await harness.drain()


@cocotb.test()
async def latencies_are_those_of_the_page(dut):
    """Addresses and data one cycle after the request, the answer one after the last beat."""
    harness = await start(dut)
    found = {}
    for write, channels in ((True, ("aw", "w")), (False, ("ar",))):
        harness.feed(write, harness.pool[0])
        await harness.drain()
        found |= {name: harness.world.first[name] - harness.taken[-1] for name in channels}
    found["answer"] = harness.given[-1] - harness.world.last["r"]
    expect("cycles", found, {"aw": 1, "w": 1, "ar": 1, "answer": 1})


# ---------------------------------------------------------------- pytest

UNIT = Unit("axi_memory", ["common/fifo.sv", "home/axi_pending.sv", "home/axi_memory.sv"])
ALONE = "one-at-a-time"  # correct, and as slow as it must be
MANY = ["home.fetches=32"]
# Configuration, changes, bus: bursts of 4, 1, 32 and 2 beats; four lines, two lines in a beat.
SHAPES = {
    "burst": ("tiny", MANY, {"DataWidth": 64, "BusWrites": 8}),
    "wide": ("tiny", MANY, {"DataWidth": 512, "BusWrites": 8, "AddressWidth": 64, "IdWidth": 6}),
    "beat": ("tiny", [*MANY, "line=64"], {"DataWidth": 512, "BusWrites": 8}),
    "narrow": ("duo", [], {"DataWidth": 32, "IdWidth": 1, "AddressWidth": 17}),
    "short": ("quad", ["memory.bytes=32768", "directory.entries=64"], {"DataWidth": 256, "BusWrites": 5}),
    ALONE: ("tiny", [], {"DataWidth": 128, "BusReads": 1, "BusWrites": 1}),
}
MUTANTS = [
    Mutant("reads_pass_writes", "!reads_full && !write_match", "!reads_full"),
    Mutant("writes_pass_reads", "!writes_full && !read_match", "!writes_full"),
    Mutant("errors_pass_as_data", "r_error ? '0 : r_line", "r_line"),
    Mutant("write_errors_are_lost", "write_done && axi_bresp_i[1]", "1'b0"),
    Mutant("beats_in_reverse", "w_out.data[w_beat_q*", "w_out.data[beat_t'(~w_beat_q)*"),
]


def run(name, **options):
    config, changes, parameters = SHAPES[name]
    env = shape.environment(config, changes)
    UNIT.run(__file__, config=config, overrides=changes, parameters=parameters, env=env, **options)


def measure(**options):
    for name in ("burst", "wide"):
        run(name, cases="a_beat_every_cycle", **options)


@pytest.mark.parametrize("name", SHAPES if bench.LONG else ["burst", "wide", "narrow"])
def test_axi_memory(name):
    run(name, cases="random|order|wait|room|errors|latencies" if name == ALONE else None)


def test_fault_is_noticed():
    run("burst", fault="memory_loses_byte", cases="random_accesses/")


@pytest.mark.parametrize("mutant", MUTANTS if bench.LONG else MUTANTS[:3], ids=lambda mutant: mutant.name)
def test_broken_adapter_is_noticed(mutant):
    run("burst", mutant=mutant, cases="one_line|errors")
