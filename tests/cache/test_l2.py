# SPDX-License-Identifier: Apache-2.0
"""L2 bank with its home: every event against the model, local lines against one plain memory, who waits for
whom, and how fast."""

import itertools
import random

import cocotb
import pytest
from l2_bench import CONFIG, start
from support import bank, shape
from support.bench import LONG, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit


async def traffic(harness, cycles, idle, stall, late, forwards=0.2):
    for _ in range(cycles):
        harness.feed_traffic(forwards)
        harness.feed_answers(late)
        await harness.cycle(idle, stall)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6], late=[0.0, 0.8])
async def random_traffic(dut, idle, stall, late):
    """late: the other nodes take their time. The second half with lines written back in between."""
    harness = await start(dut)
    await traffic(harness, rounds(700), idle, stall, late)
    dut.flush_i.value = 1
    await traffic(harness, rounds(300), idle, stall, late)
    dut.flush_i.value = 0
    await harness.drain()
    await harness.flush_and_compare()


@cocotb.test()
async def random_traffic_without_a_directory(dut):
    harness = await start(dut, protocol="none")
    await traffic(harness, rounds(500), 0.2, 0.2, 0.5)
    await harness.drain()
    await harness.flush_and_compare()
    expect("INVs and MARKs", harness.given["fwd"], [])


@cocotb.test()
@cocotb.parametrize(protocol=["hmg", "rec"])
async def random_traffic_with_entries_of_several_lines(dut, protocol):
    """INVs of blocks in, a line after the other; evictions of blocks and ranges out."""
    harness = await start(dut, protocol=protocol)
    await traffic(harness, rounds(700), 0.2, 0.2, 0.5, forwards=0.5)
    await harness.drain()
    await harness.flush_and_compare()


SEEN = """cu.hit cu.allocated cu.joined cu.closed cu.sent_l1 cu.sent_req cu.sent_mem cu.sent_fwd
request.hit request.allocated request.joined request.sent_rsp request.sent_mem request.sent_fwd
inv inv.hit inv.closed mark.sent_rsp mark.sent_l1 seen.sent_rsp
response.installed response.victim_dirty response.sent_l1 answer memory.victim_dirty
replay.sent_l1 replay.sent_rsp replay.sent_fwd
marker_send.sent_req marker_send.sent_fwd marker_send.allocated marker_go
marker_go.sent_fwd marker_go.sent_rsp
flush.hit directory.evicted"""


# With two nodes, one that is marked is the releaser or the home; in a large cache dirty victims are rare.
@cocotb.test(skip=CONFIG.nodes < 3 or CONFIG.l2_ways > 2)
async def every_effect_was_seen(dut):
    """The random traffic reaches every step and every effect; else it would prove little."""
    harness = await start(dut)
    harness.cus.weights[3] = 15
    for idle, late, marker in ((0.3, 0.2, 8), (0.3, 0.9, 8), (0.8, 0.0, 100)):
        harness.nodes.weights[3] = marker
        for flush in (0, 1) * 6:
            dut.flush_i.value = flush
            await traffic(harness, rounds(160), idle, 0.1, late)
    dut.flush_i.value = 0
    await harness.drain()
    await harness.flush_and_compare()
    expect("effects that were not seen", [name for name in SEEN.split() if not harness.board.seen[name]], [])


@cocotb.test()
async def reset_forgets(dut):
    """In the middle of everything; afterwards the bank is as new."""
    for _ in range(2):
        harness = await start(dut, node=0)
        await traffic(harness, 150, 0.0, 0.5, 0.8)


# ---------------------------------------------------------------- who waits for whom (R9)


among_others = cocotb.test(skip=CONFIG.nodes == 1)


async def jam(harness, blocked):
    """Traffic against blocked outputs until nothing moves; no answer from any node meanwhile."""
    await traffic(harness, 200, 0.0, 0.0, 1.0, forwards=0.0)
    for _ in range(100):
        harness.feed_traffic(forwards=0.0)
        await harness.cycle(blocked=blocked)
    expect("the jam has something to answer", len(harness.nodes.responses) > 0, True)


