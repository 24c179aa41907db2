#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tracks copies, kind by kind: cells, RAM and clock of every directory, of the timestamp storage unit
and of what leases add to caches, into fpga/reports/trackers.json and trackers.md.

parts.py            synthesise, place and route, then write the table
parts.py --check    only say whether the kept table is that of these sources

Each part stands between registers (fpga/parts/part_*.sv), which are not counted: Yosys keeps the part's
boundary for its cells; then all is flat, and nextpnr says how fast the clock may be. Rows of the kept table
whose sources are the same are taken over.
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("fpga", "sim", "sw/setup", "rtl/config")]
import boards  # noqa: E402
import build_rtl  # noqa: E402
import ecp5  # noqa: E402
import generate  # noqa: E402
import manifests  # noqa: E402
import place  # noqa: E402
import protocols  # noqa: E402
import report  # noqa: E402
import tools  # noqa: E402

NAME = "trackers"
CONFIGS = ("ulx3s", "quad")
WRAPPERS = ROOT / "fpga" / "parts"
COLUMNS = {
    "entries": "entries × ways",
    "luts": "LUT4",
    "ffs": "flip-flops",
    "ram_bits": "RAM bits",
    "brams": "block RAMs",
    "mhz": "Fmax, MHz",
}
PLACE = "--85k --package CABGA381 --speed 6 --out-of-context --freq 200 --timing-allow-fail".split()
PLACE += ["--seed", "1", "--quiet"]


@dataclasses.dataclass(frozen=True)
class Part:
    """One row: a wrapper, the units inside that are counted, and the configuration that it is built for."""

    config: str
    title: str
    top: str
    units: tuple
    changes: tuple
    shape: tuple  # parameters of the wrapper
    entries: str

    @property
    def label(self):
        return re.sub(r"\W+", "-", f"{self.config}-{self.title}")

    @property
    def values(self):
        return generate.resolve(self.config, ["faults=0", *self.changes])


def only(*wanted):
    """Changes that build these protocols and no others."""
    return tuple(f"built.{row['name']}={int(row['name'] in wanted)}" for row in protocols.tracked())


def named(tracker):
    return [row["name"] for row in protocols.tracked() if row["tracker"] == tracker]


def parts_of(config):
    values = generate.resolve(config)

    def slice_of(unit):
        ways = values[f"{unit}.ways"]
        return f"{values[f'{unit}.entries'] // values['l2.banks']} × {ways}"

    def cache(title, level):
        sets, ways = values[f"{level}.sets"], values[f"{level}.ways"]
        shape, units = (("Sets", sets), ("Ways", ways)), ("lease_clock", "lease_lines")
        return Part(
            config, title, "part_leases", units, only(*named("tsu")), shape, f"{sets * ways} × {ways}"
        )

    for name in named("directory"):
        title, size = f"directory, {name}", slice_of("directory")
        yield Part(config, title, "part_directory", ("directory",), only(name), (), size)
    title, size = "timestamp storage unit", slice_of("tsu")
    yield Part(config, title, "part_tsu", ("tsu",), only(*named("tsu")), (), size)
    yield cache("leases in an L1", "l1")
    yield cache("leases in an L2 bank", "l2")


def all_parts():
    return [part for config in CONFIGS for part in parts_of(config)]


# ---------------------------------------------------------------- one part


def package_of(part):
    """weft_pkg.sv without its hash, which covers more than the part."""
    return re.sub(r"256'h\w+", "256'h0", generate.sv_package(part.config, part.values))


def paths_of(part):
    """The units' sources, and the wrapper."""
    needed = dict.fromkeys(["l2_pkg", *(name for unit in part.units for name in manifests.needs(unit))])
    paths = [ROOT / "rtl" / manifests.units()[name] for name in needed if name != "weft_pkg"]
    return [*paths, WRAPPERS / f"{part.top}.sv"]


def sources_of(part):
    """File name to text, in the order in which they are read."""
    return {"weft_pkg.sv": package_of(part)} | {path.name: path.read_text() for path in paths_of(part)}


def script(part, files, folder):
    """Cells with the part's boundary kept, then the flat netlist."""
    parameters = "".join(f"-G {key}={value} " for key, value in part.shape)
    kept = " ".join(f"{unit}$*" for unit in part.units)
    names = " ".join(ecp5.relative(path) for path in files)
    ram, stat, flat = (ecp5.relative(folder / name) for name in ("ram.json", "cells.json", "flat.json"))
    return (
        f"read_slang -j 1 --keep-hierarchy {parameters}--top {part.top} {names}\n"
        f"hierarchy -check -top {part.top}\n"
        f"chformal -remove\n"
        f"setattr -mod -set keep_hierarchy 1 {kept}\n"
        f"proc\nflatten\n"
        + "opt_hier\nopt_expr\nopt_clean\n" * 2
        + f"tee -q -o {ram} stat -json\n"
        + ecp5.synthesise(part.top)
        + f"tee -q -o {stat} stat -json\n"
        f"setattr -mod -unset keep_hierarchy {kept}\nflatten\nopt_clean\nwrite_json {flat}\n"
    )


