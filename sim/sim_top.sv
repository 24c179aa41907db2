// SPDX-License-Identifier: Apache-2.0

/// The fabric as a simulator sees it: ports that C can reach one by one, and every event handed to C as it
/// happens. The netlist of the fabric goes under the same top.
module sim_top
  import weft_pkg::*;
(
  input  logic clk_i,
  input  logic clk_host_i,
  input  logic rst_ni,
  /// What the DPI calls pass on, to find whose events they are; 0: events are not wanted.
  input  longint handle_i,

  input  logic [Nodes*Cus-1:0]       cu_valid_i,
  output logic [Nodes*Cus-1:0]       cu_ready_o,
  input  logic [$bits(cu_req_t)-1:0] cu_req_i [Nodes*Cus],
  output logic [Nodes*Cus-1:0]       cu_valid_o,
  output logic [$bits(cu_rsp_t)-1:0] cu_rsp_o [Nodes*Cus],

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
  output line_t       hmem_rdata_o,
  input  logic [4*Nodes-1:0] hold_i,
  /// For each link, first from the nodes: weft_frame_pkg::noise_t.
  input  logic [31:0]        noise_i [2*Nodes],
  output logic [2*Nodes-1:0] links_down_o,
  /// At an edge of the host's clock: hand the memories over to weft_dpi_memory, all at once.
  input  logic               dump_i
);
  cu_req_t    [Nodes-1:0][Cus-1:0]     cu_req;
  cu_rsp_t    [Nodes-1:0][Cus-1:0]     cu_rsp;
  l1_event_t  [Nodes-1:0][Cus-1:0]     l1_event;
  l2_event_t  [Nodes-1:0][L2Banks-1:0] l2_event;
  dir_event_t [Nodes-1:0][L2Banks-1:0] dir_event;
  egress_event_t  [Nodes-1:0]          egress_event;
  ingress_event_t [Nodes-1:0]          ingress_event;
  link_event_t [2*Nodes-1:0]           link_event;

  weft_frame_pkg::noise_t [2*Nodes-1:0] noise;
  for (genvar l = 0; l < 2 * Nodes; l++) begin : gen_noise
    assign noise[l] = noise_i[l][$bits(weft_frame_pkg::noise_t)-1:0];
  end

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    for (genvar k = 0; k < Cus; k++) begin : gen_cu
      assign cu_req[n][k] = cu_req_i[n*Cus+k];
      assign cu_rsp_o[n*Cus+k] = cu_rsp[n][k];
    end
  end

  fabric u_fabric (
    .clk_i,
    .clk_host_i,
    .rst_ni,
    .cu_valid_i,
    .cu_ready_o,
    .cu_req_i    (cu_req),
    .cu_valid_o,
    .cu_rsp_o    (cu_rsp),
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
    .hold_i,
    .noise_i     (noise),
    .links_down_o,
    .l1_event_o  (l1_event),
    .l2_event_o  (l2_event),
    .dir_event_o (dir_event),
    .egress_event_o (egress_event),
    .ingress_event_o(ingress_event),
    .link_event_o(link_event)
  );

  import "DPI-C" function void weft_dpi_l1(
    input longint handle,
    input int node,
    input int index,
    input bit [$bits(l1_event_t)-1:0] bits
  );
  import "DPI-C" function void weft_dpi_l2(
    input longint handle,
    input int node,
    input int index,
    input bit [$bits(l2_event_t)-1:0] bits
  );
  import "DPI-C" function void weft_dpi_dir(
    input longint handle,
    input int node,
    input int index,
    input bit [$bits(dir_event_t)-1:0] bits
  );
  import "DPI-C" function void weft_dpi_egress(
    input longint handle,
    input int node,
    input bit [$bits(egress_event_t)-1:0] bits
  );
  import "DPI-C" function void weft_dpi_ingress(
    input longint handle,
    input int node,
    input bit [$bits(ingress_event_t)-1:0] bits
  );
  import "DPI-C" function void weft_dpi_link(
    input longint handle,
    input int index,
    input bit [$bits(link_event_t)-1:0] bits
  );

`ifndef NETLIST
  // Reading a large memory by the host's port would take longer than most runs.
  import "DPI-C" function void weft_dpi_memory(
    input longint handle,
    input int node,
    input int bank,
    input bit [$bits(line_t)-1:0] lines[]
  );
  for (genvar n = 0; n < Nodes; n++) begin : gen_dump
    for (genvar b = 0; b < L2Banks; b++) begin : gen_bank
      always_ff @(posedge clk_host_i) begin
        if (dump_i)
          weft_dpi_memory(handle_i, n, b, u_fabric.gen_node[n].u_node.gen_bank[b].u_memory.i_array.store_q);
      end
    end
  end
`else
  logic unused;
  assign unused = dump_i;
`endif

  // The order inside a cycle is that of the checker: a directory's event before its bank's.
  always_ff @(posedge clk_i) begin
    if (handle_i != 0) begin
      for (int n = 0; n < Nodes; n++) begin
        for (int k = 0; k < Cus; k++) if (l1_event[n][k].valid) weft_dpi_l1(handle_i, n, k, l1_event[n][k]);
        for (int b = 0; b < L2Banks; b++) begin
          if (dir_event[n][b].valid) weft_dpi_dir(handle_i, n, b, dir_event[n][b]);
          if (l2_event[n][b].valid) weft_dpi_l2(handle_i, n, b, l2_event[n][b]);
        end
      end
      for (int n = 0; n < Nodes; n++) begin
        if (egress_event[n].valid) weft_dpi_egress(handle_i, n, egress_event[n]);
        if (ingress_event[n].valid) weft_dpi_ingress(handle_i, n, ingress_event[n]);
      end
      for (int l = 0; l < 2 * Nodes; l++) if (link_event[l].valid) weft_dpi_link(handle_i, l, link_event[l]);
    end
  end
endmodule
