# SPDX-License-Identifier: Apache-2.0
"""`weft bench rec` and its sweeps: what they print, and that a run that was cut off goes on.
`make bench BENCH=rec` runs all twelve workloads."""

import json
import subprocess
import time

import pytest
from support.weft import BUILD, LONG, ROOT, tool

SMALLEST = "FIR"  # a second for all five directories
VARIANTS = ["baseline", "baseline2x", "hmg", "rec", "ideal"]


def bench(cache, *arguments, name="rec", only=SMALLEST):
    outcome = tool("bench", name, "--only", only, "--cache", cache, "--json", *arguments)
    assert outcome.code == 0, outcome.err
    return outcome.json


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A cache that holds all of it, and the JSON."""
    cache = tmp_path_factory.mktemp("cache")
    return cache, bench(cache)


def test_keys(full):
    _, result = full
    assert set(result["geomean"]) == set(VARIANTS) - {"baseline"}
    assert result["computed"] == 5 and result["cached"] == 0
    assert [row["variant"] for row in result["rows"]] == VARIANTS
    for row in result["rows"]:
        assert row["workload"] == SMALLEST and row["cycles"] > 0
        assert row["l2_misses_without_cold"] >= 0 and row["transactions_total"] > 0
        for key in (
            "speedup",
            "l2_misses",
            "unnecessary_invalidations",
            "transactions",
            "lines_per_entry",
            "paper",
        ):
            assert key in row
    assert result["paper"]["speedup"]["rec"] == 1.327
    assert result["provenance"]["command"].startswith("weft bench rec")
    assert all(isinstance(reason, str) for reason in result["reasons"]) and result["reasons"]


def test_speedups_are_those_of_the_cycles(full):
    rows = {row["variant"]: row for row in full[1]["rows"]}
    for row in rows.values():
        assert row["speedup"] == pytest.approx(rows["baseline"]["cycles"] / row["cycles"])
    assert full[1]["geomean"]["rec"] == pytest.approx(rows["rec"]["speedup"])  # of one workload
    assert rows["ideal"]["counters"]["total.directory.evictions"] == 0
    assert rows["ideal"]["unnecessary_invalidations"] == 0


def test_nothing_is_computed_twice(full):
    cache, result = full
    again = bench(cache)
    assert again["computed"] == 0 and again["cached"] == 5
    assert again["geomean"] == result["geomean"]
    fresh = bench(cache, "--fresh")
    assert fresh["computed"] == 5 and fresh["geomean"] == result["geomean"]


def test_another_seed_or_machine_is_another_point(full):
    cache, _ = full
    other = bench(cache, "--set", "link.latency=25")
    assert other["computed"] == 5


def test_a_file_that_was_cut_short_is_computed_anew(full, tmp_path):
    cache, result = full
    copies = []
    for path in sorted(cache.glob("*.json")):
        copies.append(tmp_path / path.name)
        copies[-1].write_bytes(path.read_bytes())
    kept = [json.loads(path.read_text()) for path in copies]
    mine = [path for path, point in zip(copies, kept) if "link.latency" not in point["key"]]
    mine[0].write_bytes(mine[0].read_bytes()[:200])
    assert bench(tmp_path)["computed"] == 1


def test_shards_together_are_the_whole(tmp_path):
    first = bench(tmp_path, "--shard", "1/2")
    assert (first["points"], first["computed"], first["cached"]) == (5, 3, 0)
    assert "geomean" not in first
    assert bench(tmp_path, "--shard", "2/2")["computed"] == 2
    assert bench(tmp_path)["computed"] == 0


def test_what_was_cut_off_goes_on(tmp_path):
    command = [BUILD / "weft", "bench", "rec", "--only", "FIR,MM3", "--jobs", "1", "--cache", tmp_path]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(list(tmp_path.glob("*.json"))) < 2 and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    kept = len(list(tmp_path.glob("*.json")))
    assert 2 <= kept < 10
    again = bench(tmp_path, only="FIR,MM3")
    # The run that was under way may still have ended.
    assert again["cached"] in (kept, kept + 1) and again["computed"] == 10 - again["cached"]


@pytest.mark.parametrize(
    "arguments,word",
    [
        (["nonsense"], "rec-range"),
        ([], "bench what"),
        (["rec", "--only", "NIX"], "ATAX"),
        (["rec", "--only", ""], "--only"),
        (["rec", "--shard", "3/2"], "--shard"),
        (["rec", "--shard", "0/2"], "--shard"),
        (["rec", "--shard", "2"], "--shard"),
        (["rec", "--shard", "-1/2"], "--shard"),
        (["rec", "--jobs", "0"], "--jobs"),
        (["rec", "--only", "FIR", "--set", "nix=1"], "nix"),
        (["rec", "-b", "model:tiny"], "--backend"),
    ],
)
def test_wrong_use(arguments, word, tmp_path):
    cache = ["--cache", tmp_path] if arguments else []
    outcome = tool("bench", *arguments, *cache)
    assert outcome.code == 2 and word in outcome.err
    assert not list(tmp_path.glob("*.json")) and not outcome.out


def test_a_cache_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    outcome = tool("bench", "rec", "--only", "FIR", "--cache", tmp_path / "file" / "cache")
    assert outcome.code == 4 and "--cache" in outcome.err


@pytest.mark.parametrize(
    "name", ["rec-range", "rec-entries", "rec-replacement", "rec-l2", "rec-link", "rec-nodes"]
)
def test_sweeps(name, tmp_path):
    if not LONG and name not in ("rec-range", "rec-nodes"):
        pytest.skip("one of the long tests")
    result = bench(tmp_path, name=name)
    variants = {row["variant"] for row in result["rows"]}
    assert set(result["geomean"]) < variants and len(result["rows"]) == len(variants)
    if name == "rec-range":
        # 0: nothing was evicted, since all of it is covered
        lines = [row["lines_per_entry"] for row in result["rows"] if row["lines_per_entry"]]
        assert lines == sorted(lines) and lines[-1] > 8


def test_trends(tmp_path):
    """Of a regular workload that the directory holds up, and of an irregular one."""
    result = bench(tmp_path, only="C2D,ATAX")
    rows = {(row["workload"], row["variant"]): row for row in result["rows"]}
    speed = [rows["C2D", variant]["speedup"] for variant in VARIANTS]
    assert speed[0] == 1 and speed[1] > 1.05 and speed[2] > speed[1] and speed[3] > speed[2]
    assert speed[3] > 0.95 * speed[4]
    misses = [rows["C2D", variant]["l2_misses"] for variant in VARIANTS]
    assert misses[3] < 0.5 * misses[2] < misses[1] < misses[0]
    assert rows["ATAX", "rec"]["lines_per_entry"] < 6 < rows["C2D", "rec"]["lines_per_entry"]


def test_a_table_for_people(full):
    outcome = tool("bench", "rec", "--only", SMALLEST, "--cache", full[0])
    assert outcome.code == 0
    for word in ("speed-up", "geomean", "paper", "1.327", "lines per entry", "where these numbers come from"):
        assert word in outcome.out
