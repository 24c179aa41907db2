// SPDX-License-Identifier: Apache-2.0

/// What a cache under leases builds on: a clock that hears every answer and never goes back but by a rebase, and
/// stamps of lines that are alive exactly as long as the answer said that they were.
///
/// The solver chooses one line's place (`set_s_i`, `way_s_i`); what was last installed there is kept here from the
/// commands alone. What holds for any place holds for all.
module lease_props #(
  parameter int unsigned TimeBits = 6,
  parameter int unsigned Sets = 2,
  parameter int unsigned Ways = 2,
  localparam int unsigned SetBits = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned WayBits = (Ways > 1) ? $clog2(Ways) : 1
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               answered_i,
  input logic               installs_i,
  input logic [       15:0] wts_i,
  input logic [       15:0] rts_i,
  input logic               outlive_i,
  input logic               rebase_i,
  input logic               lookup_i,
  input logic [SetBits-1:0] lookup_set_i,
  input logic [WayBits-1:0] way_i,
  input logic [       15:0] heard_i,
  input logic [SetBits-1:0] set_i,
  input logic [WayBits-1:0] install_way_i,
  input logic [SetBits-1:0] set_s_i,
  input logic [WayBits-1:0] way_s_i
);
  localparam logic [15:0] Last = 16'((17'd1 << TimeBits) - 17'd1);

  logic live_o;
  logic [15:0] clock_o, next_o, line_wts, line_rts, now;
  logic [1:0] era_o;
  lease_clock #(.TimeBits(TimeBits)) u_clock (.*);

  // An L2 asks by its own time or by the request's, an L1 by its own: whatever, not earlier than the clock.
  assign now = (heard_i > clock_o) ? heard_i : clock_o;
  lease_lines #(
    .Sets    (Sets),
    .Ways    (Ways),
    .TimeBits(TimeBits)
  ) u_lines (
    .now_i    (now),
    .wts_o    (line_wts),
    .rts_o    (line_rts),
    .install_i(answered_i && installs_i),
    .*
  );

  // ---------------------------------------------------------------- the rules of who uses them
  logic started_q = 1'b0;
  logic lookup_q;
  logic [SetBits-1:0] set_q, set_s_q;
  logic [WayBits-1:0] way_s_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    lookup_q  <= rst_ni && lookup_i;
    set_q     <= lookup_set_i;
    set_s_q   <= set_s_i;
    way_s_q   <= way_s_i;
  end
  always_comb begin
    if (!started_q) assume (!rst_ni);
    else assume (set_s_i == set_s_q && way_s_i == way_s_q);
    assume (32'(set_s_i) < Sets && 32'(set_i) < Sets && 32'(lookup_set_i) < Sets);
    assume (32'(way_s_i) < Ways && 32'(install_way_i) < Ways && 32'(way_i) < Ways);
    // As the timestamp storage unit answers: proof `tsu`.
    assume (wts_i <= rts_i && rts_i < Last);
    assume (heard_i <= Last);
    // One step at a time.
    assume (32'(answered_i) + 32'(outlive_i) + 32'(rebase_i) <= 1);
  end

  // ---------------------------------------------------------------- what the answers said
  logic known_q, ours;
  logic [15:0] came_wts_q, came_rts_q, longest_q, heard_q, before_q;
  logic rebased_q, outlived_q;
  logic [1:0] eras_q;
  assign ours = answered_i && installs_i && set_i == set_s_i && install_way_i == way_s_i;
  always_ff @(posedge clk_i) begin
    before_q  <= clock_o;
    rebased_q <= rebase_i;
    eras_q    <= eras_q + 2'(rebase_i);
    if (ours) begin
      known_q    <= 1'b1;
      came_wts_q <= wts_i;
      came_rts_q <= rts_i;
    end
    // Of this era: the end of every lease that came in, when the latest value was written, has the clock passed
    // the former.
    if (answered_i && installs_i && rts_i > longest_q) longest_q <= rts_i;
    if (answered_i && wts_i > heard_q) heard_q <= wts_i;
    outlived_q <= outlive_i || (outlived_q && !(answered_i && installs_i));
    if (!rst_ni || rebase_i) begin
      longest_q  <= '0;
      heard_q    <= '0;
      outlived_q <= 1'b0;
    end
    if (!rst_ni) begin
      known_q   <= 1'b0;
      rebased_q <= 1'b1;
      eras_q    <= '0;
      before_q  <= '0;
    end
  end

  // ---------------------------------------------------------------- properties
  logic asked;
  assign asked = lookup_q && set_q == set_s_i && way_i == way_s_i && known_q;
  always_comb begin
    if (rst_ni) begin
      clock_never_goes_back : assert (clock_o >= before_q || rebased_q);
      clock_has_heard_every_answer : assert (clock_o >= heard_q);
      clock_moves_by_answers_and_acquires_alone :
      assert (clock_o == before_q || rebased_q || clock_o == heard_q ||
              (outlived_q && clock_o == longest_q + 16'd1));
      rebase_starts_at_0 : assert (!rebased_q || clock_o == '0);
      every_rebase_is_an_era : assert (era_o == eras_q);
      clock_fits : assert (clock_o <= Last && next_o <= Last);
      no_lease_outlives_an_acquire : assert (!outlived_q || longest_q == '0 || clock_o > longest_q);
    end
    if (rst_ni && asked) begin
      stamps_are_the_answers : assert (line_wts == came_wts_q && line_rts == came_rts_q);
      alive_means_promised : assert (!live_o || now <= came_rts_q);
      promised_means_alive : assert (live_o || now > came_rts_q);
    end
  end

  logic installed_q;
  always_ff @(posedge clk_i) installed_q <= rst_ni && ours;
  always_comb begin
    if (rst_ni) begin
      reach_alive : cover (asked && live_o && clock_o > 16'd2);
      reach_expired : cover (asked && !live_o && clock_o <= came_rts_q);
      reach_expired_by_the_clock : cover (asked && clock_o > came_rts_q);
      reach_change_seen_by_the_next_step : cover (asked && installed_q && live_o);
      reach_acquire : cover (outlived_q && longest_q > 16'd2);
      reach_third_era : cover (era_o == 2'd3);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  logic [2*TimeBits*Ways-1:0] word_s, read;
  logic [2*TimeBits-1:0] stamps_s, read_s;
  assign word_s   = u_lines.u_stamps.store_q[set_s_i];
  assign stamps_s = word_s[2*TimeBits*way_s_i+:2*TimeBits];
  assign read     = u_lines.u_stamps.rdata_o;
  assign read_s   = read[2*TimeBits*way_s_i+:2*TimeBits];
  always_comb begin
    if (rst_ni) begin
      induct_last : assert (16'(u_clock.last_q) == longest_q && longest_q < Last);
      induct_heard : assert (heard_q < Last);
      induct_came : assert (!known_q || (came_rts_q < Last && came_wts_q <= came_rts_q));
      induct_stored : assert (!known_q || stamps_s == {TimeBits'(came_wts_q), TimeBits'(came_rts_q)});
      induct_read : assert (!known_q || !lookup_q || set_q != set_s_i || read_s == stamps_s);
    end
  end
endmodule
