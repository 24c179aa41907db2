# SPDX-License-Identifier: Apache-2.0
"""depacketizer: packets, whole and malformed, in lock-step with the model; the fuzzer's inputs too."""

import os
import pathlib
import random

import cocotb
import pytest
from support import model
from support.bench import LONG, Bench, chance, expect, rounds
from support.figures import figure
from support.finepack import (
    HOME_SHIFT,
    MARKER,
    PAYLOAD_MAX,
    READ,
    Depacketizer,
    chunks,
    head,
    messages_of_input,
    same,
    some_payload,
    spoiled,
)
from support.runner import Mutant, Unit

SOURCES = ["egress/finepack_pkg.sv", "common/ram.sv", "ingress/depacketizer_check.sv"]
SOURCES += ["ingress/depacketizer_emit.sv", "ingress/depacketizer.sv", "ingress/ingress.sv"]
INGRESS = Unit("ingress", SOURCES, config="finepack4")
MEMORY = "memory.bytes=65536"
SHAPES = {
    "line128": [MEMORY],
    "line32": [MEMORY, "line=32", "nodes=16"],
    "line64": [MEMORY, "line=64"],
    "wires": [MEMORY, "line=32", "egress.finepack=0"],
}
LONG_SHAPES = () if LONG else ("line64",)
CORPUS = pathlib.Path(__file__).resolve().parents[1] / "fuzz" / "corpus" / "depacketizer"


class Board:
    """The model beside the unit: what goes in steps it, what leaves is what it says."""

    def __init__(self, dut, bench, config, self_):
        self.dut, self.bench, self.config, self.self_ = dut, bench, config, self_
        self.line = config.line
        self.taken, self.sent = False, None
        self.set(5)

    @classmethod
    async def start(cls, dut):
        changes = dict(change.split("=") for change in SHAPES[os.environ["WEFT_SHAPE"]])
        config = model.config("finepack4", **{k.replace(".", "_"): int(v) for k, v in changes.items()})
        self_ = random.randrange(min(config.nodes, 15))
        bench = await Bench.start(dut, self_i=self_, sub_header_i=5, req_valid_i=0, req_i=0, out_ready_i=0)
        return cls(dut, bench, config, self_)

    def set(self, sub_header):
        """While nothing is under way: a new model knows of nothing."""
        self.sub_header = sub_header
        self.dut.sub_header_i.value = sub_header
        self.config.egress_sub_header = sub_header
        self.model = Depacketizer(self.config, self.self_)
        self.dropped = self.whole = 0  # what the model has found and the unit has not yet

    async def cycle(self, request=None, ready=True):
        dut = self.dut
        dut.req_valid_i.value = request is not None
        if request is not None:
            dut.req_i.value = model.pack("req", request, self.line)
        dut.out_ready_i.value = ready
        await self.bench.settle()
        self.look(request)
        await self.bench.next()

    def look(self, request):
        event = model.unpack("ingress_event", int(self.dut.event_o.value), self.line)
        count = model.unpack("ingress_count", int(self.dut.count_o.value), self.line)
        self.taken, self.sent = bool(event.taken), None
        stores = bytes_ = 0
        if self.taken:
            same("input of the event", event.req, request, "req")
            found = self.model.step(request)
            self.dropped += found.malformed
            self.whole += found.packets
        if event.sent:
            wanted, counted = self.model.pop()
            expect("a message is due", wanted is not None, True)
            same("message", event.out, wanted, "req")
            stores, bytes_, self.sent = counted.stores, counted.bytes, wanted
        expect("count of stores", (count.stores, count.bytes), (stores, bytes_))
        expect("counted as dropped", count.malformed, event.dropped)
        self.dropped -= count.malformed
        self.whole -= count.packets

    async def feed(self, messages, idle=0.0, stall=0.0, limit=20000):
        for message in messages:
            while chance(idle):
                await self.cycle(None, not chance(stall))
            for _ in range(limit):
                await self.cycle(message, not chance(stall))
                if self.taken:
                    break
            expect("the message goes in", self.taken, True)

    async def settle(self, stall=0.0):
        """A marker goes behind everything."""
        marker = model.STRUCTS["req"](kind=MARKER, dst=self.self_)
        await self.feed([marker], stall=stall)
        while self.sent is None:
            await self.cycle()
        expect("last out", self.sent.kind, MARKER)
        expect(
            "malformed packets that were not found, whole ones that were not",
            (self.dropped, self.whole),
            (0, 0),
        )

    def packet(self, payload, base=0, declared=None):
        base |= self.self_ << HOME_SHIFT
        declared = len(payload) if declared is None else declared
        return [head(self.self_, 3, base, declared, self.line), *chunks(self.self_, 3, payload, self.line)]


