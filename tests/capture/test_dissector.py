# SPDX-License-Identifier: Apache-2.0
"""The Wireshark dissector against the model's own codec: every field of every message, FinePack packets of
every kind, and the same judgement on what is malformed."""

import collections
import inspect
import random
import re
import shlex

import pcapng
import pytest
import tshark
import wire
from support.weft import LONG, ROOT, SEED, tool

pytestmark = tshark.needed
random.seed(SEED)
LINE = 32
NUMBERS = "src dst cu tag address bank function id block cause seen stamp releaser count".split()
BYTES = ["data", "compare"]
KINDS = {*"READ WRITE ATOMIC MARKER INV MARK LINE OLD ACK SEEN".split()}
TRUTH = {"True": "1", "False": "0"}
FAULTS = ["bad_head", "bad_token", "malformed", "bad_lcrc"]


def written(tmp_path, packets):
    path = tmp_path / "made.pcapng"
    path.write_bytes(pcapng.write(packets))
    return path


def faults(path):
    """What the dissector complains of, a set per packet."""
    return [{name for name in FAULTS if row[name]} for row in tshark.fields(path, *FAULTS)]


@pytest.fixture(scope="module")
def capture(tmp_path_factory):
    """A run with messages of all kinds but FinePack's."""
    path = tmp_path_factory.mktemp("dissector") / "mix.pcapng"
    tool("capture", "mix", "-b", "model:tiny", "--size", 1500, "--protocol", "hmg", "-o", path)
    return path


@pytest.fixture(scope="module")
def packets(capture):
    return pcapng.read(capture.read_bytes()).packets


# ---------------------------------------------------------------- what is there


def compare_fields(path, packets, line):
    """Each packet's fields with those that the model's decoder finds; how many there were of each kind."""
    rows = tshark.fields(path, "kind", "class", *NUMBERS, *BYTES)
    kinds = collections.Counter()
    for packet, row in zip(packets, rows, strict=True):
        wanted = wire.shown(packet.words[1:-1], line)
        found = {name: cells[0] for name, cells in row.items() if cells}
        assert all(len(cells) <= 1 for cells in row.values())
        for name in NUMBERS:
            if name in found:
                found[name] = int(TRUTH.get(found[name], found[name]), 0)
        for name in BYTES:
            if name in found:
                found[name] = bytes.fromhex(found[name].replace(":", ""))
        assert found == wanted
        kinds[wanted["kind"]] += 1
    return kinds


def test_every_field_is_the_messages(capture, packets):
    assert set(compare_fields(capture, packets, LINE)) == KINDS


def test_any_field_may_have_any_value(tmp_path):
    line = 128
    frames = [wire.frame(wire.encode(wire.random_message(line), line)) for _ in range(2000 if LONG else 400)]
    path = written(tmp_path, [wire.head(line) + frame for frame in frames])
    assert set(compare_fields(path, pcapng.read(path.read_bytes()).packets, line)) == KINDS | {"WROTE"}
    assert set(map(frozenset, faults(path))) == {frozenset()}


def test_nothing_is_wrong_with_a_run(capture):
    assert set(map(frozenset, faults(capture))) == {frozenset()}


