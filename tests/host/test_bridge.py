# SPDX-License-Identifier: Apache-2.0
"""The bridge between frames and a fabric's ports: exact time, every command, refusals, harm."""

import pathlib
import random

import bridge_board
import cocotb
import frames
import host_map
import pytest
from bridge_board import (
    CUS,
    LINE,
    MEMORY,
    NODES,
    PORTS,
    TAGS,
    VALUES,
    WARPS,
    Board,
    Reference,
    Rules,
    done_of,
    wanted_of,
)
from support import model
from support.bench import LONG, chance, expect, rounds
from support.figures import figure
from support.runner import HASH, Mutant, Unit

HERE = pathlib.Path(__file__).parent
PARTS = "frame_rx frame_tx port_queue bridge_time bridge_answers bridge_notices bridge_check".split()
PARTS += ["bridge_commands", "bridge"]
BRIDGE = Unit(
    "bridge",
    [
        *host_map.sources("tiny"),
        "host/host_frame_pkg.sv",
        "common/fifo.sv",
        "common/ram.sv",
        *(f"host/{part}.sv" for part in PARTS),
    ],
)
MUTANTS = [
    Mutant("unsorted", "at_end_q     <= !goes_first(issue_q[tail], tail[TagBits+:WarpBits]);",
           "at_end_q     <= 1'b1;"),
    Mutant("shows_early", "if (due[p] && (!shown_q[p] || tick_i)) settled_o = 1'b0;",
           "if (due[p] && !shown_q[p]) settled_o = 1'b0;"),
    Mutant("runs_on", "tick_d = run_q && known && !at_limit && !answered && settled_i",
           "tick_d = run_q && known && !at_limit && settled_i"),
    Mutant("forgets_room", "settled_i && room_i &&", "settled_i &&"),
    Mutant("tags_twice", "end else if (op_busy_i) begin", "end else if (1'b0) begin"),
    Mutant("stopped_first", "if (empty_i) begin", "if (1'b1) begin"),
    Mutant("cancel_frees_all", "busy_q    <= busy_q & ~waits_q;", "busy_q    <= '0;"),
]  # fmt: skip


class Slots:
    """Warps and tags that are free."""

    def __init__(self):
        self.free = {
            (port, warp, tag) for port in range(PORTS) for warp in range(WARPS) for tag in range(TAGS)
        }
        self.used = {}  # slot to its request

    def any(self):
        return random.choice(sorted(self.free)) if self.free else None

    def take(self, slot, req):
        self.free.discard(slot)
        self.used[slot] = req

    def give_back(self, slot):
        self.free.add(slot)
        return self.used.pop(slot)


def any_req(slot):
    """An operation of any kind for a place."""
    _, warp, tag = slot
    op = random.choice(["load", "store", "atomic", "fence"])
    req = model.STRUCTS["cu_req"](warp=warp, tag=tag, op=model.CU_OP[op], order=random.randrange(5))
    req.scope, req.attr = random.randrange(3), random.randrange(16)
    req.address = random.getrandbits(40)
    first = req.address % LINE
    bits, data = 0, bytes(LINE)
    if op in ("load", "store"):
        size = random.randint(1, LINE - first)
        bits = ((1 << size) - 1) << first
    if op == "store":
        if chance(0.3):
            bits = random.getrandbits(LINE) | 1 << random.randrange(LINE)
        data = bytes(random.getrandbits(8) if bits >> i & 1 else 0 for i in range(LINE))
    if op == "atomic":
        req.func, req.wide = random.randrange(10), random.randrange(2)
        count = 16 if req.func == model.FUNC["cas"] else 8
        data = random.randbytes(count) + bytes(LINE - count)
    req.mask, req.data = model.mask(bits), model.data(data)
    return req


