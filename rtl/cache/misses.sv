// SPDX-License-Identifier: Apache-2.0

/// Outstanding fills of remote lines, and the loads that wait on them (docs/protocol.md "L2 bank").
/// All answers are combinational in the step's cycle; all changes happen at its end.
/// An open miss takes joins, a closed one is never installed (R4). Without leases at most one miss of a line is open;
/// under leases a load joins one that was sent with no smaller a clock (T4), and nobody joins a store.
module misses
  import weft_pkg::*;
#(
  /// Outstanding fills.
  parameter int unsigned Entries = L2Misses,
  /// Loads that wait on all of them together.
  parameter int unsigned Waiters = L2Waiters,
  /// 1: a step has been here for a cycle before it changes anything; its answers stand from its second cycle on.
  parameter int unsigned Cut = 32'(L2Interval > 2),
  localparam int unsigned EntryBits = $clog2(Entries),
  localparam int unsigned LineNoBits = 40 - $clog2(Line)
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// The line of the step in hand, and the open miss of it, if any.
  input  logic [LineNoBits-1:0] line_i,
  output logic                  open_o,
  output logic [EntryBits-1:0]  open_index_o,
  output logic [EntryBits-1:0]  free_index_o,

  /// Leases, else 0: the time by which the step asks; time starts again; an acquire closes all misses.
  input  logic [15:0] now_i,
  input  logic        rebase_i,
  input  logic        close_all_i,

  /// allocate_i opens a miss of line_i (installs_i: its line may be installed; shared_i: it may be joined); it and join_i (of the open miss) enter cu_i and id_i as a waiter.
  input  logic       allocate_i,
  input  logic       installs_i,
  input  logic       shared_i,
  input  logic       join_i,
  /// Whatever is on its way of line_i is not installed.
  input  logic       close_i,
  input  logic [2:0] cu_i,
  input  logic [5:0] id_i,

  /// A fill of miss fill_index_i has come: it is closed, and its waiters are to be answered.
  input  logic                 fill_i,
  input  logic [EntryBits-1:0] fill_index_i,
  output logic                 fill_open_o,
  /// The next waiter of the fill; answer_i takes it.
  input  logic                 answer_i,
  output logic [EntryBits-1:0] answer_index_o,
  output logic [2:0]           answer_cu_o,
  output logic [5:0]           answer_id_o,
  output logic [$clog2(Waiters+1)-1:0] answers_left_o,

  /// The line of any miss, for the stage that reads the tags.
  input  logic [EntryBits-1:0]  peek_index_i,
  output logic [LineNoBits-1:0] peek_line_o,

  output logic [$clog2(Entries+1)-1:0] free_entries_o,
  output logic [$clog2(Waiters+1)-1:0] free_waiters_o
);
  localparam int unsigned WaiterBits = $clog2(Waiters);
  localparam int unsigned LeftBits = $clog2(Waiters + 1);

  typedef struct packed {
    logic [EntryBits-1:0] miss;
    logic [2:0] cu;
    logic [5:0] id;
  } waiter_t;

  logic [Entries-1:0] used_q, isopen_q, shared_q;
  logic    [Entries-1:0][15:0] clock_q;
  logic    [Entries-1:0][LineNoBits-1:0] line_q;
  logic    [Waiters-1:0] waits_q;
  waiter_t [Waiters-1:0] waiter_q;
  logic    [EntryBits-1:0] fill_q;
  logic    [LeftBits-1:0] left_q;

  // Found by comparing everything with the step; used a cycle later, where a step has cycles for it.
  typedef struct packed {
    logic open, fill_open;
    logic [EntryBits-1:0] open_index, free_index;
    logic [Entries-1:0] same;
    logic [WaiterBits-1:0] free_waiter, next_waiter;
    logic [LeftBits-1:0] waiting;
  } found_t;
  found_t found, known;
  logic [WaiterBits-1:0] free_waiter, next_waiter;
  cut #(
    .Width($bits(found_t)),
    .Cut  (Cut)
  ) u_cut (
    .clk_i,
    .data_i(found),
    .data_o(known)
  );
  assign open_o       = known.open;
  assign open_index_o = known.open_index;
  assign free_index_o = known.free_index;
  assign fill_open_o  = known.fill_open;
  assign free_waiter  = known.free_waiter;
  assign next_waiter  = known.next_waiter;

  always_comb begin : lookup
    found.open = 1'b0;
    found.open_index = '0;
    found.free_index = '0;
    found.fill_open = isopen_q[fill_index_i];
    for (int i = Entries - 1; i >= 0; i--) begin
      found.same[i] = line_q[i] == line_i;
      if (isopen_q[i] && shared_q[i] && found.same[i] && now_i <= clock_q[i]) begin
        found.open = 1'b1;
        found.open_index = EntryBits'(i);
      end
      if (!used_q[i]) found.free_index = EntryBits'(i);
    end
  end

  always_comb begin : waiting
    found.free_waiter = '0;
    found.next_waiter = '0;
    found.waiting = '0;
    for (int i = Waiters - 1; i >= 0; i--) begin
      if (!waits_q[i]) found.free_waiter = WaiterBits'(i);
      else if (waiter_q[i].miss == fill_q) found.next_waiter = WaiterBits'(i);
      found.waiting += LeftBits'(waits_q[i] && waiter_q[i].miss == fill_index_i);
    end
  end

  // What is free is counted along: to add up the tables would be the longest way of stage A.
  logic ends;
  logic [$clog2(Entries+1)-1:0] free_entries_q;
  logic [LeftBits-1:0] free_waiters_q;
  assign ends           = answer_i && left_q == LeftBits'(1);
  assign free_entries_o = free_entries_q;
  assign free_waiters_o = free_waiters_q;
  always_ff @(posedge clk_i) begin : counts
    free_entries_q <= free_entries_q - $bits(free_entries_q)'(allocate_i) + $bits(free_entries_q)'(ends);
    free_waiters_q <= free_waiters_q - LeftBits'(allocate_i || join_i) + LeftBits'(answer_i);
    if (!rst_ni) begin
      free_entries_q <= $bits(free_entries_q)'(Entries);
      free_waiters_q <= LeftBits'(Waiters);
    end
  end

  assign answer_index_o = fill_q;
  assign answer_cu_o    = waiter_q[next_waiter].cu;
  assign answer_id_o    = waiter_q[next_waiter].id;
  assign answers_left_o = left_q;
  assign peek_line_o    = line_q[peek_index_i];

  always_ff @(posedge clk_i) begin : entries
    if (close_i) begin
      foreach (line_q[i]) if (known.same[i]) isopen_q[i] <= 1'b0;
    end
    if (close_all_i) isopen_q <= '0;
    if (allocate_i) begin
      used_q[free_index_o] <= 1'b1;
      isopen_q[free_index_o] <= installs_i;
      shared_q[free_index_o] <= shared_i;
      clock_q[free_index_o] <= now_i;
      line_q[free_index_o] <= line_i;
    end
    if (fill_i) isopen_q[fill_index_i] <= 1'b0;
    if (ends) used_q[fill_q] <= 1'b0;
    if (rebase_i) clock_q <= '0;
    if (!rst_ni) begin
      used_q <= '0;
      isopen_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin : waiters
    if (allocate_i || join_i) begin
      waits_q[free_waiter] <= 1'b1;
      waiter_q[free_waiter] <= '{miss: allocate_i ? free_index_o : open_index_o, cu: cu_i, id: id_i};
    end
    if (answer_i) waits_q[next_waiter] <= 1'b0;
    if (!rst_ni) waits_q <= '0;
  end

  always_ff @(posedge clk_i) begin : fills
    if (fill_i) begin
      left_q <= known.waiting;
      fill_q <= fill_index_i;
    end else if (answer_i) begin
      left_q <= left_q - 1'b1;
    end
    if (!rst_ni) left_q <= '0;
  end

  always_ff @(posedge clk_i) begin : checks
    if (rst_ni) begin
      assert (!allocate_i || (free_entries_o != '0 && !(open_o && shared_i)))
      else $error("misses: no entry, or a second open miss");
      assert (!(allocate_i || join_i) || free_waiters_o != '0)
      else $error("misses: no waiter free");
      assert (!answer_i || left_q != '0)
      else $error("misses: answer without a waiter");
    end
  end
endmodule
