# SPDX-License-Identifier: Apache-2.0
"""`weft run -b model:CONFIG --fault`: the model has the faults of the RTL, and programs go wrong."""

import pytest
from support.weft import tool

PROGRAM = ["run", "mix", "-b", "model:tiny", "--size", 6000, "--jitter", 100]


def test_without_a_fault_all_is_well():
    assert tool(*PROGRAM).code == 0


@pytest.mark.parametrize(
    "fault",
    [
        "l1_store_keeps_old",
        "l2_store_keeps_fill",
        "l2_write_loses_byte",
        "l2_victim_not_written",
        "atomic_min_unsigned",
        "release_counts_twice",
        "memory_loses_byte",
        "l2_store_keeps_copy",
    ],
)
def test_a_fault_gives_a_wrong_result(fault):
    assert tool(*PROGRAM, "--fault", fault).code == 1


def test_a_stale_copy_shows_where_caches_keep_it():
    assert tool("run", "mix", "-b", "model:quad", "--fault", "directory_single_sharer").code == 1


@pytest.mark.parametrize("fault", ["link_miscounts", "link_swaps", "counter_drops"])
def test_what_the_model_has_not_is_said(fault):
    outcome = tool(*PROGRAM, "--fault", fault)
    assert outcome.code == 2
    assert outcome.err == f"weft: model: has no fault {fault}; use rtl:tiny\n"
