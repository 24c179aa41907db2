// SPDX-License-Identifier: Apache-2.0

/// The words of a link's sender that wait for the wire: the next beat, and the message whose rest follows it.
///
/// A message is kept as it stands in its line and picked out a beat at a time, by one window that goes over the line, so that
/// nothing as long as a message is ever shifted. Only token and header are put where the beat has room for them.
/// How many words wait is the sender's to count.
module link_words
  import weft_frame_pkg::*;
#(
  /// Words of a beat.
  parameter int unsigned Words = 4
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  /// A beat leaves, or a message starts while none is there; otherwise everything stays.
  input  logic                        advance_i,
  input  logic                        start_i,
  /// What starts is a chunk that goes along with the beat that leaves.
  input  logic                        joins_i,
  /// Words of the message before that follow the beat that leaves; words there, with that beat.
  input  logic        [          5:0] owed_i,
  input  logic        [          5:0] fill_i,
  /// Words there with those that start, behind what they go behind; words there in the next cycle.
  input  logic        [          5:0] total_i,
  input  logic        [          5:0] next_i,
  /// What starts: see tlp_encode.
  input  word_t       [LeadWords-1:0] head_i,
  input  logic        [          2:0] lead_i,
  input  word_t       [LineWords-1:0] payload_i,
  input  line_place_t                 from_i,
  input  logic                        first_i,
  input  logic                        last_i,
  /// The beat that leaves; 0 where it has no words. The LCRC is not in its place yet.
  output word_t       [    Words-1:0] word_o,
  output logic        [    Words-1:0] start_o,
  output logic        [    Words-1:0] last_o
);
  localparam int unsigned IndexWidth = (Words > 1) ? $clog2(Words) : 1;
  localparam int unsigned PlaceWidth = $clog2(LineWords);
  // Words of a head that its first beat may leave.
  localparam int unsigned Rest = LeadWords - 1;
  // What starts has more words than a beat.
  localparam bit Longer = !Packets && Words < FrameWordsMin;
  // A message's first beat may have some of its payload.
  localparam bit Early = Packets || Words > 4;
  typedef logic [IndexWidth-1:0] index_t;
  typedef word_t [Words-1:0] beat_t;

  /// The words of a line from one on, around its end. The widest steps first: what no later one can reach is no hardware.
  function automatic beat_t window(word_t [LineWords-1:0] line, line_place_t from);
    word_t [LineWords-1:0] moved;
    moved = line;
    for (int unsigned i = PlaceWidth; i > 0; i--) begin
      if (from[i-1]) moved = (moved >> (32 << (i - 1))) | (moved << (32 * (LineWords - (1 << (i - 1)))));
    end
    for (int unsigned j = 0; j < Words; j++) window[j] = moved[j%LineWords];
  endfunction

  // ---------------------------------------------------------------- the message that starts
  word_t [Words+Rest-1:0] aligned;
  line_place_t base;
  beat_t fresh;

  // A message starts with less than a beat owed.
  assign aligned = (32 * (Words + Rest))'(head_i) << {index_t'(owed_i), 5'd0};
  // Which word of the line the first of the next beat would be.
  assign base    = joins_i ? line_place_t'(Words) - line_place_t'(fill_i) :
    from_i - line_place_t'(lead_i) - line_place_t'(owed_i);

  if (Early) begin : gen_early
    always_comb begin
      fresh = 'x;
      if (start_i) begin
        fresh = window(payload_i, base);
        for (int unsigned j = 0; j < Words; j++) begin
          if (!joins_i && j < 32'(owed_i) + 32'(lead_i)) fresh[j] = aligned[j];
        end
      end
    end
  end else begin : gen_late
    assign fresh = aligned[Words-1:0];
  end

  // ---------------------------------------------------------------- the message under way
  word_t [Rest-1:0] head_q;
  word_t [LineWords-1:0] line_q;
  line_place_t base_q;
  // Words of the next beats that are head; an LCRC comes at its end.
  logic [5:0] lead_q;
  logic ends_q;
  beat_t old;

  always_comb begin
    old = 'x;
    if (owed_i != '0) begin
      old = window(line_q, base_q);
      for (int unsigned j = 0; j < Words && j < Rest; j++) if (j < 32'(lead_q)) old[j] = head_q[j];
    end
  end

  logic [5:0] lead;
  assign lead = start_i ? (joins_i ? '0 : owed_i + 6'(lead_i)) : lead_q;

  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      base_q <= (start_i ? base : base_q) + line_place_t'(Words);
      lead_q <= (lead > 6'(Words)) ? lead - 6'(Words) : '0;
      head_q <= start_i ? aligned[Words+:Rest] : head_q >> (32 * Words);
      if (start_i) begin
        line_q <= payload_i;
        ends_q <= last_i;
      end
    end
  end

  // ---------------------------------------------------------------- the next beat
  beat_t word_q, word_d;
  logic [Words-1:0] start_q, start_d, last_q, last_d;

  always_comb begin
    for (int unsigned j = 0; j < Words; j++) begin
      word_d[j] = '0;
      if (j < 32'(owed_i)) word_d[j] = old[j];
      else if (start_i && (Longer || j < 32'(next_i))) word_d[j] = fresh[j];
      start_d[j] = start_i && first_i && j == 32'(owed_i);
      last_d[j]  = (ends_q && j + 1 == 32'(owed_i)) || (!Longer && start_i && last_i && j + 1 == 32'(next_i));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      word_q  <= '0;
      start_q <= '0;
      last_q  <= '0;
    end else if (advance_i) begin
      word_q  <= word_d;
      start_q <= start_d;
      last_q  <= last_d;
    end
  end

  // ---------------------------------------------------------------- the beat that leaves
  if (Packets) begin : gen_joins
    always_comb begin
      word_o  = word_q;
      start_o = start_q;
      last_o  = last_q;
      if (joins_i) begin
        word_o = word_q | window(payload_i, base - line_place_t'(Words));
        for (int unsigned j = 0; j < Words; j++) begin
          if (j < 32'(fill_i)) word_o[j] = word_q[j];
          else if (j >= 32'(total_i)) word_o[j] = '0;
          if (last_i && j + 1 == 32'(total_i)) last_o[j] = 1'b1;
        end
      end
    end
  end else begin : gen_alone
    logic unused;
    assign unused  = ^{fill_i, total_i};
    assign word_o  = word_q;
    assign start_o = start_q;
    assign last_o  = last_q;
  end
endmodule
