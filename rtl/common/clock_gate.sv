// SPDX-License-Identifier: Apache-2.0

/// A clock that has an edge at the end of those cycles of `clk_i` in which `enable_i` is set. Without a glitch: the enable
/// is looked at while the clock is high, and counts for its next rise. A board's own cell takes the place of this module.
module clock_gate (
  input  logic clk_i,
  input  logic enable_i,
  output logic clk_o,
  /// The same clock without a gate. Who exchanges words with what `clk_o` clocks uses this: on a chip both take the same way.
  output logic free_o
);
  logic enable_q;
  always_ff @(negedge clk_i) enable_q <= enable_i;
  assign clk_o = clk_i && enable_q;
  assign free_o = clk_i;
endmodule
