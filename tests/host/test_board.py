# SPDX-License-Identifier: Apache-2.0
"""The board as a whole: a host at the FTDI's or the UART's pins, frames, the bridge and the real fabric."""

import pathlib
import random
import sys

import cocotb
import frames
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from ftdi import Ftdi
from support import model
from support.bench import LONG, Mismatch, expect, rounds
from support.runner import Unit

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "sim"), str(ROOT / "fpga")]
import build_rtl  # noqa: E402
import generate  # noqa: E402
import host_map  # noqa: E402

# Small: what is tried here is what lies around the fabric.
CONFIG = "tiny"
CHANGES = ("cus=1", *(f"built.{name}=0" for name in ("hmg", "rec", "halcone-weak", "halcone-causal")))
VALUES = generate.resolve(CONFIG, CHANGES)
LINE, CUS, NODES, MEMORY = (VALUES[key] for key in ("line", "cus", "nodes", "memory.bytes"))
REGISTERS = host_map.addresses()
READY, IDLE, FLUSHED = 1, 2, 4


def sources():
    generated = host_map.sources(CONFIG, CHANGES, block=True)
    listed = build_rtl.rtl_files(generated[0].parent)
    return [*listed, ROOT / "fpga" / "board_fabric.sv", ROOT / "fpga" / "board_top.sv"]


