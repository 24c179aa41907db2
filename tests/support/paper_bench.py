# SPDX-License-Identifier: Apache-2.0
"""A benchmark that the tool itself runs, `weft bench NAME`: its JSON and its cache where the others are."""

import subprocess

from support.weft import BUILD, ROOT


def main(name):
    kept = BUILD / "bench" / f"{name}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    cache = kept.parent / "cache"
    command = [BUILD / "weft", "bench", name, "--output", kept, "--cache", cache]
    return subprocess.run(command, cwd=ROOT).returncode
