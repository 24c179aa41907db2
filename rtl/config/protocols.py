# SPDX-License-Identifier: Apache-2.0
"""What follows from protocols.toml: enum, parameters, SystemVerilog and C.

generate.py takes all of it; see there for who writes what.
"""

import pathlib
import re
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
POLICIES = HERE.parent / "home" / "directory_policies.sv"
TRACKERS = ("none", "directory", "tsu")
NUMBER_BITS = 4  # of the register control.protocol
KEYS = {
    "name",
    "doc",
    "tracker",
    "entry",
    "lines",
    "block",
    "refresh",
    "entries",
    "ways",
    "causal",
    "renews",
    "answered",
    "writeback",
    "policy",
    "model",
    "built",
}
# What may stand in an expression of each key.
TERMS = {"entry": ("sharers", "lines"), "lines": ("range",), "entries": ("entries", "memory")}
DEFAULTS = {"lines": "1", "entries": "entries"}


def load(path=HERE / "protocols.toml"):
    rows = tomllib.loads(path.read_text())["protocol"]
    for row in rows:
        check(row)
    names = [row["name"] for row in rows]
    for row in rows:
        if row.get("policy", row["name"]) not in names:
            raise ValueError(
                f"protocols.toml: protocol '{row['name']}': there is no protocol '{row['policy']}'"
            )
    if len(set(names)) != len(names) or len(names) > 1 << NUMBER_BITS:
        raise ValueError(f"protocols.toml: names must differ, and be at most {1 << NUMBER_BITS}")
    return rows


def check(row):
    """Raises ValueError with what is wrong with one row."""
    where = f"protocols.toml: protocol '{row.get('name', '?')}'"
    if missing := {"name", "doc", "tracker"} - row.keys():
        raise ValueError(f"{where} has no {', '.join(sorted(missing))}")
    if strange := row.keys() - KEYS:
        raise ValueError(f"{where}: unknown key {', '.join(sorted(strange))}")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", row["name"]):
        raise ValueError(f"{where}: a name is lower-case letters, digits and single dashes")
    if row["tracker"] not in TRACKERS:
        raise ValueError(f"{where}: tracker '{row['tracker']}' is none of {', '.join(TRACKERS)}")
    if (row["tracker"] == "directory") != ("entry" in row):
        raise ValueError(f'{where}: a directory, and only that, needs entry = "bits", such as "sharers"')
    for key, terms in TERMS.items():
        expression = rf"(?:\s*(?:{'|'.join(terms)}|log2|\d+|[-+*()]))+\s*"
        if not re.fullmatch(expression, row.get(key, "0")):
            known = ", ".join(terms)
            raise ValueError(f'{where}: {key} = "{row[key]}" is no expression of {known} and log2()')


PROTOCOLS = load()


def identifier(name):
    return name.replace("-", "_")


def camel(name):
    return "".join(part.capitalize() for part in identifier(name).split("_"))


def tracked():
    """The protocols with hardware of their own."""
    own = [row for row in PROTOCOLS if row["tracker"] != "none" or row.get("answered")]
    return [row for row in own if not row.get("model")]


def directories():
    """Those whose homes have a directory."""
    return [row for row in tracked() if row["tracker"] == "directory"]


def value(row, key):
    """An expression of the row, or what it stands for when it is left out."""
    return row.get(key, DEFAULTS[key])


def enums():
    """As [enum.*] of formats.toml."""
    names = [row["name"] for row in PROTOCOLS]
    return {
        "protocol": {"width": NUMBER_BITS, "values": names},
        "tracker": {"width": 2, "values": list(TRACKERS)},
    }


def parameters():
    """As [parameter] of configs.toml: what is built in."""
    return {
        f"built.{row['name']}": {
            "default": row.get("built", 0),
            "min": 0,
            "max": 1,
            "doc": f"1 builds protocol {row['name']} into the RTL; the model has them all",
        }
        for row in tracked()
    }


