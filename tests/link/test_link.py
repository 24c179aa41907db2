# SPDX-License-Identifier: Apache-2.0
"""One direction of a link against sw/model/link.c: every ready, every arrival, every byte, cycle by cycle."""

import collections
import itertools
import os

import cocotb
import pytest
from link_model import CLASS_NUMBER, CLASSES, SOURCES, Link, random_message, random_packet
from support import bench, model, runner
from support.figures import figure

PRIORITY = ("rsp", "fwd", "req")
ITEMS = [item.split("=") for item in os.environ.get("SHAPE", "").split(",") if item]
SHAPE = {key: int(value) for key, value in ITEMS}

QUIET = (1 << model.width("link_count", 32) - 2) - 1  # all but the frames that were accepted


def is_chunk(message):
    return message.kind == model.REQ_KIND["chunk"]


class Wire:
    """Drives the three inputs and outputs and compares everything the link does with the model."""

    def __init__(self, dut, bench_):
        self.dut, self.bench = dut, bench_
        self.config = model.config("tiny", **SHAPE)
        self.line = self.config.line
        self.link = Link(self.config)
        self.waiting = {name: collections.deque() for name in CLASSES}  # offered, not yet on the wire
        self.flying = {name: collections.deque() for name in CLASSES}  # packed, not yet read
        self.credits = collections.deque()  # (cycle in which it is back, class)
        self.events = collections.deque([(None, False)])  # of the cycle before: (event fields, busy)
        self.offered = dict.fromkeys(CLASSES, False)
        self.started = dict.fromkeys(CLASSES, 0)
        self.read = dict.fromkeys(CLASSES, 0)
        self.bytes = self.busy = self.sequence = 0

    def feed(self, name, count=1, **fixed):
        for _ in range(count):
            self.waiting[name].append(random_message(name, self.line, **fixed))

    def feed_any(self, name):
        """A message, or all of a FinePack packet where there are some."""
        if name == "req" and self.config.egress_finepack and bench.chance(0.3):
            longest = min(4096, (self.config.link_buffer - 1) * self.line)
            self.waiting[name].extend(random_packet(self.line, longest))
        else:
            self.feed(name)

    def stop(self):
        """Nothing more is offered, but for the rest of a packet that is under way."""
        for name in CLASSES:
            rest = list(itertools.takewhile(is_chunk, self.waiting[name])) if name == "req" else []
            self.waiting[name].clear()
            self.waiting[name].extend(rest)
            self.offered[name] = self.offered[name] and bool(rest)

    def first(self, name):
        """What a class offers."""
        return self.waiting[name][0] if self.offered[name] else None

    async def cycle(self, offer, take):
        """One cycle; `offer` says of a class whether it offers what waits, `take` whether it is read."""
        ready = {}
        for name in CLASSES:
            # What is offered stays, as units of the fabric do it.
            self.offered[name] = bool(self.waiting[name]) and (self.offered[name] or offer(name))
            getattr(self.dut, f"{name}_valid_i").value = int(self.offered[name])
            if self.offered[name]:
                getattr(self.dut, f"{name}_i").value = model.pack(name, self.waiting[name][0], self.line)
            ready[name] = take(name)
            getattr(self.dut, f"{name}_ready_i").value = int(ready[name])
        await self.bench.settle()
        self._give_back_credits()
        self._compare_last_cycle()
        self._starts()
        self._reads(ready)
        self.link.end_cycle()
        await self.bench.next()

    @property
    def now(self):
        return self.bench.cycle

    def port(self, name):
        return int(getattr(self.dut, name).value)

    def expect(self, what, found, wanted):
        bench.expect(f"cycle {self.now}: {what}", found, wanted)

    def _give_back_credits(self):
        while self.credits and self.credits[0][0] == self.now:
            self.link.credit(self.credits.popleft()[1])

    def _compare_last_cycle(self):
        fields, busy = self.events.popleft()
        event = model.unpack("link_event", int(self.dut.event_o.value), self.line)
        self.expect("event valid", event.valid, int(fields is not None))
        for key, value in (fields or {}).items():
            found = getattr(event, key)
            self.expect(f"event {key}", model.pack(key, found, self.line) if key in CLASSES else found, value)
        self.expect("busy", self.port("busy_o"), int(busy))
        # A clean wire gives nothing to complain about.
        self.expect("count", self.port("count_o") & QUIET, 0)
        self.bytes += event.bytes if event.valid else 0
        self.busy += self.port("busy_o")

    def _starts(self):
        busy, fields, free = self.link.view.owed != 0, None, True
        may = {name: self.link.may_start(name, self.first(name)) for name in CLASSES}
        turn = self.link.request_first()
        first = turn and may["req"] and self.offered["req"]
        for name in PRIORITY:
            ready = may[name] and (turn if name == "req" and turn else free and not first)
            # Whether a head may start depends on the packet behind it, so that on what is offered.
            if self.offered[name] or not self.config.egress_finepack:
                self.expect(f"{name}_ready_o", self.port(f"{name}_ready_o"), int(ready))
            if ready and self.offered[name]:
                free = False
                fields = self._start(name)
        self.events.append((fields, busy or fields is not None))

    def _start(self, name):
        message = self.waiting[name].popleft()
        self.flying[name].append(model.pack(name, message, self.line))
        self.offered[name] = False
        self.started[name] += 1
        cost = self.link.start(name, message, self.now)
        sequence, self.sequence = self.sequence, (self.sequence + 1) % 2**16
        parts = {"kind": message.kind, "src": message.src, "dst": message.dst}
        parts |= dict.fromkeys(CLASSES, 0) | {name: self.flying[name][-1]}
        return {"class": CLASS_NUMBER[name], "bytes": cost, "seq": sequence, **parts}

    def _reads(self, ready):
        for name in CLASSES:
            # The model's message may be the one that starts in this very cycle: never readable at once.
            readable = self.link.readable(name, self.now)
            self.expect(f"{name}_valid_o", self.port(f"{name}_valid_o"), int(readable))
            if not readable:
                continue
            self.expect(f"{name}_o", self.port(f"{name}_o"), self.flying[name][0])
            if ready[name]:
                self.flying[name].popleft()
                self.read[name] += 1
                self.link.take(name)
                self.credits.append((self.now + self.config.link_latency, name))

    def empty(self):
        return not any(self.waiting.values()) and not any(self.flying.values())


