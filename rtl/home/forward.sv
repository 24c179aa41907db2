// SPDX-License-Identifier: Apache-2.0

/// The forward queue of a home bank: INVs and MARKs on their way to other nodes, in the order in which the
/// home made them (R1, R6). It is the directory's eviction buffer too.
///
/// An item stands for one message to each node of its mask; messages leave one per cycle, lowest node first,
/// items in order. An item that is spread stands for an INV of several lines, each to sharers of its own: lowest
/// line first. Per node the queue keeps how many INVs were pushed (`sent`), how many were put out (the
/// stamps), and the last stamp that the node acknowledged (`seen`). A node with `seen = sent` has applied
/// every INV of this home, and a marker may skip it.
module forward #(
  /// Nodes on the switch, 1 to 16.
  parameter int unsigned Nodes = 4,
  /// Items in the queue.
  parameter int unsigned Depth = 8,
  /// Lines that an item may be spread over.
  parameter int unsigned Lines = 1,
  /// Bytes of a line.
  parameter int unsigned Line = 64,
  /// Follows from Nodes: sharer bits of a line.
  parameter int unsigned Sharers = (Nodes > 1) ? Nodes - 1 : 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  /// The home's node number; steady.
  input  logic                [              3:0] self_i,
  input  logic                [              6:0] fault_i,
  /// Push: only when `free_o` is not 0. Its nodes never include the home.
  input  logic                                    item_valid_i,
  input  weft_pkg::fwd_item_t                     item_i,
  /// Of an item that is spread: who gets an INV of which line, by sharer bit.
  input  logic                [        Lines-1:0][Sharers-1:0] lines_i,
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

  // What an item owes: a message to each of these nodes, for each of these lines. One that is not spread has all of
  // it in line 0.
  typedef nodes_t [Lines-1:0] owed_t;
  typedef struct packed {
    fwd_item_t item;
    logic [Lines-1:0][Sharers-1:0] lines;
  } entry_t;

  function automatic owed_t owed_of(entry_t entry, logic [3:0] self);
    owed_of = '0;
    if (Lines > 1 && entry.item.spread) begin
      for (int unsigned i = 0; i < Lines; i++) begin
        for (int unsigned s = 0; s < Sharers && Nodes > 1; s++) begin
          if (4'(s) < self) owed_of[i][s] = entry.lines[i][s];
          else owed_of[i][s+1] = entry.lines[i][s];
        end
      end
    end else begin
      owed_of[0] = entry.item.nodes & Present;
    end
  endfunction

  // The queue, and which messages of its first item have left.
  logic queue_valid, queue_ready, head_valid, head_ready;
  entry_t head;
  fwd_item_t item;
  owed_t done_q, done_next, head_owed, left;
  nodes_t first;
  logic [6:0] line;
  logic fire;

  fifo #(
    .T    (entry_t),
    .Depth(Depth)
  ) i_queue (
    .clk_i,
    .rst_ni,
    .valid_i(queue_valid),
    .ready_o(queue_ready),
    .data_i ('{item: item_i, lines: lines_i}),
    .valid_o(head_valid),
    .ready_i(head_ready),
    .data_o (head),
    .free_o
  );

  // `item` is what is being sent, with what is left of it: its first line, and of that its first node.
  nodes_t line_left;
  assign head_owed = head_valid ? owed_of(head, self_i) : '0;
  always_comb begin
    line      = '0;
    line_left = '0;
    for (int unsigned i = Lines; i > 0; i--) begin
      if (left[i-1] != '0) begin
        line      = 7'(i - 1);
        line_left = left[i-1];
      end
    end
  end
  assign first   = line_left & (~line_left + nodes_t'(1));
  assign valid_o = line_left != '0;
  assign fire    = valid_o && ready_i;

  // An item leaves with its last message; one without nodes leaves by itself.
  logic serves_head;
  always_comb begin
    done_next = done_q;
    for (int unsigned i = 0; i < Lines; i++) begin
      if (fire && serves_head && line == 7'(i)) done_next[i] = done_q[i] | first;
    end
  end
  assign head_ready = (head_owed & ~done_next) == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (head_valid && head_ready)) done_q <= '0;
    else done_q <= done_next;
  end

  // With the faults, a MARK that finds INVs queued waits in a place of its own and leaves before them.
  logic skip_early;
  if (Faults != 0) begin : gen_fault
    fwd_item_t side_q;
    logic overtakes, may_overtake;
    // Every INV that is queued now is an eviction's: what the second fault wants.
    logic only_evictions_q;

    assign skip_early = fault_i == FaultForwardSkipEarly;
    assign may_overtake = fault_i == FaultForwardMarkOvertakes ||
                          (fault_i == FaultForwardMarkOvertakesEvictions && only_evictions_q);
    assign overtakes = may_overtake && item_i.kind == FwdKindMark && head_valid && side_q.nodes == '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        side_q <= '0;
      end else if (item_valid_i && overtakes) begin
        side_q       <= item_i;
        side_q.nodes <= item_i.nodes & Present;
      end else if (fire) begin
        side_q.nodes <= side_q.nodes & ~first;
      end
      if (!rst_ni || (!head_valid && !queue_valid)) only_evictions_q <= 1'b1;
      else if (queue_valid && (item_i.kind != FwdKindInv || item_i.cause != CauseEvict))
        only_evictions_q <= 1'b0;
    end

    assign queue_valid = item_valid_i && !overtakes;
    assign serves_head = side_q.nodes == '0;
    always_comb begin
      item = serves_head ? head.item : side_q;
      left = head_owed & ~done_q;
      if (!serves_head) begin
        left    = '0;
        left[0] = side_q.nodes;
      end
    end
  end else begin : gen_no_fault
    assign skip_early  = 1'b0;
    assign queue_valid = item_valid_i;
    assign serves_head = 1'b1;
    assign item        = head.item;
    assign left        = head_owed & ~done_q;
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

  // INVs of the item that is pushed, per node.
  owed_t pushed;
  stamp_t [Nodes-1:0] pushes;
  assign pushed = invalidates ? owed_of('{item: item_i, lines: lines_i}, self_i) : '0;
  always_comb begin
    pushes = '0;
    for (int unsigned n = 0; n < Nodes; n++) begin
      for (int unsigned i = 0; i < Lines; i++) pushes[n] += 16'(pushed[i][n]);
    end
  end

  always_comb begin
    emitted_next = emitted_q;
    seen_next    = seen_q;
    for (int unsigned n = 0; n < Nodes; n++) begin
      sent_next[n] = sent_q[n] + pushes[n];
      if (item.kind == FwdKindInv && first[n]) emitted_next[n] = emitted_q[n] + 16'd1;
      // Acknowledgements of several markers may change places on their way: only a stamp ahead counts.
      if (seen_valid_i && seen_src_i == 4'(n) && $signed(seen_stamp_i - seen_q[n]) > $signed(16'd0)) begin
        seen_next[n] = seen_stamp_i;
      end
      if (invalidates && sent_next[n] - seen_next[n] > Farthest) seen_next[n] = sent_next[n] - Farthest;
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
        block: item.block,
        cause: item.cause,
        releaser: item.releaser,
        id: item.id,
        stamp: '0,
        address: item.address | (40'(line) << $clog2(Line))
    };
    for (int unsigned n = 0; n < Nodes; n++) begin
      if (first[n]) begin
        fwd_o.dst |= 4'(n);
        fwd_o.stamp |= emitted_next[n];
      end
    end
  end

  // What an item owes is in `left`.
  logic unused_item;
  assign unused_item = ^{item.nodes, item.spread};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (queue_ready || !queue_valid);
  end
`endif

  if (Nodes < 1 || Nodes > 16) begin : gen_check_nodes
    $error("forward: Nodes must be 1 to 16");
  end
  if (Lines < 1 || Lines > 128) begin : gen_check_lines
    $error("forward: Lines must be 1 to 128");
  end
  if (Depth < 1) begin : gen_check_depth
    $error("forward: Depth must be at least 1");
  end
endmodule
