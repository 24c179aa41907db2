// SPDX-License-Identifier: Apache-2.0

/// The cycles of a step in stage B of an L2 bank: one, or `L2Interval` where steps take several. In the last it takes effect.
///
/// Under leases, an atomic that may fail stays for `TryCycles` more: in what else were its last cycle its word is read, then counted
/// out and compared as stage C will do it again; nothing else is in B meanwhile, so it will find the same. So whether it fails is
/// known from a register when it takes effect, and its times, data and answer are one step (T1, T8).
module l2_cycles
  import weft_pkg::*;
  import l2_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  /// A step is in B from the next cycle on.
  input  logic enters_i,
  /// The step in B is to be tried first: steady as long as it is there.
  input  logic tries_i,
  /// Its line is looked up; its word is read to be tried; it takes effect.
  output logic looks_o,
  output logic reads_o,
  output logic takes_o,
  /// It stays for another cycle; what is chosen now would find it still here.
  output logic keeps_o,
  output logic busy_o
);
  // A bit for every cycle that a step may be in B: those that all have, those of one that is tried.
  logic [L2Interval-1:0] cycle_q;
  logic [TryCycles-1:0] tried_q;
  logic last;
  assign last    = cycle_q[L2Interval-1];
  assign reads_o = last && tries_i;
  assign takes_o = (last && !tries_i) || tried_q[TryCycles-1];
  always_ff @(posedge clk_i) begin
    cycle_q <= rst_ni ? L2Interval'({cycle_q, enters_i}) : '0;
    tried_q <= rst_ni ? TryCycles'({tried_q, reads_o}) : '0;
  end

  // Where steps take several cycles, what is chosen is taken in the next one.
  logic stays;
  assign stays = reads_o || tried_q[TryCycles-2:0] != '0;
  if (L2Interval > 1) begin : gen_several
    logic early;
    assign looks_o = cycle_q[0];
    assign keeps_o = cycle_q[L2Interval-2:0] != '0 || stays;
    if (L2Interval > 2) begin : gen_early
      assign early = cycle_q[L2Interval-3:0] != '0;
    end else begin : gen_not_early
      assign early = 1'b0;
    end
    assign busy_o = early || (cycle_q[L2Interval-2] && tries_i) || reads_o || tried_q[TryCycles-3:0] != '0;
  end else begin : gen_one
    assign looks_o = enters_i;
    assign keeps_o = stays;
    assign busy_o  = stays;
  end
endmodule
