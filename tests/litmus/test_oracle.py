# SPDX-License-Identifier: Apache-2.0
"""The oracle of sequential consistency in `weft litmus`: flat memory shows nothing else, the fabric without
fences does and is told so, and what cannot be judged is said."""

import pytest
from shapes import OWN, THIRD_PARTY, litmus
from support.weft import SEED

RUNS = ["--runs", 300, "--seed", SEED]


def shapes(*names):
    return [OWN / f"{name}.litmus" for name in names]


@pytest.mark.parametrize("folder", [OWN, THIRD_PARTY], ids=["own", "third-party"])
def test_flat_memory_is_sequentially_consistent(folder):
    if not folder.is_dir():
        pytest.skip("no ../shared/data/litmus beside the project")
    outcome = litmus(folder, "-b", "null:quad", "--oracle", "sc", "--runs", 20)
    assert outcome.code in (0, 1), outcome.err  # a `~exists` of the others' may be violated
    summary = outcome.json["summary"]
    assert (summary["outside"], summary["unjudged"]) == (0, 0)
    for test in outcome.json["tests"]:
        if test["result"] != "skipped":
            assert test["oracle"]["result"] == "inside", test["name"]
            assert test["oracle"]["allowed"] >= len(test["states"])


@pytest.mark.parametrize("protocol", ["none", "baseline"])
@pytest.mark.parametrize("mapped", ["relaxed", "weak"])
@pytest.mark.parametrize("name", ["SB", "MP", "IRIW", "2+2W"])
def test_without_fences_the_fabric_is_weaker(name, protocol, mapped):
    for attempt in range(10):
        outcome = litmus(
            *shapes(f"riscv/{name}"),
            *("-b", "model:quad", "--protocol", protocol, "--map", mapped, "--oracle", "sc"),
            *("--runs", 1000, "--seed", SEED + attempt),
        )
        test = outcome.json["tests"][0]
        # These have one state that is not sequentially consistent, and it is the one that they ask for.
        assert len(test["oracle"]["outside"]) == (test["result"] == "seen")
        assert test["oracle"]["result"] == ("outside" if test["result"] == "seen" else "inside")
        assert outcome.code == (test["result"] == "seen")
        if outcome.code:
            assert test["oracle"]["outside"][0] in test["states"]
            assert outcome.json["summary"]["outside"] == 1
            return
    pytest.fail("never seen")


def test_with_fences_it_is_not():
    names = [f"riscv/{name}+fence.rw.rws" for name in ("SB", "MP", "LB", "S", "R", "2+2W", "IRIW", "WRC")]
    outcome = litmus(*shapes(*names), "-b", "model:quad", "--oracle", "sc", *RUNS)
    assert outcome.code == 0, outcome.out
    assert outcome.json["summary"]["outside"] == 0


def test_nobody_is_asked_unless_it_is_promised():
    outcome = litmus(*shapes("riscv/SB"), "-b", "model:quad", *RUNS)
    assert outcome.code == 0
    assert outcome.json["oracle"] == "auto"
    assert outcome.json["tests"][0]["oracle"] is None
    assert outcome.json["map"] == "relaxed"


def test_what_is_too_large_is_said(tmp_path):
    path = tmp_path / "counts.litmus"
    path.write_text(
        "PTX counts\n{ x=0; }\n P0 | P1 ;\n LC00: | LC00: ;\n atom.add r1, x, 1 | atom.add r1, x, 3 ;\n"
        " add r2, r2, 1 | add r2, r2, 1 ;\n blt r2, 900, LC00 | blt r2, 900, LC00 ;\nexists (x == 0)\n"
    )
    outcome = litmus(path, "-b", "null:quad", "--oracle", "sc", "--runs", 1)
    test = outcome.json["tests"][0]
    assert outcome.code == 0
    assert test["oracle"]["result"] == "unjudged"
    assert test["oracle"]["reason"].startswith("too large")
    assert outcome.json["summary"]["unjudged"] == 1
