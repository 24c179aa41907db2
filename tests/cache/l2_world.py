# SPDX-License-Identifier: Apache-2.0
"""What stands around an L2 bank: its node's compute units, the other nodes, the memory.

They ask only for what the protocol allows, answer all that they are asked, and notice an answer that nobody
waits for."""

import random
from collections import Counter, deque

from memory_image import Image, some_atomic, some_line, some_mask
from support import events, model
from support.bench import chance, expect

PAGE_BITS, HOME_SHIFT = 12, 36
IDS = 8  # of one kind that a compute unit, or another node, has in flight at most
FOREIGN = 32  # ids from here on are of releases that have nothing to do with this home
SCOPE, ORDER = model.SCOPE, model.ORDER
REQ, FWD, RSP = model.REQ_KIND, model.FWD_KIND, model.RSP_KIND


BLOCK_LINES = 4


class Place:
    """Where the bank is: its node, its number, and the lines that go through it."""

    def __init__(self, config, node, bank):
        self.config, self.node, self.bank = config, node, bank
        self.line = config.line
        self.others = [n for n in range(config.nodes) if n != node]
        self.sets = random.sample(range(config.l2_sets), 2)  # in which the random lines meet

    def address(self, home, number):
        """Of the bank line with this number at a home."""
        page, inside = divmod(number * self.line, 1 << PAGE_BITS)
        return home << HOME_SHIFT | (page * self.config.l2_banks + self.bank) << PAGE_BITS | inside

    def any_address(self, home):
        return self.address(home, 0)

    def some_lines(self, homes, tags):
        """Few enough to meet again, enough to overfill the two sets that all share."""
        sets = self.config.l2_sets
        reach = self.config.memory_bytes // self.config.l2_banks // self.line // sets
        chosen = random.sample(range(reach), min(tags, reach))
        numbers = [tag * sets + index for tag in chosen for index in self.sets]
        return [self.address(home, number) for home in homes for number in numbers]

    def neighbours(self, addresses):
        """All lines of the blocks that these lines are in."""
        block = BLOCK_LINES * self.line
        return sorted(
            {(address & -block) + i * self.line for address in addresses for i in range(BLOCK_LINES)}
        )


class ComputeUnits:
    """All CUs of the node, on the one stream by which their requests reach the bank."""

    def __init__(self, place, lines):
        self.place, self.lines = place, lines
        self.weights = [55, 25, 12, 8]  # of reads, writes, atomics, fences
        self.awaited = set()  # (kind of the answer, cu, id)

    def some(self):
        """A request, or None if all that the CUs may have in flight is."""
        kind = random.choices(["read", "write", "atomic", "fence"], self.weights)[0]
        cu = random.randrange(self.place.config.cus)
        if kind == "fence":
            return self.request(kind, cu, scope=random.choice([SCOPE["gpu"], SCOPE["sys"]]))
        return self.request(kind, cu, random.choice(self.lines))

    def request(self, kind, cu, address=None, scope=0):
        line = self.place.line
        message = model.STRUCTS["l1_req"](kind=REQ[kind], cu=cu, scope=scope)
        message.address = self.place.bank << PAGE_BITS if address is None else address
        if kind == "write":
            message.mask, message.data = model.mask(some_mask(line)), model.data(some_line(line))
            return message
        if kind == "atomic":
            for field, value in some_atomic(address, line).items():
                setattr(message, field, value)
        elif kind == "fence":
            message.order = ORDER[random.choice(["release", "acq_rel"])]
        answer = RSP["line" if kind == "read" else kind]
        free = [id_ for id_ in range(IDS) if (answer, cu, id_) not in self.awaited]
        if not free:
            return None
        message.id = random.choice(free)
        self.awaited.add((answer, cu, message.id))
        return message

    def take(self, message):
        key = (message.kind, message.cu, message.id)
        expect(f"an answer (kind, cu, id) {key} to a CU is awaited", key in self.awaited, True)
        self.awaited.remove(key)


