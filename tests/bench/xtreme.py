#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HALCONE's Xtreme programs: `weft bench xtreme`, its JSON where the others are."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import paper_bench  # noqa: E402

if __name__ == "__main__":
    sys.exit(paper_bench.main("xtreme"))
