// SPDX-License-Identifier: Apache-2.0

/// The ECP5's gate of a clock, for netlists in simulation: as `rtl/common/clock_gate.sv`.
module DCCA (
  input  logic CLKI,
  input  logic CE,
  output logic CLKO
);
  logic enable_q;
  initial enable_q = 1'b0;
  always @(negedge CLKI) enable_q <= CE;
  assign CLKO = CLKI && enable_q;
endmodule
