# SPDX-License-Identifier: Apache-2.0
"""An FTDI in 245 synchronous FIFO mode at its pins: it keeps their rules, and sees that the FPGA does."""

from collections import deque

from cocotb.triggers import FallingEdge, ReadOnly
from support.bench import chance, expect


class Ftdi:
    """RXF# and TXE# come and go as the chances say; with TXE# high and WR# low a byte was not taken."""

    def __init__(self, dut, empty=0.0, full=0.0, prefix="ft_"):
        self.dut, self.empty, self.full = dut, empty, full
        self.to_fpga = deque()
        self.from_fpga = bytearray()
        self.refused = 0  # bytes that were shown while TXE# was high
        self.stuck = False
        self.pin = lambda name: getattr(dut, prefix + name)
        self.was_oe = self.was_driven = False
        self.burst_wait = 0  # cycles that a reader was kept waiting

    def drive(self):
        """What the FTDI shows in this cycle."""
        self.readable = bool(self.to_fpga) and not chance(self.empty)
        self.writable = not self.stuck and not chance(self.full)
        self.pin("rxf_ni").value = not self.readable
        self.pin("txe_ni").value = not self.writable
        # The lines are its own only while OE# is low; else they may be anything.
        self.pin("data_i").value = self.to_fpga[0] if self.to_fpga else 0xEE

    def edge(self):
        """What moves at the end of this cycle."""
        oe, rd, wr = (not int(self.pin(name).value) for name in ("oe_no", "rd_no", "wr_no"))
        floating = int(self.pin("float_o").value)
        expect("all data lines have one owner", floating in (0, 0xFF), True)
        driven = not floating
        expect("both drive the lines", oe and driven, False)
        expect(
            "the lines change hands without a cycle between",
            (oe and self.was_driven) or (driven and self.was_oe),
            False,
        )
        expect("RD# is low before OE# was", rd and not (oe and self.was_oe), False)
        expect("WR# is low without data", wr and not driven, False)
        self.was_oe, self.was_driven = oe, driven
        if rd and self.readable:
            self.to_fpga.popleft()
        if wr and self.writable:
            self.from_fpga.append(int(self.pin("data_o").value))
        self.refused += wr and not self.writable

    async def run(self):
        fall = FallingEdge(self.pin("clk_i"))
        while True:
            await fall
            self.drive()
            await ReadOnly()
            self.edge()
