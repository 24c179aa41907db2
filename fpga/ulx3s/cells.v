// SPDX-License-Identifier: Apache-2.0
// Cells of the ECP5 that the board's top uses by name: the ports that it connects.

(* blackbox *)
module EHXPLLL #(
  parameter CLKI_DIV = 1,
  parameter CLKFB_DIV = 1,
  parameter CLKOP_DIV = 8,
  parameter CLKOP_ENABLE = "ENABLED",
  parameter CLKOP_CPHASE = 0,
  parameter FEEDBK_PATH = "CLKOP"
) (
  input  CLKI,
  input  CLKFB,
  input  RST,
  input  STDBY,
  input  PHASESEL0,
  input  PHASESEL1,
  input  PHASEDIR,
  input  PHASESTEP,
  input  PHASELOADREG,
  input  PLLWAKESYNC,
  input  ENCLKOP,
  output CLKOP,
  output LOCK
);
endmodule

// A clock that can be stopped, in the middle of a clock's way through the chip.
(* blackbox *)
module DCCA (
  input  CLKI,
  input  CE,
  output CLKO
);
endmodule

// A register that is set by PD.
(* blackbox *)
module FD1S3BX (
  input  PD,
  input  D,
  input  CK,
  output Q
);
endmodule

// A register in a pad that goes out, set by PD.
(* blackbox *)
module OFS1P3BX (
  input  PD,
  input  D,
  input  SP,
  input  SCLK,
  output Q
);
endmodule

// A pad of both directions; T releases it.
(* blackbox *)
module BB (
  input  I,
  input  T,
  output O,
  inout  B
);
endmodule
