# SPDX-License-Identifier: Apache-2.0
"""`tiny` synthesised for ECP5: what synthesis wrote passes the same system test as its source."""

import os
import re
import subprocess
import sys

import pytest
from support.weft import BUILD, LONG, ROOT, SEED, run
from system.test_thread import same_machine

FOLDER = BUILD / "netlist" / "tiny"
SIZE = 20000 if LONG else 2000


@pytest.fixture(scope="module")
def netlist():
    """Builds the netlist's library, and makes rtl:tiny mean it."""
    command = [sys.executable, "sim/build_rtl.py", "tiny", "--netlist", "--jobs", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (FOLDER / "libweft-rtl.so").exists()
    os.environ["WEFT_RTL_PATH"] = str(BUILD / "netlist")
    yield
    del os.environ["WEFT_RTL_PATH"]


def source(*arguments):
    """The same run on the source."""
    path = os.environ.pop("WEFT_RTL_PATH")
    try:
        return run(*arguments)
    finally:
        os.environ["WEFT_RTL_PATH"] = path


def test_synthesis_made_hardware(netlist):
    """The report names LUTs, flip-flops and block RAM, and nothing that was left unmapped."""
    cells = dict(re.findall(r"^\s+(\d+)\s+(\S+)$", (FOLDER / "synthesis.txt").read_text(), re.M))
    kinds = set(cells.values())
    assert {"LUT4", "TRELLIS_FF", "DP16KD"} <= kinds
    assert not [kind for kind in kinds if kind.startswith("$")]


@pytest.mark.parametrize("jitter", [0, 300])
def test_mix(netlist, jitter):
    arguments = ["mix", "rtl:tiny", "--size", SIZE, "--jitter", jitter, "--seed", SEED]
    same_machine(run(*arguments), source(*arguments))


@pytest.mark.parametrize("workload,size", [("pagerank", 32), ("vecadd", 64)])
def test_workload(netlist, workload, size):
    arguments = [workload, "rtl:tiny", "--size", size]
    same_machine(run(*arguments), source(*arguments))
