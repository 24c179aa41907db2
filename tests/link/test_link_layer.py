# SPDX-License-Identifier: Apache-2.0
"""A link on a bad wire: nothing lost, nothing doubled, order kept, and the counters say what happened.

The receiving end is held, beat by beat, to sw/model/link_layer.c, which sees what comes off the wire; what is
read at the outputs, to what was put in. The sending end may replay only for a Nak or a time-out.
"""

import collections
import os
import random

import cocotb
import pytest
from link_model import CLASSES, SOURCES, Receiver, messages, random_message, random_packet
from support import bench, model, runner

ITEMS = [item.split("=") for item in os.environ.get("SHAPE", "").split(",") if item]
SHAPE = {key: int(value) for key, value in ITEMS}
PACKETS = 100000 if bench.LONG else 10000 if SHAPE.get("egress_finepack") else 2500
TIMEOUT, RETRAINS = 400, 3
WATCHED = ("accepted", "duplicates", "broken", "gaps", "cut", "naks")
START_BIT, RECORD_BITS = 32, 52


def noise(**fields):
    """noise_t of weft_frame_pkg."""
    value = 0
    layout = (("flip", 1), ("flip_word", 4), ("flip_bit", 6), ("drop", 1), ("repeats", 1), ("late", 1),
              ("side_drop", 1), ("side_flip", 1), ("side_bit", 6))  # fmt: skip
    for name, bits in layout:
        value = value << bits | fields.pop(name, 0)
    assert not fields
    return value


class Wire:
    """Drives the link, listens to its wire, and compares."""

    def __init__(self, dut, bench_):
        self.dut, self.bench = dut, bench_
        self.config = model.config("tiny", **SHAPE)
        self.line, self.words = self.config.line, self.config.link_bytes // 4
        # Token, prefix (of a packet, or with a clock), header, a line, LCRC.
        longest = 1031 if self.config.egress_finepack else 7 + self.line // 4
        self.receiver = Receiver(longest)
        # What has left the wire and is not yet believed: up to two of its registers lie before that.
        self.arriving = collections.deque([None] * min(self.config.link_latency - 2, 2))
        self.noticed = dict.fromkeys(WATCHED, 0)  # in the cycle before, and told in this one
        self.waiting = {name: collections.deque() for name in CLASSES}
        self.sent = {name: collections.deque() for name in CLASSES}  # not yet accepted
        self.accepted = {name: collections.deque() for name in CLASSES}  # not yet read
        self.total = collections.Counter()
        self.frames = self.read = self.moved = 0
        self.hurt = 0  # beats that noise fell on

    def feed(self):
        for name in CLASSES:
            if self.waiting[name]:
                continue
            if name == "req" and self.config.egress_finepack and bench.chance(0.2):
                longest = min(4096, (self.config.link_buffer - 1) * self.line)
                self.waiting[name].extend(random_packet(self.line, random.choice((longest, 64))))
            else:
                self.waiting[name].append(random_message(name, self.line))

    async def cycle(self, happens=0, offer=1.0, take=1.0):
        dut, starts, ready = self.dut, {}, {}
        for name in CLASSES:
            starts[name] = bool(self.waiting[name]) and (name in self.held or bench.chance(offer))
            getattr(dut, f"{name}_valid_i").value = int(starts[name])
            if starts[name]:
                self.held.add(name)
                getattr(dut, f"{name}_i").value = model.pack(name, self.waiting[name][0], self.line)
            ready[name] = bench.chance(take)
            getattr(dut, f"{name}_ready_i").value = int(ready[name])
        dut.noise_i.value = happens
        await self.bench.settle()
        self.hurt += bool(happens) and int(dut.i_wire.beat_count_i.value) > 0
        self._wire()
        for name in CLASSES:
            self._read(name, ready[name])
            if starts[name] and int(getattr(dut, f"{name}_ready_o").value):
                self._start(name)
        await self.bench.next()

    held = frozenset()

    def _start(self, name):
        message = self.waiting[name].popleft()
        self.held.discard(name)
        self.moved = self.bench.cycle
        self.sent[name].append(model.pack(name, message, self.line))
        self.frames += not (name == "req" and message.kind == model.REQ_KIND["chunk"])

    def _beat(self):
        """Words and starts of the beat that leaves the wire in this cycle."""
        count = int(self.dut.i_wire.beat_count_o.value)
        if not count:
            return None
        value = int(self.dut.i_wire.beat_word_o.value)
        return [value >> 32 * i & 0xFFFFFFFF for i in range(count)], int(self.dut.i_wire.beat_start_o.value)

    def _wire(self):
        """What comes off the wire in this cycle, and what both ends say of it."""
        self.arriving.append(self._beat())
        found = model.unpack("link_count", int(self.dut.count_o.value), self.line)
        wanted, self.noticed = self.noticed, dict.fromkeys(WATCHED, 0)
        beat = self.arriving.popleft()
        if beat:
            frames, self.noticed = self.receiver.beat(*beat)
            for frame in frames:
                self._accept(frame[1:-1])
        for name in WATCHED:
            self.expect(name, getattr(found, name), wanted[name])
        for name in (*WATCHED, "replays", "timeouts", "retrains"):
            self.total[name] += getattr(found, name)
        self.expect("malformed", found.malformed, 0)
        # Every replay and retraining has its reason.
        reasons = self.total["naks"] + self.total["timeouts"]
        self.expect(
            "replays without a reason", self.total["replays"] + self.total["retrains"] > reasons, False
        )

    def _accept(self, words):
        found = messages(words, self.line)
        self.expect("a frame of ours", bool(found), True)
        for name, value in found:
            self.expect(f"{name} accepted", value, self.sent[name].popleft() if self.sent[name] else None)
            self.accepted[name].append(value)

    def _read(self, name, ready):
        if not int(getattr(self.dut, f"{name}_valid_o").value):
            return
        self.expect(f"{name} read", bool(self.accepted[name]), True)
        self.expect(f"{name} read", int(getattr(self.dut, f"{name}_o").value), self.accepted[name][0])
        if ready:
            self.accepted[name].popleft()
            self.read += 1

    def expect(self, what, found, wanted):
        bench.expect(f"cycle {self.bench.cycle}: {what}", found, wanted)

    def empty(self):
        return not any(map(len, (*self.sent.values(), *self.accepted.values())))

    async def settle(self, limit=30 * TIMEOUT):
        """Until all that was sent has been read, on a clean wire; then nothing is left to say."""
        for _ in range(limit):
            if self.empty() and not (self.waiting["req"] and is_chunk(self.waiting["req"][0])):
                break
            # Only the rest of a packet that is under way still starts.
            rest = self.waiting["req"] and is_chunk(self.waiting["req"][0])
            for name in CLASSES:
                if not (name == "req" and rest):
                    self.waiting[name].clear()
            self.held = {"req"} if rest else set()
            await self.cycle()
        self.expect("all that was sent was read", self.empty(), True)
        for _ in range(TIMEOUT + 100):
            await self.cycle()


