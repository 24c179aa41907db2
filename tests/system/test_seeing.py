# SPDX-License-Identifier: Apache-2.0
"""Seeing inside a run: model and RTL show the same, to the cycle; a wave that does not fit leaves nothing."""

import functools
import re
import resource
import subprocess

import pytest
from support import fst
from support.weft import BUILD, ROOT, run, tool

WAVE_SIZE = 64


def same(workload, config, *arguments, rtl=()):
    """The same run on model and RTL, as JSON each."""
    on_model = run(workload, f"model:{config}", *arguments)
    on_rtl = run(workload, f"rtl:{config}", *arguments, *rtl)
    assert on_model["cycles"] == on_rtl["cycles"]
    return on_model, on_rtl


@pytest.mark.parametrize(
    "workload, config, size, rtl",
    [
        ("mix", "tiny", 4000, ()),
        ("mix", "tiny", 1000, ("--no-lockstep",)),
        ("pagerank", "quad", 64, ("--no-lockstep",)),
        ("mix", "duo", 1000, ()),
    ],
)
def test_latencies_and_samples_are_equal(workload, config, size, rtl):
    on_model, on_rtl = same(workload, config, "--size", size, "--latency", "--sample", 300, rtl=rtl)
    assert len(on_model["latency"]) > 20
    assert on_model["latency"] == on_rtl["latency"]
    assert len(on_model["samples"]) == -(-on_model["cycles"] // 300)
    assert on_model["samples"] == on_rtl["samples"]


def test_latencies_are_equal_with_random_delays():
    on_model, on_rtl = same("mix", "tiny", "--size", 1000, "--jitter", 300, "--seed", 3, "--latency")
    assert on_model["latency"] == on_rtl["latency"]


def test_latencies_account_for_every_operation():
    """What is measured is all there is: as many operations, fetches and messages as the counters say."""
    result = run("mix", "model:tiny", "--size", 4000, "--latency")
    latency, counters = result["latency"], result["counters"]

    def count(prefix, suffix=""):
        return sum(v["count"] for k, v in latency.items() if k.startswith(prefix) and k.endswith(suffix))

    assert count("operation.") == result["operations"] == count("unit.port")
    assert count("unit.fetch") == counters["total.home.fetches"]
    assert count("unit.l2_miss") == counters["total.l2.misses"]
    assert count("message.", ".wire") == counters["total.switch.messages"]
    assert count("message.", ".delivery") == counters["total.switch.messages"]
    assert count("operation.load.l1") == counters["total.l1.hits"]
    for name, value in latency.items():
        assert value["count"] == sum(b["count"] for b in value["buckets"]), name
        assert value["min"] <= value["p50"] <= value["p90"] <= value["p99"] <= value["max"], name
        assert value["min"] * value["count"] <= value["sum"] <= value["max"] * value["count"], name


def test_samples_add_up_to_the_counters():
    result = run("mix", "rtl:tiny", "--size", 2000, "--sample", 250)
    sums = {}
    for sample in result["samples"]:
        for name, value in sample["counters"].items():
            sums[name] = sums.get(name, 0) + value
    # Behind the last sample only what was under way comes to rest, and dirty lines go to memory.
    late = (
        "total.memory.",
        "total.link.",
        "total.switch.",
        "total.l2.",
        "total.home.",
        "total.release.",
        "total.dir",
    )
    for name, value in sums.items():
        counted = result["counters"][name]
        assert value == counted or (name.startswith(late) and value <= counted), name
    assert sums["total.l1.loads"] == result["counters"]["total.l1.loads"]


def explain(workload, backend, address, *arguments):
    return tool("explain", workload, "-b", backend, "--address", address, "--json", *arguments)


@pytest.mark.parametrize("rtl", [(), ("--no-lockstep",)])
def test_histories_are_equal(rtl):
    on_model = explain("mix", "model:tiny", "region[2]", "--size", 2000).json
    on_rtl = explain("mix", "rtl:tiny", "region[2]", "--size", 2000, *rtl).json
    assert len(on_model["history"]) == 1000 and on_model["left_out"] > 0
    assert on_model["history"] == on_rtl["history"]
    assert on_model["summary"] == on_rtl["summary"]


def test_a_history_tells_what_it_counts():
    result = tool(
        "explain", "sssp", "-b", "model:tiny", "--size", 64, "--address", "distance0[5]", "--json"
    ).json
    whats = {h["what"] for h in result["history"]}
    assert {"load-miss", "answer", "store", "home-write", "fetch", "fetched", "release"} <= whats
    cycles = [h["cycle"] for h in result["history"]]
    assert cycles == sorted(cycles)
    summary = result["summary"]
    assert summary["stores"] == sum(h["what"] == "store" for h in result["history"])
    assert summary["word_writes"] == sum(h["what"] == "store" and h["word"] for h in result["history"])


def test_without_coherence_no_history_has_an_invalidation():
    outcome = tool(
        "explain", "mix", "-b", "model:tiny", "--protocol", "none", "--address", "region[2]", "--json"
    )
    assert outcome.code == 1
    assert outcome.json["summary"]["invalidations"] == 0
    assert outcome.json["summary"]["copies"] > 0
    assert not any(h["what"] == "inv" for h in outcome.json["history"])


# ---------------------------------------------------------------- waves


@functools.cache
def wave_build():
    """The fabric with waves is built on first use; here, so that its time is not a test's."""
    subprocess.run(["make", "-s", "-C", ROOT, "rtl-tiny-wave", f"BUILD={BUILD}"], check=True)


def wave(path, *arguments, **limits):
    wave_build()
    command = [BUILD / "weft", "run", "vecadd", "-b", "rtl:tiny", "--size", str(WAVE_SIZE), "--wave", path]

    def limit():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, name), (value, value))

    return subprocess.run([*command, *arguments], capture_output=True, text=True, preexec_fn=limit)


