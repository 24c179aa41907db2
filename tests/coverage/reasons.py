# SPDX-License-Identifier: Apache-2.0
"""Why a line is never executed: tests/baseline/coverage-reasons.toml, each line by its text, not its number.

    [[reason]]
    file = "home/directory_baseline.sv"
    why = "..."
    lines = ["default: ;"]

A line without a reason is wrong, and so is a reason whose line is executed or gone. A reason explains one
line: a text that stands twice in the source is listed twice.
"""

import collections
import tomllib


class Wrong(Exception):
    """The file of reasons itself cannot be used."""


def load(path):
    """A list of (file, text of the line, why)."""
    try:
        table = tomllib.loads(path.read_text())
        found = []
        for entry in table.get("reason", []):
            if set(entry) != {"file", "why", "lines"} or not entry["why"].strip() or not entry["lines"]:
                raise ValueError("an entry has file, why and lines, none of them empty")
            found += [(entry["file"], line.strip(), entry["why"]) for line in entry["lines"]]
        return found
    except (OSError, tomllib.TOMLDecodeError, ValueError) as error:
        raise Wrong(f"{path}: {error}") from error


def judge(sources, reasons):
    """What is wrong, as lines to print, and how many missed lines of each file have a reason."""
    wrong, explained = [], dict.fromkeys(sources, 0)
    left = collections.Counter((path, text) for path, text, _ in reasons)
    for path, source in sources.items():
        if not source.reached():
            wrong.append(f"{path}: no test reaches it at all")
        for number, text in source.missed():
            if left[path, text]:
                left[path, text] -= 1
                explained[path] += 1
            else:
                wrong.append(f"{path}:{number}: never executed, and no reason given: {text}")
    for path, text in sorted(left.elements()):
        wrong.append(f"{path}: a reason is given for a line that is executed or gone: {text}")
    return wrong, explained
