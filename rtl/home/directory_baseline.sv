// SPDX-License-Identifier: Apache-2.0

/// The baseline's policy: one line per entry, one bit for every sharer. `directory` finds the entry, makes room
/// for a new one and stores it; the ports are those of every policy, see docs/units/tracker.md.
module directory_baseline #(
  /// Sharer bits: all nodes but the home.
  parameter int unsigned Sharers = 3,
  /// Lines that an entry tracks.
  parameter int unsigned Lines = 1,
  /// Bits of an entry's fields, as the table of protocols says.
  parameter int unsigned EntryBits = Sharers,
  /// Sets of sharers that an evicted entry owes INVs to: one for each line, or one for the whole block.
  parameter int unsigned Owed = 1
) (
  input  weft_pkg::dir_op_e                            op_i,
  /// The request comes from the home itself.
  input  logic                                         local_i,
  /// The requester's own sharer bit; zero for a local request.
  input  logic              [  Sharers-1:0]            requester_i,
  input  logic                                         hit_i,
  /// The line's place in its entry.
  input  logic              [          6:0]            position_i,
  /// Of the entry hit; zero on a miss.
  input  logic              [EntryBits-1:0]            entry_i,
  input  logic              [          6:0]            fault_i,
  /// The line has an entry afterwards; if it had none, a new one.
  output logic                                         valid_o,
  output logic              [EntryBits-1:0]            entry_o,
  /// Sharers of the line by `entry_o`; without a meaning when there is no entry.
  output logic              [  Sharers-1:0]            sharers_o,
  /// Who must drop the line (or the block) because of this request, and why.
  output logic              [  Sharers-1:0]            inv_o,
  output weft_pkg::cause_e                             cause_o,
  /// Sharers by an entry that would be evicted.
  input  logic              [EntryBits-1:0]            victim_i,
  output logic              [     Owed-1:0][Sharers-1:0] victim_sharers_o
);
  import weft_pkg::*;

  directory_line #(
    .Sharers(Sharers)
  ) i_line (
    .op_i,
    .local_i,
    .requester_i,
    .sharers_i(entry_i),
    .fault_i,
    .sharers_o(entry_o),
    .inv_o
  );
  assign valid_o          = entry_o != '0;
  assign sharers_o        = entry_o;
  assign victim_sharers_o = victim_i;
  logic unused;
  assign unused = ^{position_i, hit_i};
  assign cause_o = CauseWrite;

  if (Lines != 1 || EntryBits != Sharers || Owed != 1) begin : gen_check
    $error("directory_baseline: an entry is one line, as many bits as there are sharers");
  end
endmodule
