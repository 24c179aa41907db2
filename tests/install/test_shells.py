# SPDX-License-Identifier: Apache-2.0
"""Manual page and completion say what the tool says of itself."""

import functools
import json
import re
import shutil

import pytest
from place import run


@pytest.fixture(scope="module")
def weft(prefix):
    def call(*words):
        result = run(prefix / "bin/weft", *words)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return functools.cache(call)


def verbs(weft):
    found = re.findall(r"^  weft (\w+) +\S", weft("--help").split("\n\n")[1], re.MULTILINE)
    assert {"run", "list", "info", "config"} <= set(found)
    return found


def options(weft, verb):
    """Options of `weft VERB --help` with what stands behind them."""
    found = re.findall(r"^  (?:-\w,|   ) (--[\w-]+)(?: (\S+))?  ", weft(verb, "--help"), re.MULTILINE)
    assert ("--json", "") in found or verb == "vboard"  # whose output is its command's
    return found


# ---------------------------------------------------------------- the manual page


def missing_from(page, weft):
    """What --help has and the manual page has not."""
    plain = re.sub(r"\\f[BIR]", "", page).replace("\\-", "-")
    sections = dict(re.findall(r"^\.SS weft (\w+)\n(.*?)(?=^\.S[SH])", plain, re.MULTILINE | re.DOTALL))
    missing = [verb for verb in verbs(weft) if verb not in sections]
    for verb in set(verbs(weft)) - set(missing):
        lines = [line.removeprefix(".TP\n").split(", ")[-1] for line in sections[verb].splitlines()]
        missing += [
            f"{verb} {name}" for name, value in options(weft, verb) if f"{name} {value}".strip() not in lines
        ]
    return missing


def test_the_page_has_all_options(prefix, weft):
    page = (prefix / "share/man/man1/weft.1").read_text()
    assert missing_from(page, weft) == []
    assert "run --seed" in missing_from(page.replace("\\-\\-seed\\fR", "\\-\\-sead\\fR"), weft)
    assert missing_from(page.replace(".SS weft info", ".SS weft inform"), weft) == ["info"]


def test_the_page_names_everything(prefix, weft):
    page = (prefix / "share/man/man1/weft.1").read_text().replace("\\-", "-")
    listed = json.loads(weft("list", "--json"))
    for kind in ("backends", "configs", "protocols", "workloads"):
        for name in listed[kind]:
            assert f"\\fB{name}\n" in page
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"):
        assert f"\n.SH {section}\n" in page


def test_the_page_is_right_roff(prefix):
    result = run("groff", "-man", "-Tutf8", "-ww", "-z", prefix / "share/man/man1/weft.1")
    assert result.returncode == 0
    assert result.stderr == ""


# ---------------------------------------------------------------- what the tool offers


def offered(weft, *words):
    return {line.split("\t")[0] for line in weft("--complete", *words).splitlines()}


def test_verbs(weft):
    assert offered(weft, "") == set(verbs(weft))
    assert offered(weft, "--") == {"--help", "--version", "--man"}


def test_options_are_those_of_help(weft):
    for verb in verbs(weft):
        assert offered(weft, verb, "--") == {name for name, _ in options(weft, verb)}


def test_values_are_those_of_list(weft):
    listed = json.loads(weft("list", "--json", "--faults"))
    assert offered(weft, "run", "") == set(listed["workloads"])
    assert offered(weft, "config", "") == set(listed["configs"])
    assert offered(weft, "run", "-b", "") == {f"{name}:" for name in listed["backends"]}
    for backend in set(listed["backends"]) - {"usb", "record", "replay"}:  # whose boards say what they are
        assert offered(weft, "run", "-b", f"{backend}:") == {f"{backend}:{c}" for c in listed["configs"]}
    assert offered(weft, "run", "--protocol", "") == set(listed["protocols"])
    assert offered(weft, "run", "--egress", "") == set(listed["egresses"])
    assert offered(weft, "run", "--fault", "") == set(listed["faults"])
    parameters = set(json.loads(weft("config", "--json"))) - {"config", "protocol", "provenance"}
    assert offered(weft, "run", "--set", "") == {f"{name}=" for name in parameters}


def test_named_values_are_known(weft):
    """What help calls by these names has candidates, whatever option it stands behind; numbers have none."""
    named = {"BACKEND", "P", "E", "HOW", "T", "FAULT", "FILE", "PARAMETER=VALUE", "MAP", "WHERE", "ORACLE"}
    named |= {"BOARD", "CONFIG", "FRONT", "KIND[:N]"}
    met = set()
    for verb in verbs(weft):
        for name, value in options(weft, verb):
            met.add(value)
            assert bool(offered(weft, verb, name, "")) == (value in named) or not value, (verb, name, value)
    assert named <= met


# ---------------------------------------------------------------- bash

# What bash does before and after it calls the function; `compopt` works only inside a real completion.
DRIVER = """
source "$1"
compopt() { echo "compopt $*"; }
COMP_LINE=$2 COMP_POINT=${#2}
_weft
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def bash(prefix, tmp_path):
    def complete(line):
        (tmp_path / "graph.mtx").write_text("")
        script = prefix / "share/bash-completion/completions/weft"
        path = f"{prefix}/bin:/usr/bin:/bin"
        result = run("bash", "--norc", "-uc", DRIVER, "bash", script, line, cwd=tmp_path, PATH=path)
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""
        return result.stdout.split("\n")[:-1]

    return complete


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("weft conf", ["config"]),
        ("weft run pag", ["pagerank"]),
        ("weft run pagerank -b mod", ["compopt -o nospace", "model:"]),
        ("weft run pagerank -b rtl:ti", ["tiny"]),  # bash breaks words at the colon
        ("weft run pagerank --backend=rtl:ti", ["tiny"]),
        ("weft run --backend=nu", ["compopt -o nospace", "null:"]),
        ("weft run mix --set l2.way", ["compopt -o nospace", "l2.ways="]),
        ("weft run mix --set=l2.way", ["compopt -o nospace", "l2.ways="]),
        ("weft run sssp --graph gra", ["compopt -o filenames", "graph.mtx"]),
        ("weft run sssp --graph=gra", ["compopt -o filenames", "graph.mtx"]),
        ("weft run mix --jit", ["--jitter"]),
        ("weft nonsense ", [""]),
    ],
)
def test_bash(bash, line, offers):
    assert bash(line) == offers


def test_shells_can_read_their_scripts(prefix):
    scripts = {
        "bash": "bash-completion/completions/weft",
        "zsh": "zsh/site-functions/_weft",
        "fish": "fish/vendor_completions.d/weft.fish",
    }
    for shell in filter(shutil.which, scripts):
        result = run(shell, "-n", prefix / "share" / scripts[shell])
        assert result.returncode == 0, result.stderr
