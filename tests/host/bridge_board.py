# SPDX-License-Identifier: Apache-2.0
"""Around the bridge: a host that speaks in frames, and a fabric of which only the ports are there.

The fabric's ports do in every fabric cycle what a number made of port and cycle says, so that `Reference`,
which knows no host cycles, frames or bridge, can say what must come out: which operation is taken in which
cycle, and when it is answered.
"""

import heapq
import os
from collections import deque

import frames
from support import model
from support.bench import Bench, chance, expect, rounds
from support.runner import generate

# The shape of the machine: tiny, but for these.
SHAPE = os.environ.get("WEFT_SHAPE", "").split()
VALUES = generate.resolve("tiny", SHAPE)
NODES, CUS, WARPS, TAGS, LINE = (VALUES[key] for key in ("nodes", "cus", "warps", "outstanding", "line"))
PORTS, MEMORY = NODES * CUS, VALUES["memory.bytes"]
REQ_BITS, RSP_BITS = model.width("cu_req", LINE), model.width("cu_rsp", LINE)
FLAGS = 0x200
LINE_MASK = (1 << 8 * LINE) - 1


def scramble(*values):
    """A number that looks like chance and is always the same."""
    out = 0x9E3779B9
    for value in values:
        out = ((out ^ value) * 0x85EBCA6B + 0x1F123BB5) & 0xFFFFFFFF
        out ^= out >> 15
    return out


