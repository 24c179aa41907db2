// SPDX-License-Identifier: Apache-2.0

/// The fabric as a board has it: nothing listens to the event ports and nothing holds messages back, so that
/// synthesis drops both, with every register and gate that serves them alone.
module board_fabric
  import weft_pkg::*;
#(
  /// Frequency of the fabric's clock in Hz, for the host to read.
  parameter int unsigned ClockHz = 25_000_000
) (
  input  logic clk_i,
  input  logic clk_host_i,
  input  logic rst_ni,

  input  logic    [Nodes-1:0][Cus-1:0] cu_valid_i,
  output logic    [Nodes-1:0][Cus-1:0] cu_ready_o,
  input  cu_req_t [Nodes-1:0][Cus-1:0] cu_req_i,
  output logic    [Nodes-1:0][Cus-1:0] cu_valid_o,
  output cu_rsp_t [Nodes-1:0][Cus-1:0] cu_rsp_o,

  input  logic        host_valid_i,
  input  logic        host_write_i,
  input  logic [23:0] host_address_i,
  input  logic [31:0] host_wdata_i,
  output logic        host_ready_o,
  output logic [31:0] host_rdata_o,

  input  logic        hmem_en_i,
  input  logic        hmem_write_i,
  input  logic [39:0] hmem_address_i,
  input  line_t       hmem_wdata_i,
  output line_t       hmem_rdata_o
);
  fabric #(
    .ClockHz(ClockHz)
  ) u_fabric (
    .clk_i,
    .clk_host_i,
    .rst_ni,
    .cu_valid_i,
    .cu_ready_o,
    .cu_req_i,
    .cu_valid_o,
    .cu_rsp_o,
    .host_valid_i,
    .host_write_i,
    .host_address_i,
    .host_wdata_i,
    .host_ready_o,
    .host_rdata_o,
    .hmem_en_i,
    .hmem_write_i,
    .hmem_address_i,
    .hmem_wdata_i,
    .hmem_rdata_o,
    .hold_i      ('0),
    .noise_i     ('0),
    .links_down_o(),
    .l1_event_o  (),
    .l2_event_o  (),
    .dir_event_o (),
    .egress_event_o(),
    .ingress_event_o(),
    .link_event_o()
  );
endmodule