def op_bytes(port, req, issue=None):
    timed = {} if issue is None else {"timed": 1, "issue": issue & 0xFFFFFFFF}
    return frames.write(LINE, frames.OP, node=port // CUS, cu=port % CUS, req=req, **timed)


def run_bytes(limit, to_answer):
    return frames.write(LINE, frames.RUN, flags=int(to_answer), value=limit & 0xFFFFFFFF)


async def stopped(board, slots):
    """The DONEs before a STOPPED, and it."""
    done = []
    while True:
        answer = await board.answer()
        if answer.code == frames.RUN:
            return done, (answer.reason, answer.cycle)
        done.append(done_of(answer))


def same_answers(found, wanted, slots):
    """wanted: (cycle, port, response)."""
    told = [wanted_of(*entry, slots.give_back((entry[1], entry[2].warp, entry[2].tag))) for entry in wanted]
    expect("answers", sorted(found), sorted(told))


@cocotb.test()
async def identity(dut):
    board = await Board.start(dut)
    i = board.identity
    shape = (
        i.nodes,
        i.memories,
        i.cus,
        i.warps,
        i.outstanding,
        i.line,
        i.banks,
        1 << i.memory_log2,
        i.faults,
    )
    keys = "nodes memories cus warps outstanding line l2.banks memory.bytes faults".split()
    expect("shape", shape, tuple(VALUES[key] for key in keys))
    expect("magic, version, ABI", (i.magic, i.version, i.abi), (0x54464557, 1, 1))
    expect("hash", bytes(i.hash).hex(), HASH)
    expect("counters", i.counters, len(host_map.counters("tiny")))
    expect("window, clock", (i.window, i.clock), (frames.WINDOW, 0))
    expect("address of the flags", host_map.addresses()["status.flags"], bridge_board.FLAGS)


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.6], ready=[100, 40])
async def exact_time(dut, stall, ready):
    """Operations of any kind, issued anywhere ahead, sent in any order: the cycles of the reference."""
    rules = Rules(ready=ready)
    board, reference, slots = await Board.start(dut, rules), Reference(rules), Slots()
    board.stall, board.idle = stall, stall / 2
    for _ in range(rounds(40)):
        payload = b""
        for _ in range(random.randrange(5)):
            slot = slots.any()
            if slot:
                req, issue = any_req(slot), reference.now + random.choice([0, 0, 1, random.randrange(30)])
                slots.take(slot, req)
                reference.submit(slot[0], issue, req)
                payload += op_bytes(slot[0], req, issue)
        limit, to_answer = reference.now + random.choice([0, 1, 5, 60]), chance(0.8)
        await board.send(payload + run_bytes(limit, to_answer))
        wanted, reason = reference.run(limit, to_answer)
        found, stop = await stopped(board, slots)
        expect("why and when it stopped", stop, (reason, reference.now))
        same_answers(found, wanted, slots)
        board.check_taken(reference)
        if chance(0.05):
            await board.send(frames.write(LINE, frames.CANCEL))
            gone = [entry[3] for queue in reference.waiting for entry in queue]
            for port, queue in enumerate(reference.waiting):
                for entry in queue:
                    slots.give_back((port, entry[3].warp, entry[3].tag))
            for port, req in enumerate(reference.shown):
                if req is not None:
                    slots.give_back((port, req.warp, req.tag))
                    gone.append(req)
            answer = await board.answer()
            expect("cancelled", (answer.code, answer.count), (frames.CANCEL, reference.cancel()))
            expect("cancelled", answer.count, len(gone))


@cocotb.test()
async def time_wraps(dut):
    """Cycles are compared the nearer way round: the counter is set near the end of its low half."""
    rules = Rules()
    board, reference, slots = await Board.start(dut, rules), Reference(rules), Slots()
    await board.settle()
    dut.i_time.now_q.value = board.now = reference.now = (1 << 32) - 40
    dut.i_time.next_q.value = board.now + 1
    for _ in range(20):
        slot = slots.any()
        req, issue = any_req(slot), reference.now + random.randrange(12)
        slots.take(slot, req)
        reference.submit(slot[0], issue, req)
        limit = reference.now + 30
        await board.send(op_bytes(slot[0], req, issue) + run_bytes(limit, True))
        wanted, reason = reference.run(limit, True)
        found, stop = await stopped(board, slots)
        expect("why and when it stopped", stop, (reason, reference.now))
        same_answers(found, [(cycle & 0xFFFFFFFF, *rest) for cycle, *rest in wanted], slots)
        board.check_taken(reference)
    expect("it wrapped", reference.now > 1 << 32, True)


@cocotb.test()
async def until_a_flag(dut):
    """Steps of the size asked for, the flag looked at before each."""
    board = await Board.start(dut)
    for _ in range(rounds(12)):
        begin, step, mask = board.now, random.randint(1, 40), 1 << random.randrange(3)
        at, limit = begin + random.randrange(100), begin + random.randint(1, 120)
        board.flags = lambda now, at=at, mask=mask: mask if now >= at else 7 & ~mask
        await board.send(frames.write(LINE, frames.UNTIL, flags=mask, step=step, value=limit))
        answer, now = await board.answer(), begin
        while now < at and now < limit:
            now = min(now + step, limit)
        reason = frames.STOP_FLAG if now >= at else frames.STOP_LIMIT
        expect(
            "why and when it stopped", (answer.code, answer.reason, answer.cycle), (frames.RUN, reason, now)
        )
        if chance(0.3):
            await board.send(frames.write(LINE, frames.ZERO))
            await board.settle()
            board.now = 0


