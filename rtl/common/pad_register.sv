// SPDX-License-Identifier: Apache-2.0

/// Registers in the pads of a chip, for outputs or for their release. One each: a pad's register has no other load, so that
/// those with the same input are not one. A board has its own in the place of this; they begin high.
module pad_register #(
  parameter int unsigned Width = 1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);
  // Before the first edge nothing is driven and nothing asked for.
  initial q_o = '1;
  always_ff @(posedge clk_i) q_o <= d_i;
endmodule
