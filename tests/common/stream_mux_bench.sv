// SPDX-License-Identifier: Apache-2.0

/// A stream_mux of plain words: a type parameter cannot be given from outside.
module stream_mux_bench #(
  parameter int unsigned Count = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Count-1:0] valid_i,
  output logic [Count-1:0] ready_o,
  input  logic [     15:0] data_i [Count],
  output logic             valid_o,
  input  logic             ready_i,
  output logic [     15:0] data_o
);
  stream_mux #(
    .T    (logic [15:0]),
    .Count(Count)
  ) i_stream_mux (
    .*
  );
endmodule
