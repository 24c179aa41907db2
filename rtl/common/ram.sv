// SPDX-License-Identifier: Apache-2.0

/// Memory with one read and one write port: every RAM of the fabric is one of these, so that a technology's
/// own macro can take its place in this file alone.
///
/// The read is synchronous: data stands at `rdata_o` the cycle after `ren_i` and stays until the next one.
/// Write first: a read gives the bytes that the same cycle writes. The array itself is not asked to do so
/// (block RAMs give old or undefined data then); what was written is kept beside it and put in its place.
/// All zero at the start; reset does not touch it.
module ram #(
  /// Number of words, from 1.
  parameter int unsigned Words = 16,
  /// Bits of a word.
  parameter int unsigned Width = 32,
  /// Bits that one write enable covers; divides Width.
  parameter int unsigned Granule = Width,
  /// Block RAM is to be taken, however few words there are: LUTs of many RAMs lie far apart, and all of them want the address.
  /* verilator lint_off UNUSEDPARAM */
  parameter bit Block = 1'b0,  // read by synthesis alone
  /* verilator lint_on UNUSEDPARAM */
  /// Derived, not to be set.
  localparam int unsigned AddressWidth = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic                     clk_i,
  input  logic                     ren_i,
  input  logic [ AddressWidth-1:0] raddr_i,
  output logic [        Width-1:0] rdata_o,
  /// One bit per granule.
  input  logic [Width/Granule-1:0] wen_i,
  input  logic [ AddressWidth-1:0] waddr_i,
  input  logic [        Width-1:0] wdata_i
);
  localparam int unsigned Granules = Width / Granule;

  (* ram_style = Block ? "block" : "auto" *)
  logic [Width-1:0] store_q[Words];
  logic [Width-1:0] read_q, bypass_q;
  logic [Granules-1:0] collides, bypass_valid_q;

  assign collides = (raddr_i == waddr_i) ? wen_i : '0;

  initial begin
    for (int unsigned w = 0; w < Words; w++) store_q[w] = '0;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < Granules; g++) begin
      if (wen_i[g]) store_q[waddr_i][g*Granule+:Granule] <= wdata_i[g*Granule+:Granule];
    end
  end

  // What is read while it is written is unknown, so that synthesis need not build a second bypass.
  always_ff @(posedge clk_i) begin
    if (ren_i) begin
      read_q <= store_q[raddr_i];
      for (int unsigned g = 0; g < Granules; g++) begin
        if (collides[g]) read_q[g*Granule+:Granule] <= 'x;
      end
      bypass_q       <= wdata_i;
      bypass_valid_q <= collides;
    end
  end

  always_comb begin
    rdata_o = read_q;
    // Says nothing new; spares the simulator the loop. (Before the loops above it would cost the block RAM.)
    if (bypass_valid_q != '0) begin
      for (int unsigned g = 0; g < Granules; g++) begin
        if (bypass_valid_q[g]) rdata_o[g*Granule+:Granule] = bypass_q[g*Granule+:Granule];
      end
    end
  end

  if (Words < 1) begin : gen_check_words
    $error("ram: Words must be at least 1");
  end
  if (Granule < 1 || Width < Granule || Width % Granule != 0) begin : gen_check_granule
    $error("ram: Granule must divide Width");
  end
endmodule
