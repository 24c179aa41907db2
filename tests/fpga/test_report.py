# SPDX-License-Identifier: Apache-2.0
"""The kept report of `ulx3s` is of these sources, fits its part, and adds up."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sw/setup", "rtl/config")]
import ecp5  # noqa: E402
import generate  # noqa: E402
import report  # noqa: E402

NAME = "ulx3s"
UNITS = "node l1 l2 directory forward fetches misses atomic memory link switch_fabric counters host_regs"


@pytest.fixture(scope="module")
def kept():
    return report.load(NAME)


def test_is_of_these_sources():
    reason = report.stale(NAME)
    assert not reason, f"{reason}: run `make fpga` and commit fpga/reports"


def test_fits(kept):
    assert not report.too_large(kept)
    for key, offer in report.OFFERS.items():
        assert 0 < kept[key] <= offer
        assert kept["fits"]["percent"][key] == round(100 * kept[key] / offer, 1)


def test_whole_is_its_cells(kept):
    assert ecp5.count(kept["cells"]) == {key: kept[key] for key in report.OFFERS}


def test_units(kept):
    """Every unit is there, its parts are within it, and all together are about the whole."""
    units = kept["units"]
    assert set(UNITS.split()) <= set(units)
    nodes = generate.resolve(NAME)["nodes"]
    assert units["node"]["instances"] == units["l2"]["instances"] == nodes
    assert units["link"]["instances"] == 2 * nodes
    for key in report.OFFERS:
        assert units["l2"][key] >= units["directory"][key] + units["forward"][key] + units["atomic"][key]
        together = sum(row["own"][key] for row in units.values())
        assert together == pytest.approx(kept[key], rel=0.25)


def test_page_is_made_from_it(kept):
    assert report.path_of(NAME).with_suffix(".md").read_text() == report.table(kept)
