# SPDX-License-Identifier: Apache-2.0
"""weft.core and Bender.yml are those of rtl.f, and with their own lists a unit elaborates by itself."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("sw/setup", "rtl/config")]
import generate  # noqa: E402
import manifests  # noqa: E402
import sources  # noqa: E402
import tools  # noqa: E402

WORK = tools.build_directory() / "manifests"
CORE = "weft:fabric:weft"
LONG = bool(os.environ.get("WEFT_LONG") or os.environ.get("WEFT_LINT"))
# One of every room, each with parts of its own; all of them where there is time.
UNITS = manifests.modules() if LONG else "l2 directory link host_regs fifo".split()


def command(words, **options):
    return subprocess.run(
        [str(word) for word in words], env=tools.environment(), capture_output=True, text=True, **options
    )


@pytest.fixture(scope="module")
def generated():
    """The generated sources of `tiny`, by the command that the manual names."""
    folder = WORK / "tiny"
    done = command([sys.executable, ROOT / "rtl/config/sources.py", "tiny", folder])
    assert done.returncode == 0, done.stderr
    return folder


# ---------------------------------------------------------------- both are written from rtl.f


@pytest.mark.parametrize("path", manifests.manifests(), ids=lambda path: path.name)
def test_up_to_date(path):
    assert path.read_text() == manifests.manifests()[path], "run `make manifests`"


def test_check_notices_a_change(monkeypatch, tmp_path, capsys):
    """A source that is added to rtl.f stands in both or the check says so."""
    assert manifests.main(["--check"]) == 0
    listing = (sources.RTL / "rtl.f").read_text().replace("home/memory.sv\n", "")
    (tmp_path / "rtl.f").write_text(listing)
    monkeypatch.setattr(sources, "RTL", tmp_path)
    manifests.units.cache_clear()
    try:
        assert manifests.main(["--check"]) == 1
    finally:
        manifests.units.cache_clear()
        manifests.uses.cache_clear()
    assert "weft.core, Bender.yml out of date: run `make manifests`" in capsys.readouterr().err


def core_files():
    """Every file that weft.core names for the whole, in order."""
    core = yaml.safe_load((ROOT / "weft.core").read_text().removeprefix("CAPI=2:\n"))
    return [core["filesets"][name]["files"][0] for name in core["targets"]["default"]["filesets"]]


def holds(expression, targets):
    """Bender's target expressions, as far as they are used here."""
    inside = re.fullmatch(r"any\((.*)\)", expression)
    assert inside, expression
    words = inside[1].split(", ")
    return any((word[4:-1] not in targets) if word.startswith("not(") else word in targets for word in words)


def bender_files(targets, generated):
    """Every file that Bender.yml names for a set of targets, in order."""
    groups = yaml.safe_load((ROOT / "Bender.yml").read_text())["sources"]
    chosen = [group for group in groups if "target" not in group or holds(group["target"], targets)]
    names = [name for group in chosen for name in group["files"]]
    return [ROOT / name.replace("$WEFT_GEN", str(generated)) for name in names]


def placed(listed, generated):
    """Where the files of a list like rtl.f lie."""
    places = {True: generated, False: ROOT / "rtl"}
    return [places[name.startswith("$")] / name.removeprefix("$GEN/") for name in listed]


def test_both_name_what_rtl_f_names(generated):
    listed = sources.listed()
    assert core_files() == [f"rtl/{name}" for name in listed if not name.startswith("$")]
    assert bender_files([], generated) == placed(listed, generated)


# ---------------------------------------------------------------- a unit by itself


def elaborate(unit, files):
    lint = [*tools.verilator(), "--lint-only", "-Wall", ROOT / "tests/lint/verilator.vlt"]
    return command([*lint, "--top-module", unit, *files])


@pytest.mark.parametrize("unit", UNITS)
def test_bender_unit(unit, generated):
    files = bender_files(["weft_unit", f"weft_{unit}"], generated)
    done = elaborate(unit, files)
    assert done.returncode == 0, done.stderr
    # By itself a unit takes few files, not the tree: a directory ten, with all its policies and `cut`.
    assert unit in ("l2", "link") or len(files) <= 10


def test_a_list_that_lacks_a_file_does_not_elaborate(generated):
    files = bender_files(["weft_unit", "weft_directory"], generated)
    lacking = [path for path in files if path.name != "directory_baseline.sv"]
    assert len(lacking) == len(files) - 1
    assert elaborate("directory", lacking).returncode != 0


