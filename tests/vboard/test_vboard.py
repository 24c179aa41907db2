# SPDX-License-Identifier: Apache-2.0
"""`weft vboard`: plain libusb programs on a board that is not there, over good lines and bad ones."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import pytest
from support.weft import BUILD, LONG, ROOT, SEED, Outcome

TOOL = BUILD / "weft"
PROGRAMS = BUILD / "tests" / "plain" / "vboard" / "programs"
SERIAL = "usb:serial=VIRTUAL"

pytestmark = pytest.mark.skipif(
    not (BUILD / "libweft-vboard.so").exists(), reason="the virtual board needs umockdev"
)


class Machine:
    """Runs `weft vboard` with a folder of its own for what it makes, and sees that nothing stays there."""

    def __init__(self, folder, temporary):
        self.temporary = temporary
        self.figures = folder / "figures.json"
        self.environment = {**os.environ, "TMPDIR": str(self.temporary)}

    def command(self, options, words):
        options = ("--config", "tiny", "--output", self.figures, *options)
        return [str(word) for word in (TOOL, "vboard", *options, "--", *words)]

    def start(self, *words, options=(), **more):
        return subprocess.Popen(
            self.command(options, words), env=self.environment, cwd=ROOT,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more,
        )  # fmt: skip

    def run(self, *words, options=()):
        process = self.start(*words, options=options)
        out, err = process.communicate()
        assert not list(self.temporary.iterdir())
        return Outcome(process.returncode, out, err)

    def read(self):
        return json.loads(self.figures.read_text())


@pytest.fixture
def machine(tmp_path):
    with tempfile.TemporaryDirectory() as folder:  # with a short name: a socket lies there
        yield Machine(tmp_path, pathlib.Path(folder))


def wrong(outcome, code, *parts):
    assert outcome.code == code, outcome.err
    assert 1 <= len(outcome.err.splitlines()) <= 3
    assert all(part in outcome.err for part in parts), outcome.err


# ---------------------------------------------------------------- a plain program


@pytest.mark.parametrize("front", ["ft245", "uart"])
def test_hello(machine, front):
    outcome = machine.run(PROGRAMS / "hello", "D0003", front, options=("--front", front, "--serial", "D0003"))
    assert outcome.code == 0, outcome.err
    own = json.loads(subprocess.check_output([TOOL, "config", "tiny", "--json"]))["provenance"]["hash"]
    assert own in outcome.out and "2 nodes, nonce 1234" in outcome.out
    figures = machine.read()
    assert figures["bytes_down"] > 1000 and figures["bytes_up"] > 70
    assert figures["injected"] == {}
    assert figures["last_clock"] <= figures["clocks"]
    # a byte takes ten bits of 20 clocks at 3 Mbaud, and one clock through the FIFO
    clocks = (figures["last_clock"] - figures["first_clock"]) / figures["bytes_down"]
    assert 200 <= clocks < 240 if front == "uart" else 1 <= clocks < 4


def test_hello_finds_no_other(machine):
    assert machine.run(PROGRAMS / "hello", "NONE").code == 1


def test_what_is_synthesised(machine):
    """The configuration of the board itself, which is also what `weft vboard` takes if none is named."""
    outcome = machine.run(TOOL, "selftest", "--quick", "-b", SERIAL, "--json", options=("--config", "ulx3s"))
    assert outcome.code == 0, outcome.err
    assert outcome.json["ok"] is True and outcome.json["config"] == "ulx3s"


# ---------------------------------------------------------------- the command's end is the verb's


@pytest.mark.parametrize("script, code", [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)])
def test_exit_code_is_the_commands(machine, script, code):
    assert machine.run("sh", "-c", script).code == code
    assert machine.read()["status"] == code


def test_output_is_the_commands(machine):
    outcome = machine.run("sh", "-c", "echo out; echo err >&2")
    assert (outcome.out, outcome.err) == ("out\n", "err\n")


def is_alive(pid):
    """Runs: neither gone nor waiting to be buried."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition):
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
@pytest.mark.parametrize("group", [False, True], ids=["alone", "group"])
def test_interrupted(machine, number, group):
    usual = {"start_new_session": True, "preexec_fn": lambda: signal.signal(number, signal.SIG_DFL)}
    process = machine.start("sh", "-c", "echo $$; exec sleep 1000", **usual)
    command = int(process.stdout.readline())
    os.killpg(process.pid, number) if group else process.send_signal(number)
    process.communicate()
    assert process.returncode == 128 + number
    assert not is_alive(command)
    assert not list(machine.temporary.iterdir())


