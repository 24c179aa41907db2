# SPDX-License-Identifier: Apache-2.0
"""One question to the solver: writes the design and its .sby file into a folder, runs sby, reads the answer.

The sources are copied, so that a broken variant is a change of the copy. Values that the source leaves
undefined ('x) are free: what is proved holds for each of them.
"""

import dataclasses
import os
import re
import shutil
import subprocess
import time

from support import runner

ROOT, tools, generate = runner.ROOT, runner.tools, runner.generate
HERE = ROOT / "tests" / "formal"
LIMIT = 1800  # seconds for one question
OWN = "own assertion of the unit"  # those have no label


@dataclasses.dataclass(frozen=True)
class Answer:
    """What sby said."""

    status: str  # PASS, FAIL, UNKNOWN, TIMEOUT or ERROR
    properties: tuple  # labels that went into the question
    failed: str  # of a refutation: the label of the property that does not hold
    step: int  # and the cycle in which it does not
    not_inductive: str  # of an induction that fails: the label that does not follow
    unreached: tuple  # covers that no run reaches
    seconds: float
    log: str


def parameters(shape):
    """What of a shape is the property module's: Depth. The rest changes the configuration: nodes."""
    return {key: value for key, value in shape.items() if key[0].isupper()}


def package(config, shape):
    """weft_pkg.sv of a configuration, its changes and the shape's. Its hash is of no matter to a proof."""
    own = parameters(shape)
    changes = [f"{key}={value}" for key, value in shape.items() if key not in own]
    values = generate.resolve(config[0], [*config[1:], *changes])
    return re.sub(r"256'h\w+", f"256'h{runner.HASH}", generate.sv_package(config[0], values))


def source_texts(proof, shape, mutant):
    """File name to text, in the order in which they are read."""
    texts = {ROOT / "rtl" / name: (ROOT / "rtl" / name).read_text() for name in proof.sources}
    if mutant:
        texts = mutant.apply(texts)
    named = {"weft_pkg.sv": package(proof.config, shape)} if proof.config else {}
    named |= {path.name: text for path, text in texts.items()}
    return named | {f"{proof.top}.sv": (HERE / f"{proof.top}.sv").read_text()}


def script(proof, shape, files, only):
    """Yosys commands; `only` keeps one assertion, so that a refutation is one of it and of no other."""
    settings = " ".join(f"-G {key}={value}" for key, value in parameters(shape).items())
    lines = [
        f"read_slang -j 1 --top {proof.top} {settings} {' '.join(files)}",
        "proc",
        "setundef -anyseq",
        f"prep -top {proof.top}",
    ]
    if only:
        lines.append(f"chformal -assert -remove */t:$check */t:$assert %u */c:{only} %d")
        lines.append(f"select -assert-count 1 */c:{only}")
    return lines


def recipe(proof, shape, mode, depth, files, only):
    sections = {
        "options": [f"mode {mode}", f"depth {depth}", f"timeout {LIMIT}"]
        + ["multiclock on"] * proof.multiclock,
        "engines": ["smtbmc z3"],
        "script": script(proof, shape, files, only),
        "files": files,
    }
    return "".join(f"[{name}]\n" + "\n".join(lines) + "\n\n" for name, lines in sections.items())


def ask(proof, shape, mode, depth, label, mutant=None, only=None):
    """Runs sby in build/formal/LABEL."""
    folder = tools.build_directory() / "formal" / label
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    texts = source_texts(proof, shape, mutant)
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "ask.sby").write_text(recipe(proof, shape, mode, depth, list(texts), only))
    start = time.monotonic()
    subprocess.run(
        [*tools.sby(), "-f", "-d", "run", "ask.sby"], cwd=folder, env=tools.environment(), capture_output=True
    )
    return read_answer(folder, time.monotonic() - start)


def ask_sat(proof, shape, depth, label, mutant=None, only=None):
    """The same of a bounded proof, without sby: no run of `depth` cycles from reset violates an assertion.
    Wide data paths are bits to Yosys's own SAT solver; z3 is slow on them."""
    folder = tools.build_directory() / "formal" / label
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    texts = source_texts(proof, shape, mutant)
    for name, text in texts.items():
        (folder / name).write_text(text)
    lines = [line for line in script(proof, shape, list(texts), only) if not line.startswith("setundef")]
    lines += [
        "flatten",
        "chformal -cover -remove",
        "tee -o asserts.txt select -list t:$check",
        "chformal -lower",
    ]
    lines += ["memory_map", "setundef -zero", "opt -full"]
    lines += [f"sat -tempinduct-baseonly -maxsteps {depth} -prove-asserts -set-assumes -set-init-zero"]
    (folder / "ask.ys").write_text("\n".join(lines) + "\n")
    start = time.monotonic()
    command = [*tools.yosys(), "-q", "-l", "log.txt", "ask.ys"]
    subprocess.run(command, cwd=folder, env=tools.environment(), capture_output=True, timeout=LIMIT)
    return read_sat(folder, only, time.monotonic() - start)


def read_sat(folder, only, seconds):
    log, asserts = folder / "log.txt", folder / "asserts.txt"
    text = log.read_text(errors="replace") if log.exists() else ""
    proved = "proved base case" in text
    failed = "model found for base case: FAIL" in text
    steps = re.findall(r"\[base case (\d+)\]", text)
    names = [line.rsplit("/", 1)[-1] for line in asserts.read_text().split()] if asserts.exists() else []
    return Answer(
        status="PASS" if proved else "FAIL" if failed else "ERROR",
        properties=tuple(name for name in names if not name.startswith(("$", "_"))),
        failed=(only or "an assertion") if failed else "",
        step=int(steps[-1]) if failed and steps else -1,
        not_inductive="",
        unreached=(),
        seconds=seconds,
        log=os.path.relpath(log),
    )


def read_answer(folder, seconds):
    log = folder / "run" / "logfile.txt"
    text = log.read_text(errors="replace") if log.exists() else ""
    done = re.search(r"DONE \((\w+), rc=", text)
    failed = re.search(r"failed assertion \w+\.(\S+) at .* step (\d+)", text)
    stuck = re.search(r"induction: .* Assert failed in \w+: (\S+)", text)
    return Answer(
        status=done[1] if done else "ERROR",
        properties=labels(folder / "run" / "model" / "design_smt2.smt2"),
        failed=failed[1] if failed else "",
        step=int(failed[2]) if failed else -1,
        not_inductive=stuck[1] if stuck else "",
        unreached=tuple(re.findall(r"Unreached cover statement at \w+: (\S+)", text)),
        seconds=seconds,
        log=os.path.relpath(log),
    )


def labels(smt2):
    """What the solver was really asked: the assertions and covers of the design as it was handed over."""
    if not smt2.exists():
        return ()
    found = re.findall(r"^; yosys-smt2-(?:assert|cover) \d+ (\S+)", smt2.read_text(), re.M)
    return tuple(OWN if name.startswith("_witness_") else name for name in found)
