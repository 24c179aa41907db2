// SPDX-License-Identifier: Apache-2.0
// The chip's own cells in the place of rtl/common/clock_gate.sv. A DCCA looks at CE while the clock is low, which is
// the same: CE changes at a rise. The clock without a gate has a cell like it beside it: behind that cell, the other
// would come later by the whole way of a clock through the chip, which no tool tells of.
module clock_gate (
  input  clk_i,
  input  enable_i,
  output clk_o,
  output free_o
);
  DCCA i_gate (
    .CLKI(clk_i),
    .CE  (enable_i),
    .CLKO(clk_o)
  );
  DCCA i_free (
    .CLKI(clk_i),
    .CE  (1'b1),
    .CLKO(free_o)
  );
endmodule