def expand(changes):
    """A configuration's changes, with protocols = "all" spelt out."""
    changes = dict(changes)
    wanted = changes.pop("protocols", None)
    if wanted not in (None, "all"):
        raise ValueError(f"protocols = '{wanted}': only \"all\" is known; name single ones by built.NAME = 1")
    return ({f"built.{row['name']}": 1 for row in tracked()} if wanted else {}) | changes


def lines_most(values):
    """The most lines that a directory entry of a configuration tracks."""
    range_lines = values["directory.range"] // values["line"]
    rows = [row for row in directories() if values[f"built.{row['name']}"]]
    return max([1, *(evaluate(value(row, "lines"), range=range_lines) for row in rows)])


def evaluate(expression, **terms):
    """The value of an expression of the table."""
    return eval(expression, {"__builtins__": {}}, terms | {"log2": lambda n: (n - 1).bit_length()})  # noqa: S307


# ---------------------------------------------------------------- SystemVerilog


def sv_functions():
    """For weft_pkg: what the units ask about a protocol."""
    trackers = "".join(
        f"      Protocol{camel(row['name'])}: return Tracker{camel(row['tracker'])};\n" for row in tracked()
    )
    lines = sv_cases("lines")
    bits = sv_cases("entry")
    block, refresh, causal, renews, answered = (
        "".join(f"      Protocol{camel(row['name'])}: return 1'b1;\n" for row in tracked() if row.get(key))
        for key in ("block", "refresh", "causal", "renews", "answered")
    )
    leases = [f"Built{camel(row['name'])}" for row in tracked() if row["tracker"] != "directory"]
    return (
        "  // What a protocol's homes keep of copies elsewhere.\n"
        "  function automatic tracker_e tracker_of(protocol_e protocol);\n"
        f"    case (protocol)\n{trackers}      default: return TrackerNone;\n    endcase\n  endfunction\n\n"
        "  // Whether leases are built in; whether a protocol's stores are answered, be it without times;\n"
        "  // whether its requests carry the sender's clock; whether copies are renewed.\n"
        f"  localparam bit BuiltLeases = {' || '.join(f'{name} != 0' for name in leases)};\n"
        "  function automatic logic lease_locks(protocol_e protocol);\n"
        f"    case (protocol)\n{answered}      default: return tracker_of(protocol) == TrackerTsu;\n"
        "    endcase\n  endfunction\n"
        "  function automatic logic lease_causal(protocol_e protocol);\n"
        f"    case (protocol)\n{causal}      default: return 1'b0;\n    endcase\n  endfunction\n"
        "  function automatic logic lease_renews(protocol_e protocol);\n"
        f"    case (protocol)\n{renews}      default: return 1'b0;\n    endcase\n  endfunction\n\n"
        "  // Lines of a directory entry, of `range` lines in directory.range.\n"
        "  function automatic int unsigned entry_lines(protocol_e protocol, int unsigned range);\n"
        f"    case (protocol)\n{lines}      default: return range > 0 ? 1 : 0;\n    endcase\n"
        "  endfunction\n\n"
        "  // The same as a number of bits.\n"
        "  function automatic logic [2:0] entry_shift(protocol_e protocol, int unsigned range);\n"
        "    entry_shift = '0;\n"
        "    for (int unsigned i = 1; i < 8; i++)\n"
        "      if (entry_lines(protocol, range) == (1 << i)) entry_shift = 3'(i);\n"
        "  endfunction\n\n"
        "  // An INV names all lines of the entry.\n"
        "  function automatic logic entry_block(protocol_e protocol);\n"
        f"    case (protocol)\n{block}      default: return 1'b0;\n    endcase\n  endfunction\n\n"
        "  // A hit makes its entry the youngest.\n"
        "  function automatic logic entry_refresh(protocol_e protocol);\n"
        f"    case (protocol)\n{refresh}      default: return 1'b0;\n    endcase\n  endfunction\n\n"
        "  // Bits of a directory entry beside tag and valid bit; never none.\n"
        "  function automatic int unsigned entry_bits(protocol_e protocol, int unsigned sharers,\n"
        "                                             int unsigned range);\n"
        "    int unsigned bits, lines;\n    lines = entry_lines(protocol, range);\n"
        f"    case (protocol)\n{bits}      default: bits = 0;\n    endcase\n"
        "    return (bits > 0 && lines > 0) ? bits : 1;\n  endfunction\n\n"
        "  // The same for an entry that has room for every protocol that is built in.\n"
        "  function automatic int unsigned entry_bits_built(int unsigned sharers, int unsigned range);\n"
        f"    int unsigned most;\n    most = 1;\n{sv_most('entry_bits', 'sharers, range', '>')}"
        "    return most;\n  endfunction\n\n"
        "  // The most lines of an entry whose lines are invalidated one by one: what one eviction may owe.\n"
        "  function automatic int unsigned entry_lines_built(int unsigned range);\n"
        f"    int unsigned most;\n    most = 1;\n{sv_most('entry_lines', 'range', '>', spread=True)}"
        "    return most;\n  endfunction\n\n"
        "  // The most and the fewest lines of any entry: how wide a position, how wide a tag.\n"
        "  function automatic int unsigned entry_lines_most(int unsigned range);\n"
        f"    int unsigned most;\n    most = 1;\n{sv_most('entry_lines', 'range', '>')}"
        "    return most;\n  endfunction\n\n"
        "  function automatic int unsigned entry_lines_fewest(int unsigned range);\n"
        f"    int unsigned most;\n    most = range > 4 ? range : 4;\n{sv_most('entry_lines', 'range', '<')}"
        "    return most;\n  endfunction\n\n"
    )


