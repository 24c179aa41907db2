# SPDX-License-Identifier: Apache-2.0
"""The memory against sw/model/memory.c: data, order, the cycle of every answer, and the host's port."""

import collections
import os
import random

import cocotb
import pytest
from support import bench, model, runner
from support.figures import figure
from support.gated import GatedBench

ITEMS = [item.split("=") for item in os.environ.get("SHAPE", "").split(",") if item]
SHAPE = {key: int(value) for key, value in ITEMS}
PAGE = 4096


class Memory:
    """Drives one bank's memory; what it should answer, and when, stands in `answers`."""

    def __init__(self, dut, bench_, lines=24):
        self.dut, self.bench = dut, bench_
        self.config = model.config("tiny", **SHAPE)
        self.line = self.config.line
        self.node = random.randrange(self.config.nodes)
        self.bank = random.randrange(self.config.l2_banks)
        self.model = model.Memory(self.config, self.node)
        self.pool = [self.random_line() for _ in range(lines)]
        self.answers = collections.deque()  # (cycle, packed answer)
        self.request = None
        self.free_at = 0
        self.taken = 0

    def random_line(self):
        """Offset of a line of this bank."""
        pages = self.config.memory_bytes // PAGE // self.config.l2_banks
        page = random.randrange(pages) * self.config.l2_banks + self.bank
        return page * PAGE + random.randrange(PAGE // self.line) * self.line

    def index(self, offset):
        """The line's number inside the bank, by the rule of the protocol page."""
        per_page = PAGE // self.line
        return offset // PAGE // self.config.l2_banks * per_page + offset % PAGE // self.line

    def address(self, offset):
        return self.node << 36 | offset

    def random_request(self, write):
        return model.STRUCTS["mem_req"](
            write=write,
            id=random.getrandbits(5),
            address=self.address(random.choice(self.pool)),
            data=model.data(random.randbytes(self.line)),
        )

    def expect(self, what, found, wanted):
        bench.expect(f"cycle {self.bench.cycle}: {what}", found, wanted)

    async def cycle(self, offer=None, take=True):
        """One cycle of fabric time. `offer` is a request to be presented; it stays until it is taken."""
        self.request = self.request or offer
        # The home never has more reads in flight than it has fetches.
        room = len(self.answers) < self.config.home_fetches
        offered = self.request is not None and (self.request.write or room)
        self.dut.req_valid_i.value = int(offered)
        if offered:
            self.dut.req_i.value = model.pack("mem_req", self.request, self.line)
        self.dut.rsp_ready_i.value = int(take)
        await self.bench.settle()
        now = self.bench.cycle
        ready = now >= self.free_at
        self.expect("req_ready_o", int(self.dut.req_ready_o.value), int(ready))
        self._answer(take)
        if offered and ready:
            self.perform(self.request)
            self.request = None
        await self.bench.next()

    def perform(self, request):
        answer = self.model.step(request)
        if answer:
            answer.id = request.id
            due = self.bench.cycle + self.config.memory_latency
            self.answers.append((due, model.pack("mem_rsp", answer, self.line)))
        self.free_at = self.bench.cycle + self.config.memory_interval
        self.taken += 1

    def _answer(self, take):
        valid = bool(self.answers) and self.answers[0][0] <= self.bench.cycle
        self.expect("rsp_valid_o", int(self.dut.rsp_valid_o.value), int(valid))
        if valid:
            self.expect("rsp_o", int(self.dut.rsp_o.value), self.answers[0][1])
            if take:
                self.answers.popleft()

    async def host(self, offset, data=None):
        """A line written, or read and compared, by the host while fabric time stands."""
        self.bench.running = False
        self.dut.req_valid_i.value = 0
        self.dut.rsp_ready_i.value = 0
        self.dut.host_en_i.value = 1
        self.dut.host_write_i.value = int(data is not None)
        self.dut.host_index_i.value = self.index(offset)
        fields = {"address": self.address(offset), "write": data is not None}
        if data is not None:
            self.dut.host_wdata_i.value = int.from_bytes(data, "little")
            fields["data"] = model.data(data)
        found = self.model.step(model.STRUCTS["mem_req"](**fields))
        await self.bench.next()
        self.dut.host_en_i.value = 0
        if data is None:
            await self.bench.settle()
            wanted = int.from_bytes(bytes(found.data)[: self.line], "little")
            self.expect(f"host reads {offset:#x}", int(self.dut.host_rdata_o.value), wanted)
            await self.bench.next()
        self.bench.running = True


async def start(dut):
    fabric = ("req_valid_i", "req_i", "rsp_ready_i")
    host = ("host_en_i", "host_write_i", "host_index_i", "host_wdata_i")
    return Memory(dut, await GatedBench.start(dut, **dict.fromkeys(fabric + host, 0)))


async def start_clear(dut):
    """The array outlives the tests of one simulation; the host clears the lines that are used."""
    memory = await start(dut)
    for offset in memory.pool:
        await memory.host(offset, bytes(memory.line))
    return memory


async def drain(memory):
    for _ in range(2000):
        if not memory.answers and not memory.request:
            break
        await memory.cycle()
    memory.expect("answers that never came", len(memory.answers), 0)


@cocotb.test()
async def zero_at_the_start_and_kept_by_reset(dut):
    """First of all tests: every line is zero. Reset forgets what is under way and not the array."""
    memory = await start(dut)
    per_page, banks = PAGE // memory.line, memory.config.l2_banks
    for index in range(memory.config.memory_bytes // memory.line // banks):
        page = index // per_page * banks + memory.bank
        await memory.host(page * PAGE + index % per_page * memory.line)
    await memory.host(memory.pool[0], random.randbytes(memory.line))
    await memory.cycle(memory.random_request(write=False))
    await memory.bench.reset()
    memory.answers.clear()
    memory.free_at = 0
    for _ in range(2 * memory.config.memory_latency):
        await memory.cycle()
    await memory.host(memory.pool[0])


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def random_accesses(dut, idle, stall):
    """Reads and writes, idle insertion crossed with back-pressure, and the host in between."""
    memory = await start_clear(dut)
    for _ in range(bench.rounds(400)):
        if bench.chance(0.03):
            offset = random.choice(memory.pool)
            await memory.host(offset, random.randbytes(memory.line) if bench.chance(0.5) else None)
        offer = None if bench.chance(idle) else memory.random_request(bench.chance(0.5))
        await memory.cycle(offer, not bench.chance(stall))
    await drain(memory)
    for offset in memory.pool:
        await memory.host(offset)


@cocotb.test()
async def an_access_every_interval(dut):
    """With work waiting, accesses follow each other exactly an interval apart."""
    memory = await start_clear(dut)
    cycles = bench.rounds(200)
    for _ in range(cycles):
        await memory.cycle(memory.random_request(write=True))
    interval = memory.config.memory_interval
    memory.expect("accesses", memory.taken, -(-cycles // interval))
    what = f"accesses, an interval of {interval}"
    figure("memory", what, count=memory.taken, cycles=cycles, per_cycle=1 / interval)
    await drain(memory)


@cocotb.test()
async def room_for_every_read(dut):
    """As many answers as the home has fetches wait for their reader, and writes go on."""
    memory = await start_clear(dut)
    while len(memory.answers) < memory.config.home_fetches:
        await memory.cycle(memory.random_request(write=False), take=False)
    memory.request = None
    for _ in range(2 * memory.config.memory_latency):
        await memory.cycle(memory.random_request(write=True), take=False)
    memory.request = None
    await drain(memory)


# ---------------------------------------------------------------- pytest

UNIT = runner.Unit("memory", ["common/delay_fifo.sv", "common/ram_dual.sv", "home/memory.sv"])
SHAPES = {
    "tiny": {},
    "slow": {"memory.latency": 2, "memory.interval": 3, "l2.banks": 2, "home.fetches": 3, "line": 64},
    "far": {"memory.latency": 1000, "l2.banks": 8, "line": 128, "home.fetches": 32},
}


def run(shape, **options):
    values = SHAPES[shape]
    overrides = [
        f"{key}={value}" for key, value in {"directory.entries": 32, "tsu.entries": 32, **values}.items()
    ]
    text = ",".join(f"{key.replace('.', '_')}={value}" for key, value in values.items())
    UNIT.run(__file__, overrides=overrides, env={"SHAPE": text}, **options)


def measure(**options):
    for shape in ("tiny", "slow"):
        run(shape, cases="an_access_every_interval", **options)


@pytest.mark.parametrize("shape", SHAPES if bench.LONG else ["tiny", "slow"])
def test_memory(shape):
    run(shape)


def test_fault_is_found():
    run("tiny", fault="memory_loses_byte")
