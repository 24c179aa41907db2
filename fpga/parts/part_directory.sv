// SPDX-License-Identifier: Apache-2.0

/// A directory slice between registers, with its event port open: for its cells and its clock alone.
module part_directory
  import weft_pkg::*;
  import l2_pkg::*;
(
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  input  logic      [          3:0]                self_i,
  input  protocol_e                                protocol_i,
  input  logic                                     lookup_i,
  input  bankline_t                                line_i,
  input  logic                                     step_i,
  input  dir_op_e                                  op_i,
  input  logic                                     local_i,
  input  logic      [          3:0]                requester_i,
  output logic                                     ready_o,
  output logic                                     hit_o,
  output logic                                     allocated_o,
  output logic                                     evicted_o,
  output logic      [          7:0]                lines_o,
  output logic      [         10:0]                invs_o,
  output logic      [         15:0]                inv_nodes_o,
  output cause_e                                   inv_cause_o,
  output logic      [         39:0]                inv_address_o,
  output logic                                     inv_block_o,
  output logic                                     inv_spread_o,
  output logic      [EntryOwed-1:0][Sharers-1:0]   inv_lines_o
);
  logic rst_n, lookup, step, from_here, ready, hit, allocated, evicted, inv_block, inv_spread;
  logic [3:0] self, requester;
  protocol_e protocol;
  bankline_t line;
  dir_op_e op;
  logic [7:0] lines;
  logic [10:0] invs;
  logic [15:0] inv_nodes;
  cause_e inv_cause;
  logic [39:0] inv_address;
  logic [EntryOwed-1:0][Sharers-1:0] inv_lines;

  always_ff @(posedge clk_i) begin
    {rst_n, self, lookup, line} <= {rst_ni, self_i, lookup_i, line_i};
    {step, from_here, requester} <= {step_i, local_i, requester_i};
    protocol <= protocol_i;
    op <= op_i;
    inv_cause_o <= inv_cause;
    {ready_o, hit_o, allocated_o, evicted_o} <= {ready, hit, allocated, evicted};
    {lines_o, invs_o} <= {lines, invs};
    {inv_nodes_o, inv_address_o} <= {inv_nodes, inv_address};
    {inv_block_o, inv_spread_o, inv_lines_o} <= {inv_block, inv_spread, inv_lines};
  end

  directory #(
    .Nodes    (Nodes),
    .Entries  (DirectoryEntries / L2Banks),
    .Ways     (DirectoryWays),
    .LineWidth(BankLineBits),
    .Line     (Line),
    .Banks    (L2Banks),
    .Range    (DirectoryRange),
    .Refresh  (DirectoryRefresh)
  ) u_part (
    .clk_i,
    .rst_ni        (rst_n),
    .self_i        (self),
    .bank_i        (3'd0),
    .protocol_i    (protocol),
    .fault_i       ('0),
    .ready_o       (ready),
    .lookup_i      (lookup),
    .line_i        (line),
    .step_i        (step),
    .op_i          (op),
    .local_i       (from_here),
    .requester_i   (requester),
    .hit_o         (hit),
    .way_o         (),
    .allocated_o   (allocated),
    .evicted_o     (evicted),
    .evicted_line_o(),
    .lines_o       (lines),
    .sharers_o     (),
    .inv_sharers_o (),
    .invs_o        (invs),
    .inv_nodes_o   (inv_nodes),
    .inv_cause_o   (inv_cause),
    .inv_address_o (inv_address),
    .inv_block_o   (inv_block),
    .inv_spread_o  (inv_spread),
    .inv_lines_o   (inv_lines),
    .event_o       ()
  );
endmodule
