// SPDX-License-Identifier: Apache-2.0

/// What `arbiter` promises: it grants whose turn it is, and nobody who keeps asking waits for more than
/// `Count - 1` uses of others.
module arbiter_props #(
  parameter int unsigned Count = 3
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Count-1:0] request_i,
  input logic             advance_i,
  input logic [      3:0] who_i
);
  localparam int unsigned IndexWidth = (Count > 1) ? $clog2(Count) : 1;

  logic [Count-1:0] grant_o;
  logic [IndexWidth-1:0] index_o;

  arbiter #(
    .Count(Count)
  ) dut (
    .clk_i, .rst_ni, .request_i, .advance_i, .grant_o, .index_o
  );

  // The waiting input: any one, the same all the time.
  logic [3:0] who_q;
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    who_q     <= who_i;
  end
  always_comb begin
    assume (32'(who_i) < Count);
    if (!started_q) assume (!rst_ni);
    else assume (who_i == who_q);
  end

  // ---------------------------------------------------------------- the rule, as a number instead of a mask
  logic [3:0] turn_q, expected;
  // Uses by others since the input began to ask.
  logic [3:0] passed_over_q;
  logic waits;

  always_comb begin
    expected = '0;
    for (int unsigned i = Count; i > 0; i--) begin
      if (request_i[(32'(turn_q)+i-1)%Count]) expected = 4'((32'(turn_q) + i - 1) % Count);
    end
  end
  assign waits = request_i[who_i[IndexWidth-1:0]] && !grant_o[who_i[IndexWidth-1:0]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_q        <= '0;
      passed_over_q <= '0;
    end else begin
      if (advance_i && request_i != '0) turn_q <= 4'((32'(expected) + 1) % Count);
      if (!request_i[who_i[IndexWidth-1:0]]) passed_over_q <= '0;
      else if (advance_i) passed_over_q <= waits ? passed_over_q + 4'd1 : '0;
    end
  end

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (rst_ni) begin
      grants_at_most_one : assert ((grant_o & (grant_o - Count'(1))) == '0);
      grants_only_who_asks : assert ((grant_o & ~request_i) == '0);
      grants_if_anyone_asks : assert ((grant_o != '0) == (request_i != '0));
      grants_whose_turn_it_is : assert (request_i == '0 || grant_o[expected[IndexWidth-1:0]]);
      index_names_the_grant : assert (32'(index_o) == ((request_i != '0) ? 32'(expected) : 0));
      waits_for_less_than_count_uses : assert (32'(passed_over_q) < Count);

      reach_longest_wait : cover (32'(passed_over_q) == Count - 1);
      reach_all_ask : cover (request_i == '1);
      reach_turn_goes_around : cover (turn_q == 4'(Count - 1) && advance_i && grant_o[0]);
      reach_grant_not_used : cover (request_i != '0 && !advance_i);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  always_comb begin
    if (rst_ni) begin
      induct_turn : assert (32'(turn_q) < Count);
      // After the last input the mask is empty, which means the same as all.
      induct_mask :
      assert (dut.gen_many.turn_q == Count'({Count{1'b1}} << turn_q) ||
              (turn_q == '0 && dut.gen_many.turn_q == '0));
      // Who are before it, and who have been: each is served once.
      induct_wait :
      assert (32'(passed_over_q) + (32'(who_i) + Count - 32'(turn_q)) % Count < Count);
    end
  end
endmodule
