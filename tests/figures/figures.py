#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the benchmarks of build/bench/*.json: SVG pictures and one index.html, ours beside the paper's.

figures.py BENCH_FOLDER FIGURES_FOLDER
"""

import html
import json
import pathlib
import sys

import xtreme_figures as xtreme

# Which value of which benchmark is which figure of its paper: Ko et al., "REC: Enhancing fine-grained cache
# coherence protocol in multi-GPU systems"; Muthukrishnan et al., "FinePack: Improving the efficiency of
# fine-grained transfers in multi-GPU systems"; Mojumder et al., "HALCONE: A hardware-level timestamp-based
# cache coherence scheme for multi-GPU systems".
FIGURES = (
    ("rec", "speedup", "Figure 11: speed-up over the baseline"),
    ("rec", "l2_misses", "Figure 13: L2 misses of remote lines without cold ones, over the baseline's"),
    ("rec", "unnecessary_invalidations", "Figure 14, bars: unnecessary invalidations, over the baseline's"),
    ("rec", "transactions", "Figure 14, line: inter-GPU transactions, over the baseline's"),
    ("rec-range", "lines_per_entry", "Figure 12: lines per entry at eviction"),
    ("rec-range", "speedup", "Figure 17 (a): range of an entry, speed-up over the baseline"),
    ("rec-entries", "speedup", "Figures 6 and 17 (b): number of entries, speed-up over the baseline"),
    ("rec-replacement", "speedup", "Figure 18: replacement, speed-up over the baseline"),
    ("rec-l2", "speedup", "Figure 19: size of the L2, speed-up over the baseline of that size"),
    (
        "rec-link",
        "speedup",
        "Figure 20: bandwidth of the links, speed-up over the baseline at 38 B a cycle",
    ),
    ("rec-nodes", "speedup", "Figure 22: nodes, speed-up over the baseline of as many"),
    ("finepack", "speedup", "FinePack, Figure 5.7: speed-up over one node"),
    ("finepack", "bytes", "FinePack, Figure 5.8: bytes on the links, over those of bulk copies"),
    ("finepack", "efficiency", "FinePack: useful bytes of all on the links"),
    ("finepack", "runs_per_packet", "FinePack, Figure 5.9: runs of bytes in a packet"),
    ("finepack-subheader", "speedup", "FinePack, Figure 5.10: bytes of a sub-header, speed-up over one node"),
    (
        "finepack-link",
        "speedup",
        "FinePack, Figure 5.11: bytes a cycle of the links, speed-up over one node",
    ),
    ("goodput", "measured", "FinePack: payload of all bytes on the link"),
    ("halcone", "speedup", "HALCONE, Figure 7 (a): speed-up over RDMA without coherence"),
    (
        "halcone",
        "l2_memory_transactions",
        "HALCONE, Figure 7 (b): L2 to memory transactions, over write-through without coherence",
    ),
    (
        "halcone",
        "l1_l2_transactions",
        "HALCONE, Figure 7 (c): L1 to L2 transactions, over write-through without coherence",
    ),
    ("halcone", "scaling", "HALCONE, Figure 8 (a): nodes, speed-up over one"),
    ("xtreme", "slowdown_percent", "HALCONE, Figure 9: Xtreme, slower than without coherence, percent"),
    ("xtreme", "pairs", "HALCONE, section 5.4: pairs of leases, slower than without coherence, percent"),
)
# What a bar of the value "bytes" is made of, from the bottom up.
PARTS = ("useful", "overhead", "wasted")


def read(folder):
    """The benchmarks that are there, by name."""
    found = {}
    for name in dict.fromkeys(figure[0] for figure in FIGURES):
        path = folder / f"{name}.json"
        if path.exists():
            found[name] = json.loads(path.read_text())
    return found


def columns(result):
    """Workloads and variants, in the order of the rows."""
    rows = result["rows"]
    return list(dict.fromkeys(row["workload"] for row in rows)), list(
        dict.fromkeys(row["variant"] for row in rows)
    )


def goodput_rows(result):
    """Sub-headers (None: plain) with their measured and closed forms, by size of store."""
    found = {}
    for row in result["rows"]:
        both = (row["measured"], row["closed_form"])
        found.setdefault(row["sub_header"], {})[row["store_bytes"]] = both
    return found


def goodput_name(sub_header):
    return "plain" if sub_header is None else f"{sub_header} B"


def goodput_table(result):
    found = goodput_rows(result)
    sizes = sorted({row["store_bytes"] for row in result["rows"]})
    lines = [["bytes of a store", *map(str, sizes)]]
    for sub_header, values in found.items():
        lines.append([goodput_name(sub_header), *(f"{values[size][0]:.4f}" for size in sizes)])
        lines.append(["closed form", *(f"{values[size][1]:.4f}" for size in sizes)])
    return lines


def bytes_table(result):
    workloads, variants = columns(result)
    cell = {(row["workload"], row["variant"]): row for row in result["rows"]}
    lines = [["", *variants]]
    for name in workloads:
        for part in PARTS:
            lines.append([f"{name}, {part}", *(f"{cell[name, variant][part]:.3f}" for variant in variants)])
    return lines


SPECIAL_TABLES = {
    "measured": goodput_table,
    "bytes": bytes_table,
    "slowdown_percent": xtreme.slowdown_table,
    "pairs": xtreme.pairs_table,
}


def table(result, value):
    """Title row, a row per workload, ours and the paper's mean: as lists of words."""
    if value in SPECIAL_TABLES:
        return SPECIAL_TABLES[value](result)
    if value == "scaling":
        result = result["scaling"]
    workloads, variants = columns(result)
    cell = {(row["workload"], row["variant"]): row[value] for row in result["rows"]}
    lines = [["", *variants]]
    lines += [[name, *(f"{cell[name, variant]:.3f}" for variant in variants)] for name in workloads]
    for label, means in (("mean", result["means"][value]), ("paper's mean", result["paper"][value])):
        lines.append([label, *(f"{means[v]:.3f}" if v in means else "" for v in variants)])
    return lines


