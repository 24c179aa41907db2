# SPDX-License-Identifier: Apache-2.0
"""`weft explore`: nothing forbidden is reached on any directory protocol, what is allowed and weak is
reached, the reduction changes no outcome, and every seeded fault that can give a wrong result is found."""

import pytest
import weft_gen
from support.weft import LONG, tool

PROTOCOLS = [p["name"] for p in weft_gen.PROTOCOLS if p["tracker"] == "directory"]

ONE_LOCATION = (
    "CoRR CoRR+weak CoRR+weak+strong CoRR+strong+weak CoRR+3 CoWW CoRW1 CoRW2 CoWR CoWR+read CoWR+strong"
).split()
TWO_THREADS = (
    "MP MP+rel+acq MP+gpu MP+cta MP+atomics MP+own MP+twice SB SB+sc+sc SB+gpu LB LB+rel+rel LB+acq+acq "
    "LB+ctrl+ctrl S S+rel+acq R R+sc+sc 2+2W 2+2W+rel+rel fetch-add min lock false-sharing false-sharing+sc"
).split()
MORE_THREADS = (
    "MP+reader MP+reader+second MP+flag MP+reader+gpu MP+2rel WRC WRC+rel+acq WRC+atomic RWC+sc+sc"
).split()
DEEP = ["MP+range", "three-lines", "ISA2+rel+sc+acq", "IRIW", "IRIW+sc+sc"]


def explore(*arguments):
    outcome = tool("explore", "--json", "--jobs", 2, *arguments)
    assert outcome.code in (0, 1), outcome.err
    return outcome


def shapes(*arguments):
    """All of them clean: judged, complete, as weak as the table says."""
    outcome = explore(*arguments)
    assert outcome.code == 0, outcome.out[:4000] + outcome.err
    result = outcome.json
    assert (result["violations"], result["deadlocks"], result["incomplete"]) == (0, 0, 0)
    for shape in result["shapes"]:
        assert shape["states"] > shape["placements"] > 0
        assert (shape["violations"], shape["deadlocks"]) == (0, 0)
        assert "trace" not in shape
        if shape["verdict"] != "allowed":
            assert shape["reached"] is (shape["verdict"] == "seen"), shape["name"]
    return {shape["name"]: shape for shape in result["shapes"]}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_small_shapes_hold(protocol):
    """With a copy replaced out of the blue."""
    found = shapes(*ONE_LOCATION, *TWO_THREADS, "--protocol", protocol, "--drops", 2 if LONG else 1)
    assert list(found) == ONE_LOCATION + TWO_THREADS
    assert {name for name, shape in found.items() if shape["verdict"] == "seen"} >= {"MP", "SB"}


@pytest.mark.parametrize("protocol", PROTOCOLS if LONG else ["baseline", "hmg", "rec"])
def test_shapes_of_more_threads_hold(protocol):
    found = shapes(*MORE_THREADS, "--protocol", protocol, "--drops", 0, "--nodes", 3 if LONG else 2)
    assert list(found) == MORE_THREADS


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("options", [("--slots", 2), ("--tight",)], ids=lambda o: o[0].strip("-"))
def test_other_buffers_and_caches_hold(protocol, options):
    names = [*ONE_LOCATION, "MP+rel+acq", "MP+atomics", "LB+rel+rel", "S+rel+acq", "lock"]
    shapes(*names, "--protocol", protocol, "--drops", 0, *options)


@pytest.mark.skipif(not LONG, reason="hours; WEFT_LONG runs it")
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("shape", DEEP)
def test_deep_shapes_hold(protocol, shape):
    shapes(shape, "--protocol", protocol, "--drops", 0, "--nodes", 2 if shape.startswith("IRIW") else 3,
           "--limit", 100_000_000)  # fmt: skip


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_reduction_changes_no_outcome(protocol):
    names = ["CoRR+3", "CoWR+read", "MP", "SB", "MP+rel+acq", "MP+cta", "LB", "fetch-add", "false-sharing"]
    reduced = shapes(*names, "--protocol", protocol, "--drops", 0)
    whole = shapes(*names, "--protocol", protocol, "--drops", 0, "--no-reduction")
    for name in names:
        assert sorted(reduced[name]["outcomes"]) == sorted(whole[name]["outcomes"]), name
        assert reduced[name]["states"] < whole[name]["states"], name


@pytest.mark.parametrize("protocol", ["none", "baseline"])
def test_reduction_changes_no_verdict(protocol):
    for more in ((), ("--no-reduction",)):
        found = explore("MP+rel+acq", "--protocol", protocol, "--drops", 0, *more)
        assert found.code == (protocol == "none")


def test_without_coherence_the_message_is_lost():
    outcome = explore("MP+rel+acq", "--protocol", "none", "--stop")
    assert outcome.code == 1
    (shape,) = outcome.json["shapes"]
    assert shape["violations"] >= 1 and shape["reached"]
    trace = shape["trace"]
    assert trace["what"].startswith("happens-before")
    assert "T1 on node 1" in trace["where"]
    assert any(step.startswith("T0 issues x=1") for step in trace["steps"])
    assert trace["steps"][-1] == "T1: r1 = 0"


# Threads of one node, whoever has the lines; and a thread's own program, while another one reads.
ONE_NODE = ["MP+gpu", "SB+gpu", "MP+cta", "CoRW1", "CoWR+read", "CoWR+strong", "RxWxRx"]


