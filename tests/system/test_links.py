# SPDX-License-Identifier: Apache-2.0
"""Links with bad wires: nothing is lost or doubled, or the link that gave up is named."""

import pytest
from support.weft import LONG, run, tool

NOTICED = ("broken", "gaps", "cut", "duplicates")


def totals(result, name):
    return sum(result["counters"][f"total.{unit}.{name}"] for unit in ("link", "switch"))


def test_a_clean_wire_notices_nothing():
    result = run("mix", "rtl:tiny", "--size", 2000)
    for name in (*NOTICED, "naks", "replays", "timeouts", "retrains"):
        assert totals(result, name) == 0


@pytest.mark.parametrize(("backend", "egress"), [("rtl:tiny", "plain"), ("rtl:pack", "finepack")])
@pytest.mark.parametrize("noise", [200, 5000])
def test_noise_is_survived(noise, backend, egress):
    """In lock-step: every message arrives once, in order, as it was sent."""
    size = 4000 * (50 if LONG else 1)
    result = run("mix", backend, "--size", size, "--noise", noise, "--egress", egress)
    assert totals(result, "replays") > 0
    assert sum(totals(result, name) for name in NOTICED) > 0
    assert totals(result, "replays") <= totals(result, "naks") + totals(result, "timeouts")


def test_noise_repeats_exactly():
    first, second = (run("mix", "rtl:tiny", "--size", 1000, "--noise", 3000) for _ in range(2))
    assert first["cycles"] == second["cycles"]
    assert first["counters"] == second["counters"]


def test_a_link_that_dies_for_a_while():
    result = run("mix", "rtl:tiny", "--size", 2000, "--cut", "1@1000+300")
    assert totals(result, "timeouts") > 0


@pytest.mark.parametrize(("link", "name"), [(1, "node1 -> switch"), (2, "switch -> node0")])
def test_a_dead_link_is_named(link, name):
    outcome = tool("run", "mix", "-b", "rtl:tiny", "--size", 2000, "--cut", f"{link}@1000+10000000")
    assert outcome.code == 3
    assert f"link {name} is down" in outcome.err
    assert len(outcome.err.splitlines()) <= 3


@pytest.mark.parametrize("fault", ["link_ignores_crc", "link_forgets_replay"])
def test_a_broken_link_layer_is_caught(fault):
    """With a bad wire: lock-step sees what a receiver should not have believed, or nothing goes on.
    A frame that comes twice is too rare here; the link's own test has it."""
    command = ["run", "mix", "-b", "rtl:tiny", "--size", 4000, "--fault", fault, "--patience", 20000]
    wires = [("--noise", 2000), ("--noise", 20000)]
    assert {tool(*command, *wire).code for wire in wires} & {1, 3}


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("-b", "model:tiny", "--noise", 5), "no wires"),
        (("-b", "rtl:tiny", "--noise", 2000000), "per million"),
        (("-b", "rtl:tiny", "--cut", "9@1+1"), "0 to 3"),
        (("-b", "rtl:tiny", "--cut", "soon"), "0@1000+500"),
        (("-b", "rtl:tiny", "--cut", "0@1+0"), "0@1000+500"),
    ],
)
def test_what_cannot_be_is_said(arguments, word):
    outcome = tool("run", "mix", *arguments)
    assert outcome.code == 2
    assert word in outcome.err
