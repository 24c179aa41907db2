// SPDX-License-Identifier: Apache-2.0

/// Between a node's L1s and its L2 banks: every bank takes requests of the CUs in turn, every CU takes answers
/// of the banks in turn. One CU's requests to one bank keep their order, and so do one bank's answers to one CU.
module crossbar
  import weft_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  input  logic    [Cus-1:0] cu_req_valid_i,
  output logic    [Cus-1:0] cu_req_ready_o,
  input  l1_req_t           cu_req_i [Cus],
  output logic    [Cus-1:0] cu_rsp_valid_o,
  input  logic    [Cus-1:0] cu_rsp_ready_i,
  output l1_rsp_t           cu_rsp_o [Cus],

  output logic    [L2Banks-1:0] bank_req_valid_o,
  input  logic    [L2Banks-1:0] bank_req_ready_i,
  output l1_req_t               bank_req_o [L2Banks],
  input  logic    [L2Banks-1:0] bank_rsp_valid_i,
  output logic    [L2Banks-1:0] bank_rsp_ready_o,
  input  l1_rsp_t               bank_rsp_i [L2Banks]
);
  logic [L2Banks-1:0][Cus-1:0] request, request_ready;
  logic [Cus-1:0][L2Banks-1:0] response, response_ready;

  always_comb begin : route
    foreach (request[b, k]) begin
      request[b][k] = cu_req_valid_i[k] && (cu_req_i[k].address[12+:3] & 3'(L2Banks - 1)) == 3'(b);
    end
    foreach (response[k, b]) response[k][b] = bank_rsp_valid_i[b] && bank_rsp_i[b].cu == 3'(k);
    cu_req_ready_o = '0;
    bank_rsp_ready_o = '0;
    foreach (request_ready[b, k]) cu_req_ready_o[k] |= request_ready[b][k];
    foreach (response_ready[k, b]) bank_rsp_ready_o[b] |= response_ready[k][b];
  end

  for (genvar b = 0; b < L2Banks; b++) begin : gen_bank
    stream_mux #(
      .T(l1_req_t),
      .Count(Cus)
    ) u_mux (
      .clk_i,
      .rst_ni,
      .valid_i(request[b]),
      .ready_o(request_ready[b]),
      .data_i (cu_req_i),
      .valid_o(bank_req_valid_o[b]),
      .ready_i(bank_req_ready_i[b]),
      .data_o (bank_req_o[b])
    );
  end
  for (genvar k = 0; k < Cus; k++) begin : gen_cu
    stream_mux #(
      .T(l1_rsp_t),
      .Count(L2Banks)
    ) u_mux (
      .clk_i,
      .rst_ni,
      .valid_i(response[k]),
      .ready_o(response_ready[k]),
      .data_i (bank_rsp_i),
      .valid_o(cu_rsp_valid_o[k]),
      .ready_i(cu_rsp_ready_i[k]),
      .data_o (cu_rsp_o[k])
    );
  end
endmodule