def draw_bars(result, value, axes):
    workloads, variants = columns(result)
    cell = {(row["workload"], row["variant"]): row[value] for row in result["rows"]}
    means, paper = result["means"][value], result["paper"][value]
    labels = [*workloads, "mean", "paper"]
    width = 0.8 / len(variants)
    for i, variant in enumerate(variants):
        heights = [cell[name, variant] for name in workloads]
        # of a value that is over the reference's the reference has no mean of its own
        known = 1.0 if value not in ("lines_per_entry", "efficiency", "runs_per_packet") else 0.0
        heights += [means.get(variant, known), paper.get(variant, 0.0)]
        axes.bar(
            [x + (i - (len(variants) - 1) / 2) * width for x in range(len(labels))],
            heights,
            width,
            label=variant,
        )
    axes.set_xticks(range(len(labels)), labels)
    axes.axvline(len(workloads) - 0.5, color="grey", linewidth=0.8)


def draw_bytes(result, axes):
    """Stacked bars, a group per workload."""
    workloads, variants = columns(result)
    cell = {(row["workload"], row["variant"]): row for row in result["rows"]}
    shown = [variant for variant in variants if any(cell[name, variant]["useful"] for name in workloads)]
    width = 0.8 / len(shown)
    labels, places = [], []
    for w, name in enumerate(workloads):
        for i, variant in enumerate(shown):
            places.append(w + (i - (len(shown) - 1) / 2) * width)
            labels.append(variant)
            bottom = 0.0
            for part, colour in zip(PARTS, ("tab:green", "tab:grey", "tab:red"), strict=True):
                height = cell[name, variant][part]
                axes.bar(
                    places[-1],
                    height,
                    0.9 * width,
                    bottom,
                    color=colour,
                    label=part if not (w or i) else None,
                )
                bottom += height
        axes.annotate(name, (w, 1.0), (0, -28), ("data", "axes fraction"), "offset points", ha="center")
    axes.set_xticks(places, labels, fontsize=7)


def draw_goodput(result, axes):
    for sub_header, values in goodput_rows(result).items():
        sizes = sorted(values)
        (line,) = axes.plot(
            sizes, [values[s][0] for s in sizes], "o", fillstyle="none", label=goodput_name(sub_header)
        )
        axes.plot(sizes, [values[s][1] for s in sizes], color=line.get_color(), linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("bytes of a store; rings: measured, lines: closed form")


SPECIAL_DRAWINGS = {
    "measured": draw_goodput,
    "bytes": draw_bytes,
    "slowdown_percent": xtreme.draw_slowdowns,
    "pairs": xtreme.draw_pairs,
}


def draw(result, value, title, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "weft"  # the same picture for the same numbers
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(12, 3.6), layout="constrained")
    if value in SPECIAL_DRAWINGS:
        SPECIAL_DRAWINGS[value](result, axes)
    else:
        draw_bars(result["scaling"] if value == "scaling" else result, value, axes)
    axes.set_title(title, fontsize=10)
    axes.legend(ncols=len(axes.get_legend_handles_labels()[1]), fontsize=8, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def page(found, drawn):
    """index.html: every figure with its table, and where the numbers come from."""
    out = ["<!doctype html><meta charset='utf-8'><title>Weft: figures</title>"]
    out += ["<style>body{font-family:sans-serif;max-width:75em;margin:2em auto}"]
    out += ["td,th{padding:.1em .6em;text-align:right}"]
    out += ["td:first-child{text-align:left}</style><h1>Ours beside the papers'</h1>"]
    for name, value, title in FIGURES:
        if name not in found:
            out.append(
                f"<h2>{html.escape(title)}</h2><p>Not measured yet: <code>weft bench {name}</code></p>"
            )
            continue
        out.append(
            f"<h2>{html.escape(title)}</h2><img src='{drawn[name, value]}' alt='{html.escape(title)}'>"
        )
        lines = table(found[name], value)
        cells = [
            "<tr>" + "".join(f"<td>{html.escape(word)}</td>" for word in line) + "</tr>" for line in lines
        ]
        out.append(f"<details><summary>as a table</summary><table>{''.join(cells)}</table></details>")
    for name, result in found.items():
        reasons = "".join(f"<li>{html.escape(reason)}</li>" for reason in result["reasons"])
        command = html.escape(result["provenance"]["command"])
        out.append(f"<h2>{name}</h2><p>Made by <code>{command}</code></p><ul>{reasons}</ul>")
    return "\n".join(out) + "\n"


def main(bench, figures):
    found = read(pathlib.Path(bench))
    if not found:
        print(f"figures: no benchmark in {bench}; run `make bench BENCH=rec` first", file=sys.stderr)
        return 2
    folder = pathlib.Path(figures)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {(name, value): f"{name}-{value}.svg" for name, value, _ in FIGURES if name in found}
    for name, value, title in FIGURES:
        if name in found:
            draw(found[name], value, title, folder / drawn[name, value])
    (folder / "index.html").write_text(page(found, drawn))
    print(f"figures: {len(drawn)} pictures and {folder / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
