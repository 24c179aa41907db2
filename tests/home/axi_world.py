# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's memory behind an AXI4 manager of ours: pauses, errors, and a watch over the handshakes."""

import logging
import random
from collections import Counter

from cocotbext.axi import AxiBus, AxiRam, AxiResp
from support.bench import chance, expect

CHANNELS = {"aw": "write_if", "w": "write_if", "b": "write_if", "ar": "read_if", "r": "read_if"}
PAYLOAD = {
    "aw": "awid awaddr awlen awsize awburst awlock awcache awprot",
    "w": "wdata wstrb wlast",
    "ar": "arid araddr arlen arsize arburst arlock arcache arprot",
}


class Pins:
    """Our ports under the names that the bus model looks for: axi_awaddr_o is its axi_awaddr."""

    def __init__(self, dut):
        self._name, self._log = dut._name, dut._log
        for port in dut:
            if port._name.startswith("axi_"):
                setattr(self, port._name[: -len("_o")], port)


def pauses(share):
    """Spells of pauses and of work, so that one channel can be far behind another."""
    while True:
        paused = chance(share)
        for _ in range(random.choice((1, 1, 2, 12))):
            yield paused


class AxiWorld:
    """The memory of all nodes at the pins axi_* of a manager."""

    def __init__(self, dut, size):
        logging.getLogger("cocotb").setLevel(logging.WARNING)  # a line per burst otherwise
        self.dut = dut
        self.ram = AxiRam(AxiBus.from_prefix(Pins(dut), "axi"), dut.clk_i, mem=bytearray(size))
        self.bad = {}  # (first, end) of addresses to the response
        self.beats = Counter()  # per channel
        self.first, self.last = {}, {}  # per channel: the cycle in which it was first valid, or last
        self._offered = dict.fromkeys(PAYLOAD)
        self._fail_reads()
        self._fail_writes()

    def channel(self, name):
        return getattr(getattr(self.ram, CHANNELS[name]), f"{name}_channel")

    def pause(self, share, names=tuple(CHANNELS)):
        for name in CHANNELS:
            self.channel(name).clear_pause_generator()
            self.channel(name).pause = False
        for name in names if share else ():
            self.channel(name).set_pause_generator(pauses(share))

    def stop(self, *names):
        """These channels stand still until the next pause()."""
        for name in names:
            self.channel(name).pause = True

    # -------- errors: the model answers SLVERR when an access raises; DECERR is put in its place

    def _response(self, address):
        return next((resp for (low, high), resp in self.bad.items() if low <= address < high), None)

    def fail(self, low, size, resp):
        """Accesses from address `low` on are answered with `resp`, SLVERR or DECERR."""
        self.bad[low, low + size] = resp

    def _fail_reads(self):
        interface, plain = self.ram.read_if, self.ram.read_if.read
        send, pending = interface.r_channel.send, []

        def read(address, length):
            pending.append(self._response(address))
            return plain(address, length)

        async def answer(beat):
            resp = pending.pop(0)
            if resp is not None:
                beat.rresp, beat.rdata = resp, random.getrandbits(len(self.dut.axi_rdata_i))
            await send(beat)

        interface.read, interface.r_channel.send = read, answer

    def _fail_writes(self):
        interface, plain = self.ram.write_if, self.ram.write_if.write
        send, failed = interface.b_channel.send, []

        def write(address, data):
            resp = self._response(address)
            if resp is None:
                plain(address, data)
            else:
                failed.append(resp)

        async def answer(response):
            if failed:
                response.bresp = failed[-1]
                failed.clear()
            await send(response)

        interface.write, interface.b_channel.send = write, answer

    # -------- what AXI asks of a manager

    def _pin(self, name):
        return int(getattr(self.dut, f"axi_{name}").value)

    def watch(self, cycle):
        """In every settled cycle: what is offered and not taken stays as it is; answers are always taken."""
        for name in CHANNELS:
            ours, theirs = ("i", "o") if name in ("b", "r") else ("o", "i")
            valid, ready = self._pin(f"{name}valid_{ours}"), self._pin(f"{name}ready_{theirs}")
            self.beats[name] += valid and ready
            if valid:
                self.first.setdefault(name, cycle)
                self.last[name] = cycle
            if name not in PAYLOAD:
                expect(f"{name} is taken", ready, 1)
                continue
            offer = [self._pin(f"{pin}_o") for pin in PAYLOAD[name].split()] if valid else None
            if self._offered[name] is not None:
                expect(f"{name}: an offer stays", offer, self._offered[name])
            self._offered[name] = offer if not ready else None


SLVERR, DECERR = AxiResp.SLVERR, AxiResp.DECERR
