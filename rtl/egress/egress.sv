// SPDX-License-Identifier: Apache-2.0

/// The way of a node's requests to its link: remote write queue, packetizer, and the order between them and all else.
/// Without FinePack in the build it is the run splitter alone, and what needs no splitting passes in the same cycle.
module egress
  import weft_pkg::*;
(
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic          [ 3:0] self_i,
  input  fault_e fault_i,
  /// FinePack is on; off, every store leaves plain. A packet keeps the settings of its first store.
  input  logic                 enable_i,
  input  logic          [ 2:0] sub_header_i,
  input  logic          [12:0] payload_i,
  input  logic                 prefix_i,
  input  logic          [15:0] timeout_i,
  /// End of a kernel, or whoever wants the queue empty: all stores leave, and nothing comes in before.
  input  logic                 flush_i,
  input  logic                 req_valid_i,
  output logic                 req_ready_o,
  input  req_t                 req_i,
  /// Of a WRITE, its first run.
  input  weft_cost_pkg::split_t split_i,
  /// The WRITE is a strong store of scope sys.
  input  logic                 strong_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output req_t                 out_o,
  /// Where the bytes of a WRITE stand.
  output weft_cost_pkg::span_t out_span_o,
  /// Nothing is queued or on its way out.
  output logic                 idle_o,
  output egress_event_t        event_o,
  output egress_count_t        count_o
);
  finepack_pkg::step_t step;
  logic [10:0] runs;
  logic sent;
  logic [15:0] seq_q;

  if (EgressFinepack != 0) begin : gen_finepack
    import finepack_pkg::*;
    logic work_valid, work_ready, drained, empty, packetizer_idle;
    work_t work;
    req_t message;
    logic [Lanes-1:0] read;
    row_t row[Lanes];
    enables_t enables[Lanes];
    tag_t tag[Lanes];
    block_t block[Lanes];
    logic [4:0] drained_set;

    write_queue i_queue (
      .clk_i,
      .rst_ni,
      .self_i,
      .fault_i,
      .enable_i,
      .sub_header_i,
      .payload_i,
      .prefix_i,
      .timeout_i,
      .flush_i,
      .req_valid_i,
      .req_ready_o,
      .req_i,
      .strong_i,
      .work_valid_o (work_valid),
      .work_ready_i (work_ready),
      .work_o       (work),
      .message_o    (message),
      .read_i       (read),
      .row_i        (row),
      .enables_o    (enables),
      .tag_o        (tag),
      .block_o      (block),
      .drained_i    (drained),
      .drained_set_i(drained_set),
      .empty_o      (empty),
      .step_o       (step)
    );

    packetizer i_packetizer (
      .clk_i,
      .rst_ni,
      .self_i,
      .fault_i,
      .work_valid_i (work_valid),
      .work_ready_o (work_ready),
      .work_i       (work),
      .message_i    (message),
      .read_o       (read),
      .row_o        (row),
      .enables_i    (enables),
      .tag_i        (tag),
      .block_i      (block),
      .drained_o    (drained),
      .drained_set_o(drained_set),
      .req_valid_o  (out_valid_o),
      .req_ready_i  (out_ready_i),
      .req_o        (out_o),
      .runs_o       (runs),
      .idle_o       (packetizer_idle)
    );
    assign idle_o     = empty && packetizer_idle && !req_valid_i;
    assign out_span_o = weft_cost_pkg::span_req(out_o);
    logic unused;
    assign unused = ^split_i;
  end else begin : gen_plain
    logic first, keeps;
    run_splitter #(
      .Keeps(1'b1)
    ) i_splitter (
      .clk_i,
      .rst_ni,
      .valid_i(req_valid_i),
      .ready_o(req_ready_o),
      .req_i,
      .split_i,
      .valid_o(out_valid_o),
      .ready_i(out_ready_i),
      .req_o  (out_o),
      .span_o (out_span_o),
      .first_o(first),
      .keeps_o(keeps)
    );
    // For the model the request is in when its first run leaves.
    always_comb begin
      step = '0;
      if (sent && first) begin
        step.kind  = EgressKindInput;
        step.taken = 1'b1;
        step.plain = 1'b1;
      end
    end
    assign runs   = '0;
    assign idle_o = !req_valid_i && !keeps;
    logic unused;
    assign unused = ^{self_i, fault_i, enable_i, sub_header_i, payload_i, prefix_i, timeout_i, flush_i};
  end

  assign sent = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) seq_q <= '0;
    else if (event_o.valid) seq_q <= seq_q + 16'd1;
  end

  always_comb begin
    event_o.valid   = step.kind != EgressKindNone || sent;
    event_o.seq     = seq_q;
    event_o.kind    = step.kind;
    event_o.urgent  = strong_i;
    event_o.req     = req_i;
    event_o.taken   = step.taken;
    event_o.hit     = step.hit;
    event_o.slot    = step.slot;
    event_o.plain   = step.plain;
    event_o.flushed = step.flushed;
    event_o.cause   = step.cause;
    event_o.dst     = step.dst;
    event_o.sent    = sent;
    event_o.out_    = out_o;
  end

  // Counters of a queue that is not there stay at 0.
  if (EgressFinepack != 0) begin : gen_counts
    egress_counts i_counts (
      .step_i   (step),
      .req_i,
      .sent_i   (sent),
      .out_i    (out_o),
      .runs_i   (runs),
      .stalled_i(req_valid_i && !req_ready_o),
      .count_o
    );
  end else begin : gen_no_counts
    logic unused_counts;
    assign unused_counts = ^{runs, step.merged};
    assign count_o = '0;
  end
endmodule
