#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the `rtl` back-end of one configuration: build/rtl/NAME/libweft-rtl.so.

build_rtl.py NAME             a named configuration
build_rtl.py NAME-wave        the same with FST waves built in (slower, so it is a library of its own)
build_rtl.py NAME --netlist   the fabric synthesised for ECP5 in place of its source: build/netlist/NAME
build_rtl.py NAME --coverage  with counters of lines and toggles: build/coverage/rtl/NAME
build_rtl.py NAME --board     the whole board with an FTDI at its pins, for `weft vboard`: build/board/NAME
build_rtl.py NAME --board --netlist   the same, synthesised: build/board-netlist/NAME
build_rtl.py NAME --set nodes=8 --as octo

The library holds the Verilated fabric under sim_top, the shim, the lock-step checker and the model. It is
built again only if the hash of everything that goes into it has changed.
"""

import argparse
import fcntl
import hashlib
import os
import pathlib
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("sw/setup", "rtl/config", "fpga")]
import boards  # noqa: E402
import generate  # noqa: E402
import netlist  # noqa: E402
import protocols  # noqa: E402
import sources  # noqa: E402
import tools  # noqa: E402

# -O1 compiles in half the time of -O2 and runs a sixth slower; RTL_OPT=-O2 pays for long runs.
OPTIMISE = os.environ.get("RTL_OPT") or "-O1"
VERILATOR_FLAGS = (
    "--cc --assert --x-assign fast --x-initial fast --no-timing -Wno-fatal "
    "--output-split 10000 --output-split-cfuncs 2000"
).split()  # fmt: skip
COVERAGE_FLAGS = ["--coverage-line", "--coverage-toggle"]
CXX_FLAGS = ["-O2", "-fPIC", "-fvisibility=hidden", "-std=gnu++17", "-Wall", "-Wextra"]
C_FLAGS = [
    "-std=c11",
    "-O2",
    "-g",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
]
INCLUDES = ("sim", "sw/include", "sw/lib", "sw/model")


class Failure(Exception):
    """Something that the user must read; carries the exit code."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


class Target:
    """One library: where it lies and what goes into it."""

    def __init__(self, name, changes=(), alias=None, netlist=False, coverage=False, board=False):
        self.wave = name.endswith("-wave")
        self.config = name.removesuffix("-wave")
        self.set = changes
        self.netlist = netlist
        self.coverage = coverage
        self.board = board
        self.top = "board_top" if board else "sim_top"
        try:
            self.values = generate.resolve(self.config, self.set)
        except ValueError as error:
            raise Failure(str(error), 2) from error
        self.name = alias or self.config
        self.build = tools.build_directory()
        # A netlist takes the place of its source: WEFT_RTL_PATH=build/netlist makes rtl:NAME mean it, and
        # WEFT_BOARD_PATH=build/board-netlist the board of `weft vboard --config NAME`.
        kind = "coverage/rtl" if self.coverage else "board" if board else "rtl"
        if self.netlist:
            kind = "board-netlist" if board else "netlist"
        self.folder = self.build / kind / (self.name + "-wave" * self.wave)
        self.library = self.folder / ("libweft-board.so" if board else "libweft-rtl.so")
        self.generated = self.build / "gen" / self.name
        self.objects = self.folder / "obj"
        self.hash = generate.digest(self.values)
        self.clock_hz = boards.clock_of(self.config)

    def verilog(self):
        """Sources of the fabric: the generated package first, then rtl.f, or the netlist in its place."""
        sources = [self.generated / "weft_pkg.sv"]
        sources += netlist.sources(self) if self.netlist else rtl_files(self.generated)
        if self.board:
            own = [] if self.netlist else board_files()
            return [ROOT / "sim" / "board" / "board.vlt", *sources, *own]
        return sources + sorted((ROOT / "sim").glob("*.sv"))

    def verilator_flags(self):
        flags = [*VERILATOR_FLAGS, "--top-module", self.top, "--prefix", f"V{self.top}"]
        if self.board and not self.netlist:
            flags += [f"-GClockHz={self.clock_hz}"]
        if self.wave:
            flags += ["--trace-fst", "--trace-structs"]
        if self.coverage:
            flags += COVERAGE_FLAGS
        return flags + netlist.VERILATOR_FLAGS if self.netlist else flags

    def c_sources(self):
        if self.board:
            return sorted((ROOT / "sim" / "board").glob("*.c"))
        found = sorted((ROOT / "sim").glob("*.c")) + sorted((ROOT / "sw" / "model").glob("*.c"))
        found.append(ROOT / "sw" / "lib" / "ports.c")  # one order of presentation for every back-end
        return found + sorted((self.build / "gen" / "c").glob("*.c"))

    def cxx_sources(self):
        return sorted((ROOT / "sim" / "board" if self.board else ROOT / "sim").glob("*.cpp"))

    def headers(self):
        if self.board:
            return sorted((ROOT / "sim" / "board").glob("*.h"))
        folders = [ROOT / folder for folder in INCLUDES] + [
            ROOT / "sw/include/weft",
            self.build / "gen" / "c",
        ]
        return sorted(path for folder in folders for path in folder.glob("*.h"))

    def defines(self):
        return [
            f'-DWEFT_RTL_CONFIG="{self.name}"',
            f'-DWEFT_RTL_HASH="{self.hash}"',
            f"-DWEFT_RTL_WAVE={int(self.wave)}",
            *(["-DNETLIST"] if self.netlist else []),
            *([f"-DWEFT_BOARD_HZ={self.clock_hz}U"] if self.board else []),
        ]

    def generated_digest(self):
        """Hash of what the generated sources depend on; `hash` covers all but the generators themselves."""
        sha = hashlib.sha256(f"{self.name} {self.hash}".encode())
        for path in sorted((ROOT / "rtl" / "config").iterdir()):
            sha.update(path.read_bytes() if path.is_file() else b"")
        return sha.hexdigest()

    def fabric_digest(self):
        """Hash of what the Verilated fabric is made from; where the tree lies is not part of it."""
        how = (self.verilator_flags(), OPTIMISE, tools.verilator_version())
        return hash_files(hashlib.sha256(repr(how).encode()), self.verilog())

    def digest(self):
        """Hash of everything in the library."""
        sha = hashlib.sha256(repr((self.fabric_digest(), CXX_FLAGS, C_FLAGS, self.defines())).encode())
        return hash_files(sha, [*self.c_sources(), *self.cxx_sources(), *self.headers()])


