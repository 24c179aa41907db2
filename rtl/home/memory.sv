// SPDX-License-Identifier: Apache-2.0

/// The memory behind one home bank: whole lines, in order.
///
/// One access every `Interval` cycles; a read taken in cycle t is answered from cycle t + Latency on, a write
/// is not answered. Answers wait in a queue that holds as many reads as the home can have in flight, so that
/// `req_ready_o` never depends on whether answers are taken (asserted). The host reads and writes the same
/// array through a second port with its own clock, while fabric time stands. All zero at the start; reset
/// leaves the contents alone, clearing is the host's.
module memory
  import weft_pkg::*;
#(
  /// Lines of this bank, a power of two.
  parameter int unsigned Lines = 32'(MemoryBytes / L2Banks / Line),
  /// Cycles from taking a read to its answer, from 2 to 1000.
  parameter int unsigned Latency = MemoryLatency,
  /// Cycles between two accesses, from 1.
  parameter int unsigned Interval = MemoryInterval,
  /// Reads in flight, from 1.
  parameter int unsigned Reads = HomeFetches,
  /// Derived, not to be set.
  localparam int unsigned IndexWidth = $clog2(Lines)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  fault_e                fault_i,
  input  logic                  req_valid_i,
  output logic                  req_ready_o,
  input  mem_req_t              req_i,
  output logic                  rsp_valid_o,
  input  logic                  rsp_ready_i,
  output mem_rsp_t              rsp_o,
  /// The host's port. Data of a read stands from the next host cycle on.
  input  logic                  clk_host_i,
  input  logic                  host_en_i,
  input  logic                  host_write_i,
  /// The line's number inside the bank.
  input  logic [IndexWidth-1:0] host_index_i,
  input  line_t                 host_wdata_i,
  output line_t                 host_rdata_o
);
  // Banks interleave at 4 KiB: the bank number stands in the middle of the address and is left out.
  localparam int unsigned PageBits = 12;
  localparam int unsigned BankBits = $clog2(L2Banks);
  localparam int unsigned LineBits = $clog2(Line);
  // Half of the range exceeds the latency.
  localparam int unsigned TimeWidth = $clog2(Latency + 2) + 1;
  localparam int unsigned Depth = (Reads > 2) ? 1 << $clog2(Reads) : 2;
  typedef logic [35:0] offset_t;
  typedef logic [TimeWidth-1:0] cycle_t;

  function automatic logic [IndexWidth-1:0] bank_line(offset_t offset);
    return IndexWidth'({offset >> (PageBits + BankBits), offset[PageBits-1:LineBits]});
  endfunction

  // ---------------------------------------------------------------- one access every Interval cycles
  logic take;
  assign take = req_valid_i && req_ready_o;

  if (Interval > 1) begin : gen_interval
    logic [$clog2(Interval)-1:0] wait_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) wait_q <= '0;
      else if (take) wait_q <= $bits(wait_q)'(Interval - 1);
      else if (wait_q != '0) wait_q <= wait_q - $bits(wait_q)'(1);
    end
    assign req_ready_o = wait_q == '0;
  end else begin : gen_every_cycle
    assign req_ready_o = 1'b1;
  end

  // ---------------------------------------------------------------- the array
  line_t wdata, rdata;
  logic unused;

  // The node's own number and the byte in the line are not needed.
  assign unused = ^{req_i.address[39:36], req_i.address[LineBits-1:0]};

  always_comb begin
    wdata = req_i.data;
    if (Faults != 0 && fault_i == FaultMemoryLosesByte) wdata[7:0] = '0;
  end

  ram_dual #(
    .Words(Lines),
    .Width($bits(line_t))
  ) i_array (
    .clk_a_i(clk_i),
    .en_a_i(take),
    .write_a_i(req_i.write),
    .address_a_i(bank_line(req_i.address[35:0])),
    .wdata_a_i(wdata),
    .rdata_a_o(rdata),
    .clk_b_i(clk_host_i),
    .en_b_i(host_en_i),
    .write_b_i(host_write_i),
    .address_b_i(host_index_i),
    .wdata_b_i(host_wdata_i),
    .rdata_b_o(host_rdata_o)
  );

  // ---------------------------------------------------------------- answers
  logic read_q;
  logic [$bits(req_i.id)-1:0] id_q;
  cycle_t now_q;
  mem_rsp_t answer;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      now_q  <= '0;
    end else begin
      read_q <= take && !req_i.write;
      now_q  <= now_q + cycle_t'(1);
    end
    id_q <= req_i.id;
  end

  assign answer = '{id: id_q, data: rdata};

  // Written one cycle after the read was taken, when the array's output is there.
  delay_fifo #(
    .T(mem_rsp_t),
    .Depth(Depth),
    .TimeWidth(TimeWidth)
  ) i_answers (
    .clk_i,
    .rst_ni,
    .now_i(now_q),
    .write_i(read_q),
    .arrival_i(now_q + cycle_t'(Latency - 1)),
    .data_i(answer),
    .valid_o(rsp_valid_o),
    .ready_i(rsp_ready_i),
    .data_o(rsp_o)
  );

  if (Lines < 2 || Lines != (1 << IndexWidth)) begin : gen_check_lines
    $error("memory: Lines must be a power of two, at least 2");
  end
  if (Latency < 2 || Latency > 1000) begin : gen_check_latency
    $error("memory: Latency must be from 2 to 1000");
  end
  if (Interval < 1) begin : gen_check_interval
    $error("memory: Interval must be at least 1");
  end
endmodule
