# SPDX-License-Identifier: Apache-2.0
"""What a synthesis is counted as, and that a report of other sources is noticed."""

import pathlib
import shutil
import subprocess
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sw/setup", "rtl/config")]
import ecp5  # noqa: E402
import generate  # noqa: E402
import report  # noqa: E402

NAME = "ulx3s"
CELLS = {"LUT4": 10, "CCU2C": 3, "TRELLIS_DPR16X4": 2, "PFUMX": 4, "TRELLIS_FF": 7, "DP16KD": 1}
# As Yosys has them: two nodes, of which the first was synthesised.
MODULES = {
    "\\board_fabric": {"num_cells_by_type": {"LUT4": 1, "node$gen_node[0].u": 1, "node$gen_node[1].u": 1}},
    "\\node$gen_node[0].u": {"num_cells_by_type": {"TRELLIS_FF": 2, "l1$gen_node[0].u.a": 1}},
    "\\l1$gen_node[0].u.a": {"num_cells_by_type": {"LUT4": 5}},
}


# ---------------------------------------------------------------- the check itself


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """What the hashes are taken of, elsewhere."""
    shutil.copytree(ROOT / "rtl", tmp_path / "rtl", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "fpga", tmp_path / "fpga", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "HERE", tmp_path / "rtl" / "config")
    monkeypatch.setattr(report, "FPGA", tmp_path / "fpga")
    monkeypatch.setattr(report, "REPORTS", tmp_path / "fpga" / "reports")
    board = types.SimpleNamespace(name=NAME, hash=generate.digest(generate.resolve(NAME)))
    monkeypatch.setattr(report, "yosys_version", lambda: "Yosys of another day")
    report.write(report.compose(board, CELLS, MODULES))
    assert not report.stale(NAME)
    return tmp_path


@pytest.mark.parametrize(
    "changed",
    ["rtl/node.sv", "rtl/config/formats.toml", "rtl/config/weft.rdl", "fpga/board_fabric.sv"],
)
def test_changed_source_is_noticed(copy, changed):
    with (copy / changed).open("a") as file:
        file.write("\n")
    assert report.stale(NAME)


def test_changed_recipe_is_noticed(copy, monkeypatch):
    monkeypatch.setattr(ecp5, "HIERARCHY_ROUNDS", 1)
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
    units = report.units(MODULES)
    assert units["node"] == {
        "instances": 2, "luts": 5, "ffs": 2, "brams": 0, "own": {"luts": 0, "ffs": 4, "brams": 0},
    }  # fmt: skip
    assert units["l1"]["instances"] == 2 and units["l1"]["own"]["luts"] == 10
    assert units["board_fabric"]["luts"] == 11


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
    assert report.too_large({**made, "luts": 90000}) == (
        "90000 LUT4 of 83640 (most LUTs without parts: l1)"
    )


def test_wrong_use():
    done = subprocess.run(
        [sys.executable, "fpga/synth.py", "nonesuch"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "unknown configuration 'nonesuch'" in done.stderr and len(done.stderr.splitlines()) <= 3