def sv_cases(key):
    """The arms of a case over the protocols: an expression each."""
    rows = [row for row in directories() if key == "entry" or key in row]
    name = "bits = " if key == "entry" else "return "
    return "".join(
        f"      Protocol{camel(row['name'])}: {name}{row[key].replace('log2', '$clog2')};\n" for row in rows
    )


def sv_most(function, arguments, better, spread=False):
    """Statements that make `most` the largest (or smallest) value among the protocols that are built in."""
    names = [camel(row["name"]) for row in directories() if not (spread and row.get("block"))]
    calls = [(name, f"{function}(Protocol{name}, {arguments})") for name in names]
    return "".join(
        f"    if (Built{name} != 0 && {call} {better} most)\n      most = {call};\n" for name, call in calls
    )


SV_POLICIES = """// SPDX-License-Identifier: Apache-2.0
// Written by rtl/config/protocols.py from protocols.toml (`make manifests`). Do not edit.

/// The directory policies that are built in, side by side, and the choice between them by the protocol, which
/// is steady. The ports are those of every policy: see docs/units/tracker.md.
module directory_policies #(
  /// Sharer bits: all nodes but the home.
  parameter int unsigned Sharers = 3,
  /// Lines of directory.range.
  parameter int unsigned Range = 16,
  /// Bits of an entry's fields, of which a policy uses the lower ones.
  parameter int unsigned EntryBits = 3,
  /// Sets of sharers that an evicted entry may owe INVs to.
  parameter int unsigned Owed = 1
) (
  input  weft_pkg::protocol_e                            protocol_i,
  input  weft_pkg::dir_op_e                              op_i,
  input  logic                                           local_i,
  input  logic                [  Sharers-1:0]            requester_i,
  input  logic                                           hit_i,
  input  logic                [          6:0]            position_i,
  input  logic                [EntryBits-1:0]            entry_i,
  input  logic                [          6:0]            fault_i,
  output logic                                           valid_o,
  output logic                [EntryBits-1:0]            entry_o,
  output logic                [  Sharers-1:0]            sharers_o,
  output logic                [  Sharers-1:0]            inv_o,
  output weft_pkg::cause_e                               cause_o,
  input  logic                [EntryBits-1:0]            victim_i,
  output logic                [     Owed-1:0][Sharers-1:0] victim_sharers_o
);
  import weft_pkg::*;

  typedef struct packed {
    logic                         valid;
    logic [EntryBits-1:0]         entry;
    logic [Sharers-1:0]           sharers;
    logic [Sharers-1:0]           inv;
    cause_e                       cause;
    logic [Owed-1:0][Sharers-1:0] victim_sharers;
  } answer_t;
  answer_t answer;
@answers@
  always_comb begin
    case (protocol_i)
@choices@      default: answer = '0;
    endcase
  end
  assign valid_o          = answer.valid;
  assign entry_o          = answer.entry;
  assign sharers_o        = answer.sharers;
  assign inv_o            = answer.inv;
  assign cause_o          = answer.cause;
  assign victim_sharers_o = answer.victim_sharers;

  // What no policy that is built in asks for.
  logic unused;
  assign unused = ^{op_i, local_i, requester_i, hit_i, position_i, entry_i, fault_i, victim_i};
endmodule
"""

