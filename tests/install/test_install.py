# SPDX-License-Identifier: Apache-2.0
"""make install and uninstall: what lies where, and what happens where it cannot be done."""

import os
import re
import shutil

import pytest
from place import BUILD, ROOT, VERSION, assert_error, everything, install, run, script, weak

FILES = f"""bin/weft include/weft/weft.h include/weft/litmus.h include/weft/workload.h
  lib/libweft.a lib/libweft.so lib/libweft.so.0
  lib/libweft.so.{VERSION} lib/pkgconfig/weft.pc lib/weft/rtl/tiny/libweft-rtl.so
  lib/weft/rtl/quad/libweft-rtl.so
  share/man/man1/weft.1 share/bash-completion/completions/weft share/zsh/site-functions/_weft
  share/fish/vendor_completions.d/weft.fish share/doc/weft/LICENSE share/doc/weft/README.md
  share/doc/weft/docs/library.md share/doc/weft/docs/units/l2.md share/weft/examples/histogram.c
  lib/udev/rules.d/70-weft.rules include/weft/board.h
  share/weft/wireshark/weft.lua share/weft/examples/Makefile share/weft/examples/histogram.expected""".split()


# ---------------------------------------------------------------- what is there


@pytest.mark.parametrize("name", FILES)
def test_is_there(prefix, name):
    path = prefix / name
    assert path.exists()
    executable = name.startswith("bin/") or ".so" in name
    assert path.stat().st_mode & 0o777 == (0o755 if executable else 0o644)


def test_names_of_the_shared_library(prefix):
    assert os.readlink(prefix / "lib/libweft.so") == "libweft.so.0"
    assert os.readlink(prefix / "lib/libweft.so.0") == f"libweft.so.{VERSION}"
    soname = re.search(r"SONAME +(\S+)", run("objdump", "-p", prefix / "lib/libweft.so").stdout)
    assert soname.group(1) == "libweft.so.0"
    # tests/lib/test_header.py holds this very file to the public headers.
    assert (prefix / "lib/libweft.so").read_bytes() == (BUILD / "libweft.so").read_bytes()


def test_every_page_of_the_documentation(prefix):
    for page in sorted((ROOT / "docs").rglob("*.md")):
        assert (prefix / "share/doc/weft" / page.relative_to(ROOT)).read_bytes() == page.read_bytes()


def test_everybody_may_read_it(tmp_path):
    prefix = tmp_path / "p"
    result = script("install", f"{prefix}/", before=["sh", "-c", 'umask 077; exec "$@"', "sh"])
    assert result.returncode == 0, result.stderr
    assert f"prefix={prefix}\n" in (prefix / "lib/pkgconfig/weft.pc").read_text()
    for name in everything(prefix):
        assert (prefix / name).stat().st_mode & 0o444 == 0o444, name
        assert not (prefix / name).is_dir() or (prefix / name).stat().st_mode & 0o777 == 0o755, name


def test_list_of_files_is_complete(prefix):
    listed = set((prefix / "lib/weft/installed").read_text().split("\n")) - {""}
    there = {name + "/" * (prefix / name).is_dir() for name in everything(prefix)}
    assert listed == there


# ---------------------------------------------------------------- twice, elsewhere, and away again


def test_twice_is_as_once(tmp_path):
    first = everything(install(tmp_path / "p"))
    assert everything(install(tmp_path / "p")) == first


def test_uninstall_leaves_nothing(tmp_path):
    prefix = install(tmp_path / "p")
    install(prefix)
    assert script("uninstall", prefix).returncode == 0
    assert everything(prefix) == {}


def test_uninstall_leaves_what_is_not_ours(tmp_path):
    prefix = tmp_path / "p"
    (prefix / "share").mkdir(parents=True)
    install(prefix)
    (prefix / "lib/weft/mine").write_text("mine\n")
    outside = tmp_path / "outside"
    outside.write_text("not below the prefix\n")
    with (prefix / "lib/weft/installed").open("a") as listed:
        listed.write(f"../outside\n{outside}\n")
    assert script("uninstall", prefix).returncode == 0
    assert set(everything(prefix)) == {"lib", "lib/weft", "lib/weft/mine", "share"}
    assert outside.exists()
    assert_error(script("uninstall", prefix), 4, "no Weft is installed", "PREFIX")


