#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Yosys by its command line, from the wheel `pyosys`, which is Yosys's machine code but brings no program.

yosys.py [-q] [-l LOG] SCRIPT ...     runs the scripts one after the other
yosys.py -V                           says its version

What Yosys prints goes to the log, or to nobody with -q alone; an error to standard error, with exit code 1.
Only what this tree, and sby for it, ask of Yosys.
"""

import argparse
import os
import sys


def arguments(argv):
    parser = argparse.ArgumentParser(prog="yosys")
    parser.add_argument("-V", dest="version", action="store_true")
    parser.add_argument("-q", dest="quiet", action="store_true")
    parser.add_argument("-l", dest="log")
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT")
    return parser.parse_args(argv)


def into(path):
    """Yosys writes to the descriptor itself, and says what it is when it is loaded."""
    out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(out, sys.stdout.fileno())


def load():
    from pyosys import libyosys

    return libyosys


def say_version():
    answer = os.dup(sys.stdout.fileno())
    into(os.devnull)
    os.write(answer, f"{load().yosys_maybe_version()}\n".encode())


def run(scripts):
    yosys = load()
    design = yosys.yosys_get_design()
    for name in scripts:
        yosys.run_pass(f"script {name}", design)
    yosys.log_flush()


def main(argv):
    args = arguments(argv)
    if args.version:
        say_version()
    else:
        if args.log or args.quiet:
            into(args.log or os.devnull)
        run(args.scripts)
    sys.stderr.flush()
    # Its destructors are not made for the order in which Python ends.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
