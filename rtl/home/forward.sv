// SPDX-License-Identifier: Apache-2.0

/// The forward queue of a home bank: INVs and MARKs on their way to other nodes, in the order in which the
/// home made them (R1, R6). It is the directory's eviction buffer too.
///
/// An item stands for one message to each node of its mask; messages leave one per cycle, lowest node first,
/// items in order. Per node the queue keeps how many INVs were pushed (`sent`), how many were put out (the
/// stamps), and the last stamp that the node acknowledged (`seen`). A node with `seen = sent` has applied
/// every INV of this home, and a marker may skip it.
module forward #(
  /// Nodes on the switch, 1 to 16.
  parameter int unsigned Nodes = 4,
  /// Items in the queue.
  parameter int unsigned Depth = 8
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  /// The home's node number; steady.
  input  logic                [              3:0] self_i,
  input  logic                [              5:0] fault_i,
  /// Push: only when `free_o` is not 0. Its nodes never include the home.
  input  logic                                    item_valid_i,
  input  weft_pkg::fwd_item_t                     item_i,
  /// Items that can still be pushed, as of the beginning of the cycle.
  output logic                [$clog2(Depth+1)-1:0] free_o,
  /// A node acknowledged all INVs up to the stamp.
  input  logic                                    seen_valid_i,
  input  logic                [              3:0] seen_src_i,
  input  logic                [             15:0] seen_stamp_i,
  /// Nodes that have not acknowledged all that was pushed, as of the beginning of the cycle.
  output logic                [             15:0] unseen_o,
  /// Messages out.
  output logic                                    valid_o,
  input  logic                                    ready_i,
  output weft_pkg::fwd_t                          fwd_o
);
  import weft_pkg::*;

  typedef logic [15:0] stamp_t;
  typedef logic [15:0] nodes_t;
  localparam nodes_t Present = 16'hffff >> (16 - Nodes);

  // The queue, and which nodes of its first item were served.
  logic queue_valid, queue_ready, head_valid, head_ready;
  fwd_item_t head, item;
  nodes_t done_q, done_next, head_nodes, first;
  logic fire;

  fifo #(
    .T    (fwd_item_t),
    .Depth(Depth)
  ) i_queue (
    .clk_i,
    .rst_ni,
    .valid_i(queue_valid),
    .ready_o(queue_ready),
    .data_i (item_i),
    .valid_o(head_valid),
    .ready_i(head_ready),
    .data_o (head),
    .free_o
  );

  // `item` is what is being sent, with the nodes that are left of it.
  assign head_nodes = head_valid ? head.nodes & Present : '0;
  assign first      = item.nodes & (~item.nodes + nodes_t'(1));
  assign valid_o    = item.nodes != '0;
  assign fire       = valid_o && ready_i;

  // An item leaves with its last message; one without nodes leaves by itself.
  logic serves_head;
  assign done_next  = done_q | ((fire && serves_head) ? first : '0);
  assign head_ready = (head_nodes & ~done_next) == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (head_valid && head_ready)) done_q <= '0;
    else done_q <= done_next;
  end

  // With the fault, a MARK that finds INVs queued waits in a place of its own and leaves before them.
  logic skip_early;
  if (Faults != 0) begin : gen_fault
    fwd_item_t side_q;
    logic overtakes;

    assign skip_early = fault_i == FaultForwardSkipEarly;
    assign overtakes = fault_i == FaultForwardMarkOvertakes && item_i.kind == FwdKindMark && head_valid &&
                       side_q.nodes == '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        side_q <= '0;
      end else if (item_valid_i && overtakes) begin
        side_q       <= item_i;
        side_q.nodes <= item_i.nodes & Present;
      end else if (fire) begin
        side_q.nodes <= side_q.nodes & ~first;
      end
    end

    assign queue_valid = item_valid_i && !overtakes;
    assign serves_head = side_q.nodes == '0;
    always_comb begin
      item = side_q;
      if (serves_head) begin
        item       = head;
        item.nodes = head_nodes & ~done_q;
      end
    end
  end else begin : gen_no_fault
    assign skip_early  = 1'b0;
    assign queue_valid = item_valid_i;
    assign serves_head = 1'b1;
    always_comb begin
      item       = head;
      item.nodes = head_nodes & ~done_q;
    end
    logic unused;
    assign unused = ^fault_i;
  end

  // Counts per node, modulo 2^16, compared as signed numbers: `sent` is kept less than 2^15 ahead of `seen`,
  // by taking `seen` along. Nothing is lost by that: the node stays unseen until a later stamp comes.
  localparam stamp_t Farthest = 16'h7fff;
  stamp_t [Nodes-1:0] sent_q, sent_next, emitted_q, emitted_next, seen_q, seen_next;
  logic invalidates, marks;

  assign invalidates = item_valid_i && item_i.kind == FwdKindInv;
  assign marks       = item_valid_i && item_i.kind == FwdKindMark;

  always_comb begin
    sent_next    = sent_q;
    emitted_next = emitted_q;
    seen_next    = seen_q;
    for (int unsigned n = 0; n < Nodes; n++) begin
      if (invalidates && item_i.nodes[n]) sent_next[n] = sent_q[n] + 16'd1;
      if (item.kind == FwdKindInv && first[n]) emitted_next[n] = emitted_q[n] + 16'd1;
      // Acknowledgements of several markers may change places on their way: only a stamp ahead counts.
      if (seen_valid_i && seen_src_i == 4'(n) && $signed(seen_stamp_i - seen_q[n]) > $signed(16'd0)) begin
        seen_next[n] = seen_stamp_i;
      end else if (invalidates && item_i.nodes[n] && sent_q[n] - seen_q[n] == Farthest) begin
        seen_next[n] = seen_q[n] + 16'd1;
      end
      if (skip_early && marks && item_i.nodes[n]) seen_next[n] = sent_q[n];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sent_q    <= '0;
      emitted_q <= '0;
      seen_q    <= '0;
    end else begin
      sent_q <= sent_next;
      seen_q <= seen_next;
      if (fire) emitted_q <= emitted_next;
    end
  end

  always_comb begin
    unseen_o = '0;
    for (int unsigned n = 0; n < Nodes; n++) unseen_o[n] = sent_q[n] != seen_q[n];
  end

  // The message: its stamp counts the INVs put out to its node, itself included.
  always_comb begin
    fwd_o = '{
        kind: item.kind,
        src: self_i,
        dst: '0,
        cause: item.cause,
        releaser: item.releaser,
        id: item.id,
        stamp: '0,
        address: item.address
    };
    for (int unsigned n = 0; n < Nodes; n++) begin
      if (first[n]) begin
        fwd_o.dst |= 4'(n);
        fwd_o.stamp |= emitted_next[n];
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (queue_ready || !queue_valid);
  end
`endif

  if (Nodes < 1 || Nodes > 16) begin : gen_check_nodes
    $error("forward: Nodes must be 1 to 16");
  end
  if (Depth < 1) begin : gen_check_depth
    $error("forward: Depth must be at least 1");
  end
endmodule
