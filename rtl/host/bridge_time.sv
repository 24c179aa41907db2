// SPDX-License-Identifier: Apache-2.0

/// Fabric time: when the fabric's clock ticks, and why it stops (docs/frames.md, Time).
module bridge_time
  import host_frame_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  /// Time stands, and is cycle 0.
  input  logic reset_i,
  /// Time stands: something was refused; or something needs a moment without it.
  input  logic halt_i,
  input  logic pause_i,
  /// The fabric's clock ticks without time: it is in reset.
  input  logic hold_i,

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

  /// The fabric's clock has an edge at the end of this cycle; of these, the ones that are time. Both from registers.
  output logic        enable_o,
  output logic        tick_o,
  output logic [63:0] now_o,
  /// The cycle behind it.
  output logic [31:0] next_o,
  /// What is due in this cycle may be shown.
  output logic        show_o,
  /// A run is under way; afterwards, why it ended.
  output logic        running_o,
  output stop_e       reason_o,
  output logic        free_o
);
  logic run_q, free_q, to_answer_q, tick_q, enable_q, tick_d, at_limit, answered;
  logic [31:0] limit_q;
  logic [63:0] now_q, next_q;
  stop_e reason_q;

  // ---------------------------------------------------------------- the limit
  // How far it is off is counted down, and what the next tick needs to know of it is known a tick ahead. At first it takes
  // two cycles to find out.
  typedef enum logic [1:0] {
    StSubtract,
    StCompare,
    StKnown
  } state_e;
  state_e state_q;
  logic [31:0] left_q;
  logic none_q, one_q, known;

  assign known = state_q == StKnown;
  assign at_limit = known && !free_q && (none_q || (tick_q && one_q));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i || start_i || free_i) begin
      state_q <= StSubtract;
    end else begin
      unique case (state_q)
        // Free time may have ticked once more.
        StSubtract: if (!tick_q) state_q <= StCompare;
        default: state_q <= StKnown;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StSubtract: left_q <= limit_q - now_q[31:0];
      StCompare: begin
        none_q <= left_q[31] || left_q == '0;
        one_q  <= left_q == 32'd1;
      end
      default:
      if (tick_q) begin
        left_q <= left_q - 32'd1;
        none_q <= none_q || one_q;
        one_q  <= left_q == 32'd2;
      end
    endcase
  end

  // ---------------------------------------------------------------- ticks
  assign answered = !free_q && to_answer_q && tick_q && answer_i;
  assign tick_d = run_q && known && !at_limit && !answered && settled_i && room_i && !pause_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i || halt_i) begin
      run_q    <= 1'b0;
      free_q   <= 1'b0;
      tick_q   <= 1'b0;
      enable_q <= hold_i;
    end else begin
      tick_q   <= tick_d;
      enable_q <= tick_d || hold_i;
      if (run_q && (answered || at_limit)) run_q <= 1'b0;
      if (start_i || free_i) run_q <= 1'b1;
      if (start_i || free_i) free_q <= free_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i || zero_i) begin
      now_q  <= '0;
      next_q <= 64'd1;
    end else if (tick_q) begin
      now_q  <= next_q;
      next_q <= next_q + 64'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      limit_q     <= limit_i;
      to_answer_q <= to_answer_i;
    end
    if (run_q) reason_q <= answered ? StopAnswer : StopLimit;
  end

  assign enable_o  = enable_q;
  assign next_o    = next_q[31:0];
  assign tick_o    = tick_q;
  assign now_o     = now_q;
  assign show_o    = run_q && known && !tick_q && !at_limit;
  assign running_o = run_q && !free_q;
  assign reason_o  = reason_q;
  assign free_o    = free_q;
endmodule
