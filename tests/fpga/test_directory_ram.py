# SPDX-License-Identifier: Apache-2.0
"""The RAM of directory and TSU as synthesised has the bits that `weft config --storage` says, to the bit.

Yosys goes as far as the memories, before they are cut into blocks of the chip.
"""

import json
import pathlib
import subprocess
import sys

import pytest
from support.runner import Mutant
from support.weft import BUILD, tool

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sw/setup", "rtl/config")]
import ecp5  # noqa: E402
import generate  # noqa: E402
import protocols  # noqa: E402
import sources  # noqa: E402
import tools  # noqa: E402

PARTS = ("cache/l2_pkg.sv", "common/cut.sv", "common/ram.sv", "common/replacement.sv")
PARTS += ("home/directory", "home/tsu.sv", "home/tracker.sv")
TRACKED = [row["name"] for row in protocols.tracked()]
NAMES = [row["name"] for row in protocols.tracked() if row["tracker"] == "directory"]
LEASES = [row["name"] for row in protocols.tracked() if row["tracker"] == "tsu"]
SHAPES = {
    "tiny": [],
    "quad": ["directory.range=4096"],
    "rec4": ["nodes=8", "directory.entries=512"],
    "one way": ["directory.ways=1", "nodes=3", "line=128"],
    "more sets than ranges": ["directory.entries=512", "directory.ways=1"],
}


def memories(name, changes, mutant=None, top="tracker"):
    """(bits of a word, words) of every memory of one bank's tracker."""
    label = "-".join([top, name, *changes, *([mutant.name] if mutant else [])])
    folder = BUILD / "fpga" / "directory-ram" / label
    folder.mkdir(parents=True, exist_ok=True)
    package = generate.sv_package(name, generate.resolve(name, changes))
    rtl = [ROOT / "rtl" / part for part in sources.listed() if part.startswith(PARTS)]
    texts = {path: path.read_text() for path in rtl}
    named = {"weft_pkg.sv": package}
    named |= {path.name: text for path, text in (mutant.apply(texts) if mutant else texts).items()}
    for file, text in named.items():
        (folder / file).write_text(text)
    netlist, script = folder / "netlist.json", folder / "script.ys"
    script.write_text(
        ecp5.read(top, [folder / file for file in named])
        + f"synth_ecp5 -top {top} -run begin:map_ram\n"
        + f"select {top}\nwrite_json -selected {ecp5.relative(netlist)}\n"
    )
    command = ecp5.command(script, folder / "yosys.log")
    subprocess.run(command, cwd=ROOT, env=tools.environment(), check=True, capture_output=True)
    cells = json.loads(netlist.read_text())["modules"][top]["cells"].values()
    found = [cell["parameters"] for cell in cells if cell["type"].startswith("$mem")]
    return [(int(cell["WIDTH"], 2), int(cell["SIZE"], 2)) for cell in found]


def built(name, changes, mutant=None):
    """Bits of the directory of a whole node, all banks."""
    values = generate.resolve(name, changes)
    found = memories(name, changes, mutant)
    assert len(found) == 1, "a directory has one RAM"
    width, words = found[0]
    assert words * values["directory.ways"] * values["l2.banks"] == values["directory.entries"]
    return width * words * values["l2.banks"]


def said(name, changes, protocol):
    options = [word for change in changes for word in ("--set", change)]
    outcome = tool("config", name, "--storage", "--protocol", protocol, "--json", *options)
    assert outcome.code == 0, outcome.err
    return outcome.json["directory" if protocol in NAMES else "tsu"]


def alone(*wanted):
    """Changes that build these protocols and no others."""
    return [f"built.{name}={int(name in wanted)}" for name in TRACKED]


def test_there_are_three():
    assert {"baseline", "hmg", "rec"} <= set(NAMES)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("protocol", NAMES)
