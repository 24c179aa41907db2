// SPDX-License-Identifier: Apache-2.0

/// The remote write queue: stores to other nodes gather here by destination until they leave as a packet.
///
/// A partition per destination has two sets of 128-byte blocks. One fills and is looked up by its tags; the other
/// one, once flushed, drains through the lanes' read ports. So a packet opens in the very cycle in which the last one is
/// closed. Everything that leaves is work, in the order in which it came: a flush, or a message that passes (loads,
/// atomics, markers, stores that leave plain). Whoever must not overtake queued stores waits for a flush first.
module write_queue
  import weft_pkg::*;
  import finepack_pkg::*;
#(
  /// Messages that may wait to pass.
  parameter int unsigned Messages = 4
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic        [        3:0] self_i,
  input  fault_e fault_i,
  /// Settings; a packet keeps those of its first store.
  input  logic                      enable_i,
  input  sub_header_t               sub_header_i,
  input  logic        [       12:0] payload_i,
  input  logic                      prefix_i,
  /// Cycles without a store after which a partition is flushed; 0: never.
  input  logic        [       15:0] timeout_i,
  /// End of a kernel: all partitions are flushed, and nothing comes in until they are.
  input  logic                      flush_i,
  input  logic                      req_valid_i,
  output logic                      req_ready_o,
  input  req_t                      req_i,
  /// The WRITE is a strong store of scope sys.
  input  logic                      strong_i,
  /// Work, and the message of it that is none.
  output logic                      work_valid_o,
  input  logic                      work_ready_i,
  output work_t                     work_o,
  output req_t                      message_o,
  /// One block per lane: what is asked for is there in the next cycle, and stays.
  input  logic        [  Lanes-1:0] read_i,
  input  row_t                      row_i        [Lanes],
  output enables_t                  enables_o    [Lanes],
  output tag_t                      tag_o        [Lanes],
  output block_t                    block_o      [Lanes],
  /// A set has left.
  input  logic                      drained_i,
  input  logic        [        4:0] drained_set_i,
  /// No partition holds stores.
  output logic                      empty_o,
  output step_t                     step_o
);
  localparam int unsigned SlotBits = (EgressEntries > 1) ? $clog2(EgressEntries) : 1;
  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [PartBits-1:0] part_t;

  typedef struct packed {
    logic [6:0] used;
    logic which;  // of its two sets, the one that fills
    logic [35:0] base;
    logic [12:0] bytes;
    logic [12:0] limit;
    logic [10:0] runs;
    sub_header_t sub_header;
    logic prefix;
    enables_t first;  // bytes of the first block
  } partition_t;

  // ---------------------------------------------------------------- state
  partition_t part_q[Partitions];
  tag_t tag_q[Partitions][EgressEntries];
  enables_t enable_q[Partitions][EgressEntries];
  logic [15:0] idle_q[Partitions];
  logic [Partitions-1:0][1:0] busy_q;  // the sets that drain
  logic due_q;  // a strong store was the last one in
  part_t due_part_q;

  // ---------------------------------------------------------------- which partition, and why
  logic work_ready, message_ready, served, by_itself, ending;
  logic [Partitions-1:0] full_ones, free_ones, timed_out;
  part_t req_part, own_part, sel;
  partition_t p;
  flush_cause_e own_cause;

  always_comb begin
    for (int unsigned n = 0; n < Partitions; n++) begin
      full_ones[n] = part_q[n].used != '0;
      free_ones[n] = full_ones[n] && !busy_q[n][!part_q[n].which];
      timed_out[n] = free_ones[n] && timeout_i != '0 && idle_q[n] >= timeout_i;
    end
  end

  // Flushes by themselves: of a strong store, at the end of a kernel, after a time-out.
  always_comb begin
    own_part  = due_part_q;
    own_cause = FlushCauseStrong;
    by_itself = due_q && free_ones[due_part_q];
    if (!due_q) begin
      own_cause = flush_i ? FlushCauseEnd : FlushCauseTimeout;
      for (int unsigned n = Partitions; n > 0; n--) begin
        if (flush_i ? free_ones[n-1] : timed_out[n-1]) begin
          own_part  = part_t'(n - 1);
          by_itself = 1'b1;
        end
      end
    end
  end
  assign ending = due_q || (flush_i && full_ones != '0);

  assign served   = req_i.dst != self_i && 32'(req_i.dst) < Nodes;
  assign req_part = served ? partition_of(req_i.dst, self_i) : '0;
  assign sel      = by_itself ? own_part : req_part;
  assign p        = part_q[sel];
  assign empty_o  = full_ones == '0;

  // ---------------------------------------------------------------- the block
  enables_t store, queued, merged;
  tag_t tag;
  logic hit;
  slot_t hit_slot;

  assign tag = req_i.address[35:BlockBits];
  if (Line == BlockBytes) begin : gen_whole
    assign store = req_i.mask;
  end else begin : gen_part
    assign store = enables_t'(req_i.mask) << {req_i.address[BlockBits-1:$clog2(Line)], {$clog2(Line) {1'b0}}};
  end

  always_comb begin
    hit      = 1'b0;
    hit_slot = '0;
    for (int unsigned i = 0; i < EgressEntries; i++) begin
      if (served && 7'(i) < p.used && tag_q[sel][i] == tag) begin
        hit      = 1'b1;
        hit_slot = slot_t'(i);
      end
    end
  end
  assign queued = hit ? enable_q[sel][hit_slot] : '0;

  // ---------------------------------------------------------------- what is done
  logic is_write, enters, puts, passes, needs_flush, can_flush, go, reopens, opens, skips_check;
  flush_cause_e store_cause, cause;
  logic [12:0] grown;
  encoded_t alone;
  logic [6:0] first_byte;
  logic put, which;
  slot_t slot;

  always_comb begin
    first_byte = '0;
    for (int unsigned i = BlockBytes; i > 0; i--) if (store[i-1]) first_byte = 7'(i - 1);
  end

  write_queue_policy i_policy (
    .enable_i,
    .sub_header_i,
    .payload_i,
    .store_i          (store),
    .first_i          ({tag, first_byte}),
    .hit_i            (hit),
    .queued_i         (queued),
    .used_i           (p.used),
    .bytes_i          (p.bytes),
    .limit_i          (p.limit),
    .open_sub_header_i(p.sub_header),
    .base_i           (p.base),
    .enters_o         (enters),
    .cause_o          (store_cause),
    .grown_o          (grown),
    .alone_o          (alone)
  );

  assign is_write = served && req_i.kind == ReqKindWrite;
  always_comb begin
    cause = FlushCauseNone;
    if (is_write) cause = store_cause;
    else if (served && req_i.kind == ReqKindMarker && p.used != '0) cause = FlushCauseRelease;
    else if (hit && req_i.kind == ReqKindRead && !skips_check) cause = FlushCauseLoad;
    else if (hit && req_i.kind == ReqKindAtomic) cause = FlushCauseAtomic;
  end

  assign needs_flush = cause != FlushCauseNone;
  assign puts        = is_write && enters;
  assign passes      = !puts && !needs_flush;
  assign can_flush   = work_ready && !busy_q[sel][!p.which];
  assign go          = needs_flush ? can_flush : !passes || (work_ready && message_ready);
  assign req_ready_o = !by_itself && !ending && go && (puts || passes);

  always_comb begin
    step_o = '0;
    if (by_itself) begin
      step_o.kind    = work_ready ? EgressKindFlush : EgressKindNone;
      step_o.flushed = work_ready;
      step_o.cause   = own_cause;
      step_o.dst     = destination_of(own_part, self_i);
    end else if (req_valid_i && !ending && go) begin
      step_o.kind    = EgressKindInput;
      step_o.taken   = puts || passes;
      step_o.hit     = is_write && hit && !reopens;
      step_o.slot    = puts ? 6'(slot) : '0;
      step_o.plain   = passes;
      step_o.flushed = needs_flush;
      step_o.cause   = cause;
      step_o.dst     = needs_flush ? req_i.dst : '0;
      step_o.merged  = (puts && !reopens) ? 8'($countones(store & queued)) : '0;
    end
  end

  // ---------------------------------------------------------------- the store goes in
  assign put     = step_o.taken && puts;
  assign reopens = puts && needs_flush;
  assign opens   = reopens || p.used == '0;
  assign which   = p.which ^ needs_flush;
  assign slot    = opens ? '0 : hit ? hit_slot : slot_t'(p.used);

  partition_t next;
  always_comb begin
    next = p;
    if (step_o.flushed) begin
      next.which = !p.which;
      next.used  = '0;
    end
    if (put) begin
      if (opens || !hit) next.used = next.used + 7'd1;
      next.bytes = opens ? 13'(alone) : grown;
      next.runs  = opens ? 11'(runs_of(store)) : p.runs + 11'(runs_of(merged)) - 11'(runs_of(queued));
      if (slot == '0) next.first = merged;
      if (opens) begin
        next.base       = {tag, first_byte} & ~window_mask(sub_header_i);
        next.limit      = payload_i;
        next.sub_header = sub_header_i;
        next.prefix     = prefix_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned n = 0; n < Partitions; n++) part_q[n] <= '0;
      busy_q <= '0;
      due_q  <= 1'b0;
    end else begin
      if (put || step_o.flushed) part_q[sel] <= next;
      if (step_o.flushed) busy_q[sel][p.which] <= 1'b1;
      if (drained_i) busy_q[PartBits'(drained_set_i>>1)][drained_set_i[0]] <= 1'b0;
      if (put) due_q <= strong_i;
      else if (step_o.flushed) due_q <= 1'b0;
    end
    if (put) begin
      tag_q[sel][slot]    <= tag;
      enable_q[sel][slot] <= merged;
      due_part_q          <= sel;
    end
    for (int unsigned n = 0; n < Partitions; n++) begin
      if (!rst_ni || !full_ones[n] || (put && sel == part_t'(n))) idle_q[n] <= '0;
      else if (idle_q[n] != '1) idle_q[n] <= idle_q[n] + 16'd1;
    end
  end

  // ---------------------------------------------------------------- the lanes: slot i is in lane i mod Lanes
  row_t put_row;
  assign put_row = row_t'((32'({sel, which}) * Rows) + 32'(slot) / Lanes);

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic here;
    assign here = put && 32'(slot) % Lanes == l;
    ram #(
      .Words  (Sets * Rows),
      .Width  (8 * BlockBytes),
      .Granule(8)
    ) i_data (
      .clk_i,
      .ren_i  (read_i[l]),
      .raddr_i(row_i[l]),
      .rdata_o(block_o[l]),
      .wen_i  (here ? store : '0),
      .waddr_i(put_row),
      .wdata_i({BlockBytes / Line{req_i.data}})
    );
    ram #(
      .Words(Sets * Rows),
      .Width($bits(tag_t) + BlockBytes)
    ) i_enables (
      .clk_i,
      .ren_i  (read_i[l]),
      .raddr_i(row_i[l]),
      .rdata_o({tag_o[l], enables_o[l]}),
      .wen_i  (here),
      .waddr_i(put_row),
      .wdata_i({tag, merged})
    );
  end

  // ---------------------------------------------------------------- work
  work_t work;
  logic work_push, message_pop;

  assign work_push = step_o.flushed || step_o.plain;
  always_comb begin
    work            = '0;
    work.flush      = step_o.flushed;
    work.plain      = p.used == 7'd1 && plain_is_shorter(p.first, p.bytes, p.prefix);
    work.dst        = step_o.flushed ? destination_of(sel, self_i) : '0;
    work.set        = 5'({sel, p.which});
    work.base       = {work.dst, p.base};
    work.payload    = p.bytes;
    work.used       = p.used;
    work.runs       = p.runs;
    work.sub_header = p.sub_header;
    work.prefix     = p.prefix;
  end

  fifo #(
    .T    (work_t),
    .Depth(Sets + Messages)
  ) i_work (
    .clk_i,
    .rst_ni,
    .valid_i(work_push),
    .ready_o(work_ready),
    .data_i (work),
    .valid_o(work_valid_o),
    .ready_i(work_ready_i),
    .data_o (work_o),
    .free_o ()
  );

  assign message_pop = work_valid_o && work_ready_i && !work_o.flush;
  fifo #(
    .T    (req_t),
    .Depth(Messages)
  ) i_messages (
    .clk_i,
    .rst_ni,
    .valid_i(step_o.plain),
    .ready_o(message_ready),
    .data_i (req_i),
    .valid_o(),
    .ready_i(message_pop),
    .data_o (message_o),
    .free_o ()
  );

  // ---------------------------------------------------------------- faults
  if (Faults != 0) begin : gen_fault
    logic forgets;
    assign forgets     = fault_i == FaultQueueForgetsEnable;
    assign merged      = store | ((reopens || forgets) ? '0 : queued);
    assign skips_check = fault_i == FaultQueueSkipsLoadCheck;
  end else begin : gen_no_fault
    assign merged      = store | (reopens ? '0 : queued);
    assign skips_check = 1'b0;
    logic unused_fault;
    assign unused_fault = ^fault_i;
  end

  if (Messages < 1) begin : gen_check_messages
    $error("write_queue: Messages must be at least 1");
  end
endmodule
