# SPDX-License-Identifier: Apache-2.0
"""What is run: test programs found by their names, each as one process with a log of its own."""

import dataclasses
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import outcome

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sw" / "setup"))
import tools  # noqa: E402

LIMIT_SECONDS = 2700
LONG_LIMIT_SECONDS = 6 * 3600
FUZZ_SECONDS = 10
LONG_FUZZ_SECONDS = 1800


@dataclasses.dataclass(frozen=True)
class Context:
    root: pathlib.Path
    long: bool = False
    workers: int = 2

    @property
    def build(self):
        return tools.build_directory() if self.root == tools.ROOT else self.root / "build"

    @property
    def limit(self):
        return LONG_LIMIT_SECONDS if self.long else LIMIT_SECONDS

    def environment(self):
        """Tools on the PATH; generated Python and shared helpers importable; one core per job."""
        try:
            env = tools.environment()
        except FileNotFoundError:
            env = dict(os.environ)  # no environment was set up: tests that need it will say so
        paths = [str(self.build / "gen"), str(self.root / "tests"), env.get("PYTHONPATH", "")]
        env["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        env["BUILD"] = str(self.build)
        env["WEFT_LONG"] = "1" if self.long else ""
        env["MAX_PARALLEL_BUILD_JOBS"] = "1"
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
        env.pop("MAKEFLAGS", None)
        env.pop("MAKELEVEL", None)
        return env


@dataclasses.dataclass
class Result:
    job: "Job"
    cases: list
    wall: float
    cpu: float
    log: pathlib.Path


class Job:
    """One process: its command, and how its cases are read from what it leaves behind."""

    def __init__(self, context, source, variant=""):
        self.context = context
        self.source = source
        inside = source.relative_to(context.root / "tests")
        self.group = inside.parts[0] if len(inside.parts) > 1 else "top"
        self.name = str(inside.with_suffix("")) + (f"[{variant}]" if variant else "")
        self.variant = variant
        stem = str(inside.with_suffix("")).replace("/", "-") + (f"-{variant}" if variant else "")
        self.files = context.build / "tests" / "logs" / stem
        self.log = self.files.with_suffix(".log")

    def prepare(self):
        """Something that must stand before the command; returns why it cannot run, or nothing."""
        return

    def run(self):
        self.log.parent.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        objection = self.prepare()
        if objection:
            self.log.write_text(objection + "\n")
            return Result(
                self, [outcome.Case("cannot run", outcome.FAILED, 0.0, objection)], 0.0, 0.0, self.log
            )
        status, cpu = self._execute()
        wall = time.monotonic() - start
        cases = self.read_cases(status)
        return Result(self, outcome.judge(cases, status, wall), wall, cpu, self.log)

    def _execute(self):
        """Exit status (negative: signal; None: time-out) and CPU seconds of the process and its children."""
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                self.command(),
                cwd=self.context.root,
                env=self.context.environment() | self.extra_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            timed_out = threading.Event()

            def stop():
                timed_out.set()
                os.killpg(process.pid, signal.SIGKILL)

            timer = threading.Timer(self.context.limit, stop)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        return (None if timed_out.is_set() else process.returncode), usage.ru_utime + usage.ru_stime

    def extra_environment(self):
        return {}


class PytestJob(Job):
    @property
    def junit(self):
        return self.files.with_suffix(".xml")

    def prepare(self):
        self.junit.unlink(missing_ok=True)

    def command(self):
        options = ["-q", "-p", "no:cacheprovider", "--color=no", "-o", "junit_family=xunit2"]
        return [sys.executable, "-m", "pytest", *options, f"--junitxml={self.junit}", str(self.source)]

    def read_cases(self, status):
        return outcome.from_junit(self.junit)


class CmockaJob(Job):
    @property
    def program(self):
        inside = self.source.relative_to(self.context.root / "tests").with_suffix("")
        return self.context.build / "tests" / self.variant / inside

    def prepare(self):
        if not self.program.exists():
            return f"{self.program} was not built: run `make test-programs`"
        return None

    def command(self):
        return [str(self.program)]

    def extra_environment(self):
        return {"CMOCKA_MESSAGE_OUTPUT": "TAP"}

    def read_cases(self, status):
        return outcome.from_tap(self.log.read_text(errors="replace"))


class FuzzJob(Job):
    """The kept corpus must pass, and so must what the fuzzer finds in the time it has."""

    def __init__(self, context, source, variant):
        super().__init__(context, source, variant)
        self.program = context.build / "tests" / "fuzz" / source.stem
        self.corpus = source.parent / "corpus" / source.stem.removeprefix("fuzz_")
        self.found = context.build / "tests" / "fuzz-corpus" / source.stem

    def prepare(self):
        self.found.mkdir(parents=True, exist_ok=True)
        if not self.program.exists():
            return f"{self.program} was not built: run `make test-programs`"
        if not self.corpus.is_dir() or not any(self.corpus.iterdir()):
            return f"no corpus in {self.corpus}"
        return None

    def command(self):
        base = [str(self.program), f"-artifact_prefix={self.files}-", "-timeout=10", "-rss_limit_mb=2048"]
        if self.variant == "corpus":
            return [*base, "-runs=0", str(self.corpus)]
        seconds = LONG_FUZZ_SECONDS if self.context.long else FUZZ_SECONDS
        return [*base, f"-max_total_time={seconds}", "-seed=1", str(self.found), str(self.corpus)]

    def read_cases(self, status):
        return [outcome.Case(self.variant, outcome.PASSED if status == 0 else outcome.FAILED, 0.0, "")]


def discover(context, paths=()):
    """Every job under tests/, or only those whose source lies under one of the paths."""
    tests = context.root / "tests"
    found = [PytestJob(context, source) for source in tests.rglob("test_*.py")]
    for source in tests.rglob("test_*.c"):
        found += [CmockaJob(context, source, kind) for kind in ("plain", "sanitize")]
    for source in (tests / "fuzz").glob("fuzz_*.c"):
        found += [FuzzJob(context, source, kind) for kind in ("corpus", "fuzz")]
    if not paths:
        return found
    wanted = [str((context.root / path).resolve()) for path in paths]
    return [job for job in found if any(under(str(job.source), path) for path in wanted)]


def under(source, path):
    return source == path or source.startswith(path.rstrip("/") + "/")
