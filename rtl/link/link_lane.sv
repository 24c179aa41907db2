// SPDX-License-Identifier: Apache-2.0

/// One class of a link: its credits at the sending end, its messages in flight, its buffer at the reader.
///
/// A message enters the queue when it starts, with the time at which the reader may see it. The credit taken
/// then is back at the sender `Latency` cycles after the reader took the message: taken in cycle t, it can
/// pay for a start in cycle t + Latency.
module link_lane #(
  /// The message.
  parameter type T = logic,
  /// Cycles of a credit's way back, from 1.
  parameter int unsigned Latency = 2,
  /// Credits, and entries of the buffer; a power of two from 2.
  parameter int unsigned Buffer = 2,
  /// Width of the clock `now_i`.
  parameter int unsigned TimeWidth = 12,
  /// 1 builds in the fault of `swap_i`.
  parameter bit Swaps = 1'b0
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [TimeWidth-1:0] now_i,
  /// A message starts; only while `credit_o`.
  input  logic                 start_i,
  input  logic [TimeWidth-1:0] arrival_i,
  input  T                     data_i,
  output logic                 credit_o,
  output logic                 valid_o,
  input  logic                 ready_i,
  output T                     data_o,
  input  logic                 swap_i
);
  typedef logic [$clog2(Buffer+1)-1:0] credit_t;

  credit_t credit_q;
  logic taken, back;

  assign taken    = valid_o && ready_i;
  assign credit_o = credit_q != '0;

  if (Latency > 1) begin : gen_return
    logic [Latency-2:0] return_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) return_q <= '0;
      else return_q <= (Latency - 1)'({return_q, taken});
    end
    assign back = return_q[Latency-2];
  end else begin : gen_return_at_once
    assign back = taken;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credit_q <= credit_t'(Buffer);
    end else begin
      credit_q <= credit_q + credit_t'(back) - credit_t'(start_i);
      assert (!start_i || credit_o)
      else $error("link_lane: a message started without a credit");
    end
  end

  delay_fifo #(
    .T(T),
    .Depth(Buffer),
    .TimeWidth(TimeWidth),
    .Swaps(Swaps)
  ) i_flight (
    .clk_i,
    .rst_ni,
    .now_i,
    .write_i(start_i),
    .arrival_i,
    .data_i,
    .valid_o,
    .ready_i,
    .data_o,
    .swap_i
  );

  if (Latency < 1) begin : gen_check_latency
    $error("link_lane: Latency must be at least 1");
  end
endmodule
