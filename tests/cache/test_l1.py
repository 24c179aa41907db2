# SPDX-License-Identifier: Apache-2.0
"""L1: every event against the model, every answer against the CU's own order of its operations."""

import itertools

import cocotb
import pytest
from l1_bench import CONFIG, EVENT, LINE, ORDER, SCOPE, Operations, load, request, start, store
from support import model, shape
from support.bench import LONG, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

PAGE = 4096


# ---------------------------------------------------------------- random


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6], late=[0.0, 0.8])
async def random_operations(dut, idle, stall, late):
    harness = await start(dut)
    operations = Operations()
    for _ in range(rounds(500)):
        while len(harness.cu.queue) < 2:
            harness.cu.feed(operations.some())
        await harness.cycle(idle, stall, late)
    harness.cu.queue.clear()
    harness.cu.offered = False
    await harness.drain()
    expect("something was answered", harness.program.answered > 20, True)


@cocotb.test()
async def every_effect_was_seen(dut):
    """The random operations reach hits, joins, closed misses and installs; else they would prove little."""
    harness = await start(dut)
    operations = Operations()
    for _ in range(rounds(1500)):
        while len(harness.cu.queue) < 2:
            harness.cu.feed(operations.some(fences=0.04))
        await harness.cycle(0.1, 0.1, 0.9)
    await harness.drain()
    op = EVENT["op"]
    wanted = {(op, "hit"), (op, "joined"), (op, "closed"), (EVENT["response"], "installed")}
    expect("effects", sorted(harness.board.seen & wanted), sorted(wanted))


@cocotb.test()
async def reset_forgets(dut):
    """In the middle of everything; afterwards the unit is as new."""
    for _ in range(2):
        harness = await start(dut, 0)
        operations = Operations()
        for _ in range(100):
            harness.cu.feed(operations.some())
            await harness.cycle(0.0, 0.5, 0.8)


# ---------------------------------------------------------------- known answers


@cocotb.test()
async def operations_without_sense_are_answered_with_an_error(dut):
    harness = await start(dut)
    bad = [
        load(0, 0, CONFIG.nodes << 36),
        load(0, 1, 15 << 36 if CONFIG.nodes < 16 else CONFIG.memory_bytes),
        load(0, 2, CONFIG.memory_bytes),
        store(0, 3, 1 << 35 | 8),
        request("load", 0, 4, 0),
        request("store", 0, 5, 0),
        request("atomic", 0, 6, 2),
        request("atomic", 0, 7, 4, wide=1),
        request("atomic", 0, 8, 0, func=len(model.FUNC)),
        request("atomic", 0, 9, CONFIG.memory_bytes),
    ]
    for op in bad:
        harness.cu.feed(op)
    await harness.drain()
    found = [(done.tag, done.error) for _, done in harness.answers]
    expect("errors", found, [(tag, 1) for tag in range(len(bad))])
    expect("requests", harness.level2.image.lines, {})


@cocotb.test()
async def a_fence_waits_for_its_warp_and_stops_it_alone(dut):
    """Warp 0 loads, fences, loads; warp 1 stores. While the line is missing, warp 1 goes on, 0 waits."""
    harness = await start(dut)
    harness.cu.feed(load(0, 0, 0))
    harness.cu.feed(request("fence", 0, 1, order=ORDER["acq_rel"], scope=SCOPE["sys"]))
    harness.cu.feed(store(1, 2, LINE))
    for _ in range(20):
        await harness.cycle(late=1.0)
    expect("answered while the line is missing", [done.tag for _, done in harness.answers], [2])
    expect("banks asked while the line is missing", harness.level2.fences, [])
    harness.cu.feed(load(0, 3, 0))
    await harness.drain()
    expect("order of the answers", [done.tag for _, done in harness.answers], [2, 0, 1, 3])
    expect("banks asked", harness.level2.fences, [PAGE * bank for bank in range(CONFIG.l2_banks)])


@cocotb.test()
async def an_acquire_drops_the_copies(dut):
    """Fences of scope cta and releases leave a copy; an acquire of scope gpu or sys drops it."""
    harness = await start(dut)
    harness.level2.installs = 1.0

    async def events_of(op):
        before = harness.board.sequence
        harness.cu.feed(op)
        await harness.drain()
        return harness.board.sequence - before

    fences = itertools.product(("acquire", "release", "acq_rel"), SCOPE)
    for tag, (order, scope) in enumerate(fences):
        await events_of(load(0, tag, 0))
        await events_of(request("fence", 0, tag + 64, order=ORDER[order], scope=SCOPE[scope]))
        # A hit is one event; a miss is three: operation, response, answer.
        wanted = 3 if order != "release" and scope != "cta" else 1
        expect(f"events of a load after {order}.{scope}", await events_of(load(0, tag + 128, 0)), wanted)


# ---------------------------------------------------------------- throughput


async def run_at_full_rate(harness, operations):
    """Feeds all; returns in how many cycles they went in, how many were answered, and how long each took."""
    first, answered = len(harness.issued), len(harness.answers)
    for op in operations:
        harness.cu.feed(op)
    for _ in range(len(operations) + 3):
        await harness.cycle(late=1.0)
    issued, answers = harness.issued[first:], harness.answers[answered:]
    latencies = {cycle - since for (since, _), (cycle, _) in zip(issued, answers)}
    return issued[-1][0] - issued[0][0] + 1, len(answers), latencies


