# SPDX-License-Identifier: Apache-2.0
"""frame_rx in lock-step with the C model of it: whole frames, and frames to which anything has happened."""

import random
from collections import deque

import cocotb
import frames
import pytest
from support.bench import LONG, Bench, Mismatch, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

RX = Unit("frame_rx", ["host/host_frame_pkg.sv", "common/ram.sv", "host/frame_rx.sv"])
MUTANTS = [
    Mutant("crc_last_byte", "assign crc_good = same_q && same;", "assign crc_good = same;"),
    Mutant("no_check", "header_good = check_low_q && check_q[15:8] == data_i &&", "header_good ="),
    Mutant("any_number", "assign wrong_number = sequence_q != expected_q;", "assign wrong_number = 1'b0;"),
    Mutant("no_room", "room_q <= length_q <= 16'(Window) - (taken_q - executed_q);", "room_q <= 1'b1;"),
    Mutant("sync_once", "place_d = (data_i == Sync0) ? AtSync1 : AtSync;",
           "place_d = (data_i == Sync0 && place_q == AtSync) ? AtSync1 : AtSync;"),
]  # fmt: skip


class Board:
    """The unit and its model, byte by byte."""

    def __init__(self, dut, bench):
        self.dut, self.bench, self.model = dut, bench, frames.FrameRx()
        self.waiting = deque()  # (byte, last) that the unit must give
        self.taken = self.resets = 0
        self.counts = self.model.counts()

    @classmethod
    async def start(cls, dut):
        return cls(dut, await Bench.start(dut, valid_i=0, data_i=0, ready_i=0))

    def check(self):
        dut, state = self.dut, self.model.state
        expect("the number expected", int(dut.expected_o.value), state.expected)
        expect("bytes executed", int(dut.executed_o.value), state.executed)
        counts = int(dut.counts_o.value)
        found = (counts & 0xFFFFFFFF, *(counts >> shift & 0xFFFF for shift in (32, 48, 64, 80)))
        expect("counts", found, self.counts)
        expect("payload waits", int(dut.valid_o.value), len(self.waiting) > 0)
        if self.waiting:
            expect("payload", (int(dut.data_o.value), int(dut.last_o.value)), self.waiting[0])

    async def turn(self, byte=None, ready=False):
        """One cycle, with a byte or without."""
        dut = self.dut
        dut.valid_i.value, dut.data_i.value = byte is not None, byte or 0
        dut.ready_i.value = ready
        await self.bench.settle()
        self.check()
        # Counted a cycle later; but a reset clears them at once.
        self.counts = self.model.counts()
        result = self.model.step(byte) if byte is not None else frames.NOTHING
        if result == frames.OBEYED:
            self.counts = self.model.counts()
        expect("reset", int(dut.reset_o.value), result == frames.OBEYED)
        if result == frames.OBEYED:
            found = int(dut.nonce_o.value), int(dut.flags_o.value)
            expect("nonce and flags", found, (self.model.state.nonce, self.model.state.flags))
            self.waiting.clear()
            self.resets += 1
        elif ready and self.waiting:
            self.waiting.popleft()
            self.model.execute(1)
        if result == frames.TAKEN:
            payload = self.model.payload()
            self.waiting += [(value, i + 1 == len(payload)) for i, value in enumerate(payload)]
            self.taken += 1
        await self.bench.next()

    async def send(self, data, idle=0.0, stall=0.5):
        for byte in data:
            while chance(idle):
                await self.turn(ready=not chance(stall))
            await self.turn(byte, ready=not chance(stall))

    @property
    def next(self):
        return self.model.state.expected


def any_payload():
    size = random.choice([0, 1, 2, 5, random.randrange(40), random.randrange(200)])
    return random.choice([random.randbytes(size), b"\x57\xa9" * (size // 2), bytes(size)])


def any_frame(board):
    """Mostly the one that is expected; else another number, a reset, or what looks like one."""
    kind = random.random()
    if kind < 0.75:
        return frames.frame(any_payload(), board.next)
    if kind < 0.85:
        return frames.frame(any_payload(), board.next + random.choice([-1, 1, 128, random.randrange(256)]))
    if kind < 0.95:
        return frames.reset(random.getrandbits(32), random.getrandbits(8), random.randrange(256))
    return frames.frame(any_payload(), board.next, random.choice([frames.RESET, 2, 15]))


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.7])
async def whole_frames(dut, idle, stall):
    board = await Board.start(dut)
    for _ in range(rounds(40)):
        await board.send(any_frame(board) + bytes(random.choice([0, 0, 3])), idle, stall)
    expect("frames were taken", board.taken > 10, True)


@cocotb.test()
@cocotb.parametrize(often=[0.2, 1.0])
async def harmed_frames(dut, often):
    """Whatever happened to them; then it finds its way back."""
    board = await Board.start(dut)
    for _ in range(rounds(80)):
        data = any_frame(board)
        await board.send(frames.harm(data) if chance(often) else data, idle=0.05)
    await board.send(bytes(frames.PAYLOAD_MAX + frames.AROUND), stall=0.0)
    taken = board.taken
    await board.send(frames.frame(b"here again", board.next) + b"\0")
    expect("a frame after the harm", board.taken, taken + 1)


@cocotb.test()
async def garbage(dut):
    """No bytes but of sync and random ones: nothing of it becomes payload."""
    board = await Board.start(dut)
    for _ in range(rounds(3000)):
        await board.turn(random.choice([0x57, 0xA9, 0x10, 0x11, 0, random.getrandbits(8)]), ready=True)
    expect("frames taken", board.taken, 0)


@cocotb.test()
async def a_full_buffer(dut):
    """Nobody takes anything: what does not fit is dropped whole, what fits is kept; the longest frames."""
    board = await Board.start(dut)
    for size in (1024, 1000, 25, 24, 1, 0):
        await board.send(frames.frame(random.randbytes(size), board.next), stall=1.0)
    expect("bytes that wait", len(board.waiting), frames.WINDOW)
    while board.waiting:
        await board.turn(ready=True)
    await board.send(frames.frame(random.randbytes(1024), board.next), stall=0.0)
    await board.send(frames.frame(b"again", board.next) + bytes(1030), stall=0.0)


@cocotb.test()
async def a_byte_per_cycle(dut):
    """Bytes that follow each other without a gap, and payload that leaves at once."""
    board = await Board.start(dut)
    begin = board.bench.cycle
    data = b"".join(frames.frame(random.randbytes(1024), n) for n in range(4))
    await board.send(data + bytes(1024), stall=0.0)
    expect("payload executed", board.model.state.executed, 4096)
    figure("frame_rx", "bytes", count=len(data) + 1024, cycles=board.bench.cycle - begin, per_cycle=1)


@cocotb.test()
async def reset_clears(dut):
    board = await Board.start(dut)
    await board.send(frames.frame(b"some", 0) + b"\1\2\3", stall=1.0)
    board = await Board.start(dut)
    await board.send(frames.frame(b"more", 0) + bytes(8))
    if not board.taken:
        raise Mismatch("nothing was taken")


def measure(**options):
    RX.run(__file__, cases="a_byte_per_cycle", **options)


def test_frame_rx():
    RX.run(__file__)


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:3], ids=lambda mutant: mutant.name)
def test_broken_frame_rx_is_noticed(mutant):
    RX.run(__file__, mutant=mutant)