@pytest.mark.parametrize("options", [("--drops", 1), ("--drops", 0, "--tight")], ids=["drops", "tight"])
def test_write_back_is_right_within_a_node(options):
    shapes(*ONE_NODE, "--protocol", "none-wb", *options)


def test_reduction_changes_no_outcome_with_write_back():
    names = ["MP+cta", "CoWR+read", "RxWxRx"]
    reduced = shapes(*names, "--protocol", "none-wb", "--drops", 1)
    whole = shapes(*names, "--protocol", "none-wb", "--drops", 1, "--no-reduction")
    for name in names:
        assert sorted(reduced[name]["outcomes"]) == sorted(whole[name]["outcomes"]), name


def test_write_back_loses_messages_between_nodes():
    assert explore("MP+rel+acq", "--protocol", "none-wb", "--drops", 0, "--stop").code == 1


def test_a_limit_is_never_silent():
    outcome = explore("MP+rel+acq", "--limit", 100)
    assert outcome.code == 1
    assert "not explored to their end: state limit" in outcome.err
    assert outcome.json["incomplete"] > 0
    assert outcome.json["shapes"][0]["end"] == "state limit"


# What shows each fault: shape, protocol, options. None: no outcome can be wrong, with the reason.
ROOM = ("--drops", 0)
FAULTS = {
    "l1_store_keeps_old": ("CoWR", "baseline", ROOM),
    "l1_strong_load_keeps_miss": ("CoRR+3", "baseline", ROOM),
    "l1_acquire_keeps_misses": ("MP+reader", "baseline", ROOM),
    "l1_fence_ignores_loads": ("LB+acq+acq", "baseline", ROOM),
    "l2_store_keeps_fill": ("CoWR+read", "baseline", ROOM),
    "l2_inv_keeps_fill": ("MP+reader", "baseline", ROOM),
    "l2_atomic_keeps_copy": ("fetch-add", "baseline", ROOM),
    "l2_write_loses_byte": ("CoRR", "baseline", ROOM),
    "l2_victim_not_written": ("three-lines", "baseline", ("--tight",)),
    "atomic_min_unsigned": ("min", "baseline", ROOM),
    "directory_single_sharer": ("MP+rel+acq", "baseline", ROOM),
    "directory_forgets_writer": ("MP+own", "baseline", ROOM),
    "directory_evicts_silently": ("SB+sc+sc", "baseline", ROOM),
    "forward_mark_overtakes": ("MP+rel+acq", "baseline", ("--slots", 2, *ROOM)),
    "forward_skip_early": ("MP+2rel", "baseline", ROOM),
    "release_counts_twice": ("MP+rel+acq", "baseline", ROOM),
    "memory_loses_byte": ("CoWR", "baseline", ("--drops", 1)),
    "link_miscounts": "counts bytes; lock-step compares them",
    "link_swaps": ("CoWR", "baseline", ("--slots", 2, *ROOM)),
    "counter_drops": "counters only; lock-step compares them",
    "l2_store_merges_fill": ("CoRW1", "baseline", ROOM),
    "l2_inv_keeps_joining": ("MP+reader", "baseline", ROOM),
    "l2_store_keeps_copy": ("CoWR+read", "baseline", ROOM),
    "l1_second_miss_open": ("CoRR+3", "baseline", ROOM),
    "home_two_steps": ("MP+rel+acq", "baseline", ROOM),
    "release_skips_homes": ("WRC+rel+acq", "baseline", ROOM),
    "forward_mark_overtakes_evictions": ("MP+flag", "baseline", ("--slots", 2, *ROOM)),
    "l2_block_inv_closes_one": ("MP+reader+second", "hmg", ROOM),
    "directory_tells_requester": "an INV too many drops a copy, which is read anew; lock-step compares INVs",
    "directory_block_one_line": ("MP+twice", "hmg", ROOM),
    "directory_evicts_first_line": ("MP+range", "rec", ROOM),
    "queue_forgets_enable": "FinePack's; tests/egress has it",
    "queue_skips_load_check": "FinePack's; tests/egress has it",
    "packetizer_wrong_length": "FinePack's; tests/egress has it",
    "packetizer_releases_early": "FinePack's; tests/egress has it",
    "depacketizer_accepts_cut": "FinePack's; tests/ingress has it",
    "link_ignores_crc": "only a bad wire shows it; tests/link has one",
    "link_forgets_replay": "only a bad wire shows it; tests/link has one",
    "link_accepts_duplicate": "only a bad wire shows it; tests/link has one",
}


def test_every_fault_has_its_row():
    """Those of leases have theirs in test_leases.py."""
    leases = ("tsu_", "lease_")
    assert list(FAULTS) == [row["name"] for row in weft_gen.FAULTS if not row["name"].startswith(leases)]


@pytest.mark.parametrize("fault", [name for name, row in FAULTS.items() if not isinstance(row, str)])
def test_fault_is_found(fault):
    shape, protocol, options = FAULTS[fault]
    outcome = explore(shape, "--stop", "--protocol", protocol, "--fault", fault, *options)
    assert outcome.code == 1, "not found"
    (found,) = outcome.json["shapes"]
    assert found["violations"] + found["deadlocks"] >= 1
    assert found["incomplete"] == 0
    assert len(found["trace"]["steps"]) > 3


def test_a_fault_without_wrong_results_stays_so():
    """An INV too many; it is lock-step's to find."""
    shapes("fetch-add", "MP+atomics", "lock", "--fault", "directory_tells_requester", "--drops", 1)
