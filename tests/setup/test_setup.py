# SPDX-License-Identifier: Apache-2.0
"""The set-up script on machines that lack something: one line that names the cure, exit code 4."""

import re
import subprocess
import sys

import pytest
from fakes import ROOT, Machine

NOT_INSTALLED = "exit 1"


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def assert_one_line(result, *words):
    """The last line is the cure; nothing but progress stands before it."""
    assert result.returncode == 4, result.stderr
    assert result.stdout == ""
    cure = result.stderr.splitlines()[-1]
    for word in words:
        assert word in cure
    for line in result.stderr.splitlines()[:-1]:
        assert re.match(r"set-up: (installing|making|fetching) ", line), line


def test_all_there(machine):
    result = machine.run("test")
    assert result.returncode == 0, result.stderr
    assert not machine.calls("apt-get"), "nothing was missing, so nothing may be installed"
    assert (machine.build / "venv" / ".test").exists()
    assert (machine.build / "FUSESOC_IGNORE").exists()


def test_verilator_is_configured(machine):
    assert machine.run().returncode == 0
    text = next(machine.build.rglob("verilated.mk")).read_text()
    assert "CXX = c++" in text and "CFG_CXXFLAGS_PCH_I = -include" in text


def test_installs_only_what_is_missing(machine):
    present = f'case "$*" in *libjansson*) [ -e {machine.folder}/done ] ;; esac && echo install ok installed'
    machine.fake("dpkg-query", present)
    machine.fake("apt-get", f'case "$*" in *install*) touch {machine.folder}/done ;; esac')
    assert machine.run().returncode == 0
    installs = [call for call in machine.calls("apt-get") if " install " in call]
    assert installs == ["apt-get install -y -q --no-install-recommends libjansson-dev"]
    assert machine.run().returncode == 0
    assert len([call for call in machine.calls("apt-get") if " install " in call]) == 1, "installed twice"


def test_environment_is_made_once(machine):
    assert machine.run("run").returncode == 0
    assert machine.run("test").returncode == 0
    assert len([call for call in machine.calls("fakepython") if "-m venv" in call]) == 1


def test_run_needs_less_than_test(machine):
    machine.run("run")
    asked = " ".join(machine.calls("dpkg-query"))
    assert "libjansson-dev" in asked and "clang" not in asked and "cppcheck" not in asked
    machine.run("test")
    assert "libclang-rt-14-dev" in " ".join(machine.calls("dpkg-query"))


def test_old_debian(machine):
    machine.system("debian", "11")
    assert_one_line(machine.run(), "Debian 11 is too old", "12 or 13")


def test_debian_13(machine):
    machine.system("debian", "13")
    assert machine.run().returncode == 0


def test_no_network_for_packages(machine):
    machine.fake("dpkg-query", NOT_INSTALLED)
    machine.fake("apt-get", "echo 'Could not resolve host' >&2; exit 100")
    assert_one_line(machine.run(), "check the network", "apt-get install -y", "g++", "setup.log")


def test_no_network_for_wheels(machine):
    machine.python(pip="echo 'No matching distribution found' >&2; exit 1")
    assert_one_line(machine.run(), "pip could not install", "check the network", "setup.log")


def test_full_disk(machine):
    machine.python(pip="echo 'OSError: [Errno 28] No space left on device' >&2; exit 1")
    assert_one_line(machine.run(), "disk is full", "free 1 GB")


def test_not_root_and_no_sudo(machine):
    machine.fake("dpkg-query", NOT_INSTALLED)
    machine.fake("id", "echo 1000")
    assert_one_line(machine.run(), "no permission", "as root", "apt-get install -y")
    assert not machine.calls("apt-get")


def test_sudo_refuses(machine):
    machine.fake("dpkg-query", NOT_INSTALLED)
    machine.fake("id", "echo 1000")
    machine.fake("sudo", "exit 1")
    assert_one_line(machine.run(), "sudo does not let you", "as root")


def test_sudo_installs(machine):
    machine.fake("dpkg-query", f"[ -e {machine.folder}/done ] && echo install ok installed")
    machine.fake("id", "echo 1000")
    machine.fake("sudo", '[ "$1" = -n ] && exit 0; exec "$@"')
    machine.fake("apt-get", f'case "$*" in *install*) touch {machine.folder}/done ;; esac')
    assert machine.run().returncode == 0
    assert any("install -y" in call for call in machine.calls("sudo"))


def test_not_debian_and_something_missing(machine):
    machine.system("fedora", "44")
    machine.fake("dpkg-query", NOT_INSTALLED)
    machine.without("apt-get")
    assert_one_line(machine.run(), "not Debian", "libjansson-dev", "by hand")


def test_old_compiler(machine):
    machine.fake("g++", "echo 10.2.1")
    assert_one_line(machine.run(), "g++ 10 is too old", "12 or newer", "CXX=")


def test_no_compiler(machine):
    machine.without("g++")
    assert_one_line(machine.run(), "no C++ compiler", "install g++ 12")


@pytest.mark.parametrize(
    "objection",
    ["is 3.9, and 3.11 or newer is needed", "has no shared libpython, which cocotb embeds"],
)
def test_unfit_python(machine, objection):
    machine.python(objection)
    assert_one_line(machine.run(), objection, "PYTHON=")


def test_no_python(machine):
    machine.without("fakepython")
    assert_one_line(machine.run(), "no fitting Python", "none found", "3.11")


def test_this_python_serves(machine):
    """The question that the script puts to a real interpreter, put to the one that runs this test."""
    script = (ROOT / "sw" / "setup" / "setup.sh").read_text()
    question = re.search(r"<<'PY'[^\n]*\n(.*?)\nPY\n", script, re.S).group(1)
    code = f"import sys; sys.argv = ['-', 'test']\n{question}"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (0, "")


def test_build_directory_not_writable(machine):
    machine.build.write_text("a file stands where the directory should be")
    assert_one_line(machine.run(), "cannot write to")


def test_wrong_use(machine):
    result = machine.run("everything")
    assert result.returncode == 2
    assert "usage" in result.stderr


@pytest.mark.parametrize("name", ["requirements-run.txt", "requirements-test.txt"])
def test_every_wheel_is_pinned(name):
    for line in (ROOT / "sw" / "setup" / name).read_text().splitlines():
        if line and not line.startswith(("#", "-r ")):
            assert re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.]+", line), line
