# SPDX-License-Identifier: Apache-2.0
"""uart against bits on a line: both directions, clocks that differ, no pause, and no stop bit."""

import random
from collections import deque

import cocotb
import pytest
from support.bench import Bench, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

UART = Unit("uart", ["host/uart.sv"])
CLOCKS = [25_000_000, 62_500_000]
BAUD = 3_000_000
MUTANTS = [
    Mutant(
        "samples_the_edge", "rx_phase_q <= phase_t'(ClockHz / 2 + Baud);", "rx_phase_q <= phase_t'(Baud);"
    ),
    Mutant("no_stop_bit", "valid_o   <= pin_q[1];", "valid_o   <= 1'b1;"),
    Mutant(
        "highest_first",
        "rx_data_q <= {pin_q[1], rx_data_q[7:1]};",
        "rx_data_q <= {rx_data_q[6:0], pin_q[1]};",
    ),
]


class Wire:
    """The other UART, whose clock is off by some part of ours; time is counted in our cycles."""

    def __init__(self, dut, bench, off=0.0):
        self.dut, self.bench = dut, bench
        self.bit = int(dut.ClockHz.value) / BAUD * (1 + off)
        self.levels = deque()  # (level, from this cycle on)
        self.end = bench.cycle + 2.0
        self.line = 1
        self.received, self.sent, self.to_send = bytearray(), bytearray(), deque()
        self.begin = None  # of the byte that the unit sends
        self.bits = []

    def send(self, byte, pause=0.0, stop=1):
        at = max(self.end, self.bench.cycle + 1.0) + pause * self.bit
        for level in [0, *(byte >> i & 1 for i in range(8)), stop]:
            self.levels.append((level, at))
            at += self.bit
        self.levels.append((1, at))
        self.end = at + (0 if stop else 10 * self.bit)

    def listen(self, level):
        """Samples what the unit sends in the middle of its bits."""
        if self.begin is None:
            if level == 0:
                self.begin, self.bits = self.bench.cycle, []
            return
        if self.bench.cycle >= self.begin + (len(self.bits) + 0.5) * self.bit:
            self.bits.append(level)
            if len(self.bits) == 10:
                expect("start and stop bit", (self.bits[0], self.bits[9]), (0, 1))
                self.sent.append(sum(bit << i for i, bit in enumerate(self.bits[1:9])))
                self.begin = None

    async def turn(self):
        dut = self.dut
        while self.levels and self.levels[0][1] <= self.bench.cycle:
            self.line = self.levels.popleft()[0]
        dut.rxd_i.value = self.line
        offers = bool(self.to_send)
        dut.valid_i.value, dut.data_i.value = offers, self.to_send[0] if offers else 0
        await self.bench.settle()
        if int(dut.valid_o.value):
            self.received.append(int(dut.data_o.value))
        if offers and int(dut.ready_o.value):
            self.to_send.popleft()
        self.listen(int(dut.txd_o.value))
        await self.bench.next()

    async def rest(self):
        for _ in range(int(12 * self.bit)):
            await self.turn()
        while self.levels or self.to_send or self.begin is not None:
            await self.turn()
        for _ in range(int(3 * self.bit)):
            await self.turn()


async def start(dut, off=0.0):
    return Wire(dut, await Bench.start(dut, rxd_i=1, valid_i=0, data_i=0), off)


@cocotb.test()
@cocotb.parametrize(off=[-0.02, 0.0, 0.02], pause=[0.0, 1.7])
async def both_ways(dut, off, pause):
    """Bytes one behind the other or with pauses, while others go the other way."""
    wire = await start(dut, off)
    down, up = random.randbytes(rounds(40)), random.randbytes(rounds(30))
    wire.to_send += up
    for byte in down:
        wire.send(byte, pause * random.random())
    await wire.rest()
    expect("bytes received", bytes(wire.received), down)
    expect("bytes sent", bytes(wire.sent), up)


@cocotb.test()
async def no_stop_bit(dut):
    """A byte without a stop bit is none, the next one is whole; a line low for a moment is no start."""
    wire = await start(dut)
    wanted = bytearray()
    for _ in range(rounds(30)):
        byte = random.getrandbits(8)
        stop = not chance(0.3)
        if stop:
            wanted.append(byte)
        wire.send(byte, 0.5, int(stop))
        if chance(0.3):
            at = wire.end + wire.bit
            wire.levels += [(0, at), (1, at + 0.2 * wire.bit)]
            wire.end = at + 2 * wire.bit
    await wire.rest()
    expect("bytes received", bytes(wire.received), bytes(wanted))


@cocotb.test()
async def as_fast_as_the_line(dut):
    wire = await start(dut)
    wire.to_send += random.randbytes(60)
    begin = wire.bench.cycle
    while wire.to_send:
        await wire.turn()
    cycles = wire.bench.cycle - begin
    figure("uart", "bytes", count=59, cycles=cycles, per_cycle=0.94 * BAUD / 10 / int(dut.ClockHz.value))
    await wire.rest()


def measure(**options):
    UART.run(__file__, parameters={"ClockHz": CLOCKS[0]}, cases="as_fast_as_the_line", **options)


@pytest.mark.parametrize("clock", CLOCKS)
def test_uart(clock):
    UART.run(__file__, parameters={"ClockHz": clock})


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_uart_is_noticed(mutant):
    UART.run(__file__, parameters={"ClockHz": CLOCKS[0]}, mutant=mutant)
