/* SPDX-License-Identifier: Apache-2.0 */
/* Who is ordered with whom. Every warp has a vector clock: how many episodes of each other warp are before what it does
 * next. A release of some scope offers the clock to the warps of that scope; waiting for it, and acquiring, takes it.
 * What was offered narrowly travels on inside what its taker offers later: releases are cumulative (R6).
 *
 * An episode may read what was last written before it, and write what was last written and read before it. */
#include <stdlib.h>
#include <string.h>

#include "episodes.h"

bool weft_clocks_open(struct weft_clocks *c, unsigned warps, size_t locations)
{
  size_t square = (size_t)warps * warps;
  memset(c, 0, sizeof *c);
  c->warps = warps;
  c->locations = locations;
  c->ended = calloc(warps, sizeof *c->ended);
  c->known = calloc(square, sizeof *c->known);
  c->offered = calloc(3 * square, sizeof *c->offered);
  c->offered_count = calloc(3 * (size_t)warps, sizeof *c->offered_count);
  c->writer = calloc(locations, sizeof *c->writer);
  c->written = calloc(locations, sizeof *c->written);
  c->read = calloc(locations * warps, sizeof *c->read);
  return c->ended && c->known && c->offered && c->offered_count && c->writer && c->written && c->read;
}

void weft_clocks_close(struct weft_clocks *c)
{
  free(c->ended);
  free(c->known);
  free(c->offered);
  free(c->offered_count);
  free(c->writer);
  free(c->written);
  free(c->read);
  memset(c, 0, sizeof *c);
}

void weft_clocks_round(struct weft_clocks *c)
{
  size_t square = (size_t)c->warps * c->warps;
  memset(c->ended, 0, c->warps * sizeof *c->ended);
  memset(c->known, 0, square * sizeof *c->known);
  memset(c->offered, 0, 3 * square * sizeof *c->offered);
  memset(c->offered_count, 0, 3 * (size_t)c->warps * sizeof *c->offered_count);
  memset(c->written, 0, c->locations * sizeof *c->written);
  memset(c->read, 0, c->locations * c->warps * sizeof *c->read);
}

static bool before(const struct weft_clocks *c, unsigned warp, unsigned other, uint32_t episode)
{
  return warp == other || episode <= c->known[(size_t)warp * c->warps + other];
}

bool weft_clocks_may_read(const struct weft_clocks *c, unsigned warp, uint32_t location)
{
  return before(c, warp, c->writer[location], c->written[location]);
}

bool weft_clocks_may_write(const struct weft_clocks *c, unsigned warp, uint32_t location)
{
  const uint32_t *read = c->read + (size_t)location * c->warps;
  if (!weft_clocks_may_read(c, warp, location))
    return false;
  for (unsigned other = 0; other < c->warps; other++)
    if (!before(c, warp, other, read[other]))
      return false;
  return true;
}

void weft_clocks_reads(struct weft_clocks *c, unsigned warp, uint32_t location)
{
  c->read[(size_t)location * c->warps + warp] = c->ended[warp] + 1;
}

void weft_clocks_writes(struct weft_clocks *c, unsigned warp, uint32_t location)
{
  c->writer[location] = warp;
  c->written[location] = c->ended[warp] + 1;
}

uint64_t weft_clocks_join(struct weft_clocks *c, unsigned warp, unsigned other, enum weft_memory_scope scope)
{
  size_t row = (size_t)scope * c->warps + other;
  const uint32_t *offered = c->offered + row * c->warps;
  uint32_t *known = c->known + (size_t)warp * c->warps;
  if (!c->offered_count[row])
    return 0;
  for (unsigned i = 0; i < c->warps; i++)
    known[i] = offered[i] > known[i] ? offered[i] : known[i];
  return c->offered_count[row];
}

void weft_clocks_end(struct weft_clocks *c, unsigned warp, enum weft_memory_scope release, uint64_t count)
{
  uint32_t *known = c->known + (size_t)warp * c->warps;
  known[warp] = ++c->ended[warp];
  for (unsigned scope = 0; scope <= (unsigned)release; scope++) {
    size_t row = (size_t)scope * c->warps + warp;
    memcpy(c->offered + row * c->warps, known, c->warps * sizeof *known);
    c->offered_count[row] = count;
  }
}
