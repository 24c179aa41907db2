// SPDX-License-Identifier: Apache-2.0

/// Between a stream of bytes and the fabric: frames of the host become accesses to CU ports, registers and memory, and what
/// comes of them becomes frames (docs/frames.md). It owns fabric time: `tick_o` is the enable of the fabric's clock, whose
/// edges otherwise coincide with those of `clk_i`.
module bridge
  import weft_pkg::*;
  import host_frame_pkg::*;
#(
  /// Frequency of the fabric's clock in Hz, for the host to read; 0 for simulation.
  parameter int unsigned ClockHz = 0
) (
  /// The host's clock.
  input  logic clk_i,
  input  logic rst_ni,

  /// Bytes from the host, of which one may come in every cycle, and to it.
  input  logic       valid_i,
  input  logic [7:0] data_i,
  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o,

  /// The fabric's clock ticks at the end of this cycle; its reset.
  output logic tick_o,
  output logic fabric_rst_no,

  output logic    [Nodes-1:0][Cus-1:0] cu_valid_o,
  input  logic    [Nodes-1:0][Cus-1:0] cu_ready_i,
  output cu_req_t [Nodes-1:0][Cus-1:0] cu_req_o,
  input  logic    [Nodes-1:0][Cus-1:0] cu_valid_i,
  input  cu_rsp_t [Nodes-1:0][Cus-1:0] cu_rsp_i,

  output logic        host_valid_o,
  output logic        host_write_o,
  output logic [23:0] host_address_o,
  output logic [31:0] host_wdata_o,
  input  logic        host_ready_i,
  input  logic [31:0] host_rdata_i,
  output logic        hmem_en_o,
  output logic        hmem_write_o,
  output logic [39:0] hmem_address_o,
  output line_t       hmem_wdata_o,
  input  line_t       hmem_rdata_i,

  /// For lamps: bytes of a frame were dropped since the reset; a command was refused; time runs.
  output logic dropped_o,
  output logic halted_o,
  output logic running_o
);
  localparam int unsigned Ports = Nodes * Cus;
  localparam int unsigned PortBits = (Ports > 1) ? $clog2(Ports) : 1;
  localparam int unsigned WarpBits = (Warps > 1) ? $clog2(Warps) : 1;
  localparam int unsigned TagBits = (Outstanding > 1) ? $clog2(Outstanding) : 1;
  localparam int unsigned SlotBits = PortBits + WarpBits + TagBits;

  // ---------------------------------------------------------------- frames
  // Registers at both ends and behind the buffers, whose block RAMs are slow: two bytes each, so that none waits.
  typedef struct packed {
    logic       last;
    logic [7:0] data;
  } byte_t;

  logic in_valid_q;
  logic [7:0] in_data_q;
  always_ff @(posedge clk_i) begin
    in_valid_q <= rst_ni && valid_i;
    in_data_q  <= data_i;
  end

  logic rx_valid, rx_ready, cmd_valid, cmd_ready, reset_comes, reset;
  byte_t rx, cmd;
  logic [7:0] flags, expected;
  logic [15:0] left, executed;
  logic [31:0] nonce;
  counts_t counts;

  frame_rx i_rx (
    .clk_i,
    .rst_ni,
    .valid_i   (in_valid_q),
    .data_i    (in_data_q),
    .valid_o   (rx_valid),
    .ready_i   (rx_ready),
    .data_o    (rx.data),
    .last_o    (rx.last),
    .reset_o   (reset_comes),
    .nonce_o   (nonce),
    .flags_o   (flags),
    .expected_o(expected),
    .executed_o(left),
    .counts_o  (counts)
  );

  // Known only with the last bit of a CRC, and needed everywhere: a cycle later. Nothing waits in the buffer then.
  always_ff @(posedge clk_i) reset <= rst_ni && reset_comes;

  logic [1:0] unused_cmd;
  fifo #(
    .T    (byte_t),
    .Depth(2)
  ) i_cmd (
    .clk_i,
    .rst_ni (rst_ni && !reset),
    .valid_i(rx_valid),
    .ready_o(rx_ready),
    .data_i (rx),
    .valid_o(cmd_valid),
    .ready_i(cmd_ready),
    .data_o (cmd),
    .free_o (unused_cmd)
  );
  // What has left the buffer is not executed for that.
  logic unused_left;
  assign unused_left = ^left;

  // A message of one of three sources at a time: notices, answers, commands.
  logic [2:0] message_valid, message_ready, message_last, grant_q, grant;
  logic [2:0][7:0] message_data;
  logic msg_valid, msg_ready, tx_valid, tx_ready, out_valid, out_ready, within_q, idle;
  logic result_valid, result_ready;
  byte_t msg, tx, result, result_next;
  logic [7:0] out_data;

  always_comb begin
    grant = grant_q;
    if (!within_q) begin
      grant = 3'b001;
      // Answers and commands take turns.
      if (!message_valid[0]) begin
        grant = grant_q[1] ? 3'b100 : 3'b010;
        if (!message_valid[1]) grant = 3'b100;
        else if (!message_valid[2]) grant = 3'b010;
      end
    end
    msg_valid = (message_valid & grant) != '0;
    msg.last = (message_last & grant) != '0;
    msg.data = (grant[0] ? message_data[0] : '0) | (grant[1] ? message_data[1] : '0) |
        (grant[2] ? message_data[2] : '0);
    message_ready = msg_ready ? grant : '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset) begin
      within_q <= 1'b0;
      grant_q  <= 3'b001;
    end else if (msg_valid && msg_ready) begin
      within_q <= !msg.last;
      grant_q  <= grant;
    end
  end

  // What commands say waits here for its turn, so that the turn is on no way between their states.
  logic [1:0] unused_result, unused_tx, unused_out;
  fifo #(
    .T    (byte_t),
    .Depth(2)
  ) i_result (
    .clk_i,
    .rst_ni (rst_ni && !reset),
    .valid_i(result_valid),
    .ready_o(result_ready),
    .data_i (result),
    .valid_o(message_valid[2]),
    .ready_i(message_ready[2]),
    .data_o (result_next),
    .free_o (unused_result)
  );
  assign message_data[2] = result_next.data;
  assign message_last[2] = result_next.last;

  fifo #(
    .T    (byte_t),
    .Depth(2)
  ) i_message (
    .clk_i,
    .rst_ni (rst_ni && !reset),
    .valid_i(msg_valid),
    .ready_o(msg_ready),
    .data_i (msg),
    .valid_o(tx_valid),
    .ready_i(tx_ready),
    .data_o (tx),
    .free_o (unused_tx)
  );

  frame_tx i_tx (
    .clk_i,
    .rst_ni,
    .reset_i   (reset),
    .valid_i   (tx_valid),
    .ready_o   (tx_ready),
    .data_i    (tx.data),
    .last_i    (tx.last),
    .expected_i(expected),
    .executed_i(executed),
    .idle_i    (idle && !rx_valid && message_valid == '0),
    .valid_o   (out_valid),
    .ready_i   (out_ready),
    .data_o    (out_data)
  );

  fifo #(
    .T    (logic [7:0]),
    .Depth(2)
  ) i_out (
    .clk_i,
    .rst_ni,
    .valid_i(out_valid),
    .ready_o(out_ready),
    .data_i (out_data),
    .valid_o,
    .ready_i,
    .data_o,
    .free_o (unused_out)
  );

  bridge_notices #(
    .ClockHz(ClockHz)
  ) i_notices (
    .clk_i,
    .rst_ni,
    .reset_i (reset),
    .nonce_i (nonce),
    .counts_i(counts),
    .valid_o (message_valid[0]),
    .ready_i (message_ready[0]),
    .data_o  (message_data[0]),
    .last_o  (message_last[0])
  );

  // ---------------------------------------------------------------- reset of the fabric
  // Its clock ticks meanwhile. Longer than anything in it takes to see the reset. Its last tick is one before the reset ends.
  logic [3:0] hold_q;
  logic fabric_rst_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || (reset && flags[0])) hold_q <= '1;
    else if (hold_q != '0) hold_q <= hold_q - 4'd1;
  end
  always_ff @(posedge clk_i) fabric_rst_q <= rst_ni && hold_q == '0;
  assign fabric_rst_no = fabric_rst_q;
  logic unused;
  assign unused = ^flags[7:1];

  // ---------------------------------------------------------------- time
  logic start, to_answer, free_start, zero, pause, tick, show, running, free, settled, room;
  logic [31:0] limit, next;
  logic [63:0] now;
  stop_e reason;

  bridge_time i_time (
    .clk_i,
    .rst_ni,
    .reset_i    (reset),
    .halt_i     (halted_o),
    .pause_i    (pause),
    .hold_i     (hold_q != '0),
    .start_i    (start),
    .to_answer_i(to_answer),
    .limit_i    (limit),
    .free_i     (free_start),
    .zero_i     (zero),
    .settled_i  (settled),
    .room_i     (room),
    .answer_i   (cu_valid_i != '0),
    .enable_o   (tick_o),
    .tick_o     (tick),
    .now_o      (now),
    .next_o     (next),
    .show_o     (show),
    .running_o  (running),
    .reason_o   (reason),
    .free_o     (free)
  );

  // ---------------------------------------------------------------- operations and answers
  logic op_valid, op_ready, cancel, slot_free, empty;
  logic [PortBits-1:0] op_port;
  logic [31:0] op_issue;
  cu_req_t op_req;
  logic [6:0] op_offset;
  logic [7:0] op_count;
  logic [SlotBits-1:0] op_slot, free_slot;
  logic [2**SlotBits-1:0] busy;
  logic op_busy_q;
  logic [15:0] waiting;
  always_ff @(posedge clk_i) op_busy_q <= busy[op_slot];

  port_queue i_queue (
    .clk_i,
    .rst_ni,
    .reset_i    (reset),
    .cancel_i   (cancel),
    .waiting_o  (waiting),
    .valid_i    (op_valid),
    .ready_o    (op_ready),
    .port_i     (op_port),
    .issue_i    (op_issue),
    .req_i      (op_req),
    .slot_o     (op_slot),
    .busy_o     (busy),
    .free_i     (slot_free),
    .free_slot_i(free_slot),
    .now_i      (now[31:0]),
    .next_i     (next),
    .tick_i     (tick),
    .show_i     (show),
    .settled_o  (settled),
    .cu_valid_o,
    .cu_ready_i,
    .cu_req_o
  );

  bridge_answers i_answers (
    .clk_i,
    .rst_ni,
    .reset_i      (reset),
    .note_i       (op_valid && op_ready),
    .note_slot_i  (op_slot),
    .note_offset_i(op_offset),
    .note_count_i (op_count),
    .busy_i       (busy),
    .free_o       (slot_free),
    .free_slot_o  (free_slot),
    .tick_i       (tick),
    .now_i        (now[31:0]),
    .untimed_i    (free),
    .cu_valid_i,
    .cu_rsp_i,
    .room_o       (room),
    .empty_o      (empty),
    .valid_o      (message_valid[1]),
    .ready_i      (message_ready[1]),
    .data_o       (message_data[1]),
    .last_o       (message_last[1])
  );

  bridge_commands i_commands (
    .clk_i,
    .rst_ni,
    .reset_i    (reset),
    .wait_i     (!fabric_rst_q),
    .valid_i    (cmd_valid),
    .ready_o    (cmd_ready),
    .data_i     (cmd.data),
    .last_i     (cmd.last),
    .executed_o (executed),
    .valid_o    (result_valid),
    .ready_i    (result_ready),
    .data_o     (result.data),
    .last_o     (result.last),
    .op_valid_o (op_valid),
    .op_ready_i (op_ready),
    .op_busy_i  (op_busy_q),
    .op_port_o  (op_port),
    .op_issue_o (op_issue),
    .op_req_o   (op_req),
    .op_offset_o(op_offset),
    .op_count_o (op_count),
    .cancel_o   (cancel),
    .pause_o    (pause),
    .waiting_i  (waiting),
    .host_valid_o,
    .host_write_o,
    .host_address_o,
    .host_wdata_o,
    .host_ready_i,
    .host_rdata_i,
    .hmem_en_o,
    .hmem_write_o,
    .hmem_address_o,
    .hmem_wdata_o,
    .hmem_rdata_i,
    .start_o    (start),
    .to_answer_o(to_answer),
    .limit_o    (limit),
    .free_o     (free_start),
    .zero_o     (zero),
    .running_i  (running),
    .reason_i   (reason),
    .now_i      (now),
    .empty_i    (empty),
    .idle_o     (idle),
    .halted_o
  );

  always_ff @(posedge clk_i) dropped_o <= counts != '0;
  assign running_o = running || free;
endmodule
