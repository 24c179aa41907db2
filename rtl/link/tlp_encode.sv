// SPDX-License-Identifier: Apache-2.0

/// A message as the words of its frame: token, header, payload, and a word of 0 where the LCRC goes (docs/wire.md).
///
/// Combinational. Of a FinePack packet, the head gives token and header, a chunk its payload, the last one with the
/// LCRC's place behind it. Words beyond `count_o` are 0; without a message all are.
module tlp_encode
  import weft_pkg::*;
  import weft_cost_pkg::*;
  import weft_frame_pkg::*;
(
  /// There is a message; the simulator is spared all work without one.
  input  logic       valid_i,
  input  msg_class_e class_i,
  input  req_t       req_i,
  input  fwd_t       fwd_i,
  input  rsp_t       rsp_i,
  input  sequence_t  number_i,
  output message_t   word_o,
  /// Words of this message: its cost / 4.
  output logic [5:0] count_o,
  /// The first word begins a frame; the last word is the LCRC's.
  output logic       first_o,
  output logic       last_o
);
  typedef logic [$clog2(LineWords)-1:0] place_t;

  // ---------------------------------------------------------------- a write's run
  logic [LineWords-1:0][3:0] enable;
  place_t first, last;
  line_t run;

  assign enable = req_i.mask;

  always_comb begin
    first = '0;
    last  = '0;
    run   = 'x;
    if (valid_i && class_i == MsgClassRequest) begin
      for (int unsigned w = 0; w < LineWords; w++) if (enable[w] != '0) last = place_t'(w);
      for (int unsigned w = LineWords; w > 0; w--) if (enable[w-1] != '0) first = place_t'(w - 1);
      for (int unsigned b = 0; b < Line; b++) run[8*b+:8] = req_i.mask[b] ? req_i.data[8*b+:8] : 8'd0;
      // A chunk's bytes are a prefix already.
      if (req_i.kind == ReqKindWrite) run = run >> {first, 5'd0};
    end
  end

  // ---------------------------------------------------------------- payload, in its own order
  // Of a request, and of a completion: each is 0 where the message has no payload.
  word_t [LineWords-1:0] payload, answer;
  logic [3:0][31:0] operand;
  logic completes;

  assign operand   = req_i.data[127:0];
  assign completes = class_i == MsgClassResponse && rsp_i.kind inside {RspKindLine, RspKindAtomic};

  always_comb begin
    payload = '0;
    answer  = '0;
    if (valid_i && completes) begin
      answer[0] = rsp_i.data[31:0];
      if (rsp_i.kind == RspKindLine) answer = rsp_i.data;
      else if (rsp_i.wide) answer[1] = rsp_i.data[63:32];
    end
    if (valid_i && class_i == MsgClassRequest) begin
      if (req_i.kind == ReqKindWrite || (Packets && req_i.kind == ReqKindChunk)) begin
        payload = run;
      end else if (req_i.kind == ReqKindAtomic) begin
        // The compare value goes first.
        case ({
          req_i.func == FuncCas, req_i.wide
        })
          2'b00: payload[0] = operand[0];
          2'b01: payload[1:0] = operand[1:0];
          2'b10: payload[1:0] = {operand[0], operand[2]};
          default: payload[3:0] = {operand[1:0], operand[3:2]};
        endcase
      end
    end
  end

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
      ReqKindWrite: begin
        kind = TypeWrite;
        length = 10'(last) - 10'(first) + 10'd1;
        enables = {(first == last) ? 4'd0 : enable[last], enable[first]};
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
            {
              fwd_i.address[35:5], 1'b0
            }
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
          header[0] = {
            TypeCompletion, 14'd0, (rsp_i.kind == RspKindLine) ? 10'(LineWords) : (10'd1 << rsp_i.wide)
          };
          header[1] = {
            4'd0, rsp_i.src, 5'd0, rsp_i.bank, 4'd0,
            (rsp_i.kind == RspKindLine) ? 12'(Line) : (12'd4 << rsp_i.wide)
          };
          header[2] = {4'd0, rsp_i.dst, rsp_i.src, 1'b0, rsp_i.cu, 2'd0, rsp_i.id, 8'd0};
          header[3] = turned(answer[0]);
        end
      end
      default: begin
        if (req_i.kind == ReqKindMarker) begin
          header = vendor(MessageMarker, req_i.src, req_i.dst, {2'd0, bank}, {2'd0, req_i.id, 8'd0}, '0);
        end else begin
          header[0] = {kind, 14'd0, length};
          header[1] = {4'd0, req_i.src, req_i.dst, 1'b0, req_i.cu, 2'd0, req_i.id, enables};
          header[2] = {24'd0, address[39:32]};
          header[3] = address[31:0];
        end
      end
    endcase
  end

  // ---------------------------------------------------------------- the frame
  logic packet, chunk;
  // Always whole words.
  /* verilator lint_off UNUSEDSIGNAL */
  cost_t cost;
  /* verilator lint_on UNUSEDSIGNAL */
  word_t token_word;

  assign packet    = Packets && class_i == MsgClassRequest && req_i.kind == ReqKindPacket;
  assign chunk     = Packets && class_i == MsgClassRequest && req_i.kind == ReqKindChunk;
  assign first_o   = !chunk;
  assign last_o    = !packet && !(chunk && !req_i.id[0]);
  assign count_o   = cost[7:2];

  always_comb begin
    cost = 'x;
    if (valid_i) begin
      case (class_i)
        MsgClassForward: cost = cost_fwd(fwd_i);
        MsgClassResponse: cost = cost_rsp(rsp_i);
        default: cost = cost_req(req_i);
      endcase
    end
  end

  assign token_word = token(
      packet ? length_t'(packet_words) + length_t'(count_o) + length_t'(1) : length_t'(count_o), number_i
  );

  always_comb begin
    word_o = '0;
    if (valid_i && chunk) begin
      for (int unsigned i = 0; i < LineWords; i++) word_o[i] = turned(payload[i]);
    end else if (valid_i && packet && req_i.wide) begin
      word_o[5:0] = {header, {TypePrefix, 8'd0, Vendor}, token_word};
    end else if (valid_i) begin
      word_o[0] = token_word;
      word_o[3:1] = header[2:0];
      word_o[4] = header[3];
      // What a message has not is 0.
      for (int unsigned i = 0; i < LineWords; i++) word_o[5+i] = turned(payload[i]);
      for (int unsigned i = 1; i < LineWords; i++) word_o[4+i] |= turned(answer[i]);
    end
  end
endmodule