async def at_full_rate(what, harness, operations):
    """All are answered, in one cycle each and two cycles later."""
    cycles, answers, latencies = await run_at_full_rate(harness, operations)
    expect("answers, latencies", (answers, latencies), (len(operations), {2}))
    figure("l1", what, count=len(operations), cycles=cycles, per_cycle=1)


async def with_copies(harness, count):
    """Lines that the L1 has copies of, in different sets as far as there are."""
    harness.level2.installs = 1.0
    lines = [LINE * i for i in range(count)]
    for tag, address in enumerate(lines):
        harness.cu.feed(load(0, 200 + tag, address))
    await harness.drain()
    return lines


@cocotb.test()
@cocotb.parametrize(kind=["loads", "stores", "both"], lines=[1, 2])
async def an_operation_every_cycle(dut, kind, lines):
    """Hits and stores, to one line or two: as many cycles as operations, each answered two cycles later."""
    harness = await start(dut)
    copies = await with_copies(harness, lines)
    count = 150
    make = {"loads": [load], "stores": [store], "both": [load, store]}[kind]
    operations = [make[i % len(make)](i % CONFIG.warps, i, copies[i % lines]) for i in range(count)]
    what = f"{kind}, {'one line' if lines == 1 else 'two lines in turn'}"
    await at_full_rate(what, harness, operations)


@cocotb.test()
async def a_hit_every_cycle_under_misses(dut):
    """As long as two misses and two waiters are free."""
    harness = await start(dut)
    copies = await with_copies(harness, 2)
    outstanding = min(CONFIG.l1_misses, CONFIG.l1_waiters) - 2
    for tag in range(outstanding):
        harness.cu.feed(load(0, 250 - tag, (tag + 8) * LINE))
    for _ in range(10):
        await harness.cycle(late=1.0)
    expect("misses outstanding", len(harness.level2.owed), outstanding)
    operations = [load(1, i, copies[i % 2]) for i in range(100)]
    await at_full_rate(f"hits under {outstanding} misses", harness, operations)
    await harness.drain()


@cocotb.test()
async def latencies_are_those_of_the_page(dut):
    """An operation's request leaves after two cycles; a line that comes is answered from four cycles on.

    With steps of two cycles after three, and from six on in every other one."""
    harness = await start(dut)
    for tag in range(2):
        harness.cu.feed(load(tag, tag, 0))
    await harness.cycle(late=1.0)
    step = CONFIG.l1_interval
    for _ in range(1 + step):
        expect("requests before their time", harness.level2.owed, [])
        await harness.cycle(late=1.0)
    expect("requests in their time", len(harness.level2.owed), 1)
    first = harness.bench.cycle
    await harness.drain()
    expect(
        "answers after the line came",
        [cycle - first for cycle, _ in harness.answers],
        [2 + 2 * step, 2 + 3 * step],
    )


# ---------------------------------------------------------------- pytest

LEASES = ["cache/lease_clock.sv", "cache/lease_lines.sv"]
COMMON = ["common/cut.sv", "common/ram.sv", "common/fifo.sv", "common/replacement.sv"]
L1 = Unit("l1", [*COMMON, *LEASES, "cache/l1.sv"])
# Tables of sizes that are no powers of two, and fences that have two banks to ask.
SMALL = ("tiny", ["l1.misses=3", "l1.waiters=5", "warps=3", "l2.banks=2"])
BANKS8 = ["l2.banks=8", "directory.entries=16", "tsu.entries=16"]
SHAPES = {
    "small": SMALL,
    "tiny": ("tiny", []),
    "quad": ("quad", []),
    "one-set": ("tiny", ["l1.sets=1", "l1.ways=3", "line=128", "nodes=1"]),
    "one-way": ("tiny", ["l1.ways=1", "l1.misses=4", "l1.waiters=3", "warps=16", *BANKS8]),
}
# Steps of two cycles: all but what is measured of steps of one.
TWO_CYCLES = ("tiny", ["l1.interval=2"])
UNMEASURED = "operations_without|a_fence_waits|an_acquire_drops|latencies|random"
FAULTS = ["store_keeps_old", "strong_load_keeps_miss", "acquire_keeps_misses", "fence_ignores_loads"]
MUTANTS = [
    Mutant("hits_do_not_touch", "(is_weak_load && hit) || (is_store && hit && !leases) || install;",
           "install;"),
    Mutant("atomic_keeps_copy", "there && (is_atomic ||", "there && (1'b0 ||"),
    Mutant("installs_closed", "                     miss_q[b_q.rsp.id[MissBits-1:0]].open;", "1'b1;"),
    Mutant("accepts_empty_masks", "cu_req_i.mask == '0) a_bad = 1'b1;", "cu_req_i.mask == '0) a_bad = 1'b0;"),
    Mutant("counts_no_joins", "count_o.joins = waits && !need_miss;", "count_o.joins = 1'b0;"),
]  # fmt: skip


def run(name, **options):
    config, overrides = {**SHAPES, "two-cycles": TWO_CYCLES}[name]
    env = shape.environment(config, overrides)
    L1.run(__file__, config=config, overrides=overrides, env=env, **options)


def measure(**options):
    run("small", cases="an_operation_every_cycle|a_hit_every_cycle", **options)


@pytest.mark.parametrize("name", SHAPES if LONG else ["small"])
def test_l1(name):
    run(name)


def test_steps_of_two_cycles():
    run("two-cycles", cases=UNMEASURED)


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_noticed(fault):
    run("small", fault=f"l1_{fault}", cases="random_operations")


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:1], ids=lambda mutant: mutant.name)
def test_broken_l1_is_noticed(mutant):
    run("small", mutant=mutant, cases="random_operations")
