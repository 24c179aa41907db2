# SPDX-License-Identifier: Apache-2.0
"""FinePack in the whole fabric: right results, the memory model holds, RTL and model agree."""

import pytest
import weft_gen
from support.weft import LONG, ROOT, SEED, run, tool

SHAPES = ROOT / "tests" / "litmus"
PROTOCOLS = [p["name"] for p in weft_gen.PROTOCOLS if p["tracker"] == "directory" and not p.get("model")]
BACKENDS = ("model:pack", "rtl:pack")
SETTINGS = (
    (),
    ("egress.sub_header=2",),
    ("egress.sub_header=3", "egress.prefix=1"),
    ("egress.sub_header=6", "egress.timeout=20"),
)


def finepack(settings=()):
    return ["--egress", "finepack", *(word for item in settings for word in ("--set", item))]


@pytest.mark.parametrize("settings", SETTINGS, ids=",".join)
@pytest.mark.parametrize("backend", BACKENDS)
def test_programs_are_right(backend, settings):
    """In lock-step on the RTL: queue, packets and what is made of them, byte for byte."""
    for workload, size in (("mix", 3000), ("pagerank", 48), ("sssp", 48)):
        result = run(workload, backend, "--size", size * (20 if LONG else 1), *finepack(settings))
        assert result["counters"]["total.egress.stores"] > 0
        assert result["counters"]["total.ingress.malformed"] == 0
    assert result["counters"]["total.egress.flush_end"] == 0  # a kernel's end is a release


@pytest.mark.parametrize("backend", BACKENDS)
def test_packets_carry_what_came_in(backend):
    """Each byte that came into the queues left them in a packet or plain, or was overwritten there."""
    count = run("pagerank", backend, "--size", 96, "--placement", "replicated", *finepack())["counters"]

    def total(name):
        return count[f"total.{name}"]

    assert total("egress.packets") == total("ingress.packets") > 0
    carried = total("egress.payload") - 5 * total("egress.subs")
    assert carried == total("ingress.bytes")
    assert carried + total("egress.merged") <= total("egress.bytes")


SIZES = {"mix": 2000, "pagerank": 64}


@pytest.mark.parametrize("egress", ["plain", "finepack"])
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("workload", SIZES)
def test_cycles_agree(workload, egress, seed):
    options = ["--size", SIZES[workload], "--seed", seed, "--egress", egress]
    if workload != "mix":
        options += ["--placement", "replicated"]
    rtl = run(workload, "rtl:pack", "--no-lockstep", *options)
    model = run(workload, "model:pack", *options)
    assert model["cycles"] == pytest.approx(rtl["cycles"], rel=0.05 if egress == "finepack" else 0)


@pytest.mark.parametrize(
    ("backend", "protocol"),
    [("model:pack", protocol) for protocol in PROTOCOLS]
    + [("rtl:pack", protocol) for protocol in (PROTOCOLS if LONG else ["rec"])],
)
def test_litmus_holds(backend, protocol):
    runs = (60 if backend.startswith("model") else 6) * (50 if LONG else 1)
    outcome = tool(
        *("litmus", SHAPES, "-b", backend, "--protocol", protocol, "--runs", runs, "--seed", SEED, "--json"),
        *("--expected", SHAPES / "expected.csv"),
        *finepack(),
    )
    assert outcome.code == 0, outcome.err
    assert outcome.json["summary"]["tests"] > 100


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_episodes_hold(backend, protocol):
    count = (5000 if backend.startswith("model") else 400) * (20 if LONG else 1)
    outcome = tool("episodes", "-b", backend, "--protocol", protocol, "--count", count, "--json", *finepack())
    assert outcome.code == 0, outcome.err


def test_a_load_that_overtakes_its_store_is_caught():
    """Prove the prover: the queue's check of loads taken out, lock-step and checked results see it."""
    for options in ((), ("--no-lockstep",)):
        outcome = tool(
            *("run", "mix", "-b", "rtl:pack", "--size", 3000, "--fault", "queue_skips_load_check", "--json"),
            *options,
            *finepack(),
        )
        assert outcome.code == 1


def test_what_cannot_be_is_said():
    for arguments, word in (
        (("-b", "model:quad", "--egress", "finepack"), "finepack4"),
        (("-b", "null:pack", "--egress", "finepack"), "no links"),
        (("-b", "model:pack", *finepack(("egress.sub_header=7",))), "2..6"),
        (("-b", "model:pack", *finepack(("egress.payload=200",))), "power of two"),
        (("-b", "model:pack", *finepack(("egress.payload=4096",))), "link.buffer"),
        (("-b", "model:pack", *finepack(("egress.entries=0",))), "1..64"),
        (("-b", "rtl:pack", *finepack(("egress.entries=8",))), "egress.entries"),
    ):
        outcome = tool("run", "mix", *arguments)
        assert outcome.code == 2, outcome.err
        assert word in outcome.err
        assert len(outcome.err.splitlines()) <= 3
