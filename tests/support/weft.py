# SPDX-License-Identifier: Apache-2.0
"""Running the tool from a test: what it printed, how it ended, and its JSON."""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD") or ROOT / "build")
LONG = bool(os.environ.get("WEFT_LONG"))
SEED = int(os.environ.get("WEFT_SEED") or 1)
LIMIT_SECONDS = 6 * 3600 if LONG else 600


@dataclasses.dataclass
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


def tool(*arguments, env=None):
    """build/weft with these arguments."""
    command = [str(BUILD / "weft"), *map(str, arguments)]
    if "PYTEST_CURRENT_TEST" in os.environ:  # shown where a test fails; a benchmark's reader has the table
        print("$", " ".join(command), file=sys.stderr)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        cwd=ROOT,
        env={**os.environ, **(env or {})},
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def run(workload, backend, *arguments):
    """`weft run --json` that must end well: right answer, and lock-step agreed where there is one."""
    outcome = tool("run", workload, "-b", backend, "--json", *arguments)
    assert outcome.code == 0, outcome.err
    result = outcome.json
    assert result["verified"] is True
    assert result["lockstep"] is (backend.startswith("rtl:") and "--no-lockstep" not in arguments)
    return result
