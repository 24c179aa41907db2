// SPDX-License-Identifier: Apache-2.0

/// Lines that are under way on one side of an AXI bus, read or write, in the order in which they left: pushed
/// with the request, popped with its response. Whoever is about to access a line asks whether it is among them.
/// All answers are combinational and as of the beginning of the cycle.
module axi_pending #(
  /// Lines under way, from 1.
  parameter int unsigned Entries = 4,
  /// Bits of a line's number.
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// Is this line under way?
  input  logic [Width-1:0] line_i,
  output logic             match_o,
  /// line_i leaves. Only while full_o is low.
  input  logic             push_i,
  output logic             full_o,
  /// The oldest has been answered. Only while empty_o is low.
  input  logic             pop_i,
  output logic             empty_o,
  output logic [Width-1:0] oldest_o
);
  localparam int unsigned IndexWidth = (Entries > 1) ? $clog2(Entries) : 1;
  typedef logic [IndexWidth-1:0] index_t;

  logic [Entries-1:0] used_q;
  logic [Entries-1:0][Width-1:0] line_q;
  index_t head_q, tail_q;

  function automatic index_t next(index_t index);
    return (index == index_t'(Entries - 1)) ? '0 : index + index_t'(1);
  endfunction

  always_comb begin
    match_o = 1'b0;
    for (int i = 0; i < Entries; i++) match_o |= used_q[i] && line_q[i] == line_i;
  end

  // Used entries lie in a row from head to tail.
  assign full_o   = used_q[tail_q];
  assign empty_o  = !used_q[head_q];
  assign oldest_o = line_q[head_q];

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      used_q[tail_q] <= 1'b1;
      line_q[tail_q] <= line_i;
      tail_q <= next(tail_q);
    end
    if (pop_i) begin
      used_q[head_q] <= 1'b0;
      head_q <= next(head_q);
    end
    if (!rst_ni) begin
      used_q <= '0;
      head_q <= '0;
      tail_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin : checks
    if (rst_ni) begin
      assert (!push_i || !full_o)
      else $error("axi_pending: no entry free");
      assert (!pop_i || !empty_o)
      else $error("axi_pending: an answer that nobody asked for");
    end
  end

  if (Entries < 1) begin : gen_check_entries
    $error("axi_pending: Entries must be at least 1");
  end
endmodule
