# SPDX-License-Identifier: Apache-2.0
"""The figures that are kept: what is measured, where they lie, and what a change of one means.

Each is a whole number of which less is better: cycles, bytes on the links, misses. They repeat exactly, so a
figure either is the kept one or the machine has changed. A rise is a fault until somebody says why it is
wanted; a fall must be kept too, or a later rise back to where it was would go unseen.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests" / name) for name in (".", "bench", "driver")]
import units  # noqa: E402
from support import weft  # noqa: E402

KEPT = HERE / "figures.json"
RENEW = 'make baseline REASON="..."'
CLASSES = ("request", "forward", "response")
COUNTED = {"l1_misses": ["l1.misses"], "l2_misses": ["l2.misses", "home.fetches"]}
COUNTED["link_bytes"] = [f"link.bytes_{kind}" for kind in CLASSES]
# Sizes that a second is enough for. The model is the RTL cycle for cycle (tests/system); a few go through the
# RTL all the same, so that both would have to be wrong.
SMALL = {"vecadd": 512, "pagerank": 96, "sssp": 96, "jacobi2d": 20, "matmul": 16, "spatter": 64, "mix": 3000}
LARGER = {"vecadd": 8192, "pagerank": 256, "sssp": 256, "jacobi2d": 48, "matmul": 32, "spatter": 256}
LARGER |= {"mix": 8000}
WORKLOADS = [("model:tiny", name, size) for name, size in SMALL.items()]
WORKLOADS += [("model:quad", name, size) for name, size in LARGER.items()]
WORKLOADS += [("model:duo", name, SMALL[name]) for name in ("pagerank", "mix")]
WORKLOADS += [("rtl:tiny", name, SMALL[name]) for name in ("jacobi2d", "mix")]
WORKLOADS += [("rtl:duo", "mix", 1000)]


def workload_name(backend, workload, size):
    return f"{backend} {workload} {size}"


def of_workload(backend, workload, size, *options):
    """Cycles, bytes and misses of one run: placement, protocol and seed are the tool's own defaults."""
    result = weft.run(workload, backend, "--size", size, "--seed", 1, *options)
    total = {name: value for name, value in result["counters"].items() if name.startswith("total.")}
    counted = {key: sum(total[f"total.{name}"] for name in names) for key, names in COUNTED.items()}
    return {"cycles": result["cycles"], **counted}


def of_unit(path, **options):
    """Figures of one unit's benchmark by their names."""
    rows = units.measure(path, **options)
    per_1000 = {f"{row['unit']}: {row['what']}": 1000 * row["cycles"] // row["count"] for row in rows}
    return {name: {"cycles_per_1000": cycles} for name, cycles in per_1000.items()}


def unit_name(path):
    return f"{path.parent.name}/{path.stem}"


def is_flat(value):
    """Holds nothing that holds something."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not any(isinstance(item, dict | list) for item in inside)


def as_text(value, margin=""):
    """JSON with what is flat on one line, so that a change of one figure is one line of a diff."""
    if is_flat(value):
        return json.dumps(value)
    inner = margin + " "
    if isinstance(value, list):
        rows, ends = [as_text(item, inner) for item in value], "[]"
    else:
        rows, ends = [f"{json.dumps(key)}: {as_text(item, inner)}" for key, item in value.items()], "{}"
    body = ",\n".join(inner + row for row in rows)
    return f"{ends[0]}\n{body}\n{margin}{ends[1]}"


def by_changes(changes):
    """The figures that all changes together, one after the other, have made."""
    figures = {}
    for change in changes:
        for name, (old, new) in change["changed"].items():
            if figures.get(name) != old:
                raise ValueError(f"{name} was {figures.get(name)}, not {old}: {change['reason']}")
            figures[name] = new
    return {name: value for name, value in figures.items() if value is not None}


def load(path=KEPT):
    try:
        kept = json.loads(path.read_text())
        return {key: kept[key] for key in ("figures", "changes")}
    except FileNotFoundError:
        return {"figures": {}, "changes": []}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} cannot be read ({error!r}): take it from the last commit") from error


def differences(kept, measured):
    """(name, old, new) of every figure that is not as it is kept; None: there is none."""
    found = []
    for name, values in measured.items():
        old = kept.get(name, {})
        for key in sorted({*values, *old}):
            if old.get(key) != values.get(key):
                found.append((f"{name}: {key}", old.get(key), values.get(key)))
    return found


def describe(name, old, new):
    """One line that says what happened and what to do."""
    if old is None:
        return f"{name} is new, {new}: keep it with {RENEW}"
    if new is None:
        return f"{name} was {old} and is not measured any more: {RENEW}"
    if new > old:
        return f"{name} has RISEN from {old} to {new}: mend it, or say why it must be with {RENEW}"
    return f"{name} has fallen from {old} to {new}: keep what was won with {RENEW}"


def complaints(kept, measured):
    return [describe(*difference) for difference in differences(kept, measured)]
