# SPDX-License-Identifier: Apache-2.0
"""The table of proofs (proofs*.toml), and each of its rows as a question with the answer that it must get."""

import dataclasses
import tomllib

import engine
from support import runner

# Proved like the others, but there only because the induction needs them: what is inside the unit.
INVARIANT = "induct_"
INHERITED = ("top", "sources", "shapes", "depth", "cover")
KINDS = ("induction", "bounded", "cover", "refutation")


@dataclasses.dataclass(frozen=True)
class Proof:
    name: str
    top: str
    sources: list
    shapes: list
    depth: int
    cover: int
    config: list = ()
    broken: list = ()
    slow: bool = False
    multiclock: bool = (
        False  # clocks are inputs like others; a cycle is then a moment in which something may change
    )
    bounded: bool = (
        False  # for runs of `depth` cycles, by whose end all is over: that is one of its properties
    )


@dataclasses.dataclass(frozen=True)
class Result:
    """One row of the outcome; `good` is whether it is as it must be."""

    proof: str
    shape: dict
    kind: str  # induction, bounded, cover or refutation
    depth: int
    properties: list
    good: bool
    text: str
    seconds: float


def load():
    rows = {}
    for path in sorted(engine.HERE.glob("proofs*.toml")):
        rows |= tomllib.loads(path.read_text())
    return {name: Proof(name=name, **complete(rows, row)) for name, row in rows.items()}


def complete(rows, row):
    """A row, with what it takes over from the one that it is like."""
    own = {key: value for key, value in row.items() if key != "like"}
    inherited = rows[row["like"]] if "like" in row else {}
    return {key: value for key, value in inherited.items() if key in INHERITED} | own


def label(proof, shape, *more):
    return "-".join([proof.name, *(f"{key}{value}" for key, value in shape.items()), *more])


def short(names):
    """Labels without the generate blocks in which they stand, each once."""
    return list(dict.fromkeys(name.rsplit(".", 1)[-1] for name in names))


def mutant(broken):
    """The change of the sources; none for a seeded fault, which is in them already."""
    return None if "fault" in broken else runner.Mutant(broken["name"], broken["old"], broken["new"])


def fault(broken):
    """The fault's number as a parameter of the property module, and the configuration that has it."""
    names = [row["name"] for row in engine.generate.FAULTS]
    return {"Fault": names.index(broken["fault"]) + 1, "faults": 1} if "fault" in broken else {}


def prove(proof, shape, change=None):
    more = [change.name] if change else []
    kind, name = "bounded" if proof.bounded else "induction", label(proof, shape, *more)
    if proof.bounded:
        answer = engine.ask_sat(proof, shape, proof.depth, name, change)
    else:
        answer = engine.ask(proof, shape, "prove", proof.depth, name, change)
    good = answer.status == "PASS" and bool(answer.properties)
    if good:
        text = "proved"
    else:
        what = answer.failed or answer.not_inductive or "see"
        text = f"{answer.status}: {what}, {answer.log}"
    return Result(proof.name, shape, kind, proof.depth, short(answer.properties), good, text, answer.seconds)


def cover(proof, shape):
    answer = engine.ask(proof, shape, "cover", proof.cover, label(proof, shape, "cover"))
    good = answer.status == "PASS" and bool(answer.properties)
    text = "reached" if good else f"{answer.status}: {' '.join(answer.unreached) or 'see'}, {answer.log}"
    return Result(
        proof.name, shape, "cover", proof.cover, short(answer.properties), good, text, answer.seconds
    )


def refute(proof, broken):
    """The property does not hold in the variant, and the solver shows the run."""
    shape, wanted = proof.shapes[0] | fault(broken), broken["refutes"]
    name = label(proof, {}, "broken", broken["name"])
    if proof.bounded:
        answer = engine.ask_sat(proof, shape, broken["depth"], name, mutant(broken), wanted)
    else:
        answer = engine.ask(proof, shape, "bmc", broken["depth"], name, mutant(broken), wanted)
    good = answer.status == "FAIL" and answer.failed.rsplit(".", 1)[-1] == wanted
    text = f"refuted in cycle {answer.step}" if good else f"NOT REFUTED ({answer.status}), {answer.log}"
    return Result(proof.name, shape, "refutation", broken["depth"], [wanted], good, text, answer.seconds)
