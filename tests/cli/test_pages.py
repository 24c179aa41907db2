# SPDX-License-Identifier: Apache-2.0
"""What the pages say that the tool does is what it does."""

import re
import subprocess

import golden
import pytest

PAGES = [golden.ROOT / "README.md", *sorted((golden.ROOT / "docs").rglob("*.md"))]
WALKED = "add-a-protocol.md"  # its commands belong to a tree that it changes: tests/docs
TOOL = golden.BUILD / "weft"


def blocks(page):
    return re.findall(r"^```[^\n]*\n(.*?)^```", page.read_text(), re.M | re.S)


def transcripts(text):
    """Commands of the tool (those by its bare name only if an answer is shown), and what comes back."""
    found = re.findall(r"^\$ ((?:build/)?weft .*)\n((?:(?!\$ ).*\n)*)", text, re.M)
    return [(command, expected) for command, expected in found if expected or command.startswith("build/")]


def comes_back(expected, seen):
    """All of it; or, if the page has a line of three dots, the lines that it shows, in their order."""
    shown = [line.rstrip() for line in expected.splitlines()]
    came = iter([line.rstrip() for line in seen.splitlines()])
    if not any(line.strip() == "..." for line in shown):
        return shown == list(came)
    return all(line in came for line in shown if line.strip() != "...")


TRANSCRIPTS = [
    pytest.param(*step, id=f"{page.name}-{number}")
    for page in PAGES
    if page.name != WALKED
    for block in blocks(page)
    for number, step in enumerate(transcripts(block), 1)
]


@pytest.mark.parametrize(("command", "expected"), TRANSCRIPTS)
def test_transcript(command, expected):
    done = subprocess.run(
        ["bash", "-c", re.sub(r"^(build/)?weft", str(TOOL), command)],
        cwd=golden.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=golden.TIMEOUT,
        check=False,
    )
    assert comes_back(expected, done.stdout), done.stdout


def test_what_does_not_come_back_is_seen():
    for expected, seen in (("a\n", "a\n"), ("a\n ...\nd\n", "a\nb\nd \n"), ("b\n...\n", "a\nb\n")):
        assert comes_back(expected, seen)
    for expected, seen in (
        ("a\n", "a\nb\n"),
        ("b\n", "a\nb\n"),
        ("a\n...\nc\n", "a\nb\n"),
        ("b\na\n...\n", "a\nb\n"),
    ):
        assert not comes_back(expected, seen)


def commands(text):
    """Commands of the tool in a block, joined where a line is continued, without comments."""
    text = text.replace("\\\n", " ")
    return [
        re.split(r"\s#|\s\(|[|;&>]", match)[0].split()
        for match in re.findall(r"^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:build/)?weft (.*)", text, re.M)
    ]


def options_of(verb):
    done = subprocess.run([TOOL, verb, "--help"], capture_output=True, text=True, check=False)
    return set(re.findall(r"^  (?:(-\w), |    )(--[\w-]+)", done.stdout, re.M))


def unknown_options(words):
    known = {name for pair in options_of(words[0]) for name in pair}
    if "--" in words:  # behind it stands another command
        words, rest = words[: words.index("--")], words[words.index("--") + 1 :]
        if rest[0].endswith("weft"):
            return unknown_options(words) + unknown_options(rest[1:])
    return [word for word in words[1:] if word.startswith("-") and word.split("=")[0] not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_are_possible(page):
    """Verbs and options that a page shows exist."""
    for block in blocks(page):
        for words in commands(block):
            if words and not words[0].startswith("-") and words[0].islower():
                assert not unknown_options(words), " ".join(words)


def test_impossible_commands_are_seen():
    assert unknown_options(["run", "mix", "-b", "null:tiny", "--seed=4"]) == []
    assert unknown_options(["run", "mix", "--sead", "4"]) == ["--sead"]
    assert unknown_options(["walk", "--seed", "4"]) == ["--seed"]
    inner = ["--", "weft", "run", "mix", "--sead", "4"]
    assert unknown_options(["vboard", "--front", "uart", "--fast", *inner]) == ["--fast", "--sead"]
    assert commands("$ build/weft run mix -b rtl:tiny   # why\n") == [["run", "mix", "-b", "rtl:tiny"]]
