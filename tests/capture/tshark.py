# SPDX-License-Identifier: Apache-2.0
"""tshark with our dissector."""

import os
import shutil
import subprocess

import pytest
from support.weft import ROOT

TSHARK = shutil.which("tshark")
LUA = ROOT / "sw" / "tool" / "wireshark" / "weft.lua"
needed = pytest.mark.skipif(not TSHARK, reason="tshark is not installed")


def tshark(path, *words):
    """Its output. No folder of the user's is looked at; a mistake in the dissector is one in the test."""
    environment = {**os.environ, "HOME": str(path.parent), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [TSHARK, "-X", f"lua_script:{LUA}", "-r", str(path), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "lua" not in (done.stdout + done.stderr).lower(), done.stderr
    return done.stdout


def fields(path, *names):
    """A list of {name: [values]} per packet; names are those behind "weft.", or of Wireshark itself."""
    whole = [name if name.startswith(("frame.", "_ws.")) else f"weft.{name}" for name in names]
    words = [word for name in whole for word in ("-e", name)]
    form = ("-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=;")
    rows = []
    for row in tshark(path, *form, *words).splitlines():
        cells = row.split("\t")
        rows.append({name: cell.split(";") if cell else [] for name, cell in zip(names, cells, strict=True)})
    return rows
