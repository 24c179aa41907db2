#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns weft.rdl into what each language reads.

registers.py sv NAME [--set K=V ...] OUT  weft_counters_pkg.sv: the counters' numbers for a configuration
registers.py rtl OUTDIR                   weft_registers.sv, weft_registers_pkg.sv: the register block
registers.py c OUTDIR                     weft_counters.h, weft_counters.c, weft_registers.h
registers.py python OUT                   a module with REGISTERS, COUNTERS and their addresses
registers.py html OUTDIR                  the map as a page (a folder, entry index.html)

Needs the wheels systemrdl-compiler and peakrdl. Same input, same output; only what changed is written.
"""

import argparse
import hashlib
import pathlib
import re
import shutil
import sys
import tempfile

import protocols
from generate import camel, resolve, write
from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_html import HTMLExporter
from peakrdl_regblock import RegblockExporter
from peakrdl_regblock.cpuif.passthrough import PassthroughCpuif
from peakrdl_regblock.udps import ALL_UDPS
from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.node import RegNode

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "weft.rdl"
COUNTER_BYTES = 8
INCREMENT_BITS = 16
LINES_MAX = 128  # of a directory entry
WIDEST = {"l2.banks": 8, "egress.finepack": 1}
KINDS = ("event", "time")


# ---------------------------------------------------------------- reading the description


def compile_map():
    compiler = RDLCompiler()
    for udp in ALL_UDPS:
        compiler.register_udp(udp)
    compiler.compile_file(str(SOURCE))
    return compiler.elaborate("weft_registers").top


def registers(top):
    """Every register that is not a counter: (dotted name, address, doc)."""
    rows = []
    for group in top.children():
        if group.inst_name == "counters":
            continue
        for reg in group.children(unroll=True):
            name = reg.get_path(hier_separator=".").split(".", 1)[1]
            rows.append((name, reg.absolute_address, reg.get_property("desc")))
    return rows


def counters(top):
    """Every counter of one node, in the order of its number; those of the compute units stand last."""
    node = next(iter(top.find_by_path("counters").children(unroll=True)))
    rows = []
    for reg in node.descendants(unroll=True):
        if not isinstance(reg, RegNode):
            continue
        path = reg.get_path(hier_separator=".").split(".", 3)[3].split(".")
        cu = int(path[0][3:-1]) if path[0].startswith("cu[") else None
        rows.append(
            {
                "name": ".".join([f"cu{cu}", *path[1:]] if cu is not None else path),
                "total": ".".join(path[1:] if cu is not None else path),
                "cu": cu,
                "kind": KINDS[reg.get_property("kind").value],
                "index": (reg.absolute_address - node.absolute_address) // COUNTER_BYTES,
                "per_cycle": reg.get_property("per_cycle"),
                "per_bank": bool(reg.parent.get_property("per_bank")),
                "with_finepack": bool(reg.parent.get_property("with_finepack")),
                "per_line": bool(reg.get_property("per_line")),
                "doc": reg.get_property("desc"),
            }
        )
    check(rows)
    return rows


def check(rows):
    """What the RTL and the tables rely on; a mistake in weft.rdl ends here, not in a wrong number."""
    for place, row in enumerate(rows):
        if row["index"] != place:
            raise ValueError(f"{row['name']}: counters must stand without gaps")
        if row["doc"] is None:
            raise ValueError(f"{row['name']}: has no desc")
        if most_per_cycle(row, WIDEST, LINES_MAX) >= 1 << INCREMENT_BITS:
            raise ValueError(f"{row['name']}: can grow by more than {INCREMENT_BITS} bits per cycle")
    first_cu = next(row["index"] for row in rows if row["cu"] is not None)
    if any(row["cu"] is None for row in rows[first_cu:]):
        raise ValueError("the compute units' counters must stand last")


def most_per_cycle(row, values, lines):
    """The most that one cycle can add to a counter; 0 if what it counts is not built in."""
    if row["with_finepack"] and not values["egress.finepack"]:
        return 0
    banks = values["l2.banks"] if row["per_bank"] else 1
    return row["per_cycle"] * banks * (lines if row["per_line"] else 1)


def split(rows):
    """The counters of the node itself, and those of one compute unit."""
    return [r for r in rows if r["cu"] is None], [r for r in rows if r["cu"] == 0]


def node_window(top):
    """Where the counters start on the host's bus, and how far the nodes lie apart."""
    (nodes,) = top.find_by_path("counters").children()
    return nodes.raw_absolute_address, nodes.array_stride


# ---------------------------------------------------------------- SystemVerilog


