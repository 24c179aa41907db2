// SPDX-License-Identifier: Apache-2.0
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

  answer_t baseline;
  if (BuiltBaseline != 0) begin : gen_baseline
    localparam int unsigned Bits = entry_bits(ProtocolBaseline, Sharers, Range);
    localparam int unsigned Lines = entry_lines(ProtocolBaseline, Range);
    localparam int unsigned Sets = Lines;
    logic [Bits-1:0] entry;
    logic [Sets-1:0][Sharers-1:0] victim_sharers;
    directory_baseline #(
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
      .valid_o         (baseline.valid),
      .entry_o         (entry),
      .sharers_o       (baseline.sharers),
      .inv_o           (baseline.inv),
      .cause_o         (baseline.cause),
      .victim_i        (victim_i[Bits-1:0]),
      .victim_sharers_o(victim_sharers)
    );
    assign baseline.entry = EntryBits'(entry);
    assign baseline.victim_sharers = (Owed * Sharers)'(victim_sharers);
  end else begin : gen_no_baseline
    assign baseline = '0;
  end

  answer_t hmg;
  if (BuiltHmg != 0) begin : gen_hmg
    localparam int unsigned Bits = entry_bits(ProtocolHmg, Sharers, Range);
    localparam int unsigned Lines = entry_lines(ProtocolHmg, Range);
    localparam int unsigned Sets = 1;
    logic [Bits-1:0] entry;
    logic [Sets-1:0][Sharers-1:0] victim_sharers;
    directory_hmg #(
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
      .valid_o         (hmg.valid),
      .entry_o         (entry),
      .sharers_o       (hmg.sharers),
      .inv_o           (hmg.inv),
      .cause_o         (hmg.cause),
      .victim_i        (victim_i[Bits-1:0]),
      .victim_sharers_o(victim_sharers)
    );
    assign hmg.entry = EntryBits'(entry);
    assign hmg.victim_sharers = (Owed * Sharers)'(victim_sharers);
  end else begin : gen_no_hmg
    assign hmg = '0;
  end

  answer_t rec;
  if (BuiltRec != 0) begin : gen_rec
    localparam int unsigned Bits = entry_bits(ProtocolRec, Sharers, Range);
    localparam int unsigned Lines = entry_lines(ProtocolRec, Range);
    localparam int unsigned Sets = Lines;
    logic [Bits-1:0] entry;
    logic [Sets-1:0][Sharers-1:0] victim_sharers;
    directory_rec #(
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
      .valid_o         (rec.valid),
      .entry_o         (entry),
      .sharers_o       (rec.sharers),
      .inv_o           (rec.inv),
      .cause_o         (rec.cause),
      .victim_i        (victim_i[Bits-1:0]),
      .victim_sharers_o(victim_sharers)
    );
    assign rec.entry = EntryBits'(entry);
    assign rec.victim_sharers = (Owed * Sharers)'(victim_sharers);
  end else begin : gen_no_rec
    assign rec = '0;
  end

  always_comb begin
    case (protocol_i)
      ProtocolBaseline: answer = baseline;
      ProtocolHmg: answer = hmg;
      ProtocolRec: answer = rec;
      default: answer = '0;
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
