# SPDX-License-Identifier: Apache-2.0
"""Figures from the JSON of a benchmark, made small for the purpose."""

import pathlib
import sys

import pytest
from support.weft import tool

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import figures  # noqa: E402


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    outcome = tool(
        "bench", "rec", "--only", "FIR", "--cache", folder / "cache", "--output", folder / "rec.json"
    )
    assert outcome.code == 0, outcome.err
    outcome = tool(
        "bench", "goodput", "--only", "4,64", "--cache", folder / "cache", "--output", folder / "goodput.json"
    )
    assert outcome.code == 0, outcome.err
    return folder


def test_nothing_to_draw(tmp_path, capfd):
    assert figures.main(tmp_path, tmp_path / "out") == 2
    assert "make bench BENCH=rec" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()


def test_table_has_ours_and_the_papers(measured):
    lines = figures.table(figures.read(measured)["rec"], "speedup")
    assert lines[0] == ["", "baseline", "baseline2x", "hmg", "rec", "ideal"]
    assert lines[1][0] == "FIR" and lines[1][1] == "1.000"
    assert lines[-1] == ["paper's mean", "", "1.073", "1.167", "1.327", "1.369"]


def test_table_of_goodput(measured):
    lines = figures.table(figures.read(measured)["goodput"], "measured")
    assert lines[0] == ["bytes of a store", "4", "64"]
    assert lines[1:3] == [["plain", "0.1429", "0.7273"], ["closed form", "0.1429", "0.7273"]]
    assert [line[0] for line in lines[3::2]] == ["2 B", "3 B", "4 B", "5 B", "6 B"]


def test_table_of_bytes():
    row = {"workload": "JB", "useful": 0.4, "overhead": 0.25, "wasted": 0.35}
    result = {"rows": [{**row, "variant": "plain"}, {**row, "variant": "bulk", "wasted": 0.1}]}
    lines = figures.table(result, "bytes")
    assert lines[0] == ["", "plain", "bulk"] and lines[-1] == ["JB, wasted", "0.350", "0.100"]


def test_page_names_what_is_missing(measured):
    found = figures.read(measured)
    drawn = {(name, value): f"{name}-{value}.svg" for name, value, _ in figures.FIGURES}
    text = figures.page(found, drawn)
    assert "Figure 11" in text and "weft bench rec-nodes" in text and "Not measured yet" in text
    assert found["rec"]["provenance"]["command"] in text


def test_pictures(measured, tmp_path):
    pytest.importorskip("matplotlib", reason="`make figures` installs it")
    assert figures.main(measured, tmp_path) == 0
    pictures = sorted(path.name for path in tmp_path.glob("*.svg"))
    made = [name for name in figures.FIGURES if name[0] in ("rec", "goodput")]
    assert pictures == sorted(f"{name}-{value}.svg" for name, value, _ in made)
    again = (tmp_path / "rec-speedup.svg").read_bytes()
    assert figures.main(measured, tmp_path) == 0
    assert (tmp_path / "rec-speedup.svg").read_bytes() == again


def test_tables_of_xtreme():
    rows = [
        {"workload": "xtreme1", "vector_bytes": kib << 10, "slowdown_percent": slower}
        | {"slowdown_percent_without_launches": 2 * slower}
        for kib, slower in ((12, 10.5), (3, -2.0))
    ]
    pairs = [{**row, "lease_read": read, "lease_write": 5} for row in rows for read in (10, 2)]
    renewed = [{**row, "slowdown_percent": 1.0} for row in rows]
    result = {
        "rows": rows,
        "renewed_rows": renewed,
        "lease_rows": pairs,
        "paper": {"worst": {"xtreme1": 14.3}},
    }
    lines = figures.table(result, "slowdown_percent")
    assert lines[:2] == [["KiB", "3", "12", "paper's worst"], ["xtreme1", "-2.0", "10.5", "14.3"]]
    assert lines[2] == ["xtreme1, without launches", "-4.0", "21.0", ""]
    assert lines[3] == ["xtreme1, renewed", "1.0", "1.0", "14.3"]
    assert lines[4:] == [["xtreme1, renewed, without launches", "-4.0", "21.0", ""]]
    assert figures.table(result, "pairs")[1:] == [["10/5", "4.2"], ["2/5", "4.2"]]


def test_table_of_nodes():
    rows = [
        {"workload": "rl", "variant": name, "scaling": speed}
        for name, speed in (("1 node", 1.0), ("2 nodes", 1.5))
    ]
    told = {"scaling": {"1 node": 1.0, "2 nodes": 1.76}}
    result = {"rows": [], "scaling": {"rows": rows, "means": {"scaling": {"2 nodes": 1.5}}, "paper": told}}
    lines = figures.table(result, "scaling")
    assert lines[1] == ["rl", "1.000", "1.500"] and lines[-1] == ["paper's mean", "1.000", "1.760"]