def test_link_and_time(capture, packets):
    names = "link direction node sequence token.length sub_header line cycle".split()
    links = ["node0 -> switch", "node1 -> switch", "switch -> node0", "switch -> node1"]
    rows = tshark.fields(capture, *names, "frame.interface_name", "frame.time_epoch")
    for packet, row in zip(packets, rows, strict=True):
        link, words = packet.interface, packet.words
        assert int(row["frame.time_epoch"][0].replace(".", "")) == packet.time
        assert row["frame.interface_name"] == [links[link]]
        wanted = [link, link // 2, link % 2, words[0] & 0xFFF, len(words), 5, LINE, packet.time]
        assert [int(row[name][0]) for name in names] == wanted


def test_page_shows_what_comes_back(tmp_path):
    """The transcript of docs/capture.md, but for blanks; its first command makes the file."""
    page = (ROOT / "docs" / "capture.md").read_text()
    (block,) = re.findall(r"^```\n(\$ weft capture.*?)^```", page, re.M | re.S)
    capture_, dissect = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
    path = tmp_path / "p.pcapng"
    words = capture_[0].replace("build/p.pcapng", str(path)).split()
    assert tool(*words[1:]).code == 0
    words = shlex.split(dissect[0])
    came = tshark.tshark(path, *words[words.index("build/p.pcapng") + 1 :])
    assert [row.split() for row in came.splitlines()] == [row.split() for row in dissect[1].splitlines()]


# ---------------------------------------------------------------- FinePack


def stores(size, payload_max, base):
    """Random stores in reach of a base, as many as fit: at least one."""
    reach, room, found = min(1 << (8 * size - 10), 1 << 36), random.randrange(size + 1, payload_max + 1), []
    while room > size:
        count = min(random.choice((1, 4, 8, random.randrange(1, 129))), room - size, reach)
        offset = random.choice((random.randrange(reach - count + 1), reach - count))
        found.append((offset, random.randbytes(count)))
        room -= size + count
    return found


@pytest.mark.parametrize("prefix", [False, True], ids=["own-type", "prefix"])
@pytest.mark.parametrize("size", range(2, 7))
def test_finepack(tmp_path, size, prefix):
    made, frames = [], []
    for number in range(60 if LONG else 12):
        line, base = random.choice((16, 32, 64, 128)), (1 << 36) + 4096 * number
        some = stores(size, random.choice((128, 512, 4096)), base)
        made.append((base, some))
        words = wire.packet(wire.sub_transactions(some, size), line, base=base, prefix=prefix)
        frames.append(wire.head(line, size) + wire.frame(words, number))
    names = ["offset", "length", "address", "data", "count", "payload"]
    path = written(tmp_path, frames)
    rows = tshark.fields(path, "kind", "prefix", "address", "_ws.expert", *(f"finepack.{n}" for n in names))
    for (base, some), row in zip(made, rows, strict=True):
        assert row["kind"] == ["PACKET"] and len(row["prefix"]) == prefix and row["_ws.expert"] == []
        assert int(row["address"][0], 0) == base
        shown = {name: row[f"finepack.{name}"] for name in names}
        assert [int(cell, 0) for cell in shown["offset"]] == [offset for offset, _ in some]
        assert [int(cell, 0) for cell in shown["address"]] == [base + offset for offset, _ in some]
        assert [int(cell) for cell in shown["length"]] == [len(data) for _, data in some]
        assert [bytes.fromhex(cell.replace(":", "")) for cell in shown["data"]] == [data for _, data in some]
        assert int(shown["count"][0]) == len(some)
        assert int(shown["payload"][0]) == len(wire.sub_transactions(some, size))


BANDED, MIX = ("banded", "-b", "model:finepack4", "--size", 192), ("mix", "--size", 1000, "-b")
RUNS = [
    (BANDED, 2, 1),
    (BANDED, 3, 0),
    (BANDED, 6, 0),
    ((*MIX, "model:pack"), 5, 1),
    ((*MIX, "rtl:pack"), 4, 0),
]
SHOWN = "direction prefix sub_header _ws.expert finepack.count finepack.payload finepack.length".split()


@pytest.mark.parametrize("words, size, prefix", [*RUNS, *([((*MIX, "rtl:pack"), 3, 1)] if LONG else [])])
def test_finepack_of_a_run(tmp_path, words, size, prefix):
    """What the egresses count is what the links carry, and the stores those that came out."""
    path = tmp_path / "run.pcapng"
    settings = ("--set", f"egress.sub_header={size}", "--set", f"egress.prefix={prefix}")
    captured = tool("capture", *words, "--egress", "finepack", *settings, "-o", path)
    assert captured.code == 0, captured.err
    counters = tool("run", *words, "--egress", "finepack", *settings, "--json").json["counters"]
    found = collections.Counter()
    for row in tshark.fields(path, *SHOWN):
        assert row["_ws.expert"] == [] and row["sub_header"] == [str(size)]
        if row["finepack.count"]:
            assert len(row["prefix"]) == prefix
            way = ["up", "down"][int(row["direction"][0])]
            found[way, "packets"] += 1
            found[way, "payload"] += int(row["finepack.payload"][0])
            found[way, "subs"] += int(row["finepack.count"][0])
            found[way, "bytes"] += sum(map(int, row["finepack.length"]))
    for way in ("up", "down"):
        assert found[way, "packets"] == counters["total.egress.packets"] > 0
        assert found[way, "payload"] == counters["total.egress.payload"]
        assert found[way, "subs"] == counters["total.egress.subs"]
        assert found[way, "bytes"] == counters["total.ingress.bytes"]


MALFORMED = {  # sub-header bytes, payload, the reason that must be shown
    "no-bytes": (5, wire.sub_transactions([(0, b"abcd"), (8, b"")], 5), "sub-transaction 1 has no bytes"),
    "cut-short": (5, wire.sub_transactions([(0, b"abcd")], 5) + b"\x01\x00", "sub-header 1 is cut short"),
    "too-long": (
        3,
        (64 << 10 | 100).to_bytes(3, "little") + bytes(40),
        "sub-transaction 0 is longer than the payload",
    ),
    "outside": (2, wire.sub_transactions([(60, bytes(8))], 2), "sub-transaction 0 lies outside the range"),
    "outside-the-node": (
        6,
        wire.sub_transactions([((1 << 36) - 1, bytes(2))], 6),
        "sub-transaction 0 lies outside the range",
    ),
}


def test_malformed_finepack(tmp_path):
    cases = [(*case, prefix) for case in MALFORMED.values() for prefix in (False, True)]
    frames = [
        wire.head(LINE, size) + wire.frame(wire.packet(payload, LINE, prefix=prefix))
        for size, payload, _, prefix in cases
    ]
    rows = tshark.fields(written(tmp_path, frames), "_ws.expert.message", *FAULTS)
    for (_, _, reason, _), row in zip(cases, rows, strict=True):
        assert row["_ws.expert.message"] == [reason]
        assert [name for name in FAULTS if row[name]] == ["malformed"]


# ---------------------------------------------------------------- what is wrong


def test_a_flipped_bit_is_a_bad_lcrc(tmp_path, packets):
    """One bit in every fourth packet: exactly those are shown as bad; the token's own checks see its bits."""
    some = packets[:400]
    flipped = {index: random.randrange(8 * len(some[index].frame)) for index in range(0, len(some), 4)}
    made = []
    for index, packet in enumerate(some):
        frame = bytearray(packet.frame)
        if index in flipped:
            frame[flipped[index] // 8] ^= 128 >> flipped[index] % 8
        made.append(packet.data[:8] + bytes(frame))
    for index, found in enumerate(faults(written(tmp_path, made))):
        assert ("bad_lcrc" in found) == (index in flipped)
        assert ("bad_token" in found) == (flipped.get(index, 32) < 20)  # not the sequence number


def test_malformed_is_what_the_model_refuses(tmp_path, packets):
    """Headers with a few bits changed and the LCRC made right again: refused by both, or by none."""
    frames, wanted = [], []
    for packet in random.sample(packets, min(len(packets), 3000 if LONG else 800)):
        words = packet.words[1:-1]
        for _ in range(random.randrange(3)):
            words[random.randrange(4)] ^= 1 << random.randrange(32)
        if random.random() < 0.1:
            words = words[: random.randrange(1, len(words))] if random.random() < 0.5 else [*words, 0]
        frames.append(packet.data[:8] + wire.frame(words))
        wanted.append(set() if wire.decode(words, LINE) else {"malformed"})
    seen = faults(written(tmp_path, frames))
    different = [
        (frames[index].hex(), want, found)
        for index, (want, found) in enumerate(zip(wanted, seen, strict=True))
        if want != found
    ]
    assert different == []
    assert len(wanted) / 10 < sum(map(bool, wanted)) < len(wanted) * 9 / 10


def test_any_bytes_are_survived(tmp_path, packets):
    """Noise in frames and pseudo headers, cut frames, FinePack of noise: complaints, no error of Lua's."""
    made = [b"", b"\x01", bytes(20), wire.head(LINE)]
    for packet in random.sample(packets, 300):
        data = bytearray(packet.data)
        for _ in range(random.randrange(1, 9)):
            data[random.randrange(len(data))] = random.randrange(256)
        made.append(
            bytes(data[: random.randrange(1, len(data) + 1)]) if random.random() < 0.3 else bytes(data)
        )
    for number in range(200):
        noise = wire.packet(random.randbytes(random.randrange(1, 600)), LINE, prefix=bool(number & 1))
        made.append(wire.head(LINE, 2 + number % 5) + wire.frame(noise))
    path = written(tmp_path, made)
    assert len(faults(path)) == len(made)
    assert tshark.tshark(path, "-V").count("Weft capture") > 300


# ---------------------------------------------------------------- broken dissectors

BROKEN = {  # what is replaced in weft.lua by what, and who must notice
    "crc": ("0xedb88320", "0xedb88321", test_nothing_is_wrong_with_a_run),
    "token": ("{ 10, 9, 7, 5, 4, 3, 2 }", "{ 10, 9, 7, 5, 4, 3, 1 }", test_nothing_is_wrong_with_a_run),
    "stamp": ("bits(first, 8, 8) * 256", "bits(first, 8, 8) * 128", test_any_field_may_have_any_value),
    "operand": ("4 + length - length / operands", "4", test_every_field_is_the_messages),
    "holes": ('p:malformed("byte enables with holes")', "", test_malformed_is_what_the_model_refuses),
    "sub-header": ("for i = size - 1, 0, -1 do", "for i = 0, size - 1 do", test_finepack),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_dissector_is_noticed(tmp_path, monkeypatch, capture, packets, name):
    old, new, notices = BROKEN[name]
    text = tshark.LUA.read_text()
    assert text.count(old) == 1
    (tmp_path / "broken.lua").write_text(text.replace(old, new))
    monkeypatch.setattr(tshark, "LUA", tmp_path / "broken.lua")
    given = {"capture": capture, "packets": packets, "tmp_path": tmp_path, "size": 4, "prefix": False}
    wanted = inspect.signature(notices).parameters
    with pytest.raises(AssertionError):
        notices(**{argument: given[argument] for argument in wanted})