class Host:
    """A host behind the FTDI's pins."""

    def __init__(self, dut, ftdi):
        self.dut, self.ftdi, self.receiver = dut, ftdi, frames.Receiver()
        self.sequence = self.read = self.waited = 0
        self.answers, self.hello = [], None

    @classmethod
    async def start(cls, dut, period=16, **odds):
        Clock(dut.clk_i, period, "ns").start(start_high=False)
        Clock(dut.ft_clk_i, 16, "ns").start(start_high=False)
        dut.uart_rxd_i.value, dut.rst_ni.value = 1, 0
        ftdi = Ftdi(dut, **odds)
        cocotb.start_soon(ftdi.run())
        for _ in range(8):
            await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        for _ in range(8):
            await FallingEdge(dut.clk_i)
        host = cls(dut, ftdi)
        ftdi.to_fpga += bytes(40) + frames.reset(0x1234, 1, 0)
        while not host.answers:
            await host.turn()
        host.hello = host.answers.pop(0)
        expect("hello", (host.hello.code, host.hello.identity.nonce), (frames.IDENTITY, 0x1234))
        return host

    async def turn(self):
        await FallingEdge(self.dut.ft_clk_i)
        self.waited += 1
        expect("the board answers", self.waited < 60_000, True)
        while self.read < len(self.ftdi.from_fpga):
            found = self.receiver.step(self.ftdi.from_fpga[self.read])
            self.read += 1
            if found:
                self.answers += frames.answers(LINE, found[1])

    async def ask(self, *commands, count=1):
        """Sends commands as one frame, and waits for so many answers."""
        self.waited = 0
        self.sequence = (self.sequence + 1) % 256
        self.ftdi.to_fpga += frames.frame(b"".join(commands), self.sequence)
        while len(self.answers) < count:
            await self.turn()
        found, self.answers = self.answers[:count], self.answers[count:]
        return found

    async def bring_up(self):
        """As sim/verilated_cycle.c does it; memory all zero."""
        value = {"fabric_reset": 1, "protocol": model.PROTOCOL["baseline"], "leases": 10 | 5 << 16}
        commands = [write(f"control.{name}", number) for name, number in value.items()]
        fills = [
            frames.write(LINE, frames.FILL, address=node << 36, count=MEMORY // LINE, value=0)
            for node in range(NODES)
        ]
        until = frames.write(LINE, frames.UNTIL, flags=READY, step=1, value=100_000)
        (first, second) = await self.ask(
            *commands,
            run(4),
            write("control.fabric_reset", 0),
            until,
            *fills,
            frames.write(LINE, frames.ZERO),
            count=2,
        )
        expect("four cycles of reset", (first.reason, first.cycle), (frames.STOP_LIMIT, 4))
        expect("ready", second.reason, frames.STOP_FLAG)


def write(name, value):
    return frames.write(LINE, frames.WRITE, address=REGISTERS[name], value=value)


def run(limit, to_answer=False):
    return frames.write(LINE, frames.RUN, flags=int(to_answer), value=limit)


def operation(node, cu, issue, op, address=0, data=b"", size=0, warp=0, tag=0, order="relaxed", func="add"):
    req = model.STRUCTS["cu_req"](
        warp=warp, tag=tag, op=model.CU_OP[op], address=address, order=model.ORDER[order]
    )
    req.scope = model.SCOPE["sys"]
    first = address % LINE
    if op in ("load", "store"):
        size = size or len(data)
        req.mask = model.mask(((1 << size) - 1) << first)
        req.data = model.data(bytes(first) + data)
    elif op == "atomic":
        req.func, req.wide, req.data = model.FUNC[func], 1, model.data(data)
    return frames.write(LINE, frames.OP, node=node, cu=cu, timed=1, issue=issue, req=req)


async def one(host, node, cu, op, *more, **options):
    """One operation, from now to its answer; returns its bytes and cycle."""
    done, stop = await host.ask(
        operation(node, cu, host.now, op, *more, **options), run(host.now + 5000, True), count=2
    )
    expect(
        "an answer, then the stop",
        (done.code, stop.code, stop.reason),
        (frames.OP, frames.RUN, frames.STOP_ANSWER),
    )
    expect("no error, and its cycle", (done.rsp.error, stop.cycle), (0, done.cycle + 1))
    host.now = stop.cycle
    return bytes(done.rsp.data)[done.offset : done.offset + done.count], done.cycle


async def some_traffic(host, count=40):
    """Stores, loads, atomics and fences of all CUs on few lines, and their data. Returns cycles, counters."""
    rng, memory, cycles = random.Random(5), {}, []
    host.now = 0
    for _ in range(count):
        node, cu = rng.randrange(NODES), rng.randrange(CUS)
        address = rng.randrange(NODES) << 36 | 8 * rng.randrange(3 * LINE // 8)
        kind = rng.choice(["store", "load", "atomic"])
        if kind == "store":
            memory[address] = rng.randbytes(8)
            found = await one(host, node, cu, "store", address, memory[address])
            await one(host, node, cu, "fence", order="release")
        elif kind == "load":
            found = await one(host, node, cu, "load", address, size=8)
            expect(f"load of {address:#x}", found[0], memory.get(address, bytes(8)))
        else:
            operand = rng.getrandbits(32)
            found = await one(host, node, cu, "atomic", address, operand.to_bytes(8, "little"))
            old = memory.get(address, bytes(8))
            expect(f"atomic at {address:#x}", found[0], old)
            memory[address] = ((int.from_bytes(old, "little") + operand) % (1 << 64)).to_bytes(8, "little")
        cycles.append(found[1])
    await settle(host)
    for address, data in memory.items():
        line = address // LINE * LINE
        (answer,) = await host.ask(frames.write(LINE, frames.PEEK, address=line, count=1))
        at = address % LINE
        expect(f"memory at {address:#x}", bytes(answer.bytes)[at : at + 8], data)
    return cycles, await counters(host)


async def settle(host):
    """As sim/verilated_settle.c does it."""

    def until(flag):
        return frames.write(LINE, frames.UNTIL, flags=flag, step=16, value=host.now + 100_000)

    found = await host.ask(
        write("control.drain", 1), until(IDLE), write("control.drain", 0), write("control.flush", 1),
        until(FLUSHED), write("control.flush", 0), until(IDLE), count=3,
    )  # fmt: skip
    expect("drained, flushed, idle", [answer.reason for answer in found], [frames.STOP_FLAG] * 3)
    host.now = found[-1].cycle


async def counters(host):
    """All counters of all nodes, of one snapshot."""
    await host.ask(write("control.snapshot", 1), frames.write(LINE, frames.ECHO, count=1))
    while True:
        (flags,) = await host.ask(frames.write(LINE, frames.READ, address=REGISTERS["status.flags"], count=1))
        if not flags.bytes[0] & 8:
            break
    out = []
    for node in range(NODES):
        for first in range(0, host.hello.identity.counters, 32):
            count = min(32, host.hello.identity.counters - first)
            command = frames.write(
                LINE, frames.READ, address=host_map.counter_address(node, first), count=2 * count
            )
            (answer,) = await host.ask(command)
            out += [int.from_bytes(bytes(answer.bytes)[8 * i : 8 * i + 8], "little") for i in range(count)]
    return out


SEEN = []


@cocotb.test()
@cocotb.parametrize(slow=[0, 1])
async def the_same_at_any_speed(dut, slow):
    """Data are right; and however slow clock and host are, cycles and counters are the same."""
    period, odds = [(16, 0.0), (23, 0.4)][slow]
    host = await Host.start(dut, period, empty=odds, full=odds)
    await host.bring_up()
    cycles, values = await some_traffic(host, rounds(10))
    expect("operations are counted", max(values) > 0, True)
    SEEN.append((cycles, values))
    expect("cycles", cycles, SEEN[0][0])
    expect("counters", values, SEEN[0][1])


@cocotb.test()
async def after_a_reset(dut):
    """A reset amid a run, without reprogramming: the same again from the beginning."""
    host = await Host.start(dut)
    await host.bring_up()
    first = await some_traffic(host, 3)
    host.ftdi.to_fpga += frames.reset(7, 1, 99)
    host.sequence, host.waited, host.answers = 99, 0, []
    while not host.answers:
        await host.turn()
    host.answers.clear()
    await host.bring_up()
    expect("cycles and counters", await some_traffic(host, 3), first)


class Serial:
    """A UART at the board's serial pins: bits by our clock."""

    def __init__(self, dut):
        self.dut, self.bit, self.cycle = dut, 25 / 3, 0
        self.receiver, self.answers = frames.Receiver(), []
        self.begin, self.bits = None, []

    def listen(self, level):
        if self.begin is None:
            self.begin, self.bits = (self.cycle, []) if level == 0 else (None, [])
        elif self.cycle >= self.begin + (len(self.bits) + 0.5) * self.bit:
            self.bits.append(level)
            if len(self.bits) == 10:
                found = self.receiver.step(sum(bit << i for i, bit in enumerate(self.bits[1:9])))
                self.answers += frames.answers(LINE, found[1]) if found else []
                self.begin = None

    async def turn(self):
        await FallingEdge(self.dut.clk_i)
        self.cycle += 1
        self.listen(int(self.dut.uart_txd_o.value))

    async def send(self, data):
        at = self.cycle
        for level in (bit for byte in data for bit in (0, *(byte >> i & 1 for i in range(8)), 1)):
            self.dut.uart_rxd_i.value = level
            at += self.bit
            while self.cycle < at:
                await self.turn()

    async def answer(self):
        for _ in range(30_000):
            if self.answers:
                return self.answers.pop(0)
            await self.turn()
        raise Mismatch("no answer on the serial line")


@cocotb.test()
async def the_front_that_spoke_last(dut):
    """A host on the FTDI's pins, one on the serial line, the first again: each is answered where it asked."""
    host = await Host.start(dut)
    serial = Serial(dut)
    await serial.send(bytes(4) + frames.reset(0x77, 1, 9))
    hello = await serial.answer()
    expect("hello", (hello.code, hello.identity.nonce), (frames.IDENTITY, 0x77))
    text = b"over the line"
    body = (frames._U8 * frames.BYTES_MAX)(*text)
    await serial.send(frames.frame(frames.write(LINE, frames.ECHO, count=len(text), bytes=body), 10))
    echo = await serial.answer()
    expect("echo", bytes(echo.bytes)[: len(text)], text)
    expect("lamps: the serial line spoke last", int(dut.led_o.value) >> 6 & 1, 0)
    expect("nothing of it on the other front", host.answers, [])
    host.sequence = 10
    (answer,) = await host.ask(frames.write(LINE, frames.READ, address=0, count=1))
    expect("magic", bytes(answer.bytes)[:4], b"WEFT")
    expect("lamps: the FTDI spoke last", int(dut.led_o.value) >> 6 & 1, 1)


@pytest.mark.skipif(not LONG, reason="a minute to compile; shorter ways to the parts are beside it")
def test_board():
    Unit("board_top", sources(), CONFIG).run(__file__, overrides=CHANGES)
