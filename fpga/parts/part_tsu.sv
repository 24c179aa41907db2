// SPDX-License-Identifier: Apache-2.0

/// The timestamp storage unit between registers, with its event port open: for its cells and its clock alone.
module part_tsu
  import weft_pkg::*;
  import l2_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic            [ 3:0] self_i,
  input  lease_settings_t        leases_i,
  input  logic                   rebase_i,
  input  logic                   lookup_i,
  input  bankline_t              line_i,
  input  logic                   step_i,
  input  tsu_op_e                op_i,
  input  logic                   causal_i,
  input  logic                   renews_i,
  input  logic            [15:0] cts_i,
  output logic                   ready_o,
  output logic                   wants_rebase_o,
  output logic            [15:0] largest_o,
  output logic            [15:0] wts_o,
  output logic            [15:0] rts_o,
  output logic            [15:0] was_o,
  output tsu_count_t             count_o
);
  logic rst_n, rebase, lookup, step, causal, renews, ready, wants_rebase;
  logic [3:0] self;
  lease_settings_t leases;
  bankline_t line;
  tsu_op_e op;
  logic [15:0] cts, largest, wts, rts, was;
  tsu_count_t count;

  always_ff @(posedge clk_i) begin
    {rst_n, self, leases, rebase} <= {rst_ni, self_i, leases_i, rebase_i};
    {lookup, line, step, causal, renews, cts} <= {lookup_i, line_i, step_i, causal_i, renews_i, cts_i};
    op <= op_i;
    {ready_o, wants_rebase_o, largest_o} <= {ready, wants_rebase, largest};
    {wts_o, rts_o, was_o, count_o} <= {wts, rts, was, count};
  end

  tsu u_part (
    .clk_i,
    .rst_ni        (rst_n),
    .self_i        (self),
    .leases_i      (leases),
    .fault_i       (FaultNone),
    .ready_o       (ready),
    .rebase_i      (rebase),
    .lookup_i      (lookup),
    .line_i        (line),
    .step_i        (step),
    .op_i          (op),
    .causal_i      (causal),
    .renews_i      (renews),
    .cts_i         (cts),
    .wants_rebase_o(wants_rebase),
    .largest_o     (largest),
    .wts_o         (wts),
    .rts_o         (rts),
    .was_o         (was),
    .event_o       (),
    .count_o       (count)
  );
endmodule
