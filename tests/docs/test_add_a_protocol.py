# SPDX-License-Identifier: Apache-2.0
"""docs/add-a-protocol.md does what it says: its blocks are applied to a copy of the tree, its commands run
there, and what comes back is what the page shows. WEFT_DOCS_UPDATE=1 writes the numbers that came back into
the page."""

import os
import re

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
