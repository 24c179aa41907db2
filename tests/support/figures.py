# SPDX-License-Identifier: Apache-2.0
"""How fast a unit is: a figure that its cocotb test measures, holds to what is required, and leaves behind.

In a test:  figure("directory", "one entry back to back", count=steps, cycles=cycles, per_cycle=1)
From outside: Unit.run(..., figures=FILE), then read(FILE). `make bench` and `make baseline` do that with the
measure() of every test file that has one; the stimulus is the test's own.
"""

import json
import os
import pathlib

from support.bench import expect

VARIABLE = "WEFT_FIGURES"


def figure(unit, what, *, count, cycles, per_cycle):
    """`count` of something in `cycles` cycles, where `per_cycle` times as many are required."""
    enough = count >= per_cycle * cycles
    expect(f"{unit}: {what}: {count} in {cycles} cycles, {per_cycle} per cycle required", enough, True)
    path = os.environ.get(VARIABLE)
    if path:
        row = {"unit": unit, "what": what, "count": count, "cycles": cycles, "required_per_cycle": per_cycle}
        with pathlib.Path(path).open("a") as out:
            out.write(json.dumps(row) + "\n")


def read(path):
    path = pathlib.Path(path)
    return [json.loads(row) for row in path.read_text().splitlines()] if path.exists() else []
