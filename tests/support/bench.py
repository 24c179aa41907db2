# SPDX-License-Identifier: Apache-2.0
"""What every cocotb test of a unit needs: clock, reset, the two moments of a cycle, and a way to disagree.

A test is one loop. Each turn sets the inputs of a cycle, lets them settle, looks at the outputs of that same
cycle, and goes on to the next:

    bench = await Bench.start(dut)
    while ...:
        dut.valid_i.value = 1
        await bench.settle()
        expect("ready", int(dut.ready_o.value), model)
        await bench.next()

Between settle() and next() nothing may be set.
"""

import os
import random

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

LONG = bool(os.environ.get("WEFT_LONG"))
FAULT = int(os.environ.get("WEFT_FAULT", "0"))
PERIOD_NS = 2


class Mismatch(AssertionError):
    """The unit and what it is compared with differ."""


def expect(what, found, wanted):
    if found != wanted:
        raise Mismatch(f"{what}: unit has {found!r}, expected {wanted!r}")


def rounds(count):
    """How many turns a random test takes: many more of them in the long run."""
    return count * (50 if LONG else 1)


def chance(probability):
    return random.random() < probability


class Bench:
    def __init__(self, dut):
        self.dut = dut
        self.cycle = 0
        self._fall = FallingEdge(dut.clk_i)
        self._settled = ReadOnly()

    @classmethod
    async def start(cls, dut, **inputs):
        """Clock, inputs as given (else 0), FAULT at fault_i, reset; returns in the first cycle after it."""
        bench = cls(dut)
        Clock(dut.clk_i, PERIOD_NS, "ns").start(start_high=False)
        if hasattr(dut, "fault_i"):
            inputs = {"fault_i": FAULT, **inputs}
        for name, value in inputs.items():
            getattr(dut, name).value = value
        if hasattr(dut, "rst_ni"):
            await bench.reset()
        else:
            await bench.next()
        return bench

    async def reset(self):
        self.dut.rst_ni.value = 0
        for _ in range(2):
            await self._fall
        self.dut.rst_ni.value = 1
        self.cycle = 0

    async def settle(self):
        await self._settled

    async def next(self):
        await self._fall
        self.cycle += 1
