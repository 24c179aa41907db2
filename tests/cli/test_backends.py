# SPDX-License-Identifier: Apache-2.0
"""The tool and shared objects: the right one, a wrong one, none; back-ends that fail in the middle of a run.

The shared object is fake_rtl.c, built here, except where it must be missing."""

import json
import os
import pathlib
import pty
import re
import shutil
import subprocess

import golden
import pytest

TOOL = golden.BUILD / "weft"
HERE = pathlib.Path(__file__).resolve().parent


def weft(*words, tool=TOOL, cwd=None, **variables):
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C",
        **{k: str(v) for k, v in variables.items()},
    }
    return subprocess.run(
        [str(tool), *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def hash_of(config):
    return json.loads(weft("config", config, "--json").stdout)["provenance"]["hash"]


def build_fake(folder, config="tiny", abi="WEFT_BACKEND_ABI", name=None, digest=None):
    """folder/CONFIG/libweft-rtl.so, which says that it is `name` with `digest`."""
    target = folder / config / "libweft-rtl.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            os.environ.get("CC", "cc"),
            "-shared",
            "-fPIC",
            f"-I{golden.ROOT / 'sw' / 'lib'}",
            f"-I{golden.BUILD / 'gen' / 'c'}",
            f"-DFAKE_ABI={abi}",
            f'-DFAKE_CONFIG="{name or config}"',
            f'-DFAKE_HASH="{digest or hash_of(config)}"',
            str(HERE / "fake_rtl.c"),
            "-o",
            str(target),
        ],
        check=True,
    )
    return folder


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    return build_fake(tmp_path_factory.mktemp("rtl"))


def run_fake(fake, mode, *words):
    return weft(
        "run",
        "vecadd",
        "-b",
        "rtl:tiny",
        "--json",
        *words,
        WEFT_RTL_PATH=fake,
        FAKE_MODE=mode,
    )


def assert_short(result, code, *parts):
    assert result.returncode == code, result.stderr
    assert len(result.stderr.splitlines()) <= 3
    for part in parts:
        assert part in result.stderr


# ---------------------------------------------------------------- which shared object


def test_the_path_is_a_list(fake):
    result = weft("info", "-b", "rtl:tiny", "--json", WEFT_RTL_PATH=f"/nowhere:{fake}")
    info = json.loads(result.stdout)
    assert info["hash"] == hash_of("tiny")
    assert info["lockstep"] is True
    assert info["any_parameters"] is False


def test_other_abi(tmp_path):
    path = build_fake(tmp_path, abi=99)
    assert_short(
        weft("info", "-b", "rtl:tiny", WEFT_RTL_PATH=path),
        3,
        "ABI 99",
        "has 3",
        "make rtl-tiny",
    )


def test_other_configuration(tmp_path):
    path = build_fake(tmp_path, name="quad")
    assert_short(
        weft("info", "-b", "rtl:tiny", WEFT_RTL_PATH=path),
        3,
        "'quad'",
        "'tiny'",
        "make rtl-tiny",
    )


def test_other_sources(tmp_path):
    path = build_fake(tmp_path, digest="0123456789abcdef" * 4)
    result = weft("info", "-b", "rtl:tiny", WEFT_RTL_PATH=path)
    assert_short(result, 3, "0123456789abcdef", hash_of("tiny")[:16], "make build/weft rtl-tiny")


def test_no_back_end_at_all(tmp_path):
    target = tmp_path / "tiny" / "libweft-rtl.so"
    target.parent.mkdir()
    source = tmp_path / "empty.c"
    source.write_text("int weft_nothing;\n")
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(target)], check=True)
    assert_short(
        weft("info", "-b", "rtl:tiny", WEFT_RTL_PATH=tmp_path),
        3,
        "no Weft back-end",
        "make rtl-tiny",
    )
    target.write_text("this is not a shared object\n")
    assert_short(
        weft("info", "-b", "rtl:tiny", WEFT_RTL_PATH=tmp_path),
        3,
        "cannot load",
        "make rtl-tiny",
    )


# ---------------------------------------------------------------- none yet


def test_not_built_and_no_sources(tmp_path):
    tool = shutil.copy(TOOL, tmp_path / "weft")
    result = weft("run", "vecadd", "-b", "rtl:tiny", tool=tool, cwd=tmp_path, PATH=tmp_path)
    assert_short(result, 4, "rtl:tiny is not built", "make rtl-tiny", "WEFT_RTL_PATH", "model:")


