# SPDX-License-Identifier: Apache-2.0
"""What every benchmark under tests/bench needs: progress on stderr, and its JSON with where it comes from."""

import json
import sys

from support import provenance
from support.weft import BUILD, tool


def say(bench, text):
    print(f"bench {bench}: {text}", file=sys.stderr, flush=True)


def configuration_hash(config):
    """The hash of a configuration, of which the RTL sources are a part."""
    return tool("config", config, "--json").json["provenance"]["hash"]


def keep(bench, config, result):
    """Writes build/bench/BENCH.json."""
    out = BUILD / "bench" / f"{bench}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    command = f"make bench BENCH={bench}"
    content = {**result, "provenance": provenance.of(command, configuration_hash(config))}
    fresh = out.with_suffix(".new")
    fresh.write_text(json.dumps(content, indent=1) + "\n")
    fresh.replace(out)
    say(bench, f"written to {out}")
