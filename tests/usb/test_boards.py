# SPDX-License-Identifier: Apache-2.0
"""The back-end `usb:` and the verbs for boards, as a user types them, on the virtual board."""

import json
import os
import shutil

import pytest
from support import weft
from support.weft import BUILD, LONG

TOOL = str(BUILD / "weft")
SERIAL = "usb:serial=VIRTUAL"
HASTY = SERIAL + ",timeout=1500"

pytestmark = pytest.mark.skipif(
    not (BUILD / "libweft-vboard.so").exists(), reason="the virtual board needs umockdev"
)


def on_board(*words, options=(), config="tiny", **more):
    return weft.tool("vboard", "--config", config, *options, "--", *words, **more)


def board(*words, **more):
    return on_board(TOOL, *words, **more)


def fails(outcome, code, *parts):
    """One clear error of at most three lines, and the right exit code."""
    assert outcome.code == code, outcome.err
    lines = outcome.err.strip().splitlines()
    assert 1 <= len(lines) <= 3, outcome.err
    for part in parts:
        assert part in outcome.err


# ---------------------------------------------------------------- the same as the RTL


RUNS = [
    ("vecadd", "--size", "300"),
    ("mix", "--size", "200", "--protocol", "rec"),
    ("mix", "--size", "150", "--protocol", "halcone-weak", "--seed", "7"),
]


@pytest.mark.parametrize("words", RUNS if LONG else RUNS[:2], ids=lambda words: "-".join(words))
def test_cycles_and_counters_are_those_of_the_rtl(words):
    rtl = weft.run(words[0], "rtl:tiny", "--no-lockstep", *words[1:])
    outcome = board("run", words[0], "-b", SERIAL, "--json", *words[1:])
    assert outcome.code == 0, outcome.err
    here = outcome.json
    assert here["verified"] is True and here["config"] == "tiny"
    for key in ("cycles", "operations", "bytes", "protocol", "nodes"):
        assert here[key] == rtl[key], key
    assert len(here["counters"]) == len(rtl["counters"]) > 100
    assert here["counters"] == rtl["counters"]


