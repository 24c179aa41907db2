/* SPDX-License-Identifier: Apache-2.0 */
/* A board that gives back what it gets, for tests of what stands before it. */
#ifndef WEFT_TESTS_ECHO_BOARD_H
#define WEFT_TESTS_ECHO_BOARD_H

#include "board.h"
#include "ftdi_chip.h"

struct weft_sim_board {
  struct weft_ftdi_fifo fifo;
  bool active, stuck;
};

static inline void echo_active(struct weft_sim_board *b, bool active)
{
  b->active = active;
}

static inline bool echo_baud(struct weft_sim_board *b, uint16_t value, uint16_t index)
{
  (void)b;
  (void)index;
  return value < 100;
}

static inline void echo_purge(struct weft_sim_board *b, bool down, bool up)
{
  if (down || up)
    b->fifo.count = 0;
}

static inline void echo_stuck(struct weft_sim_board *b, bool stuck)
{
  b->stuck = stuck;
}

static inline size_t echo_put(struct weft_sim_board *b, const uint8_t *bytes, size_t count)
{
  size_t taken = 0;
  for (; taken < count && b->fifo.count < b->fifo.room; taken++)
    weft_ftdi_fifo_push(&b->fifo, bytes[taken]);
  return taken;
}

static inline size_t echo_get(struct weft_sim_board *b, uint8_t *bytes, size_t room)
{
  size_t given = 0;
  for (; given < room && b->fifo.count && !b->stuck; given++)
    bytes[given] = weft_ftdi_fifo_pop(&b->fifo);
  return given;
}

static inline size_t echo_room(const struct weft_sim_board *b)
{
  return b->fifo.room - b->fifo.count;
}

static inline size_t echo_filled(const struct weft_sim_board *b)
{
  return b->fifo.count;
}

static const struct weft_board_ops echo_ops = {
  .abi = WEFT_BOARD_ABI,
  .active = echo_active,
  .baud = echo_baud,
  .purge = echo_purge,
  .stuck = echo_stuck,
  .put = echo_put,
  .get = echo_get,
  .room = echo_room,
  .filled = echo_filled,
};

#endif