SV_POLICY = """
  answer_t @name@;
  if (Built@Name@ != 0) begin : gen_@name@
    localparam int unsigned Bits = entry_bits(Protocol@Name@, Sharers, Range);
    localparam int unsigned Lines = entry_lines(Protocol@Name@, Range);
    localparam int unsigned Sets = @sets@;
    logic [Bits-1:0] entry;
    logic [Sets-1:0][Sharers-1:0] victim_sharers;
    directory_@name@ #(
      .Sharers  (Sharers),
      .Lines    (Lines),
      .EntryBits(Bits),
      .Owed     (Sets)
    ) i_policy (
      .op_i,
      .local_i,
      .requester_i,
      .hit_i,
      .position_i,
      .entry_i         (entry_i[Bits-1:0]),
      .fault_i,
      .valid_o         (@name@.valid),
      .entry_o         (entry),
      .sharers_o       (@name@.sharers),
      .inv_o           (@name@.inv),
      .cause_o         (@name@.cause),
      .victim_i        (victim_i[Bits-1:0]),
      .victim_sharers_o(victim_sharers)
    );
    assign @name@.entry = EntryBits'(entry);
    assign @name@.victim_sharers = (Owed * Sharers)'(victim_sharers);
  end else begin : gen_no_@name@
    assign @name@ = '0;
  end
"""


def sv_policies():
    """rtl/home/directory_policies.sv: a source like the others, the same for every configuration."""
    rows = directories()
    names = [row["name"] for row in rows]
    answers = "".join(
        SV_POLICY.replace("@name@", identifier(row["name"]))
        .replace("@Name@", camel(row["name"]))
        .replace("@sets@", "1" if row.get("block") else "Lines")
        for row in rows
    )
    choices = "".join(f"      Protocol{camel(name)}: answer = {identifier(name)};\n" for name in names)
    return SV_POLICIES.replace("@answers@", answers).replace("@choices@", choices)


# ---------------------------------------------------------------- C

