// SPDX-License-Identifier: Apache-2.0

/// Queue whose elements become visible at a time of their own: each is written together with the cycle from
/// which the reader may see it. What flies over a link or through a memory stands in here instead of in a
/// shift register as long as the latency.
///
/// Times are counted by `now_i`, which grows by one per cycle and wraps; arrival times must not decrease from
/// one element to the next, and lie less than half the range of `now_i` ahead. An element is visible from
/// cycle `arrival_i` on, or one cycle after the one before it if both have the same time; the earliest is
/// the cycle after the writing. There is no `ready_o`: the writer keeps count (credits, tags) and never
/// writes into a full queue (asserted).
module delay_fifo #(
  /// What is queued.
  parameter type T = logic,
  /// Number of elements, from 2, a power of two.
  parameter int unsigned Depth = 2,
  /// Width of the clock `now_i`.
  parameter int unsigned TimeWidth = 12
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  /// The present cycle.
  input  logic [TimeWidth-1:0] now_i,
  input  logic                 write_i,
  input  logic [TimeWidth-1:0] arrival_i,
  input  T                     data_i,
  output logic                 valid_o,
  input  logic                 ready_i,
  output T                     data_o
);
  localparam int unsigned IndexWidth = $clog2(Depth);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [IndexWidth:0] count_t;
  typedef logic [TimeWidth-1:0] cycle_t;

  T       store_q[Depth];
  cycle_t arrival_q[Depth];
  index_t head_q, tail_q, arrive_q;
  count_t stored_q, visible_q, stored_d, visible_d;
  logic pop, waiting, arrive;
  cycle_t arrival, ahead;

  assign pop = valid_o && ready_i;

  // The oldest element that is not visible yet, which may be the one that is being written.
  assign waiting = stored_q != visible_q;
  assign arrival = waiting ? arrival_q[arrive_q] : arrival_i;
  // Visible in the next cycle if its time is not after that: now + 1 - arrival is not negative.
  assign ahead   = now_i + cycle_t'(1) - arrival;
  assign arrive  = (waiting || write_i) && !ahead[TimeWidth-1];

  assign stored_d  = stored_q + count_t'(write_i) - count_t'(pop);
  assign visible_d = visible_q + count_t'(arrive) - count_t'(pop);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q    <= '0;
      tail_q    <= '0;
      arrive_q  <= '0;
      stored_q  <= '0;
      visible_q <= '0;
    end else begin
      if (pop) head_q <= head_q + index_t'(1);
      if (write_i) tail_q <= tail_q + index_t'(1);
      if (arrive) arrive_q <= arrive_q + index_t'(1);
      stored_q  <= stored_d;
      visible_q <= visible_d;
      assert (!write_i || stored_q != count_t'(Depth))
      else $error("delay_fifo: written while full");
    end
  end

  // Without reset, so that it may become distributed RAM.
  always_ff @(posedge clk_i) begin
    if (write_i) begin
      store_q[tail_q]   <= data_i;
      arrival_q[tail_q] <= arrival_i;
    end
  end

  assign valid_o = visible_q != '0;
  assign data_o  = store_q[head_q];

  if (Depth < 2 || Depth != (1 << IndexWidth)) begin : gen_check_depth
    $error("delay_fifo: Depth must be a power of two, at least 2");
  end
endmodule
