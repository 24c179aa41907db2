# SPDX-License-Identifier: Apache-2.0
"""Proving the prover: every seeded fault of the RTL is caught by lock-step, in one and the same build, with a
report that says where, what and how to see it again."""

import re
import shlex

import pytest
import weft_gen
from support.weft import tool

# Not in this build: those of FinePack are shown by tests/egress and tests/ingress. Those that do nothing on a
# clean wire are found on a bad one, by tests/link/test_link_layer.py.
ELSEWHERE = {"write_queue", "packetizer", "depacketizer"}
ON_A_BAD_WIRE = {"link_ignores_crc", "link_forgets_replay", "link_accepts_duplicate"}
UNITS = {
    fault["name"]: fault["unit"]
    for fault in weft_gen.FAULTS
    if fault["unit"] not in ELSEWHERE and fault["name"] not in ON_A_BAD_WIRE and not fault.get("model")
}
NAMES = list(UNITS)
# Units whose difference shows in a neighbour: the queue's messages in the network, the ALU's result in its
# bank.
SHOWN_IN = {
    "atomic": {"l2", "memory"},
    "forward": {"network", "l2"},
    "release": {"l2"},
    "link": {"link", "network"},
}
SHOWN_IN |= {"l2": {"l2", "memory", "network", "directory"}}
SHOWN_IN |= {unit: {"directory", "l2"} for unit in ("directory", "tsu", "home")}
PROGRAM = ["run", "mix", "-b", "rtl:tiny", "--size", "6000", "--jitter", "100"]
# Two requests wait at the end of a link, and two items in a forward queue, only where stores come thick and
# fast; times of six bits overflow.
OVERFLOWS = ["run", "mix", "-b", "rtl:duo", "--size", "6000", "--jitter", "100"]
OTHER_PROGRAM = {
    "forward_mark_overtakes": ["run", "mix", "-b", "rtl:tiny", "--size", "20000"],
    "link_swaps": ["run", "spatter", "-b", "rtl:tiny", "--size", "2000"],
    "tsu_rebase_misses_victim": OVERFLOWS,
    "lease_renews_old_era": OVERFLOWS,
    "lease_rebase_keeps_answers": OVERFLOWS,
    "lease_rebase_l1_first": OVERFLOWS,
}
# Faults of what only one protocol has, or has more of: an eviction of rec owes several INVs.
PROTOCOL = {
    "forward_mark_overtakes_evictions": "rec",
    "l2_block_inv_closes_one": "hmg",
    "directory_block_one_line": "hmg",
    "directory_evicts_first_line": "rec",
    "lease_bank_clock_alone": "halcone-causal",
    "lease_renews_any": "halcone-renew",
    "lease_renews_old_era": "halcone-renew",
}


def protocol_of(fault):
    leases = fault.startswith(("lease_", "tsu_"))
    return PROTOCOL.get(fault, "halcone-weak" if leases else "baseline")


def test_there_are_enough():
    assert len(NAMES) >= 12
    assert {fault["unit"] for fault in weft_gen.FAULTS} >= {
        "l1", "l2", "atomic", "directory", "forward", "release", "memory", "link", "counters",
    }  # fmt: skip


def test_without_a_fault_nothing_is_found():
    assert tool(*PROGRAM).code == 0


@pytest.mark.parametrize("fault", NAMES)
def test_caught(fault):
    program = OTHER_PROGRAM.get(fault, PROGRAM)
    outcome = tool(*program, "--fault", fault, "--protocol", protocol_of(fault))
    assert outcome.code == 1
    report = re.search(
        r"lock-step: RTL and model differ in unit (\w+), "
        r"node \d+ (?:cu|bank) \d+, cycle (\d+), event [\w ]+\n"
        r"(?P<what>.+)\n"
        r"seed 1; again: (?P<again>weft .+)",
        outcome.err,
    )
    assert report, outcome.err
    unit = UNITS[fault]
    assert report[1] in SHOWN_IN.get(unit, {unit})
    if ":" in report["what"] and "RTL" in report["what"]:
        rtl, model = re.search(r"RTL (0x[0-9a-f]+), model (0x[0-9a-f]+)", report["what"]).groups()
        assert rtl != model
    again = tool(*shlex.split(report["again"])[1:])
    assert again.code == 1
    assert report[0] in again.err


@pytest.mark.parametrize("fault", ["directory_single_sharer", "l2_write_loses_byte", "memory_loses_byte"])
def test_wrong_answers_show_without_lockstep_too(fault):
    """On a machine whose caches keep what they should have dropped."""
    outcome = tool("run", "mix", "-b", "rtl:quad", "--fault", fault, "--no-lockstep", "--json")
    assert outcome.code == 1
    assert outcome.json["verified"] is False
