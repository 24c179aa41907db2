// SPDX-License-Identifier: Apache-2.0

/// One bank of a node's L2 with its home: cache of remote lines (write-through, valid until dropped or until their
/// lease has run out) and of local lines (write-back), and the place where every request to a local line takes effect (docs/protocol.md "L2 bank").
/// Three stages that never stall:
///   A  l2_admit chooses the next step and reads tags and directory
///   B  compare, change all state but the data, tell the forward queue: steps are ordered here (R1)
///   C  data out of the RAM; write, answer, write back
/// With `L2Interval` above 1 a step is chosen a cycle before it is taken, and is in B for so many cycles: in the first its tags and
/// directory are read, in the last it takes effect. Nothing else is in B meanwhile, so that what B looks at is steady, and
/// registers (`cut`) may stand anywhere on its ways, up to L2Interval - 2 in a row. C has two cycles then, or three.
/// Under leases an atomic that may fail is in B for longer: whether it does is found out first (l2_cycles).
/// The parts: l2_tags, l2_data, misses (remote lines), fetches (local lines), directory, l2_release, forward.
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
  /// Leases: ticks of a read's and of a write's; the fabric's rebase, and what it must know.
  input  lease_settings_t leases_i,
  input  logic       stop_i,
  input  logic       rebase_i,
  output logic       rebased_o,
  output logic       wants_rebase_o,
  /// An answer left for another node, came from one; answers to L1s are on their way.
  output logic       sent_o,
  output logic       received_o,
  output logic       answers_o,

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
  /// Of a WRITE to another home, the first run of bytes.
  output weft_cost_pkg::split_t split_o,
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

  work_t a_work, b_q, b;
  logic c_first_q, c_last, c_valid, b_busy, b_keeps, tags_ready, directory_ready;
  logic [39:0] look_address, b_address;
  set_t b_set;
  assign ready_o   = tags_ready && directory_ready;
  assign b_address = {b_q.line, LineBits'(0)};
  assign b_set     = set_of(b_address);

  // `b` is the step in its last cycle, the one in which it takes effect (`takes`); `looks`: its line is looked up; `b_keeps`: it
  // stays for another cycle; `b_busy`: what is chosen now would find it still here. An atomic that `tries` has its word read first.
  lineno_t look_line;
  logic [MissBits-1:0] look_miss;
  logic looks, takes, tries, reads, same;
  assign look_line = (L2Interval > 1) ? b_q.line : a_work.line;
  assign look_miss = (L2Interval > 1) ? b_q.rsp.id[MissBits-1:0] : a_work.rsp.id[MissBits-1:0];
  l2_cycles u_cycles (
    .clk_i,
    .rst_ni,
    .enters_i(a_work.valid),
    .tries_i (tries),
    .looks_o (looks),
    .reads_o (reads),
    .takes_o (takes),
    .keeps_o (b_keeps),
    .busy_o  (b_busy)
  );
  assign look_address = {look_line, LineBits'(0)};
  always_comb begin
    b = b_q;
    b.valid = takes;
  end

  // ---------------------------------------------------------------- leases
  logic leases, ends, causal, renews, live, acquires, rebases, answered;
  logic [15:0]
      clock, clock_next, heard, now, copy_wts, copy_rts, home_wts, home_rts, home_was, largest, limit;
  logic [1:0] era;
  assign leases = BuiltLeases && lease_locks(protocol_i);
  assign ends   = leases && tracker_of(protocol_i) == TrackerTsu;
  assign causal = leases && lease_causal(protocol_i);
  assign renews = leases && lease_renews(protocol_i);

  // ---------------------------------------------------------------- what the step is
  logic is_cu, is_inv, is_fill, is_wrote, is_answer, is_flush, is_memory, is_replay;
  logic from_request, is_local, to_remote, home_step;
  logic tag_hit, fetch_match, miss_open, fill_open, fill_was_open, poisoned;
  req_t b_req, replay_req;
  // What it is as long as it is here, without a cycle: for what follows from that.
  logic of_cu, of_inv, of_fill, of_wrote, of_flush, of_memory, of_replay, of_request, of_remote;
  always_comb begin : kind
    of_cu      = b_q.kind == L2EventKindCu;
    of_inv     = b_q.kind == L2EventKindInv;
    of_wrote   = BuiltLeases && b_q.kind == L2EventKindResponse && b_q.rsp.kind == RspKindWrote;
    of_fill    = (b_q.kind == L2EventKindResponse && b_q.rsp.kind == RspKindLine) || of_wrote;
    of_flush   = b_q.kind == L2EventKindFlush;
    of_memory  = b_q.kind == L2EventKindMemory;
    of_replay  = b_q.kind == L2EventKindReplay;
    of_request = (of_cu || b_q.kind == L2EventKindRequest) &&
                 b_q.req.kind inside {ReqKindRead, ReqKindWrite, ReqKindAtomic};
    of_remote  = of_request && !is_local;
  end
  always_comb begin : taken  // apart: how long it is here follows from its kind
    is_cu     = takes && of_cu;
    is_inv    = takes && of_inv;
    is_wrote  = takes && of_wrote;
    is_fill   = takes && of_fill;
    is_answer = takes && b_q.kind == L2EventKindAnswer;
    is_flush  = takes && of_flush;
    is_memory = takes && of_memory;
    is_replay = takes && of_replay;
  end
  cut #(
    .Width($bits(req_t)),
    .Cut  (32'(L2Interval > 3))
  ) u_request (
    .clk_i,
    .data_i(of_replay ? replay_req : b_q.req),
    .data_o(b_req)
  );
  assign is_local     = b_address[39:36] == self_i;
  assign from_request = takes && of_request;
  assign to_remote    = takes && of_remote;
  assign acquires     = leases && is_cu && b_req.kind == ReqKindFence;
  assign rebases      = takes && b_q.kind == L2EventKindRebase;
  // Of an atomic at its home, the TSU must know whether it fails (T8).
  assign tries        = ends && (of_replay ? may_fail(replay_req.kind, replay_req.func) :
                                 of_request && is_local && may_fail(b_q.req.kind, b_q.req.func));
  assign answered     = leases && (received_o || (home_step && b_req.src == self_i));

  // What the step does. Known a cycle before it takes effect, where it has cycles for that.
  logic install, invalidates, copies, touches, victim_dirty, flushes, way_dirty, store_whole, store_same;
  way_t hit_way, victim, b_way;
  bankline_t way_line;
  logic [L2Ways-1:0] exclude;
  logic remote_read, remote_write, remote_atomic, read_miss, read_join, closes, inv_closes;
  logic peeks, remote_hit, read_hit, store_miss, renewal, unchanged, renewed, fetch_start, fetch_join;
  typedef struct packed {
    logic home_step, fetch_start, fetch_join;
    logic remote_read, remote_write, remote_atomic, read_hit, read_miss, read_join, renewal;
    logic closes, install, invalidates, copies;
    way_t way;
  } plan_t;
  plan_t plan, known;
  // A strong load of scope sys is answered by its home alone (T8); under leases a store waits for its answer too.
  assign peeks      = leases && b_q.req.wide;
  assign remote_hit = tag_hit && live;
  assign inv_closes = !(fault_i inside {FaultL2InvKeepsFill, FaultL2InvKeepsJoining}) &&
                      !(fault_i == FaultL2BlockInvClosesOne && b_q.index != '0);
  always_comb begin : planning
    plan.home_step     = of_replay || (of_request && is_local && !fetch_match && tag_hit);
    plan.fetch_start   = of_request && is_local && !fetch_match && !tag_hit;
    plan.fetch_join    = of_request && is_local && fetch_match;
    plan.remote_read   = of_remote && b_q.req.kind == ReqKindRead;
    plan.remote_write  = of_remote && b_q.req.kind == ReqKindWrite;
    plan.remote_atomic = of_remote && b_q.req.kind == ReqKindAtomic;
    plan.read_hit      = plan.remote_read && remote_hit && !peeks;
    plan.read_miss     = plan.remote_read && (peeks || (!remote_hit && !miss_open));
    plan.read_join     = plan.remote_read && !peeks && !remote_hit && miss_open;
    plan.renewal       = renews && plan.read_miss && !peeks && tag_hit;
    plan.closes        = miss_open && !leases &&
                         ((plan.remote_write && fault_i != FaultL2StoreKeepsFill) || plan.remote_atomic ||
                          (of_inv && inv_closes));
    plan.install       = (of_fill && fill_open && (!of_wrote || store_whole || store_same)) || of_memory;
    plan.invalidates   = tag_hit &&
                         (of_inv || (plan.remote_atomic && !ends && fault_i != FaultL2AtomicKeepsCopy));
    plan.copies        = plan.remote_write && tag_hit && fault_i != FaultL2StoreKeepsCopy &&
                         (!leases || fault_i == FaultLeaseL2WritesEarly);
    // Under leases the line may be there: its lease has run out, or a store replaces it.
    plan.way           = (plan.install && !(leases && tag_hit)) ? victim :
                         of_flush ? b_q.index[WayBits-1:0] : hit_way;
  end
  cut #(
    .Width($bits(plan_t)),
    .Cut  (32'(L2Interval > 3))
  ) u_plan (
    .clk_i,
    .data_i(plan),
    .data_o(known)
  );
  assign home_step     = takes && known.home_step;
  assign fetch_start   = takes && known.fetch_start;
  assign fetch_join    = takes && known.fetch_join;
  assign remote_read   = takes && known.remote_read;
  assign remote_write  = takes && known.remote_write;
  assign remote_atomic = takes && known.remote_atomic;
  assign read_hit      = takes && known.read_hit;
  assign read_miss     = takes && known.read_miss;
  assign read_join     = takes && known.read_join;
  assign renewal       = takes && known.renewal;
  assign closes        = takes && known.closes;
  assign install       = takes && known.install;
  assign invalidates   = takes && known.invalidates;
  assign copies        = takes && known.copies;
  assign b_way         = known.way;
  assign store_miss    = remote_write && leases;

  // ---------------------------------------------------------------- tags
  assign touches      = home_step || copies || read_hit || install;
  assign victim_dirty = install && way_dirty;
  assign flushes      = is_flush && way_dirty;
  l2_tags u_tags (
    .clk_i,
    .rst_ni,
    .ready_o      (tags_ready),
    .self_i,
    .drop_i       ((acquires && !causal) || rebases),
    .lookup_i     (looks),
    .lookup_line_i(look_line),
    .line_i       (b_q.line),
    .hit_o        (tag_hit),
    .hit_way_o    (hit_way),
    .exclude_i    (exclude),
    .victim_o     (victim),
    .way_i        (b_way),
    .way_dirty_o  (way_dirty),
    .way_line_o   (way_line),
    .touch_i      (touches),
    .install_i    (install),
    .dirty_i      (home_step && b_req.kind != ReqKindRead),
    .clean_i      (flushes),
    .invalidate_i (invalidates)
  );

  mask_t store_mask;
  line_t store_data, c_data, c_line, c_new;
  logic [MissBits-1:0] open_miss, free_miss, answer_miss;
  if (BuiltLeases) begin : gen_leases
    logic in_time, times_in_time;
    lease_clock u_clock (
      .clk_i,
      .rst_ni,
      .answered_i(answered),
      .installs_i(received_o),
      .wts_i     (received_o ? b_q.rsp.wts : home_wts),
      .rts_i     (b_q.rsp.rts),
      .outlive_i (acquires && causal),
      .rebase_i  (rebases),
      .clock_o   (clock),
      .next_o    (clock_next),
      .era_o     (era)
    );
    lease_lines #(
      .Sets(L2Sets),
      .Ways(L2Ways)
    ) u_lines (
      .clk_i,
      .lookup_i     (looks),
      .lookup_set_i (set_of(look_address)),
      .way_i        (hit_way),
      .now_i        (now),
      .live_o       (times_in_time),
      .wts_o        (copy_wts),
      .rts_o        (copy_rts),
      .install_i    (install && is_fill),
      .set_i        (b_set),
      .install_way_i(b_way),
      .wts_i        (b_q.rsp.wts),
      .rts_i        (b_q.rsp.rts)
    );
    cut #(
      .Cut(32'(L2Interval > 4))
    ) u_in_time (
      .clk_i,
      .data_i(times_in_time),
      .data_o(in_time)
    );
    // A request is served by the bank's time, or by its sender's if that is later (causal) and of this era (T10).
    logic hears;
    assign hears = (causal || renews) && b_req.era == era && fault_i != FaultLeaseBankClockAlone;
    assign heard = hears ? b_req.cts : '0;
    assign now   = (heard > clock) ? heard : clock;
    logic [15:0] lease;
    assign live  = in_time || !leases;
    assign lease = (leases_i.read > leases_i.write) ? leases_i.read : leases_i.write;
    assign limit = 16'((17'd1 << LeaseBits) - 17'd4 - {lease, 1'b0});

    // A store's bytes wait here for its answer. The line as memory has it then is known if the store was of all of it, or if
    // the copy is what the store found at the home; else it is not kept (point e of docs/protocol.md "Leases"). A copy that is to
    // be renewed waits here too, for its place may be given to another line meanwhile.
    typedef struct packed {
      logic keeps, renewal;
      logic [MissBits-1:0] miss;
      mask_t mask;
    } keep_t;
    keep_t keep_q, c_keep;
    always_ff @(posedge clk_i) begin
      keep_q.keeps <= rst_ni && (store_miss || renewal);
      keep_q.renewal <= renewal;
      keep_q.miss <= free_miss;
      keep_q.mask <= renewal ? '1 : b_req.mask;
    end
    cut #(
      .Width($bits(keep_t)),
      .Cut  (LateData)
    ) u_keep (
      .clk_i,
      .data_i(keep_q),
      .data_o(c_keep)
    );
    ram #(
      .Words(L2Misses),
      .Width(1 + Line + 8 * Line)
    ) u_stores (
      .clk_i,
      .ren_i  (looks),
      .raddr_i(look_miss),
      .rdata_o({renewed, store_mask, store_data}),
      .wen_i  (c_keep.keeps),
      .waddr_i(c_keep.miss),
      .wdata_i({c_keep.renewal, c_keep.mask, c_keep.renewal ? c_line : c_data})
    );
    // No two values of a line have one wts, but for values of two eras.
    assign unchanged = weft_cost_pkg::req_renews(b_req) &&
                       (b_req.era == era || fault_i == FaultLeaseRenewsOldEra) &&
                       (16'(b_req.mask) == home_was || fault_i == FaultLeaseRenewsAny);
    assign store_whole = &store_mask;
    assign store_same  = !store_whole && tag_hit &&
                         (copy_wts == b_q.rsp.stamp || fault_i == FaultLeaseL2KeepsBlock);
  end else begin : gen_no_leases
    assign {clock, clock_next, era, copy_wts, copy_rts, limit, heard, now} = '0;
    assign {store_mask, store_data, store_whole, store_same, renewed, unchanged} = '0;
    assign live = 1'b1;
    logic unused;
    assign unused = ^{answered, causal, ends, c_data, look_miss};
  end

  // ---------------------------------------------------------------- remote lines on their way
  logic [2:0] answer_cu;
  logic [5:0] answer_id;
  logic [$clog2(L2Waiters+1)-1:0] answers_left, miss_waiters;
  logic [$clog2(L2Misses+1)-1:0] miss_free;
  lineno_t peek_miss_line;
  misses u_misses (
    .clk_i,
    .rst_ni,
    .line_i        (b_q.line),
    .open_o        (miss_open),
    .open_index_o  (open_miss),
    .free_index_o  (free_miss),
    .now_i         ((leases && fault_i != FaultLeaseL2JoinsAny) ? now : '0),
    .rebase_i      (rebases),
    .close_all_i   (acquires && !causal && fault_i != FaultLeaseL2AcquireKeepsFills),
    .allocate_i    (read_miss || store_miss),
    .installs_i    (!peeks || store_miss),
    .shared_i      (read_miss && !peeks),
    .join_i        (read_join),
    .close_i       (closes || (remote_atomic && leases && !ends)),
    .cu_i          (b_req.cu),
    .id_i          (b_req.id),
    .fill_i        (is_fill),
    .fill_index_i  (b_q.rsp.id[MissBits-1:0]),
    .fill_open_o   (fill_was_open),
    .answer_i      (is_answer),
    .answer_index_o(answer_miss),
    .answer_cu_o   (answer_cu),
    .answer_id_o   (answer_id),
    .answers_left_o(answers_left),
    .peek_index_i  (rsp_i.id[MissBits-1:0]),
    .peek_line_o   (peek_miss_line),
    .free_entries_o(miss_free),
    .free_waiters_o(miss_waiters)
  );

  assign fill_open = fill_was_open && !poisoned;

  line_t a_line;
  if (Faults != 0) begin : gen_fill_faults
    fill_faults u_fill_faults (
      .clk_i,
      .rst_ni,
      .fault_i,
      .allocate_i      (read_miss),
      .allocate_index_i(free_miss),
      .inv_i           (is_inv && miss_open),
      .store_i         (remote_write && miss_open),
      .open_index_i    (open_miss),
      .mask_i          (b_req.mask),
      .data_i          (b_req.data),
      .fill_index_i    (b_q.rsp.id[MissBits-1:0]),
      .poisoned_o      (poisoned),
      .line_index_i    (a_work.rsp.id[MissBits-1:0]),
      .line_i          (a_work.rsp.data),
      .line_o          (a_line)
    );
  end else begin : gen_no_fill_faults
    assign poisoned = 1'b0;
    assign a_line   = a_work.rsp.data;
  end

  // ---------------------------------------------------------------- local lines on their way
  logic fetch_ends;
  logic [FetchBits-1:0] match_fetch, free_fetch, replay_fetch;
  logic [$clog2(HomeWaiters+1)-1:0] replays_left, fetch_waiters;
  logic [$clog2(HomeFetches+1)-1:0] fetch_free;
  logic [HomeFetches-1:0] fetch_used;
  lineno_t peek_fetch_line, replay_line_q;
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
    .start_i       (is_memory),
    .start_index_i (b_q.rsp.id[FetchBits-1:0]),
    .pop_i         (is_replay),
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
    if (is_memory) begin
      replay_set_q <= b_set;
      replay_way_q <= victim;
      replay_line_q <= b_q.line;
    end
  end
  always_comb begin
    exclude = '0;
    if (replays_left != '0 && replay_set_q == b_set) exclude[replay_way_q] = 1'b1;
  end

  // ---------------------------------------------------------------- who else has the line
  logic owes_inv;
  cause_e dir_cause;
  logic [39:0] dir_address;
  logic [15:0] dir_nodes;
  logic dir_block, dir_spread;
  logic [EntryOwed-1:0][Sharers-1:0] dir_lines;
  tracker #(
    .Bank(Bank)
  ) u_tracker (
    .clk_i,
    .rst_ni,
    .self_i,
    .protocol_i,
    .fault_i,
    .ready_o    (directory_ready),
    .lookup_i   (looks),
    .line_i     (bankline_of(look_address)),
    .home_step_i(home_step),
    .kind_i     (b_req.kind),
    .requester_i(b_req.src),
    .leases_i,
    .peeks_i    (b_req.wide),
    .failed_i   (tries && same),
    .cts_i      ((b_req.src != self_i) ? heard : causal ? now : '0),
    .wts_o      (home_wts),
    .rts_o      (home_rts),
    .was_o      (home_was),
    .largest_o  (largest),
    .rebase_i   (rebases),
    .owes_o     (owes_inv),
    .nodes_o    (dir_nodes),
    .cause_o    (dir_cause),
    .address_o  (dir_address),
    .block_o    (dir_block),
    .spread_o   (dir_spread),
    .lines_o    (dir_lines),
    .event_o    (dir_event_o),
    .count_o    (dir_count_o)
  );

  // ---------------------------------------------------------------- releases, markers, forward queue
  logic starts_release, sends_marker, marker_parks, marker_step, released, send_pending, send_more;
  logic [ReleaseBits-1:0] free_release, send_release;
  logic [MarkerBits-1:0] park_marker, go_marker;
  logic [3:0] send_home, step_src, skipped;
  logic [5:0] step_id, released_id;
  logic [2:0] released_cu;
  logic [15:0] marked, unseen;
  logic [$clog2(L2Releases+1)-1:0] release_free;
  logic [$clog2(HomeMarkers+1)-1:0] marker_free, marker_ready;
  l2_release u_release (
    .clk_i,
    .rst_ni,
    .self_i,
    .fault_i,
    .leases_i           (leases),
    .work_i             (b_q),
    .takes_i            (takes),
    .fetches_i          (fetch_used),
    .fetch_ends_i       (fetch_ends),
    .fetch_index_i      (replay_fetch),
    .unseen_i           (unseen),
    .starts_o           (starts_release),
    .release_o          (free_release),
    .sends_o            (sends_marker),
    .home_o             (send_home),
    .send_release_o     (send_release),
    .parks_o            (marker_parks),
    .park_index_o       (park_marker),
    .go_index_o         (go_marker),
    .step_o             (marker_step),
    .step_src_o         (step_src),
    .step_id_o          (step_id),
    .marked_o           (marked),
    .skipped_o          (skipped),
    .done_o             (released),
    .done_cu_o          (released_cu),
    .done_id_o          (released_id),
    .send_pending_o     (send_pending),
    .send_pending_more_o(send_more),
    .release_free_o     (release_free),
    .marker_free_o      (marker_free),
    .marker_ready_o     (marker_ready)
  );

  typedef struct packed {
    logic last;
    fwd_t message;
  } leaving_t;
  logic fwd_push, seen_update, fwd_valid, fwd_ready, fwd_aside;
  leaving_t fwd, fwd_leaving, fwd_held;
  fwd_item_t b_item;
  logic [$clog2(HomeForwards+1)-1:0] fwd_free, fwd_room;
  // What leaves by stage B leaves by the first cycle of C, where that has three: nobody sees it before the step's event. Requests: `LateReq`.
  logic late_fwd, late_req;
  fwd_item_t late_item;
  logic [EntryOwed-1:0][Sharers-1:0] late_lines;
  req_t late_out_req;
  cut #(
    .Width(1 + $bits(fwd_item_t) + $bits(dir_lines)),
    .Cut  (32'(LateData > 1))
  ) u_late_fwd (
    .clk_i,
    .data_i({fwd_push, b_item, dir_lines}),
    .data_o({late_fwd, late_item, late_lines})
  );
  always_comb begin : item
    b_item = '0;
    fwd_push = 1'b0;
    if (owes_inv) begin
      fwd_push = 1'b1;
      b_item.kind = FwdKindInv;
      b_item.nodes = dir_nodes;
      b_item.block = dir_block;
      b_item.spread = dir_spread;
      b_item.cause = dir_cause;
      b_item.address = dir_address;
    end else if (marker_step && marked != '0) begin
      fwd_push = 1'b1;
      b_item.kind = FwdKindMark;
      b_item.nodes = marked;
      b_item.releaser = step_src;
      b_item.id = step_id;
      b_item.address = {self_i, 36'(Bank) << 12};
    end
  end
  assign seen_update = b.valid && b.kind == L2EventKindResponse &&
                       (b.rsp.kind == RspKindSeen || (b.rsp.kind == RspKindAck && b.rsp.seen));
  forward #(
    .Nodes(Nodes),
    .Depth(HomeForwards),
    .Lines(EntryOwed),
    .Line (Line),
    .Late (LateData)
  ) u_forward (
    .clk_i,
    .rst_ni,
    .self_i,
    .fault_i     (fault_i),
    .item_valid_i(late_fwd),
    .item_i      (late_item),
    .lines_i     (late_lines),
    .free_o      (fwd_room),
    .seen_valid_i(seen_update),
    .seen_src_i  (b_q.rsp.src),
    .seen_stamp_i(b_q.rsp.stamp),
    .unseen_o    (unseen),
    .valid_o     (fwd_valid),
    .ready_i     (fwd_ready),
    .fwd_o       (fwd.message),
    .last_o      (fwd.last)
  );

  // Who may use the link is known late, and the queue has much to do when a message leaves. An item whose last message stands
  // aside is not gone.
  skid #(
    .T(leaving_t)
  ) u_leaving (
    .clk_i,
    .rst_ni,
    .valid_i    (fwd_valid),
    .ready_o    (fwd_ready),
    .data_i     (fwd),
    .valid_o    (fwd_valid_o),
    .ready_i    (fwd_ready_i),
    .data_o     (fwd_leaving),
    .held_o     (fwd_aside),
    .held_data_o(fwd_held)
  );
  assign fwd_o    = fwd_leaving.message;
  assign fwd_free = fwd_room - $bits(fwd_free)'(fwd_aside && fwd_held.last);
  logic unused_leaving;
  assign unused_leaving = ^{fwd_leaving.last, fwd_held.message};

  // ---------------------------------------------------------------- what stage B sends
  req_t b_out_req;
  logic sends_req;
  always_comb begin : out_req
    sends_req = read_miss || remote_write || remote_atomic || sends_marker;
    b_out_req = '0;
    if (sends_marker) begin
      b_out_req.kind = ReqKindMarker;
      b_out_req.src = self_i;
      b_out_req.dst = send_home;
      b_out_req.id = 6'(send_release);
      b_out_req.address = {send_home, 36'(Bank) << 12};
    end else if (sends_req) begin
      b_out_req = b_q.req;
      if (remote_read || store_miss) b_out_req.id = 6'(free_miss);
      b_out_req.cts = (causal || renewal) ? now : '0;
      b_out_req.era = (causal || renewal) ? era : '0;
      if (renewal) begin
        b_out_req.func = func_e'(1);
        b_out_req.mask = Line'(copy_wts);
      end
      if (remote_write) b_out_req.wide = b_q.order != OrderWeak && b_q.scope == ScopeSys;
    end
  end

  // The first run of a write's bytes is found on the way; of other requests nobody asks.
  mask_t late_run;
  cut #(
    .Width(1 + $bits(req_t) + $bits(mask_t)),
    .Cut  (32'(LateReq))
  ) u_late_req (
    .clk_i,
    .data_i({sends_req, b_out_req, weft_cost_pkg::lowest_run(b_q.req.mask)}),
    .data_o({late_req, late_out_req, late_run})
  );

  // Of answers, all but the data of the RAM is known in B.
  rsp_t b_out_rsp;
  l1_rsp_t b_out_l1;
  logic sends_rsp, sends_l1;
  l2_answers #(
    .Bank(Bank)
  ) u_answers (
    .clk_i,
    .self_i,
    .work_i          (b),
    .request_i       (b_req),
    .home_step_i     (home_step),
    .remote_hit_i    (read_hit),
    .leases_i        (leases),
    .ends_i          (ends),
    .home_wts_i      (home_wts),
    .home_rts_i      (home_rts),
    .home_was_i      (home_was),
    .unchanged_i     (unchanged),
    .copy_wts_i      (copy_wts),
    .copy_rts_i      (copy_rts),
    .fill_open_i     (fill_open),
    .wrote_i         (is_wrote),
    .renewed_i       (renewed),
    .wrote_data_i    (store_data),
    .installed_i     (install),
    .line_i          (c_new),
    .answer_cu_i     (answer_cu),
    .answer_id_i     (answer_id),
    .marker_step_i   (marker_step),
    .marker_src_i    (step_src),
    .marker_id_i     (step_id),
    .marker_skipped_i(skipped),
    .starts_release_i(starts_release),
    .released_i      (released),
    .released_cu_i   (released_cu),
    .released_id_i   (released_id),
    .rsp_valid_o     (sends_rsp),
    .rsp_o           (b_out_rsp),
    .l1_valid_o      (sends_l1),
    .l1_o            (b_out_l1)
  );

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
      b_out_mem.address = address_of(self_i, way_line, 3'(Bank));
    end
  end

  l2_event_t b_event, c_event;
  always_comb begin : effects
    b_event = '0;
    b_event.valid = b.valid;
    b_event.kind = b_q.kind;
    unique case (b_q.kind)
      L2EventKindReplay:     b_event.index = 6'(replay_fetch);
      L2EventKindAnswer:     b_event.index = 6'(answer_miss);
      L2EventKindMarkerSend: b_event.index = 6'(send_release);
      L2EventKindMarkerGo:   b_event.index = 6'(go_marker);
      L2EventKindMemory:     b_event.index = b_q.rsp.id;
      L2EventKindInv:        b_event.index = b_q.index;
      default:               b_event.index = '0;
    endcase
    b_event.req = b_req;
    if (is_flush) b_event.req.address = 40'(b_set);
    b_event.order = b_q.order;
    b_event.scope = b_q.scope;
    b_event.fwd = b_q.fwd;
    b_event.rsp = b_q.rsp;
    b_event.hit = (tag_hit && (from_request || is_replay || is_inv) && !(to_remote && !live)) || flushes;
    b_event.expired = to_remote && tag_hit && !live;
    b_event.clock = clock_next;
    b_event.way = (install || is_flush || b_event.hit) ? 4'(b_way) : '0;
    b_event.victim_dirty = victim_dirty;
    b_event.allocated = read_miss || store_miss || fetch_start || starts_release || marker_parks;
    b_event.joined = read_join || fetch_join;
    b_event.slot = (read_miss || store_miss) ? 6'(free_miss) : read_join ? 6'(open_miss) :
                   fetch_start ? 6'(free_fetch) :
                   fetch_join ? 6'(match_fetch) : starts_release ? 6'(free_release) :
                   marker_parks ? 6'(park_marker) : '0;
    b_event.closed = closes;
    b_event.installed = install;
    b_event.sent_req = sends_req;
    b_event.sent_rsp = sends_rsp;
    b_event.sent_l1 = sends_l1;
    b_event.sent_mem = sends_mem;
    b_event.sent_fwd = fwd_push;
    b_event.out_req = b_out_req;
    b_event.out_rsp = b_out_rsp;
    b_event.out_l1 = b_out_l1;
    b_event.out_mem = b_out_mem;
    b_event.out_fwd = b_item;
  end

  // ---------------------------------------------------------------- data, and stage C
  mask_t b_write;
  always_comb begin : writing
    b_write = '0;
    if (install) b_write = store_same && is_wrote ? store_mask : '1;
    else if (copies || (home_step && b_req.kind == ReqKindWrite)) b_write = b_req.mask;
    if (home_step && fault_i == FaultL2WriteLosesByte) b_write[3] = 1'b0;
  end
  logic [63:0] c_old;
  l2_data u_data (
    .clk_i,
    .rst_ni,
    .fault_i,
    .step_i  (takes),
    .tries_i (reads),
    .set_i   (b_set),
    .way_i   (b_way),
    .mask_i  (b_write),
    .data_i  (!install ? b_req.data : is_wrote ? store_data : b_q.rsp.data),
    .atomic_i(home_step && b_req.kind == ReqKindAtomic),
    .func_i  (b_req.func),
    .wide_i  (b_req.wide),
    .offset_i(b_req.address[LineBits-1:2]),
    .data_o  (c_data),
    .line_o  (c_line),
    .new_o   (c_new),
    .old_o   (c_old),
    .same_o  (same)
  );

  // What stage B hands on, and keeps for the other cycles of C, where there are any.
  typedef struct packed {
    l2_event_t what;
    logic line_to_l1, atomic;
  } done_t;
  done_t done_q, c;
  logic c_last_next, c_second;
  logic [15:0] seq_q;
  always_ff @(posedge clk_i) begin : stages
    if (!b_keeps) begin
      b_q <= a_work;
      if (a_work.kind == L2EventKindResponse && a_work.rsp.kind == RspKindLine) b_q.rsp.data <= a_line;
    end
    done_q.what <= b_event;
    done_q.line_to_l1 <= sends_l1 && b_out_l1.kind == RspKindLine && !is_answer;
    done_q.atomic <= home_step && b_req.kind == ReqKindAtomic;
    c_first_q <= takes;
    if (c_last_next) seq_q <= seq_q + 1'b1;
    if (!rst_ni) begin
      b_q.valid <= 1'b0;
      c_first_q <= 1'b0;
      done_q.what.valid <= 1'b0;
      done_q.atomic <= 1'b0;
      seq_q <= '0;
    end
  end
  cut #(
    .Width(1 + $bits(done_t)),
    .Cut  (LateData)
  ) u_done (
    .clk_i,
    .data_i({c_first_q, done_q}),
    .data_o({c_last, c})
  );
  cut #(
    .Cut(32'(LateData > 1))
  ) u_second (
    .clk_i,
    .data_i(c_first_q),
    .data_o(c_second)
  );
  assign c_last_next = (LateData > 0) ? c_second : takes;
  assign c_valid     = c_first_q || c_second || c_last;
  assign c_event     = c.what;

  always_comb begin : out
    event_o = c_event;
    event_o.seq = seq_q;
    if (c.line_to_l1) event_o.out_l1.data = c_new;
    if (c.atomic) begin
      if (c_event.sent_l1) event_o.out_l1.data = (8 * Line)'(c_old);
      if (c_event.sent_rsp) event_o.out_rsp.data = (8 * Line)'(c_old);
    end else if (c_event.sent_rsp && c_event.out_rsp.kind == RspKindLine) begin
      event_o.out_rsp.data = c_new;
    end
    if (c_event.sent_mem && c_event.out_mem.write) event_o.out_mem.data = c_line;
  end

  logic [3:0] req_free, rsp_free, l1_free, mem_free;
  l2_outputs u_outputs (
    .clk_i,
    .rst_ni,
    .req_push_i (late_req),
    .req_data_i (late_out_req),
    .req_run_i  (late_run),
    .req_free_o (req_free),
    .rsp_push_i (c_last && c_event.sent_rsp),
    .rsp_data_i (event_o.out_rsp),
    .rsp_free_o (rsp_free),
    .l1_push_i  (c_last && c_event.sent_l1),
    .l1_data_i  (event_o.out_l1),
    .l1_free_o  (l1_free),
    .mem_push_i (c_last && c_event.sent_mem),
    .mem_data_i (event_o.out_mem),
    .mem_free_o (mem_free),
    .req_valid_o,
    .req_ready_i,
    .req_o,
    .split_o,
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .l1_valid_o,
    .l1_ready_i,
    .l1_o,
    .mem_valid_o,
    .mem_ready_i,
    .mem_o
  );

  // ---------------------------------------------------------------- stage A
  logic stalled;
  l2_admit #(
    .Bank(Bank)
  ) u_admit (
    .clk_i,
    .rst_ni,
    .self_i,
    .ready_i            (ready_o),
    .stop_i,
    .rebase_i,
    .rebased_o,
    .leases_i           (ends),
    .causal_i           (causal),
    .renews_i           (renews),
    .replay_by_self_i   (replay_req.src == self_i),
    .replay_era_i       (replay_req.era),
    .replay_cts_i       (replay_req.cts),
    .largest_i          (largest),
    .clock_i            (clock),
    .era_i              (era),
    .limit_i            (limit),
    .wants_rebase_o,
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
    .busy_i             (b_busy),
    .b_i                (b_q),
    .c_valid_i          (c_valid),
    .l1_free_i          (l1_free),
    .rsp_free_i         (rsp_free),
    .mem_free_i         (mem_free),
    .req_free_i         (req_free),
    .req_late_i         (LateReq && late_req),
    .fwd_free_i         (7'(fwd_free)),
    .fwd_late_i         (LateData > 1 && late_fwd),
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

  assign sent_o     = sends_rsp && b_out_rsp.kind inside {RspKindLine, RspKindAtomic, RspKindWrote};
  assign received_o = b.valid && b.kind == L2EventKindResponse &&
                      b.rsp.kind inside {RspKindLine, RspKindAtomic, RspKindWrote};
  assign answers_o  = answers_left != '0 || l1_valid_o || b_q.valid || c_valid || !ready_o;

  logic tables_idle, markers_idle, releases_idle, forward_idle, outputs_idle;
  assign tables_idle   = miss_free == $bits(miss_free)'(L2Misses) && fetch_used == '0;
  assign markers_idle  = marker_free == $bits(marker_free)'(HomeMarkers);
  assign releases_idle = release_free == $bits(release_free)'(L2Releases) && markers_idle;
  assign forward_idle  = !fwd_valid_o && fwd_free == $bits(fwd_free)'(HomeForwards);
  assign outputs_idle  = !req_valid_o && !rsp_valid_o && !l1_valid_o && !mem_valid_o && forward_idle;
  assign idle_o = ready_o && !b_q.valid && !c_valid && tables_idle && releases_idle && outputs_idle;

  l2_counts u_counts (
    .self_i,
    .event_i  (done_q.what),  // in the first cycle of stage C, however many there are
    .stalled_i(stalled),
    .count_o
  );

  always_ff @(posedge clk_i) begin : checks
    if (rst_ni && fault_i == FaultNone) begin
      assert (!is_replay || tag_hit)
      else $error("l2: the line in replay is gone");
      assert (!install || !tag_hit || leases)
      else $error("l2: a line is installed twice");
      assert (!is_inv || !is_local)
      else $error("l2: INV of a local line");
    end
  end
endmodule