def hash_files(sha, paths):
    for path in paths:
        sha.update(os.path.relpath(path, ROOT).encode() + b"\0" + path.read_bytes())
    return sha.hexdigest()


def rtl_files(generated):
    """The files of rtl/rtl.f; those that are generated for a configuration stand there as $GEN/NAME."""
    return [
        generated / name.removeprefix(sources.GENERATED)
        if name.startswith(sources.GENERATED)
        else ROOT / "rtl" / name
        for name in sources.listed()[1:]
    ]


def board_files():
    """What a board has around the fabric, without its pads."""
    return [ROOT / "fpga" / name for name in ("board_fabric.sv", "board_top.sv")]


def generate_sources(target):
    """Package, counters and register block of the configuration, if what they are made from has changed."""
    stamp, digest = target.generated / "stamp", target.generated_digest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    if protocols.POLICIES.read_text() != protocols.sv_policies():
        name = os.path.relpath(protocols.POLICIES, ROOT)
        raise Failure(f"{name} is not what protocols.toml says: run `make manifests`", 2)
    changes = [word for item in target.set for word in ("--set", item)]
    command = [sys.executable, str(ROOT / "rtl" / "config" / "sources.py"), target.config, *changes]
    run(target, "generating", [*command, "--as", target.name, str(target.generated)])
    stamp.write_text(digest)


def say(target, text):
    print(f"  RTL   {target.folder.name}: {text}", flush=True)


def run(target, what, command, env=None, cwd=None):
    """One step, its output in a log; a line every 20 s so that nobody thinks it hangs."""
    log = target.folder / "build.log"
    done = threading.Event()

    def progress():
        start = time.monotonic()
        while not done.wait(20):
            say(target, f"{what} ({time.monotonic() - start:.0f} s)")

    threading.Thread(target=progress, daemon=True).start()
    try:
        with log.open("ab") as out:
            out.write((" ".join(map(str, command)) + "\n").encode())
            out.flush()
            status = subprocess.run(
                command, stdout=out, stderr=subprocess.STDOUT, env=env, cwd=cwd
            ).returncode
    finally:
        done.set()
    if status:
        tail = "\n".join(line[:300] for line in log.read_text(errors="replace").splitlines()[-40:])
        raise Failure(f"{tail}\n{what} failed for {target.folder.name}: see {log}", 1)


def verilate(target):
    flags = [*target.verilator_flags(), "-Mdir", str(target.objects)]
    flags += [str(path) for path in target.verilog()]
    run(target, "verilating", [*tools.verilator(), *flags], env=tools.environment())