def test_one_protocol(protocol, shape):
    name = shape if shape in generate.CONFIGS["config"] else "tiny"
    changes = [*SHAPES[shape], *alone(protocol)]
    bits, storage = built(name, changes), said(name, changes, protocol)
    assert storage["built_entry_bits"] * storage["entries"] == bits
    assert storage["built_total_bytes"] == (bits + 7) // 8
    assert storage["ram_entry_bits"] == storage["built_entry_bits"]


@pytest.mark.parametrize("shape", SHAPES)
def test_all_protocols_in_one_build(shape):
    """As wide as the widest of each part; the same whichever protocol is asked about."""
    name = shape if shape in generate.CONFIGS["config"] else "tiny"
    changes = [*SHAPES[shape], *alone(*NAMES)]
    bits = built(name, changes)
    for protocol in NAMES:
        storage = said(name, changes, protocol)
        assert storage["ram_entry_bits"] * storage["entries"] == bits
        assert storage["ram_total_bytes"] == (bits + 7) // 8
        assert storage["ram_entry_bits"] >= storage["built_entry_bits"]


def test_without_any_protocol():
    """Nothing uses the RAM then, but it is there; nobody is told of it."""
    assert built("tiny", alone()) > 0
    assert said("tiny", alone(), "baseline")["ram_entry_bits"] == 0


def test_a_wider_tag_is_noticed():
    wider = Mutant("wider-tag", "? BlockWidth - SetBits : 1;", "? BlockWidth - SetBits + 1 : 1;")
    storage = said("tiny", alone(*NAMES), "rec")
    assert built("tiny", alone(*NAMES), wider) == (storage["ram_entry_bits"] + 1) * storage["entries"]


def test_one_node_has_none():
    assert not memories("tiny", ["nodes=1", *alone(*NAMES)])
    storage = said("tiny", ["nodes=1"], "rec")
    assert storage["ram_entry_bits"] == storage["ram_total_bytes"] == storage["built_total_bytes"] == 0


TSU_SHAPES = {
    "tiny": [],
    "quad": ["l2.banks=2"],
    "short times": ["lease.bits=6", "tsu.entries=64"],
    "one way": ["tsu.ways=1", "tsu.entries=1", "nodes=1"],
    "more sets than lines": ["tsu.entries=512", "tsu.ways=1", "memory.bytes=8192"],
}


@pytest.mark.parametrize("shape", TSU_SHAPES)
def test_tsu(shape):
    """A word is a set: its blocks and its high-water mark."""
    name = shape if shape in generate.CONFIGS["config"] else "tiny"
    changes = [*TSU_SHAPES[shape], *alone(*LEASES)]
    values, storage = generate.resolve(name, changes), said(name, changes, LEASES[0])
    ((width, words),) = memories(name, changes, top="tsu")
    assert width == storage["built_entry_bits"] * values["tsu.ways"] + storage["built_set_bits"]
    assert words * values["tsu.ways"] * values["l2.banks"] == storage["entries"] == values["tsu.entries"]
    assert storage["built_total_bytes"] == (width * words * values["l2.banks"] + 7) // 8
    assert storage["ram_total_bytes"] == storage["built_total_bytes"]
    assert storage == said(name, changes, LEASES[1])


def test_a_tsu_beside_the_directory():
    """Both are there, as large as each alone."""
    both = sorted(memories("tiny", alone(*TRACKED)))
    assert both == sorted(memories("tiny", alone(*NAMES)) + memories("tiny", alone(*LEASES), top="tsu"))


def test_a_wider_time_is_noticed():
    wider = Mutant("wider-time", "typedef logic [TimeBits-1:0] time_t;", "typedef logic [TimeBits:0] time_t;")
    ((width, _),) = memories("tiny", alone(*LEASES), wider, top="tsu")
    storage = said("tiny", alone(*LEASES), LEASES[0])
    assert width > storage["built_entry_bits"] * 2 + storage["built_set_bits"]