def is_chunk(message):
    return message.kind == model.REQ_KIND["chunk"]


async def start(dut, timeout=TIMEOUT, retrains=RETRAINS):
    zero = {f"{name}_{port}": 0 for name in CLASSES for port in ("valid_i", "i", "ready_i")}
    bench_ = await bench.Bench.start(dut, **zero, timeout_i=timeout, retrains_i=retrains, noise_i=0)
    wire = Wire(dut, bench_)
    wire.held = set()
    return wire


def random_event(wire):
    """Something that happens to a beat, or to a record of the side channel."""
    kind = random.choice(("flip", "start", "drop", "repeats", "late", "side_drop", "side_flip"))
    word = random.randrange(wire.words)
    if kind == "flip":
        return noise(flip=1, flip_word=word, flip_bit=random.randrange(START_BIT))
    if kind == "start":
        return noise(flip=1, flip_word=word, flip_bit=START_BIT)
    if kind == "side_flip":
        return noise(side_flip=1, side_bit=random.randrange(RECORD_BITS))
    return noise(**{kind: 1})


@cocotb.test()
async def a_bad_wire_loses_nothing(dut):
    """Beats turned, lost, doubled, late; records lost and turned; now and then all of it for a while."""
    wire = await start(dut, retrains=200)
    dead = 0
    for _ in range(30 * PACKETS):
        if wire.frames >= PACKETS:
            break
        if wire.bench.cycle - wire.moved > 40 * TIMEOUT:
            break  # it does not move any more
        wire.feed()
        dead = dead - 1 if dead else random.randint(10, 2 * TIMEOUT) if bench.chance(0.0002) else 0
        happens = random_event(wire) if bench.chance(0.02) else 0
        await wire.cycle(noise(drop=1, side_drop=1) if dead else happens, take=0.9)
    bench.expect("all were sent", wire.frames >= PACKETS, True)
    await wire.settle()
    dut._log.info("%d frames, %d beats hurt, %s", wire.frames, wire.hurt, dict(wire.total))
    bench.expect("accepted", wire.total["accepted"], wire.frames)
    # A doubled beat is a doubled frame only where a frame fits into a beat.
    doubled = ["duplicates"] if wire.words >= 6 else []
    for name in ("broken", "gaps", "cut", "naks", "timeouts", "replays", *doubled):
        bench.expect(f"{name} happened", wire.total[name] > 0, True)


# What one event does to one frame that is alone: what is counted then.
ALONE = {
    "nothing": (noise(), {}),
    "flip": (noise(flip=1, flip_word=1, flip_bit=7), {"broken": 1, "naks": 1, "replays": 1}),
    "token": (noise(flip=1, flip_bit=20), {"broken": 1, "naks": 1, "replays": 1}),
    "start": (noise(flip=1, flip_bit=START_BIT), {"timeouts": 1, "replays": 1}),
    "side_drop": (noise(side_drop=1), {}),
    "side_flip": (noise(side_flip=1, side_bit=45), {}),
}


