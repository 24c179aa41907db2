/* SPDX-License-Identifier: Apache-2.0 */
/* FT231X as a UART. Its rates are 3 MHz divided by a number with eighths, so time is counted in eighths of a clock of
 * 60 MHz, of which the fastest bit takes 20. Nothing stops the FPGA: what finds no room is lost, and counted. */
#include <string.h>

#include "ftdi_chip.h"

#define CLOCKS_FASTEST 20U /* of a bit at 3 Mbaud */
#define EIGHTHS 8U
#define DIVISOR_AT_POWER_UP 2500U /* 1200 baud: nobody is understood who has not set his own */

void weft_ft231x_reset(struct weft_ft231x *c)
{
  memset(c, 0, sizeof *c);
  c->down.room = c->up.room = WEFT_FTDI_FIFO / 2;
  c->bit = DIVISOR_AT_POWER_UP * CLOCKS_FASTEST * EIGHTHS;
  c->tx_pin = c->rx_was = true;
}

bool weft_ft231x_baud(struct weft_ft231x *c, uint16_t value, uint16_t index)
{
  /* The three bits of the fraction are coded so that older chips, which have two of them, understand most. */
  static const uint8_t eighths[8] = { 0, 4, 2, 1, 3, 5, 6, 7 };
  uint32_t whole = value & 0x3fffU;
  uint32_t code = (uint32_t)(value >> 14) | (index & 1U) << 2;
  uint32_t divisor = whole * EIGHTHS + eighths[code];
  if (!whole && !code)
    divisor = EIGHTHS; /* 3 Mbaud */
  else if (whole == 1 && !code)
    divisor = EIGHTHS * 3 / 2; /* 2 Mbaud */
  else if (whole < 2)
    return false;
  c->bit = CLOCKS_FASTEST * divisor;
  return true;
}

void weft_ft231x_drive(const struct weft_ft231x *c, struct weft_board_inputs *pins)
{
  pins->rxd = c->tx_pin;
}

static unsigned send(struct weft_ft231x *c)
{
  unsigned moved = 0;
  if (!c->tx_count) {
    if (!c->down.count)
      return 0;
    c->tx_bits = 0x200U | (uint32_t)weft_ftdi_fifo_pop(&c->down) << 1; /* start bit 0, data, stop bit 1 */
    c->tx_count = 10;
    c->tx_left = c->bit;
    moved = 1;
  }
  c->tx_pin = c->tx_bits & 1U;
  if (c->tx_left > EIGHTHS) {
    c->tx_left -= EIGHTHS;
    return moved;
  }
  c->tx_left += c->bit - EIGHTHS;
  c->tx_bits >>= 1;
  c->tx_count--;
  return moved;
}

static unsigned take(struct weft_ft231x *c)
{
  if (!(c->rx_bits & 0x200U)) {
    c->framing++;
    return 0;
  }
  if (c->up.count >= c->up.room) {
    c->overrun++;
    return 0;
  }
  weft_ftdi_fifo_push(&c->up, (uint8_t)(c->rx_bits >> 1));
  return 1;
}

static unsigned receive(struct weft_ft231x *c, bool pin)
{
  bool fell = c->rx_was && !pin;
  c->rx_was = pin;
  if (!c->rx_count) {
    if (fell) {
      c->rx_count = 10;
      c->rx_bits = 0;
      c->rx_left = c->bit / 2;
    }
    return 0;
  }
  if (c->rx_left > EIGHTHS) {
    c->rx_left -= EIGHTHS;
    return 0;
  }
  c->rx_left += c->bit - EIGHTHS;
  c->rx_bits = c->rx_bits >> 1 | (uint32_t)pin << 9;
  if (c->rx_count == 10 && pin) { /* no start bit: a spike */
    c->rx_count = 0;
    return 0;
  }
  return --c->rx_count ? 0 : take(c);
}

unsigned weft_ft231x_edge(struct weft_ft231x *c, const struct weft_board_outputs *fpga)
{
  return send(c) + receive(c, fpga->txd);
}
