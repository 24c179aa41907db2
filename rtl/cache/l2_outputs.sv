// SPDX-License-Identifier: Apache-2.0

/// The queues behind an L2 bank: requests and responses to other nodes, answers to the L1s, accesses to memory.
/// Nothing is pushed without room: stage A has counted (l2_admit).
module l2_outputs
  import weft_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  input  logic       req_push_i,
  input  req_t       req_data_i,
  /// Of a WRITE, the first run of bytes that will leave.
  input  mask_t      req_run_i,
  output logic [3:0] req_free_o,
  input  logic       rsp_push_i,
  input  rsp_t       rsp_data_i,
  output logic [3:0] rsp_free_o,
  input  logic       l1_push_i,
  input  l1_rsp_t    l1_data_i,
  output logic [3:0] l1_free_o,
  input  logic       mem_push_i,
  input  mem_req_t   mem_data_i,
  output logic [3:0] mem_free_o,

  output logic     req_valid_o,
  input  logic     req_ready_i,
  output req_t     req_o,
  output weft_cost_pkg::split_t split_o,
  output logic     rsp_valid_o,
  input  logic     rsp_ready_i,
  output rsp_t     rsp_o,
  output logic     l1_valid_o,
  input  logic     l1_ready_i,
  output l1_rsp_t  l1_o,
  output logic     mem_valid_o,
  input  logic     mem_ready_i,
  output mem_req_t mem_o
);
  /// Room for a burst of requests; the others only bridge the stages.
  localparam int unsigned ReqDepth = 8;
  localparam int unsigned Depth = 4;

  logic req_room, rsp_room, l1_room, mem_room;
  logic [$clog2(Depth+1)-1:0] rsp_free, l1_free, mem_free;
  assign rsp_free_o = 4'(rsp_free);
  assign l1_free_o  = 4'(l1_free);
  assign mem_free_o = 4'(mem_free);

  // Of a write, where the first run stands is found on its way in.
  typedef struct packed {
    req_t req;
    weft_cost_pkg::split_t split;
  } leaving_t;
  leaving_t request;
  assign req_o   = request.req;
  assign split_o = request.split;
  fifo #(
    .T(leaving_t),
    .Depth(ReqDepth)
  ) u_req (
    .clk_i,
    .rst_ni,
    .valid_i(req_push_i),
    .ready_o(req_room),
    .data_i('{req: req_data_i, split: weft_cost_pkg::split_of(req_data_i, req_run_i)}),
    .valid_o(req_valid_o),
    .ready_i(req_ready_i),
    .data_o(request),
    .free_o(req_free_o)
  );
  fifo #(
    .T(rsp_t),
    .Depth(Depth)
  ) u_rsp (
    .clk_i,
    .rst_ni,
    .valid_i(rsp_push_i),
    .ready_o(rsp_room),
    .data_i(rsp_data_i),
    .valid_o(rsp_valid_o),
    .ready_i(rsp_ready_i),
    .data_o(rsp_o),
    .free_o(rsp_free)
  );
  fifo #(
    .T(l1_rsp_t),
    .Depth(Depth)
  ) u_l1 (
    .clk_i,
    .rst_ni,
    .valid_i(l1_push_i),
    .ready_o(l1_room),
    .data_i(l1_data_i),
    .valid_o(l1_valid_o),
    .ready_i(l1_ready_i),
    .data_o(l1_o),
    .free_o(l1_free)
  );
  fifo #(
    .T(mem_req_t),
    .Depth(Depth)
  ) u_mem (
    .clk_i,
    .rst_ni,
    .valid_i(mem_push_i),
    .ready_o(mem_room),
    .data_i(mem_data_i),
    .valid_o(mem_valid_o),
    .ready_i(mem_ready_i),
    .data_o(mem_o),
    .free_o(mem_free)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni)
      assert ((req_room || !req_push_i) && (rsp_room || !rsp_push_i) && (l1_room || !l1_push_i) &&
              (mem_room || !mem_push_i))
      else $error("l2: a push without room");
  end
endmodule