@cocotb.test()
@cocotb.parametrize(event=list(ALONE))
async def one_event_is_counted_once(dut, event):
    """A frame alone on the wire, and something happens to its first beat, or to a record on the way back."""
    happens, wanted = ALONE[event]
    wire = await start(dut)
    for _ in range(20):
        before = wire.total.copy()
        wire.waiting["fwd"].append(random_message("fwd", wire.line))
        hurt = event.startswith("side")
        for _ in range(40):
            now = event.startswith("side") or (not hurt and int(dut.i_wire.beat_count_i.value) > 0)
            hurt |= now
            await wire.cycle(happens if now else 0)
        await wire.settle()
        after = {name: wire.total[name] - before[name] for name in wire.total}
        wanted_now = dict.fromkeys(after, 0) | {"accepted": 1} | wanted
        bench.expect(f"{event} counts", after, wanted_now)


@cocotb.test()
async def lost_records_cost_a_replay(dut):
    """Nothing comes back for longer than the time-out: all goes again, is known, and not believed twice."""
    wire = await start(dut)
    for _ in range(60):
        wire.feed()
        await wire.cycle(noise(side_drop=1))
    for _ in range(TIMEOUT + 50):
        await wire.cycle(noise(side_drop=1))
    await wire.settle()
    bench.expect("time-outs", wire.total["timeouts"], 1)
    bench.expect("known", wire.total["duplicates"] > 0, True)
    bench.expect("Naks", wire.total["naks"], 0)
    bench.expect("accepted", wire.total["accepted"], wire.frames)


@cocotb.test()
@cocotb.parametrize(retrains=[0, 2])
async def a_dead_link_is_down(dut, retrains):
    """Three replays, then a retraining with three more, as often as told; then the link is down."""
    wire = await start(dut, timeout=50, retrains=retrains)
    wire.waiting["rsp"].append(random_message("rsp", wire.line))
    for _ in range((retrains + 1) * 8 * 100):
        if int(dut.down_o.value):
            break
        await wire.cycle(noise(drop=1))
    bench.expect("down", int(dut.down_o.value), 1)
    await wire.cycle(noise(drop=1))  # in which the last is told
    counted = {name: wire.total[name] for name in ("timeouts", "replays", "retrains")}
    wanted = {"timeouts": 4 * (retrains + 1), "replays": 3 * (retrains + 1), "retrains": retrains}
    bench.expect("counted", counted, wanted)
    wire.feed()
    for _ in range(200):  # also on a wire that works again
        await wire.cycle()
        bench.expect("down", int(dut.down_o.value), 1)
        bench.expect("ready", [int(getattr(dut, f"{name}_ready_o").value) for name in CLASSES], [0, 0, 0])


@cocotb.test()
async def a_link_that_dies_for_a_while_comes_back(dut):
    """Longer than a retraining, shorter than it takes to be given up."""
    wire = await start(dut, timeout=150)
    for turn in range(1 if not bench.LONG else 20):
        for _ in range(100):
            wire.feed()
            await wire.cycle()
        for _ in range(2500):
            wire.feed()
            await wire.cycle(noise(drop=1, side_drop=1))
        bench.expect("down", int(dut.down_o.value), 0)
        bench.expect("retrained", wire.total["retrains"] > turn, True)
        await wire.settle()
    bench.expect("accepted", wire.total["accepted"], wire.frames)


# ---------------------------------------------------------------- pytest

UNIT = runner.Unit("link", SOURCES)
SHAPES = {
    "packets": {"link.bytes": 32, "link.latency": 4, "link.buffer": 64, "egress.finepack": 1},
    "board": {"link.bytes": 4, "link.latency": 6, "link.buffer": 16},
    "wide": {"link.bytes": 64, "link.latency": 9, "link.buffer": 32, "line": 128},
}


def run(shape, **options):
    values = SHAPES[shape]
    overrides = [f"{key}={value}" for key, value in values.items()]
    text = ",".join(f"{key.replace('.', '_')}={value}" for key, value in values.items())
    UNIT.run(__file__, overrides=overrides, env={"SHAPE": text}, **options)


# A board's links have all the registers that a flight can give.
@pytest.mark.parametrize("shape", SHAPES if bench.LONG else ["packets", "board"])
def test_link_layer(shape):
    run(shape)


FOUND_BY = {
    "link_ignores_crc": "one_event_is_counted_once",
    "link_forgets_replay": "one_event_is_counted_once",
    "link_accepts_duplicate": "lost_records_cost_a_replay",
}


@pytest.mark.parametrize("fault", FOUND_BY)
def test_fault_is_found(fault):
    run("packets", fault=fault, cases=FOUND_BY[fault])