async def start(dut):
    zero = {f"{name}_{port}": 0 for name in CLASSES for port in ("valid_i", "i", "ready_i")}
    zero |= {"timeout_i": 0, "retrains_i": 0, "noise_i": 0}
    return Wire(dut, await bench.Bench.start(dut, **zero))


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6], classes=[CLASSES, ("req",), ("req", "fwd")])
async def random_traffic(dut, idle, stall, classes):
    """Idle insertion crossed with back-pressure: all of the model's cycles are the link's."""
    wire = await start(dut)
    for _ in range(bench.rounds(600)):
        for name in classes:
            while len(wire.waiting[name]) < 2:
                wire.feed_any(name)
        await wire.cycle(lambda _: not bench.chance(idle), lambda _: not bench.chance(stall))
    wire.stop()
    for _ in range(5000):
        if wire.empty():
            break
        await wire.cycle(lambda _: True, lambda _: True)
    bench.expect("all that started was read", wire.read, wire.started)


@cocotb.test()
async def every_byte_is_used(dut):
    """While work waits the wire is never idle: N cycles carry N x Bytes, and what the last one owes."""
    wire = await start(dut)
    cycles = bench.rounds(500)
    for _ in range(cycles):
        for name in CLASSES:
            while len(wire.waiting[name]) < 2:
                wire.feed(name, **({"kind": model.RSP_KIND["line"]} if name == "rsp" else {}))
        await wire.cycle(lambda _: True, lambda _: True)
    limited = wire.config.link_buffer < 2 * wire.config.link_latency + 8 or wire.config.link_bytes > 24
    owed = wire.link.view.owed
    wire.stop()
    await wire.cycle(lambda _: False, lambda _: True)
    if not limited:
        figure("link", "busy cycles while work waits", count=wire.busy, cycles=cycles, per_cycle=1)
        bench.expect("bytes", wire.bytes, cycles * wire.config.link_bytes + owed)
    dut._log.info("%d bytes in %d cycles of %d", wire.bytes, cycles, wire.config.link_bytes)


