# SPDX-License-Identifier: Apache-2.0
"""Memories on the switch, on the RTL in lock-step: nodes without compute units, in which all pages lie. Times
have seven bits, so that time starts again in them too."""

import pytest
from support.weft import LONG, SEED, run, tool
from system.test_fig5 import INTER, INTRA, placed
from system.test_thread import same_machine

SIZES = {"mix": 60_000 if LONG else 4000, "vecadd": 2048, "pagerank": 64}
GPUS, MEMORIES = (0, 1), (2, 3)
LEASES = ["halcone-weak", "halcone-causal", "halcone-renew"]
LITMUS = ["ptx/CoRR+two.warps", "ptx/MP+two.warps", "ptx/MP+sibling", "riscv/SB", "riscv/IRIW"]


def both(workload, *arguments):
    """The same on RTL and model."""
    rtl, model = (run(workload, f"{backend}:shared", *arguments) for backend in ("rtl", "model"))
    same_machine(rtl, model)
    return rtl


def per_node(result, counter):
    return [result["counters"][f"node{node}.{counter}"] for node in (*GPUS, *MEMORIES)]


@pytest.mark.parametrize("protocol", [*LEASES, "hmg", "rec"])
@pytest.mark.parametrize("workload", SIZES)
def test_rtl_is_the_model(workload, protocol):
    """Pages go to the memories in turn, as in the paper."""
    machine = ["--protocol", protocol, "--placement", "interleaved", "--jitter", 100, "--seed", SEED]
    result = both(workload, "--size", SIZES[workload], *machine)
    assert result["nodes"] == len(GPUS)
    reads, remote = per_node(result, "memory.reads"), per_node(result, "home.remote")
    assert all(reads[node] == remote[node] == 0 for node in GPUS)
    assert all(reads[node] and remote[node] for node in MEMORIES)
    assert not any(per_node(result, "home.local"))
    if protocol in LEASES:
        assert all(per_node(result, "lease.rebases"))
        assert sum(per_node(result, "tsu.lookups")) > 0 == sum(per_node(result, "tsu.late"))


def test_without_coherence_too():
    both("vecadd", "--protocol", "none")
    both("vecadd", "--protocol", "none-wt")


@pytest.mark.parametrize("protocol", LEASES)
def test_figure_5(protocol):
    result = both("fig5", "--protocol", protocol)
    assert placed(result, "intra") == INTRA
    assert placed(result, "inter") == INTER[protocol]


@pytest.mark.parametrize("protocol", [*LEASES, "hmg"])
def test_litmus(protocol):
    files = [f"tests/litmus/{name}.litmus" for name in LITMUS]
    machine = ["-b", "rtl:shared", "--protocol", protocol, "--jitter", 300, "--seed", SEED]
    judged = ["--expected", "tests/litmus/expected.csv", "--runs", 2000 if LONG else 40]
    outcome = tool("litmus", *files, *machine, *judged, "--json")
    assert outcome.code == 0, outcome.err
    summary = outcome.json["summary"]
    assert summary["tests"] == len(LITMUS)
    assert summary["skipped"] == summary["contradictions"] == summary["outside"] == 0


def test_a_fault_in_a_memory_is_found():
    """By lock-step, in a node that has no compute unit; and by the program's own values."""
    program = ["run", "mix", "-b", "rtl:shared", "--size", 4000, "--fault", "memory_loses_byte"]
    outcome = tool(*program)
    assert outcome.code == 1
    assert "differ in unit memory, node 2" in outcome.err or "differ in unit memory, node 3" in outcome.err
    outcome = tool(*program, "--no-lockstep", "--json")
    assert outcome.code == 1
    assert outcome.json["verified"] is False
