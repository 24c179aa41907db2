# SPDX-License-Identifier: Apache-2.0
"""The boards of boards.toml."""

import dataclasses
import json
import pathlib
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULT = "ulx3s"
FTDI_HZ = 60_000_000


class Unusable(ValueError):
    """There is no such board, or nothing fits it."""


@dataclasses.dataclass(frozen=True)
class Board:
    """One row; `config` is empty if the chip is too small for any."""

    name: str
    title: str
    part: str
    luts: int
    ffs: int
    brams: int
    place: tuple = ()
    seed: int = 1
    pins: str = ""
    folder: str = ""
    top: str = ""
    config: str = ""
    clock_hz: int = 0

    @property
    def offers(self):
        return {"luts": self.luts, "ffs": self.ffs, "brams": self.brams}

    @property
    def mhz(self):
        return self.clock_hz / 1e6


def load():
    rows = tomllib.loads((ROOT / "fpga" / "boards.toml").read_text())["board"]
    return {
        name: Board(name=name, **{**row, "place": tuple(row.get("place", ()))}) for name, row in rows.items()
    }


def find(name):
    """The board of this name, if something can be built for it."""
    rows = load()
    usable = ", ".join(row.name for row in rows.values() if row.config)
    if name not in rows:
        raise Unusable(f"BOARD={name}: no such board; there is {usable}")
    if not rows[name].config:
        row, takes = rows[name], least_luts(rows)
        raise Unusable(
            f"BOARD={name}: an {row.part} is too small: it has {row.luts} LUT4, and two nodes, the smallest "
            f"configuration for a board, take {takes}; there is {usable}, or `weft vboard` without a board"
        )
    return rows[name]


def least_luts(rows):
    """What the smallest of the boards' configurations takes, as far as there are reports."""
    paths = [ROOT / "fpga" / "reports" / f"{row.name}.json" for row in rows.values() if row.config]
    return min((json.loads(path.read_text())["luts"] for path in paths if path.exists()), default="more")


def clock_of(config):
    """Hz at which a configuration is to run: its board's; without one, those of the line to the host."""
    return next((row.clock_hz for row in load().values() if row.config == config), FTDI_HZ)
