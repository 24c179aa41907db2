// SPDX-License-Identifier: Apache-2.0

/// What leases add to a cache, its lines' stamps and its clock, between registers: for their cells and frequency alone.
module part_leases #(
  parameter int unsigned Sets = 16,
  parameter int unsigned Ways = 4,
  localparam int unsigned SetBits = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned WayBits = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               lookup_i,
  input  logic [SetBits-1:0] lookup_set_i,
  input  logic [WayBits-1:0] way_i,
  input  logic               install_i,
  input  logic [SetBits-1:0] set_i,
  input  logic [WayBits-1:0] install_way_i,
  input  logic               answered_i,
  input  logic [       15:0] wts_i,
  input  logic [       15:0] rts_i,
  input  logic               outlive_i,
  input  logic               rebase_i,
  output logic               live_o,
  output logic [       15:0] wts_o,
  output logic [       15:0] rts_o,
  output logic [       15:0] clock_o,
  output logic [       15:0] next_o,
  output logic [        1:0] era_o
);
  logic rst_n, lookup, install, answered, outlive, rebases, live;
  logic [SetBits-1:0] lookup_set, set;
  logic [WayBits-1:0] way, install_way;
  logic [15:0] new_wts, new_rts, wts, rts, now, next;
  logic [1:0] era;

  always_ff @(posedge clk_i) begin
    {rst_n, lookup, lookup_set, way, install} <= {rst_ni, lookup_i, lookup_set_i, way_i, install_i};
    {set, install_way, answered} <= {set_i, install_way_i, answered_i};
    {new_wts, new_rts, outlive, rebases} <= {wts_i, rts_i, outlive_i, rebase_i};
    {live_o, wts_o, rts_o, clock_o, next_o, era_o} <= {live, wts, rts, now, next, era};
  end

  lease_clock u_clock (
    .clk_i,
    .rst_ni    (rst_n),
    .answered_i(answered),
    .installs_i(1'b1),
    .wts_i     (new_wts),
    .rts_i     (new_rts),
    .outlive_i (outlive),
    .rebase_i  (rebases),
    .clock_o   (now),
    .next_o    (next),
    .era_o     (era)
  );
  lease_lines #(
    .Sets(Sets),
    .Ways(Ways)
  ) u_lines (
    .clk_i,
    .lookup_i     (lookup),
    .lookup_set_i (lookup_set),
    .way_i        (way),
    .now_i        (now),
    .live_o       (live),
    .wts_o        (wts),
    .rts_o        (rts),
    .install_i    (install),
    .set_i        (set),
    .install_way_i(install_way),
    .wts_i        (new_wts),
    .rts_i        (new_rts)
  );
endmodule
