// SPDX-License-Identifier: Apache-2.0
// The chip's own cells in the place of rtl/common/copy_register.sv: Yosys leaves cells that are named as they are. They are set
// when the chip is configured.
module copy_register #(
  parameter Copies = 2
) (
  input               clk_i,
  input               d_i,
  output [Copies-1:0] q_o
);
  genvar i;
  for (i = 0; i < Copies; i = i + 1) begin : gen_copy
    FD1S3BX i_copy (
      .PD(1'b0),
      .D (d_i),
      .CK(clk_i),
      .Q (q_o[i])
    );
  end
endmodule
