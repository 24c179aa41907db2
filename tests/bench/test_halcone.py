# SPDX-License-Identifier: Apache-2.0
"""`weft bench halcone` and `weft bench xtreme`: what they print, and that it fits together.
`make bench BENCH=halcone` runs all eleven workloads, `make bench BENCH=xtreme` all sizes."""

import math

import pytest
from support.weft import LONG, tool

MACHINES = ["rdma", "hmg", "none-wb", "none-wt", "halcone", "renewed"]
NODES = {"1 node": 1, "2 nodes": 2, "4 nodes": 4, "8 nodes": 8, "16 nodes": 16}
SMALL = "xtreme1-12K,xtreme1-36K,xtreme3-12K"
PAIRS = {(10, 5), (2, 10), (10, 2), (5, 10), (20, 10), (10, 20)}


def has(*names):
    known = tool("list", "--json").json
    return set(names) <= {*known["configs"], *known["protocols"]}


pytestmark = pytest.mark.skipif(
    not has("halcone4", "rdma4", "none-wb", "none-wt"), reason="HALCONE's machines are not built in"
)


def bench(name, cache, only):
    chosen = ["--only", only] if only else []
    outcome = tool("bench", name, *chosen, "--cache", cache, "--json")
    assert outcome.code == 0, outcome.err
    return outcome.json


@pytest.fixture(scope="module")
def eleven(tmp_path_factory):
    cache = tmp_path_factory.mktemp("halcone")
    return cache, bench("halcone", cache, None if LONG else "rl,mp")


@pytest.fixture(scope="module")
def xtreme(tmp_path_factory):
    cache = tmp_path_factory.mktemp("xtreme")
    return cache, bench("xtreme", cache, None if LONG else SMALL)


def test_keys(eleven):
    result = eleven[1]
    overheads = {"overhead_percent", "overhead_percent_renewed"}
    without = {name + "_without_launches" for name in overheads}
    assert set(result["geomean"]) == overheads | without | {"speedup"}
    assert list(result["geomean"]["speedup"]) == MACHINES
    assert result["paper"]["geomean"]["speedup"]["halcone"] == 4.6
    assert result["paper"]["geomean"]["speedup"]["none-wb"] == 3.9
    assert [row["variant"] for row in result["rows"][: len(MACHINES)]] == MACHINES
    assert {row["config"] for row in result["rows"]} == {"halcone4", "rdma4"}
    assert all(isinstance(reason, str) for reason in result["reasons"]) and result["reasons"]


def test_means_are_those_of_the_rows(eleven):
    result = eleven[1]
    cell = {(row["workload"], row["variant"]): row for row in result["rows"]}
    names = list(dict.fromkeys(row["workload"] for row in result["rows"]))

    def mean(ratio):
        return math.exp(sum(math.log(ratio(name)) for name in names) / len(names))

    def cycles(name, variant):
        return cell[name, variant]["cycles"]

    for variant in MACHINES:
        speed = mean(lambda name, variant=variant: cycles(name, "rdma") / cycles(name, variant))
        assert result["geomean"]["speedup"][variant] == pytest.approx(speed)
    for variant, key in (("halcone", "overhead_percent"), ("renewed", "overhead_percent_renewed")):
        slower = mean(lambda name, variant=variant: cycles(name, variant) / cycles(name, "none-wt"))
        assert result["geomean"][key] == pytest.approx(100 * (slower - 1), rel=1e-5)

    def worked(name, variant):
        return cycles(name, variant) - cell[name, variant]["launch_cycles"]

    for variant, key in (("halcone", "overhead_percent"), ("renewed", "overhead_percent_renewed")):
        slower = mean(lambda name, variant=variant: worked(name, variant) / worked(name, "none-wt"))
        mean_without = result["geomean"][key + "_without_launches"]
        assert mean_without == pytest.approx(100 * (slower - 1), rel=1e-5)


