// SPDX-License-Identifier: Apache-2.0

/// L1 of one compute unit: write-through. A line is valid until it is dropped, coherent by acquire and release alone;
/// under leases (HALCONE) until its lease has run out, and a store waits for its answer like a load.
/// Every step of docs/protocol.md "L1" is one pass through three stages that never stall:
///   A  choose what to do (answer, response, fence, operation), read the set's tags
///   B  compare, change all state, send to the L2: the one place where steps are ordered. With `L1Interval` of 2 it has two
///      cycles, one to compare and one to take effect, and A chooses in the second of them
///   C  the line comes out of the data RAM; answer the compute unit
/// A admits an operation only if every table and queue that it may need has room.
module l1
  import weft_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,
  input  protocol_e protocol_i,
  input  fault_e    fault_i,
  /// Number of this CU in its node; it travels with every request.
  input  logic [2:0] cu_i,

  input  logic      cu_valid_i,
  output logic      cu_ready_o,
  input  cu_req_t   cu_req_i,
  output logic      cu_valid_o,
  output cu_rsp_t   cu_rsp_o,

  output logic      req_valid_o,
  input  logic      req_ready_i,
  output l1_req_t   req_o,
  input  logic      rsp_valid_i,
  output logic      rsp_ready_o,
  input  l1_rsp_t   rsp_i,

  /// Leases: drop every line, time starts again; done when rebased_o stands.
  input  logic      rebase_i,
  output logic      rebased_o,

  /// High once the walk after reset is over.
  output logic      ready_o,
  /// Nothing waits, nothing is on its way.
  output logic      idle_o,
  output l1_event_t event_o,
  output l1_count_t count_o
);
  localparam int unsigned LineBits = $clog2(Line);
  localparam int unsigned SetBits = (L1Sets > 1) ? $clog2(L1Sets) : 1;
  localparam int unsigned OffsetBits = $clog2(MemoryBytes);  // bits above are zero, or the operation is bad
  localparam int unsigned TagBits = 4 + OffsetBits - LineBits - $clog2(L1Sets);
  localparam int unsigned WayBits = (L1Ways > 1) ? $clog2(L1Ways) : 1;
  localparam int unsigned WarpBits = (Warps > 1) ? $clog2(Warps) : 1;
  localparam int unsigned MissBits = $clog2(L1Misses);
  localparam int unsigned WaiterBits = $clog2(L1Waiters);
  localparam int unsigned LeftBits = $clog2(L1Waiters + 1);
  localparam int unsigned BankBits = $clog2(L2Banks + 1);
  localparam int unsigned OutDepth = 4;

  typedef logic [SetBits-1:0] set_t;
  typedef logic [TagBits-1:0] tag_t;
  typedef logic [WayBits-1:0] way_t;
  // A line that memory has: what lies above is zero.
  typedef logic [3+OffsetBits-LineBits:0] lineno_t;
  typedef struct packed {
    tag_t [L1Ways-1:0] tag;
    way_t [L1Ways-1:0] age;  // stored xor the way's number, so that a zero word is the reset order
  } tags_t;
  typedef struct packed {
    logic used;
    logic open;
    logic store;         // leases: nobody joins it
    logic [15:0] clock;  // leases: the L1's when it was sent
    lineno_t line;
  } miss_t;
  typedef struct packed {
    logic used;
    logic [MissBits-1:0] miss;
    logic [3:0] warp;
    logic [7:0] tag;
  } waiter_t;
  typedef struct packed {
    logic pending;
    logic [7:0] tag;
    order_e order;
    scope_e scope;
    logic [BankBits-1:0] sent;     // banks that the release was sent to
    logic [BankBits-1:0] awaited;  // banks that have not answered
  } fence_t;

  function automatic set_t set_of(lineno_t line);
    return SetBits'(line % lineno_t'(L1Sets));
  endfunction

  function automatic tag_t tag_of(lineno_t line);
    return TagBits'(line >> $clog2(L1Sets));
  endfunction

  function automatic lineno_t line_of(logic [39:0] address);
    return {address[39:36], address[OffsetBits-1:LineBits]};
  endfunction

  function automatic logic [39:0] address_of(lineno_t line);
    return {line[$bits(line)-1-:4], 36'(line[$bits(line)-5:0]) << LineBits};
  endfunction

  function automatic logic releases(order_e order, scope_e scope);
    return order inside {OrderRelease, OrderAcqRel} && scope != ScopeCta;
  endfunction

  // Leases: every value is in memory when its store is answered, so a release asks nobody; an acquire of scope sys goes
  // through the banks first (T6, T7), where leases end.
  logic leases, ends, causal;
  assign leases = BuiltLeases && lease_locks(protocol_i);
  assign ends   = leases && tracker_of(protocol_i) == TrackerTsu;
  assign causal = leases && lease_causal(protocol_i);

  function automatic logic asks_banks(logic lease, logic lease_ends, order_e order, scope_e scope);
    if (!lease) return releases(order, scope);
    return lease_ends && order inside {OrderAcquire, OrderAcqRel} && scope == ScopeSys;
  endfunction

  // ---------------------------------------------------------------- state
  logic [L1Sets-1:0][L1Ways-1:0] valid_q;
  miss_t   [L1Misses-1:0]  miss_q;
  waiter_t [L1Waiters-1:0] waiter_q;
  fence_t  [Warps-1:0]     fence_q;
  logic    [Warps-1:0][LeftBits-1:0] loads_q;
  logic    [LeftBits-1:0]  left_q;  // answers that the fill register still owes
  logic    [MissBits-1:0]  fill_miss_q;
  line_t   fill_data_q;
  logic    [SetBits:0] walk_q;

  assign ready_o = walk_q == (SetBits + 1)'(L1Sets);

  // ---------------------------------------------------------------- stage A: choose
  typedef struct packed {
    logic valid;
    l1_event_kind_e kind;
    logic [3:0] warp;
    cu_req_t cu;
    l1_rsp_t rsp;
    logic bad;
    lineno_t line;
  } work_t;

  work_t a_work, b_q;
  logic [$clog2(OutDepth+1)-1:0] out_free;
  logic [Warps-1:0] fence_send, fence_done;
  logic b_op, b_answer, b_fence_step, b_fills, b_busy, b_takes, room_out, room_op;
  logic [LeftBits-1:0] free_waiters_q;
  logic [$clog2(L1Misses+1)-1:0] free_misses_q;

  assign room_out = out_free > $bits(out_free)'(b_op || b_fence_step);
  assign room_op  = room_out && free_waiters_q > LeftBits'(b_op) &&
                    free_misses_q > $bits(free_misses_q)'(b_op);

  always_comb begin : a_fences
    logic drained;
    foreach (fence_q[w]) begin
      drained = loads_q[w] == '0 || fault_i == FaultL1FenceIgnoresLoads;
      if (leases && fault_i == FaultLeaseReleaseIgnoresLoads && fence_q[w].order == OrderRelease) begin
        drained = 1'b1;
        foreach (waiter_q[i])
        if (waiter_q[i].used && waiter_q[i].warp == 4'(w) && miss_q[waiter_q[i].miss].store) drained = 1'b0;
      end
      fence_send[w] = fence_q[w].pending && drained &&
                      asks_banks(leases, ends, fence_q[w].order, fence_q[w].scope) &&
                      fence_q[w].sent != BankBits'(L2Banks) && !b_fence_step;
      fence_done[w] = fence_q[w].pending && drained && !b_fence_step &&
                      (!asks_banks(leases, ends, fence_q[w].order, fence_q[w].scope) ||
                       (fence_q[w].sent == BankBits'(L2Banks) && fence_q[w].awaited == '0));
    end
  end

  // Leases: one transaction per line; only a weak load joins one, and only one of its kind (T2), which in causal mode
  // was sent with no smaller a clock (T4) by another warp (T9).
  logic [15:0] clock;
  logic locked;
  // Misses for which a fault does not make an operation wait.
  logic [L1Misses-1:0] overlooked;
  always_comb begin : a_faults
    logic load, store;
    load = cu_req_i.op == CuOpLoad;
    store = cu_req_i.op == CuOpStore;
    foreach (miss_q[i]) begin
      unique case (fault_i)
        FaultLeaseLoadPassesStore: overlooked[i] = load && miss_q[i].store;
        FaultLeaseTwoStores:       overlooked[i] = store && miss_q[i].store;
        FaultLeaseStorePassesLoad: overlooked[i] = store && !miss_q[i].store;
        FaultLeaseWeakBesideStrong: overlooked[i] = load && !miss_q[i].store;
        FaultLeaseLockPerWarp:     overlooked[i] = 1'b1;
        default:                   overlooked[i] = 1'b0;
      endcase
    end
    if (fault_i == FaultLeaseLockPerWarp)
      foreach (waiter_q[i])
      if (waiter_q[i].used && waiter_q[i].warp == cu_req_i.warp) overlooked[waiter_q[i].miss] = 1'b0;
  end

  always_comb begin : a_lock
    logic weak_load, joins;
    logic [39:0] miss_address;
    weak_load = cu_req_i.op == CuOpLoad && (cu_req_i.order == OrderWeak || cu_req_i.scope == ScopeCta);
    locked = causal && loads_q[cu_req_i.warp[WarpBits-1:0]] != '0;
    foreach (miss_q[i]) begin
      miss_address = address_of(miss_q[i].line);
      joins = weak_load && miss_q[i].open && !miss_q[i].store && (!causal || clock <= miss_q[i].clock);
      if (miss_q[i].used && !(left_q != '0 && fill_miss_q == MissBits'(i)) && !joins && !overlooked[i] &&
          miss_address == {cu_req_i.address[39:LineBits], LineBits'(0)})
        locked = 1'b1;
    end
    if (!leases || cu_req_i.op == CuOpFence) locked = 1'b0;
  end

  // What stage B is about to do to lines, clock and misses must be done before stage A can tell.
  logic b_touches, b_rebases, line_waits;
  assign b_rebases = b_takes && b_q.kind == L1EventKindRebase;
  assign b_touches = b_op && (b_q.cu.address[39:LineBits] == cu_req_i.address[39:LineBits] ||
                              (causal && b_q.cu.warp == cu_req_i.warp));
  assign line_waits = leases && (b_fills || b_fence_step || b_rebases || b_touches || locked);

  logic rebased_q, a_rebase;
  always_ff @(posedge clk_i) rebased_q <= rst_ni && rebase_i && (rebased_q || !b_busy);  // before all else
  assign rebased_o = rebased_q && !b_q.valid;
  assign a_rebase  = BuiltLeases && rebase_i && !rebased_q && !b_busy;

  logic a_free, a_answer, can_response, a_response, a_done, a_send, a_op, warp_free;
  assign a_free     = !a_rebase && !b_busy;
  assign a_answer   = a_free && left_q > LeftBits'(b_answer);
  assign can_response = rsp_i.kind == RspKindFence || (left_q == '0 && !b_fills);
  assign a_response = a_free && !a_answer && can_response;
  assign a_done     = a_free && !a_answer && !(rsp_valid_i && a_response) && fence_done != '0;
  assign a_send     = a_free && !a_answer && !(rsp_valid_i && a_response) && !a_done && room_out &&
                      fence_send != '0;
  assign warp_free  = 32'(cu_req_i.warp) < Warps && !fence_q[cu_req_i.warp[WarpBits-1:0]].pending &&
                      !(b_op && b_q.cu.op == CuOpFence && b_q.cu.warp == cu_req_i.warp);
  assign a_op       = a_free && !a_answer && !(rsp_valid_i && a_response) && !a_done && !a_send &&
                      room_op && warp_free && !line_waits && ready_o;
  assign cu_ready_o  = a_op;
  assign rsp_ready_o = a_response;

  /// An operation that no memory could serve: answered with an error, never passed on.
  logic a_bad;
  always_comb begin : a_check
    a_bad = 1'b0;
    if (cu_req_i.op != CuOpFence) begin
      if (5'(cu_req_i.address[39:36]) >= 5'(Nodes)) a_bad = 1'b1;
      if (cu_req_i.address[35:0] >> OffsetBits != '0) a_bad = 1'b1;
    end
    if (cu_req_i.op inside {CuOpLoad, CuOpStore} && cu_req_i.mask == '0) a_bad = 1'b1;
    if (cu_req_i.op == CuOpAtomic) begin
      if (cu_req_i.address[1:0] != '0 || (cu_req_i.wide && cu_req_i.address[2])) a_bad = 1'b1;
      if (cu_req_i.func > FuncXor) a_bad = 1'b1;
    end
  end

  always_comb begin : a_select
    a_work = '0;
    a_work.bad = a_bad;
    a_work.cu = cu_req_i;
    a_work.rsp = rsp_i;
    a_work.line = (rsp_valid_i && can_response) ? miss_q[rsp_i.id[MissBits-1:0]].line :
                  line_of(cu_req_i.address);
    if (a_rebase) begin
      a_work.valid = 1'b1;
      a_work.kind = L1EventKindRebase;
    end else if (a_answer) begin
      a_work.valid = 1'b1;
      a_work.kind = L1EventKindAnswer;
    end else if (rsp_valid_i && a_response) begin
      a_work.valid = 1'b1;
      a_work.kind = L1EventKindResponse;
    end else if (a_done || a_send) begin
      a_work.valid = 1'b1;
      a_work.kind = a_done ? L1EventKindFenceDone : L1EventKindFenceSend;
      for (int w = Warps - 1; w >= 0; w--) if (a_done ? fence_done[w] : fence_send[w]) a_work.warp = 4'(w);
    end else if (a_op && cu_valid_i) begin
      a_work.valid = 1'b1;
      a_work.kind = L1EventKindOp;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!b_busy) b_q <= a_work;
    if (!rst_ni) b_q.valid <= 1'b0;
  end

  // What stage A asks of the step in B stands in registers of its own, in the cycle in which it takes effect.
  typedef struct packed {logic op, answer, fence_step, fills;} kinds_t;
  kinds_t a_kinds, kinds, kinds_q;
  assign a_kinds = '{
      op: a_op && cu_valid_i,
      answer: a_answer,
      fence_step: a_done || a_send,
      fills: rsp_valid_i && a_response && rsp_i.kind != RspKindFence
  };
  assign {b_op, b_answer, b_fence_step, b_fills} = kinds_q;
  assign b_takes = b_q.valid && !b_busy;
  always_ff @(posedge clk_i) begin : b_kinds
    kinds_q <= rst_ni ? kinds : '0;
  end
  if (L1Interval > 1) begin : gen_two
    kinds_t first_q;
    logic busy_q;
    always_ff @(posedge clk_i) begin
      first_q <= rst_ni ? a_kinds : '0;
      busy_q  <= rst_ni && a_work.valid;
    end
    assign b_busy = busy_q;
    assign kinds  = first_q;
  end else begin : gen_one
    assign b_busy = 1'b0;
    assign kinds  = a_kinds;
  end

  // ---------------------------------------------------------------- tags and data
  tags_t tags, tags_new;
  logic  tags_write;
  set_t  b_set;
  ram #(
    .Words(L1Sets),
    .Width($bits(tags_t))
  ) u_tags (
    .clk_i,
    .ren_i  (!b_busy),  // what is read without a step is not looked at
    .raddr_i(set_of(a_work.line)),
    .rdata_o(tags),
    .wen_i  (tags_write || !ready_o),
    .waddr_i(ready_o ? b_set : SetBits'(walk_q)),
    .wdata_i(ready_o ? tags_new : '0)
  );

  logic  data_read;
  mask_t data_write;
  line_t data_in, data_out;
  way_t b_way, hit_way, fill_way;
  localparam int unsigned DataBits = $clog2(L1Sets * L1Ways) + ((L1Sets * L1Ways == 1) ? 1 : 0);
  // The way that is read is known early; that of a fill too, whether it is written or not.
  logic [DataBits-1:0] read_index, write_index;
  assign read_index  = DataBits'(32'(b_set) * L1Ways + 32'(hit_way));
  assign write_index = DataBits'(32'(b_set) * L1Ways + 32'(fill_way));
  ram #(
    .Words(L1Sets * L1Ways),
    .Width(8 * Line),
    .Granule(8),
    .Block(1'b1)
  ) u_data (
    .clk_i,
    .ren_i  (data_read),
    .raddr_i(read_index),
    .rdata_o(data_out),
    .wen_i  (data_write),
    .waddr_i(write_index),
    .wdata_i(data_in)
  );

  // ---------------------------------------------------------------- leases
  logic live, installs, answered, outlives;
  logic [15:0] clock_next;
  logic [1:0] era;
  way_t found_way;
  if (BuiltLeases) begin : gen_leases
    lease_clock u_clock (
      .clk_i,
      .rst_ni,
      .answered_i(answered),
      .installs_i(1'b1),
      .wts_i     (b_q.rsp.wts),
      .rts_i     (b_q.rsp.rts),
      .outlive_i (outlives),
      .rebase_i  (b_rebases),
      .clock_o   (clock),
      .next_o    (clock_next),
      .era_o     (era)
    );
    // With a fault, a cache extends a lease up to its own clock, as published.
    logic [15:0] from;
    logic [15:0] kept_rts;
    assign from = (clock > b_q.rsp.wts) ? clock : b_q.rsp.wts;
    assign kept_rts = (fault_i == FaultLeaseExtendsItself && from >= b_q.rsp.rts) ? from + 16'd1 :
                      b_q.rsp.rts;

    logic in_time;
    lease_lines #(
      .Sets(L1Sets),
      .Ways(L1Ways)
    ) u_lines (
      .clk_i,
      .lookup_i     (a_work.valid),
      .lookup_set_i (set_of(a_work.line)),
      .way_i        (found_way),
      .now_i        (clock),
      .live_o       (in_time),
      /* verilator lint_off PINCONNECTEMPTY */
      .wts_o        (),
      .rts_o        (),
      /* verilator lint_on PINCONNECTEMPTY */
      .install_i    (installs),
      .set_i        (b_set),
      .install_way_i(b_way),
      .wts_i        (b_q.rsp.wts),
      .rts_i        (kept_rts)
    );
    assign live = in_time || !leases;
  end else begin : gen_no_leases
    assign clock      = '0;
    assign clock_next = '0;
    assign era        = '0;
    assign live       = 1'b1;
    logic unused;
    assign unused = ^{installs, answered, outlives, found_way, rebase_i, b_q.rsp.wts, b_q.rsp.rts};
  end

  // ---------------------------------------------------------------- stage B: decide
  logic expired, acquires, early, there, is_strong, hit, found_open, need_miss, opens, install, drop_all;
  logic [L1Ways-1:0] hits;
  way_t victim, touched;
  way_t [L1Ways-1:0] ages, ages_next;
  logic [MissBits-1:0] open_miss, free_miss, b_miss;
  logic [WaiterBits-1:0] free_waiter, next_waiter;
  logic [L1Ways-1:0] set_valid;
  logic [LeftBits-1:0] filled;  // of a response, the waiters of its miss
  lineno_t b_line;
  logic [3:0] b_warp;
  logic sends, answers, touches, last_answer;
  l1_req_t b_out;
  fence_t b_fence;  // of the step's warp
  l1_event_t b_event, c_event_q;

  assign b_fence = fence_q[b_warp[WarpBits-1:0]];
  assign b_set  = set_of(b_q.line);
  assign b_line = b_q.line;

  // What the step finds: in its first cycle, where it has two. Nothing changes between them.
  typedef struct packed {
    logic [L1Ways-1:0] valid, hits;
    logic open;
    logic [MissBits-1:0] open_miss, free_miss;
    logic [WaiterBits-1:0] free_waiter, next_waiter;
    logic [LeftBits-1:0] filled;
  } found_t;
  found_t b_found;
  always_comb begin : b_lookup
    b_found = '0;
    b_found.valid = valid_q[b_set];
    for (int unsigned w = 0; w < L1Ways; w++)
    b_found.hits[w] = valid_q[b_set][w] && tags.tag[w] == tag_of(b_q.line);
    for (int i = L1Misses - 1; i >= 0; i--) begin
      if (miss_q[i].used && miss_q[i].open && !miss_q[i].store && miss_q[i].line == b_line) begin
        b_found.open = 1'b1;
        b_found.open_miss = MissBits'(i);
      end
      if (!miss_q[i].used) b_found.free_miss = MissBits'(i);
    end
    for (int i = L1Waiters - 1; i >= 0; i--) begin
      if (!waiter_q[i].used) b_found.free_waiter = WaiterBits'(i);
      else if (waiter_q[i].miss == fill_miss_q) b_found.next_waiter = WaiterBits'(i);
      b_found.filled += LeftBits'(waiter_q[i].used && waiter_q[i].miss == b_q.rsp.id[MissBits-1:0]);
    end
  end
  cut #(
    .Width($bits(found_t)),
    .Cut  (L1Interval - 1)
  ) u_found (
    .clk_i,
    .data_i(b_found),
    .data_o({set_valid, hits, found_open, open_miss, free_miss, free_waiter, next_waiter, filled})
  );
  always_comb begin : b_ways
    hit_way = '0;
    foreach (ages[w]) begin
      if (hits[w]) hit_way |= WayBits'(w);
      ages[w] = tags.age[w] ^ WayBits'(w);
    end
  end

  replacement #(
    .Ways(L1Ways)
  ) u_replacement (
    .valid_i    (set_valid),
    .ages_i     (ages),
    .exclude_i  ('0),
    .touch_way_i(touched),
    .victim_o   (victim),
    .ages_o     (ages_next)
  );

  logic is_op, is_load, is_store, is_atomic, is_fence, is_weak_load, is_fill, closes;
  assign is_op        = b_op && !b_q.bad;
  assign is_load      = is_op && b_q.cu.op == CuOpLoad;
  assign is_store     = is_op && b_q.cu.op == CuOpStore;
  assign is_atomic    = is_op && b_q.cu.op == CuOpAtomic;
  assign is_fence     = is_op && b_q.cu.op == CuOpFence;
  assign is_weak_load = is_load && !is_strong;
  assign is_fill      = b_fills;
  assign is_strong    = b_q.cu.order != OrderWeak && b_q.cu.scope != ScopeCta;

  assign there     = (is_load || is_store || is_atomic) && hits != '0;
  assign hit       = there && live;
  assign expired   = there && !live;
  assign found_way = hit_way;
  assign closes    = found_open && (is_store || is_atomic ||
                     (is_load && is_strong && fault_i != FaultL1StrongLoadKeepsMiss &&
                      fault_i != FaultL1SecondMissOpen));
  assign need_miss = (is_weak_load && !hit && !found_open) || (is_load && is_strong) || is_atomic ||
                     (is_store && leases);
  assign opens     = is_weak_load || is_store || (is_load && fault_i == FaultL1SecondMissOpen);
  assign b_miss    = need_miss ? free_miss : open_miss;
  assign install   = is_fill && b_q.rsp.kind == RspKindLine && b_q.rsp.install &&
                     miss_q[b_q.rsp.id[MissBits-1:0]].open;
  assign installs  = install && leases;
  assign answered  = is_fill && leases && !(fault_i == FaultLeaseClockByInstalled && !install) &&
                     !(fault_i == FaultLeaseReadsKeepClock && b_q.rsp.kind == RspKindLine &&
                       !miss_q[b_q.rsp.id[MissBits-1:0]].store);
  assign touches   = (is_weak_load && hit) || (is_store && hit && !leases) || install;
  // Under leases the line may be there: its lease has run out, or a store replaces it.
  assign fill_way  = (is_fill && !(leases && hits != '0)) ? victim : hit_way;
  assign b_way     = install ? fill_way : hit_way;
  assign touched   = b_way;
  assign sends     = need_miss || is_store || (b_takes && b_q.kind == L1EventKindFenceSend);
  // With a fault the L1 acquires when the first bank is told to, not when all have.
  assign early     = leases && fault_i == FaultLeaseL1BeforeL2 &&
                     asks_banks(leases, ends, b_fence.order, b_fence.scope);
  assign acquires  = b_takes && b_fence.order inside {OrderAcquire, OrderAcqRel} &&
                     b_fence.scope != ScopeCta &&
                     (early ? b_q.kind == L1EventKindFenceSend && b_fence.sent == '0 :
                              b_q.kind == L1EventKindFenceDone);
  assign outlives  = acquires && causal;
  assign drop_all  = acquires && !causal;
  assign b_warp    = b_op ? b_q.cu.warp : b_q.warp;
  assign answers   = (b_op && b_q.bad) || (is_weak_load && hit) || (is_store && !leases) ||
                     (b_takes && b_q.kind inside {L1EventKindFenceDone, L1EventKindAnswer});
  assign last_answer = left_q == LeftBits'(1);

  assign data_read = is_weak_load && hit;
  always_comb begin : b_data
    data_write = '0;
    data_in = b_q.cu.data;
    if (install) begin
      data_write = '1;
      data_in = b_q.rsp.data;
    end else if (is_store && hit && !leases && fault_i != FaultL1StoreKeepsOld) begin
      data_write = b_q.cu.mask;
    end
  end

  always_comb begin : b_tags
    tags_write = touches;
    tags_new = tags;
    if (install) tags_new.tag[b_way] = tag_of(b_q.line);
    foreach (ages_next[w]) tags_new.age[w] = ages_next[w] ^ WayBits'(w);
  end

  always_comb begin : b_message
    b_out = '0;
    b_out.cu = cu_i;
    if (b_q.kind == L1EventKindFenceSend) begin
      b_out.kind = ReqKindFence;
      b_out.id = 6'(b_warp);
      b_out.order = b_fence.order;
      b_out.scope = b_fence.scope;
      b_out.address = 40'(b_fence.sent) << 12;
    end else begin
      b_out.order = b_q.cu.order;
      b_out.scope = b_q.cu.scope;
      b_out.address = address_of(b_line);
      if (causal) begin
        b_out.cts = clock;
        b_out.era = era;
      end
      if (is_store) begin
        b_out.kind = ReqKindWrite;
        if (leases) begin
          b_out.id = 6'(b_miss);
          b_out.func = FuncExch;  // bit 0: it wants an answer
        end
        b_out.mask = b_q.cu.mask;
        b_out.data = b_q.cu.data;
      end else if (is_atomic) begin
        b_out.kind = ReqKindAtomic;
        b_out.id = 6'(b_miss);
        b_out.func = b_q.cu.func;
        b_out.wide = b_q.cu.wide;
        b_out.address[LineBits-1:0] = b_q.cu.address[LineBits-1:0];
        b_out.data = b_q.cu.data;
      end else begin
        b_out.kind = ReqKindRead;
        b_out.id = 6'(b_miss);
        b_out.wide = leases && is_strong && b_q.cu.scope == ScopeSys;  // no bank may answer it (T8)
      end
    end
  end

  fifo #(
    .T(l1_req_t),
    .Depth(OutDepth),
    .Late(L1Interval > 1)
  ) u_out (
    .clk_i,
    .rst_ni,
    .valid_i(sends),
    .ready_o(),
    .data_i (b_out),
    .valid_o(req_valid_o),
    .ready_i(req_ready_i),
    .data_o (req_o),
    .free_o (out_free)
  );

  // ---------------------------------------------------------------- stage B: state
  always_ff @(posedge clk_i) begin : walk
    if (!rst_ni) walk_q <= '0;
    else if (!ready_o) walk_q <= walk_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin : lines
    if (!rst_ni || drop_all || b_rebases) valid_q <= '0;
    else if (install) valid_q[b_set][b_way] <= 1'b1;
    // A store's copy stays for its lease; where none ends, it goes, and maybe the answer brings another.
    else if (there && (is_atomic || (is_load && is_strong) || (is_store && leases && !ends)))
      valid_q[b_set][hit_way] <= 1'b0;
  end

  always_ff @(posedge clk_i) begin : misses
    if (closes) miss_q[open_miss].open <= 1'b0;
    if (need_miss)
      miss_q[free_miss] <= '{used: 1'b1, open: opens, store: is_store, clock: clock, line: b_line};
    if (is_fill) miss_q[b_q.rsp.id[MissBits-1:0]].open <= 1'b0;
    if (b_answer && last_answer) miss_q[fill_miss_q].used <= 1'b0;
    if (b_rebases) foreach (miss_q[i]) miss_q[i].clock <= '0;
    if (drop_all && fault_i != FaultL1AcquireKeepsMisses)
      foreach (miss_q[i])
      if (!(fault_i == FaultLeaseAcquireKeepsStores && miss_q[i].store)) miss_q[i].open <= 1'b0;
    if (!rst_ni) foreach (miss_q[i]) miss_q[i] <= '0;
  end

  logic waits;
  assign waits = need_miss || (is_weak_load && !hit && found_open);

  always_ff @(posedge clk_i) begin : waiters
    if (waits) waiter_q[free_waiter] <= '{used: 1'b1, miss: b_miss, warp: b_q.cu.warp, tag: b_q.cu.tag};
    if (b_answer) waiter_q[next_waiter].used <= 1'b0;
    if (!rst_ni) foreach (waiter_q[i]) waiter_q[i].used <= 1'b0;
  end

  // What is free is counted along: to add up the tables would be the longest way of stage A.
  always_ff @(posedge clk_i) begin : room
    if (need_miss) free_misses_q <= free_misses_q - 1'b1;
    if (waits) free_waiters_q <= free_waiters_q - 1'b1;
    if (b_answer) free_waiters_q <= free_waiters_q + 1'b1;
    if (b_answer && last_answer) free_misses_q <= free_misses_q + 1'b1;
    if (!rst_ni) begin
      free_misses_q <= $bits(free_misses_q)'(L1Misses);
      free_waiters_q <= LeftBits'(L1Waiters);
    end
  end

  always_ff @(posedge clk_i) begin : fills
    if (is_fill) begin
      left_q <= filled;
      fill_miss_q <= b_q.rsp.id[MissBits-1:0];
      fill_data_q <= b_q.rsp.data;
    end else if (b_answer) begin
      left_q <= left_q - 1'b1;
    end
    if (!rst_ni) left_q <= '0;
  end

  always_ff @(posedge clk_i) begin : loads
    foreach (loads_q[w]) begin
      if (waits && b_q.cu.warp == 4'(w)) loads_q[w] <= loads_q[w] + 1'b1;
      if (b_answer && waiter_q[next_waiter].warp == 4'(w)) loads_q[w] <= loads_q[w] - 1'b1;
      if (!rst_ni) loads_q[w] <= '0;
    end
  end

  always_ff @(posedge clk_i) begin : fences
    foreach (fence_q[w]) begin
      if (is_fence && b_q.cu.warp == 4'(w))
        fence_q[w] <= '{
            pending: 1'b1,
            tag: b_q.cu.tag,
            order: b_q.cu.order,
            scope: b_q.cu.scope,
            sent: '0,
            awaited: BankBits'(L2Banks)
        };
      if (b_takes && b_q.kind == L1EventKindFenceSend && b_warp == 4'(w))
        fence_q[w].sent <= fence_q[w].sent + 1'b1;
      if (b_takes && b_q.kind == L1EventKindFenceDone && b_warp == 4'(w)) fence_q[w].pending <= 1'b0;
      if (b_takes && b_q.kind == L1EventKindResponse && b_q.rsp.kind == RspKindFence && b_q.rsp.id == 6'(w))
        fence_q[w].awaited <= fence_q[w].awaited - 1'b1;
      if (!rst_ni) fence_q[w] <= '0;
    end
  end

  // ---------------------------------------------------------------- stage C: answer
  always_comb begin : b_effects
    b_event = '0;
    b_event.valid = b_takes;
    b_event.kind = b_q.kind;
    b_event.warp = b_q.warp;
    b_event.cu = b_op ? b_q.cu : '0;
    b_event.rsp = (b_q.kind == L1EventKindResponse) ? b_q.rsp : '0;
    b_event.hit = hit;
    b_event.expired = expired;
    b_event.clock = clock_next;
    b_event.way = (there || install) ? 4'(b_way) : '0;
    b_event.miss = (waits) ? 6'(b_miss) : '0;
    b_event.allocated = need_miss;
    b_event.joined = waits && !need_miss;
    b_event.closed = closes;
    b_event.installed = install;
    b_event.sent = sends;
    b_event.out_ = sends ? b_out : '0;
    b_event.answered = answers;
    b_event.done.error = b_op && b_q.bad;
    b_event.done.warp = b_warp;
    b_event.done.tag = b_q.cu.tag;
    if (b_q.kind == L1EventKindAnswer) begin
      b_event.done.warp = waiter_q[next_waiter].warp;
      b_event.done.tag = waiter_q[next_waiter].tag;
    end else if (b_q.kind == L1EventKindFenceDone) begin
      b_event.done.tag = b_fence.tag;
    end
    if (!answers) b_event.done = '0;
  end

  logic [15:0] seq_q;
  logic c_from_ram_q, c_from_fill_q;
  always_ff @(posedge clk_i) begin : to_c
    c_event_q <= b_event;
    c_from_ram_q <= data_read;
    c_from_fill_q <= b_answer;
    if (b_takes) seq_q <= seq_q + 1'b1;
    if (!rst_ni) begin
      c_event_q.valid <= 1'b0;
      c_event_q.answered <= 1'b0;
      seq_q <= '0;
    end
  end

  assign cu_valid_o = c_event_q.valid && c_event_q.answered;
  always_comb begin : c_answer
    cu_rsp_o = c_event_q.done;
    if (c_from_ram_q) cu_rsp_o.data = data_out;
    if (c_from_fill_q) cu_rsp_o.data = fill_data_q;
    event_o = c_event_q;
    event_o.seq = seq_q;
    event_o.done = cu_rsp_o;
  end

  logic any_miss, any_fence;
  always_comb begin : busy
    any_miss = free_misses_q != $bits(free_misses_q)'(L1Misses);
    any_fence = 1'b0;
    foreach (fence_q[w]) any_fence |= fence_q[w].pending;
  end
  assign idle_o = !any_miss && !any_fence && !b_q.valid && !c_event_q.valid && !req_valid_o && ready_o;

  always_comb begin : counts
    count_o = '0;
    count_o.loads = is_load;
    count_o.stores = is_store;
    count_o.atomics = is_atomic;
    count_o.fences = is_fence;
    count_o.hits = is_weak_load && hit;
    count_o.misses = is_weak_load && need_miss;
    count_o.joins = waits && !need_miss;
    count_o.installs = install;
    count_o.closed = is_fill && b_q.rsp.kind == RspKindLine && !install;
    count_o.requests = sends;
    count_o.errors = b_op && b_q.bad;
    count_o.drops = acquires;
    count_o.stalls = cu_valid_i && !cu_ready_o;
    count_o.lease_misses = is_weak_load && expired;
    count_o.expired = installs && b_q.rsp.rts < clock_next;
    count_o.locked = cu_valid_i && !cu_ready_o && locked;
  end
endmodule
