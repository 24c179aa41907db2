# SPDX-License-Identifier: Apache-2.0
"""The classic shapes: what the memory model forbids is never seen, on any protocol that keeps
coherence, on model and RTL; and what it allows is seen often enough to show that the tester looks
where it matters."""

import pytest
from shapes import OWN, SHAPES, litmus, protocols
from support.weft import LONG, SEED

EXPECTED = ["--expected", OWN / "expected.csv", "--seed", SEED]
RUNS = {"model:quad": 200, "model:tiny": 150, "rtl:tiny": 30}
COHERENT = [(backend, name) for backend in RUNS for name in protocols(backend) if not name.startswith("none")]
TOO_LARGE = {"3 GPUs; the machine has 2 nodes", "3 threads in one CTA; a CU of the machine has 2 warps"}
LEASES = [pair for pair in COHERENT if pair[1].startswith("halcone-")]
ONE_LOCATION = [path for path in SHAPES if path.name.startswith("Co")]


def spins_under_a_lease(protocol, test):
    """A weak load that is repeated until it sees a store hits its own copy for as long as nothing moves the
    clock; on halcone-causal the plain loads of RISC-V are weak."""
    return protocol == "halcone-causal" and "/riscv/" in test["file"] and "spin" in test["name"]


@pytest.mark.parametrize(("backend", "protocol"), COHERENT)
def test_nothing_forbidden_is_seen(backend, protocol):
    runs = RUNS[backend] * (50 if LONG else 1)
    outcome = litmus(OWN, "-b", backend, "--protocol", protocol, "--runs", runs, *EXPECTED)
    assert outcome.code == 0, outcome.err
    result = outcome.json
    assert result["summary"]["tests"] == len(SHAPES)
    assert result["protocol"] == protocol
    # What does not fit onto a small machine is skipped there, and says so.
    skipped = {test["reason"] for test in result["tests"] if test["result"] == "skipped"}
    assert skipped <= (TOO_LARGE if "tiny" in backend else set())
    for test in result["tests"]:
        assert test["expected"] in (0, 1), test["name"]
        if test["result"] != "skipped":
            assert test["runs"] == runs
            assert sum(test["states"].values()) + test["unfinished"] == runs
            if not spins_under_a_lease(protocol, test):
                assert test["unfinished"] * 20 < runs, test["name"]


@pytest.mark.parametrize(("backend", "protocol"), [(backend, "baseline") for backend in RUNS] + LEASES)
def test_one_location_in_the_weak_map(backend, protocol):
    outcome = litmus(
        *ONE_LOCATION,
        "-b",
        backend,
        "--protocol",
        protocol,
        "--map",
        "weak",
        "--runs",
        5 * RUNS[backend] * (50 if LONG else 1),
        *EXPECTED,
    )
    assert outcome.code == 0, outcome.err


# ---------------------------------------------------------------- not too tame
WEAK = ["MP", "SB", "R", "S", "LB", "2+2W", "ISA2", "WRC", "RWC", "IRIW", "Z6.0", "WWC"]


@pytest.mark.parametrize("backend", RUNS)
def test_weak_results_are_seen(backend):
    files = [OWN / "riscv" / f"{name}.litmus" for name in WEAK]
    files += [
        OWN / "ptx" / f"{name}.litmus" for name in ("MP+weak", "SB+weak", "SB+relaxed", "SB+sc.cta+far")
    ]
    result = litmus(*files, "-b", backend, "--runs", 3 * RUNS[backend], "--seed", SEED).json
    seen = {test["name"] for test in result["tests"] if test["result"] in ("seen", "violated")}
    assert {"MP", "SB", "MP+weak", "SB+weak", "SB+relaxed", "SB+sc.cta+far"} <= seen
    assert len(seen) >= 11, seen


def test_a_scope_that_does_not_reach_is_no_order():
    files = [OWN / "ptx" / f"{name}.litmus" for name in ("MP+rel.cta+acq.cta+far", "IRIW+acq", "MP+weak.gpu")]
    result = litmus(*files, "-b", "model:quad", "--runs", 1500, "--seed", SEED).json
    assert [test["result"] for test in result["tests"]] == ["seen"] * 3


# ---------------------------------------------------------------- repeatable
def test_equal_seeds_give_equal_states():
    def states(seed):
        result = litmus(OWN / "riscv" / "MP.litmus", "-b", "model:quad", "--runs", 300, "--seed", seed).json
        return result["tests"][0]["states"]

    assert states(5) == states(5)
    assert states(5) != states(6)


def test_model_and_rtl_agree_run_for_run():
    """The model is the RTL cycle for cycle, so even the histogram of a race is the same."""
    one, other = (
        litmus(OWN / "riscv" / "SB.litmus", "-b", backend, "--runs", 150, "--jitter", 0).json["tests"][0]
        for backend in ("model:tiny", "rtl:tiny")
    )
    assert one["states"] == other["states"]
