// SPDX-License-Identifier: Apache-2.0

/// One bank of a node's L2 with its home: cache of remote lines (write-through) and of local lines
/// (write-back), and the place where every request to a local line takes effect (docs/protocol.md "L2 bank").
/// Three stages that never stall:
///   A  l2_admit chooses the next step and reads tags and directory
///   B  compare, change all state but the data, tell the forward queue: steps are ordered here (R1)
///   C  data out of the RAM; write, answer, write back
module l2
  import weft_pkg::*;
  import l2_pkg::*;
#(
  /// Number of this bank.
  parameter int unsigned Bank = 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] self_i,
  input  protocol_e  protocol_i,
  input  fault_e     fault_i,

  input  logic     cu_valid_i,
  output logic     cu_ready_o,
  input  l1_req_t  cu_i,
  output logic     l1_valid_o,
  input  logic     l1_ready_i,
  output l1_rsp_t  l1_o,

  input  logic     req_valid_i,
  output logic     req_ready_o,
  input  req_t     req_i,
  input  logic     fwd_valid_i,
  output logic     fwd_ready_o,
  input  fwd_t     fwd_i,
  input  logic     rsp_valid_i,
  output logic     rsp_ready_o,
  input  rsp_t     rsp_i,
  output logic     req_valid_o,
  input  logic     req_ready_i,
  output req_t     req_o,
  output logic     fwd_valid_o,
  input  logic     fwd_ready_i,
  output fwd_t     fwd_o,
  output logic     rsp_valid_o,
  input  logic     rsp_ready_i,
  output rsp_t     rsp_o,

  output logic     mem_valid_o,
  input  logic     mem_ready_i,
  output mem_req_t mem_o,
  input  logic     mem_valid_i,
  output logic     mem_ready_o,
  input  mem_rsp_t mem_i,

  /// Level: write all dirty lines back; flushed_o when done.
  input  logic       flush_i,
  output logic       flushed_o,
  output logic       ready_o,
  output logic       idle_o,
  output l2_event_t  event_o,
  output dir_event_t dir_event_o,
  output l2_count_t  count_o,
  output dir_count_t dir_count_o
);
  localparam int unsigned MissBits = $clog2(L2Misses);
  localparam int unsigned FetchBits = $clog2(HomeFetches);
  localparam int unsigned ReleaseBits = (L2Releases > 1) ? $clog2(L2Releases) : 1;
  localparam int unsigned MarkerBits = (HomeMarkers > 1) ? $clog2(HomeMarkers) : 1;
  localparam int unsigned OutDepth = 4;
  localparam int unsigned ReqDepth = 8;
  localparam int unsigned OutBits = $clog2(OutDepth + 1);

  work_t a_work, b_q;
  logic c_valid_q;

  // ---------------------------------------------------------------- the walk after reset
  logic [SetBits:0] walk_q;
  logic walked, directory_ready;
  assign walked  = walk_q == (SetBits + 1)'(L2Sets);
  assign ready_o = walked && directory_ready;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) walk_q <= '0;
    else if (!walked) walk_q <= walk_q + 1'b1;
  end

  // ---------------------------------------------------------------- tags
  tags_t tags, tags_new;
  logic  tags_write;
  set_t  b_set;
  logic [39:0] a_address, b_address;
  assign a_address = {a_work.line, LineBits'(0)};
  assign b_address = {b_q.line, LineBits'(0)};
  assign b_set     = set_of(b_address);
  ram #(.Words(L2Sets), .Width($bits(tags_t))) u_tags (
    .clk_i,
    .ren_i  (a_work.valid),
    .raddr_i(set_of(a_address)),
    .rdata_o(tags),
    .wen_i  (tags_write || !walked),
    .waddr_i(walked ? b_set : SetBits'(walk_q)),
    .wdata_i(walked ? tags_new : '0)
  );

  logic [L2Ways-1:0] valids, hits, exclude;
  way_t [L2Ways-1:0] ages, ages_next;
  way_t hit_way, victim, b_way;
  logic tag_hit;
  always_comb begin : compare
    hits = '0;
    hit_way = '0;
    foreach (valids[w]) begin
      valids[w] = tags.entry[w].valid;
      hits[w] = tags.entry[w].valid && tags.entry[w].tag == tag_of(b_address);
      if (hits[w]) hit_way |= WayBits'(w);
      ages[w] = tags.age[w] ^ WayBits'(w);
    end
    tag_hit = hits != '0;
  end
  replacement #(.Ways(L2Ways)) u_replacement (
    .valid_i    (valids),
    .ages_i     (ages),
    .exclude_i  (exclude),
    .touch_way_i(b_way),
    .victim_o   (victim),
    .ages_o     (ages_next)
  );

  // ---------------------------------------------------------------- what the step is
  logic is_cu, is_local, fetching, from_request, to_remote, home_step, replaying, by_self;
  logic miss_open, installs_line, installs_memory, install, is_inv, is_fill;
  req_t b_req, replay_req;
  logic [FetchBits-1:0] match_fetch, free_fetch, replay_fetch;
  logic [MissBits-1:0] open_miss, free_miss, answer_miss;
  logic [$clog2(HomeWaiters+1)-1:0] replays_left, fetch_waiters;
  logic [$clog2(L2Waiters+1)-1:0] answers_left, miss_waiters;
  logic fill_open;
  logic [2:0] answer_cu;
  logic [5:0] answer_id;
  lineno_t peek_miss_line, peek_fetch_line, replay_line_q;
  logic [$clog2(L2Misses+1)-1:0] miss_free;
  logic [$clog2(HomeFetches+1)-1:0] fetch_free;

  assign is_cu        = b_q.valid && b_q.kind == L2EventKindCu;
  assign replaying    = b_q.valid && b_q.kind == L2EventKindReplay;
  assign is_inv       = b_q.valid && b_q.kind == L2EventKindInv;
  assign is_fill      = b_q.valid && b_q.kind == L2EventKindResponse && b_q.rsp.kind == RspKindLine;
  assign b_req        = replaying ? replay_req : b_q.req;
  assign by_self      = b_req.src == self_i;
  assign is_local     = b_address[39:36] == self_i;
  assign from_request = (is_cu || (b_q.valid && b_q.kind == L2EventKindRequest)) &&
                        b_q.req.kind inside {ReqKindRead, ReqKindWrite, ReqKindAtomic};
  assign to_remote    = from_request && !is_local;
  assign home_step    = replaying || (from_request && is_local && !fetching && tag_hit);

  logic remote_read, remote_write, remote_atomic, read_miss, read_join, closes;
  assign remote_read   = to_remote && b_req.kind == ReqKindRead;
  assign remote_write  = to_remote && b_req.kind == ReqKindWrite;
  assign remote_atomic = to_remote && b_req.kind == ReqKindAtomic;
  assign read_miss     = remote_read && !tag_hit && !miss_open;
  assign read_join     = remote_read && !tag_hit && miss_open;
  assign closes        = miss_open && ((remote_write && fault_i != FaultL2StoreKeepsFill) || remote_atomic ||
                                       (is_inv && fault_i != FaultL2InvKeepsFill));

  misses u_misses (
    .clk_i,
    .rst_ni,
    .line_i        (b_q.line),
    .open_o        (miss_open),
    .open_index_o  (open_miss),
    .free_index_o  (free_miss),
    .allocate_i    (read_miss),
    .join_i        (read_join),
    .close_i       (closes),
    .cu_i          (b_req.cu),
    .id_i          (b_req.id),
    .fill_i        (is_fill),
    .fill_index_i  (b_q.rsp.id[MissBits-1:0]),
    .fill_open_o   (fill_open),
    .answer_i      (b_q.valid && b_q.kind == L2EventKindAnswer),
    .answer_index_o(answer_miss),
    .answer_cu_o   (answer_cu),
    .answer_id_o   (answer_id),
    .answers_left_o(answers_left),
    .peek_index_i  (rsp_i.id[MissBits-1:0]),
    .peek_line_o   (peek_miss_line),
    .free_entries_o(miss_free),
    .free_waiters_o(miss_waiters)
  );

  logic fetch_match, fetch_start, fetch_join, fetch_ends, memory_event;
  logic [HomeFetches-1:0] fetch_used;
  assign memory_event = b_q.valid && b_q.kind == L2EventKindMemory;
  assign fetching     = fetch_match;
  assign fetch_start  = from_request && is_local && !fetching && !tag_hit;
  assign fetch_join   = from_request && is_local && fetching;
  fetches u_fetches (
    .clk_i,
    .rst_ni,
    .line_i        (b_q.line),
    .match_o       (fetch_match),
    .match_index_o (match_fetch),
    .free_index_o  (free_fetch),
    .allocate_i    (fetch_start),
    .join_i        (fetch_join),
    .request_i     (b_q.req),
    .start_i       (memory_event),
    .start_index_i (b_q.rsp.id[FetchBits-1:0]),
    .pop_i         (replaying),
    .head_o        (replay_req),
    .replay_index_o(replay_fetch),
    .replays_left_o(replays_left),
    .ends_o        (fetch_ends),
    .peek_index_i  (mem_i.id[FetchBits-1:0]),
    .peek_line_o   (peek_fetch_line),
    .used_o        (fetch_used),
    .free_entries_o(fetch_free),
    .free_waiters_o(fetch_waiters)
  );

  // The way in replay must stay until its list is done.
  set_t replay_set_q;
  way_t replay_way_q;
  always_ff @(posedge clk_i) begin
    if (memory_event) begin
      replay_set_q <= b_set;
      replay_way_q <= victim;
      replay_line_q <= b_q.line;
    end
  end
  always_comb begin
    exclude = '0;
    if (replays_left != '0 && replay_set_q == b_set) exclude[replay_way_q] = 1'b1;
  end

  // ---------------------------------------------------------------- directory
  localparam int unsigned SliceEntries = DirectoryEntries / L2Banks;
  logic dir_step, dir_hit, dir_allocated, dir_evicted;
  dir_op_e dir_op;
  cause_e dir_cause;
  logic [39:0] dir_address;
  logic [15:0] dir_nodes;
  assign dir_step = home_step && protocol_i != ProtocolNone;
  always_comb begin
    unique case (b_req.kind)
      ReqKindWrite:  dir_op = DirOpWrite;
      ReqKindAtomic: dir_op = DirOpAtomic;
      default:       dir_op = DirOpRead;
    endcase
  end
  directory #(
    .Nodes    (Nodes),
    .Entries  (SliceEntries),
    .Ways     (DirectoryWays),
    .LineWidth(BankLineBits),
    .Line     (Line),
    .Banks    (L2Banks)
  ) u_directory (
    .clk_i,
    .rst_ni,
    .self_i,
    .bank_i        (3'(Bank)),
    .fault_i       (fault_i),
    .ready_o       (directory_ready),
    .lookup_i      (a_work.valid),
    .line_i        (bankline_of(a_address)),
    .step_i        (dir_step),
    .op_i          (dir_op),
    .local_i       (by_self),
    .requester_i   (b_req.src),
    .hit_o         (dir_hit),
    .way_o         (),
    .allocated_o   (dir_allocated),
    .evicted_o     (dir_evicted),
    .evicted_line_o(),
    .sharers_o     (),
    .inv_sharers_o (),
    .inv_nodes_o   (dir_nodes),
    .inv_cause_o   (dir_cause),
    .inv_address_o (dir_address),
    .event_o       (dir_event_o)
  );
  always_comb begin : directory_counts
    logic [3:0] owed;
    owed = '0;
    for (int n = 0; n < Nodes; n++) owed += 4'(dir_nodes[n]);
    dir_count_o = '0;
    if (dir_step) begin
      dir_count_o.lookups = 1'b1;
      dir_count_o.hits = dir_hit;
      dir_count_o.allocations = dir_allocated;
      dir_count_o.evictions = dir_evicted;
      if (dir_cause == CauseWrite) dir_count_o.inv_write = owed;
      else dir_count_o.inv_evict = owed;
    end
  end

  // ---------------------------------------------------------------- markers and releases
  logic marker_step, marker_parks, marker_asked, is_send, is_go, send_self, starts_release;
  logic [3:0] marker_src, go_src, send_home, ack_count, skipped;
  logic [5:0] marker_id, go_id;
  logic [15:0] others, unseen, marked;
  logic ack_self, released;
  logic [5:0] ack_id, released_id;
  logic [2:0] released_cu;
  logic [ReleaseBits-1:0] send_release, free_release;
  logic [$clog2(L2Releases+1)-1:0] release_free;
  logic [$clog2(HomeMarkers+1)-1:0] marker_free, marker_ready;
  logic send_pending, send_more;
  logic [MarkerBits-1:0] free_marker, go_marker;

  assign is_send   = b_q.valid && b_q.kind == L2EventKindMarkerSend;
  assign is_go     = b_q.valid && b_q.kind == L2EventKindMarkerGo;
  assign send_self = is_send && send_home == self_i;
  assign marker_asked = send_self || (b_q.valid && b_q.kind == L2EventKindRequest && b_q.req.kind == ReqKindMarker);
  assign marker_parks = marker_asked && fetch_used != '0;
  assign marker_step  = is_go || (marker_asked && fetch_used == '0);
  always_comb begin : marker
    marker_src = send_self ? self_i : b_q.req.src;
    marker_id  = send_self ? 6'(send_release) : b_q.req.id;
    others = '0;
    for (int n = 0; n < Nodes; n++) others[n] = 4'(n) != self_i;
    marked = unseen & others;
    skipped = '0;
    for (int n = 0; n < Nodes; n++) skipped += 4'(others[n] && !unseen[n]);
  end
  logic [3:0] step_src;
  logic [5:0] step_id;
  assign step_src = is_go ? go_src : marker_src;
  assign step_id  = is_go ? go_id : marker_id;

  markers u_markers (
    .clk_i,
    .rst_ni,
    .park_i       (marker_parks),
    .src_i        (marker_src),
    .id_i         (marker_id),
    .fetches_i    (fetch_used),
    .fetch_ends_i (fetch_ends),
    .fetch_index_i(replay_fetch),
    .go_i         (is_go),
    .src_o        (go_src),
    .id_o         (go_id),
    .free_index_o (free_marker),
    .go_index_o   (go_marker),
    .ready_o      (marker_ready),
    .free_o       (marker_free)
  );

  // An acknowledgement to this node: from a message, from a MARK met here, or from its own home.
  logic is_ack, is_mark, is_seen;
  assign is_ack  = b_q.valid && b_q.kind == L2EventKindResponse && b_q.rsp.kind == RspKindAck;
  assign is_mark = b_q.valid && b_q.kind == L2EventKindMark;
  assign is_seen = b_q.valid && b_q.kind == L2EventKindSeen;
  always_comb begin : acks
    ack_self = 1'b0;
    ack_id = b_q.rsp.id;
    ack_count = b_q.rsp.count;
    if (is_ack) begin
      ack_self = 1'b1;
    end else if (is_mark && b_q.fwd.releaser == self_i) begin
      ack_self = 1'b1;
      ack_id = b_q.fwd.id;
      ack_count = 4'd1;
    end else if (marker_step && step_src == self_i && skipped != '0) begin
      ack_self = 1'b1;
      ack_id = step_id;
      ack_count = skipped;
    end
  end
  assign starts_release = is_cu && b_q.req.kind == ReqKindFence && b_q.scope == ScopeSys && Nodes > 1;
  releases u_releases (
    .clk_i,
    .rst_ni,
    .fault_i,
    .start_i       (starts_release),
    .cu_i          (b_q.req.cu),
    .id_i          (b_q.req.id),
    .send_i        (is_send),
    .pending_o     (send_pending),
    .pending_more_o(send_more),
    .send_index_o  (send_release),
    .send_home_o   (send_home),
    .ack_i         (ack_self),
    .ack_index_i   (ack_id[ReleaseBits-1:0]),
    .ack_count_i   (ack_count),
    .done_o        (released),
    .done_cu_o     (released_cu),
    .done_id_o     (released_id),
    .free_index_o  (free_release),
    .free_o        (release_free)
  );

  // ---------------------------------------------------------------- forward queue
  logic fwd_push, seen_update;
  fwd_item_t b_item;
  logic [$clog2(HomeForwards+1)-1:0] fwd_free;
  always_comb begin : item
    b_item = '0;
    fwd_push = 1'b0;
    if (dir_step && dir_nodes != '0) begin
      fwd_push = 1'b1;
      b_item = '{kind: FwdKindInv, nodes: dir_nodes, cause: dir_cause, releaser: '0, id: '0, address: dir_address};
    end else if (marker_step && marked != '0) begin
      fwd_push = 1'b1;
      b_item = '{kind: FwdKindMark, nodes: marked, cause: CauseWrite, releaser: step_src, id: step_id,
                 address: {self_i, 36'(Bank) << 12}};
    end
  end
  assign seen_update = b_q.valid && b_q.kind == L2EventKindResponse &&
                       (b_q.rsp.kind == RspKindSeen || (b_q.rsp.kind == RspKindAck && b_q.rsp.seen));
  forward #(.Nodes(Nodes), .Depth(HomeForwards)) u_forward (
    .clk_i,
    .rst_ni,
    .self_i,
    .fault_i     (fault_i),
    .item_valid_i(fwd_push),
    .item_i      (b_item),
    .free_o      (fwd_free),
    .seen_valid_i(seen_update),
    .seen_src_i  (b_q.rsp.src),
    .seen_stamp_i(b_q.rsp.stamp),
    .unseen_o    (unseen),
    .valid_o     (fwd_valid_o),
    .ready_i     (fwd_ready_i),
    .fwd_o
  );

  // ---------------------------------------------------------------- stage B: tags change
  logic invalidates, copies, touches, victim_dirty, flushes, is_flush;
  assign installs_line   = is_fill && fill_open;
  assign installs_memory = memory_event;
  assign install      = installs_line || installs_memory;
  assign is_flush     = b_q.valid && b_q.kind == L2EventKindFlush;
  assign flushes      = is_flush && tags.entry[b_q.index[WayBits-1:0]].valid && tags.entry[b_q.index[WayBits-1:0]].dirty;
  assign invalidates  = tag_hit && (is_inv || (remote_atomic && fault_i != FaultL2AtomicKeepsCopy));
  assign copies       = remote_write && tag_hit;
  assign touches      = home_step || copies || (remote_read && tag_hit) || install;
  assign victim_dirty = install && tags.entry[victim].valid && tags.entry[victim].dirty;
  assign b_way        = install ? victim : is_flush ? b_q.index[WayBits-1:0] : hit_way;
  always_comb begin : retag
    tags_write = touches || invalidates || flushes;
    tags_new = tags;
    if (touches) foreach (ages_next[w]) tags_new.age[w] = ages_next[w] ^ WayBits'(w);
    if (install) tags_new.entry[victim] = '{valid: 1'b1, dirty: 1'b0, tag: tag_of(b_address)};
    if (home_step && b_req.kind != ReqKindRead) tags_new.entry[hit_way].dirty = 1'b1;
    if (invalidates) tags_new.entry[hit_way].valid = 1'b0;
    if (flushes) tags_new.entry[b_q.index[WayBits-1:0]].dirty = 1'b0;
  end

  // ---------------------------------------------------------------- stage B: messages to other nodes
  req_t b_out_req;
  logic sends_req;
  always_comb begin : out_req
    b_out_req = '0;
    sends_req = read_miss || remote_write || remote_atomic || (is_send && !send_self);
    b_out_req.src = self_i;
    if (is_send) begin
      b_out_req.kind = ReqKindMarker;
      b_out_req.dst = send_home;
      b_out_req.id = 6'(send_release);
      b_out_req.address = {send_home, 36'(Bank) << 12};
    end else begin
      b_out_req = b_q.req;
      if (remote_read) b_out_req.id = 6'(free_miss);
    end
    if (!sends_req) b_out_req = '0;
  end

  // Of a response, all but the data is known in B.
  rsp_t b_out_rsp;
  logic sends_rsp;
  always_comb begin : out_rsp
    b_out_rsp = '0;
    sends_rsp = 1'b0;
    b_out_rsp.src = self_i;
    b_out_rsp.bank = 3'(Bank);
    if (home_step && !by_self && b_req.kind != ReqKindWrite) begin
      sends_rsp = 1'b1;
      b_out_rsp.kind = (b_req.kind == ReqKindRead) ? RspKindLine : RspKindAtomic;
      b_out_rsp.dst = b_req.src;
      b_out_rsp.cu = b_req.cu;
      b_out_rsp.id = b_req.id;
      b_out_rsp.wide = b_req.wide;
    end else if (is_mark && b_q.fwd.releaser != self_i) begin
      sends_rsp = 1'b1;
      b_out_rsp.kind = RspKindAck;
      b_out_rsp.dst = b_q.fwd.releaser;
      b_out_rsp.id = b_q.fwd.id;
      b_out_rsp.count = 4'd1;
      b_out_rsp.seen = b_q.fwd.releaser == b_q.fwd.src;
      b_out_rsp.stamp = b_out_rsp.seen ? b_q.fwd.stamp : '0;
    end else if (is_seen) begin
      sends_rsp = 1'b1;
      b_out_rsp.kind = RspKindSeen;
      b_out_rsp.dst = b_q.fwd.src;
      b_out_rsp.stamp = b_q.fwd.stamp;
    end else if (marker_step && step_src != self_i && skipped != '0) begin
      sends_rsp = 1'b1;
      b_out_rsp.kind = RspKindAck;
      b_out_rsp.dst = step_src;
      b_out_rsp.id = step_id;
      b_out_rsp.count = skipped;
    end
    if (!sends_rsp) b_out_rsp = '0;
  end

  l1_rsp_t b_out_l1;
  logic sends_l1, fence_at_once;
  logic fill_install_q;
  line_t fill_data_q;
  always_ff @(posedge clk_i) begin
    if (is_fill) begin
      fill_data_q <= b_q.rsp.data;
      fill_install_q <= fill_open;
    end
  end
  assign fence_at_once = is_cu && b_q.req.kind == ReqKindFence && !starts_release;
  always_comb begin : out_l1
    b_out_l1 = '0;
    sends_l1 = 1'b1;
    if (released || fence_at_once) begin
      b_out_l1.kind = RspKindFence;
      b_out_l1.cu = released ? released_cu : b_q.req.cu;
      b_out_l1.id = released ? released_id : b_q.req.id;
    end else if (b_q.valid && b_q.kind == L2EventKindAnswer) begin
      b_out_l1 = '{kind: RspKindLine, cu: answer_cu, id: answer_id, install: fill_install_q, data: fill_data_q};
    end else if (b_q.valid && b_q.kind == L2EventKindResponse && b_q.rsp.kind == RspKindAtomic) begin
      b_out_l1 = '{kind: RspKindAtomic, cu: b_q.rsp.cu, id: b_q.rsp.id, install: 1'b0, data: b_q.rsp.data};
    end else if ((remote_read && tag_hit) || (home_step && by_self && b_req.kind == ReqKindRead)) begin
      b_out_l1 = '{kind: RspKindLine, cu: b_req.cu, id: b_req.id, install: 1'b1, data: '0};
    end else if (home_step && by_self && b_req.kind == ReqKindAtomic) begin
      b_out_l1 = '{kind: RspKindAtomic, cu: b_req.cu, id: b_req.id, install: 1'b0, data: '0};
    end else begin
      sends_l1 = 1'b0;
    end
  end

  mem_req_t b_out_mem;
  logic sends_mem, writes_back;
  assign writes_back = (victim_dirty && fault_i != FaultL2VictimNotWritten) || flushes;
  always_comb begin : out_mem
    b_out_mem = '0;
    sends_mem = fetch_start || writes_back;
    if (fetch_start) begin
      b_out_mem.id = 5'(free_fetch);
      b_out_mem.address = b_address;
    end else if (writes_back) begin
      b_out_mem.write = 1'b1;
      b_out_mem.address = address_of(self_i,
          {tags.entry[b_way].tag[TagBits-5:0], b_set}, 3'(Bank));
    end
  end

  // ---------------------------------------------------------------- stage B to C
  l2_event_t b_event, c_event_q;
  logic [15:0] seq_q;
  mask_t b_write, c_write_q;
  logic [$clog2(L2Sets*L2Ways)-1:0] b_index, c_index_q;
  typedef enum logic [1:0] {WriteBytes, WriteAtomic, WriteFill} write_e;
  write_e b_write_from, c_write_from_q;
  logic c_l1_ram_q, c_atomic_q;
  req_t c_req_q;

  assign b_index = $bits(b_index)'(32'(b_set) * L2Ways + 32'(b_way));
  always_comb begin : writing
    b_write = '0;
    b_write_from = WriteBytes;
    if (install) begin
      b_write = '1;
      b_write_from = WriteFill;
    end else if (home_step && b_req.kind == ReqKindAtomic) begin
      b_write_from = WriteAtomic;
    end else if (copies || (home_step && b_req.kind == ReqKindWrite)) begin
      b_write = b_req.mask;
      if (home_step && fault_i == FaultL2WriteLosesByte) b_write[3] = 1'b0;
    end
  end

  always_comb begin : effects
    b_event = '0;
    b_event.valid = b_q.valid;
    b_event.kind = b_q.kind;
    unique case (b_q.kind)
      L2EventKindReplay:     b_event.index = 6'(replay_fetch);
      L2EventKindAnswer:     b_event.index = 6'(answer_miss);
      L2EventKindMarkerSend: b_event.index = 6'(send_release);
      L2EventKindMarkerGo:   b_event.index = 6'(go_marker);
      L2EventKindMemory:     b_event.index = b_q.rsp.id;
      default:               b_event.index = '0;
    endcase
    b_event.req = b_req;
    if (is_flush) b_event.req.address = 40'(b_set);
    b_event.order = b_q.order;
    b_event.scope = b_q.scope;
    b_event.fwd = b_q.fwd;
    b_event.rsp = b_q.rsp;
    b_event.hit = (tag_hit && (from_request || replaying || is_inv)) || flushes;
    b_event.way = (install || is_flush || b_event.hit) ? 4'(b_way) : '0;
    b_event.victim_dirty = victim_dirty;
    b_event.allocated = read_miss || fetch_start || starts_release || marker_parks;
    b_event.joined = read_join || fetch_join;
    b_event.slot = read_miss ? 6'(free_miss) : read_join ? 6'(open_miss) : fetch_start ? 6'(free_fetch) :
                   fetch_join ? 6'(match_fetch) : starts_release ? 6'(free_release) :
                   marker_parks ? 6'(free_marker) : '0;
    b_event.closed = closes;
    b_event.installed = install;
    b_event.sent_req = sends_req;
    b_event.sent_rsp = sends_rsp;
    b_event.sent_l1 = sends_l1;
    b_event.sent_mem = sends_mem;
    b_event.sent_fwd = fwd_push;
    b_event.out_req = b_out_req;
    b_event.out_rsp = b_out_rsp;
    b_event.out_l1 = sends_l1 ? b_out_l1 : '0;
    b_event.out_mem = b_out_mem;
    b_event.out_fwd = b_item;
  end

  always_ff @(posedge clk_i) begin : stages
    b_q <= a_work;
    c_event_q <= b_event;
    c_write_q <= b_q.valid ? b_write : '0;
    c_index_q <= b_index;
    c_write_from_q <= b_write_from;
    c_l1_ram_q <= sends_l1 && b_out_l1.kind == RspKindLine && b_q.kind != L2EventKindAnswer;
    c_atomic_q <= home_step && b_req.kind == ReqKindAtomic;
    c_req_q <= b_req;
    c_valid_q <= b_q.valid;
    if (b_q.valid) seq_q <= seq_q + 1'b1;
    if (!rst_ni) begin
      b_q.valid <= 1'b0;
      c_valid_q <= 1'b0;
      c_event_q.valid <= 1'b0;
      c_write_q <= '0;
      c_atomic_q <= 1'b0;
      seq_q <= '0;
    end
  end

  // ---------------------------------------------------------------- stage C: data
  line_t data_out, data_in, atomic_line;
  mask_t write_mask, atomic_mask;
  logic [63:0] old_word, old_value, new_value;
  logic [LineBits-4:0] word;
  assign word     = c_req_q.address[LineBits-1:3];
  assign old_word = data_out[64*word+:64];
  assign old_value = c_req_q.wide ? old_word :
                     {32'd0, c_req_q.address[2] ? old_word[63:32] : old_word[31:0]};
  atomic u_atomic (
    .func_i   (c_req_q.func),
    .wide_i   (c_req_q.wide),
    .old_i    (old_value),
    .operand_i(c_req_q.data[63:0]),
    .compare_i(c_req_q.data[127:64]),
    .fault_i  (fault_i),
    .new_o    (new_value)
  );
  always_comb begin : atomics
    atomic_mask = '0;
    atomic_mask[8*word+:8] = c_req_q.wide ? 8'hff : c_req_q.address[2] ? 8'hf0 : 8'h0f;
    atomic_line = {(Line / 8) {c_req_q.wide ? new_value : {2{new_value[31:0]}}}};
  end
  always_comb begin : merge
    write_mask = c_write_q;
    data_in = c_req_q.data;
    if (c_write_from_q == WriteFill) data_in = c_event_q.rsp.data;
    else if (c_atomic_q) begin
      data_in = atomic_line;
      write_mask = atomic_mask;
    end
  end
  ram #(.Words(L2Sets * L2Ways), .Width(8 * Line), .Granule(8)) u_data (
    .clk_i,
    .ren_i  (b_q.valid),
    .raddr_i(b_index),
    .rdata_o(data_out),
    .wen_i  (write_mask),
    .waddr_i(c_index_q),
    .wdata_i(data_in)
  );

  // ---------------------------------------------------------------- stage C: outputs
  always_comb begin : out
    event_o = c_event_q;
    event_o.seq = seq_q;
    if (c_l1_ram_q) event_o.out_l1.data = data_out;
    if (c_atomic_q) begin
      if (c_event_q.sent_l1) event_o.out_l1.data = (8 * Line)'(old_value);
      if (c_event_q.sent_rsp) event_o.out_rsp.data = (8 * Line)'(old_value);
    end else if (c_event_q.sent_rsp && c_event_q.out_rsp.kind == RspKindLine) begin
      event_o.out_rsp.data = data_out;
    end
    if (c_event_q.sent_mem && c_event_q.out_mem.write) event_o.out_mem.data = data_out;
  end

  logic [$clog2(ReqDepth+1)-1:0] req_free;
  logic [OutBits-1:0] rsp_free, l1_free, mem_free;
  fifo #(.T(req_t), .Depth(ReqDepth)) u_req (
    .clk_i, .rst_ni,
    .valid_i(sends_req), .ready_o(), .data_i(b_out_req),
    .valid_o(req_valid_o), .ready_i(req_ready_i), .data_o(req_o), .free_o(req_free)
  );
  fifo #(.T(rsp_t), .Depth(OutDepth)) u_rsp (
    .clk_i, .rst_ni,
    .valid_i(c_valid_q && c_event_q.sent_rsp), .ready_o(), .data_i(event_o.out_rsp),
    .valid_o(rsp_valid_o), .ready_i(rsp_ready_i), .data_o(rsp_o), .free_o(rsp_free)
  );
  fifo #(.T(l1_rsp_t), .Depth(OutDepth)) u_l1 (
    .clk_i, .rst_ni,
    .valid_i(c_valid_q && c_event_q.sent_l1), .ready_o(), .data_i(event_o.out_l1),
    .valid_o(l1_valid_o), .ready_i(l1_ready_i), .data_o(l1_o), .free_o(l1_free)
  );
  fifo #(.T(mem_req_t), .Depth(OutDepth)) u_mem (
    .clk_i, .rst_ni,
    .valid_i(c_valid_q && c_event_q.sent_mem), .ready_o(), .data_i(event_o.out_mem),
    .valid_o(mem_valid_o), .ready_i(mem_ready_i), .data_o(mem_o), .free_o(mem_free)
  );

  // ---------------------------------------------------------------- stage A
  logic stalled;
  l2_admit #(.Bank(Bank)) u_admit (
    .clk_i,
    .rst_ni,
    .self_i,
    .ready_i            (ready_o),
    .cu_valid_i,
    .cu_ready_o,
    .cu_i,
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .fwd_valid_i,
    .fwd_ready_o,
    .fwd_i,
    .rsp_valid_i,
    .rsp_ready_o,
    .rsp_i,
    .mem_valid_i,
    .mem_ready_o,
    .mem_i,
    .flush_i,
    .flushed_o,
    .b_i                (b_q),
    .c_valid_i          (c_valid_q),
    .l1_free_i          (4'(l1_free)),
    .rsp_free_i         (4'(rsp_free)),
    .mem_free_i         (4'(mem_free)),
    .req_free_i         (4'(req_free)),
    .fwd_free_i         (7'(fwd_free)),
    .miss_free_i        (7'(miss_free)),
    .miss_waiters_i     (7'(miss_waiters)),
    .answers_left_i     (7'(answers_left)),
    .fetch_free_i       (7'(fetch_free)),
    .fetch_waiters_i    (7'(fetch_waiters)),
    .replays_left_i     (7'(replays_left)),
    .marker_free_i      (5'(marker_free)),
    .marker_ready_i     (5'(marker_ready)),
    .release_free_i     (5'(release_free)),
    .send_pending_i     (send_pending),
    .send_pending_more_i(send_more),
    .miss_line_i        (peek_miss_line),
    .fetch_line_i       (peek_fetch_line),
    .replay_line_i      (replay_line_q),
    .work_o             (a_work),
    .stalled_o          (stalled)
  );

  assign idle_o = ready_o && !b_q.valid && !c_valid_q && miss_free == $bits(miss_free)'(L2Misses) &&
                  fetch_used == '0 && release_free == $bits(release_free)'(L2Releases) &&
                  marker_free == $bits(marker_free)'(HomeMarkers) && !req_valid_o && !rsp_valid_o &&
                  !l1_valid_o && !mem_valid_o && !fwd_valid_o &&
                  fwd_free == $bits(fwd_free)'(HomeForwards);

  always_comb begin : counts
    count_o = '0;
    count_o.reads = is_cu && b_q.req.kind == ReqKindRead;
    count_o.writes = is_cu && b_q.req.kind == ReqKindWrite;
    count_o.atomics = is_cu && b_q.req.kind == ReqKindAtomic;
    count_o.fences = is_cu && b_q.req.kind == ReqKindFence;
    count_o.hits = remote_read && tag_hit;
    count_o.misses = read_miss;
    count_o.joins = read_join;
    count_o.installs = installs_line;
    count_o.closed = is_fill && !fill_open;
    count_o.writebacks = victim_dirty;
    count_o.inv_hit_write = is_inv && tag_hit && b_q.fwd.cause == CauseWrite;
    count_o.inv_hit_evict = is_inv && tag_hit && b_q.fwd.cause == CauseEvict;
    count_o.inv_miss = is_inv && !tag_hit;
    count_o.stalls = stalled;
    count_o.home_local = home_step && by_self;
    count_o.home_remote = home_step && !by_self;
    count_o.home_hits = home_step && !replaying;
    count_o.home_fetches = fetch_start;
    count_o.home_joins = fetch_join;
    count_o.home_markers = marker_step;
    if (marker_step) begin
      for (int n = 0; n < Nodes; n++) count_o.home_marks += 4'(marked[n]);
      count_o.home_skips = skipped;
    end
    count_o.release_started = starts_release;
    count_o.release_acks = ack_self ? ack_count : '0;
    count_o.memory_reads = fetch_start;
    count_o.memory_writes = sends_mem && b_out_mem.write;
  end

  always_ff @(posedge clk_i) begin : checks
    if (rst_ni && fault_i == FaultNone) begin
      assert (!replaying || tag_hit) else $error("l2: the line in replay is gone");
      assert (!install || !tag_hit) else $error("l2: a line is installed twice");
      assert (!is_inv || !is_local) else $error("l2: INV of a local line");
    end
  end
endmodule
