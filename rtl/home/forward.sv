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
  /// Cycles that `unseen_o` is behind, up to 2; nobody asks in so many cycles after a push or an acknowledgement.
  parameter int unsigned Late = 0,
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
  output weft_pkg::fwd_t                          fwd_o,
  /// The message is its item's last.
  output logic                                    last_o
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

  // All but the first.
  function automatic nodes_t rest_of(nodes_t nodes);
    logic found;
    found   = 1'b0;
    rest_of = '0;
    for (int unsigned n = 0; n < Nodes; n++) begin
      rest_of[n] = nodes[n] && found;
      found |= nodes[n];
    end
  endfunction

  // The item that is being sent, with what is left of it, stands before the queue; what is pushed while nothing waits goes
  // there at once. Both together hold `Depth` items.
  logic queue_valid, queue_ready, next_valid, loads, pushes_now, ends, busy_q;
  entry_t pushed_entry, next_entry, loaded;
  fwd_item_t item, item_q;
  owed_t left_q, left_next, loaded_owed, behind;
  nodes_t first, line_left, here_q;
  logic [6:0] line, line_q;
  logic fire, one_left, serves_head, owes_q, more_q;
  logic [$clog2(Depth+1)-1:0] free_q;

  assign pushed_entry = '{item: item_i, lines: lines_i};
  fifo #(
    .T    (entry_t),
    .Depth(Depth)
  ) i_queue (
    .clk_i,
    .rst_ni,
    .valid_i(queue_valid && !(loads && !next_valid)),
    .ready_o(queue_ready),
    .data_i (pushed_entry),
    .valid_o(next_valid),
    .ready_i(loads),
    .data_o (next_entry),
    /* verilator lint_off PINCONNECTEMPTY */
    .free_o ()
    /* verilator lint_on PINCONNECTEMPTY */
  );
  assign loads      = !busy_q || ends;
  assign loaded     = next_valid ? next_entry : pushed_entry;
  assign pushes_now = next_valid || queue_valid;
  assign loaded_owed = pushes_now ? owed_of(loaded, self_i) : '0;
  assign free_o     = free_q;
  always_ff @(posedge clk_i) begin
    if (loads) begin
      busy_q <= pushes_now;
      item_q <= loaded.item;
    end
    left_q <= loads ? loaded_owed : left_next;
    // What is not over has something left.
    if (loads) owes_q <= loaded_owed != '0;
    free_q <= free_q - $bits(free_q)'(queue_valid) + $bits(free_q)'(busy_q && ends);
    if (!rst_ni) begin
      busy_q <= 1'b0;
      owes_q <= 1'b0;
      left_q <= '0;
      free_q <= $bits(free_q)'(Depth);
    end
  end

  // What is sent: of what is left its first line (`line_q`, and its nodes `here_q`), and of that its first node. Which line comes
  // behind it is found before it has left: of the same item, or the first of the next one. In a tree over the lines, whose leaves
  // are numbered from `Leaves` and whose root is 1: of each branch its first line, whether it has any and whether more than one message.
  localparam int unsigned Leaves = 1 << $clog2(Lines);
  nodes_t [2*Leaves-1:1] branch_left;
  logic [2*Leaves-1:1][6:0] branch_line;
  logic [2*Leaves-1:1] branch_any, branch_more;
  always_comb begin
    behind = loaded_owed;
    if (busy_q && more_q) begin
      behind = left_q;
      for (int unsigned i = 0; i < Lines; i++) if (line_q == 7'(i)) behind[i] = '0;
    end
    branch_left = '0;
    branch_line = '0;
    branch_any  = '0;
    branch_more = '0;
    for (int unsigned i = 0; i < Lines; i++) begin
      branch_left[Leaves+i] = behind[i];
      branch_line[Leaves+i] = 7'(i);
      branch_any[Leaves+i]  = behind[i] != '0;
      branch_more[Leaves+i] = rest_of(behind[i]) != '0;
    end
    for (int unsigned b = Leaves - 1; b > 0; b--) begin
      logic lower;
      lower          = branch_any[2*b];
      branch_left[b] = lower ? branch_left[2*b] : branch_left[2*b+1];
      branch_line[b] = lower ? branch_line[2*b] : branch_line[2*b+1];
      branch_any[b]  = branch_any[2*b] || branch_any[2*b+1];
      branch_more[b] = branch_more[2*b] || branch_more[2*b+1] || (branch_any[2*b] && branch_any[2*b+1]);
    end
  end

  nodes_t here_rest;
  logic serves;
  assign here_rest = rest_of(here_q);
  assign serves    = ready_i && serves_head;
  always_ff @(posedge clk_i) begin
    if (loads || (serves && here_rest == '0)) begin
      line_q <= branch_line[1];
      here_q <= branch_left[1];
      more_q <= branch_more[1];
    end else if (serves) begin
      here_q <= here_rest;
      more_q <= rest_of(here_rest) != '0 || (more_q && branch_any[1]);
    end
    if (!rst_ni) begin
      here_q <= '0;
      more_q <= 1'b0;
    end
  end
  assign one_left = !more_q;
  assign last_o   = serves_head && one_left;
  assign first    = line_left & ~rest_of(line_left);
  assign fire     = valid_o && ready_i;

  // An item leaves with its last message; one without nodes leaves by itself.
  always_comb begin
    left_next = left_q;
    for (int unsigned i = 0; i < Lines; i++) begin
      if (serves && line_q == 7'(i)) left_next[i] = rest_of(left_q[i]);
    end
  end
  assign ends = serves_head && (!valid_o || (one_left && ready_i));

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
    assign overtakes = may_overtake && item_i.kind == FwdKindMark && busy_q && side_q.nodes == '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        side_q <= '0;
      end else if (item_valid_i && overtakes) begin
        side_q       <= item_i;
        side_q.nodes <= item_i.nodes & Present;
      end else if (fire) begin
        side_q.nodes <= side_q.nodes & ~first;
      end
      if (!rst_ni || (!busy_q && !queue_valid)) only_evictions_q <= 1'b1;
      else if (queue_valid && (item_i.kind != FwdKindInv || item_i.cause != CauseEvict))
        only_evictions_q <= 1'b0;
    end

    assign queue_valid = item_valid_i && !overtakes;
    assign serves_head = side_q.nodes == '0;
    assign valid_o     = owes_q || !serves_head;
    assign item      = serves_head ? item_q : side_q;
    assign line      = serves_head ? line_q : '0;
    assign line_left = serves_head ? here_q : nodes_t'(side_q.nodes);
  end else begin : gen_no_fault
    assign skip_early  = 1'b0;
    assign queue_valid = item_valid_i;
    assign serves_head = 1'b1;
    assign valid_o     = owes_q;
    assign item        = item_q;
    assign line        = line_q;
    assign line_left   = here_q;
    logic unused;
    assign unused = ^{fault_i, fire};
  end

  // Counts per node, modulo 2^16, compared as signed numbers: `sent` is kept less than 2^15 ahead of `seen`,
  // by taking `seen` along. Nothing is lost by that: the node stays unseen until a later stamp comes.
  localparam stamp_t Farthest = 16'h7fff;
  // `coming` is the stamp of the next INV: one more than `emitted`.
  stamp_t [Nodes-1:0] sent_q, sent_next, emitted_q, coming_q, seen_q, seen_next;
  // INVs of the item that is pushed, per node; and what else moves the counts.
  typedef struct packed {
    logic   invalidates;
    logic   marks;
    nodes_t nodes;
    logic       seen;
    logic [3:0] seen_src;
    stamp_t     seen_stamp;
  } change_t;
  logic [Nodes-1:0][7:0] pushes, known_pushes;
  change_t change, counted, known;
  owed_t pushed, pushed_now;
  logic invalidates;
  assign invalidates = item_valid_i && item_i.kind == FwdKindInv;
  assign pushed_now  = invalidates ? owed_of('{item: item_i, lines: lines_i}, self_i) : '0;
  always_comb begin
    change = '{
        invalidates: invalidates,
        marks: item_valid_i && item_i.kind == FwdKindMark,
        nodes: item_i.nodes,
        seen: seen_valid_i,
        seen_src: seen_src_i,
        seen_stamp: seen_stamp_i
    };
    pushes = '0;
    for (int unsigned n = 0; n < Nodes; n++) begin
      for (int unsigned i = 0; i < Lines; i++) pushes[n] += 8'(pushed[i][n]);
    end
  end
  cut #(
    .Width($bits(change_t) + $bits(owed_t)),
    .Cut  (32'(Late > 1))
  ) i_pushed (
    .clk_i,
    .data_i({change, pushed_now}),
    .data_o({counted, pushed})
  );
  cut #(
    .Width($bits(change_t) + 8 * Nodes),
    .Cut  (32'(Late > 0))
  ) i_change (
    .clk_i,
    .data_i({counted, pushes}),
    .data_o({known, known_pushes})
  );

  always_comb begin
    seen_next = seen_q;
    for (int unsigned n = 0; n < Nodes; n++) begin
      sent_next[n] = sent_q[n] + 16'(known_pushes[n]);
      // Acknowledgements of several markers may change places on their way: only a stamp ahead counts.
      if (known.seen && known.seen_src == 4'(n) && $signed(
              known.seen_stamp - seen_q[n]
          ) > $signed(
              16'd0
          )) begin
        seen_next[n] = known.seen_stamp;
      end
      if (known.invalidates && sent_next[n] - seen_next[n] > Farthest) seen_next[n] = sent_next[n] - Farthest;
      if (skip_early && known.marks && known.nodes[n]) seen_next[n] = sent_q[n];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sent_q    <= '0;
      emitted_q <= '0;
      coming_q  <= {Nodes{stamp_t'(1)}};
      seen_q    <= '0;
    end else begin
      sent_q <= sent_next;
      seen_q <= seen_next;
      for (int unsigned n = 0; n < Nodes; n++) begin
        if (ready_i && item.kind == FwdKindInv && first[n]) begin
          emitted_q[n] <= coming_q[n];
          coming_q[n]  <= coming_q[n] + stamp_t'(1);
        end
      end
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
        fwd_o.stamp |= (item.kind == FwdKindInv) ? coming_q[n] : emitted_q[n];
      end
    end
  end

  // What an item owes is in `left_q`.
  logic unused_item;
  assign unused_item = ^{item.nodes, item.spread};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert ((queue_ready && free_q != '0) || !queue_valid);
  end
`endif

  if (Late > 2) begin : gen_check_late
    $error("forward: Late must be 0 to 2");
  end
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
