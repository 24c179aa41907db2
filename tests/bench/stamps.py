#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What leases cost on the links, exchange by exchange: `weft bench stamps`, its JSON where the others are."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import paper_bench  # noqa: E402

if __name__ == "__main__":
    sys.exit(paper_bench.main("stamps"))