C_HEADER = """/* SPDX-License-Identifier: Apache-2.0 */
/* Generated by rtl/config/protocols.py from protocols.toml. Do not edit. */
#ifndef WEFT_PROTOCOLS_H
#define WEFT_PROTOCOLS_H

#include <stddef.h>
#include <stdint.h>

#include "weft_configs.h"

struct weft_directory_policy;

struct weft_protocol_row {
  const char *name;
  const char *doc;
  uint8_t tracker; /* enum weft_tracker */
  uint8_t model;   /* 1: for comparison only, not in hardware */
  uint8_t block;   /* 1: an INV names all lines of an entry */
  uint8_t refresh; /* 1: a hit makes its entry the youngest, if directory.refresh is 1 */
  uint8_t ways;    /* of the directory; 0: directory.ways */
  uint8_t causal;  /* 1: of leases, requests carry the sender's clock */
  uint8_t renews;  /* 1: of leases, a copy that has run out is renewed */
  uint8_t answered; /* 1: stores are answered, though nobody keeps times */
  uint8_t writeback; /* 1: copies of remote lines may be dirty */
  size_t built;    /* where built.NAME is in struct weft_config; 0: needs no hardware */
  /* Of a directory: lines of an entry, of `range` in directory.range; bits of an entry beside tag and
   * valid bit; entries, of directory.entries and the lines of a node's memory. */
  unsigned (*entry_lines)(unsigned range);
  unsigned (*entry_bits)(unsigned sharers, unsigned lines);
  uint64_t (*entries)(uint64_t entries, uint64_t memory);
  const struct weft_directory_policy *policy;
};

/* [enum weft_protocol] */
extern const struct weft_protocol_row weft_protocol_rows[];
extern const size_t weft_protocol_count;

/* Lines that an entry of the protocol's directory tracks; 1 without one. */
static inline unsigned weft_protocol_lines(const struct weft_config *c, size_t protocol)
{
  const struct weft_protocol_row *row = &weft_protocol_rows[protocol];
  return row->entry_lines ? row->entry_lines((unsigned)(c->directory_range / c->line)) : 1;
}

#endif
"""


C_LOG2 = """static unsigned log2_up(unsigned n)
{
  unsigned bits = 0;
  while (1U << bits < n)
    bits++;
  return bits;
}

"""


C_FUNCTION = """static {type} {name}({arguments})
{{
{unused}  return {expression};
}}

"""


def c_functions(row):
    """The expressions of a row as C functions: lines, bits and entries."""
    name = identifier(row["name"])
    shapes = (
        ("lines", "unsigned", value(row, "lines"), ("range",)),
        ("bits", "unsigned", row["entry"], ("sharers", "lines")),
        ("entries", "uint64_t", value(row, "entries"), ("entries", "memory")),
    )
    for what, kind, expression, arguments in shapes:
        yield C_FUNCTION.format(
            type=kind,
            name=f"{name}_{what}",
            arguments=", ".join(f"{kind} {a}" for a in arguments),
            unused="".join(f"  (void){a};\n" for a in arguments if a not in expression),
            expression=expression.replace("log2", "log2_up"),
        )


def c_table():
    """weft_protocols.c."""
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */\n",
        "/* Generated by rtl/config/protocols.py from protocols.toml. Do not edit. */\n",
        '#include "weft_protocols.h"\n\n#include "directory_policy.h"\n',
        '#include "weft_configs.h"\n#include "weft_formats.h"\n\n',
    ]
    if any("log2" in row.get("entry", "") for row in PROTOCOLS):
        out.append(C_LOG2)
    rows = []
    for row in PROTOCOLS:
        name, functions = identifier(row["name"]), "NULL, NULL, NULL, NULL"
        hardware = row in tracked()
        built = f"offsetof(struct weft_config, built_{name})" if hardware else "0"
        if row["tracker"] == "directory":
            policy = identifier(row.get("policy", row["name"]))
            out += c_functions(row)
            if policy == name:
                out.append(f"extern const struct weft_directory_policy weft_directory_{policy};\n\n")
            functions = f"{name}_lines, {name}_bits, {name}_entries, &weft_directory_{policy}"
        tracker = f"WEFT_TRACKER_{row['tracker'].upper()}"
        keys = ("model", "block", "refresh", "ways", "causal", "renews", "answered", "writeback")
        flags = ", ".join(str(row.get(key, 0)) for key in keys)
        rows.append(f'  {{ "{row["name"]}", "{row["doc"]}",\n    {tracker}, {flags}, {built},\n')
        rows.append(f"    {functions} }},\n")
    out += ["const struct weft_protocol_row weft_protocol_rows[] = {\n", *rows, "};\n"]
    out.append("const size_t weft_protocol_count = sizeof weft_protocol_rows / sizeof *weft_protocol_rows;\n")
    return "".join(out)
