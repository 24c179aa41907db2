// SPDX-License-Identifier: Apache-2.0

/// The ULX3S: pads, clock and reset around `board_top`. Pins: constraints/ulx3s.lpf.
module ulx3s_top #(
  /// Frequency of the fabric in Hz: 25 MHz × FeedbackDiv / InputDiv; with 25 MHz there is no PLL.
  parameter int unsigned ClockHz = 25_000_000,
  parameter int unsigned InputDiv = 2,
  parameter int unsigned FeedbackDiv = 5,
  /// ClockHz × OutputDiv lies between 400 and 800 MHz.
  parameter int unsigned OutputDiv = 10
) (
  input  logic clk_25mhz,
  /// Low when pressed.
  input  logic btn_pwr_n,
  output logic wifi_gpio0,

  /// Named by their other end: ftdi_rxd leaves the FPGA.
  output logic ftdi_rxd,
  input  logic ftdi_txd,

  input  logic       ft_clk,
  inout  wire  [7:0] ft_data,
  input  logic       ft_rxf_n,
  input  logic       ft_txe_n,
  output logic       ft_rd_n,
  output logic       ft_wr_n,
  output logic       ft_oe_n,
  output logic       ft_siwu_n,

  output logic [7:0] led
);
  logic clk, locked;
  if (ClockHz == 25_000_000) begin : gen_no_pll
    assign clk = clk_25mhz;
    assign locked = 1'b1;
  end else begin : gen_pll
    EHXPLLL #(
      .CLKI_DIV    (InputDiv),
      .CLKFB_DIV   (FeedbackDiv),
      .CLKOP_DIV   (OutputDiv),
      .CLKOP_ENABLE("ENABLED"),
      .CLKOP_CPHASE(OutputDiv / 2 - 1),
      .FEEDBK_PATH ("CLKOP")
    ) u_pll (
      .CLKI (clk_25mhz),
      .CLKFB(clk),
      .RST  (1'b0),
      .STDBY(1'b0),
      .CLKOP(clk),
      .LOCK (locked)
    );
  end

  // Registers begin at 0 when the chip is configured: that is the first reset.
  logic [3:0] reset_q;
  always_ff @(posedge clk) reset_q <= {reset_q[2:0], locked && btn_pwr_n};

  logic [7:0] data_out;
  logic drive;
  assign ft_data = drive ? data_out : 'z;
  assign ft_siwu_n = 1'b1;
  assign wifi_gpio0 = 1'b1;

  board_top #(
    .ClockHz(ClockHz)
  ) u_board (
    .clk_i     (clk),
    .rst_ni    (reset_q[3]),
    .uart_rxd_i(ftdi_txd),
    .uart_txd_o(ftdi_rxd),
    .ft_clk_i  (ft_clk),
    .ft_rxf_ni (ft_rxf_n),
    .ft_txe_ni (ft_txe_n),
    .ft_data_i (ft_data),
    .ft_data_o (data_out),
    .ft_drive_o(drive),
    .ft_oe_no  (ft_oe_n),
    .ft_rd_no  (ft_rd_n),
    .ft_wr_no  (ft_wr_n),
    .led_o     (led)
  );

  if (ClockHz != 25_000_000 && ClockHz != 25_000_000 / InputDiv * FeedbackDiv) begin : gen_check_clock
    $error("ulx3s_top: ClockHz is not 25 MHz * FeedbackDiv / InputDiv");
  end
endmodule
