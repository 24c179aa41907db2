# SPDX-License-Identifier: Apache-2.0
"""The board of `tiny` synthesised for ECP5, behind an emulated FTDI: what synthesis wrote is tried."""

import subprocess
import sys

import pytest
from support import weft
from support.weft import BUILD, LONG, ROOT

FOLDER = BUILD / "board-netlist"

pytestmark = [
    pytest.mark.skipif(not LONG, reason="synthesis of a whole board: minutes"),
    pytest.mark.skipif(not (BUILD / "libweft-vboard.so").exists(), reason="the virtual board needs umockdev"),
]


@pytest.fixture(scope="module")
def netlist():
    command = [sys.executable, "sim/build_rtl.py", "tiny", "--board", "--netlist", "--jobs", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return {"WEFT_BOARD_PATH": str(FOLDER)}


def board(env, *words, options=()):
    tool = str(BUILD / "weft")
    return weft.tool("vboard", "--config", "tiny", *options, "--", tool, *words, env=env)


def test_clocks_are_cells_of_the_chip(netlist):
    """The gate and what passes it by, as on the board."""
    text = (FOLDER / "tiny" / "board_top_netlist.v").read_text()
    assert text.count("  DCCA ") == 2


@pytest.mark.parametrize("front", ["ft245", "uart"])
def test_selftest(netlist, front):
    words = ("selftest", "--quick") if front == "ft245" else ("probe",)
    outcome = board(netlist, *words, "-b", "usb:serial=VIRTUAL", "--json", options=("--front", front))
    assert outcome.code == 0, outcome.err
    assert outcome.json["ok"] is True


def test_cycles_and_counters_are_those_of_the_source(netlist):
    words = ("run", "mix", "--size", "60", "-b", "usb:serial=VIRTUAL", "--json")
    here, source = (board(env, *words) for env in (netlist, None))
    assert here.code == source.code == 0, here.err + source.err
    assert here.json["cycles"] == source.json["cycles"]
    assert here.json["counters"] == source.json["counters"]
