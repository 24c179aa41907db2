# SPDX-License-Identifier: Apache-2.0
"""The switch: nothing lost, doubled, changed or reordered; inputs in turn; every port at full rate."""

import collections
import os
import random

import cocotb
import pytest
from link_model import CLASSES, random_message, random_packet
from support import bench, model, runner
from support.figures import figure

PORTS = int(os.environ.get("PORTS", "2"))
PACKETS = bool(os.environ.get("PACKETS"))
LINE = 32
DEPTH = 2  # of the queue at each output


class Crossbar:
    """One class: queues at the inputs, what each output owes, and whose turn it is there."""

    def __init__(self, dut, name):
        self.dut, self.name = dut, name
        self.waiting = [collections.deque() for _ in range(PORTS)]
        self.offered = [False] * PORTS
        self.output = [collections.deque() for _ in range(PORTS)]
        self.turn = [0] * PORTS
        self.kept = [None] * PORTS  # the input whose packet is on its way through an output
        self.moved = 0

    def feed(self, source, destination):
        nodes = {"src": source, "dst": destination}
        if PACKETS and self.name == "req" and bench.chance(0.4):
            parts = random_packet(LINE, 6 * LINE, **nodes)
        else:
            parts = [random_message(self.name, LINE, **nodes)]
        for message in parts:
            more = message is not parts[-1]
            self.waiting[source].append((destination, model.pack(self.name, message, LINE), more))

    def drive(self, offer, take):
        valid = 0
        for port in range(PORTS):
            self.offered[port] = bool(self.waiting[port]) and (self.offered[port] or offer())
            if self.offered[port]:
                valid |= 1 << port
                getattr(self.dut, f"{self.name}_i")[port].value = self.waiting[port][0][1]
        self.ready = sum(take() << port for port in range(PORTS))
        getattr(self.dut, f"{self.name}_valid_i").value = valid
        getattr(self.dut, f"{self.name}_ready_i").value = self.ready

    def port(self, name):
        return int(getattr(self.dut, f"{self.name}_{name}").value)

    def check(self, cycle):
        """Compares the cycle's outputs with the model of this page, and moves the model on."""
        valid = sum(bool(queue) << port for port, queue in enumerate(self.output))
        bench.expect(f"cycle {cycle}: {self.name}_valid_o", self.port("valid_o"), valid)
        for port in range(PORTS):
            if self.output[port]:
                found = int(getattr(self.dut, f"{self.name}_o")[port].value)
                bench.expect(f"cycle {cycle}: {self.name}_o[{port}]", found, self.output[port][0])
        taken = [self.choose(port) for port in range(PORTS)]
        ready = sum(1 << source for source in taken if source is not None)
        bench.expect(f"cycle {cycle}: {self.name}_ready_o", self.port("ready_o"), ready)
        for port in range(PORTS):
            if self.output[port] and self.ready >> port & 1:
                self.output[port].popleft()
                self.moved += 1
        for port, source in enumerate(taken):
            if source is not None:
                _, value, more = self.waiting[source].popleft()
                self.output[port].append(value)
                self.kept[port] = source if more else None
                self.offered[source] = False
                self.turn[port] = (source + 1) % PORTS

    def choose(self, port):
        """The input that the output takes from in this cycle."""
        if len(self.output[port]) == DEPTH:
            return None
        for step in range(PORTS):
            source = (self.turn[port] + step) % PORTS
            if self.kept[port] not in (None, source):
                continue
            if self.offered[source] and self.waiting[source][0][0] == port:
                return source
        return None

    def empty(self):
        return not any(self.waiting) and not any(self.output)


async def start(dut):
    zero = {f"{name}_{port}": 0 for name in CLASSES for port in ("valid_i", "ready_i")}
    bench_ = await bench.Bench.start(dut, **zero)
    return bench_, [Crossbar(dut, name) for name in CLASSES]


async def cycle(bench_, crossbars, offer=lambda: True, take=lambda: True):
    for crossbar in crossbars:
        crossbar.drive(offer, take)
    await bench_.settle()
    for crossbar in crossbars:
        crossbar.check(bench_.cycle)
    await bench_.next()


