// SPDX-License-Identifier: Apache-2.0

/// The memory of a link's sender: every beat that was sent stays here until its frames are acknowledged, and is sent again when
/// the receiver asks for it (Nak) or nothing was heard for too long.
///
/// Beats are kept as they went out, in a ring; a replay sends them again from the first word of the oldest frame that is
/// not acknowledged. The sender waits meanwhile (`hold_o`) and then goes on where it stopped, even inside a frame. The
/// fourth replay without progress comes with a retraining: the wire is silent for a while first. After `retrains_i` of those without
/// progress the link is down, until reset.
module link_replay
  import weft_pkg::*;
  import weft_frame_pkg::*;
#(
  /// Words of a beat.
  parameter int unsigned Words = 4,
  /// Beats of the ring, a power of two from 4 to 4096.
  parameter int unsigned Depth = 64,
  /// Beats that the longest frame can take, and some.
  parameter int unsigned Margin = 8,
  /// Cycles of silence of a retraining.
  parameter int unsigned Training = 64,
  localparam int unsigned IndexWidth = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  fault_e                     fault_i,
  /// Cycles without progress until a replay; 0: never.
  input  logic      [          15:0] timeout_i,
  /// Retrainings without progress until the link is down.
  input  logic      [           7:0] retrains_i,
  /// A frame is given a number; its first word goes out with the next beat, or with this one's successor if a beat goes now.
  input  logic                       start_i,
  input  logic      [IndexWidth-1:0] offset_i,
  /// A packet is under way, and its next chunk is not there: time stands.
  input  logic                       open_i,
  output sequence_t                  number_o,
  /// There is room for the longest frame, and numbers for it.
  output logic                       room_o,
  /// Nothing may start or be sent.
  output logic                       hold_o,
  /// A beat goes out.
  input  count_t                     beat_count_i,
  input  logic      [     Words-1:0] beat_start_i,
  input  word_t     [     Words-1:0] beat_word_i,
  /// A beat goes out again.
  output count_t                     again_count_o,
  output logic      [     Words-1:0] again_start_o,
  output word_t     [     Words-1:0] again_word_o,
  /// What the receiver reports, if it is news.
  input  logic                       heard_i,
  input  sequence_t                  ack_i,
  input  logic      [           3:0] naks_i,
  output logic                       down_o,
  output logic                       replayed_o,
  output logic                       timed_out_o,
  output logic                       retrained_o
);
  localparam int unsigned RingWidth = $clog2(Depth);
  typedef logic [RingWidth-1:0] ring_t;
  typedef logic [IndexWidth-1:0] index_t;
  typedef struct packed {
    ring_t  beat;
    index_t offset;
  } place_t;
  typedef enum logic [2:0] {
    Sending,
    Seeking,
    Replaying,
    Draining,
    Silent,
    Down
  } state_e;

  // Less those that are on their way here when there is no room any more.
  localparam int unsigned Window = ((Depth < 2048) ? Depth : 2048) - 4;
  localparam int unsigned Tries = 4;

  state_e state_q;
  logic sending_q;
  sequence_t next_q, oldest_q, waiting, waiting_q, acked;
  ring_t write_q, write_d, tail_d, read_q;
  place_t first_q[Depth];
  place_t oldest;

  assign number_o = next_q;
  // Always next_q - oldest_q; counted, since all that is heard is compared with it, and whether a message may start.
  assign waiting  = waiting_q;
  assign acked    = ack_i + sequence_t'(1) - oldest_q;
  assign write_d  = write_q + ring_t'(beat_count_i != '0);
  assign oldest   = first_q[ring_t'(oldest_q)];
  // A register of its own: all that may start waits for it.
  assign hold_o   = !sending_q;
  assign down_o   = state_q == Down;

  // The ring's beats between the oldest frame's first and the next one to write, in the next cycle. Whether they leave room
  // is known before it begins: a start goes on from there into the words of the next beat.
  ring_t used_d;
  logic room_q;
  assign tail_d = (waiting == '0) ? write_q : oldest.beat;
  assign used_d = write_d - tail_d;
  assign room_o = room_q;

  // ---------------------------------------------------------------- what is heard
  logic progress, nak, timeout, again, retrains, forgets;
  logic [3:0] naks_q, asked;
  logic [15:0] timer_q;
  logic [2:0] tries_q;
  logic [7:0] retrains_q;
  logic pending_q;

  assign progress = heard_i && acked != '0 && acked <= waiting;
  assign asked    = naks_i - naks_q;
  // More than half around: an old record that comes late.
  assign nak      = heard_i && acked <= waiting && asked != '0 && asked < 4'd8;
  assign timeout  = state_q == Sending && timeout_i != '0 && timer_q >= timeout_i;
  assign forgets  = Faults != 0 && fault_i == FaultLinkForgetsReplay;
  // A Nak is followed in the cycle after it, or when it can be; if nothing is left to send again, it has done its work.
  assign again    = state_q == Sending && ((pending_q && waiting != '0) || timeout);
  assign retrains = again && tries_q == 3'(Tries - 1);

  assign timed_out_o = timeout;
  assign replayed_o  = again && !retrains;
  assign retrained_o = retrains && retrains_q != retrains_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      naks_q     <= '0;
      timer_q    <= '0;
      tries_q    <= '0;
      retrains_q <= '0;
      pending_q  <= 1'b0;
      oldest_q   <= '0;
      next_q     <= '0;
      waiting_q  <= '0;
    end else begin
      if (start_i) next_q <= next_q + sequence_t'(1);
      if (progress) oldest_q <= ack_i + sequence_t'(1);
      // Both are counted out, so that what is heard only chooses: next_q - oldest_q, after this cycle.
      waiting_q <= progress ? next_q + ~ack_i + sequence_t'(start_i) : waiting_q + sequence_t'(start_i);
      if (nak) naks_q <= naks_i;
      pending_q <= nak || (pending_q && !again && waiting != '0);
      if (progress || again || waiting == '0) timer_q <= '0;
      else if (state_q == Sending && !open_i && timer_q != '1) timer_q <= timer_q + 16'd1;
      if (again) tries_q <= retrains ? '0 : (progress ? 3'd1 : tries_q + 3'd1);
      else if (progress) tries_q <= '0;
      if (progress) retrains_q <= '0;
      else if (retrained_o) retrains_q <= retrains_q + 8'd1;
    end
  end

  // ---------------------------------------------------------------- states
  logic [$clog2(Training+1)-1:0] training_q;
  logic nothing;
  assign nothing = waiting == '0 || oldest.beat == write_q || forgets;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= Sending;
      sending_q <= 1'b1;
    end else begin
      case (state_q)
        Sending: begin
          training_q <= '0;
          if (again) state_q <= !retrains ? Seeking : (retrained_o ? Silent : Down);
          sending_q <= !again;
        end
        Silent: begin
          training_q <= training_q + 1'b1;
          if (32'(training_q) == Training) state_q <= Seeking;
        end
        // All of it may have been acknowledged by now.
        Seeking: begin
          state_q   <= nothing ? Sending : Replaying;
          sending_q <= nothing;
        end
        Replaying: if (read_q + ring_t'(1) == write_q) state_q <= Draining;
        Draining: begin
          state_q   <= Sending;
          sending_q <= 1'b1;
        end
        default: ;
      endcase
    end
  end

  // ---------------------------------------------------------------- the ring
  logic reading, reading_q, first_read_q, second_read_q;
  index_t skip_q;
  logic [Words-1:0] ring_start;
  count_t ring_count;

  assign reading = state_q == Replaying;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q   <= '0;
      room_q    <= 1'b1;
      reading_q <= 1'b0;
    end else begin
      write_q   <= write_d;
      room_q    <= 32'(used_d) < Depth - Margin && 32'(waiting) < Window;
      reading_q <= reading;
      if (state_q == Seeking) begin
        read_q <= oldest.beat;
        skip_q <= oldest.offset;
        first_read_q <= 1'b1;
      end else if (reading) begin
        read_q <= read_q + ring_t'(1);
        first_read_q <= 1'b0;
      end
      second_read_q <= first_read_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) first_q[ring_t'(next_q)] <= {write_d, offset_i};
  end

  ram #(
    .Words(Depth),
    .Width(33 * Words + $bits(count_t)),
    .Block(1'b1)
  ) i_ring (
    .clk_i,
    .ren_i(reading),
    .raddr_i(read_q),
    .rdata_o({ring_count, ring_start, again_word_o}),
    .wen_i(beat_count_i != '0),
    .waddr_i(write_q),
    .wdata_i({beat_count_i, beat_start_i, beat_word_i})
  );

  // Of the first beat, only what begins with the oldest frame: without a start, the words before it are nothing.
  assign again_count_o = reading_q ? ring_count : '0;
  always_comb begin
    again_start_o = ring_start;
    if (second_read_q) again_start_o = ring_start & ({Words{1'b1}} << skip_q);
  end

  if (Depth < 4 || Depth > 4096 || Depth != (1 << RingWidth)) begin : gen_check_depth
    $error("link_replay: Depth must be a power of two from 4 to 4096");
  end
  if (Depth <= 2 * Margin) begin : gen_check_margin
    $error("link_replay: Depth must exceed two of the longest frames");
  end
endmodule
