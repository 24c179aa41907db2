#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes weft.core (FuseSoC) and Bender.yml from rtl.f, so that no list of sources is kept by hand twice; and
rtl/home/directory_policies.sv from protocols.toml, so that no choice between protocols is.

manifests.py            write them
manifests.py --check    only say whether they are up to date
manifests.py --needs U  the files that the unit U needs, in order

Each unit is a target of its own: with the files that it needs, found from what instantiates what.
"""

import argparse
import functools
import pathlib
import re
import sys

import generate
import protocols
import sources

ROOT = generate.ROOT
DEFAULT_CONFIG = "quad"
OWN_CONFIG = "own_config"  # flag of whoever generates a configuration in a core of his own
HEAD = (
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# Written by rtl/config/manifests.py (`make manifests`). Do not edit.\n"
)


@functools.cache
def units():
    """Sources by module or package name, in the order of rtl.f; generated ones too."""
    return {pathlib.PurePath(name).stem: name for name in sources.listed()}


def is_generated(unit):
    return units()[unit].startswith(sources.GENERATED)


def is_package(unit):
    return unit.endswith("_pkg")


def text(unit):
    """A source without its comments; generated ones need packages alone, which stand in front of them."""
    if is_generated(unit):
        return ""
    if ROOT / "rtl" / units()[unit] == protocols.POLICIES:
        return protocols.sv_policies()  # as it will be
    source = (ROOT / "rtl" / units()[unit]).read_text()
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.S)


@functools.cache
def uses(unit):
    """Modules that a source instantiates, and packages that it names."""
    source = text(unit)
    found = re.findall(r"^\s*(\w+)\s+(?:#\s*\(|[ui]_\w+\s*\()", source, re.M)
    found += re.findall(r"\b(\w+)::", source)
    return {name for name in found if name in units() and name != unit}


def needs(unit):
    """A unit with everything below it, in the order of rtl.f."""
    found, todo = set(), [unit]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += uses(name)
    return [name for name in units() if name in found]


def modules():
    """What can be built by itself."""
    return [unit for unit in units() if not is_package(unit) and not is_generated(unit)]


# ---------------------------------------------------------------- FuseSoC


def choose_config():
    """A flag names the configuration; without one it is the default, unless another core brings its own."""
    names = generate.HARDWARE
    flags = [*names, OWN_CONFIG]
    other = "".join(f"!{flag} ? (" for flag in flags) + f"config_{DEFAULT_CONFIG}" + ")" * len(flags)
    return [*(f"{name} ? (config_{name})" for name in names), other]


def fusesoc():
    version = (ROOT / "VERSION").read_text().strip()
    own = [unit for unit in units() if not is_generated(unit)]
    out = [
        "CAPI=2:\n" + HEAD,
        f'name: "weft:fabric:weft:{version}"\n',
        'description: "A coherence fabric for multi-GPU machines; every unit is a target of its own"\n\n',
        "# --flag NAME chooses the configuration (rtl/config/configs.toml); "
        f"without a flag it is {DEFAULT_CONFIG}.\n",
        f"# --flag {OWN_CONFIG}: none; a core that depends on this one calls the generator itself.\n",
        "generators:\n  weft_config:\n    interpreter: python3\n    command: rtl/config/fusesoc.py\n",
        '    description: "Package, counters and registers of a configuration"\n',
        "    usage: |\n      config: a name of rtl/config/configs.toml\n      set: a list of KEY=VALUE\n",
        "generate:\n",
    ]
    for name in generate.HARDWARE:
        values = f"generator: weft_config, position: prepend, parameters: {{config: {name}}}"
        out.append(f"  config_{name}: {{{values}}}\n")
    out.append("\nfilesets:\n  waivers: {files: [tests/lint/verilator.vlt: {file_type: vlt}]}\n")
    out += [f"  {u}: {{files: [rtl/{units()[u]}], file_type: systemVerilogSource}}\n" for u in own]
    out.append("\ntargets:\n  default: &all\n    generate:\n")
    out += [f'      - "{line}"\n' for line in choose_config()]
    out.append(f"    filesets: [{', '.join(own)}]\n")
    out.append("  lint: &unit\n    <<: *all\n    toplevel: fabric\n    flow: lint\n")
    out.append("    flow_options: {tool: verilator, verilator_options: [-Wall]}\n")
    out.append(f"    filesets: [waivers, {', '.join(own)}]\n")
    for unit in modules():
        files = ", ".join(["waivers", *(name for name in needs(unit) if not is_generated(name))])
        out.append(f"  {unit}: {{<<: *unit, toplevel: {unit}, filesets: [{files}]}}\n")
    return "".join(out)


# ---------------------------------------------------------------- Bender


def bender():
    out = [
        HEAD,
        "# $WEFT_GEN is the folder that rtl/config/sources.py wrote a configuration into. All sources,\n",
        "# or, with the targets weft_unit and weft_NAME, only what the unit NAME needs.\n",
        "package:\n  name: weft\n  authors:\n    - The Weft authors\n\nsources:\n",
    ]
    users = {unit: [top for top in modules() if unit in needs(top)] for unit in units()}
    for unit, name in units().items():
        path = name.replace(sources.GENERATED, "$WEFT_GEN/") if is_generated(unit) else f"rtl/{name}"
        tops = ", ".join(["not(weft_unit)", *(f"weft_{top}" for top in users[unit])])
        target = "" if len(users[unit]) == len(modules()) else f"    target: any({tops})\n"
        out.append(f"  - files: [{path}]\n{target}")
    return "".join(out)


def manifests():
    return {
        ROOT / "weft.core": fusesoc(),
        ROOT / "Bender.yml": bender(),
        protocols.POLICIES: protocols.sv_policies(),
    }


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--needs", metavar="UNIT", choices=modules())
    args = parser.parse_args(argv)
    if args.needs:
        print("\n".join(units()[name] for name in needs(args.needs)))
        return 0
    if not args.check:
        for path, content in manifests().items():
            generate.write(path, content)
        return 0
    texts = manifests().items()
    old = [path.name for path, content in texts if not path.exists() or path.read_text() != content]
    if old:
        print(f"manifests.py: {', '.join(old)} out of date: run `make manifests`", file=sys.stderr)
    return int(bool(old))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
