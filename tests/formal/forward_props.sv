// SPDX-License-Identifier: Apache-2.0

/// What the forward queue promises (R1, R6): every INV and MARK leaves once, in the order in which the home made
/// them, with a stamp that counts the INVs made for its node until then; and no node counts as up to date while
/// an INV for it stands here. An item that is spread is a message for each of its lines, in their order.
///
/// The solver chooses one node (`node_s_i`) and one message to it (`mark_i`, `line_s_i`), which is followed.
module forward_props
  import weft_pkg::*;
#(
  parameter int unsigned Nodes = 3,
  parameter int unsigned Depth = 2,
  parameter int unsigned Lines = 1,
  /// Number of a seeded fault, for a proof that must fail.
  parameter int unsigned Fault = 0,
  localparam int unsigned Sharers = Nodes - 1
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic       [ 3:0] self_i,
  input logic              item_valid_i,
  input fwd_item_t         item_i,
  input logic       [Lines-1:0][Sharers-1:0] lines_i,
  input logic              seen_valid_i,
  input logic       [ 3:0] seen_src_i,
  input logic       [15:0] seen_stamp_i,
  input logic              ready_i,
  input logic       [ 3:0] node_s_i,
  input logic              mark_i,
  input logic       [ 6:0] line_s_i
);
  typedef logic [15:0] stamp_t;

  logic [$clog2(Depth+1)-1:0] free_o;
  logic [15:0] unseen_o;
  logic valid_o, last_o;
  fwd_t fwd_o;

  forward #(
    .Nodes(Nodes), .Depth(Depth), .Lines(Lines), .Line(Line)
  ) dut (
    .fault_i(fault_e'(Fault)), .*
  );

  // ---------------------------------------------------------------- what an item is to the node
  typedef logic [Lines-1:0] of_lines_t;
  typedef struct packed {
    fwd_item_t item;
    logic [Lines-1:0][Sharers-1:0] lines;
  } entry_t;
  entry_t entry_i;
  assign entry_i = '{item: item_i, lines: lines_i};

  logic [3:0] bit_s;
  assign bit_s = (node_s_i < self_i) ? node_s_i : node_s_i - 4'd1;

  /// A message of each of these lines; one that is not spread is as if of line 0.
  function automatic of_lines_t owed(entry_t entry);
    owed = '0;
    if (Lines > 1 && entry.item.spread) begin
      for (int unsigned i = 0; i < Lines; i++) owed[i] = node_s_i != self_i && entry.lines[i][bit_s];
    end else begin
      owed[0] = entry.item.nodes[node_s_i];
    end
  endfunction

  function automatic logic [7:0] number(of_lines_t lines);
    number = '0;
    for (int unsigned i = 0; i < Lines; i++) number += 8'(lines[i]);
  endfunction

  /// Those below a line.
  function automatic of_lines_t lower(of_lines_t lines, logic [6:0] line);
    return lines & ~(~of_lines_t'(0) << line);
  endfunction

  // ---------------------------------------------------------------- counted from outside
  // Messages to the node that stand in the queue, INVs among them, INVs made for it and put out to it.
  logic [7:0] queued_q, invs_q, ahead_q;
  stamp_t made_q, emitted_q, stamp_q;
  logic leaves, emits, marked, follows_q;
  of_lines_t comes;
  logic [7:0] makes;
  entry_t followed_q;
  logic [6:0] line_s_q;
  logic [3:0] node_s_q, self_q;

  assign comes  = item_valid_i ? owed(entry_i) : '0;
  assign makes  = item_i.kind == FwdKindInv ? number(comes) : '0;
  assign marked = mark_i && 32'(line_s_i) < Lines && (comes >> line_s_i) % 2 == 1;
  assign leaves = valid_o && ready_i && fwd_o.dst == node_s_i;
  assign emits  = leaves && fwd_o.kind == FwdKindInv;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    node_s_q  <= node_s_i;
    self_q    <= self_i;
    if (!rst_ni) begin
      queued_q  <= '0;
      invs_q    <= '0;
      made_q    <= '0;
      emitted_q <= '0;
      follows_q <= 1'b0;
    end else begin
      queued_q  <= queued_q + number(comes) - 8'(leaves);
      invs_q    <= invs_q + makes - 8'(emits);
      made_q    <= made_q + stamp_t'(makes);
      emitted_q <= emitted_q + stamp_t'(emits);
      if (follows_q) begin
        if (leaves && ahead_q == '0) follows_q <= 1'b0;
        else if (leaves) ahead_q <= ahead_q - 8'd1;
      end else if (marked) begin
        follows_q  <= 1'b1;
        followed_q <= entry_i;
        line_s_q   <= line_s_i;
        stamp_q    <= made_q;
        if (item_i.kind == FwdKindInv) stamp_q <= made_q + stamp_t'(number(lower(comes, line_s_i))) + 16'd1;
        ahead_q    <= queued_q - 8'(leaves) + number(lower(comes, line_s_i));
      end
    end
  end

  // The rules: room is looked at; a node acknowledges only what was put out to it.
  always_comb begin
    if (!started_q) assume (!rst_ni);
    else assume (node_s_i == node_s_q && self_i == self_q);
    assume (32'(node_s_i) < Nodes && 32'(self_i) < Nodes);
    if (rst_ni) begin
      assume (!item_valid_i || free_o != '0);
      assume (item_i.kind == FwdKindInv || item_i.kind == FwdKindMark);
      assume (!seen_valid_i || seen_src_i != node_s_i || $signed(emitted_q - seen_stamp_i) >= 0);
    end
  end

  // ---------------------------------------------------------------- properties
  logic due;
  fwd_item_t followed;
  assign followed = followed_q.item;
  assign due = follows_q && leaves && ahead_q == '0;
  always_comb begin
    if (rst_ni) begin
      // An item without nodes takes a cycle in which nothing leaves.
      message_not_lost : assert (!follows_q || valid_o || (dut.busy_q && dut.left_q == '0));
      message_in_its_place :
      assert (!due || (fwd_o.kind == followed.kind && fwd_o.cause == followed.cause &&
                       fwd_o.block == followed.block && fwd_o.releaser == followed.releaser &&
                       fwd_o.id == followed.id && fwd_o.src == self_i &&
                       fwd_o.address == (followed.address | (40'(line_s_q) << $clog2(Line)))));
      nothing_of_its_own : assert (!leaves || queued_q != '0);
      stamp_counts_all_earlier_invs : assert (!due || fwd_o.stamp == stamp_q);
      mark_never_before_an_earlier_inv : assert (!due || fwd_o.kind != FwdKindMark || emitted_q == stamp_q);
      sent_and_emitted_agree :
      assert (dut.sent_q[node_s_i] == made_q && dut.emitted_q[node_s_i] == emitted_q &&
              made_q - emitted_q == 16'(invs_q));
      only_to_nodes_that_exist : assert (!valid_o || 32'(fwd_o.dst) < Nodes);
      never_up_to_date_with_an_inv_queued : assert (invs_q == '0 || unseen_o[node_s_i]);

      reach_full : cover (free_o == '0);
      reach_mark_behind_an_inv : cover (due && fwd_o.kind == FwdKindMark && fwd_o.stamp == 16'd2);
      reach_item_for_two : cover (due && $countones(followed.nodes) == 2);
      if (Lines > 1) begin
        reach_last_line_of_two :
        cover (due && line_s_q == 7'(Lines - 1) && fwd_o.stamp == 16'd2 && made_q == 16'd2);
        reach_mark_behind_all_lines : cover (due && fwd_o.kind == FwdKindMark && fwd_o.stamp == 16'(Lines));
      end
      reach_up_to_date_again : cover (made_q == 16'd2 && !unseen_o[node_s_i]);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  // Item 0 is the one that is being sent; the others stand in the queue, which is empty if there is none.
  logic [31:0] held;
  assign held = Depth - 32'(dut.i_queue.free_q);

  function automatic int unsigned slot(int unsigned offset);
    return (32'(dut.i_queue.head_q) + offset) % Depth;
  endfunction

  // Where the followed message's item stands.
  logic [31:0] offset, messages, invs, ahead, invs_ahead;
  logic [31:0] slot_q;
  logic at_once, first_q;
  assign at_once = dut.loads && !dut.next_valid;
  always_ff @(posedge clk_i) begin
    if (!follows_q) begin
      slot_q  <= 32'(dut.i_queue.tail_q);
      first_q <= at_once;
    end else if (dut.loads && slot_q == 32'(dut.i_queue.head_q)) begin
      first_q <= 1'b1;
    end
  end
  assign offset = first_q ? 0 : 1 + (slot_q + Depth - 32'(dut.i_queue.head_q)) % Depth;

  of_lines_t left;
  logic present, current;
  int unsigned all_left;
  always_comb begin
    present  = 1'b1;
    current  = 1'b1;
    all_left = 0;
    for (int unsigned i = 0; i < Lines; i++) begin
      left[i] = dut.left_q[i][node_s_i];
      present &= dut.left_q[i] >> Nodes == '0;
      if (dut.owes_q && i < 32'(dut.line_q)) current &= dut.left_q[i] == '0;
      if (dut.owes_q && i == 32'(dut.line_q)) current &= dut.left_q[i] == dut.here_q;
      for (int unsigned n = 0; n < Nodes; n++) all_left += 32'(dut.left_q[i][n]);
    end
    messages   = '0;
    invs       = '0;
    ahead      = '0;
    invs_ahead = '0;
    for (int unsigned k = 0; k <= Depth; k++) begin
      entry_t entry;
      of_lines_t waits, earlier;
      entry = dut.i_queue.store_q[slot(k-1)];
      if (k == 0) entry.item = dut.item_q;
      waits   = (k == 0) ? left : (k <= held) ? owed(entry) : '0;
      // Of the followed message's item, what is before it.
      earlier = (k < offset) ? waits : (k == offset) ? lower(waits, line_s_q) : '0;
      messages += 32'(number(waits));
      ahead += 32'(number(earlier));
      if (entry.item.kind == FwdKindInv) begin
        invs += 32'(number(waits));
        invs_ahead += 32'(number(earlier)) + 32'(k == offset);
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      induct_queue :
      assert (held < Depth && 32'(dut.i_queue.head_q) < Depth && 32'(dut.i_queue.tail_q) == slot(held));
      induct_free : assert (32'(dut.free_q) == Depth - held - 32'(dut.busy_q));
      induct_nothing_waits_for_nothing : assert (dut.busy_q || (held == 0 && dut.left_q == '0));
      // The line that is sent from, its nodes, and whether anything is behind its first message.
      induct_line :
      assert (dut.owes_q ? 32'(dut.line_q) < Lines && dut.here_q != '0 : dut.here_q == '0);
      induct_here : assert (current);
      induct_more : assert (dut.more_q == (all_left > 1));
      induct_queue_says :
      assert (dut.i_queue.valid_q == (held != 0) && dut.i_queue.ready_q == (held != Depth));
      induct_owes : assert (dut.owes_q == (dut.left_q != '0));
      induct_present : assert (present);
      induct_coming : assert (dut.coming_q[node_s_i] == dut.emitted_q[node_s_i] + 16'd1);
      induct_counts : assert (32'(queued_q) == messages && 32'(invs_q) == invs);
      induct_seen : assert (emitted_q - dut.seen_q[node_s_i] < 16'h8000);
      induct_seen_of_made : assert (made_q - dut.seen_q[node_s_i] < 16'h8000);
      if (follows_q) begin
        induct_followed_slot : assert (first_q ? dut.busy_q : slot_q < Depth && offset <= held);
        induct_followed_item :
        assert ((first_q ? dut.item_q == followed : dut.i_queue.store_q[slot_q] == followed_q) &&
                32'(line_s_q) < Lines);
        induct_followed_waits : assert (((first_q ? left : owed(followed_q)) >> line_s_q) % 2 == 1);
        induct_followed_ahead : assert (32'(ahead_q) == ahead);
        induct_followed_stamp : assert (stamp_q - emitted_q == stamp_t'(invs_ahead));
      end
    end
  end
endmodule
