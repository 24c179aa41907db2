// SPDX-License-Identifier: Apache-2.0
// The chip's own cells in the place of rtl/common/pad_register.sv: registers that nextpnr puts into the pads they lead to,
// or gives up. They are set when the chip is configured, so that nothing is asked and no line is driven before there is a clock.
module pad_register #(
  parameter Width = 1
) (
  input              clk_i,
  input  [Width-1:0] d_i,
  output [Width-1:0] q_o
);
  genvar i;
  for (i = 0; i < Width; i = i + 1) begin : gen_bit
    OFS1P3BX i_pad (
      .PD  (1'b0),
      .D   (d_i[i]),
      .SP  (1'b1),
      .SCLK(clk_i),
      .Q   (q_o[i])
    );
  end
endmodule
