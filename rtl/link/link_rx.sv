// SPDX-License-Identifier: Apache-2.0

/// The receiving end of a link: finds frames in the beats, believes those whose CRC is right and whose number is the next one,
/// and hands on the messages that they carry, a buffer for each class.
///
/// A beat has at most one start; what stands before it belongs to the frame under way, the rest to the new one, so two
/// frames may end in one beat. A frame that begins before the one before has ended cuts that one off. What is wrong asks
/// for a replay, once until the expected frame comes (Nak). A message can be read in the cycle after its frame's last beat.
module link_rx
  import weft_pkg::*;
  import weft_frame_pkg::*;
#(
  /// Bytes of a beat, a multiple of 4 from 4 to 64.
  parameter int unsigned Bytes = LinkBytes,
  /// Messages of each class that are buffered, a power of two from 2.
  parameter int unsigned Buffer = LinkBuffer,
  localparam int unsigned Words = Bytes / 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  fault_e                 fault_i,
  /// Words of the beat, from the first on.
  input  count_t                 beat_count_i,
  input  logic       [Words-1:0] beat_start_i,
  input  word_t      [Words-1:0] beat_word_i,
  /// What is reported to the sender; from registers.
  output record_t                record_o,
  output logic                   req_valid_o,
  input  logic                   req_ready_i,
  output req_t                   req_o,
  output logic                   fwd_valid_o,
  input  logic                   fwd_ready_i,
  output fwd_t                   fwd_o,
  output logic                   rsp_valid_o,
  input  logic                   rsp_ready_i,
  output rsp_t                   rsp_o,
  /// What was noticed in this cycle.
  output link_count_t            noticed_o
);
  // A frame can end in the beat in which it begins.
  localparam bit Within = Words >= FrameWordsMin;
  localparam int unsigned IndexWidth = (Words > 1) ? $clog2(Words) : 1;
  typedef logic [IndexWidth-1:0] index_t;

  // ---------------------------------------------------------------- one chain of CRCs over the beat
  logic starts, twice, anything;
  logic [Words-1:0] begin_at;
  index_t at;
  word_t crc_q, crc_d;
  logic [Words-1:0] right;
  frame_t frame_q, frame_d, tail_frame, new_frame, begun;

  // Words that are not there begin nothing.
  assign begin_at = beat_start_i & ~({Words{1'b1}} << beat_count_i);
  assign starts   = begin_at != '0;
  assign anything = starts || (beat_count_i != '0 && frame_q.active);
  assign twice    = starts && (begin_at & (begin_at - Words'(1))) != '0;

  always_comb begin
    at = '0;
    for (int unsigned j = Words; j > 0; j--) if (begin_at[j-1]) at = index_t'(j - 1);
  end

  always_comb begin
    crc_d = crc_q;
    right = '0;
    if (anything) begin
      for (int unsigned j = 0; j < Words; j++) begin
        if (begin_at[j]) crc_d = CrcBegin;
        right[j] = beat_word_i[j] == ~crc_d;
        if (j < 32'(beat_count_i)) crc_d = crc_step(crc_d, beat_word_i[j]);
      end
    end
  end

  // ---------------------------------------------------------------- the frame under way
  logic tail_ended, tail_valid, tail_packet, tail_head, tail_right, ignores_crc;
  logic [1:0] tail_chunk_valid;
  count_t tail_count;
  // Places in a beat, which may have fewer.
  /* verilator lint_off UNUSEDSIGNAL */
  count_t tail_last, new_last;
  /* verilator lint_on UNUSEDSIGNAL */
  msg_class_e tail_class;
  req_t tail_req;
  fwd_t tail_fwd;
  rsp_t tail_rsp;
  req_t [1:0] tail_chunk;

  assign tail_count  = starts ? count_t'(at) : beat_count_i;
  assign ignores_crc = Faults != 0 && fault_i == FaultLinkIgnoresCrc;
  assign tail_right  = right[index_t'(tail_last)] || ignores_crc;

  link_frame #(
    .Words(Words)
  ) i_tail (
    .frame_i(frame_q),
    .word_i(beat_word_i),
    .count_i(tail_count),
    .frame_o(tail_frame),
    .ended_o(tail_ended),
    .last_o(tail_last),
    .valid_o(tail_valid),
    .class_o(tail_class),
    .req_o(tail_req),
    .fwd_o(tail_fwd),
    .rsp_o(tail_rsp),
    .packet_o(tail_packet),
    .head_o(tail_head),
    .chunk_valid_o(tail_chunk_valid),
    .chunk_o(tail_chunk)
  );

  // ---------------------------------------------------------------- the frame that begins
  word_t token_word;
  word_t [Words-1:0] rest;
  logic begins, bad_token, new_ended, new_valid, new_packet, new_head, new_right;
  count_t new_count;
  msg_class_e new_class;
  req_t new_req;
  fwd_t new_fwd;
  rsp_t new_rsp;
  // A frame within one beat has one chunk at most.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [1:0] new_chunk_valid;
  req_t [1:0] new_chunk;
  /* verilator lint_on UNUSEDSIGNAL */

  assign token_word = beat_word_i[at];
  assign begins     = starts && !twice && token_good(token_word);
  assign bad_token  = starts && !twice && !token_good(token_word);
  assign new_count  = beat_count_i - count_t'(at) - count_t'(1);
  assign rest       = (beat_word_i >> {at, 5'd0}) >> 32;

  always_comb begin
    begun        = '0;
    begun.active = begins;
    begun.want   = token_word[27:17];
    begun.left   = token_word[27:17] - length_t'(1);
    begun.number = token_word[11:0];
  end

  link_frame #(
    .Words(Words),
    .Payload(Words > HeaderWords)
  ) i_new (
    .frame_i(begun),
    .word_i(rest),
    .count_i(new_count),
    .frame_o(new_frame),
    .ended_o(new_ended),
    .last_o(new_last),
    .valid_o(new_valid),
    .class_o(new_class),
    .req_o(new_req),
    .fwd_o(new_fwd),
    .rsp_o(new_rsp),
    .packet_o(new_packet),
    .head_o(new_head),
    .chunk_valid_o(new_chunk_valid),
    .chunk_o(new_chunk)
  );

  if (Within) begin : gen_within
    assign new_right = right[index_t'(count_t'(at)+count_t'(1)+new_last)] || ignores_crc;
  end else begin : gen_longer
    assign new_right = 1'b0;
  end

  // ---------------------------------------------------------------- numbers
  sequence_t next_q, next_tail, next_d;
  logic tail_expected, new_expected, tail_good, new_good, tail_accept, new_accept, takes_again;
  logic tail_old, new_old, tail_ahead, new_ahead, new_bad;
  logic asked_q, asked_d, nak;
  logic [3:0] naks_q;

  function automatic logic is_old(sequence_t next, sequence_t number);
    sequence_t behind;
    behind = next - number;
    return behind <= sequence_t'(2048);
  endfunction

  assign takes_again   = Faults != 0 && fault_i == FaultLinkAcceptsDuplicate;
  assign tail_good     = tail_ended && tail_right;
  assign tail_expected = frame_q.number == next_q;
  assign tail_old      = !tail_expected && is_old(next_q, frame_q.number);
  assign tail_accept   = tail_good && tail_expected;
  assign next_tail     = tail_accept ? next_q + sequence_t'(1) : next_q;
  assign new_good      = Within && new_ended && new_right;
  assign new_expected  = begun.number == next_tail;
  assign new_old       = !new_expected && is_old(next_tail, begun.number);
  assign new_accept    = new_good && new_expected;
  assign tail_ahead    = !tail_old && !tail_expected;
  assign new_ahead     = !new_old && !new_expected;
  assign new_bad       = Within && new_ended && !new_right;
  assign next_d        = new_accept ? next_tail + sequence_t'(1) : next_tail;

  always_comb begin
    noticed_o            = '0;
    noticed_o.accepted   = 2'(tail_accept) + 2'(new_accept);
    noticed_o.duplicates = 2'(tail_good && tail_old) + 2'(new_good && new_old);
    noticed_o.gaps       = 2'(tail_good && tail_ahead) + 2'(new_good && new_ahead);
    noticed_o.broken     = 2'(tail_ended && !tail_right) + 2'(bad_token || twice || new_bad);
    noticed_o.cut        = frame_q.active && starts && !tail_ended;
    noticed_o.malformed  = 2'(tail_accept && !tail_valid) + 2'(new_accept && !new_valid);
    noticed_o.naks       = nak;
  end

  // One Nak until the expected frame arrives. In the order of the beat: the frame under way, then the new one.
  always_comb begin
    asked_d = asked_q;
    nak     = 1'b0;
    if (tail_ended) begin
      if (tail_accept) asked_d = 1'b0;
      else if (!tail_good || !tail_old) begin
        nak     = !asked_d;
        asked_d = 1'b1;
      end
    end
    if (bad_token || twice || (Within && new_ended)) begin
      if (new_accept) asked_d = 1'b0;
      else if (!new_good || !new_old) begin
        nak     = nak || !asked_d;
        asked_d = 1'b1;
      end
    end
  end

  always_comb begin
    frame_d = frame_q;
    if (anything) frame_d = starts ? new_frame : tail_frame;
    // A frame that begins hands on nothing before it has ended, or the next beat comes.
    if (starts) {frame_d.headed, frame_d.given} = '0;
    if (starts && (!begins || (Within && new_ended))) frame_d.active = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      frame_q.active <= 1'b0;
      next_q  <= '0;
      asked_q <= 1'b0;
      naks_q  <= '0;
    end else if (anything) begin
      frame_q <= frame_d;
      crc_q   <= crc_d;
      next_q  <= next_d;
      asked_q <= asked_d;
      naks_q  <= naks_q + 4'(nak);
    end
  end

  // ---------------------------------------------------------------- receive buffers
  // Places: what the frame under way gives (of a packet its head and two chunks, before it has ended), then what a frame
  // within this beat gives (of a packet its head and its only chunk).
  localparam int unsigned Early = Packets ? 3 : 1;
  localparam int unsigned Others = Within ? (Packets ? 2 : 1) : 0;
  localparam int unsigned Places = Early + Others;
  localparam int unsigned New = 3;

  logic tail_gives, new_gives, commit, abort;
  // Not all of them are built in.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [4:0] req_all, fwd_all, rsp_all;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Places-1:0] req_write, fwd_write, rsp_write;
  req_t [Places-1:0] req_data;
  fwd_t [Places-1:0] fwd_data;
  rsp_t [Places-1:0] rsp_data;

  assign tail_gives = (tail_accept || (takes_again && tail_good && tail_old)) && tail_valid;
  assign new_gives  = (new_accept || (takes_again && new_good && new_old)) && new_valid;
  assign commit     = tail_gives;
  assign abort      = (tail_ended && !commit) || noticed_o.cut;

  always_comb begin
    req_all = '0;
    fwd_all = '0;
    rsp_all = '0;
    fwd_all[0] = tail_gives && tail_class == MsgClassForward;
    rsp_all[0] = tail_gives && tail_class == MsgClassResponse;
    fwd_all[New] = new_gives && new_class == MsgClassForward;
    rsp_all[New] = new_gives && new_class == MsgClassResponse;
    req_all[New] = new_gives && new_class == MsgClassRequest;
    req_all[New+1] = new_gives && new_packet && new_head && new_chunk_valid[0];
    if (!tail_packet) begin
      req_all[0] = tail_gives && tail_class == MsgClassRequest;
    end else if (frame_q.active && tail_expected && !noticed_o.cut && !(tail_ended && !tail_right)) begin
      // The packet is believed at its end; until then only one that is expected is worth keeping.
      req_all[2:0] = {tail_chunk_valid, tail_head};
    end
  end

  for (genvar k = 0; k < Places; k++) begin : gen_place
    localparam int unsigned From = (k < Early) ? k : New + k - Early;
    assign req_write[k] = anything && req_all[From];
    assign fwd_write[k] = anything && fwd_all[From];
    assign rsp_write[k] = anything && rsp_all[From];
    assign req_data[k] = (From == 0) ? tail_req : (From < New) ? tail_chunk[(From+1)%2] :
      (From == New) ? new_req : new_chunk[0];
    assign fwd_data[k] = (From < New) ? tail_fwd : new_fwd;
    assign rsp_data[k] = (From < New) ? tail_rsp : new_rsp;
  end

  link_buffer #(
    .T(req_t),
    .Depth(Buffer),
    .Early(Early),
    .Others(Others),
    .Swaps(Faults != 0)
  ) i_req (
    .clk_i,
    .rst_ni,
    .write_i(req_write),
    .data_i(req_data),
    .commit_i(commit),
    .abort_i(abort),
    .valid_o(req_valid_o),
    .ready_i(req_ready_i),
    .data_o(req_o),
    .swap_i(fault_i == FaultLinkSwaps)
  );

  link_buffer #(
    .T(fwd_t),
    .Depth(Buffer),
    .Early(Early),
    .Others(Others)
  ) i_fwd (
    .clk_i,
    .rst_ni,
    .write_i(fwd_write),
    .data_i(fwd_data),
    .commit_i(commit),
    .abort_i(1'b0),
    .valid_o(fwd_valid_o),
    .ready_i(fwd_ready_i),
    .data_o(fwd_o),
    .swap_i(1'b0)
  );

  link_buffer #(
    .T(rsp_t),
    .Depth(Buffer),
    .Early(Early),
    .Others(Others)
  ) i_rsp (
    .clk_i,
    .rst_ni,
    .write_i(rsp_write),
    .data_i(rsp_data),
    .commit_i(commit),
    .abort_i(1'b0),
    .valid_o(rsp_valid_o),
    .ready_i(rsp_ready_i),
    .data_o(rsp_o),
    .swap_i(1'b0)
  );

  // ---------------------------------------------------------------- the report
  logic [7:0] req_read_q, fwd_read_q, rsp_read_q;
  logic req_take, fwd_take, rsp_take;
  report_t report;

  assign req_take = req_valid_o && req_ready_i;
  assign fwd_take = fwd_valid_o && fwd_ready_i;
  assign rsp_take = rsp_valid_o && rsp_ready_i;

  // As it will stand in the next cycle.
  always_comb begin
    report      = '0;
    report.ack  = (anything ? next_d : next_q) - sequence_t'(1);
    report.naks = naks_q + 4'(anything && nak);
    report.req  = req_read_q + 8'(req_take);
    report.fwd  = fwd_read_q + 8'(fwd_take);
    report.rsp  = rsp_read_q + 8'(rsp_take);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      req_read_q <= '0;
      fwd_read_q <= '0;
      rsp_read_q <= '0;
      record_o.report <= {12'hfff, 32'd0};
      record_o.crc <= record_crc({12'hfff, 32'd0});
    end else begin
      req_read_q <= report.req;
      fwd_read_q <= report.fwd;
      rsp_read_q <= report.rsp;
      // Says nothing new; spares the simulator the CRC of a report that has not changed.
      if (report != record_o.report) begin
        record_o.report <= report;
        record_o.crc <= record_crc(report);
      end
    end
  end

  if (Bytes < 4 || Bytes > 64 || Bytes % 4 != 0) begin : gen_check_bytes
    $error("link_rx: Bytes must be a multiple of 4 from 4 to 64");
  end
  if (Packets && Words > LineWords) begin : gen_check_line
    $error("link_rx: with FinePack, Bytes must not exceed a line");
  end
endmodule
