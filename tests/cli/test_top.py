# SPDX-License-Identifier: Apache-2.0
"""What `weft top` shows in a terminal: a screen of counters again and again, until somebody ends it."""

import os
import pty
import re
import signal
import subprocess

import golden
import pytest

CLEARED = "\x1b[H\x1b[2J"
HEAD = re.compile(r"mix on model:tiny, round (\d+), cycle (\d+), [\d.]+ s; Ctrl-C ends")
COUNTER = re.compile(r"^  ([a-z0-9_.]+) +(\d+) +(\d+)\r?$", re.MULTILINE)


@pytest.fixture
def terminal():
    """`top` without an end, whose output is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [golden.BUILD / "weft", *"top mix -b model:tiny --size 3000".split()],
        stdout=theirs,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(theirs)
    yield process, ours
    process.kill()
    process.communicate()
    os.close(ours)


def screens(ours, wanted):
    """The first that are whole: another one has begun behind them."""
    text = ""
    while text.count(CLEARED) <= wanted:
        text += os.read(ours, 4096).decode()
    return text.split(CLEARED)[1 : wanted + 1]


def test_counters_go_on_until_it_is_ended(terminal):
    process, ours = terminal
    shown = screens(ours, 3)
    heads = [HEAD.search(screen) for screen in shown]
    assert all(heads), shown
    times = [tuple(int(word) for word in head.groups()) for head in heads]
    assert times == sorted(times) and len(set(times)) == 3
    counters = [{name: int(value) for name, value, _ in COUNTER.findall(screen)} for screen in shown]
    assert counters[0]["l1.loads"] > 0
    for earlier, later in zip(counters, counters[1:], strict=False):
        assert all(later[name] >= value for name, value in earlier.items())
    assert counters[0]["l1.loads"] < counters[2]["l1.loads"]
    assert any(int(rate) > 0 for _, _, rate in COUNTER.findall(shown[1]))
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT
