// SPDX-License-Identifier: Apache-2.0

/// Memory with two ports, each with a clock of its own; each reads or writes one word per cycle.
///
/// A port that is enabled and does not write gives the word in the next cycle and keeps it; a port that writes
/// leaves its output as it was. What a port reads while the other writes the same word is undefined: whoever
/// uses both keeps them apart in time. All zero at the start; there is no reset.
module ram_dual #(
  /// Number of words, from 2.
  parameter int unsigned Words = 16,
  /// Bits of a word.
  parameter int unsigned Width = 32,
  /// Derived, not to be set.
  localparam int unsigned AddressWidth = $clog2(Words)
) (
  input  logic                    clk_a_i,
  input  logic                    en_a_i,
  input  logic                    write_a_i,
  input  logic [AddressWidth-1:0] address_a_i,
  input  logic [       Width-1:0] wdata_a_i,
  output logic [       Width-1:0] rdata_a_o,
  input  logic                    clk_b_i,
  input  logic                    en_b_i,
  input  logic                    write_b_i,
  input  logic [AddressWidth-1:0] address_b_i,
  input  logic [       Width-1:0] wdata_b_i,
  output logic [       Width-1:0] rdata_b_o
);
  // Two clocks write one array: that is what a dual-port RAM is, and why these are not always_ff.
  /* verilator lint_off MULTIDRIVEN */
  logic [Width-1:0] store_q[Words];
  /* verilator lint_on MULTIDRIVEN */

  initial begin
    for (int unsigned w = 0; w < Words; w++) store_q[w] = '0;
  end

  always @(posedge clk_a_i) begin
    if (en_a_i) begin
      if (write_a_i) store_q[address_a_i] <= wdata_a_i;
      else rdata_a_o <= store_q[address_a_i];
    end
  end

  always @(posedge clk_b_i) begin
    if (en_b_i) begin
      if (write_b_i) store_q[address_b_i] <= wdata_b_i;
      else rdata_b_o <= store_q[address_b_i];
    end
  end

  if (Words < 2) begin : gen_check_words
    $error("ram_dual: Words must be at least 2");
  end
endmodule
