# SPDX-License-Identifier: Apache-2.0
"""House rules that no linter knows: licence lines, links, pages, and nothing of one machine."""

import re

import pytest
from common import ROOT, files, name, tracked

CODE = (".py", ".c", ".h", ".cpp", ".S", ".sv", ".sh", ".mk", ".toml", ".rdl", ".vlt")
PAGES = files(".md")


def test_every_source_names_its_licence():
    missing = [
        name(path)
        for path in files(*CODE)
        if "SPDX-License-Identifier: Apache-2.0" not in path.read_text(errors="replace")[:400]
    ]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    broken = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert not broken


def test_nothing_of_one_machine():
    """No path of somebody's machine and no package host in any tracked text."""
    pattern = re.compile(
        r"(?<![A-Za-z0-9_.])/(?:work|home|farm)/|/ro" + r"ot/|index-" + r"url|trusted-" + r"host"
    )
    bad = []
    for path in tracked():
        text = path.read_bytes()
        if b"\0" not in text and pattern.search(text.decode(errors="replace")):
            bad.append(name(path))
    assert not bad


def module_names():
    return [path.stem for path in files(".sv", under="rtl")]


@pytest.mark.parametrize("module", module_names())
def test_unit_stands_in_the_table(module):
    assert f"`{module}`" in (ROOT / "rtl" / "README.md").read_text()


@pytest.mark.parametrize("path", files(".sv", under="rtl"), ids=name)
def test_one_module_per_file(path):
    declared = re.findall(r"^(?:module|package)\s+(\w+)", path.read_text(), re.M)
    assert declared == [path.stem]


def test_versions_agree():
    version = (ROOT / "VERSION").read_text().strip()
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