def sv_package(name, values, rows):
    node, cu = split(rows)
    lines = protocols.lines_most(values)
    most = [most_per_cycle(r, values, lines) for r in node]
    most += [r["per_cycle"] for r in cu] * values["cus"]
    bits = max(8, max(most).bit_length())
    out = [
        "// SPDX-License-Identifier: Apache-2.0\n",
        f"// Generated by rtl/config/registers.py for configuration '{name}'. Do not edit.\n",
        "// The numbers of a node's counters, as in its window of weft.rdl.\n",
        "package weft_counters_pkg;\n",
        f"  localparam int unsigned CountersNode = {len(node)};  // of the node itself, numbered from 0\n",
        f"  localparam int unsigned CountersCu = {len(cu)};  // of each compute unit, behind them\n",
        f"  localparam int unsigned Count = {len(most)};\n",
        f"\n  localparam int unsigned IncrementBits = {bits};\n",
        "  typedef logic [IncrementBits-1:0] increment_t;\n",
        "  typedef increment_t [Count-1:0] increments_t;  // what one cycle adds, by number\n\n",
    ]
    for r in node:
        out.append(f"  localparam int unsigned Counter{camel(r['total'])} = {r['index']};  // {r['doc']}\n")
    out.append("\n  // Of a compute unit; see counter_of_cu.\n")
    for r in cu:
        number = r["index"] - len(node)
        out.append(f"  localparam int unsigned Counter{camel(r['total'])} = {number};  // {r['doc']}\n")
    lines = [", ".join(map(str, most[i : i + 16])) for i in range(0, len(most), 16)]
    out.append("\n  // The most that one cycle can add to each.\n")
    out.append("  localparam int unsigned CounterMost[Count] = '{\n    " + ",\n    ".join(lines) + "\n  };\n")
    out.append(
        "\n  function automatic int unsigned counter_of_cu(int unsigned cu, int unsigned counter);\n"
        "    return CountersNode + cu * CountersCu + counter;\n"
        "  endfunction\nendpackage\n"
    )
    return "".join(out)


def export(make, out):
    """Runs an exporter into a scratch folder, and copies what differs from `out`."""
    out = pathlib.Path(out)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        make(scratch)
        for path in sorted(p for p in scratch.rglob("*") if p.is_file()):
            target = out / path.relative_to(scratch)
            if not target.exists() or target.read_bytes() != path.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def without_warning(text):
    """The exporter writes the fields of one struct in a process each; a waiver file cannot turn that off."""
    return f"/* verilator lint_off MULTIDRIVEN */\n{text}/* verilator lint_on MULTIDRIVEN */\n"


def export_rtl(top, out):
    def make(scratch):
        RegblockExporter().export(
            top,
            str(scratch),
            cpuif_cls=PassthroughCpuif,
            reuse_hwif_typedefs=False,
            default_reset_activelow=True,
            default_reset_async=False,
            retime_read_response=True,  # what is read comes from far, and is chosen among all
        )
        block = scratch / "weft_registers.sv"
        block.write_text(without_warning(block.read_text()))

    export(make, out)


# ---------------------------------------------------------------- C


C_TABLE = """\
enum weft_counter_kind {
  WEFT_COUNTER_EVENT, /* equal in model and RTL to the last count */
  WEFT_COUNTER_TIME,  /* depends on timing */
};

struct weft_counter {
  const char *name;  /* inside its node: "cu1.l1.hits", "directory.evictions" */
  const char *total; /* under which it is summed: "l1.hits", "directory.evictions" */
  enum weft_counter_kind kind;
  unsigned index; /* its place in this table and in a node's window */
  const char *doc;
};

/* In the order of their numbers; a machine has the first weft_counter_count() of them per node. */
extern const struct weft_counter weft_counter_table[WEFT_COUNTERS_MAX];

/* Counters per node. */
size_t weft_counter_count(const struct weft_config *config);

"""


def c_name(row):
    return row["total"].replace(".", "_").upper()


