// SPDX-License-Identifier: Apache-2.0

/// Frames between host and board, and the messages in them: docs/frames.md.
package host_frame_pkg;
  localparam int unsigned Version = 1;
  localparam logic [7:0] Sync0 = 8'h57;
  localparam logic [7:0] Sync1 = 8'ha9;
  /// Bytes of a header behind its sync, of them before the check; bytes around a payload; most bytes of one.
  localparam int unsigned HeaderBytes = 10;
  localparam int unsigned CheckFrom = 8;
  localparam int unsigned Around = 16;
  localparam int unsigned PayloadMax = 1024;
  /// Bytes of payload that wait to be executed.
  localparam int unsigned Window = 2048;
  localparam int unsigned ResetBytes = 5;
  localparam logic [3:0] KindData = 4'd0;
  localparam logic [3:0] KindReset = 4'd1;

  localparam logic [15:0] CheckBegin = 16'hffff;
  localparam logic [31:0] CrcBegin = 32'hffff_ffff;

  typedef enum logic [7:0] {
    CodeNop = 8'h00,
    CodeRead = 8'h01,
    CodeWrite = 8'h02,
    CodePeek = 8'h03,
    CodePoke = 8'h04,
    CodeFill = 8'h05,
    CodeEcho = 8'h06,
    CodeRun = 8'h07,
    CodeUntil = 8'h08,
    CodeFree = 8'h09,
    CodeZero = 8'h0a,
    CodeCancel = 8'h0b,
    CodeReport = 8'h40,
    CodeIdentity = 8'h41,
    CodeRefused = 8'h42
  } code_e;

  typedef enum logic [7:0] {
    RefusedNot = 8'd0,
    RefusedCommand = 8'd1,
    RefusedCut = 8'd2,
    RefusedPort = 8'd3,
    RefusedInFlight = 8'd4,
    RefusedSize = 8'd5,
    RefusedField = 8'd6,
    RefusedAddress = 8'd7
  } refused_e;

  typedef enum logic [7:0] {
    StopNone = 8'd0,
    StopAnswer = 8'd1,
    StopLimit = 8'd2,
    StopFlag = 8'd3
  } stop_e;

  /// What was dropped since the reset; each stands at its greatest value.
  typedef struct packed {
    logic [15:0] room;
    logic [15:0] sequence_number;
    logic [15:0] crc;
    logic [15:0] header;
    logic [31:0] bytes;
  } counts_t;

  /// CRC-16, CCITT: highest bit first.
  function automatic logic [15:0] check_step(logic [15:0] check, logic [7:0] data);
    logic [15:0] value;
    value = check ^ {data, 8'd0};
    for (int unsigned i = 0; i < 8; i++) value = {value[14:0], 1'b0} ^ (value[15] ? 16'h1021 : 16'h0);
    return value;
  endfunction

  /// CRC-32, Ethernet's: lowest bit first. Its complement is sent.
  function automatic logic [31:0] crc_step(logic [31:0] crc, logic [7:0] data);
    logic [31:0] value;
    value = crc ^ {24'd0, data};
    for (int unsigned i = 0; i < 8; i++) value = {1'b0, value[31:1]} ^ (value[0] ? 32'hedb8_8320 : 32'h0);
    return value;
  endfunction
endpackage
