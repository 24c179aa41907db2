// SPDX-License-Identifier: Apache-2.0

/// What the directory promises to the home (`tracker`, with `directory` and `directory_baseline` inside): whoever may
/// hold a copy is in the line's entry, or was told to drop it.
///
/// The solver chooses one line (`line_s_i`) and one other node (`node_s_i`); whether that node may hold a copy of
/// that line is kept here from the requests and INVs alone. What holds for any line and node holds for all.
module tracker_props
  import weft_pkg::*;
  import l2_pkg::*;
(
  input logic            clk_i,
  input logic            rst_ni,
  input logic      [3:0] self_i,
  input logic            lookup_i,
  input bankline_t       line_i,
  input logic            step_i,
  input req_kind_e       kind_i,
  input logic      [3:0] requester_i,
  input bankline_t       line_s_i,
  input logic      [3:0] node_s_i
);
  logic ready_o;
  logic owes_o;
  logic [15:0] nodes_o;
  cause_e cause_o;
  logic [39:0] address_o;
  dir_event_t event_o;
  dir_count_t count_o;

  tracker #(
    .Bank(0)
  ) dut (
    .protocol_i(ProtocolBaseline), .home_step_i(step_i), .fault_i(FaultNone), .*
  );

  // ---------------------------------------------------------------- the rules of who uses it
  logic started_q = 1'b0;
  logic lookup_q;
  bankline_t line_q, line_s_q;
  logic [3:0] self_q, node_s_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    lookup_q  <= rst_ni && lookup_i;
    line_q    <= line_i;
    line_s_q  <= line_s_i;
    node_s_q  <= node_s_i;
    self_q    <= self_i;
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    else assume (line_s_i == line_s_q && node_s_i == node_s_q && self_i == self_q);
    assume (32'(self_i) < Nodes && 32'(node_s_i) < Nodes && node_s_i != self_i);
    if (rst_ni) begin
      assume (!lookup_i || ready_o);
      assume (!step_i || lookup_q);
      assume (kind_i == ReqKindRead || kind_i == ReqKindWrite || kind_i == ReqKindAtomic);
      assume (32'(requester_i) < Nodes);
    end
  end

  // ---------------------------------------------------------------- who may hold a copy
  logic ours, asks, told, holds_q;
  logic [7:0] waited_q;
  logic [39:0] address_s;

  assign address_s = l2_pkg::address_of(self_i, line_s_i, 3'd0);
  // A step of that line; by that node; an INV of that line for that node.
  assign ours = step_i && line_q == line_s_i;
  assign asks = ours && requester_i == node_s_i;
  assign told = step_i && nodes_o[node_s_i] && address_o == address_s;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      holds_q  <= 1'b0;
      waited_q <= '0;
    end else begin
      // An atomic's requester dropped its copy when it issued it.
      if (asks) holds_q <= kind_i != ReqKindAtomic;
      else if (told) holds_q <= 1'b0;
      if (!ready_o) waited_q <= waited_q + 8'd1;
    end
  end

  // ---------------------------------------------------------------- the entries, as directory.sv lays them out
  localparam int unsigned Ways = DirectoryWays;
  localparam int unsigned Sets = DirectoryEntries / L2Banks / DirectoryWays;
  localparam int unsigned IndexBits = (Sets > 1) ? $clog2(Sets) : 1;
  localparam int unsigned TagWidth = BankLineBits - $clog2(Sets);
  localparam int unsigned AgeBits = (Ways > 1) ? $clog2(Ways) : 1;
  typedef logic [TagWidth-1:0] dir_tag_t;
  typedef struct packed {
    logic valid;
    dir_tag_t tag;
    logic [entry_bits_built(Nodes - 1) - 1:0] fields;
  } dir_entry_t;
  typedef struct packed {
    logic [Ways-1:0][AgeBits-1:0] age;
    dir_entry_t [Ways-1:0] way;
  } dir_set_t;

  dir_set_t stored, stored_s;
  logic [IndexBits-1:0] index, index_s;
  logic [3:0] bit_s;
  logic [Ways-1:0] mine, valid, ages_twice, tags_twice;
  logic recorded, present;

  assign index    = (Sets > 1) ? IndexBits'(line_q) : '0;
  assign index_s  = (Sets > 1) ? IndexBits'(line_s_i) : '0;
  assign stored   = dut.u_directory.gen_shared.i_sets.store_q[index];
  assign stored_s = dut.u_directory.gen_shared.i_sets.store_q[index_s];
  assign bit_s    = (node_s_i < self_i) ? node_s_i : node_s_i - 4'd1;

  always_comb begin
    recorded   = 1'b0;
    present    = 1'b0;
    ages_twice = '0;
    tags_twice = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      mine[w] = stored_s.way[w].valid && stored_s.way[w].tag == dir_tag_t'(line_s_i >> $clog2(Sets));
      recorded |= mine[w] && stored_s.way[w].fields[bit_s];
      valid[w] = stored.way[w].valid;
      present |= valid[w] && stored.way[w].tag == dir_tag_t'(line_q >> $clog2(Sets));
      for (int unsigned v = 0; v < w; v++) begin
        ages_twice[w] |= stored_s.age[v] == stored_s.age[w];
        tags_twice[w] |= stored_s.way[v].valid && stored_s.way[w].valid &&
                         stored_s.way[v].tag == stored_s.way[w].tag;
      end
    end
  end

  // ---------------------------------------------------------------- properties
  logic local_step, remote_fill;
  logic [31:0] invs;
  assign local_step  = requester_i == self_i;
  assign remote_fill = !local_step && kind_i != ReqKindAtomic;
  always_comb begin
    invs = '0;
    for (int unsigned n = 0; n < 16; n++) invs += 32'(nodes_o[n]);
  end

  always_comb begin
    if (rst_ni && ready_o) begin
      holder_is_recorded : assert (!holds_q || recorded);
      recorded_only_if_holder : assert (!recorded || holds_q);
      one_entry_per_line : assert (tags_twice == '0);
      ages_all_differ : assert (ages_twice == '0);
    end
    if (rst_ni && lookup_q) begin
      // Steps may follow one another in every cycle, also on one entry, as if each waited for the last.
      step_sees_all_earlier_steps : assert (dut.u_directory.gen_shared.set == stored);
    end
    if (rst_ni && step_i) begin
      writer_reaches_every_holder :
      assert (!ours || asks || kind_i == ReqKindRead || !holds_q || (told && cause_o == CauseWrite));
      eviction_reaches_every_holder :
      assert (!dut.evicted || dut.u_directory.evicted_line_o != line_s_i || !holds_q ||
              (told && cause_o == CauseEvict));
      inv_only_to_a_holder : assert (!told || holds_q);
      requester_is_never_told : assert (!asks || !told);
      home_and_strangers_are_never_told : assert (!nodes_o[self_i] && (nodes_o >> Nodes) == '0);
      inv_is_of_this_line_or_the_evicted :
      assert (invs == 0 || cause_o == CauseEvict || address_o == l2_pkg::address_of(self_i, line_q, 3'd0));
      allocates_for_remote_copies_only : assert (dut.allocated == (remote_fill && !present));
      evicts_only_from_a_full_set : assert (!dut.evicted || valid == '1);
      owes_if_somebody_is_told : assert (owes_o == (invs != 0));
      counts_what_it_does :
      assert (count_o.lookups && count_o.hits == present && count_o.allocations == dut.allocated &&
              32'(count_o.inv_write) + 32'(count_o.inv_evict) == invs);
    end
    if (rst_ni) walk_ends : assert (ready_o || 32'(waited_q) < Sets);
  end

  logic stepped_q;
  always_ff @(posedge clk_i) stepped_q <= rst_ni && ours;
  always_comb begin
    if (rst_ni) begin
      reach_holder_told_by_write : cover (told && cause_o == CauseWrite);
      reach_holder_told_by_eviction : cover (told && cause_o == CauseEvict);
      reach_two_steps_in_a_row : cover (stepped_q && ours && told);
      reach_all_others_told : cover (step_i && invs == Nodes - 1);
      reach_copy_taken_again : cover (asks && kind_i == ReqKindRead && holds_q);
      reach_atomic_of_a_holder : cover (asks && kind_i == ReqKindAtomic && holds_q);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  logic cleared;
  assign cleared = ready_o || dut.u_directory.gen_shared.walk_q > index_s;
  always_comb begin
    if (rst_ni) begin
      induct_line : assert (!lookup_q || dut.u_directory.line_q == line_q);
      induct_lookup : assert (!lookup_q || ready_o);
      induct_none_while_clearing : assert (ready_o || !holds_q);
      induct_cleared : assert (!cleared || recorded == holds_q);
      induct_one_entry : assert (!cleared || tags_twice == '0);
      induct_ages : assert (!cleared || ages_twice == '0);
      induct_walk :
      assert (ready_o || (waited_q == 8'(dut.u_directory.gen_shared.walk_q) && 32'(waited_q) < Sets));
    end
  end

  // The layout above is that of directory.sv: what is read is the same, field by field.
  for (genvar w = 0; w < Ways; w++) begin : gen_layout
    always_comb begin
      if (rst_ni && lookup_q) begin
        induct_layout :
        assert (dut.u_directory.gen_shared.set.age[w] == stored.age[w] &&
                dut.u_directory.gen_shared.set.way[w].valid == stored.way[w].valid &&
                dut.u_directory.gen_shared.set.way[w].tag == stored.way[w].tag &&
                dut.u_directory.gen_shared.set.way[w].fields == stored.way[w].fields);
      end
    end
  end
endmodule
