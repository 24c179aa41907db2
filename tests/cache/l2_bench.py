# SPDX-License-Identifier: Apache-2.0
"""An L2 bank with its world around it and the model beside it."""

import random
from collections import Counter, deque

from l2_world import HOME_SHIFT, ComputeUnits, Memory, OtherNodes, Place
from memory_image import Image
from support import events, model, shape
from support.bench import Bench, chance, expect
from support.streams import Sink, Source

CONFIG = shape.config()
LINE = CONFIG.line
EVENT, RSP = model.L2_EVENT, model.RSP_KIND
SOURCES = {"cu": "l1_req", "req": "req", "fwd": "fwd", "rsp": "rsp", "mem": "mem_rsp"}
SINKS = {"l1": "l1_rsp", "req": "req", "fwd": "fwd", "rsp": "rsp", "mem": "mem_req"}
LATE = 2  # cycles from taking an input to its event


class Truth:
    """Local lines as one memory that performs every home step at once, whatever caches and tables do."""

    def __init__(self, place, memory):
        self.place, self.memory = place, memory
        self.image = Image(LINE)

    def home_step(self, request, effects):
        line = request.address & -LINE
        self.image.lines.setdefault(line, bytearray(self.memory.image.read(line)))
        if request.kind == events.WRITE:
            self.image.write(line, request.mask, request.data)
            return
        if request.kind == events.READ:
            wanted = self.image.read(line)
        else:
            wanted = self.image.atomic(request.address, request.func, request.wide, request.data)
        answer = effects.out_l1 if request.src == self.place.node else effects.out_rsp
        expect(f"answer from line {line:#x}", bytes(answer.data)[:LINE].hex(), wanted.hex())

    def compare_memory(self):
        for line, data in self.image.lines.items():
            expect(f"memory at {line:#x}", self.memory.image.read(line).hex(), bytes(data).hex())


class Scoreboard:
    """Events as they come, against the model; messages as they must follow from them; counts at the end."""

    def __init__(self, dut, place, protocol, truth):
        self.dut, self.place, self.truth = dut, place, truth
        self.model = model.L2(CONFIG, protocol, place.node, place.bank)
        self.inputs = {name: deque() for name in SOURCES}  # fed to the unit, not yet in an event
        self.outputs = {name: deque() for name in SINKS if name != "fwd"}  # in events, not yet at the port
        self.counters = model.Counters()
        self.counted = Counter()
        self.waiting = deque([False] * LATE)  # of the last cycles: was an input offered, and did it stall
        self.stalls = deque([False] * LATE)
        self.sequence = 0
        self.seen = Counter()

    def check(self, offered):
        """In every cycle, before anything is taken from the ports."""
        event = model.unpack("l2_event", int(self.dut.event_o.value), LINE)
        found_dir = model.unpack("dir_event", int(self.dut.dir_event_o.value), LINE)
        if event.valid:
            self._step(event, found_dir)
        else:
            expect("directory event without an event", found_dir.valid, 0)
        self._count(offered, event.valid)

    def _step(self, event, found_dir):
        name = events.name_of(EVENT, event.kind)
        what = f"event {self.sequence} {name}"
        self.sequence += 1
        expect(f"{what} seq", event.seq, self.sequence % 65536)
        self._check_input(what, name, event)
        wanted, wanted_dir = events.stepped(what, self.model.step, event)
        events.compare_l2_event(what, event, wanted, LINE)
        events.compare_dir_event(what, found_dir, wanted_dir)
        self.counters.l2(event, wanted, wanted_dir, self.place.node, CONFIG.nodes)
        for output, queue in self.outputs.items():
            if getattr(wanted, f"sent_{output}"):
                queue.append(getattr(wanted, f"out_{output}"))
        request = wanted.req if name == "replay" else event.req
        if name == "replay" or (name in ("cu", "request") and wanted.hit and self._is_local(request)):
            self.truth.home_step(request, event)
        self._note(name, wanted, wanted_dir)

    def _is_local(self, request):
        local = request.address >> HOME_SHIFT == self.place.node
        return local and request.kind in (events.READ, events.WRITE, events.ATOMIC)

    def _note(self, name, wanted, wanted_dir):
        effects = ("hit", "allocated", "joined", "closed", "installed", "victim_dirty")
        self.seen.update([name, *(f"{name}.{effect}" for effect in effects if getattr(wanted, effect))])
        self.seen.update(f"{name}.sent_{output}" for output in SINKS if getattr(wanted, f"sent_{output}"))
        self.seen["directory.evicted"] += wanted_dir.valid and wanted_dir.evicted

    # -------- inputs

    def _check_input(self, what, name, event):
        port = {"cu": "cu", "request": "req", "response": "rsp", "memory": "mem"}.get(name)
        if name in ("inv", "mark", "seen"):
            # A MARK whose releaser is not its home is two events, and leaves the port with the second.
            halves = name == "mark" and event.fwd.releaser != event.fwd.src
            # An INV of a block is an event for each of its four lines.
            lines = name == "inv" and event.fwd.block and event.index < 3
            self._compare_input(what, "fwd", event.fwd, keep=halves or lines)
        elif port == "cu":
            self._compare_cu(what, event)
        elif port == "mem":
            message = model.STRUCTS["mem_rsp"](id=event.index, data=event.rsp.data)
            self._compare_input(what, "mem", message)
        elif port:
            self._compare_input(what, port, getattr(event, port))

    def _compare_cu(self, what, event):
        request = event.req
        fields = {
            field: getattr(request, field) for field in "kind cu id func wide address mask data".split()
        }
        message = model.STRUCTS["l1_req"](order=event.order, scope=event.scope, **fields)
        expect(f"{what} src", request.src, self.place.node)
        self._compare_input(what, "cu", message)

    def _compare_input(self, what, port, found, keep=False):
        expect(f"{what} belongs to something that came in", bool(self.inputs[port]), True)
        wanted = self.inputs[port][0] if keep else self.inputs[port].popleft()
        struct = SOURCES[port]
        expect(f"{what} input", model.pack(struct, found, LINE), model.pack(struct, wanted, LINE))

    # -------- outputs

    def check_output(self, name, message):
        if name == "fwd":
            wanted = self.model.pop_forward()
            expect("a forward at the port belongs to an event", wanted is not None, True)
        else:
            expect(f"{name}: a message at the port belongs to an event", bool(self.outputs[name]), True)
            wanted = self.outputs[name].popleft()
        events.compare_message(f"{name} at the port", SINKS[name], message, wanted, LINE)

    def outputs_left(self):
        return [name for name, queue in self.outputs.items() if queue]

    # -------- counts

    def _count(self, offered, event):
        counts = model.unpack("l2_count", int(self.dut.count_o.value), LINE)
        for field, _ in counts._fields_:
            unit, _, rest = field.partition("_")
            dotted = f"{unit}.{rest}" if unit in ("home", "release", "memory") else f"l2.{field}"
            self.counted[dotted] += getattr(counts, field)
        dir_counts = model.unpack("dir_count", int(self.dut.dir_count_o.value), LINE)
        for field, _ in dir_counts._fields_:
            self.counted[f"directory.{field}"] += getattr(dir_counts, field)
        stalled = self.waiting.popleft() and not event
        expect("a stall is an input that waited and no event", self.stalls.popleft(), stalled)
        self.waiting.append(offered)
        self.stalls.append(bool(counts.stalls))

    def compare_counters(self):
        found = {name: value for name, value in self.counted.items() if value and name != "l2.stalls"}
        expect("counters", found, self.counters.values())


