# SPDX-License-Identifier: Apache-2.0
"""Machines of other shapes on the RTL in lock-step: two banks and long lines, eight nodes, or sixteen."""

import pytest
from support.weft import LONG, run, tool
from system.test_thread import same_machine

SHAPES = ["duo", "octo", "sixteen"] if LONG else ["duo", "octo"]


@pytest.mark.parametrize("jitter", [0, 200])
@pytest.mark.parametrize("config", SHAPES)
def test_mix(config, jitter):
    arguments = ["--size", 8000, "--jitter", jitter]
    same_machine(run("mix", f"rtl:{config}", *arguments), run("mix", f"model:{config}", *arguments))


@pytest.mark.parametrize("config", SHAPES)
@pytest.mark.parametrize("workload,size", [("pagerank", 128), ("jacobi2d", 24)])
def test_workload(config, workload, size):
    same_machine(
        run(workload, f"rtl:{config}", "--size", size), run(workload, f"model:{config}", "--size", size)
    )


@pytest.mark.parametrize("nodes", [1, 2, 3, 5, 8, 16])
def test_nodes_on_the_model(nodes):
    run("mix", "model:quad", "--nodes", nodes, "--size", 8000)


def test_nodes_are_built_into_the_rtl():
    outcome = tool("run", "mix", "-b", "rtl:tiny", "--nodes", 4)
    assert outcome.code == 2
    assert "rtl:tiny was built with nodes=2" in outcome.err
