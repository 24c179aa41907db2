// SPDX-License-Identifier: Apache-2.0

/// What the forward queue promises (R1, R6): every INV and MARK leaves once, in the order in which the home made
/// them, with a stamp that counts the INVs made for its node until then; and no node counts as up to date while
/// an INV for it stands here.
///
/// The solver chooses one node (`node_s_i`) and one message to it (`mark_i`), which is followed.
module forward_props
  import weft_pkg::*;
#(
  parameter int unsigned Nodes = 3,
  parameter int unsigned Depth = 2
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic       [ 3:0] self_i,
  input logic              item_valid_i,
  input fwd_item_t         item_i,
  input logic              seen_valid_i,
  input logic       [ 3:0] seen_src_i,
  input logic       [15:0] seen_stamp_i,
  input logic              ready_i,
  input logic       [ 3:0] node_s_i,
  input logic              mark_i
);
  typedef logic [15:0] stamp_t;

  logic [$clog2(Depth+1)-1:0] free_o;
  logic [15:0] unseen_o;
  logic valid_o;
  fwd_t fwd_o;

  forward #(
    .Nodes(Nodes), .Depth(Depth)
  ) dut (
    .fault_i(FaultNone), .*
  );

  // ---------------------------------------------------------------- counted from outside
  // Messages to the node that stand in the queue, INVs among them, INVs made for it and put out to it.
  logic [7:0] queued_q, invs_q, ahead_q;
  stamp_t made_q, emitted_q, stamp_q;
  logic comes, leaves, makes, emits, follows_q;
  fwd_item_t followed_q;
  logic [3:0] node_s_q;

  assign comes  = item_valid_i && item_i.nodes[node_s_i];
  assign makes  = comes && item_i.kind == FwdKindInv;
  assign leaves = valid_o && ready_i && fwd_o.dst == node_s_i;
  assign emits  = leaves && fwd_o.kind == FwdKindInv;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    node_s_q  <= node_s_i;
    if (!rst_ni) begin
      queued_q  <= '0;
      invs_q    <= '0;
      made_q    <= '0;
      emitted_q <= '0;
      follows_q <= 1'b0;
    end else begin
      queued_q  <= queued_q + 8'(comes) - 8'(leaves);
      invs_q    <= invs_q + 8'(makes) - 8'(emits);
      made_q    <= made_q + stamp_t'(makes);
      emitted_q <= emitted_q + stamp_t'(emits);
      if (follows_q) begin
        if (leaves && ahead_q == '0) follows_q <= 1'b0;
        else if (leaves) ahead_q <= ahead_q - 8'd1;
      end else if (comes && mark_i) begin
        follows_q  <= 1'b1;
        followed_q <= item_i;
        stamp_q    <= made_q + stamp_t'(makes);
        ahead_q    <= queued_q - 8'(leaves);
      end
    end
  end

  // The rules: room is looked at; a node acknowledges only what was put out to it.
  always_comb begin
    if (!started_q) assume (!rst_ni);
    else assume (node_s_i == node_s_q);
    assume (32'(node_s_i) < Nodes);
    if (rst_ni) begin
      assume (!item_valid_i || free_o != '0);
      assume (item_i.kind == FwdKindInv || item_i.kind == FwdKindMark);
      assume (!seen_valid_i || seen_src_i != node_s_i || $signed(emitted_q - seen_stamp_i) >= 0);
    end
  end

  // ---------------------------------------------------------------- properties
  logic due;
  assign due = follows_q && leaves && ahead_q == '0;
  always_comb begin
    if (rst_ni) begin
      // An item without nodes takes a cycle in which nothing leaves.
      message_not_lost : assert (!follows_q || valid_o || (dut.head_valid && dut.head_nodes == '0));
      message_in_its_place :
      assert (!due || (fwd_o.kind == followed_q.kind && fwd_o.address == followed_q.address &&
                       fwd_o.cause == followed_q.cause && fwd_o.releaser == followed_q.releaser &&
                       fwd_o.id == followed_q.id && fwd_o.src == self_i));
      nothing_of_its_own : assert (!leaves || queued_q != '0);
      stamp_counts_all_earlier_invs : assert (!due || fwd_o.stamp == stamp_q);
      only_to_nodes_that_exist : assert (!valid_o || 32'(fwd_o.dst) < Nodes);
      never_up_to_date_with_an_inv_queued : assert (invs_q == '0 || unseen_o[node_s_i]);

      reach_full : cover (free_o == '0);
      reach_mark_behind_an_inv : cover (due && fwd_o.kind == FwdKindMark && fwd_o.stamp == 16'd2);
      reach_item_for_two : cover (due && $countones(followed_q.nodes) == 2);
      reach_up_to_date_again : cover (made_q == 16'd2 && !unseen_o[node_s_i]);
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  logic [31:0] held;
  assign held = Depth - 32'(dut.i_queue.free_q);

  function automatic int unsigned slot(int unsigned offset);
    return (32'(dut.i_queue.head_q) + offset) % Depth;
  endfunction

  // Where the followed message's item stands, from the head.
  logic [31:0] offset, messages, invs, ahead, invs_ahead;
  logic [31:0] slot_q;
  always_ff @(posedge clk_i) if (!follows_q) slot_q <= 32'(dut.i_queue.tail_q);
  assign offset = (slot_q + Depth - 32'(dut.i_queue.head_q)) % Depth;

  always_comb begin
    messages   = '0;
    invs       = '0;
    ahead      = '0;
    invs_ahead = '0;
    for (int unsigned k = 0; k < Depth; k++) begin
      fwd_item_t item;
      logic waits;
      item  = dut.i_queue.store_q[slot(k)];
      waits = k < held && item.nodes[node_s_i] && !(k == 0 && dut.done_q[node_s_i]);
      messages += 32'(waits);
      invs += 32'(waits && item.kind == FwdKindInv);
      if (k < offset) ahead += 32'(waits);
      if (k <= offset) invs_ahead += 32'(waits && item.kind == FwdKindInv);
    end
  end

  always_comb begin
    if (rst_ni) begin
      induct_queue :
      assert (held <= Depth && 32'(dut.i_queue.head_q) < Depth && 32'(dut.i_queue.tail_q) == slot(held));
      induct_done : assert ((dut.done_q & ~dut.head_nodes) == '0);
      induct_not_all_done : assert (dut.done_q == '0 || dut.done_q != dut.head_nodes);
      induct_lowest_first : assert ((dut.done_q & ~(dut.first - 16'd1)) == '0);
      induct_counts : assert (32'(queued_q) == messages && 32'(invs_q) == invs);
      induct_stamps : assert (dut.sent_q[node_s_i] == made_q && dut.emitted_q[node_s_i] == emitted_q);
      induct_made : assert (made_q - emitted_q == 16'(invs_q));
      induct_seen : assert (emitted_q - dut.seen_q[node_s_i] < 16'h8000);
      induct_seen_of_made : assert (made_q - dut.seen_q[node_s_i] < 16'h8000);
      if (follows_q) begin
        induct_followed_slot : assert (slot_q < Depth && offset < held);
        induct_followed_item :
        assert (dut.i_queue.store_q[slot_q] == followed_q && followed_q.nodes[node_s_i]);
        induct_followed_waits : assert (offset != 0 || !dut.done_q[node_s_i]);
        induct_followed_ahead : assert (32'(ahead_q) == ahead);
        induct_followed_stamp : assert (stamp_q - emitted_q == stamp_t'(invs_ahead));
      end
    end
  end
endmodule
