# SPDX-License-Identifier: Apache-2.0
"""Proving the prover: without coherence, and with faults in the RTL and nobody to compare it with a
model, the shapes show what they must not."""

import pytest
import weft_gen
from shapes import OWN, litmus
from support.weft import LONG, SEED

EXPECTED = ["--expected", OWN / "expected.csv"]
ATTEMPTS = 60 if LONG else 10  # each with another seed; races that are rare are not lost in the first one

# Which shape shows which fault, and with how much jitter best. The rest makes no wrong state on two nodes
# with one bank each, or hardly ever: lock-step and the explorer find them.
SHOWN_BY = {
    "l1_store_keeps_old": ("ptx/CoWR0+weak", 300),
    "l1_strong_load_keeps_miss": ("ptx/CoRR+two.warps", 300),
    "l1_fence_ignores_loads": ("ptx/MP+two.warps", 700),
    "l2_store_keeps_fill": ("riscv/CoWR0+reader", 300),
    "l2_inv_keeps_fill": ("ptx/MP+burst+spin", 300),
    "l2_atomic_keeps_copy": ("riscv/amoadd+read", 300),
    "l2_write_loses_byte": ("riscv/word", 300),
    "l2_victim_not_written": ("riscv/word", 300),
    "atomic_min_unsigned": ("riscv/amomin", 300),
    "directory_single_sharer": ("ptx/MP+burst+spin", 300),
    "directory_forgets_writer": ("ptx/MP+writer+spin", 300),
    "directory_evicts_silently": ("ptx/MP+burst+spin", 300),
    "release_counts_twice": ("ptx/MP+burst+spin", 700),
    "memory_loses_byte": ("riscv/word", 300),
    "l2_store_merges_fill": ("riscv/CoRW1", 300),
    "l2_store_keeps_copy": ("ptx/CoRW+weak", 300),
    "home_two_steps": ("ptx/WRC+spin.near", 300),
    "l2_block_inv_closes_one": ("ptx/MP+burst+spin", 300),
    "directory_block_one_line": ("ptx/MP+burst+spin", 300),
    "directory_evicts_first_line": ("ptx/MP+spin.sys", 700),
}
if LONG:
    SHOWN_BY["forward_skip_early"] = ("ptx/WRC+release+spin", 700)
PROTOCOL = {
    "l2_block_inv_closes_one": "hmg",
    "directory_block_one_line": "hmg",
    "directory_evicts_first_line": "rec",
}


def contradicts(name, *arguments):
    """Does some attempt end in a state that the shape must not have?"""
    for attempt in range(ATTEMPTS):
        outcome = litmus(
            OWN / f"{name}.litmus", *arguments, *EXPECTED, "--runs", 400, "--seed", SEED + attempt
        )
        assert outcome.code in (0, 1), outcome.err
        if outcome.json["summary"]["contradictions"]:
            assert outcome.code == 1
            return True
    return False


@pytest.mark.parametrize("fault", SHOWN_BY)
def test_caught(fault):
    name, jitter = SHOWN_BY[fault]
    protocol = PROTOCOL.get(fault, "baseline")
    arguments = ["-b", "rtl:tiny", "--protocol", protocol, "--no-lockstep", "--jitter", jitter]
    assert contradicts(name, *arguments, "--fault", fault)


@pytest.mark.parametrize("jitter", [300, 700])
def test_without_a_fault_nothing_is_found(jitter):
    shapes = sorted({OWN / f"{name}.litmus" for name, _ in SHOWN_BY.values()})
    outcome = litmus(*shapes, "-b", "rtl:tiny", "--no-lockstep", "--jitter", jitter, "--runs", 200, *EXPECTED)
    assert outcome.code == 0, outcome.err


def test_every_fault_of_the_table_exists():
    assert SHOWN_BY.keys() <= {fault["name"] for fault in weft_gen.FAULTS}


@pytest.mark.parametrize("backend", ["model:quad", "model:tiny", "rtl:tiny"])
@pytest.mark.parametrize(
    "name", ["riscv/SB+fence.rw.rws", "riscv/R+fences", "ptx/SB+sc.syss", "ptx/MP+spin.sys"]
)
def test_without_coherence_fences_do_not_help(name, backend):
    assert contradicts(name, "-b", backend, "--protocol", "none")


@pytest.mark.parametrize("name", ["riscv/MP+fence.rw.rws", "ptx/WRC+near", "ptx/ISA2+gpu+sys", "riscv/lock"])
def test_without_coherence_nothing_is_handed_on(name):
    assert contradicts(name, "-b", "model:quad", "--protocol", "none")
