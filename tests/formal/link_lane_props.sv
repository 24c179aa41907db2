// SPDX-License-Identifier: Apache-2.0

/// What the credits of a link's class promise (`link_lane`): as many as the reader's buffer has places, none
/// lost, none made, each back at the sender exactly `Latency` cycles after the reader took its message.
module link_lane_props #(
  parameter int unsigned Buffer = 4,
  parameter int unsigned Latency = 3
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       start_i,
  input logic [3:0] now_i,
  input logic [3:0] arrival_i,
  input logic [1:0] data_i,
  input logic       ready_i
);
  typedef logic [1:0] data_t;
  typedef logic [$clog2(Buffer+1)-1:0] count_t;

  logic credit_o, valid_o;
  data_t data_o;

  link_lane #(
    .T(data_t), .Latency(Latency), .Buffer(Buffer), .TimeWidth(4)
  ) dut (
    .clk_i, .rst_ni, .now_i, .start_i, .arrival_i, .data_i, .credit_o, .valid_o, .ready_i, .data_o,
    .swap_i(1'b0)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    if (!started_q) assume (!rst_ni);
    // The sender's rule. When messages arrive does not matter to the credits: any time will do.
    if (rst_ni) assume (!start_i || credit_o);
  end

  // ---------------------------------------------------------------- where each credit is, counted from outside
  // Credits at the sender, with messages in flight or buffered, and on their way back: bit 0 was taken last.
  count_t home_q, with_message_q, returning;
  logic [Latency-1:0] way_back_q;
  logic taken, back;

  assign taken = valid_o && ready_i;
  assign back  = (Latency == 1) ? taken : way_back_q[Latency-2+32'(Latency == 1)];

  always_comb begin
    returning = '0;
    for (int unsigned i = 0; i + 1 < Latency; i++) returning += count_t'(way_back_q[i]);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      home_q         <= count_t'(Buffer);
      with_message_q <= '0;
      way_back_q     <= '0;
    end else begin
      home_q         <= home_q + count_t'(back) - count_t'(start_i);
      with_message_q <= with_message_q + count_t'(start_i) - count_t'(taken);
      way_back_q     <= Latency'({way_back_q, taken});
    end
  end

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (rst_ni) begin
      credits_within_bounds : assert (dut.credit_q <= count_t'(Buffer));
      credits_conserved : assert (32'(dut.credit_q) + 32'(with_message_q) + 32'(returning) == Buffer);
      credit_back_after_latency : assert (dut.credit_q == home_q);
      offered_iff_there_is_one : assert (credit_o == (home_q != '0));
      buffer_never_overflows : assert (32'(with_message_q) <= Buffer);
      nothing_from_nothing : assert (!valid_o || with_message_q != '0);

      reach_no_credit_left : cover (dut.credit_q == '0);
      reach_all_home_again : cover (way_back_q[Latency-1] && dut.credit_q == count_t'(Buffer));
      reach_start_meets_return : cover (start_i && back);
    end
  end
  if (Latency > 2) begin : gen_way
    always_comb if (rst_ni) reach_two_returning : cover (returning == count_t'(2) && dut.credit_q == '0);
  end

  // ---------------------------------------------------------------- what the induction stands on
  always_comb begin
    if (rst_ni) begin
      induct_stored : assert (32'(dut.i_flight.stored_q) == 32'(with_message_q));
      induct_visible : assert (dut.i_flight.visible_q <= dut.i_flight.stored_q);
    end
  end
  if (Latency > 1) begin : gen_return
    always_comb if (rst_ni) induct_return : assert (dut.gen_return.return_q == way_back_q[Latency-2:0]);
  end
endmodule
