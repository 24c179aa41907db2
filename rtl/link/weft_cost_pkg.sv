// SPDX-License-Identifier: Apache-2.0

/// What every message costs on a link, in bytes: the table "Links and switch" of docs/protocol.md.
///
/// A message is counted as the PCIe packet that would carry it: 24 bytes around a request (token, header of
/// four words, LCRC), 20 around a completion with data, and the payload in whole 4-byte words.
package weft_cost_pkg;
  import weft_pkg::*;

  localparam int unsigned WordBytes = 4;
  localparam int unsigned Words = Line / WordBytes;

  /// Around a request, and all of a message that carries no data.
  localparam logic [7:0] CostRequest = 8'd24;
  /// Around a response that carries data.
  localparam logic [7:0] CostCompletion = 8'd20;

  /// Before a FinePack packet's payload, what a vendor prefix adds, and the LCRC behind the payload.
  localparam logic [7:0] CostPacket = 8'd20;
  localparam logic [7:0] CostPrefix = 8'd4;
  localparam logic [7:0] CostCrc = 8'd4;

  /// A prefix or a word of time stamps, under leases.
  localparam logic [7:0] CostTime = 8'd4;

  /// The dearest message: a write of a whole line.
  localparam int unsigned CostMax = 24 + Line + (BuiltLeases ? 4 : 0);

  typedef logic [7:0] cost_t;

  /// Payload of a write: whole words from the first to the last that has an enabled byte.
  function automatic cost_t cost_span(mask_t mask);
    cost_t first, last;
    logic any;
    first = '0;
    last  = '0;
    any   = 1'b0;
    for (int unsigned w = 0; w < Words; w++) begin
      if (mask[w*WordBytes+:WordBytes] != '0) begin
        if (!any) first = cost_t'(w);
        any  = 1'b1;
        last = cost_t'(w);
      end
    end
    return any ? cost_t'(WordBytes) * (last - first + cost_t'(1)) : '0;
  endfunction

  /// A 4- or 8-byte operand.
  function automatic cost_t cost_operand(logic wide);
    return wide ? cost_t'(8) : cost_t'(4);
  endfunction

  // Each function gets the whole message and reads a part of it.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic req_timed(req_t message);
    return BuiltLeases && message.kind inside {ReqKindRead, ReqKindWrite, ReqKindAtomic} && message.cts != '0;
  endfunction

  // A read that asks whether a copy is still what memory has. It has a word more: when the copy was written.
  function automatic logic req_renews(req_t message);
    return BuiltLeases && message.kind == ReqKindRead && message.func[0];
  endfunction

  // An answer of a store always has the word, and if it was not of a whole line another one: when it had been written before.
  function automatic logic rsp_timed(rsp_t message);
    return BuiltLeases && (message.kind == RspKindWrote ||
      (message.kind inside {RspKindLine, RspKindAtomic} && {message.wts, message.rts} != '0));
  endfunction

  function automatic cost_t cost_req(req_t message);
    cost_t request;
    request = CostRequest + (req_timed(message) ? CostTime : cost_t'(0));
    case (message.kind)
      ReqKindRead: return request + (req_renews(message) ? CostTime : cost_t'(0));
      ReqKindWrite: return request + cost_span(message.mask);
      // A compare-exchange carries two operands.
      ReqKindAtomic: return request + (cost_operand(message.wide) << (message.func == FuncCas));
      ReqKindPacket: return CostPacket + (message.wide ? CostPrefix : cost_t'(0));
      ReqKindChunk: return cost_span(message.mask) + (message.id[0] ? CostCrc : cost_t'(0));
      default: return CostRequest;
    endcase
  endfunction

  // Every forward costs the same; the argument keeps the three functions alike.
  function automatic cost_t cost_fwd(fwd_t message);
    return CostRequest;
  endfunction

  function automatic cost_t cost_rsp(rsp_t message);
    cost_t completion;
    completion = CostCompletion + (rsp_timed(message) ? CostTime : cost_t'(0));
    case (message.kind)
      RspKindLine: return completion + cost_t'(Line);
      RspKindAtomic: return completion + cost_operand(message.wide);
      RspKindWrote: return completion + (message.wide ? cost_t'(0) : CostTime);
      default: return CostRequest;
    endcase
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
