// SPDX-License-Identifier: Apache-2.0

/// The wire of a link and its side channel: what goes in comes out `Latency` cycles later.
///
/// Beyond a few cycles this is no shift register but a ring of places, of which one is read and written per cycle.
/// `noise_i` is for simulation: 0, or what happens to the beat and the record of this cycle.
module link_wire
  import weft_frame_pkg::*;
#(
  /// Cycles, from 0.
  parameter int unsigned Latency = 1,
  /// Words of a beat.
  parameter int unsigned Words   = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  noise_t             noise_i,
  input  count_t             beat_count_i,
  input  logic   [Words-1:0] beat_start_i,
  input  word_t  [Words-1:0] beat_word_i,
  output count_t             beat_count_o,
  output logic   [Words-1:0] beat_start_o,
  output word_t  [Words-1:0] beat_word_o,
  input  record_t            record_i,
  /// A lost record is all 0, which no CRC allows.
  output record_t            record_o
);
  typedef struct packed {
    count_t count;
    logic [Words-1:0] start;
    word_t [Words-1:0] word;
  } beat_t;

  // ---------------------------------------------------------------- noise
  beat_t sent, repeat_q, late_q, later_q;
  record_t record;

  always_comb begin
    sent = {beat_count_i, beat_start_i, beat_word_i};
    if (noise_i != '0 || repeat_q.count != '0 || later_q.count != '0) begin
      if (repeat_q.count != '0) sent = repeat_q;
      else if (later_q.count != '0) sent = later_q;
      if (noise_i.flip) begin
        for (int unsigned w = 0; w < Words; w++) begin
          if (w == 32'(noise_i.flip_word) % Words) begin
            if (noise_i.flip_bit[5]) sent.start[w] = !sent.start[w];
            else sent.word[w] ^= 32'd1 << noise_i.flip_bit[4:0];
          end
        end
      end
      if (noise_i.drop || noise_i.late) sent.count = '0;
    end
    record = record_i;
    if (noise_i.side_flip) record ^= $bits(record_t)'(1) << noise_i.side_bit;
    if (noise_i.side_drop) record = '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      repeat_q.count <= '0;
      late_q.count   <= '0;
      later_q.count  <= '0;
    end else begin
      repeat_q.count <= noise_i.repeats ? beat_count_i : '0;
      late_q.count   <= noise_i.late ? beat_count_i : '0;
      later_q.count  <= late_q.count;
      if (noise_i.repeats) {repeat_q.start, repeat_q.word} <= {beat_start_i, beat_word_i};
      if (noise_i.late) {late_q.start, late_q.word} <= {beat_start_i, beat_word_i};
      if (late_q.count != '0) {later_q.start, later_q.word} <= {late_q.start, late_q.word};
    end
  end

  // ---------------------------------------------------------------- the flight
  // Up to here flip-flops are the smaller.
  localparam int unsigned ShiftMost = 4;
  if (Latency == 0) begin : gen_at_once
    assign {beat_count_o, beat_start_o, beat_word_o} = sent;
    assign record_o = record;
  end else if (Latency <= ShiftMost) begin : gen_shift
    beat_t beat_q[Latency];
    record_t record_q[Latency];

    assign {beat_count_o, beat_start_o, beat_word_o} = beat_q[Latency-1];
    assign record_o = record_q[Latency-1];

    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Latency; i++) begin
        beat_q[i]   <= (i == 0) ? sent : beat_q[(i+Latency-1)%Latency];
        record_q[i] <= !rst_ni ? '0 : (i == 0) ? record : record_q[(i+Latency-1)%Latency];
        if (!rst_ni) beat_q[i].count <= '0;
      end
    end
  end else begin : gen_flight
    localparam int unsigned IndexWidth = (Latency > 1) ? $clog2(Latency) : 1;
    logic [IndexWidth-1:0] place_q;
    logic [Latency-1:0] valid_q, side_q;
    beat_t beat_q[Latency], arrived;
    record_t record_q[Latency];

    assign arrived = beat_q[place_q];
    assign beat_count_o = valid_q[place_q] ? arrived.count : '0;
    assign beat_start_o = arrived.start;
    assign beat_word_o = arrived.word;
    assign record_o = side_q[place_q] ? record_q[place_q] : '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        place_q <= '0;
        valid_q <= '0;
        side_q  <= '0;
      end else begin
        place_q <= (32'(place_q) == Latency - 1) ? '0 : place_q + 1'b1;
        valid_q[place_q] <= sent.count != '0;
        side_q[place_q]  <= 1'b1;
      end
    end
    // Without reset, so that it may become distributed RAM.
    always_ff @(posedge clk_i) begin
      if (sent.count != '0) beat_q[place_q] <= sent;
      record_q[place_q] <= record;
    end
  end
endmodule
