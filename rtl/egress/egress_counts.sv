// SPDX-License-Identifier: Apache-2.0

/// What an egress adds to its counters in one cycle, from what its parts did. Combinational.
module egress_counts
  import weft_pkg::*;
  import finepack_pkg::*;
(
  input  step_t                step_i,
  input  req_t                 req_i,
  /// A message that leaves, and the sub-transactions of its packet if it is a head.
  input  logic                 sent_i,
  input  req_t                 out_i,
  input  logic          [10:0] runs_i,
  input  logic                 stalled_i,
  output egress_count_t        count_o
);
  logic stored, head;
  logic [12:0] payload;
  logic [7:0] bin;

  assign stored  = step_i.taken && req_i.kind == ReqKindWrite && step_i.kind == EgressKindInput;
  assign head    = sent_i && out_i.kind == ReqKindPacket;
  assign payload = 13'(out_i.data[15:0]);

  // A bin per power of two, the last one for all above.
  always_comb begin
    for (int unsigned i = 0; i < 7; i++) bin[i] = head && (runs_i >> i) == 11'd1;
    bin[7] = head && (runs_i >> 7) != '0;
  end

  always_comb begin
    count_o               = '0;
    count_o.stores        = stored;
    count_o.bytes         = stored ? 8'($countones(req_i.mask)) : '0;
    count_o.merged        = step_i.merged;
    count_o.hits          = stored && step_i.hit;
    count_o.flush_base    = step_i.flushed && step_i.cause == FlushCauseBase;
    count_o.flush_room    = step_i.flushed && step_i.cause == FlushCauseRoom;
    count_o.flush_payload = step_i.flushed && step_i.cause == FlushCausePayload;
    count_o.flush_release = step_i.flushed && step_i.cause == FlushCauseRelease;
    count_o.flush_load    = step_i.flushed && step_i.cause == FlushCauseLoad;
    count_o.flush_atomic  = step_i.flushed && step_i.cause == FlushCauseAtomic;
    count_o.flush_timeout = step_i.flushed && step_i.cause == FlushCauseTimeout;
    count_o.flush_end     = step_i.flushed && step_i.cause == FlushCauseEnd;
    count_o.flush_strong  = step_i.flushed && step_i.cause == FlushCauseStrong;
    count_o.plain         = sent_i && out_i.kind == ReqKindWrite;
    count_o.stalls        = stalled_i;
    {count_o.subs_128, count_o.subs_64, count_o.subs_32, count_o.subs_16} = bin[7:4];
    {count_o.subs_8, count_o.subs_4, count_o.subs_2, count_o.subs_1} = bin[3:0];
    if (head) begin
      count_o.packets = 1'b1;
      count_o.payload = payload;
      count_o.header  = out_i.wide ? 5'd20 : 5'd16;
      count_o.framing = 4'd8;
      count_o.padding = 2'(13'd4 - (payload & 13'd3));
      count_o.subs    = runs_i;
    end
  end

  // Both messages are read in part.
  logic unused;
  assign unused = ^{req_i, out_i, step_i};
endmodule
