// SPDX-License-Identifier: Apache-2.0

/// What the directory promises to the home (`tracker`, with `directory` and its policies inside): whoever may hold a
/// copy is in the entry of the line, or was told to drop it; and an entry has bits exactly while it is valid.
///
/// The solver chooses the protocol among those built in, one line (`line_s_i`) and one other node (`node_s_i`);
/// whether that node may hold a copy of that line is kept here from the requests and INVs alone. What holds for any
/// line and node holds for all.
module tracker_props
  import weft_pkg::*;
  import l2_pkg::*;
#(
  /// Number of a seeded fault, for a proof that must fail.
  parameter int unsigned Fault = 0
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic      [3:0] self_i,
  input protocol_e       protocol_i,
  input logic            lookup_i,
  input bankline_t       line_i,
  input logic            step_i,
  input req_kind_e       kind_i,
  input logic      [3:0] requester_i,
  input bankline_t       line_s_i,
  input logic      [3:0] node_s_i
);
  localparam int unsigned RangeLines = DirectoryRange / Line;

  logic ready_o;
  logic owes_o, block_o, spread_o;
  logic [15:0] nodes_o;
  cause_e cause_o;
  logic [39:0] address_o;
  logic [EntryOwed-1:0][Sharers-1:0] lines_o;
  dir_event_t event_o;
  dir_count_t count_o;

  tracker #(
    .Bank(0)
  ) dut (
    .home_step_i(step_i), .fault_i(fault_e'(Fault)),
    // No leases here: tsu_props has them.
    .leases_i('0), .peeks_i(1'b0), .failed_i(1'b0), .cts_i('0), .rebase_i(1'b0),
    .wts_o(), .rts_o(), .was_o(), .largest_o(), .*
  );

  // ---------------------------------------------------------------- the rules of who uses it
  logic started_q = 1'b0;
  logic lookup_q, reset_q, built;
  bankline_t line_q, line_s_q;
  logic [3:0] self_q, node_s_q;
  protocol_e protocol_q;

  always_ff @(posedge clk_i) begin
    started_q  <= 1'b1;
    reset_q    <= !rst_ni;
    lookup_q   <= rst_ni && lookup_i;
    line_q     <= line_i;
    line_s_q   <= line_s_i;
    node_s_q   <= node_s_i;
    self_q     <= self_i;
    protocol_q <= protocol_i;
  end

  assign built = (protocol_i == ProtocolBaseline && BuiltBaseline != 0) ||
                 (protocol_i == ProtocolHmg && BuiltHmg != 0) || (protocol_i == ProtocolRec && BuiltRec != 0);

  always_comb begin
    if (!started_q) assume (!rst_ni);
    else assume (line_s_i == line_s_q && node_s_i == node_s_q && self_i == self_q);
    // From a reset on one protocol; another needs another reset.
    assume (built && (!started_q || reset_q || protocol_i == protocol_q));
    assume (32'(self_i) < Nodes && 32'(node_s_i) < Nodes && node_s_i != self_i);
    if (rst_ni) begin
      assume (!lookup_i || ready_o);
      assume (!step_i || lookup_q);
      assume (kind_i == ReqKindRead || kind_i == ReqKindWrite || kind_i == ReqKindAtomic);
      assume (32'(requester_i) < Nodes);
    end
  end

  // ---------------------------------------------------------------- who may hold a copy
  // What an entry tracks: the place of a line in it, and what lines of one entry have in common.
  logic [2:0] shift;
  bankline_t unit, unit_s, place_s;
  logic whole;
  assign shift   = entry_shift(protocol_i, RangeLines);
  assign unit    = line_q >> shift;
  assign unit_s  = line_s_i >> shift;
  assign place_s = line_s_i & ~(~bankline_t'(0) << shift);
  assign whole   = entry_block(protocol_i);

  logic [3:0] bit_s;
  logic [39:0] address_s;
  assign bit_s     = (node_s_i < self_i) ? node_s_i : node_s_i - 4'd1;
  assign address_s = l2_pkg::address_of(self_i, line_s_i, 3'd0);

  // The node may hold a copy of the line; of it or another line of which an INV would be the same one.
  logic holds_q, tracks_q;
  // A step of that line; of a line tracked with it; by that node; an INV of that line for that node, as the forward
  // queue and the L2 that receives it make the addresses of several lines.
  logic ours, near, asks, told;
  assign ours = step_i && line_q == line_s_i;
  assign near = step_i && (whole ? unit == unit_s : line_q == line_s_i);
  assign asks = requester_i == node_s_i;
  always_comb begin
    told = 1'b0;
    for (int unsigned i = 0; i < ((EntryOwed > BlockLines) ? EntryOwed : BlockLines); i++) begin
      if (step_i && address_s == (address_o | (40'(i) << LineBits))) begin
        if (spread_o) told |= i < EntryOwed && lines_o[i%EntryOwed][bit_s];
        else told |= nodes_o[node_s_i] && i < (block_o ? BlockLines : 1);
      end
    end
  end

  logic [7:0] waited_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      holds_q  <= 1'b0;
      tracks_q <= 1'b0;
      waited_q <= '0;
    end else begin
      // An atomic's requester dropped its copy of the line when it issued it; of others of a block it did not.
      if (ours && asks) holds_q <= kind_i != ReqKindAtomic;
      else if (told) holds_q <= 1'b0;
      if (near && asks) tracks_q <= kind_i != ReqKindAtomic || (whole && tracks_q);
      else if (told) tracks_q <= 1'b0;
      if (!ready_o) waited_q <= waited_q + 8'd1;
    end
  end

  // ---------------------------------------------------------------- the entries, as directory.sv lays them out
  localparam int unsigned Ways = DirectoryWays;
  localparam int unsigned Sets = DirectoryEntries / L2Banks / DirectoryWays;
  localparam int unsigned SetBits = $clog2(Sets);
  localparam int unsigned IndexBits = (Sets > 1) ? SetBits : 1;
  localparam int unsigned UnitBits = BankLineBits - $clog2(entry_lines_fewest(RangeLines));
  localparam int unsigned TagWidth = (UnitBits > SetBits) ? UnitBits - SetBits : 1;
  localparam int unsigned AgeBits = (Ways > 1) ? $clog2(Ways) : 1;
  localparam int unsigned EntryBits = entry_bits_built(Sharers, RangeLines);
  typedef logic [TagWidth-1:0] dir_tag_t;
  typedef struct packed {
    logic valid;
    dir_tag_t tag;
    logic [EntryBits-1:0] fields;
  } dir_entry_t;
  typedef struct packed {
    logic [Ways-1:0][AgeBits-1:0] age;
    dir_entry_t [Ways-1:0] way;
  } dir_set_t;

  dir_set_t stored, stored_s;
  logic [IndexBits-1:0] index, index_s;
  assign index    = (Sets > 1) ? IndexBits'(unit) : '0;
  assign index_s  = (Sets > 1) ? IndexBits'(unit_s) : '0;
  assign stored   = dut.u_directory.gen_shared.i_sets.store_q[index];
  assign stored_s = dut.u_directory.gen_shared.i_sets.store_q[index_s];

  // Where the node's bit of the line stands in an entry: rec has a position bit and sharers for each line.
  logic [$clog2(EntryBits+1)-1:0] field_s;
  assign field_s = (protocol_i == ProtocolRec) ? $bits(field_s)'(32'(place_s) * Nodes + 1 + 32'(bit_s)) :
                   $bits(field_s)'(bit_s);

  function automatic logic positions_agree(logic [EntryBits-1:0] fields);
    positions_agree = 1'b1;
    for (int unsigned i = 0; i < EntryBits / Nodes; i++) begin
      positions_agree &= fields[i*Nodes] == (fields[i*Nodes+1+:Sharers] != '0);
    end
  endfunction

  logic [Ways-1:0] mine, valid, ages_twice, tags_twice, bits_strange, positions_strange, tags_strange;
  logic recorded, present;
  always_comb begin
    recorded   = 1'b0;
    present    = 1'b0;
    ages_twice = '0;
    tags_twice = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      mine[w] = stored_s.way[w].valid && stored_s.way[w].tag == dir_tag_t'(unit_s >> SetBits);
      recorded |= mine[w] && stored_s.way[w].fields[field_s];
      valid[w] = stored.way[w].valid;
      present |= valid[w] && stored.way[w].tag == dir_tag_t'(unit >> SetBits);
      // Room that only other protocols use stays empty.
      bits_strange[w] = stored_s.way[w].valid != (stored_s.way[w].fields != '0) ||
                        stored_s.way[w].fields >> entry_bits(protocol_i, Sharers, RangeLines) != '0;
      positions_strange[w] = protocol_i == ProtocolRec && !positions_agree(stored_s.way[w].fields);
      tags_strange[w] = (64'(stored_s.way[w].tag) << SetBits << shift) >> BankLineBits != '0;
      for (int unsigned v = 0; v < w; v++) begin
        ages_twice[w] |= stored_s.age[v] == stored_s.age[w];
        tags_twice[w] |= stored_s.way[v].valid && stored_s.way[w].valid &&
                         stored_s.way[v].tag == stored_s.way[w].tag;
      end
    end
  end

  // ---------------------------------------------------------------- properties
  logic local_step, remote_fill;
  // Messages that the step owes, the nodes that get them, and lines of which there are some.
  logic [31:0] invs, lines;
  logic [15:0] receivers;
  assign local_step  = requester_i == self_i;
  assign remote_fill = !local_step && kind_i != ReqKindAtomic;
  always_comb begin
    invs      = '0;
    lines     = '0;
    receivers = nodes_o;
    if (spread_o) begin
      receivers = '0;
      for (int unsigned i = 0; i < EntryOwed; i++) begin
        lines += 32'(lines_o[i] != '0);
        for (int unsigned s = 0; s < Sharers; s++) begin
          invs += 32'(lines_o[i][s]);
          receivers[(4'(s)<self_i)?4'(s) : 4'(s+1)] |= lines_o[i][s];
        end
      end
    end else begin
      for (int unsigned n = 0; n < 16; n++) invs += 32'(nodes_o[n]);
      lines = whole ? BlockLines : 1;
    end
  end

  bankline_t inv_line;
  assign inv_line = (cause_o == CauseEvict) ? dut.u_directory.evicted_line_o : whole ? unit << shift : line_q;
  logic evicts_s;
  assign evicts_s = dut.evicted && dut.u_directory.evicted_line_o >> shift == unit_s;
  always_comb begin
    if (rst_ni && ready_o) begin
      holder_is_recorded : assert (!holds_q || recorded);
      recorded_only_if_holder : assert (!recorded || tracks_q);
      invalid_has_no_bits_valid_has_some : assert (bits_strange == '0);
      if (BuiltRec != 0) position_is_or_of_sharers : assert (positions_strange == '0);
      one_entry_per_unit : assert (tags_twice == '0);
      ages_all_differ : assert (ages_twice == '0);
    end
    if (rst_ni && lookup_q) begin
      // Steps may follow one another in every cycle, also on one entry, as if each waited for the last.
      step_sees_all_earlier_steps : assert (dut.u_directory.gen_shared.set == stored);
    end
    if (rst_ni && step_i) begin
      // Of a block that is tracked as a whole, a write of any line is meant.
      writer_reaches_every_holder :
      assert (!near || asks || kind_i == ReqKindRead || !(holds_q || tracks_q) ||
              (told && cause_o == CauseWrite));
      eviction_reaches_every_holder :
      assert (!evicts_s || !(holds_q || (whole && tracks_q)) || (told && cause_o == CauseEvict));
      inv_only_to_a_holder : assert (!told || tracks_q);
      requester_is_never_told : assert (!near || !asks || !told);
      home_and_strangers_are_never_told : assert (!nodes_o[self_i] && (nodes_o >> Nodes) == '0);
      inv_is_of_this_line_or_the_evicted :
      assert (invs == 0 || address_o == l2_pkg::address_of(self_i, inv_line, 3'd0));
      inv_by_eviction_iff_evicted : assert (invs == 0 || (cause_o == CauseEvict) == dut.evicted);
      evicted_lines_owe_one_by_one :
      assert (spread_o == (dut.evicted && protocol_i == ProtocolRec && RangeLines > 1) &&
              receivers == nodes_o);
      allocates_for_remote_copies_only : assert (dut.allocated == (remote_fill && !present));
      evicts_only_from_a_full_set : assert (!dut.evicted || valid == '1);
      owes_if_somebody_is_told : assert (owes_o == (invs != 0));
      counts_what_it_does :
      assert (count_o.lookups && count_o.hits == present && count_o.allocations == dut.allocated &&
              count_o.evictions == dut.evicted && 32'(count_o.inv_write) + 32'(count_o.inv_evict) == invs);
      // Of the set that is looked at, since an entry without bits would be none.
      counts_evicted_lines :
      assert (index != index_s || 32'(count_o.evicted_lines) == (dut.evicted ? lines : 0));
    end
    if (rst_ni) walk_ends : assert (ready_o || 32'(waited_q) < Sets);
  end

  logic stepped_q;
  always_ff @(posedge clk_i) stepped_q <= rst_ni && ours;
  always_comb begin
    if (rst_ni) begin
      reach_holder_told_by_write : cover (told && holds_q && cause_o == CauseWrite);
      reach_holder_told_by_eviction : cover (told && holds_q && cause_o == CauseEvict);
      reach_two_steps_in_a_row : cover (stepped_q && ours && told);
      reach_all_others_told : cover (step_i && invs >= Nodes - 1);
      reach_copy_taken_again : cover (ours && asks && kind_i == ReqKindRead && holds_q);
      reach_atomic_of_a_holder : cover (ours && asks && kind_i == ReqKindAtomic && holds_q);
      // Of longer ranges four lines will do.
      reach_all_lines_evicted :
      cover (step_i && dut.evicted && (lines == entry_lines(protocol_i, RangeLines) || lines == 4));
      if (BuiltHmg != 0 || EntryOwed > 1) begin
        reach_told_of_another_line : cover (told && holds_q && address_o != address_s);
      end
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  logic cleared;
  assign cleared = ready_o || dut.u_directory.gen_shared.walk_q > index_s;
  always_comb begin
    if (rst_ni) begin
      // What is kept of the protocol, which may be another one in the cycle after a reset.
      induct_shift : assert (reset_q || dut.u_directory.gen_shared.shift == shift);
      induct_reset : assert (!reset_q || (!ready_o && !lookup_q && dut.u_directory.gen_shared.walk_q == '0));
      induct_line : assert (!lookup_q || dut.u_directory.line_q == line_q);
      induct_lookup : assert (!lookup_q || ready_o);
      induct_none_while_clearing : assert (ready_o || !tracks_q);
      induct_holder : assert (!holds_q || tracks_q);
      induct_cleared : assert (!cleared || recorded == tracks_q);
      induct_bits : assert (!cleared || (bits_strange == '0 && positions_strange == '0));
      // Of a tag that is wide enough for fewer lines, the upper bits are zero.
      induct_tags : assert (!cleared || tags_strange == '0);
      induct_one_entry : assert (!cleared || tags_twice == '0);
      induct_ages : assert (!cleared || ages_twice == '0);
      induct_walk :
      assert (ready_o || (waited_q == 8'(dut.u_directory.gen_shared.walk_q) && 32'(waited_q) < Sets));
    end
  end
  if (Faults != 0) begin : gen_late
    always_comb if (rst_ni) induct_not_late : assert (!dut.u_directory.gen_shared.gen_late.late_q);
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
