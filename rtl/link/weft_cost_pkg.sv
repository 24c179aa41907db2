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

  /// Where the bytes of a write stand in its line: the first and the last word that has some, and which bytes of these two.
  typedef logic [$clog2(Words)-1:0] place_t;
  typedef struct packed {
    place_t first, last;
    logic [7:0] enables;
  } span_t;

  function automatic span_t span_of(mask_t mask);
    logic [Words-1:0][3:0] enable;
    span_t span;
    enable = mask;
    span   = '0;
    for (int unsigned w = 0; w < Words; w++) if (enable[w] != '0) span.last = place_t'(w);
    for (int unsigned w = Words; w > 0; w--) if (enable[w-1] != '0) span.first = place_t'(w - 1);
    span.enables = {(span.first == span.last) ? 4'd0 : enable[span.last], enable[span.first]};
    return span;
  endfunction

  /// The lowest run of bytes: adding its lowest byte carries through it.
  function automatic mask_t lowest_run(mask_t mask);
    mask_t bottom;
    bottom = mask & (~mask + mask_t'(1));
    return mask & ~(mask + bottom);
  endfunction

  /// A write on its way to a link, where it leaves run by run: its first run, whether others follow, and where that one stands.
  typedef struct packed {
    mask_t run;
    logic  more;
    span_t span;
  } split_t;

  function automatic split_t split_of(mask_t mask);
    split_t split;
    split.run  = lowest_run(mask);
    split.more = split.run != mask;
    split.span = span_of(split.run);
    return split;
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

  // Payload of a write: whole words from the first to the last that has an enabled byte.
  function automatic cost_t cost_req(req_t message, span_t span);
    cost_t request, bytes;
    bytes = cost_t'(WordBytes) * (cost_t'(span.last) - cost_t'(span.first) + cost_t'(1));
    request = CostRequest + (req_timed(message) ? CostTime : cost_t'(0));
    case (message.kind)
      ReqKindRead: return request + (req_renews(message) ? CostTime : cost_t'(0));
      ReqKindWrite: return request + bytes;
      // A compare-exchange carries two operands.
      ReqKindAtomic: return request + (cost_operand(message.wide) << (message.func == FuncCas));
      ReqKindPacket: return CostPacket + (message.wide ? CostPrefix : cost_t'(0));
      ReqKindChunk: return bytes + (message.id[0] ? CostCrc : cost_t'(0));
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
