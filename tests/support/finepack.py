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
_P = ctypes.c_void_p


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


# ---------------------------------------------------------------- packets, whole and malformed


def head(dst, src, base, declared, line):
    data = declared.to_bytes(2, "little") + bytes(line - 2)
    return model.STRUCTS["req"](kind=PACKET, dst=dst, src=src, address=base, data=model.data(data))


def chunks(dst, src, payload, line):
    out = []
    for at in range(0, len(payload), line):
        part = payload[at : at + line]
        out.append(
            model.STRUCTS["req"](
                kind=CHUNK,
                dst=dst,
                src=src,
                id=at + line >= len(payload),
                mask=model.mask((1 << len(part)) - 1),
                data=model.data(part),
            )
        )
    return out


def some_payload(sub_header, memory, limit=PAYLOAD_MAX):
    """Sub-transactions that are all in the window, as many as fit or a few of them."""
    window = min(1 << 8 * sub_header - 10, memory)
    out, wanted = b"", random.choice((1, 3, 20, 200))
    for _ in range(wanted):
        length = random.choice(
            (1, 4, 4, random.randint(1, 64), random.randint(1, 128), random.randint(1, 1023))
        )
        length = min(length, window, limit - sub_header)
        if len(out) + sub_header + length > limit:
            break
        offset = random.randrange(window - length + 1)
        out += (offset << 10 | length).to_bytes(sub_header, "little") + random.randbytes(length)
    return out


def spoiled(payload, sub_header):
    """The same with one thing wrong, or sometimes nothing."""
    bits = bytearray(payload)
    style = random.randrange(5)
    if style == 0:
        del bits[random.randrange(len(bits)) :]
    elif style == 1:
        bits += random.randbytes(random.randint(1, 8))
    elif style == 2:
        bits[random.randrange(min(len(bits), 3 * sub_header))] ^= 1 << random.randrange(8)
    elif style == 3:
        bits[0] = 0
        bits[1] &= 0xFC
    else:
        bits[sub_header - 1] |= 0xFF
    return bytes(bits[:PAYLOAD_MAX])


def messages_of_input(data, self_, line):
    """What an input of tests/fuzz/fuzz_depacketizer.c stands for; as build() there."""
    data = data.ljust(8, b"\0")
    sub_header, wrong, delta, at, how = 2 + data[0] % 5, data[1], data[2], data[3], data[4]
    payload = data[8 : 8 + PAYLOAD_MAX]
    delta = delta - 256 if delta > 127 else delta
    home = (self_ + 1) % 16 if wrong & 1 else self_
    base = home << HOME_SHIFT | int.from_bytes(data[5:8], "little") << 6
    out = [head(self_, 3, base, (len(payload) + delta) % 65536, line), *chunks(self_, 3, payload, line)]
    if wrong & 2 and at < len(out):
        victim, style = out[at], how % 6
        other = model.STRUCTS["req"](kind=READ, dst=self_, src=3, address=base, id=how & 63)
        if style == 0:
            victim.mask = model.mask(mask_of(victim) & ~(1 << (how >> 3) % line))
        elif style == 1:
            victim.id ^= 1
        elif style == 2:
            del out[at]
        elif style == 3:
            out.insert(at, other)
        elif style == 4:
            out.insert(at, model.STRUCTS["req"].from_buffer_copy(victim))
        else:
            victim.mask = model.mask(mask_of(victim) & (1 << how % line) - 1)
    return sub_header, out
