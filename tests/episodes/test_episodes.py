# SPDX-License-Identifier: Apache-2.0
"""`weft episodes`: every protocol passes on model and RTL with all transitions seen; machines without
coherence and with seeded faults do not pass."""

import functools
import shlex

import pytest
from support.weft import LONG, SEED, tool

COUNT = 5000
EPISODES = 200_000 if LONG else COUNT
WITHOUT_COHERENCE = {"none", "none-wt", "none-wb"}


def protocols(*backend):
    """Those of the tool, or of a back-end."""
    return tool(*(("info", "-b", *backend) if backend else ("list",)), "--json").json["protocols"]


def coherent(*backend):
    return [name for name in protocols(*backend) if name not in WITHOUT_COHERENCE]


@functools.cache
def episodes(*arguments):
    outcome = tool("episodes", *arguments, "--json")
    assert outcome.code in (0, 1), outcome.err
    result = outcome.json
    assert (outcome.code == 1) is bool(result["failures"])
    return result


def missing(result):
    return [
        f"{cell['request']}, {cell['state']}"
        for cell in result["coverage"]["table"]
        if cell["reachable"] and not cell["count"]
    ]


def assert_whole(result):
    """Nothing was wrong, and all was seen that can be."""
    assert result["failures"] == [], result["failures"][0]["text"]
    assert missing(result) == []
    coverage = result["coverage"]
    assert coverage["covered"] == coverage["reachable"] > 0
    assert coverage["complete"] is True
    assert result["episodes"] == result["planned"]
    assert result["operations"] > 5 * result["episodes"]


# ---------------------------------------------------------------- every protocol


@pytest.mark.parametrize("nodes", [2, 4])
@pytest.mark.parametrize("protocol", coherent())
def test_model_passes_and_covers_all(protocol, nodes):
    """With the default seed, as it is typed."""
    result = episodes("-b", "model:tiny", "--protocol", protocol, "--count", EPISODES, "--nodes", nodes)
    assert_whole(result)
    assert result["episodes"] == EPISODES


@pytest.mark.parametrize("protocol", coherent("rtl:tiny"))
def test_rtl_passes_and_covers_all(protocol):
    result = episodes("-b", "rtl:tiny", "--protocol", protocol, "--count", EPISODES)
    assert_whole(result)
    assert result["lockstep"] is True


@pytest.mark.parametrize("protocol", coherent("rtl:tiny"))
def test_model_and_rtl_go_the_same_way(protocol):
    """Cycle for cycle, and transition by transition."""
    model = episodes("-b", "model:tiny", "--protocol", protocol, "--count", EPISODES, "--nodes", 2)
    rtl = episodes("-b", "rtl:tiny", "--protocol", protocol, "--count", EPISODES)
    for key in ("episodes", "operations", "checks", "cycles", "coverage"):
        assert model[key] == rtl[key], key


@pytest.mark.parametrize("protocol", coherent())
def test_other_seeds_shapes_and_delays(protocol):
    shapes = (
        ["--nodes", 3, "--jitter", 0],
        ["--nodes", 8, "--set", "cus=1", "--jitter", 700],
        ["--set", "l2.banks=2", "--set", "directory.entries=8", "--set", "line=64"],
        ["--set", "directory.entries=1", "--set", "directory.ways=1", "--nodes", 4],
        ["--nodes", 1],
    )
    for number, shape in enumerate(shapes):
        seed = SEED + 10 + number
        result = episodes("-b", "model:tiny", "--protocol", protocol, "--count", 600, "--seed", seed, *shape)
        assert result["failures"] == [], (shape, result["failures"][0]["text"])


LEASES = [name for name in coherent() if name.startswith("halcone-")]


@pytest.mark.parametrize("protocol", LEASES)
def test_leases_of_any_length(protocol):
    """Unequal either way round; homes that keep one block's times; times of six bits, which overflow."""
    for settings in (
        ["lease.read=2", "lease.write=10"],
        ["lease.read=1", "lease.write=1"],
        ["tsu.entries=1", "tsu.ways=1"],
        ["lease.bits=6", "lease.read=10", "lease.write=5"],
        ["lease.bits=5", "lease.read=5", "lease.write=2", "tsu.entries=2"],
    ):
        options = [word for setting in settings for word in ("--set", setting)]
        result = episodes("-b", "model:tiny", "--protocol", protocol, "--count", 800, *options)
        assert result["failures"] == [], (settings, result["failures"][0]["text"])


