// SPDX-License-Identifier: Apache-2.0

/// The counters of one node: small ones that count, 64-bit totals in a RAM, and snapshots of all at once.
///
/// A small counter is the low end of its total: it only counts up and wraps. A scanner on the host's clock
/// copies all small counters in one cycle and then visits one copy every two cycles, adding to the total what the copy
/// is ahead; nothing is ever cleared, so it does not matter whether fabric time runs or stands. For a snapshot the
/// scanner begins anew with a copy of that cycle and writes the totals also to the second half of the RAM, from which
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

  assign inc = ($bits(inc))'(inc_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Count; i++) small_q[i] <= '0;
    end else if (!lose) begin
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
  index_t index_q, copy_index_q;
  small_t seen_q, wrap_q;
  logic odd_q, wanted_q, copy_q, last;
  logic [63:0] total, total_d, copy_data_q;

  assign last    = index_q == index_t'(Count - 1);
  assign take    = wanted_q && state_q == StateScan && odd_q;
  assign copies  = take || (last && odd_q);
  assign ready_o = state_q != StateClear;
  assign snapshot_busy_o = wanted_q || state_q != StateScan || copy_q;
  assign lose    = Faults != 0 && fault_i == FaultCounterDrops && (take || state_q == StateDrain);

  // Even cycles read a total and look at its copy; odd cycles write the sum. A snapshot is taken in
  // an odd cycle and its pass starts with the next, so that no total runs ahead of the snapshot.
  always_ff @(posedge clk_host_i) begin
    if (!rst_ni) begin
      state_q  <= StateClear;
      index_q  <= '0;
      odd_q    <= 1'b0;
      wanted_q <= 1'b0;
      copy_q   <= 1'b0;
    end else begin
      odd_q    <= !odd_q;
      wanted_q <= snapshot_i || (wanted_q && !take);
      copy_q   <= odd_q && state_q != StateScan;
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
    end
    copy_index_q <= index_q;
    copy_data_q  <= total_d;
  end

  // How far the small counter is ahead of the total's low end, round the corner where need be.
  small_t ahead;
  assign ahead   = (seen_q - total[Width-1:0]) & wrap_q;
  assign total_d = (state_q == StateClear) ? '0 : total + 64'(ahead);

  // ---------------------------------------------------------------- totals
  // Lower half: totals. Upper half: those of the last snapshot. The scanner reads in even cycles and the host
  // in odd ones; totals are written in odd cycles and copied to the upper half in even ones.
  logic host_read, valid_q, exists;

  assign exists    = {23'd0, index_i} < Count;
  assign host_read = odd_q && read_i && !valid_q;

  always_ff @(posedge clk_host_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= host_read;
  end

  assign valid_o = valid_q;
  assign data_o  = exists ? total : '0;

  ram #(
    .Words(2 << IndexWidth),
    .Width(64)
  ) i_totals (
    .clk_i(clk_host_i),
    .ren_i(!odd_q || host_read),
    .raddr_i(odd_q ? {1'b1, index_t'(index_i)} : {1'b0, index_q}),
    .rdata_o(total),
    .wen_i(odd_q || copy_q),
    .waddr_i(odd_q ? {1'b0, index_q} : {1'b1, copy_index_q}),
    .wdata_i(odd_q ? total_d : copy_data_q)
  );
endmodule
