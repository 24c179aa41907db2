# SPDX-License-Identifier: Apache-2.0
"""`weft bench finepack`, its sweeps and `weft bench goodput`: what they print, and that it fits together.
`make bench BENCH=finepack` runs all five workloads."""

import pytest
from support.weft import LONG, tool

SMALLEST = "Jacobi"
VARIANTS = ["one node", "plain", "bulk", "infinite", "finepack"]
# Goodput of docs/bench.md's stream, of the page that defines it.
TABLE = {
    None: {4: 0.1429, 8: 0.2500, 16: 0.4000, 32: 0.5714, 64: 0.7273, 128: 0.8421},
    3: {4: 0.5424, 8: 0.7033, 16: 0.8258, 32: 0.9046, 64: 0.9494, 128: 0.9706},
    4: {4: 0.4776, 8: 0.6465, 16: 0.7853, 32: 0.8797, 64: 0.9357, 128: 0.9640},
    5: {4: 0.4267, 8: 0.5981, 16: 0.7485, 32: 0.8562, 64: 0.9219, 128: 0.9562},
    6: {4: 0.3855, 8: 0.5565, 16: 0.7151, 32: 0.8339, 64: 0.9089, 128: 0.9496},
}
TABLE[2] = TABLE[None]  # every store has a window of its own, and leaves as a plain write


def bench(cache, *arguments, name="finepack", only=SMALLEST):
    chosen = ["--only", only] if only else []
    outcome = tool("bench", name, *chosen, "--cache", cache, "--json", *arguments)
    assert outcome.code == 0, outcome.err
    return outcome.json


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    return cache, bench(cache)


def test_keys(small):
    _, result = small
    assert set(result["geomean"]) == {"efficiency_over_plain", "of_infinite", "over_bulk", "over_plain"}
    assert set(result["paper"]["geomean"]) == set(result["geomean"])
    assert [row["variant"] for row in result["rows"]] == VARIANTS
    assert result["config"] == "finepack4" and "link.bytes=4" in result["set"]
    assert all(isinstance(reason, str) for reason in result["reasons"]) and result["reasons"]


def test_bytes_add_up(small):
    for row in small[1]["rows"]:
        parts = row["bytes"]
        assert parts["useful"] + parts["overhead"] + parts["wasted"] == parts["link"]
        assert all(part >= 0 for part in parts.values())
        counters = row["counters"]
        assert parts["link"] == sum(
            counters[f"total.link.bytes_{kind}"] for kind in ("request", "forward", "response")
        )
        if row["nodes"] == 1:
            assert parts["link"] == 0


def test_means_are_those_of_the_rows(small):
    rows = {row["variant"]: row for row in small[1]["rows"]}
    means = small[1]["geomean"]
    cycles = {variant: row["cycles"] for variant, row in rows.items()}
    assert means["of_infinite"] == pytest.approx(cycles["infinite"] / cycles["finepack"])
    assert means["over_bulk"] == pytest.approx(cycles["bulk"] / cycles["finepack"])
    assert means["over_plain"] == pytest.approx(cycles["plain"] / cycles["finepack"])
    ratio = rows["finepack"]["efficiency"] / rows["plain"]["efficiency"]
    assert means["efficiency_over_plain"] == pytest.approx(ratio)
    for row in rows.values():
        assert row["speedup"] == pytest.approx(cycles["one node"] / row["cycles"])


def test_trends(small):
    rows = {row["variant"]: row for row in small[1]["rows"]}
    speed = [rows[variant]["speedup"] for variant in ("plain", "bulk", "finepack", "infinite")]
    assert speed == sorted(speed) and speed[2] > 2
    assert small[1]["geomean"]["efficiency_over_plain"] > 5
    assert small[1]["geomean"]["of_infinite"] > 0.7  # of one workload; the mean of five is above 0.77
    # The same is read by the peers, whichever way it came there.
    useful = {rows[variant]["bytes"]["useful"] for variant in ("plain", "bulk", "finepack")}
    assert len(useful) == 1
    assert rows["finepack"]["stores_per_packet"] > 38 > rows["plain"]["stores_per_packet"]


