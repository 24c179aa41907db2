# SPDX-License-Identifier: Apache-2.0
"""The model's own codec (sw/model/tlp.c, frame.c) through ctypes, and what a dissector should make of it."""

import ctypes
import random
import struct

from support import model

WORDS_MAX = 1031
HEAD = struct.Struct(
    ">BBBBBBH"
)  # the pseudo header: version, link, direction, node, sub-header bytes, 0, line
_Words = ctypes.c_uint32 * WORDS_MAX
_P = ctypes.c_void_p
_U = ctypes.c_uint


class _Tlp(ctypes.Structure):
    _fields_ = [
        ("class_", ctypes.c_int),
        ("req", model.STRUCTS["req"]),
        ("fwd", model.STRUCTS["fwd"]),
        ("rsp", model.STRUCTS["rsp"]),
        ("header", _U),
        ("payload", _U),
    ]


_encode = model._function("weft_tlp_encode", _U, _U, _P, _U, _P)
_decode = model._function("weft_tlp_decode", ctypes.c_bool, _P, _U, _U, _P)
_close = model._function("weft_frame_close", _U, _P, _U, _U)


CLASSES = [model.STRUCTS[name] for name in ("req", "fwd", "rsp")]


def encode(message, line):
    words = _Words()
    return list(words[: _encode(CLASSES.index(type(message)), ctypes.byref(message), line, words)])


def random_message(line):
    """A message of any kind but FinePack's, with anything in its fields that the wire can carry."""
    pick, (req, fwd, rsp) = random.randrange, CLASSES
    kind = random.choice("read renewal write atomic marker inv mark line old ack seen wrote".split())
    ends = {"src": pick(16), "dst": pick(16)}
    data, bank, home = model.data(random.randbytes(line)), pick(8), ends["src"] << 36
    common = ends | {"id": pick(64), "cu": pick(8)}
    if kind == "renewal":
        asked = {"func": 1, "mask": model.mask(pick(1 << 16)), "era": pick(4), "cts": pick(1, 1 << 16)}
        return req(kind=model.REQ_KIND["read"], address=pick(1 << 40) // line * line, **common, **asked)
    if kind in ("read", "write", "atomic"):
        first = pick(line)
        run = (1 << pick(first, line) + 1) - (1 << first)
        address = pick(1 << 40) // line * line + (pick(line // 8) * 8 if kind == "atomic" else 0)
        more = {"func": pick(10), "wide": pick(2)} if kind == "atomic" else {}
        return req(
            kind=model.REQ_KIND[kind], address=address, mask=model.mask(run), data=data, **common, **more
        )
    if kind == "marker":
        return req(kind=model.REQ_KIND[kind], address=ends["dst"] << 36 | bank << 12, id=pick(64), **ends)
    if kind == "inv":
        inv = {"block": pick(2), "cause": pick(2), "address": home | pick(1 << 36) // line * line}
        return fwd(kind=model.FWD_KIND["inv"], stamp=pick(1 << 16), **inv, **ends)
    if kind == "mark":
        mark = {"releaser": pick(16), "id": pick(64), "address": home | bank << 12}
        return fwd(kind=model.FWD_KIND["mark"], stamp=pick(1 << 16), **mark, **ends)
    more = {"count": pick(16), "seen": pick(2), "stamp": pick(1 << 16), "wide": pick(2)}
    number = model.RSP_KIND["atomic" if kind == "old" else kind]
    return rsp(kind=number, bank=bank, data=data, **common, **more)


def frame(words, sequence=0):
    """Token and LCRC around a TLP's words, as bytes."""
    out = _Words(0, *words)
    count = _close(out, len(words), sequence)
    return struct.pack(f">{count}I", *out[:count])


def decode(words, line):
    """The message that a TLP's words carry; None: none of ours."""
    out = _Tlp()
    return out if _decode(_Words(*words), len(words), line, ctypes.byref(out)) else None


def head(line, sub_header=5, link=0):
    return HEAD.pack(1, link, 0, link, sub_header, 0, line)


# ---------------------------------------------------------------- FinePack


def sub_transactions(stores, size):
    """A payload: little-endian sub-headers, length in the low ten bits."""
    return b"".join((offset << 10 | len(data)).to_bytes(size, "little") + data for offset, data in stores)


def packet(payload, line, base=0, prefix=False, src=0, dst=1):
    """A FinePack packet's words: its head, then its chunks, each through the codec."""
    kinds, req = model.REQ_KIND, model.STRUCTS["req"]
    size = len(payload).to_bytes(2, "little")
    words = encode(
        req(kind=kinds["packet"], src=src, dst=dst, address=base, wide=prefix, data=model.data(size)), line
    )
    assert words
    for at in range(0, len(payload), line):
        part = payload[at : at + line]
        chunk = req(
            kind=kinds["chunk"],
            src=src,
            dst=dst,
            id=int(at + line >= len(payload)),
            mask=model.mask((1 << len(part)) - 1),
            data=model.data(part),
        )
        words += encode(chunk, line)
    return words


# ---------------------------------------------------------------- what should be shown


def _request(m):
    name = {number: name for name, number in model.REQ_KIND.items()}[m.kind].upper()
    fields = {"kind": name, "class": "request", "src": m.src, "dst": m.dst}
    data = bytes(m.data)
    if name == "MARKER":
        return fields | {"id": m.id, "bank": m.address >> 12 & 7}
    fields |= {"cu": m.cu, "tag": m.id, "address": m.address}
    if name == "WRITE":
        bits = m.mask[0] | m.mask[1] << 64
        first, end = (bits & -bits).bit_length() - 1, bits.bit_length()
        return fields | {"address": m.address + (first & ~3), "data": data[first:end]}
    if name == "ATOMIC":
        width = 8 if m.wide else 4
        compare = {"compare": data[8 : 8 + width]} if m.func == model.FUNC["cas"] else {}
        return fields | {"function": m.func, "data": data[:width]} | compare
    return fields | ({"stamp": m.mask[0]} if m.func & 1 else {})


def _forward(m):
    fields = {"class": "forward", "src": m.src, "dst": m.dst, "stamp": m.stamp}
    if m.kind == model.FWD_KIND["inv"]:
        return fields | {"kind": "INV", "address": m.address, "block": m.block, "cause": m.cause}
    return fields | {"kind": "MARK", "id": m.id, "releaser": m.releaser, "bank": m.address >> 12 & 7}


def _response(m, line):
    fields = {"class": "response", "src": m.src, "dst": m.dst, "bank": m.bank}
    kinds = model.RSP_KIND
    if m.kind == kinds["seen"]:
        return fields | {"kind": "SEEN", "stamp": m.stamp}
    if m.kind == kinds["ack"]:
        return fields | {"kind": "ACK", "id": m.id, "count": m.count, "seen": m.seen, "stamp": m.stamp}
    if m.kind == kinds["wrote"]:
        before = {} if m.wide else {"stamp": m.stamp}
        return fields | {"kind": "WROTE", "cu": m.cu, "tag": m.id} | before
    whole = m.kind == kinds["line"]
    width = line if whole else 8 if m.wide else 4
    return fields | {
        "kind": "LINE" if whole else "OLD",
        "cu": m.cu,
        "tag": m.id,
        "data": bytes(m.data)[:width],
    }


def shown(words, line):
    """The fields of a message, as the model's decoder understands it."""
    tlp = decode(words, line)
    if tlp.class_ == 0:
        return _request(tlp.req)
    return _forward(tlp.fwd) if tlp.class_ == 1 else _response(tlp.rsp, line)
