# SPDX-License-Identifier: Apache-2.0
"""Reading of FST wave files as far as a test needs it: blocks, hierarchy, the time that they cover."""

import dataclasses
import struct

HEADER, GEOMETRY, HIERARCHY_LZ4, VALUES = 0, 3, 6, 8
SCOPE, UPSCOPE, ATTRIBUTE_BEGIN, ATTRIBUTE_END = 254, 255, 252, 253


@dataclasses.dataclass
class Fst:
    start: int
    end: int
    signals: dict  # path with dots: bits
    changes: int  # bytes of value changes


def blocks(data):
    """(type, content) of each; fails where the file is not whole."""
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from(">BQ", data, at)
        assert length >= 8 and at + 1 + length <= len(data), f"block at {at} is cut off"
        yield kind, data[at + 9 : at + 1 + length]
        at += 1 + length


def unpack_lz4(data, size):
    out, at = bytearray(), 0

    def length(nibble):
        nonlocal at
        total = nibble
        while nibble == 15:
            more, at = data[at], at + 1
            total += more
            if more != 255:
                break
        return total

    while at < len(data):
        token, at = data[at], at + 1
        literals = length(token >> 4)
        out += data[at : at + literals]
        at += literals
        if at >= len(data):
            break
        back, at = data[at] | data[at + 1] << 8, at + 2
        for _ in range(length(token & 15) + 4):
            out.append(out[-back])
    assert len(out) == size
    return bytes(out)


def read_hierarchy(data):
    signals, scopes, at = {}, [], 0

    def text():
        nonlocal at
        end = data.index(0, at)
        value, at = data[at:end].decode(), end + 1
        return value

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag, at = data[at], at + 1
        if tag == SCOPE:
            at += 1
            scopes.append(text())
            text()
        elif tag == UPSCOPE:
            scopes.pop()
        elif tag == ATTRIBUTE_BEGIN:
            at += 2
            text()
            number()
        elif tag != ATTRIBUTE_END:
            at += 1
            name = text()
            signals[".".join([*scopes, name])] = number()
            number()
    return signals


def read(path):
    start = end = changes = 0
    signals = {}
    for kind, content in blocks(path.read_bytes()):
        if kind == HEADER:
            start, end = struct.unpack_from(">QQ", content)
        elif kind == VALUES:
            changes += len(content)
        elif kind == HIERARCHY_LZ4:
            (size,) = struct.unpack_from(">Q", content)
            signals = read_hierarchy(unpack_lz4(content[8:], size))
    return Fst(start, end, signals, changes)
