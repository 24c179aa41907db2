# SPDX-License-Identifier: Apache-2.0
"""Coverage: the reader of Verilator's counts, what is made of them, and the kept report, never stale.

`make coverage` measures; here only small files made for the purpose are read."""

import json
import pathlib
import shutil
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE)]
import kept  # noqa: E402
import points  # noqa: E402
import reasons  # noqa: E402
import summary  # noqa: E402

MODULE = """module small (input logic a_i, output logic b_o);
  always_comb begin
    b_o = 1'b0;
    if (a_i) b_o = 1'b1;
    else     b_o = 1'b0;
  end
endmodule
"""
TEXT = {4: "if (a_i) b_o = 1'b1;", 5: "else     b_o = 1'b0;"}


def row(kind, line, count, what="block", lines="", column=1, file="/any/where/small.sv"):
    keys = {"f": file, "l": line, "n": column, "t": kind, "page": f"v_{kind}/small", "o": what, "S": lines}
    text = "".join(f"\1{key}\2{value}" for key, value in (keys | {"h": "top.small"}).items() if value != "")
    return f"C '{text}' {count}\n"


def data(*rows):
    return "".join(["# SystemC::Coverage-3\n", *rows])


def written(tmp_path, text, name="a.dat"):
    path = tmp_path / name
    path.write_text(text)
    return path


def counts_of(tmp_path, *files):
    counts = points.Counts()
    for number, text in enumerate(files):
        counts.read(written(tmp_path, text, f"{number}.dat"))
    return counts


ALWAYS = row("line", 2, 7, lines="2-3")
THEN, ELSE = row("branch", 4, 0, "if", "4"), row("branch", 4, 7, "else", "5", column=2)
TOGGLES = row("toggle", 1, 3, "a_i:0->1") + row("toggle", 1, 0, "a_i:1->0")


def small_tree(tmp_path):
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl" / "small.sv").write_text(MODULE)
    return tmp_path


# ---------------------------------------------------------------- the reader


def test_counts_add_up_over_files_and_instances(tmp_path):
    elsewhere = row("branch", 4, 5, "if", "4", file="/other/build/small.sv")
    counts = counts_of(tmp_path, data(ALWAYS, THEN), data(ALWAYS, elsewhere))
    assert counts.count[points.Point("small.sv", 4, 1, "branch", "if")] == 5
    assert counts.count[points.Point("small.sv", 2, 1, "line", "block")] == 14


def test_ranges():
    assert points.lines_of("2-4,9,11-11") == {2, 3, 4, 9, 11}
    assert points.lines_of("") == set()


@pytest.mark.parametrize(
    "text, says",
    [
        ("", "not written by Verilator"),
        ("some text\n", "not written by Verilator"),
        (data(), "has no points"),
        (data(ALWAYS)[:-5], "cut short"),
        (data(ALWAYS, "C 'no keys' 3\n"), ":3: no point"),
        (data(ALWAYS, row("line", "x", 1)), ":3: no point"),
        (data(row("line", 2, "many")), ":2: no point"),
        (data(row("rumour", 2, 1)), ":2: no point"),
        (data(row("line", 2, 1, lines="2-")), ":2: no point"),
        (data(ALWAYS, "D something else\n"), ":3: no point"),
    ],
)
def test_a_malformed_file_is_refused_and_adds_nothing(tmp_path, text, says):
    counts = points.Counts()
    with pytest.raises(points.Malformed, match=says) as error:
        counts.read(written(tmp_path, text))
    assert "make coverage" in str(error.value), "the cure is named"
    assert not counts.count


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "a.dat"
    path.write_bytes(b"# SystemC::Coverage-3\nC '\1f\2\xff\xfe' 1\n")
    with pytest.raises(points.Malformed):
        points.Counts().read(path)


# ---------------------------------------------------------------- what is made of it


def test_lines_branches_and_toggles(tmp_path):
    counts = counts_of(tmp_path, data(ALWAYS, THEN, ELSE, TOGGLES))
    source = summary.sources(small_tree(tmp_path), counts)["small.sv"]
    assert source.missed() == [(4, TEXT[4])]
    wanted = {"lines": 4, "executed": 3, "explained": 0, "branches": 2, "taken": 1}
    assert source.figures(0) == wanted | {"toggles": 2, "toggled": 1}
    listing = list(source.listing())
    assert listing[3].split()[0] == "#####" and listing[4].split()[0] == "7"


def test_a_line_needs_all_of_its_parts(tmp_path):
    sides = row("branch", 5, 4, "cond_then", "5", 3), row("branch", 5, 0, "cond_else", "5", 4)
    counts = counts_of(tmp_path, data(ALWAYS, ELSE, *sides))
    assert summary.sources(small_tree(tmp_path), counts)["small.sv"].missed() == [(5, TEXT[5])]


