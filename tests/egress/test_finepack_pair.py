# SPDX-License-Identifier: Apache-2.0
"""Egress and ingress, wire to wire: the memory behind them, and what loads find, is that of plain stores."""

import pathlib
import random

import cocotb
import pytest
from egress_board import SOURCES
from support import model
from support.bench import Bench, chance, expect, rounds
from support.finepack import HOME_SHIFT, MARKER, READ, WRITE, mask_of, some_request
from support.runner import Unit

HERE = pathlib.Path(__file__).resolve().parent
INGRESS = ["depacketizer_check", "depacketizer_emit", "depacketizer", "ingress"]
PAIR = Unit(
    "finepack_pair",
    [*SOURCES, *(f"ingress/{name}.sv" for name in INGRESS), HERE / "finepack_pair.sv"],
    config="finepack4",
)
LINE = 64
SHAPE = ["nodes=2", f"line={LINE}", "egress.entries=8", "link.bytes=16", "memory.bytes=65536"]


class Far:
    """Memory byte by byte, with and without the two units between."""

    def __init__(self):
        self.memory, self.plain = bytearray(65536), bytearray(65536)
        self.loads = []

    @staticmethod
    def write(memory, message):
        at, mask, data = message.address & (1 << HOME_SHIFT) - 1, mask_of(message), bytes(message.data)
        for i in range(LINE):
            if mask >> i & 1:
                memory[at + i] = data[i]

    def issue(self, message):
        at = message.address & (1 << HOME_SHIFT) - 1
        if message.kind == WRITE:
            self.write(self.plain, message)
        elif message.kind == READ:
            self.loads.append((message.address, bytes(self.plain[at : at + LINE])))
        elif message.kind == MARKER:
            self.loads.append((None, bytes(self.plain)))

    def arrive(self, message):
        at = message.address & (1 << HOME_SHIFT) - 1
        expect("home", message.address >> HOME_SHIFT, 1)
        if message.kind == WRITE:
            self.write(self.memory, message)
        elif message.kind in (READ, MARKER):
            address, wanted = self.loads.pop(0)
            found = self.memory if address is None else self.memory[at : at + LINE]
            expect("what a load or marker finds", bytes(found).hex(), wanted.hex())


async def cycle(dut, bench, far, request, stall, **inputs):
    """True if the request went in."""
    dut.req_valid_i.value = request is not None
    if request is not None:
        dut.req_i.value = model.pack("req", request, LINE)
    dut.strong_i.value = 0
    dut.hold_i.value, ready = chance(stall), not chance(stall)
    dut.out_ready_i.value = ready
    for name, value in inputs.items():
        getattr(dut, name).value = value
    await bench.settle()
    taken = request is not None and int(dut.req_ready_o.value)
    if taken:
        far.issue(request)
    if ready and int(dut.out_valid_o.value):
        far.arrive(model.unpack("req", int(dut.out_o.value), LINE))
    dropped = model.unpack("ingress_count", int(dut.ingress_count_o.value), LINE).malformed
    expect("malformed", dropped, 0)
    idle = int(dut.idle_o.value)
    await bench.next()
    return taken, idle


@cocotb.test()
async def same_memory(dut):
    """Random streams, masks, windows, settings."""
    inputs = ("timeout_i", "flush_i", "req_valid_i", "req_i", "strong_i", "out_ready_i", "hold_i")
    bench = await Bench.start(dut, **dict.fromkeys(inputs, 0))
    far, stores = Far(), 0
    for _ in range(rounds(16)):
        stall, span = random.choice((0, 0.3)), random.choice((1024, 16384, 65536))
        dut.enable_i.value = not chance(0.1)
        dut.sub_header_i.value = random.randint(2, 6)
        dut.payload_i.value = 128 << random.randrange(6)
        dut.prefix_i.value = random.randrange(2)
        dut.timeout_i.value = random.choice((0, 5, 50))
        for _ in range(200):
            request, taken = some_request(LINE, 0, 1, span), False
            stores += request.kind == WRITE
            while not taken:
                taken, _ = await cycle(dut, bench, far, request, stall)
        idle = False
        while not idle:
            _, idle = await cycle(dut, bench, far, None, stall, flush_i=1)
        dut.flush_i.value = 0
        expect("memory", bytes(far.memory).hex(), bytes(far.plain).hex())
    expect("enough stores", stores >= 2500, True)


def test_pair():
    PAIR.run(__file__, overrides=SHAPE)


@pytest.mark.parametrize(
    "fault", ["queue_forgets_enable", "queue_skips_load_check", "packetizer_wrong_length"]
)
def test_fault_shows_in_memory(fault):
    """Without a model beside it."""
    PAIR.run(__file__, overrides=SHAPE, fault=fault)
