// SPDX-License-Identifier: Apache-2.0

/// One direction of one hop: three classes of messages share a wire of `Bytes` bytes per cycle.
///
/// A message may start while less than one cycle's bytes of earlier messages are owed; response goes before
/// forward before request, among those that have a credit; but after OthersMax of the others a request goes first, or a
/// node that is answered without end would keep all requests from its home. A message that starts in cycle t on top of `owed`
/// bytes is readable from cycle t + ceil((owed + cost) / Bytes) + Latency on. Each class has a receive buffer
/// of its own; its credits are taken at the start and are back Latency cycles after the reader took the
/// message, so a class whose reader stands still never holds up the others.
module link
  import weft_pkg::*;
  import weft_cost_pkg::*;
#(
  /// Cycles from the last byte's cycle to the reader, and from the reader's taking to the credit's return;
  /// from 1 to 1000.
  parameter int unsigned Latency = LinkLatency,
  /// Bytes per cycle, from 1 to 1024.
  parameter int unsigned Bytes = LinkBytes,
  /// Messages of one class between sender and reader (credits), a power of two from 2. Below 2 x Latency + 1
  /// the credits limit the throughput.
  parameter int unsigned Buffer = LinkBuffer
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  fault_e      fault_i,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  req_t        req_i,
  input  logic        fwd_valid_i,
  output logic        fwd_ready_o,
  input  fwd_t        fwd_i,
  input  logic        rsp_valid_i,
  output logic        rsp_ready_o,
  input  rsp_t        rsp_i,
  output logic        req_valid_o,
  input  logic        req_ready_i,
  output req_t        req_o,
  output logic        fwd_valid_o,
  input  logic        fwd_ready_i,
  output fwd_t        fwd_o,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output rsp_t        rsp_o,
  /// One per message put on the wire, in the cycle after its start.
  output link_event_t event_o,
  /// In the cycle before, bytes were owed or a message started.
  output logic        busy_o
);
  // Owed bytes stay below Bytes + CostMax; the sum of a start is the largest number here.
  localparam int unsigned OwedWidth = $clog2(Bytes + CostMax + 1);
  // Half of the range exceeds the longest flight: CostMax bytes at one per cycle, and the latency.
  localparam int unsigned TimeWidth = $clog2(Latency + CostMax + 3) + 1;
  typedef logic [OwedWidth-1:0] owed_t;
  typedef logic [TimeWidth-1:0] cycle_t;

  // ---------------------------------------------------------------- who starts
  localparam int unsigned OthersMax = 3;
  logic free, req_credit, fwd_credit, rsp_credit, req_start, fwd_start, rsp_start, start;
  logic req_turn, req_first;
  logic [1:0] others_q;
  owed_t owed_q, sum;

  assign free        = owed_q < owed_t'(Bytes);
  assign req_turn    = others_q == 2'(OthersMax);
  assign req_first   = req_turn && req_credit && req_valid_i;
  assign rsp_ready_o = free && rsp_credit && !req_first;
  assign rsp_start   = rsp_ready_o && rsp_valid_i;
  assign fwd_ready_o = free && fwd_credit && !rsp_start && !req_first;
  assign fwd_start   = fwd_ready_o && fwd_valid_i;
  assign req_ready_o = free && req_credit && (req_turn || (!rsp_start && !fwd_start));
  assign req_start   = req_ready_o && req_valid_i;
  assign start       = rsp_start || fwd_start || req_start;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || req_start) others_q <= '0;
    else if (start && !req_turn) others_q <= others_q + 2'd1;
  end

  // ---------------------------------------------------------------- what it costs
  link_event_t event_d;
  cost_t       cost_response;
  logic        miscounts;

  assign miscounts     = Faults != 0 && fault_i == FaultLinkMiscounts;
  assign cost_response = miscounts ? CostRequest : cost_rsp(rsp_i);

  always_comb begin
    event_d       = '0;
    event_d.valid = start;
    if (rsp_start) begin
      event_d.class_ = MsgClassResponse;
      event_d.kind   = rsp_i.kind;
      event_d.src    = rsp_i.src;
      event_d.dst    = rsp_i.dst;
      event_d.bytes  = cost_response;
      event_d.rsp    = rsp_i;
    end else if (fwd_start) begin
      event_d.class_ = MsgClassForward;
      event_d.kind   = {2'b00, fwd_i.kind};
      event_d.src    = fwd_i.src;
      event_d.dst    = fwd_i.dst;
      event_d.bytes  = cost_fwd(fwd_i);
      event_d.fwd    = fwd_i;
    end else if (req_start) begin
      event_d.class_ = MsgClassRequest;
      event_d.kind   = req_i.kind;
      event_d.src    = req_i.src;
      event_d.dst    = req_i.dst;
      event_d.bytes  = cost_req(req_i);
      event_d.req    = req_i;
    end
    event_d.seq = event_o.seq + 16'(event_o.valid);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      event_o <= '0;
      busy_o  <= 1'b0;
    end else begin
      event_o <= event_d;
      busy_o  <= start || owed_q != '0;
    end
  end

  // ---------------------------------------------------------------- when it arrives
  cycle_t now_q, arrival;

  assign sum = owed_q + owed_t'(event_d.bytes);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owed_q <= '0;
      now_q  <= '0;
    end else begin
      owed_q <= (sum > owed_t'(Bytes)) ? sum - owed_t'(Bytes) : '0;
      now_q  <= now_q + cycle_t'(1);
    end
  end

  // The cycles that a start's bytes take, ceil(sum / Bytes), without a divider: compared with each multiple.
  localparam int unsigned SpanMax = (Bytes + CostMax - 1) / Bytes + 1;
  cycle_t span;

  always_comb begin
    span = cycle_t'(1);
    for (int unsigned k = 1; k < SpanMax; k++) begin
      if (sum > owed_t'(k * Bytes)) span = cycle_t'(k + 1);
    end
  end

  assign arrival = now_q + span + cycle_t'(Latency);

  // ---------------------------------------------------------------- flight and receive buffers
  link_lane #(
    .T(req_t),
    .Latency(Latency),
    .Buffer(Buffer),
    .TimeWidth(TimeWidth),
    .Swaps(Faults != 0)
  ) i_req (
    .clk_i,
    .rst_ni,
    .now_i(now_q),
    .start_i(req_start),
    .arrival_i(arrival),
    .data_i(req_i),
    .credit_o(req_credit),
    .valid_o(req_valid_o),
    .ready_i(req_ready_i),
    .data_o(req_o),
    .swap_i(fault_i == FaultLinkSwaps)
  );

  link_lane #(
    .T(fwd_t),
    .Latency(Latency),
    .Buffer(Buffer),
    .TimeWidth(TimeWidth)
  ) i_fwd (
    .clk_i,
    .rst_ni,
    .now_i(now_q),
    .start_i(fwd_start),
    .arrival_i(arrival),
    .data_i(fwd_i),
    .credit_o(fwd_credit),
    .valid_o(fwd_valid_o),
    .ready_i(fwd_ready_i),
    .data_o(fwd_o),
    .swap_i(1'b0)
  );

  link_lane #(
    .T(rsp_t),
    .Latency(Latency),
    .Buffer(Buffer),
    .TimeWidth(TimeWidth)
  ) i_rsp (
    .clk_i,
    .rst_ni,
    .now_i(now_q),
    .start_i(rsp_start),
    .arrival_i(arrival),
    .data_i(rsp_i),
    .credit_o(rsp_credit),
    .valid_o(rsp_valid_o),
    .ready_i(rsp_ready_i),
    .data_o(rsp_o),
    .swap_i(1'b0)
  );

  if (Latency < 1 || Latency > 1000) begin : gen_check_latency
    $error("link: Latency must be from 1 to 1000");
  end
  if (Bytes < 1 || Bytes > 1024) begin : gen_check_bytes
    $error("link: Bytes must be from 1 to 1024");
  end
endmodule
