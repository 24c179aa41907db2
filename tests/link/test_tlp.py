# SPDX-License-Identifier: Apache-2.0
"""Messages to words and back, against sw/model/tlp.c; and what the RTL writes, read by cocotbext-pcie.

Its TLP classes know neither our own types nor messages: a FinePack packet of our own type is shown to them as
the memory write whose fields it has, one with a prefix without the prefix, and messages not at all.
"""

import ctypes
import pathlib
import random
import struct

import cocotb
from cocotb.triggers import Timer
from cocotbext.pcie.core.tlp import Tlp, TlpType
from link_model import (
    CLASS_NUMBER,
    CLASSES,
    decode,
    encode,
    random_message,
    random_packet,
)
from support import bench, model, runner

LINE = 32
CORPUS = pathlib.Path(__file__).resolve().parents[1] / "fuzz" / "corpus" / "tlp"
WORDS_MAX = 1029  # of a packet: prefix, header, payload
TIME = 0x9F  # first byte of the prefix with a clock
WRITE = 0x60
PREFIX = 0x9E005745
_token = model._function("weft_frame_token", ctypes.c_uint32, ctypes.c_uint, ctypes.c_uint)


async def encoded(dut, name, message, number):
    """The words that the RTL makes of a message, and whether they begin and end a frame."""
    dut.class_i.value = CLASS_NUMBER[name]
    getattr(dut, f"{name}_i").value = model.pack(name, message, LINE)
    dut.valid_i.value = 1
    await Timer(1, "ns")
    first, last = int(dut.first_o.value), int(dut.last_o.value)
    lead, start, count = int(dut.lead_o.value), int(dut.from_o.value), int(dut.count_o.value)
    head, payload = (int(port.value) for port in (dut.word_o, dut.payload_o))
    # The token is the sender's: it knows the number.
    words = [_token(int(dut.length_o.value), number)] if lead else []
    words += [head >> 32 * i & 0xFFFFFFFF for i in range(lead - 1)]
    words += [payload >> 32 * (start + i) & 0xFFFFFFFF for i in range(count - lead - last)]
    return words + [0] * last, first, last


async def body_of(dut, name, message):
    """Header and payload that the RTL writes, compared with the model's."""
    number = random.randrange(4096)
    words, first, last = await encoded(dut, name, message, number)
    bench.expect("a whole frame", (first, last), (1, 1))
    bench.expect("token", words[0], _token(len(words), number))
    bench.expect("words", words[1:-1], encode(name, message, LINE))
    return words[1:-1]


def parse(words):
    tlp = Tlp.unpack(struct.pack(f">{len(words)}L", *words))
    bench.expect("a packet that cocotbext-pcie finds good", tlp.check(), True)
    return tlp


def read_by_pcie(name, message, words):
    """The fields that the standard names, as its reader finds them; it knows no prefix."""
    tlp = parse(words[1:] if words[0] >> 24 == TIME else words)
    data = bytes(message.data)
    if name == "rsp":
        bench.expect("type", tlp.fmt_type, TlpType.CPL_DATA)
        wrote = message.kind == model.RSP_KIND["wrote"]
        size = LINE if message.kind == model.RSP_KIND["line"] else 8 if message.wide else 4
        times = wrote or message.wts | message.rts
        stamps = struct.pack(">HH", message.wts, message.rts) if times else b""
        before = b"" if message.wide else struct.pack(">L", message.stamp)
        payload = stamps + (before if wrote else data[:size])
        bench.expect("completion", (tlp.byte_count, int(tlp.status), tlp.data), (len(payload), 0, payload))
        bench.expect("nodes", (tlp.completer_id.bus, tlp.requester_id.bus), (message.src, message.dst))
        bench.expect("tag", tlp.tag, message.id)
        return
    marks = {model.REQ_KIND["read"]: message.wide, model.REQ_KIND["write"]: message.func & 1}
    tag = message.id | marks.get(message.kind, 0) << 7
    bench.expect("requester", (tlp.requester_id.bus, tlp.tag), (message.src, tag))
    if message.kind == model.REQ_KIND["read"]:
        bench.expect("type", tlp.fmt_type, TlpType.MEM_READ_64)
        bench.expect("read", (tlp.address, 4 * tlp.length), (message.address, LINE))
        return
    if message.kind == model.REQ_KIND["write"]:
        bench.expect("type", tlp.fmt_type, TlpType.MEM_WRITE_64)
        mask = message.mask[0]
        first, count = (mask & -mask).bit_length() - 1, mask.bit_count()
        start = tlp.address + tlp.get_first_be_offset()
        bench.expect("bytes", (start, tlp.get_be_byte_count()), (message.address + first, count))
        begin = tlp.get_first_be_offset()
        bench.expect("data", tlp.data[begin : begin + count], data[first : first + count])
        return
    types = {"add": TlpType.FETCH_ADD_64, "exch": TlpType.SWAP_64, "cas": TlpType.CAS_64}
    func = next(key for key, value in model.FUNC.items() if value == message.func)
    size = 8 if message.wide else 4
    operands = (data[8 : 8 + size] if func == "cas" else b"") + data[:size]
    bench.expect("atomic", (tlp.fmt_type, tlp.address, tlp.data), (types[func], message.address, operands))