def run(folder, name, command):
    log = folder / f"{name}.log"
    with log.open("w") as out:
        code = subprocess.run(command, cwd=ROOT, env=tools.environment(), stdout=out, stderr=out).returncode
    if code:
        raise build_rtl.Failure(f"{name} failed: see {os.path.relpath(log)}", 3)


def digest(part):
    """SHA-256 of all that a row is made from."""
    texts = sources_of(part)
    sha = hashlib.sha256(repr((script(part, [WRAPPERS / name for name in texts], WRAPPERS), PLACE)).encode())
    for name, text in texts.items():
        sha.update(name.encode() + b"\0" + text.encode())
    return sha.hexdigest()


def measure(part):
    """One row: synthesised, placed and routed."""
    folder = tools.build_directory() / "fpga" / "parts" / part.label
    folder.mkdir(parents=True, exist_ok=True)
    texts = sources_of(part)
    for name, text in texts.items():
        (folder / name).write_text(text)
    recipe, timing = folder / "script.ys", folder / "timing.json"
    recipe.write_text(script(part, [folder / name for name in texts], folder))
    run(folder, "yosys", ecp5.command(recipe, folder / "yosys-own.log"))
    place = [*tools.nextpnr(), *PLACE, "--json", ecp5.relative(folder / "flat.json")]
    run(folder, "nextpnr", [*place, "--report", ecp5.relative(timing)])
    (clock,) = json.loads(timing.read_text())["fmax"].values()
    modules = json.loads((folder / "cells.json").read_text())["modules"]
    counted = [module for name, module in modules.items() if report.unit_of(name) in part.units]
    figures = {"luts": 0, "ffs": 0, "brams": 0}
    for module in counted:
        figures = report.add(figures, ecp5.count(module["num_cells_by_type"]))
    memory = json.loads((folder / "ram.json").read_text())["design"]["num_memory_bits"]
    row = {"config": part.config, "part": part.title, "entries": part.entries, **figures}
    print(f"  FPGA  {part.config}: {part.title}", flush=True)
    return row | {"ram_bits": memory, "mhz": round(clock["achieved"], 1), "of": digest(part)}


# ---------------------------------------------------------------- the table


def path():
    return report.REPORTS / f"{NAME}.json"


def page(made):
    head = "| configuration | part | " + " | ".join(COLUMNS.values()) + " |"
    lines = [
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        "# What tracks copies, in cells of an ECP5",
        f"Made by `make fpga` from `{NAME}.json` beside it; not to be edited.",
        "",
        "Of one bank or one L1, each part alone, between registers that are not counted; no event port, no",
        "seeded faults. Each directory has its own protocol built in and no other. RAM bits are those of the",
        "source; small RAMs are made of LUTs, six for sixteen words of four bits. Fmax: nextpnr places and",
        f"routes the part alone on an {boards.find(boards.DEFAULT).part}, speed grade 6, one seed.",
        "",
        head,
        "|---" * (len(COLUMNS) + 2) + "|",
    ]
    for row in made["rows"]:
        figures = " | ".join(str(row[key]) for key in COLUMNS)
        lines.append(f"| `{row['config']}` | {row['part']} | {figures} |")
    return "\n".join(lines) + "\n"


def kept():
    """The rows of the kept table by what they were made from."""
    rows = json.loads(path().read_text())["rows"] if path().exists() else []
    return {row["of"]: row for row in rows}


def stale():
    """Why the kept table is not that of these sources, or nothing."""
    if not path().exists():
        return f"there is no report of {NAME}"
    old = [part for part in all_parts() if digest(part) not in kept()]
    if not old and len(kept()) == len(all_parts()):
        return ""
    which = f"{old[0].config}: {old[0].title}" if old else "a part is gone"
    return f"the report of {NAME} was made from other sources ({which})"


def make():
    known = kept()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda part: known.get(digest(part)) or measure(part), all_parts()))
    versions = {"yosys": report.yosys_version(), "nextpnr": place.version()}
    made = {"rows": rows, "provenance": {"tools": versions, "command": "make fpga"}}
    for out in report.write_pair(path(), made, page(made)):
        print(f"  FPGA  {os.path.relpath(out)}")


def main(argv):
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args(argv)
    try:
        if not args.check:
            make()
        elif reason := stale():
            raise build_rtl.Failure(f"{reason}: run `make fpga`", 1)
    except FileNotFoundError as error:
        print(f"parts.py: {error}; run `make setup`", file=sys.stderr)
        return 4
    except ecp5.UnknownCell as error:
        print(f"parts.py: {error}", file=sys.stderr)
        return 1
    except build_rtl.Failure as failure:
        print(f"parts.py: {failure}", file=sys.stderr)
        return failure.code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
