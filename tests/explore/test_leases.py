# SPDX-License-Identifier: Apache-2.0
"""`weft explore` on leases: nothing forbidden in either mode, with unequal leases either way round, times
that overflow, evictions everywhere and buffers of one message; sequential consistency in causal mode; and
every seeded fault of leases is found, the paper's pseudo-code to the letter among them."""

import pytest
import weft_gen
from support.weft import LONG
from test_explore import DEEP, MORE_THREADS, ONE_LOCATION, TWO_THREADS, explore, shapes

MODES = ["halcone-weak", "halcone-causal", "halcone-renew"]
NEAR = ["RxWxRx", "CoRR+warps", "CoRR+store", "CoRR+line", "CoRR+clock"]  # two warps of a CU, one line
SIBLINGS = ["CoRR+3warps", "MP+reader", "MP+reader+gpu", "MP+store", "WRC+weak+rel+acq"]
ATOMICS = ["CoRR+cas", "CoRR+fails", "min", "lock"]  # of which some fail (T8)
FEW = ["RxWxRx", "CoRR+3", "CoRR+strong+weak", "CoWW", "CoRW1", "MP+rel+acq", "SB+sc+sc", "MP", "SB"]


def hold(mode, names, *arguments):
    found = shapes(*names, "--protocol", mode, *arguments)
    assert set(found) == set(names)
    reached = {name for name, shape in found.items() if shape["reached"]}
    if mode == "halcone-causal":
        assert not reached
        assert {shape["verdict"] for shape in found.values()} == {"forbidden"}
    return found


@pytest.mark.parametrize("mode", MODES)
def test_one_location(mode):
    hold(mode, ONE_LOCATION + NEAR[:1], "--drops", 2 if LONG else 1)
    hold(mode, NEAR, "--drops", 0, "--nodes", 2)


@pytest.mark.parametrize("mode", MODES)
def test_atomics_that_fail(mode):
    hold(mode, ATOMICS, "--drops", 1, "--nodes", 2)
    hold(mode, ATOMICS[:2], "--drops", 0, "--nodes", 2, "--rebase", 1)


@pytest.mark.parametrize("mode", MODES)
def test_two_threads(mode):
    hold(mode, TWO_THREADS, "--drops", int(LONG), "--nodes", 3 if LONG else 2)


@pytest.mark.parametrize("mode", MODES)
def test_siblings(mode):
    names = SIBLINGS + (MORE_THREADS + ["MP+sibling", "MP+reader+po", "WRC+own+rel+acq"] if LONG else [])
    hold(mode, dict.fromkeys(names), "--drops", int(LONG), "--nodes", 2, "--limit", 50_000_000)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("leases", ["1,3", "4,1", "2,2"])
def test_other_leases(mode, leases):
    hold(mode, FEW, "--leases", leases, "--drops", int(LONG), "--nodes", 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [("--slots", 2), ("--tight",)], ids=lambda o: o[0].strip("-"))
def test_other_buffers_and_caches(mode, options):
    hold(mode, FEW, "--drops", 0, "--nodes", 2, *options)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("steps", [1, 2])
def test_time_starts_again(mode, steps):
    """Whatever is on its way, in a cache or waits at a home when times overflow (T10)."""
    hold(mode, [*FEW, "CoRR+times"], "--rebase", steps, "--drops", int(LONG), "--nodes", 2)
    hold(mode, ["CoRR+times"], "--rebase", steps, "--tight", "--nodes", 2)


@pytest.mark.skipif(not LONG, reason="hours; WEFT_LONG runs it")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", DEEP)
def test_deep_shapes(mode, shape):
    hold(mode, [shape], "--drops", 0, "--nodes", 2 if shape.startswith("IRIW") else 3, "--limit", 100_000_000)


@pytest.mark.parametrize("mode", MODES)
def test_reduction_changes_no_outcome(mode):
    names = ["CoRR+3", "RxWxRx", "MP", "SB", "MP+rel+acq", "MP+cta", "fetch-add", "false-sharing"]
    for more in ((), ("--rebase", 1)):
        if more:
            names = names[:2] + ["MP+rel+acq"]
        reduced, whole = (
            shapes(*names, "--protocol", mode, "--drops", 0, "--nodes", 2, *more, *all_orders)
            for all_orders in ((), ("--no-reduction",))
        )
        for name in names:
            assert sorted(reduced[name]["outcomes"]) == sorted(whole[name]["outcomes"]), name
            assert reduced[name]["states"] < whole[name]["states"], name


def test_weak_is_weaker_than_causal():
    for name in ("MP", "SB", "R", "2+2W"):
        assert explore(name, "--protocol", "halcone-weak", "--drops", 0, "--nodes", 2).json["shapes"][0][
            "reached"
        ]


