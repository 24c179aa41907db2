# SPDX-License-Identifier: Apache-2.0
"""Valid/ready streams of packed structs: a source feeds an input of the unit, a sink reads an output.

A cycle is: drive() of every stream, settle, taken() of every stream, next. What a source offers stays until
it is taken, as units of the fabric do it; while it offers nothing, what stands at the data is of no meaning.
What a sink sees and does not take must stand until it does.
"""

import random
from collections import deque

from support import model
from support.bench import chance, expect


class Source:
    """Ports NAME_valid_i, NAME_ready_o, and the struct at NAME_i (or `data`)."""

    def __init__(self, dut, name, struct, line, data=None):
        self.name, self.struct, self.line = name, struct, line
        self._valid, self._ready = getattr(dut, f"{name}_valid_i"), getattr(dut, f"{name}_ready_o")
        self._data = getattr(dut, data or f"{name}_i")
        self._width = model.width(struct, line)
        self.queue = deque()
        self.offered = False
        self._valid.value = 0
        self._data.value = 0

    def feed(self, message):
        self.queue.append(message)

    def drive(self, idle=0.0):
        fresh = not self.offered
        self.offered = bool(self.queue) and (self.offered or not chance(idle))
        self._valid.value = self.offered
        if self.offered and fresh:
            self._data.value = model.pack(self.struct, self.queue[0], self.line)
        elif not self.offered and chance(0.2):
            self._data.value = random.getrandbits(self._width)

    def taken(self):
        """The message that passes in this cycle, or None."""
        if not self.offered or not int(self._ready.value):
            return None
        self.offered = False
        return self.queue.popleft()


class Sink:
    """Ports NAME_valid_o, NAME_ready_i, and the struct at NAME_o (or `data`)."""

    def __init__(self, dut, name, struct, line, data=None):
        self.name, self.struct, self.line = name, struct, line
        self._valid, self._ready = getattr(dut, f"{name}_valid_o"), getattr(dut, f"{name}_ready_i")
        self._data = getattr(dut, data or f"{name}_o")
        self.ready = False
        self._waiting = None
        self._ready.value = 0

    def drive(self, stall=0.0):
        self.ready = not chance(stall)
        self._ready.value = self.ready

    def taken(self):
        """The message that passes in this cycle, or None."""
        valid = int(self._valid.value)
        if self._waiting is not None:
            expect(f"{self.name}: what was offered stays offered", valid, 1)
        if not valid:
            return None
        bits = int(self._data.value)
        if self._waiting is not None:
            expect(f"{self.name}: what was offered does not change", bits, self._waiting)
        self._waiting = None if self.ready else bits
        return model.unpack(self.struct, bits, self.line) if self.ready else None
