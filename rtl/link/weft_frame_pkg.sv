// SPDX-License-Identifier: Apache-2.0

/// What both ends of a link know of the wire: words, tokens, CRCs, records of the side channel (docs/wire.md).
package weft_frame_pkg;
  import weft_pkg::*;
  import weft_cost_pkg::CostMax;

  typedef logic [31:0] word_t;
  typedef logic [10:0] length_t;
  typedef logic [11:0] sequence_t;
  /// Words of a beat that are there, up to 16; 0: there is no beat.
  typedef logic [4:0] count_t;

  /// 1: FinePack packets may pass.
  localparam bit Packets = EgressFinepack != 0;
  localparam int unsigned LineWords = Line / 4;
  localparam int unsigned HeaderWords = 4;
  /// The longest frame that is one message, and its header and payload.
  localparam int unsigned MessageWords = CostMax / 4;
  localparam int unsigned BodyWords = HeaderWords + LineWords;
  /// Token, prefix, header, 4 KiB and LCRC.
  localparam int unsigned FrameWordsMax = Packets ? 1031 : MessageWords;
  localparam int unsigned FrameWordsMin = 6;

  typedef word_t [HeaderWords-1:0] header_t;
  typedef word_t [LineWords-1:0] payload_t;
  /// Token, header and where there may be one a prefix.
  localparam int unsigned LeadWords = (Packets || BuiltLeases) ? 6 : 5;
  /// A word of a line.
  typedef logic [$clog2(LineWords)-1:0] line_place_t;

  /// A word of two lines: of the one that is filling, and of the one behind it.
  typedef logic [$clog2(LineWords):0] line_offset_t;

  /// A frame that has begun to arrive: all that says where its next words go. The words are kept elsewhere.
  typedef struct packed {
    /// It has a good token, and words are missing.
    logic active;
    length_t want;
    /// Words still to come, LCRC included.
    length_t left;
    sequence_t number;
    /// It has a vendor prefix, which is not kept.
    logic prefix;
    /// It has a prefix with its sender's clock and era.
    logic timed;
    logic [17:0] moment;
    /// Where the next word goes, behind a header of four words.
    logic [5:0] place;
    /// What its header says of where the payload goes, as far as it is there: a completion, with stamps; a write, to this place.
    logic completes;
    logic stamped;
    logic writes;
    line_place_t address;
  } frame_t;

  /// Where a beat's words go: one word is no part of header and payload; the first of the others goes here, and would go there
  /// in its line.
  typedef struct packed {
    logic skip;
    logic [5:0] place;
    line_offset_t offset;
  } aim_t;

  /// What is known of a frame with the words of a beat.
  typedef struct packed {
    logic active;
    /// Its last word, the LCRC, is here.
    logic ended;
    /// All of its payload is here; the LCRC may be missing.
    logic done;
    sequence_t number;
    /// Words of header and payload that it will have, and places behind those that are here.
    length_t size;
    logic [6:0] reach;
    logic prefix;
    logic timed;
    logic [17:0] moment;
  } status_t;

  /// The words of a frame, each where it stands in header and line.
  typedef struct packed {
    header_t header;
    /// 0 where there is none. Of a packet, the chunk that is filling.
    payload_t line;
  } text_t;

  // ---------------------------------------------------------------- types of packets: Fmt and Type
  localparam logic [7:0] TypeRead = 8'h20;
  localparam logic [7:0] TypeWrite = 8'h60;
  localparam logic [7:0] TypeRenew = 8'h61;
  localparam logic [7:0] TypeFetchAdd = 8'h6c;
  localparam logic [7:0] TypeSwap = 8'h6d;
  localparam logic [7:0] TypeCas = 8'h6e;
  localparam logic [7:0] TypeFunction = 8'h68;
  localparam logic [7:0] TypeFinePack = 8'h6f;
  localparam logic [7:0] TypeMessage = 8'h32;
  localparam logic [7:0] TypeCompletion = 8'h4a;
  localparam logic [7:0] TypePrefix = 8'h9e;
  localparam logic [7:0] TypeTime = 8'h9f;
  localparam logic [7:0] MessageCode = 8'h7f;
  localparam logic [15:0] Vendor = 16'h5745;

  typedef enum logic [2:0] {
    MessageMarker,
    MessageInv,
    MessageMark,
    MessageAck,
    MessageSeen
  } message_e;

  // ---------------------------------------------------------------- bytes
  /// A word's bytes in the other order: payload stands in the order of its addresses, the first byte highest.
  function automatic word_t turned(word_t word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  /// How many bytes of a payload's last word are there, from the two low bits of the payload's bytes.
  function automatic logic [3:0] last_enable(logic [1:0] low);
    case (low)
      2'd1: return 4'h1;
      2'd2: return 4'h3;
      2'd3: return 4'h7;
      default: return 4'hf;
    endcase
  endfunction

  // ---------------------------------------------------------------- token
  function automatic logic [3:0] length_check(length_t l);
    return {^(l & 11'h1af), ^(l & 11'h35e), ^(l & 11'h6bc), ^(l & 11'h4d7)};
  endfunction

  function automatic word_t token(length_t words, sequence_t number);
    logic [3:0] check;
    check = length_check(words);
    return {4'hf, words, ^{words, check}, check, number};
  endfunction

  /// The token of a frame that can be.
  function automatic logic token_good(word_t word);
    length_t words;
    words = word[27:17];
    return word == token(
        words, word[11:0]
    ) && words >= length_t'(FrameWordsMin) && words <= length_t'(FrameWordsMax);
  endfunction

  // ---------------------------------------------------------------- LCRC
  localparam word_t CrcBegin = '1;

  /// Which bits of old CRC and word together go into each bit of the new CRC.
  function automatic word_t [31:0] crc_masks();
    word_t [31:0] masks;
    word_t state;
    for (int unsigned i = 0; i < 32; i++) begin
      state = 32'd1 << i;
      for (int unsigned k = 0; k < 32; k++) state = (state >> 1) ^ (state[0] ? 32'hedb88320 : 32'd0);
      for (int unsigned b = 0; b < 32; b++) masks[b][i] = state[b];
    end
    return masks;
  endfunction
  localparam word_t [31:0] CrcMasks = crc_masks();

  function automatic word_t crc_step(word_t crc, word_t word);
    word_t mixed, next;
    mixed = crc ^ turned(word);
    for (int unsigned b = 0; b < 32; b++) next[b] = ^(mixed & CrcMasks[b]);
    return next;
  endfunction

  // ---------------------------------------------------------------- side channel
  typedef struct packed {
    sequence_t ack;
    logic [3:0] naks;
    /// Messages read so far.
    logic [7:0] rsp;
    logic [7:0] fwd;
    logic [7:0] req;
    logic [3:0] zero;
  } report_t;

  typedef struct packed {
    report_t report;
    logic [7:0] crc;
  } record_t;

  function automatic logic [7:0] record_crc_of(report_t report);
    logic [7:0] crc;
    crc = '1;
    for (int unsigned i = 0; i < $bits(report_t); i++) begin
      crc = {crc[6:0], 1'b0} ^ ((crc[7] ^ report[$bits(report_t)-1-i]) ? 8'h07 : 8'h00);
    end
    return crc;
  endfunction

  /// Which bits of a report go into each bit of its CRC: a tree each, where the steps above are a chain.
  function automatic report_t [7:0] record_masks();
    report_t [7:0] masks;
    logic [7:0] crc;
    for (int unsigned i = 0; i < $bits(report_t); i++) begin
      crc = record_crc_of(report_t'(1) << i) ^ record_crc_of('0);
      for (int unsigned b = 0; b < 8; b++) masks[b][i] = crc[b];
    end
    return masks;
  endfunction
  localparam report_t [7:0] RecordMasks = record_masks();
  localparam logic [7:0] RecordBegin = record_crc_of('0);

  function automatic logic [7:0] record_crc(report_t report);
    for (int unsigned b = 0; b < 8; b++) record_crc[b] = RecordBegin[b] ^ ^(report & RecordMasks[b]);
  endfunction

  // ---------------------------------------------------------------- what simulation does to a wire
  /// All 0: a wire that does its work.
  typedef struct packed {
    /// A bit of this cycle's beat is turned: word and bit; bit 32 is the start bit.
    logic flip;
    logic [3:0] flip_word;
    logic [5:0] flip_bit;
    /// The beat is lost; comes again in the next cycle, in place of that one's; comes two cycles later, in place of that one's.
    logic drop;
    logic repeats;
    logic late;
    /// The record of this cycle is lost; a bit of it is turned.
    logic side_drop;
    logic side_flip;
    logic [5:0] side_bit;
  } noise_t;
endpackage
