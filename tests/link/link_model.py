# SPDX-License-Identifier: Apache-2.0
"""The C model of a link for the scoreboard, and random messages to send over it."""

import ctypes
import random

from support import model

CLASSES = ("req", "fwd", "rsp")
NUMBER = model.enum("msg_class")
CLASS_NUMBER = {"req": NUMBER["request"], "fwd": NUMBER["forward"], "rsp": NUMBER["response"]}
_POINTER, _UINT = ctypes.c_void_p, ctypes.c_uint
OTHERS = 3  # after so many responses and forwards a request goes first
REQ_KINDS = ("read", "write", "atomic", "marker")
RSP_KINDS = ("line", "atomic", "ack", "seen")


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

    _start = model._function("weft_link_start", _UINT, _POINTER, _UINT, _POINTER, ctypes.c_uint64)
    _ready = model._function("weft_link_ready", ctypes.c_uint64, _POINTER, _UINT)
    _take = model._function("weft_link_take", None, _POINTER, _UINT)
    _credit = model._function("weft_link_credit", None, _POINTER, _UINT)

    def __init__(self, configuration):
        super().__init__("link", configuration)
        self.view = ctypes.cast(self.state, ctypes.POINTER(_State)).contents

    def may_start(self, name):
        return self.view.owed < self.view.bytes and self.view.queue[CLASS_NUMBER[name]].credits > 0

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
        self.view.owed = max(0, self.view.owed - self.view.bytes)


def random_mask(line):
    """Any byte mask but an empty one; short runs, holes and whole lines all come."""
    shape = random.randrange(4)
    if shape == 0:
        return 1 << random.randrange(line)
    if shape == 1:
        first = random.randrange(line)
        return ((1 << random.randint(1, line - first)) - 1) << first
    if shape == 2:
        return (1 << line) - 1
    return random.getrandbits(line) | 1 << random.randrange(line)


def _random_struct(name, line, **fixed):
    bits = model.width(name, line)
    message = model.unpack(name, random.getrandbits(bits), line)
    for field, value in fixed.items():
        setattr(message, field, value)
    return message


def random_message(name, line, **fixed):
    """A message of class `name`: its kind one that links carry, all else at random, but for `fixed`."""
    if name == "req":
        kind = model.REQ_KIND[random.choice(REQ_KINDS)]
        func = random.randrange(len(model.FUNC))
        fixed = {"kind": kind, "func": func, "mask": model.mask(random_mask(line)), **fixed}
    elif name == "rsp":
        fixed = {"kind": model.RSP_KIND[random.choice(RSP_KINDS)], **fixed}
    return _random_struct(name, line, **fixed)
