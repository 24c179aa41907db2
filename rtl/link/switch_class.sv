// SPDX-License-Identifier: Apache-2.0

/// The switch for one class of messages: a crossbar that moves, for every output port, one message per cycle.
///
/// Inputs are served in turn at each output. Messages of one input to one output keep their order. An input
/// whose first message waits for its output holds back those behind it, as one queue per class and input does.
module switch_class #(
  /// The message; has the fields `src` and `dst`.
  parameter type T = logic,
  /// Ports, from 1 to 16.
  parameter int unsigned Ports = 2,
  /// 1: messages are requests, and there are FinePack packets among them, which are kept together.
  parameter bit Packets = 1'b0,
  /// 1: messages are requests; where the bytes of a write stand comes out beside it.
  parameter bit Spans = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Ports-1:0] valid_i,
  output logic [Ports-1:0] ready_o,
  input  T                 data_i [Ports],
  output logic [Ports-1:0] valid_o,
  input  logic [Ports-1:0] ready_i,
  output T                 data_o [Ports],
  output weft_cost_pkg::span_t span_o [Ports]
);
  // Indexed [output][input].
  logic [Ports-1:0] request[Ports];
  logic [Ports-1:0] take[Ports];

  logic [Ports-1:0] more;
  for (genvar i = 0; i < Ports; i++) begin : gen_more
    if (Packets) begin : gen_packets
      assign more[i] = data_i[i].kind == weft_pkg::ReqKindPacket ||
        (data_i[i].kind == weft_pkg::ReqKindChunk && !data_i[i].id[0]);
    end else begin : gen_single
      assign more[i] = 1'b0;
    end
  end

  for (genvar o = 0; o < Ports; o++) begin : gen_output
    for (genvar i = 0; i < Ports; i++) begin : gen_request
      // A node sends nothing to itself (asserted below).
      assign request[o][i] = i != o && valid_i[i] && data_i[i].dst == 4'(o);
    end
    switch_output #(
      .T(T),
      .Ports(Ports),
      .Own(o),
      .Spans(Spans)
    ) i_output (
      .clk_i,
      .rst_ni,
      .request_i(request[o]),
      .data_i,
      .more_i(more),
      .take_o(take[o]),
      .valid_o(valid_o[o]),
      .ready_i(ready_i[o]),
      .data_o(data_o[o]),
      .span_o(span_o[o])
    );
  end

  always_comb begin
    ready_o = '0;
    for (int unsigned o = 0; o < Ports; o++) ready_o |= take[o];
  end

  // A message comes from the node behind its port, and is for another node that exists.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int unsigned i = 0; i < Ports; i++) begin
        assert (!valid_i[i] || data_i[i].src == 4'(i))
        else $error("switch: port %0d has a message from node %0d", i, data_i[i].src);
        assert (!valid_i[i] || (data_i[i].dst != 4'(i) && {28'd0, data_i[i].dst} < Ports))
        else $error("switch: port %0d has a message to node %0d", i, data_i[i].dst);
      end
    end
  end

  if (Ports < 1 || Ports > 16) begin : gen_check_ports
    $error("switch_class: Ports must be from 1 to 16");
  end
endmodule