async def all_taken(harness, name, blocked, limit=300):
    for _ in range(limit):
        if not harness.sources[name].queue:
            return
        await harness.cycle(blocked=blocked)
    expect(f"{name}: all is taken though others stand", len(harness.sources[name].queue), 0)


@among_others
async def responses_wait_for_no_other_node(dut):
    """No request, no forward and no response leaves the bank: it takes every response all the same."""
    blocked = ("req", "fwd", "rsp")
    harness = await start(dut)
    await jam(harness, blocked)
    while harness.nodes.responses:
        harness.feed("rsp", harness.nodes.some_response())
    await all_taken(harness, "rsp", blocked)
    await harness.drain()


@among_others
async def invalidations_wait_for_nothing(dut):
    blocked = ("req", "fwd", "rsp", "l1")
    harness = await start(dut)
    await jam(harness, blocked)
    for address in harness.remote:
        harness.feed("fwd", harness.nodes.inv(address))
    await all_taken(harness, "fwd", blocked)
    await harness.drain()


@among_others
async def marks_wait_for_responses_only(dut):
    blocked = ("req", "fwd")
    harness = await start(dut)
    await jam(harness, blocked)
    for _ in range(30):
        harness.feed("fwd", harness.nodes.some_forward())
    await all_taken(harness, "fwd", blocked)
    await harness.drain()


@among_others
async def the_home_does_not_wait_for_its_own_requests(dut):
    """The node's requests to other homes stand still; those of other nodes to this home are performed."""
    harness = await start(dut)
    await jam(harness, ("req",))
    before = len(harness.taken["req"])
    for _ in range(600):
        harness.feed_traffic(forwards=0.0)
        await harness.cycle(blocked=("req",))
    expect("requests performed", len(harness.taken["req"]) - before > 50, True)
    await harness.drain()


# ---------------------------------------------------------------- throughput

OUTSTANDING = 16  # misses under which hits must go on
roomy = cocotb.test(skip=CONFIG.l2_misses < OUTSTANDING)


async def read_all(harness, lines):
    for i, address in enumerate(lines):
        harness.feed("cu", harness.cus.request("read", i % CONFIG.cus, address))
    await harness.drain()


async def at_full_rate(harness, name, make, count):
    """Feeds one request after the other; returns in how many cycles they were taken."""
    harness.taken[name].clear()
    for i in range(count):
        while len(harness.sources[name].queue) < 2:
            harness.feed(name, make(i))
        await harness.cycle()
    return len(harness.taken[name])


def spread(harness, home, count, first):
    """Lines of a home that share no set as long as there are sets."""
    return [harness.place.address(home, first + i) for i in range(count)]


@roomy
@cocotb.parametrize(missing=["remote", "local"], hitting=["remote", "local"])
async def a_hit_every_cycle_under_misses(dut, missing, hitting):
    """Sixteen lines are on their way, from other homes or from memory; hits go on at full rate."""
    harness = await start(dut)
    home = {"remote": harness.place.others[0], "local": harness.place.node}
    copies = spread(harness, home[hitting], 4, first=0)
    await read_all(harness, copies)
    harness.held = []
    for i, address in enumerate(spread(harness, home[missing], OUTSTANDING, first=8)):
        harness.feed("cu", harness.cus.request("read", i % CONFIG.cus, address))
    for _ in range(2 * OUTSTANDING):
        await harness.cycle()
    on_the_way = harness.nodes.responses if missing == "remote" else harness.held
    expect("lines on their way", len(on_the_way), OUTSTANDING)
    given = len(harness.given["l1"])

    def hit(i):
        return harness.cus.request("read", i % CONFIG.cus, copies[i % len(copies)])

    taken = await at_full_rate(harness, "cu", hit, 100)
    what = f"{hitting} hits under {OUTSTANDING} {missing} misses"
    figure("l2", what, count=taken, cycles=100, per_cycle=1)
    expect("answers in the same 100 cycles", len(harness.given["l1"]) - given, 97)
    harness.release_memory()
    await harness.drain()