def make_tree(tmp_path, recipe):
    """A source tree whose only skill is to build rtl-tiny by this recipe."""
    (tmp_path / "rtl" / "config").mkdir(parents=True)
    (tmp_path / "rtl" / "config" / "configs.toml").write_text("")
    (tmp_path / "Makefile").write_text(f"rtl-tiny:\n\t@{recipe}\n")
    (tmp_path / "build").mkdir()
    return shutil.copy(TOOL, tmp_path / "build" / "weft")


def test_built_on_first_use(tmp_path, fake):
    recipe = (
        f"echo compiling; mkdir -p build/rtl/tiny; cp {fake}/tiny/libweft-rtl.so build/rtl/tiny; date > built"
    )
    tool = make_tree(tmp_path, recipe)
    first = weft("info", "-b", "rtl:tiny", tool=tool, cwd="/")
    assert first.returncode == 0, first.stderr
    assert first.stderr == ""
    built = (tmp_path / "built").stat().st_mtime_ns
    assert weft("info", "-b", "rtl:tiny", tool=tool, cwd="/").returncode == 0
    assert (tmp_path / "built").stat().st_mtime_ns == built


def test_building_fails(tmp_path):
    tool = make_tree(tmp_path, "echo the compiler is ill >&2; exit 1")
    result = weft("info", "-b", "rtl:tiny", tool=tool, cwd="/")
    assert_short(result, 3, "building rtl:tiny failed", f"make -C {tmp_path} rtl-tiny")


def test_building_leaves_nothing(tmp_path):
    tool = make_tree(tmp_path, "true")
    assert_short(weft("info", "-b", "rtl:tiny", tool=tool, cwd="/"), 3, "is not there")


def test_nothing_is_built_for_wrong_use(tmp_path):
    tool = make_tree(tmp_path, "touch built")
    for words in (
        ["--protocol", "nix"],
        ["--set", "l2.ways=4"],
        ["--fault", "nix"],
        ["--placement", "nix"],
    ):
        assert weft("run", "vecadd", "-b", "rtl:tiny", *words, tool=tool, cwd="/").returncode == 2
    assert not (tmp_path / "built").exists()


def test_waves_are_a_build_of_their_own(fake, tmp_path):
    rtl = build_fake(tmp_path / "rtl")
    (rtl / "tiny").rename(rtl / "tiny-wave")
    wave = tmp_path / "out.fst"
    words = ["run", "vecadd", "-b", "rtl:tiny", "--wave", str(wave)]
    assert weft(*words, WEFT_RTL_PATH=rtl).returncode == 1  # the fake's answers are all wrong
    assert wave.exists()
    wave.write_text("earlier\n")
    assert weft(*words, WEFT_RTL_PATH=rtl, FAKE_MODE="fail").returncode == 3
    assert wave.read_text() == "earlier\n"
    files = sorted(path.name for path in tmp_path.iterdir() if path.is_file())
    assert files == ["out.fst", "out.gtkw", "out.sucl"]


def test_parameters_of_the_host_can_be_set(fake):
    for setting in ("page=1024", "compute.launch=0", "warps=1", "outstanding=1"):
        result = weft("info", "-b", "rtl:tiny", "--set", setting, WEFT_RTL_PATH=fake)
        assert result.returncode == 0, result.stderr
    assert_short(
        weft("info", "-b", "rtl:tiny", "--set", "warps=4", WEFT_RTL_PATH=fake),
        2,
        "warps=4",
        "warps=2",
    )


# ---------------------------------------------------------------- failures in the middle of a run


def test_stuck(fake):
    result = run_fake(fake, "stuck", "--patience", "500")
    report = json.loads(result.stdout)
    assert result.returncode == 1
    assert report["verified"] is False
    assert report["error"]["code"] == "WEFT_STUCK"
    assert result.stderr.startswith("weft: no progress for 500 cycles, at cycle ")
    for text in (result.stderr, report["waits"]):
        assert re.search(
            r"^node \d cu \d warp \d: load weak.cta of \d+ bytes at 0x[0-9a-f]+ \(home node \d, "
            r"offset 0x[0-9a-f]+\), waiting for \d+ cycles$",
            text,
            re.MULTILINE,
        )
        assert "0 of 8 warps have ended" in text
        assert "fake: " in text


def test_mismatch(fake):
    result = run_fake(fake, "mismatch")
    report = json.loads(result.stdout)
    assert_short(result, 1, "RTL 1, model 2", "the command")
    assert report["lockstep"] is False
    assert report["verified"] is False
    assert report["error"]["code"] == "WEFT_MISMATCH"


