// SPDX-License-Identifier: Apache-2.0

/// The pins of a UART, 8 bits, no parity, one stop bit, on one side; streams of bytes on the other. Bits are timed by adding
/// up the baud rate, so that any clock from six times of it will do.
///
/// Nothing can stop the sender: a byte stands at `data_o` for one cycle. A byte without a stop bit is dropped.
module uart #(
  parameter int unsigned ClockHz = 25_000_000,
  parameter int unsigned Baud = 3_000_000
) (
  input  logic clk_i,
  input  logic rst_ni,

  /// From the pin, of any clock; and to it.
  input  logic rxd_i,
  output logic txd_o,

  output logic       valid_o,
  output logic [7:0] data_o,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i
);
  localparam int unsigned PhaseBits = $clog2(ClockHz + Baud);
  typedef logic [PhaseBits-1:0] phase_t;

  // ---------------------------------------------------------------- receive
  logic [2:0] pin_q;  // two that only settle, and what was before
  logic rx_busy_q, rx_tick, rx_tick_q;
  phase_t rx_phase_q, rx_sum;
  logic [3:0] rx_bit_q;
  logic [7:0] rx_data_q;

  assign rx_sum  = rx_phase_q + phase_t'(Baud);
  assign rx_tick = rx_sum >= phase_t'(ClockHz);

  // What a tick does begins at a register, since the comparison is long and the byte may lie elsewhere: phases are a cycle ahead.
  always_ff @(posedge clk_i) begin
    pin_q     <= rst_ni ? {pin_q[1:0], rxd_i} : '1;
    rx_tick_q <= rst_ni && rx_busy_q && rx_tick;
  end

  always_ff @(posedge clk_i) begin
    valid_o <= 1'b0;
    if (!rst_ni) begin
      rx_busy_q <= 1'b0;
    end else if (!rx_busy_q) begin
      // The fall of the start bit; its middle is half a bit away.
      rx_busy_q  <= pin_q[2] && !pin_q[1];
      rx_phase_q <= phase_t'(ClockHz / 2 + Baud);
      rx_bit_q   <= '0;
    end else begin
      rx_phase_q <= rx_tick ? rx_sum - phase_t'(ClockHz) : rx_sum;
      if (rx_tick_q) begin
        rx_bit_q <= rx_bit_q + 4'd1;
        if (rx_bit_q == '0) rx_busy_q <= !pin_q[1];
        else if (rx_bit_q < 4'd9) rx_data_q <= {pin_q[1], rx_data_q[7:1]};
        else begin
          rx_busy_q <= 1'b0;
          valid_o   <= pin_q[1];
        end
      end
    end
  end
  assign data_o = rx_data_q;

  // ---------------------------------------------------------------- send
  logic [9:0] tx_bits_q;  // what is left, the stop bit highest
  logic [3:0] tx_left_q;
  phase_t tx_phase_q, tx_sum;
  logic tx_tick, tx_tick_q;

  assign tx_sum  = tx_phase_q + phase_t'(Baud);
  assign tx_tick = tx_sum >= phase_t'(ClockHz);
  assign ready_o = tx_left_q == '0;
  assign txd_o   = tx_bits_q[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tx_left_q <= '0;
      tx_bits_q <= '1;
      tx_tick_q <= 1'b0;
    end else if (ready_o) begin
      tx_phase_q <= phase_t'(Baud);
      tx_tick_q  <= 1'b0;
      if (valid_i) begin
        tx_bits_q <= {1'b1, data_i, 1'b0};
        tx_left_q <= 4'd10;
      end
    end else begin
      tx_phase_q <= tx_tick ? tx_sum - phase_t'(ClockHz) : tx_sum;
      tx_tick_q  <= tx_tick;
      if (tx_tick_q) begin
        tx_bits_q <= {1'b1, tx_bits_q[9:1]};
        tx_left_q <= tx_left_q - 4'd1;
      end
    end
  end

  if (ClockHz < 6 * Baud) begin : gen_check_clock
    $error("uart: the clock must be at least six times the baud rate");
  end
endmodule