# What shows each fault: shape, mode, options.
ROOM = ("--drops", 0)
FAULTS = {
    "tsu_write_at_memts": ("CoRR+strong+weak", "weak", ROOM),
    "tsu_reenters_wts_zero": ("CoRR+strong+weak", "weak", ("--drops", 1)),
    "tsu_reenters_memts_zero": ("CoRR+strong+weak", "weak", ("--drops", 1)),
    "tsu_rebase_misses_victim": ("CoRR+times", "weak", ("--rebase", 2, "--tight")),
    "lease_load_passes_store": ("RxWxRx", "weak", ROOM),
    "lease_two_stores": ("CoWW", "weak", ("--slots", 2, *ROOM)),
    "lease_store_passes_load": ("CoRW1", "weak", ("--slots", 2, *ROOM)),
    "lease_weak_beside_strong": ("CoRR+strong+weak", "weak", ROOM),
    "lease_lock_per_warp": ("CoRR+3warps", "weak", ROOM),
    "lease_acquire_keeps_stores": ("MP+store", "weak", ROOM),
    "lease_l1_before_l2": ("MP+sibling", "weak", ROOM),
    "lease_release_ignores_loads": ("WRC+weak+rel+acq", "weak", ROOM),
    "lease_reads_keep_clock": ("CoRR+strong+weak", "weak", ROOM),
    "lease_clock_by_installed": ("CoRR+strong+weak", "weak", ROOM),
    "lease_extends_itself": ("CoRR+clock", "weak", ("--leases", "1,3", *ROOM)),
    "lease_l2_joins_any": ("MP+reader+gpu", "causal", ("--slots", 2, *ROOM)),
    "lease_l2_acquire_keeps_fills": ("MP+reader", "weak", ROOM),
    "lease_l2_writes_early": ("WRC+own+rel+acq", "weak", ROOM),
    "lease_l2_keeps_block": ("CoRR+line", "weak", ROOM),
    "lease_bank_clock_alone": "the machine has one bank; tests/litmus/test_leases.py has two",
    "lease_data_late": ("CoRR+3warps", "weak", ROOM),
    "lease_rebase_keeps_answers": ("CoRR+3", "weak", ("--rebase", 1, *ROOM)),
    "lease_rebase_l1_first": ("MP+reader+po", "causal", ("--rebase", 1, *ROOM)),
    "lease_as_published": ("CoRR+strong+weak", "weak", ROOM),
    "lease_renews_any": ("CoRR+3", "renew", ROOM),
    "lease_renews_old_era": "needs two rebases; tests/litmus/test_leases.py has times of six bits",
    "lease_atomics_fail": ("CoRR+cas", "weak", ROOM),
}
# The faults of L1 and L2 that are older than leases, and mean the same under them.
OLDER = {
    "l1_acquire_keeps_misses": ("MP+store", "weak", ROOM),
    "l1_fence_ignores_loads": ("MP+rel+acq", "weak", ROOM),
    "l2_write_loses_byte": ("CoRR", "weak", ROOM),
}
FOUND = {name: row for name, row in (FAULTS | OLDER).items() if not isinstance(row, str)}


def test_every_fault_of_leases_has_its_row():
    names = [fault["name"] for fault in weft_gen.FAULTS if fault["name"].startswith(("tsu_", "lease_"))]
    assert list(FAULTS) == names


@pytest.mark.parametrize("fault", FOUND)
def test_fault_is_found(fault):
    shape, mode, options = FOUND[fault]
    common = (shape, "--stop", "--protocol", f"halcone-{mode}", "--nodes", 2, *options)
    outcome = explore(*common, "--fault", fault)
    assert outcome.code == 1, "not found"
    (found,) = outcome.json["shapes"]
    assert found["violations"] + found["deadlocks"] >= 1
    assert found["incomplete"] == 0
    assert len(found["trace"]["steps"]) > 3


def test_an_l2_that_joins_loads_to_any_miss_is_found_in_weak_mode_too():
    options = ("--stop", "--nodes", 2, "--slots", 2, *ROOM, "--protocol", "halcone-weak")
    outcome = explore("MP+reader+gpu", *options, "--fault", "lease_l2_joins_any")
    assert outcome.code == 1
    assert outcome.json["shapes"][0]["violations"] >= 1


# Shape, copies that are replaced out of the blue.
PUBLISHED = {"CoRR+strong+weak": 1, "CoRR+line": 1, "CoRR+clock": 0, "MP": 1, "SB": 1}


@pytest.mark.parametrize("shape", PUBLISHED)
def test_the_published_pseudo_code_is_not_sequentially_consistent(shape):
    """With the clocks that causal mode adds to requests, too."""
    outcome = explore(
        shape,
        "--stop",
        "--protocol",
        "halcone-causal",
        "--nodes",
        2,
        "--drops",
        PUBLISHED[shape],
        "--fault",
        "lease_as_published",
    )
    assert outcome.code == 1
    assert outcome.json["shapes"][0]["violations"] >= 1


@pytest.mark.parametrize("shape", ["CoRR+strong+weak", "CoRR+line", "CoRR+clock"])
def test_the_published_pseudo_code_is_not_coherent(shape):
    """One location, in weak mode."""
    options = ("--stop", "--nodes", 2, *ROOM, "--protocol", "halcone-weak")
    outcome = explore(shape, *options, "--fault", "lease_as_published")
    assert outcome.code == 1
    assert outcome.json["shapes"][0]["violations"] >= 1