def test_nothing_is_computed_twice(small):
    cache, result = small
    again = bench(cache)
    assert again["computed"] == 0 and again["cached"] == 5
    assert again["geomean"] == result["geomean"]


def test_a_table_for_people(small):
    outcome = tool("bench", "finepack", "--only", SMALLEST, "--cache", small[0])
    assert outcome.code == 0
    for word in ("speed-up", "paper", "wasted", "efficiency over plain", "where these numbers come from"):
        assert word in outcome.out


@pytest.mark.parametrize("name", ["finepack-subheader", "finepack-link"])
def test_sweeps(name, tmp_path):
    if not LONG:
        pytest.skip("one of the long tests")
    result = bench(tmp_path, name=name)
    speed = {row["variant"]: row["speedup"] for row in result["rows"]}
    if name == "finepack-subheader":
        assert speed["2 B"] < speed["3 B"] < speed["4 B"] and speed["6 B"] < speed["5 B"]
    else:
        for way in ("plain", "bulk", "fine"):
            assert speed[f"{way} 4"] < speed[f"{way} 8"] < speed[f"{way} 16"]


@pytest.fixture(scope="module")
def streams(tmp_path_factory):
    cache = tmp_path_factory.mktemp("goodput")
    return cache, bench(cache, name="goodput", only=None if LONG else "4,64,128")


def test_goodput_is_the_closed_form(streams):
    rows = streams[1]["rows"]
    sizes = (4, 8, 16, 32, 64, 128) if LONG else (4, 64, 128)
    assert {(row["store_bytes"], row["sub_header"]) for row in rows} == {
        (size, header) for size in sizes for header in TABLE
    }
    for row in rows:
        assert set(row) == {"store_bytes", "sub_header", "measured", "closed_form"}
        assert row["measured"] == pytest.approx(row["closed_form"], rel=0.005)  # the promise
        assert row["measured"] == pytest.approx(row["closed_form"], rel=1e-9)  # what is held
        assert row["closed_form"] == pytest.approx(TABLE[row["sub_header"]][row["store_bytes"]], abs=5e-5)


def test_goodput_of_other_streams(streams):
    more = streams[1]["more"]
    prefix = [row for row in more if row["stream"] == "vendor prefix"]
    short = [row for row in more if "three words" in row["stream"]]
    assert {row["sub_header"] for row in prefix} == {3, 4, 5, 6}
    assert short[0]["store_bytes"] == 4 and short[0]["measured"] == pytest.approx(4 / 24)
    for row in prefix + short:
        assert row["measured"] == pytest.approx(row["closed_form"], rel=1e-9)


def test_a_dense_stream_does_better(tmp_path):
    if not LONG:
        pytest.skip("one of the long tests")
    more = bench(tmp_path, name="goodput", only="dense")["more"]
    for row in more:
        assert row["measured"] == pytest.approx(row["closed_form"], rel=0.005)
    (five,) = [row for row in more if row["stream"] == "dense" and row["sub_header"] == 5]
    assert five["measured"] == pytest.approx(0.9556, abs=1e-3)


@pytest.mark.parametrize(
    "arguments,word",
    [
        (["finepack", "--only", "ATAX"], "SSSP"),
        (["finepack", "-b", "model:finepack4"], "--backend"),
        (["goodput", "--only", "4", "-b", "model:quad"], "finepack4"),
        (["goodput", "--only", "4", "--set", "egress.sub_header=7"], "egress.sub_header"),
        (["finepack", "--only", "Jacobi", "--set", "egress.payload=100"], "egress.payload"),
        (["finepack", "--only", "Jacobi", "--set", "egress.entries=0"], "egress.entries"),
    ],
)
def test_wrong_use(arguments, word, tmp_path):
    outcome = tool("bench", *arguments, "--cache", tmp_path)
    assert outcome.code == 2 and word in outcome.err
    assert not outcome.out
