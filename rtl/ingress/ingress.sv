// SPDX-License-Identifier: Apache-2.0

/// The way of requests from a node's link to its L2 banks: packets are taken apart, all else passes in its order. Without
/// FinePack in the build it is wires.
module ingress
  import weft_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic           [ 3:0] self_i,
  input  fault_e fault_i,
  /// Bytes of a sub-header, as the senders have it; may change while no packet is under way.
  input  logic           [ 2:0] sub_header_i,
  input  logic                  req_valid_i,
  output logic                  req_ready_o,
  input  req_t                  req_i,
  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output req_t                  out_o,
  /// No packet is here.
  output logic                  idle_o,
  output ingress_event_t        event_o,
  output ingress_count_t        count_o
);
  logic taken, sent, dropped;
  logic [15:0] seq_q;

  if (EgressFinepack != 0) begin : gen_finepack
    logic store, whole;
    logic [7:0] bytes;
    depacketizer i_depacketizer (
      .clk_i,
      .rst_ni,
      .self_i,
      .fault_i,
      .sub_header_i,
      .req_valid_i,
      .req_ready_o,
      .req_i,
      .out_valid_o,
      .out_ready_i,
      .out_o,
      .store_o  (store),
      .bytes_o  (bytes),
      .whole_o  (whole),
      .dropped_o(dropped),
      .idle_o
    );
    assign count_o = '{packets: whole, malformed: dropped, stores: store, bytes: store ? bytes : '0};
  end else begin : gen_wires
    assign out_valid_o = req_valid_i;
    assign req_ready_o = out_ready_i;
    assign out_o       = req_i;
    assign idle_o      = 1'b1;
    assign dropped     = 1'b0;
    assign count_o     = '0;
    logic unused;
    assign unused = ^{self_i, fault_i, sub_header_i};
  end

  assign taken = req_valid_i && req_ready_o;
  assign sent  = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) seq_q <= '0;
    else if (event_o.valid) seq_q <= seq_q + 16'd1;
  end

  always_comb begin
    event_o.valid   = taken || sent || dropped;
    event_o.seq     = seq_q;
    event_o.taken   = taken;
    event_o.req     = req_i;
    event_o.dropped = dropped;
    event_o.sent    = sent;
    event_o.out_    = out_o;
  end
endmodule
