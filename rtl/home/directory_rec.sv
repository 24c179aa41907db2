// SPDX-License-Identifier: Apache-2.0

/// REC's policy (its Figure 9): an entry tracks a range of lines, each with a position bit, which says that
/// somebody may hold it, and a bit for every sharer. Line i has the bits from i x (Sharers + 1) on, its position
/// bit first. The ports are those of every policy, see docs/units/tracker.md.
module directory_rec #(
  /// Sharer bits: all nodes but the home.
  parameter int unsigned Sharers = 3,
  /// Lines that an entry tracks.
  parameter int unsigned Lines = 16,
  /// Bits of an entry's fields, as the table of protocols says.
  parameter int unsigned EntryBits = Lines * (Sharers + 1),
  /// Sets of sharers that an evicted entry owes INVs to: one for each line, or one for the whole block.
  parameter int unsigned Owed = Lines
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

  typedef struct packed {
    logic [Sharers-1:0] sharers;
    logic               position;
  } place_t;
  place_t [Lines-1:0] places, places_next, victim;
  logic [Sharers-1:0] sharers;
  logic others;  // lines of the entry have sharers, besides this one
  assign places = entry_i;
  assign victim = victim_i;

  always_comb begin
    sharers = '0;
    others  = 1'b0;
    for (int unsigned i = 0; i < Lines; i++) begin
      if (position_i == 7'(i)) sharers |= places[i].sharers;
      else others |= places[i] != '0;
    end
  end

  directory_line #(
    .Sharers(Sharers)
  ) i_line (
    .op_i,
    .local_i,
    .requester_i,
    .sharers_i(sharers),
    .fault_i,
    .sharers_o,
    .inv_o
  );

  always_comb begin
    places_next = places;
    for (int unsigned i = 0; i < Lines; i++) begin
      if (position_i == 7'(i)) places_next[i] = '{sharers: sharers_o, position: sharers_o != '0};
      victim_sharers_o[i] = victim[i].sharers;
    end
  end
  assign entry_o = places_next;
  assign valid_o = others || sharers_o != '0;
  assign cause_o = CauseWrite;

  // No entry, no bits: the fields say it all.
  logic unused;
  assign unused = hit_i;

  if (Lines < 1 || Lines > 128 || EntryBits != Lines * (Sharers + 1) || Owed != Lines) begin : gen_check
    $error("directory_rec: 1 to 128 lines, each with its position bit and its sharers");
  end
endmodule
