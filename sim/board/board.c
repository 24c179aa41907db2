/* SPDX-License-Identifier: Apache-2.0 */
/* The board, the chip at its pins, and the clock of both. */
#include "board.h"

#include <stdlib.h>

#include "ftdi_chip.h"

#define RESET_CLOCKS 16U
#define FTDI_HZ 60000000U /* WEFT_BOARD_HZ, of the board, comes from the build */

struct weft_sim_board {
  struct weft_board_shim *shim;
  uint32_t phase; /* board's clocks that are due, in parts of FTDI_HZ */
  enum weft_board_front front;
  struct weft_ft232h fifo;
  struct weft_ft231x uart;
  struct weft_board_inputs in;
  struct weft_board_figures figures;
};

/* Declared for what follows; defined at the end. */
extern const struct weft_board_ops weft_board_entry;

static struct weft_ftdi_fifo *down(struct weft_sim_board *b)
{
  return b->front == WEFT_BOARD_FT245 ? &b->fifo.down : &b->uart.down;
}

static struct weft_ftdi_fifo *up(struct weft_sim_board *b)
{
  return b->front == WEFT_BOARD_FT245 ? &b->fifo.up : &b->uart.up;
}

/* The board's edges that fall into one clock of the chip: any number. Both clocks are low between two edges of either. */
static void board_edges(struct weft_sim_board *b)
{
  b->phase += WEFT_BOARD_HZ;
  if (b->phase < FTDI_HZ)
    weft_board_shim_rest(b->shim, &b->in);
  while (b->phase >= FTDI_HZ) {
    weft_board_shim_board_edge(b->shim, &b->in);
    b->phase -= FTDI_HZ;
    if (b->phase >= FTDI_HZ)
      weft_board_shim_rest(b->shim, &b->in);
  }
}

/* One clock of the chip: the board's edges, then its own with what stood before it. A chip drives its pins anew behind its edge. */
static unsigned clock_once(struct weft_sim_board *b)
{
  struct weft_board_outputs out;
  unsigned moved;
  board_edges(b);
  weft_board_shim_outputs(b->shim, &out);
  if (b->front == WEFT_BOARD_FT245) {
    weft_board_shim_ftdi_edge(b->shim, &b->in, b->fifo.active);
    moved = weft_ft232h_edge(&b->fifo, &b->in, &out);
    weft_ft232h_drive(&b->fifo, &b->in);
  } else {
    weft_board_shim_ftdi_edge(b->shim, &b->in, false);
    moved = weft_ft231x_edge(&b->uart, &out);
    weft_ft231x_drive(&b->uart, &b->in);
  }
  b->figures.clocks++;
  return moved;
}

static uint64_t board_step(struct weft_sim_board *b, uint64_t clocks)
{
  uint64_t all = 0;
  for (; clocks; clocks--) {
    uint32_t before = down(b)->count;
    unsigned moved = clock_once(b);
    b->figures.busy += moved || (b->figures.first && b->figures.clocks - b->figures.last <= WEFT_BOARD_PAUSE);
    if (!moved)
      continue;
    uint64_t went_down = before - down(b)->count;
    b->figures.bytes_down += went_down;
    b->figures.bytes_up += moved - went_down;
    if (!b->figures.first)
      b->figures.first = b->figures.clocks;
    b->figures.last = b->figures.clocks;
    all += moved;
  }
  return all;
}

static void board_free(struct weft_sim_board *b)
{
  if (!b)
    return;
  weft_board_shim_free(b->shim);
  free(b);
}

static struct weft_sim_board *board_make(enum weft_board_front front)
{
  struct weft_sim_board *b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  b->shim = weft_board_shim_new();
  if (!b->shim) {
    free(b);
    return NULL;
  }
  b->front = front;
  b->in = (struct weft_board_inputs){ .rxd = true, .rxf_n = true, .txe_n = true };
  weft_ft232h_reset(&b->fifo);
  weft_ft231x_reset(&b->uart);
  weft_board_shim_reset(b->shim, true);
  board_step(b, RESET_CLOCKS);
  weft_board_shim_reset(b->shim, false);
  board_step(b, RESET_CLOCKS);
  return b;
}

/* What the chip shows follows at once: a byte that is shown is one that it has. */
static void board_active(struct weft_sim_board *b, bool active)
{
  b->fifo.active = active;
  weft_ft232h_drive(&b->fifo, &b->in);
}

static bool board_baud(struct weft_sim_board *b, uint16_t value, uint16_t index)
{
  return weft_ft231x_baud(&b->uart, value, index);
}

static void board_purge(struct weft_sim_board *b, bool to_fpga, bool from_fpga)
{
  if (to_fpga)
    down(b)->count = 0;
  if (from_fpga)
    up(b)->count = 0;
  weft_ft232h_drive(&b->fifo, &b->in);
}

static void board_stuck(struct weft_sim_board *b, bool stuck)
{
  b->fifo.stuck = stuck;
}

static size_t board_room(const struct weft_sim_board *b)
{
  const struct weft_ftdi_fifo *f = b->front == WEFT_BOARD_FT245 ? &b->fifo.down : &b->uart.down;
  return f->room - f->count;
}

static size_t board_filled(const struct weft_sim_board *b)
{
  return b->front == WEFT_BOARD_FT245 ? b->fifo.up.count : b->uart.up.count;
}

static size_t board_put(struct weft_sim_board *b, const uint8_t *bytes, size_t count)
{
  size_t taken = 0;
  for (; taken < count && down(b)->count < down(b)->room; taken++)
    weft_ftdi_fifo_push(down(b), bytes[taken]);
  return taken;
}

static size_t board_get(struct weft_sim_board *b, uint8_t *bytes, size_t room)
{
  size_t given = 0;
  for (; given < room && up(b)->count; given++)
    bytes[given] = weft_ftdi_fifo_pop(up(b));
  return given;
}

static bool board_runs(const struct weft_sim_board *b)
{
  return weft_board_shim_runs(b->shim);
}

static void board_figures(const struct weft_sim_board *b, struct weft_board_figures *figures)
{
  struct weft_board_outputs out;
  weft_board_shim_outputs(b->shim, &out);
  *figures = b->figures;
  figures->held = b->fifo.held;
  figures->lost_up = b->uart.overrun + b->uart.framing;
  figures->breach = b->fifo.breach;
  figures->leds = out.leds;
}

__attribute__((visibility("default"))) const struct weft_board_ops weft_board_entry = {
  .abi = WEFT_BOARD_ABI,
  .config = WEFT_RTL_CONFIG,
  .hash = WEFT_RTL_HASH,
  .make = board_make,
  .free = board_free,
  .active = board_active,
  .baud = board_baud,
  .purge = board_purge,
  .stuck = board_stuck,
  .put = board_put,
  .get = board_get,
  .room = board_room,
  .filled = board_filled,
  .step = board_step,
  .runs = board_runs,
  .figures = board_figures,
};
