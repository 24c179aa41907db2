// SPDX-License-Identifier: Apache-2.0

/// What `fetches` promises to a home that keeps its rules (docs/units/fetches.md): a line is fetched once at a
/// time, and the requests that wait for it are performed once each, in the order in which they came (R1, R2).
///
/// One request, which the solver picks (`mark_i`), is followed: how many of its list stand before it is counted.
module fetches_props
  import weft_pkg::*;
#(
  parameter int unsigned Entries = 2,
  parameter int unsigned Waiters = 3,
  localparam int unsigned EntryBits = $clog2(Entries),
  localparam int unsigned LineNoBits = 40 - $clog2(Line),
  localparam int unsigned LeftBits = $clog2(Waiters + 1)
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [LineNoBits-1:0] line_i,
  input logic                  allocate_i,
  input logic                  join_i,
  input logic [           5:0] id_i,
  input logic                  start_i,
  input logic [ EntryBits-1:0] start_index_i,
  input logic                  pop_i,
  input logic [ EntryBits-1:0] peek_index_i,
  input logic                  mark_i
);
  typedef logic [EntryBits-1:0] index_t;
  typedef logic [LineNoBits-1:0] lineno_t;
  typedef logic [LeftBits-1:0] left_t;

  logic match_o, ends_o;
  index_t match_index_o, free_index_o, replay_index_o;
  req_t request_i, head_o;
  left_t replays_left_o, free_waiters_o;
  lineno_t peek_line_o;
  logic [Entries-1:0] used_o;
  logic [$clog2(Entries+1)-1:0] free_entries_o;

  // The unit never looks into a request: its number stands for all of it.
  always_comb begin
    request_i    = '0;
    request_i.id = id_i;
  end

  fetches #(
    .Entries(Entries), .Waiters(Waiters)
  ) dut (
    .*
  );

  // ---------------------------------------------------------------- the books
  logic [Entries-1:0] used_q;
  lineno_t line_q[Entries];
  left_t length_q[Entries];
  logic enters, follows_q, due;
  index_t entered, list_q;
  left_t ahead_q;
  logic [5:0] followed_q;

  assign enters  = allocate_i || join_i;
  assign entered = allocate_i ? free_index_o : match_index_o;
  assign due     = follows_q && pop_i && replay_index_o == list_q && ahead_q == '0;

  always_ff @(posedge clk_i) begin
    if (allocate_i) begin
      used_q[free_index_o] <= 1'b1;
      line_q[free_index_o] <= line_i;
    end
    for (int unsigned i = 0; i < Entries; i++) begin
      length_q[i] <= length_q[i] + left_t'(enters && entered == index_t'(i)) -
                     left_t'(pop_i && replay_index_o == index_t'(i));
      if (pop_i && replay_index_o == index_t'(i) && length_q[i] == left_t'(1)) used_q[i] <= 1'b0;
    end
    if (follows_q) begin
      if (due) follows_q <= 1'b0;
      else if (pop_i && replay_index_o == list_q) ahead_q <= ahead_q - left_t'(1);
    end else if (enters && mark_i) begin
      follows_q  <= 1'b1;
      list_q     <= entered;
      ahead_q    <= length_q[entered];
      followed_q <= id_i;
    end
    if (!rst_ni) begin
      used_q    <= '0;
      follows_q <= 1'b0;
      for (int unsigned i = 0; i < Entries; i++) length_q[i] <= '0;
    end
  end

  // ---------------------------------------------------------------- the rules of who uses it
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (rst_ni) begin
      assume (32'(allocate_i) + 32'(join_i) + 32'(start_i) + 32'(pop_i) <= 1);
      assume (replays_left_o != '0 ? !enters && !start_i : !pop_i);
      assume (!enters || free_waiters_o != '0);
      assume (!allocate_i || (free_entries_o != '0 && !match_o));
      assume (!join_i || match_o);
      assume (!start_i || (32'(start_index_i) < Entries && used_q[start_index_i]));
      assume (32'(peek_index_i) < Entries);
    end
  end

  // ---------------------------------------------------------------- properties
  logic [31:0] entries_used, requests_waiting;
  logic [Entries-1:0] found;
  always_comb begin
    entries_used     = '0;
    requests_waiting = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      entries_used += 32'(used_q[i]);
      requests_waiting += 32'(length_q[i]);
      found[i] = used_q[i] && line_q[i] == line_i;
    end
  end

  always_comb begin
    if (rst_ni) begin
      used_is_exact : assert (used_o == used_q);
      free_entries_are_counted : assert (32'(free_entries_o) == Entries - entries_used);
      free_waiters_are_counted : assert (32'(free_waiters_o) == Waiters - requests_waiting);
      entry_given_out_is_free : assert (free_entries_o == '0 || !used_q[free_index_o]);
      fetch_is_found : assert (match_o == (found != '0) && (!match_o || found[match_index_o]));
      one_fetch_per_line : assert ((found & (found - Entries'(1))) == '0);
      peek_tells_the_line : assert (!used_q[peek_index_i] || peek_line_o == line_q[peek_index_i]);
      replays_left_is_exact : assert (replays_left_o == '0 || replays_left_o == length_q[replay_index_o]);
      request_in_its_place : assert (!due || head_o.id == followed_q);
      request_not_lost : assert (!follows_q || (used_q[list_q] && ahead_q < length_q[list_q]));
      ends_with_the_last : assert (!pop_i || ends_o == (length_q[replay_index_o] == left_t'(1)));

      reach_all_places_taken : cover (free_waiters_o == '0 && entries_used > 1);
      reach_joined_performed_last : cover (due && ends_o && replay_index_o == index_t'(1));
      reach_place_used_again : cover (due && 32'(dut.head_q[list_q]) == 0 && entries_used > 1 && !ends_o);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  // Whose list each place is in, and where in it.
  localparam int unsigned SlotBits = $clog2(Waiters);
  typedef logic [SlotBits-1:0] slot_t;
  index_t owner_q[Waiters];
  left_t position_q[Waiters];
  slot_t slot_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Waiters; s++) begin
      if (enters && dut.free_slot == slot_t'(s)) begin
        owner_q[s]    <= entered;
        position_q[s] <= length_q[entered];
      end else if (pop_i && owner_q[s] == replay_index_o) begin
        position_q[s] <= position_q[s] - left_t'(1);
      end
    end
    if (!follows_q) slot_q <= dut.free_slot;
  end

  function automatic logic stands(slot_t place, index_t list, left_t position);
    return 32'(place) < Waiters && dut.waits_q[place] && owner_q[place] == list &&
           position_q[place] == position;
  endfunction

  always_comb begin
    if (rst_ni) begin
      induct_replay : assert (dut.left_q == '0 || (32'(dut.replay_q) < Entries && used_q[dut.replay_q]));
      induct_followed :
      assert (!follows_q || (stands(slot_q, list_q, ahead_q) && dut.request_q[slot_q].id == followed_q));
      induct_followed_list : assert (!follows_q || 32'(list_q) < Entries);
    end
  end
  for (genvar i = 0; i < Entries; i++) begin : gen_entry
    logic [31:0] places;
    always_comb begin
      places = '0;
      for (int unsigned s = 0; s < Waiters; s++) places += 32'(dut.waits_q[s] && owner_q[s] == index_t'(i));
      if (rst_ni) begin
        induct_places : assert (places == 32'(length_q[i]) && used_q[i] == (length_q[i] != '0));
        if (used_q[i]) begin
          induct_line : assert (dut.line_q[i] == line_q[i]);
          induct_head : assert (stands(dut.head_q[i], index_t'(i), '0));
          induct_tail : assert (stands(dut.tail_q[i], index_t'(i), length_q[i] - left_t'(1)));
          induct_length :
          assert ((dut.left_q != '0 && dut.replay_q == index_t'(i)) || dut.length_q[i] == length_q[i]);
        end
      end
    end
    for (genvar j = 0; j < i; j++) begin : gen_pair
      always_comb begin
        if (rst_ni) induct_lines_differ : assert (!used_q[i] || !used_q[j] || line_q[i] != line_q[j]);
      end
    end
  end
  for (genvar s = 0; s < Waiters; s++) begin : gen_place
    always_comb begin
      if (rst_ni && dut.waits_q[s]) begin
        induct_owner : assert (32'(owner_q[s]) < Entries && position_q[s] < length_q[owner_q[s]]);
        induct_next :
        assert (position_q[s] == length_q[owner_q[s]] - left_t'(1) ||
                stands(dut.next_q[s], owner_q[s], position_q[s] + left_t'(1)));
      end
    end
    for (genvar t = 0; t < s; t++) begin : gen_other
      always_comb begin
        if (rst_ni && dut.waits_q[s] && dut.waits_q[t]) begin
          induct_positions_differ : assert (owner_q[s] != owner_q[t] || position_q[s] != position_q[t]);
        end
      end
    end
  end
endmodule