def test_transactions_are_counted(eleven):
    for row in eleven[1]["rows"]:
        counters = row["counters"]
        assert row["l1_l2_transactions_total"] == sum(
            counters[f"total.l2.{kind}"] for kind in ("reads", "writes", "atomics")
        )
        assert row["l2_memory_transactions_total"] == sum(
            counters[f"total.memory.{kind}"] for kind in ("reads", "writes")
        )
        assert row["l2_memory_transactions_total"] > 0


def test_leases_are_right_and_stamps_are_never_late(eleven, xtreme):
    for row in eleven[1]["rows"]:
        if row["variant"] in ("hmg", "halcone", "renewed"):
            assert row["verified"]
        if row["variant"] in ("halcone", "renewed"):
            assert row["counters"]["total.tsu.late"] == 0
            assert row["counters"]["total.tsu.lookups"] > 0
    sizes = xtreme[1]["rows"] + xtreme[1]["renewed_rows"] + xtreme[1]["lease_rows"]
    assert all(row["verified"] for row in sizes)
    assert len(xtreme[1]["renewed_rows"]) == len(xtreme[1]["rows"])
    slowest = max(row["slowdown_percent"] for row in xtreme[1]["renewed_rows"])
    assert xtreme[1]["worst_percent_renewed"] == pytest.approx(slowest)


ONE_NODE = {"bs": 8000, "fws": 62, "atax": 124, "aes": 2000, "fir": 5000, "matmul": 62, "mix": None}


@pytest.mark.parametrize("workload", ONE_NODE)
def test_write_back_is_right_on_one_node(workload):
    """Nobody else can have an old copy, so every result is right, and it comes to memory."""
    size = ONE_NODE[workload]
    machine = ["--set", "nodes=2", "--set", "memories=1", "--set", "page=256"]
    more = ["--size", size] if size else []
    outcome = tool("run", workload, "-b", "model:halcone4", "--protocol", "none-wb", "--launches",
                   "--placement", "interleaved", *machine, *more, "--json")  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert outcome.json["verified"]
    assert outcome.json["counters"]["total.l2.writebacks"] > 0


def test_nodes(eleven):
    scaling = eleven[1]["scaling"]
    assert list(scaling["means"]["scaling"]) == list(NODES)
    for row in scaling["rows"]:
        assert row["nodes"] == NODES[row["variant"]]
        assert row["scaling"] == pytest.approx(1) if row["nodes"] == 1 else row["scaling"] > 0
    means = scaling["means"]["scaling"]
    assert 1 < means["2 nodes"] < means["4 nodes"]


def test_traffic_of_stamps(eleven):
    traffic = eleven[1]["traffic"]
    assert traffic["paper"]["read_percent"] == pytest.approx(5)
    assert traffic["paper"]["write_percent"] == pytest.approx(5.26, abs=0.01)
    assert traffic["read_percent"] == pytest.approx(100 * traffic["stamp_bytes_per_answer"] / 80)


def test_nothing_is_computed_twice(eleven, xtreme):
    for name, (cache, result), only in (
        ("halcone", eleven, "rl,mp"),
        ("xtreme", xtreme, SMALL),
    ):
        again = bench(name, cache, None if LONG else only)
        assert again["computed"] == 0 and again["cached"] == result["computed"]


def test_slowdowns(xtreme):
    result = xtreme[1]
    for row in result["rows"]:
        assert (row["lease_read"], row["lease_write"]) == (10, 5)
        slower = 100 * (row["cycles"] / row["cycles_without"] - 1)
        assert row["slowdown_percent"] == pytest.approx(slower)
        # A kernel for every step and for each of ten repeats, at one price.
        assert row["launches"] == (20 if row["workload"] == "xtreme1" else 12)
        assert row["launch_cycles"] == 1600 * row["launches"]
        slower = (row["cycles"] - row["launch_cycles"]) / (row["cycles_without"] - row["launch_cycles"])
        assert row["slowdown_percent_without_launches"] == pytest.approx(100 * (slower - 1))
        # Of vectors that no cache holds, nothing that is read again is still there for a lease to run out.
        if row["fits"] != "memory":
            assert row["counters"]["total.l2.lease_misses"] > 0
            assert row["counters"]["total.l1.lease_misses"] > 0
        assert row["counters_without"]["total.l1.lease_misses"] == 0
    worst = max(row["slowdown_percent"] for row in result["rows"])
    assert result["worst_percent"] == pytest.approx(worst)
    worst = max(row["slowdown_percent_without_launches"] for row in result["rows"])
    assert result["worst_percent_without_launches"] == pytest.approx(worst)
    assert result["paper"]["worst"] == {"xtreme1": 14.3, "xtreme2": 12.1, "xtreme3": 16.8}


