# SPDX-License-Identifier: Apache-2.0
"""The kept table of what tracks copies is of these sources, has every kind, and agrees with weft config."""

import dataclasses
import json
import pathlib
import sys

import pytest
from support.weft import tool

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sim", "sw/setup", "rtl/config")]
import boards  # noqa: E402
import parts  # noqa: E402
import protocols  # noqa: E402
import report  # noqa: E402


@pytest.fixture(scope="module")
def kept():
    return json.loads(parts.path().read_text())


def rows(kept, config):
    return {row["part"]: row for row in kept["rows"] if row["config"] == config}


def test_is_of_these_sources():
    reason = parts.stale()
    assert not reason, f"{reason}: run `make fpga` and commit fpga/reports"


def test_page_is_made_from_it(kept):
    assert parts.path().with_suffix(".md").read_text() == parts.page(kept)


@pytest.mark.parametrize("config", parts.CONFIGS)
def test_every_kind_is_there(kept, config):
    found = rows(kept, config)
    directories = [row["name"] for row in protocols.tracked() if row["tracker"] == "directory"]
    assert {f"directory, {name}" for name in directories} < set(found)
    assert {"timestamp storage unit", "leases in an L1", "leases in an L2 bank"} < set(found)
    for row in found.values():
        assert all(row[key] > 0 for key in ("luts", "ffs", "ram_bits", "mhz")), row
        assert row["luts"] < boards.find(boards.DEFAULT).luts and row["mhz"] < 500


@pytest.mark.parametrize("config", parts.CONFIGS)
@pytest.mark.parametrize("part", ["directory, baseline", "timestamp storage unit"])
def test_ram_is_what_storage_says(kept, config, part):
    """Two ways to one number: the bits of the synthesised RAM, and `weft config --storage` (one bank)."""
    protocol, key = ("baseline", "directory") if "directory" in part else ("halcone-weak", "tsu")
    storage = tool("config", config, "--storage", "--protocol", protocol, "--json").json[key]
    assert (rows(kept, config)[part]["ram_bits"] + 7) // 8 == storage["built_total_bytes"]


def test_other_sources_are_noticed(monkeypatch):
    part = parts.all_parts()[0]
    assert parts.digest(part) == parts.digest(dataclasses.replace(part))
    assert parts.digest(part) != parts.digest(dataclasses.replace(part, changes=(*part.changes, "nodes=3")))
    before = parts.digest(part)
    monkeypatch.setattr(parts, "PLACE", [*parts.PLACE, "--seed", "2"])
    assert parts.digest(part) != before


def test_a_missing_or_a_stale_row_is_noticed(tmp_path, monkeypatch, kept):
    monkeypatch.setattr(report, "REPORTS", tmp_path)
    assert "there is no report" in parts.stale()
    old = [{**kept["rows"][0], "of": "another"}, *kept["rows"][1:]]
    for wrong in (kept["rows"][1:], old, [*kept["rows"], {**kept["rows"][0], "of": "more"}]):
        parts.path().write_text(json.dumps({"rows": wrong}))
        assert "made from other sources" in parts.stale()
    parts.path().write_text(json.dumps({"rows": kept["rows"]}))
    assert not parts.stale()
