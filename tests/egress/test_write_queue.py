# SPDX-License-Identifier: Apache-2.0
"""write_queue: every store and flush in lock-step with the model, every cause, and a store in every cycle."""

import random

import cocotb
import pytest
from egress_board import LONG_SHAPES, SHAPES, Board, run
from support.bench import LONG, chance, expect, rounds
from support.figures import figure
from support.finepack import ATOMIC, BLOCK, CAUSE, MARKER, READ, some_request
from support.runner import Mutant


async def mixed(board, cycles, idle, stall, span, change=0.002):
    """Random requests; settings change under way."""
    request, strong = None, False
    for _ in range(cycles):
        if chance(change):
            board.set(
                sub_header=random.randint(2, 6),
                payload=128 << random.randrange(6),
                prefix=random.randrange(2),
                enable=board.config.egress_finepack and not chance(0.1),
            )
        if request is None and not chance(idle):
            near = random.choice((span, 512))  # where loads meet stores
            request = some_request(
                board.line, board.self_, board.some_node(), near, random.choice((0, 16384))
            )
            strong = chance(0.02)
        await board.cycle(request, strong, ready=not chance(stall))
        request = None if board.taken else request
    while request is not None:
        await board.cycle(request, strong)
        request = None if board.taken else request
    await board.drain()


@cocotb.test()
async def stores_and_flushes(dut):
    """Random traffic against the model: few blocks that are hit often, many that are not; slow links too."""
    board = await Board.start(dut)
    for idle, stall, span in ((0.0, 0.0, 8192), (0.1, 0.3, 1024), (0.0, 0.9, 65536), (0.5, 0.0, 16384)):
        board.set(sub_header=random.randint(2, 6), payload=128 << random.randrange(6))
        await mixed(board, rounds(600), idle, stall, span)
    if board.config.egress_finepack:
        missed = {"base", "payload", "release", "strong", "end"} - set(board.causes)
        expect("causes of flushes that were not met", missed, set())


async def put(board, request, strong=False):
    """The causes of the flushes that it takes to get the request in."""
    causes = []
    while True:
        await board.cycle(request, strong, ready=False)
        if board.effects is not None and board.effects.flushed:
            causes.append(board.effects.cause)
        if board.taken:
            return [name for cause in causes for name, number in CAUSE.items() if number == cause]


@cocotb.test()
async def each_cause(dut):
    """Every way to be flushed, one by one."""
    board = await Board.start(dut)
    if not board.config.egress_finepack:
        return
    dst, word, full = board.some_node(), 0xF, (1 << board.line) - 1
    entries = board.config.egress_entries
    expect("first store", await put(board, board.store(dst, 0, word)), [])
    expect("hit", await put(board, board.store(dst, 0, word << 4)), [])
    if entries > 1:
        expect("window of 1 GiB", await put(board, board.store(dst, BLOCK, word)), [])
    expect("other window", await put(board, board.store(dst, 1 << 30, word)), ["base"])
    await board.drain()
    for block in range(entries):
        expect("miss with room", await put(board, board.store(dst, BLOCK * block, word)), [])
    expect("no block left", await put(board, board.store(dst, BLOCK * entries, word)), ["room"])
    await board.drain()
    board.set(payload=128)
    expect("96 of 128 bytes", await put(board, board.store(dst, 0, (1 << 32) - 1)), [])
    holes = sum(1 << 2 * i for i in range(16))
    if entries > 1:
        expect("does not fit beside it", await put(board, board.store(dst, BLOCK, holes)), ["payload"])
    await board.drain()
    expect("bytes with holes", await put(board, board.store(dst, 0, holes)), [])
    expect("joining runs gives bytes back", await put(board, board.store(dst, 0, holes << 1)), [])
    await board.drain()
    board.set(payload=4096)
    load = board.store(dst, BLOCK // 2, 0)
    for kind, cause in ((READ, "load"), (ATOMIC, "atomic"), (MARKER, "release")):
        await put(board, board.store(dst, 0, full))
        load.kind = kind
        expect(f"{cause} meets a queued block", await put(board, load), [cause])
        expect(f"{cause} meets nothing", await put(board, load), [])
        await board.drain()
    far = board.store(dst, 1 << 20, 0)
    far.kind = READ
    await put(board, board.store(dst, 0, full))
    expect("load of another block", await put(board, far), [])
    await board.drain()
    await put(board, board.store(dst, 0, word), strong=True)
    await board.cycle()
    expect("strong store", board.effects.cause, CAUSE["strong"])
    await board.drain()


@cocotb.test()
async def time_out(dut):
    """A partition without a store for so many cycles leaves; each store begins the count anew; 0 is never."""
    board = await Board.start(dut)
    if not board.config.egress_finepack:
        return
    dst, timeout = board.some_node(), 20
    await put(board, board.store(dst, 0, 1))
    for _ in range(3 * timeout):
        await board.cycle()
        expect("never", board.effects, None)
    dut.timeout_i.value = timeout
    await board.cycle()
    expect("long idle", board.effects.cause, CAUSE["timeout"])
    await put(board, board.store(dst, 0, 1))
    for _ in range(timeout - 2):
        await board.cycle()
    await put(board, board.store(dst, 0, 2))
    for _ in range(timeout):
        await board.cycle()
        expect("not yet", board.effects, None)
    await board.cycle()
    expect("time-out", board.effects.cause, CAUSE["timeout"])
    dut.timeout_i.value = 0
    await board.drain()


@cocotb.test()
async def a_store_per_cycle(dut):
    """Also while sets drain: stores of a word to block after block never wait, if the link keeps up."""
    board = await Board.start(dut)
    if not board.config.egress_finepack or board.config.egress_entries < 64:
        return
    # 9 bytes per store: a link of 16 bytes and more keeps up; else to blocks that are hit again.
    stores, spread = 64 * 12, 128 if board.config.link_bytes >= 16 else 16
    dst = board.some_node()
    began = board.bench.cycle
    for i in range(stores):
        await board.cycle(board.store(dst, BLOCK * (i * 7 % spread), 0xF << 4 * (i // spread % 8)))
        expect(f"store {i} goes in at once", board.taken, True)
    what, cycles = f"stores while sets drain, beats of {board.config.link_bytes} B", board.bench.cycle - began
    figure("write_queue", what, count=stores, cycles=cycles, per_cycle=1)
    await board.drain()


MUTANTS = [
    Mutant(
        "charges_bytes_only",
        "return 9'(runs_of(e)) * 9'(sub_header) + 9'($countones(e));",
        "return 9'($countones(e));",
    ),
    Mutant(
        "room_first",
        "if (other_window) cause_o = FlushCauseBase;",
        "if (other_window && !hit_i) cause_o = FlushCauseBase;",
    ),
    Mutant("hit_in_an_old_set", "7'(i) < p.used && tag_q", "tag_q"),
    Mutant(
        "marker_overtakes",
        "req_i.kind == ReqKindMarker && p.used != '0",
        "req_i.kind == ReqKindMarker && p.used > 7'd1",
    ),
]


def measure(**options):
    run(__file__, "beat32", cases="a_store_per_cycle", **options)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape not in LONG_SHAPES])
def test_write_queue(shape):
    run(__file__, shape)


@pytest.mark.parametrize("fault", ["queue_forgets_enable", "queue_skips_load_check"])
def test_fault_is_noticed(fault):
    run(__file__, "beat16", fault=fault, cases="stores_and_flushes")


@pytest.mark.skipif(not LONG, reason="a build each: in the long run")
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_queue_is_noticed(mutant):
    run(__file__, "beat16", mutant=mutant, cases="stores_and_flushes|each_cause")
