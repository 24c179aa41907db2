// SPDX-License-Identifier: Apache-2.0

/// Puts the words of a beat where they stand in a frame's header and line.
///
/// Combinational. A place takes from one lane only, whichever word that has: the words are turned until each stands in its lane, so
/// nothing as long as a message is shifted, and a place's register needs no more than an enable.
module link_gather
  import weft_pkg::*;
  import weft_frame_pkg::*;
#(
  /// Words of a beat.
  parameter int unsigned Words = 4,
  /// 0: there are never so many words that one of them is payload.
  parameter bit Payload = 1'b1
) (
  input  text_t              text_i,
  input  word_t  [Words-1:0] word_i,
  /// See link_frame.
  input  aim_t               aim_i,
  input  logic   [Words-1:0] body_i,
  input  logic   [Words-1:0] payload_i,
  /// With these words. Of a packet: those of the chunk behind the one that is filled by them, and what is kept then.
  output text_t              text_o,
  output payload_t           wrapped_o,
  output text_t              kept_o
);
  localparam int unsigned Lanes = 1 << $clog2(Words);
  typedef word_t [Lanes-1:0] lanes_t;
  typedef logic [2*LineWords-1:0] places_t;

  function automatic lanes_t in_lanes(word_t [Words-1:0] words, logic [6:0] first);
    lanes_t lanes;
    lanes = lanes_t'(words);
    for (int unsigned step = 1; step < Lanes; step *= 2) begin
      if ((32'(first) & step) != '0) lanes = (lanes << (32 * step)) | (lanes >> (32 * (Lanes - step)));
    end
    return lanes;
  endfunction

  word_t [Words-1:0] shifted;
  lanes_t header_lanes;
  // A header has few of the places.
  /* verilator lint_off UNUSEDSIGNAL */
  places_t header_takes;
  /* verilator lint_on UNUSEDSIGNAL */

  assign shifted      = ((Packets || BuiltLeases) && aim_i.skip) ? word_i >> 32 : word_i;
  assign header_lanes = in_lanes(shifted, 7'(aim_i.place));
  assign header_takes = places_t'(body_i) << aim_i.place;

  always_comb begin
    text_o.header = text_i.header;
    for (int unsigned i = 0; i < HeaderWords; i++) begin
      if (header_takes[i]) text_o.header[i] = header_lanes[i%Lanes];
    end
  end

  payload_t merged, wrapped;
  logic [LineWords-1:0] again;

  if (Payload) begin : gen_payload
    lanes_t lanes;
    places_t takes;

    assign lanes = in_lanes(shifted, 7'(aim_i.offset));
    // Around the end: where words of header come before the payload, it begins before the line's first place.
    assign takes = (places_t'(payload_i) << aim_i.offset) |
      (places_t'(payload_i) >> (2 * LineWords - 32'(aim_i.offset)));

    always_comb begin
      // What the frame before had goes with the first word of the next one.
      merged  = header_takes[0] ? '0 : text_i.line;
      wrapped = '0;
      again   = '0;
      if (payload_i != '0) begin
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
    logic unused;
    assign unused  = ^{payload_i, aim_i.offset, text_i.line};
    assign merged  = '0;
    assign wrapped = '0;
    assign again   = '0;
  end

  assign text_o.line = merged;
  assign wrapped_o   = wrapped;

  always_comb begin
    kept_o = text_o;
    for (int unsigned c = 0; c < LineWords; c++) if (again[c]) kept_o.line[c] = wrapped[c];
  end
endmodule
