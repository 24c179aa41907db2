#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Payload of all bytes on the link: `weft bench goodput` on the model, its JSON where the others are."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support.weft import BUILD, ROOT  # noqa: E402

NAME = "goodput"


def main():
    kept = BUILD / "bench" / f"{NAME}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    cache = kept.parent / "cache"
    command = [BUILD / "weft", "bench", NAME, "--output", kept, "--cache", cache]
    return subprocess.run(command, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
