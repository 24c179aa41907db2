# SPDX-License-Identifier: Apache-2.0
"""What the tests of the litmus tester share."""

import pathlib

from support.weft import ROOT, tool

OWN = pathlib.Path("tests") / "litmus"
SHAPES = sorted((ROOT / OWN).glob("*/*.litmus"))
THIRD_PARTY = ROOT.parent / "shared" / "data" / "litmus"


def litmus(*arguments):
    return tool("litmus", *arguments, "--json")


def protocols(backend):
    return tool("info", "-b", backend, "--json").json["protocols"]