def test_free_time_has_the_same_results():
    outcome = board("run", "mix", "--size", "150", "-b", SERIAL, "--timing", "free", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["verified"] is True
    assert outcome.json["operations"] > 150


def test_over_the_serial_line():
    words = ("run", "vecadd", "--size", "32", "-b", SERIAL) if LONG else ("probe", "-b", SERIAL)
    outcome = board(*words, "--json", options=("--front", "uart"))
    assert outcome.code == 0, outcome.err
    assert outcome.json["verified" if LONG else "ok"] is True


# ---------------------------------------------------------------- verbs


def test_list_names_it_without_opening(tmp_path):
    figures = tmp_path / "figures.json"
    found = board("list", "--json", options=("-o", figures)).json["boards"]
    moved = json.loads(figures.read_text())
    assert [moved[f"transfers_{kind}"] for kind in ("in", "out", "control")] == [0, 0, 0]
    assert [(b["serial"], b["chip"], b["front"], b["state"]) for b in found] == [
        ("VIRTUAL", "FT232H", "ft245", "free")
    ]
    assert "VIRTUAL" in board("list").out


@pytest.mark.parametrize("fault, state", [("busy", "busy"), ("permission", "no permission")])
def test_list_says_what_cannot_be_opened_and_does_not_try(tmp_path, fault, state):
    figures = tmp_path / "figures.json"
    options = ("--fault", fault, "-o", figures)
    outcome = board("list", "--json", options=options)
    assert outcome.code == 0, outcome.err
    assert [(b["serial"], b["state"]) for b in outcome.json["boards"]] == [("VIRTUAL", state)]
    moved = json.loads(figures.read_text())
    assert [moved[f"transfers_{kind}"] for kind in ("in", "out", "control")] == [0, 0, 0]
    assert f": {state}\n" in board("list", options=options).out


def test_completion_names_it():
    assert board("--complete", "run", "vecadd", "-b", "usb:").out.startswith("usb:serial=VIRTUAL\t")


def test_probe_and_reset():
    probe = board("probe", "--json")
    assert probe.code == 0, probe.err
    config = weft.tool("config", "tiny", "--json").json
    assert probe.json["ok"] is True and probe.json["config"] == "tiny"
    assert probe.json["hash"] == config["provenance"]["hash"]
    assert probe.json["board"] == SERIAL
    reset = board("reset", "-b", SERIAL, "--json")
    assert (reset.code, reset.json["ok"]) == (0, True)


STEPS = ["loopback", "memory", "counters", "litmus", "throughput"]


def test_selftest():
    outcome = board("selftest", "--quick", "-b", SERIAL, "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["ok"] is True
    assert [step["name"] for step in outcome.json["steps"]] == STEPS
    assert all(step["ok"] for step in outcome.json["steps"])
    figures = outcome.json["steps"][-1]["figures"]
    assert figures["operations_per_second"] > 0 and figures["bytes_down_per_operation"] > 10


@pytest.mark.parametrize(
    "fault, step",
    [
        ("memory_loses_byte", "counters"),
        ("directory_single_sharer", "litmus"),
        ("l2_write_loses_byte", "throughput"),
    ],
)
def test_selftest_finds_what_is_broken(fault, step):
    outcome = board("selftest", "--quick", "-b", SERIAL, "--fault", fault, "--json")
    assert outcome.code == 1
    bad = [each["name"] for each in outcome.json["steps"] if not each["ok"]]
    assert outcome.json["ok"] is False and step in bad


@pytest.mark.parametrize("verb", ["probe", "reset", "selftest"])
def test_what_is_no_board_is_refused_before_it_is_opened(verb):
    for backend in ("model:tiny", "rtl:tiny", "usbx:"):
        outcome = weft.tool(verb, "-b", backend)
        fails(outcome, 2, f"'{backend}' is no board", "usb:[serial=S]", "`weft list`")
        assert not outcome.out
    told = weft.tool(verb, "--help").out
    assert "usb:[serial=S]" in told and "model:" not in told and "rtl:" not in told


def test_top():
    outcome = board("top", "mix", "--size", "30", "--count", "2", "-b", SERIAL, "--json")
    assert outcome.code == 0, outcome.err
    assert (outcome.json["rounds"], outcome.json["ok"]) == (2, True)
    assert outcome.json["counters"]["total.l1.loads"] > 0
    assert "per second" in weft.tool("top", "vecadd", "--size", "100", "-b", "model:tiny").out


# ---------------------------------------------------------------- records


def test_record_and_replay(tmp_path):
    kept = tmp_path / "kept.rec"
    words = ("run", "vecadd", "--size", "100", "--json")
    first = board(*words, "-b", f"record:{kept},{SERIAL}")
    assert first.code == 0, first.err
    again = weft.tool(*words, "-b", f"replay:{kept}")
    assert again.code == 0, again.err
    for key in ("cycles", "counters", "operations", "verified", "config"):
        assert again.json[key] == first.json[key], key
    fails(weft.tool("run", "vecadd", "--size", "101", "-b", f"replay:{kept}"), 3, "something else")
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-3])
    fails(weft.tool(*words, "-b", f"replay:{kept}"), 3, "cut short", "record the run again")
    kept.write_bytes(whole[:700] + bytes([whole[700] ^ 1]) + whole[701:])
    fails(weft.tool(*words, "-b", f"replay:{kept}"), 3, "damaged")
    fails(weft.tool(*words, "-b", f"replay:{tmp_path}/none"), 4, "cannot read")
    fails(board(*words, "-b", f"record:{tmp_path}/no/such,{SERIAL}"), 4, "cannot write")


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    "backend, part",
    [
        ("usb:colour=red", "means nothing"),
        ("usb:depth=0", "1 to 64"),
        ("usb:timeout=x", "milliseconds"),
        ("record:file", "only boards can be recorded"),
        ("record:,usb:", "a file is needed"),
        ("replay:", "a file is needed"),
        ("usbx:", "there is no back-end"),
    ],
)
def test_wrong_words(backend, part):
    fails(weft.tool("run", "vecadd", "-b", backend), 2, part)


