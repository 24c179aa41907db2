// SPDX-License-Identifier: Apache-2.0

/// What the timestamp storage unit promises to the home: no write before the end of any lease that was granted of its
/// block, whatever was evicted and came back in between; and nothing is granted that is not remembered.
///
/// The solver chooses one line (`line_s_i`); what was promised of it, and when it was written, is kept here from the
/// answers alone. What holds for any line holds for all. Leases may change in every cycle.
module tsu_props
  import weft_pkg::*;
  import l2_pkg::*;
#(
  /// Number of a seeded fault, for a proof that must fail.
  parameter int unsigned Fault = 0
) (
  input logic                   clk_i,
  input logic                   rst_ni,
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
  input bankline_t              line_s_i
);
  logic ready_o, wants_rebase_o;
  logic [15:0] largest_o, wts_o, rts_o, was_o;
  tsu_event_t event_o;
  tsu_count_t count_o;

  tsu #(
    .Bank(0)
  ) dut (
    .fault_i(fault_e'(Fault)),
    .*
  );

  // ---------------------------------------------------------------- the rules of who uses it
  localparam logic [15:0] Last = 16'((1 << LeaseBits) - 1);

  logic started_q = 1'b0;
  logic lookup_q;
  bankline_t line_q, line_s_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    // A step may come later than the lookup's answer: an atomic is tried before it is performed.
    lookup_q  <= rst_ni && !rebase_i && (lookup_i || (lookup_q && !step_i));
    if (lookup_i) line_q <= line_i;
    line_s_q  <= line_s_i;
  end

  always_comb begin
    if (!started_q)
      assume (!rst_ni);
      else assume (line_s_i == line_s_q);
    assume (leases_i.read != '0 && leases_i.read <= Last - 16'd2);
    assume (leases_i.write != '0 && leases_i.write <= Last - 16'd2);
    assume (op_i == TsuOpRead || op_i == TsuOpWrite || op_i == TsuOpPeek);
    assume (cts_i <= Last);
    if (rst_ni) begin
      assume (!lookup_i || (ready_o && !rebase_i));
      assume (!step_i || (lookup_q && !rebase_i && !wants_rebase_o));
    end
  end

  // ---------------------------------------------------------------- what was promised of the line
  logic ours;
  assign ours = step_i && line_q == line_s_i;

  // What is proved below of this line is true of every other: the unit's own time comes from all of them.
  always_comb begin
    if (rst_ni && step_i && !ours) begin
      assume (rts_o >= wts_o && rts_o < Last);
      assume (!(causal_i || (renews_i && op_i == TsuOpRead)) || rts_o >= cts_i);
    end
  end

  // Until when, by any answer; when the value was written, by the last one.
  logic granted_q;
  logic [15:0] promised_q, written_q;
  logic [7:0] waited_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || rebase_i) begin
      granted_q  <= 1'b0;
      promised_q <= '0;
      written_q  <= '0;
      waited_q   <= '0;
    end else begin
      if (ours) begin
        granted_q <= 1'b1;
        written_q <= wts_o;
        if (rts_o > promised_q) promised_q <= rts_o;
      end
      if (!ready_o) waited_q <= waited_q + 8'd1;
    end
  end

  // ---------------------------------------------------------------- the sets, as tsu.sv lays them out
  localparam int unsigned Ways = TsuWays;
  localparam int unsigned Sets = TsuEntries / L2Banks / TsuWays;
  localparam int unsigned IndexBits = $clog2(Sets);
  localparam int unsigned IndexWidth = (Sets > 1) ? IndexBits : 1;
  localparam int unsigned TagWidth = (BankLineBits > IndexBits) ? BankLineBits - IndexBits : 1;
  typedef logic [TagWidth-1:0] tsu_tag_t;
  typedef logic [LeaseBits-1:0] time_t;
  typedef struct packed {
    logic     valid;
    tsu_tag_t tag;
    time_t    memts;
    time_t    wts;
  } tsu_entry_t;
  typedef struct packed {
    time_t                 hwm;
    time_t                 written;
    tsu_entry_t [Ways-1:0] way;
  } tsu_set_t;

  tsu_set_t stored, stored_s;
  logic [IndexWidth-1:0] index, index_s;
  assign index    = (Sets > 1) ? IndexWidth'(line_q) : '0;
  assign index_s  = (Sets > 1) ? IndexWidth'(line_s_i) : '0;
  assign stored   = dut.i_sets.store_q[index];
  assign stored_s = dut.i_sets.store_q[index_s];

  // The marks of the line's set, a cycle ago.
  logic [15:0] mark_q, mark_written_q;
  always_ff @(posedge clk_i) begin
    mark_q         <= (rst_ni && ready_o && !rebase_i) ? 16'(stored_s.hwm) : '0;
    mark_written_q <= (rst_ni && ready_o && !rebase_i) ? 16'(stored_s.written) : '0;
  end

  // What is remembered of the line: its own times, or those of whoever enters.
  logic present_s, room, free_strange, twice, backwards, beyond, below_mark;
  time_t memts_s, wts_s, lowest;
  always_comb begin
    present_s  = 1'b0;
    memts_s    = stored_s.hwm;
    wts_s      = stored_s.written;
    twice      = 1'b0;
    backwards  = stored_s.written > stored_s.hwm;
    below_mark = 1'b0;
    free_strange = 1'b0;
    beyond     = stored_s.hwm > dut.largest;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (stored_s.way[w].valid && stored_s.way[w].tag == tsu_tag_t'(line_s_i >> IndexBits)) begin
        present_s = 1'b1;
        memts_s   = stored_s.way[w].memts;
        wts_s     = stored_s.way[w].wts;
      end
      free_strange |= !stored_s.way[w].valid && stored_s.way[w] != '0;
      backwards |= stored_s.way[w].valid && stored_s.way[w].wts > stored_s.way[w].memts;
      beyond |= stored_s.way[w].valid && stored_s.way[w].memts > dut.largest;
      below_mark |= stored_s.way[w].valid && stored_s.way[w].memts < stored_s.hwm;
      for (int unsigned v = 0; v < w; v++) begin
        twice |= stored_s.way[v].valid && stored_s.way[w].valid && stored_s.way[v].tag == stored_s.way[w].tag;
      end
    end
  end
  always_comb begin
    room   = 1'b0;
    lowest = '1;
    for (int unsigned w = 0; w < Ways; w++) begin
      room |= !stored.way[w].valid;
      if (stored.way[w].memts < lowest) lowest = stored.way[w].memts;
    end
  end

  // ---------------------------------------------------------------- properties
  logic cleared;
  assign cleared = ready_o || dut.walk_q > index_s;
  always_comb begin
    if (rst_ni && ready_o) begin
      promise_is_remembered : assert (!granted_q || 16'(memts_s) >= promised_q);
      write_is_remembered : assert (!granted_q || 16'(wts_s) >= written_q);
      one_entry_per_block : assert (!twice);
      mark_never_falls : assert (16'(stored_s.hwm) >= mark_q && 16'(stored_s.written) >= mark_written_q);
      no_block_is_below_the_mark : assert (!below_mark);
    end
    if (rst_ni && lookup_q) begin
      // Steps may follow one another in every cycle, also on one set, as if each waited for the last.
      step_sees_all_earlier_steps : assert (dut.set == stored);
    end
    if (rst_ni && ours) begin
      write_is_after_every_promise : assert (op_i != TsuOpWrite || !granted_q || wts_o > promised_q);
      no_promise_is_taken_back : assert (!granted_q || rts_o >= promised_q);
      values_only_get_newer : assert (!granted_q || wts_o >= written_q);
      lease_ends_after_its_start : assert (rts_o >= wts_o);
      reader_may_read_now : assert (!(causal_i || (renews_i && op_i == TsuOpRead)) || rts_o >= cts_i);
      write_is_not_before_its_writer : assert (!causal_i || op_i != TsuOpWrite || wts_o >= cts_i);
      only_writes_change_the_value :
      assert (op_i == TsuOpWrite || 16'(present_s ? wts_s : dut.written) == wts_o);
      write_is_newer_than_what_it_finds : assert (op_i != TsuOpWrite || wts_o > was_o);
      found_value_is_the_last_written : assert (!granted_q || was_o >= written_q);
      peek_takes_no_lease :
      assert (op_i != TsuOpPeek || rts_o == 16'(present_s ? memts_s : dut.hwm) ||
              (causal_i && rts_o == cts_i));
      read_takes_a_lease :
      assert (op_i != TsuOpRead || 32'(rts_o) >= 32'(causal_i ? cts_i : 16'(dut.hwm)) + 32'(leases_i.read));
      renewal_takes_a_lease :
      assert (!renews_i || op_i != TsuOpRead || causal_i || 32'(rts_o) >= 32'(cts_i) + 32'(leases_i.read));
      time_is_left : assert (rts_o < Last);
      largest_is_no_less : assert (largest_o >= promised_q);
    end
    if (rst_ni && step_i) begin
      evicts_only_from_a_full_set : assert (!dut.evicts || !room);
      lowest_memts_goes : assert (!dut.evicts || dut.found.victim_memts == lowest);
      answer_is_never_late : assert (!count_o.late);
      counts_what_it_does :
      assert (count_o.lookups && count_o.hits != count_o.misses && count_o.hits == dut.found.hit &&
              count_o.evictions == dut.evicts);
    end
    if (rst_ni) walk_ends : assert (ready_o || 32'(waited_q) < Sets);
  end

  logic away_q, stepped_q, rebased_q;
  always_ff @(posedge clk_i) begin
    rebased_q <= rst_ni && (rebased_q || (rebase_i && granted_q));
    stepped_q <= rst_ni && ours;
    away_q    <= rst_ni && !rebase_i && ((away_q && !ours) || (granted_q && ready_o && !present_s));
  end
  always_comb begin
    if (rst_ni) begin
      reach_write_after_a_promise : cover (ours && op_i == TsuOpWrite && granted_q && promised_q > 16'd3);
      reach_write_after_coming_back : cover (ours && op_i == TsuOpWrite && away_q);
      reach_two_steps_in_a_row : cover (stepped_q && ours);
      reach_wish_for_a_rebase : cover (lookup_q && wants_rebase_o && !causal_i && granted_q);
      reach_step_after_a_rebase : cover (ours && rebased_q && !granted_q);
      reach_last_tick : cover (ours && rts_o == Last - 16'd1);
      reach_lease_from_anothers_time :
      cover (ours && op_i == TsuOpRead && !causal_i && dut.now > 16'(cts_i) && granted_q &&
             rts_o > promised_q + leases_i.read);
      reach_peek_at_a_clock : cover (ours && op_i == TsuOpPeek && rts_o == cts_i && rts_o > promised_q);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  always_comb begin
    if (rst_ni) begin
      induct_line : assert (!lookup_q || dut.line_q == line_q);
      induct_answers : assert (!lookup_q || (dut.answers_q && ready_o));
      induct_none_while_clearing : assert (ready_o || !granted_q);
      induct_one_entry : assert (!cleared || !twice);
      induct_backwards : assert (!cleared || !backwards);
      induct_beyond : assert (!cleared || !beyond);
      induct_below_mark : assert (!cleared || !below_mark);
      induct_granted : assert (granted_q ? written_q <= promised_q : promised_q == '0);
      induct_largest : assert (promised_q <= largest_o);
      induct_now : assert (16'(dut.now) <= largest_o);
      // A free way is all zero, so that it is the first to go.
      induct_free : assert (!cleared || !free_strange);
      induct_mark : assert ((mark_q == '0 && mark_written_q == '0) || ready_o);
      induct_walk : assert (ready_o || (waited_q == 8'(dut.walk_q) && 32'(waited_q) < Sets));
    end
  end

  // The layout above is that of tsu.sv: what is read is the same, field by field.
  for (genvar w = 0; w < Ways; w++) begin : gen_layout
    always_comb begin
      if (rst_ni && lookup_q) begin
        induct_layout :
        assert (dut.set.way[w].valid == stored.way[w].valid && dut.set.way[w].tag == stored.way[w].tag &&
                dut.set.way[w].memts == stored.way[w].memts && dut.set.way[w].wts == stored.way[w].wts);
      end
    end
  end
endmodule
