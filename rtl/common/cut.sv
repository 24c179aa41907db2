// SPDX-License-Identifier: Apache-2.0

/// Registers on a way that has cycles to spare, or a wire: what a unit that may take several cycles for a step is
/// cut into, so that the clock may be faster (docs/units/cut.md). No reset: whoever reads it knows when it is good.
module cut #(
  parameter int unsigned Width = 1,
  /// Registers in a row, up to 2; 0: a wire.
  parameter int unsigned Cut = 0
) (
  input  logic             clk_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);
  if (Cut == 2) begin : gen_registers
    logic [Width-1:0] data_q;
    always_ff @(posedge clk_i) begin
      data_q <= data_i;
      data_o <= data_q;
    end
  end else if (Cut == 1) begin : gen_register
    always_ff @(posedge clk_i) data_o <= data_i;
  end else begin : gen_wire
    assign data_o = data_i;
    logic unused;
    assign unused = clk_i;
  end

  if (Cut > 2) begin : gen_check
    $error("cut: Cut must be 0 to 2");
  end
endmodule
