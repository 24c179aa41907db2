# SPDX-License-Identifier: Apache-2.0
"""Leases: `halcone-causal` shows nothing that is not sequentially consistent, on files of others and on
machines with two banks and times that overflow; and the seeded faults of leases show in states, the paper's
pseudo-code to the letter among them. Those that need messages to overtake each other are the explorer's."""

import pytest
import weft_gen
from shapes import OWN, THIRD_PARTY, litmus
from support.weft import LONG, SEED

EXPECTED = ["--expected", OWN / "expected.csv"]
RUNS = 20000 if LONG else 150
ATTEMPTS = 60 if LONG else 12  # each with another seed; races that are rare are not lost in the first one

# What shows each fault: shape, configuration, mode, jitter. tiny: homes that forget times; duo: two banks,
# times of six bits.
SHOWN_BY = {
    "tsu_write_at_memts": ("ptx/CoRR+two.warps", "quad", "weak", 300),
    "tsu_reenters_wts_zero": ("ptx/CoRR+two.warps", "tiny", "weak", 300),
    "tsu_reenters_memts_zero": ("riscv/SB", "tiny", "causal", 300),
    "lease_load_passes_store": ("ptx/RxWxRx", "quad", "weak", 300),
    "lease_store_passes_load": ("ptx/RxWxRx", "quad", "weak", 300),
    "lease_weak_beside_strong": ("ptx/CoRR+two.warps", "duo", "weak", 700),
    "lease_l1_before_l2": ("ptx/MP+two.warps", "duo", "weak", 300),
    "lease_reads_keep_clock": ("ptx/CoRR+two.warps", "tiny", "weak", 300),
    "lease_clock_by_installed": ("ptx/CoRR+two.warps", "tiny", "weak", 300),
    "lease_extends_itself": ("ptx/CoRR+two.warps", "quad", "causal", 300),
    "lease_l2_acquire_keeps_fills": ("ptx/MP+sibling", "quad", "weak", 850),
    "lease_l2_writes_early": ("ptx/WRC+gpu", "duo", "weak", 850),
    "lease_l2_keeps_block": ("riscv/SB", "quad", "causal", 300),
    "lease_bank_clock_alone": ("riscv/SB", "duo", "causal", 300),
    "lease_data_late": ("ptx/CoRR+two.warps", "tiny", "weak", 300),
    "lease_rebase_keeps_answers": ("riscv/SB", "duo", "causal", 700),
    "lease_rebase_l1_first": ("riscv/SB", "duo", "causal", 700),
    "lease_as_published": ("ptx/CoRR+two.warps", "tiny", "weak", 300),
    "lease_renews_any": ("ptx/CoRR+two.warps", "duo", "renew", 300),
    "lease_renews_old_era": ("ptx/CoRR+two.warps", "duo", "renew", 300),
}

# Those that show on the RTL too, in a few seconds: on tiny as above, or where they are told to.
ON_RTL = {
    fault: (SHOWN_BY[fault][0], "tiny", *SHOWN_BY[fault][2:])
    for fault in (
        "tsu_write_at_memts",
        "tsu_reenters_wts_zero",
        "tsu_reenters_memts_zero",
        "lease_load_passes_store",
        "lease_weak_beside_strong",
        "lease_l2_keeps_block",
        "lease_bank_clock_alone",
        "lease_renews_any",
    )
} | {
    "lease_clock_by_installed": ("ptx/RxWxRx", "tiny", "weak", 300),
    "lease_extends_itself": ("ptx/RxWxRx", "tiny", "weak", 300),
    "lease_rebase_keeps_answers": ("riscv/SB", "duo", "causal", 700),
    "lease_rebase_l1_first": ("riscv/SB", "duo", "causal", 700),
}


def wrong(shape, config, mode, jitter, *arguments, backend="model", runs=1500, seed=SEED):
    """How many of the tests end as they must not: by the table, or by the oracle."""
    outcome = litmus(
        *(OWN / f"{shape}.litmus", "-b", f"{backend}:{config}", "--protocol", f"halcone-{mode}", *EXPECTED),
        *("--jitter", jitter, "--runs", runs, "--seed", seed, *arguments),
    )
    assert outcome.code in (0, 1), outcome.err
    summary = outcome.json["summary"]
    assert summary["skipped"] == 0
    assert (outcome.code == 1) is (summary["contradictions"] + summary["outside"] > 0)
    return summary["contradictions"] + summary["outside"]


@pytest.mark.parametrize("fault", SHOWN_BY)
def test_caught(fault):
    assert any(wrong(*SHOWN_BY[fault], "--fault", fault, seed=SEED + n) for n in range(ATTEMPTS))


def wrong_on_rtl(where, *arguments, runs=400, seed=SEED):
    return wrong(*where, "--no-lockstep", *arguments, backend="rtl", runs=runs, seed=seed)


@pytest.mark.parametrize("fault", ON_RTL)
def test_caught_on_rtl(fault):
    assert any(wrong_on_rtl(ON_RTL[fault], "--fault", fault, seed=SEED + n) for n in range(ATTEMPTS))


def test_without_a_fault_nothing_is_found_on_rtl():
    for where in sorted(set(ON_RTL.values())):
        assert wrong_on_rtl(where, runs=RUNS) == 0


@pytest.mark.parametrize("where", sorted(set(SHOWN_BY.values())), ids=lambda where: "-".join(map(str, where)))
def test_without_a_fault_nothing_is_found(where):
    assert wrong(*where) == 0


def test_every_fault_of_the_table_exists():
    assert SHOWN_BY.keys() <= {fault["name"] for fault in weft_gen.FAULTS}


def assert_sequential(result):
    assert [test["name"] for test in result["tests"] if test["oracle"] and test["oracle"]["outside"]] == []
    assert result["summary"]["unjudged"] == 0
    judged = sum(test["oracle"] is not None for test in result["tests"])
    assert judged >= 0.9 * len(result["tests"])


@pytest.mark.skipif(not THIRD_PARTY.is_dir(), reason="no ../shared/data/litmus beside the project")
@pytest.mark.parametrize(("suite", "config"), [("riscv", "quad"), ("riscv", "duo"), ("ptx", "quad")])
def test_files_of_others_are_sequentially_consistent(suite, config):
    outcome = litmus(
        *(THIRD_PARTY / suite, "-b", f"model:{config}", "--protocol", "halcone-causal"),
        *("--runs", RUNS, "--seed", SEED),
    )
    assert outcome.json["map"] == "weak"
    assert_sequential(outcome.json)


def test_strong_accesses_are_sequentially_consistent_too():
    for config in ("quad", "duo"):
        outcome = litmus(
            *(OWN / "riscv", "-b", f"model:{config}", "--protocol", "halcone-causal", "--map", "relaxed"),
            *("--runs", RUNS, "--seed", SEED, *EXPECTED),
        )
        assert outcome.code == 0, outcome.err
        assert_sequential(outcome.json)


def test_leases_either_way_round():
    """Unequal, and equal, with what is weak and what is not."""
    for read, write in ((2, 10), (10, 2), (1, 1), (20, 10)):
        for mode in ("weak", "causal", "renew"):
            outcome = litmus(
                *(OWN / "ptx", "-b", "model:quad", "--protocol", f"halcone-{mode}", "--runs", RUNS // 3),
                *("--set", f"lease.read={read}", "--set", f"lease.write={write}", *EXPECTED),
            )
            assert outcome.code == 0, outcome.err
