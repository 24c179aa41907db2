// SPDX-License-Identifier: Apache-2.0

/// Stage A of an L2 bank: chooses the next step, and admits it only when every queue and table that it may
/// need has room, counting what the stages behind it may still take. So the stages behind never stall, and
/// what waits is decided here alone: responses wait for nothing but queues that always drain, forwards for
/// responses, requests for both (R9; docs/protocol.md "Who waits for whom").
///
/// Where steps take several cycles, what is chosen is taken a cycle later, if it is still there: room never shrinks but by
/// steps, of which none is taken meanwhile; a CU's request may have given way to another's, and a rebase may have begun.
module l2_admit
  import weft_pkg::*;
  import l2_pkg::*;
#(
  parameter int unsigned Bank = 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] self_i,
  input  logic       ready_i,
  /// Leases: take no requests; start again; done when rebased_o stands.
  input  logic        stop_i,
  input  logic        rebase_i,
  output logic        rebased_o,
  /// The request whose list is being replayed; what the home has handed out; the bank's clock; the time from which a
  /// home step must wait for a rebase, and that one waits.
  input  logic        leases_i,
  input  logic        causal_i,
  input  logic        renews_i,
  input  logic        replay_by_self_i,
  input  logic [ 1:0] replay_era_i,
  input  logic [15:0] replay_cts_i,
  input  logic [15:0] largest_i,
  input  logic [15:0] clock_i,
  input  logic [ 1:0] era_i,
  input  logic [15:0] limit_i,
  output logic        wants_rebase_o,

  input  logic     cu_valid_i,
  output logic     cu_ready_o,
  input  l1_req_t  cu_i,
  input  logic     req_valid_i,
  output logic     req_ready_o,
  input  req_t     req_i,
  input  logic     fwd_valid_i,
  output logic     fwd_ready_o,
  input  fwd_t     fwd_i,
  input  logic     rsp_valid_i,
  output logic     rsp_ready_o,
  input  rsp_t     rsp_i,
  input  logic     mem_valid_i,
  output logic     mem_ready_o,
  input  mem_rsp_t mem_i,

  /// Level: write every dirty line back when nothing else is to do; flushed_o once all were visited.
  input  logic flush_i,
  output logic flushed_o,

  /// A step is in stage B and will not have come to its end: nothing is chosen.
  input  logic  busy_i,
  /// What is in the stages behind.
  input  work_t b_i,
  input  logic  c_valid_i,

  /// Room in the output queues.
  input  logic [3:0] l1_free_i,
  input  logic [3:0] rsp_free_i,
  input  logic [3:0] mem_free_i,
  input  logic [3:0] req_free_i,
  input  logic [6:0] fwd_free_i,
  /// One that has left stage B and is not in its queue yet.
  input  logic       req_late_i,
  input  logic       fwd_late_i,
  /// Room in the tables, and what they have ready.
  input  logic [6:0] miss_free_i,
  input  logic [6:0] miss_waiters_i,
  input  logic [6:0] answers_left_i,
  input  logic [6:0] fetch_free_i,
  input  logic [6:0] fetch_waiters_i,
  input  logic [6:0] replays_left_i,
  input  logic [4:0] marker_free_i,
  input  logic [4:0] marker_ready_i,
  input  logic [4:0] release_free_i,
  input  logic       send_pending_i,
  input  logic       send_pending_more_i,
  /// Lines of the miss and fetch that an answer belongs to.
  input  lineno_t miss_line_i,
  input  lineno_t fetch_line_i,
  input  lineno_t replay_line_i,

  output work_t work_o,
  /// Something waits and nothing could go.
  output logic  stalled_o
);
  logic b_answer, b_replay, b_fill, b_memory, b_go, b_send, b_request;
  always_comb begin : behind
    b_answer  = b_i.valid && b_i.kind == L2EventKindAnswer;
    b_replay  = b_i.valid && b_i.kind == L2EventKindReplay;
    b_fill    = b_i.valid && b_i.kind == L2EventKindResponse &&
                b_i.rsp.kind inside {RspKindLine, RspKindWrote};
    b_memory  = b_i.valid && b_i.kind == L2EventKindMemory;
    b_go      = b_i.valid && b_i.kind == L2EventKindMarkerGo;
    b_send    = b_i.valid && b_i.kind == L2EventKindMarkerSend;
    b_request = b_i.valid && b_i.kind inside {L2EventKindCu, L2EventKindRequest, L2EventKindMarkerSend};
  end

  logic [3:0] late;
  logic room_l1, room_rsp, room_mem, room_req, room_fwd, room_fetch, room_miss, room_marker, quiet;
  always_comb begin : room
    late       = 4'(b_i.valid) + 4'(c_valid_i);
    room_l1    = l1_free_i > late;
    room_rsp   = rsp_free_i > late;
    room_mem   = mem_free_i > late;
    room_req   = req_free_i > 4'(b_i.valid) + 4'(req_late_i);
    room_fwd   = fwd_free_i > 7'(b_i.valid) + 7'(fwd_late_i);
    room_fetch = fetch_free_i > 7'(b_request) && fetch_waiters_i > 7'(b_request);
    room_miss  = miss_free_i > 7'(b_request) && miss_waiters_i > 7'(b_request);
    room_marker = marker_free_i > 5'(b_request);
    quiet      = replays_left_i == '0 && !b_memory && ready_i;
  end

  // A home step whose times the fields might not hold waits for a rebase (T10). Of a step in stage B the times are seen
  // one cycle late, which the limit allows for; but not of a replay behind a replay.
  function automatic logic late_at(logic [15:0] cts, logic [1:0] sent_in, logic by_self);
    logic [15:0] asked;
    asked = ((causal_i || renews_i) && sent_in == era_i) ? cts : '0;
    if (causal_i && by_self && clock_i > asked) asked = clock_i;
    return leases_i && (largest_i > limit_i || asked > limit_i);
  endfunction
  logic late_replay, late_request, late_cu;
  always_comb begin : time_left
    late_replay  = replays_left_i != '0 && late_at(replay_cts_i, replay_era_i, replay_by_self_i);
    late_request = req_valid_i && late_at(req_i.cts, req_i.era, 1'b0);
    late_cu      = cu_valid_i && cu_i.kind != ReqKindFence && cu_i.address[39:36] == self_i &&
                   late_at(cu_i.cts, cu_i.era, 1'b1);
  end
  assign wants_rebase_o = late_replay || late_request || late_cu;

  logic rebased_q, starts;
  assign starts    = BuiltLeases && rebase_i && !rebased_q;
  assign rebased_o = rebased_q && !b_i.valid;

  logic can_answer, can_replay, can_response, can_memory, can_forward, can_go, can_send, can_request, can_cu;
  always_comb begin : can
    can_answer = answers_left_i > 7'(b_answer) && room_l1;
    can_replay = replays_left_i > 7'(b_replay) && room_l1 && room_rsp && room_fwd && !stop_i &&
                 !late_replay && !(leases_i && b_replay);
    unique case (rsp_i.kind)
      RspKindLine, RspKindWrote: can_response = answers_left_i == '0 && !b_fill && room_mem;
      RspKindSeen: can_response = 1'b1;
      default:     can_response = room_l1;
    endcase
    can_memory  = replays_left_i == '0 && !b_memory && room_mem && !stop_i;
    can_forward = fwd_i.kind == FwdKindInv || (room_rsp && room_l1);
    can_go      = quiet && marker_ready_i > 5'(b_go) && room_l1 && room_rsp && room_fwd;
    can_send    = quiet && (b_send ? send_pending_more_i : send_pending_i) && room_req && room_fwd &&
                  room_l1 && room_rsp && room_marker;
    can_request = !stop_i && !late_request && quiet && room_rsp && room_fwd && room_mem && room_fetch &&
                  room_marker;
    if (cu_i.kind == ReqKindFence) can_cu = quiet && room_l1 && release_free_i > 5'(b_request);
    else if (cu_i.address[39:36] == self_i) can_cu = quiet && room_l1 && room_fwd && room_mem && room_fetch;
    else can_cu = quiet && room_l1 && room_req && room_miss;
    if (stop_i || late_cu) can_cu = 1'b0;
  end

  // A MARK is two steps where its releaser is not its home: mark, then seen.
  logic second_q, mark_two;
  assign mark_two = fwd_i.kind == FwdKindMark && fwd_i.releaser != fwd_i.src;

  // An INV of a block is a step for each of its lines.
  logic [1:0] block_q;
  logic more_lines;
  assign more_lines = fwd_i.kind == FwdKindInv && fwd_i.block && block_q != 2'(BlockLines - 1);

  // Requests and the node's own CUs take turns.
  logic cu_last_q, take_cu, take_request;
  assign take_request = req_valid_i && can_request && !(cu_valid_i && can_cu && !cu_last_q);
  assign take_cu      = cu_valid_i && can_cu && !take_request;

  logic [SetBits:0] flush_set_q;
  way_t flush_way_q;
  logic flush_go;
  assign flushed_o = flush_i && flush_set_q == (SetBits + 1)'(L2Sets) && !b_i.valid && !c_valid_i;
  assign flush_go  = flush_i && flush_set_q != (SetBits + 1)'(L2Sets) && quiet && room_mem;

  typedef enum logic [3:0] {
    None,
    Rebase,
    Answer,
    Replay,
    Response,
    Memory,
    Forward,
    Go,
    Send,
    Request,
    Cu,
    Flush
  } choice_e;
  // What is chosen now; what was, where that is a cycle before; the same if it is still there, which is taken.
  choice_e chosen, offered, choice;
  always_comb begin : choose
    chosen = None;
    if (busy_i) chosen = None;
    else if (starts) chosen = Rebase;
    else if (can_answer) chosen = Answer;
    else if (can_replay) chosen = Replay;
    else if (rsp_valid_i && can_response) chosen = Response;
    else if (mem_valid_i && can_memory) chosen = Memory;
    else if (fwd_valid_i && can_forward) chosen = Forward;
    else if (can_go) chosen = Go;
    else if (can_send) chosen = Send;
    else if (take_request) chosen = Request;
    else if (take_cu) chosen = Cu;
    else if (flush_go) chosen = Flush;
  end
  if (L2Interval > 1) begin : gen_later
    choice_e choice_q;
    logic [2:0] cu_q;
    logic there;
    always_ff @(posedge clk_i) begin
      choice_q <= (rst_ni && choice_q == None) ? chosen : None;
      cu_q <= cu_i.cu;
    end
    always_comb begin : still
      unique case (choice_q)
        Replay:   there = !stop_i;
        Response: there = rsp_valid_i;
        Memory:   there = mem_valid_i && !stop_i;
        Forward:  there = fwd_valid_i;
        Request:  there = req_valid_i && !stop_i;
        Cu:       there = cu_valid_i && cu_i.cu == cu_q && !stop_i;
        default:  there = 1'b1;
      endcase
    end
    assign offered = choice_q;
    assign choice  = there ? choice_q : None;
  end else begin : gen_at_once
    assign offered = chosen;
    assign choice  = chosen;
  end

  always_comb begin : build
    work_o = '0;
    work_o.valid = choice != None;
    unique case (offered)
      Rebase: work_o.kind = L2EventKindRebase;
      Answer: work_o.kind = L2EventKindAnswer;
      Replay: begin
        work_o.kind = L2EventKindReplay;
        work_o.line = replay_line_i;
      end
      Response: begin
        work_o.kind = L2EventKindResponse;
        work_o.rsp = rsp_i;
        work_o.line = miss_line_i;
      end
      Memory: begin
        work_o.kind = L2EventKindMemory;
        work_o.rsp.id = 6'(mem_i.id);
        work_o.rsp.data = mem_i.data;
        work_o.line = fetch_line_i;
      end
      Forward: begin
        work_o.kind = (fwd_i.kind == FwdKindInv) ? L2EventKindInv :
                      second_q ? L2EventKindSeen : L2EventKindMark;
        work_o.fwd = fwd_i;
        work_o.index = 6'(block_q);
        work_o.line = fwd_i.address[39:LineBits] | lineno_t'(block_q);
      end
      Go: work_o.kind = L2EventKindMarkerGo;
      Send: work_o.kind = L2EventKindMarkerSend;
      Request: begin
        work_o.kind = L2EventKindRequest;
        work_o.req = req_i;
        work_o.line = req_i.address[39:LineBits];
      end
      Cu: begin
        work_o.kind = L2EventKindCu;
        work_o.req = '{kind: cu_i.kind, src: self_i, dst: cu_i.address[39:36], cu: cu_i.cu, id: cu_i.id,
                       func: cu_i.func, wide: cu_i.wide, era: cu_i.era, cts: cu_i.cts,
                       address: cu_i.address, mask: cu_i.mask,
                       data: cu_i.data};
        work_o.order = cu_i.order;
        work_o.scope = cu_i.scope;
        work_o.line = cu_i.address[39:LineBits];
      end
      Flush: begin
        work_o.kind = L2EventKindFlush;
        work_o.index = 6'(flush_way_q);
        work_o.req.address = address_of(self_i, BankLineBits'(flush_set_q), 3'(Bank));
        work_o.line = work_o.req.address[39:LineBits];
      end
      default: ;
    endcase
  end

  assign rsp_ready_o = choice == Response;
  assign mem_ready_o = choice == Memory;
  assign fwd_ready_o = choice == Forward && (!mark_two || second_q) && !more_lines;
  assign req_ready_o = choice == Request;
  assign cu_ready_o  = choice == Cu;
  assign stalled_o   = choice == None &&
                       (rsp_valid_i || mem_valid_i || fwd_valid_i || req_valid_i || cu_valid_i);

  always_ff @(posedge clk_i) begin : turns
    rebased_q <= rst_ni && rebase_i && (rebased_q || choice == Rebase);
    if (choice == Request) cu_last_q <= 1'b0;
    if (choice == Cu) cu_last_q <= 1'b1;
    if (choice == Forward) second_q <= mark_two && !second_q;
    if (choice == Forward) block_q <= more_lines ? block_q + 1'b1 : '0;
    if (!flush_i) begin
      flush_set_q <= '0;
      flush_way_q <= '0;
    end else if (choice == Flush) begin
      flush_way_q <= (flush_way_q == WayBits'(L2Ways - 1)) ? '0 : flush_way_q + 1'b1;
      if (flush_way_q == WayBits'(L2Ways - 1)) flush_set_q <= flush_set_q + 1'b1;
    end
    if (!rst_ni) begin
      cu_last_q <= 1'b0;
      second_q <= 1'b0;
      block_q <= '0;
      flush_set_q <= '0;
      flush_way_q <= '0;
    end
  end

`ifndef SYNTHESIS
  // "Who waits for whom" of docs/protocol.md, for this bank: what each class may wait for, and that it does not wait
  // for ever. A response waits for answers to L1s and memory, which drain by themselves; a forward for the room that
  // responses free; a request for both. The bounds are far above any queue's length times the slowest link.
  localparam int unsigned ResponseBound = 1 << 14;
  localparam int unsigned ForwardBound = 1 << 17;
  int unsigned response_waits_q, forward_waits_q;
  always_ff @(posedge clk_i) begin : waits
    response_waits_q <= (rst_ni && rsp_valid_i && !rsp_ready_o) ? response_waits_q + 1 : 0;
    forward_waits_q <= (rst_ni && fwd_valid_i && !fwd_ready_o) ? forward_waits_q + 1 : 0;
    if (rst_ni) begin
      assert (!rsp_valid_i || can_response || !room_l1 || !room_mem || answers_left_i != '0 || b_fill)
      else $error("l2: a response waits for something else than L1 or memory");
      assert (!fwd_valid_i || can_forward || !room_rsp || !room_l1)
      else $error("l2: a forward waits for something else than responses");
      assert (response_waits_q < ResponseBound)
      else $error("l2: a response waits for ever");
      assert (forward_waits_q < ForwardBound)
      else $error("l2: a forward waits for ever");
    end
  end
`endif
endmodule
