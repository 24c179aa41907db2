# SPDX-License-Identifier: Apache-2.0
"""Runs every golden case on the tool as it is shipped, and on the one built with sanitizers."""

import os

import golden
import pytest

CASES = sorted((golden.HERE / "cases").glob("*.txt"))


@pytest.mark.parametrize("tool", ["weft", "weft-sanitize"])
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_case(case, tool, tmp_path):
    program = golden.BUILD / tool
    assert program.exists(), f"{program} is not built"
    expected, seen = golden.run_case(case, program, tmp_path)
    if os.environ.get("WEFT_GOLDEN_UPDATE"):
        case.write_text(golden.write(seen))
        return
    for should, is_ in zip(expected, seen, strict=True):
        assert is_ == should


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_errors_are_short(case):
    """At most three lines, the first of which says who speaks; the list of a stuck run may follow."""
    for step in golden.parse(case.read_text()):
        lines = step.stderr
        if not lines or "stuck" in case.stem:
            continue
        assert lines[0].startswith("weft: ")
        assert len(lines) <= 3
