// SPDX-License-Identifier: Apache-2.0

/// The baseline's policy: one bit for every sharer. What a request does to the entry of its line: the table
/// "Directory slice" of docs/protocol.md, combinational. `directory` finds the entry, makes room for a new one
/// and stores it; the ports are those of every policy, see docs/units/tracker.md.
module directory_baseline #(
  /// Sharer bits: all nodes but the home.
  parameter int unsigned Sharers = 3,
  /// Bits of an entry's fields, as the table of protocols says: the sharers.
  parameter int unsigned EntryBits = Sharers
) (
  input  weft_pkg::dir_op_e                 op_i,
  /// The request comes from the home itself.
  input  logic                              local_i,
  /// The requester's own sharer bit; zero for a local request.
  input  logic              [  Sharers-1:0] requester_i,
  input  logic                              hit_i,
  /// Of the entry hit; zero on a miss.
  input  logic              [EntryBits-1:0] entry_i,
  input  logic              [          5:0] fault_i,
  /// The line has an entry afterwards; if it had none, a new one.
  output logic                              valid_o,
  output logic              [EntryBits-1:0] entry_o,
  /// Sharers by `entry_o`; without a meaning when there is no entry.
  output logic              [  Sharers-1:0] sharers_o,
  /// Who must drop the line because of this request, and why.
  output logic              [  Sharers-1:0] inv_o,
  output weft_pkg::cause_e                  cause_o,
  /// Sharers by an entry that would be evicted.
  input  logic              [EntryBits-1:0] victim_i,
  output logic              [  Sharers-1:0] victim_sharers_o
);
  import weft_pkg::*;

  logic fault_single, fault_forgets;

  if (Faults != 0) begin : gen_fault
    assign fault_single  = (fault_i == FaultDirectorySingleSharer) && $onehot(entry_i);
    assign fault_forgets = fault_i == FaultDirectoryForgetsWriter;
  end else begin : gen_no_fault
    assign fault_single  = 1'b0;
    assign fault_forgets = 1'b0;
    logic unused;
    assign unused = ^fault_i;
  end

  always_comb begin
    valid_o = hit_i;
    entry_o = entry_i;
    inv_o   = '0;
    case (op_i)
      DirOpRead: begin
        valid_o = hit_i || !local_i;
        entry_o = entry_i | requester_i;
      end
      DirOpWrite: begin
        valid_o = !local_i;
        entry_o = fault_forgets ? '0 : requester_i;
        inv_o   = (local_i && fault_single) ? '0 : entry_i & ~requester_i;
      end
      // An atomic's requester dropped its copy when it issued it, so it is neither told nor recorded.
      DirOpAtomic: begin
        valid_o = 1'b0;
        entry_o = '0;
        inv_o   = entry_i & ~requester_i;
      end
      default: ;
    endcase
  end
  assign sharers_o        = entry_o;
  assign cause_o          = CauseWrite;
  assign victim_sharers_o = victim_i;

  if (Sharers < 1 || Sharers > 15 || EntryBits != Sharers) begin : gen_check
    $error("directory_baseline: Sharers must be 1 to 15, and EntryBits as many");
  end
endmodule
