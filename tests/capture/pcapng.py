# SPDX-License-Identifier: Apache-2.0
"""pcapng by the book (draft-ietf-opsawg-pcapng), for the tests: a reader that takes nothing for granted, and
a writer that shares no line with the tool's."""

import struct
from dataclasses import dataclass, field

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
MAGIC = 0x1A2B3C4D
USER0 = 147


class Wrong(Exception):
    """The file breaks a rule of the format."""


@dataclass
class Interface:
    link_type: int
    name: str
    about: str
    speed: int
    resolution: int  # 10^-N s


@dataclass
class Packet:
    interface: int
    time: int
    data: bytes

    @property
    def frame(self):
        return self.data[8:]

    @property
    def words(self):
        return list(struct.unpack(f">{len(self.frame) // 4}I", self.frame))


@dataclass
class File:
    hardware: str = ""
    application: str = ""
    interfaces: list = field(default_factory=list)
    packets: list = field(default_factory=list)
    packets_at: int = 0  # the first packet's block


def must(condition, text):
    if not condition:
        raise Wrong(text)


def blocks(data):
    """(offset, type, body) of each; lengths stand at both ends and are multiples of 4."""
    at = 0
    while at < len(data):
        must(at + 12 <= len(data), f"a block at {at} is cut off")
        kind, length = struct.unpack_from("<II", data, at)
        must(length >= 12 and length % 4 == 0, f"the block at {at} has length {length}")
        must(at + length <= len(data), f"the block at {at} is longer than the file")
        must(
            struct.unpack_from("<I", data, at + length - 4)[0] == length, f"the block at {at} ends otherwise"
        )
        yield at, kind, data[at + 8 : at + length - 4]
        at += length


def options(body):
    """{code: bytes}; the end is said, and padding is zero."""
    found, at = {}, 0
    while True:
        must(at + 4 <= len(body), "options without an end")
        code, length = struct.unpack_from("<HH", body, at)
        if code == 0:
            must(length == 0 and at + 4 == len(body), "something follows the end of the options")
            return found
        padded = (length + 3) & ~3
        value = body[at + 4 : at + 4 + padded]
        must(len(value) == padded and not any(value[length:]), f"option {code} is padded wrongly")
        must(code not in found, f"option {code} stands twice")
        found[code] = value[:length]
        at += 4 + padded


def _section(file, body):
    magic, major, minor, length = struct.unpack_from("<IHHq", body)
    must((magic, major, minor, length) == (MAGIC, 1, 0, -1), "a section header that is not ours")
    found = {2: b"", 4: b""} | (options(body[16:]) if len(body) > 16 else {})
    file.hardware, file.application = found[2].decode(), found[4].decode()


def _interface(file, body):
    link_type, reserved, limit = struct.unpack_from("<HHI", body)
    must(reserved == 0 and limit == 0, "an interface with a limit")
    found = {2: b"", 3: b"", 8: bytes(8), 9: b"\x06"} | options(body[8:])
    name, about = found[2].decode(), found[3].decode()
    speed, resolution = int.from_bytes(found[8], "little"), found[9][0]
    file.interfaces.append(Interface(link_type, name, about, speed, resolution))


def _packet(file, body):
    interface, high, low, captured, original = struct.unpack_from("<5I", body)
    must(interface < len(file.interfaces), "a packet of an interface that was not described")
    must(captured == original, "a packet that was cut off")
    padded = (captured + 3) & ~3
    must(len(body) == 20 + padded and not any(body[20 + captured :]), "a packet with something behind it")
    file.packets.append(Packet(interface, high << 32 | low, body[20 : 20 + captured]))


def read(data):
    file = File()
    for at, kind, body in blocks(data):
        must((kind == SECTION) == (at == 0), "a file is one section")
        if kind == PACKET and not file.packets:
            file.packets_at = at
        reader = {SECTION: _section, INTERFACE: _interface, PACKET: _packet}.get(kind)
        must(reader is not None, f"a block of type {kind}")
        must(kind != INTERFACE or not file.packets, "an interface behind packets")
        reader(file, body)
    times = [packet.time for packet in file.packets]
    must(times == sorted(times), "packets out of order")
    return file


# ---------------------------------------------------------------- writing


def _block(kind, body):
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def write(packets):
    """A file of one interface with these packets' data, one per nanosecond."""
    out = _block(SECTION, struct.pack("<IHHq", MAGIC, 1, 0, -1))
    out += _block(INTERFACE, struct.pack("<HHIHHB3xHH", USER0, 0, 0, 9, 1, 9, 0, 0))
    for time, data in enumerate(packets):
        out += _block(PACKET, struct.pack("<5I", 0, 0, time, len(data), len(data)) + data)
    return out