def test_killed(machine):
    """Nobody can clear away then, but the command ends, too."""
    process = machine.start("sh", "-c", "echo $$; exec sleep 1000")
    command = int(process.stdout.readline())
    process.kill()
    process.communicate()
    assert wait_for(lambda: not is_alive(command))


# ---------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    "options, part",
    [
        (("--front", "parallel"), "ft245 and uart"),
        (("--fault", "fire"), "unplug, stall, short"),
        (("--fault", "lose:0"), "a number from 1"),
        (("--fault", "lose:x"), "a number from 1"),
        (("--fault", "version:5"), "from 1 to 4"),
        (("--fault", "mute:3"), "takes no number"),
        (("--front", "uart", "--fault", "stuck"), "a UART has no TXE#"),
        (("--serial", "A B"), "letters and digits"),
        (("--config", "nix"), "there is no configuration 'nix'"),
        (("--config", "rdma4"), "no board can be made of rdma4"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_options(machine, options, part):
    wrong(machine.run("true", options=options), 2, part)
    assert not machine.figures.exists()


def test_wrong_commands(machine, tmp_path):
    wrong(machine.run(), 2, "which command?")
    wrong(machine.run("no-such-command"), 2, "no-such-command", "No such file")
    wrong(machine.run(tmp_path), 2, "Permission denied")


def test_a_folder_with_a_long_name(machine):
    folder = machine.temporary / ("long" * 20)
    folder.mkdir()
    machine.environment["TMPDIR"] = str(folder)
    process = machine.start("true")
    out, err = process.communicate()
    wrong(Outcome(process.returncode, out, err), 4, "set TMPDIR to a shorter one")
    assert not list(folder.iterdir())


def test_without_umockdev(machine, tmp_path):
    """A tool beside which there is no such library, as it is built without umockdev."""
    shutil.copy(TOOL, tmp_path / "weft")
    done = subprocess.run([tmp_path / "weft", "vboard", "--", "true"], capture_output=True, text=True)
    wrong(Outcome(done.returncode, done.stdout, done.stderr), 4, "install the package libumockdev-dev")


def complete(*words):
    return subprocess.check_output([TOOL, "--complete", *words], text=True).splitlines()


def test_completion():
    assert [line.split("\t")[0] for line in complete("vboard", "--front", "")] == ["ft245", "uart"]
    assert "stuck" in " ".join(complete("vboard", "--fault", "stu"))
    assert complete("vboard", "--front", "uart", "--", "weft", "selft") == complete("selft") != []
    assert complete("vboard", "--", "ls", "--") == []
    assert complete("vboard", "--", "l") == []


# ---------------------------------------------------------------- a bad line
# One byte in so many is lost, one flipped, one behind which another is inserted; and how many runs. The first
# are so bad that nearly none begins, the last so good that some end well, with frames that were sent again.
LINES = [(150, 8), (600, 8), (3000, 8), (20000, 6), (600000, 6)]
MORE = 12  # in the long run


def under_faults(machine, every, runs, seed, reference="rtl:tiny"):
    options = ["--seed", seed]
    for kind in ("lose", "flip", "insert"):
        options += ["--fault", f"{kind}:{every}"]
    outcome = machine.run(
        PROGRAMS / "under_faults", SERIAL + ",timeout=1500", reference, runs, options=options
    )
    counts = dict(
        line.rsplit(" ", 1) for line in outcome.out.splitlines() if line.startswith(("WEFT_", "wrong"))
    )
    return outcome, {name: int(count) for name, count in counts.items()}, machine.read()["injected"]


def test_every_operation_is_done_once_or_reported(machine):
    injected, went_well, failed = 0, 0, 0
    for seed in range(SEED, SEED + (MORE if LONG else 1)):
        for every, runs in LINES:
            outcome, counts, faults = under_faults(machine, every, runs, seed)
            assert outcome.code == 0, outcome.out + outcome.err
            assert counts.pop("wrong") == 0
            good = counts.pop("WEFT_OK", 0)
            assert good + sum(counts.values()) == runs
            injected, went_well, failed = (
                injected + sum(faults.values()),
                went_well + good,
                failed + sum(counts.values()),
            )
    assert injected >= (10_000 if LONG else 500)
    assert went_well and failed


def test_whoever_does_more_than_once_would_be_seen(machine):
    """The check itself: a machine on which the same operations take other cycles and counts is told apart."""
    outcome, counts, _ = under_faults(machine, 10_000_000, 2, 1, reference="null:tiny")
    assert outcome.code == 1
    assert (counts["WEFT_OK"], counts["wrong"]) == (2, 2)
    assert "cycles or counters differ" in outcome.out


def test_the_same_seed_the_same_faults(machine):
    """Each way by itself, so as long as the host sends the same."""
    found = []
    for _ in range(2):
        machine.run(PROGRAMS / "hello", options=("--fault", "flip:40", "--fault", "lose:90", "--seed", "3"))
        found.append(machine.read()["injected"])
    assert found[0] == found[1] != {}


@pytest.mark.parametrize(
    "number, part",
    [
        (1, "built from other sources"),
        (2, "ABI 2"),
        (3, "version 2 of the frames"),
        (4, "none that this library knows"),
    ],
)
def test_boards_of_another_version(machine, number, part):
    outcome = machine.run(TOOL, "run", "vecadd", "-b", SERIAL, options=("--fault", f"version:{number}"))
    wrong(outcome, 3, part)
    assert machine.read()["injected"]["version"] >= 1


# ---------------------------------------------------------------- figures


def board_figures(folder):
    """`bench board` of loads and stores: what it printed, and its rows by timing and kind."""
    kept = folder / "board.json"
    done = subprocess.run(
        [TOOL, "bench", "board", "--only", "load,store", "--output", kept], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(kept.read_text())
    assert (found["backend"], found["config"]) == ("virtual", "ulx3s")
    rows = {(row["timing"], row["kind"]): row for row in found["rows"]}
    assert sorted(rows) == [(t, k) for t in ("exact", "free") for k in ("load", "store")]
    return done, rows


def test_the_wire_is_used(tmp_path):
    """Pipelined in free time, operations reach four fifths of what the wire's bytes allow.

    A host that other work keeps waiting reaches less, never more: then it is measured again.
    """
    for _ in range(5):
        done, rows = board_figures(tmp_path)
        if all(row["of_the_wire"] > 0.8 for (timing, _), row in rows.items() if timing == "free"):
            break
    for (timing, _), row in rows.items():
        assert row["clocks_per_operation"] > row["bytes_per_operation"] * 0.95
        assert row["of_the_wire"] > 0.8 if timing == "free" else 0.05 < row["of_the_wire"] < 0.8
    # an OP of a load is 11 bytes, of a store of four bytes 15, and some share of a frame's 16
    assert 11 < rows["free", "load"]["bytes_down"] / rows["free", "load"]["operations"] < 20
    assert "of wire" in done.stdout and "free   load" in done.stdout


@pytest.mark.parametrize("words", [("--only", "branch"), ("--timing", "fast")])
def test_wrong_bench(words):
    done = subprocess.run([TOOL, "bench", "board", *words], capture_output=True, text=True)
    wrong(Outcome(done.returncode, done.stdout, done.stderr), 2, "--only load,store,atomic")