def c_header(top, rows):
    node, cu = split(rows)
    base, stride = node_window(top)
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */\n",
        "/* Generated by rtl/config/registers.py. Do not edit. */\n",
        "#ifndef WEFT_GEN_COUNTERS_H\n#define WEFT_GEN_COUNTERS_H\n\n",
        "#include <stddef.h>\n#include <stdint.h>\n\n",
        '#include "weft_configs.h"\n\n',
        '#ifdef __cplusplus\nextern "C" {\n#endif\n\n',
        f"#define WEFT_COUNTERS_NODE {len(node)} /* of the node itself, numbered from 0 */\n",
        f"#define WEFT_COUNTERS_CU {len(cu)} /* of each compute unit, behind them */\n",
        f"#define WEFT_COUNTERS_MAX {len(rows)} /* of a node with the most compute units */\n",
        f"#define WEFT_COUNTERS_ADDRESS 0x{base:x}u /* on the host's bus: + node x STRIDE + 8 x number */\n",
        f"#define WEFT_COUNTERS_STRIDE 0x{stride:x}u\n\n",
        C_TABLE,
        "enum weft_node_counter {\n",
    ]
    out += [f"  WEFT_COUNTER_{c_name(r)} = {r['index']}, /* {r['doc']} */\n" for r in node]
    out.append(
        "};\n\n/* Numbers inside a compute unit, for weft_cu_counter(). */\nenum weft_cu_counter_number {\n"
    )
    out += [f"  WEFT_CU_COUNTER_{c_name(r)} = {r['index'] - len(node)}, /* {r['doc']} */\n" for r in cu]
    out.append(
        "};\n\nstatic inline unsigned weft_cu_counter(unsigned cu, enum weft_cu_counter_number number)\n{\n"
        "  return WEFT_COUNTERS_NODE + cu * WEFT_COUNTERS_CU + (unsigned)number;\n}\n\n"
        "#ifdef __cplusplus\n}\n#endif\n#endif\n"
    )
    return "".join(out)


def c_source(rows):
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */\n",
        "/* Generated by rtl/config/registers.py. Do not edit. */\n",
        '#include "weft_counters.h"\n\n',
        "const struct weft_counter weft_counter_table[WEFT_COUNTERS_MAX] = {\n",
    ]
    for r in rows:
        kind = f"WEFT_COUNTER_{r['kind'].upper()}"
        out.append(f'  {{ "{r["name"]}", "{r["total"]}", {kind}, {r["index"]}, "{r["doc"]}" }},\n')
    out.append(
        "};\n\nsize_t weft_counter_count(const struct weft_config *config)\n{\n"
        "  return WEFT_COUNTERS_NODE + (size_t)config->cus * WEFT_COUNTERS_CU;\n}\n"
    )
    return "".join(out)


def export_c(top, rows, out):
    out = pathlib.Path(out)
    write(out / "weft_counters.h", c_header(top, rows))
    write(out / "weft_counters.c", c_source(rows))

    def make(scratch):
        CHeaderExporter().export(top, str(scratch / "weft_registers.h"), reuse_typedefs=False)

    export(make, out)


# ---------------------------------------------------------------- Python


def python_module(top, rows):
    node, cu = split(rows)
    base, stride = node_window(top)
    by_name = {name: (address, doc) for name, address, doc in registers(top)}
    return (
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# Generated by rtl/config/registers.py. Do not edit.\n"
        f"COUNTERS_ADDRESS = {base}\nCOUNTERS_STRIDE = {stride}\n"
        f"NODE_COUNT = {len(node)}\nCU_COUNT = {len(cu)}\n"
        "# dotted name -> (address, doc)\n"
        f"REGISTERS = {by_name!r}\n"
        "# the counters of a node with the most compute units, in the order of their numbers\n"
        f"COUNTERS = {rows!r}\n\n\n"
        "def counter_count(cus):\n"
        '    """Counters per node."""\n'
        "    return NODE_COUNT + cus * CU_COUNT\n\n\n"
        "def counter_address(node, index):\n"
        '    """Of the lower word, on the host\'s bus."""\n'
        "    return COUNTERS_ADDRESS + node * COUNTERS_STRIDE + 8 * index\n"
    )


# ---------------------------------------------------------------- HTML


def export_html(top, out):
    """The page puts the time of its making into its links; the map's hash serves as well and stands still."""
    number = int(hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:8], 16)

    def make(scratch):
        HTMLExporter().export(top, str(scratch))
        index = scratch / "index.html"
        index.write_text(re.sub(r"(BUILD_TS = |\?ts=)\d+", rf"\g<1>{number}", index.read_text()))

    export(make, out)


def main(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    sub = verbs.add_parser("sv")
    sub.add_argument("name")
    sub.add_argument("--set", action="append", default=[])
    sub.add_argument("out")
    for verb in ("rtl", "c", "python", "html"):
        verbs.add_parser(verb).add_argument("out")
    args = parser.parse_args(argv)
    try:
        top = compile_map()
        rows = counters(top)
        if args.verb == "sv":
            write(args.out, sv_package(args.name, resolve(args.name, args.set), rows))
        elif args.verb == "rtl":
            export_rtl(top, args.out)
        elif args.verb == "c":
            export_c(top, rows, args.out)
        elif args.verb == "python":
            write(args.out, python_module(top, rows))
        else:
            export_html(top, args.out)
    except (ValueError, RDLCompileError) as error:
        print(f"registers.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
