# SPDX-License-Identifier: Apache-2.0
"""The C models of a link and of its wire for the scoreboards, and random messages to send over it."""

import ctypes
import random

from support import model

CLASSES = ("req", "fwd", "rsp")
NUMBER = model.enum("msg_class")
CLASS_NUMBER = {"req": NUMBER["request"], "fwd": NUMBER["forward"], "rsp": NUMBER["response"]}
_POINTER, _UINT = ctypes.c_void_p, ctypes.c_uint
OTHERS = 3  # after so many responses and forwards a request goes first
REQ_KINDS = ("read", "write", "atomic", "marker")
RSP_KINDS = ("line", "atomic", "ack", "seen", "wrote")
MODULES = (
    "tlp_encode",
    "tlp_decode",
    "link_frame",
    "link_gather",
    "link_message",
    "link_buffer",
    "link_rx",
    "link_replay",
    "link_words",
    "link_tx",
    "link_flight",
    "link_wire",
    "link",
)
SOURCES = ["link/weft_cost_pkg.sv", "link/weft_frame_pkg.sv", "common/ram.sv"]
SOURCES += [f"link/{name}.sv" for name in MODULES]


class _Queue(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("head", "count", "credits", "stride", "slots_at")]


class _State(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint32)
        for name in ("size", "bytes", "latency", "buffer", "line", "owed", "others", "packet", "spare")
    ]
    _fields_ += [("queue", _Queue * 3)]


class Link(model._Unit):
    """sw/model/link.c, one cycle at a time."""

    _may_start_req = model._function("weft_link_may_start_req", ctypes.c_bool, _POINTER, _POINTER)
    _start = model._function("weft_link_start", _UINT, _POINTER, _UINT, _POINTER, ctypes.c_uint64)
    _ready = model._function("weft_link_ready", ctypes.c_uint64, _POINTER, _UINT)
    _take = model._function("weft_link_take", None, _POINTER, _UINT)
    _credit = model._function("weft_link_credit", None, _POINTER, _UINT)

    def __init__(self, configuration):
        super().__init__("link", configuration)
        self.view = ctypes.cast(self.state, ctypes.POINTER(_State)).contents

    def may_start(self, name, message=None):
        """Of a class; of a request that waits, whether this one may."""
        if name == "req" and message is not None:
            return self._may_start_req(self.state, ctypes.byref(message))
        view = self.view
        free = view.owed < view.bytes and view.queue[CLASS_NUMBER[name]].credits > 0
        return free and (name == "req" or view.packet == 0)

    def request_first(self):
        return self.view.others == OTHERS

    def start(self, name, message, now):
        return self._start(self.state, CLASS_NUMBER[name], ctypes.byref(message), now)

    def readable(self, name, now):
        return self._ready(self.state, CLASS_NUMBER[name]) <= now

    def take(self, name):
        self._take(self.state, CLASS_NUMBER[name])

    def credit(self, name):
        self._credit(self.state, CLASS_NUMBER[name])

    def end_cycle(self):
        view = self.view
        room = view.bytes - view.owed
        view.spare = room if view.packet and 0 < room < view.bytes else 0
        view.owed = max(0, view.owed - view.bytes)


# ---------------------------------------------------------------- the wire


class Tlp(ctypes.Structure):
    """A decoded packet: struct weft_tlp."""

    _fields_ = [("class", _UINT)] + [(name, model.STRUCTS[name]) for name in CLASSES]
    _fields_ += [("header", _UINT), ("payload", _UINT)]


_encode = model._function("weft_tlp_encode", _UINT, _UINT, _POINTER, _UINT, _POINTER)
_decode = model._function("weft_tlp_decode", ctypes.c_bool, _POINTER, _UINT, _UINT, _POINTER)
_chunk = model._function("weft_tlp_chunk", ctypes.c_bool, _POINTER, _POINTER, _UINT, _UINT, _POINTER)
WORDS_MAX = 1029


def encode(name, message, line):
    """The words of a message on the wire, without what the link puts around them."""
    words = (ctypes.c_uint32 * WORDS_MAX)()
    count = _encode(CLASS_NUMBER[name], ctypes.byref(message), line, words)
    return list(words[:count])


def decode(words, line):
    """The packet that words are, or None."""
    out = Tlp()
    good = _decode((ctypes.c_uint32 * len(words))(*words), len(words), line, ctypes.byref(out))
    return out if good else None


def messages(words, line):
    """The messages of a packet as (class, packed bits); of a FinePack packet, head and chunks."""
    tlp = decode(words, line)
    if tlp is None:
        return []
    name = CLASSES[getattr(tlp, "class")]
    out = [(name, model.pack(name, getattr(tlp, name), line))]
    if name == "req" and tlp.req.kind == model.REQ_KIND["packet"]:
        chunk, array = model.STRUCTS["req"](), (ctypes.c_uint32 * len(words))(*words)
        while _chunk(ctypes.byref(tlp), array, len(out) - 1, line, ctypes.byref(chunk)):
            out.append(("req", model.pack("req", chunk, line)))
    return out


