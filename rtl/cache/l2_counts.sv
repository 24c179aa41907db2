// SPDX-License-Identifier: Apache-2.0

/// What a step of an L2 bank adds to the counters of l2, home, release and memory, read off its event.
module l2_counts
  import weft_pkg::*;
(
  input  logic [3:0] self_i,
  input  l2_event_t  event_i,
  input  logic       stalled_i,
  output l2_count_t  count_o
);
  logic
      is_cu,
      is_request,
      is_inv,
      is_mark,
      is_response,
      is_replay,
      local_line,
      home_request,
      marker_step,
      fills;
  logic [3:0] marks, skips;
  always_comb begin : kinds
    is_cu       = event_i.valid && event_i.kind == L2EventKindCu;
    is_request  = event_i.valid && event_i.kind == L2EventKindRequest;
    is_inv      = event_i.valid && event_i.kind == L2EventKindInv;
    is_mark     = event_i.valid && event_i.kind == L2EventKindMark;
    is_response = event_i.valid && event_i.kind == L2EventKindResponse;
    fills       = is_response && event_i.rsp.kind inside {RspKindLine, RspKindWrote};
    is_replay   = event_i.valid && event_i.kind == L2EventKindReplay;
    local_line  = event_i.req.address[39:36] == self_i;
    home_request = (is_cu && local_line && event_i.req.kind != ReqKindFence) ||
                   (is_request && event_i.req.kind != ReqKindMarker);
    marker_step = event_i.valid &&
                  (event_i.kind == L2EventKindMarkerGo ||
                   (event_i.kind == L2EventKindMarkerSend && !event_i.sent_req && !event_i.allocated) ||
                   (is_request && event_i.req.kind == ReqKindMarker && !event_i.allocated));
  end

  always_comb begin : marker
    marks = '0;
    if (event_i.sent_fwd) for (int n = 0; n < Nodes; n++) marks += 4'(event_i.out_fwd.nodes[n]);
    skips = 4'(Nodes - 1) - marks;
  end

  always_comb begin : counts
    count_o = '0;
    count_o.stalls = stalled_i;
    count_o.reads = is_cu && event_i.req.kind == ReqKindRead;
    count_o.writes = is_cu && event_i.req.kind == ReqKindWrite;
    count_o.atomics = is_cu && event_i.req.kind == ReqKindAtomic;
    count_o.fences = is_cu && event_i.req.kind == ReqKindFence;
    if (count_o.reads && !local_line) begin
      // A wide read goes to its home whether there is a copy or not.
      count_o.hits = event_i.hit && !event_i.allocated && !event_i.joined;
      count_o.misses = event_i.allocated;
      count_o.joins = event_i.joined;
      count_o.lease_misses = event_i.expired;
    end
    if (event_i.valid && event_i.sent_req && event_i.out_req.kind <= ReqKindAtomic &&
        event_i.out_req.cts != '0)
      count_o.stamp_bytes += weft_cost_pkg::req_renews(event_i.out_req) ? 4'd8 : 4'd4;
    if (event_i.valid && event_i.sent_rsp &&
        event_i.out_rsp.kind inside {RspKindLine, RspKindAtomic, RspKindWrote} &&
        (event_i.out_rsp.wts | event_i.out_rsp.rts) != '0)
      count_o.stamp_bytes += (event_i.out_rsp.kind == RspKindWrote && !event_i.out_rsp.wide) ? 4'd8 : 4'd4;
    count_o.installs = fills && event_i.installed;
    count_o.expired = BuiltLeases && count_o.installs && event_i.rsp.rts < event_i.clock;
    count_o.closed = fills && !event_i.installed;
    count_o.writebacks = event_i.valid && event_i.victim_dirty;
    count_o.inv_hit_write = is_inv && event_i.hit && event_i.fwd.cause == CauseWrite;
    count_o.inv_hit_evict = is_inv && event_i.hit && event_i.fwd.cause == CauseEvict;
    count_o.inv_miss = is_inv && !event_i.hit;
    if (is_replay || (home_request && event_i.hit)) begin
      count_o.home_local = event_i.req.src == self_i;
      count_o.home_remote = event_i.req.src != self_i;
      count_o.home_hits = !is_replay;
    end
    count_o.home_fetches = home_request && event_i.allocated;
    count_o.home_joins = home_request && event_i.joined;
    count_o.home_markers = marker_step;
    if (marker_step) begin
      count_o.home_marks = marks;
      count_o.home_skips = skips;
    end
    count_o.release_started = count_o.fences && event_i.allocated;
    // An acknowledgement to this very node leaves no message.
    if (is_response && event_i.rsp.kind == RspKindAck) count_o.release_acks = event_i.rsp.count;
    else if (is_mark && !event_i.sent_rsp) count_o.release_acks = 4'd1;
    else if (marker_step && !event_i.sent_rsp) count_o.release_acks = skips;
    count_o.memory_reads = event_i.valid && event_i.sent_mem && !event_i.out_mem.write;
    count_o.memory_writes = event_i.valid && event_i.sent_mem && event_i.out_mem.write;
  end
endmodule