def fusesoc(*words, cwd=ROOT):
    """FuseSoC on a folder that holds the tree and nothing else, so that it does not search build/."""
    return command([tools.venv() / "bin" / "fusesoc", "--cores-root", cwd, *words], cwd=cwd)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """What somebody who takes Weft as a library has: sources and core file, nothing built."""
    folder = tmp_path_factory.mktemp("library")
    for name in ("weft.core", "rtl", "VERSION", "tests"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.mark.parametrize("unit,flags", [("directory", ["--flag", "tiny"]), ("link", [])])
def test_fusesoc_unit(unit, flags, tree):
    done = fusesoc("run", "--build-root", tree / "out", "--target", unit, *flags, CORE, cwd=tree)
    assert done.returncode == 0, done.stdout + done.stderr
    config = flags[1] if flags else manifests.DEFAULT_CONFIG
    packages = [path.read_text() for path in (tree / "out").rglob("weft_pkg.sv")]
    assert any(f"configuration '{config}'" in text for text in packages)


def test_fusesoc_as_the_page_says(tmp_path):
    """The page's own commands, for somebody who has nothing but the tree after `make setup`."""
    page = (ROOT / "docs/integrating.md").read_text()
    script = re.search(r"^## FuseSoC\n.*?^```\n(.*?)^```", page, re.M | re.S)[1]
    assert script.count("fusesoc run") == 2
    script = script.replace("PATH/TO/weft/build", str(tools.build_directory()))
    script = "set -e\n" + script.replace("PATH/TO/weft", str(ROOT))
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=bare, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Replacing" not in done.stderr, "a core file of another tree below this one was taken"


USER_CORE = """CAPI=2:
name: "user:design:three:1.0"
filesets:
  rtl: {files: [three.sv], file_type: systemVerilogSource, depend: ["weft:fabric:weft"]}
generate:
  config: {generator: weft_config, position: first, parameters: {config: quad, set: [nodes=3, line=128]}}
targets:
  default: &default {filesets: [rtl], generate: [config], toplevel: three}
  lint: {<<: *default, flow: lint, flow_options: {tool: verilator}}
"""
USER_DESIGN = """module three;
  if (weft_pkg::Nodes != 3 || weft_pkg::Line != 128) begin : gen_check
    $error("not the configuration that was asked for");
  end
endmodule
"""


def test_fusesoc_design_with_a_configuration_of_its_own(tree, tmp_path):
    """A core of somebody else's takes the fabric as a library; its own check sees its own configuration."""
    (tmp_path / "three.core").write_text(USER_CORE)
    (tmp_path / "three.sv").write_text(USER_DESIGN)
    words = ["--cores-root", tmp_path, "run", "--build-root", tmp_path / "out", "--target", "lint"]
    design = "user:design:three"
    done = fusesoc(*words, "--flag", "own_config", design, cwd=tree)
    assert done.returncode == 0, done.stdout + done.stderr
    done = fusesoc(*words, "--flag", "tiny", design, cwd=tree)
    assert done.returncode != 0, "two configurations at once went unnoticed"


def test_fusesoc_notices_a_broken_unit(tree, tmp_path):
    """The lint is Verilator's own: a unit with an error does not pass."""
    broken = tmp_path / "broken"
    shutil.copytree(ROOT / "rtl", broken / "rtl", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("weft.core", "VERSION", "tests"):
        (broken / name).symlink_to(ROOT / name)
    path = broken / "rtl" / "common" / "fifo.sv"
    path.write_text(path.read_text().replace("assign ready_o = ", "assign ready_o = unheard_of && ", 1))
    words = ["--build-root", broken / "out", "--target", "fifo", "--flag", "tiny"]
    done = fusesoc("run", *words, CORE, cwd=broken)
    assert done.returncode != 0 and "unheard_of" in done.stdout + done.stderr


needs_bender = pytest.mark.skipif(not shutil.which("bender"), reason="no bender on the PATH")
USER_MANIFEST = (
    "package: {{name: mine, authors: [me]}}\ndependencies: {{weft: {{path: {tree}}}}}\nsources: [mine.sv]\n"
)


def bender(*words, unit, generated, cwd):
    """Bender's own answer; in a folder that is not the tree, since it leaves a lock file there."""
    targets = ["-t", "weft_unit", "-t", f"weft_{unit}"]
    env = {**tools.environment(), "WEFT_GEN": str(generated)}
    done = subprocess.run(["bender", *words, *targets], cwd=cwd, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_bender
def test_bender_itself(tree, generated):
    """Bender names what a unit needs and nothing else, for every unit there is."""
    (tree / "Bender.yml").symlink_to(ROOT / "Bender.yml")
    for unit in manifests.modules():
        listed = bender("script", "flist", unit=unit, generated=generated, cwd=tree).split()
        wanted = placed([manifests.units()[name] for name in manifests.needs(unit)], generated)
        assert [pathlib.Path(name).resolve() for name in listed] == wanted, unit


@needs_bender
def test_bender_design_that_takes_a_unit(generated, tmp_path):
    """A package of somebody else's depends on the tree; what Bender writes for Verilator builds."""
    (tmp_path / "Bender.yml").write_text(USER_MANIFEST.format(tree=ROOT))
    (tmp_path / "mine.sv").write_text("module mine;\nendmodule\n")
    (tmp_path / "weft.f").write_text(
        bender("script", "verilator", unit="directory", generated=generated, cwd=tmp_path)
    )
    done = elaborate("directory", ["-f", tmp_path / "weft.f"])
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    "words,reason",
    [
        (["nonesuch"], "unknown configuration 'nonesuch'"),
        (["tiny", "--set", "line=33"], "line=33 must be a power of two"),
    ],
)
def test_sources_of_a_wrong_configuration(words, reason, tmp_path):
    done = command([sys.executable, ROOT / "rtl/config/sources.py", *words, tmp_path / "out"])
    assert done.returncode == 2 and reason in done.stderr
    assert not (tmp_path / "out").exists()


def test_needs(capsys):
    assert manifests.main(["--needs", "crossbar"]) == 0
    listed = capsys.readouterr().out.split()
    assert listed == ["$GEN/weft_pkg.sv", "cache/crossbar.sv", "common/arbiter.sv", "common/stream_mux.sv"]


def test_needs_of_what_is_not_there(capsys):
    with pytest.raises(SystemExit) as ended:
        manifests.main(["--needs", "nonesuch"])
    assert ended.value.code == 2 and "nonesuch" in capsys.readouterr().err


def test_every_configuration_is_a_flag():
    core = yaml.safe_load((ROOT / "weft.core").read_text().removeprefix("CAPI=2:\n"))
    assert set(core["generate"]) == {f"config_{name}" for name in generate.HARDWARE}
