# SPDX-License-Identifier: Apache-2.0
"""Proving the prover: without coherence, and with faults in the RTL and nobody to compare it with a model, the shapes
show what they must not."""

import pytest
import weft_gen
from shapes import OWN, litmus
from support.weft import LONG, SEED

EXPECTED = ["--expected", OWN / "expected.csv", "--seed", SEED]

# Which shape shows which fault. The rest makes no wrong state, or none in time: lock-step and the explorer find them.
SHOWN_BY = {
    "l1_store_keeps_old": "ptx/CoWR0+weak",
    "l1_strong_load_keeps_miss": "ptx/CoRR+two.warps",
    "l1_fence_ignores_loads": "ptx/MP+burst",
    "l2_store_keeps_fill": "riscv/CoWR0+reader",
    "l2_inv_keeps_fill": "ptx/MP+burst+spin",
    "l2_atomic_keeps_copy": "riscv/amoadd+read",
    "l2_write_loses_byte": "riscv/word",
    "l2_victim_not_written": "riscv/lock",
    "atomic_min_unsigned": "riscv/amomin",
    "directory_single_sharer": "ptx/MP+two.warps",
    "directory_forgets_writer": "ptx/MP+writer+spin",
    "directory_evicts_silently": "riscv/lock",
    "forward_skip_early": "ptx/WRC+release+spin",
    "release_counts_twice": "ptx/MP+burst+spin",
    "memory_loses_byte": "riscv/word",
    "link_swaps": "riscv/CoWW",
    "l2_store_merges_fill": "riscv/CoRW1",
    "l2_store_keeps_copy": "riscv/CoWR0+reader",
    "home_two_steps": "ptx/WRC+spin.near",
    "l2_block_inv_closes_one": "ptx/MP+spin.far",
    "directory_block_one_line": "ptx/MP+two.warps",
    "directory_evicts_first_line": "ptx/MP+spin.sys",
}
PROTOCOL = {
    "l2_block_inv_closes_one": "hmg",
    "directory_block_one_line": "hmg",
    "directory_evicts_first_line": "rec",
}


@pytest.mark.parametrize("fault", SHOWN_BY)
def test_caught(fault):
    """The fault's shape is right without it, and wrong with it."""
    arguments = [OWN / f"{SHOWN_BY[fault]}.litmus", "-b", "rtl:tiny", "--protocol", PROTOCOL.get(fault, "baseline")]
    arguments += ["--no-lockstep", "--jitter", 700, "--runs", 5000 if LONG else 600, *EXPECTED]
    outcome = litmus(*arguments, "--fault", fault)
    assert outcome.code == 1, outcome.err
    assert outcome.json["summary"]["contradictions"] == 1


def test_without_a_fault_nothing_is_found():
    shapes = sorted({OWN / f"{name}.litmus" for name in SHOWN_BY.values()})
    outcome = litmus(*shapes, "-b", "rtl:tiny", "--no-lockstep", "--jitter", 700, "--runs", 150, *EXPECTED)
    assert outcome.code == 0, outcome.err


def test_every_fault_of_the_table_exists():
    assert SHOWN_BY.keys() <= {fault["name"] for fault in weft_gen.FAULTS}


@pytest.mark.parametrize("backend", ["model:quad", "model:tiny", "rtl:tiny"])
def test_without_coherence_fences_do_not_help(backend):
    names = ["riscv/MP+fence.rw.rws", "riscv/SB+fence.rw.rws", "riscv/R+fences", "ptx/MP+rel.sys+acq.sys"]
    names += ["ptx/SB+sc.syss", "riscv/lock"]
    files = [OWN / f"{name}.litmus" for name in names]
    outcome = litmus(*files, "-b", backend, "--protocol", "none", "--runs", 400, *EXPECTED)
    assert outcome.code == 1
    assert [test["contradicts"] for test in outcome.json["tests"]] == [True] * len(names)
