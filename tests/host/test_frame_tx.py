# SPDX-License-Identifier: Apache-2.0
"""frame_tx against the host's own receiver: messages once, in order, whole, in frames that say all."""

import random
from collections import deque

import cocotb
import frames
import pytest
from support.bench import LONG, Bench, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

TX = Unit("frame_tx", ["host/host_frame_pkg.sv", "common/ram.sv", "host/frame_tx.sv"])
MUTANTS = [
    Mutant(
        "crc_of_payload",
        "go && (place_q == AtHeader || place_q == AtPayload)",
        "go && (place_q == AtPayload)",
    ),
    Mutant("cuts_messages", "place_q == AtNothing && !within_q && !push", "place_q == AtNothing && !push"),
    Mutant("overwrites", "waddr_i(begin_q + address_t'(grown_q))", "waddr_i(address_t'(grown_q))"),
    Mutant("says_nothing", "news = (idle_i &&", "news = (1'b0 && idle_i &&"),
]


class Line:
    """What goes in and what comes out, cycle by cycle."""

    def __init__(self, dut, bench):
        self.dut, self.bench, self.receiver = dut, bench, frames.Receiver()
        self.messages = deque()  # bytes of messages that are still to be given
        self.at = 0
        self.whole = bytearray()  # of messages that were given whole
        self.growing = bytearray()
        self.ends = {0}  # where messages end, counted in all bytes
        self.given = self.received = 0
        self.sequence = 0
        self.executed, self.expected, self.idle = 0, 0, False
        self.frames = []

    @classmethod
    async def start(cls, dut):
        inputs = ("reset_i", "valid_i", "data_i", "last_i", "expected_i", "executed_i", "idle_i", "ready_i")
        return cls(dut, await Bench.start(dut, **dict.fromkeys(inputs, 0)))

    def take(self, header, payload):
        expect("sequence number", header.sequence, self.sequence)
        self.sequence = (self.sequence + 1) % 256
        if header.kind == frames.DATA:
            expect("payload", payload, bytes(self.whole[: len(payload)]))
            del self.whole[: len(payload)]
            self.received += len(payload)
            expect("whole messages", self.received in self.ends, True)
        self.frames.append((header, payload))

    async def turn(self, valid=True, ready=True, reset=False):
        expect("the test ends", self.bench.cycle < rounds(40_000), True)
        dut = self.dut
        message = self.messages[0] if self.messages else None
        offered = message is not None and valid
        dut.valid_i.value = offered
        dut.data_i.value = message[self.at] if offered else 0
        dut.last_i.value = offered and self.at + 1 == len(message)
        dut.expected_i.value, dut.executed_i.value = self.expected, self.executed
        dut.idle_i.value, dut.ready_i.value, dut.reset_i.value = self.idle, ready, reset
        await self.bench.settle()
        if ready and int(dut.valid_o.value):
            found = self.receiver.step(int(dut.data_o.value))
            if found:
                self.take(*found)
        if offered and int(dut.ready_o.value) and not reset:
            self.growing.append(message[self.at])
            self.at += 1
            if self.at == len(message):
                self.whole += self.growing
                self.given += len(self.growing)
                self.ends.add(self.given)
                self.growing.clear()
                self.messages.popleft()
                self.at = 0
        await self.bench.next()

    async def rest(self, limit=5000):
        """Until all is out and nothing more comes."""
        quiet = 0
        for _ in range(limit):
            before = int(self.dut.valid_o.value)
            await self.turn()
            quiet = 0 if before or self.messages else quiet + 1
            if quiet > 8:
                break
        expect("bytes that never came out", len(self.whole) + len(self.growing), 0)
        counts = self.receiver.state.counts.values()
        expect("bytes that were no frame", counts, (0, 0, 0, 0, 0))


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def random_messages(dut, idle, stall):
    line = await Line.start(dut)
    for _ in range(rounds(60)):
        size = random.choice([1, 3, 10, random.randrange(1, 60), 519])
        line.messages.append(random.randbytes(size))
        line.expected, line.executed = random.randrange(256), random.randrange(65536)
        for _ in range(random.randrange(2 * size)):
            await line.turn(not chance(idle), not chance(stall))
    await line.rest(60 * 1200)
    header, _ = line.frames[-1]
    expect("ack and credit", (header.ack, header.credit), (line.expected, line.executed))


@cocotb.test()
async def news_without_messages(dut):
    """An empty frame when all is executed, or a quarter of the window is, and no other."""
    line = await Line.start(dut)
    for _ in range(20):
        await line.turn()
    expect("frames without news", len(line.frames), 0)
    line.executed = 511
    for _ in range(40):
        await line.turn()
    expect("frames while more is to be executed", len(line.frames), 0)
    line.executed = 512
    await line.rest()
    line.executed, line.idle = 513, True
    await line.rest()
    line.expected = 1
    await line.rest()
    found = [(header.length, header.ack, header.credit) for header, _ in line.frames]
    expect("frames with news", found, [(0, 0, 512), (0, 0, 513), (0, 1, 513)])


@cocotb.test()
async def reset_and_hello(dut):
    """The frame under way ends well; then comes the hello with its message alone, nothing that waited."""
    line = await Line.start(dut)
    for _ in range(rounds(30)):
        line.messages.extend(random.randbytes(random.randrange(1, 80)) for _ in range(6))
        for _ in range(random.randrange(200)):
            await line.turn(True, not chance(0.5))
        line.executed = 0
        await line.turn(True, not chance(0.5), reset=True)
        seen = len(line.frames)
        hello = random.randbytes(63)
        line.growing.clear()
        line.messages = deque([hello, b"behind it"])
        line.at = 0
        while not line.frames[seen:] or line.frames[-1][0].kind != frames.RESET:
            await line.turn(True, not chance(0.2))
            expect("frames before the hello", len(line.frames) - seen <= 2, True)
        expect("hello", line.frames[-1][1], hello)
        del line.whole[: line.whole.find(hello) + len(hello)]
        line.received = line.given - len(line.whole)
        await line.rest()


@cocotb.test()
async def a_byte_per_cycle(dut):
    """With messages enough, no cycle but one between two frames is without a byte."""
    line = await Line.start(dut)
    line.messages.extend(random.randbytes(40) for _ in range(200))
    while len(line.frames) < 2:
        await line.turn()
    begin, sent = line.bench.cycle, 0
    while line.messages:
        await line.turn()
        sent += int(dut.valid_o.value)
    figure("frame_tx", "bytes", count=sent, cycles=line.bench.cycle - begin, per_cycle=0.99)
    await line.rest()


def measure(**options):
    TX.run(__file__, cases="a_byte_per_cycle", **options)


def test_frame_tx():
    TX.run(__file__)


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:2], ids=lambda mutant: mutant.name)
def test_broken_frame_tx_is_noticed(mutant):
    TX.run(__file__, mutant=mutant)
