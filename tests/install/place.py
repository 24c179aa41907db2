# SPDX-License-Identifier: Apache-2.0
"""Installing somewhere below a test's own folder, and using what was installed as a user would."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from weft import BUILD  # noqa: E402

SCRIPT = ROOT / "sw" / "setup" / "install.sh"
VERSION = (ROOT / "VERSION").read_text().strip()


def run(*command, cwd=None, **variables):
    """A command with an environment of its own: nothing of the source tree leads it astray."""
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent"}
    environment |= {name: str(value) for name, value in variables.items()}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd or "/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def script(verb, prefix, before=(), **variables):
    """The script behind `make install` and `make uninstall`; `before` may be a command that runs it."""
    return run(*before, SCRIPT, verb, PREFIX=prefix, **{"BUILD": BUILD, **variables})


def install(prefix, **variables):
    result = script("install", prefix, **variables)
    assert result.returncode == 0, result.stderr
    return prefix


def everything(folder):
    """All that lies below a folder: names, and the contents of files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in sorted(folder.rglob("*"))
    }


def assert_error(result, code, *parts):
    """One clear error of at most three lines."""
    assert result.returncode == code, result.stderr
    lines = result.stderr.splitlines()
    assert lines[0].startswith("weft: ")
    assert len(lines) <= 3, result.stderr
    for part in parts:
        assert part in result.stderr


def weak(*command):
    """Without root's right to write where the permissions say no, should this be root."""
    if os.geteuid() == 0:
        return ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    return list(command)
