// SPDX-License-Identifier: Apache-2.0

/// What a request does to a directory entry that tracks one line (the baseline): the table "Directory slice"
/// of docs/protocol.md, combinational. `directory` finds the entry, makes room for a new one and stores it.
module directory_line #(
  /// Sharer bits of an entry: all nodes but the home.
  parameter int unsigned Sharers = 3
) (
  input  weft_pkg::dir_op_e               op_i,
  /// The request comes from the home itself.
  input  logic                            local_i,
  /// The requester's own sharer bit; zero for a local request.
  input  logic              [Sharers-1:0] requester_i,
  input  logic                            hit_i,
  /// Of the entry hit; zero on a miss.
  input  logic              [Sharers-1:0] sharers_i,
  input  logic              [        5:0] fault_i,
  /// The line gets a new entry.
  output logic                            allocate_o,
  /// The line's entry, old or new, is valid afterwards.
  output logic                            valid_o,
  /// Sharers afterwards; zero when there is no entry.
  output logic              [Sharers-1:0] sharers_o,
  /// Who must drop the line because of this request.
  output logic              [Sharers-1:0] inv_o
);
  import weft_pkg::*;

  logic fault_single, fault_forgets;

  if (Faults != 0) begin : gen_fault
    assign fault_single  = (fault_i == FaultDirectorySingleSharer) && $onehot(sharers_i);
    assign fault_forgets = fault_i == FaultDirectoryForgetsWriter;
  end else begin : gen_no_fault
    assign fault_single  = 1'b0;
    assign fault_forgets = 1'b0;
    logic unused;
    assign unused = ^fault_i;
  end

  always_comb begin
    allocate_o = 1'b0;
    valid_o    = hit_i;
    sharers_o  = sharers_i;
    inv_o      = '0;
    case (op_i)
      DirOpRead: begin
        allocate_o = !local_i && !hit_i;
        valid_o    = hit_i || !local_i;
        sharers_o  = sharers_i | requester_i;
      end
      DirOpWrite: begin
        allocate_o = !local_i && !hit_i;
        valid_o    = !local_i;
        sharers_o  = fault_forgets ? '0 : requester_i;
        inv_o      = (local_i && fault_single) ? '0 : sharers_i & ~requester_i;
      end
      // An atomic's requester dropped its copy when it issued it, so it is neither told nor recorded.
      DirOpAtomic: begin
        valid_o   = 1'b0;
        sharers_o = '0;
        inv_o     = sharers_i & ~requester_i;
      end
      default: ;
    endcase
  end

  if (Sharers < 1 || Sharers > 15) begin : gen_check_sharers
    $error("directory_line: Sharers must be 1 to 15");
  end
endmodule