def is_known(name, message):
    """A message whose packet cocotbext-pcie has a type for."""
    if name == "fwd":
        return False
    if name == "rsp":
        return message.kind in (model.RSP_KIND["line"], model.RSP_KIND["atomic"], model.RSP_KIND["wrote"])
    if message.kind == model.REQ_KIND["read"] and message.func & 1:
        return False  # of our own type
    if message.kind == model.REQ_KIND["atomic"]:
        return message.func in (model.FUNC["add"], model.FUNC["exch"], model.FUNC["cas"])
    return message.kind != model.REQ_KIND["marker"]


@cocotb.test()
async def encodes(dut):
    """Every kind of message, as the model has it and as the standard's reader does."""
    known = 0
    for _ in range(bench.rounds(600)):
        for name in CLASSES:
            message = random_message(name, LINE)
            words = await body_of(dut, name, message)
            if is_known(name, message):
                known += 1
                read_by_pcie(name, message, words)
    bench.expect("enough of them are standard", known > bench.rounds(600), True)


@cocotb.test()
async def encodes_packets(dut):
    """FinePack in both encodings: header and chunks together are a memory write to the standard's reader."""
    for _ in range(bench.rounds(150)):
        head, *chunks = random_packet(LINE, 4096)
        number = random.randrange(4096)
        words, first, last = await encoded(dut, "req", head, number)
        bench.expect("head", (first, last), (1, 0))
        for chunk in chunks:
            more, first, last = await encoded(dut, "req", chunk, number)
            bench.expect("chunk", (first, last), (0, int(chunk is chunks[-1])))
            words += more
        bench.expect("token", words[0], _token(len(words), number))
        body, size = words[1:-1], head.data[0] | head.data[1] << 8
        if head.wide:
            bench.expect("prefix", (body[0], TlpType.PREFIX_VENDOR_E0.value), (PREFIX, (4, 30)))
            body = body[1:]
        else:
            bench.expect("own type", body[0] >> 24, 0x6F)
            body[0] = body[0] & 0xFFFFFF | 0x60 << 24
        tlp = Tlp.unpack(struct.pack(f">{len(body)}L", *body))
        payload = b"".join(bytes(chunk.data)[: chunk.mask[0].bit_count()] for chunk in chunks)
        bench.expect("base", (tlp.fmt_type, tlp.address), (TlpType.MEM_WRITE_64, head.address))
        bench.expect("node", (tlp.requester_id.bus, tlp.tag), (head.src, head.id))
        bench.expect("payload", tlp.data[:size], payload)
        if head.wide:  # its byte enables say how many bytes there are
            bench.expect("bytes", tlp.get_be_byte_count(), size)
        else:
            bench.expect("bytes", (tlp.first_be, tlp.last_be), (0, size % 4))