class OtherNodes:
    """Requests of other nodes to this home, their part in this node's requests, and their INVs and MARKs."""

    def __init__(self, place, local, remote):
        self.place, self.local, self.remote = place, local, remote
        self.weights = [55, 25, 12, 8]  # of reads, writes, atomics, markers
        self.awaited = set()  # (kind of the answer, node, cu, id)
        self.markers = {}  # (releaser, id): nodes that have still to be marked or skipped here
        self.responses = []  # owed to the bank
        self.forwards = deque()  # owed to the bank, in order
        self.acks = Counter()  # (releaser, id) of MARKs of other homes, owed by the bank
        self.stamps = dict.fromkeys(place.others, 0)
        self.block = False  # their INVs name four lines each

    # -------- what they ask for

    def some_request(self):
        """A request to this home, or None if all that a node may have in flight is."""
        kind = random.choices(["read", "write", "atomic", "marker"], self.weights)[0]
        return self.request(kind, random.choice(self.place.others), random.choice(self.local))

    def request(self, kind, node, address):
        message = model.STRUCTS["req"](kind=REQ[kind], src=node, dst=self.place.node, address=address)
        line = self.place.line
        if kind == "write":
            message.mask, message.data = model.mask(some_mask(line)), model.data(some_line(line))
            return message
        if kind == "marker":
            return self._marker(message)
        message.cu = 0 if kind == "read" else random.randrange(self.place.config.cus)
        if kind == "atomic":
            for field, value in some_atomic(address, line).items():
                setattr(message, field, value)
        answer = RSP["line" if kind == "read" else kind]
        free = [id_ for id_ in range(IDS) if (answer, node, message.cu, id_) not in self.awaited]
        if not free:
            return None
        message.id = random.choice(free)
        self.awaited.add((answer, node, message.cu, message.id))
        return message

    def _marker(self, message):
        releases = range(self.place.config.l2_releases)
        free = [id_ for id_ in releases if (message.src, id_) not in self.markers]
        if not free:
            return None
        message.id = random.choice(free)
        message.address = self.place.any_address(self.place.node)
        self.markers[message.src, message.id] = len(self.place.others)
        return message

    def some_forward(self):
        """An INV of a line that may be here, or a MARK of another node's release."""
        if self.forwards and chance(0.7):
            return self.forwards.popleft()
        if chance(0.7):
            return self.inv(random.choice(self.remote))
        home = random.choice(self.place.others)
        releaser, id_ = random.choice(self.place.others), random.randrange(FOREIGN, 64)
        self.acks[releaser, id_] += 1
        return self._mark(home, releaser, id_)

    def inv(self, address):
        home = address >> HOME_SHIFT
        self.stamps[home] = (self.stamps[home] + 1) % 2**16
        return model.STRUCTS["fwd"](
            kind=FWD["inv"],
            src=home,
            dst=self.place.node,
            cause=random.randrange(2),
            block=self.block,
            stamp=self.stamps[home],
            address=address & -(BLOCK_LINES * self.place.line) if self.block else address,
        )

    def _mark(self, home, releaser, id_):
        return model.STRUCTS["fwd"](
            kind=FWD["mark"],
            src=home,
            dst=self.place.node,
            releaser=releaser,
            id=id_,
            stamp=self.stamps[home],
            address=self.place.any_address(home),
        )

    def some_response(self):
        return self.responses.pop(random.randrange(len(self.responses)))

    # -------- what they are asked for

    def take_request(self, message):
        home = message.address >> HOME_SHIFT
        expect("destination is the home", message.dst, home)
        if message.kind == events.MARKER:
            self._perform_marker(home, message.id)
            return
        if message.kind == events.WRITE:
            return
        answer = self._response("line" if message.kind == events.READ else "atomic", home, id=message.id)
        data = some_line(self.place.line)
        if message.kind == events.ATOMIC:
            answer.cu, answer.wide = message.cu, message.wide
            data = data[: 8 if message.wide else 4]
        answer.data = model.data(data)
        self.responses.append(answer)

    def _perform_marker(self, home, id_):
        """This node's release reaches another home, which marks some nodes and answers for the others."""
        nodes = [n for n in range(self.place.config.nodes) if n != home]
        marked = [n for n in nodes if chance(0.5)]
        if len(nodes) > len(marked):
            skipped = len(nodes) - len(marked)
            self.responses.append(self._response("ack", home, id=id_, count=skipped))
        for node in marked:
            if node == self.place.node:
                self.forwards.append(self._mark(home, node, id_))
            else:
                self.responses.append(self._response("ack", node, id=id_, count=1))

    def _response(self, kind, src, **fields):
        return model.STRUCTS["rsp"](
            kind=RSP[kind], src=src, dst=self.place.node, bank=self.place.bank, **fields
        )

    def take_forward(self, message):
        """A node applies what this home sent to it; a MARK is acknowledged to its releaser and its home."""
        if message.kind == FWD["inv"]:
            return
        if message.releaser == self.place.node:
            fields = {"id": message.id, "count": 1, "seen": 1, "stamp": message.stamp}
            self.responses.append(self._response("ack", message.dst, **fields))
            return
        self.responses.append(self._response("seen", message.dst, stamp=message.stamp))
        self._marked(message.releaser, message.id, 1)

    def take_response(self, message):
        if message.kind == RSP["ack"] and message.id < FOREIGN:
            self._marked(message.dst, message.id, message.count)
        elif message.kind == RSP["ack"]:
            key = (message.dst, message.id)
            expect(f"the MARK (releaser, id) {key} was sent", self.acks[key] > 0, True)
            self.acks[key] -= 1
        elif message.kind != RSP["seen"]:
            cu = message.cu if message.kind == RSP["atomic"] else 0
            key = (message.kind, message.dst, cu, message.id)
            expect(f"an answer (kind, node, cu, id) {key} is awaited", key in self.awaited, True)
            self.awaited.remove(key)

    def _marked(self, releaser, id_, count):
        key = (releaser, id_)
        left = self.markers.get(key, 0) - count
        expect(f"marker (releaser, id) {key} is acknowledged too often", left < 0, False)
        self.markers[key] = left
        if not left:
            del self.markers[key]


class Memory:
    """Reads and writes of whole lines, in order."""

    def __init__(self, line):
        self.image = Image(line)

    def take(self, message):
        """Performs it; returns the answer of a read."""
        if message.write:
            self.image.lines[message.address] = bytearray(bytes(message.data)[: self.image.line])
            return None
        data = model.data(self.image.read(message.address))
        return model.STRUCTS["mem_rsp"](id=message.id, data=data)
