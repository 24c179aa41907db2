# SPDX-License-Identifier: Apache-2.0
"""packetizer: every message in lock-step with the model, byte for byte; the link is busy while sets wait."""

import random

import cocotb
import pytest
from egress_board import LONG_SHAPES, SHAPES, Board, run
from support import model
from support.bench import chance, expect, rounds
from support.figures import figure
from support.finepack import BLOCK, CHUNK, PACKET, WRITE, cost, mask_of, some_store

REQUIRED = 0.98  # of the link's cycles, while a flushed set waits


class Link:
    """Takes messages as a link does: one may start when less than a cycle's bytes are still to pass."""

    def __init__(self, bytes_per_cycle):
        self.bytes, self.owed, self.passed = bytes_per_cycle, 0, 0

    @property
    def ready(self):
        return self.owed < self.bytes

    def next(self, message):
        if message is not None:
            self.owed += cost(message)
            self.passed += cost(message)
        self.owed = max(0, self.owed - self.bytes)


async def put_all(board, requests, **options):
    for request in requests:
        board.taken = False
        while not board.taken:
            await board.cycle(request, **options)


@cocotb.test()
async def every_run_in_its_place(dut):
    """Masks of all kinds, each sub-header, each limit, both encodings: packets as the model makes them."""
    board = await Board.start(dut)
    kinds = {}
    for _ in range(rounds(25)):
        board.set(
            sub_header=random.randint(2, 6), payload=128 << random.randrange(6), prefix=random.randrange(2)
        )
        dst, span, stall = board.some_node(), random.choice((256, 4096, 16384)), random.choice((0, 0, 0.5))
        for _ in range(random.randint(1, 40)):
            request = some_store(board.line, board.self_, dst, span)
            board.taken = False
            while not board.taken:
                await board.cycle(request, ready=not chance(stall))
                if board.sent is not None:
                    kinds[board.sent.kind] = kinds.get(board.sent.kind, 0) + 1
        await board.drain(ready=True)
    if board.config.egress_finepack:
        expect("kinds of messages", set(kinds), {WRITE, PACKET, CHUNK})
    else:
        expect("kinds of messages", set(kinds), {WRITE})


@cocotb.test()
async def a_write_has_no_holes(dut):
    """Switched off, a store with holes leaves run by run, lowest first."""
    board = await Board.start(dut, enable=0)
    dst = board.some_node()
    for mask in (
        0b1,
        0b1011,
        0b101010111,
        (1 << board.line) - 1,
        1 << board.line - 1,
        0xF0F0 << board.line - 16,
    ):
        left, request, taken = mask, board.store(dst, 4096, mask), False
        while left:
            await board.cycle(None if taken else request)
            taken = taken or board.taken
            if board.sent is not None:
                run_ = left & ~(left + (left & -left))
                expect("run", mask_of(board.sent), run_)
                left &= ~run_
    await board.drain()


async def busy(board, stores, what):
    """Both sets of every partition are full when the link begins to run: cycles in which it has something to
    pass, until the last packet begins. What flushes them is an end of kernel that stands."""
    dut, link = board.dut, Link(board.config.link_bytes)
    others = [node for node in range(board.nodes) if node != board.self_]
    for flush in (True, False):
        for node in others:
            await put_all(board, [board.store(node, at, mask) for at, mask in stores], ready=False)
            await board.cycle(flush=flush, ready=False)
    for _ in range(8):
        await board.cycle(ready=False)
    busy_cycles, count, cycles = 0, 0, 0
    for cycle in range(20000):
        ready = link.ready
        await board.cycle(ready=ready, flush=True)
        if board.sent is not None and board.sent.kind == PACKET:
            count, cycles = busy_cycles, cycle
        busy_cycles += not ready or board.sent is not None
        link.next(board.sent)
        if int(dut.idle_o.value):
            break
    figure("packetizer", what, count=count, cycles=cycles, per_cycle=REQUIRED)


@cocotb.test()
async def link_is_busy(dut):
    """Single words in 64 blocks, whole blocks, words with holes: while sets wait, no cycle is idle."""
    board = await Board.start(dut)
    blocks, beat, line = board.config.egress_entries, board.config.link_bytes, board.line
    if blocks == 1 or not board.config.egress_finepack:
        return
    words = [(BLOCK * i, 0xF) for i in range(blocks)]
    await busy(board, words, f"busy cycles, a word in each block, beats of {beat} B")
    lines = [(line * i, (1 << line) - 1) for i in range(min(blocks, 30) * BLOCK // line)]
    await busy(board, lines, f"busy cycles, whole blocks, beats of {beat} B")
    holes = sum(0xF << 8 * i for i in range(line // 8))
    lines = min(3600 // (9 * line // 8), blocks * BLOCK // line)
    await busy(
        board, [(line * i, holes) for i in range(lines)], f"busy cycles, every other word, beats of {beat} B"
    )
    board.set(sub_header=3)
    pairs = [(BLOCK * i, 0x3) for i in range(blocks)]
    await busy(board, pairs, f"busy cycles, 2 bytes in each block, beats of {beat} B")


@cocotb.test()
async def first_message_of_a_flush(dut):
    """Cycles from the flush of a set to its head at the link, and of a message that passes an idle egress."""
    board = await Board.start(dut)
    if not board.config.egress_finepack:
        return
    dst = board.some_node()
    await put_all(board, [board.store(dst, 0, 0xF), board.store(dst, 0, 0xF0F00)])
    await board.cycle(flush=True)
    began = board.bench.cycle
    while board.sent is None:
        await board.cycle()
    expect("cycles from flush to head", board.bench.cycle - began, 5)
    await board.drain()
    load = board.store(dst, 0, 0)
    load.kind = model.REQ_KIND["read"]
    await put_all(board, [load])
    began = board.bench.cycle
    while board.sent is None:
        await board.cycle()
    expect("cycles of a load", board.bench.cycle - began, 2)


def measure(**options):
    for shape in ("beat32", "beat16", "beat8", "beat4"):
        run(__file__, shape, cases="link_is_busy", **options)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape not in LONG_SHAPES])
def test_packetizer(shape):
    run(__file__, shape)


@pytest.mark.parametrize("fault", ["packetizer_wrong_length", "packetizer_releases_early"])
def test_fault_is_noticed(fault):
    run(__file__, "beat16", fault=fault)