def test_a_range_of_many_lines():
    """Entries of 16 and of 128 lines, evicted with several of them."""
    for range_bytes in (512, 4096):
        options = ["--set", f"directory.range={range_bytes}", "--set", "memory.bytes=262144", "--nodes", 4]
        assert_whole(episodes("-b", "model:tiny", "--protocol", "rec", "--count", COUNT, *options))


# ---------------------------------------------------------------- what is unreachable


def test_unreachable_transitions_have_their_reason():
    for protocol in coherent():
        result = episodes("-b", "model:tiny", "--protocol", protocol, "--count", EPISODES, "--nodes", 2)
        for cell in result["coverage"]["table"]:
            assert cell["reachable"] is (cell["why_not"] is None)
            assert cell["reachable"] or cell["count"] == 0


def test_states_of_an_organisation():
    """What an entry can be in depends on what it tracks."""
    seen = {}
    for protocol in ("baseline", "hmg", "rec", "ideal"):
        result = episodes("-b", "model:tiny", "--protocol", protocol, "--count", EPISODES, "--nodes", 4)
        table = result["coverage"]["table"]
        seen[protocol] = {(cell["request"], cell["state"]) for cell in table if cell["count"]}
    assert seen["baseline"] == seen["hmg"]
    assert ("local write", "hit clear, among") in seen["rec"] - seen["baseline"]
    assert ("remote read", "miss full, many lines") in seen["rec"] - seen["baseline"]
    full = {("remote read", "miss full, one line"), ("remote write", "miss full, one line")}
    assert seen["baseline"] - seen["ideal"] == full


def test_a_short_run_names_what_it_missed():
    outcome = tool("episodes", "-b", "model:tiny", "--nodes", 4, "--count", 8)
    assert outcome.code == 0
    assert "transitions that can be were seen (-: cannot be); missing:" in outcome.out
    assert not episodes("-b", "model:tiny", "--nodes", 4, "--count", 8)["coverage"]["complete"]


# ---------------------------------------------------------------- proving the prover


ON_THE_MODEL = {"none-wb"}


@pytest.mark.parametrize("protocol", sorted(WITHOUT_COHERENCE & set(protocols())))
@pytest.mark.parametrize("backend", ["model:tiny", "rtl:tiny"])
def test_without_coherence_it_fails(protocol, backend):
    if protocol in ON_THE_MODEL and backend.startswith("rtl:"):
        assert tool("episodes", "-b", backend, "--protocol", protocol).code == 2
        return
    result = episodes("-b", backend, "--protocol", protocol, "--count", 1000)
    failure = result["failures"][0]
    assert failure["kind"] == "load"
    assert failure["seen"] != failure["expected"]
    assert {"episode", "node", "cu", "warp"} == set(failure["at"])
    assert failure["issued"] < failure["cycle"]
    assert {"address", "bytes", "last_writer", "seen_of", "last_readers"} <= set(failure)
    assert result["coverage"]["reachable"] == 0


