# SPDX-License-Identifier: Apache-2.0
"""ruff over all Python, shellcheck over all shell."""

import pytest
from common import HERE, ROOT, check, files, name, tracked, venv


@pytest.mark.parametrize("path", files(".py"), ids=name)
def test_ruff(path):
    check([venv("ruff"), "check", "--no-cache", "--config", HERE / "ruff.toml", path])


def shell_scripts():
    found = files(".sh", ".bash")
    for path in tracked():
        if not path.suffix and path.stat().st_size < 100_000:
            with path.open("rb") as file:
                if file.readline().startswith((b"#!/bin/sh", b"#!/usr/bin/env bash", b"#!/bin/bash")):
                    found.append(path)
    return found


@pytest.mark.parametrize("path", shell_scripts(), ids=name)
def test_shellcheck(path):
    check([venv("shellcheck"), path])


def test_ci_runs_make_test():
    assert "make test" in (ROOT / ".ci" / "run").read_text()
