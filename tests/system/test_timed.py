# SPDX-License-Identifier: Apache-2.0
"""The timed model can stand in for the RTL: same cycles, same counters, whatever the workload and the seed.

The promise is 5 % of the RTL's cycles; the difference is none at all, so that is what is held. Time counters
(stalls, busy links) are compared as well: a unit that sleeps counts what it sleeps through."""

import pytest
from support.weft import LONG, run

# 2 nodes with two banks each and 128-byte lines, and 4 nodes: small inputs, since the RTL takes its time.
SIZES = {
    "duo": {
        "vecadd": 512,
        "pagerank": 48,
        "sssp": 48,
        "jacobi2d": 16,
        "matmul": 16,
        "spatter": 64,
        "mix": 1000,
        "atax": 24,
        "lu": 24,
        "st": 16,
    },
    "quad": {
        "vecadd": 4096,
        "pagerank": 128,
        "sssp": 96,
        "jacobi2d": 32,
        "matmul": 24,
        "spatter": 256,
        "mix": 2000,
        "atax": 24,
        "lu": 40,
        "st": 32,
    },
}
SEEDS = range(1, 21) if LONG else (1, 2, 3)
TRACED = "jacobi2d"


def same(rtl, model):
    assert model["cycles"] == pytest.approx(rtl["cycles"], rel=0.05)  # the promise
    assert model["cycles"] == rtl["cycles"]  # what is held
    assert model["operations"] == rtl["operations"]
    different = {
        name: (value, model["counters"][name])
        for name, value in rtl["counters"].items()
        # the RTL's time goes on while it writes dirty lines back at the end, the model's does not
        if not name.endswith(".time.cycles") and value != model["counters"][name]
    }
    assert not different


def compare(config, workload, *options):
    same(
        run(workload, f"rtl:{config}", "--no-lockstep", *options), run(workload, f"model:{config}", *options)
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("workload", SIZES["quad"])
@pytest.mark.parametrize("config", SIZES)
def test_same_cycles(config, workload, seed):
    compare(config, workload, "--size", SIZES[config][workload], "--seed", seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("config", SIZES)
def test_same_cycles_for_a_trace(config, seed, tmp_path):
    trace = tmp_path / "trace.txt"
    size = SIZES[config][TRACED]
    run(TRACED, f"model:{config}", "--size", size, "--seed", seed, "--trace-out", trace)
    compare(config, "trace", "--file", trace)


@pytest.mark.parametrize("jitter", [50, 400])
def test_same_cycles_with_random_delays(jitter):
    """Held streams make units sleep and wake at other moments."""
    compare("duo", "mix", "--size", SIZES["duo"]["mix"], "--jitter", jitter)


def test_a_cycle_of_difference_is_found():
    size = ["--size", SIZES["duo"]["vecadd"]]
    rtl = run("vecadd", "rtl:duo", "--no-lockstep", *size)
    with pytest.raises(AssertionError):
        same(rtl, run("vecadd", "model:duo", *size, "--set", "memory.latency=7"))


def test_sixteen_nodes_of_eight():
    """The largest machine there is runs on the model, and its answers are right."""
    result = run("mix", "model:quad", "--set", "nodes=16", "--set", "cus=8", "--size", 4000)
    assert result["nodes"] == 16
    assert result["operations"] > 4000


@pytest.mark.parametrize("egress", ("plain", "bulk", "infinite"))
@pytest.mark.parametrize("workload,size", (("pagerank", 48), ("sssp", 48), ("als", 32)))
def test_replicas(workload, size, egress):
    """Replicas are address translation and more stores: nothing differs, nor the cycles infinite leaves out.
    Its counters may by one: the RTL's are read between two of its cycles, the model's at the end of one."""
    options = ["--size", size, "--placement", "replicated", "--egress", egress]
    if egress != "infinite":
        compare("duo", workload, *options)
        return
    rtl, model = (run(workload, backend, *options) for backend in ("rtl:duo", "model:duo"))
    assert model["cycles"] == rtl["cycles"]
    assert model["operations"] == rtl["operations"]


@pytest.mark.parametrize("protocol", ("baseline", "halcone-causal"))
def test_copies_with_random_delays(protocol):
    """The copy engines, in lock-step, in a fabric that is shaken; under leases a store is answered late."""
    options = ["--size", 48, "--placement", "replicated", "--egress", "bulk", "--protocol", protocol]
    rtl, model = (run("sssp", f"{kind}:duo", *options, "--jitter", 100) for kind in ("rtl", "model"))
    assert rtl["lockstep"]
    same(rtl, model)
