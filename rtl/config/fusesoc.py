#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FuseSoC's generator `weft_config`: the generated sources of a configuration as a core of their own.

FuseSoC calls it with a YAML file. Parameters: `config`, a name of configs.toml; `set`, a list of KEY=VALUE.
"""

import pathlib
import sys

import sources
import yaml


def core(vlnv):
    """The core that hands the generated files on, packages first as in rtl.f."""
    prefix = sources.GENERATED
    names = [name.removeprefix(prefix) for name in sources.listed() if name.startswith(prefix)]
    return {
        "name": vlnv,
        "filesets": {"generated": {"files": names, "file_type": "systemVerilogSource"}},
        "targets": {"default": {"filesets": ["generated"]}},
    }


def main(argv):
    call = yaml.safe_load(pathlib.Path(argv[0]).read_text())
    parameters = call["parameters"]
    folder = pathlib.Path.cwd()
    try:
        sources.generate(parameters["config"], parameters.get("set", []), parameters["config"], folder)
    except ValueError as error:
        print(f"weft_config: {error}", file=sys.stderr)
        return 2
    text = yaml.safe_dump(core(call["vlnv"]), sort_keys=False)
    (folder / "weft_config.core").write_text("CAPI=2:\n" + text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
