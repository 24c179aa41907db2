# SPDX-License-Identifier: Apache-2.0
"""weft capture: the file is well-formed pcapng, holds all that the links carried, and is the same on model
and RTL; a disk that fills up leaves nothing."""

import collections
import functools
import resource
import subprocess

import pcapng
import pytest
import tshark
import wire
from support import model
from support.weft import BUILD, run, tool

FUNCTIONS = list(model.FUNC)
RUNS = {
    "jacobi": ("jacobi2d", "--size", 48, "--placement", "interleaved"),  # both nodes are homes
    "mix": ("mix", "--size", 500, "--jitter", 200),
    "blocks": ("pagerank", "--size", 48, "--protocol", "hmg"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("capture")


@functools.cache
def captured(folder, name, backend, *more):
    """The file of a run of RUNS, and what the tool said of it."""
    path = folder / f"{name}-{backend.partition(':')[0]}{''.join(map(str, more))}.pcapng"
    words = RUNS[name] if name in RUNS else ("trace", "--file", operations(folder))
    outcome = tool("capture", *words, *more, "-b", backend, "-o", path, "--json")
    assert outcome.code == 0, outcome.err
    return path, outcome.json


@functools.cache
def file_of(folder, name, backend, *more):
    return pcapng.read(captured(folder, name, backend, *more)[0].read_bytes())


def operations(folder):
    """A trace, node 0 to node 1: every atomic in both widths, stores of every run of bytes in two words."""
    lines = []
    for number, func in enumerate(FUNCTIONS):
        for size in (4, 8):
            compare = " 0x1" if func == "cas" else ""
            at = 0x1000000000 + 64 * number + 8 * (size == 8)
            lines.append(f"0 0 {func} sys {at:#x} {size} 0x{number + 3:x}{compare}")
    for first in range(8):
        for count in range(1, 9 - first):
            text = "".join(f"{16 * first + count + i & 255:02x}" for i in range(count))
            lines.append(f"0 1 store sys {0x1000001000 + first:#x} {count} 0x{text}")
    path = folder / "operations.trace"
    path.write_text("\n".join([*lines, "0 1 fence sys", ""]))
    return path


# ---------------------------------------------------------------- the file


@pytest.mark.parametrize("name", [*RUNS, "operations"])
def test_file_is_what_the_json_says(folder, name):
    path, said = captured(folder, name, "model:tiny")
    file = file_of(folder, name, "model:tiny")
    assert said["ok"] is True and said["verified"] is True and said["file"] == str(path)
    assert file.hardware == "model:tiny" and file.application.startswith("weft ")
    names = ["node0 -> switch", "node1 -> switch", "switch -> node0", "switch -> node1"]
    assert (
        [interface.name for interface in file.interfaces] == names == [link["name"] for link in said["links"]]
    )
    for interface in file.interfaces:
        assert (interface.link_type, interface.resolution) == (pcapng.USER0, 9)
        assert interface.speed == 16 * 8 * 10**9  # link.bytes of tiny
    assert said["packets"] == len(file.packets) > 50
    assert said["bytes"] == sum(len(packet.frame) for packet in file.packets)
    for link in said["links"]:
        mine = [packet.frame for packet in file.packets if packet.interface == link["link"]]
        assert (link["packets"], link["bytes"]) == (len(mine), sum(map(len, mine)))


@pytest.mark.parametrize("name", [*RUNS, "operations"])
def test_frames_are_closed_and_numbered(folder, name):
    following = collections.Counter()
    for packet in file_of(folder, name, "model:tiny").packets:
        version, link, direction, node, sub_header, zero, line = wire.HEAD.unpack(packet.data[:8])
        assert (version, sub_header, zero, line) == (1, 5, 0, 32)
        assert (link, direction, node) == (packet.interface, link // 2, link % 2)
        assert wire.frame(packet.words[1:-1], following[link]) == packet.frame
        following[link] = (following[link] + 1) % 4096


def test_what_goes_up_comes_down(folder):
    """Between the same two nodes a class keeps its order: what the switch sends is what was sent to it."""
    sent = collections.defaultdict(list)
    for packet in file_of(folder, "jacobi", "model:tiny").packets:
        fields = wire.shown(packet.words[1:-1], 32)
        sent[packet.interface // 2, fields["src"], fields["dst"], fields["class"]].append(packet.words[1:-1])
    ways = {key[1:] for key in sent}
    assert len(ways) == 6
    for way in ways:
        assert sent[0, *way] == sent[1, *way]


@pytest.mark.parametrize("name", [*RUNS, "operations"])
def test_model_and_rtl_are_equal(folder, name):
    on_model, on_rtl = file_of(folder, name, "model:tiny"), file_of(folder, name, "rtl:tiny")
    assert on_rtl.hardware == "rtl:tiny"
    assert on_model.interfaces == on_rtl.interfaces
    assert on_model.packets == on_rtl.packets
    assert captured(folder, name, "rtl:tiny")[1]["lockstep"] is True


def test_one_link(folder):
    everything = file_of(folder, "jacobi", "model:tiny")
    one = file_of(folder, "jacobi", "model:tiny", "--link", 3)
    assert one.interfaces == everything.interfaces
    assert one.packets == [packet for packet in everything.packets if packet.interface == 3] != []
    said = captured(folder, "jacobi", "model:tiny", "--link", 3)[1]
    assert [link["link"] for link in said["links"]] == [3]
    assert said["packets"] == said["links"][0]["packets"] == len(one.packets)


def test_a_broken_file_is_seen(folder):
    """The reader that the tests above trust."""
    data = captured(folder, "operations", "model:tiny")[0].read_bytes()
    first = pcapng.read(data).packets_at
    for at, byte in (
        (4, data[4] ^ 4),
        (8, 0),
        (first + 4, data[first + 4] ^ 4),
        (first + 8, 9),
        (first + 24, 1),
    ):
        with pytest.raises(pcapng.Wrong):
            pcapng.read(data[:at] + bytes([byte]) + data[at + 1 :])
    with pytest.raises(pcapng.Wrong):
        pcapng.read(data[:-4])


# ---------------------------------------------------------------- what cannot be captured


def test_miscounting_links_are_noticed(tmp_path):
    """A fault in the RTL's metering, with nobody beside it: packets and counters disagree."""
    words = ("capture", *RUNS["jacobi"], "-b", "rtl:tiny", "--no-lockstep", "--fault", "link_miscounts")
    outcome = tool(*words, "-o", tmp_path / "f.pcapng", "--json")
    assert outcome.code == 1
    assert "but the fabric has counted" in outcome.err
    assert outcome.json["ok"] is False
    assert pcapng.read((tmp_path / "f.pcapng").read_bytes()).packets


def test_wrong_results_have_packets_too(tmp_path):
    outcome = tool(
        "capture", "mix", "-b", "model:tiny", "--protocol", "none", "-o", tmp_path / "n.pcapng", "--json"
    )
    assert outcome.code == 1
    assert (outcome.json["verified"], outcome.json["ok"]) == (False, False)
    assert len(pcapng.read((tmp_path / "n.pcapng").read_bytes()).packets) == outcome.json["packets"]


@pytest.mark.parametrize("room", [0, 100, 30000])
def test_disk_full(tmp_path, room):
    path = tmp_path / "c.pcapng"
    path.write_text("earlier")

    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    command = [BUILD / "weft", "capture", *map(str, RUNS["jacobi"]), "-b", "model:tiny", "-o", path, "--json"]
    done = subprocess.run(command, preexec_fn=full, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 4 and done.stdout == ""
    assert done.stderr.startswith(f"weft: cannot write {path}: ") and len(done.stderr.splitlines()) <= 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.pcapng"]
    assert path.read_text() == "earlier"


# ---------------------------------------------------------------- counters


COUNTED = ("request", "forward", "response")


@tshark.needed
@pytest.mark.parametrize("backend", ["model:tiny", "rtl:tiny"])
def test_counts_are_those_of_the_run(folder, backend):
    path, _ = captured(folder, "jacobi", backend)
    counters = run(RUNS["jacobi"][0], backend, *RUNS["jacobi"][1:])["counters"]
    found = collections.Counter()
    for row in tshark.fields(path, "link", "class", "token.length", "lcrc.good", "_ws.expert"):
        assert row["_ws.expert"] == [] and row["lcrc.good"][0] in ("1", "True")
        link, words = int(row["link"][0]), int(row["token.length"][0])
        node, down = link % 2, link >= 2
        kind = "" if down else f"_{row['class'][0]}"
        unit = f"node{node}.{'switch' if down else 'link'}"
        found[f"{unit}.messages{kind}"] += 1
        found[f"{unit}.bytes{kind}"] += 4 * words
    names = [
        f"node{n}.link.{what}_{kind}" for n in range(2) for what in ("messages", "bytes") for kind in COUNTED
    ]
    names += [f"node{n}.switch.{what}" for n in range(2) for what in ("messages", "bytes")]
    assert all(counters[name] for name in names)
    assert found == {name: counters[name] for name in names}
