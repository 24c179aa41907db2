// SPDX-License-Identifier: Apache-2.0

/// Queue between two clocks that know nothing of each other: the one place where such clocks meet.
///
/// Each side counts in Gray code, of which one bit changes at a time, and sees the other's count two of its own edges
/// late: whatever it sees was true a moment ago, so that a place is taken late and given late, never twice. What is
/// stored is read where it lies; it stands still while it can be read.
module async_fifo #(
  /// Bits of an element.
  parameter int unsigned Width = 8,
  /// Log2 of the number of elements, from 2. With 4 both sides move an element in every cycle.
  parameter int unsigned DepthLog2 = 4
) (
  input  logic             wr_clk_i,
  /// Synchronous to `wr_clk_i`. Both sides are reset together, each with edges of its own.
  input  logic             wr_rst_ni,
  input  logic             wr_valid_i,
  output logic             wr_ready_o,
  input  logic [Width-1:0] wr_data_i,
  /// Elements that have room, or fewer.
  output logic [DepthLog2:0] wr_free_o,

  input  logic             rd_clk_i,
  /// Synchronous to `rd_clk_i`.
  input  logic             rd_rst_ni,
  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [Width-1:0] rd_data_o
);
  typedef logic [DepthLog2:0] count_t;

  function automatic count_t gray(count_t count);
    return count ^ (count >> 1);
  endfunction

  function automatic count_t binary(count_t code);
    count_t out;
    out = code;
    for (int unsigned i = 1; i <= DepthLog2; i++) out ^= code >> i;
    return out;
  endfunction

  logic [Width-1:0] store_q[2**DepthLog2];
  count_t wr_count_q, wr_gray_q, rd_count_q, rd_gray_q;
  // The other side's count, as it comes and as it is believed.
  count_t rd_seen_q[2], wr_seen_q[2];
  logic push, pop;

  // ---------------------------------------------------------------- the writing side
  assign wr_free_o  = count_t'(2 ** DepthLog2) - (wr_count_q - binary(rd_seen_q[1]));
  assign wr_ready_o = wr_free_o != '0;
  assign push       = wr_valid_i && wr_ready_o;

  always_ff @(posedge wr_clk_i) begin
    if (!wr_rst_ni) begin
      wr_count_q   <= '0;
      wr_gray_q    <= '0;
      rd_seen_q[0] <= '0;
      rd_seen_q[1] <= '0;
    end else begin
      wr_count_q   <= wr_count_q + count_t'(push);
      wr_gray_q    <= gray(wr_count_q + count_t'(push));
      rd_seen_q[0] <= rd_gray_q;
      rd_seen_q[1] <= rd_seen_q[0];
    end
  end
  always_ff @(posedge wr_clk_i) if (push) store_q[wr_count_q[DepthLog2-1:0]] <= wr_data_i;

  // ---------------------------------------------------------------- the reading side
  assign rd_valid_o = wr_seen_q[1] != rd_gray_q;
  assign rd_data_o  = store_q[rd_count_q[DepthLog2-1:0]];
  assign pop        = rd_valid_o && rd_ready_i;

  always_ff @(posedge rd_clk_i) begin
    if (!rd_rst_ni) begin
      rd_count_q   <= '0;
      rd_gray_q    <= '0;
      wr_seen_q[0] <= '0;
      wr_seen_q[1] <= '0;
    end else begin
      rd_count_q   <= rd_count_q + count_t'(pop);
      rd_gray_q    <= gray(rd_count_q + count_t'(pop));
      wr_seen_q[0] <= wr_gray_q;
      wr_seen_q[1] <= wr_seen_q[0];
    end
  end

  if (DepthLog2 < 2) begin : gen_check_depth
    $error("async_fifo: DepthLog2 must be at least 2");
  end
endmodule