@cocotb.test()
async def packets_become_stores(dut):
    """Whole and malformed packets, other messages between them, with idle cycles and back-pressure."""
    board = await Board.start(dut)
    if not board.config.egress_finepack:
        await board.settle()
        return
    for _ in range(rounds(12)):
        board.set(random.randint(2, 6))
        idle, stall = random.choice(((0, 0), (0.3, 0), (0, 0.5), (0.2, 0.8)))
        for _ in range(8):
            payload = some_payload(
                board.sub_header, board.config.memory_bytes, random.choice((200, 1000, PAYLOAD_MAX))
            )
            if chance(0.4):
                payload = spoiled(payload, board.sub_header)
            messages = board.packet(payload, declared=len(payload) + (chance(0.1) and random.randint(-4, 4)))
            if chance(0.1):
                del messages[random.randrange(len(messages))]
            if chance(0.3):
                load = model.STRUCTS["req"](kind=READ, dst=board.self_, id=random.getrandbits(6))
                messages.insert(
                    random.choice((0, 0, 0, len(messages), random.randrange(len(messages) + 1))), load
                )
            await board.feed(messages, idle, stall)
        await board.settle(stall)


@cocotb.test()
async def inputs_of_the_fuzzer(dut):
    """Its kept corpus, and mutations of it."""
    board = await Board.start(dut)
    if not board.config.egress_finepack:
        return
    inputs = [path.read_bytes() for path in sorted(CORPUS.iterdir())]
    more = []
    for _ in range(rounds(40)):
        data = bytearray(random.choice(inputs).ljust(9, b"\0"))
        for _ in range(random.randint(1, 4)):
            data[random.randrange(len(data))] = random.getrandbits(8)
        more.append(bytes(data))
    for data in inputs + more:
        sub_header, messages = messages_of_input(data, board.self_, board.line)
        board.set(sub_header)
        await board.feed(messages, stall=random.choice((0, 0, 0.5)))
        await board.settle()


@cocotb.test()
async def a_store_per_cycle(dut):
    """Stores of a word leave one per cycle while packets follow each other."""
    board = await Board.start(dut)
    if not board.config.egress_finepack:
        return
    word = b"".join((i * 128 << 10 | 4).to_bytes(5, "little") + bytes(4) for i in range(64))
    packets = 10
    messages = board.packet(word) * packets
    began, stores, first = 0, 0, 0
    while stores < 64 * packets:
        await board.cycle(messages[0] if messages else None)
        if board.taken:
            messages.pop(0)
        if board.sent is not None:
            stores += 1
            first = first or board.bench.cycle
    what, cycles = f"stores of a word, lines of {board.line} B", board.bench.cycle - first + 1
    figure("depacketizer", what, count=stores, cycles=cycles, per_cycle=0.94)
    await board.settle()
    # From the last chunk of a packet with one store to that store.
    messages = board.packet(word[:9])
    await board.feed(messages)
    began = board.bench.cycle
    while board.sent is None:
        await board.cycle()
    expect("cycles from the last chunk to the store", board.bench.cycle - began, 3)


MUTANTS = [
    Mutant(
        "window_too_wide", "39'(window_mask(sub_header_i)) + 39'd1", "39'(window_mask(sub_header_i)) + 39'd2"
    ),
    Mutant("forgets_the_tail", "tail_q  <= data_q[8*Line-1-:8*Tail];", "tail_q  <= '0;"),
]


def run(shape, **options):
    INGRESS.run(__file__, overrides=SHAPES[shape], env={"WEFT_SHAPE": shape}, **options)


def measure(**options):
    run("line128", cases="a_store_per_cycle", **options)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape not in LONG_SHAPES])
def test_depacketizer(shape):
    run(shape)


def test_fault_is_noticed():
    run("line32", fault="depacketizer_accepts_cut")


@pytest.mark.skipif(not LONG, reason="a build each: in the long run")
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_broken_depacketizer_is_noticed(mutant):
    run("line32", mutant=mutant)
