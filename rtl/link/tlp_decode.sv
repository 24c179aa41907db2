// SPDX-License-Identifier: Apache-2.0

/// The message that the words of a frame carry, or that they carry none (docs/wire.md).
///
/// Combinational, the reverse of `tlp_encode`. Fields that a kind has no use for are 0. Of a FinePack packet this is the head;
/// its chunks are cut out by
/// `link_frame`.
module tlp_decode
  import weft_pkg::*;
  import weft_frame_pkg::*;
(
  /// Somebody looks at the outputs; the simulator is spared all work if nobody does.
  input  logic       enable_i,
  /// Header, and payload where it stands in its line (weft_frame_pkg), without token, prefix and LCRC.
  input  header_t    header_i,
  input  payload_t   line_i,
  /// Words of the two in the frame; may be more than there is room for here.
  input  length_t    count_i,
  /// A vendor prefix stood before the header; or one with the sender's clock, these.
  input  logic       prefix_i,
  input  logic        timed_i,
  input  logic [17:0] moment_i,
  /// It is a message of ours.
  output logic       valid_o,
  output msg_class_e class_o,
  output req_t       req_o,
  output fwd_t       fwd_o,
  output rsp_t       rsp_o,
  /// Words of payload that the header announces.
  output logic [1:0] low_o
);
  header_t header;
  payload_t payload;
  logic [7:0] kind;
  length_t length;
  logic [3:0] first, last;

  assign header = header_i;
  assign kind   = header[0][31:24];
  assign length = (header[0][9:0] == '0) ? length_t'(1024) : length_t'(header[0][9:0]);
  assign last   = header[1][7:4];
  assign first  = header[1][3:0];

  always_comb begin
    payload = 'x;
    if (enable_i) for (int unsigned i = 0; i < LineWords; i++) payload[i] = turned(line_i[i]);
  end

  // ---------------------------------------------------------------- requests with an address
  logic plain, with_payload, narrow, packet, atomic, own;
  logic [39:0] address;
  line_place_t place;
  mask_t run;
  logic [3:0] from, upto;
  func_e func;

  assign address      = {header[2][7:0], header[3]};
  assign place        = address[$clog2(Line)-1:2];
  // No more than 16 nodes, 40 bits, whole words.
  assign plain        = header[1][31:28] == '0 && header[2][31:8] == '0 && header[3][1:0] == '0;
  // Compared with what the frame has beside its header, which is there before the header is: no sum of what just came.
  assign with_payload = length == count_i - length_t'(HeaderWords);
  assign packet       = Packets && (prefix_i ? kind == TypeWrite : kind == TypeFinePack);
  assign own          = kind == TypeFunction;
  assign atomic       = kind inside {TypeFetchAdd, TypeSwap, TypeCas, TypeFunction};
  assign func         = (kind == TypeFetchAdd) ? FuncAdd : (kind == TypeSwap) ? FuncExch :
    (kind == TypeCas) ? FuncCas : func_e'(last);
  assign narrow       = length == ((func == FuncCas) ? length_t'(2) : length_t'(1));

  // A write's bytes: from the lowest enabled one of its first word up to the highest of its last.
  function automatic logic [3:0] upwards(logic [3:0] e);
    return {|e, |e[2:0], |e[1:0], e[0]};
  endfunction
  function automatic logic [3:0] downwards(logic [3:0] e);
    return {e[3], |e[3:2], |e[3:1], |e};
  endfunction

  assign from = upwards(first);
  assign upto = downwards((length == length_t'(1)) ? first : last);

  logic write_good, atomic_good, packet_good;
  logic [3:0] packet_enable;

  always_comb begin
    if (length == length_t'(1)) write_good = last == '0 && first == (from & upto) && first != '0;
    else write_good = first == from && last == upto && first != '0 && last != '0;
    if (length + length_t'(place) > length_t'(LineWords)) write_good = 1'b0;
  end

  always_comb begin
    atomic_good = narrow || length == ((func == FuncCas) ? length_t'(4) : length_t'(2));
    if (own && !(last inside {[FuncMin : FuncXor]})) atomic_good = 1'b0;
    if (!narrow && address[2]) atomic_good = 1'b0;
  end

  assign packet_enable = (length == length_t'(1)) ? first : last;
  always_comb begin
    // How many bytes the last word has.
    case (packet_enable)
      4'h1: low_o = 2'd1;
      4'h3: low_o = 2'd2;
      4'h7: low_o = 2'd3;
      default: low_o = 2'd0;
    endcase
    if (!prefix_i) begin
      low_o = last[1:0];
      packet_good = last[3:2] == '0 && first == '0;
    end else begin
      packet_good = packet_enable inside {4'h1, 4'h3, 4'h7, 4'hf} &&
        ((length == length_t'(1)) ? last == '0 : first == 4'hf);
    end
  end

  // The run's words: not before its first, not behind its last.
  typedef logic [$clog2(LineWords):0] end_t;
  logic [LineWords-1:0] covered, at_first, at_last;
  end_t behind;

  assign behind   = end_t'(place) + end_t'(length);
  assign covered  = ({LineWords{1'b1}} << place) & ~({LineWords{1'b1}} << behind);
  assign at_first = LineWords'(1) << place;
  assign at_last  = LineWords'(((LineWords + 1)'(1) << behind) >> 1);

  always_comb begin
    run = 'x;
    for (int unsigned w = 0; w < LineWords && enable_i; w++) begin
      run[4*w+:4] = {4{covered[w]}} & (at_first[w] ? from : 4'hf) & (at_last[w] ? upto : 4'hf);
    end
  end

  // ---------------------------------------------------------------- messages and completions
  logic [3:0] source, target;
  message_e message;
  logic message_good, whole, answer_good, completion_good, stamped, wrote;
  length_t answer;  // words of a completion without its stamps

  assign source = header[1][27:24];
  assign target = header[2][27:24];
  assign message = message_e'(header[1][23:21]);
  assign message_good = header[1][31:28] == '0 && header[2][31:28] == '0 && header[1][7:0] == MessageCode &&
    header[2][15:0] == Vendor && header[1][23:21] <= MessageSeen && count_i == length_t'(HeaderWords);
  assign stamped = BuiltLeases && header[1][19];
  assign wrote = BuiltLeases && header[1][20];
  assign answer = length - length_t'(stamped);
  assign whole = answer == length_t'(LineWords);
  assign answer_good = wrote ? stamped && answer inside {length_t'(0), length_t'(1)} :
    (whole || answer inside {length_t'(1), length_t'(2)}) && !(stamped && header[3] == '0);
  assign completion_good = answer_good && length == count_i - length_t'(3) &&
    header[1][15:13] == '0 && header[1][11:0] == {length[9:0], 2'd0} && header[1][31:28] == '0 &&
    header[2][31:28] == '0;

  // ---------------------------------------------------------------- which it is
  logic is_read, is_renewal, is_write, is_atomic, is_packet, is_message, is_completion, has_address;

  assign is_read = !prefix_i && kind == TypeRead && plain && count_i == length_t'(HeaderWords) &&
    length == length_t'(LineWords) && header[1][7:0] == 8'hff && place == '0;
  // Only of somebody whose clock has passed the copy's lease.
  assign is_renewal = BuiltLeases && timed_i && !prefix_i && kind == TypeRenew && plain && with_payload &&
    length == length_t'(1) && !header[1][15] && header[1][7:0] == 8'h0f && place == '0 &&
    line_i[0][31:16] == '0;
  assign is_write = !prefix_i && kind == TypeWrite && plain && with_payload && write_good;
  assign is_atomic = !prefix_i && atomic && plain && with_payload && atomic_good;
  assign is_packet = packet && plain && with_payload && packet_good;
  assign is_message = !prefix_i && kind == TypeMessage && message_good;
  assign is_completion = !prefix_i && kind == TypeCompletion && completion_good;
  assign has_address = is_read || is_write || is_atomic;
  assign valid_o = enable_i && (timed_i ? (has_address || is_renewal) && moment_i[15:0] != '0 :
    has_address || is_packet || is_message || is_completion);

  always_comb begin
    class_o = MsgClassRequest;
    if (is_completion) class_o = MsgClassResponse;
    if (is_message && message inside {MessageInv, MessageMark}) class_o = MsgClassForward;
    if (is_message && message inside {MessageAck, MessageSeen}) class_o = MsgClassResponse;
  end

  always_comb begin
    req_o      = '0;
    req_o.src  = source;
    req_o.data = payload;
    if (!enable_i) begin
      req_o = 'x;
    end else if (kind == TypeMessage) begin
      req_o.kind    = ReqKindMarker;
      req_o.dst     = target;
      req_o.id      = header[1][13:8];
      req_o.address = {target, 21'd0, header[1][18:16], 12'd0};
    end else begin
      req_o.dst     = header[1][23:20];
      req_o.cu      = header[1][18:16];
      req_o.id      = header[1][13:8];
      req_o.address = address;
      if (timed_i) {req_o.era, req_o.cts} = moment_i;
      if (packet) begin
        req_o.kind = ReqKindPacket;
        req_o.wide = prefix_i;
        req_o.data = '0;
        req_o.data[15:0] = (low_o == 2'd0) ? {3'd0, length, 2'd0} : {3'd0, length - length_t'(1), low_o};
      end else if (kind == TypeWrite) begin
        req_o.kind = ReqKindWrite;
        req_o.func = func_e'(BuiltLeases && header[1][15]);
        req_o.address[$clog2(Line)-1:0] = '0;
        req_o.mask = run;
      end else if (atomic) begin
        req_o.kind = ReqKindAtomic;
        req_o.func = func;
        req_o.wide = !narrow;
        // The compare value goes first.
        if (func == FuncCas) begin
          req_o.data[127:0] = {payload[1:0], payload[3:2]};
          if (narrow) req_o.data[127:0] = {32'd0, payload[0], 32'd0, payload[1]};
        end
      end else begin
        req_o.wide = BuiltLeases && header[1][15];
        if (BuiltLeases && kind == TypeRenew) begin
          req_o.func = func_e'(1);
          req_o.mask = Line'(line_i[0][15:0]);
          req_o.data = '0;
        end
      end
    end
  end

  always_comb begin
    fwd_o     = '0;
    fwd_o.src = source;
    fwd_o.dst = target;
    if (message == MessageInv) begin
      fwd_o.kind    = FwdKindInv;
      fwd_o.block   = header[1][20];
      fwd_o.cause   = cause_e'(header[1][19]);
      fwd_o.stamp   = {header[1][15:8], header[2][23:16]};
      fwd_o.address = {source, header[3], 4'd0};
    end else begin
      fwd_o.kind     = FwdKindMark;
      fwd_o.releaser = header[2][19:16];
      fwd_o.id       = header[1][13:8];
      fwd_o.stamp    = header[3][15:0];
      fwd_o.address  = {source, 21'd0, header[1][18:16], 12'd0};
    end
  end

  always_comb begin
    rsp_o      = '0;
    rsp_o.src  = source;
    rsp_o.dst  = target;
    rsp_o.bank = header[1][18:16];
    rsp_o.data = payload;
    if (!enable_i) begin
      rsp_o = 'x;
    end else if (kind == TypeMessage) begin
      rsp_o.stamp = header[3][15:0];
      if (message == MessageAck) begin
        rsp_o.kind  = RspKindAck;
        rsp_o.id    = header[1][13:8];
        rsp_o.count = header[2][19:16];
        rsp_o.seen  = header[1][20];
      end else begin
        rsp_o.kind = RspKindSeen;
      end
    end else begin
      rsp_o.cu = header[2][18:16];
      rsp_o.id = header[2][13:8];
      if (wrote) begin
        rsp_o.kind  = RspKindWrote;
        rsp_o.data  = '0;
        rsp_o.wide  = answer == '0;
        rsp_o.stamp = rsp_o.wide ? '0 : line_i[0][15:0];
      end else if (whole) begin
        rsp_o.kind = RspKindLine;
      end else begin
        rsp_o.kind = RspKindAtomic;
        rsp_o.wide = answer == length_t'(2);
      end
      if (stamped) {rsp_o.wts, rsp_o.rts} = header[3];
    end
  end
endmodule
