# SPDX-License-Identifier: Apache-2.0
"""Tests that others wrote, unchanged, where they lie beside the project. A fabric may show fewer
states than a model allows, never more: what each suite says of us is written here as rules, not as
a list of today's results."""

import re

import pytest
from shapes import THIRD_PARTY, litmus
from support.weft import LONG, SEED

pytestmark = pytest.mark.skipif(
    not THIRD_PARTY.is_dir(), reason="no ../shared/data/litmus beside the project"
)
RISCV = sorted((THIRD_PARTY / "riscv").glob("*.litmus"))
PTX = sorted((THIRD_PARTY / "ptx").glob("*.litmus"))
RUNS = 20000 if LONG else 300

# Names are the edges of a cycle: 2+2W+fence.rw.rw+po. In brackets: edges between threads.
FENCE_OR_SAME = r"(?:fence\.[rw]+\.[rw]+s*|pos+|rfi|fri|wsi|\[(?:rf|fr|ws|fence\.[rw]+\.[rw]+|-)+\])"
DEPENDENCY = r"(?:addr|data|ctrl|ctrlfencei)s*"


def edges(name):
    """What stands behind the name of the shape."""
    return re.sub(r"^(?:2\+2W|WRW\+WR|WRR\+2W|WRW\+2W|[^+]+)\+?", "", name)


def made_of(name, *kinds):
    one = f"(?:{'|'.join(kinds)})"
    return bool(edges(name)) and re.fullmatch(rf"{one}(?:[-+]{one})*", edges(name)) is not None


def threads(path):
    return re.search(r"^\s*P0.*$", path.read_text(), re.M)[0].count("|") + 1


def locations(path):
    return set(re.findall(r"=\s*([A-Za-z_]\w*)", re.search(r"\{(.*?)\}", path.read_text(), re.S)[1]))


def never_in_any_map(path):
    return (
        path.stem.startswith(("Co", "CO-"))
        or bool(re.search(r"\+poss?$", path.stem))
        or len(locations(path)) == 1
    )


def reads_past_its_own_store(name):
    """A thread of SB or R, from a write to a read, without a fence: its node's L2 has the write before others
    have it, so what depends on a read of it says nothing of the others. RISC-V allows it too."""
    return bool(re.match(r"(?:SB|R)\+", name)) and any(
        "fence." not in edge.replace("fencei", "") for edge in edges(name).split("+")
    )


def never_when_relaxed(path):
    if never_in_any_map(path) or made_of(path.stem, FENCE_OR_SAME):
        return True
    dependencies = made_of(path.stem, FENCE_OR_SAME, DEPENDENCY) and threads(path) == 2
    return dependencies and not reads_past_its_own_store(path.stem)


def results(*arguments):
    outcome = litmus(*arguments, "--runs", RUNS, "--seed", SEED)
    assert outcome.code in (0, 1), outcome.err  # a ~exists may be violated in the weak map
    return outcome.json["tests"]


def shown(tests, rule):
    """Files whose condition must not be met, and is."""
    paths = {str(path): path for path in RISCV}
    return [
        test["name"]
        for test in tests
        if rule(paths[test["file"]]) and (test["result"] == "seen" or test["result"] == "violated")
    ]


def not_skipped(tests):
    return sum(test["result"] != "skipped" for test in tests) / len(tests)


@pytest.mark.parametrize(
    ("backend", "protocol"),
    [("model:quad", "baseline"), ("model:tiny", "baseline"), ("model:quad", "halcone-weak")],
)
@pytest.mark.parametrize(("how", "rule"), [("relaxed", never_when_relaxed), ("weak", never_in_any_map)])
def test_riscv(backend, protocol, how, rule):
    tests = results(THIRD_PARTY / "riscv", "-b", backend, "--protocol", protocol, "--map", how)
    assert len(tests) == len(RISCV) > 100
    assert not_skipped(tests) >= 0.9
    assert shown(tests, rule) == []


@pytest.mark.parametrize("protocol", ["baseline", "halcone-weak", "halcone-causal", "halcone-renew"])
def test_ptx(protocol):
    table = THIRD_PARTY / "ptx" / "expected.csv"
    tests = results(THIRD_PARTY / "ptx", "-b", "model:quad", "--protocol", protocol, "--expected", table)
    assert len(tests) == len(PTX) > 30
    assert not_skipped(tests) >= 0.9
    assert all(test["expected"] in (0, 1) for test in tests)
    assert not any(test["contradicts"] for test in tests)


def test_the_rules_choose():
    """Many files, not all of them, and none that may show its result."""
    relaxed = {path.stem for path in RISCV if never_when_relaxed(path)}
    assert 40 <= len(relaxed) < len(RISCV)
    assert {"CoRR", "MP+fence.rw.rw+addr", "2+2W+poss", "LB+[fr-rf]-fence.r.rw+ctrl"} - relaxed == {
        "LB+[fr-rf]-fence.r.rw+ctrl"  # three threads, of which a dependency joins one
    }
    assert not relaxed & {"2+2W", "MP+po+ctrl", "WRC+ctrl+ctrlfencei", "SB+pos-po-addrs", "R+fence.rw.rw+po"}


def test_without_coherence_the_rules_are_broken():
    outcome = litmus(THIRD_PARTY / "riscv", "-b", "model:quad", "--protocol", "none", "--runs", 300)
    assert len(shown(outcome.json["tests"], never_when_relaxed)) >= 3
