/* SPDX-License-Identifier: Apache-2.0 */
/* Square matrices in tiles, as GPU libraries multiply them: a warp keeps a tile of the result and goes through a tile row
 * of one factor and a tile column of the other. */
#ifndef WEFT_TILES_H
#define WEFT_TILES_H

#include "fields.h"

#define WEFT_TILE WEFT_CHUNK /* rows and columns of a tile */

struct weft_tile {
  uint64_t row, column;   /* of its first element */
  unsigned rows, columns; /* fewer at the edges */
  float value[WEFT_TILE][WEFT_TILE];
};

/* The place and extent of tile (row, column); its values are zero. */
struct weft_tile weft_tile_at(uint64_t side, uint64_t row, uint64_t column);
uint64_t weft_tiles_of(uint64_t side); /* in one row of them */
void weft_tile_load(struct weft_warp *t, weft_address matrix, uint64_t side, struct weft_tile *tile);
void weft_tile_store(struct weft_warp *t, weft_address matrix, uint64_t side, const struct weft_tile *tile);

/* c = a b, every sum in the order of k; the warp's share of it. No barrier. */
void weft_product(struct weft_warp *t, uint64_t side, weft_address a, weft_address b, weft_address c);
void weft_plain_product(uint64_t side, const float *a, const float *b, float *c);

#endif
