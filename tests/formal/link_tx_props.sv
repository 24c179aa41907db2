// SPDX-License-Identifier: Apache-2.0

/// What the sending end of a link keeps whatever is sent and whatever comes back on the side channel, also nonsense with a
/// right CRC. Assumed are the first reset, and that a write's bytes are one run.
module link_tx_props
  import weft_pkg::*;
  import weft_frame_pkg::*;
#(
  parameter int unsigned Latency = 2,
  parameter int unsigned Bytes = 16,
  parameter int unsigned Buffer = 2
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [15:0] timeout_i,
  input logic [ 7:0] retrains_i,
  input logic        req_valid_i,
  input req_t        req_i,
  input logic        fwd_valid_i,
  input fwd_t        fwd_i,
  input logic        rsp_valid_i,
  input rsp_t        rsp_i,
  input record_t     record_i
);
  localparam int unsigned Words = Bytes / 4;
  // As the sender has them: beats of the ring, and frames that may be on their way.
  localparam int unsigned Margin = (FrameWordsMax + Words - 1) / Words + 4;
  localparam int unsigned Depth = 1 << $clog2(2 * Latency + 2 * Margin + 16);
  localparam int unsigned Window = ((Depth < 2048) ? Depth : 2048) - 4;
  logic req_ready_o, fwd_ready_o, rsp_ready_o, busy_o, down_o, replayed_o, timed_out_o, retrained_o;
  count_t beat_count_o;
  logic [Words-1:0] beat_start_o;
  word_t [Words-1:0] beat_word_o;
  link_event_t event_o;

  link_tx #(
    .Latency(Latency), .Bytes(Bytes), .Buffer(Buffer)
  ) dut (
    .fault_i(FaultNone), .req_span_i('0), .*
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  mask_t filled;
  assign filled = req_i.mask | (req_i.mask - 1'b1);
  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (req_i.kind == ReqKindWrite) assume (req_i.mask != '0 && (filled & (filled + 1'b1)) == '0);
  end

  // ---------------------------------------------------------------- the rules, from outside
  logic req_start, fwd_start, rsp_start, start, req_can, fwd_can, rsp_can, open;

  assign req_start = req_valid_i && req_ready_o;
  assign fwd_start = fwd_valid_i && fwd_ready_o;
  assign rsp_start = rsp_valid_i && rsp_ready_o;
  assign start     = req_start || fwd_start || rsp_start;
  assign req_can   = req_valid_i && dut.req_credit;
  assign fwd_can   = fwd_valid_i && dut.fwd_credit;
  assign rsp_can   = rsp_valid_i && dut.rsp_credit;
  assign open      = 32'(dut.owed_q) < Words && dut.room && !dut.hold;

  // Responses and forwards that have started since the last request.
  logic [1:0] passed_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || req_start) passed_q <= '0;
    else if (start && passed_q != 2'd3) passed_q <= passed_q + 2'd1;
  end
  always_comb if (rst_ni) induct_passed : assert (passed_q == dut.others_q);

  // Messages of a class that have started and were not reported read.
  logic [7:0] req_out, fwd_out, rsp_out;
  assign req_out = dut.req_started_q - dut.req_back_q;
  assign fwd_out = dut.fwd_started_q - dut.fwd_back_q;
  assign rsp_out = dut.rsp_started_q - dut.rsp_back_q;

  // The cycle before.
  logic was_q, down_q;
  sequence_t number_q, waiting_q;
  always_ff @(posedge clk_i) begin
    was_q     <= rst_ni;
    down_q    <= down_o;
    number_q  <= dut.i_replay.next_q + sequence_t'(start);
    waiting_q <= dut.i_replay.waiting + sequence_t'(start);
  end

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (rst_ni) begin
      one_message_starts_at_a_time : assert (32'(req_start) + 32'(fwd_start) + 32'(rsp_start) <= 1);
      starts_only_with_a_credit :
      assert ((!req_start || req_can) && (!fwd_start || fwd_can) && (!rsp_start || rsp_can));
      starts_only_on_a_free_wire : assert (!start || 32'(dut.owed_q) < Words);
      nothing_starts_while_it_replays : assert (!start || !dut.hold);
      response_before_forward_before_request :
      assert ((!fwd_start || !rsp_can) && (!req_start || passed_q == 2'd3 || (!rsp_can && !fwd_can)));
      // A request that can start waits for three messages of the others at most.
      request_after_three : assert (passed_q != 2'd3 || !req_can || !(rsp_start || fwd_start));
      // A class without credits holds up no other.
      starts_if_any_can : assert (start == (open && (req_can || fwd_can || rsp_can)));
      owes_less_than_the_dearest : assert (32'(dut.owed_q) < MessageWords);
      no_more_than_the_buffer_on_the_way :
      assert (32'(req_out) <= Buffer && 32'(fwd_out) <= Buffer && 32'(rsp_out) <= Buffer);
      // Each frame has the number after the one before; what was not sent cannot be acknowledged.
      numbers_in_turn : assert (!was_q || dut.i_replay.next_q == number_q);
      acknowledges_only_what_was_sent : assert (!was_q || dut.i_replay.waiting <= waiting_q);
      no_more_unacknowledged_than_the_window : assert (32'(dut.i_replay.waiting) <= 2048);
      down_stays_down : assert (!was_q || !down_q || down_o);

      reach_request_waits_for_credit : cover (req_valid_i && !dut.req_credit && rsp_start);
      reach_wire_owes : cover (32'(dut.owed_q) >= Words && req_can);
      reach_replay : cover (dut.i_replay.again_count_o != '0);
      reach_all_acknowledged : cover (was_q && waiting_q != '0 && dut.i_replay.waiting == '0);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  always_comb begin
    if (rst_ni) begin
      induct_open : assert (!dut.open_q);
      induct_credits :
      assert ({dut.req_credit, dut.fwd_credit, dut.rsp_credit} ==
              {req_out != 8'(Buffer), fwd_out != 8'(Buffer), rsp_out != 8'(Buffer)});
      induct_waiting :
      assert (dut.i_replay.waiting_q == dut.i_replay.next_q - dut.i_replay.oldest_q);
      // Room is told a cycle later, in which one more may start.
      induct_window :
      assert (32'(dut.i_replay.waiting_q) <= Window + 1 &&
              (!dut.room || 32'(dut.i_replay.waiting_q) <= Window));
      induct_sending : assert (dut.hold == (dut.i_replay.state_q != '0));
      induct_owed : assert (32'(dut.owed_q) == ((32'(dut.fill_q) > Words) ? 32'(dut.fill_q) - Words : 0));
      induct_fill : assert (32'(dut.fill_q) < Words + MessageWords);
    end
  end
endmodule
