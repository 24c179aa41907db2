# SPDX-License-Identifier: Apache-2.0
"""What an L2 bank with its home is made of: all of the file list that belongs to it."""

import pathlib

RTL = pathlib.Path(__file__).resolve().parents[2] / "rtl"
PARTS = ("cache/l2", "cache/fill_faults", "cache/lease", "cache/misses", "cache/releases", "home/", "common/")
PARTS += ("link/weft_cost_pkg",)
APART = ("home/memory", "common/delay_fifo", "common/ram_dual", "common/stream_mux", "common/arbiter")


def sources(*more_apart):
    listed = (RTL / "rtl.f").read_text().split()
    return [path for path in listed if path.startswith(PARTS) and not path.startswith((*APART, *more_apart))]