def test_wrong_options_leave_the_board_alone(tmp_path):
    figures = tmp_path / "figures.json"
    outcome = board("run", "vecadd", "-b", SERIAL, "--protocol", "nix", options=("-o", figures))
    fails(outcome, 2, "there is no protocol 'nix'")
    assert json.loads(figures.read_text())["transfers_out"] == 0


BAD = [
    ((), "usb:serial=OTHER", 3, ["'OTHER'", "VIRTUAL"]),
    (("--fault", "twin"), "usb:", 3, ["2 boards", "usb:serial=S"]),
    (("--fault", "twin"), SERIAL, 3, ["2 boards", "unplug"]),
    (("--fault", "busy"), SERIAL, 3, ["in use by another program"]),
    (("--fault", "permission"), SERIAL, 4, ["70-weft.rules", "make install"]),
    (("--fault", "mute"), HASTY, 3, ["did not answer for 1500 ms"]),
    (("--fault", "unplug:60"), SERIAL, 3, ["unplugged"]),
    (("--fault", "hang"), HASTY, 3, ["takes no more bytes"]),
    (("--fault", "stuck"), HASTY, 3, ["did not answer"]),
]


@pytest.mark.parametrize("options, backend, code, parts", BAD, ids=lambda value: str(value)[:24])
def test_boards_that_fail(options, backend, code, parts):
    fails(board("run", "vecadd", "--size", "200", "-b", backend, options=options), code, *parts)


def test_a_board_of_other_sources_is_refused_and_both_are_named():
    own = weft.tool("config", "tiny", "--json").json["provenance"]["hash"]
    options = ("--fault", "version")
    outcome = board("run", "vecadd", "-b", SERIAL, options=options)
    assert outcome.code == 3 and own[:16] in outcome.err
    assert "its hash is" in outcome.err and len(outcome.err.splitlines()) <= 4
    probe = board("probe", "--json", options=options)
    assert probe.code == 3 and probe.json["ok"] is False
    assert probe.json["hash"] != own and probe.json["config"] == ""


def test_no_board_at_all():
    outcome = weft.tool("probe", "-b", "usb:serial=NOT-THERE")
    fails(outcome, 3, "board")


@pytest.mark.parametrize("fault", ["short:4", "stall:20"])
def test_what_usb_itself_repairs_changes_nothing(fault):
    """Short packets, and endpoints that halt now and then and are set going again."""
    plain = board("run", "vecadd", "--size", "60", "-b", SERIAL, "--json").json
    spoilt = board("run", "vecadd", "--size", "60", "-b", SERIAL, "--json", options=("--fault", fault))
    assert spoilt.code == 0, spoilt.err
    assert spoilt.json["counters"] == plain["counters"]


def test_a_chip_that_stalls_again_and_again_is_given_up():
    outcome = board("run", "vecadd", "--size", "60", "-b", SERIAL, options=("--fault", "stall:1"))
    fails(outcome, 3, "stalls")


def test_one_transfer_at_a_time_or_many():
    for depth in (1, 32):
        outcome = board("run", "vecadd", "--size", "60", "-b", f"{SERIAL},depth={depth}")
        assert outcome.code == 0, outcome.err


SANITIZED = BUILD / "weft-sanitize"


@pytest.mark.skipif(not SANITIZED.exists(), reason="make build/weft-sanitize")
@pytest.mark.parametrize("fault", ["none", "unplug:60", "stall:3", "lose:900", "insert:900"])
def test_under_the_sanitizers(fault):
    """umockdev's library comes before theirs, which they would refuse."""
    options = () if fault == "none" else ("--fault", fault)
    words = ("run", "vecadd", "--size", "100", "-b", HASTY)
    environment = "ASAN_OPTIONS=verify_asan_link_order=0"
    outcome = on_board("env", environment, str(SANITIZED), *words, options=options)
    assert outcome.code in ((0,) if fault == "none" else (0, 3)), outcome.err
    assert "Sanitizer" not in outcome.err


# ---------------------------------------------------------------- programming

