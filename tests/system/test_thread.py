# SPDX-License-Identifier: Apache-2.0
"""The first thread: every workload on the RTL in lock-step, and the timed model is the same machine.

The model's cycles and event counters are compared with the RTL's and must be equal: the timed model mirrors
the RTL's pipelines, so a difference is a fault in one of them, not an approximation."""

import pytest
import weft_gen
from support.weft import run

WORKLOADS = ["vecadd", "pagerank", "sssp", "jacobi2d", "matmul", "spatter", "mix"]
WORKLOADS += ["atax", "gemv", "lu", "st"]  # of REC's twelve, beside those above
# Small sizes for tiny's 32 KiB per node.
TINY = {"vecadd": 512, "pagerank": 96, "sssp": 96, "jacobi2d": 20, "matmul": 16, "spatter": 64, "mix": 3000}
TINY |= {"atax": 24, "gemv": 24, "lu": 24, "st": 16}


def same_machine(rtl, model):
    assert rtl["cycles"] == model["cycles"]
    assert rtl["operations"] == model["operations"]
    timed = ("stalls", "busy", "cycles")
    different = {
        name: (value, model["counters"][name])
        for name, value in rtl["counters"].items()
        if not name.endswith(timed) and value != model["counters"][name]
    }
    assert not different


@pytest.mark.parametrize("workload", WORKLOADS)
def test_tiny(workload):
    size = ["--size", TINY[workload]]
    same_machine(run(workload, "rtl:tiny", *size), run(workload, "model:tiny", *size))


@pytest.mark.parametrize("workload", WORKLOADS)
def test_quad(workload):
    same_machine(run(workload, "rtl:quad"), run(workload, "model:quad"))


@pytest.mark.parametrize("placement", ["first-touch", "interleaved", "fixed:1"])
def test_placement(placement):
    same = ["--placement", placement, "--size", TINY["mix"]]
    same_machine(run("mix", "rtl:tiny", *same), run("mix", "model:tiny", *same))


def test_runs_repeat_exactly():
    first, second = (run("mix", "rtl:tiny", "--size", 2000, "--jitter", 100) for _ in range(2))
    assert first["cycles"] == second["cycles"]
    assert first["counters"] == second["counters"]


def test_null_gives_the_same_answers():
    """The flat memory knows no caches: whatever it verifies, the fabric verified too."""
    for workload in WORKLOADS:
        run(workload, "null:quad")


def test_every_configuration_runs_on_the_model():
    for config in weft_gen.CONFIGS:
        run("mix", f"model:{config}", "--size", 2000)
