# SPDX-License-Identifier: Apache-2.0
"""node_counts: every count of every unit at the counter that weft.rdl gives its name, and nowhere else."""

import random

import cocotb
import host_map
import pytest
from cocotb.triggers import Timer
from support import model, shape
from support.bench import LONG, Mismatch, expect, rounds
from support.runner import Mutant, Unit

CONFIG = shape.config()
LINE = CONFIG.line
CLASSES = ("request", "forward", "response")
# The units whose reports carry their name in front of a field; all other fields are of the reporting unit.
PREFIXES = ("home", "release", "memory")


OVERRIDES = ["cus=3", "l2.banks=2"]
ROWS = host_map.counters("tiny", OVERRIDES)
BITS = host_map.increment_bits(ROWS)


def numbers():
    """Counter's dotted name to its number; the CUs' come last."""
    rows = [row for row in model.registers.COUNTERS if row["cu"] is None or row["cu"] < CONFIG.cus]
    return {row["name"]: row["index"] for row in rows}


def dotted(struct, field, place):
    unit, _, rest = field.partition("_")
    if struct == "l1_count":
        return f"cu{place}.l1.{field}"
    if struct == "dir_count":
        return f"tsu.{rest}" if unit == "tsu" else f"directory.{field}"
    return f"{unit}.{rest}" if unit in PREFIXES else f"l2.{field}"


def fields_of(struct):
    """The fields of a report, and the most that one can say in this configuration."""
    most = {row["name"]: row["most"] // (CONFIG.l2_banks if row["per_bank"] else 1) for row in ROWS}
    fields = model.gen.FORMATS["struct"][struct]["fields"]
    return {field: min((1 << bits) - 1, most[dotted(struct, field, 0)]) for field, bits in fields}


class Counts:
    """The units' reports of one cycle, and what the node must make of them."""

    def __init__(self):
        self.wanted = {"time.cycles": 1}
        self.reports = {}
        for struct, places in (
            ("l1_count", CONFIG.cus),
            ("l2_count", CONFIG.l2_banks),
            ("dir_count", CONFIG.l2_banks),
        ):
            for place in range(places):
                self.reports[struct, place] = model.STRUCTS[struct]()
        self.up, self.down = model.STRUCTS["link_event"](), model.STRUCTS["link_event"]()
        self.busy = 0

    def add(self, name, amount):
        self.wanted[name] = self.wanted.get(name, 0) + amount

    def report(self, struct, place, field, amount):
        setattr(self.reports[struct, place], field, amount)
        self.add(dotted(struct, field, place), amount)

    def link(self, class_, bytes_):
        self.up = model.STRUCTS["link_event"](valid=1, bytes=bytes_, **{"class": class_})
        self.add(f"link.messages_{CLASSES[class_]}", 1)
        self.add(f"link.bytes_{CLASSES[class_]}", bytes_)

    def switch(self, bytes_):
        self.down = model.STRUCTS["link_event"](valid=1, bytes=bytes_, **{"class": random.randrange(3)})
        self.add("switch.messages", 1)
        self.add("switch.bytes", bytes_)

    def link_busy(self):
        self.busy = 1
        self.add("link.busy", 1)


async def check(dut, counts):
    ports = {"l1_count": dut.l1_i, "l2_count": dut.l2_i, "dir_count": dut.dir_i}
    for (struct, place), report in counts.reports.items():
        ports[struct][place].value = model.pack(struct, report, LINE)
    dut.up_i.value = model.pack("link_event", counts.up, LINE)
    dut.down_i.value = model.pack("link_event", counts.down, LINE)
    dut.up_busy_i.value = counts.busy
    await Timer(1, "ns")
    bits = int(dut.increments_o.value)
    found = {name: bits >> BITS * number & ((1 << BITS) - 1) for name, number in numbers().items()}
    expect("increments", {name: value for name, value in found.items() if value}, counts.wanted)


@cocotb.test()
async def each_alone(dut):
    """One field of one report at a time: it moves its own counter and no other."""
    for struct, place in Counts().reports:
        for field, most in fields_of(struct).items():
            counts = Counts()
            counts.report(struct, place, field, most)
            await check(dut, counts)
    for class_ in range(3):
        counts = Counts()
        counts.link(class_, 20 + class_)
        await check(dut, counts)
    for act in (lambda counts: counts.switch(152), Counts.link_busy):
        counts = Counts()
        act(counts)
        await check(dut, counts)


@cocotb.test()
async def any_together(dut):
    """Banks are summed; an event that is not valid counts for nothing."""
    for _ in range(rounds(300)):
        counts = Counts()
        for struct, place in counts.reports:
            for field, most in fields_of(struct).items():
                amount = random.randint(0, most)
                if amount:
                    counts.report(struct, place, field, amount)
        counts.up, counts.down = (
            model.STRUCTS["link_event"](bytes=random.randrange(153), **{"class": random.randrange(3)})
            for _ in range(2)
        )
        random.choice([lambda c: c.link(random.randrange(3), 24), lambda c: c.switch(44), Counts.link_busy])(
            counts
        )
        await check(dut, counts)


@cocotb.test()
async def nothing_but_time(dut):
    await check(dut, Counts())
    if set(numbers()) != {row["name"] for row in ROWS}:
        raise Mismatch("the counters of the library are not those of the map")


# ---------------------------------------------------------------- pytest
MUTANTS = [
    Mutant(
        "next_class",
        "CounterLinkBytesRequest+32'(up_i.class_)",
        "CounterLinkBytesRequest+32'(2'(up_i.class_+1))",
    ),
    Mutant("banks_overwrite", "increments_o[CounterL2Joins] +=", "increments_o[CounterL2Joins] ="),
]


def run(**options):
    unit = Unit("node_counts", [*host_map.sources("tiny", OVERRIDES), "host/node_counts.sv"])
    unit.run(__file__, overrides=OVERRIDES, env=shape.environment("tiny", OVERRIDES), **options)


def test_node_counts():
    run()


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[1:], ids=lambda mutant: mutant.name)
def test_broken_node_counts_are_noticed(mutant):
    run(mutant=mutant)
