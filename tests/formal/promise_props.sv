// SPDX-License-Identifier: Apache-2.0

/// Home and cache together: the timestamp storage unit, and the clock and stamps of one cache that asks it. Of one
/// block, which the solver chooses, no cache reads past what memory promised; no value is read at or after the time of
/// the next write; no write is earlier than a read of what it replaces, also after the block was away from the unit; and
/// after a value a cache reads none that is older. And where home and copy have one wts, they have one value: a copy may be renewed.
///
/// The cache is any one: all others are in the requests that the solver makes up. Messages take as long as they
/// like; there is one transaction of the block at a time (T2). What is written is a value without bytes: whether it has
/// been overwritten, and by a write of which time, is kept here.
module promise_props
  import weft_pkg::*;
  import l2_pkg::*;
#(
  /// Number of a seeded fault, for a proof that must fail.
  parameter int unsigned Fault = 0
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  // The home.
  input logic            [ 3:0] self_i,
  input lease_settings_t        leases_i,
  input logic                   rebase_i,
  input logic                   lookup_i,
  input bankline_t              line_i,
  input logic                   step_i,
  input tsu_op_e                op_i,
  input logic                   causal_i,
  input logic                   renews_i,
  input logic            [15:0] cts_i,
  input bankline_t              line_s_i,
  // The cache: its request is the one that is performed, its answer comes and may be installed; answers for other blocks;
  // an acquire that outlives all leases; one that drops all lines, or another block in this one's place.
  input logic                   asks_i,
  input logic                   ours_i,
  input logic                   deliver_i,
  input logic                   keep_i,
  input logic                   other_i,
  input logic                   other_installs_i,
  input logic            [15:0] other_wts_i,
  input logic            [15:0] other_rts_i,
  input logic                   outlive_i,
  input logic                   drop_i,
  input logic            [15:0] heard_i
);
  localparam logic [15:0] Last = 16'((17'd1 << LeaseBits) - 17'd1);

  tsu_props #(.Fault(Fault)) u_home (.*);
  logic performed, writes;
  logic [15:0] wts, rts;
  assign performed = step_i && u_home.line_q == line_s_i;
  assign writes    = performed && op_i == TsuOpWrite;
  assign wts       = u_home.wts_o;
  assign rts       = u_home.rts_o;

  // ---------------------------------------------------------------- the cache
  logic asked_q, flying_q, held_q, looked_q, live, installs;
  logic [15:0] answer_wts_q, answer_rts_q, clock, now;
  assign now      = (heard_i > clock) ? heard_i : clock;
  assign installs = deliver_i && keep_i;

  lease_clock u_clock (
    .clk_i,
    .rst_ni,
    .answered_i(deliver_i || other_i),
    .installs_i(deliver_i ? keep_i : other_installs_i),
    .wts_i     (deliver_i ? answer_wts_q : other_wts_i),
    .rts_i     (deliver_i ? answer_rts_q : other_rts_i),
    .outlive_i,
    .rebase_i,
    .clock_o   (clock),
    .next_o    (),
    .era_o     ()
  );
  lease_lines #(
    .Sets(1),
    .Ways(1)
  ) u_lines (
    .clk_i,
    .lookup_i     (1'b1),
    .lookup_set_i ('0),
    .way_i        ('0),
    .now_i        (now),
    .live_o       (live),
    .wts_o        (),
    .rts_o        (),
    .install_i    (installs),
    .set_i        ('0),
    .install_way_i('0),
    .wts_i        (answer_wts_q),
    .rts_i        (answer_rts_q)
  );

  logic hit;
  assign hit = looked_q && held_q && live;
  always_ff @(posedge clk_i) begin
    looked_q <= rst_ni;
    if (asks_i) asked_q <= 1'b1;
    if (performed && ours_i) begin
      flying_q     <= 1'b1;
      answer_wts_q <= wts;
      answer_rts_q <= rts;
    end
    if (deliver_i) begin
      asked_q  <= 1'b0;
      flying_q <= 1'b0;
    end
    if (drop_i) held_q <= 1'b0;
    if (installs) held_q <= 1'b1;
    if (!rst_ni || rebase_i) held_q <= 1'b0;
    if (!rst_ni) begin
      asked_q  <= 1'b0;
      flying_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_ni) begin
      assume (!asks_i || !asked_q);
      assume (!(performed && ours_i) || (asked_q && !flying_q));
      assume (!deliver_i || flying_q);
      // One step of the cache at a time.
      assume (32'(deliver_i) + 32'(other_i) + 32'(outlive_i) + 32'(drop_i) + 32'(rebase_i) <= 1);
      // A rebase waits for all answers, and the cache starts again before the home goes on (T10).
      assume (!rebase_i || !flying_q);
      assume (other_wts_i <= other_rts_i && other_rts_i < Last);
      assume (heard_i <= Last);
    end
  end

  // ---------------------------------------------------------------- which value is where
  // Of the copy and of the answer on its way: overwritten since, and when.
  logic copy_old_q, answer_old_q;
  logic [15:0] copy_until_q, answer_until_q, copy_wts_q, copy_rts_q, read_at_q;
  // The answer's value is later than the copy's; a load has seen a later one than the copy's.
  logic answer_later_q, seen_later_q;
  always_ff @(posedge clk_i) begin
    if (writes && !copy_old_q) begin
      copy_old_q   <= 1'b1;
      copy_until_q <= wts;
    end
    if (writes && !answer_old_q) begin
      answer_old_q   <= 1'b1;
      answer_until_q <= wts;
    end
    if (performed && ours_i) begin
      answer_old_q   <= 1'b0;
      answer_later_q <= held_q && (copy_old_q || writes);
    end
    if (deliver_i && answer_later_q && held_q) seen_later_q <= 1'b1;
    if (installs) begin
      copy_old_q   <= answer_old_q || writes;
      copy_until_q <= answer_old_q ? answer_until_q : wts;
      copy_rts_q   <= answer_rts_q;
      copy_wts_q   <= answer_wts_q;
      seen_later_q <= 1'b0;
    end
    if (hit && now > read_at_q) read_at_q <= now;
    if (!rst_ni || rebase_i) begin
      read_at_q      <= '0;
      seen_later_q   <= 1'b0;
      answer_later_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (rst_ni) begin
      no_read_past_the_promise : assert (!hit || now <= copy_rts_q);
      old_value_only_before_the_write : assert (!(hit && copy_old_q) || now < copy_until_q);
      write_is_after_every_read : assert (!writes || wts > read_at_q);
      no_older_value_after_a_later_one : assert (!hit || !seen_later_q);
      one_time_is_one_value : assert (!(performed && held_q && u_home.was_o == copy_wts_q) || !copy_old_q);
    end
  end

  logic away_q;
  always_ff @(posedge clk_i)
    away_q <= rst_ni && !rebase_i && (away_q || (held_q && u_home.ready_o && !u_home.present_s));
  always_comb begin
    if (rst_ni) begin
      reach_old_value_is_read : cover (hit && copy_old_q && now > 16'd2);
      reach_old_value_is_not_read : cover (held_q && looked_q && !hit && copy_old_q);
      reach_write_after_coming_back : cover (writes && away_q && hit && held_q);
      reach_later_value_beside_the_copy : cover (held_q && seen_later_q);
      reach_copy_after_a_rebase : cover (hit && u_home.rebased_q);
      reach_same_value :
      cover (performed && held_q && !live && u_home.was_o == copy_wts_q && copy_wts_q > 16'd2);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  logic [2*LeaseBits-1:0] stored, read;
  assign stored = u_lines.u_stamps.store_q[0];
  assign read   = u_lines.u_stamps.rdata_o;
  always_comb begin
    if (rst_ni) begin
      induct_stored : assert (!held_q || stored[LeaseBits-1:0] == LeaseBits'(copy_rts_q));
      induct_looked : assert (!held_q || !looked_q || read == stored);
      induct_copy :
      assert (!held_q || (u_home.granted_q && copy_rts_q <= u_home.promised_q && copy_wts_q <= copy_rts_q));
      induct_copy_old :
      assert (!held_q || !copy_old_q || (copy_rts_q < copy_until_q && copy_until_q <= u_home.written_q));
      induct_answer :
      assert (!flying_q || (asked_q && u_home.granted_q && answer_rts_q <= u_home.promised_q &&
                            answer_wts_q <= answer_rts_q));
      induct_answer_old :
      assert (!flying_q || !answer_old_q ||
              (answer_rts_q < answer_until_q && answer_until_q <= u_home.written_q));
      induct_answer_later :
      assert (!flying_q || !held_q || !answer_later_q || (copy_old_q && answer_wts_q >= copy_until_q));
      induct_seen_later : assert (!held_q || !seen_later_q || (copy_old_q && clock >= copy_until_q));
      induct_read : assert (read_at_q <= u_home.promised_q);
      induct_last : assert (16'(u_clock.last_q) < Last);
      induct_promised : assert (u_home.promised_q < Last);
    end
  end
endmodule
