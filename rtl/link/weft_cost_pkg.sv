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

  /// How many words of payload a request has; of a write, where its bytes stand in its line: the first word that has some, and which
  /// bytes of the last and of the first.
  typedef logic [$clog2(Words)-1:0] place_t;
  typedef struct packed {
    place_t first;
    logic [7:0] enables;
    logic [$clog2(Words+1)-1:0] words;
  } span_t;

  function automatic span_t span_of(mask_t mask);
    logic [Words-1:0][3:0] enable;
    span_t  span;
    place_t last;
    enable = mask;
    span   = '0;
    last   = '0;
    for (int unsigned w = 0; w < Words; w++) if (enable[w] != '0) last = place_t'(w);
    for (int unsigned w = Words; w > 0; w--) if (enable[w-1] != '0) span.first = place_t'(w - 1);
    // They are one run: as many as have some.
    for (int unsigned w = 0; w < Words; w++) span.words += $bits(span.words)'(enable[w] != '0);
    span.enables = {(span.first == last) ? 4'd0 : enable[last], enable[span.first]};
    return span;
  endfunction

  /// Of any request: what it costs follows from `words` alone, but for a clock and FinePack's packets.
  function automatic span_t span_req(req_t message);
    span_t span;
    span = span_of(message.mask);
    if (message.kind == ReqKindAtomic) begin
      // A compare-exchange carries two operands.
      span.words = $bits(span.words)'((message.wide ? 2 : 1) << (message.func == FuncCas));
    end else if (!(message.kind inside {ReqKindWrite, ReqKindChunk})) begin
      span.words = $bits(span.words)'(req_renews(message));
    end
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

  function automatic split_t split_of(req_t message, mask_t run);
    split_t split;
    req_t   first;
    first      = message;
    first.mask = run;
    split.run  = run;
    split.more = run != message.mask;
    split.span = span_req(first);
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

  // Payload in whole words: of a write, from the first to the last that has an enabled byte.
  function automatic cost_t cost_req(req_t message, span_t span);
    cost_t bytes;
    bytes = cost_t'(WordBytes) * cost_t'(span.words);
    if (EgressFinepack != 0 && message.kind == ReqKindPacket)
      return CostPacket + (message.wide ? CostPrefix : cost_t'(0));
    if (EgressFinepack != 0 && message.kind == ReqKindChunk)
      return bytes + (message.id[0] ? CostCrc : cost_t'(0));
    return CostRequest + bytes + (req_timed(message) ? CostTime : cost_t'(0));
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
