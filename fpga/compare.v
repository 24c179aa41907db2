// SPDX-License-Identifier: Apache-2.0

// Comparisons as the sign of a difference. Yosys makes an ECP5's carry chain for a sum, but the carry out of its end, which is
// what a comparison wants, it counts out in one LUT after the other: sixteen bits are sixteen levels. A bit more, and the answer
// is a bit of the sum. What is narrow, or compared with a constant of few bits, is better as it is.
(* techmap_celltype = "$lt $le $gt $ge" *)
module weft_compare (
  A,
  B,
  Y
);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter _TECHMAP_CONSTMSK_A_ = 0;
  parameter _TECHMAP_CONSTMSK_B_ = 0;
  localparam WIDTH = (A_WIDTH > B_WIDTH) ? A_WIDTH : B_WIDTH;
  localparam CONSTANT = &_TECHMAP_CONSTMSK_A_ || &_TECHMAP_CONSTMSK_B_;
  localparam SWAPPED = _TECHMAP_CELLTYPE_ == "$gt" || _TECHMAP_CELLTYPE_ == "$le";
  localparam INVERTED = _TECHMAP_CELLTYPE_ == "$le" || _TECHMAP_CELLTYPE_ == "$ge";

  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  wire _TECHMAP_FAIL_ = WIDTH < (CONSTANT ? 9 : 5);

  wire sign_a = (A_SIGNED && B_SIGNED) ? A[A_WIDTH-1] : 1'b0;
  wire sign_b = (A_SIGNED && B_SIGNED) ? B[B_WIDTH-1] : 1'b0;
  wire [WIDTH:0] a = {{(WIDTH + 1 - A_WIDTH){sign_a}}, A};
  wire [WIDTH:0] b = {{(WIDTH + 1 - B_WIDTH){sign_b}}, B};
  wire [WIDTH:0] difference = SWAPPED ? b - a : a - b;
  assign Y = difference[WIDTH] ^ (INVERTED ? 1'b1 : 1'b0);
endmodule