class Rules:
    """What a port does in which cycle."""

    def __init__(self, ready=60, slowest=9):
        self.ready_percent, self.slowest = ready, slowest

    def ready(self, port, cycle):
        return scramble(1, port, cycle) % 100 < self.ready_percent

    def latency(self, port, req):
        return 1 + scramble(2, port, req.address & 0xFFFFFFFF, req.tag) % self.slowest

    def data(self, req):
        return int.from_bytes(
            b"".join(scramble(3, req.address, i).to_bytes(4, "little") for i in range(LINE // 4)), "little"
        )


class Ports:
    """The fabric behind its ports: at most one answer per port and cycle."""

    def __init__(self, rules):
        self.rules = rules
        self.answers = [{} for _ in range(PORTS)]  # cycle to response

    def take(self, port, req, cycle):
        when = cycle + self.rules.latency(port, req)
        while when in self.answers[port]:
            when += 1
        self.answers[port][when] = model.STRUCTS["cu_rsp"](
            warp=req.warp,
            tag=req.tag,
            error=0,
            data=model.data(self.rules.data(req).to_bytes(LINE, "little")),
        )


class Reference:
    """The order of operations as sw/lib/backend.h lays it down."""

    def __init__(self, rules):
        self.rules, self.ports, self.now, self.arrived = rules, Ports(rules), 0, 0
        self.waiting = [[] for _ in range(PORTS)]
        self.shown = [None] * PORTS
        self.taken = []

    def submit(self, port, issue, req):
        self.arrived += 1
        heapq.heappush(self.waiting[port], (issue, req.warp, self.arrived, req))

    def cancel(self):
        count = sum(map(len, self.waiting)) + sum(entry is not None for entry in self.shown)
        self.waiting = [[] for _ in range(PORTS)]
        self.shown = [None] * PORTS
        return count

    def cycle(self):
        """One fabric cycle; returns what is answered in it."""
        done = []
        for port in range(PORTS):
            if self.shown[port] is None and self.waiting[port] and self.waiting[port][0][0] <= self.now:
                self.shown[port] = heapq.heappop(self.waiting[port])[3]
            answer = self.ports.answers[port].pop(self.now, None)
            if answer is not None:
                done.append((self.now, port, answer))
            if self.shown[port] is not None and self.rules.ready(port, self.now):
                self.taken.append((self.now, port, model.pack("cu_req", self.shown[port], LINE)))
                self.ports.take(port, self.shown[port], self.now)
                self.shown[port] = None
        self.now += 1
        return done

    def run(self, limit, to_answer):
        """Answers, and why it stopped."""
        done = []
        while self.now < limit:
            done += self.cycle()
            if done and to_answer:
                return done, frames.STOP_ANSWER
        return done, frames.STOP_LIMIT


class Board:
    """The bridge, cycle by cycle."""

    def __init__(self, dut, bench, rules):
        self.dut, self.bench, self.rules = dut, bench, rules
        self.receiver = frames.Receiver()
        self.to_send = deque()  # bytes
        self.idle = self.stall = 0.0
        self.wire = None  # what happens to the bytes of a frame
        self.sequence = 0  # of the next frame to the board
        self.expected = None  # of the next frame from it; None: whatever comes
        self.sent_payload = 0
        self.ack = self.credit = 0
        self.answers = deque()
        self.frame_log = []
        self.bytes_out = 0
        # The fabric.
        self.now = 0
        self.ports = Ports(rules)
        self.taken = []
        self.registers, self.register_log, self.bus = {}, [], None
        self.flags = lambda now: 0
        self.memory, self.memory_log, self.line_read = {}, [], 0

    @classmethod
    async def start(cls, dut, rules=None):
        names = "valid_i data_i ready_i cu_ready_i cu_valid_i cu_rsp_i host_ready_i host_rdata_i"
        names = [*names.split(), "hmem_rdata_i"]
        board = cls(dut, await Bench.start(dut, **dict.fromkeys(names, 0)), rules or Rules())
        await board.connect()
        return board

    # ---- one host cycle

    def drive_fabric(self):
        ready = valid = response = 0
        for port in range(PORTS):
            ready |= int(self.rules.ready(port, self.now)) << port
            answer = self.ports.answers[port].get(self.now)
            if answer is not None:
                valid |= 1 << port
                response |= model.pack("cu_rsp", answer, LINE) << port * RSP_BITS
        self.dut.cu_ready_i.value, self.dut.cu_valid_i.value, self.dut.cu_rsp_i.value = ready, valid, response

    def fabric_edge(self):
        """What happens in the fabric at the end of a cycle in which its clock ticks."""
        shown = int(self.dut.cu_valid_o.value)
        requests = int(self.dut.cu_req_o.value) if shown else 0
        for port in range(PORTS):
            self.ports.answers[port].pop(self.now, None)
            if shown >> port & 1 and self.rules.ready(port, self.now):
                bits = requests >> port * REQ_BITS & ((1 << REQ_BITS) - 1)
                self.taken.append((self.now, port, bits))
                self.ports.take(port, model.unpack("cu_req", bits, LINE), self.now)
        self.now += 1

    def buses(self):
        dut = self.dut
        if int(dut.host_valid_o.value):
            if self.bus is None and chance(0.5):
                address = int(dut.host_address_o.value)
                if int(dut.host_write_o.value):
                    self.registers[address] = int(dut.host_wdata_o.value)
                    self.register_log.append((address, self.registers[address]))
                value = self.flags(self.now) if address == FLAGS else self.registers.get(address, 0)
                self.bus = value
            else:
                self.bus = None
        else:
            self.bus = None
        if int(dut.hmem_en_o.value):
            address = int(dut.hmem_address_o.value)
            if int(dut.hmem_write_o.value):
                self.memory[address] = int(dut.hmem_wdata_o.value)
                self.memory_log.append((address, self.memory[address]))
            else:
                self.line_read = self.memory.get(address, 0)

    def take_frame(self, header, payload):
        if header.kind == frames.RESET:
            self.expected = header.sequence
        if self.expected is None:
            return
        expect("the board's sequence number", header.sequence, self.expected)
        self.expected = (self.expected + 1) % 256
        self.ack, self.credit = header.ack, header.credit
        self.frame_log.append(header)
        found = frames.answers(LINE, payload)
        expect("the payload is answers", found is not None, True)
        self.answers += found

    async def turn(self):
        expect("the test ends", self.bench.cycle < rounds(120_000), True)
        dut = self.dut
        byte = self.to_send.popleft() if self.to_send and not chance(self.idle) else None
        ready = not chance(self.stall)
        dut.valid_i.value, dut.data_i.value, dut.ready_i.value = byte is not None, byte or 0, ready
        dut.host_ready_i.value, dut.host_rdata_i.value = self.bus is not None, self.bus or 0
        dut.hmem_rdata_i.value = self.line_read
        self.drive_fabric()
        await self.bench.settle()
        if ready and int(dut.valid_o.value):
            self.bytes_out += 1
            found = self.receiver.step(int(dut.data_o.value))
            if found:
                self.take_frame(*found)
        self.buses()
        if not int(dut.fabric_rst_no.value):
            self.ports, self.now = Ports(self.rules), 0
        elif int(dut.tick_o.value):
            self.fabric_edge()
        await self.bench.next()

    # ---- the host

    async def connect(self, flags=1, zeros=frames.PAYLOAD_MAX + frames.AROUND):
        """Zeros, a reset, the hello."""
        nonce = scramble(self.sequence, self.bench.cycle)
        self.to_send += bytes(zeros) + frames.reset(nonce, flags, self.sequence)
        self.sequence = (self.sequence + 1) % 256
        self.sent_payload, self.expected = 0, None
        self.answers.clear()
        self.receiver = frames.Receiver()
        self.frame_log.clear()
        while self.to_send or not self.frame_log:
            await self.turn()
        hello = self.answers.popleft()
        expect("the answer of a reset", (hello.code, hello.identity.nonce), (frames.IDENTITY, nonce))
        expect(
            "the hello's kind and ack",
            (self.frame_log[0].kind, self.frame_log[0].ack),
            (frames.RESET, self.sequence),
        )
        self.identity = hello.identity
        if flags & 1:
            self.ports, self.now = Ports(self.rules), 0

    def queue(self, payload):
        """Puts a frame on the wire, without a look at the credits."""
        data = frames.frame(payload, self.sequence)
        self.to_send += self.wire(data) if self.wire else data
        self.sequence = (self.sequence + 1) % 256
        self.sent_payload += len(payload)

    def outstanding(self):
        return (self.sent_payload - self.credit) % 65536

    async def send(self, payload):
        """A frame, as soon as the board has room for it."""
        while self.outstanding() + len(payload) > frames.WINDOW:
            await self.turn()
        self.queue(payload)

    async def answer(self):
        while not self.answers:
            await self.turn()
        return self.answers.popleft()

    async def settle(self):
        """Until all that was sent is executed, and the board says so."""
        while self.to_send or self.outstanding():
            await self.turn()

    def check_taken(self, reference):
        expect("operations taken, with their cycles", self.taken, reference.taken)
        self.taken.clear()
        reference.taken.clear()


def done_of(answer):
    """A DONE as (cycle, port, warp, tag, offset, bytes)."""
    expect("an answer is DONE", answer.code, frames.OP)
    data = bytes(answer.rsp.data)[answer.offset : answer.offset + answer.count] if answer.data else b""
    cycle = answer.cycle if answer.timed else None
    return cycle, answer.node * CUS + answer.cu, answer.rsp.warp, answer.rsp.tag, answer.offset, data


def wanted_of(cycle, port, response, req):
    """What the host must be told of an answer."""
    offset, count = 0, 0
    if req.op == model.CU_OP["load"]:
        bits = req.mask[0] | req.mask[1] << 64
        offset, count = (bits & -bits).bit_length() - 1, bits.bit_count()
    elif req.op == model.CU_OP["atomic"]:
        count = 8
    return cycle, port, response.warp, response.tag, offset, bytes(response.data)[offset : offset + count]