def test_mismatch_at_the_end(fake):
    report = json.loads(run_fake(fake, "settle").stdout)
    assert report["lockstep"] is False
    assert report["verified"] is False


def test_answers_that_are_wrong(fake):
    result = run_fake(fake, "")
    report = json.loads(result.stdout)
    assert_short(result, 1, "differ from the plain run")
    assert report["lockstep"] is True
    assert report["verified"] is False
    assert json.loads(run_fake(fake, "", "--no-lockstep").stdout)["lockstep"] is False


@pytest.mark.parametrize(
    ("mode", "part"),
    [
        ("fail", "the device is gone"),
        ("unknown", "unknown result 77"),
        ("lose", "were lost"),
        ("stray", "nobody asked for"),
        ("error", "answered with an error"),
    ],
)
def test_failures_of_the_back_end(fake, mode, part):
    result = run_fake(fake, mode)
    assert_short(result, 3, part)
    assert result.stdout == ""


def test_refused(fake):
    assert_short(run_fake(fake, "refuse"), 2, "because it was told to")


def test_a_failed_run_leaves_earlier_output(fake, tmp_path):
    out = tmp_path / "out.json"
    out.write_text("earlier\n")
    result = run_fake(fake, "fail", "--output", str(out), "--trace-out", str(tmp_path / "t.txt"))
    assert result.returncode == 3
    assert out.read_text() == "earlier\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json"]


# ---------------------------------------------------------------- what scripts rely on


def test_keys_of_run():
    report = json.loads(
        weft("run", "mix", "-b", "model:tiny", "--size", "400", "--seed", "5", "--json").stdout
    )
    keys = (
        "workload backend config protocol nodes seed cycles operations bytes verified lockstep wall_seconds"
    )
    assert {*keys.split(), "counters"} <= set(report)
    assert set(report["provenance"]) == {"version", "hash", "tools", "command"}
    assert report["verified"] is True
    assert report["lockstep"] is False
    assert report["seed"] == 5
    assert isinstance(report["wall_seconds"], float)
    counters = report["counters"]
    assert counters["total.l1.loads"] == sum(
        v for k, v in counters.items() if re.match(r"node\d\.cu\d\.l1\.loads", k)
    )


def test_keys_of_the_others():
    listed = json.loads(weft("list", "--json").stdout)
    assert {"backends", "configs", "workloads", "protocols", "boards"} <= set(listed)
    assert "quad" in listed["configs"]
    assert "model" in listed["backends"]
    info = json.loads(weft("info", "-b", "model:quad", "--nodes", "2", "--json").stdout)
    assert {"config", "abi", "hash", "nodes", "cus", "protocols", "counters"} <= set(info)
    assert info["nodes"] == 2
    config = json.loads(weft("config", "quad", "--storage", "--json").stdout)
    assert config["l2.ways"] == 8
    keys = {"entry_lines", "entry_bits", "entries", "total_bytes"}
    keys |= {"built_entry_bits", "built_total_bytes", "ram_entry_bits", "ram_total_bytes"}
    assert set(config["directory"]) == keys


def test_the_command_can_be_repeated(tmp_path):
    name = "a name with 'quotes'.json"
    first = weft("run", "vecadd", "-b", "null:tiny", "--output", name, cwd=tmp_path)
    assert first.returncode == 0
    report = json.loads((tmp_path / name).read_text())
    (tmp_path / name).unlink()
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "weft").symlink_to(TOOL)
    path = f"{folder}:{os.environ['PATH']}"
    subprocess.run(
        ["sh", "-c", report["provenance"]["command"]],
        cwd=tmp_path,
        env={"PATH": path},
        check=True,
    )
    again = json.loads((tmp_path / name).read_text())
    del report["wall_seconds"], again["wall_seconds"]
    assert again == report


def test_progress_only_on_a_terminal():
    words = [str(TOOL), "run", "mix", "-b", "model:tiny", "--json"]
    ours, theirs = pty.openpty()
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=theirs, timeout=120, check=True)
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the other end is closed, and all was read
        pass
    os.close(ours)
    assert b"running: cycle" in shown
    assert shown.endswith(b"\x1b[K")  # and wiped away at the end
    json.loads(result.stdout)
    assert subprocess.run(words, capture_output=True, timeout=120, check=True).stderr == b""


def test_without_coherence():
    result = weft("run", "mix", "-b", "model:quad", "--protocol", "none", "--json")
    assert_short(result, 1, "saw something else than the plain run", "the first: node")
    assert json.loads(result.stdout)["verified"] is False
