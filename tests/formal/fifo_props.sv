// SPDX-License-Identifier: Apache-2.0

/// What `fifo` promises: every element comes out once, unchanged and in its place, and nothing else does.
///
/// One element is followed, whichever the solver likes (`mark_i`): how many stand before it is counted here, so
/// that the cycle in which it must leave is known. Reset may come in any cycle.
module fifo_props #(
  parameter int unsigned Depth = 3,
  parameter bit Late = 1'b0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input logic       ready_i,
  input logic [1:0] data_i,
  input logic       mark_i
);
  typedef logic [1:0] data_t;
  typedef logic [$clog2(Depth+1)-1:0] count_t;

  logic ready_o, valid_o;
  data_t  data_o;
  count_t free_o;

  fifo #(
    .T(data_t), .Depth(Depth), .Late(Late)
  ) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o, .data_i, .valid_o, .ready_i, .data_o, .free_o
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb if (!started_q) assume (!rst_ni);

  // ---------------------------------------------------------------- counted from outside
  logic push, pop, follows_q, was_held_q;
  count_t held_q, ahead_q;
  data_t followed_q, last_q;

  assign push = valid_i && ready_o;
  assign pop  = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    was_held_q <= rst_ni && valid_o && !ready_i;
    last_q     <= data_o;
    if (!rst_ni) begin
      held_q    <= '0;
      follows_q <= 1'b0;
    end else begin
      held_q <= held_q + count_t'(push) - count_t'(pop);
      if (follows_q) begin
        if (pop && ahead_q == '0) follows_q <= 1'b0;
        else if (pop) ahead_q <= ahead_q - count_t'(1);
      end else if (push && mark_i) begin
        follows_q  <= 1'b1;
        followed_q <= data_i;
        ahead_q    <= held_q - count_t'(pop);
      end
    end
  end

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (rst_ni) begin
      never_above_depth : assert (held_q <= count_t'(Depth));
      takes_iff_not_full : assert (ready_o == (held_q < count_t'(Depth)));
      gives_iff_not_empty : assert (valid_o == (held_q != '0));
      free_is_exact : assert (free_o == count_t'(Depth) - held_q);
      element_not_lost : assert (!follows_q || valid_o);
      element_in_its_place : assert (!follows_q || ahead_q != '0 || data_o == followed_q);
      output_stands_until_taken : assert (!was_held_q || (valid_o && data_o == last_q));

      reach_full : cover (held_q == count_t'(Depth));
      reach_last_place_left : cover (follows_q && ahead_q == '0 && pop);
      reach_empty_again : cover (follows_q && pop && held_q == count_t'(1) && !push);
    end
  end
  if (Depth > 1) begin : gen_meet
    always_comb if (rst_ni) reach_push_meets_pop : cover (push && pop);
  end

  // ---------------------------------------------------------------- what the induction stands on
  function automatic int unsigned slot(int unsigned offset);
    return (32'(dut.head_q) + offset) % Depth;
  endfunction

  always_comb begin
    if (rst_ni) begin
      induct_pointers : assert (32'(dut.head_q) < Depth && 32'(dut.tail_q) == slot(32'(held_q)));
      induct_followed_is_stored :
      assert (!follows_q || (ahead_q < held_q && dut.store_q[slot(32'(ahead_q))] == followed_q));
      induct_last : assert (!was_held_q || last_q == dut.store_q[dut.head_q]);
    end
  end
endmodule
