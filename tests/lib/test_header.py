# SPDX-License-Identifier: Apache-2.0
"""The public header: it compiles alone, as C and as C++; its example runs; the libraries keep to it."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
HEADERS = sorted((ROOT / "sw" / "include" / "weft").glob("*.h"))
INCLUDE = f"-I{ROOT / 'sw' / 'include'}"
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
LIBRARIES = ["-lusb-1.0", "-ldl", "-lm", "-lpthread"]


def run(*command, **options):
    return subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True, **options
    )


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
@pytest.mark.parametrize("language", ["c -std=c11", "c++ -std=c++11"])
def test_compiles_alone(header, language, tmp_path):
    source = tmp_path / "alone.c"
    source.write_text(
        f"#include <weft/{header.name}>\n#include <weft/{header.name}>\nint main(void) {{ return 0; }}\n"
    )
    compiler = "c++" if language.startswith("c++") else "cc"
    run(compiler, "-x", *language.split(), *STRICT, INCLUDE, "-fsyntax-only", source)


def example():
    """The program in the header's first comment."""
    text = (ROOT / "sw" / "include" / "weft" / "weft.h").read_text()
    comment = text[text.index("A whole program:") : text.index("Rules that hold everywhere")]
    lines = [line.removeprefix(" *")[3:] for line in comment.splitlines()[1:]]
    kernel, _, rest = "\n".join(lines).partition("\n\n  struct weft *w".replace("  struct", "struct"))
    return (
        "#include <inttypes.h>\n#include <stdio.h>\n#include <weft/weft.h>\n"
        + kernel
        + "\nint main(void)\n{\nstruct weft *w"
        + rest.replace("weft_free(w);", 'printf("%" PRIu64 "\\n", sum);\nweft_free(w);')
        + "\nreturn 0;\n}\n"
    )


@pytest.mark.parametrize("library", ["libweft.a", "libweft.so"])
def test_the_example_works(library, tmp_path):
    source, program = tmp_path / "example.c", tmp_path / "example"
    source.write_text(example())
    # The example leaves out what to do with `sum` when a call fails, which the compiler notices.
    run(
        "cc",
        "-std=c11",
        *STRICT,
        "-Wno-maybe-uninitialized",
        INCLUDE,
        source,
        BUILD / library,
        *LIBRARIES,
        "-o",
        program,
    )
    result = run(program, env={"LD_LIBRARY_PATH": str(BUILD)}, cwd=tmp_path)
    assert result.stdout == "64\n"
    assert result.stderr == ""


def declared():
    text = "\n".join(header.read_text() for header in HEADERS)
    return set(re.findall(r"^WEFT_API [^;(]*?\b(weft_\w+)\(", text, re.MULTILINE))


def test_the_shared_library_shows_what_is_declared_and_no_more():
    table = run("nm", "-D", "--defined-only", BUILD / "libweft.so").stdout
    shown = {line.split()[-1] for line in table.splitlines()}
    assert shown == declared()


def test_the_static_library_keeps_to_its_prefix():
    table = run("nm", "-g", "--defined-only", BUILD / "libweft.a").stdout
    names = {line.split()[-1] for line in table.splitlines() if len(line.split()) == 3}
    assert not [name for name in names if not name.startswith("weft_")]


def test_the_tool_uses_the_public_headers_alone():
    for source in sorted((ROOT / "sw" / "tool").glob("*.[ch]")):
        included = re.findall(r'#include [<"]([^>"]+)[>"]', source.read_text())
        ours = [name for name in included if "/" in name and name.startswith("weft/")]
        local = [name for name in included if name.endswith(".h") and (source.parent / name).exists()]
        others = set(included) - set(ours) - set(local)
        assert not [name for name in others if (ROOT / "sw" / "lib" / name).exists()], source.name
