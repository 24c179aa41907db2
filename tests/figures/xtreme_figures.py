# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures of `weft bench xtreme`: slow-downs over sizes, and over pairs of leases."""

WORKED = "slowdown_percent_without_launches"


def slowdowns(result, rows="rows", key="slowdown_percent"):
    """Slow-down in percent by KiB of a vector, of every Xtreme program."""
    found = {}
    for row in result[rows]:
        found.setdefault(row["workload"], {})[row["vector_bytes"] // 1024] = row[key]
    return found


def slowdown_table(result):
    found = slowdowns(result)
    sizes = sorted({size for values in found.values() for size in values})
    lines = [["KiB", *map(str, sizes), "paper's worst"]]
    for rows, label in (("rows", ""), ("renewed_rows", ", renewed")):
        for key, more in (("slowdown_percent", ""), (WORKED, ", without launches")):
            for name, values in slowdowns(result, rows, key).items():
                cells = [f"{values[size]:.1f}" if size in values else "" for size in sizes]
                paper = "" if more else f"{result['paper']['worst'][name]:.1f}"
                lines.append([name + label + more, *cells, paper])
    return lines


def pairs(result):
    """The mean slow-down of each Xtreme program, by pair of leases."""
    found = {}
    for row in result["lease_rows"]:
        pair = f"{row['lease_read']}/{row['lease_write']}"
        found.setdefault(pair, {}).setdefault(row["workload"], []).append(row["slowdown_percent"])
    return {
        pair: {name: sum(values) / len(values) for name, values in programs.items()}
        for pair, programs in found.items()
    }


def pairs_table(result):
    found = pairs(result)
    names = list(next(iter(found.values())))
    lines = [["leases, read / write", *names]]
    lines += [[pair, *(f"{values[name]:.1f}" for name in names)] for pair, values in found.items()]
    return lines


def draw_slowdowns(result, axes):
    for name, values in slowdowns(result).items():
        (line,) = axes.plot(sorted(values), [values[size] for size in sorted(values)], "o-", label=name)
        renewed = slowdowns(result, "renewed_rows")[name]
        style = {"color": line.get_color(), "linewidth": 0.8}
        axes.plot(sorted(renewed), [renewed[size] for size in sorted(renewed)], "x:", **style)
        axes.axhline(result["paper"]["worst"][name], linestyle="--", **style)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("KiB of a vector; dotted: leases renewed; dashed: the paper's largest slow-down")


def draw_pairs(result, axes):
    found = pairs(result)
    names = list(next(iter(found.values())))
    width = 0.8 / len(names)
    for i, name in enumerate(names):
        places = [x + (i - (len(names) - 1) / 2) * width for x in range(len(found))]
        axes.bar(places, [values[name] for values in found.values()], width, label=name)
    axes.set_xticks(range(len(found)), list(found))
