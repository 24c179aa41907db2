// SPDX-License-Identifier: Apache-2.0

/// The messages that are complete by a beat of a frame.
///
/// Combinational. A frame other than a FinePack packet is one message when it has ended. A packet hands on its head when its
/// header is there, and a chunk whenever a line's worth of payload is; whoever takes them must not believe them before the frame
/// has ended well.
module link_message
  import weft_pkg::*;
  import weft_frame_pkg::*;
(
  /// There are words in this cycle.
  input  logic               enable_i,
  input  status_t            status_i,
  input  text_t              text_i,
  /// Of a packet: payload behind the chunk that is full; its head, and its last chunk, have been handed on.
  input  payload_t           wrapped_i,
  input  logic               headed_i,
  input  logic               given_i,
  output logic               headed_o,
  output logic               given_o,
  /// The message; of a packet, its head.
  output logic               valid_o,
  output msg_class_e         class_o,
  output req_t               req_o,
  output fwd_t               fwd_o,
  output rsp_t               rsp_o,
  /// It is a packet: its head is new in this beat; so is a chunk; so is one more, the last.
  output logic               packet_o,
  output logic               head_o,
  output logic   [1:0]       chunk_valid_o,
  output req_t   [1:0]       chunk_o
);
  logic [1:0] low;
  logic looks;

  // Its number is the receiver's business.
  logic unused_number;
  assign unused_number = ^status_i.number;

  // A packet is looked at whenever words come, anything else when it has ended.
  assign looks = enable_i && status_i.active && (Packets || status_i.ended);

  tlp_decode i_decode (
    .enable_i(looks),
    .header_i(text_i.header),
    .line_i(text_i.line),
    .count_i(status_i.size),
    .prefix_i(status_i.prefix),
    .timed_i(status_i.timed),
    .moment_i(status_i.moment),
    .valid_o,
    .class_o,
    .req_o,
    .fwd_o,
    .rsp_o,
    .low_o(low)
  );

  if (Packets) begin : gen_chunks
    logic full, rest, last;
    // Words of the chunk that is filling, and of the one behind it.
    logic [6:0] filling, more;

    assign full     = status_i.reach >= 7'(BodyWords);
    assign rest     = status_i.reach > 7'(BodyWords);
    assign last     = status_i.done && !rest;
    assign filling  = full ? 7'(LineWords) : status_i.reach - 7'(HeaderWords);
    assign more     = status_i.reach - 7'(BodyWords);
    assign packet_o = valid_o && class_o == MsgClassRequest && req_o.kind == ReqKindPacket;
    assign head_o   = packet_o && !headed_i && status_i.reach >= 7'(HeaderWords);
    assign headed_o = headed_i || head_o;
    assign given_o  = packet_o && status_i.done && status_i.reach > 7'(HeaderWords);

    // Bytes of a chunk that has so many words; the last word of a packet may be cut.
    function automatic mask_t bytes_of(logic [6:0] words, logic ends, logic [1:0] low_bits);
      bytes_of = '0;
      for (int unsigned w = 0; w < LineWords; w++) begin
        if (w < 32'(words)) bytes_of[4*w+:4] = (ends && w + 1 == 32'(words)) ? last_enable(low_bits) : 4'hf;
      end
    endfunction

    function automatic req_t chunk_of(word_t [LineWords-1:0] words, logic [6:0] count, logic ends,
                                      logic [1:0] low_bits, logic [3:0] src, logic [3:0] dst);
      chunk_of      = '0;
      chunk_of.kind = ReqKindChunk;
      chunk_of.src  = src;
      chunk_of.dst  = dst;
      chunk_of.id   = 6'(ends);
      chunk_of.mask = bytes_of(count, ends, low_bits);
      for (int unsigned w = 0; w < LineWords; w++) begin
        if (w < 32'(count)) chunk_of.data[32*w+:32] = turned(words[w]);
      end
    endfunction

    always_comb begin
      chunk_valid_o = '0;
      chunk_o       = '0;
      if (packet_o && !given_i && status_i.reach > 7'(HeaderWords)) begin
        chunk_valid_o = {status_i.done && rest, full || status_i.done};
        chunk_o[0] = chunk_of(text_i.line, filling, last, low, req_o.src, req_o.dst);
        chunk_o[1] = chunk_of(wrapped_i, more, 1'b1, low, req_o.src, req_o.dst);
      end
    end
  end else begin : gen_whole
    logic unused;
    assign unused = ^{wrapped_i, headed_i, given_i, low, status_i.done, status_i.reach};
    assign packet_o = 1'b0;
    assign head_o   = 1'b0;
    assign headed_o = 1'b0;
    assign given_o  = 1'b0;
    assign chunk_valid_o = '0;
    assign chunk_o       = '0;
  end
endmodule
