// SPDX-License-Identifier: Apache-2.0

/// What an L1 under leases promises, in both modes: a load hits only what an answer has promised until then, and that
/// came since the last acquire; one transaction per line, of which a copy is left alone; a clock that hears every
/// answer and goes with every request.
///
/// The solver chooses one line (`line_s_i`), and a shape its first byte; its transaction and what its answers said are kept here from the steps of
/// stage B. Answers come in any order, as late as they like, with any stamps; rebases and fences at any time.
module l1_leases_props
  import weft_pkg::*;
#(
  /// Number of a seeded fault, for a proof that must fail.
  parameter int unsigned Fault = 0,
  /// 1: a byte of the line is followed too. All bytes are alike; it takes three times as long.
  parameter int unsigned Bytes = 0,
  localparam int unsigned LineBits = $clog2(Line)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input protocol_e            protocol_i,
  input logic                 cu_valid_i,
  input cu_req_t              cu_req_i,
  input logic                 req_ready_i,
  input logic                 rsp_valid_i,
  input l1_rsp_t              rsp_i,
  input logic                 rebase_i,
  input logic [39-LineBits:0] line_s_i
);
  localparam logic [15:0] Last = 16'((17'd1 << LeaseBits) - 17'd1);
  localparam int unsigned MissBits = $clog2(L1Misses);
  localparam int unsigned WayBits = (L1Ways > 1) ? $clog2(L1Ways) : 1;
  localparam int unsigned SetBits = (L1Sets > 1) ? $clog2(L1Sets) : 1;
  localparam int unsigned TagLow = LineBits + $clog2(L1Sets);
  localparam int unsigned OffsetBits = $clog2(MemoryBytes);
  localparam int unsigned TagBits = 4 + OffsetBits - TagLow;
  localparam int unsigned WarpBits = (Warps > 1) ? $clog2(Warps) : 1;
  typedef logic [39-LineBits:0] lineno_t;

  logic cu_ready_o, cu_valid_o, req_valid_o, rsp_ready_o, rebased_o, ready_o, idle_o;
  cu_rsp_t cu_rsp_o;
  l1_req_t req_o;
  l1_event_t event_o;
  l1_count_t count_o;
  l1 dut (
    .fault_i(fault_e'(Fault)),
    .cu_i   ('0),
    .*
  );

  function automatic lineno_t long_of(logic [3+OffsetBits-LineBits:0] line);
    return {line[3+OffsetBits-LineBits-:4], (36 - OffsetBits)'(0), line[OffsetBits-LineBits-1:0]};
  endfunction

  // As the L1 keeps it: the bits that memory has.
  logic [3+OffsetBits-LineBits:0] short_s;
  assign short_s = {line_s_i[39-LineBits-:4], line_s_i[OffsetBits-LineBits-1:0]};

  function automatic logic legal(lineno_t line);
    logic [39:0] address;
    address = {line, LineBits'(0)};
    return 32'(address[39:36]) < Nodes && (address[35:0] >> OffsetBits) == '0;
  endfunction

  // ---------------------------------------------------------------- the rules of who uses it
  logic started_q = 1'b0;
  logic [L1Misses-1:0] out_q;  // requests that have no answer yet
  lineno_t line_s_q;
  protocol_e protocol_q;
  logic causal;
  assign causal = protocol_i == ProtocolHalconeCausal;
  always_ff @(posedge clk_i) begin
    started_q  <= 1'b1;
    line_s_q   <= line_s_i;
    protocol_q <= protocol_i;
  end
  always_comb begin
    if (!started_q) assume (!rst_ni);
    else assume (line_s_i == line_s_q && (protocol_i == protocol_q || !rst_ni));
    assume (protocol_i == ProtocolHalconeWeak || protocol_i == ProtocolHalconeCausal);
    assume (legal(line_s_i));
    assume (32'(cu_req_i.warp) < Warps && cu_req_i.order <= OrderAcqRel && cu_req_i.scope <= ScopeSys);
    if (rsp_i.kind == RspKindFence) begin
      assume (32'(rsp_i.id) < Warps);
    end else begin
      assume (rsp_i.kind == RspKindLine || rsp_i.kind == RspKindAtomic);
      assume (!rsp_valid_i || (32'(rsp_i.id) < L1Misses && out_q[rsp_i.id[MissBits-1:0]]));
      // As the timestamp storage unit answers: proof `tsu`.
      assume (rsp_i.wts <= rsp_i.rts && rsp_i.rts < Last && rsp_i.rts != '0);
    end
  end

  // ---------------------------------------------------------------- the books of the line
  logic sends, sends_s, fills, fills_s, usable, weak_load, strong_s, acquires, closes, rebases;
  assign rebases   = dut.b_q.valid && dut.b_q.kind == L1EventKindRebase;
  assign sends     = dut.sends && dut.b_out.kind != ReqKindFence;
  assign sends_s   = sends && dut.b_out.address[39:LineBits] == line_s_i;
  assign fills     = dut.b_q.valid && dut.b_q.kind == L1EventKindResponse && dut.b_q.rsp.kind != RspKindFence;
  assign weak_load = dut.b_q.cu.op == CuOpLoad &&
                     (dut.b_q.cu.order == OrderWeak || dut.b_q.cu.scope == ScopeCta);
  assign acquires  = dut.b_q.valid && dut.b_q.kind == L1EventKindFenceDone &&
                     dut.b_fence.order inside {OrderAcquire, OrderAcqRel} && dut.b_fence.scope != ScopeCta;
  assign closes    = acquires && !causal;
  // A strong load and an atomic end the copy (T8).
  assign strong_s  = sends_s && !weak_load && dut.b_q.cu.op != CuOpStore;

  // Its transaction: of which kind, may its answer be installed, sent with which clock.
  logic trans_q, trans_load_q, trans_installs_q;
  logic [MissBits-1:0] trans_id_q;
  logic [15:0] trans_clock_q;
  assign fills_s = fills && trans_q && dut.b_q.rsp.id == 6'(trans_id_q);
  assign usable  = fills_s && trans_installs_q && dut.b_q.rsp.kind == RspKindLine && dut.b_q.rsp.install;

  logic hit_s, joins_s;
  assign hit_s   = dut.data_read && dut.b_line == short_s;
  assign joins_s = dut.waits && !dut.need_miss && dut.b_line == short_s;

  // What its last answer that could be installed said; was it after the last acquire and the last rebase.
  logic may_q, hit_q, rebased_q;
  logic [15:0] came_rts_q, heard_q, before_q;
  logic [7:0] came_byte_q, hit_byte_q;
  always_ff @(posedge clk_i) begin
    if (rsp_valid_i && rsp_ready_o && rsp_i.kind != RspKindFence) out_q[rsp_i.id[MissBits-1:0]] <= 1'b0;
    if (sends) out_q[dut.b_out.id[MissBits-1:0]] <= 1'b1;

    if (closes) trans_installs_q <= 1'b0;
    if (rebases) trans_clock_q <= '0;
    if (sends_s) begin
      trans_q          <= 1'b1;
      trans_load_q     <= dut.b_q.cu.op == CuOpLoad && weak_load;
      trans_installs_q <= weak_load || dut.b_q.cu.op == CuOpStore;
      trans_id_q       <= dut.b_out.id[MissBits-1:0];
      trans_clock_q    <= dut.clock;
    end else if (fills_s) begin
      trans_q <= 1'b0;
    end

    if (usable) begin
      may_q      <= 1'b1;
      came_rts_q <= dut.b_q.rsp.rts;
      came_byte_q <= dut.b_q.rsp.data[7:0];
    end else if (acquires || rebases || strong_s) begin
      may_q <= 1'b0;
    end
    if (fills && dut.b_q.rsp.wts > heard_q) heard_q <= dut.b_q.rsp.wts;
    if (rebases) heard_q <= '0;
    before_q   <= dut.clock;
    rebased_q  <= rebases;
    hit_q      <= rst_ni && hit_s;
    hit_byte_q <= came_byte_q;
    if (!rst_ni) begin
      out_q     <= '0;
      trans_q   <= 1'b0;
      may_q     <= 1'b0;
      heard_q   <= '0;
      before_q  <= '0;
      rebased_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (rst_ni) begin
      hit_is_within_the_promise : assert (!hit_s || dut.clock <= came_rts_q);
      hit_is_of_an_answer_since_the_last_acquire : assert (!hit_s || may_q);
      no_hit_beside_a_transaction : assert (!hit_s || !trans_q);
      one_transaction_per_line : assert (!sends_s || !trans_q);
      only_weak_loads_join : assert (!joins_s || (weak_load && trans_q && trans_load_q && trans_installs_q));
      joins_what_was_sent_no_earlier : assert (!joins_s || !causal || dut.clock <= trans_clock_q);
      store_leaves_the_copy_alone : assert (dut.data_write == '0 || fills);
      only_usable_answers_are_installed : assert (!(fills_s && dut.install) || usable);
      clock_never_goes_back : assert (dut.clock >= before_q || rebased_q);
      clock_has_heard_every_answer : assert (dut.clock >= heard_q);
      request_carries_the_clock :
      assert (!sends || (dut.b_out.cts == (causal ? dut.clock : '0) &&
                         dut.b_out.era == (causal ? dut.era : '0)));
      one_operation_per_warp :
      assert (!dut.waits || !causal || dut.loads_q[dut.b_q.cu.warp[WarpBits-1:0]] == '0);
    end
  end

  logic expired_s;
  assign expired_s = dut.is_weak_load && dut.expired && dut.b_line == short_s;
  always_comb begin
    if (rst_ni) begin
      reach_hit : cover (hit_s && dut.clock > 16'd1);
      reach_expired : cover (expired_s);
      reach_join : cover (joins_s && causal);
      reach_copy_from_a_store : cover (usable && !trans_load_q);
      reach_closed_answer : cover (fills_s && !trans_installs_q && trans_load_q);
      reach_acquire_after_an_answer : cover (acquires && may_q && causal);
      reach_rebase_beside_a_transaction : cover (rebases && trans_q && may_q);
    end
  end

  // ---------------------------------------------------------------- where the line is, as l1.sv lays it out
  logic [SetBits-1:0] set_s;
  logic [TagBits-1:0] tag_s;
  assign set_s = (L1Sets > 1) ? SetBits'(line_s_i) : '0;
  assign tag_s = {line_s_i[39-LineBits-:4], line_s_i[OffsetBits-LineBits-1:TagLow-LineBits]};

  logic [L1Ways*(TagBits+WayBits)-1:0] tags_s;
  logic [L1Ways*2*LeaseBits-1:0] stamps_s;
  logic [L1Ways-1:0] place;
  logic present, twice;
  logic [15:0] stored_rts;
  assign tags_s   = dut.u_tags.store_q[set_s];
  assign stamps_s = dut.gen_leases.u_lines.u_stamps.store_q[set_s];
  always_comb begin
    place = '0;
    present = 1'b0;
    twice = 1'b0;
    stored_rts = '0;
    for (int unsigned w = 0; w < L1Ways; w++) begin
      if (dut.valid_q[set_s][w] && tags_s[L1Ways*WayBits+w*TagBits+:TagBits] == tag_s) begin
        place[w] = 1'b1;
        twice |= present;
        present = 1'b1;
        stored_rts = 16'(stamps_s[2*LeaseBits*w+:LeaseBits]);
      end
    end
  end

  if (Bytes != 0) begin : gen_bytes
    always_comb begin
      if (rst_ni) begin
        hit_brings_what_the_answer_brought :
        assert (!hit_q || (cu_valid_o && cu_rsp_o.data[7:0] == hit_byte_q));
      end
    end
    for (genvar w = 0; w < L1Ways; w++) begin : gen_way
      line_t stored;
      assign stored = dut.u_data.store_q[32'(set_s)*L1Ways+w];
      always_comb begin
        if (rst_ni) induct_stored : assert (!place[w] || stored[7:0] == came_byte_q);
      end
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  logic free_miss, free_waiter;
  logic [L1Misses-1:0] unfilled, has_waiter;
  int unsigned owed;
  always_comb begin
    free_miss = 1'b0;
    free_waiter = 1'b0;
    has_waiter = '0;
    owed = 0;
    for (int unsigned i = 0; i < L1Waiters; i++) begin
      free_waiter |= !dut.waiter_q[i].used;
      if (dut.waiter_q[i].used) begin
        has_waiter[dut.waiter_q[i].miss] = 1'b1;
        owed += 32'(dut.waiter_q[i].miss == dut.fill_miss_q);
      end
    end
    for (int unsigned i = 0; i < L1Misses; i++) begin
      free_miss |= !dut.miss_q[i].used;
      unfilled[i] = dut.miss_q[i].used && !(dut.left_q != '0 && 32'(dut.fill_miss_q) == i);
    end
  end

  always_comb begin
    if (rst_ni) begin
      induct_once : assert (!twice);
      induct_stamps : assert (!present || stored_rts == came_rts_q);
      induct_may : assert (!present || may_q || dut.clock > came_rts_q);
      induct_miss : assert (!present || !trans_q || !trans_load_q || dut.clock > came_rts_q);
      induct_last :
      assert (!present || (came_rts_q <= 16'(dut.gen_leases.u_clock.last_q) && came_rts_q != '0));
      induct_clock_fits : assert (16'(dut.gen_leases.u_clock.last_q) < Last);
      induct_transaction :
      assert (!trans_q || (unfilled[trans_id_q] && dut.miss_q[trans_id_q].line == short_s &&
                           dut.miss_q[trans_id_q].open == trans_installs_q &&
                           dut.miss_q[trans_id_q].clock == trans_clock_q &&
                           (!trans_installs_q || dut.miss_q[trans_id_q].store == !trans_load_q)));
      induct_walk :
      assert (32'(dut.walk_q) <= L1Sets &&
              (ready_o || (dut.valid_q == '0 && out_q == '0 && dut.left_q == '0 && !fills &&
                           !(dut.b_q.valid && dut.b_q.kind == L1EventKindOp))));
      induct_left :
      assert (dut.left_q == '0 || (dut.miss_q[dut.fill_miss_q].used && 32'(dut.left_q) == owed));
      induct_closed_when_filled : assert (dut.left_q == '0 || !dut.miss_q[dut.fill_miss_q].open);
      induct_answer : assert (!(dut.b_q.valid && dut.b_q.kind == L1EventKindAnswer) || dut.left_q != '0);
    end
    if (rst_ni && dut.b_q.valid) begin
      induct_tags : assert (dut.tags == dut.u_tags.store_q[dut.b_set]);
      induct_read :
      assert (dut.gen_leases.u_lines.u_stamps.rdata_o == dut.gen_leases.u_lines.u_stamps.store_q[dut.b_set]);
    end
    if (rst_ni && fills) begin
      induct_fill :
      assert (dut.left_q == '0 && 32'(dut.b_q.rsp.id) < L1Misses && unfilled[dut.b_q.rsp.id[MissBits-1:0]] &&
              dut.b_q.line == dut.miss_q[dut.b_q.rsp.id[MissBits-1:0]].line);
      induct_fill_stamps :
      assert (dut.b_q.rsp.wts <= dut.b_q.rsp.rts && dut.b_q.rsp.rts < Last && dut.b_q.rsp.rts != '0);
    end
    if (rst_ni && dut.b_q.valid && dut.b_q.kind == L1EventKindOp) begin
      induct_room : assert (free_miss && free_waiter);
      induct_address :
      assert (dut.b_q.line == {dut.b_q.cu.address[39:36], dut.b_q.cu.address[OffsetBits-1:LineBits]} &&
              32'(dut.b_q.cu.warp) < Warps);
      induct_bad :
      assert (dut.b_q.cu.op == CuOpFence || dut.b_q.bad || legal(dut.b_q.cu.address[39:LineBits]));
      induct_locked :
      assert (dut.b_q.cu.op == CuOpFence || dut.b_q.bad || dut.b_line != short_s || !trans_q ||
              (weak_load && trans_load_q && trans_installs_q && (!causal || dut.clock <= trans_clock_q)));
      induct_warp :
      assert (dut.b_q.cu.op == CuOpFence || !causal || dut.loads_q[dut.b_q.cu.warp[WarpBits-1:0]] == '0);
    end
  end
  // What stage A asks of B, and what is counted along.
  int unsigned misses_left, waiters_left;
  always_comb begin
    misses_left  = 0;
    waiters_left = 0;
    for (int unsigned i = 0; i < L1Misses; i++) misses_left += 32'(!dut.miss_q[i].used);
    for (int unsigned i = 0; i < L1Waiters; i++) waiters_left += 32'(!dut.waiter_q[i].used);
    if (rst_ni) begin
      induct_counts :
      assert (32'(dut.free_misses_q) == misses_left && 32'(dut.free_waiters_q) == waiters_left);
      induct_kind :
      assert (dut.b_op == (dut.b_q.valid && dut.b_q.kind == L1EventKindOp) &&
              dut.b_answer == (dut.b_q.valid && dut.b_q.kind == L1EventKindAnswer) &&
              dut.b_fence_step == (dut.b_q.valid &&
                                   dut.b_q.kind inside {L1EventKindFenceSend, L1EventKindFenceDone}) &&
              dut.b_fills == (dut.b_q.valid && dut.b_q.kind == L1EventKindResponse &&
                              dut.b_q.rsp.kind != RspKindFence));
      induct_queue_says :
      assert (dut.u_out.free_q <= 3'd4 && dut.u_out.valid_q == (dut.u_out.free_q != 3'd4) &&
              dut.u_out.ready_q == (dut.u_out.free_q != '0));
    end
  end
  for (genvar i = 0; i < L1Misses; i++) begin : gen_miss
    always_comb begin
      if (rst_ni) begin
        induct_ours :
        assert (!unfilled[i] || dut.miss_q[i].line != short_s || (trans_q && 32'(trans_id_q) == i));
        induct_out : assert (unfilled[i] == (out_q[i] || (fills && 32'(dut.b_q.rsp.id) == i)));
        induct_out_once : assert (!(out_q[i] && fills && 32'(dut.b_q.rsp.id) == i));
        induct_legal : assert (!dut.miss_q[i].used || legal(long_of(dut.miss_q[i].line)));
        induct_waiter : assert (!unfilled[i] || has_waiter[i]);
      end
    end
  end
  for (genvar i = 0; i < L1Waiters; i++) begin : gen_waiter
    always_comb begin
      if (rst_ni) begin
        induct_waits_on_used :
        assert (!dut.waiter_q[i].used ||
                (dut.miss_q[dut.waiter_q[i].miss].used && 32'(dut.waiter_q[i].warp) < Warps));
      end
    end
  end
  for (genvar w = 0; w < Warps; w++) begin : gen_warp
    int unsigned waiting;
    always_comb begin
      waiting = 0;
      for (int unsigned i = 0; i < L1Waiters; i++)
      waiting += 32'(dut.waiter_q[i].used && 32'(dut.waiter_q[i].warp) == w);
      if (rst_ni) induct_loads : assert (32'(dut.loads_q[w]) == waiting);
    end
  end
endmodule
