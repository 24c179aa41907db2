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
  logic rx_valid, rx_ready, rx_last, reset_comes, reset;
  logic [7:0] rx_data, flags, expected;
  logic [15:0] executed;
  logic [31:0] nonce;
  counts_t counts;

  frame_rx i_rx (
    .clk_i,
    .rst_ni,
    .valid_i,
    .data_i,
    .valid_o   (rx_valid),
    .ready_i   (rx_ready),
    .data_o    (rx_data),
    .last_o    (rx_last),
    .reset_o   (reset_comes),
    .nonce_o   (nonce),
    .flags_o   (flags),
    .expected_o(expected),
    .executed_o(executed),
    .counts_o  (counts)
  );

  // Known only with the last bit of a CRC, and needed everywhere: a cycle later. Nothing waits in the buffer then.
  always_ff @(posedge clk_i) reset <= rst_ni && reset_comes;

  // A message of one of three sources at a time: notices, answers, commands.
  logic [2:0] message_valid, message_ready, message_last, grant_q, grant;
  logic [2:0][7:0] message_data;
  logic tx_valid, tx_ready, tx_last, within_q, idle;
  logic [7:0] tx_data;

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
    tx_valid = (message_valid & grant) != '0;
    tx_last = (message_last & grant) != '0;
    tx_data = (grant[0] ? message_data[0] : '0) | (grant[1] ? message_data[1] : '0) |
        (grant[2] ? message_data[2] : '0);
    message_ready = tx_ready ? grant : '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset) begin
      within_q <= 1'b0;
      grant_q  <= 3'b001;
    end else if (tx_valid && tx_ready) begin
      within_q <= !tx_last;
      grant_q  <= grant;
    end
  end

  frame_tx i_tx (
    .clk_i,
    .rst_ni,
    .reset_i   (reset),
    .valid_i   (tx_valid),
    .ready_o   (tx_ready),
    .data_i    (tx_data),
    .last_i    (tx_last),
    .expected_i(expected),
    .executed_i(executed),
    .idle_i    (idle),
    .valid_o,
    .ready_i,
    .data_o
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
  // Its clock ticks meanwhile. Longer than anything in it takes to see the reset.
  logic [3:0] hold_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || (reset && flags[0])) hold_q <= '1;
    else if (hold_q != '0) hold_q <= hold_q - 4'd1;
  end
  assign fabric_rst_no = hold_q == '0;
  logic unused;
  assign unused = ^flags[7:1];

  // ---------------------------------------------------------------- time
  logic start, to_answer, free_start, zero, tick, show, running, free, settled, room;
  logic [31:0] limit;
  logic [63:0] now;
  stop_e reason;

  bridge_time i_time (
    .clk_i,
    .rst_ni,
    .reset_i    (reset),
    .halt_i     (halted_o),
    .start_i    (start),
    .to_answer_i(to_answer),
    .limit_i    (limit),
    .free_i     (free_start),
    .zero_i     (zero),
    .settled_i  (settled),
    .room_i     (room),
    .answer_i   (cu_valid_i != '0),
    .tick_o     (tick),
    .now_o      (now),
    .show_o     (show),
    .running_o  (running),
    .reason_o   (reason),
    .free_o     (free)
  );
  assign tick_o = tick || hold_q != '0;

  // ---------------------------------------------------------------- operations and answers
  logic op_valid, op_ready, cancel, slot_free, empty;
  logic [PortBits-1:0] op_port;
  logic [31:0] op_issue;
  cu_req_t op_req;
  logic [6:0] op_offset;
  logic [7:0] op_count;
  logic [SlotBits-1:0] op_slot, free_slot;
  logic [2**SlotBits-1:0] busy;
  logic [15:0] waiting;

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
    .wait_i     (hold_q != '0),
    .valid_i    (rx_valid),
    .ready_o    (rx_ready),
    .data_i     (rx_data),
    .last_i     (rx_last),
    .executed_i (executed),
    .valid_o    (message_valid[2]),
    .ready_i    (message_ready[2]),
    .data_o     (message_data[2]),
    .last_o     (message_last[2]),
    .op_valid_o (op_valid),
    .op_ready_i (op_ready),
    .op_busy_i  (busy[op_slot]),
    .op_port_o  (op_port),
    .op_issue_o (op_issue),
    .op_req_o   (op_req),
    .op_offset_o(op_offset),
    .op_count_o (op_count),
    .cancel_o   (cancel),
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

  assign dropped_o = counts != '0;
  assign running_o = running || free;
endmodule
