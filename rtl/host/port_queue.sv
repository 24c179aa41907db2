// SPDX-License-Identifier: Apache-2.0

/// The operations that wait for their CU's port, in the order that the library lays down: a port shows, of those whose
/// cycle has come, the one with the smallest (issue, warp, order of arrival), until it is taken.
///
/// Every operation has a place of its own by its port, warp and tag, which is free again when it was answered. A port's
/// operations are a list through these places, sorted as they come; the bridge stops fabric time while it loads what is
/// due, so that sorting and loading cost no fabric cycle.
module port_queue
  import weft_pkg::*;
#(
  /// Derived, not to be set.
  localparam int unsigned Ports = Nodes * Cus,
  localparam int unsigned PortBits = (Ports > 1) ? $clog2(Ports) : 1,
  localparam int unsigned WarpBits = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned TagBits = (Outstanding > 1) ? $clog2(Outstanding) : 1,
  localparam int unsigned SlotBits = PortBits + WarpBits + TagBits
) (
  input  logic clk_i,
  input  logic rst_ni,
  /// Forget all, also what is in flight.
  input  logic reset_i,
  /// Forget what no port has taken; `waiting_o` says how much that is. No tick in this cycle or the two before it.
  input  logic cancel_i,
  output logic [15:0] waiting_o,

  /// A new operation, held until it is in its place. Its port and the low bits of its warp and tag are its place; these and
  /// its cycle stand at least one cycle before `valid_i` does.
  input  logic                valid_i,
  output logic                ready_o,
  input  logic [PortBits-1:0] port_i,
  input  logic [        31:0] issue_i,
  input  cu_req_t             req_i,
  output logic [SlotBits-1:0] slot_o,
  /// Places that are not free.
  output logic [2**SlotBits-1:0] busy_o,
  /// One cycle: this place is free again.
  input  logic                free_i,
  input  logic [SlotBits-1:0] free_slot_i,

  /// The cycle that is now, and the one behind it; the clock of the fabric ticks at its end.
  input  logic [31:0] now_i,
  input  logic [31:0] next_i,
  input  logic        tick_i,
  /// What is due may be shown.
  input  logic        show_i,
  /// In the next cycle, all that is due then is shown.
  output logic        settled_o,

  output logic    [Ports-1:0] cu_valid_o,
  input  logic    [Ports-1:0] cu_ready_i,
  output cu_req_t [Ports-1:0] cu_req_o
);
  localparam int unsigned Slots = 2 ** SlotBits;
  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [PortBits-1:0] port_t;
  typedef logic [WarpBits-1:0] warp_t;

  typedef enum logic [2:0] {
    StIdle,
    StNext,
    StRead,
    StWalk,
    StLink,
    StLoad
  } state_e;

  // ---------------------------------------------------------------- lists
  slot_t next_q[Slots];
  logic [31:0] issue_q[Slots];
  slot_t head_q[Ports], tail_q[Ports];
  logic [31:0] head_issue_q[Ports];
  logic [Ports-1:0] any_q, shown_q, due, taken;
  cu_req_t shown_req_q[Ports];
  logic [Slots-1:0] busy_q, waits_q;
  logic [15:0] waiting_q;

  state_e state_q;
  slot_t slot, at_q;
  port_t load_port, load_port_q;
  logic load, forget;
  cu_req_t loaded_q;

  assign slot = {port_i, req_i.warp[WarpBits-1:0], req_i.tag[TagBits-1:0]};
  assign slot_o = slot;
  assign busy_o = busy_q;
  assign waiting_o = waiting_q;
  assign forget = reset_i || cancel_i;

  /// Whether the new operation goes before one of this cycle and warp. Cycles are compared the nearer way round.
  function automatic logic goes_first(logic [31:0] other_issue, warp_t other_warp);
    logic [31+WarpBits:0] difference;
    difference = {issue_i, slot[TagBits+:WarpBits]} - {other_issue, other_warp};
    return difference[31+WarpBits];
  endfunction

  // ---------------------------------------------------------------- where the new one goes
  slot_t tail, head, next_at_q;
  logic [31:0] next_issue_q;
  logic first_q, at_end_q, at_begin_q, fresh_q, found;

  assign tail = tail_q[port_i];
  assign head = head_q[port_i];
  assign found = goes_first(next_issue_q, next_at_q[TagBits+:WarpBits]);
  assign ready_o = (state_q == StIdle && fresh_q && (first_q || at_end_q || at_begin_q)) || state_q == StLink;

  // Compared a cycle ahead; anew when the list has changed since.
  always_ff @(posedge clk_i) begin
    first_q      <= !any_q[port_i];
    at_end_q     <= !goes_first(issue_q[tail], tail[TagBits+:WarpBits]);
    at_begin_q   <= goes_first(head_issue_q[port_i], head[TagBits+:WarpBits]);
    fresh_q      <= state_q == StIdle && !load && !(valid_i && ready_o);
    next_at_q    <= next_q[at_q];
    next_issue_q <= issue_q[next_at_q];
  end

  // ---------------------------------------------------------------- what is due
  // Both answers are there before it is known whether this cycle ticks. Loading looks at the last cycle's: what it sees
  // of a list that has changed since is due as well. Whether a port takes what it is shown is known late: if more is due
  // there, time waits a cycle after each tick to find out.
  logic [31:0] age[Ports], age_next[Ports];
  logic [Ports-1:0] due_q;

  always_comb begin
    load = 1'b0;
    load_port = '0;
    settled_o = state_q != StLoad;
    for (int unsigned p = 0; p < Ports; p++) begin
      age[p] = now_i - head_issue_q[p];
      age_next[p] = next_i - head_issue_q[p];
      due[p] = any_q[p] && !(tick_i ? age_next[p][31] : age[p][31]);
      taken[p] = tick_i && shown_q[p] && cu_ready_i[p];
      if (due[p] && (!shown_q[p] || tick_i)) settled_o = 1'b0;
    end
    for (int p = Ports - 1; p >= 0; p--) begin
      if (due_q[p] && any_q[p] && !shown_q[p]) begin
        load = show_i && state_q == StIdle && !valid_i;
        load_port = port_t'(p);
      end
    end
  end
  always_ff @(posedge clk_i) due_q <= due;

  // ---------------------------------------------------------------- steps
  always_ff @(posedge clk_i) begin
    if (!rst_ni || forget) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle: begin
          if (valid_i && fresh_q && !ready_o) state_q <= StNext;
          else if (load) state_q <= StLoad;
        end
        StNext: state_q <= StRead;
        StRead: state_q <= StWalk;
        StWalk: state_q <= found ? StLink : StNext;
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    load_port_q <= load_port;
    if (state_q == StIdle) at_q <= head;
    else if (state_q == StWalk && !found) at_q <= next_at_q;
  end

  logic link;
  slot_t link_at, link_to;
  always_comb begin
    link = 1'b0;
    link_at = tail;
    link_to = slot;
    if (state_q == StIdle && valid_i && fresh_q && !first_q) begin
      if (at_end_q) begin
        link = 1'b1;
      end else if (at_begin_q) begin
        link = 1'b1;
        link_at = slot;
        link_to = head;
      end
    end else if (state_q == StWalk && found) begin
      link = 1'b1;
      link_at = slot;
      link_to = next_at_q;
    end else if (state_q == StLink) begin
      link = 1'b1;
      link_at = at_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (link) next_q[link_at] <= link_to;
    if (valid_i) issue_q[slot] <= issue_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || forget) begin
      any_q   <= '0;
      shown_q <= '0;
    end else begin
      shown_q <= shown_q & ~taken;
      if (state_q == StIdle && valid_i && ready_o) any_q[port_i] <= 1'b1;
      if (load) any_q[load_port] <= head_q[load_port] != tail_q[load_port];
      if (state_q == StLoad) shown_q[load_port_q] <= 1'b1;
    end
  end

  // Of no use when all is forgotten, and so not held up by whether it is.
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle && valid_i && ready_o) begin
      if (first_q || !at_end_q) begin
        head_q[port_i] <= slot;
        head_issue_q[port_i] <= issue_i;
      end
      if (first_q || at_end_q) tail_q[port_i] <= slot;
    end
    if (load) head_q[load_port] <= next_q[head_q[load_port]];
    if (state_q == StLoad) begin
      shown_req_q[load_port_q] <= loaded_q;
      head_issue_q[load_port_q] <= issue_q[head_q[load_port_q]];
    end
  end

  // ---------------------------------------------------------------- places
  // What was taken is counted a cycle later: who takes it decides late. Its port still shows it.
  logic [Slots-1:0] took;
  logic [15:0] took_count;
  logic [Ports-1:0] taken_q;
  always_ff @(posedge clk_i) taken_q <= (rst_ni && !reset_i) ? taken : '0;

  always_comb begin
    took = '0;
    took_count = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (taken_q[p]) begin
        took[{port_t'(p), shown_req_q[p].warp[WarpBits-1:0], shown_req_q[p].tag[TagBits-1:0]}] = 1'b1;
        took_count += 16'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i) begin
      busy_q    <= '0;
      waits_q   <= '0;
      waiting_q <= '0;
    end else if (cancel_i) begin
      busy_q    <= busy_q & ~waits_q;
      waits_q   <= '0;
      waiting_q <= '0;
      if (free_i) busy_q[free_slot_i] <= 1'b0;
    end else begin
      waits_q <= waits_q & ~took;
      waiting_q <= waiting_q - took_count + 16'(valid_i && ready_o);
      if (free_i) busy_q[free_slot_i] <= 1'b0;
      if (valid_i && ready_o) begin
        busy_q[slot]  <= 1'b1;
        waits_q[slot] <= 1'b1;
      end
    end
  end

  // Never read and written in one cycle, so it needs no more than a block RAM gives.
  (* ram_style = "block" *)
  logic [$bits(cu_req_t)-1:0] request_q[Slots];
  always_ff @(posedge clk_i) begin
    if (valid_i) request_q[slot] <= req_i;
    if (load) loaded_q <= request_q[head_q[load_port]];
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign cu_valid_o[p] = shown_q[p];
    assign cu_req_o[p]   = shown_req_q[p];
  end
endmodule
