# SPDX-License-Identifier: Apache-2.0
"""An L2 bank with its home whose memory is on AXI: the bank's own test, cocotbext-axi's memory behind it."""

import sys
from collections import deque

import cocotb
from axi_world import AxiWorld
from support import bank, model, shape
from support.bench import expect, rounds
from support.runner import ROOT, Unit

sys.path.append(str(ROOT / "tests" / "cache"))
from l2_bench import CONFIG, LINE, Harness, start  # noqa: E402
from memory_image import Image  # noqa: E402


class Zeros(Image):
    """What nobody has touched is zero, as the memory is."""

    def __getitem__(self, address):
        return self.lines.setdefault(address & -self.line, bytearray(self.line))


class Watched:
    """A stream between bank and adapter, looked at where the bank's own test would drive it."""

    def __init__(self, dut, name, struct):
        self._valid, self._ready = getattr(dut, f"{name}_valid_o"), getattr(dut, f"{name}_ready_o")
        self._data, self._struct = getattr(dut, f"{name}_o"), struct
        self.queue = deque()  # answers that are on their way

    @property
    def offered(self):
        return bool(int(self._valid.value))

    def feed(self, message):
        self.queue.append(message)

    def drive(self, _share):
        """Nothing: the other unit does it."""

    def taken(self):
        if not self.offered or not int(self._ready.value):
            return None
        if self.queue:
            self.queue.popleft()
        return model.unpack(self._struct, int(self._data.value), LINE)


class AxiHarness(Harness):
    """The bank's harness: what its memory would have answered is what must come from AXI."""

    def __init__(self, dut, bench, place, protocol):
        self.world = AxiWorld(dut, CONFIG.memory_bytes * CONFIG.nodes)
        super().__init__(dut, bench, place, protocol)
        self.memory.image = Zeros(LINE)

    def source(self, name, struct):
        return Watched(self.dut, "mem_rsp", struct) if name == "mem" else super().source(name, struct)

    def sink(self, name, struct):
        return Watched(self.dut, "mem_req", struct) if name == "mem" else super().sink(name, struct)

    async def cycle(self, idle=0.0, stall=0.0, blocked=()):
        self.world.watch(self.bench.cycle)
        await super().cycle(idle, stall, blocked)

    async def flush_and_compare(self, limit=5000):
        await super().flush_and_compare(limit)
        for address, data in self.memory.image.lines.items():
            at = self.place.node * CONFIG.memory_bytes + address % 2**36
            found = self.world.ram.mem[at : at + LINE]
            expect(f"line {address:#x} behind AXI", found.hex(), bytes(data).hex())


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.6])
async def random_traffic(dut, pause):
    """With flushes in between, so that lines go out and come back soon."""
    harness = await start(dut, harness=AxiHarness)
    harness.world.pause(pause)
    for flush in (0, 1, 0):
        dut.flush_i.value = flush
        for _ in range(rounds(300)):
            harness.feed_traffic()
            harness.feed_answers(0.3)
            await harness.cycle(0.2, 0.2)
    await harness.drain()
    await harness.flush_and_compare()


# ---------------------------------------------------------------- pytest

# The bank with its parts, and the adapter.
BANK = Unit("axi_bank", [*bank.sources(), ROOT / "tests" / "home" / "axi_bank.sv"])


def run(**options):
    overrides = ["nodes=3", "l2.banks=2"]
    env = shape.environment("tiny", overrides)
    BANK.run(__file__, overrides=overrides, parameters={"Bank": 1}, env=env, **options)


def test_bank_on_axi():
    run()


def test_lost_byte_is_noticed():
    run(fault="memory_loses_byte")
