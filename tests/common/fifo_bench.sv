// SPDX-License-Identifier: Apache-2.0

/// A fifo of plain words: a type parameter cannot be given from outside.
module fifo_bench #(
  parameter int unsigned Depth = 2,
  parameter bit Late = 1'b0
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       valid_i,
  output logic                       ready_o,
  input  logic [               15:0] data_i,
  output logic                       valid_o,
  input  logic                       ready_i,
  output logic [               15:0] data_o,
  output logic [$clog2(Depth+1)-1:0] free_o
);
  fifo #(
    .T    (logic [15:0]),
    .Depth(Depth),
    .Late (Late)
  ) i_fifo (
    .*
  );
endmodule
