/* SPDX-License-Identifier: Apache-2.0 */
/* A Verilated board with an FTDI at its pins: what libweft-board.so exports, one configuration in each. */
#ifndef WEFT_SIM_BOARD_H
#define WEFT_SIM_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_BOARD_ABI 2U
#define WEFT_BOARD_SYMBOL "weft_board_entry" /* struct weft_board_ops */

#define WEFT_BOARD_PAUSE 256U

enum weft_board_front { WEFT_BOARD_FT245 = 0, WEFT_BOARD_UART = 1 };

struct weft_sim_board;

/* Counted since the board was made; a clock is 1/60 of a microsecond. */
struct weft_board_figures {
  uint64_t clocks;
  uint64_t bytes_down, bytes_up; /* that moved at the pins, to the FPGA and from it */
  uint64_t busy;        /* clocks in which a byte moved, or had moved at most WEFT_BOARD_PAUSE before */
  uint64_t first, last; /* clocks of the first and of the last of them */
  uint64_t held;        /* clocks in which the FPGA showed a byte that was not taken */
  uint64_t lost_up;     /* bytes from the FPGA that the chip lost: no room, no stop bit */
  unsigned breach;      /* of the pins' rules: enum weft_ftdi_breach */
  uint8_t leds;
};

struct weft_board_ops {
  unsigned abi;
  const char *config, *hash;
  struct weft_sim_board *(*make)(enum weft_board_front front); /* reset and ready; NULL: out of memory */
  void (*free)(struct weft_sim_board *b);
  /* The chip's registers. active: synchronous FIFO mode. baud: as in the request; false: no such rate. */
  void (*active)(struct weft_sim_board *b, bool active);
  bool (*baud)(struct weft_sim_board *b, uint16_t value, uint16_t index);
  void (*purge)(struct weft_sim_board *b, bool down, bool up);
  void (*stuck)(struct weft_sim_board *b, bool stuck); /* TXE# stays high */
  /* The chip's FIFOs, from the host's side; return the bytes that were taken or given. */
  size_t (*put)(struct weft_sim_board *b, const uint8_t *bytes, size_t count);
  size_t (*get)(struct weft_sim_board *b, uint8_t *bytes, size_t room);
  size_t (*room)(const struct weft_sim_board *b);   /* of the FIFO to the FPGA */
  size_t (*filled)(const struct weft_sim_board *b); /* of that from it */
  /* So many clocks go by; returns the bytes that moved at the pins meanwhile. */
  uint64_t (*step)(struct weft_sim_board *b, uint64_t clocks);
  bool (*runs)(const struct weft_sim_board *b); /* fabric time goes on, with or without bytes at the pins */
  void (*figures)(const struct weft_sim_board *b, struct weft_board_figures *figures);
};

#endif
