// SPDX-License-Identifier: Apache-2.0

/// What `async_fifo` promises: every element comes out once, unchanged and in its place, whatever the two clocks do.
///
/// The clocks are inputs like others, which rise and fall when the solver likes. One element is followed, whichever it likes
/// (`mark_i`). Both sides are reset in the beginning, each by an edge of its own.
module async_fifo_props #(
  parameter int unsigned DepthLog2 = 2
) (
  input logic       wr_clk_i,
  input logic       rd_clk_i,
  input logic       rst_ni,
  input logic       wr_valid_i,
  input logic       rd_ready_i,
  input logic [1:0] wr_data_i,
  input logic       mark_i
);
  typedef logic [DepthLog2:0] count_t;
  localparam count_t Depth = count_t'(2 ** DepthLog2);

  logic wr_ready_o, rd_valid_o;
  logic [1:0] rd_data_o;
  count_t wr_free_o;

  async_fifo #(
    .Width(2), .DepthLog2(DepthLog2)
  ) dut (
    .wr_clk_i, .wr_rst_ni(rst_ni), .wr_valid_i, .wr_ready_o, .wr_data_i, .wr_free_o,
    .rd_clk_i, .rd_rst_ni(rst_ni), .rd_valid_o, .rd_ready_i, .rd_data_o
  );

  // Reset until each side has had an edge; never again.
  logic wr_reset_q = 1'b0, rd_reset_q = 1'b0, up;
  always_ff @(posedge wr_clk_i) wr_reset_q <= 1'b1;
  always_ff @(posedge rd_clk_i) rd_reset_q <= 1'b1;
  assign up = wr_reset_q && rd_reset_q;
  always_comb assume (rst_ni == up);

  // ---------------------------------------------------------------- counted from outside
  logic push, pop, follows_q = 1'b0, gone_q = 1'b0, was_held_q = 1'b0;
  count_t place_q;
  logic [1:0] followed_q, last_q;
  count_t in_flight;

  assign push = up && wr_valid_i && wr_ready_o;
  assign pop = up && rd_valid_o && rd_ready_i;
  assign in_flight = dut.wr_count_q - dut.rd_count_q;

  always_ff @(posedge wr_clk_i) begin
    if (push && mark_i && !follows_q) begin
      follows_q  <= 1'b1;
      place_q    <= dut.wr_count_q;
      followed_q <= wr_data_i;
    end
  end
  always_ff @(posedge rd_clk_i) begin
    if (pop && follows_q && dut.rd_count_q == place_q) gone_q <= 1'b1;
    was_held_q <= up && rd_valid_o && !rd_ready_i;
    last_q     <= rd_data_o;
  end

  // ---------------------------------------------------------------- properties
  always_comb begin
    if (up) begin
      never_above_depth : assert (in_flight <= Depth);
      gives_only_what_is_there : assert (!rd_valid_o || in_flight != '0);
      takes_only_with_room : assert (!wr_ready_o || in_flight < Depth);
      free_is_never_too_much : assert (wr_free_o <= Depth - in_flight);
      element_in_its_place :
      assert (!follows_q || gone_q || !rd_valid_o || dut.rd_count_q != place_q || rd_data_o == followed_q);
      element_not_lost : assert (!follows_q || gone_q || place_q - dut.rd_count_q < in_flight);
      output_stands_until_taken : assert (!was_held_q || (rd_valid_o && rd_data_o == last_q));

      reach_full : cover (in_flight == Depth && !wr_ready_o);
      reach_gone : cover (gone_q && dut.rd_count_q > count_t'(1));
    end
  end

  // ---------------------------------------------------------------- what the induction stands on
  // In the order in which they became known: what the writer knows of the reader, the reader, what it knows of the writer.
  function automatic count_t binary(count_t code);
    count_t out;
    out = code;
    for (int unsigned i = 1; i <= DepthLog2; i++) out ^= code >> i;
    return out;
  endfunction
  count_t known_read, read_seen, known_written, written_seen;
  logic [7:0] chain;
  assign known_read = binary(dut.rd_seen_q[1]);
  assign read_seen = binary(dut.rd_seen_q[0]);
  assign known_written = binary(dut.wr_seen_q[1]);
  assign written_seen = binary(dut.wr_seen_q[0]);

  function automatic logic [7:0] way(count_t from, count_t to);
    return 8'(count_t'(to - from));
  endfunction
  assign chain = way(known_read, read_seen) + way(read_seen, dut.rd_count_q) +
      way(dut.rd_count_q, known_written) + way(known_written, written_seen) +
      way(written_seen, dut.wr_count_q);

  always_comb begin
    if (up) begin
      induct_codes :
      assert (binary(dut.wr_gray_q) == dut.wr_count_q && binary(dut.rd_gray_q) == dut.rd_count_q);
      induct_chain : assert (chain <= 8'(Depth) && chain == way(known_read, dut.wr_count_q));
      induct_stored :
      assert (!follows_q || gone_q || dut.store_q[place_q[DepthLog2-1:0]] == followed_q);
      induct_gone : assert (!gone_q || follows_q);
      induct_held : assert (!was_held_q || last_q == dut.store_q[dut.rd_count_q[DepthLog2-1:0]]);
    end else begin
      induct_nothing_yet : assert (!follows_q && !gone_q && !was_held_q);
      induct_reset_write :
      assert (!wr_reset_q || {dut.wr_count_q, dut.wr_gray_q, dut.rd_seen_q[0], dut.rd_seen_q[1]} == '0);
      induct_reset_read :
      assert (!rd_reset_q || {dut.rd_count_q, dut.rd_gray_q, dut.wr_seen_q[0], dut.wr_seen_q[1]} == '0);
    end
  end
endmodule