def judged(tmp_path, why, *rows):
    sources = summary.sources(small_tree(tmp_path), counts_of(tmp_path, data(*rows)))
    return reasons.judge(sources, why)


def test_a_line_without_a_reason_is_wrong(tmp_path):
    wrong, _ = judged(tmp_path, [], ALWAYS, THEN, ELSE)
    assert wrong == [f"small.sv:4: never executed, and no reason given: {TEXT[4]}"]


def test_a_line_with_a_reason_is_right(tmp_path):
    assert judged(tmp_path, [("small.sv", TEXT[4], "why")], ALWAYS, THEN, ELSE) == ([], {"small.sv": 1})


@pytest.mark.parametrize("text", [TEXT[5], "a line that is gone;"])
def test_a_reason_for_nothing_is_wrong(tmp_path, text):
    why = [("small.sv", TEXT[4], "why"), ("small.sv", text, "why")]
    wrong, _ = judged(tmp_path, why, ALWAYS, THEN, ELSE)
    assert len(wrong) == 1 and "executed or gone" in wrong[0] and text in wrong[0]


def test_one_reason_explains_one_line(tmp_path):
    twice = row("branch", 4, 0, "if", "4-5")
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl" / "small.sv").write_text(MODULE.replace(TEXT[5], TEXT[4]))
    sources = summary.sources(tmp_path, counts_of(tmp_path, data(twice)))
    assert reasons.judge(sources, [("small.sv", TEXT[4], "why")])[0]
    assert not reasons.judge(sources, [("small.sv", TEXT[4], "why")] * 2)[0]


def test_a_file_that_no_test_reaches_is_wrong(tmp_path):
    wrong, _ = judged(tmp_path, [], row("line", 2, 1, file="other.sv"))
    assert wrong == ["small.sv: no test reaches it at all"]


@pytest.mark.parametrize(
    "text", ["[[reason]]\nfile = 'x'\n", "[[reason]]\nfile='x'\nwhy=' '\nlines=['y']\n", "["]
)
def test_reasons_that_cannot_be_used(tmp_path, text):
    with pytest.raises(reasons.Wrong):
        reasons.load(written(tmp_path, text, "reasons.toml"))


# ---------------------------------------------------------------- what is kept


@pytest.fixture
def tree(tmp_path):
    """A copy of all that the kept report depends on."""
    for name in ("rtl", "tests/baseline"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / kept.PAGE, tmp_path / kept.PAGE)
    return tmp_path


def test_the_kept_report_is_of_these_sources():
    assert kept.complaint(ROOT) is None


def test_a_copy_is_as_good(tree):
    assert kept.complaint(tree) == kept.complaint(ROOT)


@pytest.mark.parametrize(
    "path, text",
    [
        ("rtl/cache/l1.sv", "module other; endmodule\n"),
        ("rtl/cache/l1.sv", "// verilator coverage_off\n"),
        ("rtl/config/configs.toml", "# changed\n"),
        (kept.REASONS, "# changed\n"),
    ],
)
def test_a_stale_report_is_noticed(tree, path, text):
    with (tree / path).open("a") as file:
        file.write(text)
    assert "stale" in kept.complaint(tree)


def test_a_comment_makes_nothing_stale(tree):
    with (tree / "rtl" / "cache" / "l1.sv").open("a") as file:
        file.write("\n// What a line of words\n/* or two\n   of them */\n")
    assert kept.digest(tree) == kept.digest(ROOT)


def test_a_new_source_makes_it_stale(tree):
    (tree / "rtl" / "home" / "other.sv").write_text(MODULE)
    assert "stale" in kept.complaint(tree)


def test_lines_that_are_left_are_noticed(tree):
    report = json.loads((tree / kept.REPORT).read_text())
    report["provenance"]["hash"] = kept.digest(tree)
    next(iter(report["files"].values()))["executed"] -= 1
    (tree / kept.REPORT).write_text(json.dumps(report))
    assert "neither executed nor explained" in kept.complaint(tree)


def test_a_page_that_says_something_else_is_noticed(tree):
    report = json.loads((tree / kept.REPORT).read_text())
    report["provenance"]["hash"] = kept.digest(tree)
    (tree / kept.REPORT).write_text(json.dumps(report))
    (tree / kept.PAGE).write_text("nothing\n")
    assert kept.PAGE in kept.complaint(tree)


def test_a_report_that_cannot_be_read_is_noticed(tree):
    (tree / kept.REPORT).write_text("{")
    assert "cannot be read" in kept.complaint(tree)
