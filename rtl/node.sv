// SPDX-License-Identifier: Apache-2.0

/// A node: compute units' L1s, the L2 banks with their homes, the memory, and the way to the network.
/// Its number is an input, so that all nodes are one module and are compiled once; memories on the switch are another.
module node
  import weft_pkg::*;
#(
  /// 0: a memory on the switch, without compute units; their ports are not there for anybody.
  parameter bit Compute = 1'b1
) (
  input  logic       clk_i,
  /// Runs on while fabric time stands; clk_i is this clock, gated.
  input  logic       clk_host_i,
  input  logic       rst_ni,
  input  logic [3:0] self_i,
  input  protocol_e  protocol_i,
  input  fault_e     fault_i,
  input  egress_settings_t egress_i,
  input  lease_settings_t  leases_i,
  /// The fabric's rebase (leases).
  input  rebase_order_t    rebase_i,
  output rebase_report_t   rebase_o,
  /// The remote write queue sends all it holds.
  input  logic       drain_i,
  /// Hold back what comes in, to shake the order of things in tests: {memory, response, forward, request}.
  input  logic [3:0] hold_i,

  input  logic    [Cus-1:0] cu_valid_i,
  output logic    [Cus-1:0] cu_ready_o,
  input  cu_req_t           cu_req_i [Cus],
  output logic    [Cus-1:0] cu_valid_o,
  output cu_rsp_t           cu_rsp_o [Cus],

  output logic req_valid_o,
  input  logic req_ready_i,
  output req_t req_o,
  output weft_cost_pkg::span_t req_span_o,
  output logic fwd_valid_o,
  input  logic fwd_ready_i,
  output fwd_t fwd_o,
  output logic rsp_valid_o,
  input  logic rsp_ready_i,
  output rsp_t rsp_o,
  input  logic req_valid_i,
  output logic req_ready_o,
  input  req_t req_i,
  input  logic fwd_valid_i,
  output logic fwd_ready_o,
  input  fwd_t fwd_i,
  input  logic rsp_valid_i,
  output logic rsp_ready_o,
  input  rsp_t rsp_i,

  /// The host's way into the memory: a line by its offset; data of a read stands one host cycle later.
  input  logic        host_en_i,
  input  logic        host_write_i,
  input  logic [35:0] host_offset_i,
  input  line_t       host_wdata_i,
  output line_t       host_rdata_o,

  input  logic        flush_i,
  output logic        flushed_o,
  output logic        ready_o,
  output logic        idle_o,
  output l1_event_t   l1_event_o  [Cus],
  output l2_event_t   l2_event_o  [L2Banks],
  output dir_event_t  dir_event_o [L2Banks],
  output l1_count_t   l1_count_o  [Cus],
  output l2_count_t   l2_count_o  [L2Banks],
  output dir_count_t  dir_count_o [L2Banks],
  output egress_event_t  egress_event_o,
  output ingress_event_t ingress_event_o,
  output egress_count_t  egress_count_o,
  output ingress_count_t ingress_count_o
);
  localparam int unsigned BankBits = $clog2(L2Banks);
  localparam int unsigned IndexBits = $clog2(MemoryBytes / L2Banks / Line);

  // ---------------------------------------------------------------- L1s
  logic [Cus-1:0] l1_rebased;
  logic [L2Banks-1:0] wants_rebase, bank_rebased, sent, received, answers;
  logic [Cus-1:0] l1_req_valid, l1_req_ready, l1_rsp_valid, l1_rsp_ready, l1_ready, l1_idle;
  l1_req_t l1_req [Cus];
  l1_rsp_t l1_rsp [Cus];
  logic [Cus-1:0] port_valid, port_ready, answer_valid;
  cu_req_t port_req [Cus];
  cu_rsp_t answer [Cus];
  logic dma_idle;
  for (genvar k = 0; k < Cus && !Compute; k++) begin : gen_no_l1
    assign cu_ready_o[k]   = 1'b0;
    assign cu_valid_o[k]   = 1'b0;
    assign cu_rsp_o[k]     = '0;
    assign port_valid[k]   = 1'b0;
    assign port_ready[k]   = 1'b0;
    assign port_req[k]     = '0;
    assign answer_valid[k] = 1'b0;
    assign answer[k]       = '0;
    assign l1_req_valid[k] = 1'b0;
    assign l1_req[k]       = '0;
    assign l1_rsp_ready[k] = 1'b0;
    assign l1_rebased[k]   = 1'b1;
    assign l1_ready[k]     = 1'b1;
    assign l1_idle[k]      = 1'b1;
    assign l1_event_o[k]   = '0;
    assign l1_count_o[k]   = '0;
    logic unused;
    assign unused = ^{rebase_i.l1s, cu_valid_i[k], cu_req_i[k], l1_req_ready[k], l1_rsp_valid[k], l1_rsp[k],
                      port_valid[k], port_ready[k], port_req[k], answer_valid[k], answer[k]};
  end

  // The copy engine stands before the first L1.
  for (genvar k = 0; k < Cus && Compute; k++) begin : gen_port
    if (k > 0 || DmaSlots == 0) begin : gen_direct
      assign port_valid[k] = cu_valid_i[k];
      assign port_req[k]   = cu_req_i[k];
      assign cu_ready_o[k] = port_ready[k];
      assign cu_valid_o[k] = answer_valid[k];
      assign cu_rsp_o[k]   = answer[k];
    end
  end
  if (Compute && DmaSlots > 0) begin : gen_dma
    dma #(
      .Slots(DmaSlots)
    ) u_dma (
      .clk_i,
      .rst_ni,
      .cu_valid_i(cu_valid_i[0]),
      .cu_ready_o(cu_ready_o[0]),
      .cu_req_i  (cu_req_i[0]),
      .cu_valid_o(cu_valid_o[0]),
      .cu_rsp_o  (cu_rsp_o[0]),
      .l1_valid_o(port_valid[0]),
      .l1_ready_i(port_ready[0]),
      .l1_req_o  (port_req[0]),
      .l1_valid_i(answer_valid[0]),
      .l1_rsp_i  (answer[0]),
      .idle_o    (dma_idle)
    );
  end else begin : gen_no_dma
    assign dma_idle = 1'b1;
  end

  for (genvar k = 0; k < Cus && Compute; k++) begin : gen_l1
    l1 u_l1 (
      .clk_i,
      .rst_ni,
      .protocol_i,
      .fault_i,
      .cu_i       (3'(k)),
      .cu_valid_i (port_valid[k]),
      .cu_ready_o (port_ready[k]),
      .cu_req_i   (port_req[k]),
      .cu_valid_o (answer_valid[k]),
      .cu_rsp_o   (answer[k]),
      .req_valid_o(l1_req_valid[k]),
      .req_ready_i(l1_req_ready[k]),
      .req_o      (l1_req[k]),
      .rsp_valid_i(l1_rsp_valid[k]),
      .rsp_ready_o(l1_rsp_ready[k]),
      .rsp_i      (l1_rsp[k]),
      .rebase_i   (rebase_i.l1s),
      .rebased_o  (l1_rebased[k]),
      .ready_o    (l1_ready[k]),
      .idle_o     (l1_idle[k]),
      .event_o    (l1_event_o[k]),
      .count_o    (l1_count_o[k])
    );
  end

  logic [L2Banks-1:0] bank_req_valid, bank_req_ready, bank_rsp_valid, bank_rsp_ready;
  l1_req_t bank_req [L2Banks];
  l1_rsp_t bank_rsp [L2Banks];
  crossbar u_crossbar (
    .clk_i,
    .rst_ni,
    .cu_req_valid_i  (l1_req_valid),
    .cu_req_ready_o  (l1_req_ready),
    .cu_req_i        (l1_req),
    .cu_rsp_valid_o  (l1_rsp_valid),
    .cu_rsp_ready_i  (l1_rsp_ready),
    .cu_rsp_o        (l1_rsp),
    .bank_req_valid_o(bank_req_valid),
    .bank_req_ready_i(bank_req_ready),
    .bank_req_o      (bank_req),
    .bank_rsp_valid_i(bank_rsp_valid),
    .bank_rsp_ready_o(bank_rsp_ready),
    .bank_rsp_i      (bank_rsp)
  );

  // ---------------------------------------------------------------- banks: L2, home, memory
  logic [L2Banks-1:0] out_req_valid, out_req_ready, out_fwd_valid, out_fwd_ready;
  logic [L2Banks-1:0] out_rsp_valid, out_rsp_ready;
  logic [L2Banks-1:0] in_req_valid, in_req_ready, in_fwd_valid, in_fwd_ready, in_rsp_valid, in_rsp_ready;
  logic [L2Banks-1:0] l2_ready, l2_idle, flushed;
  typedef struct packed {
    req_t req;
    weft_cost_pkg::split_t split;
  } leaving_t;
  leaving_t out_req [L2Banks];
  fwd_t  out_fwd [L2Banks];
  rsp_t  out_rsp [L2Banks];
  line_t host_rdata [L2Banks];

  // ---------------------------------------------------------------- in from the network
  logic home_valid, home_ready, ingress_idle;
  req_t home_req;
  ingress u_ingress (
    .clk_i,
    .rst_ni,
    .fault_i,
    .self_i,
    .sub_header_i(egress_i.sub_header),
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .out_valid_o (home_valid),
    .out_ready_i (home_ready),
    .out_o       (home_req),
    .idle_o      (ingress_idle),
    .event_o     (ingress_event_o),
    .count_o     (ingress_count_o)
  );

  // Banks interleave at 4 KiB.
  function automatic logic [2:0] bank_of(logic [2:0] page);
    return page & 3'(L2Banks - 1);
  endfunction

  for (genvar b = 0; b < L2Banks; b++) begin : gen_bank
    logic mem_req_valid, mem_req_ready, mem_rsp_valid, mem_rsp_ready;
    mem_req_t mem_req;
    mem_rsp_t mem_rsp;

    assign in_req_valid[b] = home_valid && bank_of(home_req.address[14:12]) == 3'(b) && !hold_i[0];
    assign in_fwd_valid[b] = fwd_valid_i && bank_of(fwd_i.address[14:12]) == 3'(b) && !hold_i[1];
    assign in_rsp_valid[b] = rsp_valid_i && rsp_i.bank == 3'(b) && !hold_i[2];

    l2 #(
      .Bank(b)
    ) u_l2 (
      .clk_i,
      .rst_ni,
      .self_i,
      .protocol_i,
      .fault_i,
      .leases_i,
      .stop_i     (rebase_i.stop),
      .rebase_i   (rebase_i.banks),
      .rebased_o  (bank_rebased[b]),
      .wants_rebase_o(wants_rebase[b]),
      .sent_o     (sent[b]),
      .received_o (received[b]),
      .answers_o  (answers[b]),
      .cu_valid_i (bank_req_valid[b]),
      .cu_ready_o (bank_req_ready[b]),
      .cu_i       (bank_req[b]),
      .l1_valid_o (bank_rsp_valid[b]),
      .l1_ready_i (bank_rsp_ready[b]),
      .l1_o       (bank_rsp[b]),
      .req_valid_i(in_req_valid[b]),
      .req_ready_o(in_req_ready[b]),
      .req_i      (home_req),
      .fwd_valid_i(in_fwd_valid[b]),
      .fwd_ready_o(in_fwd_ready[b]),
      .fwd_i      (fwd_i),
      .rsp_valid_i(in_rsp_valid[b]),
      .rsp_ready_o(in_rsp_ready[b]),
      .rsp_i      (rsp_i),
      .req_valid_o(out_req_valid[b]),
      .req_ready_i(out_req_ready[b]),
      .req_o      (out_req[b].req),
      .split_o    (out_req[b].split),
      .fwd_valid_o(out_fwd_valid[b]),
      .fwd_ready_i(out_fwd_ready[b]),
      .fwd_o      (out_fwd[b]),
      .rsp_valid_o(out_rsp_valid[b]),
      .rsp_ready_i(out_rsp_ready[b]),
      .rsp_o      (out_rsp[b]),
      .mem_valid_o(mem_req_valid),
      .mem_ready_i(mem_req_ready),
      .mem_o      (mem_req),
      .mem_valid_i(mem_rsp_valid && !hold_i[3]),
      .mem_ready_o(mem_rsp_ready),
      .mem_i      (mem_rsp),
      .flush_i,
      .flushed_o  (flushed[b]),
      .ready_o    (l2_ready[b]),
      .idle_o     (l2_idle[b]),
      .event_o    (l2_event_o[b]),
      .dir_event_o(dir_event_o[b]),
      .count_o    (l2_count_o[b]),
      .dir_count_o(dir_count_o[b])
    );
    memory u_memory (
      .clk_i,
      .rst_ni,
      .fault_i,
      .req_valid_i (mem_req_valid),
      .req_ready_o (mem_req_ready),
      .req_i       (mem_req),
      .rsp_valid_o (mem_rsp_valid),
      .rsp_ready_i (mem_rsp_ready),
      .rsp_o       (mem_rsp),
      .clk_host_i,
      .host_en_i   (host_en_i && bank_of(host_offset_i[14:12]) == 3'(b)),
      .host_write_i,
      .host_index_i(IndexBits'({host_offset_i[35:12+BankBits], host_offset_i[11:$clog2(Line)]})),
      .host_wdata_i,
      .host_rdata_o(host_rdata[b])
    );
  end

  assign home_ready  = (in_req_valid & in_req_ready) != '0;
  assign fwd_ready_o = (in_fwd_valid & in_fwd_ready) != '0;
  assign rsp_ready_o = (in_rsp_valid & in_rsp_ready) != '0;

  if (L2Banks == 1) begin : gen_one_bank
    assign host_rdata_o = host_rdata[0];
  end else begin : gen_banks
    logic [BankBits-1:0] host_bank_q;
    always_ff @(posedge clk_host_i) host_bank_q <= host_offset_i[12+:BankBits];
    assign host_rdata_o = host_rdata[host_bank_q];
  end

  // ---------------------------------------------------------------- out to the network
  logic leaving_valid, leaving_ready, egress_idle, urgent;
  leaving_t out_request;
  req_t leaving;
  stream_mux #(
    .T(leaving_t),
    .Count(L2Banks)
  ) u_out_req (
    .clk_i,
    .rst_ni,
    .valid_i(out_req_valid),
    .ready_o(out_req_ready),
    .data_i(out_req),
    .valid_o(leaving_valid),
    .ready_i(leaving_ready),
    .data_o(out_request)
  );
  // A store's strength is for the write queue alone.
  assign urgent = out_request.req.kind == ReqKindWrite && out_request.req.wide;
  always_comb begin
    leaving = out_request.req;
    if (urgent) leaving.wide = 1'b0;
  end
  egress u_egress (
    .clk_i,
    .rst_ni,
    .fault_i,
    .self_i,
    .enable_i    (egress_i.finepack),
    .sub_header_i(egress_i.sub_header),
    .payload_i   (egress_i.payload),
    .prefix_i    (egress_i.prefix),
    .timeout_i   (egress_i.timeout),
    .flush_i     (drain_i),
    .req_valid_i (leaving_valid),
    .req_ready_o (leaving_ready),
    .req_i       (leaving),
    .split_i     (out_request.split),
    .strong_i    (urgent),
    .out_valid_o (req_valid_o),
    .out_ready_i (req_ready_i),
    .out_o       (req_o),
    .out_span_o  (req_span_o),
    .idle_o      (egress_idle),
    .event_o     (egress_event_o),
    .count_o     (egress_count_o)
  );
  stream_mux #(
    .T(fwd_t),
    .Count(L2Banks)
  ) u_out_fwd (
    .clk_i,
    .rst_ni,
    .valid_i(out_fwd_valid),
    .ready_o(out_fwd_ready),
    .data_i(out_fwd),
    .valid_o(fwd_valid_o),
    .ready_i(fwd_ready_i),
    .data_o(fwd_o)
  );
  stream_mux #(
    .T(rsp_t),
    .Count(L2Banks)
  ) u_out_rsp (
    .clk_i,
    .rst_ni,
    .valid_i(out_rsp_valid),
    .ready_o(out_rsp_ready),
    .data_i(out_rsp),
    .valid_o(rsp_valid_o),
    .ready_i(rsp_ready_i),
    .data_o(rsp_o)
  );

  always_comb begin : rebase_report
    rebase_o = '{
        wants: wants_rebase != '0,
        banks: &bank_rebased,
        answers: answers != '0,
        l1s: &l1_rebased,
        default: '0
    };
    foreach (sent[b]) begin
      rebase_o.sent += 4'(sent[b]);
      rebase_o.received += 4'(received[b]);
    end
  end

  assign ready_o   = &l1_ready && &l2_ready;
  assign idle_o    = &l1_idle && &l2_idle && dma_idle && egress_idle && ingress_idle &&
                     !req_valid_i && !fwd_valid_i && !rsp_valid_i;
  assign flushed_o = &flushed;
endmodule
