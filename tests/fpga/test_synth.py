# SPDX-License-Identifier: Apache-2.0
"""What a synthesis is counted as, that a report of other sources is noticed, and which boards there are."""

import dataclasses
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sim", "sw/setup", "rtl/config")]
import boards  # noqa: E402
import ecp5  # noqa: E402
import generate  # noqa: E402
import place  # noqa: E402
import report  # noqa: E402

NAME = "ulx3s"
CELLS = {"LUT4": 10, "CCU2C": 3, "TRELLIS_DPR16X4": 2, "PFUMX": 4, "TRELLIS_FF": 7, "DP16KD": 1}
# As Yosys has them: two nodes, of which the first was synthesised.
MODULES = {
    "\\ulx3s_top": {"num_cells_by_type": {"LUT4": 1, "node$gen_node[0].u": 1, "node$gen_node[1].u": 1}},
    "\\node$gen_node[0].u": {"num_cells_by_type": {"TRELLIS_FF": 2, "l1$gen_node[0].u.a": 1}},
    "\\l1$gen_node[0].u.a": {"num_cells_by_type": {"LUT4": 5}},
}
STEP = {"ns": 16.0, "kind": "logic", "cell": "c", "at": "u.state_q"}
TIMING = {
    "fmax_mhz": 60.1,
    "pads_ns": {"ft_clk to pads": 4.2},
    "clocks": {"fabric": {"wanted_mhz": 60.0, "achieved_mhz": 60.1}},
    "critical_path": {
        "clock": "fabric to fabric", "from": "u.state_q", "to": "u.line_q", "ns": 16.0, "logic_ns": 6.0,
        "wires_ns": 10.0, "levels": 1, "steps": [STEP],
    },
}  # fmt: skip


# ---------------------------------------------------------------- the check itself


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """What the hashes are taken of, elsewhere."""
    shutil.copytree(ROOT / "rtl", tmp_path / "rtl", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "fpga", tmp_path / "fpga", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "constraints", tmp_path / "constraints")
    monkeypatch.setattr(boards, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "HERE", tmp_path / "rtl" / "config")
    monkeypatch.setattr(report, "FPGA", tmp_path / "fpga")
    monkeypatch.setattr(report, "REPORTS", tmp_path / "fpga" / "reports")
    monkeypatch.setattr(report, "yosys_version", lambda: "Yosys of another day")
    board = boards.find(NAME)
    made = report.compose(board, generate.digest(generate.resolve(board.config)), CELLS, MODULES)
    report.write(report.with_timing(made, TIMING, {"TRELLIS_COMB": 30}, "nextpnr of another day"))
    assert not report.stale(NAME)
    return tmp_path


@pytest.mark.parametrize(
    "changed",
    "rtl/node.sv rtl/config/formats.toml rtl/config/weft.rdl fpga/board_fabric.sv fpga/board_top.sv "
    "fpga/ulx3s/ulx3s_top.sv fpga/ulx3s/clock_gate.v constraints/ulx3s.lpf".split(),
)
def test_changed_source_is_noticed(copy, changed):
    with (copy / changed).open("a") as file:
        file.write("\n")
    assert report.stale(NAME)


def test_changed_recipe_is_noticed(copy, monkeypatch):
    monkeypatch.setattr(ecp5, "HIERARCHY_ROUNDS", 1)
    assert report.stale(NAME)


@pytest.mark.parametrize("old,new", [("seed = ", "seed = 1"), ("clock_hz = ", "clock_hz = 1")])
def test_changed_board_is_noticed(copy, old, new):
    path = copy / "fpga" / "boards.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    assert "pins, clock or recipe" in report.stale(NAME)


@pytest.mark.parametrize("what", ["OPTIONS", "PACK"])
def test_changed_options_are_noticed(copy, monkeypatch, what):
    monkeypatch.setattr(place, what, [*getattr(place, what), "--other"])
    assert report.stale(NAME)


def test_changed_configuration_is_noticed(copy, monkeypatch):
    monkeypatch.setitem(generate.CONFIGS["config"][NAME], "l2.sets", 64)
    assert report.stale(NAME)


