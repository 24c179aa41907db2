# SPDX-License-Identifier: Apache-2.0
"""What the linters share: the tree's files, and a check that fails with the tool's own words."""

import functools
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "lint"
sys.path[:0] = [str(ROOT / "sw" / "setup"), str(ROOT / "sim"), str(ROOT / "rtl" / "config")]
import tools  # noqa: E402


@functools.cache
def tracked():
    """Files of the tree: what git tracks, or, in a tree without git, all but build/."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode == 0 and listing.stdout:
        paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if ROOT / "build" not in path.parents]
    return sorted(path for path in paths if path.is_file())


def files(*suffixes, under=""):
    base = str(ROOT / under) + "/" if under else str(ROOT)
    return [path for path in tracked() if path.suffix in suffixes and str(path).startswith(base)]


def name(path):
    return str(path.relative_to(ROOT))


def check(command, limit=300):
    """Runs a linter; what it prints is the failure's message."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env=tools.environment(),
        capture_output=True,
        text=True,
        timeout=limit,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout + done.stderr


def venv(tool):
    return tools.venv() / "bin" / tool
