// SPDX-License-Identifier: Apache-2.0

/// The wire of a link and its side channel: what goes in comes out `Latency` cycles later, beats `Ahead` of that and records
/// `Early`.
///
/// `noise_i` is for simulation: 0, or what happens to the beat and the record of this cycle.
module link_wire
  import weft_frame_pkg::*;
#(
  /// Cycles, from 0.
  parameter int unsigned Latency = 1,
  /// Cycles of the beats' flight that the receiver takes over, up to all of them.
  parameter int unsigned Ahead   = 0,
  /// Cycles of the records' flight that its ends take over.
  parameter int unsigned Early   = 0,
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
  link_flight #(
    .T(beat_t),
    .Latency(Latency - Ahead)
  ) i_beats (
    .clk_i,
    .rst_ni,
    .valid_i(sent.count != '0),
    .data_i(sent),
    .data_o({beat_count_o, beat_start_o, beat_word_o})
  );

  link_flight #(
    .T(record_t),
    .Latency(Latency - Early)
  ) i_records (
    .clk_i,
    .rst_ni,
    .valid_i(1'b1),
    .data_i(record),
    .data_o(record_o)
  );

  if (Ahead > Latency || Early > Latency) begin : gen_check_ahead
    $error("link_wire: Ahead and Early must not exceed Latency");
  end
endmodule
