# SPDX-License-Identifier: Apache-2.0
"""The C model of egress and de-packetizer for the cocotb tests, and random stores to feed them with."""

import ctypes
import random

from support import model
from support.bench import Mismatch, chance, expect

READ, WRITE, ATOMIC = (model.REQ_KIND[name] for name in ("read", "write", "atomic"))
MARKER, PACKET, CHUNK = (model.REQ_KIND[name] for name in ("marker", "packet", "chunk"))
CAUSE, KIND = model.enum("flush_cause"), model.enum("egress_kind")
HOME_SHIFT, BLOCK, PAYLOAD_MAX = 36, 128, 4096
_P, _U = ctypes.c_void_p, ctypes.c_uint


class Settings(ctypes.Structure):
    """Of registers: struct weft_finepack."""

    _fields_ = [(name, ctypes.c_uint32) for name in ("enable", "sub_header", "payload", "prefix")]


class Egress(model._Unit):
    _set = model._function("weft_egress_set", None, _P, _P)
    _step = model._function("weft_egress_step", ctypes.c_char_p, _P, _P, _P, _P)
    _pop = model._function("weft_egress_pop", ctypes.c_bool, _P, _P, _P)
    _idle = model._function("weft_egress_idle", ctypes.c_bool, _P)

    def __init__(self, configuration, self_):
        super().__init__("egress", configuration, self_)

    def set(self, **settings):
        self._set(self.state, ctypes.byref(Settings(**settings)))

    def step(self, event):
        """Steps with the inputs of an egress_event; returns (effects, counts)."""
        out, count = model.STRUCTS["egress_event"](), model.STRUCTS["egress_count"]()
        error = self._step(self.state, *map(ctypes.byref, (event, out, count)))
        if error:
            raise Mismatch(error.decode())
        return out, count

    def pop(self):
        """The next message and its counts, or (None, counts)."""
        out, count = model.STRUCTS["req"](), model.STRUCTS["egress_count"]()
        return (out if self._pop(self.state, *map(ctypes.byref, (out, count))) else None), count

    def idle(self):
        return self._idle(self.state)


class Depacketizer(model._Unit):
    _step = model._function("weft_depacketizer_step", ctypes.c_char_p, _P, _P, _P)
    _pop = model._function("weft_depacketizer_pop", ctypes.c_bool, _P, _P, _P)
    _wrong = model._function("weft_payload_wrong", ctypes.c_char_p, _P, _U, _U, ctypes.c_uint64, ctypes.c_uint64)

    def __init__(self, configuration, self_):
        super().__init__("depacketizer", configuration, self_)

    def step(self, message):
        count = model.STRUCTS["ingress_count"]()
        error = self._step(self.state, ctypes.byref(message), ctypes.byref(count))
        if error:
            raise Mismatch(error.decode())
        return count

    def pop(self):
        out, count = model.STRUCTS["req"](), model.STRUCTS["ingress_count"]()
        return (out if self._pop(self.state, ctypes.byref(out), ctypes.byref(count)) else None), count


def same(what, found, wanted, struct, but=()):
    """Two structs are equal, field by field."""
    for field, kind in model.gen.FORMATS["struct"][struct]["fields"]:
        if field in but:
            continue
        a, b = getattr(found, field), getattr(wanted, field)
        if kind in ("data", "mask"):
            a, b = bytes(a).hex(), bytes(b).hex()
        expect(f"{what} {field}", a, b)


def mask_of(message):
    return message.mask[0] | message.mask[1] << 64


def some_mask(line):
    """A run, words with holes, bytes strewn about, or everything."""
    style = random.randrange(8)
    if style == 0:
        return (1 << line) - 1
    if style == 1:
        return random.getrandbits(line) | 1 << random.randrange(line)
    if style == 2:
        words = random.getrandbits(line // 4) | 1 << random.randrange(line // 4)
        return sum(0xF << 4 * i for i in range(line // 4) if words >> i & 1)
    if style == 3:
        return 0xF << 4 * random.randrange(line // 4)
    start = random.randrange(line)
    length = random.randint(1, line - start)
    return ((1 << length) - 1) << start


def some_store(line, src, dst, span, base=0):
    """A WRITE to some line below `span`, from `base` on."""
    return model.STRUCTS["req"](
        kind=WRITE,
        src=src,
        dst=dst,
        address=dst << HOME_SHIFT | base + random.randrange(span // line) * line,
        mask=model.mask(some_mask(line)),
        data=model.data(random.randbytes(line)),
    )


def some_request(line, src, dst, span, base=0, stores=0.92):
    """Mostly stores; sometimes what must not overtake them."""
    message = some_store(line, src, dst, span, base)
    if not chance(stores):
        message.kind = random.choice((READ, READ, ATOMIC, MARKER))
        message.id = random.getrandbits(6)
        message.cu = random.getrandbits(3)
    return message


def cost(message):
    """Bytes on the link, packets too."""
    if message.kind == PACKET:
        return 24 if message.wide else 20
    if message.kind == CHUNK:
        return (mask_of(message).bit_count() + 3) // 4 * 4 + 4 * (message.id & 1)
    return model.cost(message, 0)
