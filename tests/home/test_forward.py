# SPDX-License-Identifier: Apache-2.0
"""forward: order, stamps and who has seen what, against the model."""

import random
from collections import deque

import cocotb
import pytest
from support import model
from support.bench import Bench, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit

FORWARD = Unit("forward", ["common/cut.sv", "common/fifo.sv", "home/forward.sv"])
INV, MARK = model.FWD_KIND["inv"], model.FWD_KIND["mark"]
MEANING = {
    INV: ("kind", "src", "dst", "stamp", "block", "cause", "address"),
    MARK: ("kind", "src", "dst", "stamp", "releaser", "id"),
}


class Scoreboard:
    """The model beside the unit, one cycle at a time."""

    def __init__(self, dut, bench, home):
        self.dut, self.bench, self.home = dut, bench, home
        self.nodes, self.depth = int(dut.Nodes.value), int(dut.Depth.value)
        self.lines, self.line = int(dut.Lines.value), int(dut.Line.value)
        config = model.config(
            "tiny",
            nodes=self.nodes,
            home_forwards=self.depth,
            line=self.line,
            directory_range=self.lines * self.line,
        )
        self.queue = model.Forward(config, home, protocol="rec")
        self.owed = deque()  # messages left of every item
        self.waiting = None  # what stood at the output and was not taken
        self.messages = 0
        self.stamps = []  # of MARKs that left: (node, stamp)

    @property
    def free(self):
        return self.depth - len(self.owed)

    async def cycle(self, item=None, seen=None, ready=True):
        """item: fields of a fwd_item; seen: (node, stamp)."""
        dut = self.dut
        dut.item_valid_i.value = item is not None
        if item is not None:
            fields = {name: value for name, value in item.items() if name != "lines"}
            dut.item_i.value = model.pack("fwd_item", model.STRUCTS["fwd_item"](**fields), 32)
            lines = item.get("lines", [random.getrandbits(self.nodes - 1) for _ in range(self.lines)])
            dut.lines_i.value = sum(sharers << i * (self.nodes - 1) for i, sharers in enumerate(lines))
        dut.seen_valid_i.value = seen is not None
        dut.seen_src_i.value, dut.seen_stamp_i.value = seen or (random.randrange(16), random.getrandbits(16))
        dut.ready_i.value = ready
        await self.bench.settle()
        self.check_outputs(ready)
        await self.bench.next()
        if seen is not None:
            self.queue.seen(*seen)
        if item is not None:
            self.queue.push(**item)
            spread = item.get("spread")
            messages = sum(map(int.bit_count, item["lines"])) if spread else item["nodes"].bit_count()
            self.owed.append(messages)

    def check_outputs(self, ready):
        dut = self.dut
        expect("free", int(dut.free_o.value), self.free)
        expect("unseen", int(dut.unseen_o.value), self.queue.unseen())
        expect("valid", int(dut.valid_o.value), len(self.owed) > 0)
        if not self.owed:
            return
        bits = int(dut.fwd_o.value)
        if self.waiting is not None:
            expect("message that waits", bits, self.waiting)
        self.waiting = None if ready else bits
        if ready:
            self.check_message(model.unpack("fwd", bits, 32))

    def check_message(self, found):
        wanted = self.queue.pop()
        for field in MEANING[wanted.kind]:
            expect(f"message {self.messages} {field}", getattr(found, field), getattr(wanted, field))
        self.messages += 1
        if wanted.kind == MARK:
            self.stamps.append((wanted.dst, wanted.stamp))
        self.owed[0] -= 1
        if not self.owed[0]:
            self.owed.popleft()

    def some_item(self, marks=0.3, spreads=0.4):
        if self.lines > 1 and chance(spreads):
            return self.some_eviction()
        others = [node for node in range(self.nodes) if node != self.home]
        chosen = random.sample(others, random.randint(1, len(others)))
        return {
            "kind": MARK if chance(marks) else INV,
            "nodes": sum(1 << node for node in chosen),
            "cause": random.randrange(2),
            "block": random.randrange(2),
            "releaser": random.randrange(self.nodes),
            "id": random.getrandbits(6),
            "address": random.getrandbits(40),
        }

    def some_eviction(self):
        """Several lines, each with sharers of its own; of some lines none."""
        lines = [random.getrandbits(self.nodes - 1) if chance(0.5) else 0 for _ in range(self.lines)]
        lines[random.randrange(self.lines)] = 1
        sharers = 0
        for line in lines:
            sharers |= line
        low = sharers & ((1 << self.home) - 1)
        nodes = low | (sharers ^ low) << 1
        address = random.getrandbits(40) & ~(self.lines * self.line - 1)
        return {"kind": INV, "nodes": nodes, "spread": 1, "cause": 1, "address": address, "lines": lines}

    def some_seen(self):
        """Mostly the newest marker, sometimes one of long ago: acknowledgements may change places."""
        if not self.stamps:
            return None
        return random.choice(self.stamps[-3:] if chance(0.8) else self.stamps[-40:])


async def start(dut, home=None):
    nodes = int(dut.Nodes.value)
    home = random.randrange(nodes) if home is None else home
    bench = await Bench.start(dut, self_i=home, item_valid_i=0, seen_valid_i=0, ready_i=0)
    return Scoreboard(dut, bench, home)


async def drain(board):
    while board.owed:
        await board.cycle()
    await board.cycle()


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5, 0.9], stall=[0.0, 0.5, 0.9])
async def random_items(dut, idle, stall):
    board = await start(dut)
    for _ in range(rounds(600)):
        item = board.some_item() if board.free and not chance(idle) else None
        seen = board.some_seen() if chance(0.1) else None
        await board.cycle(item, seen, not chance(stall))
    await drain(board)


