# SPDX-License-Identifier: Apache-2.0
"""What is made of nextpnr's word on the clocks: names, what limits, and that a missed one is an error."""

import copy
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sim", "sw/setup", "rtl/config")]
import bitstream  # noqa: E402
import boards  # noqa: E402
import build_rtl  # noqa: E402
import report  # noqa: E402
import timing  # noqa: E402

CLOCK_HZ = 60_000_000


def flop(q, source="rtl/node.sv:12.3-12.9|/share/cells.v:1.1"):
    return {
        "type": "TRELLIS_FF", "connections": {"CLK": [2], "DI": [90], "Q": [q]},
        "port_directions": {"CLK": "input", "DI": "input", "Q": "output"}, "attributes": {"src": source},
    }  # fmt: skip


def gate(enable, out):
    return {
        "type": "DCCA", "connections": {"CLKI": [1], "CE": [enable], "CLKO": [out]},
        "port_directions": {"CLKO": "output"}, "attributes": {},
    }  # fmt: skip


LUT = {
    "type": "LUT4", "connections": {"A": [20], "B": [31], "C": ["0"], "D": [50], "Z": [51]},
    "port_directions": {"A": "input", "B": "input", "C": "input", "D": "input", "Z": "output"},
    "attributes": {},
}  # fmt: skip
MODULE = {
    "ports": {"ft_clk": {"bits": [4]}, "led": {"bits": [8, 9]}},
    "cells": {
        "a$1": flop(20), "a$2": flop(31), "a$3": flop(40), "lut$9": LUT,
        "u.free": gate("1", 2), "u.gate": gate(7, 3),
    },
    "netnames": {
        "clk": {"bits": [2]}, "u.clk_i": {"bits": [3]}, "ft_clk": {"bits": [4]},
        "u.b.data_i": {"bits": [31, 30]}, "u.b.data_q": {"bits": [31, 30]},
        "$n": {"bits": [50], "hide_name": 1},
        "u.ready": {"bits": [20]},
    },
}  # fmt: skip


def step(kind, ns, source, sink, net=None, sources=()):
    row = {"type": kind, "delay": ns, "from": {"cell": source}, "to": {"cell": sink}}
    return row | ({"net": net, "sources": list(sources)} if net else {})


def path(start, end, source, sink, wire):
    where = ["/share/x.v:1.1", "rtl/cache/l2.sv:33.4-33.9"]
    steps = [
        step("clk-to-q", 0.5, source, source),
        step("routing", wire, source, "lut$9", "u.ready"),
        step("logic", 0.25, "lut$9$comb", "lut$9$comb"),
        step("routing", 0, "lut$9", "lut$10", "$n"),
        step("routing", 1.0, "lut$9", sink, "$n", where),
        step("setup", 0.25, sink, sink),
    ]
    return {"from": start, "to": end, "path": steps}


RAW = {
    "fmax": {
        "$glbnet$clk": {"achieved": 90.0, "constraint": 60.0024},
        "u.clk_i": {"achieved": 80.0, "constraint": 60.0024},
        "$glbnet$ft_clk$TRELLIS_IO_IN": {"achieved": 150.0, "constraint": 60.0024},
    },
    "critical_paths": [
        path("posedge $glbnet$clk", "posedge $glbnet$clk", "a$1", "a$2", 9.1),
        path("posedge u.clk_i", "posedge u.clk_i", "a$1", "a$2", 10.5),
        path("posedge $glbnet$clk", "posedge u.clk_i", "a$1", "a$2", 12.0),
        path("posedge u.clk_i", "posedge $glbnet$clk", "a$1", "a$3", 3.0),
        path("posedge u.clk_i", "posedge $glbnet$ft_clk$TRELLIS_IO_IN", "a$1", "a$3", 70.0),
        path("<async>", "posedge u.clk_i", "a$1", "a$3", 80.0),
    ],
}


@pytest.fixture
def raw():
    return copy.deepcopy(RAW)


def found(raw):
    return timing.figures(raw, timing.Names(MODULE), CLOCK_HZ)


def test_clocks_have_names(raw):
    clocks = found(raw)["clocks"]
    assert set(clocks) == {"host", "fabric", "ft_clk", "host to fabric", "fabric to host"}
    assert clocks["host"] == {"wanted_mhz": 60.0, "achieved_mhz": 90.0}
    assert clocks["host to fabric"] == {"wanted_mhz": 60.0, "achieved_mhz": round(1000 / 14, 2)}


def test_fmax_is_of_the_slowest_way_of_the_one_clock(raw):
    """Not of the FTDI's clock, which is another, nor of what has no clock."""
    assert found(raw)["fmax_mhz"] == round(1000 / 14, 2)
    raw["fmax"]["u.clk_i"]["achieved"] = 61.0
    assert found(raw)["fmax_mhz"] == 61.0


def test_what_limits(raw):
    limits = found(raw)["critical_path"]
    assert limits["clock"] == "host to fabric"
    assert (limits["from"], limits["to"]) == ("u.ready", "u.b.data_q[0]")
    assert (limits["ns"], limits["logic_ns"], limits["wires_ns"], limits["levels"]) == (14.0, 1.0, 13.0, 1)
    assert [row["at"] for row in limits["steps"]] == [
        "", "u.ready", "u.ready, u.b.data_q[0]", "rtl/cache/l2.sv:33", "",
    ]  # fmt: skip


def test_ways_to_pads_are_told(raw):
    assert found(raw)["pads_ns"] == {"pads to fabric": 82.0}


