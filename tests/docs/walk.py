# SPDX-License-Identifier: Apache-2.0
"""A page of docs/ as a list of steps that can be walked in a copy of the tree.

What is a step, and how a page writes it:

    New file `PATH`:       above a fenced block: the block is the file
    In `PATH`:             above a fenced ```diff block: its lines with ' ' and '-' must stand in the file
                           exactly once, in this order; its lines with ' ' and '+' take their place
    ```console             commands after '$ ' and what they print, standard error included

A command must end with exit code 0, unless `$ echo $?` follows with another one. Of its output, a line `...`
stands for any lines. Words must be as written. Numbers may be off by a tenth, since pages should not need a
touch for every cycle that is saved; after ```console varies they may be anything.
"""

import dataclasses
import os
import re
import shutil
import subprocess

NUMBER = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?")
TITLE = re.compile(r"(New file|In) `([^`]+)`:$")
TOLERANCE = 0.10
LIMIT_SECONDS = 1800
CURE = "if that is meant, WEFT_DOCS_UPDATE=1 writes the new numbers into the page"


class Astray(Exception):
    """The page and the tree no longer agree."""


@dataclasses.dataclass
class Write:
    """A new file."""

    path: str
    lines: list
    at: int  # line of the page, from 1

    def go(self, tree):
        target = tree / self.path
        if target.exists():
            raise Astray(f"line {self.at}: {self.path} is there already")
        target.write_text("\n".join(self.lines) + "\n")


@dataclasses.dataclass
class Change:
    """A piece of a file that is replaced."""

    path: str
    lines: list
    at: int

    def go(self, tree):
        target = tree / self.path
        old, new = ([line[1:] for line in self.lines if line[0] in f" {sign}"] for sign in "-+")
        lines = target.read_text().split("\n")
        places = [i for i in range(len(lines)) if lines[i : i + len(old)] == old]
        if len(places) != 1:
            piece = "\n".join(old)
            raise Astray(f"line {self.at}: {self.path} does not hold this piece exactly once:\n{piece}")
        lines[places[0] : places[0] + len(old)] = new
        target.write_text("\n".join(lines))


@dataclasses.dataclass
class Command:
    """What is typed, and what comes back."""

    text: str
    varies: bool
    at: int  # of the command; its output stands behind it
    output: list = dataclasses.field(default_factory=list)
    code: int = 0

    def run(self, tree, env):
        clean = {
            key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "WEFT_", "BUILD"))
        }
        done = subprocess.run(
            ["bash", "-c", self.text],
            cwd=tree,
            env={**clean, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        if done.returncode != self.code:
            tail = "\n".join(done.stdout.splitlines()[-30:])
            raise Astray(
                f"line {self.at}: `{self.text}` ended with {done.returncode}, not {self.code}\n{tail}"
            )
        return done.stdout.splitlines()

    def compare(self, seen):
        """The page's lines with the numbers that were seen; raises if anything else differs."""
        return match(self.output, seen, None if self.varies else TOLERANCE, self.at)


def skeleton(line):
    """A line without its numbers and without regard to how it is spaced."""
    return " ".join(NUMBER.sub(" # ", line).split())


def far_off(wanted, seen, tolerance):
    pairs = zip(NUMBER.findall(wanted), NUMBER.findall(seen))
    return [(a, b) for a, b in pairs if a != b and abs(float_of(a) - float_of(b)) > tolerance * float_of(a)]


def float_of(text):
    return float(int(text, 16)) if text.startswith("0x") else float(text)


def match(wanted, seen, tolerance, at):
    """wanted with each line replaced by the one of `seen` that it describes."""
    fresh, position, anywhere = [], 0, False
    for number, line in enumerate(wanted, at + 1):
        if line == "...":
            anywhere = True
            fresh.append(line)
            continue
        places = [i for i in range(position, len(seen)) if skeleton(seen[i]) == skeleton(line)]
        if not places or (places[0] != position and not anywhere):
            raise Astray(
                f"line {number}: `{line}` did not come back; what did:\n" + "\n".join(seen[position:])
            )
        position, anywhere = places[0] + 1, False
        if tolerance is not None and far_off(line, seen[position - 1], tolerance):
            came = seen[position - 1]
            raise Astray(f"line {number}: the page says\n{line}\nand there came\n{came}\n{CURE}")
        fresh.append(seen[position - 1])
    if position < len(seen) and not anywhere and wanted:
        raise Astray(f"line {at}: more came back than the page says:\n" + "\n".join(seen[position:]))
    return fresh


def steps(page):
    """All steps of a page, in order."""
    found, lines, i = [], page.split("\n"), 0
    while i < len(lines):
        if not lines[i].startswith("```"):
            i += 1
            continue
        end = lines.index("```", i + 1)
        kind, body = lines[i][3:].split(), lines[i + 1 : end]
        title = TITLE.search(lines[i - 1]) or TITLE.search(lines[i - 2])
        if kind[:1] == ["console"]:
            found += commands(body, "varies" in kind, i + 2)
        elif title and title[1] == "New file":
            found.append(Write(title[2], body, i + 1))
        elif title and kind == ["diff"]:
            found.append(Change(title[2], body, i + 1))
        i = end + 1
    return found


def commands(body, varies, first):
    found = []
    for at, line in enumerate(body, first):
        if line == "$ echo $?":
            found[-1].code = None
        elif line.startswith("$ "):
            found.append(Command(line[2:], varies, at))
        elif found[-1].code is None:
            found[-1].code = int(line)
        else:
            found[-1].output.append(line)
    return found


def copy_tree(root, build, target):
    """The sources of the tree, and the environment that was set up for it; nothing that was built."""
    shutil.rmtree(target, ignore_errors=True)
    (target / "build").mkdir(parents=True)
    for name in ("Makefile", "VERSION"):
        shutil.copy2(root / name, target / name)
    for name in ("fpga", "rtl", "sw", "sim", "tests"):
        skip = shutil.ignore_patterns("__pycache__", "corpus")
        shutil.copytree(root / name, target / name, ignore=skip)
    (target / "build" / "venv").symlink_to((build / "venv").resolve())
