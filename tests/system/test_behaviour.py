# SPDX-License-Identifier: Apache-2.0
"""What holds of whole runs: coherence is needed, lock-step is cheap, a stuck run ends and says why."""

import functools
import resource

import pytest
from support.weft import run, tool


@pytest.mark.parametrize("backend", ["rtl:quad", "model:quad"])
@pytest.mark.parametrize("workload", ["pagerank", "mix", "jacobi2d"])
def test_without_coherence_the_answer_is_wrong(workload, backend):
    outcome = tool("run", workload, "-b", backend, "--protocol", "none", "--json")
    assert outcome.code == 1
    assert outcome.json["verified"] is False
    assert outcome.json["counters"]["total.directory.lookups"] == 0


@functools.cache
def cpu_seconds(*arguments):
    """Of a run's own process, the least of three: what else the machine does does not decide."""

    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def once():
        before = used()
        run(*arguments)
        return used() - before

    return min(once() for _ in range(3))


def test_lockstep_costs_at_most_half_of_the_run():
    assert cpu_seconds("pagerank", "rtl:quad") <= 1.5 * cpu_seconds("pagerank", "rtl:quad", "--no-lockstep")


def test_model_is_faster_than_rtl():
    """Ten times is what every workload is promised; `make bench BENCH=simulators` shows what there is."""
    assert cpu_seconds("pagerank", "model:quad") < cpu_seconds("pagerank", "rtl:quad", "--no-lockstep") / 10


@pytest.mark.parametrize("backend", ["rtl:tiny", "model:tiny"])
def test_a_run_without_progress_ends_and_says_what_waits(backend):
    outcome = tool("run", "mix", "-b", backend, "--size", 1000, "--patience", 3, "--json")
    assert outcome.code == 1
    assert outcome.json["verified"] is False
    assert "no progress for 3 cycles" in outcome.err
    assert "node 0 cu 0 warp 0: " in outcome.err
    assert ", waiting for " in outcome.err


def test_counters_add_up():
    result = run("pagerank", "rtl:quad")
    counters = result["counters"]
    nodes = range(result["nodes"])
    for name in ("directory.lookups", "link.bytes_request", "memory.reads"):
        assert counters[f"total.{name}"] == sum(counters[f"node{n}.{name}"] for n in nodes)
    sent = sum(counters[f"total.link.messages_{kind}"] for kind in ("request", "forward", "response"))
    assert counters["total.switch.messages"] == sent
    received = (
        counters["total.l2.inv_hit_write"]
        + counters["total.l2.inv_hit_evict"]
        + counters["total.l2.inv_miss"]
    )
    assert received == counters["total.directory.inv_write"] + counters["total.directory.inv_evict"]
