// SPDX-License-Identifier: Apache-2.0

/// A timestamp storage unit (HALCONE, section 3.2): until when the blocks of one home bank have been promised to
/// caches, and when each was last written. It stands where a directory stands and keeps no sharers.
///
/// Two stages, as in `directory`. `lookup_i` reads the set of `line_i`; in the next cycle `step_i` says that the
/// request is really performed, and its times stand at the outputs in that same cycle: one home step is one step
/// of times and data (T1). The outputs do not depend on `step_i`. A new lookup can start in every cycle, also of
/// the same block or of the same set: the RAM hands on what the step writes.
///
/// A block that is not there enters, in the place of the one with the lowest memts. What that one was promised, and when
/// it was written, stays behind in the set's high-water marks, at which every block enters.
///
/// Times do not wrap: when `wants_rebase_o` stands, the request must not be performed before a rebase (T10).
/// After reset, and after `rebase_i`, a walk over all sets forgets everything; `ready_o` is low meanwhile.
module tsu
  import weft_pkg::*;
  import l2_pkg::*;
#(
  /// Number of this bank.
  parameter int unsigned Bank = 0,
  /// Blocks of this unit; a power of two times Ways.
  parameter int unsigned Entries = TsuEntries / L2Banks,
  /// Ways of a set, 1 to 16.
  parameter int unsigned Ways = TsuWays,
  /// Bits of a time, 4 to 16; the ports have 16, of which the upper ones are zero.
  parameter int unsigned TimeBits = LeaseBits,
  /// Cycles from a lookup to its step, 1 to 3; as in `directory`.
  parameter int unsigned Stages = (L2Interval > 1) ? L2Interval - 1 : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  /// The home's node number; steady.
  input  logic            [ 3:0] self_i,
  /// At least 1, at most 2^TimeBits - 3.
  input  lease_settings_t        leases_i,
  input  fault_e                 fault_i,
  output logic                   ready_o,
  /// Every time is 0 from now on. No lookup or step with it, nor until `ready_o` stands again.
  input  logic                   rebase_i,
  /// Stage 1: read the set of this bank line.
  input  logic                   lookup_i,
  input  bankline_t              line_i,
  /// Stage 2, `Stages` cycles after `lookup_i`, or later if no other came: perform the request.
  input  logic                   step_i,
  input  tsu_op_e                op_i,
  /// The request carries a clock (causal). Copies are renewed: a read may carry one, else it is 0. With neither `cts_i` is of no
  /// meaning.
  input  logic                   causal_i,
  input  logic                   renews_i,
  input  logic            [15:0] cts_i,
  /// This request would need times beyond the field: rebase first.
  output logic                   wants_rebase_o,
  /// The last tick that any answer had, since time started.
  output logic            [15:0] largest_o,
  /// The answer: when the block was written, and until when it may be read.
  output logic            [15:0] wts_o,
  output logic            [15:0] rts_o,
  /// When it had been written before the step.
  output logic            [15:0] was_o,
  /// What was done, one cycle after the step.
  output tsu_event_t             event_o,
  output tsu_count_t             count_o
);
  localparam int unsigned Sets = Entries / Ways;
  localparam int unsigned IndexBits = $clog2(Sets);
  localparam int unsigned IndexWidth = (IndexBits > 0) ? IndexBits : 1;
  // A bank line's number is tag and index, the index at the bottom; there may be more sets than lines.
  localparam int unsigned TagWidth = (BankLineBits > IndexBits) ? BankLineBits - IndexBits : 1;
  localparam int unsigned WayWidth = (Ways > 1) ? $clog2(Ways) : 1;

  typedef logic [IndexWidth-1:0] tsu_index_t;
  typedef logic [TagWidth-1:0] tsu_tag_t;
  typedef logic [WayWidth-1:0] tsu_way_t;
  typedef logic [TimeBits-1:0] time_t;
  typedef logic [TimeBits:0] sum_t;
  typedef struct packed {
    logic     valid;
    tsu_tag_t tag;
    time_t    memts;  // the last tick that any copy may be read at
    time_t    wts;    // when the value was written
  } tsu_entry_t;
  typedef struct packed {
    time_t                 hwm;      // of what was promised
    time_t                 written;  // and of what was written
    tsu_entry_t [Ways-1:0] way;
  } tsu_set_t;

  bankline_t line_q;
  tsu_index_t lookup_index, index;
  tsu_tag_t tag;
  assign lookup_index = (Sets > 1) ? tsu_index_t'(line_i) : '0;
  assign index        = (Sets > 1) ? tsu_index_t'(line_q) : '0;
  assign tag          = tsu_tag_t'(line_q >> IndexBits);

  // ---------------------------------------------------------------- the sets, and the walk that empties them
  tsu_index_t walk_q;
  logic ready_q;
  logic [Stages-1:0] answers_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || rebase_i) begin
      walk_q  <= '0;
      ready_q <= 1'b0;
    end else if (!ready_q) begin
      walk_q  <= walk_q + tsu_index_t'(1);
      ready_q <= walk_q == tsu_index_t'(Sets - 1);
    end
    // An answer stands until its step, however long that waits.
    if (!rst_ni) answers_q <= '0;
    else if (lookup_i) answers_q <= Stages'(ready_q);
    else answers_q <= step_i ? '0 : Stages'({answers_q, answers_q[0]});
    if (lookup_i) line_q <= line_i;
  end
  assign ready_o = ready_q;

  tsu_set_t set, set_next;
  ram #(
    .Words(Sets),
    .Width($bits(tsu_set_t))
  ) i_sets (
    .clk_i,
    .ren_i  (lookup_i),
    .raddr_i(lookup_index),
    .rdata_o(set),
    .wen_i  (step_i || !ready_q),
    .waddr_i(ready_q ? index : walk_q),
    .wdata_i(ready_q ? set_next : '0)
  );

  // ---------------------------------------------------------------- stage 2: the block, and the one that would go
  typedef struct packed {
    logic     hit;
    tsu_way_t way;
    time_t    memts, wts;
    tsu_way_t victim_way;
    logic     victim_valid;
    time_t    victim_memts, written;
  } found_t;
  found_t looked, found;
  logic evicts;
  tsu_way_t way;
  cut #(
    .Width($bits(found_t)),
    .Cut  (32'(Stages > 1))
  ) i_found (
    .clk_i,
    .data_i(looked),
    .data_o(found)
  );
  always_comb begin
    looked.hit   = 1'b0;
    looked.way   = '0;
    looked.memts = '0;
    looked.wts   = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (set.way[w].valid && set.way[w].tag == tag) begin
        looked.hit = 1'b1;
        looked.way |= tsu_way_t'(w);
        looked.memts |= set.way[w].memts;
        looked.wts |= set.way[w].wts;
      end
    end
  end

  // The way with the least memts goes, of several the lowest. A free way is all zero: it is less than any other.
  logic [Ways-1:0][Ways-1:0] sooner;
  always_comb begin
    sooner            = '1;
    looked.victim_way = '0;
    looked.victim_valid = 1'b0;
    looked.victim_memts = '0;
    looked.written    = '0;
    for (int unsigned w = 1; w < Ways; w++) begin
      for (int unsigned v = 0; v < w; v++) begin
        sooner[w][v] = {set.way[w].valid, set.way[w].memts} < {set.way[v].valid, set.way[v].memts};
        sooner[v][w] = !sooner[w][v];
      end
    end
    for (int unsigned w = 0; w < Ways; w++) begin
      if (sooner[w] == '1) begin
        looked.victim_way |= tsu_way_t'(w);
        looked.victim_valid |= set.way[w].valid;
        looked.victim_memts |= set.way[w].memts;
        looked.written |= (set.way[w].wts > set.written) ? set.way[w].wts : set.written;  // a free way's is 0
      end
    end
  end
  assign evicts = !found.hit && found.victim_valid;
  assign way    = found.hit ? found.way : found.victim_way;

  // ---------------------------------------------------------------- seeded faults
  logic at_memts, wts_zero, memts_zero, misses_victim;
  if (Faults != 0) begin : gen_fault
    assign at_memts      = fault_i == FaultTsuWriteAtMemts;
    assign wts_zero      = fault_i == FaultTsuReentersWtsZero;
    assign memts_zero    = fault_i == FaultTsuReentersMemtsZero;
    assign misses_victim = fault_i == FaultTsuRebaseMissesVictim;
  end else begin : gen_no_fault
    assign at_memts      = 1'b0;
    assign wts_zero      = 1'b0;
    assign memts_zero    = 1'b0;
    assign misses_victim = 1'b0;
    logic unused;
    assign unused = ^fault_i;
  end

  // ---------------------------------------------------------------- the times
  // What is known early: the clock, and how far from it, or from a block's time, the answer reaches. Sums are a bit
  // wider only because faults may reach beyond the field.
  //
  // Where copies are renewed, the lease of a read begins no earlier than the latest write that the unit knows of, its own or that
  // which moved the clock of somebody who renewed: as published it begins where the block's last lease ended, however long ago.
  logic writes, renews;
  time_t asked, cts, now, now_q, heard_q, wts;
  sum_t ticks, ahead, at_cts;
  assign writes = op_i == TsuOpWrite;
  assign renews = renews_i && op_i == TsuOpRead;
  assign asked  = (causal_i || renews) ? time_t'(cts_i) : '0;
  assign now    = (heard_q > now_q) ? heard_q : now_q;
  assign cts    = (renews && now > asked) ? now : asked;
  assign ticks  = (op_i == TsuOpPeek) ? '0 : sum_t'(leases_i.read);
  assign ahead  = writes ? sum_t'(leases_i.write) - sum_t'(at_memts) : ticks;
  assign at_cts = sum_t'(cts) + (writes ? sum_t'(leases_i.write) - sum_t'(1) : ticks);

  // A block that is there. A causal read has its lease from wts or from its clock on, if that is not promised yet.
  time_t found_wts, found_rts;
  sum_t renewed;
  assign renewed = sum_t'(found.wts) + ticks;
  always_comb begin : of_found
    found_wts = found.wts;
    found_rts = (cts > found.memts) ? time_t'(at_cts) : time_t'(sum_t'(found.memts) + ahead);
    if (writes) begin
      found_wts = (cts > found.memts) ? cts : found.memts + time_t'(!at_memts);
    end else if (causal_i && cts > found.wts) begin
      found_rts = (at_cts > sum_t'(found.memts)) ? time_t'(at_cts) : found.memts;
    end else if (causal_i) begin
      found_rts = (renewed > sum_t'(found.memts)) ? time_t'(renewed) : found.memts;
    end
  end

  // A block that enters has its times at the marks, which come late. The evicted block's memts is the mark then: no block
  // of a set is below it. Not so its wts: what was written is kept apart, or else a block that is only read would move
  // its readers' clocks whenever it came back.
  time_t hwm, mark, written, entered_wts, entered_rts;
  sum_t entered;
  assign hwm     = found.victim_valid ? found.victim_memts : set.hwm;
  assign mark    = memts_zero ? '0 : hwm;
  assign written = (memts_zero || wts_zero) ? '0 : found.written;
  assign entered = (cts > written) ? at_cts : sum_t'(written) + ticks;
  always_comb begin
    entered_wts = written;
    entered_rts = (cts > mark) ? time_t'(at_cts) : time_t'(sum_t'(mark) + ahead);
    if (writes) begin
      entered_wts = (cts > mark) ? cts : mark + time_t'(!at_memts);
    end else if (causal_i) begin
      entered_rts = (entered > sum_t'(mark)) ? time_t'(entered) : mark;
    end
  end

  time_t hwm_next, rts, was;
  cut #(
    .Width(3 * TimeBits),
    .Cut  (32'(Stages > 2))
  ) i_times (
    .clk_i,
    .data_i(found.hit ? {found.wts, found_wts, found_rts} : {written, entered_wts, entered_rts}),
    .data_o({was, wts, rts})
  );
  assign hwm_next = found.hit ? set.hwm : hwm;
  always_comb begin
    set_next          = set;
    set_next.hwm      = hwm_next;
    set_next.written  = found.hit ? set.written : found.written;
    set_next.way[way] = '{valid: 1'b1, tag: tag, memts: rts, wts: wts};
  end
  assign wts_o = 16'(wts);
  assign rts_o = 16'(rts);
  assign was_o = 16'(was);

  // The largest rts handed out: no memts and no high-water mark exceeds it, whatever enters and goes. The last
  // step's is counted in a cycle later.
  time_t largest_q, last_q, largest;
  sum_t longest, limit;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || rebase_i) begin
      largest_q <= '0;
      last_q    <= '0;
      now_q     <= '0;
      heard_q   <= '0;
    end else begin
      largest_q <= largest;
      now_q     <= now;
      if (step_i && !(misses_victim && evicts)) last_q <= rts;
      if (step_i && renews_i) heard_q <= writes ? wts : asked;
    end
  end
  assign largest        = (last_q > largest_q) ? last_q : largest_q;
  assign largest_o      = 16'(largest);
  assign longest        = (leases_i.read > leases_i.write) ? sum_t'(leases_i.read) : sum_t'(leases_i.write);
  assign limit          = sum_t'(2 ** TimeBits - 2) - longest;
  assign wants_rebase_o = sum_t'(largest) > limit || sum_t'(asked) > limit;

  // ---------------------------------------------------------------- what was done
  logic reenters;
  assign reenters = !found.hit && hwm != '0;
  always_comb begin
    count_o           = '0;
    count_o.lookups   = step_i;
    count_o.hits      = step_i && found.hit;
    count_o.misses    = step_i && !found.hit;
    count_o.evictions = step_i && evicts;
    count_o.reentries = step_i && reenters;
    // The home's step, and with it memory's answer, is here; ours is if its set was read before.
    count_o.late      = step_i && !answers_q[Stages-1];
  end

  logic [15:0] seq_q;
  tsu_event_t  event_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      seq_q   <= '0;
      event_q <= '0;
    end else begin
      seq_q   <= seq_q + 16'(step_i);
      event_q <= '{
        valid: step_i,
        seq: seq_q,
        op: op_i,
        causal: causal_i,
        renews: renews_i,
        cts: 16'(asked),
        address: address_of(self_i, line_q, 3'(Bank)),
        hit: found.hit,
        way: 4'(way),
        allocated: !found.hit,
        evicted: evicts,
        reentered: reenters,
        wts: 16'(wts),
        rts: 16'(rts),
        memts: 16'(rts),
        hwm: 16'(hwm_next),
        was: 16'(was)
      };
    end
  end
  assign event_o = event_q;

  if (Stages < 1 || Stages > 4) begin : gen_check_stages
    $error("tsu: Stages must be 1 to 4");
  end
  if (Ways < 1 || Ways > 16 || Entries % Ways != 0 || Entries < Ways) begin : gen_check_entries
    $error("tsu: Ways must be 1 to 16 and divide Entries");
  end
  if (2 ** $clog2(Entries / Ways) != Entries / Ways) begin : gen_check_sets
    $error("tsu: Entries / Ways must be a power of two");
  end
  if (TimeBits < 4 || TimeBits > 16) begin : gen_check_times
    $error("tsu: TimeBits must be 4 to 16");
  end
endmodule
