/* SPDX-License-Identifier: Apache-2.0 */
/* The thinnest C view of a Verilated board (fpga/board_top.sv): its clocks and pins, nothing that decides anything. */
#ifndef WEFT_BOARD_SHIM_H
#define WEFT_BOARD_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pins as they stand, active levels as on the board: those whose names end in _n are low when they mean something. */
struct weft_board_inputs {
  bool rxd, rxf_n, txe_n;
  uint8_t data;
};
struct weft_board_outputs {
  bool txd, drive, oe_n, rd_n, wr_n;
  uint8_t data, leds;
};

struct weft_board_shim;

struct weft_board_shim *weft_board_shim_new(void); /* NULL: out of memory */
void weft_board_shim_free(struct weft_board_shim *s);
void weft_board_shim_reset(struct weft_board_shim *s, bool active);
/* The board's clock rises and the FTDI's falls; the other way round; both are low, between two edges of the same clock. The
 * inputs are those that stand before the edge. An FTDI that is not there has no clock. */
void weft_board_shim_board_edge(struct weft_board_shim *s, const struct weft_board_inputs *in);
void weft_board_shim_ftdi_edge(struct weft_board_shim *s, const struct weft_board_inputs *in, bool clocked);
void weft_board_shim_rest(struct weft_board_shim *s, const struct weft_board_inputs *in);
bool weft_board_shim_runs(const struct weft_board_shim *s); /* time of the fabric goes on */
void weft_board_shim_outputs(const struct weft_board_shim *s, struct weft_board_outputs *out);

#ifdef __cplusplus
}
#endif
#endif
