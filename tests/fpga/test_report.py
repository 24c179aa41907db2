# SPDX-License-Identifier: Apache-2.0
"""The kept report of `ulx3s` is of these sources, fits its part, and adds up."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sim", "sw/setup", "rtl/config")]
import boards  # noqa: E402
import ecp5  # noqa: E402
import generate  # noqa: E402
import report  # noqa: E402
import timing  # noqa: E402

NAME = "ulx3s"
BOARD = boards.find(NAME)
UNITS = "node l1 l2 directory forward fetches misses atomic memory link switch_fabric counters host_regs "
UNITS += "bridge uart ft245"


@pytest.fixture(scope="module")
def kept():
    return report.load(NAME)


def test_is_of_these_sources():
    reason = report.stale(NAME)
    assert not reason, f"{reason}: run `make fpga` and commit fpga/reports"


def test_fits(kept):
    assert not report.too_large(kept)
    for key, offer in BOARD.offers.items():
        assert 0 < kept[key] <= offer
        assert kept["fits"]["percent"][key] == round(100 * kept[key] / offer, 1)


def test_is_fast_enough(kept):
    """Every clock, and the ways between the host's and the fabric's, which are one."""
    assert not timing.misses(kept, BOARD.clock_hz)
    assert {"fabric", "host", "ft_clk", "host to fabric", "fabric to host"} <= set(kept["clocks"])
    assert BOARD.mhz <= kept["fmax_mhz"] * timing.TOLERANCE
    assert kept["fmax_mhz"] == min(
        row["achieved_mhz"] for name, row in kept["clocks"].items() if name != "ft_clk"
    )


def test_what_limits_is_named(kept):
    path = kept["critical_path"]
    if not kept["routed"]:
        assert path is None
        pytest.skip("placed and not routed: nextpnr tells of no path")
    assert path["from"] and path["to"] and "$" not in path["from"] + path["to"]
    assert path["ns"] == pytest.approx(path["logic_ns"] + path["wires_ns"], abs=0.05)
    assert path["ns"] == pytest.approx(1000 / kept["fmax_mhz"], rel=0.02)
    assert sum(step["ns"] for step in path["steps"]) == pytest.approx(path["ns"], abs=0.5)


def test_placed_is_what_was_synthesised(kept):
    # The outputs of the FT245 lie in their pads: eight data lines, each with a register for its release, and
    # three strobes.
    lines, strobes = 8, 3
    assert kept["placed"]["IOLOGIC"] + kept["placed"]["SIOLOGIC"] == lines + strobes
    assert kept["placed"]["TRELLIS_FF"] + 2 * lines + strobes == kept["ffs"]
    assert kept["placed"]["DP16KD"] == kept["brams"]
    assert kept["luts"] <= kept["placed"]["TRELLIS_COMB"] <= BOARD.luts
    assert kept["placed"]["DCCA"] == 3


def test_whole_is_its_cells(kept):
    assert ecp5.count(kept["cells"]) == {key: kept[key] for key in BOARD.offers}


def test_units(kept):
    """Every unit is there, its parts are within it, and all together are about the whole."""
    units = kept["units"]
    assert set(UNITS.split()) <= set(units)
    nodes = generate.resolve(NAME)["nodes"]
    assert units["node"]["instances"] == units["l2"]["instances"] == nodes
    assert units["link"]["instances"] == 2 * nodes
    for key in BOARD.offers:
        assert units["l2"][key] >= units["directory"][key] + units["forward"][key] + units["atomic"][key]
        together = sum(row["own"][key] for row in units.values())
        assert together == pytest.approx(kept[key], rel=0.25)


def test_page_is_made_from_it(kept):
    assert report.path_of(NAME).with_suffix(".md").read_text() == report.table(kept)
