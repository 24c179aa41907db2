# SPDX-License-Identifier: Apache-2.0
"""No kept figure has changed; and slower machines, made slow on purpose, are noticed."""

import json
import os
import pathlib
import subprocess
import sys

import figures
import pytest
from support.bench import Mismatch
from support.figures import figure

KEPT = figures.load()
UNITS = {figures.unit_name(path): path for path in figures.units.sources()}
PAGERANK = ("model:quad", "pagerank", figures.LARGER["pagerank"])


def assert_as_kept(measured):
    wrong = figures.complaints(KEPT["figures"], measured)
    assert not wrong, "\n".join(wrong)


# ---------------------------------------------------------------- the figures


@pytest.mark.parametrize("case", figures.WORKLOADS, ids=lambda case: figures.workload_name(*case))
def test_workload(case):
    assert_as_kept({figures.workload_name(*case): figures.of_workload(*case)})


def unit_of(name):
    return name.partition(":")[0]


@pytest.mark.parametrize("name", UNITS)
def test_unit(name):
    measured = figures.of_unit(UNITS[name])
    assert_as_kept(measured)
    mine = {unit_of(figure) for figure in measured}
    assert {figure for figure in KEPT["figures"] if unit_of(figure) in mine} == set(measured)


def test_nothing_is_kept_that_is_not_measured():
    workloads = {figures.workload_name(*case) for case in figures.WORKLOADS}
    texts = " ".join(path.read_text() for path in UNITS.values())
    for name in KEPT["figures"]:
        assert name in workloads or f'figure("{unit_of(name)}"' in texts


def test_every_change_has_its_reason():
    """The figures are what the changes, each with its reason, have made of them: none was altered by hand."""
    assert all(change["reason"].strip() for change in KEPT["changes"])
    flat = {f"{name}: {key}": value for name, row in KEPT["figures"].items() for key, value in row.items()}
    assert figures.by_changes(KEPT["changes"]) == flat


def test_figures_and_changes_are_read_as_they_were_written():
    content = {
        "figures": {"a b: c": {"x": 1, "y": 2}},
        "changes": [{"reason": "[1, 2] {}", "changed": {"n": [None, 1]}}],
    }
    text = figures.as_text(content)
    assert json.loads(text) == content
    assert '\n  "a b: c": {"x": 1, "y": 2}\n' in text, "a line for each figure"
    with pytest.raises(ValueError, match="was 1, not 2"):
        figures.by_changes([*content["changes"], {"reason": "by hand", "changed": {"n": [2, 3]}}])


# ---------------------------------------------------------------- broken on purpose


@pytest.mark.parametrize(
    "change, rises",
    [
        ("memory.latency=60", "cycles"),
        ("link.latency=30", "cycles"),
        ("l1.sets=4", "l1_misses"),
        ("l2.sets=2", "l2_misses"),
        ("directory.entries=8", "link_bytes"),
    ],
)
def test_a_slower_machine_is_noticed(change, rises):
    measured = {figures.workload_name(*PAGERANK): figures.of_workload(*PAGERANK, "--set", change)}
    wrong = figures.complaints(KEPT["figures"], measured)
    assert any(f": {rises} has RISEN from" in line for line in wrong), wrong


def test_a_slower_unit_is_noticed():
    """A FIFO of depth 1 is right, and passes an element in every other cycle only."""
    [line] = figures.complaints(KEPT["figures"], figures.of_unit(UNITS["common/test_fifo"], depth=1))
    assert "fifo: elements: cycles_per_1000 has RISEN from 1000 to 2000" in line


def test_a_unit_below_its_requirement_is_noticed():
    """By the figure itself, in whatever test measures it."""
    figure("unit", "just enough", count=50, cycles=100, per_cycle=0.5)
    with pytest.raises(Mismatch, match="49 in 100 cycles, 0.5 per cycle required"):
        figure("unit", "too little", count=49, cycles=100, per_cycle=0.5)


def test_rise_fall_new_and_gone_are_told_apart():
    kept = {"a": {"cycles": 10}, "b": {"cycles": 10}, "c": {"cycles": 10}, "d": {"cycles": 10}}
    measured = {"a": {"cycles": 11}, "b": {"cycles": 9}, "c": {"cycles": 10, "bytes": 3}, "d": {}}
    lines = figures.complaints(kept, measured)
    words = ["RISEN from 10 to 11", "fallen from 10 to 9", "is new, 3", "was 10 and is not measured"]
    assert [word in line for word, line in zip(words, lines, strict=True)] == [True] * 4
    assert all(figures.RENEW in line for line in lines), "each names the command"
    assert not figures.complaints(kept, {"a": {"cycles": 10}})


# ---------------------------------------------------------------- renewing


def test_no_reason_no_figures():
    """Refused before anything is measured or written."""
    before = figures.KEPT.read_bytes()
    command = [sys.executable, str(pathlib.Path(__file__).with_name("baseline.py"))]
    for reason in ("", "  \n"):
        env = {**os.environ, "REASON": reason}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1 and "REASON=" in done.stderr
    assert figures.KEPT.read_bytes() == before


def test_a_change_is_written_down():
    import baseline

    kept = {"figures": {"a": {"cycles": 10}, "old": {"cycles": 5}}, "changes": [{"reason": "the first"}]}
    origin = {"version": "9"}
    assert baseline.renewed(kept, dict(kept["figures"]), "none", origin) is None
    content = baseline.renewed(kept, {"a": {"cycles": 12}, "b": {"cycles": 1}}, "a better bus", origin)
    assert content["figures"] == {"a": {"cycles": 12}, "b": {"cycles": 1}}
    changed = {"a: cycles": [10, 12], "b: cycles": [None, 1], "old: cycles": [5, None]}
    assert content["changes"][-1] == {"version": "9", "reason": "a better bus", "changed": changed}


def test_a_file_that_cannot_be_read(tmp_path):
    path = tmp_path / "figures.json"
    for text in ("{", "[]", json.dumps({"figures": {}})):
        path.write_text(text)
        with pytest.raises(ValueError, match="last commit"):
            figures.load(path)
