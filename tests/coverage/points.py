# SPDX-License-Identifier: Apache-2.0
"""Reads what a Verilated design with --coverage-line --coverage-toggle leaves: one count per point.

A file is `# SystemC::Coverage-3`, then lines `C '\\001f\\002FILE\\001l\\002LINE...' COUNT`. The keys used:
f file, l line, n column, t type (line, branch, toggle), o what it is (if, else, signal[bit]:0->1), S the
source lines that belong to the point (12-14,17). A point of a parametrised module or of several instances is
one point: what counts is the text that somebody wrote.
"""

import dataclasses
import re

HEADER = b"# SystemC::Coverage-3"
POINT = re.compile(rb"^C '(?P<keys>[^']*)' (?P<count>\d+)$")
RANGES = re.compile(r"^\d+(-\d+)?(,\d+(-\d+)?)*$")
KINDS = ("line", "branch", "toggle")


class Malformed(Exception):
    """A file that is no such file, or was cut short; says where and what to do."""


@dataclasses.dataclass(frozen=True)
class Point:
    file: str  # its name alone: sources have different names, and builds copy them
    line: int
    column: int
    kind: str
    what: str


def lines_of(ranges):
    """The numbers in 12-14,17."""
    found = set()
    for item in ranges.split(",") if ranges else ():
        first, _, last = item.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


class Counts:
    """Counts of points, added up over files, and the source lines of each."""

    def __init__(self):
        self.count = {}  # Point to count
        self.lines = {}  # Point to set of line numbers

    def add(self, point, lines, count):
        self.count[point] = self.count.get(point, 0) + count
        self.lines.setdefault(point, set()).update(lines)

    def read(self, path):
        """Adds a file's counts; nothing is added if any of it is malformed."""
        rows = path.read_bytes().split(b"\n")
        if rows[0] != HEADER:
            raise Malformed(f"{path}: not written by Verilator's coverage; remove it and run make coverage")
        if rows[-1] != b"":
            raise Malformed(f"{path}: cut short in its last line; remove it and run make coverage")
        fresh = [parse(path, number, row) for number, row in enumerate(rows[1:-1], 2)]
        if not fresh:
            raise Malformed(f"{path}: has no points; remove it and run make coverage")
        for point, lines, count in fresh:
            self.add(point, lines, count)


def parse(path, number, row):
    """One row as (point, its source lines, count)."""
    match = POINT.match(row)
    try:
        keys = dict(item.split("\2", 1) for item in match["keys"].decode().split("\1")[1:])
        kind, ranges = keys["t"], keys.get("S", "")
        if kind not in KINDS or (ranges and not RANGES.match(ranges)):
            raise ValueError(kind)
        name = keys["f"].rsplit("/", 1)[-1]
        point = Point(name, int(keys["l"]), int(keys["n"]), kind, keys.get("o", ""))
        return point, lines_of(ranges), int(match["count"])
    except (TypeError, KeyError, ValueError) as error:
        raise Malformed(f"{path}:{number}: no point of coverage; remove it and run make coverage") from error
