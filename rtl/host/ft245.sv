// SPDX-License-Identifier: Apache-2.0

/// The pins of an FTDI in 245 synchronous FIFO mode on one side, streams of bytes on the other. The pins live on the
/// FTDI's own clock, the streams on `clk_i`; two asynchronous FIFOs lie between them, and nothing else.
///
/// A byte from the FTDI moves on an edge before which RD# and RXF# were low, a byte to it on one before which WR# and TXE#
/// were: if TXE# rises with WR# low the byte was not taken, and stands until it is. The data lines change hands with a cycle
/// between in which nobody drives them. Neither direction keeps the other waiting for longer than `Burst` bytes.
module ft245 #(
  /// Bytes in one direction after which the other has its turn.
  parameter int unsigned Burst = 512
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,

  /// The pins. `ft_float_o`: which data lines are not ours, all or none; each has a register of its own.
  input  logic       ft_clk_i,
  input  logic       ft_rxf_ni,
  input  logic       ft_txe_ni,
  input  logic [7:0] ft_data_i,
  output logic [7:0] ft_data_o,
  output logic [7:0] ft_float_o,
  output logic       ft_oe_no,
  output logic       ft_rd_no,
  output logic       ft_wr_no
);
  localparam int unsigned DepthLog2 = 5;
  typedef logic [$clog2(Burst+1)-1:0] burst_t;

  typedef enum logic [1:0] {
    StIdle,
    StTurn,
    StRead,
    StWrite
  } state_e;

  // The reset comes over to the FTDI's clock.
  logic [1:0] rst_q;
  always_ff @(posedge ft_clk_i) rst_q <= {rst_q[0], rst_ni};
  logic ft_rst_n;
  assign ft_rst_n = rst_q[1];

  // ---------------------------------------------------------------- pins
  state_e state_q;
  burst_t burst_q;
  logic oe_q, rd_q, held_q, drive_q, read_next_q, oe_d, rd_d, held_d, drive_d;
  logic [7:0] held_data_q, held_data_d;
  logic push, took, up_valid, up_ready, room_q, unused;
  logic may_read, may_write, begins_read, begins_write, read_ends, write_ends;
  logic [7:0] up_data;
  logic [DepthLog2:0] down_free;

  assign push = rd_q && !ft_rxf_ni;
  assign took = held_q && !ft_txe_ni && state_q == StWrite;
  // What is under way when RD# goes up again still finds room. A cycle old: the way from the count to the pins is long.
  always_ff @(posedge ft_clk_i) room_q <= down_free > 6'd4;
  assign may_read = !ft_rxf_ni && room_q;
  assign may_write = (held_q || up_valid) && !ft_txe_ni;
  assign begins_read = state_q == StIdle && may_read && (read_next_q || !may_write);
  assign begins_write = state_q == StIdle && !begins_read && may_write && held_q;
  assign read_ends = ft_rxf_ni || !room_q || (burst_q == '0 && may_write);
  assign write_ends = ft_txe_ni || (!up_valid && took) || !held_q || (burst_q == '0 && may_read && took);
  assign up_ready = !held_q || (took && !write_ends);

  always_comb begin
    oe_d        = oe_q;
    rd_d        = rd_q;
    drive_d     = drive_q;
    held_d      = held_q && !took;
    held_data_d = held_data_q;
    // The next byte for the FTDI stands in a register of its own before it is shown.
    if (up_valid && up_ready) begin
      held_d      = 1'b1;
      held_data_d = up_data;
    end
    unique case (state_q)
      StIdle: begin
        if (begins_read) oe_d = 1'b1;
        if (begins_write) drive_d = 1'b1;
      end
      StTurn: rd_d = 1'b1;
      StRead: begin
        if (read_ends) {oe_d, rd_d} = '0;
      end
      default: if (write_ends) drive_d = 1'b0;
    endcase
    if (!ft_rst_n) {oe_d, rd_d, drive_d, held_d} = '0;
  end

  always_ff @(posedge ft_clk_i) begin
    {oe_q, rd_q, drive_q, held_q} <= {oe_d, rd_d, drive_d, held_d};
    held_data_q                   <= held_data_d;
    if (!ft_rst_n) begin
      state_q     <= StIdle;
      read_next_q <= 1'b1;
    end else begin
      unique case (state_q)
        StIdle: begin
          burst_q <= burst_t'(Burst);
          if (begins_read) state_q <= StTurn;
          else if (begins_write) state_q <= StWrite;
        end
        StTurn: state_q <= StRead;
        StRead: begin
          if (push && burst_q != '0) burst_q <= burst_q - burst_t'(1);
          if (read_ends) begin
            state_q     <= StIdle;
            read_next_q <= 1'b0;
          end
        end
        default: begin
          if (took && burst_q != '0) burst_q <= burst_q - burst_t'(1);
          if (write_ends) begin
            state_q     <= StIdle;
            read_next_q <= 1'b1;
          end
        end
      endcase
    end
  end

  // What leaves does so from registers in the pads, which are written together with those above: from the clock's edge to a pin
  // is then the shortest way that there is, and the same one in every build.
  pad_register #(
    .Width(3)
  ) i_strobes (
    .clk_i(ft_clk_i),
    .d_i  ({!oe_d, !rd_d, !(drive_d && held_d)}),
    .q_o  ({ft_oe_no, ft_rd_no, ft_wr_no})
  );

  pad_register #(
    .Width(8)
  ) i_float (
    .clk_i(ft_clk_i),
    .d_i  ({8{!drive_d}}),
    .q_o  (ft_float_o)
  );

  pad_register #(
    .Width(8)
  ) i_data (
    .clk_i(ft_clk_i),
    .d_i  (held_data_d),
    .q_o  (ft_data_o)
  );

  // ---------------------------------------------------------------- to the other clock
  async_fifo #(
    .Width    (8),
    .DepthLog2(DepthLog2)
  ) i_down (
    .wr_clk_i  (ft_clk_i),
    .wr_rst_ni (ft_rst_n),
    .wr_valid_i(push),
    .wr_ready_o(unused),
    .wr_data_i (ft_data_i),
    .wr_free_o (down_free),
    .rd_clk_i  (clk_i),
    .rd_rst_ni (rst_ni),
    .rd_valid_o(valid_o),
    .rd_ready_i(ready_i),
    .rd_data_o (data_o)
  );

  async_fifo #(
    .Width    (8),
    .DepthLog2(DepthLog2)
  ) i_up (
    .wr_clk_i  (clk_i),
    .wr_rst_ni (rst_ni),
    .wr_valid_i(valid_i),
    .wr_ready_o(ready_o),
    .wr_data_i (data_i),
    .wr_free_o (),
    .rd_clk_i  (ft_clk_i),
    .rd_rst_ni (ft_rst_n),
    .rd_valid_o(up_valid),
    .rd_ready_i(up_ready),
    .rd_data_o (up_data)
  );
endmodule
