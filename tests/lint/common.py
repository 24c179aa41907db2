# SPDX-License-Identifier: Apache-2.0
"""What the linters share: the tree's files, and a check that fails with the tool's own words."""

import functools
import hashlib
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


def check_once(command, inputs, limit=300):
    """As check, but what was found clean is not looked at again until something that matters has changed:
    the command, the tools' versions, or what is in `inputs`, which must be all that the command reads."""
    sha = hashlib.sha256((ROOT / "sw" / "setup" / "requirements-test.txt").read_bytes())
    for word in command:
        sha.update(str(word).encode() + b"\0")
    for path in sorted(inputs):
        sha.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    clean = tools.build_directory() / "lint" / "clean" / sha.hexdigest()
    if not clean.exists():
        check(command, limit)
        clean.parent.mkdir(parents=True, exist_ok=True)
        clean.touch()


def venv(tool):
    return tools.venv() / "bin" / tool
