# SPDX-License-Identifier: Apache-2.0
"""Frames between host and board through the C codec (sw/model/host_*.c, frame_rx.c), and harm to bytes."""

import ctypes
import random

from support import model

_P, _U, _SIZE = ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t
_U8, _U16, _U32, _U64 = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64
HEADER, AROUND, PAYLOAD_MAX, WINDOW, BYTES_MAX = 12, 16, 1024, 2048, 512
COMMAND_MAX = 7 + BYTES_MAX
DATA, RESET = 0, 1
NOTHING, FRAME = 0, 1  # enum weft_host_found
TAKEN, OBEYED = 1, 2  # enum weft_frame_rx_result
READ, WRITE, PEEK, POKE, FILL, ECHO, RUN, UNTIL, FREE, ZERO, CANCEL = range(1, 12)
REPORT, IDENTITY, REFUSED, OP = 0x40, 0x41, 0x42, 0x80
CUT, NO_PORT, IN_FLIGHT, BAD_SIZE, BAD_FIELD, BAD_ADDRESS = range(2, 8)
STOP_ANSWER, STOP_LIMIT, STOP_FLAG = 1, 2, 3


class Header(ctypes.Structure):
    _fields_ = [("kind", _U8), ("sequence", _U8), ("ack", _U8), ("length", _U16), ("credit", _U16)]


class Counts(ctypes.Structure):
    _fields_ = [("bytes", _U32), ("header", _U16), ("crc", _U16), ("sequence", _U16), ("room", _U16)]

    def values(self):
        return tuple(getattr(self, name) for name, _ in self._fields_)


class _Receiver(ctypes.Structure):
    _fields_ = [(name, _U32) for name in ("place", "at", "crc", "sent_crc")]
    _fields_ += [("header", Header), ("version", _U8), ("head", _U8 * HEADER)]
    _fields_ += [("payload", _U8 * PAYLOAD_MAX), ("counts", Counts)]


class _FrameRx(ctypes.Structure):
    _fields_ = [("receiver", _Receiver), ("room", ctypes.c_bool), ("expected", _U8)]
    _fields_ += [("taken", _U16), ("executed", _U16), ("nonce", _U32), ("flags", _U8)]


class Identity(ctypes.Structure):
    _fields_ = [("magic", _U32), ("version", _U8), ("abi", _U32), ("hash", _U8 * 32), ("clock", _U32)]
    _fields_ += [
        (name, _U8) for name in "faults nodes memories cus warps outstanding line banks memory_log2".split()
    ]
    _fields_ += [("counters", _U16), ("window", _U16), ("nonce", _U32)]


class Command(ctypes.Structure):
    _fields_ = [
        ("code", _U8),
        ("address", _U64),
        ("count", _U32),
        ("value", _U32),
        ("flags", _U8),
        ("step", _U8),
    ]
    _fields_ += [("node", _U8), ("cu", _U8), ("timed", _U8), ("issue", _U32)]
    _fields_ += [("req", model.STRUCTS["cu_req"]), ("bytes", _U8 * BYTES_MAX)]


class Answer(ctypes.Structure):
    _fields_ = [("code", _U8), ("address", _U64), ("count", _U32), ("reason", _U8), ("command", _U8)]
    _fields_ += [("place", _U16), ("cycle", _U64), ("node", _U8), ("cu", _U8), ("timed", _U8), ("data", _U8)]
    _fields_ += [("offset", _U8), ("rsp", model.STRUCTS["cu_rsp"]), ("counts", Counts)]
    _fields_ += [("identity", Identity), ("bytes", _U8 * BYTES_MAX)]


