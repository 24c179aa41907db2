# SPDX-License-Identifier: Apache-2.0
"""A bench for units with two clocks: the host's, which always runs, and fabric time, its gated copy."""

import cocotb
from cocotb.triggers import FallingEdge, Timer
from support.bench import FAULT, PERIOD_NS, Bench


class GatedBench(Bench):
    """A turn is one host cycle. While `running` is off fabric time stands; `cycle` counts fabric time."""

    def __init__(self, dut):
        super().__init__(dut)
        self._fall = FallingEdge(dut.clk_host_i)
        self.running = True
        self.host_cycle = 0

    @classmethod
    async def start(cls, dut, **inputs):
        bench = cls(dut)
        dut.clk_i.value = 0
        dut.clk_host_i.value = 0
        if hasattr(dut, "fault_i"):
            inputs = {"fault_i": FAULT, **inputs}
        for name, value in inputs.items():
            getattr(dut, name).value = value
        cocotb.start_soon(bench._clocks())
        await bench.reset()
        return bench

    async def _clocks(self):
        half = Timer(PERIOD_NS / 2, "ns")
        while True:
            await half
            self.dut.clk_host_i.value = 1
            self.dut.clk_i.value = int(self.running)
            await half
            self.dut.clk_host_i.value = 0
            self.dut.clk_i.value = 0

    async def reset(self):
        self.running = True
        await super().reset()
        self.host_cycle = 0

    async def next(self):
        await self._fall
        self.host_cycle += 1
        self.cycle += self.running
