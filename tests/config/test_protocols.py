# SPDX-License-Identifier: Apache-2.0
"""The table of protocols: rows that cannot be used are refused with the cure; what follows from good ones."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "rtl" / "config"))
import generate  # noqa: E402
import protocols  # noqa: E402

GOOD = {"name": "my-own", "doc": "a protocol", "tracker": "directory", "entry": "2 * log2(sharers) + 1"}


def test_a_good_row():
    protocols.check(GOOD)


@pytest.mark.parametrize(
    "change,says",
    [
        ({"name": "My Own"}, "lower-case"),
        ({"name": "a--b"}, "lower-case"),
        ({"tracker": "crystal-ball"}, "none of none, directory"),
        ({"tracker": "none"}, "only that"),
        ({"entry": "sharers; drop"}, "no expression"),
        ({"entry": "nodes"}, "no expression"),
        ({"colour": "blue"}, "unknown key colour"),
    ],
)
def test_a_bad_row(change, says):
    with pytest.raises(ValueError, match=says):
        protocols.check(GOOD | change)


def test_a_row_that_lacks_something():
    for key in ("name", "doc", "tracker", "entry"):
        with pytest.raises(ValueError, match=key):
            protocols.check({k: v for k, v in GOOD.items() if k != key})


def test_names_differ_and_fit_the_register(tmp_path):
    table = tmp_path / "protocols.toml"
    row = '[[protocol]]\nname = "p{}"\ndoc = ""\ntracker = "none"\n'
    table.write_text("".join(row.format(i) for i in range(16)))
    assert len(protocols.load(table)) == 16
    for names in ([0, 0], range(17)):
        table.write_text("".join(row.format(i) for i in names))
        with pytest.raises(ValueError, match="names must differ"):
            protocols.load(table)


def test_what_is_built_in():
    assert generate.resolve("quad")["built.baseline"] == 1
    assert all(generate.resolve("tiny")[key] == 1 for key in protocols.parameters())
    assert generate.resolve("tiny", ["built.baseline=0"])["built.baseline"] == 0
    with pytest.raises(ValueError, match='only "all"'):
        protocols.expand({"protocols": "some"})


def test_a_new_row_needs_no_other_place(monkeypatch):
    """Everything that names protocols one by one is made from the table."""
    monkeypatch.setattr(protocols, "PROTOCOLS", [*protocols.PROTOCOLS, GOOD])
    assert protocols.enums()["protocol"]["values"][-1] == "my-own"
    assert protocols.parameters()["built.my-own"]["default"] == 0
    assert "ProtocolMyOwn: bits = 2 * $clog2(sharers) + 1;" in protocols.sv_functions()
    assert "directory_my_own #(" in protocols.sv_policies()
    assert "&weft_directory_my_own }" in protocols.c_table()
    assert "return 2 * log2_up(sharers) + 1;" in protocols.c_table()
