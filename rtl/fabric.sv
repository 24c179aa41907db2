// SPDX-License-Identifier: Apache-2.0

/// The whole fabric: nodes, a link from each to the switch and one back, registers and counters.
/// Fabric time is clk_i; the host's side (registers, counters' totals, memory back door) runs on clk_host_i, of
/// which clk_i is the gated copy: whoever drives the CU ports stops clk_i while it owes an answer.
module fabric
  import weft_pkg::*;
  import weft_counters_pkg::*;
  import weft_frame_pkg::FrameWordsMax;
#(
  /// Frequency of the fabric's clock in Hz, for the host to read; 0 for simulation.
  parameter int unsigned ClockHz = 0
) (
  input  logic clk_i,
  input  logic clk_host_i,
  input  logic rst_ni,

  input  logic    [Nodes-1:0][Cus-1:0] cu_valid_i,
  output logic    [Nodes-1:0][Cus-1:0] cu_ready_o,
  input  cu_req_t [Nodes-1:0][Cus-1:0] cu_req_i,
  output logic    [Nodes-1:0][Cus-1:0] cu_valid_o,
  output cu_rsp_t [Nodes-1:0][Cus-1:0] cu_rsp_o,

  /// Registers and counters: one 32-bit access at a time (rtl/config/weft.rdl).
  input  logic        host_valid_i,
  input  logic        host_write_i,
  input  logic [23:0] host_address_i,
  input  logic [31:0] host_wdata_i,
  output logic        host_ready_o,
  output logic [31:0] host_rdata_o,
  /// Memory, a line at a time; data of a read stands one host cycle later.
  input  logic        hmem_en_i,
  input  logic        hmem_write_i,
  input  logic [39:0] hmem_address_i,
  input  line_t       hmem_wdata_i,
  output line_t       hmem_rdata_o,

  /// Per node {memory, response, forward, request}: hold back what comes in, to shake the order in tests.
  input  logic [Nodes-1:0][3:0] hold_i,
  /// What happens to the wires, in simulation: from the nodes, then to them. 0: nothing.
  input  weft_frame_pkg::noise_t [2*Nodes-1:0] noise_i,
  /// Links that were given up, in the same order.
  output logic [2*Nodes-1:0] links_down_o,

  output l1_event_t   [Nodes-1:0][Cus-1:0]     l1_event_o,
  output l2_event_t   [Nodes-1:0][L2Banks-1:0] l2_event_o,
  output dir_event_t  [Nodes-1:0][L2Banks-1:0] dir_event_o,
  output egress_event_t  [Nodes-1:0]           egress_event_o,
  output ingress_event_t [Nodes-1:0]           ingress_event_o,
  /// Links: node to switch, then switch to node.
  output link_event_t [2*Nodes-1:0]            link_event_o
);
  // A link's time-out: there and back, the longest frame twice, and some; and how often it is trained in vain.
  localparam logic [15:0] LinkTimeout = 16'(2 * LinkLatency + 2 * (4 * FrameWordsMax / LinkBytes + 1) + 64);
  localparam logic [7:0] LinkRetrains = 8'd3;

  protocol_e protocol;
  egress_settings_t egress;
  lease_settings_t leases;
  fault_e fault;
  logic flush, drain, snapshot;
  // The fabric's reset, in copies of one register: for what is there once, and for a node, its links and its counters.
  logic reset, reset_n;
  logic [Nodes-1:0] node_reset, links_reset, counters_reset;
  logic [Nodes-1:0] node_ready, node_idle, node_flushed, up_busy;
  logic [Nodes-1:0] count_ready, count_read, count_valid, count_busy;
  logic [8:0] count_index;
  logic [63:0] count_data [Nodes];
  logic [63:0] cycle_q;
  line_t hmem_rdata [Nodes];

  always_ff @(posedge clk_i) cycle_q <= reset_n ? cycle_q + 1'b1 : '0;

  // Up: node to switch. Down: switch to node.
  logic [Nodes-1:0] up_req_valid, up_req_ready, up_fwd_valid, up_fwd_ready, up_rsp_valid, up_rsp_ready;
  logic [Nodes-1:0] down_req_valid, down_req_ready, down_fwd_valid, down_fwd_ready;
  logic [Nodes-1:0] down_rsp_valid, down_rsp_ready;
  req_t up_req[Nodes], down_req[Nodes];
  weft_cost_pkg::span_t down_span[Nodes];
  fwd_t up_fwd[Nodes], down_fwd[Nodes];
  rsp_t up_rsp[Nodes], down_rsp[Nodes];

  // Leases: before time stamps overflow, time starts again in all of the fabric.
  rebase_report_t [Nodes-1:0] rebase_report;
  rebase_order_t rebase_order;
  logic rebase_begins, rebase_active;
  if (BuiltLeases) begin : gen_rebase
    rebase #(
      .Settle(l2_pkg::SettleCycles)
    ) u_rebase (
      .clk_i,
      .rst_ni  (reset_n),
      .fault_i (fault),
      .report_i(rebase_report),
      .order_o (rebase_order),
      .begins_o(rebase_begins),
      .active_o(rebase_active)
    );
  end else begin : gen_no_rebase
    assign {rebase_order, rebase_begins, rebase_active} = '0;
    logic unused;
    assign unused = ^rebase_report;
  end

  // Per node and class: a message was taken at its destination.
  logic [Nodes-1:0][2:0] taken;

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    logic out_req_valid, out_req_ready, out_fwd_valid, out_fwd_ready, out_rsp_valid, out_rsp_ready;
    logic in_req_valid, in_req_ready, in_fwd_valid, in_fwd_ready, in_rsp_valid, in_rsp_ready;
    req_t out_req, in_req;
    weft_cost_pkg::span_t out_span;
    fwd_t out_fwd, in_fwd;
    rsp_t out_rsp, in_rsp;
    cu_req_t cu_req [Cus];
    cu_rsp_t cu_rsp [Cus];
    l1_event_t l1_event [Cus];
    l2_event_t l2_event [L2Banks];
    dir_event_t dir_event [L2Banks];
    l1_count_t l1_count [Cus];
    l2_count_t l2_count [L2Banks];
    dir_count_t dir_count [L2Banks];
    egress_count_t egress_count;
    link_count_t up_link, down_link;
    ingress_count_t ingress_count;
    increments_t increments;

    for (genvar k = 0; k < Cus; k++) begin : gen_cu
      assign cu_req[k] = cu_req_i[n][k];
      assign cu_rsp_o[n][k] = cu_rsp[k];
      assign l1_event_o[n][k] = l1_event[k];
    end
    for (genvar b = 0; b < L2Banks; b++) begin : gen_bank
      assign l2_event_o[n][b] = l2_event[b];
      assign dir_event_o[n][b] = dir_event[b];
    end

    node #(
      .Compute(n < Nodes - Memories)
    ) u_node (
      .clk_i,
      .clk_host_i,
      .rst_ni       (!node_reset[n]),
      .self_i       (4'(n)),
      .protocol_i   (protocol),
      .fault_i      (fault),
      .egress_i     (egress),
      .leases_i     (leases),
      .rebase_i     (rebase_order),
      .rebase_o     (rebase_report[n]),
      .drain_i      (drain),
      .hold_i       (hold_i[n]),
      .cu_valid_i   (cu_valid_i[n]),
      .cu_ready_o   (cu_ready_o[n]),
      .cu_req_i     (cu_req),
      .cu_valid_o   (cu_valid_o[n]),
      .cu_rsp_o     (cu_rsp),
      .req_valid_o  (out_req_valid),
      .req_ready_i  (out_req_ready),
      .req_o        (out_req),
      .req_span_o   (out_span),
      .fwd_valid_o  (out_fwd_valid),
      .fwd_ready_i  (out_fwd_ready),
      .fwd_o        (out_fwd),
      .rsp_valid_o  (out_rsp_valid),
      .rsp_ready_i  (out_rsp_ready),
      .rsp_o        (out_rsp),
      .req_valid_i  (in_req_valid),
      .req_ready_o  (in_req_ready),
      .req_i        (in_req),
      .fwd_valid_i  (in_fwd_valid),
      .fwd_ready_o  (in_fwd_ready),
      .fwd_i        (in_fwd),
      .rsp_valid_i  (in_rsp_valid),
      .rsp_ready_o  (in_rsp_ready),
      .rsp_i        (in_rsp),
      .host_en_i    (hmem_en_i && hmem_address_i[39:36] == 4'(n)),
      .host_write_i (hmem_write_i),
      .host_offset_i(hmem_address_i[35:0]),
      .host_wdata_i (hmem_wdata_i),
      .host_rdata_o (hmem_rdata[n]),
      .flush_i      (flush),
      .flushed_o    (node_flushed[n]),
      .ready_o      (node_ready[n]),
      .idle_o       (node_idle[n]),
      .l1_event_o   (l1_event),
      .l2_event_o   (l2_event),
      .dir_event_o  (dir_event),
      .l1_count_o   (l1_count),
      .l2_count_o   (l2_count),
      .dir_count_o  (dir_count),
      .egress_event_o (egress_event_o[n]),
      .ingress_event_o(ingress_event_o[n]),
      .egress_count_o (egress_count),
      .ingress_count_o(ingress_count)
    );

    link #(
      .Placed(1'b1)
    ) u_up (
      .clk_i,
      .rst_ni     (!links_reset[n]),
      .fault_i    (fault),
      .timeout_i  (LinkTimeout),
      .retrains_i (LinkRetrains),
      .noise_i    (noise_i[n]),
      .req_valid_i(out_req_valid),
      .req_ready_o(out_req_ready),
      .req_i(out_req),
      .req_span_i(out_span),
      .fwd_valid_i(out_fwd_valid),
      .fwd_ready_o(out_fwd_ready),
      .fwd_i(out_fwd),
      .rsp_valid_i(out_rsp_valid),
      .rsp_ready_o(out_rsp_ready),
      .rsp_i(out_rsp),
      .req_valid_o(up_req_valid[n]),
      .req_ready_i(up_req_ready[n]),
      .req_o(up_req[n]),
      .fwd_valid_o(up_fwd_valid[n]),
      .fwd_ready_i(up_fwd_ready[n]),
      .fwd_o(up_fwd[n]),
      .rsp_valid_o(up_rsp_valid[n]),
      .rsp_ready_i(up_rsp_ready[n]),
      .rsp_o(up_rsp[n]),
      .event_o    (link_event_o[n]),
      .busy_o     (up_busy[n]),
      .down_o     (links_down_o[n]),
      .count_o    (up_link)
    );
    link #(
      .Placed(1'b1)
    ) u_down (
      .clk_i,
      .rst_ni     (!links_reset[n]),
      .fault_i    (FaultNone),
      .timeout_i  (LinkTimeout),
      .retrains_i (LinkRetrains),
      .noise_i    (noise_i[Nodes+n]),
      .req_valid_i(down_req_valid[n]),
      .req_ready_o(down_req_ready[n]),
      .req_i(down_req[n]),
      .req_span_i(down_span[n]),
      .fwd_valid_i(down_fwd_valid[n]),
      .fwd_ready_o(down_fwd_ready[n]),
      .fwd_i(down_fwd[n]),
      .rsp_valid_i(down_rsp_valid[n]),
      .rsp_ready_o(down_rsp_ready[n]),
      .rsp_i(down_rsp[n]),
      .req_valid_o(in_req_valid),
      .req_ready_i(in_req_ready),
      .req_o(in_req),
      .fwd_valid_o(in_fwd_valid),
      .fwd_ready_i(in_fwd_ready),
      .fwd_o(in_fwd),
      .rsp_valid_o(in_rsp_valid),
      .rsp_ready_i(in_rsp_ready),
      .rsp_o(in_rsp),
      .event_o    (link_event_o[Nodes+n]),
      .busy_o     (),
      .down_o     (links_down_o[Nodes+n]),
      .count_o    (down_link)
    );

    node_counts u_counts (
      .l1_i        (l1_count),
      .l2_i        (l2_count),
      .dir_i       (dir_count),
      .egress_i    (egress_count),
      .ingress_i   (ingress_count),
      .rebase_begins_i(rebase_begins),
      .rebase_active_i(rebase_active),
      .up_i        (link_event_o[n]),
      .up_link_i   (up_link),
      .up_busy_i   (up_busy[n]),
      .down_i      (link_event_o[Nodes+n]),
      .down_link_i (down_link),
      .increments_o(increments)
    );
    assign taken[n] = {
      in_rsp_valid && in_rsp_ready, in_fwd_valid && in_fwd_ready, in_req_valid && in_req_ready
    };

    counters u_counters (
      .clk_i,
      .clk_host_i,
      .rst_ni         (!counters_reset[n]),
      .fault_i        (fault),
      .inc_i          (increments),
      .snapshot_i     (snapshot),
      .snapshot_busy_o(count_busy[n]),
      .ready_o        (count_ready[n]),
      .read_i         (count_read[n]),
      .index_i        (count_index),
      .valid_o        (count_valid[n]),
      .data_o         (count_data[n])
    );
  end

  switch_fabric u_switch (
    .clk_i,
    .rst_ni     (reset_n),
    .req_valid_i(up_req_valid),
    .req_ready_o(up_req_ready),
    .req_i(up_req),
    .fwd_valid_i(up_fwd_valid),
    .fwd_ready_o(up_fwd_ready),
    .fwd_i(up_fwd),
    .rsp_valid_i(up_rsp_valid),
    .rsp_ready_o(up_rsp_ready),
    .rsp_i(up_rsp),
    .req_valid_o(down_req_valid),
    .req_ready_i(down_req_ready),
    .req_o(down_req),
    .req_span_o(down_span),
    .fwd_valid_o(down_fwd_valid),
    .fwd_ready_i(down_fwd_ready),
    .fwd_o(down_fwd),
    .rsp_valid_o(down_rsp_valid),
    .rsp_ready_i(down_rsp_ready),
    .rsp_o(down_rsp)
  );

  // ---------------------------------------------------------------- the host's side
  // Messages put on the links towards the switch and not yet taken at their destination: those of up to the last cycle, and
  // what it changed, which is known late.
  logic [15:0] under_way_q, change_q, started, ended;
  always_comb begin
    started = '0;
    ended = '0;
    for (int n = 0; n < Nodes; n++) begin
      started += 16'(link_event_o[n].valid);
      for (int c = 0; c < 3; c++) ended += 16'(taken[n][c]);
    end
  end
  always_ff @(posedge clk_i) begin
    change_q    <= reset_n ? started - ended : '0;
    under_way_q <= reset_n ? under_way_q + change_q : '0;
  end

  copy_register #(
    .Copies(3 * Nodes)
  ) u_resets (
    .clk_i(clk_host_i),
    .d_i  (reset),
    .q_o  ({node_reset, links_reset, counters_reset})
  );

  host_regs #(
    .ClockHz(ClockHz)
  ) u_host_regs (
    .clk_i,
    .clk_host_i,
    .rst_ni,
    .host_valid_i,
    .host_write_i,
    .host_address_i,
    .host_wdata_i,
    .host_ready_o,
    .host_rdata_o,
    .fabric_rst_no  (reset_n),
    .fabric_reset_o (reset),
    .protocol_o     (protocol),
    .egress_o       (egress),
    .leases_o       (leases),
    .fault_o        (fault),
    .flush_o        (flush),
    .drain_o        (drain),
    .snapshot_o     (snapshot),
    .snapshot_busy_i(count_busy),
    .ready_i        (&node_ready && &count_ready),
    .idle_i         (&node_idle && under_way_q == -change_q && started == '0),
    .links_down_i   (links_down_o),
    .flush_done_i   (&node_flushed && &node_idle),
    .answer_i       (cu_valid_o != '0),
    .cycle_i        (cycle_q),
    .count_read_o   (count_read),
    .count_index_o  (count_index),
    .count_valid_i  (count_valid),
    .count_data_i   (count_data)
  );

  // The answer of a memory stands one host cycle after its address.
  if (Nodes == 1) begin : gen_one_node
    assign hmem_rdata_o = hmem_rdata[0];
  end else begin : gen_nodes
    logic [$clog2(Nodes)-1:0] hmem_node_q;
    always_ff @(posedge clk_host_i) hmem_node_q <= hmem_address_i[36+:$clog2(Nodes)];
    assign hmem_rdata_o = hmem_rdata[hmem_node_q];
  end
endmodule