def signals_of(view):
    """Signal names of a GTKWave save file or of a Surfer command file."""
    for line in view.read_text().splitlines():
        if line.startswith("TOP."):
            yield line
        elif line.startswith("variable_add "):
            yield line.removeprefix("variable_add ")


def test_wave_has_its_time_and_every_signal_of_its_views(tmp_path):
    done = wave(tmp_path / "x.fst")
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.fst", "x.gtkw", "x.sucl"]
    waves = fst.read(tmp_path / "x.fst")
    cycles = int(re.search(r"cycles +(\d+)", done.stdout)[1])
    assert waves.start <= 10 and waves.end >= 10 * cycles
    assert waves.changes > 10000
    full = {name.replace(" ", "") for name in waves.signals}
    short = {name.split(" ")[0] for name in waves.signals}
    shown = list(signals_of(tmp_path / "x.gtkw"))
    assert len(shown) == len(set(shown)) > 100
    assert set(shown) <= full
    assert set(signals_of(tmp_path / "x.sucl")) <= short
    assert len(list(signals_of(tmp_path / "x.sucl"))) == len(shown)


def test_a_window_of_a_wave(tmp_path):
    assert wave(tmp_path / "x.fst", "--wave-from", "300", "--wave-to", "310").returncode == 0
    waves = fst.read(tmp_path / "x.fst")
    assert (waves.start, waves.end) == (3000, 3105)
    behind = wave(tmp_path / "y.fst", "--wave-from", "1000000")
    assert behind.returncode == 2
    assert "--wave-from 1000000: the run ended with cycle" in behind.stderr
    assert not list(tmp_path.glob("y*"))


@pytest.mark.parametrize("room", [0, 4096, 100_000])
def test_a_wave_that_does_not_fit_leaves_nothing(tmp_path, room):
    """A limit on a file's size fails as a full disk does, and needs no root."""
    done = wave(tmp_path / "x.fst", RLIMIT_FSIZE=room)
    assert done.returncode == 4, done.stdout
    assert "cannot write" in done.stderr and len(done.stderr.splitlines()) <= 3
    assert not list(tmp_path.iterdir())


def test_a_wave_that_does_not_fit_leaves_what_was_there(tmp_path):
    (tmp_path / "x.fst").write_text("earlier\n")
    assert wave(tmp_path / "x.fst", RLIMIT_FSIZE=100_000).returncode == 4
    assert [p.name for p in tmp_path.iterdir()] == ["x.fst"]
    assert (tmp_path / "x.fst").read_text() == "earlier\n"
