# SPDX-License-Identifier: Apache-2.0
"""Memory as a dictionary of lines, what requests do to it, and data worth writing into it."""

import random

from support import model
from support.bench import chance

# Near the borders of signed and unsigned, and few enough that a compare-exchange often meets its value.
WORDS = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80000000_00000000, 0x7FFFFFFF_FFFFFFFF, 2**64 - 1]


def some_word():
    return random.choice(WORDS) if chance(0.7) else random.getrandbits(64)


def some_line(line):
    return b"".join(some_word().to_bytes(8, "little") for _ in range(line // 8))


def some_mask(line):
    """One byte, a few, a span, or all of a line; never none."""
    start, length = random.randrange(line), random.randint(1, line)
    span = ((1 << length) - 1) << start & ((1 << line) - 1)
    return random.choice([1 << start, random.getrandbits(line) or 1, span, (1 << line) - 1])


class Image:
    """Lines by their address; a line that nobody has touched has contents of its own."""

    def __init__(self, line):
        self.line = line
        self.lines = {}

    def __getitem__(self, address):
        address &= -self.line
        if address not in self.lines:
            self.lines[address] = bytearray(some_line(self.line))
        return self.lines[address]

    def read(self, address):
        return bytes(self[address])

    def write(self, address, mask, data):
        target = self[address]
        for i in range(self.line):
            if mask[i // 64] >> i % 64 & 1:
                target[i] = data[i]

    def atomic(self, address, func, wide, data):
        """Performs it; returns the old value as an answer carries it: in bytes 0-7 of a line of zeros."""
        target, at, size = self[address], address % self.line, 8 if wide else 4
        old = int.from_bytes(target[at : at + size], "little")
        operand, compare = (int.from_bytes(bytes(data[i : i + 8]), "little") for i in (0, 8))
        new = model.atomic(func, bool(wide), old, operand, compare)
        target[at : at + size] = (new % 2 ** (8 * size)).to_bytes(size, "little")
        return old.to_bytes(self.line, "little")


def some_atomic(line_address, line):
    """Fields of an atomic of any width and function on a word of the line."""
    wide = random.getrandbits(1)
    step = 8 if wide else 4
    return {
        "func": random.choice(list(model.FUNC.values())),
        "wide": wide,
        "address": line_address + step * random.randrange(line // step),
        "data": model.data(some_line(line)),
    }
