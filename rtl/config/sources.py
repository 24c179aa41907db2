#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the SystemVerilog that is generated for a configuration: what rtl.f calls $GEN.

sources.py NAME [--set K=V ...] [--as LABEL] OUTDIR

weft_pkg.sv, weft_counters_pkg.sv, weft_registers_pkg.sv and weft_registers.sv; only what changed is written.
"""

import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parent
PACKAGE = "weft_pkg.sv"
GENERATED = "$GEN/"


def listed():
    """The names in rtl.f, in order, the package that comes before all of them included."""
    lines = (RTL / "rtl.f").read_text().splitlines()
    names = [re.sub("#.*", "", line).strip() for line in lines]
    return [GENERATED + PACKAGE, *(name for name in names if name)]


def generate(name, changes, label, folder):
    """All generated sources of a configuration; `label` is what it is called in them."""
    # Late, since reading rtl.f needs none of the wheels that registers.py needs.
    import registers
    from generate import check_hardware, resolve, sv_package, write

    values = resolve(name, changes)
    check_hardware(values)
    top = registers.compile_map()
    write(folder / PACKAGE, sv_package(label, values))
    write(folder / "weft_counters_pkg.sv", registers.sv_package(name, values, registers.counters(top)))
    registers.export_rtl(top, str(folder))


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("name")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--as", dest="label")
    parser.add_argument("out", type=pathlib.Path)
    args = parser.parse_args(argv)
    try:
        generate(args.name, args.set, args.label or args.name, args.out)
    except ValueError as error:
        print(f"sources.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"sources.py: cannot write {args.out}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
