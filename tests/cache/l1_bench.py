# SPDX-License-Identifier: Apache-2.0
"""The L1 with a compute unit before it, a level 2 behind it, and the model beside it."""

import random

from memory_image import Image, some_atomic, some_line, some_mask
from support import events, model, shape
from support.bench import Bench, chance, expect
from support.streams import Sink, Source

CONFIG = shape.config()
LINE = CONFIG.line
OP, ORDER, SCOPE, RSP = model.CU_OP, model.ORDER, model.SCOPE, model.RSP_KIND
EVENT = model.L1_EVENT
WEAK, RELAXED = ORDER["weak"], ORDER["relaxed"]
ZERO_LINE = bytes(LINE)


def request(op, warp=0, tag=0, address=0, **fields):
    return model.STRUCTS["cu_req"](op=OP[op], warp=warp, tag=tag, address=address, **fields)


def load(warp, tag, address, order=WEAK, scope=SCOPE["sys"]):
    mask = model.mask(some_mask(LINE))
    return request("load", warp, tag, address, order=order, scope=scope, mask=mask)


def store(warp, tag, address, data=None):
    data = model.data(data or some_line(LINE))
    return request("store", warp, tag, address, order=WEAK, mask=model.mask(some_mask(LINE)), data=data)


def is_strong(op):
    return op.order != WEAK and op.scope != SCOPE["cta"]


def is_bad(op):
    if op.op == OP["fence"]:
        return False
    if op.address >> 36 >= CONFIG.nodes or op.address % 2**36 >= CONFIG.memory_bytes:
        return True
    if op.op == OP["atomic"]:
        return op.address % (8 if op.wide else 4) != 0 or op.func >= len(model.FUNC)
    return not any(op.mask)


