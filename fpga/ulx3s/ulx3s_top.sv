// SPDX-License-Identifier: Apache-2.0

/// The ULX3S: pads, clock and reset around `board_top`. Pins: constraints/ulx3s.lpf.
module ulx3s_top #(
  /// Frequency of the board's logic in Hz: any that the PLL makes of 25 MHz. Builds have it of fpga/boards.toml.
  parameter int unsigned ClockHz = 25_000_000
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
  // ---------------------------------------------------------------- clock
  localparam int unsigned OscillatorHz = 25_000_000;
  localparam int unsigned SlowestPhaseHz = 3_125_000;
  localparam int unsigned VcoHz = 600_000_000;

  function automatic int unsigned common_divisor(int unsigned left, int unsigned right);
    int unsigned high, low, rest;
    high = left;
    low  = right;
    while (low != 0) begin
      rest = high % low;
      high = low;
      low  = rest;
    end
    return high;
  endfunction

  logic source, clk, locked;
  if (ClockHz == OscillatorHz) begin : gen_no_pll
    assign source = clk_25mhz;
    assign locked = 1'b1;
  end else begin : gen_pll
    // What is compared, and then multiplied.
    localparam int unsigned PhaseHz = common_divisor(OscillatorHz, ClockHz);
    localparam int unsigned OutputDiv = VcoHz / ClockHz;
    // The attributes, which are currents of the loop, as ecppll writes them: nextpnr takes 0 for those that are missing.
    (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
    EHXPLLL #(
      .CLKI_DIV    (OscillatorHz / PhaseHz),
      .CLKFB_DIV   (ClockHz / PhaseHz),
      .CLKOP_DIV   (OutputDiv),
      .CLKOP_ENABLE("ENABLED"),
      .CLKOP_CPHASE(OutputDiv / 2 - 1),
      .FEEDBK_PATH ("CLKOP")
    ) u_pll (
      .CLKI        (clk_25mhz),
      .CLKFB       (source),
      .RST         (1'b0),
      .STDBY       (1'b0),
      .PHASESEL0   (1'b0),
      .PHASESEL1   (1'b0),
      .PHASEDIR    (1'b1),
      .PHASESTEP   (1'b1),
      .PHASELOADREG(1'b1),
      .PLLWAKESYNC (1'b0),
      .ENCLKOP     (1'b0),
      .CLKOP       (source),
      .LOCK        (locked)
    );

    if (PhaseHz < SlowestPhaseHz || OutputDiv < 2 || OutputDiv > 128) begin : gen_check_clock
      $error("ulx3s_top: the PLL does not make ClockHz of 25 MHz");
    end
  end

  // Registers begin at 0 when the chip is configured: that is the first reset.
  logic [3:0] reset_q;
  always_ff @(posedge clk) reset_q <= {reset_q[2:0], locked && btn_pwr_n};

  // Pads by name: an inverter in their midst would keep the registers out of them.
  logic [7:0] data_in, data_out, float;
  for (genvar i = 0; i < 8; i++) begin : gen_data
    BB i_pad (
      .I(data_out[i]),
      .T(float[i]),
      .O(data_in[i]),
      .B(ft_data[i])
    );
  end
  assign ft_siwu_n = 1'b1;
  assign wifi_gpio0 = 1'b1;

  board_top #(
    .ClockHz(ClockHz)
  ) u_board (
    .clk_i     (source),
    .clk_o     (clk),
    .rst_ni    (reset_q[3]),
    .uart_rxd_i(ftdi_txd),
    .uart_txd_o(ftdi_rxd),
    .ft_clk_i  (ft_clk),
    .ft_rxf_ni (ft_rxf_n),
    .ft_txe_ni (ft_txe_n),
    .ft_data_i (data_in),
    .ft_data_o (data_out),
    .ft_float_o(float),
    .ft_oe_no  (ft_oe_n),
    .ft_rd_no  (ft_rd_n),
    .ft_wr_no  (ft_wr_n),
    .led_o     (led)
  );
endmodule
