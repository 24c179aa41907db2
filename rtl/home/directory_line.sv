// SPDX-License-Identifier: Apache-2.0

/// What a request does to the sharers of one line (or of one block that is tracked as a whole): the table
/// "Directory slice" of docs/protocol.md, combinational. Every policy of docs/units/tracker.md has one.
module directory_line #(
  /// Sharer bits: all nodes but the home.
  parameter int unsigned Sharers = 3
) (
  input  weft_pkg::dir_op_e               op_i,
  /// The request comes from the home itself.
  input  logic                            local_i,
  /// The requester's own sharer bit; zero for a local request.
  input  logic              [Sharers-1:0] requester_i,
  /// Who may hold the line; nobody, if it has no entry.
  input  logic              [Sharers-1:0] sharers_i,
  input  logic              [        6:0] fault_i,
  /// Who may hold it afterwards, and who must drop it.
  output logic              [Sharers-1:0] sharers_o,
  output logic              [Sharers-1:0] inv_o
);
  import weft_pkg::*;

  logic fault_single, fault_forgets, fault_tells;

  if (Faults != 0) begin : gen_fault
    assign fault_single  = fault_i == FaultDirectorySingleSharer && local_i && $onehot(sharers_i);
    assign fault_forgets = fault_i == FaultDirectoryForgetsWriter;
    assign fault_tells   = fault_i == FaultDirectoryTellsRequester && op_i == DirOpAtomic;
  end else begin : gen_no_fault
    assign {fault_single, fault_forgets, fault_tells} = '0;
    logic unused;
    assign unused = ^{fault_i, local_i};
  end

  always_comb begin
    if (op_i == DirOpRead) begin
      sharers_o = sharers_i | requester_i;
      inv_o     = '0;
    end else begin
      // An atomic's requester dropped its copy when it issued it, so it is neither told nor recorded.
      sharers_o = (op_i == DirOpWrite && !fault_forgets) ? requester_i : '0;
      inv_o     = sharers_i & ~requester_i;
      if (fault_single) inv_o = '0;
      if (fault_tells) inv_o = sharers_i | requester_i;
    end
  end

  if (Sharers < 1 || Sharers > 15) begin : gen_check
    $error("directory_line: Sharers must be 1 to 15");
  end
endmodule
