# SPDX-License-Identifier: Apache-2.0
"""From counts of points to what a reader wants: per source file lines, branches and toggles.

A line counts as executed when every point that lies on it was reached: `x ? a : b` needs both. Branches also
count the else that nobody wrote. A toggle is one bit of one signal in one direction.
"""

import collections
import dataclasses
import re


@dataclasses.dataclass
class Source:
    """Coverage of one file."""

    path: str  # below rtl/
    text: list
    lines: dict = dataclasses.field(default_factory=dict)  # number to smallest count of its points
    branches: list = dataclasses.field(default_factory=list)
    toggles: list = dataclasses.field(default_factory=list)

    def missed(self):
        """(number, text) of the lines of which some part was never executed."""
        return [(n, self.text[n - 1].strip()) for n in sorted(self.lines) if not self.lines[n]]

    def figures(self, explained):
        return {
            "lines": len(self.lines),
            "executed": sum(count > 0 for count in self.lines.values()),
            "explained": explained,
            "branches": len(self.branches),
            "taken": sum(count > 0 for count in self.branches),
            "toggles": len(self.toggles),
            "toggled": sum(count > 0 for count in self.toggles),
        }

    def reached(self):
        return bool(self.lines or self.toggles) or not re.search(r"^\s*module\b", "\n".join(self.text), re.M)

    def listing(self):
        """The source with how often each line was executed; ##### where a part of it never was."""
        for number, text in enumerate(self.text, 1):
            count = self.lines.get(number)
            mark = "" if count is None else str(count) if count else "#####"
            yield f"{mark:>10} {number:>5}  {text}"


def sources(root, counts):
    """A Source for every file below rtl/, by its path there."""
    found = {}
    for path in sorted((root / "rtl").rglob("*.sv")):
        if path.name in found:
            raise ValueError(f"two files are called {path.name}: coverage tells files apart by their names")
        inside = path.relative_to(root / "rtl").as_posix()
        found[path.name] = Source(inside, path.read_text().splitlines())
    for point, count in counts.count.items():
        if point.file in found:
            place(found[point.file], point, counts.lines[point], count)
    return {source.path: source for source in found.values()}


def place(source, point, lines, count):
    if point.kind == "toggle":
        source.toggles.append(count)
        return
    if point.kind == "branch":
        source.branches.append(count)
    for number in lines:
        source.lines[number] = min(count, source.lines.get(number, count))


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def total(figures):
    out = collections.Counter()
    for row in figures.values():
        out.update(row)
    return dict(out)


def rows(figures):
    """(file, lines, executed, explained, branches, toggles) as text, the sum last."""
    for path, row in [*figures.items(), ("all", total(figures))]:
        yield (
            path,
            str(row["lines"]),
            share(row["executed"], row["lines"]),
            str(row["explained"]),
            share(row["taken"], row["branches"]),
            share(row["toggled"], row["toggles"]),
        )
