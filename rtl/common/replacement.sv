// SPDX-License-Identifier: Apache-2.0

/// Which way of a set goes, and how the ways age: the one replacement rule of L1, L2 and directory.
///
/// Combinational. Every way has an age, all different, at reset its own number; the caller keeps them with
/// the set. The victim is the lowest-numbered invalid way, else the oldest; excluded ways are passed over
/// (all excluded gives way 0). Touching a way makes it the youngest: age 0, and every way that was younger
/// than it grows one older. Touch at every use is LRU, at allocation only it is FIFO.
module replacement #(
  /// Ways of a set, from 1.
  parameter int unsigned Ways = 4,
  /// Derived, not to be set.
  localparam int unsigned AgeWidth = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic [Ways-1:0]               valid_i,
  input  logic [Ways-1:0][AgeWidth-1:0] ages_i,
  input  logic [Ways-1:0]               exclude_i,
  /// The way that is touched; it may be made from `victim_o`.
  input  logic [AgeWidth-1:0]           touch_way_i,
  output logic [AgeWidth-1:0]           victim_o,
  /// The ages after the touch.
  output logic [Ways-1:0][AgeWidth-1:0] ages_o
);
  logic [Ways-1:0] invalid, first_invalid, oldest, victim;

  assign invalid       = ~valid_i & ~exclude_i;
  assign first_invalid = invalid & (~invalid + Ways'(1));

  // Every pair is compared at once; ages differ, so at most one way beats all others.
  always_comb begin
    for (int unsigned w = 0; w < Ways; w++) begin
      oldest[w] = !exclude_i[w];
      for (int unsigned v = 0; v < Ways; v++) begin
        if (v != w && !exclude_i[v] && ages_i[v] > ages_i[w]) oldest[w] = 1'b0;
      end
    end
  end

  assign victim = (invalid != '0) ? first_invalid : oldest;

  always_comb begin
    victim_o = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (victim[w]) victim_o |= AgeWidth'(w);
    end
  end

  always_comb begin
    for (int unsigned w = 0; w < Ways; w++) begin
      if (touch_way_i == AgeWidth'(w)) ages_o[w] = '0;
      else if (ages_i[w] < ages_i[touch_way_i]) ages_o[w] = ages_i[w] + AgeWidth'(1);
      else ages_o[w] = ages_i[w];
    end
  end

  if (Ways < 1) begin : gen_check_ways
    $error("replacement: Ways must be at least 1");
  end
endmodule