@pytest.mark.skipif(not LONG, reason="all workloads and all sizes, half an hour each; WEFT_LONG runs it")
def test_leases_cost_what_is_promised(eleven, xtreme):
    """In the mean of all workloads, and where they cost most."""
    assert eleven[1]["geomean"]["overhead_percent"] <= 2
    assert xtreme[1]["worst_percent"] <= 17


def test_every_pair_of_leases(xtreme):
    result = xtreme[1]
    found = {(row["lease_read"], row["lease_write"]) for row in result["lease_rows"]}
    assert found == PAIRS
    assert len(result["lease_rows"]) == len(PAIRS) * len(result["rows"])
    # A pair changes cycles, or the sweep sets nothing.
    cycles = {}
    for row in result["lease_rows"]:
        cycles.setdefault((row["workload"], row["vector_bytes"]), set()).add(row["cycles"])
    assert max(map(len, cycles.values())) > 1


@pytest.mark.parametrize(
    "name,words",
    [
        ("halcone", ("speed-up over RDMA", "paper", "L2 to memory", "16 nodes", "where these numbers come")),
        (
            "xtreme",
            ("slower %", "not them %", "the paper's 14.3", "pairs of leases", "where these numbers come"),
        ),
    ],
)
def test_a_table_for_people(name, words, eleven, xtreme):
    cache = (eleven if name == "halcone" else xtreme)[0]
    only = {"halcone": "rl", "xtreme": "xtreme1-12K"}[name]
    outcome = tool("bench", name, "--only", only, "--cache", cache)
    assert outcome.code == 0, outcome.err
    for word in words:
        assert word in outcome.out


@pytest.mark.parametrize(
    "arguments,word",
    [
        (["halcone", "--only", "SSSP"], "aes"),
        (["halcone", "-b", "model:halcone4"], "--backend"),
        (["xtreme", "--only", "xtreme4"], "xtreme1-12K"),
        (["xtreme", "--only", "xtreme1-12K", "--set", "lease.read=0"], "lease.read"),
    ],
)
def test_wrong_use(arguments, word, tmp_path):
    outcome = tool("bench", *arguments, "--cache", tmp_path)
    assert outcome.code == 2 and word in outcome.err
    assert not outcome.out


def test_stamps_are_the_papers_and_what_our_corrections_add():
    """Bytes on the link: link.md's table of messages; 4 of stamps in each answer, as section 3.5 counts."""
    outcome = tool("bench", "stamps", "--json")
    assert outcome.code == 0, outcome.err
    cell = {(row["exchange"], row["protocol"]): row for row in outcome.json["rows"]}
    line = 64
    assert cell["read", "none-wt"]["bytes"] == 24 + 20 + line
    assert cell["read", "halcone-weak"]["extra_bytes"] == 4
    assert cell["write", "none-wt"]["bytes"] == 24 + line + 24
    for exchange, paper in (("read", 5.0), ("write", 100 * 4 / 76)):
        weak, causal = (cell[exchange, f"halcone-{mode}"] for mode in ("weak", "causal"))
        assert weak["stamp_bytes"] == 4 and weak["correction_bytes"] == 0
        assert weak["paper_count_percent"] == weak["paper"] == pytest.approx(paper)
        assert causal["correction_bytes"] == causal["bytes"] - weak["bytes"] == 4
    part = cell["write-part", "halcone-weak"]
    assert part["correction_bytes"] == 4
    assert all(row["stamp_bytes"] == 0 for row in outcome.json["rows"] if row["protocol"] == "none-wt")


def test_stamps_has_no_workloads():
    outcome = tool("bench", "stamps", "--only", "read")
    assert outcome.code == 2
    assert "--only" in outcome.err
