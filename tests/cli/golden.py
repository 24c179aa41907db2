# SPDX-License-Identifier: Apache-2.0
"""Golden tests of the command line: what is typed, and what comes back, kept in cases/*.txt.

A case is a list of steps, run one after the other in a fresh folder that holds a copy of inputs/:

    $ the command, for a shell
    ? its exit code
    | a line of standard output
    ! a line of standard error

Lines that begin with '#' are comments. Whatever differs from run to run is replaced before comparing: hashes,
seconds, versions of tools. WEFT_GOLDEN_UPDATE=1 writes what came back into the cases instead.
"""

import os
import pathlib
import re
import shutil
import subprocess
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / os.environ.get("BUILD", "build")
TIMEOUT = 120

REPLACEMENTS = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r'("wall_seconds": )[0-9.e+-]+'), r"\1SECONDS"),
    (re.compile(r"(seconds in the back-end +)[0-9.]+"), r"\1SECONDS"),
    (re.compile(r'("(?:compiler|jansson)": )"[^"]*"'), r'\1"VERSION"'),
    (re.compile(r'("version": )"[^"]*"'), r'\1"VERSION"'),
    # New configurations come; what is said about an unknown one stays.
    (re.compile(r"(there is no configuration '\w+'; there are ).*"), r"\1CONFIGS"),
    (re.compile(r"\bweft [0-9]+\.[0-9]+\.[0-9]+[-.a-z0-9]*"), "weft VERSION"),
)


@dataclass
class Step:
    comments: list = field(default_factory=list)
    command: str = ""
    code: int = 0
    stdout: list = field(default_factory=list)
    stderr: list = field(default_factory=list)


def parse(text):
    steps, comments, step = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        kind, rest = line[:1], line[2:]
        if kind == "#" or not line:
            comments.append(line)
        elif kind == "$":
            step = Step(comments, rest)
            steps.append(step)
            comments = []
        elif kind == "?":
            step.code = int(rest)
        elif kind == "|":
            step.stdout.append(rest)
        elif kind == "!":
            step.stderr.append(rest)
        else:
            raise ValueError(f"line {number}: {line!r}")
    return steps


def write(steps):
    lines = []
    for step in steps:
        lines += [*step.comments, f"$ {step.command}", f"? {step.code}"]
        lines += [f"| {line}".rstrip() for line in step.stdout]
        lines += [f"! {line}".rstrip() for line in step.stderr]
    return "\n".join(lines) + "\n"


def normal(text):
    for pattern, replacement in REPLACEMENTS:
        text = pattern.sub(replacement, text)
    return [line.rstrip() for line in text.splitlines()]


def perform(step, folder, tool):
    """Runs one step; returns it as it really was."""
    names = folder.parent / "bin"
    names.mkdir(exist_ok=True)
    link = names / "weft"
    if not link.exists():
        link.symlink_to(tool)
    environment = {
        "PATH": f"{names}:{os.environ['PATH']}",
        "LC_ALL": "C",
        "ASAN_OPTIONS": "abort_on_error=0",
    }
    result = subprocess.run(
        ["sh", "-c", step.command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return Step(
        step.comments,
        step.command,
        result.returncode,
        normal(result.stdout),
        normal(result.stderr),
    )


def run_case(path, tool, tmp_path):
    folder = tmp_path / "work"
    shutil.copytree(HERE / "inputs", folder)
    expected = parse(path.read_text())
    return expected, [perform(step, folder, tool) for step in expected]
