// SPDX-License-Identifier: Apache-2.0

/// An L2 bank with its home whose memory is on AXI: `axi_memory` where a node has `memory`. What an integrator
/// writes, with the accesses to memory brought out so that a test can look at them.
module axi_bank
  import weft_pkg::*;
#(
  parameter int unsigned Bank = 0,
  parameter int unsigned DataWidth = 64
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  logic [3:0] self_i,
  input  protocol_e protocol_i,
  input  fault_e   fault_i,

  input  logic     cu_valid_i,
  output logic     cu_ready_o,
  input  l1_req_t  cu_i,
  output logic     l1_valid_o,
  input  logic     l1_ready_i,
  output l1_rsp_t  l1_o,
  input  logic     req_valid_i,
  output logic     req_ready_o,
  input  req_t     req_i,
  input  logic     fwd_valid_i,
  output logic     fwd_ready_o,
  input  fwd_t     fwd_i,
  input  logic     rsp_valid_i,
  output logic     rsp_ready_o,
  input  rsp_t     rsp_i,
  output logic     req_valid_o,
  input  logic     req_ready_i,
  output req_t     req_o,
  output logic     fwd_valid_o,
  input  logic     fwd_ready_i,
  output fwd_t     fwd_o,
  output logic     rsp_valid_o,
  input  logic     rsp_ready_i,
  output rsp_t     rsp_o,

  /// Both streams between bank and adapter, to be looked at.
  output logic     mem_req_valid_o,
  output logic     mem_req_ready_o,
  output mem_req_t mem_req_o,
  output logic     mem_rsp_valid_o,
  output logic     mem_rsp_ready_o,
  output mem_rsp_t mem_rsp_o,

  input  logic       flush_i,
  output logic       flushed_o,
  output logic       ready_o,
  /// Of bank and adapter: memory is what the home steps made of it once this is high after a flush.
  output logic       idle_o,
  output l2_event_t  event_o,
  output dir_event_t dir_event_o,
  output l2_count_t  count_o,
  output dir_count_t dir_count_o,

  output logic                   axi_awid_o,
  output logic [           39:0] axi_awaddr_o,
  output logic [            7:0] axi_awlen_o,
  output logic [            2:0] axi_awsize_o,
  output logic [            1:0] axi_awburst_o,
  output logic                   axi_awlock_o,
  output logic [            3:0] axi_awcache_o,
  output logic [            2:0] axi_awprot_o,
  output logic                   axi_awvalid_o,
  input  logic                   axi_awready_i,
  output logic [  DataWidth-1:0] axi_wdata_o,
  output logic [DataWidth/8-1:0] axi_wstrb_o,
  output logic                   axi_wlast_o,
  output logic                   axi_wvalid_o,
  input  logic                   axi_wready_i,
  input  logic                   axi_bid_i,
  input  logic [            1:0] axi_bresp_i,
  input  logic                   axi_bvalid_i,
  output logic                   axi_bready_o,
  output logic                   axi_arid_o,
  output logic [           39:0] axi_araddr_o,
  output logic [            7:0] axi_arlen_o,
  output logic [            2:0] axi_arsize_o,
  output logic [            1:0] axi_arburst_o,
  output logic                   axi_arlock_o,
  output logic [            3:0] axi_arcache_o,
  output logic [            2:0] axi_arprot_o,
  output logic                   axi_arvalid_o,
  input  logic                   axi_arready_i,
  input  logic                   axi_rid_i,
  input  logic [  DataWidth-1:0] axi_rdata_i,
  input  logic [            1:0] axi_rresp_i,
  input  logic                   axi_rlast_i,
  input  logic                   axi_rvalid_i,
  output logic                   axi_rready_o
);
  logic bank_idle, memory_idle;
  assign idle_o = bank_idle && memory_idle;

  l2 #(
    .Bank(Bank)
  ) u_l2 (
    .mem_valid_o(mem_req_valid_o),
    .mem_ready_i(mem_req_ready_o),
    .mem_o      (mem_req_o),
    .mem_valid_i(mem_rsp_valid_o),
    .mem_ready_o(mem_rsp_ready_o),
    .mem_i      (mem_rsp_o),
    .idle_o     (bank_idle),
    .split_o    (),
    // No leases here.
    .leases_i      ('0),
    .stop_i        (1'b0),
    .rebase_i      (1'b0),
    .rebased_o     (),
    .wants_rebase_o(),
    .sent_o        (),
    .received_o    (),
    .answers_o     (),
    .*
  );

  // Every node has its part of one memory.
  axi_memory #(
    .DataWidth(DataWidth)
  ) u_memory (
    .base_i        (40'(self_i) * 40'(MemoryBytes)),
    .req_valid_i   (mem_req_valid_o),
    .req_ready_o   (mem_req_ready_o),
    .req_i         (mem_req_o),
    .rsp_valid_o   (mem_rsp_valid_o),
    .rsp_ready_i   (mem_rsp_ready_o),
    .rsp_o         (mem_rsp_o),
    .idle_o        (memory_idle),
    .read_errors_o (),
    .write_errors_o(),
    .error_offset_o(),
    .*
  );
endmodule
