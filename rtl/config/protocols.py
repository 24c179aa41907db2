# SPDX-License-Identifier: Apache-2.0
"""What follows from protocols.toml: enum, parameters, SystemVerilog and C.

generate.py takes all of it; see there for who writes what.
"""

import pathlib
import re
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
POLICIES = HERE.parent / "home" / "directory_policies.sv"
TRACKERS = ("none", "directory")
NUMBER_BITS = 4  # of the register control.protocol
KEYS = {"name", "doc", "tracker", "entry", "built"}
EXPRESSION = re.compile(r"(?:\s*(?:sharers|log2|\d+|[-+*()]))+\s*")


def load(path=HERE / "protocols.toml"):
    rows = tomllib.loads(path.read_text())["protocol"]
    for row in rows:
        check(row)
    names = [row["name"] for row in rows]
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
    if not EXPRESSION.fullmatch(row.get("entry", "0")):
        raise ValueError(f'{where}: entry = "{row["entry"]}" is no expression of sharers and log2()')


PROTOCOLS = load()


def identifier(name):
    return name.replace("-", "_")


def camel(name):
    return "".join(part.capitalize() for part in identifier(name).split("_"))


def tracked():
    """The protocols with hardware of their own."""
    return [row for row in PROTOCOLS if row["tracker"] != "none"]


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


# ---------------------------------------------------------------- SystemVerilog


def sv_functions():
    """For weft_pkg: what the units ask about a protocol."""
    trackers = "".join(
        f"      Protocol{camel(row['name'])}: return Tracker{camel(row['tracker'])};\n" for row in tracked()
    )
    bits = "".join(
        f"      Protocol{camel(row['name'])}: bits = {row['entry'].replace('log2', '$clog2')};\n"
        for row in tracked()
    )
    widest = "".join(
        f"    if (Built{camel(row['name'])} != 0) begin\n"
        f"      widest = entry_bits(Protocol{camel(row['name'])}, sharers) > widest ?\n"
        f"               entry_bits(Protocol{camel(row['name'])}, sharers) : widest;\n    end\n"
        for row in tracked()
    )
    return (
        "  // What a protocol's homes keep of copies elsewhere.\n"
        "  function automatic tracker_e tracker_of(protocol_e protocol);\n"
        f"    case (protocol)\n{trackers}      default: return TrackerNone;\n    endcase\n  endfunction\n\n"
        "  // Bits of a directory entry beside tag and valid bit; never none.\n"
        "  function automatic int unsigned entry_bits(protocol_e protocol, int unsigned sharers);\n"
        "    int unsigned bits;\n"
        f"    case (protocol)\n{bits}      default: bits = 0;\n    endcase\n"
        "    return bits > 0 ? bits : 1;\n  endfunction\n\n"
        "  // The same for an entry that has room for every protocol that is built in.\n"
        "  function automatic int unsigned entry_bits_built(int unsigned sharers);\n"
        f"    int unsigned widest;\n    widest = 1;\n{widest}    return widest;\n  endfunction\n\n"
    )


SV_POLICIES = """// SPDX-License-Identifier: Apache-2.0
// Written by rtl/config/protocols.py from protocols.toml (`make manifests`). Do not edit.

/// The directory policies that are built in, side by side, and the choice between them by the protocol, which
/// is steady. The ports are those of every policy: see docs/units/tracker.md.
module directory_policies #(
  /// Sharer bits: all nodes but the home.
  parameter int unsigned Sharers = 3,
  /// Bits of an entry's fields, of which a policy uses the lower ones.
  parameter int unsigned EntryBits = 3
) (
  input  weft_pkg::protocol_e                 protocol_i,
  input  weft_pkg::dir_op_e                   op_i,
  input  logic                                local_i,
  input  logic                [  Sharers-1:0] requester_i,
  input  logic                                hit_i,
  input  logic                [EntryBits-1:0] entry_i,
  input  logic                [          5:0] fault_i,
  output logic                                valid_o,
  output logic                [EntryBits-1:0] entry_o,
  output logic                [  Sharers-1:0] sharers_o,
  output logic                [  Sharers-1:0] inv_o,
  output weft_pkg::cause_e                    cause_o,
  input  logic                [EntryBits-1:0] victim_i,
  output logic                [  Sharers-1:0] victim_sharers_o
);
  import weft_pkg::*;

  typedef struct packed {
    logic                 valid;
    logic [EntryBits-1:0] entry;
    logic [Sharers-1:0]   sharers;
    logic [Sharers-1:0]   inv;
    cause_e               cause;
    logic [Sharers-1:0]   victim_sharers;
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
  assign unused = ^{op_i, local_i, requester_i, hit_i, entry_i, fault_i, victim_i};
endmodule
"""

SV_POLICY = """
  answer_t @name@;
  if (Built@Name@ != 0) begin : gen_@name@
    localparam int unsigned Bits = entry_bits(Protocol@Name@, Sharers);
    logic [Bits-1:0] entry;
    directory_@name@ #(
      .Sharers  (Sharers),
      .EntryBits(Bits)
    ) i_policy (
      .op_i,
      .local_i,
      .requester_i,
      .hit_i,
      .entry_i         (entry_i[Bits-1:0]),
      .fault_i,
      .valid_o         (@name@.valid),
      .entry_o         (entry),
      .sharers_o       (@name@.sharers),
      .inv_o           (@name@.inv),
      .cause_o         (@name@.cause),
      .victim_i        (victim_i[Bits-1:0]),
      .victim_sharers_o(@name@.victim_sharers)
    );
    assign @name@.entry = EntryBits'(entry);
  end else begin : gen_no_@name@
    assign @name@ = '0;
  end
"""


def sv_policies():
    """rtl/home/directory_policies.sv: a source like the others, the same for every configuration."""
    names = [row["name"] for row in tracked() if row["tracker"] == "directory"]
    answers = "".join(
        SV_POLICY.replace("@name@", identifier(name)).replace("@Name@", camel(name)) for name in names
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

struct weft_directory_policy;

struct weft_protocol_row {
  const char *name;
  const char *doc;
  uint8_t tracker; /* enum weft_tracker */
  size_t built;    /* where built.NAME is in struct weft_config; 0: needs no hardware */
  unsigned (*entry_bits)(unsigned sharers); /* of a directory entry, beside tag and valid bit */
  const struct weft_directory_policy *policy; /* of a directory */
};

/* [enum weft_protocol] */
extern const struct weft_protocol_row weft_protocol_rows[];
extern const size_t weft_protocol_count;

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
        name, bits, policy = identifier(row["name"]), "NULL", "NULL"
        built = f"offsetof(struct weft_config, built_{name})" if row["tracker"] != "none" else "0"
        if row["tracker"] == "directory":
            bits, policy = f"{name}_bits", f"&weft_directory_{name}"
            expression = row["entry"].replace("log2", "log2_up")
            out.append(f"static unsigned {bits}(unsigned sharers)\n{{\n  return {expression};\n}}\n\n")
            out.append(f"extern const struct weft_directory_policy weft_directory_{name};\n\n")
        tracker = f"WEFT_TRACKER_{row['tracker'].upper()}"
        rows.append(f'  {{ "{row["name"]}", "{row["doc"]}", {tracker}, {built}, {bits}, {policy} }},\n')
    out += ["const struct weft_protocol_row weft_protocol_rows[] = {\n", *rows, "};\n"]
    out.append("const size_t weft_protocol_count = sizeof weft_protocol_rows / sizeof *weft_protocol_rows;\n")
    return "".join(out)
