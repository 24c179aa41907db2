// SPDX-License-Identifier: Apache-2.0

/// Copy engine of a node: copies whole lines between addresses, those of several descriptors by turns. It stands between
/// a compute unit's port and that unit's L1, and its own loads and stores go into the L1 before those of the port; while
/// it has none, the port's pass through it in the same cycle.
///
/// A descriptor is a store with bit 0 of attr: address is the first line that is read, mask the bytes of every line that
/// are written, data[39:0] the first line that is written, data[79:64] the number of lines (0: 65,536). It is answered
/// when its last store has been. A slot holds a line from its load to the answer of its store; slots are used in turn.
module dma
  import weft_pkg::*;
#(
  /// Lines on their way, 1 to 16.
  parameter int unsigned Slots = 8,
  /// Descriptors that are worked at, 2 to 16.
  parameter int unsigned Jobs = 8
) (
  input  logic    clk_i,
  input  logic    rst_ni,

  input  logic    cu_valid_i,
  output logic    cu_ready_o,
  input  cu_req_t cu_req_i,
  output logic    cu_valid_o,
  output cu_rsp_t cu_rsp_o,

  /// What is shown here may change until it is taken.
  output logic    l1_valid_o,
  input  logic    l1_ready_i,
  output cu_req_t l1_req_o,
  /// Answers of the L1, which cannot wait.
  input  logic    l1_valid_i,
  input  cu_rsp_t l1_rsp_i,

  /// No descriptor is under way.
  output logic    idle_o
);
  localparam int unsigned SlotBits = (Slots > 1) ? $clog2(Slots) : 1;
  localparam int unsigned UsedBits = $clog2(Slots + 1);
  localparam int unsigned JobBits = $clog2(Jobs);
  typedef logic [SlotBits-1:0] slot_t;
  typedef struct packed {
    logic [39:0] from;
    logic [39:0] to;
    logic [15:0] left;
    mask_t       mask;
    logic [3:0]  warp;
    logic [7:0]  tag;
  } job_t;
  typedef enum logic [2:0] {
    Empty,
    Loading,
    Loaded,
    Storing,
    Done
  } state_e;
  typedef struct packed {
    logic               last;
    logic [JobBits-1:0] job;
    logic [39:0]        to;
  } info_t;

  function automatic slot_t behind(slot_t slot);
    return (slot == slot_t'(Slots - 1)) ? '0 : slot + slot_t'(1);
  endfunction

  job_t [Jobs-1:0] job_q;
  logic [Jobs-1:0]
      used_q, loads_q, error_q;  // it is there; some line has no slot yet; some line met an error
  state_e [Slots-1:0] state_q;
  logic   [Slots-1:0] bad_q;
  info_t  [Slots-1:0] info_q;
  line_t  data_q [Slots];
  slot_t next_q, store_q, oldest_q;
  logic [UsedBits-1:0] slots_q;

  // ---------------------------------------------------------------- descriptors
  logic is_job, accepts;
  logic [JobBits-1:0] entry, turn;
  logic [Jobs-1:0] unused_grant;
  assign is_job  = cu_req_i.op == CuOpStore && cu_req_i.attr[0];
  assign accepts = cu_valid_i && is_job && used_q != '1;
  always_comb begin : room
    entry = '0;
    for (int i = Jobs - 1; i >= 0; i--) if (!used_q[i]) entry = JobBits'(i);
  end

  // ---------------------------------------------------------------- what goes to the L1
  logic stores, skips, loads, begun;
  logic [JobBits-1:0] storing, freeing;  // descriptors of the line that is stored, and of the oldest
  assign storing = info_q[store_q].job;
  assign freeing = info_q[oldest_q].job;
  assign stores  = state_q[store_q] == Loaded && !bad_q[store_q];
  assign skips   = state_q[store_q] == Loaded && bad_q[store_q];
  assign loads   = loads_q != '0 && slots_q != UsedBits'(Slots) && !stores;
  assign begun   = loads && l1_ready_i;
  arbiter #(
    .Count(Jobs)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .request_i(loads_q),
    .advance_i(begun),
    .grant_o  (unused_grant),
    .index_o  (turn)
  );

  always_comb begin : offer
    l1_req_o = cu_req_i;
    if (stores) begin
      l1_req_o = '0;
      l1_req_o.op = CuOpStore;
      l1_req_o.order = OrderWeak;
      l1_req_o.scope = ScopeCta;
      l1_req_o.warp = job_q[storing].warp;
      l1_req_o.tag = 8'h80 | 8'(store_q);
      l1_req_o.address = info_q[store_q].to;
      l1_req_o.mask = job_q[storing].mask;
      l1_req_o.data = data_q[store_q];
    end else if (loads) begin
      // Strong: it reads what the node's other compute units have written.
      l1_req_o = '0;
      l1_req_o.op = CuOpLoad;
      l1_req_o.order = OrderRelaxed;
      l1_req_o.scope = ScopeGpu;
      l1_req_o.attr = 4'(turn);
      l1_req_o.warp = job_q[turn].warp;
      l1_req_o.tag = 8'h80 | 8'(next_q);
      l1_req_o.address = job_q[turn].from;
      l1_req_o.mask = '1;
    end
  end
  assign l1_valid_o = stores || loads || (cu_valid_i && !is_job);
  assign cu_ready_o = is_job ? used_q != '1 : l1_ready_i && !stores && !loads;

  // ---------------------------------------------------------------- what comes back
  logic back, passes, done, told, frees;
  slot_t back_slot;
  assign back       = l1_valid_i && l1_rsp_i.tag[7];
  assign passes     = l1_valid_i && !back;
  assign back_slot  = slot_t'(l1_rsp_i.tag);
  assign done       = state_q[oldest_q] == Done;
  assign told       = done && info_q[oldest_q].last && !passes;
  assign frees      = done && (told || !info_q[oldest_q].last);
  assign cu_valid_o = told || passes;
  always_comb begin : answer
    cu_rsp_o = l1_rsp_i;
    if (told) begin
      cu_rsp_o = '0;
      cu_rsp_o.warp = job_q[freeing].warp;
      cu_rsp_o.tag = job_q[freeing].tag;
      cu_rsp_o.error = bad_q[oldest_q] || error_q[freeing];
    end
  end

  // ---------------------------------------------------------------- state
  always_ff @(posedge clk_i) begin : jobs
    if (frees && info_q[oldest_q].last) used_q[freeing] <= 1'b0;
    if (frees && bad_q[oldest_q]) error_q[freeing] <= 1'b1;
    if (begun) begin
      job_q[turn].from <= job_q[turn].from + 40'(Line);
      job_q[turn].to <= job_q[turn].to + 40'(Line);
      job_q[turn].left <= job_q[turn].left - 16'd1;
      if (job_q[turn].left == 16'd1) loads_q[turn] <= 1'b0;
    end
    if (accepts) begin
      job_q[entry] <= '{
          from: cu_req_i.address,
          to: cu_req_i.data[39:0],
          left: cu_req_i.data[79:64],
          mask: cu_req_i.mask,
          warp: cu_req_i.warp,
          tag: cu_req_i.tag
      };
      used_q[entry] <= 1'b1;
      loads_q[entry] <= 1'b1;
      error_q[entry] <= 1'b0;
    end
    if (!rst_ni) begin
      used_q <= '0;
      loads_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin : slots
    if (frees) begin
      state_q[oldest_q] <= Empty;
      oldest_q <= behind(oldest_q);
    end
    if (back) begin
      state_q[back_slot] <= (state_q[back_slot] == Loading) ? Loaded : Done;
      bad_q[back_slot] <= bad_q[back_slot] || l1_rsp_i.error;
    end
    if (skips || (stores && l1_ready_i)) begin
      state_q[store_q] <= skips ? Done : Storing;
      store_q <= behind(store_q);
    end
    if (begun) begin
      state_q[next_q] <= Loading;
      bad_q[next_q] <= 1'b0;
      info_q[next_q] <= '{last: job_q[turn].left == 16'd1, job: turn, to: job_q[turn].to};
      next_q <= behind(next_q);
    end
    slots_q <= slots_q + UsedBits'(begun) - UsedBits'(frees);
    if (!rst_ni) begin
      state_q <= '{default: Empty};
      next_q <= '0;
      store_q <= '0;
      oldest_q <= '0;
      slots_q <= '0;
    end
  end
  always_ff @(posedge clk_i) if (back && state_q[back_slot] == Loading) data_q[back_slot] <= l1_rsp_i.data;

  assign idle_o = used_q == '0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && back) assert (state_q[back_slot] inside {Loading, Storing});
  end
`endif
  if (Slots < 1 || Slots > 16) begin : gen_check_slots
    $error("dma: Slots must be 1 to 16");
  end
  if (Jobs < 2 || Jobs > 16) begin : gen_check_jobs
    $error("dma: Jobs must be 2 to 16");
  end
endmodule
