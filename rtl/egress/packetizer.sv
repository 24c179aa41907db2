// SPDX-License-Identifier: Apache-2.0

/// The packetizer: the write queue's work becomes messages, in order. A flushed set becomes a `packet` head and its
/// `chunk`s, a beat of payload per cycle, or one plain WRITE; a message passes, a WRITE with holes run by run.
///
/// Blocks come in rows, one block per lane. The rows of the next packets are fetched while the last one is still being
/// walked, so that packets follow each other without an idle cycle. The head goes out with the first beat: the queue has
/// counted the payload exactly.
module packetizer
  import weft_pkg::*;
  import finepack_pkg::*;
#(
  /// Messages between the packetizer and the link.
  parameter int unsigned Depth = 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic        [    3:0] self_i,
  input  fault_e fault_i,
  /// Work, and the message of it that is none.
  input  logic                  work_valid_i,
  output logic                  work_ready_o,
  input  work_t                 work_i,
  input  req_t                  message_i,
  /// One block per lane, in the cycle after it was asked for.
  output logic        [Lanes-1:0] read_o,
  output row_t                  row_o      [Lanes],
  input  enables_t              enables_i  [Lanes],
  input  tag_t                  tag_i      [Lanes],
  input  block_t                block_i    [Lanes],
  /// The last blocks of a set are in the lanes: it may fill again.
  output logic                  drained_o,
  output logic        [    4:0] drained_set_o,
  output logic                  req_valid_o,
  input  logic                  req_ready_i,
  output req_t                  req_o,
  /// With the head that leaves: sub-transactions of its packet.
  output logic        [   10:0] runs_o,
  output logic                  idle_o
);
  localparam int unsigned RowSlots = 4;
  typedef logic [2:0] number_t;  // of a row, as they come: twice as many as there are slots

  typedef struct packed {
    work_t work;
    row_t row;
    logic [LaneBits:0] blocks;
    logic last;  // of its packet
  } fetch_t;

  // ---------------------------------------------------------------- rows to be walked
  fetch_t rows_q[RowSlots];
  number_t head_q, tail_q, head_next, fetched_q;
  logic [6:0] planned_q;  // blocks of the first work that are in rows
  logic plans, plan_last, message_turn, message_done, pipe_empty;
  logic [6:0] plan_left;
  fetch_t plan;

  assign plan_left    = work_i.used - planned_q;
  assign plan_last    = 32'(plan_left) <= Lanes;
  assign plans        = work_valid_i && work_i.flush && number_t'(tail_q - head_q) != number_t'(RowSlots) &&
                        number_t'(tail_q - fetched_q) != number_t'(RowSlots);
  assign work_ready_o = work_i.flush ? plans && plan_last : message_done;
  always_comb begin
    plan.work   = work_i;
    plan.row    = row_t'(32'(work_i.set) * Rows + 32'(planned_q) / Lanes);
    plan.blocks = plan_last ? (LaneBits + 1)'(plan_left) : (LaneBits + 1)'(Lanes);
    plan.last   = plan_last;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q    <= '0;
      tail_q    <= '0;
      planned_q <= '0;
    end else begin
      head_q <= head_next;
      if (plans) begin
        tail_q    <= tail_q + 3'd1;
        planned_q <= plan_last ? '0 : planned_q + 7'(Lanes);
      end
    end
    if (plans) rows_q[tail_q[1:0]] <= plan;
  end

  // ---------------------------------------------------------------- lanes: which row each has, or waits for
  number_t lane_row_q[Lanes];
  number_t target[Lanes];
  logic [Lanes-1:0] loaded_q, loads, finished;
  enables_t gone_q[Lanes];
  enables_t gone[Lanes];
  logic [LaneBits-1:0] turn_q;

  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      target[l] = lane_row_q[l] + number_t'(finished[l]);
      // A row that is over is over for lanes without a block in it too.
      if ($signed(target[l] - head_next) < $signed(3'd0)) target[l] = head_next;
      loads[l] = number_t'(target[l] - head_q) < number_t'(tail_q - head_q);
      row_o[l] = rows_q[target[l][1:0]].row;
      read_o[l] = loads[l] && (!loaded_q[l] || target[l] != lane_row_q[l]);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      if (!rst_ni) begin
        lane_row_q[l] <= '0;
        loaded_q[l]   <= 1'b0;
      end else begin
        lane_row_q[l] <= target[l];
        loaded_q[l]   <= loads[l];
      end
      if (read_o[l]) gone_q[l] <= '0;
      else gone_q[l] <= gone_q[l] | gone[l];
    end
  end

  // A row is fetched when all of its lanes have it, or are beyond. With the last row of a packet its set is free.
  logic row_fetched, set_fetched;
  fetch_t fetching;
  assign fetching = rows_q[fetched_q[1:0]];
  always_comb begin
    row_fetched = fetched_q != tail_q;
    for (int unsigned l = 0; l < Lanes; l++) begin
      if ((LaneBits + 1)'(l) < fetching.blocks && !(lane_row_q[l] == fetched_q && loaded_q[l]) && $signed(
              lane_row_q[l] - fetched_q
          ) <= $signed(
              3'd0
          )) begin
        row_fetched = 1'b0;
      end
    end
  end
  assign set_fetched = row_fetched && fetching.last;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) fetched_q <= '0;
    else fetched_q <= fetched_q + number_t'(row_fetched);
  end

  // ---------------------------------------------------------------- the walk
  fetch_t row, row_after;
  logic walks, stalls, row_valid;
  logic [Lanes-1:0] present, turned_finished;
  enables_t turned_left[Lanes];
  enables_t turned_gone[Lanes];
  tag_t turned_tag[Lanes];
  logic [8*BeatBytes-1:0] beat_q, beat_new, beat;
  logic [5:0] fill_q, fill;
  logic [7:0] skip_q, skip;
  logic [6:0] first;
  logic wrong_length;

  assign row       = rows_q[head_q[1:0]];
  assign row_after = rows_q[2'(head_q + 3'd1)];
  assign row_valid = head_q != tail_q;

  // From the first lane with bytes left to the last, then those that already have the next row.
  always_comb begin
    logic all;
    logic [LaneBits-1:0] l;
    all = row_valid;
    l   = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      l = LaneBits'(32'(turn_q) + i);
      if (l >= turn_q) begin
        all = all && loaded_q[l] && lane_row_q[l] == head_q && (LaneBits + 1)'(l) < row.blocks;
      end else begin
        all = all && loaded_q[l] && lane_row_q[l] == number_t'(head_q + 3'd1) && !row.last &&
              (LaneBits + 1)'(l) < row_after.blocks;
      end
      present[i]     = all;
      turned_left[i] = enables_i[l] & ~gone_q[l];
      turned_tag[i]  = tag_i[l];
    end
  end

  packetizer_walk i_walk (
    .active_i      (present[0]),
    .sub_header_i  (row.work.sub_header),
    .turn_i        (turn_q),
    .present_i     (present),
    .left_i        (turned_left),
    .tag_i         (turned_tag),
    .blocks_i      (block_i),
    .fill_i        (fill_q),
    .skip_i        (skip_q),
    .wrong_length_i(wrong_length),
    .beat_o        (beat_new),
    .fill_o        (fill),
    .skip_o        (skip),
    .finished_o    (turned_finished),
    .gone_o        (turned_gone),
    .first_o       (first)
  );
  assign beat = beat_q | beat_new;

  always_comb begin
    finished = '0;
    for (int unsigned i = 0; i < Lanes; i++) gone[i] = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      finished[LaneBits'(32'(turn_q)+i)] = walks && (row.work.plain ? i == 0 : turned_finished[i]);
      gone[LaneBits'(32'(turn_q)+i)] = walks ? turned_gone[i] : '0;
    end
  end

  // ---------------------------------------------------------------- rows that are over
  logic [LaneBits:0] ended, place, place_after;
  logic over, over_after;
  always_comb begin
    ended = '0;
    for (int unsigned l = 0; l < Lanes; l++) ended += (LaneBits + 1)'(finished[l]);
    place       = (LaneBits + 1)'(turn_q) + ended;
    over        = walks && place >= row.blocks;
    place_after = over ? place - row.blocks : place;
    over_after  = over && !row.last && row_after.last && number_t'(tail_q - head_q) > 3'd1 &&
                  place_after == row_after.blocks;
    head_next   = head_q + number_t'(over) + number_t'(over_after);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) turn_q <= '0;
    else if (walks) turn_q <= (over_after || (over && row.last)) ? '0 : LaneBits'(place_after);
  end

  // ---------------------------------------------------------------- beats become chunks
  localparam int unsigned Beats = Line / BeatBytes;
  localparam int unsigned BeatIndex = (Beats > 1) ? $clog2(Beats) : 1;
  typedef struct packed {
    req_t req;
    logic odd;  // which packet it is of, modulo 2
    logic [10:0] runs;
  } out_t;

  logic begun_q, odd_q, starts, beat_done, packet_done, completes;
  logic [12:0] left_q, left;
  logic [BeatIndex-1:0] index_q;
  line_t chunk_q, chunk;
  logic [5:0] came;
  mask_t chunk_mask;
  logic ready_valid_q, ready_push, head_valid_q, head_push, push;
  out_t ready_q, head_msg_q, ready_next, out;
  logic out_ready;

  assign starts      = !begun_q;
  assign came        = fill - fill_q;
  assign left        = (starts ? row.work.payload : left_q) - 13'(came);
  assign packet_done = left == '0;
  assign beat_done   = 32'(fill) == BeatBytes || packet_done;
  assign completes   = row.work.plain || (beat_done && (packet_done || 32'(index_q) == Beats - 1));
  // A chunk needs its place, and a new packet the head's.
  assign stalls      = (completes && ready_valid_q && !ready_push) ||
                       (starts && !row.work.plain && head_valid_q && !head_push);
  assign walks       = present[0] && !stalls;

  always_comb begin
    chunk = chunk_q;
    for (int unsigned i = 0; i < Beats; i++) begin
      if (32'(index_q) == i) chunk[8*BeatBytes*i+:8*BeatBytes] = beat;
    end
    for (int unsigned i = 0; i < Line; i++) begin
      chunk_mask[i] = i < 32'(index_q) * BeatBytes + 32'(fill);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      odd_q   <= 1'b0;
      fill_q  <= '0;
      skip_q  <= '0;
      index_q <= '0;
      beat_q  <= '0;
      chunk_q <= '0;
    end else if (walks && !row.work.plain) begin
      begun_q <= !packet_done;
      odd_q   <= odd_q ^ packet_done;
      skip_q  <= skip;
      fill_q  <= beat_done ? '0 : fill;
      beat_q  <= beat_done ? '0 : beat;
      if (beat_done) begin
        index_q <= completes ? '0 : index_q + BeatIndex'(1);
        chunk_q <= completes ? '0 : chunk;
      end
      left_q <= left;
    end
  end

  // A plain WRITE is made of the first block's line with the one run.
  mask_t plain_mask;
  line_t plain_data;
  logic [39:0] plain_address;
  always_comb begin
    logic [6:0] line_at;
    line_at       = first & ~7'(Line - 1);
    plain_mask    = mask_t'(turned_left[0] >> line_at);
    plain_data    = line_t'(block_i[0] >> {line_at, 3'b000});
    plain_address = {row.work.dst, turned_tag[0], line_at};
    for (int unsigned i = 0; i < Line; i++) if (!plain_mask[i]) plain_data[8*i+:8] = '0;
  end

  always_comb begin
    ready_next             = '0;
    ready_next.req.kind    = row.work.plain ? ReqKindWrite : ReqKindChunk;
    ready_next.req.src     = self_i;
    ready_next.req.dst     = row.work.dst;
    ready_next.req.id      = 6'(!row.work.plain && packet_done);
    ready_next.req.address = row.work.plain ? plain_address : '0;
    ready_next.req.mask    = row.work.plain ? plain_mask : chunk_mask;
    ready_next.req.data    = row.work.plain ? plain_data : chunk;
    ready_next.odd         = odd_q ^ row.work.plain;  // a WRITE goes before the next head
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ready_valid_q <= 1'b0;
      head_valid_q  <= 1'b0;
    end else begin
      if (walks && completes) ready_valid_q <= 1'b1;
      else if (ready_push) ready_valid_q <= 1'b0;
      if (walks && starts && !row.work.plain) head_valid_q <= 1'b1;
      else if (head_push) head_valid_q <= 1'b0;
    end
    if (walks && completes) ready_q <= ready_next;
    if (walks && starts && !row.work.plain) begin
      head_msg_q             <= '0;
      head_msg_q.req.kind    <= ReqKindPacket;
      head_msg_q.req.src     <= self_i;
      head_msg_q.req.dst     <= row.work.dst;
      head_msg_q.req.wide    <= row.work.prefix;
      head_msg_q.req.address <= row.work.base;
      head_msg_q.req.data    <= line_t'(row.work.payload);
      head_msg_q.odd         <= odd_q;
      head_msg_q.runs        <= row.work.runs;
    end
  end

  // ---------------------------------------------------------------- what leaves
  logic split_valid, split_ready, split_pop;
  req_t split_req;
  logic head_first;

  // What is ready is of the packet before, or of the head's own.
  assign head_first   = head_valid_q && !(ready_valid_q && ready_q.odd != head_msg_q.odd);
  assign head_push    = head_first && out_ready;
  assign ready_push   = ready_valid_q && !head_first && out_ready;
  assign pipe_empty   = !row_valid && !ready_valid_q && !head_valid_q;
  assign message_turn = work_valid_i && !work_i.flush && pipe_empty;

  run_splitter i_splitter (
    .clk_i,
    .rst_ni,
    .valid_i(message_turn),
    .ready_o(split_pop),
    .req_i  (message_i),
    .split_i('0),
    .valid_o(split_valid),
    .ready_i(split_ready),
    .req_o  (split_req),
    .span_o (),
    .first_o(),
    .keeps_o()
  );
  assign split_ready  = out_ready;
  assign message_done = message_turn && split_pop;
  assign push         = head_first || ready_valid_q || split_valid;

  always_comb begin
    out = '0;
    out.req = split_req;
    if (ready_valid_q) out = ready_q;
    if (head_first) out = head_msg_q;
  end

  out_t leaving;
  fifo #(
    .T    (out_t),
    .Depth(Depth)
  ) i_out (
    .clk_i,
    .rst_ni,
    .valid_i(push),
    .ready_o(out_ready),
    .data_i (out),
    .valid_o(req_valid_o),
    .ready_i(req_ready_i),
    .data_o (leaving),
    .free_o ()
  );
  assign req_o  = leaving.req;
  assign runs_o = leaving.runs;
  assign idle_o = pipe_empty && !work_valid_i && !req_valid_o;

  // ---------------------------------------------------------------- faults
  if (Faults != 0) begin : gen_fault
    logic early;
    assign wrong_length  = fault_i == FaultPacketizerWrongLength;
    assign early         = fault_i == FaultPacketizerReleasesEarly;
    assign drained_o     = early ? plans && plan_last : set_fetched;
    assign drained_set_o = early ? work_i.set : fetching.work.set;
  end else begin : gen_no_fault
    assign wrong_length  = 1'b0;
    assign drained_o     = set_fetched;
    assign drained_set_o = fetching.work.set;
    logic unused_fault;
    assign unused_fault = ^fault_i;
  end
  logic unused;
  assign unused = ^{leaving.odd, row_after.work, row_after.row, row.row, row.work, fetching};

  if (Depth < 2) begin : gen_check_depth
    $error("packetizer: Depth must be at least 2");
  end
endmodule
