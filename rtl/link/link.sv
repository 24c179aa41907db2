// SPDX-License-Identifier: Apache-2.0

/// One direction of one hop: three classes of messages share a wire of `Bytes` bytes per cycle, which loses nothing.
///
/// Messages go as PCIe-shaped frames with sequence numbers and CRCs (docs/wire.md); what does not arrive well is sent again.
/// On a clean wire, a message that starts in cycle t on top of `owed` bytes is readable from cycle
/// t + ceil((owed + cost) / Bytes) + Latency on. Each class has a receive buffer of its own; its credits are taken at the
/// start and are back Latency cycles after the reader took the message, so a class whose reader stands still never holds up
/// the others.
module link
  import weft_pkg::*;
  import weft_frame_pkg::*;
#(
  /// Cycles from the last byte's cycle to the reader, and from the reader's taking to the credit's return;
  /// from 2 to 1000.
  parameter int unsigned Latency = LinkLatency,
  /// Bytes per cycle, a multiple of 4 from 4 to 64.
  parameter int unsigned Bytes = LinkBytes,
  /// Messages of one class between sender and reader (credits), a power of two from 2. Below 2 x Latency + 1
  /// the credits limit the throughput.
  parameter int unsigned Buffer = LinkBuffer,
  /// 1: `req_span_i` says where a write's bytes stand, so that a beat is made of it sooner; 0: that is found here.
  parameter bit Placed = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  fault_e      fault_i,
  /// Cycles without an acknowledgement until a replay, 0: never. More than the way there and back takes, and the
  /// longest frame.
  input  logic [15:0] timeout_i,
  /// Retrainings without progress until the link is down.
  input  logic [ 7:0] retrains_i,
  /// What happens to the wire in this cycle; 0 but in tests.
  input  noise_t      noise_i,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  req_t        req_i,
  input  weft_cost_pkg::span_t req_span_i,
  input  logic        fwd_valid_i,
  output logic        fwd_ready_o,
  input  fwd_t        fwd_i,
  input  logic        rsp_valid_i,
  output logic        rsp_ready_o,
  input  rsp_t        rsp_i,
  output logic        req_valid_o,
  input  logic        req_ready_i,
  output req_t        req_o,
  output logic        fwd_valid_o,
  input  logic        fwd_ready_i,
  output fwd_t        fwd_o,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output rsp_t        rsp_o,
  /// One per message put on the wire, in the cycle after its start.
  output link_event_t event_o,
  /// In the cycle before, bytes were owed or a message started.
  output logic        busy_o,
  /// The link was given up: nothing starts any more, until reset.
  output logic        down_o,
  /// What the two ends noticed in the cycle before.
  output link_count_t count_o
);
  localparam int unsigned Words = Bytes / 4;

  // The two registers at its ends are part of the flight: that of the beat, and that of the receive buffer. If there are so many,
  // the receiver takes two more, then the sender one, then the receiver a third. Of the records' flight the sender takes one,
  // then the receiver another.
  localparam bit Late = !Packets && Latency > 4;
  localparam int unsigned Stages = (Latency < 4) ? Latency - 2 : (Latency < 6) ? 2 : 3;
  localparam bit Checked = Latency > 2;
  localparam bit Told = Latency > 3;

  count_t sent_count, beat_count;
  logic [Words-1:0] sent_start, beat_start;
  word_t [Words-1:0] sent_word, beat_word;
  record_t record_sent, record;
  link_count_t noticed;
  logic replayed, timed_out, retrained;

  link_tx #(
    .Latency(Latency),
    .Bytes(Bytes),
    .Buffer(Buffer),
    .Placed(Placed),
    .Late(Late),
    .Checked(Checked)
  ) i_tx (
    .clk_i,
    .rst_ni,
    .fault_i,
    .timeout_i,
    .retrains_i,
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .req_span_i,
    .fwd_valid_i,
    .fwd_ready_o,
    .fwd_i,
    .rsp_valid_i,
    .rsp_ready_o,
    .rsp_i,
    .beat_count_o(sent_count),
    .beat_start_o(sent_start),
    .beat_word_o(sent_word),
    .record_i(record),
    .event_o,
    .busy_o,
    .down_o,
    .replayed_o(replayed),
    .timed_out_o(timed_out),
    .retrained_o(retrained)
  );


  link_wire #(
    .Latency(Latency - 2),
    .Ahead(Stages + 32'(Late)),
    .Early(32'(Checked) + 32'(Told)),
    .Words(Words)
  ) i_wire (
    .clk_i,
    .rst_ni,
    .noise_i,
    .beat_count_i(sent_count),
    .beat_start_i(sent_start),
    .beat_word_i(sent_word),
    .beat_count_o(beat_count),
    .beat_start_o(beat_start),
    .beat_word_o(beat_word),
    .record_i(record_sent),
    .record_o(record)
  );

  link_rx #(
    .Bytes(Bytes),
    .Buffer(Buffer),
    .Stages(Stages),
    .Told(Told)
  ) i_rx (
    .clk_i,
    .rst_ni,
    .fault_i,
    .beat_count_i(beat_count),
    .beat_start_i(beat_start),
    .beat_word_i(beat_word),
    .record_o(record_sent),
    .req_valid_o,
    .req_ready_i,
    .req_o,
    .fwd_valid_o,
    .fwd_ready_i,
    .fwd_o,
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .noticed_o(noticed)
  );

  // Told a cycle later: on the way to the counters nothing comes before it.
  always_ff @(posedge clk_i) begin
    count_o          <= noticed;
    count_o.replays  <= replayed;
    count_o.timeouts <= timed_out;
    count_o.retrains <= retrained;
    if (!rst_ni) count_o <= '0;
  end

  if (Latency < 2 || Latency > 1000) begin : gen_check_latency
    $error("link: Latency must be from 2 to 1000");
  end
endmodule
