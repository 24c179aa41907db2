// SPDX-License-Identifier: Apache-2.0

/// A skid of plain words: a type parameter cannot be given from outside.
module skid_bench (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [15:0] data_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [15:0] data_o,
  output logic        held_o,
  output logic [15:0] held_data_o
);
  skid #(.T(logic [15:0])) i_skid (.*);
endmodule
