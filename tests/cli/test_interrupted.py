# SPDX-License-Identifier: Apache-2.0
"""A run that somebody interrupts leaves nothing half-written behind, and what was there before as it was."""

import signal
import subprocess
import time

import golden
import pytest

LONG_RUN = (
    "run pagerank -b model:tiny --size 64 --iterations 100000 --trace-out run.trace --output run.json".split()
)


@pytest.fixture
def running(tmp_path):
    """A long run with its files begun, each under another name than its own."""

    def start(**options):
        (tmp_path / "run.trace").write_text("earlier\n")
        command = [golden.BUILD / "weft", *LONG_RUN]
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, **options)
        started.append(process)
        while not any(path.stat().st_size for path in tmp_path.glob("run.trace.*")):
            assert process.poll() is None
            time.sleep(0.01)
        assert len(list(tmp_path.iterdir())) == 3
        return process

    started = []
    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
def test_nothing_is_left(running, tmp_path, number):
    # Whoever started the tests may have had it ignored: a shell does so for what it runs in the background.
    process = running(preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    process.send_signal(number)
    assert process.wait(60) == -number
    assert [path.name for path in tmp_path.iterdir()] == ["run.trace"]
    assert (tmp_path / "run.trace").read_text() == "earlier\n"


def test_what_is_ignored_stays_ignored(running, tmp_path):
    """As with nohup: the terminal goes away, the run goes on."""
    process = running(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    assert len(list(tmp_path.iterdir())) == 3