# Faults that show in data without lock-step, with how many episodes are enough: protocol, episodes, jitter.
# The others need races, several banks or longer ways than tiny has, or change no data: docs/episodes.md.
FAULTS = {
    "l1_store_keeps_old": ("baseline", 500, 300),
    "l2_store_keeps_fill": ("baseline", 2000, 300),
    "l2_inv_keeps_fill": ("baseline", 2000, 600),
    "l2_atomic_keeps_copy": ("baseline", 1000, 300),
    "l2_write_loses_byte": ("baseline", 500, 300),
    "l2_victim_not_written": ("baseline", 500, 300),
    "atomic_min_unsigned": ("baseline", 2000, 300),
    "directory_single_sharer": ("baseline", 500, 300),
    "directory_forgets_writer": ("baseline", 500, 300),
    "directory_evicts_silently": ("baseline", 2000, 300),
    "memory_loses_byte": ("baseline", 500, 300),
    "l2_store_merges_fill": ("baseline", 2000, 300),
    "l2_store_keeps_copy": ("baseline", 500, 300),
    "home_two_steps": ("baseline", 500, 300),
    "release_counts_twice": ("baseline", 1500, 850),
    "l2_block_inv_closes_one": ("hmg", 5000, 600),
    "directory_block_one_line": ("hmg", 3000, 300),
    "directory_evicts_first_line": ("rec", 5000, 300),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_seeded_faults_are_seen_in_data(fault):
    protocol, count, jitter = FAULTS[fault]
    machine = ["-b", "rtl:tiny", "--protocol", protocol, "--jitter", jitter, "--no-lockstep"]
    result = episodes(*machine, "--count", count, "--fault", fault)
    assert result["failures"]
    assert result["lockstep"] is False
    assert {failure["kind"] for failure in result["failures"]} <= {
        "load", "atomic", "count", "memory", "directory", "deadlock",
    }  # fmt: skip


def test_without_a_fault_the_same_machines_pass():
    for protocol, jitter in sorted({(how[0], how[2]) for how in FAULTS.values()}):
        machine = ["-b", "rtl:tiny", "--protocol", protocol, "--jitter", jitter, "--no-lockstep"]
        assert episodes(*machine, "--count", 2000)["failures"] == []


# Those of leases: configuration, mode. The others need races, or change no data that is not raced for.
LEASE_FAULTS = {
    "tsu_write_at_memts": ("tiny", "weak"),
    "lease_load_passes_store": ("tiny", "weak"),
    "lease_store_passes_load": ("quad", "weak"),
    "lease_weak_beside_strong": ("duo", "weak"),
    "lease_clock_by_installed": ("tiny", "weak"),
    "lease_extends_itself": ("quad", "weak"),
    "lease_l2_keeps_block": ("tiny", "causal"),
    "lease_data_late": ("tiny", "weak"),
    "lease_as_published": ("tiny", "weak"),
}


@pytest.mark.parametrize("fault", LEASE_FAULTS)
def test_seeded_faults_of_leases_are_seen_in_data(fault):
    config, mode = LEASE_FAULTS[fault]
    machine = ["-b", f"model:{config}", "--protocol", f"halcone-{mode}", "--count", 2000]
    assert episodes(*machine)["failures"] == []
    assert {failure["kind"] for failure in episodes(*machine, "--fault", fault)["failures"]} <= {
        "load",
        "atomic",
    }
    assert episodes(*machine, "--fault", fault)["failures"]


# Those that show on the RTL of tiny too, which passes without them: test_rtl_passes_and_covers_all.
LEASES_ON_RTL = [
    "tsu_write_at_memts",
    "lease_load_passes_store",
    "lease_clock_by_installed",
    "lease_extends_itself",
]


@pytest.mark.parametrize("fault", LEASES_ON_RTL)
def test_seeded_faults_of_leases_are_seen_in_data_on_rtl(fault):
    machine = ["-b", "rtl:tiny", "--protocol", f"halcone-{LEASE_FAULTS[fault][1]}", "--no-lockstep"]
    result = episodes(*machine, "--count", 1500, "--fault", fault)
    assert result["failures"] and result["lockstep"] is False
    assert {failure["kind"] for failure in result["failures"]} <= {"load", "atomic"}


def test_a_fault_is_a_difference_in_lockstep():
    result = episodes("-b", "rtl:tiny", "--fault", "directory_single_sharer", "--count", 500)
    assert [failure["kind"] for failure in result["failures"]] == ["lockstep"]
    assert "RTL and model differ" in result["failures"][0]["text"]


def test_a_deadlock_is_a_failure_with_what_waits():
    result = episodes("-b", "model:tiny", "--patience", 3, "--count", 50)
    assert [failure["kind"] for failure in result["failures"]] == ["deadlock"]
    assert "warps have ended" in result["failures"][0]["text"]
    assert result["error"]["code"] == "WEFT_STUCK"


def test_a_failure_is_made_smaller_and_shows_again():
    result = episodes("-b", "model:tiny", "--protocol", "none", "--count", 2000, "--shrink")
    shrunk = result["shrunk"]
    assert 1 <= len(shrunk["keep"]) < 10
    assert shrunk["count"] < 2000
    assert shrunk["program"].count("episode") >= len(shrunk["keep"])
    outcome = tool(*shlex.split(result["again"])[1:], "--json")
    assert outcome.code == 1
    assert outcome.json["failures"] == result["failures"]
