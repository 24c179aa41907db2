// SPDX-License-Identifier: Apache-2.0

/// What `misses` promises to an L2 bank that keeps its rules (docs/units/misses.md): entries are given out only
/// when free, an open miss is found and a closed one is not, every load that waits is answered once, with the
/// line that it asked for.
///
/// The books are kept here from the commands and the indices that were given out. One load, whose sender
/// (`tag_i`) the solver chooses, is followed from entering to answer.
module misses_props
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
  input logic                  close_i,
  input logic [           2:0] cu_i,
  input logic [           5:0] id_i,
  input logic                  fill_i,
  input logic [ EntryBits-1:0] fill_index_i,
  input logic                  answer_i,
  input logic [ EntryBits-1:0] peek_index_i,
  input logic [           8:0] tag_i
);
  typedef logic [EntryBits-1:0] index_t;
  typedef logic [LineNoBits-1:0] lineno_t;
  typedef logic [LeftBits-1:0] left_t;

  logic open_o, fill_open_o;
  index_t open_index_o, free_index_o, answer_index_o;
  lineno_t peek_line_o;
  logic [2:0] answer_cu_o;
  logic [5:0] answer_id_o;
  left_t answers_left_o, free_waiters_o;
  logic [$clog2(Entries+1)-1:0] free_entries_o;

  // Without leases: one time, every miss may be joined and installed.
  misses #(
    .Entries(Entries), .Waiters(Waiters)
  ) dut (
    .now_i      ('0),
    .rebase_i   (1'b0),
    .close_all_i(1'b0),
    .installs_i (1'b1),
    .shared_i   (1'b1),
    .*
  );

  // ---------------------------------------------------------------- the books
  logic [Entries-1:0] used_q, isopen_q, filled_q;
  lineno_t line_q[Entries];
  left_t waiting_q[Entries];
  // The load that is followed.
  logic enters, answers_tag, tag_waits_q;
  index_t tag_miss_q, entered;
  lineno_t tag_line_q;
  logic [8:0] tag_q;

  assign enters  = allocate_i || join_i;
  assign answers_tag = answer_i && {answer_cu_o, answer_id_o} == tag_i;
  assign entered = allocate_i ? free_index_o : open_index_o;

  always_ff @(posedge clk_i) begin
    if (allocate_i) begin
      used_q[free_index_o]   <= 1'b1;
      isopen_q[free_index_o] <= 1'b1;
      line_q[free_index_o]   <= line_i;
    end
    for (int unsigned i = 0; i < Entries; i++) begin
      if (close_i && line_q[i] == line_i) isopen_q[i] <= 1'b0;
      waiting_q[i] <= waiting_q[i] + left_t'(enters && entered == index_t'(i)) -
                      left_t'(answer_i && answer_index_o == index_t'(i));
      if (answer_i && answer_index_o == index_t'(i) && waiting_q[i] == left_t'(1)) begin
        used_q[i]   <= 1'b0;
        filled_q[i] <= 1'b0;
      end
    end
    if (fill_i) begin
      isopen_q[fill_index_i] <= 1'b0;
      filled_q[fill_index_i] <= 1'b1;
    end
    if (enters && {cu_i, id_i} == tag_i) begin
      tag_waits_q <= 1'b1;
      tag_miss_q  <= entered;
      tag_line_q  <= line_i;
    end else if (answers_tag) begin
      tag_waits_q <= 1'b0;
    end
    if (!rst_ni) begin
      used_q      <= '0;
      isopen_q    <= '0;
      filled_q    <= '0;
      tag_waits_q <= 1'b0;
      for (int unsigned i = 0; i < Entries; i++) waiting_q[i] <= '0;
    end
  end

  // ---------------------------------------------------------------- the rules of who uses it
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    tag_q     <= tag_i;
  end
  always_comb begin
    if (!started_q) assume (!rst_ni);
    else assume (tag_i == tag_q);
    if (rst_ni) begin
      assume (32'(allocate_i) + 32'(join_i) + 32'(close_i) + 32'(fill_i) + 32'(answer_i) <= 1);
      assume (!enters || free_waiters_o != '0);
      assume (!allocate_i || (free_entries_o != '0 && !open_o));
      assume (!join_i || open_o);
      assume (!answer_i || answers_left_o != '0);
      // A home answers each READ once, and the L2 takes the next fill when the last one is dealt with.
      assume (!fill_i || (answers_left_o == '0 && 32'(fill_index_i) < Entries));
      assume (!fill_i || (used_q[fill_index_i] && !filled_q[fill_index_i]));
      // An L1 uses the number of a miss again when it was answered.
      assume (!enters || {cu_i, id_i} != tag_i || !tag_waits_q);
      assume (32'(peek_index_i) < Entries);
    end
  end

  // ---------------------------------------------------------------- properties
  logic [31:0] entries_used, loads_waiting;
  logic [Entries-1:0] found;

  always_comb begin
    entries_used  = '0;
    loads_waiting = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      entries_used += 32'(used_q[i]);
      loads_waiting += 32'(waiting_q[i]);
      found[i] = isopen_q[i] && line_q[i] == line_i;
    end
  end

  always_comb begin
    if (rst_ni) begin
      free_entries_are_counted : assert (32'(free_entries_o) == Entries - entries_used);
      free_waiters_are_counted : assert (32'(free_waiters_o) == Waiters - loads_waiting);
      entry_given_out_is_free : assert (free_entries_o == '0 || !used_q[free_index_o]);
      lowest_free_is_given_out :
      assert (free_entries_o == '0 || (~used_q & ((Entries'(1) << free_index_o) - Entries'(1))) == '0);
      every_open_miss_is_shared : assert ((isopen_q & ~dut.shared_q) == '0);
      open_miss_is_found : assert (open_o == (found != '0));
      found_is_the_open_one : assert (!open_o || found[open_index_o]);
      one_open_miss_per_line : assert ((found & (found - Entries'(1))) == '0);
      closed_is_never_installed : assert (!fill_i || fill_open_o == isopen_q[fill_index_i]);
      peek_tells_the_line : assert (!used_q[peek_index_i] || peek_line_o == line_q[peek_index_i]);
      answered_only_if_waiting :
      assert (!answers_tag || (tag_waits_q && answer_index_o == tag_miss_q));
      fill_answers_all :
      assert (!tag_waits_q || !filled_q[tag_miss_q] ||
              (answers_left_o != '0 && answer_index_o == tag_miss_q));
      answers_left_is_exact : assert (answers_left_o == '0 || answers_left_o == waiting_q[answer_index_o]);
      line_is_the_one_asked_for : assert (!tag_waits_q || line_q[tag_miss_q] == tag_line_q);
      freed_with_the_last_answer : assert (!used_q[peek_index_i] || waiting_q[peek_index_i] != '0);

      reach_all_entries_used : cover (free_entries_o == '0);
      reach_all_waiters_used : cover (free_waiters_o == '0);
      reach_join_answered_second :
      cover (answers_tag && answers_left_o == left_t'(1) && isopen_q != '0);
      reach_fill_of_a_closed_miss : cover (fill_i && !fill_open_o);
      reach_second_miss_of_a_closed_line : cover (used_q[0] && isopen_q[1] && line_q[0] == line_q[1]);
      reach_empty_again : cover (tag_miss_q == index_t'(1) && !tag_waits_q && used_q == '0);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  logic [31:0] tags_waiting;
  always_comb begin
    tags_waiting = '0;
    for (int unsigned w = 0; w < Waiters; w++) begin
      tags_waiting += 32'(dut.waits_q[w] && {dut.waiter_q[w].cu, dut.waiter_q[w].id} == tag_i);
    end
    if (rst_ni) begin
      induct_same_books : assert (dut.used_q == used_q && dut.isopen_q == isopen_q);
      induct_tag_waits_once : assert (tags_waiting == 32'(tag_waits_q));
      induct_tag_miss : assert (!tag_waits_q || (32'(tag_miss_q) < Entries && used_q[tag_miss_q]));
      induct_left : assert (dut.left_q == '0 ? filled_q == '0 : filled_q == Entries'(1) << dut.fill_q);
      induct_left_in_range : assert (dut.left_q == '0 || 32'(dut.fill_q) < Entries);
      induct_open_is_used : assert ((isopen_q & ~used_q) == '0 && (isopen_q & filled_q) == '0);
    end
  end
  for (genvar i = 0; i < Entries; i++) begin : gen_entry
    logic [31:0] slots;
    always_comb begin
      slots = '0;
      for (int unsigned w = 0; w < Waiters; w++) begin
        slots += 32'(dut.waits_q[w] && dut.waiter_q[w].miss == index_t'(i));
      end
      if (rst_ni) begin
        induct_waiters : assert (slots == 32'(waiting_q[i]) && used_q[i] == (waiting_q[i] != '0));
        induct_line : assert (!used_q[i] || dut.line_q[i] == line_q[i]);
      end
    end
    for (genvar j = 0; j < i; j++) begin : gen_pair
      always_comb begin
        if (rst_ni) induct_lines_differ : assert (!isopen_q[i] || !isopen_q[j] || line_q[i] != line_q[j]);
      end
    end
  end
  for (genvar w = 0; w < Waiters; w++) begin : gen_waiter
    always_comb begin
      if (rst_ni && dut.waits_q[w]) begin
        induct_miss_is_used : assert (32'(dut.waiter_q[w].miss) < Entries && used_q[dut.waiter_q[w].miss]);
        induct_tag_slot :
        assert ({dut.waiter_q[w].cu, dut.waiter_q[w].id} != tag_i || dut.waiter_q[w].miss == tag_miss_q);
      end
    end
  end
endmodule
