# SPDX-License-Identifier: Apache-2.0
"""The runner of the benchmarks, on small ones made for the purpose; `make bench` runs the real ones."""

import json
import os
import time

import bench
import pytest
from support import benchmarks


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "HERE", tmp_path)
    (tmp_path / "good.py").write_text("print('a table')\n")
    return tmp_path


def test_all_or_the_one_that_is_named(folder, capfd):
    (folder / "other.py").write_text("print('another')\n")
    assert bench.main([]) == 0
    text = capfd.readouterr().out
    assert "a table" in text and "another" in text
    assert bench.main(["good"]) == 0
    assert "another" not in capfd.readouterr().out


def test_a_name_that_is_none(folder, capfd):
    assert bench.main(["nonsense"]) == 2
    assert capfd.readouterr().err == "bench: no benchmark nonsense; there are: good\n"


def test_one_that_fails_does_not_stop_the_others(folder, capfd):
    (folder / "bad.py").write_text("raise SystemExit(3)\n")
    assert bench.main([]) == 1
    text = capfd.readouterr()
    assert "a table" in text.out and "bench bad: ended with 3" in text.err


def test_one_that_hangs_is_stopped_with_all_that_it_started(folder, monkeypatch, capfd):
    monkeypatch.setattr(bench, "LIMIT_SECONDS", 2)
    pid = folder / "pid"
    lines = ["import pathlib, subprocess", "child = subprocess.Popen(['sleep', '600'])"]
    lines += [f"pathlib.Path({str(pid)!r}).write_text(str(child.pid))", "child.wait()"]
    (folder / "good.py").write_text("\n".join(lines))
    assert bench.main(["good"]) == 1
    assert "stopped after" in capfd.readouterr().err
    for _ in range(50):
        if not alive(int(pid.read_text())):
            return
        time.sleep(0.1)
    raise AssertionError("what the benchmark started still runs")


def alive(pid):
    """Zombies, which nobody in a container may collect, do not run any more."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_is_written_says_where_it_comes_from(tmp_path, monkeypatch):
    monkeypatch.setattr(benchmarks, "BUILD", tmp_path)
    benchmarks.keep("some", "tiny", {"rows": [1]})
    written = json.loads((tmp_path / "bench" / "some.json").read_text())
    assert written["rows"] == [1]
    assert set(written["provenance"]) == {"version", "hash", "tools", "command"}
    assert written["provenance"]["command"] == "make bench BENCH=some"
    assert len(written["provenance"]["hash"]) == 64
    assert os.listdir(tmp_path / "bench") == ["some.json"]
