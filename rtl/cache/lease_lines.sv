// SPDX-License-Identifier: Apache-2.0

/// The time stamps of a cache's lines: when each value was written, until when it may be read. Read in stage A with
/// the tags, compared in stage B; a change is seen by the very next step. What a line without tag has here is of no
/// meaning.
module lease_lines #(
  parameter int unsigned Sets = 16,
  parameter int unsigned Ways = 4,
  /// Bits of a time, 4 to 16; the ports have 16, of which the upper ones are zero.
  parameter int unsigned TimeBits = weft_pkg::LeaseBits,
  localparam int unsigned SetBits = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned WayBits = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic               clk_i,
  /// Stage A.
  input  logic               lookup_i,
  input  logic [SetBits-1:0] lookup_set_i,
  /// Stage B: the line's way, and the time by which it is asked for.
  input  logic [WayBits-1:0] way_i,
  input  logic [       15:0] now_i,
  output logic               live_o,
  output logic [       15:0] wts_o,
  output logic [       15:0] rts_o,
  /// Stage B: a line is installed.
  input  logic               install_i,
  input  logic [SetBits-1:0] set_i,
  input  logic [WayBits-1:0] install_way_i,
  input  logic [       15:0] wts_i,
  input  logic [       15:0] rts_i
);
  typedef struct packed {
    logic [TimeBits-1:0] wts;
    logic [TimeBits-1:0] rts;
  } stamps_t;
  stamps_t [Ways-1:0] stamps;
  stamps_t installed;
  logic [Ways-1:0] write;

  assign installed = '{wts: TimeBits'(wts_i), rts: TimeBits'(rts_i)};
  always_comb begin
    write = '0;
    write[install_way_i] = install_i;
  end

  ram #(
    .Words(Sets),
    .Width(Ways * $bits(stamps_t)),
    .Granule($bits(stamps_t))
  ) u_stamps (
    .clk_i,
    .ren_i  (lookup_i),
    .raddr_i(lookup_set_i),
    .rdata_o(stamps),
    .wen_i  (write),
    .waddr_i(set_i),
    .wdata_i({Ways{installed}})
  );

  assign wts_o  = 16'(stamps[way_i].wts);
  assign rts_o  = 16'(stamps[way_i].rts);
  assign live_o = now_i <= rts_o;

  // Times beyond the field are 0.
  if (TimeBits < 16) begin : gen_narrow
    logic unused;
    assign unused = ^{wts_i[15:TimeBits], rts_i[15:TimeBits]};
  end
endmodule