def any_plain(board, memory, registers):
    """A command that is no operation: its bytes, and what must be answered: (code, count, bytes) or None."""
    kind = random.choice(["read", "write", "peek", "poke", "fill", "echo", "nop"])
    lines = MEMORY // LINE
    if kind == "read":
        address, count = 4 * random.randrange(40), random.randint(1, random.choice([3, 64]))
        words = [registers.get(address + 4 * i, 0) for i in range(count)]
        wanted = frames.READ, count, b"".join(word.to_bytes(4, "little") for word in words)
        return frames.write(LINE, frames.READ, address=address, count=count), wanted
    if kind == "write":
        address, value = 4 * random.randrange(40), random.getrandbits(32)
        registers[address] = value
        return frames.write(LINE, frames.WRITE, address=address, value=value), None
    if kind in ("peek", "poke"):
        count = random.randint(1, random.choice([2, 512 // LINE]))
        home, line = random.randrange(NODES), random.choice([random.randrange(8), lines - count])
        address = home << 36 | line * LINE
        if kind == "poke":
            data = random.randbytes(count * LINE)
            for i in range(count):
                memory[address + i * LINE] = int.from_bytes(data[i * LINE : (i + 1) * LINE], "little")
            padded = data + bytes(frames.BYTES_MAX - len(data))
            body = (frames._U8 * frames.BYTES_MAX)(*padded)
            return frames.write(LINE, frames.POKE, address=address, count=count, bytes=body), None
        data = b"".join(memory.get(address + i * LINE, 0).to_bytes(LINE, "little") for i in range(count))
        return frames.write(LINE, frames.PEEK, address=address, count=count), (frames.PEEK, count, data)
    if kind == "fill":
        count, value = random.randint(1, 12), random.getrandbits(32)
        address = random.randrange(NODES) << 36 | random.randrange(lines - count) * LINE
        for i in range(count):
            memory[address + i * LINE] = int.from_bytes(value.to_bytes(4, "little") * (LINE // 4), "little")
        return frames.write(LINE, frames.FILL, address=address, count=count, value=value), None
    if kind == "echo":
        data = random.randbytes(random.randint(1, random.choice([8, 255])))
        body = (frames._U8 * frames.BYTES_MAX)(*data)
        return frames.write(LINE, frames.ECHO, count=len(data), bytes=body), (frames.ECHO, len(data), data)
    return b"\0", None


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.5])
async def registers_memory_echo(dut, stall):
    """Everything that is no operation, several commands to a frame, many frames ahead."""
    board = await Board.start(dut)
    board.stall = stall
    memory, registers, wanted = {}, {}, []
    for _ in range(rounds(40)):
        payload = b""
        for _ in range(random.randint(1, 4)):
            data, answer = any_plain(board, memory, registers)
            if len(payload) + len(data) > frames.PAYLOAD_MAX:
                break
            payload += data
            wanted += [answer] if answer else []
        await board.send(payload)
    await board.settle()
    found = [
        (answer.code, answer.count, bytes(answer.bytes)[: len(want[2])])
        for answer, want in zip(board.answers, wanted)
    ]
    expect("answers", found, wanted)
    expect("their number", len(board.answers), len(wanted))
    expect("memory", board.memory, memory)
    expect("registers", board.registers, registers)


@cocotb.test()
async def free_time(dut):
    """Time runs by itself: every operation is answered once, with its data, also if read slowly."""
    board, slots, count = await Board.start(dut, Rules(ready=90, slowest=20)), Slots(), 0
    await board.send(frames.write(LINE, frames.FREE))
    board.stall = 0.7
    for _ in range(rounds(60)):
        payload = b""
        for _ in range(random.randint(1, 6)):
            slot = slots.any()
            if slot:
                req = any_req(slot)
                slots.take(slot, req)
                payload += op_bytes(slot[0], req)
                count += 1
        if payload:
            await board.send(payload)
        while board.answers or not slots.free:
            answer = done_of(await board.answer())
            slot, response = answer[1:4], model.STRUCTS["cu_rsp"](warp=answer[2], tag=answer[3])
            req = slots.give_back(slot)
            response.data = model.data(board.rules.data(req).to_bytes(LINE, "little"))
            expect("answer", answer, wanted_of(None, slot[0], response, req))
    while slots.used:
        slots.give_back(done_of(await board.answer())[1:4])
    expect("operations taken", len(board.taken), count)
    await board.send(run_bytes(0, False))
    answer = await board.answer()
    expect(
        "time stands", (answer.code, answer.reason, answer.cycle), (frames.RUN, frames.STOP_LIMIT, board.now)
    )


@cocotb.test()
async def answers_that_nobody_reads(dut):
    """The line does not move while all that can be in flight is answered: time waits, nothing is lost."""
    board, slots = await Board.start(dut, Rules(ready=100, slowest=2)), Slots()
    await board.send(frames.write(LINE, frames.FREE))
    board.stall = 1.0
    for slot in sorted(slots.free):
        req = model.STRUCTS["cu_req"](
            warp=slot[1], tag=slot[2], op=model.CU_OP["load"], address=LINE * slot[2]
        )
        req.mask = model.mask((1 << LINE) - 1)
        slots.take(slot, req)
        board.queue(op_bytes(slot[0], req))
    for _ in range(60 * len(slots.used)):
        await board.turn()
    board.stall = 0.0
    while slots.used:
        answer = done_of(await board.answer())
        req = slots.give_back(answer[1:4])
        expect("data", answer[5], board.rules.data(req).to_bytes(LINE, "little"))


def broken_command(identity, busy, wanted):
    """Bytes that the codec refuses for this reason; busy: a place in flight, or None."""
    while True:
        slot = (random.randrange(PORTS), random.randrange(WARPS), random.randrange(TAGS))
        slot = busy if busy and chance(0.3) else slot
        kinds = [op_bytes(slot[0], any_req(slot), 7), any_plain(None, {}, {})[0], random.randbytes(20)]
        data = bytearray(random.choice(kinds))
        if chance(0.8):
            data[random.randrange(min(len(data), 15))] = random.getrandbits(8)
        if chance(0.3):
            del data[random.randrange(1, len(data) + 1) :]
        reason, command, used = frames.read(identity, data)
        place = command.node * CUS + command.cu, command.req.warp, command.req.tag
        if reason == 0 and command.code == frames.OP and place == busy:
            reason = frames.IN_FLIGHT
            del data[used:]
        if reason == wanted:
            return bytes(data)


@cocotb.test()
async def refusals(dut):
    """A whole frame with a command that is none: refused for the codec's reason, and nothing more done."""
    board = await Board.start(dut)
    for turn in range(rounds(56)):
        await board.connect(zeros=0)
        before, busy, reason = frames.write(LINE, frames.ZERO), None, 1 + turn % frames.BAD_ADDRESS
        if reason == frames.IN_FLIGHT or chance(0.3):
            busy = random.randrange(PORTS), random.randrange(WARPS), random.randrange(TAGS)
            before += op_bytes(busy[0], any_req(busy), 1000)
        data = broken_command(board.identity, busy, reason)
        await board.send(before + data)
        await board.send(frames.write(LINE, frames.WRITE, address=4, value=1) + run_bytes(100, False))
        await board.settle()
        while board.answers[0].code == frames.ECHO:
            board.answers.popleft()  # as far as it came
        found = [(answer.code, answer.reason, answer.command, answer.place) for answer in board.answers]
        expect("refused", found, [(frames.REFUSED, reason, data[0], len(before))])
        expect("registers written, cycles", (board.register_log, board.now), ([], 0))


@cocotb.test()
async def a_wire_that_errs(dut):
    """Frames are harmed, and sent again from the one expected: every command is done once, in order."""
    board = await Board.start(dut)
    board.idle = 0.2
    sent, counted = [], 0  # payloads by number since the connection
    base = board.sequence
    for _ in range(rounds(40)):
        number = len(sent)
        sent.append(
            b"".join(
                frames.write(LINE, frames.WRITE, address=4 * i, value=number)
                for i in range(random.randint(1, 4))
            )
        )
        data = frames.frame(sent[number], base + number)
        board.to_send += frames.harm(data) if chance(0.4) else data
        while board.to_send:
            await board.turn()
        for _ in range(3):
            # Some answer must come, if only of what could not be taken; else it was lost without a trace.
            for _ in range(250):
                await board.turn()
            accepted = (board.ack - base) % 256
            if accepted == (number + 1) % 256:
                break
            await resend(board, sent, base, number)
        expect("accepted in the end", (board.ack - base) % 256, (number + 1) % 256)
    wanted = [(4 * i, number) for number, payload in enumerate(sent) for i in range(len(payload) // 8)]
    expect("registers written", board.register_log, wanted)
    reports = [answer for answer in board.answers if answer.code == frames.REPORT]
    counted = reports[-1].counts.values() if reports else (0,)
    expect("dropped bytes are reported", counted[0] > 0, True)


async def resend(board, sent, base, number):
    """Zeros end what the receiver waits for; then everything from the expected number on."""
    first = number - (number + 1 - (board.ack - base)) % 256 + 1
    board.to_send += bytes(frames.PAYLOAD_MAX + frames.AROUND)
    for again in range(first, number + 1):
        board.to_send += frames.frame(sent[again], base + again)
    while board.to_send:
        await board.turn()


@cocotb.test()
async def reset_amid_everything(dut):
    """A reset is obeyed while time runs and commands are half done; then all is as at first."""
    for _ in range(rounds(8)):
        rules = Rules()
        board, reference, slots = await Board.start(dut, rules), Reference(rules), Slots()
        payload = frames.write(LINE, frames.FREE) if chance(0.5) else b""
        for _ in range(8):
            slot = slots.any()
            req = any_req(slot)
            slots.take(slot, req)
            payload += op_bytes(slot[0], req, random.randrange(50))
        board.queue(payload + run_bytes(1 << 30, chance(0.5)))
        board.queue(frames.write(LINE, frames.READ, address=0, count=64) * 8)
        board.stall = 0.3
        for _ in range(random.randrange(1200)):
            await board.turn()
        board.stall = 0.0
        await board.connect()
        board.taken.clear()
        slots = Slots()
        slot = slots.any()
        req = any_req(slot)
        slots.take(slot, req)
        reference.submit(slot[0], 3, req)
        await board.send(op_bytes(slot[0], req, 3) + run_bytes(200, True))
        wanted, reason = reference.run(200, True)
        found, stop = await stopped(board, slots)
        expect("why and when it stopped", stop, (reason, reference.now))
        same_answers(found, wanted, slots)
        board.check_taken(reference)


def load_bytes(slots):
    """A load of four bytes for a place that is free."""
    slot = min(slots.free)
    req = model.STRUCTS["cu_req"](warp=slot[1], tag=slot[2], op=model.CU_OP["load"], address=64 + 4 * slot[2])
    req.mask = model.mask(0xF << req.address % LINE)
    slots.take(slot, req)
    return op_bytes(slot[0], req)


@cocotb.test(skip="outstanding=4" not in bridge_board.SHAPE)
async def operations_per_byte(dut):
    """Free time, loads of four bytes, as many at once as there are tags: the wire is what limits."""
    board, slots, count = await Board.start(dut, Rules(ready=100, slowest=4)), Slots(), 0
    await board.send(frames.write(LINE, frames.FREE))
    await board.settle()
    begin, total, sent = board.bench.cycle, rounds(320), 0
    while count < total:
        payload = b""
        while len(slots.free) > PORTS * WARPS * TAGS // 2 and sent < total:
            payload += b"".join(load_bytes(slots) for _ in range(8))
            sent += 8
        if payload:
            await board.send(payload)
        await board.turn()
        while board.answers:
            slots.give_back(done_of(board.answers.popleft())[1:4])
            count += 1
    cycles = board.bench.cycle - begin
    # 11 bytes each, and their share of a frame's 16.
    figure("bridge", "loads of 4 bytes", count=count, cycles=cycles, per_cycle=0.8 / (11 + 16 / 8))


def run(shape=(), **options):
    BRIDGE.run(__file__, overrides=shape, env={"WEFT_SHAPE": " ".join(shape)}, **options)


SIXTY_FOUR = ("warps=4", "outstanding=4")  # operations in flight, where the wire is to be the limit


def measure(**options):
    run(SIXTY_FOUR, cases="operations_per_byte", **options)


def test_bridge():
    run()


def test_throughput():
    measure()


@pytest.mark.parametrize(
    "shape", [("nodes=3", "cus=1", "line=128", "warps=3", "outstanding=1")], ids=" ".join
)
def test_other_shape(shape):
    run(shape, cases="exact_time.*stall=0.0.*ready=40|registers.*stall=0.0|refusals")


# Where each is found: a board that is wrong keeps the other cases waiting.
FOUND_BY = {"forgets_room": "answers_that_nobody_reads", "tags_twice": "refusals"}


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[:2], ids=lambda mutant: mutant.name)
def test_broken_bridge_is_noticed(mutant):
    shape = SIXTY_FOUR if mutant.name == "forgets_room" else ()
    run(shape, mutant=mutant, cases=FOUND_BY.get(mutant.name, "exact_time.*"))
