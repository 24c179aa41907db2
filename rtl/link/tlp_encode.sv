// SPDX-License-Identifier: Apache-2.0

/// A message as the parts of its frame: token and header, and a payload that stands where it stands in its line (docs/wire.md).
///
/// Combinational. The frame's words are its token, the first `lead_o` - 1 of `word_o`, then those of `payload_o` from `from_o` on, then, if
/// `last_o`, the LCRC's place: `count_o` together. Nothing is moved here; whoever sends picks the words out one beat at a time.
/// Of a FinePack packet, the head gives token and header, a chunk its payload.
module tlp_encode
  import weft_pkg::*;
  import weft_cost_pkg::*;
  import weft_frame_pkg::*;
#(
  /// 1: whoever sends says where a request's bytes stand, and has known it before; 0: that is found here.
  parameter bit Placed = 1'b0
) (
  /// There is a message; the simulator is spared all work without one.
  input  logic                        valid_i,
  input  msg_class_e                  class_i,
  input  req_t                        req_i,
  input  span_t                       span_i,
  input  fwd_t                        fwd_i,
  input  rsp_t                        rsp_i,
  output word_t       [LeadWords-2:0] word_o,
  output logic        [          2:0] lead_o,
  output word_t       [LineWords-1:0] payload_o,
  output line_place_t                 from_o,
  /// Words of this message, its cost / 4; and what that of each class would be, known before the class is.
  output logic        [          5:0] count_o,
  output logic        [          5:0] req_count_o,
  output logic        [          5:0] fwd_count_o,
  output logic        [          5:0] rsp_count_o,
  /// Words of the frame, for its token.
  output length_t                     length_o,
  /// The first word begins a frame; the last word is the LCRC's.
  output logic                        first_o,
  output logic                        last_o
);
  // ---------------------------------------------------------------- a write's run
  logic [LineWords-1:0][3:0] enable;
  line_place_t first;

  assign enable = req_i.mask;

  span_t span;
  if (Placed) begin : gen_placed
    assign span = span_i;
  end else begin : gen_found
    always_comb begin
      span = '0;
      if (valid_i && class_i == MsgClassRequest) span = span_req(req_i);
    end
    logic unused;
    assign unused = ^span_i;
  end
  assign first = span.first;

  // ---------------------------------------------------------------- payload
  word_t [LineWords-1:0] payload;
  logic [1:0][31:0] operand;
  logic completes, operates, compares, wrote;

  assign operand   = req_i.data[63:0];
  assign completes = class_i == MsgClassResponse && rsp_i.kind inside {RspKindLine, RspKindAtomic};
  assign wrote     = BuiltLeases && rsp_i.kind == RspKindWrote;
  assign operates  = class_i == MsgClassRequest && req_i.kind == ReqKindAtomic;
  assign compares  = operates && req_i.func == FuncCas;

  always_comb begin
    payload = 'x;
    if (valid_i) begin
      for (int unsigned w = 0; w < LineWords; w++) begin
        for (int unsigned b = 0; b < 4; b++) begin
          if (class_i == MsgClassResponse) payload[w][8*b+:8] = rsp_i.data[32*w+8*b+:8];
          else payload[w][8*b+:8] = (enable[w][b] || operates) ? req_i.data[32*w+8*b+:8] : 8'd0;
        end
      end
      // The compare value goes first: from the third word on, with what it is exchanged for behind it, which is round a line of four.
      if (compares && req_i.wide) {payload[5%LineWords], payload[4%LineWords]} = operand;
      if (compares && !req_i.wide) payload[3] = operand[0];
      if (class_i == MsgClassResponse && wrote) payload[0] = turned({16'd0, rsp_i.stamp});
      if (class_i == MsgClassRequest && req_renews(req_i)) payload[0] = turned({16'd0, req_i.mask[15:0]});
    end
    for (int unsigned w = 0; w < LineWords; w++) payload_o[w] = turned(payload[w]);
  end

  assign from_o = compares ? line_place_t'(2) :
    (class_i == MsgClassRequest && req_i.kind == ReqKindWrite) ? first : '0;

  // ---------------------------------------------------------------- header
  word_t [3:0] header;
  logic [7:0] kind, enables;
  logic [9:0] length;
  logic [15:0] bytes;
  logic [12:0] packet_words;
  logic [2:0] bank;
  logic [39:0] address;

  assign bytes        = req_i.data[15:0];
  assign packet_words = 13'((bytes + 16'd3) >> 2);
  assign bank         = req_i.address[14:12];

  always_comb begin
    kind    = TypeRead;
    enables = 8'hff;
    length  = 10'(LineWords);
    address = req_i.address;
    case (req_i.kind)
      ReqKindRead: begin
        if (req_renews(req_i)) begin
          kind = TypeRenew;
          length = 10'd1;
          enables = 8'h0f;
        end
      end
      ReqKindWrite: begin
        kind = TypeWrite;
        length = 10'(span.words);
        enables = span.enables;
        address[$clog2(Line)-1:0] = {first, 2'd0};
      end
      ReqKindAtomic: begin
        length  = (10'd1 << req_i.wide) << (req_i.func == FuncCas);
        enables = 8'd0;
        case (req_i.func)
          FuncAdd: kind = TypeFetchAdd;
          FuncExch: kind = TypeSwap;
          FuncCas: kind = TypeCas;
          default: begin
            kind = TypeFunction;
            enables = {req_i.func, 4'd0};
          end
        endcase
      end
      ReqKindPacket: begin
        length = 10'(packet_words);
        kind   = req_i.wide ? TypeWrite : TypeFinePack;
        if (!req_i.wide) enables = {2'd0, bytes[1:0], 4'd0};
        else
          enables = (packet_words == 13'd1) ? {4'd0, last_enable(
            bytes[1:0]
          )} : {last_enable(
            bytes[1:0]
          ), 4'hf};
      end
      default: ;
    endcase
  end

  // Leases: a read that takes none, a write that is answered; the words of a completion with its stamps.
  logic mark, stamped, timed;
  logic [9:0] answer_words;
  assign timed   = class_i == MsgClassRequest && req_timed(req_i);
  assign stamped = rsp_timed(rsp_i);
  assign mark    = BuiltLeases && ((req_i.kind == ReqKindRead && req_i.wide) ||
                                   (req_i.kind == ReqKindWrite && req_i.func[0]));
  assign answer_words = (wrote ? 10'(!rsp_i.wide) : (rsp_i.kind == RspKindLine) ? 10'(LineWords) :
                         (10'd1 << rsp_i.wide)) + 10'(stamped);

  // A message of ours, by kind.
  function automatic word_t [3:0] vendor(message_e what, logic [3:0] src, logic [3:0] dst, logic [4:0] flags,
                                         logic [15:0] low, word_t last_word);
    return {
      last_word,
      {4'd0, dst, low[7:0], Vendor},
      {4'd0, src, what, flags, low[15:8], MessageCode},
      {TypeMessage, 24'd0}
    };
  endfunction

  always_comb begin
    case (class_i)
      MsgClassForward: begin
        if (fwd_i.kind == FwdKindInv) begin
          header = vendor(
            MessageInv,
            fwd_i.src,
            fwd_i.dst,
            {
              fwd_i.block, fwd_i.cause, 3'd0
            },
            fwd_i.stamp,
            fwd_i.address[35:4]
          );
        end else begin
          header = vendor(
            MessageMark,
            fwd_i.src,
            fwd_i.dst,
            {
              2'd0, fwd_i.address[14:12]
            },
            {
              2'd0, fwd_i.id, 4'd0, fwd_i.releaser
            },
            {
              16'd0, fwd_i.stamp
            }
          );
        end
      end
      MsgClassResponse: begin
        if (rsp_i.kind == RspKindAck) begin
          header = vendor(
            MessageAck,
            rsp_i.src,
            rsp_i.dst,
            {
              rsp_i.seen, 1'b0, rsp_i.bank
            },
            {
              2'd0, rsp_i.id, 4'd0, rsp_i.count
            },
            {
              16'd0, rsp_i.stamp
            }
          );
        end else if (rsp_i.kind == RspKindSeen) begin
          header = vendor(MessageSeen, rsp_i.src, rsp_i.dst, {2'd0, rsp_i.bank}, 16'd0, {16'd0, rsp_i.stamp});
        end else begin
          header[0] = {TypeCompletion, 14'd0, answer_words};
          header[1] = {4'd0, rsp_i.src, 3'd0, wrote, stamped, rsp_i.bank, 4'd0, answer_words, 2'd0};
          header[2] = {4'd0, rsp_i.dst, rsp_i.src, 1'b0, rsp_i.cu, 2'd0, rsp_i.id, 8'd0};
          header[3] = {rsp_i.wts, rsp_i.rts};
        end
      end
      default: begin
        if (req_i.kind == ReqKindMarker) begin
          header = vendor(MessageMarker, req_i.src, req_i.dst, {2'd0, bank}, {2'd0, req_i.id, 8'd0}, '0);
        end else begin
          header[0] = {kind, 14'd0, length};
          header[1] = {4'd0, req_i.src, req_i.dst, 1'b0, req_i.cu, mark, 1'b0, req_i.id, enables};
          header[2] = {24'd0, address[39:32]};
          header[3] = address[31:0];
        end
      end
    endcase
  end

  // ---------------------------------------------------------------- the frame
  logic packet, chunk;

  assign packet    = Packets && class_i == MsgClassRequest && req_i.kind == ReqKindPacket;
  assign chunk     = Packets && class_i == MsgClassRequest && req_i.kind == ReqKindChunk;
  assign first_o   = !chunk;
  assign last_o    = !packet && !(chunk && !req_i.id[0]);

  // Always whole words.
  /* verilator lint_off UNUSEDSIGNAL */
  cost_t req_cost, fwd_cost, rsp_cost;
  /* verilator lint_on UNUSEDSIGNAL */
  assign req_cost    = cost_req(req_i, span);
  assign fwd_cost    = cost_fwd(fwd_i);
  assign rsp_cost    = cost_rsp(rsp_i);
  assign req_count_o = req_cost[7:2];
  assign fwd_count_o = fwd_cost[7:2];
  assign rsp_count_o = rsp_cost[7:2];
  assign count_o     = (class_i == MsgClassResponse) ? rsp_count_o :
    (class_i == MsgClassForward) ? fwd_count_o : req_count_o;
  assign length_o    = length_t'(count_o) + (packet ? length_t'(packet_words) + length_t'(1) : '0);

  // A completion's payload begins where the others have their last word of header.
  assign lead_o = chunk ? 3'd0 : (completes && !stamped) ? 3'd4 :
    (timed || (packet && req_i.wide)) ? 3'd6 : 3'd5;

  if (LeadWords == 6) begin : gen_prefix
    always_comb begin
      word_o = {32'd0, header};
      if (packet && req_i.wide) word_o = {header, {TypePrefix, 8'd0, Vendor}};
      if (timed) word_o = {header, {TypeTime, 6'd0, req_i.era, req_i.cts}};
    end
  end else begin : gen_plain
    assign word_o = header;
  end
endmodule
