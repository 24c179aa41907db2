// SPDX-License-Identifier: Apache-2.0

/// The switch: every port takes and gives one message per class and cycle, all ports at once.
///
/// The classes do not know of each other, so none can wait for another here. (The unit is `switch`
/// everywhere else; the module's name is longer because `switch` is a word of C++.)
module switch_fabric
  import weft_pkg::*;
#(
  /// Ports, one per node, from 1 to 16.
  parameter int unsigned Ports = Nodes
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Ports-1:0] req_valid_i,
  output logic [Ports-1:0] req_ready_o,
  input  req_t             req_i      [Ports],
  input  logic [Ports-1:0] fwd_valid_i,
  output logic [Ports-1:0] fwd_ready_o,
  input  fwd_t             fwd_i      [Ports],
  input  logic [Ports-1:0] rsp_valid_i,
  output logic [Ports-1:0] rsp_ready_o,
  input  rsp_t             rsp_i      [Ports],
  output logic [Ports-1:0] req_valid_o,
  input  logic [Ports-1:0] req_ready_i,
  output req_t             req_o      [Ports],
  /// Where the bytes of a write stand.
  output weft_cost_pkg::span_t req_span_o [Ports],
  output logic [Ports-1:0] fwd_valid_o,
  input  logic [Ports-1:0] fwd_ready_i,
  output fwd_t             fwd_o      [Ports],
  output logic [Ports-1:0] rsp_valid_o,
  input  logic [Ports-1:0] rsp_ready_i,
  output rsp_t             rsp_o      [Ports]
);
  switch_class #(
    .T(req_t),
    .Ports(Ports),
    .Packets(EgressFinepack != 0),
    .Spans(1'b1)
  ) i_req (
    .clk_i,
    .rst_ni,
    .valid_i(req_valid_i),
    .ready_o(req_ready_o),
    .data_i(req_i),
    .valid_o(req_valid_o),
    .ready_i(req_ready_i),
    .data_o(req_o),
    .span_o(req_span_o)
  );
  /* verilator lint_off PINCONNECTEMPTY */

  switch_class #(
    .T(fwd_t),
    .Ports(Ports)
  ) i_fwd (
    .clk_i,
    .rst_ni,
    .valid_i(fwd_valid_i),
    .ready_o(fwd_ready_o),
    .data_i(fwd_i),
    .valid_o(fwd_valid_o),
    .ready_i(fwd_ready_i),
    .data_o(fwd_o),
    .span_o()
  );

  switch_class #(
    .T(rsp_t),
    .Ports(Ports)
  ) i_rsp (
    .clk_i,
    .rst_ni,
    .valid_i(rsp_valid_i),
    .ready_o(rsp_ready_o),
    .data_i(rsp_i),
    .valid_o(rsp_valid_o),
    .ready_i(rsp_ready_i),
    .data_o(rsp_o),
    .span_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */
endmodule
