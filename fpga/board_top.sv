// SPDX-License-Identifier: Apache-2.0

/// A board: the fabric, the bridge that owns its time, and both ways to a host. Everything but pads, PLL and the data lines'
/// drivers, so that the same module is simulated and synthesised.
///
/// The front that spoke last is answered: with one host at a time, nobody needs to choose.
module board_top
  import weft_pkg::*;
#(
  /// Frequency of `clk_i` in Hz.
  parameter int unsigned ClockHz = 25_000_000,
  parameter int unsigned Baud = 3_000_000
) (
  input  logic clk_i,
  /// Of `clk_o`.
  input  logic rst_ni,
  /// `clk_i` as everything here has it.
  output logic clk_o,

  input  logic uart_rxd_i,
  output logic uart_txd_o,

  input  logic       ft_clk_i,
  input  logic       ft_rxf_ni,
  input  logic       ft_txe_ni,
  input  logic [7:0] ft_data_i,
  output logic [7:0] ft_data_o,
  output logic [7:0] ft_float_o,
  output logic       ft_oe_no,
  output logic       ft_rd_no,
  output logic       ft_wr_no,

  /// 0 alive, 1 receives, 2 sends, 3 time runs, 4 bytes were dropped, 5 a command was refused, 6 the FTDI on the header
  /// spoke last, 7 the fabric is out of reset.
  output logic [7:0] led_o
);
  logic clk;

  // ---------------------------------------------------------------- fronts
  logic uart_valid, uart_ready, ft_valid, ft_ready, ft_spoke_q;
  logic [7:0] uart_data, ft_data, tx_data;
  logic tx_valid, tx_ready;

  uart #(
    .ClockHz(ClockHz),
    .Baud   (Baud)
  ) u_uart (
    .clk_i  (clk),
    .rst_ni,
    .rxd_i  (uart_rxd_i),
    .txd_o  (uart_txd_o),
    .valid_o(uart_valid),
    .data_o (uart_data),
    .valid_i(tx_valid && !ft_spoke_q),
    .ready_o(uart_ready),
    .data_i (tx_data)
  );

  ft245 u_ft245 (
    .clk_i  (clk),
    .rst_ni,
    .valid_o(ft_valid),
    .ready_i(!uart_valid),
    .data_o (ft_data),
    .valid_i(tx_valid && ft_spoke_q),
    .ready_o(ft_ready),
    .data_i (tx_data),
    .ft_clk_i,
    .ft_rxf_ni,
    .ft_txe_ni,
    .ft_data_i,
    .ft_data_o,
    .ft_float_o,
    .ft_oe_no,
    .ft_rd_no,
    .ft_wr_no
  );

  always_ff @(posedge clk) begin
    if (!rst_ni) ft_spoke_q <= 1'b0;
    else if (uart_valid) ft_spoke_q <= 1'b0;
    else if (ft_valid) ft_spoke_q <= 1'b1;
  end
  assign tx_ready = ft_spoke_q ? ft_ready : uart_ready;

  // ---------------------------------------------------------------- bridge and fabric
  logic fabric_clk, tick, fabric_rst_n, dropped, halted, running;
  logic [Nodes-1:0][Cus-1:0] cu_req_valid, cu_req_ready, cu_rsp_valid;
  cu_req_t [Nodes-1:0][Cus-1:0] cu_req;
  cu_rsp_t [Nodes-1:0][Cus-1:0] cu_rsp;
  logic host_valid, host_write, host_ready, hmem_en, hmem_write;
  logic [23:0] host_address;
  logic [31:0] host_wdata, host_rdata;
  logic [39:0] hmem_address;
  line_t hmem_wdata, hmem_rdata;

  // The bridge's reset goes to all of it, and has a register of its own in its midst.
  logic bridge_rst_nq;
  always_ff @(posedge clk) bridge_rst_nq <= rst_ni;

  bridge #(
    .ClockHz(ClockHz)
  ) u_bridge (
    .clk_i         (clk),
    .rst_ni        (bridge_rst_nq),
    .valid_i       (uart_valid || ft_valid),
    .data_i        (uart_valid ? uart_data : ft_data),
    .valid_o       (tx_valid),
    .ready_i       (tx_ready),
    .data_o        (tx_data),
    .tick_o        (tick),
    .fabric_rst_no (fabric_rst_n),
    .cu_valid_o    (cu_req_valid),
    .cu_ready_i    (cu_req_ready),
    .cu_req_o      (cu_req),
    .cu_valid_i    (cu_rsp_valid),
    .cu_rsp_i      (cu_rsp),
    .host_valid_o  (host_valid),
    .host_write_o  (host_write),
    .host_address_o(host_address),
    .host_wdata_o  (host_wdata),
    .host_ready_i  (host_ready),
    .host_rdata_i  (host_rdata),
    .hmem_en_o     (hmem_en),
    .hmem_write_o  (hmem_write),
    .hmem_address_o(hmem_address),
    .hmem_wdata_o  (hmem_wdata),
    .hmem_rdata_i  (hmem_rdata),
    .dropped_o     (dropped),
    .halted_o      (halted),
    .running_o     (running)
  );

  clock_gate u_gate (
    .clk_i,
    .enable_i(tick),
    .clk_o   (fabric_clk),
    .free_o  (clk)
  );
  assign clk_o = clk;

  board_fabric #(
    .ClockHz(ClockHz)
  ) u_fabric (
    .clk_i         (fabric_clk),
    .clk_host_i    (clk),
    .rst_ni        (fabric_rst_n),
    .cu_valid_i    (cu_req_valid),
    .cu_ready_o    (cu_req_ready),
    .cu_req_i      (cu_req),
    .cu_valid_o    (cu_rsp_valid),
    .cu_rsp_o      (cu_rsp),
    .host_valid_i  (host_valid),
    .host_write_i  (host_write),
    .host_address_i(host_address),
    .host_wdata_i  (host_wdata),
    .host_ready_o  (host_ready),
    .host_rdata_o  (host_rdata),
    .hmem_en_i     (hmem_en),
    .hmem_write_i  (hmem_write),
    .hmem_address_i(hmem_address),
    .hmem_wdata_i  (hmem_wdata),
    .hmem_rdata_o  (hmem_rdata)
  );

  // ---------------------------------------------------------------- lamps
  // What lasts a cycle is shown for a twentieth of a second, and the whole blinks about twice in one.
  localparam int unsigned BlinkBits = $clog2(ClockHz / 4);
  localparam int unsigned StretchBits = $clog2(ClockHz / 20);
  logic [BlinkBits:0] blink_q;
  logic [2:0] lit_q;
  logic [2:0][StretchBits-1:0] left_q;

  always_ff @(posedge clk) begin
    lit_q   <= {running, tx_valid && tx_ready, uart_valid || ft_valid};
    blink_q <= rst_ni ? blink_q + 1'b1 : '0;
    for (int unsigned i = 0; i < 3; i++) begin
      if (!rst_ni) left_q[i] <= '0;
      else if (lit_q[i]) left_q[i] <= '1;
      else if (left_q[i] != '0) left_q[i] <= left_q[i] - 1'b1;
    end
  end
  assign led_o = {
    fabric_rst_n,
    ft_spoke_q,
    halted,
    dropped,
    left_q[2] != '0,
    left_q[1] != '0,
    left_q[0] != '0,
    blink_q[BlinkBits]
  };
endmodule
