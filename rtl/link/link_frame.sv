// SPDX-License-Identifier: Apache-2.0

/// What the words of one beat are to one frame: which of them are its own, where they go, and what it is afterwards.
///
/// Combinational; `link_rx` has one for the frame under way and one for a frame that begins in the beat. The words themselves go
/// to `link_gather`, a register later where there is one: so nothing here waits for a place to be filled, only for what the
/// header says of where the payload goes.
module link_frame
  import weft_pkg::*;
  import weft_frame_pkg::*;
#(
  /// Words of a beat.
  parameter int unsigned Words = 4
) (
  input  frame_t              frame_i,
  /// The words that follow those that the frame has; which of them are there, from the first on, and how many.
  input  word_t  [Words-1:0]  word_i,
  input  logic   [Words-1:0]  here_i,
  input  count_t              count_i,
  /// The frame with these words.
  output frame_t              frame_o,
  output status_t             status_o,
  /// The word that is its LCRC, or none.
  output logic   [Words-1:0]  last_o,
  /// Where the words go; of those that are left without the one to skip, which are header or payload, and which are payload.
  output aim_t                aim_o,
  output logic   [Words-1:0]  body_o,
  output logic   [Words-1:0]  payload_o
);
  logic prefix, second, timed, times, skip;
  logic [17:0] moment;
  logic [Words-1:0] own;

  // How many words are left is compared with constants, so that nothing is counted on the way from the wire to the masks.
  always_comb begin
    for (int unsigned j = 0; j < Words; j++) begin
      last_o[j] = frame_i.active && here_i[j] && frame_i.left == length_t'(j + 1);
      own[j] = frame_i.active && here_i[j] && frame_i.left > length_t'(j + 1);
    end
  end

  // The word after the token may be a prefix.
  assign second = frame_i.place == '0 && !frame_i.prefix && !frame_i.timed && here_i[0];
  assign prefix = frame_i.prefix ||
    (Packets && second && word_i[0][31:24] == TypePrefix && word_i[0][15:0] == Vendor);
  assign times  = BuiltLeases && second && word_i[0][31:24] == TypeTime;
  assign timed  = frame_i.timed || times;
  assign moment = times ? word_i[0][17:0] : frame_i.moment;
  assign skip   = (prefix && !frame_i.prefix) || times;
  assign body_o = skip ? own >> 1 : own;

  // ---------------------------------------------------------------- what the header says
  word_t [Words-1:0] shifted;
  logic [Words-1:0] there;
  logic completes, stamped, writes;
  line_place_t address;

  assign shifted = skip ? word_i >> 32 : word_i;
  assign there   = skip ? here_i >> 1 : here_i;

  // An LCRC may be taken for a word of header: then nothing follows any more.
  always_comb begin
    completes = frame_i.completes;
    stamped   = frame_i.stamped;
    writes    = frame_i.writes;
    address   = frame_i.address;
    for (int unsigned j = 0; j < Words; j++) begin
      if (there[j] && 32'(frame_i.place) + j == 0) begin
        completes = shifted[j][31:24] == TypeCompletion;
        writes    = shifted[j][31:24] == TypeWrite;
      end
      if (there[j] && 32'(frame_i.place) + j == 1) stamped = BuiltLeases && shifted[j][19];
      if (there[j] && 32'(frame_i.place) + j == 3) address = shifted[j][2+:$bits(line_place_t)];
    end
  end

  // ---------------------------------------------------------------- where the payload goes
  // In a beat of two words, payload never comes together with the word that says whether this is a completion or a write.
  localparam bit Known = Words <= 2;
  logic less, to_address;
  line_place_t start;

  // A completion has one word of header less; with time stamps it has them there.
  assign less       = Known ? frame_i.completes && !frame_i.stamped : completes && !stamped;
  assign to_address = (Known ? frame_i.writes : writes) && !(Packets && prefix);
  // The word of a line that the first one is, from the address in the header.
  assign start      = to_address ? address : '0;

  always_comb begin
    for (int unsigned j = 0; j < Words; j++) begin
      payload_o[j] = body_o[j] && 32'(frame_i.place) + j >= (less ? 32'd3 : 32'd4);
    end
    aim_o.skip   = skip;
    aim_o.place  = frame_i.place;
    aim_o.offset = line_offset_t'(frame_i.place) + line_offset_t'(start) - line_offset_t'(less ? 3 : 4);
  end

  // ---------------------------------------------------------------- the frame afterwards
  logic [6:0] reach;

  // Where the next word would go, were there places enough.
  if (Packets) begin : gen_reach
    always_comb begin
      reach = 7'(frame_i.place);
      for (int unsigned j = 0; j < Words; j++) reach += 7'(body_o[j]);
    end
  end else begin : gen_place
    // One too far in a frame that has ended, where nobody asks.
    assign reach = 7'(frame_i.place) + 7'(count_i) - 7'(skip);
  end

  always_comb begin
    status_o        = '0;
    status_o.active = frame_i.active && here_i[0];
    status_o.ended  = last_o != '0;
    status_o.done   = Packets && frame_i.left <= length_t'(count_i) + length_t'(1);
    status_o.number = frame_i.number;
    status_o.size   = frame_i.want - length_t'(2) - length_t'(prefix || timed);
    status_o.reach  = Packets ? reach : '0;
    status_o.prefix = prefix;
    status_o.timed  = timed;
    status_o.moment = moment;
  end

  always_comb begin
    frame_o           = frame_i;
    frame_o.active    = frame_i.active && last_o == '0;
    frame_o.left      = frame_i.left - length_t'(count_i);
    frame_o.prefix    = prefix;
    frame_o.timed     = timed;
    frame_o.moment    = moment;
    frame_o.completes = completes;
    frame_o.stamped   = stamped;
    frame_o.writes    = writes;
    frame_o.address   = address;
    frame_o.place     = 6'(reach);
    if (Packets && reach >= 7'(BodyWords)) frame_o.place = 6'(reach - 7'(LineWords));
  end
endmodule
