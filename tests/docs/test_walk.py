# SPDX-License-Identifier: Apache-2.0
"""The walker of pages notices every way in which a page and the tree can part."""

import pytest

from docs import walk

FENCE = "```"
PAGE = f"""# A page
New file `greeting`:
{FENCE}text
hello
world
{FENCE}

In `greeting`:

{FENCE}diff
 hello
-world
+tree
{FENCE}

{FENCE}console
$ cat greeting
hello
tree
$ echo 100 cycles; echo more; echo 7 nodes; false
100 cycles
...
$ echo $?
1
{FENCE}
"""


def go(page, tree):
    for step in walk.steps(page):
        if isinstance(step, walk.Command):
            step.compare(step.run(tree, {}))
        else:
            step.go(tree)


def test_a_good_page(tmp_path):
    assert [step.at for step in walk.steps(PAGE)] == [3, 10, 17, 20]
    go(PAGE, tmp_path)
    assert (tmp_path / "greeting").read_text() == "hello\ntree\n"


@pytest.mark.parametrize(
    "old,new,says",
    [
        ("-world", "-moon", "does not hold this piece exactly once"),
        ("hello\ntree\n$", "hello\nforest\n$", "`forest` did not come back"),
        ("hello\ntree\n$", "hello\n$", "more came back"),
        ("tree\n$", "tree\nmoon\n$", "`moon` did not come back"),
        ("echo 100 cycles;", "echo 120 cycles;", "the page says"),
        ("100 cycles\n...", "100 cycles\n7 nodes\n...", "`7 nodes` did not come back"),
        ("\n1\n" + FENCE, "\n0\n" + FENCE, "ended with 1"),
    ],
)
def test_a_page_that_is_wrong(tmp_path, old, new, says):
    assert PAGE.count(old) == 1
    with pytest.raises(walk.Astray, match=says):
        go(PAGE.replace(old, new), tmp_path)


def test_a_piece_that_stands_twice(tmp_path):
    (tmp_path / "f").write_text("a\nb\na\nb\n")
    with pytest.raises(walk.Astray, match="exactly once"):
        walk.Change("f", [" a", "-b", "+c"], 1).go(tmp_path)


def test_a_file_that_is_not_new(tmp_path):
    (tmp_path / "greeting").write_text("")
    with pytest.raises(walk.Astray, match="is there already"):
        go(PAGE, tmp_path)


@pytest.mark.parametrize("seen,varies", [("109 cycles", False), ("3 cycles", True)])
def test_numbers_may_drift_a_little_or_vary(tmp_path, seen, varies):
    page = PAGE.replace("echo 100 cycles;", f"echo {seen};")
    page = page.replace(f"{FENCE}console", f"{FENCE}console varies") if varies else page
    go(page, tmp_path)


def test_what_came_back_takes_the_page_s_place():
    fresh = walk.match(["a 1", "...", "b   2"], ["a 10", "x", "b 20"], None, 1)
    assert fresh == ["a 10", "...", "b 20"]
