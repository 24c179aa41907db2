// SPDX-License-Identifier: Apache-2.0

/// One output port of the switch for one class: takes one message per cycle from the inputs in turn.
///
/// The message stands at the output one cycle after it was taken. The two-entry queue lets the output take
/// one every cycle although its ready comes from a register. From the head of a packet to its last part the output
/// stays with its input.
module switch_output #(
  /// The message; has a field `dst`.
  parameter type T = logic,
  /// Input ports, from 1; the one whose messages are never for this output.
  parameter int unsigned Ports = 2,
  parameter int unsigned Own   = 0,
  /// 1: messages are requests, and where a write's bytes stand is kept beside them.
  parameter bit Spans = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// Inputs whose message is for this output.
  input  logic [Ports-1:0] request_i,
  input  T                 data_i   [Ports],
  /// More of the same packet follows this input's message.
  input  logic [Ports-1:0] more_i,
  /// The input whose message is taken, one-hot or none.
  output logic [Ports-1:0] take_o,
  output logic             valid_o,
  input  logic             ready_i,
  output T                 data_o,
  output weft_cost_pkg::span_t span_o
);
  localparam int unsigned IndexWidth = (Ports > 1) ? $clog2(Ports) : 1;

  logic [Ports-1:0] grant, request, kept_q;
  logic [IndexWidth-1:0] source, from;
  logic room, take;

  // One-hot: the input whose packet is under way; or none.
  assign request = (kept_q != '0) ? request_i & kept_q : request_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) kept_q <= '0;
    else if (take) kept_q <= grant & more_i;
  end

  assign take   = room && request != '0;
  assign take_o = room ? grant : '0;

  // Of two ports it is always the other one: nothing to choose, for as many bits as a message has.
  if (Ports == 2) begin : gen_other
    logic unused;
    assign unused = ^source;
    assign from   = IndexWidth'(1 - Own);
  end else begin : gen_source
    assign from = source;
  end

  arbiter #(
    .Count(Ports)
  ) i_turn (
    .clk_i,
    .rst_ni,
    .request_i(request),
    .advance_i(take),
    .grant_o(grant),
    .index_o(source)
  );

  /* verilator lint_off PINCONNECTEMPTY */
  fifo #(
    .T(T),
    .Depth(2)
  ) i_queue (
    .clk_i,
    .rst_ni,
    .valid_i(take),
    .ready_o(room),
    .data_i(data_i[from]),
    .valid_o,
    .ready_i,
    .data_o,
    .free_o()
  );
  if (Spans) begin : gen_spans
    fifo #(
      .T(weft_cost_pkg::span_t),
      .Depth(2)
    ) i_spans (
      .clk_i,
      .rst_ni,
      .valid_i(take),
      .ready_o(),
      .data_i (weft_cost_pkg::span_req(data_i[from])),
      .valid_o(),
      .ready_i,
      .data_o (span_o),
      .free_o ()
    );
  end else begin : gen_no_spans
    assign span_o = '0;
  end
  /* verilator lint_on PINCONNECTEMPTY */
endmodule
