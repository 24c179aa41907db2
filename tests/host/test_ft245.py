# SPDX-License-Identifier: Apache-2.0
"""ft245 between an FTDI's pins and streams: every byte once, in order, whatever clocks and flags do."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from ftdi import Ftdi
from support.bench import LONG, Mismatch, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

FT = Unit("ft245", ["common/async_fifo.sv", "common/pad_register.sv", "host/ft245.sv"])
MUTANTS = [
    Mutant("loses_refused", "assign took = held_q && !ft_txe_ni && state_q == StWrite;",
           "assign took = held_q && state_q == StWrite;"),
    Mutant("reads_late", "assign push = rd_q && !ft_rxf_ni;", "assign push = rd_q;"),
    Mutant("no_room", "down_free <= 6'd3 ||", "down_free <= 6'd0 ||"),
    Mutant("turns_at_once", "if (begins_read) oe_d = 1'b1;", "if (begins_read) {oe_d, rd_d} = '1;"),
    Mutant("lets_go_late", ".d_i  ({8{!drive_d}}),", ".d_i  ({8{!drive_d && !drive_q}}),"),
    Mutant("gray_less", "return count ^ (count >> 1);", "return count;"),
]  # fmt: skip


class Streams:
    """The other side: what comes goes into `received`, what is to go stands in `to_ftdi`."""

    def __init__(self, dut, idle=0.0, stall=0.0):
        self.dut, self.idle, self.stall = dut, idle, stall
        self.received, self.to_ftdi = bytearray(), deque()
        self.cycles = 0

    async def run(self):
        dut, fall = self.dut, FallingEdge(self.dut.clk_i)
        while True:
            await fall
            self.cycles += 1
            offers = bool(self.to_ftdi) and not chance(self.idle)
            takes = not chance(self.stall)
            dut.valid_i.value, dut.data_i.value = offers, self.to_ftdi[0] if offers else 0
            dut.ready_i.value = takes
            await ReadOnly()
            if offers and int(dut.ready_o.value):
                self.to_ftdi.popleft()
            if takes and int(dut.valid_o.value):
                self.received.append(int(dut.data_o.value))


async def start(dut, period=16, ft_period=16, **options):
    """Clocks in picoseconds are of no matter, their ratio is."""
    Clock(dut.clk_i, period, "ns").start(start_high=False)
    Clock(dut.ft_clk_i, ft_period, "ns").start(start_high=False)
    ftdi = Ftdi(dut, options.get("empty", 0), options.get("full", 0))
    streams = Streams(dut, options.get("idle", 0), options.get("stall", 0))
    for name, value in {"ft_rxf_ni": 1, "ft_txe_ni": 1, "ft_data_i": 0, "valid_i": 0, "ready_i": 0}.items():
        getattr(dut, name).value = value
    dut.rst_ni.value = 0
    for _ in range(4):
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.ft_clk_i)
    dut.rst_ni.value = 1
    for _ in range(4):
        await FallingEdge(dut.ft_clk_i)
    cocotb.start_soon(ftdi.run())
    cocotb.start_soon(streams.run())
    return ftdi, streams


async def until_moved(dut, ftdi, streams, down, up, limit):
    for _ in range(limit):
        await FallingEdge(dut.ft_clk_i)
        if len(streams.received) >= len(down) and len(ftdi.from_fpga) >= len(up):
            break
    for _ in range(60):  # and nothing after it
        await FallingEdge(dut.ft_clk_i)
    expect("bytes from the FTDI", bytes(streams.received), down)
    expect("bytes to the FTDI", bytes(ftdi.from_fpga), up)


@cocotb.test()
@cocotb.parametrize(period=[10, 16, 22, 40], harsh=[False, True])
async def both_ways(dut, period, harsh):
    odds = {"empty": 0.3, "full": 0.3, "idle": 0.3, "stall": 0.3} if harsh else {}
    ftdi, streams = await start(dut, period, **odds)
    down, up = random.randbytes(rounds(700)), random.randbytes(rounds(700))
    ftdi.to_fpga += down
    streams.to_ftdi += up
    await until_moved(dut, ftdi, streams, down, up, rounds(9000))
    if harsh and not ftdi.refused:
        raise Mismatch("TXE# never rose with WR# low: nothing was tried")


@cocotb.test()
async def in_bursts(dut):
    """Pauses, and data that come in pieces: whoever stops begins again."""
    ftdi, streams = await start(dut, 22, full=0.1, stall=0.1)
    down = up = b""
    for _ in range(rounds(25)):
        more, back = random.randbytes(random.randrange(60)), random.randbytes(random.randrange(60))
        ftdi.to_fpga += more
        streams.to_ftdi += back
        down, up = down + more, up + back
        for _ in range(random.randrange(150)):
            await FallingEdge(dut.ft_clk_i)
    await until_moved(dut, ftdi, streams, down, up, rounds(9000))


@cocotb.test()
async def a_stuck_flag(dut):
    """TXE# never falls: what comes from the FTDI still comes, and what waits goes later, whole."""
    ftdi, streams = await start(dut)
    ftdi.stuck = True
    down, up = random.randbytes(300), random.randbytes(300)
    ftdi.to_fpga += down
    streams.to_ftdi += up
    for _ in range(1500):
        await FallingEdge(dut.ft_clk_i)
    expect("bytes from the FTDI", bytes(streams.received), down)
    expect("bytes to the FTDI", bytes(ftdi.from_fpga), b"")
    ftdi.stuck = False
    await until_moved(dut, ftdi, streams, down, up, 2000)


@cocotb.test()
@cocotb.parametrize(way=["down", "up"])
async def a_byte_per_clock(dut, way):
    """One direction alone moves a byte on nearly every edge of the FTDI's clock."""
    ftdi, streams = await start(dut, 14)
    data = random.randbytes(3000)
    (ftdi.to_fpga if way == "down" else streams.to_ftdi).extend(data)
    moved = streams.received if way == "down" else ftdi.from_fpga
    cycles = 0
    while len(moved) < len(data):
        await FallingEdge(dut.ft_clk_i)
        cycles += 1
        expect("it ends", cycles < 10_000, True)
    figure("ft245", f"bytes {way}", count=len(data), cycles=cycles, per_cycle=0.95)


@cocotb.test()
async def both_have_their_turn(dut):
    """With data in both directions without end, neither waits long."""
    ftdi, streams = await start(dut, 14)
    ftdi.to_fpga += random.randbytes(8000)
    streams.to_ftdi += random.randbytes(8000)
    for _ in range(6000):
        await FallingEdge(dut.ft_clk_i)
    for what, moved in (("down", len(streams.received)), ("up", len(ftdi.from_fpga))):
        expect(f"a fair share {what}: {moved} bytes in 6000 cycles", moved > 2300, True)


def measure(**options):
    FT.run(__file__, cases="a_byte_per_clock.*", **options)


def test_ft245():
    FT.run(__file__)


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:2], ids=lambda mutant: mutant.name)
def test_broken_ft245_is_noticed(mutant):
    FT.run(__file__, mutant=mutant)
