# SPDX-License-Identifier: Apache-2.0
"""HALCONE's Figure 5 on the RTL: every time stamp, clock, value and level as the paper has them."""

import pytest
from support.weft import run, tool

OLD = {"X": 10, "Y": 20}
NEW = {"X": 11, "Y": 21}

# cu, op, block, wts, rts, the L1's clock, value, level: sections 3.2.3 and 3.2.4.
BEGINNING = [
    (0, "read", "X", 0, 10, 0, OLD["X"], "memory"),
    (1, "read", "Y", 0, 7, 0, OLD["Y"], "memory"),
    (0, "write", "Y", 8, 12, 8, NEW["Y"], "memory"),
    (1, "write", "X", 11, 15, 11, NEW["X"], "memory"),
    (0, "read", "X", 0, 10, 8, OLD["X"], "L1"),
]
INTRA = [*BEGINNING, (1, "read", "Y", 8, 12, 11, NEW["Y"], "L2")]
INTER = {
    "halcone-weak": [*BEGINNING, (1, "read", "Y", 8, 19, 11, NEW["Y"], "memory")],
    "halcone-renew": [*BEGINNING, (1, "read", "Y", 8, 19, 11, NEW["Y"], "memory")],
    "halcone-causal": [*BEGINNING, (1, "read", "Y", 8, 18, 11, NEW["Y"], "memory")],
}
KEYS = ("cu", "op", "block", "wts", "rts", "cts", "value", "level")


def placed(result, placement):
    return [tuple(s[key] for key in KEYS) for s in result["steps"] if s["placement"] == placement]


@pytest.mark.parametrize("protocol", INTER)
@pytest.mark.parametrize("backend", ["rtl:tiny", "rtl:pack", "rtl:duo", "model:quad", "model:halcone4"])
def test_numbers_are_the_papers(backend, protocol):
    """Two nodes, three, banks with times of six bits, and, on the model, memories on the switch."""
    result = run("fig5", backend, "--protocol", protocol)
    assert placed(result, "intra") == INTRA
    assert placed(result, "inter") == INTER[protocol]
    nodes = {s["cu"]: s["node"] for s in result["steps"] if s["placement"] == "inter"}
    assert nodes[0] != nodes[1]
    assert len({s["node"] for s in result["steps"] if s["placement"] == "intra"}) == 1


@pytest.mark.parametrize("protocol", INTER)
def test_model_and_rtl_agree_to_the_cycle(protocol):
    arguments = ("--protocol", protocol, "--jitter", 200, "--seed", 3)
    on_model, on_rtl = run("fig5", "model:tiny", *arguments), run("fig5", "rtl:tiny", *arguments)
    assert on_model["steps"] == on_rtl["steps"]
    assert on_model["cycles"] == on_rtl["cycles"]


def test_protocol_is_weak_unless_told():
    assert run("fig5", "rtl:tiny", "--no-lockstep")["protocol"] == "halcone-weak"


@pytest.mark.parametrize(
    "backend, fault",
    [
        ("rtl:tiny", "tsu_write_at_memts"),
        ("model:tiny", "tsu_write_at_memts"),
        ("model:tiny", "lease_extends_itself"),
        ("model:tiny", "lease_as_published"),
    ],
)
def test_a_wrong_number_is_found(backend, fault):
    """By the numbers alone, without lock-step."""
    outcome = tool("run", "fig5", "-b", backend, "--no-lockstep", "--fault", fault, "--json")
    assert outcome.code == 1
    assert outcome.json["verified"] is False
    assert any(any(s[key] != s["paper"][key] for key in s["paper"]) for s in outcome.json["steps"])
    assert "steps differ" in outcome.err
