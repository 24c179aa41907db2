// SPDX-License-Identifier: Apache-2.0

/// One beat of a packet's payload: the runs of the blocks in the lanes, one behind the other, each with its sub-header,
/// cut where the beat ends. Combinational.
///
/// Lane 0 of the inputs that are lists is the first block that has bytes left; `blocks_i` alone is not turned.
module packetizer_walk
  import weft_pkg::*;
  import finepack_pkg::*;
(
  input  logic                     active_i,
  input  sub_header_t              sub_header_i,
  /// Which lane comes first.
  input  logic   [   LaneBits-1:0] turn_i,
  /// There is a block of this packet here, and in all before it.
  input  logic   [      Lanes-1:0] present_i,
  /// Bytes of it that have not left.
  input  enables_t                 left_i   [Lanes],
  input  tag_t                     tag_i    [Lanes],
  input  block_t                   blocks_i [Lanes],
  /// Bytes that the beat has already, and bytes of the first run that have left, its sub-header first.
  input  logic   [            5:0] fill_i,
  input  logic   [            7:0] skip_i,
  input  logic                     wrong_length_i,
  /// New bytes at their places, and how many the beat then has.
  output logic   [8*BeatBytes-1:0] beat_o,
  output logic   [            5:0] fill_o,
  output logic   [            7:0] skip_o,
  /// Blocks that have left whole, and runs of the blocks that have.
  output logic   [      Lanes-1:0] finished_o,
  output enables_t                 gone_o   [Lanes],
  /// Where the first run begins: what a plain WRITE needs.
  output logic   [            6:0] first_o
);
  typedef logic signed [9:0] place_t;
  localparam place_t End = 10'(BeatBytes);
  typedef logic [8*BeatBytes-1:0] beat_t;

  function automatic logic [6:0] lowest(enables_t e);
    lowest = '0;
    for (int unsigned i = 0; i < BlockBytes; i++) if (e[i]) lowest |= 7'(i);
  endfunction

  /// Ones from place `from` up to `to`, as bytes of the beat.
  function automatic beat_t ones(place_t from, place_t to);
    for (int unsigned j = 0; j < BeatBytes; j++) begin
      ones[8*j+:8] = {8{place_t'(j) >= from && place_t'(j) < to}};
    end
  endfunction

  // The k-th run: its lane, its bytes, where it begins and ends in its block and in the beat.
  logic [LaneBits-1:0] lane[Runs];
  logic [6:0] start[Runs];
  logic [7:0] length[Runs];
  logic [Runs-1:0] valid;
  place_t from[Runs];
  place_t to[Runs];

  always_comb begin
    logic [LaneBits:0] at;
    logic stopped;
    enables_t mask, bottom, run, rest;
    place_t place;
    finished_o = '0;
    for (int unsigned l = 0; l < Lanes; l++) gone_o[l] = '0;
    for (int unsigned k = 0; k < Runs; k++) begin
      lane[k]   = '0;
      start[k]  = '0;
      length[k] = '0;
      from[k]   = '0;
      to[k]     = '0;
    end
    valid   = '0;
    skip_o  = '0;
    at      = '0;
    mask    = left_i[0];
    place   = place_t'({4'd0, fill_i}) - place_t'({2'd0, skip_i});
    stopped = 1'b0;
    bottom  = '0;
    run     = '0;
    rest    = '0;
    if (active_i) begin
      for (int unsigned k = 0; k < Runs; k++) begin
        if (!stopped && 32'(at) < Lanes && present_i[at[LaneBits-1:0]]) begin
          bottom    = mask & (~mask + 128'd1);
          run       = mask & ~(mask + bottom);
          rest      = mask & ~run;
          valid[k]  = 1'b1;
          lane[k]   = at[LaneBits-1:0];
          start[k]  = lowest(bottom);
          length[k] = 8'($countones(run));
          from[k]   = place;
          to[k]     = place + place_t'({7'd0, sub_header_i}) + place_t'({2'd0, length[k]});
          if (to[k] > End) begin
            stopped = 1'b1;
            skip_o  = 8'(End - place);
          end else begin
            gone_o[at[LaneBits-1:0]] |= run;
            place = to[k];
            if (rest == '0) begin
              finished_o[at[LaneBits-1:0]] = 1'b1;
              at   = at + 1'b1;
              mask = left_i[at[LaneBits-1:0]];
            end else begin
              mask = rest;
            end
          end
        end else begin
          stopped = 1'b1;
        end
      end
    end
    // A run that did not fit fills the beat.
    fill_o = (skip_o != '0) ? 6'(BeatBytes) : 6'(place);
  end

  assign first_o = start[0];

  // Each run's bytes to their places: the sub-header from the left of its block's bytes, all moved at once.
  always_comb begin
    logic [8*SubHeaderMax-1:0] header;
    logic [9:0] shown;
    place_t data_at;
    logic [8*(BlockBytes+BeatBytes)-1:0] wide;
    logic [8*(SubHeaderMax+BeatBytes)-1:0] narrow;
    beat_o  = '0;
    header  = '0;
    shown   = '0;
    data_at = '0;
    wide    = '0;
    narrow  = '0;
    for (int unsigned k = 0; k < Runs; k++) begin
      if (valid[k]) begin
        shown   = 10'(length[k]) - 10'(wrong_length_i && length[k] > 8'd64);
        header  = {38'({tag_i[lane[k]], start[k]} & window_mask(sub_header_i)), shown};
        data_at = from[k] + place_t'({7'd0, sub_header_i});
        // A sub-header starts at most its length before the beat, if any of it is in the beat.
        narrow  = {header, {BeatBytes{8'd0}}};
        if (from[k] < End && data_at > 0) begin
          narrow = narrow >> {(10'(BeatBytes) - 10'(from[k])), 3'b000};
          beat_o |= narrow[8*BeatBytes-1:0] & ones(from[k], data_at);
        end
        wide = {blocks_i[LaneBits'(turn_i+lane[k])], {BeatBytes{8'd0}}};
        if (data_at < End) begin
          wide = wide >> {(10'(BeatBytes) + 10'(start[k]) - 10'(data_at)), 3'b000};
          beat_o |= wide[8*BeatBytes-1:0] & ones(data_at, to[k]);
        end
      end
    end
  end
endmodule
