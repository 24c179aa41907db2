// SPDX-License-Identifier: Apache-2.0

/// What `skid` promises: every element passes once, unchanged and in order; it passes at once if it is taken, and the reader is
/// served whenever there is anything. Reset may come in any cycle.
module skid_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input logic       ready_i,
  input logic [1:0] data_i
);
  logic ready_o, valid_o, held_o;
  logic [1:0] data_o, held_data_o;

  skid #(
    .T(logic [1:0])
  ) dut (
    .*
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb if (!started_q) assume (!rst_ni);

  // ---------------------------------------------------------------- counted from outside
  logic push, pop, inside_q, shown_q, stood_q;
  logic [1:0] oldest_q, shown_data_q, stood_data_q;
  assign push = valid_i && ready_o;
  assign pop  = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    inside_q <= rst_ni && (inside_q || push) && !pop;
    if (push && !inside_q) oldest_q <= data_i;
    shown_q      <= rst_ni && valid_i && !ready_o;
    shown_data_q <= data_i;
    stood_q      <= rst_ni && valid_o && !ready_i;
    stood_data_q <= data_o;
  end

  // The writer's rule: what is shown stays.
  always_comb if (started_q && shown_q) assume (valid_i && data_i == shown_data_q);

  always_ff @(posedge clk_i) begin
    if (started_q && rst_ni) begin
      one_at_most : assert (!(inside_q && push));
      takes_iff_nothing_stands_aside : assert (ready_o == !inside_q);
      serves_whenever_it_can : assert (valid_o == (inside_q || valid_i));
      in_order : assert (!valid_o || data_o == (inside_q ? oldest_q : data_i));
      output_stands_until_taken : assert (!stood_q || (valid_o && data_o == stood_data_q));
      tells_what_stands_aside : assert (held_o == inside_q && (!held_o || held_data_o == oldest_q));
      cover (inside_q && pop);
    end
  end
endmodule
