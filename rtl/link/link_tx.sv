// SPDX-License-Identifier: Apache-2.0

/// The sending end of a link: chooses who starts, counts bytes and credits, and makes beats of the messages' frames.
///
/// A message may start while less than one beat of earlier ones is owed; response goes before forward before request,
/// among those that have a credit; but after OthersMax of the others a request goes first, or a node that is answered without end
/// would keep all requests from its home. Between the head of a FinePack packet and its last chunk nothing else starts.
/// A beat leaves in the cycle after the one in which its last word started, with its CRCs, through a register; one that a packet has
/// begun and not filled takes the chunk that starts in that cycle along. If `Late`, all that comes after the start is a cycle later:
/// who starts and how much that makes is decided from few registers, and nothing of the message comes before that.
module link_tx
  import weft_pkg::*;
  import weft_cost_pkg::CostRequest;
  import weft_frame_pkg::*;
#(
  /// Cycles to the reader, which give the size of the replay buffer; from 2 to 1000.
  parameter int unsigned Latency = LinkLatency,
  /// Bytes of a beat, a multiple of 4 from 4 to 64.
  parameter int unsigned Bytes = LinkBytes,
  /// Credits of each class.
  parameter int unsigned Buffer = LinkBuffer,
  /// 1: `req_span_i` says where a write's bytes stand; 0: that is found here.
  parameter bit Placed = 1'b0,
  /// 1: a message's words are put together in the cycle after its start; not with FinePack. The flight gives that cycle.
  parameter bit Late = 1'b0,
  /// 1: `record_i` comes a cycle before it counts, and its CRC is looked at in that cycle.
  parameter bit Checked = 1'b0,
  localparam int unsigned Words = Bytes / 4
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  fault_e                  fault_i,
  input  logic        [     15:0] timeout_i,
  input  logic        [      7:0] retrains_i,
  input  logic                    req_valid_i,
  output logic                    req_ready_o,
  input  req_t                    req_i,
  input  weft_cost_pkg::span_t    req_span_i,
  input  logic                    fwd_valid_i,
  output logic                    fwd_ready_o,
  input  fwd_t                    fwd_i,
  input  logic                    rsp_valid_i,
  output logic                    rsp_ready_o,
  input  rsp_t                    rsp_i,
  /// Words of the beat, from the first on; 0: none.
  output count_t                  beat_count_o,
  output logic        [Words-1:0] beat_start_o,
  output word_t       [Words-1:0] beat_word_o,
  input  record_t                 record_i,
  output link_event_t             event_o,
  output logic                    busy_o,
  output logic                    down_o,
  output logic                    replayed_o,
  output logic                    timed_out_o,
  output logic                    retrained_o
);
  localparam int unsigned Slots = Words + MessageWords;
  localparam int unsigned IndexWidth = (Words > 1) ? $clog2(Words) : 1;
  typedef logic [$clog2(Slots+1)-1:0] fill_t;
  typedef logic [IndexWidth-1:0] index_t;

  // ---------------------------------------------------------------- credits
  logic [7:0] req_started_q, fwd_started_q, rsp_started_q, req_back_q, fwd_back_q, rsp_back_q;
  logic [7:0] req_news, fwd_news, rsp_news;
  logic req_credit, fwd_credit, rsp_credit, req_start, fwd_start, rsp_start;
  report_t report;
  logic heard, unused_zero;
  assign unused_zero = ^report.zero;

  // A record that says what the last one said says nothing, and its CRC need not be looked at again.
  if (Checked) begin : gen_checked
    record_t record_q;
    always_ff @(posedge clk_i) begin
      record_q <= record_i;
      if (!rst_ni) heard <= 1'b0;
      else if (record_i != record_q) heard <= record_crc(record_i.report) == record_i.crc;
    end
    assign report = record_q.report;
  end else begin : gen_at_once
    report_t heard_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) heard_q <= '0;
      else if (heard) heard_q <= report;
    end
    always_comb begin
      heard = 1'b0;
      if (report != heard_q) heard = record_crc(report) == record_i.crc;
    end
    assign report = record_i.report;
  end

  // What a class has got back; a count that runs backwards is an old one.
  function automatic logic [7:0] back_of(logic [7:0] known, logic [7:0] reported, logic [7:0] started);
    logic [7:0] more, most;
    more = reported - known;
    most = started - known;
    return (more <= most) ? reported : known;
  endfunction

  assign req_news = back_of(req_back_q, report.req, req_started_q);
  assign fwd_news = back_of(fwd_back_q, report.fwd, fwd_started_q);
  assign rsp_news = back_of(rsp_back_q, report.rsp, rsp_started_q);

  // Whether a class has a credit in the next cycle. All cases are counted out, so that neither a record's CRC nor who starts
  // comes before a subtraction, and a start does not come after one.
  function automatic logic credit_next(logic [7:0] started, logic [7:0] back, logic [7:0] news, logic hears,
                                       logic starts);
    logic [7:0] known, fewer, out;
    known = started - back;
    fewer = started - news;
    out   = hears ? fewer : known;
    return starts ? out != 8'(Buffer - 1) : out != 8'(Buffer);
  endfunction

  logic fwd_credit_q, rsp_credit_q;
  assign fwd_credit = fwd_credit_q;
  assign rsp_credit = rsp_credit_q;

  always_ff @(posedge clk_i) begin
    fwd_credit_q <= !rst_ni || credit_next(fwd_started_q, fwd_back_q, fwd_news, heard, fwd_start);
    rsp_credit_q <= !rst_ni || credit_next(rsp_started_q, rsp_back_q, rsp_news, heard, rsp_start);
  end

  // The head of a packet wants credits for all of it.
  if (Packets) begin : gen_packet_credit
    logic [7:0] chunks, req_out;
    assign chunks = 8'((req_i.data[15:0] + 16'(Line - 1)) >> $clog2(Line));
    assign req_out = req_started_q - req_back_q;
    assign req_credit = 9'(req_out) + 9'((req_i.kind == ReqKindPacket) ? chunks : '0) < 9'(Buffer);
  end else begin : gen_credit
    logic req_credit_q;
    assign req_credit = req_credit_q;
    always_ff @(posedge clk_i) begin
      req_credit_q <= !rst_ni || credit_next(req_started_q, req_back_q, req_news, heard, req_start);
    end
  end

  // ---------------------------------------------------------------- who starts
  localparam int unsigned OthersMax = 3;
  logic free, start, req_can, fwd_can, rsp_can, req_turn, req_first, room, hold, open_q;
  logic [1:0] others_q, others_d;
  logic turn_q;
  fill_t owed_q, owed_d, fill_q, fill_d;

  assign free        = owed_q < fill_t'(Words) && !hold && (room || open_q);
  assign req_turn    = turn_q || open_q;
  assign req_can     = req_credit && req_valid_i;
  assign fwd_can     = fwd_credit && fwd_valid_i && !open_q;
  assign rsp_can     = rsp_credit && rsp_valid_i && !open_q;
  assign req_first   = (req_turn && req_can) || open_q;
  assign rsp_ready_o = free && rsp_credit && !req_first;
  assign fwd_ready_o = free && fwd_credit && !rsp_can && !req_first;
  assign req_ready_o = free && req_credit && (req_turn || (!rsp_can && !fwd_can));
  // Each by itself, so that none waits for the others.
  assign rsp_start   = free && rsp_can && !req_first;
  assign fwd_start   = free && fwd_can && !rsp_can && !req_first;
  assign req_start   = free && req_can && (req_turn || (!rsp_can && !fwd_can));
  assign start       = free && (req_can || fwd_can || rsp_can);

  always_comb begin
    others_d = others_q;
    if (req_start) others_d = '0;
    else if (start && others_q != 2'(OthersMax)) others_d = others_q + 2'd1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      others_q <= '0;
      turn_q <= 1'b0;
      open_q <= 1'b0;
      {req_started_q, fwd_started_q, rsp_started_q} <= '0;
      {req_back_q, fwd_back_q, rsp_back_q} <= '0;
    end else begin
      others_q <= others_d;
      turn_q <= others_d == 2'(OthersMax);
      if (Packets && req_start)
        open_q <= req_i.kind == ReqKindPacket || (req_i.kind == ReqKindChunk && !req_i.id[0]);
      req_started_q <= req_started_q + 8'(req_start);
      fwd_started_q <= fwd_started_q + 8'(fwd_start);
      rsp_started_q <= rsp_started_q + 8'(rsp_start);
      if (heard) begin
        req_back_q <= req_news;
        fwd_back_q <= fwd_news;
        rsp_back_q <= rsp_news;
      end
    end
  end

  // ---------------------------------------------------------------- what it is
  typedef struct packed {
    word_t [LeadWords-2:0] head;
    word_t [LineWords-1:0] payload;
    line_place_t from;
    logic [2:0] lead;
    logic [5:0] count;
    length_t length;
    logic first, last;
  } message_t;
  msg_class_e what;
  message_t chosen, message;
  logic goes;

  // Who would start: whether anybody may, comes later.
  assign what = (rsp_can && !req_first) ? MsgClassResponse : (fwd_can && !req_first) ? MsgClassForward :
    MsgClassRequest;

  // Words that each would take.
  logic [5:0] req_count, fwd_count, rsp_count;
  logic unused_counts;
  assign unused_counts = ^{req_count, fwd_count, rsp_count};

  tlp_encode #(
    .Placed(Placed)
  ) i_encode (
    .valid_i(start),
    .class_i(what),
    .req_i,
    .span_i(req_span_i),
    .fwd_i,
    .rsp_i,
    .word_o(chosen.head),
    .lead_o(chosen.lead),
    .payload_o(chosen.payload),
    .from_o(chosen.from),
    .count_o(chosen.count),
    .req_count_o(req_count),
    .fwd_count_o(fwd_count),
    .rsp_count_o(rsp_count),
    .length_o(chosen.length),
    .first_o(chosen.first),
    .last_o(chosen.last)
  );

  // From here on a message is looked at in the cycle in which its words are put together: the start's, or the next one.
  if (Late) begin : gen_late
    logic goes_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) goes_q <= 1'b0;
      else if (!hold) goes_q <= start;
      if (!hold) message <= chosen;
    end
    assign goes = goes_q && !hold;
  end else begin : gen_soon
    assign message = chosen;
    assign goes    = start;
  end

  word_t [LeadWords-1:0] head;
  sequence_t number;
  assign head = {message.head, token(message.length, number)};

  // ---------------------------------------------------------------- words that wait for the wire
  word_t [Words-1:0] present;
  logic [Words-1:0] present_start, present_last;
  fill_t total, behind, behind_d;
  logic joins, send, advance, counts;

  // Words that are owed after a cycle in which a message starts, with less than a beat owed; or none does.
  function automatic fill_t owed_with(fill_t owed, fill_t count);
    fill_t all;
    all = ((Words > 1) ? owed : '0) + count;
    return (Words <= FrameWordsMin || all > fill_t'(Words)) ? all - fill_t'(Words) : '0;
  endfunction

  function automatic fill_t owed_without(fill_t owed);
    return (owed > fill_t'(Words)) ? owed - fill_t'(Words) : '0;
  endfunction

  // Of a packet, a beat that is not full yet takes the chunk that starts while it leaves.
  assign joins   = Packets && goes && open_q && fill_q != '0 && fill_q < fill_t'(Words);
  // A message that starts goes behind what this cycle leaves, or behind what is there.
  assign total   = (joins ? fill_q : behind) + (goes ? fill_t'(message.count) : '0);
  assign send    = !hold && fill_q != '0;
  assign advance = !hold && (goes || fill_q != '0);
  // After this cycle, unless it is held.
  if (Packets || Words > FrameWordsMin) begin : gen_short
    assign fill_d = !joins ? total : (total > fill_t'(Words)) ? total - fill_t'(Words) : '0;
    assign behind_d = (fill_d > fill_t'(Words)) ? fill_d - fill_t'(Words) : '0;
  end else begin : gen_long
    assign fill_d = total;
    assign behind_d = goes ? owed_with(behind, fill_t'(message.count)) : owed_without(behind);
  end

  // What is owed behind the beat that leaves. If words come late it is counted twice: for who starts, and for where they go.
  if (Late) begin : gen_behind
    fill_t behind_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) behind_q <= '0;
      else if (advance) behind_q <= behind_d;
    end
    assign behind = behind_q;
    assign counts = !hold;
    always_comb begin
      owed_d = owed_without(owed_q);
      if (rsp_start) owed_d = owed_with(owed_q, fill_t'(rsp_count));
      if (fwd_start) owed_d = owed_with(owed_q, fill_t'(fwd_count));
      if (req_start) owed_d = owed_with(owed_q, fill_t'(req_count));
    end
  end else begin : gen_same
    assign behind = owed_q;
    assign owed_d = behind_d;
    assign counts = advance;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fill_q <= '0;
      owed_q <= '0;
    end else begin
      if (advance) fill_q <= fill_d;
      if (counts) owed_q <= owed_d;
    end
  end

  link_words #(
    .Words(Words)
  ) i_words (
    .clk_i,
    .rst_ni,
    .advance_i(advance),
    .start_i(goes),
    .joins_i(joins),
    .owed_i(6'(behind)),
    .fill_i(6'(fill_q)),
    .total_i(6'(total)),
    .next_i(6'(fill_d)),
    .head_i(head),
    .lead_i(message.lead),
    .payload_i(message.payload),
    .from_i(message.from),
    .first_i(message.first),
    .last_i(message.last),
    .word_o(present),
    .start_o(present_start),
    .last_o(present_last)
  );

  // ---------------------------------------------------------------- CRCs, and the way out
  word_t crc_q, crc_d;
  word_t [Words-1:0] closed;
  count_t again_count, send_count;
  fill_t ready;
  logic [Words-1:0] again_start;
  word_t [Words-1:0] again_word;

  assign ready      = joins ? total : fill_q;
  assign send_count = !send ? '0 : (ready < fill_t'(Words)) ? count_t'(ready) : count_t'(Words);

  always_comb begin
    crc_d  = crc_q;
    closed = present;
    if (send) begin
      for (int unsigned j = 0; j < Words; j++) begin
        if (present_start[j]) crc_d = CrcBegin;
        if (present_last[j]) closed[j] = ~crc_d;
        if (!Packets || j < 32'(send_count)) crc_d = crc_step(crc_d, closed[j]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (send) crc_q <= crc_d;
    beat_count_o <= !rst_ni ? '0 : send ? send_count : again_count;
    if (send) begin
      beat_start_o <= present_start;
      beat_word_o  <= closed;
    end else if (again_count != '0) begin
      beat_start_o <= again_start;
      beat_word_o  <= again_word;
    end
  end

  // ---------------------------------------------------------------- what may have to go again
  localparam int unsigned Longest = (FrameWordsMax + Words - 1) / Words;
  localparam int unsigned Margin = Longest + 4 + 32'(Late);

  link_replay #(
    .Words(Words),
    .Depth(1 << $clog2(2 * Latency + 2 * Margin + 16)),
    .Margin(Margin),
    .Training(4 * Latency + 16)
  ) i_replay (
    .clk_i,
    .rst_ni,
    .fault_i,
    .timeout_i,
    .retrains_i,
    .start_i(goes && message.first),
    .offset_i(index_t'(behind)),
    .open_i(open_q && !req_valid_i),
    .number_o(number),
    .room_o(room),
    .hold_o(hold),
    .beat_count_i(send_count),
    .beat_start_i(present_start),
    .beat_word_i(closed),
    .again_count_o(again_count),
    .again_start_o(again_start),
    .again_word_o(again_word),
    .heard_i(heard),
    .ack_i(report.ack),
    .naks_i(report.naks),
    .down_o,
    .replayed_o,
    .timed_out_o,
    .retrained_o
  );

  // ---------------------------------------------------------------- what is told about it
  link_event_t event_d;
  logic miscounts;

  assign miscounts = Faults != 0 && fault_i == FaultLinkMiscounts && rsp_start;

  always_comb begin
    event_d        = '0;
    event_d.valid  = start;
    event_d.class_ = what;
    if (rsp_start) begin
      event_d.kind = rsp_i.kind;
      event_d.src  = rsp_i.src;
      event_d.dst  = rsp_i.dst;
      event_d.rsp  = rsp_i;
    end else if (fwd_start) begin
      event_d.kind = {2'b00, fwd_i.kind};
      event_d.src  = fwd_i.src;
      event_d.dst  = fwd_i.dst;
      event_d.fwd  = fwd_i;
    end else begin
      event_d.kind = req_i.kind;
      event_d.src  = req_i.src;
      event_d.dst  = req_i.dst;
      event_d.req  = req_i;
    end
    event_d.bytes = miscounts ? CostRequest : {chosen.count, 2'b00};
    if (!start) event_d = '0;
    event_d.seq = event_o.seq + 16'(event_o.valid);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      event_o <= '0;
      busy_o  <= 1'b0;
    end else begin
      event_o <= event_d;
      busy_o  <= start || owed_q != '0;
    end
  end

  // The wire knows no holes: whoever writes splits. With all bits below the run set, one more carries through all of it.
  mask_t filled;
  assign filled = req_i.mask | (req_i.mask - 1'b1);
  always_ff @(posedge clk_i) begin
    if (rst_ni && req_start && req_i.kind == ReqKindWrite) begin
      assert (req_i.mask != '0 && (filled & (filled + 1'b1)) == '0)
      else $error("link_tx: a write whose bytes are not one run");
    end
  end

  if (Latency < 2 || Latency > 1000) begin : gen_check_latency
    $error("link_tx: Latency must be from 2 to 1000");
  end
  if (Late && Packets) begin : gen_check_late
    $error("link_tx: FinePack's chunks join beats and cannot be late");
  end
endmodule