def test_missing_report_is_noticed(copy):
    report.path_of(NAME).unlink()
    assert report.stale(NAME)


# ---------------------------------------------------------------- counting


def test_cells_are_counted_as_the_chip_has_them():
    assert ecp5.count(CELLS) == {"luts": 10 + 6 + 12, "ffs": 7, "brams": 1}


@pytest.mark.parametrize("strange", ["MULT18X18D", "$dff", "$assert"])
def test_unknown_cell_is_refused(strange):
    with pytest.raises(ecp5.UnknownCell):
        ecp5.count({"LUT4": 1, strange: 1})


def test_copies_of_a_node_count_as_the_first():
    """Node 1 was left out of the synthesis of the units; it is there all the same."""
    units = report.units(MODULES, "ulx3s_top")
    assert units["node"] == {
        "instances": 2, "luts": 5, "ffs": 2, "brams": 0, "own": {"luts": 0, "ffs": 4, "brams": 0},
    }  # fmt: skip
    assert units["l1"]["instances"] == 2 and units["l1"]["own"]["luts"] == 10
    assert units["ulx3s_top"]["luts"] == 11


def test_event_port_in_a_netlist_is_found():
    cells = {"a": {"type": "TRELLIS_FF", "connections": {"Q": [7]}}}
    nets = {"u_fabric.u_l2.seq_q": {"bits": ["0", 7]}, "u_fabric.u_l2.c_valid_q": {"bits": [8]}}
    netlist = {"modules": {"top": {"cells": cells, "netnames": nets}}}
    assert report.event_flops(netlist) == ["u_fabric.u_l2.seq_q"]
    cells["a"]["connections"]["Q"] = [8]
    assert not report.event_flops(netlist)


def test_too_large_names_what_and_where(copy):
    made = report.load(NAME)
    assert not report.too_large(made)
    assert report.too_large({**made, "luts": 90000}) == ("90000 LUT4 of 83640 (most LUTs without parts: l1)")


def test_report_has_clocks_and_what_limits(copy):
    page = report.path_of(NAME).with_suffix(".md").read_text()
    assert "| fabric | 60.0 | 60.1 |" in page
    assert "`u.state_q` to `u.line_q`, 16.00 ns: 6.00 of logic in 1 levels, 10.00 of wires" in page
    assert report.load(NAME)["provenance"]["tools"] == {
        "yosys": "Yosys of another day", "nextpnr": "nextpnr of another day",
    }  # fmt: skip


# ---------------------------------------------------------------- boards


def test_boards_are_sound():
    """Those that can be built have all that it takes, and a clock that the PLL makes."""
    for board in boards.load().values():
        assert board.luts > 20000 and board.brams > 50 and board.part.startswith("LFE5U-")
        if board.config:
            assert generate.resolve(board.config)["faults"] == 0
            assert (ROOT / board.pins).exists() and (ROOT / board.folder / f"{board.top}.sv").exists()
            assert board.place and board.clock_hz >= 6 * 3_000_000
            place.options(board)


def test_clock_of_a_configuration():
    board = boards.find(NAME)
    assert boards.clock_of(board.config) == board.clock_hz
    assert boards.clock_of("tiny") == 60_000_000  # which has no board


def test_other_clock_is_another_target():
    slow = dataclasses.replace(boards.find(NAME), clock_hz=62_500_000)
    assert report.parameters_of(slow) == (("ClockHz", 62_500_000),)
    words = place.options(slow)
    assert words[words.index("--freq") + 1] == "62.5"


def refused(*words):
    done = subprocess.run(
        [sys.executable, "fpga/bitstream.py", *words], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2 and not done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_unknown_board_is_refused():
    assert "BOARD=nonesuch: no such board; there is ulx3s" in refused("nonesuch")


@pytest.mark.parametrize("name", [name for name, board in boards.load().items() if not board.config])
def test_small_board_is_refused(name):
    said = refused(name)
    assert "too small" in said and boards.load()[name].part in said
    assert "ulx3s" in said and "weft vboard" in said, "the cure"