def test_a_register_without_a_name_is_told_by_its_source():
    assert timing.Names(MODULE).register("a$3") == "rtl/node.sv:12"
    assert timing.Names(MODULE).register("unknown") == "unknown"


def test_all_well(raw):
    assert not timing.misses(found(raw), CLOCK_HZ)


@pytest.mark.parametrize(
    "clock,name", [("u.clk_i", "fabric"), ("$glbnet$clk", "host"), ("$glbnet$ft_clk$TRELLIS_IO_IN", "ft_clk")]
)
def test_each_clock_is_judged(raw, clock, name):
    raw["fmax"][clock]["achieved"] = 59.0
    assert timing.misses(found(raw), CLOCK_HZ) == [f"{name} reaches 59.0 MHz of 60.0 wanted"]


@pytest.mark.parametrize("index,name", [(2, "host to fabric"), (3, "fabric to host")])
def test_ways_between_host_and_fabric_are_judged(raw, index, name):
    raw["critical_paths"][index]["path"][1]["delay"] = 18.0
    assert timing.misses(found(raw), CLOCK_HZ) == [f"{name} reaches 50.0 MHz of 60.0 wanted"]


def test_a_clock_that_was_not_asked_for_is_noticed(raw):
    """A PLL that nextpnr does not understand would leave the fabric with a slower target."""
    raw["fmax"]["u.clk_i"]["constraint"] = 12.0
    assert timing.misses(found(raw), CLOCK_HZ) == ["fabric was placed for 12.0 MHz, not for 60.0"]


def test_a_missing_clock_is_noticed(raw):
    del raw["fmax"]["u.clk_i"]
    with pytest.raises(timing.Unclear):
        found(raw)


LOG = """
Info: Max frequency for clock 'u.clk_i': 20.00 MHz (FAIL at 60.00 MHz)
Info: Max frequency for clock '$glbnet$ft_clk$TRELLIS_IO_IN': 117.66 MHz (PASS at 60.00 MHz)
Info: Max frequency for clock                       'u.clk_i': 80.00 MHz (PASS at 60.00 MHz)
Info: Max frequency for clock                   '$glbnet$clk': 90.00 MHz (PASS at 60.00 MHz)
Info: Max delay <async>             -> posedge $glbnet$clk: 3.60 ns
Info: Max delay posedge $glbnet$clk -> posedge u.clk_i    : 20.00 ns
Info: Max delay posedge u.clk_i     -> posedge $glbnet$clk: 5.00 ns
"""


def test_a_board_that_is_only_placed(raw):
    """Clocks and the ways between them are of the log; a path there is none."""
    made = found(timing.of_log(LOG))
    assert made["fmax_mhz"] == 50.0 and made["critical_path"] is None
    assert made["clocks"]["fabric"] == {"wanted_mhz": 60.0, "achieved_mhz": 80.0}
    assert made["pads_ns"] == {"pads to host": 3.6}
    assert timing.misses(made, CLOCK_HZ) == ["host to fabric reaches 50.0 MHz of 60.0 wanted"]
    with pytest.raises(timing.Unclear):
        found(timing.of_log("nothing of clocks"))


def test_a_report_says_whether_it_was_routed(raw):
    """Wires that nobody has routed are a guess: page, summary and provenance tell."""
    kept = {"config": "ulx3s", "board": "ulx3s", "luts": 1, "ffs": 1, "brams": 1, "units": {}}
    offers = boards.find("ulx3s").offers
    kept["fits"] = {"part": "LFE5U-85F", "available": offers, "percent": dict.fromkeys(offers, 0)}
    kept["provenance"] = {"command": "make fpga", "tools": {}}
    for routed in (True, False):
        made = report.with_timing(kept, found(raw), {"TRELLIS_COMB": 1}, "nextpnr-0", routed)
        assert made["routed"] is routed
        assert ("not routed" in report.table(made)) is ("not routed" in report.summary(made)) is not routed
        assert made["provenance"]["command"] == ("make fpga" if routed else "make fpga PLACED=1")


def test_missed_clock_ends_the_build(raw, tmp_path, monkeypatch):
    """The message names clock, wanted and achieved; no report is written."""
    monkeypatch.setattr(report, "REPORTS", tmp_path / "reports")
    board = boards.find("ulx3s")
    for row in raw["fmax"].values():
        row["constraint"] = board.mhz
    raw["fmax"]["u.clk_i"]["achieved"] = 24.1
    kept = {"config": "ulx3s", "board": "ulx3s", "luts": 1, "ffs": 1, "brams": 1, "units": {}}
    kept["fits"] = {"part": board.part, "available": board.offers, "percent": dict.fromkeys(board.offers, 0)}
    kept["provenance"] = {"command": "make fpga", "tools": {"nextpnr": "nextpnr-0"}}
    made = report.with_timing(kept, found(raw), {"TRELLIS_COMB": 1}, "nextpnr-0")
    with pytest.raises(build_rtl.Failure) as failure:
        bitstream.check_timing(board, made, tmp_path / "missed.md")
    assert failure.value.code == 1
    said = str(failure.value)
    assert f"fabric reaches 24.1 MHz of {board.mhz:.1f} wanted" in said and "u.ready -> u.b.data_q[0]" in said
    assert f"| fabric | {board.mhz:.1f} | 24.1 |" in (tmp_path / "missed.md").read_text()
    assert not (tmp_path / "reports").exists()