def other(port):
    return random.choice([p for p in range(PORTS) if p != port])


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def random_traffic(dut, idle, stall):
    """Idle insertion crossed with back-pressure, every class and port with its own."""
    bench_, crossbars = await start(dut)
    for _ in range(bench.rounds(300)):
        for crossbar in crossbars:
            for port in range(PORTS):
                if len(crossbar.waiting[port]) < 2:
                    crossbar.feed(port, other(port))
        await cycle(bench_, crossbars, lambda: not bench.chance(idle), lambda: not bench.chance(stall))
    for _ in range(2000):
        if all(crossbar.empty() for crossbar in crossbars):
            break
        await cycle(bench_, crossbars)
    bench.expect("nothing is left", all(crossbar.empty() for crossbar in crossbars), True)


@cocotb.test()
async def all_ports_at_once(dut):
    """Each input sends to another output: one message per port, class and cycle, and none less."""
    bench_, crossbars = await start(dut)
    cycles = bench.rounds(100)
    for _ in range(cycles + 1):
        for crossbar in crossbars:
            for port in range(PORTS):
                crossbar.feed(port, (port + 1) % PORTS)
        await cycle(bench_, crossbars)
    for crossbar in crossbars:
        what = f"{crossbar.name}, {PORTS} ports at once"
        figure("switch", what, count=crossbar.moved, cycles=cycles, per_cycle=PORTS)


@cocotb.test()
async def all_inputs_to_one_output(dut):
    """The output is never idle, and the inputs share it evenly."""
    bench_, crossbars = await start(dut)
    cycles = 10 * (PORTS - 1)
    for crossbar in crossbars:
        for port in range(1, PORTS):
            for _ in range(cycles):
                crossbar.feed(port, 0)
    for _ in range(cycles + 1):
        await cycle(bench_, crossbars)
    for crossbar in crossbars:
        bench.expect(f"{crossbar.name} moved", crossbar.moved, cycles)
        left = {len(crossbar.waiting[port]) for port in range(1, PORTS)}
        bench.expect("shares differ by at most one", max(left) - min(left) <= 1, True)


@cocotb.test()
@cocotb.parametrize(blocked=CLASSES)
async def a_class_that_stands_blocks_no_other(dut, blocked):
    bench_, crossbars = await start(dut)
    for crossbar in crossbars:
        for port in range(PORTS):
            for _ in range(20):
                crossbar.feed(port, other(port))
    for _ in range(200):
        for crossbar in crossbars:
            crossbar.drive(lambda: True, lambda name=crossbar.name: name != blocked)
        await bench_.settle()
        for crossbar in crossbars:
            crossbar.check(bench_.cycle)
        await bench_.next()
    for crossbar in crossbars:
        bench.expect(f"{crossbar.name} moved", crossbar.moved, 0 if crossbar.name == blocked else 20 * PORTS)


# ---------------------------------------------------------------- pytest

UNIT = runner.Unit(
    "switch_fabric",
    ["common/fifo.sv", "link/weft_cost_pkg.sv", "common/arbiter.sv"]
    + [f"link/{name}.sv" for name in ("switch_output", "switch_class", "switch_fabric")],
)


def measure(**options):
    UNIT.run(__file__, parameters={"Ports": 4}, env={"PORTS": "4"}, cases="all_ports_at_once", **options)


@pytest.mark.parametrize("ports", [2, 3, 4, 8, 16] if bench.LONG else [2, 4])
def test_switch(ports):
    UNIT.run(__file__, parameters={"Ports": ports}, env={"PORTS": str(ports)})


def run_packets(**options):
    options |= {"overrides": ["egress.finepack=1"], "cases": "random_traffic"}
    UNIT.run(__file__, parameters={"Ports": 4}, env={"PORTS": "4", "PACKETS": "1"}, **options)


def test_packets_stay_together():
    run_packets()


def test_packets_that_mix_are_found():
    run_packets(mutant=runner.Mutant("mixes", "grant & more_i", "'0"))


MUTANTS = [
    runner.Mutant("half-rate", ".Depth(2)", ".Depth(1)"),
    runner.Mutant("no-turn", ".advance_i(take)", ".advance_i(1'b0)"),
]


@pytest.mark.parametrize("mutant", MUTANTS if bench.LONG else MUTANTS[1:], ids=lambda mutant: mutant.name)
def test_mutant_is_found(mutant):
    UNIT.run(__file__, parameters={"Ports": 4}, env={"PORTS": "4"}, mutant=mutant)