def spoiled(words):
    """The words with something changed, or some taken away or added."""
    out = list(words)
    for _ in range(random.choice((0, 1, 1, 2))):
        out[random.randrange(min(4, len(out)))] ^= 1 << random.randrange(32)
    header = int(out[0] >> 24 == TIME)
    if out[header] >> 24 == WRITE and bench.chance(0.1):
        out[header + 3] ^= 4 * random.randrange(LINE // 4)  # maybe over the end of its line
    if bench.chance(0.1):
        out = out[:-1] if bench.chance(0.5) and len(out) > 4 else [*out, random.getrandbits(32)]
    return out


def placed(body, prefix):
    """The payload, each word where it stands in its line."""
    stamped = len(body) > 1 and body[1] >> 19 & 1
    payload = body[3:] if body[0] >> 24 == 0x4A and not stamped else body[4:]
    start = body[3] % LINE // 4 if body[0] >> 24 == WRITE and not prefix and len(body) > 3 else 0
    return sum(word << 32 * (start + i) for i, word in enumerate(payload) if start + i < LINE // 4)


async def decoded(dut, words):
    """What the RTL makes of a packet, compared with the model; returns whether both refuse it. None: some
    other prefix, which is seen by who takes prefixes off."""
    wanted = decode(words, LINE)
    prefix = words[0] >> 24 == PREFIX >> 24 and words[0] & 0xFFFF == PREFIX & 0xFFFF
    if words[0] >> 24 == PREFIX >> 24 and not prefix:
        return None
    timed = words[0] >> 24 == TIME
    body = words[1:] if prefix or timed else words
    dut.timed_i.value, dut.moment_i.value = int(timed), words[0] & 0x3FFFF if timed else 0
    dut.header_i.value = sum(word << 32 * i for i, word in enumerate(body[:4]))
    dut.line_i.value = placed(body, prefix)
    dut.count_i.value, dut.prefix_i.value, dut.enable_i.value = len(body), int(prefix), 1
    await Timer(1, "ns")
    bench.expect(f"{[f'{word:x}' for word in words[:8]]}", int(dut.valid_o.value), int(wanted is not None))
    if wanted is None:
        return True
    found = CLASSES[int(dut.class_o.value)]
    bench.expect("class", found, CLASSES[getattr(wanted, "class")])
    value = int(getattr(dut, f"{found}_o").value)
    bench.expect("message", value, model.pack(found, getattr(wanted, found), LINE))
    return False


@cocotb.test()
async def decodes(dut):
    """Good packets and spoiled ones: what the model takes and what it refuses, field by field."""
    refused = 0
    for _ in range(bench.rounds(5000)):
        name = random.choice(CLASSES)
        if name == "req" and bench.chance(0.3):
            head, *chunks = random_packet(LINE, 2 * LINE)
            words = encode("req", head, LINE) + sum((encode("req", chunk, LINE) for chunk in chunks), [])
        else:
            words = encode(name, random_message(name, LINE), LINE)
        refused += bool(await decoded(dut, spoiled(words)))
    bench.expect("many were refused", refused > bench.rounds(200), True)


@cocotb.test()
async def decodes_the_fuzzers_inputs(dut):
    """The kept corpus of tests/fuzz/fuzz_tlp.c, whatever lines it was meant for, and mutations of it."""
    inputs = [path.read_bytes()[1:] for path in sorted(CORPUS.iterdir())]
    more = []
    for _ in range(bench.rounds(1000)):
        data = bytearray(random.choice(inputs).ljust(4, b"\0"))
        for _ in range(random.randint(1, 3)):
            data[random.randrange(min(len(data), 20))] ^= 1 << random.randrange(8)
        more.append(bytes(data))
    outcomes = []
    for data in inputs + more:
        words = list(struct.unpack(f">{len(data) // 4}L", data[: len(data) // 4 * 4]))[:WORDS_MAX]
        if words:
            outcomes.append(await decoded(dut, words))
    bench.expect("some are refused, some are taken", {True, False} <= set(outcomes), True)


# ---------------------------------------------------------------- pytest

PACKAGES = ["link/weft_cost_pkg.sv", "link/weft_frame_pkg.sv"]
ENCODE = runner.Unit("tlp_encode", [*PACKAGES, "link/tlp_encode.sv"])
DECODE = runner.Unit("tlp_decode", [*PACKAGES, "link/tlp_decode.sv"])
FINEPACK = ["egress.finepack=1"]


def test_encode():
    ENCODE.run(__file__, overrides=FINEPACK, cases="encodes")


def test_decode():
    DECODE.run(__file__, overrides=FINEPACK, cases="decodes")


def test_compare_value_behind_the_operand_is_found():
    swapped = runner.Mutant("operand-first", "compares ? line_place_t'(2)", "compares ? line_place_t'(0)")
    ENCODE.run(__file__, overrides=FINEPACK, cases="encodes", mutant=swapped)


def test_write_over_the_end_of_its_line_is_found():
    blind = runner.Mutant("any-length", "length + length_t'(place) > length_t'(LineWords)", "1'b0")
    DECODE.run(__file__, overrides=FINEPACK, cases="decodes", mutant=blind)
