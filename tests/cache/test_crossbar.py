# SPDX-License-Identifier: Apache-2.0
"""crossbar: every request to its bank, every answer to its CU; in turn, in order, all ways at once."""

import random
from collections import deque

import cocotb
import pytest
from support import model, shape
from support.bench import LONG, Bench, chance, expect, rounds
from support.figures import figure
from support.runner import Mutant, Unit
from support.turn import Turn

CONFIG = shape.config()
LINE = CONFIG.line
PAGE_BITS = 12


def some_request(bank):
    """Of any CU, to a bank; all other bits are of no meaning to the crossbar."""
    message = model.unpack("l1_req", random.getrandbits(model.width("l1_req", LINE)), LINE)
    offset = (random.getrandbits(10) * CONFIG.l2_banks + bank) << PAGE_BITS | random.randrange(1 << PAGE_BITS)
    message.address = random.randrange(16) << 36 | offset
    return model.pack("l1_req", message, LINE)


def some_response(cu):
    message = model.unpack("l1_rsp", random.getrandbits(model.width("l1_rsp", LINE)), LINE)
    message.cu = cu
    return model.pack("l1_rsp", message, LINE)


class Way:
    """One direction: from all inputs to all outputs, chosen by the message."""

    def __init__(self, dut, source, sink, inputs, outputs, make):
        self.dut, self.source, self.sink, self.make = dut, source, sink, make
        self.outputs = outputs
        self.waiting = [deque() for _ in range(inputs)]  # (output, bits)
        self.offered = [False] * inputs
        self.turns = [Turn(inputs) for _ in range(outputs)]
        self.passed = 0
        self.ready = 0

    def port(self, name):
        return getattr(self.dut, name)

    def feed(self, source, output):
        self.waiting[source].append((output, self.make(output)))

    def drive(self, idle, stall):
        for i, queue in enumerate(self.waiting):
            self.offered[i] = bool(queue) and (self.offered[i] or not chance(idle))
            if self.offered[i]:
                self.port(f"{self.source}_i")[i].value = queue[0][1]
        self.port(f"{self.source}_valid_i").value = sum(on << i for i, on in enumerate(self.offered))
        self.ready = sum((not chance(stall)) << output for output in range(self.outputs))
        self.port(f"{self.sink}_ready_i").value = self.ready

    def check(self):
        valid, taken = 0, []
        for output, turn in enumerate(self.turns):
            granted = turn.granted(lambda i, o=output: self.offered[i] and self.waiting[i][0][0] == o)
            if granted is None:
                continue
            valid |= 1 << output
            found = int(self.port(f"{self.sink}_o")[output].value)
            expect(f"{self.sink} {output}", found, self.waiting[granted][0][1])
            if self.ready >> output & 1:
                taken.append(granted)
                turn.used(granted)
        expect(f"{self.sink} valid", int(self.port(f"{self.sink}_valid_o").value), valid)
        ready = int(self.port(f"{self.source}_ready_o").value)
        expect(f"{self.source} ready", ready, sum(1 << i for i in taken))
        for i in taken:
            self.waiting[i].popleft()
            self.offered[i] = False
        self.passed += len(taken)


class Harness:
    def __init__(self, dut, bench):
        cus, banks = CONFIG.cus, CONFIG.l2_banks
        self.bench = bench
        self.requests = Way(dut, "cu_req", "bank_req", cus, banks, some_request)
        self.responses = Way(dut, "bank_rsp", "cu_rsp", banks, cus, some_response)
        self.ways = (self.requests, self.responses)

    async def cycle(self, idle=0.0, stall=0.0):
        for way in self.ways:
            way.drive(idle, stall)
        await self.bench.settle()
        for way in self.ways:
            way.check()
        await self.bench.next()


async def start(dut):
    ports = ("cu_req_valid_i", "bank_rsp_valid_i", "bank_req_ready_i", "cu_rsp_ready_i")
    return Harness(dut, await Bench.start(dut, **dict.fromkeys(ports, 0)))


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def random_traffic(dut, idle, stall):
    harness = await start(dut)
    for _ in range(rounds(300)):
        for way in harness.ways:
            for source, queue in enumerate(way.waiting):
                if len(queue) < 2:
                    way.feed(source, random.randrange(way.outputs))
        await harness.cycle(idle, stall)
    for _ in range(100):
        await harness.cycle()
    for way in harness.ways:
        expect(f"{way.source}: what is left", sum(map(len, way.waiting)), 0)


@cocotb.test()
async def all_ways_at_once(dut):
    """Each bank hears another CU, each CU another bank: as many messages per cycle as there are pairs."""
    harness = await start(dut)
    pairs = min(CONFIG.cus, CONFIG.l2_banks)
    for way in harness.ways:
        for i in range(pairs):
            for _ in range(50):
                way.feed(i, pairs - 1 - i)
    for _ in range(50):
        await harness.cycle()
    for way in harness.ways:
        what = f"{way.sink}, {pairs} ways at once"
        figure("crossbar", what, count=way.passed, cycles=50, per_cycle=pairs)


# ---------------------------------------------------------------- pytest

CROSSBAR = Unit("crossbar", ["common/arbiter.sv", "common/stream_mux.sv", "cache/crossbar.sv"])
SHAPES = [
    ["cus=3", "l2.banks=2"],
    ["cus=1"],
    ["cus=8", "l2.banks=8", "directory.entries=16", "tsu.entries=16"],
]
MUTANTS = [
    Mutant("wrong_bits", "cu_req_i[k].address[12+:3]", "cu_req_i[k].address[13+:3]"),
    Mutant("answers_to_all", "bank_rsp_valid_i[b] && bank_rsp_i[b].cu == 3'(k)", "bank_rsp_valid_i[b]"),
]


def run(changes=SHAPES[0], **options):
    CROSSBAR.run(__file__, overrides=changes, env=shape.environment("tiny", changes), **options)


def measure(**options):
    run(cases="all_ways_at_once", **options)


@pytest.mark.parametrize("changes", SHAPES if LONG else SHAPES[:1], ids="-".join)
def test_crossbar(changes):
    run(changes)


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:1], ids=lambda mutant: mutant.name)
def test_broken_crossbar_is_noticed(mutant):
    run(mutant=mutant)
