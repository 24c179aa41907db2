# SPDX-License-Identifier: Apache-2.0
"""Proofs of proofs.toml that are not slow: in the first shape, with covers and the first two broken variants.

WEFT_LONG=1, and `make formal` anyway: all proofs, all shapes, all variants.
"""

import dataclasses

import prove
import pytest
import table
from support.weft import LONG

PROOFS = table.load()


def cases(pick):
    """One test case per thing that `pick` finds in a proof, named after it."""
    proofs = [proof for proof in PROOFS.values() if LONG or not proof.slow]
    found = [(proof, thing) for proof in proofs for thing in pick(proof)]
    return pytest.mark.parametrize(
        "proof,thing", found, ids=[table.label(p, t) if "refutes" not in t else t["name"] for p, t in found]
    )


def shapes(proof):
    return proof.shapes if LONG else proof.shapes[:1]


def variants(proof):
    return proof.broken if LONG else proof.broken[:2]


@cases(shapes)
def test_proved(proof, thing):
    result = table.prove(proof, thing)
    assert result.good, result.text


@cases(lambda proof: [] if proof.bounded else shapes(proof))
def test_not_vacuous(proof, thing):
    result = table.cover(proof, thing)
    assert result.good, result.text


@cases(variants)
def test_broken_variant_is_refuted(proof, thing):
    result = table.refute(proof, thing)
    assert result.good, result.text


def test_every_proof_has_broken_variants():
    assert all(proof.broken for proof in PROOFS.values())


def test_a_wrong_design_is_not_proved(capsys):
    """What fails is named, and the whole fails with it."""
    arbiter = PROOFS["arbiter"]
    variant = next(row for row in arbiter.broken if row["name"] == "grants-two")
    result = table.prove(arbiter, arbiter.shapes[0], table.mutant(variant))
    assert not result.good and "FAIL" in result.text and "grants_" in result.text
    assert prove.summary([dataclasses.asdict(result)]) == 1
    assert "1 failed" in capsys.readouterr().out


def test_a_cover_out_of_reach_is_named():
    result = table.cover(dataclasses.replace(PROOFS["fifo"], cover=2), PROOFS["fifo"].shapes[0])
    assert not result.good and "reach_full" in result.text


def test_a_right_design_is_not_refuted():
    """A variant that changes nothing must be found out."""
    text = "grant_o = pool &"
    same = {"name": "same", "old": text, "new": text, "refutes": "grants_at_most_one", "depth": 3}
    assert not table.refute(PROOFS["arbiter"], same).good


def test_a_variant_whose_text_is_gone_is_an_error():
    gone = {"name": "gone", "old": "no such text", "new": "", "refutes": "grants_at_most_one", "depth": 3}
    with pytest.raises(ValueError, match="must stand once"):
        table.refute(PROOFS["arbiter"], gone)


def test_unknown_name(capsys):
    assert prove.main(["--only", "nothing"]) == 2
    assert "no proof 'nothing': one of fifo" in capsys.readouterr().err
