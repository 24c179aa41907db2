// SPDX-License-Identifier: Apache-2.0

/// Queue of `Depth` elements: a stream goes in, the same stream comes out, in order.
///
/// First word falls through from registered storage: what is pushed in one cycle stands at the output in the
/// next. `ready_o`, `valid_o` and `free_o` come from registers alone, so queues can be chained without
/// building long paths. Push and pop may meet in one cycle.
module fifo #(
  /// What is queued.
  parameter type T = logic,
  /// Number of elements, any number from 1. With 1 the queue takes an element every other cycle, because
  /// `ready_o` must not look at `ready_i`; from 2 on it takes one every cycle.
  parameter int unsigned Depth = 2,
  /// What is pushed is known late: the next place is written in every cycle that has one, pushed or not, so that the
  /// push itself goes to the counts alone. Elements and cycles are the same.
  parameter bit Late = 1'b0
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       valid_i,
  output logic                       ready_o,
  input  T                           data_i,
  output logic                       valid_o,
  input  logic                       ready_i,
  output T                           data_o,
  /// Elements that can still be pushed, as of the beginning of the cycle.
  output logic [$clog2(Depth+1)-1:0] free_o
);
  localparam int unsigned IndexWidth = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int unsigned CountWidth = $clog2(Depth + 1);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [CountWidth-1:0] count_t;

  T store_q[Depth];
  index_t head_q, tail_q;
  count_t free_q, free_d;
  logic push, pop, writes, ready_q, valid_q;

  function automatic index_t next(index_t index);
    return (index == index_t'(Depth - 1)) ? '0 : index + index_t'(1);
  endfunction

  // Registers of their own: much follows from each in the same cycle.
  assign ready_o = ready_q;
  assign valid_o = valid_q;
  assign free_o  = free_q;
  assign push    = valid_i && ready_o;
  assign pop     = valid_o && ready_i;
  assign writes  = Late ? ready_q : push;

  always_comb begin
    free_d = free_q;
    if (push && !pop) free_d = free_q - count_t'(1);
    if (pop && !push) free_d = free_q + count_t'(1);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      free_q <= count_t'(Depth);
      ready_q <= 1'b1;
      valid_q <= 1'b0;
    end else begin
      if (push) tail_q <= next(tail_q);
      if (pop) head_q <= next(head_q);
      free_q <= free_d;
      // Who pushes and pops is known late, and only chooses.
      if (push && !pop) {valid_q, ready_q} <= {1'b1, free_q != count_t'(1)};
      if (pop && !push) {valid_q, ready_q} <= {free_q != count_t'(Depth - 1), 1'b1};
    end
  end

  // Without reset, so that it may become distributed RAM; two elements are smaller in flip-flops.
  if (Depth == 2) begin : gen_registers
    always_ff @(posedge clk_i) begin
      if (writes && !tail_q[0]) store_q[0] <= data_i;
      if (writes && tail_q[0]) store_q[1] <= data_i;
    end
    assign data_o = head_q[0] ? store_q[1] : store_q[0];
  end else begin : gen_array
    always_ff @(posedge clk_i) if (writes) store_q[tail_q] <= data_i;
    assign data_o = store_q[head_q];
  end

  if (Depth < 1) begin : gen_check_depth
    $error("fifo: Depth must be at least 1");
  end
endmodule
