/* SPDX-License-Identifier: Apache-2.0 */
/* FTDI chips between their FIFOs and their pins: an FT232H in 245 synchronous FIFO mode, and an FT231X as a UART. Flat state
 * and pure steps; what USB makes of the FIFOs' bytes is sim/vboard. Both live on one clock of 60 MHz. */
#ifndef WEFT_FTDI_CHIP_H
#define WEFT_FTDI_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "board_shim.h"

#define WEFT_FTDI_FIFO 1024U /* bytes each way of an FT232H; an FT231X has half of it */

struct weft_ftdi_fifo {
  uint8_t byte[WEFT_FTDI_FIFO];
  uint32_t first, count, room; /* room: at most so many */
};

void weft_ftdi_fifo_push(struct weft_ftdi_fifo *f, uint8_t byte); /* there must be room */
uint8_t weft_ftdi_fifo_pop(struct weft_ftdi_fifo *f);             /* there must be one */

/* What the FPGA did that the chip's data sheet forbids. */
enum weft_ftdi_breach {
  WEFT_FTDI_FINE = 0,
  WEFT_FTDI_BOTH_DRIVE = 1, /* OE# is low while the FPGA drives the lines */
  WEFT_FTDI_NO_TURN = 2,    /* the lines change hands without a cycle between */
  WEFT_FTDI_EARLY_READ = 3, /* RD# is low before OE# was */
  WEFT_FTDI_NO_DATA = 4,    /* WR# is low while nobody drives the lines */
};

/* ---- FT232H, 245 synchronous FIFO */
struct weft_ft232h {
  struct weft_ftdi_fifo down, up; /* to the FPGA, from it */
  bool active;                    /* in synchronous FIFO mode; else its flags are high and its clock stands */
  bool stuck;                     /* TXE# stays high */
  bool was_oe, was_driven;
  uint32_t gap;    /* bytes until RXF# goes up for a cycle: the end of a USB packet */
  uint64_t held;   /* cycles in which a byte was shown while TXE# was high, and not taken */
  uint32_t breach; /* the first: enum weft_ftdi_breach */
};

void weft_ft232h_reset(struct weft_ft232h *c);
void weft_ft232h_drive(const struct weft_ft232h *c, struct weft_board_inputs *pins);
/* A rising edge of its clock, with what it drove and what the FPGA did before it. Returns the bytes that moved. */
unsigned weft_ft232h_edge(struct weft_ft232h *c, const struct weft_board_inputs *driven,
                          const struct weft_board_outputs *fpga);

/* ---- FT231X, UART of 8 bits, no parity, one stop bit */
struct weft_ft231x {
  struct weft_ftdi_fifo down, up;
  uint32_t bit;               /* clocks of one bit, in eighths */
  uint32_t tx_left, rx_left;  /* eighths of a clock to the next bit's end or middle */
  uint32_t tx_bits, tx_count; /* what is being sent, lowest bit first */
  uint32_t rx_bits, rx_count; /* what came so far */
  bool tx_pin, rx_was;
  uint64_t overrun, framing; /* bytes from the FPGA for which there was no room, or without a stop bit */
};

void weft_ft231x_reset(struct weft_ft231x *c);
/* By the divisor of a set-baud-rate request; false: there is no such rate. */
bool weft_ft231x_baud(struct weft_ft231x *c, uint16_t value, uint16_t index);
void weft_ft231x_drive(const struct weft_ft231x *c, struct weft_board_inputs *pins);
unsigned weft_ft231x_edge(struct weft_ft231x *c, const struct weft_board_outputs *fpga);

#endif