_frame_write = model._function("weft_host_frame_write", _SIZE, _P, _P, _P)
_receiver_reset = model._function("weft_host_receiver_reset", None, _P)
_receive = model._function("weft_host_receive", _U, _P, _U8)
_rx_reset = model._function("weft_frame_rx_reset", None, _P)
_rx_size = model._function("weft_frame_rx_size", _SIZE)
_rx_step = model._function("weft_frame_rx_step", _U, _P, _U8)
_rx_execute = model._function("weft_frame_rx_execute", None, _P, _U)
_command_write = model._function("weft_host_command_write", _SIZE, _P, _U, _P)
_command_read = model._function("weft_host_command_read", _U, _P, _P, _P, _SIZE, _P)
_answer_read = model._function("weft_host_answer_read", _SIZE, _P, _U, _P, _SIZE)
assert _rx_size() == ctypes.sizeof(_FrameRx)


def frame(payload=b"", sequence=0, kind=DATA, ack=0, credit=0):
    """The bytes of a frame."""
    header = Header(kind, sequence & 255, ack, len(payload), credit & 0xFFFF)
    out = (_U8 * (AROUND + len(payload)))()
    size = _frame_write(ctypes.byref(header), bytes(payload), out)
    return bytes(out[:size])


def reset(nonce, flags=0, sequence=0):
    return frame(nonce.to_bytes(4, "little") + bytes([flags]), sequence, RESET)


class Receiver:
    """sw/model/host_frame.c: what comes from the board."""

    def __init__(self):
        self.state = _Receiver()
        _receiver_reset(ctypes.byref(self.state))

    def step(self, byte):
        """(header, payload) of a frame that is whole with this byte, else None."""
        if _receive(ctypes.byref(self.state), byte) != FRAME:
            return None
        header = Header.from_buffer_copy(self.state.header)
        return header, bytes(self.state.payload[: header.length])


class FrameRx:
    """sw/model/frame_rx.c."""

    def __init__(self):
        self.state = _FrameRx()
        _rx_reset(ctypes.byref(self.state))

    def step(self, byte):
        return _rx_step(ctypes.byref(self.state), byte)

    def execute(self, count):
        _rx_execute(ctypes.byref(self.state), count)

    def payload(self):
        return bytes(self.state.receiver.payload[: self.state.receiver.header.length])

    def counts(self):
        return self.state.receiver.counts.values()


def write(line, code, **fields):
    """The bytes of a command."""
    command = Command(code=code, **fields)
    out = (_U8 * COMMAND_MAX)()
    size = _command_write(ctypes.byref(command), line, out)
    assert size, f"no such command: {code:#x} {fields}"
    return bytes(out[:size])


def read(identity, data):
    """(reason of refusal, command, bytes) of the command that data begins with, as the board reads it."""
    command, used = Command(), _SIZE()
    reason = _command_read(
        ctypes.byref(command), ctypes.byref(identity), bytes(data), len(data), ctypes.byref(used)
    )
    return reason, command, used.value


def answers(line, payload):
    """The answers of a payload, or None if one of them is none."""
    found = []
    while payload:
        answer = Answer()
        used = _answer_read(ctypes.byref(answer), line, bytes(payload), len(payload))
        if not used:
            return None
        found.append(answer)
        payload = payload[used:]
    return found


# ---------------------------------------------------------------- what happens to bytes


def harm(data):
    """Bytes with one thing wrong: lost, doubled, flipped, cut, or garbage in it, often like a frame."""
    data = bytearray(data)
    at = random.randrange(len(data))
    kind = random.choice(["lose", "double", "flip", "cut", "insert", "sync", "cut header"])
    if kind == "lose":
        del data[at]
    elif kind == "double":
        data.insert(at, data[at])
    elif kind == "flip":
        data[at] ^= 1 << random.randrange(8)
    elif kind == "cut":
        del data[at:]
    elif kind == "insert":
        data[at:at] = random.randbytes(random.randrange(1, 20))
    elif kind == "sync":
        data[at:at] = b"\x57\xa9" + random.randbytes(random.randrange(12))
    else:
        data[at:at] = frame(random.randbytes(3))[: random.randrange(1, 16)]
    return bytes(data)