# ---------------------------------------------------------------- random messages


def random_run(line):
    """A byte mask of one run: a byte, a part or all of a line."""
    first = random.choice((0, random.randrange(line)))
    count = random.choice((1, line - first, random.randint(1, line - first)))
    return ((1 << count) - 1) << first


def _random_struct(name, line, **fixed):
    bits = model.width(name, line)
    message = model.unpack(name, random.getrandbits(bits), line)
    for field, value in fixed.items():
        setattr(message, field, value)
    return message


def _address_of(name, message, line):
    """An address that a message of its kind can have."""
    bank = (message.address >> 12 & 7) << 12
    if name == "fwd":
        offset = bank if message.kind == model.FWD_KIND["mark"] else message.address & (2**36 - 1) & -line
        return message.src << 36 | offset
    if message.kind == model.REQ_KIND["marker"]:
        return message.dst << 36 | bank
    return message.address & -(8 if message.kind == model.REQ_KIND["atomic"] else line)


def random_message(name, line, **fixed):
    """A message of class `name`: its kind one that links carry, what that uses at random, but for `fixed`."""
    if name == "req":
        kind = model.REQ_KIND[random.choice(REQ_KINDS)]
        func = random.randrange(len(model.FUNC))
        fixed = {"kind": kind, "func": func, "mask": model.mask(random_run(line)), **fixed}
        if fixed["kind"] == model.REQ_KIND["read"]:
            fixed["func"], held = random.randrange(2), random.randrange(1 << 16)
            if fixed["func"]:
                fixed |= {"mask": model.mask(held), "wide": 0, "cts": random.randrange(1, 1 << 16)}
    elif name == "rsp":
        fixed = {"kind": model.RSP_KIND[random.choice(RSP_KINDS)], **fixed}
    timeless = {"req": {"cts": 0}, "rsp": {"wts": 0, "rts": 0}}.get(name, {})
    message = _random_struct(name, line, **((timeless if random.random() < 0.5 else {}) | fixed))
    if name != "rsp":
        message.address = _address_of(name, message, line)
    # What its kind has no use for does not travel.
    return getattr(decode(encode(name, message, line), line), name)


def random_packet(line, longest, **fixed):
    """Head and chunks of a FinePack packet of up to `longest` bytes of any payload."""
    node = {"src": random.randrange(16), "dst": random.randrange(16), **fixed}
    size = random.choice((random.randint(1, longest), random.randint(1, min(longest, 2 * line))))
    head = _random_struct("req", line, kind=model.REQ_KIND["packet"], **node)
    head.address &= -64
    head.data = model.data(size.to_bytes(2, "little"))
    head.func, head.mask, head.era, head.cts = 0, model.mask(0), 0, 0
    out = [head]
    for first in range(0, size, line):
        count = min(line, size - first)
        chunk = model.STRUCTS["req"](kind=model.REQ_KIND["chunk"], id=int(first + count == size), **node)
        chunk.mask = model.mask((1 << count) - 1)
        chunk.data = model.data(random.randbytes(count))
        out.append(chunk)
    return out


# ---------------------------------------------------------------- the receiving end


class _Counts(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64) for name in ("accepted", "duplicates", "broken", "gaps", "cut", "naks")
    ]


class _Receiver(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint16) for name in ("next", "longest", "have", "want")]
    _fields_ += [("naks", ctypes.c_uint8), ("asked", ctypes.c_bool), ("count", _Counts)]
    _fields_ += [("frame", ctypes.c_uint32 * (WORDS_MAX + 2))]


class Receiver:
    """sw/model/link_layer.c: beats in, frames and counts out."""

    _SINK = ctypes.CFUNCTYPE(None, _POINTER, ctypes.POINTER(ctypes.c_uint32), _UINT)
    _reset = model._function("weft_receiver_reset", None, _POINTER, _UINT)
    _beat = model._function(
        "weft_receiver_beat", None, _POINTER, _POINTER, ctypes.c_uint32, _UINT, _SINK, _POINTER
    )

    def __init__(self, longest):
        self.state = _Receiver()
        self.frames = []
        self._sink = self._SINK(lambda _, frame, words: self.frames.append(frame[:words]))
        self._reset(ctypes.byref(self.state), longest)

    def beat(self, words, starts):
        """Frames that the beat completes, and what it adds to the counts."""
        before = self.counts()
        self.frames.clear()
        array = (ctypes.c_uint32 * len(words))(*words)
        self._beat(ctypes.byref(self.state), array, starts, len(words), self._sink, None)
        return list(self.frames), {name: value - before[name] for name, value in self.counts().items()}

    def counts(self):
        return {name: getattr(self.state.count, name) for name, _ in _Counts._fields_}
