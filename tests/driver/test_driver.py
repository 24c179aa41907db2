# SPDX-License-Identifier: Apache-2.0
"""The test driver, on small trees of tests made for the purpose: what fails must make it fail."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

DRIVER = pathlib.Path(__file__).resolve().parents[1] / "run_tests.py"
PASSING = "def test_a():\n    pass\n\ndef test_b():\n    pass\n"


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "tests" / "unit").mkdir(parents=True)
    return tmp_path


def add_python(tree, text, name="test_x.py"):
    (tree / "tests" / "unit" / name).write_text(text)


def add_program(tree, script, kinds=("plain", "sanitize")):
    """A stand-in for a cmocka program: a shell script where the driver looks for the binary."""
    (tree / "tests" / "unit" / "test_c.c").write_text("/* built elsewhere */\n")
    for kind in kinds:
        program = tree / "build" / "tests" / kind / "unit" / "test_c"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)


def add_fuzzer(tree, script, corpus=True):
    folder = tree / "tests" / "fuzz"
    folder.mkdir()
    (folder / "fuzz_f.c").write_text("/* built elsewhere */\n")
    if corpus:
        (folder / "corpus" / "f").mkdir(parents=True)
        (folder / "corpus" / "f" / "seed").write_text("x")
    program = tree / "build" / "tests" / "fuzz" / "fuzz_f"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)


def drive(tree, *arguments):
    command = [sys.executable, str(DRIVER), "--root", str(tree), *arguments]
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "WEFT_"))}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)
    return done.returncode, done.stdout, done.stdout.splitlines()[-1]


def test_all_pass(tree):
    add_python(tree, PASSING)
    code, text, last = drive(tree)
    assert (code, last) == (0, "2 passed, 0 failed")
    assert re.search(r"^ok .*unit/test_x test_a", text, re.M)
    assert re.search(r"^unit +2 +0 ", text, re.M), "a row of the table of time"


def test_one_fails(tree):
    add_python(tree, PASSING + "\ndef test_c():\n    assert 1 == 2\n")
    code, text, last = drive(tree)
    assert (code, last) == (1, "2 passed, 1 failed")
    assert "assert 1 == 2" in text, "the log's end is shown"


def test_skips_are_counted(tree):
    add_python(
        tree, PASSING + "\nimport pytest\n@pytest.mark.skip(reason='later')\ndef test_c():\n    pass\n"
    )
    assert drive(tree)[::2] == (0, "2 passed, 0 failed, 1 skipped")


def test_only_skips_is_no_success(tree):
    add_python(tree, "import pytest\n@pytest.mark.skip(reason='later')\ndef test_c():\n    pass\n")
    assert drive(tree)[::2] == (1, "0 passed, 0 failed, 1 skipped")


def test_python_crash(tree):
    add_python(tree, "import os\ndef test_a():\n    os.abort()\n")
    code, text, last = drive(tree)
    assert (code, last) == (1, "0 passed, 1 failed")
    assert "signal 6" in text


def test_python_that_cannot_be_imported(tree):
    add_python(tree, "import there_is_no_such_module\n")
    assert drive(tree)[::2] == (1, "0 passed, 1 failed")


def test_file_without_cases(tree):
    add_python(tree, "# no tests here\n")
    add_python(tree, PASSING, "test_y.py")
    assert drive(tree)[::2] == (1, "2 passed, 1 failed")


def test_no_tests_at_all(tree):
    code, text, last = drive(tree)
    assert (code, last) == (1, "0 passed, 0 failed")
    assert "no tests were found" in text


def test_cmocka_passes_in_both_kinds(tree):
    add_program(tree, "echo 1..2; echo 'ok 1 - test_one'; echo 'ok 2 - test_two'\n")
    code, text, last = drive(tree)
    assert (code, last) == (0, "4 passed, 0 failed")
    assert "unit/test_c[sanitize] test_two" in text


def test_cmocka_fails(tree):
    add_program(tree, "echo 1..2; echo 'ok 1 - test_one'; echo 'not ok 2 - test_two'; exit 1\n")
    assert drive(tree)[::2] == (1, "2 passed, 2 failed")


def test_cmocka_crashes_before_its_last_case(tree):
    add_program(tree, "echo 1..2; echo 'ok 1 - test_one'; kill -SEGV $$\n")
    code, text, last = drive(tree)
    assert code == 1 and last == "2 passed, 4 failed"
    assert "2 cases planned, 1 reported" in text and "signal 11" in text


def test_cmocka_exit_code_counts(tree):
    add_program(tree, "echo 1..1; echo 'ok 1 - test_one'; exit 23\n")
    code, text, last = drive(tree)
    assert (code, last) == (1, "2 passed, 2 failed")
    assert "exit code 23" in text


def test_program_that_was_not_built(tree):
    add_program(tree, "echo 1..1; echo 'ok 1 - test_one'\n", kinds=("plain",))
    code, text, last = drive(tree)
    assert (code, last) == (1, "1 passed, 1 failed")
    assert "was not built" in text


def test_fuzzer_corpus_and_fuzzing_count_apart(tree):
    add_fuzzer(tree, "exit 0\n")
    assert drive(tree)[::2] == (0, "2 passed, 0 failed")


def test_fuzzer_finds_something(tree):
    add_fuzzer(tree, 'case "$*" in *max_total_time*) exit 77 ;; esac\n')
    assert drive(tree)[::2] == (1, "1 passed, 1 failed")


def test_fuzzer_without_corpus(tree):
    add_fuzzer(tree, "exit 0\n", corpus=False)
    assert drive(tree)[::2] == (1, "0 passed, 2 failed")


def test_paths_choose(tree):
    add_python(tree, PASSING)
    add_python(tree, "def test_c():\n    assert 0\n", "test_y.py")
    assert drive(tree, "tests/unit/test_x.py")[::2] == (0, "2 passed, 0 failed")
    assert drive(tree, "tests/elsewhere")[::2] == (1, "0 passed, 0 failed")


def test_real_cmocka_output(tree):
    """The words of cmocka itself: version 1.1 says `not ok` of a skipped case, later ones `ok`."""
    lines = [
        "TAP version 13",
        "1..4",
        "# Starting tests",
        "ok 1 - test_one",
        "not ok 2 - test_two",
        "# x.c:3: error: Failure!",
        "ok 3 # SKIP",
        "not ok 4 # SKIP test_four",
        "# not ok - tests",
    ]
    add_program(tree, "cat <<'END'\n" + "\n".join(lines) + "\nEND\nexit 1\n")
    assert drive(tree)[::2] == (1, "2 passed, 2 failed, 4 skipped")
