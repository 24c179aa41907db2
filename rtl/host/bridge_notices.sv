// SPDX-License-Identifier: Apache-2.0

/// What the board says unasked (docs/frames.md): who it is, after a reset; and what it had to drop.
module bridge_notices
  import weft_pkg::*;
  import host_frame_pkg::*;
#(
  /// Frequency of the fabric's clock in Hz, for the host to read; 0 for simulation.
  parameter int unsigned ClockHz = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  /// One cycle: say who it is, with this nonce.
  input  logic        reset_i,
  input  logic [31:0] nonce_i,
  input  counts_t     counts_i,

  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o,
  output logic       last_o
);
  localparam int unsigned IdentityBytes = 63;
  localparam int unsigned ReportBytes = 13;

  typedef enum logic [1:0] {
    StIdle,
    StIdentity,
    StReport
  } state_e;
  state_e state_q;
  logic [5:0] at_q;
  logic [31:0] nonce_q;
  counts_t said_q;
  logic go;

  // The hash is said as its hex digits are written: the highest byte first.
  function automatic logic [255:0] swapped(logic [255:0] value);
    logic [255:0] out;
    for (int unsigned i = 0; i < 32; i++) out[8*i+:8] = value[8*(31-i)+:8];
    return out;
  endfunction

  logic [8*IdentityBytes-1:0] identity;
  logic [8*ReportBytes-1:0] report;
  assign identity = {
    nonce_q,
    16'(Window),
    16'(weft_counters_pkg::Count),
    8'($clog2(MemoryBytes)),
    8'(L2Banks),
    8'(Line),
    8'(Outstanding),
    8'(Warps),
    8'(Cus),
    8'(Memories),
    8'(Nodes),
    8'(Faults),
    32'(ClockHz),
    swapped(Hash),
    32'(Abi),
    8'(Version),
    32'h5446_4557,
    CodeIdentity
  };
  assign report = {said_q, CodeReport};

  assign valid_o = state_q != StIdle;
  assign go = valid_o && ready_i;
  assign data_o = (state_q == StIdentity) ? identity[8*at_q+:8] : report[8*at_q[3:0]+:8];
  assign last_o = at_q == ((state_q == StIdentity) ? 6'(IdentityBytes - 1) : 6'(ReportBytes - 1));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      said_q  <= '0;
      at_q    <= '0;
    end else if (reset_i) begin
      state_q <= StIdentity;
      said_q  <= '0;
      at_q    <= '0;
    end else if (state_q == StIdle) begin
      at_q <= '0;
      if (said_q != counts_i) begin
        state_q <= StReport;
        said_q  <= counts_i;
      end
    end else if (go) begin
      at_q <= at_q + 6'd1;
      if (last_o) state_q <= StIdle;
    end
  end
  always_ff @(posedge clk_i) if (reset_i) nonce_q <= nonce_i;
endmodule
