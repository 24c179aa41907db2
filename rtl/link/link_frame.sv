// SPDX-License-Identifier: Apache-2.0

/// What the words of one beat add to one frame: its new state, and the messages that are complete by it.
///
/// Combinational; `link_rx` has one for the frame under way and one for a frame that begins in the beat. A frame
/// other than a FinePack packet is one message when it has ended. A packet hands on its head when its header is there, and a chunk
/// whenever a line's worth of payload is; whoever takes them must not believe them before the frame has ended well.
module link_frame
  import weft_pkg::*;
  import weft_frame_pkg::*;
#(
  /// Words of a beat.
  parameter int unsigned Words = 4,
  /// 0: there are never so many words that one of them is payload.
  parameter bit Payload = 1'b1
) (
  input  frame_t              frame_i,
  /// The words that follow those that the frame has; from `count_i` on they are not of this frame.
  input  word_t  [Words-1:0]  word_i,
  input  count_t              count_i,
  /// The frame with these words.
  output frame_t              frame_o,
  /// Its last word, the LCRC, is here: word `last_o` of `word_i`.
  output logic                ended_o,
  output count_t              last_o,
  /// The message; of a packet, its head.
  output logic                valid_o,
  output msg_class_e          class_o,
  output req_t                req_o,
  output fwd_t                fwd_o,
  output rsp_t                rsp_o,
  /// It is a packet: its head is new in this beat; so is a chunk; so is one more, the last.
  output logic                packet_o,
  output logic                head_o,
  output logic   [1:0]        chunk_valid_o,
  output req_t   [1:0]        chunk_o
);
  count_t take, body, skip;
  logic prefix, second, timed, times;
  logic [17:0] moment;

  // Words of this beat that are the frame's, and those that go into its body.
  assign ended_o = frame_i.active && frame_i.left <= length_t'(count_i);
  assign take    = ended_o ? count_t'(frame_i.left) : count_i;
  assign last_o  = take - count_t'(1);
  // The word after the token may be a prefix.
  assign second  = frame_i.left + length_t'(1) == frame_i.want && count_i != '0;
  assign prefix  = frame_i.prefix ||
    (Packets && second && word_i[0][31:24] == TypePrefix && word_i[0][15:0] == Vendor);
  assign times   = BuiltLeases && second && word_i[0][31:24] == TypeTime;
  assign timed   = frame_i.timed || times;
  assign moment  = times ? word_i[0][17:0] : frame_i.moment;
  assign skip    = count_t'((prefix && !frame_i.prefix) || times);
  assign body    = take - skip - count_t'(ended_o);

  // ---------------------------------------------------------------- words into their places
  // A place takes from one lane only, whichever word that has: the words are turned until each stands in its lane.
  localparam int unsigned Lanes = 1 << $clog2(Words);
  typedef word_t [Lanes-1:0] lanes_t;

  word_t [Words-1:0] shifted;
  logic [6:0] reach;

  assign shifted = ((Packets || BuiltLeases) && skip != '0) ? word_i >> 32 : word_i;
  // Where the next word would go, were there places enough.
  assign reach   = 7'(frame_i.place) + 7'(body);

  function automatic lanes_t in_lanes(word_t [Words-1:0] words, logic [6:0] first);
    lanes_t lanes;
    lanes = lanes_t'(words);
    for (int unsigned step = 1; step < Lanes; step *= 2) begin
      if ((32'(first) & step) != '0) lanes = (lanes << (32 * step)) | (lanes >> (32 * (Lanes - step)));
    end
    return lanes;
  endfunction

  // Which of the lowest places lie from one on and before another, as a mask: smaller than to compare each.
  typedef logic [2*LineWords-1:0] places_t;
  function automatic places_t between(logic [6:0] from, logic [6:0] upto);
    return ({2 * LineWords{1'b1}} << from) & ~({2 * LineWords{1'b1}} << upto);
  endfunction

  lanes_t header_lanes;
  header_t header;
  // A beat has words for few of them.
  /* verilator lint_off UNUSEDSIGNAL */
  places_t header_takes;
  /* verilator lint_on UNUSEDSIGNAL */

  assign header_lanes = in_lanes(shifted, 7'(frame_i.place));
  assign header_takes = frame_i.active ? between(7'(frame_i.place), reach) : '0;

  always_comb begin
    header = frame_i.header;
    for (int unsigned i = 0; i < HeaderWords; i++) if (header_takes[i]) header[i] = header_lanes[i%Lanes];
  end

  payload_t merged, wrapped;
  logic [LineWords-1:0] again;

  if (Payload) begin : gen_payload
    lanes_t lanes;
    logic [2:0] lead;
    line_place_t start;
    logic [6:0] from, upto;
    places_t takes;

    assign lead   = words_before(header[0][31:24], header[1][19]);
    assign start  = first_place(header[0][31:24], prefix, header[3][2+:$clog2(LineWords)]);
    assign lanes  = in_lanes(shifted, 7'(frame_i.place) + 7'(start) - 7'(lead));
    // The places of the line that are filled now.
    assign from   = 7'(start) + ((7'(frame_i.place) > 7'(lead)) ? 7'(frame_i.place) - 7'(lead) : '0);
    assign upto   = 7'(start) + ((reach > 7'(lead)) ? reach - 7'(lead) : '0);
    assign takes  = between(from, upto);

    always_comb begin
      merged  = frame_i.line;
      wrapped = '0;
      again   = '0;
      if (frame_i.active && body != '0) begin
        for (int unsigned c = 0; c < LineWords; c++) begin
          if (takes[c]) merged[c] = lanes[c%Lanes];
          if (Packets && takes[LineWords+c]) begin
            again[c]   = 1'b1;
            wrapped[c] = lanes[c%Lanes];
          end
        end
      end
    end
  end else begin : gen_header
    assign merged  = '0;
    assign wrapped = '0;
    assign again   = '0;
  end

  // ---------------------------------------------------------------- the message
  logic [1:0] low;
  logic looks;

  // A packet is looked at whenever words come, anything else when it has ended.
  assign looks = frame_i.active && count_i != '0 && (Packets || ended_o);

  tlp_decode i_decode (
    .enable_i(looks),
    .header_i(header),
    .line_i(merged),
    .count_i(frame_i.want - length_t'(2) - length_t'(prefix || timed)),
    .prefix_i(prefix),
    .timed_i(timed),
    .moment_i(moment),
    .valid_o,
    .class_o,
    .req_o,
    .fwd_o,
    .rsp_o,
    .low_o(low)
  );

  // ---------------------------------------------------------------- chunks
  logic full, rest, done, last;
  // Words of the chunk that is filling, and of the one behind it.
  logic [6:0] filling, more;

  assign last     = done && !rest;
  assign filling  = full ? 7'(LineWords) : reach - 7'(HeaderWords);
  assign more     = reach - 7'(BodyWords);

  // All of the payload is there; the LCRC may be missing.
  assign done     = frame_i.left <= length_t'(count_i) + length_t'(1);
  assign full     = reach >= 7'(BodyWords);
  assign rest     = reach > 7'(BodyWords);
  assign packet_o = Packets && valid_o && class_o == MsgClassRequest && req_o.kind == ReqKindPacket;
  assign head_o   = packet_o && !frame_i.headed && reach >= 7'(HeaderWords);

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
    if (Packets) begin
      if (packet_o && !frame_i.given && reach > 7'(HeaderWords)) begin
        chunk_valid_o = {done && rest, full || done};
        chunk_o[0] = chunk_of(merged, filling, last, low, req_o.src, req_o.dst);
        chunk_o[1] = chunk_of(wrapped, more, 1'b1, low, req_o.src, req_o.dst);
      end
    end
  end

  // ---------------------------------------------------------------- the frame afterwards
  always_comb begin
    frame_o        = frame_i;
    frame_o.active = frame_i.active && !ended_o;
    frame_o.left   = frame_i.left - length_t'(take);
    frame_o.prefix = prefix;
    frame_o.timed  = timed;
    frame_o.moment = moment;
    frame_o.headed = frame_i.headed || head_o;
    frame_o.given  = packet_o && done && reach > 7'(HeaderWords);
    frame_o.header = header;
    frame_o.line   = merged;
    frame_o.place  = 6'(reach);
    if (Packets) begin
      for (int unsigned c = 0; c < LineWords; c++) if (again[c]) frame_o.line[c] = wrapped[c];
      if (full) frame_o.place = 6'(reach - 7'(LineWords));
    end
  end
endmodule