@cocotb.test()
@cocotb.parametrize(blocked=CLASSES)
async def a_class_that_stands_blocks_no_other(dut, blocked):
    """Its reader never takes: it stops after its credits, and all of the others' messages pass."""
    wire = await start(dut)
    for name in CLASSES:
        wire.feed(name, 3 * wire.config.link_buffer)
    for _ in range(20000):
        if not any(wire.waiting[name] or wire.flying[name] for name in CLASSES if name != blocked):
            break
        await wire.cycle(lambda _: True, lambda name: name != blocked)
    # Its credits may still be paying when the others are through.
    for _ in range(100 * wire.config.link_buffer):
        await wire.cycle(lambda _: True, lambda name: name != blocked)
    for name in CLASSES:
        bench.expect(f"{name} read", wire.read[name], 0 if name == blocked else 3 * wire.config.link_buffer)
    bench.expect(f"{blocked} started", wire.started[blocked], wire.config.link_buffer)


@cocotb.test()
async def one_message_takes_its_time(dut):
    """The page's formula with its own arithmetic, not the model's."""
    wire = await start(dut)
    for name in CLASSES:
        wire.feed(name)
        cost = model.cost(wire.waiting[name][0], wire.line)
        begin = wire.now
        while not wire.empty():
            await wire.cycle(lambda _: True, lambda _: True)
        cycles = -(-cost // wire.config.link_bytes) + wire.config.link_latency
        bench.expect(f"{name} of {cost} bytes read", wire.now - 1 - begin, cycles)
        for _ in range(cost // wire.config.link_bytes + 1):  # until nothing is owed
            await wire.cycle(lambda _: False, lambda _: True)


# ---------------------------------------------------------------- pytest

UNIT = runner.Unit("link", SOURCES)
SHAPES = {
    "tiny": {},
    "odd": {"link.bytes": 4, "link.latency": 2, "link.buffer": 2, "line": 128},
    "full": {"link.bytes": 24, "link.latency": 5, "link.buffer": 32},  # credits enough never to wait for
    "wide": {"link.bytes": 64, "link.latency": 3, "link.buffer": 16},  # two may arrive in one cycle
    "far": {"link.bytes": 24, "link.latency": 1000, "link.buffer": 64},
    "packets": {"link.bytes": 32, "link.latency": 3, "link.buffer": 64, "egress.finepack": 1},
    "packets-narrow": {"link.bytes": 8, "link.latency": 2, "link.buffer": 16, "egress.finepack": 1},
    "packets-wide": {
        "link.bytes": 64,
        "link.latency": 4,
        "link.buffer": 64,
        "egress.finepack": 1,
        "line": 128,
    },
}
# Each shape and each mutant is a build of its own: a few now, all in the long run.
USUAL_SHAPES, USUAL_MUTANTS = ("tiny", "odd", "full", "packets"), ("starts-late",)


def run(shape, **options):
    values = SHAPES[shape]
    overrides = [f"{key}={value}" for key, value in values.items()]
    text = ",".join(f"{key.replace('.', '_')}={value}" for key, value in values.items())
    UNIT.run(__file__, overrides=overrides, env={"SHAPE": text}, **options)


def measure(**options):
    run("full", cases="every_byte_is_used", **options)


@pytest.mark.parametrize("shape", SHAPES if bench.LONG else USUAL_SHAPES)
def test_link(shape):
    run(shape)


@pytest.mark.parametrize("fault", ["link_miscounts", "link_swaps"])
def test_fault_is_found(fault):
    run("tiny", fault=fault)


MUTANTS = [
    runner.Mutant("request-first", "assign fwd_ready_o = free && fwd_credit && !rsp_can && !req_first;",
                  "assign fwd_ready_o = free && fwd_credit && !rsp_can && !req_valid_i;"),
    runner.Mutant("starts-late", "owed_q < fill_t'(Words) && !hold", "owed_q == '0 && !hold"),
    runner.Mutant("arrives-early", ".Stages(Stages)", ".Stages(0)"),
    runner.Mutant("credit-late", ".Early(32'(Checked) + 32'(Told))", ".Early(0)"),
    runner.Mutant("shows-nothing", "event_d.fwd  = fwd_i;", "event_d.fwd  = '0;"),
    runner.Mutant("holes-are-free", "'(enable[w] != '0);", "'(enable[w] == '1);"),
]  # fmt: skip


@pytest.mark.parametrize(
    "mutant", [m for m in MUTANTS if bench.LONG or m.name in USUAL_MUTANTS], ids=lambda mutant: mutant.name
)
def test_mutant_is_found(mutant):
    run("tiny", mutant=mutant)
