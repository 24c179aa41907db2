// SPDX-License-Identifier: Apache-2.0

/// The receiving end of a link: finds frames in the beats, believes those whose CRC is right and whose number is the next one,
/// and hands on the messages that they carry, a buffer for each class.
///
/// A beat has at most one start; what stands before it belongs to the frame under way, the rest to the new one, so two
/// frames may end in one beat. A frame that begins before the one before has ended cuts that one off. What is wrong asks
/// for a replay, once until the expected frame comes (Nak). A message can be read `Stages` cycles after the one that follows its
/// frame's last beat.
///
/// Three steps, with a register between them if the flight has cycles to spare: whose the words are, and where they go
/// (`link_frame`); header, line and CRC (`link_gather`); what is believed of them (`link_message`), and the buffers. What is noticed
/// and reported, is in the last of them.
module link_rx
  import weft_pkg::*;
  import weft_frame_pkg::*;
#(
  /// Bytes of a beat, a multiple of 4 from 4 to 64.
  parameter int unsigned Bytes = LinkBytes,
  /// Messages of each class that are buffered, a power of two from 2.
  parameter int unsigned Buffer = LinkBuffer,
  /// Registers of the flight that are in here, from 0 to 3: between the last two steps, then between the first two, then before
  /// the buffers.
  parameter int unsigned Stages = 0,
  /// 1: `record_o` says what it does a cycle later, and takes that cycle from its own flight: who takes a message is known late.
  parameter bit Told = 1'b0,
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
  // Of a beat of two words, those behind the token of a new frame and those of the frame before are never both there: one place to
  // gather them does, and keeps a frame that has ended for as long as somebody looks at it.
  localparam bit Narrow = Words <= 2 && !Packets;
  localparam int unsigned IndexWidth = (Words > 1) ? $clog2(Words) : 1;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [Words-1:0] lanes_t;

  /// What the later steps want to know of a beat, of the frame under way and of the one that begins.
  typedef struct packed {
    logic any;
    logic starts;
    logic cut;
    /// The one that begins has a bad token, or there are two.
    logic wrong;
    status_t tail;
    status_t fresh;
  } found_t;

  /// Where the words of a frame go: see link_frame.
  typedef struct packed {
    aim_t aim;
    lanes_t body;
    lanes_t payload;
  } part_t;

  typedef struct packed {
    lanes_t begin_at;
    lanes_t present;
    word_t [Words-1:0] word;
    /// The words that are the LCRCs of the two frames.
    lanes_t tail_last;
    lanes_t new_last;
    part_t tail;
    part_t fresh;
  } beat_t;

  // ---------------------------------------------------------------- where frames begin
  logic starts, twice, anything, begins;
  lanes_t present, begin_at, started;
  index_t at;
  count_t tail_count, new_count;
  word_t token_word;
  word_t [Words-1:0] rest;
  frame_t frame_q, frame_d, tail_frame, new_frame, begun;

  // Words that are not there begin nothing.
  assign present  = ~({Words{1'b1}} << beat_count_i);
  assign begin_at = beat_start_i & present;
  assign starts   = begin_at != '0;
  assign anything = starts || (beat_count_i != '0 && frame_q.active);
  assign twice    = (begin_at & (begin_at - Words'(1))) != '0;

  always_comb begin
    at = '0;
    for (int unsigned j = Words; j > 0; j--) if (begin_at[j-1]) at = index_t'(j - 1);
    for (int unsigned j = 0; j < Words; j++) started[j] = (begin_at & ~({Words{1'b1}} << (j + 1))) != '0;
  end

  assign tail_count = starts ? count_t'(at) : beat_count_i;
  assign new_count  = beat_count_i - count_t'(at) - count_t'(1);
  assign token_word = beat_word_i[at];
  assign begins     = starts && !twice && token_good(token_word);
  assign rest       = (beat_word_i >> {at, 5'd0}) >> 32;

  always_comb begin
    begun        = '0;
    begun.active = begins;
    begun.want   = token_word[27:17];
    begun.left   = token_word[27:17] - length_t'(1);
    begun.number = token_word[11:0];
  end

  // ---------------------------------------------------------------- whose the words are
  found_t scanned, found, seen;
  beat_t taken, beat;
  status_t tail_status, new_status;
  part_t tail_part, new_part;
  lanes_t tail_last, new_last;

  link_frame #(
    .Words(Words)
  ) i_tail (
    .frame_i(frame_q),
    .word_i(beat_word_i),
    .here_i(present & ~started),
    .count_i(tail_count),
    .frame_o(tail_frame),
    .status_o(tail_status),
    .last_o(tail_last),
    .aim_o(tail_part.aim),
    .body_o(tail_part.body),
    .payload_o(tail_part.payload)
  );

  link_frame #(
    .Words(Words)
  ) i_new (
    .frame_i(begun),
    .word_i(rest),
    .here_i((present >> at) >> 1),
    .count_i(new_count),
    .frame_o(new_frame),
    .status_o(new_status),
    .last_o(new_last),
    .aim_o(new_part.aim),
    .body_o(new_part.body),
    .payload_o(new_part.payload)
  );

  always_comb begin
    scanned.any     = anything;
    scanned.starts  = starts;
    scanned.cut     = frame_q.active && starts && !tail_status.ended;
    scanned.wrong   = starts && !begins;
    scanned.tail    = tail_status;
    scanned.fresh   = new_status;
    taken.begin_at  = begin_at;
    taken.present   = present;
    taken.word      = beat_word_i;
    taken.tail_last = tail_last;
    taken.new_last  = Within ? (new_last << at) << 1 : '0;
    taken.tail      = tail_part;
    taken.fresh     = new_part;
  end

  assign frame_d = starts ? new_frame : tail_frame;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) frame_q.active <= 1'b0;
    else if (anything) frame_q <= frame_d;
  end

  if (Stages > 1) begin : gen_found
    always_ff @(posedge clk_i) begin
      found <= scanned;
      beat  <= taken;
      if (!rst_ni) found.any <= 1'b0;
    end
  end else begin : gen_found_at_once
    assign found = scanned;
    assign beat  = taken;
  end

  // ---------------------------------------------------------------- one chain of CRCs over the beat
  word_t crc_q, crc_d;
  lanes_t right;
  logic tail_right, new_right, tail_checked, new_checked, ignores_crc;

  always_comb begin
    crc_d = crc_q;
    right = '0;
    if (found.any) begin
      for (int unsigned j = 0; j < Words; j++) begin
        if (beat.begin_at[j]) crc_d = CrcBegin;
        right[j] = beat.word[j] == ~crc_d;
        if (beat.present[j]) crc_d = crc_step(crc_d, beat.word[j]);
      end
    end
  end

  always_ff @(posedge clk_i) if (found.any) crc_q <= crc_d;

  assign tail_checked = (right & beat.tail_last) != '0;
  assign new_checked  = (right & beat.new_last) != '0;

  // ---------------------------------------------------------------- header and line
  text_t text_q, text_d, tail_text, new_text;
  payload_t tail_wrapped;

  if (Narrow) begin : gen_narrow
    part_t part;
    payload_t unused_wrapped;

    assign part = found.starts ? beat.fresh : beat.tail;

    /* verilator lint_off PINCONNECTEMPTY */
    link_gather #(
      .Words(Words)
    ) i_gather (
      .text_i(text_q),
      .word_i((found.starts && Words > 1) ? beat.word >> 32 : beat.word),
      .aim_i(part.aim),
      .body_i(part.body),
      .payload_i(part.payload),
      .text_o(text_d),
      .wrapped_o(unused_wrapped),
      .kept_o()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    logic unused;
    assign unused       = ^unused_wrapped;
    assign tail_text    = (Stages > 0) ? text_q : text_d;
    assign new_text     = '0;
    assign tail_wrapped = '0;
  end else begin : gen_wide
    text_t tail_now, new_now, tail_kept, new_kept;
    payload_t wrapped_now;
    index_t at_now;

    always_comb begin
      at_now = '0;
      for (int unsigned j = Words; j > 0; j--) if (beat.begin_at[j-1]) at_now = index_t'(j - 1);
    end

    link_gather #(
      .Words(Words)
    ) i_tail_gather (
      .text_i(text_q),
      .word_i(beat.word),
      .aim_i(beat.tail.aim),
      .body_i(beat.tail.body),
      .payload_i(beat.tail.payload),
      .text_o(tail_now),
      .wrapped_o(wrapped_now),
      .kept_o(tail_kept)
    );

    /* verilator lint_off PINCONNECTEMPTY */
    link_gather #(
      .Words(Words),
      .Payload(Words > HeaderWords)
    ) i_new_gather (
      .text_i('0),
      .word_i((beat.word >> {at_now, 5'd0}) >> 32),
      .aim_i(beat.fresh.aim),
      .body_i(beat.fresh.body),
      .payload_i(beat.fresh.payload),
      .text_o(new_now),
      .wrapped_o(),
      .kept_o(new_kept)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    assign text_d = found.starts ? new_kept : tail_kept;

    if (Stages > 0) begin : gen_text
      always_ff @(posedge clk_i) begin
        if (found.any) begin
          tail_text    <= tail_now;
          tail_wrapped <= wrapped_now;
          new_text     <= Within ? new_now : '0;
        end
      end
    end else begin : gen_text_at_once
      assign tail_text    = tail_now;
      assign tail_wrapped = wrapped_now;
      assign new_text     = new_now;
    end
  end

  always_ff @(posedge clk_i) if (found.any) text_q <= text_d;

  assign ignores_crc = Faults != 0 && fault_i == FaultLinkIgnoresCrc;

  if (Stages > 0) begin : gen_seen
    logic tail_right_q, new_right_q;
    always_ff @(posedge clk_i) begin
      seen         <= found;
      tail_right_q <= tail_checked;
      new_right_q  <= new_checked;
      if (!rst_ni) seen.any <= 1'b0;
    end
    assign tail_right = tail_right_q || ignores_crc;
    assign new_right  = new_right_q || ignores_crc;
  end else begin : gen_seen_at_once
    assign seen       = found;
    assign tail_right = tail_checked || ignores_crc;
    assign new_right  = new_checked || ignores_crc;
  end

  // ---------------------------------------------------------------- messages
  logic tail_ended, tail_valid, tail_packet, tail_head, tail_headed, tail_given, headed_q, given_q;
  logic [1:0] tail_chunk_valid;
  msg_class_e tail_class;
  req_t tail_req;
  fwd_t tail_fwd;
  rsp_t tail_rsp;
  req_t [1:0] tail_chunk;

  link_message i_tail_message (
    .enable_i(seen.any),
    .status_i(seen.tail),
    .text_i(tail_text),
    .wrapped_i(tail_wrapped),
    .headed_i(headed_q),
    .given_i(given_q),
    .headed_o(tail_headed),
    .given_o(tail_given),
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

  // A frame that begins hands on nothing before it has ended, or the next beat comes.
  always_ff @(posedge clk_i) begin
    if (seen.any) {headed_q, given_q} <= seen.starts ? 2'b00 : {tail_headed, tail_given};
  end

  logic new_ended, new_valid, new_packet, new_head;
  msg_class_e new_class;
  req_t new_req;
  fwd_t new_fwd;
  rsp_t new_rsp;
  // A frame within one beat has one chunk at most.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [1:0] new_chunk_valid;
  req_t [1:0] new_chunk;
  /* verilator lint_on UNUSEDSIGNAL */

  if (Within) begin : gen_within
    /* verilator lint_off PINCONNECTEMPTY */
    link_message i_message (
      .enable_i(seen.any),
      .status_i(seen.fresh),
      .text_i(new_text),
      .wrapped_i('0),
      .headed_i(1'b0),
      .given_i(1'b0),
      .headed_o(),
      .given_o(),
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
    /* verilator lint_on PINCONNECTEMPTY */
  end else begin : gen_longer
    logic unused;
    assign unused          = ^new_text;
    assign new_valid       = 1'b0;
    assign new_class       = MsgClassRequest;
    assign new_req         = '0;
    assign new_fwd         = '0;
    assign new_rsp         = '0;
    assign new_packet      = 1'b0;
    assign new_head        = 1'b0;
    assign new_chunk_valid = '0;
    assign new_chunk       = '0;
  end

  // ---------------------------------------------------------------- numbers
  // The last one that was accepted, and the next one.
  sequence_t ack_q, ack_d, next_q, next_tail, next_d;
  logic tail_expected, new_expected, tail_good, new_good, tail_accept, new_accept, takes_again;
  logic tail_old, new_old, tail_ahead, new_ahead, new_bad;
  logic asked_q, asked_d, nak;
  logic [3:0] naks_q, naks_d;

  function automatic logic is_old(sequence_t next, sequence_t number);
    sequence_t behind;
    behind = next - number;
    return behind <= sequence_t'(2048);
  endfunction

  assign takes_again   = Faults != 0 && fault_i == FaultLinkAcceptsDuplicate;
  assign tail_ended    = seen.any && seen.tail.ended;
  assign new_ended     = Within && seen.any && seen.starts && seen.fresh.ended;
  assign tail_good     = tail_ended && tail_right;
  assign tail_expected = seen.tail.number == next_q;
  assign tail_old      = !tail_expected && is_old(next_q, seen.tail.number);
  assign tail_accept   = tail_good && tail_expected;
  assign next_tail     = tail_accept ? next_q + sequence_t'(1) : next_q;
  assign new_good      = new_ended && new_right;
  assign new_expected  = seen.fresh.number == next_tail;
  assign new_old       = !new_expected && is_old(next_tail, seen.fresh.number);
  assign new_accept    = new_good && new_expected;
  assign tail_ahead    = !tail_old && !tail_expected;
  assign new_ahead     = !new_old && !new_expected;
  assign new_bad       = new_ended && !new_right;
  assign next_d        = new_accept ? next_tail + sequence_t'(1) : next_tail;
  assign naks_d        = naks_q + 4'(nak);
  assign ack_d         = new_accept ? next_tail : tail_accept ? next_q : ack_q;

  always_comb begin
    noticed_o            = '0;
    noticed_o.accepted   = 2'(tail_accept) + 2'(new_accept);
    noticed_o.duplicates = 2'(tail_good && tail_old) + 2'(new_good && new_old);
    noticed_o.gaps       = 2'(tail_good && tail_ahead) + 2'(new_good && new_ahead);
    noticed_o.broken     = 2'(tail_ended && !tail_right) + 2'((seen.any && seen.wrong) || new_bad);
    noticed_o.cut        = seen.any && seen.cut;
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
    if ((seen.any && seen.wrong) || new_ended) begin
      if (new_accept) asked_d = 1'b0;
      else if (!new_good || !new_old) begin
        nak     = nak || !asked_d;
        asked_d = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      next_q  <= '0;
      ack_q   <= '1;
      asked_q <= 1'b0;
      naks_q  <= '0;
    end else begin
      next_q  <= next_d;
      ack_q   <= ack_d;
      asked_q <= asked_d;
      naks_q  <= naks_d;
    end
  end

  // ---------------------------------------------------------------- receive buffers
  // Places: what the frame under way gives (of a packet its head and two chunks, before it has ended), then what a frame
  // within this beat gives (of a packet its head and its only chunk).
  localparam int unsigned Early = Packets ? 3 : 1;
  localparam int unsigned Others = Within ? (Packets ? 2 : 1) : 0;
  localparam int unsigned Places = Early + Others;
  localparam int unsigned New = 3;

  // What is known of the messages of a beat. If the flight has a cycle for it, it is put together in the next one.
  typedef struct packed {
    logic believed, valid, ended;
    /// Of a packet: head and chunks that are worth keeping, and that it is cut off.
    logic packet, cut;
    logic [2:0] parts;
    msg_class_e class_;
    logic new_believed, new_valid, new_chunk;
    msg_class_e new_class;
  } judged_t;
  judged_t judges, judged;
  // Not all of them are built in.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [4:0] req_all, fwd_all, rsp_all;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Places-1:0] req_write, fwd_write, rsp_write;
  req_t [Places-1:0] req_data, req_given;
  fwd_t [Places-1:0] fwd_data, fwd_given;
  rsp_t [Places-1:0] rsp_data, rsp_given;
  logic tail_gives, new_gives, aborts;

  always_comb begin
    judges              = '0;
    judges.believed     = tail_accept || (takes_again && tail_good && tail_old);
    judges.valid        = tail_valid;
    judges.class_       = tail_class;
    judges.ended        = tail_ended;
    judges.packet       = tail_packet;
    judges.cut          = noticed_o.cut;
    // The packet is believed at its end; until then only one that is expected is worth keeping.
    if (seen.any && tail_expected && !noticed_o.cut && !(tail_ended && !tail_right))
      judges.parts = {tail_chunk_valid, tail_head};
    judges.new_believed = new_accept || (takes_again && new_good && new_old);
    judges.new_valid    = new_valid;
    judges.new_class    = new_class;
    judges.new_chunk    = new_packet && new_head && new_chunk_valid[0];
  end
  if (Stages > 2) begin : gen_judged
    always_ff @(posedge clk_i) begin
      judged <= rst_ni ? judges : '0;
      if (seen.any) {req_given, fwd_given, rsp_given} <= {req_data, fwd_data, rsp_data};
    end
  end else begin : gen_judged_at_once
    assign judged = judges;
    assign {req_given, fwd_given, rsp_given} = {req_data, fwd_data, rsp_data};
  end

  assign tail_gives = judged.believed && judged.valid;
  assign new_gives  = judged.new_believed && judged.new_valid;
  // Nothing but a packet is written before its end.
  assign aborts     = Packets && ((judged.ended && !tail_gives) || judged.cut);

  always_comb begin
    req_all = '0;
    fwd_all = '0;
    rsp_all = '0;
    fwd_all[0] = tail_gives && judged.class_ == MsgClassForward;
    rsp_all[0] = tail_gives && judged.class_ == MsgClassResponse;
    fwd_all[New] = new_gives && judged.new_class == MsgClassForward;
    rsp_all[New] = new_gives && judged.new_class == MsgClassResponse;
    req_all[New] = new_gives && judged.new_class == MsgClassRequest;
    req_all[New+1] = new_gives && judged.new_chunk;
    if (judged.packet) req_all[2:0] = judged.parts;
    else req_all[0] = tail_gives && judged.class_ == MsgClassRequest;
  end

  for (genvar k = 0; k < Places; k++) begin : gen_place
    localparam int unsigned From = (k < Early) ? k : New + k - Early;
    assign req_write[k] = req_all[From];
    assign fwd_write[k] = fwd_all[From];
    assign rsp_write[k] = rsp_all[From];
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
    .data_i(req_given),
    .commit_i(tail_gives),
    .abort_i(aborts),
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
    .data_i(fwd_given),
    .commit_i(tail_gives),
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
    .data_i(rsp_given),
    .commit_i(tail_gives),
    .abort_i(1'b0),
    .valid_o(rsp_valid_o),
    .ready_i(rsp_ready_i),
    .data_o(rsp_o),
    .swap_i(1'b0)
  );

  // ---------------------------------------------------------------- the report
  localparam report_t ReportBegin = {12'hfff, 32'd0};
  logic [7:0] req_read_q, fwd_read_q, rsp_read_q, req_read_d, fwd_read_d, rsp_read_d;
  logic req_take, fwd_take, rsp_take, news, tells;
  report_t told;

  assign req_take   = req_valid_o && req_ready_i;
  assign fwd_take   = fwd_valid_o && fwd_ready_i;
  assign rsp_take   = rsp_valid_o && rsp_ready_i;
  assign req_read_d = req_read_q + 8'(req_take);
  assign fwd_read_d = fwd_read_q + 8'(fwd_take);
  assign rsp_read_d = rsp_read_q + 8'(rsp_take);
  assign news       = tail_accept || new_accept || nak || req_take || fwd_take || rsp_take;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {req_read_q, fwd_read_q, rsp_read_q} <= '0;
    else {req_read_q, fwd_read_q, rsp_read_q} <= {req_read_d, fwd_read_d, rsp_read_d};
  end

  if (Told) begin : gen_told
    logic news_q;
    always_ff @(posedge clk_i) news_q <= rst_ni && news;
    assign tells = news_q;
    assign told = '{ack: ack_q, naks: naks_q, rsp: rsp_read_q, fwd: fwd_read_q, req: req_read_q, zero: '0};
  end else begin : gen_told_at_once
    // As it will stand in the next cycle.
    assign tells = news;
    assign told = '{ack: ack_d, naks: naks_d, rsp: rsp_read_d, fwd: fwd_read_d, req: req_read_d, zero: '0};
  end

  // What is not new is not said again, which spares the simulator the CRC of it.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) record_o <= '{report: ReportBegin, crc: record_crc(ReportBegin)};
    else if (tells) record_o <= '{report: told, crc: record_crc(told)};
  end

  if (Stages > 3) begin : gen_check_stages
    $error("link_rx: Stages must be from 0 to 3");
  end
  if (Bytes < 4 || Bytes > 64 || Bytes % 4 != 0) begin : gen_check_bytes
    $error("link_rx: Bytes must be a multiple of 4 from 4 to 64");
  end
  if (Packets && Words > LineWords) begin : gen_check_line
    $error("link_rx: with FinePack, Bytes must not exceed a line");
  end
endmodule
