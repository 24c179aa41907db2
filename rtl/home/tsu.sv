// SPDX-License-Identifier: Apache-2.0

/// A timestamp storage unit (HALCONE, section 3.2): until when the blocks of one home bank have been promised to
/// caches, and when each was last written. It stands where a directory stands and keeps no sharers.
///
/// Two stages, as in `directory`. `lookup_i` reads the set of `line_i`; in the next cycle `step_i` says that the
/// request is really performed, and its times stand at the outputs in that same cycle: one home step is one step
/// of times and data (T1). The outputs do not depend on `step_i`. A new lookup can start in every cycle, also of
/// the same block or of the same set: the RAM hands on what the step writes.
///
/// A block that is not there enters, in the place of the one with the lowest memts. What that one was promised
/// stays behind in the set's high-water mark, at which every block enters.
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
  parameter int unsigned TimeBits = LeaseBits
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
  /// Stage 2, the cycle after `lookup_i`: perform the request.
  input  logic                   step_i,
  input  tsu_op_e                op_i,
  /// The request carries a clock (causal); else `cts_i` is of no meaning.
  input  logic                   causal_i,
  input  logic            [15:0] cts_i,
  /// This request would need times beyond the field: rebase first.
  output logic                   wants_rebase_o,
  /// The last tick that any answer had, since time started.
  output logic            [15:0] largest_o,
  /// The answer: when the block was written, and until when it may be read.
  output logic            [15:0] wts_o,
  output logic            [15:0] rts_o,
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
    time_t                 hwm;
    tsu_entry_t [Ways-1:0] way;
  } tsu_set_t;

  function automatic sum_t larger(sum_t a, sum_t b);
    return (a > b) ? a : b;
  endfunction

  bankline_t line_q;
  tsu_index_t lookup_index, index;
  tsu_tag_t tag;
  assign lookup_index = (Sets > 1) ? tsu_index_t'(line_i) : '0;
  assign index        = (Sets > 1) ? tsu_index_t'(line_q) : '0;
  assign tag          = tsu_tag_t'(line_q >> IndexBits);

  // ---------------------------------------------------------------- the sets, and the walk that empties them
  tsu_index_t walk_q;
  logic ready_q, answers_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || rebase_i) begin
      walk_q  <= '0;
      ready_q <= 1'b0;
    end else if (!ready_q) begin
      walk_q  <= walk_q + tsu_index_t'(1);
      ready_q <= walk_q == tsu_index_t'(Sets - 1);
    end
    answers_q <= rst_ni && ready_q && lookup_i;
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
  logic hit, free_way, evicts;
  tsu_way_t hit_way, victim_way, way;
  tsu_entry_t found, victim;
  always_comb begin
    hit      = 1'b0;
    hit_way  = '0;
    found    = '0;
    free_way = 1'b0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (set.way[w].valid && set.way[w].tag == tag) begin
        hit = 1'b1;
        hit_way |= tsu_way_t'(w);
        found |= set.way[w];
      end
      free_way |= !set.way[w].valid;
    end
  end

  // The lowest free way, else the lowest of those with the least memts: that of which no other is below.
  logic [Ways-1:0][Ways-1:0] goes_before;
  always_comb begin
    victim_way = '0;
    victim     = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      for (int unsigned v = 0; v < Ways; v++) begin
        logic freer, older;
        freer = !set.way[v].valid && (set.way[w].valid || v < w);
        older = set.way[v].valid && set.way[w].valid && (set.way[v].memts < set.way[w].memts ||
                (set.way[v].memts == set.way[w].memts && v < w));
        goes_before[w][v] = v != w && (freer || older);
      end
      if (goes_before[w] == '0) begin
        victim_way |= tsu_way_t'(w);
        victim |= set.way[w];
      end
    end
  end
  assign evicts = !hit && !free_way;
  assign way    = hit ? hit_way : victim_way;

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
  time_t hwm, memts, wts, cts, wts_next, rts;
  assign hwm   = (evicts && victim.memts > set.hwm) ? victim.memts : set.hwm;
  assign memts = hit ? found.memts : memts_zero ? '0 : hwm;
  assign wts   = hit ? found.wts : (memts_zero || wts_zero) ? '0 : hwm;
  assign cts   = causal_i ? time_t'(cts_i) : '0;

  // Sums are a bit wider only because faults may reach beyond the field.
  sum_t write_from, read_from, ticks;
  assign write_from = larger(sum_t'(memts) + sum_t'(!at_memts), sum_t'(cts));
  assign ticks      = (op_i == TsuOpPeek) ? '0 : sum_t'(leases_i.read);
  assign read_from  = causal_i ? larger(sum_t'(wts), sum_t'(cts)) : sum_t'(memts);
  always_comb begin
    if (op_i == TsuOpWrite) begin
      wts_next = time_t'(write_from);
      rts      = time_t'(write_from + sum_t'(leases_i.write) - sum_t'(1));
    end else begin
      wts_next = wts;
      rts      = time_t'(larger(sum_t'(memts), read_from + ticks));
    end
  end

  always_comb begin
    set_next          = set;
    set_next.hwm      = hwm;
    set_next.way[way] = '{valid: 1'b1, tag: tag, memts: rts, wts: wts_next};
  end
  assign wts_o = 16'(wts_next);
  assign rts_o = 16'(rts);

  // The largest rts handed out: no memts and no high-water mark exceeds it, whatever enters and goes.
  time_t largest_q, used;
  sum_t lease;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || rebase_i) largest_q <= '0;
    else if (step_i && rts > largest_q) largest_q <= rts;
  end
  assign largest_o      = 16'(largest_q);
  assign used           = !misses_victim ? largest_q : hit ? found.memts : set.hwm;
  assign lease          = larger(sum_t'(leases_i.read), sum_t'(leases_i.write));
  assign wants_rebase_o = larger(sum_t'(used), sum_t'(cts)) + lease > sum_t'(2 ** TimeBits - 2);

  // ---------------------------------------------------------------- what was done
  logic reenters;
  assign reenters = !hit && hwm != '0;
  always_comb begin
    count_o           = '0;
    count_o.lookups   = step_i;
    count_o.hits      = step_i && hit;
    count_o.misses    = step_i && !hit;
    count_o.evictions = step_i && evicts;
    count_o.reentries = step_i && reenters;
    // The home's step, and with it memory's answer, is here; ours is if its set was read before.
    count_o.late      = step_i && !answers_q;
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
        cts: 16'(cts),
        address: address_of(self_i, line_q, 3'(Bank)),
        hit: hit,
        way: 4'(way),
        allocated: !hit,
        evicted: evicts,
        reentered: reenters,
        wts: 16'(wts_next),
        rts: 16'(rts),
        memts: 16'(rts),
        hwm: 16'(hwm)
      };
    end
  end
  assign event_o = event_q;

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
