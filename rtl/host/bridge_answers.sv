// SPDX-License-Identifier: Apache-2.0

/// Answers of the fabric as DONE messages: kept from the cycle in which they come, which nothing can hold up, until they
/// are sent.
module bridge_answers
  import weft_pkg::*;
#(
  /// Answers of one port that are kept, from 3.
  parameter int unsigned Depth = 4,
  /// Derived, not to be set.
  localparam int unsigned Ports = Nodes * Cus,
  localparam int unsigned PortBits = (Ports > 1) ? $clog2(Ports) : 1,
  localparam int unsigned WarpBits = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int unsigned TagBits = (Outstanding > 1) ? $clog2(Outstanding) : 1,
  localparam int unsigned SlotBits = PortBits + WarpBits + TagBits
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic reset_i,

  /// An operation takes its place: bytes of its answer that the host wants, 0 for none.
  input  logic                note_i,
  input  logic [SlotBits-1:0] note_slot_i,
  input  logic [         6:0] note_offset_i,
  input  logic [         7:0] note_count_i,
  /// Places that are in use. An answer for another one is nobody's, and dropped.
  input  logic [2**SlotBits-1:0] busy_i,
  output logic                free_o,
  output logic [SlotBits-1:0] free_slot_o,

  input  logic                tick_i,
  input  logic [31:0]         now_i,
  /// Time is free: cycles are not told.
  input  logic                untimed_i,
  input  logic    [Ports-1:0] cu_valid_i,
  input  cu_rsp_t [Ports-1:0] cu_rsp_i,
  /// Whatever is answered in this cycle and in the next has room.
  output logic                room_o,
  /// Nothing waits to be sent.
  output logic                empty_o,

  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o,
  output logic       last_o
);
  typedef logic [PortBits-1:0] port_t;
  typedef struct packed {
    logic [31:0] cycle;
    cu_rsp_t     rsp;
  } kept_t;
  typedef logic [$clog2(Depth+1)-1:0] free_t;
  typedef logic [$clog2(Depth)-1:0] index_t;

  function automatic index_t behind(index_t index);
    return (index == index_t'(Depth - 1)) ? '0 : index + index_t'(1);
  endfunction

  // ---------------------------------------------------------------- kept
  logic [Ports-1:0] kept_valid, kept_take;
  kept_t kept[Ports];
  free_t free[Ports];

  // A queue per port, in block RAM: an answer is wide, and there are few. It is written a cycle after it came, since it comes late
  // from a RAM of its own; its place is taken at once. The first one stands at the output from the cycle on in which `kept_valid` is
  // seen; what is written in the cycle in which it is read is read again.
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    (* ram_style = "block" *)
    logic [$bits(kept_t)-1:0] store_q[Depth];
    logic [$bits(kept_t)-1:0] read_q;
    index_t head_q, tail_q;
    free_t free_q, kept_q;
    logic push, push_q;
    kept_t came_q;

    assign push = tick_i && cu_valid_i[p];
    assign kept_valid[p] = kept_q != '0;
    assign kept[p] = read_q;
    assign free[p] = free_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || reset_i) begin
        head_q <= '0;
        tail_q <= '0;
        free_q <= free_t'(Depth);
        kept_q <= '0;
        push_q <= 1'b0;
      end else begin
        if (push_q) tail_q <= behind(tail_q);
        if (kept_take[p]) head_q <= behind(head_q);
        free_q <= free_q - free_t'(push) + free_t'(kept_take[p]);
        kept_q <= kept_q + free_t'(push_q) - free_t'(kept_take[p]);
        push_q <= push;
      end
    end

    always_ff @(posedge clk_i) begin
      came_q <= {now_i, cu_rsp_i[p]};
      if (push_q) store_q[tail_q] <= came_q;
      read_q <= store_q[head_q];
      if (push_q && tail_q == head_q) read_q <= 'x;
    end
  end

  logic none_came;
  always_comb begin
    room_o    = 1'b1;
    none_came = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (free[p] < free_t'(2)) room_o = 1'b0;
      if (free[p] != free_t'(Depth)) none_came = 1'b0;
    end
  end

  // ---------------------------------------------------------------- what the host wants of them
  typedef struct packed {
    logic [6:0] offset;
    logic [7:0] count;
  } want_t;
  want_t want_q[2**SlotBits];
  always_ff @(posedge clk_i) if (note_i) want_q[note_slot_i] <= {note_offset_i, note_count_i};

  // ---------------------------------------------------------------- sent
  typedef enum logic [2:0] {
    StIdle,
    StTake,
    StLook,
    StHead,
    StData
  } state_e;
  state_e state_q;
  port_t port_q, port;
  logic [SlotBits-1:0] slot;
  kept_t kept_q;
  want_t want_now, want_now_q;
  logic [3:0] at_q;
  logic [7:0] sent_q;
  logic timed_q, known, go, head_ends, data_ends;
  logic [3:0] head_last;
  localparam int unsigned ByteBits = $clog2(Line);
  logic [ByteBits-1:0] byte_q;

  always_comb begin
    port = '0;
    for (int p = Ports - 1; p >= 0; p--) if (kept_valid[p]) port = port_t'(p);
  end

  assign slot = {port_q, kept_q.rsp.warp[WarpBits-1:0], kept_q.rsp.tag[TagBits-1:0]};
  assign go = valid_o && ready_i;
  assign head_last = 4'd2 + (timed_q ? 4'd4 : 4'd0) + ((want_now_q.count != '0) ? 4'd2 : 4'd0);
  assign head_ends = state_q == StHead && at_q == head_last;
  assign data_ends = state_q == StData && sent_q + 8'd1 == want_now_q.count;
  assign last_o = (head_ends && want_now_q.count == '0) || data_ends;
  assign valid_o = (state_q == StHead || state_q == StData);
  assign free_o = go && last_o;
  assign free_slot_o = slot;
  assign empty_o = none_came && state_q == StIdle;

  always_comb begin
    kept_take = '0;
    kept_take[port_q] = state_q == StTake;
  end

  // Without a cycle, what follows it stands in its place.
  logic [3:0] field;
  assign field = (at_q > 4'd2 && !timed_q) ? at_q + 4'd4 : at_q;

  always_comb begin
    unique case (field)
      4'd0: data_o = {1'b1, kept_q.rsp.error, timed_q, want_now_q.count != '0, kept_q.rsp.warp};
      4'd1: data_o = {1'b0, 3'(32'(port_q) % Cus), 4'(32'(port_q) / Cus)};
      4'd2: data_o = kept_q.rsp.tag;
      4'd3: data_o = kept_q.cycle[7:0];
      4'd4: data_o = kept_q.cycle[15:8];
      4'd5: data_o = kept_q.cycle[23:16];
      4'd6: data_o = kept_q.cycle[31:24];
      4'd7: data_o = {1'b0, want_now_q.offset};
      default: data_o = want_now_q.count;
    endcase
    if (state_q == StData) data_o = kept_q.rsp.data[8*byte_q+:8];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle: if (kept_valid != '0) state_q <= StTake;
        StTake: state_q <= StLook;
        StLook: state_q <= known ? StHead : StIdle;
        StHead: if (go && head_ends) state_q <= (want_now_q.count == '0) ? StIdle : StData;
        default: if (go && last_o) state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) port_q <= port;
    if (state_q == StTake) kept_q <= kept[port_q];
    if (state_q == StLook) begin
      want_now_q <= want_now;
      byte_q     <= want_now.offset[ByteBits-1:0];
      timed_q    <= !untimed_i;
    end
    if (state_q == StLook) at_q <= '0;
    else if (go) at_q <= at_q + 4'd1;
    if (state_q == StLook) sent_q <= '0;
    else if (go && state_q == StData) sent_q <= sent_q + 8'd1;
    if (go && state_q == StData) byte_q <= byte_q + 1'b1;
  end

  assign known = busy_i[slot];
  assign want_now = want_q[slot];

  if (Depth < 3) begin : gen_check_depth
    $error("bridge_answers: Depth must be at least 3");
  end
endmodule