@cocotb.test()
async def every_home(dut):
    for home in range(int(dut.Nodes.value)):
        board = await start(dut, home)
        for _ in range(rounds(150)):
            item = board.some_item() if board.free and chance(0.5) else None
            await board.cycle(item, board.some_seen() if chance(0.2) else None, chance(0.9))
        await drain(board)


@cocotb.test()
async def one_message_per_cycle(dut):
    """No cycle without a message while items wait, whatever the items' masks."""
    board = await start(dut)
    await board.cycle(board.some_item())
    cycles = 300
    for _ in range(cycles):
        await board.cycle(board.some_item() if board.free else None)
    figure("forward", "messages while items wait", count=board.messages, cycles=cycles, per_cycle=1)


@cocotb.test()
async def k_invalidations_take_k_cycles(dut):
    """One write that owes k INVs after the other: each takes k cycles and none more."""
    board = await start(dut, 0)
    for k in range(1, board.nodes):
        item = {**board.some_item(marks=0.0, spreads=0.0), "nodes": (2 << k) - 2}
        await drain(board)
        await board.cycle(item)
        first = board.messages
        for _ in range(60 * k):
            await board.cycle(item if board.free else None)
        done = (board.messages - first) // k
        figure("forward", f"writes that owe {k} INVs", count=done, cycles=60 * k, per_cycle=1 / k)


@cocotb.test()
async def seen_only_after_the_last_inv(dut):
    """R6: an INV that follows a marker keeps the marker's acknowledgement from making the node skippable."""
    board = await start(dut, 0)
    inv = {"kind": INV, "nodes": 2, "cause": 0, "releaser": 0, "id": 0, "address": 0x1000}
    mark = {"kind": MARK, "nodes": 2, "cause": 0, "releaser": 1, "id": 3, "address": 0}
    for item in (inv, mark, inv, mark):
        await board.cycle(item)
    await drain(board)
    expect("stamps of the markers", board.stamps, [(1, 1), (1, 2)])
    await board.cycle(seen=board.stamps[0])
    await board.cycle()
    expect("still unseen", board.queue.unseen(), 2)
    await board.cycle(seen=board.stamps[1])
    await board.cycle(seen=board.stamps[0])  # late, and of no effect
    await board.cycle()
    expect("seen", board.queue.unseen(), 0)


@cocotb.test()
async def counts_wrap(dut):
    """More INVs to one node than 16 bits count: it stays unseen, and an acknowledgement still tells."""
    if int(dut.Nodes.value) != 2:
        return
    board = await start(dut, 0)
    inv = {"kind": INV, "nodes": 2, "cause": 0, "releaser": 0, "id": 0, "address": 0x1000}
    await board.cycle(inv)
    await board.cycle(inv)
    for i in range(66_000):  # one goes in and one comes out in every cycle; the inputs stay as they are
        await board.bench.next()
        board.queue.push(**inv)
        board.queue.pop()
        if i % 64 == 0 or 32_700 < i < 32_800 or i > 65_400:
            expect("unseen", int(dut.unseen_o.value), board.queue.unseen())
    expect("unseen after more than 2^16 INVs", board.queue.unseen(), 2)
    await board.cycle({**inv, "kind": MARK})
    await drain(board)
    await board.cycle(seen=board.stamps[-1])
    await board.cycle()
    expect("seen", board.queue.unseen(), 0)


TINY = {"Nodes": 2, "Depth": 4}
QUAD = {"Nodes": 4, "Depth": 8}
RANGE = {**QUAD, "Lines": 16, "Line": 64}
SHAPES = {
    "tiny": {**TINY, "Lines": 4, "Line": 32},
    "one-line": QUAD,
    "quad": RANGE,
    "sixteen-nodes": {"Nodes": 16, "Depth": 4, "Lines": 2, "Line": 128},
    "4-KiB": {"Nodes": 3, "Depth": 4, "Lines": 64, "Line": 64},
}
FAULTS = ["forward_mark_overtakes", "forward_mark_overtakes_evictions", "forward_skip_early"]
MUTANTS = [
    Mutant("stamp_without_itself", "? coming_q[n] : emitted_q[n]", "? emitted_q[n] : emitted_q[n]"),
    Mutant("any_stamp_counts", ") > $signed(", ") != $signed("),
    Mutant("counts_marks", "item_valid_i && item_i.kind == FwdKindInv", "item_valid_i"),
    Mutant("counts_one_line", "i < Lines; i++) pushes[n]", "i < 1; i++) pushes[n]"),
    Mutant("address_of_the_first", "| (40'(line) << $clog2(Line))", "| (40'(line & 0) << $clog2(Line))"),
]


def measure(**options):
    FORWARD.run(__file__, parameters=RANGE, cases="one_message_per_cycle|take_k_cycles", **options)


@pytest.mark.parametrize("shape", SHAPES)
def test_forward(shape):
    FORWARD.run(__file__, parameters=SHAPES[shape])


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_noticed(fault):
    FORWARD.run(__file__, parameters=QUAD, fault=fault)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_forward_is_noticed(mutant):
    FORWARD.run(__file__, parameters=RANGE, mutant=mutant)


def test_count_that_wraps_is_noticed():
    without = Mutant("no_farthest", "sent_next[n] - seen_next[n] > Farthest", "1'b0 && Farthest == 0")
    FORWARD.run(__file__, parameters=TINY, mutant=without, cases="counts_wrap")
