# SPDX-License-Identifier: Apache-2.0
"""House rules that no linter knows: licence lines, links, pages, and nothing of one machine."""

import re

import pytest
from common import ROOT, files, name, tracked

CODE = tuple(".py .c .h .cpp .S .sv .sh .bash .fish .mk .toml .rdl .vlt .lua".split())
PAGES = files(".md")


def test_every_source_names_its_licence():
    missing = [
        name(path)
        for path in files(*CODE)
        if "SPDX-License-Identifier: Apache-2.0" not in path.read_text(errors="replace")[:400]
    ]
    assert not missing


def anchors(page):
    """What #names a page offers, made of its headings as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    found = []
    for heading in re.findall(r"^#+ +(.*)", text, re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.append(slug + (f"-{found.count(slug)}" if slug in found else ""))
    return found


def links(page):
    """Targets of links and pictures inside the tree, as (path, anchor or "")."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" not in target:
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


def broken_links(page):
    return [
        f"{path.name}#{anchor}"
        for path, anchor in links(page)
        if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path))
    ]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    assert broken_links(page) == []


def test_broken_links_are_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A `b`, c\n[a](#a-b-c) [b](#a-b) [c](page.md#no) [d](none.md) ![e](none.svg)\n")
    assert broken_links(page) == ["page.md#a-b", "page.md#no", "none.md#", "none.svg#"]


def test_every_page_can_be_found():
    """From some other page of the tree."""
    linked = {path for page in PAGES for path, _ in links(page) if path != page}
    assert not [name(page) for page in PAGES if page not in linked and page != ROOT / "README.md"]


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


def test_citation_says_what_it_must():
    """The fields that version 1.2.0 of the Citation File Format asks for, and ours."""
    text = (ROOT / "CITATION.cff").read_text()
    fields = dict(re.findall(r"^([a-z-]+): *(.*)$", text, re.M))
    assert fields["cff-version"] == "1.2.0"
    assert fields["type"] == "software"
    assert fields["license"] == "Apache-2.0"
    assert fields["message"] and fields["title"]
    assert re.search(r"^authors:\n  - (name|family-names): \S", text, re.M)
    known = (
        "abstract authors cff-version date-released doi keywords license message repository-code title type"
    )
    assert set(fields) <= {*known.split(), "url", "version"}
