// SPDX-License-Identifier: Apache-2.0
// The chip's own cell in the place of rtl/common/clock_gate.sv. It looks at CE while the clock is low, which is
// the same: CE changes at a rise.
module clock_gate (
  input  clk_i,
  input  enable_i,
  output clk_o
);
  DCCA i_gate (
    .CLKI(clk_i),
    .CE  (enable_i),
    .CLKO(clk_o)
  );
endmodule
