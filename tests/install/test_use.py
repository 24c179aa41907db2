# SPDX-License-Identifier: Apache-2.0
"""What was installed is used as its users use it, with nothing of the source tree at hand."""

import json
import os
import shlex
import shutil

import pytest
from place import ROOT, VERSION, assert_error, install, run

CONFIG = "lib/pkgconfig"


def pkg_config(prefix, *words, **variables):
    result = run("pkg-config", *words, "weft", PKG_CONFIG_PATH=prefix / CONFIG, **variables)
    assert result.returncode == 0, result.stderr
    return shlex.split(result.stdout)


# ---------------------------------------------------------------- the tool


def assert_runs_rtl(tool, cwd):
    result = run(tool, "run", "vecadd", "-b", "rtl:tiny", "--json", "--size", "256", cwd=cwd)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["verified"] is True
    assert report["lockstep"] is True


def test_the_tool_finds_its_fabrics(prefix, tmp_path):
    assert_runs_rtl(prefix / "bin/weft", tmp_path)


def test_the_tool_finds_them_through_a_link(prefix, tmp_path):
    (tmp_path / "weft").symlink_to(prefix / "bin/weft")
    assert_runs_rtl(tmp_path / "weft", tmp_path)


def test_all_of_it_may_be_moved(tmp_path):
    moved = tmp_path / "a folder with blanks" / "p"
    moved.parent.mkdir()
    install(tmp_path / "p").rename(moved)
    assert_runs_rtl(moved / "bin/weft", tmp_path)
    assert pkg_config(moved, "--define-prefix", "--cflags") == [f"-I{moved}/include"]


def test_a_fabric_that_was_not_installed(prefix, tmp_path):
    result = run(prefix / "bin/weft", "run", "vecadd", "-b", "rtl:sixteen", cwd=tmp_path)
    assert_error(
        result, 4, "rtl:sixteen is not built", "make rtl-sixteen", "make install", "WEFT_RTL_PATH", "model:"
    )


# ---------------------------------------------------------------- pkg-config


def test_pkg_config(prefix):
    assert pkg_config(prefix, "--modversion") == [VERSION]
    assert pkg_config(prefix, "--cflags") == [f"-I{prefix}/include"]
    assert pkg_config(prefix, "--libs") == [f"-L{prefix}/lib", "-lweft"]
    assert {"-lweft", "-ldl", "-lm"} <= set(pkg_config(prefix, "--static", "--libs"))
    assert pkg_config(prefix, "--variable=rtldir") == [f"{prefix}/lib/weft/rtl"]
    assert pkg_config(prefix, "--validate") == []


def test_pkg_config_with_blanks(tmp_path):
    prefix = install(tmp_path / "with a blank & more")
    assert pkg_config(prefix, "--cflags") == [f"-I{prefix}/include"]


# ---------------------------------------------------------------- the example


def build_example(prefix, folder, *words, **variables):
    shutil.copytree(prefix / "share/weft/examples", folder)
    path = variables.pop("PKG_CONFIG_PATH", prefix / CONFIG)
    result = run(
        "make",
        *words,
        "CFLAGS=-O2 -Wall -Wextra -Werror -pedantic",
        cwd=folder,
        PKG_CONFIG_PATH=path,
        **variables,
    )
    assert result.returncode == 0, result.stderr
    return folder / "histogram"


@pytest.fixture(scope="module")
def programs(prefix, tmp_path_factory):
    """The example as a user builds it, against either form of the library."""
    folder = tmp_path_factory.mktemp("programs")
    return {
        "shared": build_example(prefix, folder / "shared"),
        "static": build_example(prefix, folder / "static", "STATIC=1"),
    }


@pytest.mark.parametrize("form", ["shared", "static"])
@pytest.mark.parametrize("backend", ["null:tiny", "model:tiny", "rtl:tiny"])
def test_the_example(prefix, programs, form, backend):
    # What is linked with libweft.a finds the fabrics through the tool that is on the PATH.
    where = (
        {"LD_LIBRARY_PATH": prefix / "lib"} if form == "shared" else {"PATH": f"{prefix}/bin:/usr/bin:/bin"}
    )
    result = run(programs[form], backend, **where)
    assert result.returncode == 0, result.stderr
    assert result.stdout == (ROOT / "sw/examples/histogram.expected").read_text()
    assert result.stderr == ""


def test_costs_in_the_documentation(prefix, programs):
    """The table in docs/architecture.md is what the RTL does."""
    result = run(programs["shared"].with_name("latency"), "rtl:quad", LD_LIBRARY_PATH=prefix / "lib")
    assert result.stdout == (ROOT / "sw/examples/latency.expected").read_text()
    page = (ROOT / "docs/architecture.md").read_text()
    table = page[page.index("| an access, as its warp sees it | cycles |") :].split("\n\n")[0]
    rows = [f"| {text} | {cycles} |" for cycles, text in (line.split("  ", 1) for line in stripped(result))]
    assert table.splitlines()[2:] == rows


def stripped(result):
    return [line.strip() for line in result.stdout.splitlines()]


def test_check_of_the_examples(prefix, programs):
    """`make check` beside the examples passes, and does not when an answer is another."""
    folder, path = programs["static"].parent, {"PKG_CONFIG_PATH": prefix / CONFIG}
    assert run("make", "check", cwd=folder, **path).returncode == 0
    (folder / "latency.expected").write_text("0  load\n")
    assert run("make", "check", cwd=folder, **path).returncode == 2


def test_forms_of_the_library(prefix, programs):
    shared = run("ldd", programs["shared"], LD_LIBRARY_PATH=prefix / "lib").stdout
    assert f"libweft.so.0 => {prefix}/lib/libweft.so.0" in shared
    assert "libweft" not in run("ldd", programs["static"]).stdout


def test_the_example_below_destdir(tmp_path):
    """As a package is made: files lie below DESTDIR, and say what is right once they do not."""
    install("/usr", DESTDIR=tmp_path)
    folder = tmp_path / "example"
    variables = {"PKG_CONFIG_SYSROOT_DIR": tmp_path, "PKG_CONFIG_PATH": tmp_path / "usr" / CONFIG}
    program = build_example(tmp_path / "usr", folder, "STATIC=1", **variables)
    assert run(program, "model:tiny").returncode == 0


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("WEFT_ADD, j->bins + bin * 4", "WEFT_EXCH, j->bins + bin * 4"),  # counts are lost
        ("weft_store64(t, j->best + me->index * 8, best);", ""),  # partial answers are lost
    ],
)
def test_a_wrong_kernel_is_found_out(prefix, tmp_path, right, wrong):
    source = (prefix / "share/weft/examples/histogram.c").read_text()
    assert right in source
    (tmp_path / "wrong.c").write_text(source.replace(right, wrong))
    flags = pkg_config(prefix, "--cflags", "--libs")
    built = run("cc", tmp_path / "wrong.c", *flags, "-o", tmp_path / "wrong")
    assert built.returncode == 0, built.stderr
    result = run(tmp_path / "wrong", "model:tiny", LD_LIBRARY_PATH=prefix / "lib")
    assert result.returncode == 1
    assert result.stdout.endswith("wrong\n")


def test_the_example_without_its_back_end(prefix, programs):
    result = run(programs["shared"], "rtl:sixteen", LD_LIBRARY_PATH=prefix / "lib", PATH=os.defpath)
    assert result.returncode == 1
    assert result.stderr.startswith("histogram: rtl:sixteen is not built")
    assert result.stdout == ""


def test_the_example_is_short():
    assert len((ROOT / "sw/examples/histogram.c").read_text().splitlines()) <= 60
