// SPDX-License-Identifier: Apache-2.0

/// Egress of node 0 and ingress of node 1, wire to wire: what goes in as stores comes out as stores.
module finepack_pair
  import weft_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic           [ 6:0] fault_i,
  input  logic                  enable_i,
  input  logic           [ 2:0] sub_header_i,
  input  logic           [12:0] payload_i,
  input  logic                  prefix_i,
  input  logic           [15:0] timeout_i,
  input  logic                  flush_i,
  input  logic                  req_valid_i,
  output logic                  req_ready_o,
  input  req_t                  req_i,
  input  logic                  strong_i,
  /// The wire between them stands still.
  input  logic                  hold_i,
  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output req_t                  out_o,
  output logic                  idle_o,
  output egress_count_t         egress_count_o,
  output ingress_count_t        ingress_count_o
);
  logic wire_valid, wire_ready, egress_idle, ingress_idle;
  req_t message;

  egress i_egress (
    .clk_i,
    .rst_ni,
    .self_i     (4'd0),
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
    .split_i    ('0),
    .strong_i,
    .out_valid_o(wire_valid),
    .out_ready_i(wire_ready && !hold_i),
    .out_o      (message),
    .out_span_o (),
    .idle_o     (egress_idle),
    .event_o    (),
    .count_o    (egress_count_o)
  );

  ingress i_ingress (
    .clk_i,
    .rst_ni,
    .self_i     (4'd1),
    .fault_i,
    .sub_header_i,
    .req_valid_i(wire_valid && !hold_i),
    .req_ready_o(wire_ready),
    .req_i      (message),
    .out_valid_o,
    .out_ready_i,
    .out_o,
    .idle_o     (ingress_idle),
    .event_o    (),
    .count_o    (ingress_count_o)
  );
  assign idle_o = egress_idle && ingress_idle;
endmodule
