// SPDX-License-Identifier: Apache-2.0

/// The counters of one node: small ones that count, 64-bit totals in a RAM, and snapshots of all at once.
///
/// A small counter is the low end of its total: it only counts up and wraps. A scanner on the host's clock
/// copies all small counters in one cycle and then visits one copy every two cycles, adding to the total what the copy
/// is ahead; nothing is ever cleared, so it does not matter whether fabric time runs or stands. For a snapshot the
/// scanner begins anew with a copy of that cycle, up to the fabric cycle before the last, and writes the totals also to the second half of the RAM, from which
/// the host reads. Snapshots of all nodes that are asked for in one cycle are of one cycle.
module counters
  import weft_pkg::*;
  import weft_counters_pkg::*;
(
  /// Fabric time: `clk_host_i`, gated; the edges coincide. Must run while in reset.
  input  logic           clk_i,
  input  logic           clk_host_i,
  input  logic           rst_ni,
  input  fault_e         fault_i,
  /// What this fabric cycle adds to each counter, at most `CounterMost` of it.
  input  increments_t    inc_i,
  /// Host: a snapshot is wanted; one cycle. Of two in a row the second is of the time when the first is done.
  input  logic           snapshot_i,
  output logic           snapshot_busy_o,
  /// Host: the walk after reset is done.
  output logic           ready_o,
  /// Host: read of a counter, held until `valid_o`, which stands one cycle.
  input  logic           read_i,
  input  logic     [8:0] index_i,
  output logic           valid_o,
  output logic    [63:0] data_o
);
  // ---------------------------------------------------------------- small counters
  // Between two copies that a visit sees lie at most a scan that a snapshot broke off, and one before it, two host
  // cycles per counter each.
  localparam int unsigned Visit = 4 * Count + 8;

  function automatic int unsigned widest();
    int unsigned most = 0;
    for (int unsigned i = 0; i < Count; i++) if (CounterMost[i] > most) most = CounterMost[i];
    return $clog2(Visit * most + 1);
  endfunction

  localparam int unsigned Width = widest();
  typedef logic [Width-1:0] small_t;
  typedef small_t [Count-1:0] masks_t;

  // The bits that each counter needs, so that it does not come round between two visits.
  function automatic masks_t masks();
    masks_t bits;
    for (int unsigned i = 0; i < Count; i++) begin
      bits[i] = small_t'((1 << $clog2(Visit * CounterMost[i] + 1)) - 1);
    end
    return bits;
  endfunction

  localparam masks_t Masks = masks();

  small_t small_q[Count], shadow_q[Count];
  logic take, copies, lose;

  // Most increments of a cycle are zero: eight counters are passed over at once, for the simulator's sake.
  localparam int unsigned Group = 8;
  localparam int unsigned Groups = (Count + Group - 1) / Group;
  increment_t [Groups*Group-1:0] inc;

  // The units know late what they count: it is kept, and added by the host's clock in the cycle behind it, whether or not
  // fabric time goes on then. Of a fabric cycle the host's side sees that `tick_q` has turned.
  increments_t inc_q;
  logic tick_q, counted_q;

  always_ff @(posedge clk_i) begin
    inc_q  <= inc_i;
    tick_q <= rst_ni && !tick_q;
  end
  always_ff @(posedge clk_host_i) counted_q <= rst_ni && tick_q;

  assign inc = ($bits(inc))'(inc_q);

  always_ff @(posedge clk_host_i) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Count; i++) small_q[i] <= '0;
    end else if (tick_q != counted_q && !lose) begin
      for (int unsigned g = 0; g < Groups; g++) begin
        if (inc[Group*g+:Group] != '0) begin
          for (int unsigned i = Group * g; i < Group * (g + 1) && i < Count; i++) begin
            small_q[i] <= (small_q[i] + small_t'(inc[i])) & Masks[i];
            assert (32'(inc[i]) <= CounterMost[i])
            else $error("counters: number %0d grows by %0d, more than it has room for", i, inc[i]);
          end
        end
      end
    end
  end

  always_ff @(posedge clk_host_i) begin
    if (copies) shadow_q <= small_q;
  end

  // ---------------------------------------------------------------- scanner
  // Clear: zeroes to both halves. Scan: a copy into totals. Drain: a snapshot's copy into both halves.
  typedef enum logic [1:0] {
    StateClear,
    StateScan,
    StateDrain
  } state_e;
  localparam int unsigned IndexWidth = $clog2(Count);
  typedef logic [IndexWidth-1:0] index_t;

  state_e state_q;
  index_t index_q, sum_index_q;
  small_t seen_q, wrap_q, ahead_q;
  logic odd_q, wanted_q, sum_q, sum_clear_q, sum_copy_q, last;
  logic [63:0] total, total_q, sum;

  assign last    = index_q == index_t'(Count - 1);
  assign take    = wanted_q && state_q == StateScan && odd_q;
  assign copies  = take || (last && odd_q);
  assign ready_o = state_q != StateClear;
  assign snapshot_busy_o = wanted_q || state_q != StateScan || sum_copy_q;
  assign lose    = Faults != 0 && fault_i == FaultCounterDrops && (take || state_q == StateDrain);

  // A visit takes four cycles, and the next begins after two. Even: read a total, look at its copy. Odd: keep both.
  // Even: how far the copy is ahead. Odd: write the sum. A snapshot is taken in an odd cycle and its pass starts with
  // the next, so that no total runs ahead of the snapshot.
  always_ff @(posedge clk_host_i) begin
    if (!rst_ni) begin
      state_q    <= StateClear;
      index_q    <= '0;
      odd_q      <= 1'b0;
      wanted_q   <= 1'b0;
      sum_q      <= 1'b0;
      sum_copy_q <= 1'b0;
    end else begin
      odd_q    <= !odd_q;
      wanted_q <= snapshot_i || (wanted_q && !take);
      if (odd_q) begin
        sum_q      <= 1'b1;
        sum_copy_q <= state_q != StateScan;
      end
      if (take) begin
        state_q <= StateDrain;
        index_q <= '0;
      end else if (odd_q) begin
        if (last) state_q <= StateScan;
        index_q <= last ? '0 : index_q + index_t'(1);
      end
    end
  end

  always_ff @(posedge clk_host_i) begin
    if (!odd_q) begin
      seen_q <= shadow_q[index_q];
      wrap_q <= Masks[index_q];
    end else begin
      sum_index_q <= index_q;
      sum_clear_q <= state_q == StateClear;
      total_q     <= (state_q == StateClear) ? '0 : total;
    end
  end

  // How far the small counter is ahead of the total's low end, round the corner where need be. The total may be that of the
  // pass before: then a snapshot came between its reading and its writing, and the copy is so much further ahead.
  always_ff @(posedge clk_host_i) begin
    if (!odd_q) ahead_q <= sum_clear_q ? '0 : (seen_q - total_q[Width-1:0]) & wrap_q;
  end
  assign sum = total_q + 64'(ahead_q);

  // ---------------------------------------------------------------- totals
  // Lower half: totals, at one port; upper half: those of the last snapshot, at the other. Both are read in even cycles,
  // by the scanner and by the host, and written in odd ones.
  logic host_read, valid_q, exists;

  assign exists    = {23'd0, index_i} < Count;
  assign host_read = !odd_q && read_i && !valid_q;

  always_ff @(posedge clk_host_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= host_read;
  end

  logic [63:0] host_total;
  assign valid_o = valid_q;
  assign data_o  = exists ? host_total : '0;

  ram_dual #(
    .Words(2 << IndexWidth),
    .Width(64)
  ) i_totals (
    .clk_a_i(clk_host_i),
    .en_a_i(!odd_q || sum_q),
    .write_a_i(odd_q),
    .address_a_i(odd_q ? {1'b0, sum_index_q} : {1'b0, index_q}),
    .wdata_a_i(sum),
    .rdata_a_o(total),
    .clk_b_i(clk_host_i),
    .en_b_i(odd_q ? sum_copy_q : host_read),
    .write_b_i(odd_q),
    .address_b_i(odd_q ? {1'b1, sum_index_q} : {1'b1, index_t'(index_i)}),
    .wdata_b_i(sum),
    .rdata_b_o(host_total)
  );
endmodule
