// SPDX-License-Identifier: Apache-2.0

/// Local lines on their way from memory, and for each the list of requests that wait for it, in the order in
/// which they came: the home serialises per line, so nothing may overtake inside a list (R1, R2).
/// All answers are combinational in the step's cycle; all changes happen at its end.
module fetches
  import weft_pkg::*;
#(
  /// Memory reads in flight.
  parameter int unsigned Entries = HomeFetches,
  /// Requests that wait on all of them together.
  parameter int unsigned Waiters = HomeWaiters,
  /// 1: a step has been here for a cycle before it changes anything; its answers stand from its second cycle on.
  parameter int unsigned Cut = 32'(L2Interval > 2),
  localparam int unsigned EntryBits = $clog2(Entries),
  localparam int unsigned LineNoBits = 40 - $clog2(Line),
  localparam int unsigned LeftBits = $clog2(Waiters + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// The line of the step in hand, and its fetch, if any.
  input  logic [LineNoBits-1:0] line_i,
  output logic                  match_o,
  output logic [EntryBits-1:0]  match_index_o,
  output logic [EntryBits-1:0]  free_index_o,

  /// allocate_i starts a fetch of line_i with request_i as its list; join_i appends it to the matching one.
  input  logic allocate_i,
  input  logic join_i,
  input  req_t request_i,

  /// Memory's answer for start_index_i has been installed: its list is replayed from now on.
  input  logic                 start_i,
  input  logic [EntryBits-1:0] start_index_i,
  /// Head of the list in replay; pop_i takes it. The fetch is free after the last.
  input  logic                 pop_i,
  output req_t                 head_o,
  output logic [EntryBits-1:0] replay_index_o,
  output logic [LeftBits-1:0]  replays_left_o,
  /// The fetch that ends with this pop_i.
  output logic                 ends_o,

  input  logic [EntryBits-1:0]  peek_index_i,
  output logic [LineNoBits-1:0] peek_line_o,

  output logic [Entries-1:0] used_o,
  output logic [$clog2(Entries+1)-1:0] free_entries_o,
  output logic [LeftBits-1:0] free_waiters_o
);
  localparam int unsigned WaiterBits = $clog2(Waiters);
  typedef logic [WaiterBits-1:0] slot_t;

  logic  [Entries-1:0] used_q;
  logic  [Entries-1:0][LineNoBits-1:0] line_q;
  slot_t [Entries-1:0] head_q, tail_q;
  logic  [Entries-1:0][LeftBits-1:0] length_q;
  logic  [Waiters-1:0] waits_q;
  slot_t [Waiters-1:0] next_q;
  req_t  request_q[Waiters];
  logic  [EntryBits-1:0] replay_q;
  logic  [LeftBits-1:0] left_q;
  slot_t free_slot;

  // Found by comparing everything with the step; used a cycle later, where a step has cycles for it.
  logic match;
  logic [EntryBits-1:0] match_index, free_index;
  slot_t slot;
  cut #(
    .Width(1 + 2 * EntryBits + WaiterBits),
    .Cut  (Cut)
  ) u_cut (
    .clk_i,
    .data_i({match, match_index, free_index, slot}),
    .data_o({match_o, match_index_o, free_index_o, free_slot})
  );

  always_comb begin : lookup
    match = 1'b0;
    match_index = '0;
    free_index = '0;
    for (int i = Entries - 1; i >= 0; i--) begin
      if (used_q[i] && line_q[i] == line_i) begin
        match = 1'b1;
        match_index |= EntryBits'(i);
      end
      if (!used_q[i]) free_index = EntryBits'(i);
    end
    slot = '0;
    for (int i = Waiters - 1; i >= 0; i--) begin
      if (!waits_q[i]) slot = WaiterBits'(i);
    end
  end

  // What is free is counted along: to add up the tables would be the longest way of stage A.
  logic [$clog2(Entries+1)-1:0] free_entries_q;
  logic [LeftBits-1:0] free_waiters_q;
  assign free_entries_o = free_entries_q;
  assign free_waiters_o = free_waiters_q;
  always_ff @(posedge clk_i) begin : counts
    free_entries_q <= free_entries_q - $bits(free_entries_q)'(allocate_i) + $bits(free_entries_q)'(ends_o);
    free_waiters_q <= free_waiters_q - LeftBits'(allocate_i || join_i) + LeftBits'(pop_i);
    if (!rst_ni) begin
      free_entries_q <= $bits(free_entries_q)'(Entries);
      free_waiters_q <= LeftBits'(Waiters);
    end
  end

  assign used_o         = used_q;
  assign head_o         = request_q[head_q[replay_q]];
  assign replay_index_o = replay_q;
  assign replays_left_o = left_q;
  assign ends_o         = pop_i && left_q == LeftBits'(1);
  assign peek_line_o    = line_q[peek_index_i];

  always_ff @(posedge clk_i) begin : lists
    if (allocate_i) begin
      used_q[free_index_o] <= 1'b1;
      line_q[free_index_o] <= line_i;
      head_q[free_index_o] <= free_slot;
      tail_q[free_index_o] <= free_slot;
      length_q[free_index_o] <= LeftBits'(1);
    end else if (join_i) begin
      next_q[tail_q[match_index_o]] <= free_slot;
      tail_q[match_index_o] <= free_slot;
      length_q[match_index_o] <= length_q[match_index_o] + 1'b1;
    end
    if (allocate_i || join_i) begin
      waits_q[free_slot] <= 1'b1;
      request_q[free_slot] <= request_i;
    end
    if (start_i) begin
      replay_q <= start_index_i;
      left_q <= length_q[start_index_i];
    end
    if (pop_i) begin
      waits_q[head_q[replay_q]] <= 1'b0;
      head_q[replay_q] <= next_q[head_q[replay_q]];
      left_q <= left_q - 1'b1;
      if (ends_o) used_q[replay_q] <= 1'b0;
    end
    if (!rst_ni) begin
      used_q <= '0;
      waits_q <= '0;
      left_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin : checks
    if (rst_ni) begin
      assert (!allocate_i || (free_entries_o != '0 && !match_o))
      else $error("fetches: no entry, or fetched twice");
      assert (!(allocate_i || join_i) || free_waiters_o != '0)
      else $error("fetches: no waiter free");
      assert (!pop_i || left_q != '0)
      else $error("fetches: replay of an empty list");
      assert (!start_i || left_q == '0)
      else $error("fetches: two lists in replay");
    end
  end
endmodule
