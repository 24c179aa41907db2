# SPDX-License-Identifier: Apache-2.0
"""The model beside an egress, step by step and message by message; and the shapes in which it is tested."""

import os
import random

from support import model
from support.bench import LONG, Bench, expect
from support.finepack import CAUSE, HOME_SHIFT, KIND, WRITE, Egress, same
from support.runner import Unit

SOURCES = [
    "egress/finepack_pkg.sv",
    "link/weft_cost_pkg.sv",
    "common/fifo.sv",
    "common/ram.sv",
    "egress/run_splitter.sv",
    "egress/write_queue_policy.sv",
    "egress/write_queue.sv",
    "egress/packetizer_walk.sv",
    "egress/packetizer.sv",
    "egress/egress_counts.sv",
    "egress/egress.sv",
]
IDLE = ("timeout_i", "flush_i", "req_valid_i", "req_i", "split_i", "strong_i", "out_ready_i")
EGRESS = Unit("egress", SOURCES, config="finepack4")
# By the bytes of the link's beat; small sets flush all the time.
SHAPES = {
    "beat32": ["nodes=4"],
    "beat16": ["nodes=3", "line=64", "egress.entries=16", "link.bytes=16"],
    "beat8": ["nodes=2", "line=32", "link.bytes=8"],
    "beat4": ["nodes=3", "egress.entries=4", "link.bytes=4"],
    "one": ["nodes=2", "line=32", "egress.entries=1", "link.bytes=12"],
    "plain": ["nodes=2", "line=32", "egress.finepack=0"],
}
# Builds are dear: these only in the long run.
LONG_SHAPES = () if LONG else ("one",)
INPUTS = ("kind", "req", "urgent", "valid", "seq", "sent", "out")


def run(test_file, shape, **options):
    """The shape goes along, as the unit has no parameters that would tell it."""
    env = {"WEFT_SHAPE": shape}
    EGRESS.run(test_file, overrides=SHAPES[shape], env=env, **options)


def split_of(mask, line):
    """What the L2 bank says of a write: its first run, whether more follow, and where that stands."""
    mask &= (1 << line) - 1
    run = mask & ~(mask + (mask & -mask))
    words = [run >> 4 * word & 15 for word in range(line // 4)]
    used = [word for word, enables in enumerate(words) if enables] or [0]
    first, last, bits = used[0], used[-1], (line // 4 - 1).bit_length()
    enables = (words[last] << 4 if last != first else 0) | words[first]
    count, count_bits = sum(map(bool, words)), (line // 4).bit_length()
    span = (first << 8 | enables) << count_bits | count
    return (run << 1 | (run != mask)) << bits + 8 + count_bits | span


class Board:
    def __init__(self, dut, bench, self_, config):
        self.dut, self.bench, self.self_, self.config = dut, bench, self_, config
        self.line, self.nodes = config.line, config.nodes
        self.model = Egress(config, self_)
        self.settings = {}
        self.seq = 0
        self.effects = None  # of the last step, if there was one
        self.causes = {}
        self.taken = False
        self.sent = None

    @classmethod
    async def start(cls, dut, self_=None, **settings):
        changes = dict(change.split("=") for change in SHAPES[os.environ["WEFT_SHAPE"]])
        changes = {key.replace(".", "_"): int(value) for key, value in changes.items()}
        config = model.config("finepack4", **changes)
        self_ = random.randrange(config.nodes) if self_ is None else self_
        idle = dict.fromkeys(IDLE, 0)
        bench = await Bench.start(dut, self_i=self_, **idle)
        board = cls(dut, bench, self_, config)
        board.set(
            **{"enable": config.egress_finepack, "sub_header": 5, "payload": 4096, "prefix": 0, **settings}
        )
        return board

    def set(self, **settings):
        self.settings.update(settings)
        for name, value in settings.items():
            getattr(self.dut, f"{name}_i").value = value
        self.model.set(**self.settings)

    def some_node(self):
        return random.choice([node for node in range(self.nodes) if node != self.self_])

    def store(self, dst, offset, mask, data=None):
        """A WRITE to the line at an offset of a node; the mask is of the line."""
        data = random.randbytes(self.line) if data is None else data
        return model.STRUCTS["req"](
            kind=WRITE,
            src=self.self_,
            dst=dst,
            address=dst << HOME_SHIFT | offset,
            mask=model.mask(mask),
            data=model.data(data),
        )

    async def cycle(self, request=None, strong=False, ready=True, flush=False):
        """One cycle: `taken` says whether the request went in, `sent` what left."""
        dut = self.dut
        dut.req_valid_i.value = request is not None
        if request is not None:
            dut.req_i.value = model.pack("req", request, self.line)
            dut.split_i.value = split_of(int.from_bytes(bytes(request.mask), "little"), self.line)
        dut.strong_i.value = strong
        dut.out_ready_i.value = ready
        dut.flush_i.value = flush
        await self.bench.settle()
        self.look(request, strong)
        await self.bench.next()

    def look(self, request, strong):
        dut, width = self.dut, model.width("egress_event", self.line)
        self.taken, self.sent, self.effects = False, None, None
        bits = int(dut.event_o.value)
        counts = model.unpack("egress_count", int(dut.count_o.value), self.line)
        wanted = {name: 0 for name, _ in model.gen.FORMATS["struct"]["egress_count"]["fields"]}
        if bits >> (width - 1):
            event = model.unpack("egress_event", bits, self.line)
            expect("sequence number", event.seq, self.seq)
            self.seq = (self.seq + 1) % 65536
            if event.kind != KIND["none"]:
                self.step(event, request, strong, wanted)
            if event.sent:
                self.leave(event, wanted)
        taken = request is not None and int(dut.req_ready_o.value)
        if self.config.egress_finepack:
            expect("taken as the event says", bool(taken), self.taken)
        else:
            self.taken = bool(taken)
        wanted["stalls"] = int(request is not None and not taken)
        for name, value in wanted.items():  # counters of a queue that is not there stay at 0
            expect(f"count of {name}", getattr(counts, name), value if self.config.egress_finepack else 0)
        if int(dut.idle_o.value):
            expect("idle", self.model.idle(), True)

    def step(self, event, request, strong, counts):
        if event.kind == KIND["input"]:
            same("input of the event", event.req, request, "req")
            expect("urgent", event.urgent, strong)
        effects, added = self.model.step(event)
        self.count(counts, added)
        self.effects, self.taken = effects, bool(effects.taken)
        if effects.flushed:
            cause = next(name for name, number in CAUSE.items() if number == effects.cause)
            self.causes[cause] = self.causes.get(cause, 0) + 1
        same("step:", event, effects, "egress_event", INPUTS)

    def leave(self, event, counts):
        wanted, added = self.model.pop()
        expect("a message is due", wanted is not None, True)
        self.count(counts, added)
        self.sent = event.out
        same("message", event.out, wanted, "req")

    @staticmethod
    def count(counts, added):
        for name in counts:
            counts[name] += getattr(added, name)

    async def drain(self, limit=6000, **options):
        """Everything leaves."""
        for _ in range(limit):
            await self.cycle(flush=True, **options)
            if int(self.dut.idle_o.value) and self.model.idle():
                return
        expect("drained", False, True)