class Harness:
    """One loop for all tests: what comes in is offered with idle cycles, what goes out is held up."""

    def __init__(self, dut, bench, place, protocol):
        self.dut, self.bench, self.place = dut, bench, place
        self.memory = Memory(LINE)
        self.truth = Truth(place, self.memory)
        self.board = Scoreboard(dut, place, protocol, self.truth)
        self.local = place.some_lines([place.node], CONFIG.l2_ways + 1)
        self.remote = place.some_lines(place.others, max(1, CONFIG.l2_ways))
        if protocol == "hmg":
            self.remote = place.neighbours(self.remote)
        self.cus = ComputeUnits(place, self.local + self.remote)
        self.nodes = OtherNodes(place, self.local, self.remote)
        self.nodes.block = protocol == "hmg"
        self.sources = {name: self.source(name, struct) for name, struct in SOURCES.items()}
        self.sinks = {name: self.sink(name, struct) for name, struct in SINKS.items()}
        self.held = None  # a list: the memory's answers wait there
        self.taken = {name: [] for name in SOURCES}  # cycles in which something was taken
        self.given = {name: [] for name in SINKS}

    def source(self, name, struct):
        return Source(self.dut, name, struct, LINE)

    def sink(self, name, struct):
        return Sink(self.dut, name, struct, LINE)

    def feed(self, name, message):
        if message is not None:
            self.sources[name].feed(message)
            self.board.inputs[name].append(message)

    def feed_traffic(self, forwards=0.2):
        """Something new for every input that has nothing to offer."""
        if len(self.sources["cu"].queue) < 2:
            self.feed("cu", self.cus.some())
        if self.place.others:
            if len(self.sources["req"].queue) < 2:
                self.feed("req", self.nodes.some_request())
            if not self.sources["fwd"].queue and chance(forwards):
                self.feed("fwd", self.nodes.some_forward())

    def release_memory(self):
        for answer in self.held:
            self.feed("mem", answer)
        self.held = None

    def feed_answers(self, late=0.0):
        """What the other nodes owe, in any order. (The memory's answers are fed as it is asked.)"""
        if not self.sources["rsp"].queue and self.nodes.responses and not chance(late):
            self.feed("rsp", self.nodes.some_response())
        if not self.sources["fwd"].queue and self.nodes.forwards and not chance(late):
            self.feed("fwd", self.nodes.forwards.popleft())

    async def cycle(self, idle=0.0, stall=0.0, blocked=()):
        """idle: an input offers nothing; stall: an output is not taken; blocked: it never is."""
        for source in self.sources.values():
            source.drive(idle)
        for name, sink in self.sinks.items():
            sink.drive(1.0 if name in blocked else stall)
        await self.bench.settle()
        self.board.check(any(source.offered for source in self.sources.values()))
        if int(self.dut.idle_o.value):
            left = (self.board.outputs_left(), self.cus_waiting())
            expect("what waits when idle", left, ([], 0))
        self._take()
        await self.bench.next()

    def cus_waiting(self):
        """Reads and fences taken and not answered; of atomics on their way the bank knows nothing."""
        kept = (events.READ, events.FENCE)
        fed = sum(message.kind in kept for message in self.sources["cu"].queue)
        return sum(kind != RSP["atomic"] for kind, _, _ in self.cus.awaited) - fed

    def _take(self):
        for name, source in self.sources.items():
            if source.taken() is not None:
                self.taken[name].append(self.bench.cycle)
        for name, sink in self.sinks.items():
            message = sink.taken()
            if message is not None:
                self.given[name].append(self.bench.cycle)
                self.board.check_output(name, message)
                self._deliver(name, message)

    def _deliver(self, name, message):
        if name == "l1":
            self.cus.take(message)
        elif name == "req":
            self.nodes.take_request(message)
        elif name == "fwd":
            self.nodes.take_forward(message)
        elif name == "rsp":
            self.nodes.take_response(message)
        elif self.held is None:
            self.feed("mem", self.memory.take(message))
        else:
            self.held.append(self.memory.take(message))

    # -------- the end

    def _busy(self):
        return (
            any(source.queue for source in self.sources.values())
            or self.nodes.responses
            or self.nodes.forwards
            or self.cus.awaited
            or not int(self.dut.idle_o.value)
        )

    async def drain(self, limit=5000):
        for _ in range(limit):
            if not self._busy():
                break
            self.feed_answers()
            await self.cycle()
        for _ in range(4):
            await self.cycle()
        expect("still busy", bool(self._busy()), False)
        expect("inputs without an event", [name for name, queue in self.board.inputs.items() if queue], [])
        expect("messages that never came out", self.board.outputs_left(), [])
        expect("forwards that never came out", self.board.model.pop_forward(), None)
        expect("requests of CUs that were never answered", self.cus.awaited, set())
        expect("requests of nodes that were never answered", self.nodes.awaited, set())
        expect("markers that were never acknowledged", self.nodes.markers, {})
        expect("MARKs that were never acknowledged", +self.nodes.acks, Counter())

    async def flush_and_compare(self, limit=5000):
        """Every dirty line goes to memory, which is then what all home steps made of it."""
        self.dut.flush_i.value = 1
        for _ in range(limit):
            await self.cycle()
            if int(self.dut.flushed_o.value) and int(self.dut.idle_o.value):
                break
        expect("flushed", int(self.dut.flushed_o.value), 1)
        self.dut.flush_i.value = 0
        await self.cycle()
        self.truth.compare_memory()
        self.board.compare_counters()


async def start(dut, protocol="baseline", node=None, harness=Harness):
    node = random.randrange(CONFIG.nodes) if node is None else node
    inputs = [f"{name}_valid_i" for name in SOURCES] + [f"{name}_ready_i" for name in SINKS]
    inputs = {name: 0 for name in inputs if hasattr(dut, name)}
    inputs |= {name: 0 for name in ("leases_i", "stop_i", "rebase_i") if hasattr(dut, name)}
    bench = await Bench.start(dut, self_i=node, protocol_i=model.PROTOCOL[protocol], flush_i=0, **inputs)
    directory = CONFIG.directory_entries // CONFIG.directory_ways // CONFIG.l2_banks
    walk = max(CONFIG.l2_sets, directory if CONFIG.nodes > 1 else 0)
    cycles = 0
    while True:
        await bench.settle()
        ready = int(dut.ready_o.value)
        await bench.next()
        if ready:
            break
        cycles += 1
        expect("walk is over in time", cycles <= walk, True)
    expect("cycles of the walk", cycles, walk)
    return harness(dut, bench, Place(CONFIG, node, int(dut.Bank.value)), protocol)
