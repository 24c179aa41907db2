// SPDX-License-Identifier: Apache-2.0

/// A place beside the way of a stream: what is not taken at once steps aside and waits there, so that `ready_o` is a register.
///
/// To the reader it is as if it were not there, to the cycle. The writer is stopped a cycle after the reader stops and goes on
/// a cycle after the reader does; whether the reader takes, which may be known late, comes before nothing on the writer's side.
module skid #(
  /// What passes.
  parameter type T = logic
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  T     data_i,
  output logic valid_o,
  input  logic ready_i,
  output T     data_o,
  /// What stands aside, and is what `data_o` shows then.
  output logic held_o,
  output T     held_data_o
);
  logic held_q;
  T held_data_q;

  assign ready_o     = !held_q;
  assign valid_o     = held_q || valid_i;
  assign data_o      = held_q ? held_data_q : data_i;
  assign held_o      = held_q;
  assign held_data_o = held_data_q;

  always_ff @(posedge clk_i) held_q <= rst_ni && valid_o && !ready_i;
  // Copied whether it leaves or not: late news may not decide over so many bits.
  always_ff @(posedge clk_i) if (!held_q) held_data_q <= data_i;
endmodule
