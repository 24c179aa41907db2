# SPDX-License-Identifier: Apache-2.0
"""A page per unit: every module of rtl.f has one, and what a page names exists."""

import importlib.util
import re

import build_rtl
import generate
import pytest
import tools
from common import ROOT, name

HEADINGS = ["Parameters", "Latency and throughput", "Ports", "Order and stalls", "Implementation"]
MODULES = {
    path.stem: path for path in build_rtl.rtl_files(ROOT / "generated") if ROOT / "rtl" in path.parents
}
# Module to page, as the table of units has it.
ROWS = {
    module: ROOT / "docs" / "units" / page
    for row in (ROOT / "rtl" / "README.md").read_text().splitlines()
    if (link := re.search(r"\]\(\.\./docs/units/(\w+\.md)\) \|$", row))
    for module, page in ((module, link[1]) for module in re.findall(r"`(\w+)`", row.split("|")[1]))
}
PAGES = sorted(set(ROWS.values()))


def head(page):
    """What stands before the first section."""
    return page.read_text().split("\n## ")[0]


def sections(page):
    parts = re.split(r"^## (.*)\n", page.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def parameters(module):
    """Names of a module's parameters, those that are derived left out."""
    header = MODULES[module].read_text().split("\n);")[0]
    return re.findall(r"^\s*parameter\s[^=]*?(\w+)\s*=", header, re.M)


def counters():
    path = tools.build_directory() / "gen" / "weft_registers.py"
    spec = importlib.util.spec_from_file_location("weft_registers", path)
    view = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(view)
    return {re.sub(r"^cu\d+", "cuN", row["name"]) for row in view.COUNTERS}


@pytest.mark.parametrize("module", list(MODULES))
def test_module_is_on_a_page(module):
    assert module in ROWS, "not in the table of rtl/README.md, or without a page"
    words = {f"`{module}`", f"`{name(MODULES[module])}`"}
    assert any(word in ROWS[module].read_text() for word in words), f"{name(ROWS[module])} does not name it"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page_is_whole(page):
    found = [heading for heading in sections(page) if heading in HEADINGS]
    assert sorted(found) == sorted(HEADINGS)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page_names_source_model_test_and_counters(page):
    text = head(page)
    paths = re.findall(r"`((?:rtl|sw|tests)/[\w./]*)`", text)
    assert not [path for path in paths if not (ROOT / path).exists()]
    assert any(path.startswith("rtl/") for path in paths)
    assert any(path.startswith("tests/") for path in paths)
    for word in ("model", "counte"):
        assert word in text, f"says nothing of {word}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_counters_of_page_exist(page):
    known = counters()
    parameters_too = set(generate.CONFIGS["parameter"])
    groups = "|".join(sorted({re.escape(counter.rsplit(".", 1)[0]) for counter in known}))
    for counter in re.findall(rf"`((?:{groups})\.[\w*]+)`", head(page)):
        pattern = re.compile(counter.replace(".", r"\.").replace("*", ".*"))
        assert counter in parameters_too or any(map(pattern.fullmatch, known)), counter


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_parameters_of_page_exist(page):
    """The table has parameters of the modules or of a configuration, and none of the unit's is missing."""
    modules = [module for module, other in ROWS.items() if other == page]
    known = {parameter for module in modules for parameter in parameters(module)}
    known |= set(generate.CONFIGS["parameter"])
    rows = [row.split("|")[1] for row in sections(page)["Parameters"].splitlines() if row.startswith("|")]
    named = [word for row in rows for word in re.findall(r"`([^`]+)`", row)]
    assert not [word for word in named if word not in known]
    unit = re.search(r"`rtl/(?:\w+/)?(\w+)\.sv`", head(page))[1]
    assert unit in modules, "the first source that the page names is not its unit"
    assert not [parameter for parameter in parameters(unit) if parameter not in named]