def compile_verilated(target, jobs):
    """The Verilated C++ and Verilator's run-time library, through the make file that Verilator wrote."""
    flags = " ".join(CXX_FLAGS[1:3])
    fast = netlist.OPTIMISE if target.netlist else OPTIMISE
    optimise = [f"OPT_FAST={fast}", "OPT_SLOW=-O0", f"OPT_GLOBAL={OPTIMISE}"]
    command = ["make", f"-j{jobs}", "-C", str(target.objects), "-f", f"V{target.top}.mk", *optimise]
    command += [
        f"CXX={os.environ.get('CXX') or 'g++'}",
        f"USER_CPPFLAGS={flags}",
        f"libV{target.top}.a",
        "libverilated.a",
    ]
    env = tools.environment()
    env.pop("MAKEFLAGS", None)
    run(target, "compiling the fabric", command, env=env)


def compile_rest(target, jobs):
    """Shim, lock-step checker and model; returns the objects."""
    verilated = tools.environment().get("VERILATOR_ROOT") or verilator_root_of_override()
    includes = [f"-I{ROOT / folder}" for folder in INCLUDES] + [f"-I{target.build / 'gen' / 'c'}"]
    includes += [f"-I{target.objects}", *(f"-isystem{verilated}/include{sub}" for sub in ("", "/vltstd"))]
    cxx_defines = [f"-DVM_TRACE={int(target.wave)}", f"-DVM_TRACE_FST={int(target.wave)}"]
    cxx_defines += [f"-DVM_COVERAGE={int(target.coverage)}"]
    werror = os.environ.get("WERROR", "").split()  # as the Makefile decides; makes no other library
    commands = []
    for source in target.c_sources():
        output = target.objects / f"{source.parent.name}-{source.stem}.c.o"
        commands.append((["gcc", *C_FLAGS, *werror, *target.defines(), *includes, "-c", str(source)], output))
    for source in target.cxx_sources():
        output = target.objects / f"{source.parent.name}-{source.stem}.cpp.o"
        cxx = [os.environ.get("CXX") or "g++", *CXX_FLAGS, *target.defines(), *cxx_defines]
        commands.append(([*cxx, *includes, "-c", str(source)], output))
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda c: run(target, f"compiling {c[1].stem}", [*c[0], "-o", str(c[1])]), commands))
    return [str(output) for _, output in commands]


def verilator_root_of_override():
    answer = subprocess.run(
        [*tools.verilator(), "--getenv", "VERILATOR_ROOT"], capture_output=True, text=True
    )
    return answer.stdout.strip()


def link(target, objects):
    """Links beside the old library and then takes its place, so that whoever has it loaded keeps it whole."""
    fresh = target.library.with_suffix(".new")
    archives = [str(target.objects / f"libV{target.top}.a"), str(target.objects / "libverilated.a")]
    waves = ["-Wl,--wrap=abort", "-lz", "-llz4"] if target.wave else []
    command = [
        os.environ.get("CXX") or "g++",
        "-shared",
        "-Wl,-Bsymbolic",
        "-o",
        str(fresh),
        *objects,
        *archives,
    ]
    run(target, "linking", [*command, *waves, "-lpthread", "-lm"])
    fresh.replace(target.library)


def build_fabric(target, jobs):
    """Verilates and compiles; the fabric only if its sources have changed. Returns the other objects."""
    digest, stamp = target.fabric_digest(), target.folder / "fabric.stamp"
    if stamp.exists() and stamp.read_text() == digest:
        return compile_rest(target, jobs)
    stamp.unlink(missing_ok=True)
    verilate(target)
    rest = compile_rest(target, jobs)  # first, since it is quick and changes most
    compile_verilated(target, jobs)
    stamp.write_text(digest)
    return rest


def build(target, jobs):
    target.folder.mkdir(parents=True, exist_ok=True)
    with (target.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        generate_sources(target)
        if target.netlist:
            netlist.synthesise(target, run)
        digest, stamp = target.digest(), target.folder / "stamp"
        if target.library.exists() and stamp.exists() and stamp.read_text() == digest:
            return
        (target.folder / "build.log").unlink(missing_ok=True)
        start = time.monotonic()
        say(target, "verilating and compiling")
        rest = build_fabric(target, jobs)
        link(target, rest)
        stamp.write_text(digest)
        say(target, f"built in {time.monotonic() - start:.0f} s: {os.path.relpath(target.library)}")


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("name")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--as", dest="alias", help="name of the result, for a configuration changed by --set")
    parser.add_argument("--netlist", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--board", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args(argv)
    if args.set and not args.alias:
        parser.error("--set changes a named configuration: give the result a name with --as")
    try:
        build(Target(args.name, args.set, args.alias, args.netlist, args.coverage, args.board), args.jobs)
    except FileNotFoundError as error:
        print(f"build_rtl.py: {error}", file=sys.stderr)
        return 4
    except Failure as failure:
        print(f"build_rtl.py: {failure}", file=sys.stderr)
        return failure.code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