class Operations:
    """What a compute unit may ask for: few lines, so that they meet again in the caches and in the misses."""

    def __init__(self):
        reach = CONFIG.memory_bytes // LINE
        sets = random.sample(range(CONFIG.l1_sets), min(2, CONFIG.l1_sets))
        tags = random.sample(range(reach // CONFIG.l1_sets), CONFIG.l1_ways + 1)
        offsets = [(tag * CONFIG.l1_sets + index) * LINE for tag in tags for index in sets]
        self.lines = [random.randrange(CONFIG.nodes) << 36 | offset for offset in offsets]
        self.tags = [0] * CONFIG.warps

    def some(self, fences=0.08, bad=0.03):
        warp = random.randrange(CONFIG.warps)
        tag, self.tags[warp] = self.tags[warp], (self.tags[warp] + 1) % 256
        if chance(fences):
            order = ORDER[random.choice(["acquire", "release", "acq_rel"])]
            return request("fence", warp, tag, order=order, scope=random.randrange(3))
        line = random.choice(self.lines)
        draw = random.random()
        if draw < 0.6:
            order = WEAK if chance(0.7) else RELAXED
            op = load(warp, tag, line + random.randrange(LINE), order, random.randrange(3))
        elif draw < 0.85:
            op = store(warp, tag, line + random.randrange(LINE))
        else:
            scope = random.randrange(3)
            op = request("atomic", warp, tag, order=RELAXED, scope=scope, **some_atomic(line, LINE))
        return self._spoil(op) if chance(bad) else op

    @staticmethod
    def _spoil(op):
        """The same operation, made one that no memory could serve."""
        choice = random.randrange(3)
        if choice == 0:
            op.address = random.randrange(CONFIG.nodes, 16) << 36 | op.address % 2**36
        elif choice == 1:
            op.address += random.choice([CONFIG.memory_bytes, 1 << 35])
        elif op.op == OP["atomic"]:
            unknown = random.randrange(len(model.FUNC), 16)
            op.address, op.func = random.choice([(op.address + 1, op.func), (op.address, unknown)])
        else:
            op.mask = model.mask(0)
        return op


class Level2:
    """What stands behind the L1: performs requests in order as they come, answers them in any order."""

    def __init__(self):
        self.image = Image(LINE)
        self.owed = []
        self.installs = 0.85  # share of lines that may be installed
        self.fences = []  # addresses that fences were sent to

    def take(self, message):
        answer = model.STRUCTS["l1_rsp"](cu=message.cu, id=message.id)
        if message.kind == events.WRITE:
            self.image.write(message.address, message.mask, message.data)
            return
        if message.kind == events.READ:
            answer.kind, answer.install = RSP["line"], chance(self.installs)
            answer.data = model.data(self.image.read(message.address))
        elif message.kind == events.ATOMIC:
            answer.kind = RSP["atomic"]
            old = self.image.atomic(message.address, message.func, message.wide, message.data)
            answer.data = model.data(old)
        else:
            answer.kind = RSP["fence"]
            self.fences.append(message.address)
        self.owed.append(answer)

    def answer(self):
        return self.owed.pop(random.randrange(len(self.owed)))


class Program:
    """What each operation must answer if all take effect in the order in which they went in."""

    def __init__(self, image):
        self.initial = image
        self.image = Image(LINE)
        self.awaited = {}
        self.answered = 0

    def issue(self, op):
        key = (op.warp, op.tag)
        expect(f"tag of warp and tag {key} is free", key in self.awaited, False)
        self.awaited[key] = (1, ZERO_LINE) if is_bad(op) else (0, self._perform(op))

    def _perform(self, op):
        if op.op == OP["fence"]:
            return ZERO_LINE
        line = op.address & -LINE
        self.image.lines.setdefault(line, bytearray(self.initial.read(line)))
        if op.op == OP["load"]:
            return self.image.read(line)
        if op.op == OP["store"]:
            self.image.write(line, op.mask, op.data)
            return ZERO_LINE
        return self.image.atomic(op.address, op.func, op.wide, op.data)

    def answer(self, found):
        key = (found.warp, found.tag)
        expect(f"an answer for warp and tag {key} is awaited", key in self.awaited, True)
        error, data = self.awaited.pop(key)
        expect(f"{key} error", found.error, error)
        expect(f"{key} data", bytes(found.data)[:LINE].hex(), data.hex())
        self.answered += 1


def counts_of(event, wanted):
    """What the L1 adds to its counters for one event, as names."""
    names = ["requests"] if wanted.sent else []
    if event.kind == EVENT["op"]:
        if wanted.answered and wanted.done.error:
            return [*names, "errors"]
        names += [("loads", "stores", "atomics", "fences")[event.cu.op]]
        if event.cu.op == OP["load"] and not is_strong(event.cu):
            effects = {"hits": wanted.hit, "misses": wanted.allocated, "joins": wanted.joined}
            names += [name for name, happened in effects.items() if happened]
    elif event.kind == EVENT["response"] and event.rsp.kind == RSP["line"]:
        names += ["installs" if wanted.installed else "closed"]
    elif event.kind == EVENT["fence_done"] and wanted.cu.scope != SCOPE["cta"]:
        names += ["drops"] if wanted.cu.order in (ORDER["acquire"], ORDER["acq_rel"]) else []
    return names


class Scoreboard:
    """The model beside the unit: events as they come, messages and counts as they must follow from them."""

    def __init__(self, dut, cu):
        self.dut, self.cu = dut, cu
        self.model = model.L1(CONFIG, cu)
        self.inputs = {"cu": [], "rsp": []}  # taken by the unit, not yet in an event
        self.requests = []  # in events, not yet at the port
        self.sequence = 0
        self.last_counts = 0
        self.seen = set()

    def check(self):
        """In every cycle, before anything is taken from the ports."""
        bits = int(self.dut.event_o.value)
        event = model.unpack("l1_event", bits, LINE)
        answered, names = 0, []
        if event.valid:
            wanted = self._step(event)
            answered, names = wanted.answered, counts_of(event, wanted)
        expect("answer at the port", int(self.dut.cu_valid_o.value), answered)
        if answered:
            found = model.unpack("cu_rsp", int(self.dut.cu_rsp_o.value), LINE)
            events.compare_message("answer", "cu_rsp", found, event.done, LINE)
        self._check_counts(names)
        return event.done if answered else None

    def _step(self, event):
        what = f"event {self.sequence} {events.name_of(EVENT, event.kind)}"
        self.sequence += 1
        expect(f"{what} seq", event.seq, self.sequence % 65536)
        if event.kind == EVENT["op"]:
            self._check_input(what, "cu", "cu_req", event.cu)
        elif event.kind == EVENT["response"]:
            self._check_input(what, "rsp", "l1_rsp", event.rsp)
        wanted = events.stepped(what, self.model.step, event)
        events.compare_l1_event(what, event, wanted, LINE)
        if wanted.sent:
            self.requests.append(wanted.out)
        effects = ("hit", "joined", "closed", "installed")
        self.seen |= {(event.kind, name) for name in effects if getattr(wanted, name)}
        return wanted

    def _check_input(self, what, port, struct, found):
        expect(f"{what} belongs to something taken", bool(self.inputs[port]), True)
        taken = self.inputs[port].pop(0)
        expect(f"{what} input", model.pack(struct, found, LINE), model.pack(struct, taken, LINE))

    def _check_counts(self, names):
        """Counts stand one cycle before their event; stalls in their own cycle."""
        counts = model.unpack("l1_count", self.last_counts, LINE)
        found = [name for name, _ in counts._fields_ if name != "stalls" and getattr(counts, name)]
        expect("counts", sorted(found), sorted(names))
        self.last_counts = int(self.dut.count_o.value)
        counts = model.unpack("l1_count", self.last_counts, LINE)
        stalls = int(self.dut.cu_valid_i.value) and not int(self.dut.cu_ready_o.value)
        expect("stalls", counts.stalls, int(stalls))

    def check_request(self, message):
        expect("a request at the port belongs to an event", bool(self.requests), True)
        events.compare_message("request", "l1_req", message, self.requests.pop(0), LINE)


class Harness:
    """The L1 with a compute unit before it and a level 2 behind it."""

    def __init__(self, dut, bench, cu):
        self.dut, self.bench = dut, bench
        self.cu = Source(dut, "cu", "cu_req", LINE, data="cu_req_i")
        self.rsp = Source(dut, "rsp", "l1_rsp", LINE)
        self.req = Sink(dut, "req", "l1_req", LINE)
        self.board = Scoreboard(dut, cu)
        self.level2 = Level2()
        self.program = Program(self.level2.image)
        self.issued = []  # (cycle, operation)
        self.answers = []  # (cycle, answer)

    async def cycle(self, idle=0.0, stall=0.0, late=0.0):
        """idle: the CU offers nothing; stall: requests are not taken; late: the level 2 does not answer."""
        if not self.rsp.queue and self.level2.owed and not chance(late):
            self.rsp.feed(self.level2.answer())
        self.cu.drive(idle)
        self.rsp.drive()
        self.req.drive(stall)
        await self.bench.settle()
        done = self.board.check()
        if done:
            self.program.answer(done)
            self.answers.append((self.bench.cycle, done))
        if int(self.dut.idle_o.value):
            expect("nothing is awaited when idle", (self.program.awaited, self.board.requests), ({}, []))
        self._take()
        await self.bench.next()

    def _take(self):
        if op := self.cu.taken():
            self.board.inputs["cu"].append(op)
            self.program.issue(op)
            self.issued.append((self.bench.cycle, op))
        if response := self.rsp.taken():
            self.board.inputs["rsp"].append(response)
        if message := self.req.taken():
            self.board.check_request(message)
            self.level2.take(message)

    async def drain(self, limit=2000):
        for _ in range(limit):
            if not self.cu.queue and not self.program.awaited and not self.level2.owed:
                break
            await self.cycle()
        for _ in range(4):
            await self.cycle()
        expect("operations that were never answered", self.program.awaited, {})
        expect("inputs without an event", self.board.inputs, {"cu": [], "rsp": []})
        expect("idle", int(self.dut.idle_o.value), 1)


async def start(dut, cu=None):
    cu = random.randrange(CONFIG.cus) if cu is None else cu
    idle = {"cu_valid_i": 0, "rsp_valid_i": 0, "req_ready_i": 0, "rebase_i": 0}
    bench = await Bench.start(dut, cu_i=cu, protocol_i=model.PROTOCOL["baseline"], **idle)
    walk = 0
    while True:
        await bench.settle()
        ready = int(dut.ready_o.value)
        await bench.next()
        if ready:
            break
        walk += 1
        expect("walk is over in time", walk <= CONFIG.l1_sets, True)
    expect("cycles of the walk", walk, CONFIG.l1_sets)
    return Harness(dut, bench, cu)
