# SPDX-License-Identifier: Apache-2.0
"""What registers.py makes of weft.rdl: languages agree, mistakes are refused, nothing is written twice."""

import copy
import ctypes
import importlib.util
import os
import subprocess
import sys

import host_map
import pytest
from host_map import ROOT, generate, registers

ROWS = registers.counters(host_map.TOP)


def run(*arguments):
    command = [sys.executable, str(ROOT / "rtl" / "config" / "registers.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def everything(folder):
    for verb, out in (("rtl", "rtl"), ("c", "c"), ("python", "view.py"), ("html", "html")):
        result = run(verb, folder / out)
        assert result.returncode == 0, result.stderr
    result = run("sv", "quad", "--set", "cus=8", folder / "weft_counters_pkg.sv")
    assert result.returncode == 0, result.stderr
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_same_input_same_output(tmp_path):
    first, second = everything(tmp_path / "a"), everything(tmp_path / "b")
    names = {path.relative_to(tmp_path / "a"): text for path, text in first.items()}
    assert names == {path.relative_to(tmp_path / "b"): text for path, text in second.items()}
    assert {"weft_registers.sv", "weft_counters.h", "weft_registers.h", "index.html", "view.py"} <= {
        path.name for path in first
    }


def test_only_what_changed_is_written(tmp_path):
    files = everything(tmp_path)
    for path in files:
        os.utime(path, (1, 1))
    broken = tmp_path / "c" / "weft_counters.h"
    broken.write_text("something else")
    os.utime(broken, (1, 1))
    assert everything(tmp_path) == files
    assert [path for path in files if path.stat().st_mtime != 1] == [broken]


class Counter(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("total", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("index", ctypes.c_uint),
        ("doc", ctypes.c_char_p),
    ]


def test_c_and_python_have_the_same_counters(tmp_path):
    assert run("c", tmp_path).returncode == 0
    assert run("python", tmp_path / "view.py").returncode == 0
    generate.main(["c", str(tmp_path)])
    library = tmp_path / "counters.so"
    warnings = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
    command = [os.environ.get("CC", "gcc"), *warnings, "-shared", "-fPIC", "-o", library]
    subprocess.run([*command, tmp_path / "weft_counters.c"], check=True)
    subprocess.run([*command[:-2], "-fsyntax-only", "-x", "c", tmp_path / "weft_registers.h"], check=True)
    table = (Counter * len(ROWS)).in_dll(ctypes.CDLL(str(library)), "weft_counter_table")
    found = [(c.name, c.total, registers.KINDS[c.kind].encode(), c.index, c.doc) for c in table]
    spec = importlib.util.spec_from_file_location("view", tmp_path / "view.py")
    view = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(view)
    keys = ("name", "total", "kind", "index", "doc")
    wanted = [[row[key] for key in keys] for row in view.COUNTERS]
    assert found == [tuple(v.encode() if isinstance(v, str) else v for v in row) for row in wanted]
    assert view.counter_count(8) == len(ROWS)
    assert view.counter_address(3, 5) == host_map.counter_address(3, 5)


@pytest.mark.parametrize("cus", [1, 4, 8])
def test_numbers_do_not_depend_on_how_many_cus_there_are(cus):
    text = registers.sv_package("quad", generate.resolve("quad", [f"cus={cus}"]), ROWS)
    for row in ROWS[: registers.split(ROWS)[1][0]["index"]]:
        assert f" Counter{generate.camel(row['total'])} = {row['index']};" in text
    node, cu = map(len, registers.split(ROWS))
    assert f" Count = {node + cu * cus};" in text


def test_units_count_what_the_map_names():
    """The structs with which units count have the counters' names, in the map's order."""
    fields = [name for name, _ in generate.FORMATS["struct"]["l1_count"]["fields"]]
    assert fields == [row["total"].split(".")[1] for row in ROWS if row["cu"] == 0]
    banks = [name for name, _ in generate.FORMATS["struct"]["l2_count"]["fields"]]
    trackers = [name for name, _ in generate.FORMATS["struct"]["dir_count"]["fields"]]
    banks += [name if name.startswith("tsu_") else f"directory_{name}" for name in trackers]
    named = {row["total"].replace(".", "_").removeprefix("l2_") for row in ROWS if row["per_bank"]}
    assert set(banks) == named


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"index": 7}, "without gaps"),
        ({"doc": None}, "no desc"),
        ({"per_cycle": 10000, "per_bank": True}, "more than 16 bits"),
    ],
)
def test_a_mistake_in_the_map_is_refused(change, words):
    rows = copy.deepcopy(ROWS)
    rows[3].update(change)
    with pytest.raises(ValueError, match=words):
        registers.check(rows)


def test_compute_units_stand_last():
    rows = copy.deepcopy(ROWS)
    rows[-1]["cu"] = None
    with pytest.raises(ValueError, match="last"):
        registers.check(rows)


def test_wrong_use_is_one_line():
    result = run("sv", "nosuch", "out.sv")
    assert result.returncode == 2
    assert result.stderr.startswith("registers.py: unknown configuration 'nosuch'")
    assert result.stderr.count("\n") == 1
