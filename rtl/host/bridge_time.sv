// SPDX-License-Identifier: Apache-2.0

/// Fabric time: when the fabric's clock ticks, and why it stops (docs/frames.md, Time).
module bridge_time
  import host_frame_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  /// Time stands, and is cycle 0.
  input  logic reset_i,
  /// Time stands: something was refused.
  input  logic halt_i,

  /// One cycle each: run to the limit or an answer; run on; the present cycle becomes 0.
  input  logic        start_i,
  input  logic        to_answer_i,
  input  logic [31:0] limit_i,
  input  logic        free_i,
  input  logic        zero_i,

  /// What the next cycle needs: all that is due is shown, and answers have room.
  input  logic settled_i,
  input  logic room_i,
  /// Something is answered in this cycle.
  input  logic answer_i,

  /// The fabric's clock has an edge at the end of this cycle.
  output logic        tick_o,
  output logic [63:0] now_o,
  /// What is due in this cycle may be shown.
  output logic        show_o,
  /// A run is under way; afterwards, why it ended.
  output logic        running_o,
  output stop_e       reason_o,
  output logic        free_o
);
  logic run_q, free_q, to_answer_q, tick_q, at_limit, answered;
  logic [31:0] limit_q, left;
  logic [63:0] now_q, now_next;
  stop_e reason_q;

  assign now_next = now_q + 64'(tick_q);
  assign left = limit_q - now_next[31:0];
  assign at_limit = !free_q && (left[31] || left == '0);
  assign answered = !free_q && to_answer_q && tick_q && answer_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i || halt_i) begin
      run_q  <= 1'b0;
      free_q <= 1'b0;
      tick_q <= 1'b0;
    end else begin
      tick_q <= run_q && !at_limit && !answered && settled_i && room_i;
      if (run_q && (answered || at_limit)) run_q <= 1'b0;
      if (start_i || free_i) run_q <= 1'b1;
      if (start_i || free_i) free_q <= free_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i || zero_i) now_q <= '0;
    else now_q <= now_next;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      limit_q     <= limit_i;
      to_answer_q <= to_answer_i;
    end
    if (run_q) reason_q <= answered ? StopAnswer : StopLimit;
  end

  assign tick_o    = tick_q;
  assign now_o     = now_q;
  assign show_o    = run_q && !tick_q && !at_limit;
  assign running_o = run_q && !free_q;
  assign reason_o  = reason_q;
  assign free_o    = free_q;
endmodule