@roomy
@cocotb.parametrize(by=["cus", "nodes"])
async def a_home_step_every_cycle_on_one_line(dut, by):
    """Reads, writes and atomics of all CUs, or of all other nodes, back to back to one line."""
    harness = await start(dut)
    line = harness.place.address(harness.place.node, 5)
    await read_all(harness, [line])
    kinds = ["read", "write", "atomic"]

    def by_cu(i):
        return harness.cus.request(kinds[i % 3], i % CONFIG.cus, line)

    def by_node(_):
        return harness.nodes.request(random.choice(kinds), random.choice(harness.place.others), line)

    port, make = ("cu", by_cu) if by == "cus" else ("req", by_node)
    taken = await at_full_rate(harness, port, make, 150)
    figure("l2", f"home steps on one line, by {by}", count=taken, cycles=150, per_cycle=1)
    await harness.drain()
    await harness.flush_and_compare()


@roomy
async def a_home_step_every_cycle_with_invalidations(dut):
    """All other nodes but one read a line, the last one writes it, again and again: INVs delay no step."""
    harness = await start(dut)
    line = harness.place.address(harness.place.node, 5)
    await read_all(harness, [line])
    turn = itertools.cycle(harness.place.others)

    def by_turn(_):
        node = next(turn)
        kind = "write" if node == harness.place.others[0] else "read"
        return harness.nodes.request(kind, node, line)

    invs = len(harness.given["fwd"])
    taken = await at_full_rate(harness, "req", by_turn, 150)
    await harness.drain()
    sharers = len(harness.place.others) - 1
    expect("INVs sent", len(harness.given["fwd"]) - invs >= 150 // (sharers + 1) * sharers - sharers, True)
    figure("l2", f"home steps, each write owes {sharers} INVs", count=taken, cycles=150, per_cycle=1)


@roomy
async def cus_and_other_nodes_take_turns(dut):
    harness = await start(dut)
    line = harness.place.address(harness.place.node, 5)
    await read_all(harness, [line])
    node = harness.place.others[0]
    for name in ("cu", "req"):
        harness.taken[name].clear()
    for i in range(100):
        while len(harness.sources["cu"].queue) < 2:
            harness.feed("cu", harness.cus.request("read", i % CONFIG.cus, line))
        while len(harness.sources["req"].queue) < 2:
            harness.feed("req", harness.nodes.request("read", node, line))
        await harness.cycle()
    expect("taken of each", [len(harness.taken[name]) for name in ("cu", "req")], [50, 50])
    await harness.drain()


async def delays(harness, name, message, sinks, cycles=12):
    """Cycles from taking a message to the first that comes out at each of the sinks."""
    for sink in harness.sinks:
        harness.given[sink].clear()
    harness.feed(name, message)
    for _ in range(cycles):
        await harness.cycle()
    taken = harness.taken[name][-1]
    return [harness.given[sink][0] - taken if harness.given[sink] else None for sink in sinks]


@among_others
async def latencies_are_those_of_the_page(dut):
    harness = await start(dut)
    place, cus, nodes = harness.place, harness.cus, harness.nodes
    local, remote = place.address(place.node, 5), place.address(place.others[0], 5)
    harness.held = []
    found = {"local miss": await delays(harness, "cu", cus.request("read", 0, local), ["mem"])}
    found["memory"] = await delays(harness, "mem", harness.held.pop(), ["l1"])
    found["local hit"] = await delays(harness, "cu", cus.request("read", 0, local), ["l1"])
    request = nodes.request("read", place.others[0], local)
    found["read by a node"] = await delays(harness, "req", request, ["rsp"])
    found["write with a sharer"] = await delays(harness, "cu", cus.request("write", 0, local), ["fwd"])
    found["remote miss"] = await delays(harness, "cu", cus.request("read", 0, remote), ["req"])
    found["line"] = await delays(harness, "rsp", nodes.some_response(), ["l1"])
    found["remote hit"] = await delays(harness, "cu", cus.request("read", 0, remote), ["l1"])
    wanted = {"local miss": 3, "memory": 5, "local hit": 3, "read by a node": 3, "write with a sharer": 2}
    wanted |= {"remote miss": 2, "line": 5, "remote hit": 3}
    expect("cycles", found, {name: [cycles] for name, cycles in wanted.items()})
    for name, [cycles] in found.items():
        figure("l2", f"latency: {name}", count=1, cycles=cycles, per_cycle=1 / wanted[name])


# ---------------------------------------------------------------- pytest

L2 = Unit("l2", bank.sources("home/axi"))
# Three nodes, so that a release may be another node's at another home; the second of two banks.
SMALLEST = ["l2.sets=2", "l2.misses=2", "l2.waiters=2", "l2.releases=1", "home.fetches=2", "home.waiters=2"]
SMALLEST += ["home.markers=1", "directory.entries=1", "directory.ways=1"]
SHAPES = {
    "small": ("tiny", ["nodes=3", "l2.banks=2"], 1),
    "quad": ("quad", [], 0),
    "tiny": ("tiny", [], 0),
    "one-node": ("tiny", ["nodes=1"], 0),
    "smallest": ("tiny", ["nodes=3", *SMALLEST], 0),
    "sixteen-nodes": ("tiny", ["nodes=16", "cus=8", "line=128", "l2.ways=3", "l2.releases=5"], 0),
}
RATE = "every_cycle|take_turns"
FAULTS = ["l2_store_keeps_fill", "l2_inv_keeps_fill", "l2_atomic_keeps_copy", "l2_write_loses_byte"]
FAULTS += ["l2_victim_not_written", "atomic_min_unsigned", "release_counts_twice"]
FAULTS += ["l2_store_merges_fill", "l2_inv_keeps_joining", "l2_store_keeps_copy", "release_skips_homes"]
# These are found in the tests of their own units as well.
FAULTS += ["directory_single_sharer", "directory_forgets_writer", "directory_evicts_silently"]
FAULTS += ["forward_mark_overtakes", "forward_skip_early"]
MUTANTS = [
    Mutant("l1_installs_closed_fills", ": fill_open_i || leases_i;", ": 1'b1;"),
    Mutant("markers_pass_fetches", "asked && fetches_i == '0)", "asked)"),
    Mutant("acks_are_not_seen", "(b.rsp.kind == RspKindAck && b.rsp.seen)", "1'b0"),
    Mutant("atomics_are_not_dirty", "b_req.kind != ReqKindRead)", "b_req.kind == ReqKindWrite)"),
    Mutant("counts_no_write_backs", "count_o.writebacks = event_i.valid", "count_o.writebacks = 1'b0"),
]


def run(name, **options):
    config, overrides, bank = SHAPES[name]
    env = shape.environment(config, overrides)
    L2.run(__file__, config=config, overrides=overrides, parameters={"Bank": bank}, env=env, **options)


@pytest.mark.parametrize("name", SHAPES if LONG else ["small"])
def test_l2(name):
    run(name)


def test_rate():
    run("quad", cases=RATE)


def measure(**options):
    run("quad", cases=RATE + "|latencies", **options)


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_noticed(fault):
    run("small", fault=fault, cases="random_traffic/")


def test_fault_of_a_block_is_noticed():
    run("small", fault="l2_block_inv_closes_one", cases="several_lines")


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:1], ids=lambda mutant: mutant.name)
def test_broken_l2_is_noticed(mutant):
    run("small", mutant=mutant, cases="random_traffic/")