def test_a_new_version_removes_what_it_lacks(tmp_path):
    prefix = install(tmp_path / "p")
    (prefix / "bin/weft-old").write_text("of an earlier version\n")
    with (prefix / "lib/weft/installed").open("a") as listed:
        listed.write("bin/weft-old\n")
    install(prefix)
    assert not (prefix / "bin/weft-old").exists()
    assert (prefix / "bin/weft").exists()


def test_below_destdir(tmp_path):
    install("/usr", DESTDIR=tmp_path)
    assert (tmp_path / "usr/bin/weft").exists()
    text = (tmp_path / "usr/lib/pkgconfig/weft.pc").read_text()
    assert "\nprefix=/usr\n" in text
    assert str(tmp_path) not in text
    assert script("uninstall", "/usr", DESTDIR=tmp_path).returncode == 0
    assert everything(tmp_path / "usr") == {}


# ---------------------------------------------------------------- where it cannot be done


@pytest.fixture
def locked(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    yield folder
    folder.chmod(0o755)


def test_a_prefix_that_cannot_be_written(locked):
    result = script("install", locked / "p", before=weak())
    assert_error(result, 4, f"cannot write to {locked}", "sudo", "PREFIX=$HOME/.local")
    assert everything(locked) == {}


def test_make_says_the_same(locked):
    command = ["make", "-C", ROOT, "install", f"PREFIX={locked}/p", f"BUILD={BUILD}"]
    result = run(*weak(*command))
    assert result.returncode == 2  # make's own, for any recipe that failed
    assert f"weft: cannot write to {locked}" in result.stderr
    assert "Error 4" in result.stderr
    assert everything(locked) == {}


def test_one_folder_that_cannot_be_written(tmp_path):
    """Found before the first file is copied, though bin/ comes first."""
    prefix = tmp_path / "p"
    (prefix / "share/man").mkdir(parents=True)
    (prefix / "share/man").chmod(0o555)
    before = everything(prefix)
    result = script("install", prefix, before=weak())
    (prefix / "share/man").chmod(0o755)
    assert_error(result, 4, f"cannot write to {prefix}/share/man", "sudo")
    assert everything(prefix) == before


def test_uninstall_without_permission(tmp_path):
    prefix = install(tmp_path / "p")
    before = everything(prefix)
    (prefix / "share/man/man1").chmod(0o555)
    result = script("uninstall", prefix, before=weak())
    (prefix / "share/man/man1").chmod(0o755)
    assert_error(result, 4, f"cannot write to {prefix}/share/man/man1", "sudo")
    assert everything(prefix) == before


def test_a_prefix_below_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    assert_error(script("install", tmp_path / "file" / "p"), 4, "is no folder", "PREFIX=")


def test_a_folder_in_the_way(tmp_path):
    (tmp_path / "p/bin/weft").mkdir(parents=True)
    before = everything(tmp_path)
    assert_error(script("install", tmp_path / "p"), 4, "bin/weft is a folder", "remove it")
    assert everything(tmp_path) == before


@pytest.mark.parametrize("words", [{"PREFIX": "some/where"}, {"DESTDIR": "some/where"}])
def test_relative_folders(words, tmp_path):
    result = run(
        ROOT / "sw/setup/install.sh", "install", **{"PREFIX": tmp_path / "p", "BUILD": BUILD, **words}
    )
    assert_error(result, 2, "must begin with '/'", "$PWD/some/where")
    assert everything(tmp_path) == {}


@pytest.mark.parametrize("words", [[], ["instal"], ["install", "PREFIX=/somewhere"]])
def test_wrong_words(words, tmp_path):
    assert_error(
        run(ROOT / "sw/setup/install.sh", *words, PREFIX=tmp_path, BUILD=BUILD), 2, "usage", "PREFIX="
    )
    assert everything(tmp_path) == {}


@pytest.mark.parametrize("earlier", [False, True])
def test_a_write_that_fails_midway(tmp_path, earlier):
    """No file may be larger than a megabyte: some are copied whole, then one is cut off."""
    prefix = tmp_path / "p"
    if earlier:
        install(prefix)
        (prefix / "bin/weft").write_text("the earlier version\n")
    before = everything(tmp_path)
    result = script("install", prefix, before=["sh", "-c", 'ulimit -f 2048; exec "$@"', "sh"])
    assert_error(result, 4, "cannot write", "nothing was changed", "make room")
    assert everything(tmp_path) == before


def test_a_full_disk(tmp_path):
    """On a file system of four megabytes, if this machine lets us have one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = f"mount -t tmpfs -o size=4m none {disk}"
    if run("unshare", "-rm", "sh", "-c", mounted).returncode:
        pytest.skip("no mount namespaces here")
    left = tmp_path / "left"
    inside = f'{mounted} && "$@"; code=$?; find {disk} -mindepth 1 >{left}; exit $code'
    result = script("install", disk / "p", before=["unshare", "-rm", "sh", "-c", inside, "sh"])
    assert_error(result, 4, "No space left on device", "nothing was changed")
    assert left.read_text() == ""


def test_a_file_that_cannot_be_replaced(tmp_path):
    """Something is mounted on it: found while files are renamed, and told as it is."""
    prefix = install(tmp_path / "p")
    busy = prefix / "lib/libweft.a"
    inside = f'mount --bind {busy} {busy} && "$@"'
    if run("unshare", "-rm", "sh", "-c", f"mount --bind {busy} {busy}").returncode:
        pytest.skip("no mount namespaces here")
    before = set(everything(prefix))
    result = script("install", prefix, before=["unshare", "-rm", "sh", "-c", inside, "sh"])
    assert_error(result, 4, f"cannot replace {busy}", "new already", "install again")
    assert "nothing was changed" not in result.stderr
    assert set(everything(prefix)) == before
    assert script("install", prefix).returncode == 0


# ---------------------------------------------------------------- what was built, and what was not


def test_nothing_was_built(tmp_path):
    (tmp_path / "build").mkdir()
    result = script("install", tmp_path / "p", BUILD=tmp_path / "build")
    assert_error(result, 4, "weft is missing", "make build")
    assert not (tmp_path / "p").exists()


@pytest.fixture
def some_build(tmp_path):
    """The software, and no fabric yet."""
    folder = tmp_path / "build"
    folder.mkdir()
    for name in ("weft", "weft.1", "libweft.a", "libweft.so"):
        (folder / name).symlink_to(BUILD / name)
    return folder


def test_a_fabric_of_other_sources_is_left_out(some_build, tmp_path):
    tiny, quad = some_build / "rtl/tiny", some_build / "rtl/quad"
    tiny.mkdir(parents=True)
    quad.mkdir()
    (quad / "libweft-rtl.so").write_text("0123456789abcdef" * 4)
    shutil.copy(BUILD / "rtl/tiny/libweft-rtl.so", tiny)
    result = script("install", tmp_path / "p", BUILD=some_build)
    assert result.returncode == 0
    assert result.stderr.startswith("weft: left out: rtl:quad was built of other sources")
    assert "make rtl-quad" in result.stderr
    assert [path.name for path in (tmp_path / "p/lib/weft/rtl").iterdir()] == ["tiny"]


def test_a_build_of_another_version(some_build, tmp_path):
    (some_build / "weft").unlink()
    (some_build / "weft").write_text("#!/bin/sh\necho weft 0.0.9\n")
    (some_build / "weft").chmod(0o755)
    result = script("install", tmp_path / "p", BUILD=some_build)
    assert_error(result, 4, f"is not version {VERSION}", "make build")
    assert not (tmp_path / "p").exists()
