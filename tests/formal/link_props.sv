// SPDX-License-Identifier: Apache-2.0

/// What `link` keeps for its lanes whatever is sent: the rules that the proofs of `link_lane` and `delay_fifo`
/// assume of a writer. Nothing is assumed here but the first reset.
module link_props
  import weft_pkg::*;
  import weft_cost_pkg::*;
#(
  parameter int unsigned Latency = 2,
  parameter int unsigned Bytes = 16,
  parameter int unsigned Buffer = 2
) (
  input logic clk_i,
  input logic rst_ni,
  input logic req_valid_i,
  input req_t req_i,
  input logic fwd_valid_i,
  input fwd_t fwd_i,
  input logic rsp_valid_i,
  input rsp_t rsp_i,
  input logic req_ready_i,
  input logic fwd_ready_i,
  input logic rsp_ready_i
);
  logic req_ready_o, fwd_ready_o, rsp_ready_o, req_valid_o, fwd_valid_o, rsp_valid_o, busy_o;
  req_t req_o;
  fwd_t fwd_o;
  rsp_t rsp_o;
  link_event_t event_o;

  link #(
    .Latency(Latency), .Bytes(Bytes), .Buffer(Buffer)
  ) dut (
    .fault_i(FaultNone), .*
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb if (!started_q) assume (!rst_ni);

  // ---------------------------------------------------------------- the rules, from outside
  localparam int unsigned TimeWidth = $clog2(Latency + CostMax + 3) + 1;  // as in link.sv
  typedef logic [TimeWidth-1:0] cycle_t;
  localparam cycle_t Half = cycle_t'(1) << (TimeWidth - 1);

  logic req_start, fwd_start, rsp_start, start, req_can, fwd_can, rsp_can;
  // Cycles until the last message started, and the one before it, may be read; 0 from then on.
  cycle_t flight, last_q, second_q;

  assign req_start = req_valid_i && req_ready_o;
  assign fwd_start = fwd_valid_i && fwd_ready_o;
  assign rsp_start = rsp_valid_i && rsp_ready_o;
  assign start     = req_start || fwd_start || rsp_start;
  assign req_can   = req_valid_i && dut.req_credit;
  assign fwd_can   = fwd_valid_i && dut.fwd_credit;
  assign rsp_can   = rsp_valid_i && dut.rsp_credit;
  assign flight    = dut.arrival - dut.now_q;

  function automatic cycle_t sooner(cycle_t left);
    return (left == '0) ? '0 : left - cycle_t'(1);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      last_q   <= '0;
      second_q <= '0;
    end else begin
      last_q   <= sooner(start ? flight : last_q);
      second_q <= sooner(start ? last_q : second_q);
    end
  end

  // Responses and forwards that have started since the last request.
  logic [1:0] passed_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || req_start) passed_q <= '0;
    else if (start && passed_q != 2'd3) passed_q <= passed_q + 2'd1;
  end
  always_comb if (rst_ni) induct_passed : assert (passed_q == dut.others_q);

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (rst_ni) begin
      one_message_starts_at_a_time : assert (32'(req_start) + 32'(fwd_start) + 32'(rsp_start) <= 1);
      starts_only_with_a_credit :
      assert ((!req_start || req_can) && (!fwd_start || fwd_can) && (!rsp_start || rsp_can));
      starts_only_on_a_free_wire : assert (!start || 32'(dut.owed_q) < Bytes);
      response_before_forward_before_request :
      assert ((!fwd_start || !rsp_can) && (!req_start || passed_q == 2'd3 || (!rsp_can && !fwd_can)));
      // A request that can start waits for three messages of the others at most.
      request_after_three : assert (passed_q != 2'd3 || !req_can || !(rsp_start || fwd_start));
      // A class without credits holds up no other.
      starts_if_any_can : assert (start == (32'(dut.owed_q) < Bytes && (req_can || fwd_can || rsp_can)));
      times_in_order : assert (!start || flight >= last_q);
      at_most_two_at_one_time : assert (!start || flight > second_q);
      less_than_half_the_range_ahead : assert (!start || flight < Half);
      owes_less_than_the_dearest : assert (32'(dut.owed_q) < CostMax);

      reach_request_waits_for_credit : cover (req_valid_i && !dut.req_credit && rsp_start);
      reach_wire_owes : cover (32'(dut.owed_q) >= Bytes && req_can);
      reach_all_arrived : cover (req_valid_o && fwd_valid_o && rsp_valid_o);
    end
  end
  if (Bytes > 24) begin : gen_wide
    always_comb if (rst_ni) reach_two_at_one_time : cover (start && flight == last_q && last_q != '0);
  end

  // ---------------------------------------------------------------- what the induction stands on
  logic [31:0] beyond;
  assign beyond = (32'(last_q) > Latency) ? (32'(last_q) - Latency - 1) * Bytes : 0;
  always_comb begin
    if (rst_ni) begin
      // What is owed takes as long as the last message still flies before its latency begins.
      induct_last : assert (32'(last_q) <= Latency || beyond < 32'(dut.owed_q));
      induct_range : assert (last_q < Half);
      induct_second : assert (32'(second_q) <= Latency && second_q <= last_q);
    end
  end

  // Of each class: the credits that are at the sender, with messages and on their way back are those of the buffer.
  `define LANE_INVARIANTS(lane, name) \
    always_comb begin \
      if (rst_ni) begin \
        induct_``name``_credits : \
        assert (32'(lane.credit_q) + 32'(lane.i_flight.stored_q) + $countones(lane.gen_return.return_q) == Buffer); \
        induct_``name``_visible : assert (lane.i_flight.visible_q <= lane.i_flight.stored_q); \
      end \
    end
  `LANE_INVARIANTS(dut.i_req, request)
  `LANE_INVARIANTS(dut.i_fwd, forward)
  `LANE_INVARIANTS(dut.i_rsp, response)
  `undef LANE_INVARIANTS
endmodule