HEAD = b"\xff\x00Part: LFE5U-85F-6CABGA381\x00\xff\xff\xff\xbd\xb3\xff\xff\xff\xff\x3b\x00\x00\x00"
TAIL = b"\x5e\x00\x00\x00\xff\xff\xff\xff"


@pytest.fixture
def loader(tmp_path):
    """An openFPGALoader that writes down how it was called, and ends as the file `code` says."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "openFPGALoader"
    program.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/called\nexit $(cat {tmp_path}/code)\n')
    program.chmod(0o755)
    (tmp_path / "code").write_text("0")
    (tmp_path / "good.bit").write_bytes(HEAD + bytes(500) + TAIL)
    (tmp_path / "other.bit").write_bytes(HEAD.replace(b"85F", b"45F") + bytes(500) + TAIL)
    (tmp_path / "nameless.bit").write_bytes(HEAD.replace(b"Part", b"Note") + bytes(500) + TAIL)
    (tmp_path / "cut.bit").write_bytes(HEAD + bytes(500))
    (tmp_path / "text.bit").write_text("no bitstream at all")
    return tmp_path


def program(folder, file, *more, path=None, options=()):
    env = {"PATH": path or f"{folder}/bin:{os.environ['PATH']}"}
    return board("program", folder / file, *more, options=("--front", "uart", *options), env=env)


def test_program_calls_the_loader(loader):
    outcome = program(loader, "good.bit", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["ok"] is True and outcome.json["part"] == "LFE5U-85F-6CABGA381"
    called = (loader / "called").read_text().split()
    assert called == ["--board", "ulx3s", "--ftdi-serial", "VIRTUAL", f"{loader}/good.bit"]
    assert program(loader, "good.bit", "--flash", "-b", SERIAL).code == 0
    assert "--write-flash" in (loader / "called").read_text()


def test_program_refuses_before_it_touches_anything(loader):
    fails(program(loader, "cut.bit"), 4, "cut short")
    fails(program(loader, "text.bit"), 4, "no bitstream")
    fails(program(loader, "none.bit"), 4, "cannot read")
    fails(program(loader, "good.bit", "-b", "usb:serial=OTHER"), 3, "OTHER")
    fails(program(loader, "good.bit", "-b", "usb:depth=0"), 2, "1 to 64")
    fails(program(loader, "good.bit", "-b", "model:tiny"), 2, "'model:tiny' is no board", "`weft vboard")
    fails(board("program", loader / "good.bit"), 3, "no board to program")  # an FT232H has no JTAG pins
    fails(program(loader, "other.bit"), 3, "is for an LFE5U-45F-6CABGA381", "an LFE5U-85F (ULX3S FPGA 85K")
    assert not (loader / "called").exists()


@pytest.mark.parametrize(
    "fault, code, parts",
    [
        ("busy", 3, ["usb:serial=VIRTUAL: the board is in use by another program"]),
        ("permission", 4, ["no permission", "70-weft.rules", "make install", "plugdev"]),
    ],
)
def test_program_calls_no_loader_for_a_board_that_cannot_be_opened(loader, fault, code, parts):
    fails(program(loader, "good.bit", "--json", options=("--fault", fault)), code, *parts)
    assert not (loader / "called").exists()


def test_program_takes_a_serial_number_up_to_the_comma(loader):
    outcome = program(loader, "good.bit", "--json", "-b", SERIAL + ",depth=4")
    assert outcome.code == 0, outcome.err
    assert outcome.json["board"] == "VIRTUAL"
    assert (loader / "called").read_text().split()[3] == "VIRTUAL"
    nameless = program(loader, "good.bit", "-b", "usb:serial=,depth=4")
    fails(nameless, 2, "serial= means nothing", "`weft list` names")


def test_program_takes_what_does_not_say_its_chip(loader):
    assert program(loader, "nameless.bit").code == 0


def test_program_when_the_loader_fails_or_is_missing(loader):
    (loader / "code").write_text("3")
    fails(program(loader, "good.bit"), 3, "openFPGALoader failed")
    only = loader / "only"
    only.mkdir()
    (only / "sh").symlink_to(shutil.which("sh"))
    fails(program(loader, "good.bit", path=str(only)), 4, "openFPGALoader is not installed")
