// SPDX-License-Identifier: Apache-2.0

/// Copies of one register. What goes to thousands of places goes there from several, each near those that it serves; written
/// as several registers, synthesis would make one of them again. A board has its own in the place of this; they begin high.
module copy_register #(
  parameter int unsigned Copies = 2
) (
  input  logic              clk_i,
  input  logic              d_i,
  output logic [Copies-1:0] q_o
);
  always_ff @(posedge clk_i) q_o <= {Copies{d_i}};
endmodule
