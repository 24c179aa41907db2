/* SPDX-License-Identifier: Apache-2.0 */
#include "tiles.h"

#define HEIGHT 8u /* rows of the result that a warp keeps */
#define LANES 32u

static unsigned at_most(uint64_t left, unsigned most)
{
  return left < most ? (unsigned)left : most;
}

uint64_t weft_tiles_of(uint64_t side)
{
  return (side + WEFT_TILE - 1) / WEFT_TILE;
}

struct weft_tile weft_tile_at(uint64_t side, uint64_t row, uint64_t column)
{
  struct weft_tile tile = { .row = row * WEFT_TILE, .column = column * WEFT_TILE };
  tile.rows = at_most(side - tile.row, WEFT_TILE);
  tile.columns = at_most(side - tile.column, WEFT_TILE);
  return tile;
}

void weft_tile_load(struct weft_warp *t, weft_address matrix, uint64_t side, struct weft_tile *tile)
{
  for (unsigned r = 0; r < tile->rows; r++)
    weft_load_span_async(t, matrix + 4 * ((tile->row + r) * side + tile->column), tile->value[r],
                         4 * (size_t)tile->columns);
  weft_wait_all(t);
}

void weft_tile_store(struct weft_warp *t, weft_address matrix, uint64_t side, const struct weft_tile *tile)
{
  for (unsigned r = 0; r < tile->rows; r++)
    weft_store_span(t, matrix + 4 * ((tile->row + r) * side + tile->column), tile->value[r],
                    4 * (size_t)tile->columns);
}

/* A strip of the result, HEIGHT rows of a tile's width. */
static void do_strip(struct weft_warp *t, uint64_t side, weft_address a, weft_address b, weft_address c,
                     struct weft_tile *sum)
{
  struct weft_tile left = { .row = sum->row, .rows = sum->rows },
                   right = { .column = sum->column, .columns = sum->columns };
  for (uint64_t k = 0; k < side; k += WEFT_TILE) {
    left.column = right.row = k;
    left.columns = right.rows = at_most(side - k, WEFT_TILE);
    weft_tile_load(t, a, side, &left);
    weft_tile_load(t, b, side, &right);
    for (unsigned i = 0; i < sum->rows; i++)
      for (unsigned m = 0; m < left.columns; m++)
        for (unsigned j = 0; j < sum->columns; j++)
          sum->value[i][j] += left.value[i][m] * right.value[m][j];
    weft_compute(t, (uint64_t)sum->rows * WEFT_TILE * left.columns / LANES);
  }
  weft_tile_store(t, c, side, sum);
}

void weft_product(struct weft_warp *t, uint64_t side, weft_address a, weft_address b, weft_address c)
{
  uint64_t across = weft_tiles_of(side), down = (side + HEIGHT - 1) / HEIGHT;
  for (struct weft_deal d = weft_deal_to(across * down, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    struct weft_tile sum = { .row = d.piece / across * HEIGHT, .column = d.piece % across * WEFT_TILE };
    sum.rows = at_most(side - sum.row, HEIGHT);
    sum.columns = at_most(side - sum.column, WEFT_TILE);
    do_strip(t, side, a, b, c, &sum);
  }
}

/* The analyser loses sight of each matrix having side x side elements. */
void weft_plain_product(uint64_t side, const float *a, const float *b, float *c)
{
  for (uint64_t row = 0; row < side; row++)
    for (uint64_t k = 0; k < side; k++)
      for (uint64_t column = 0; column < side; column++)
        c[row * side + column] +=
          a[row * side + k] * b[k * side + column]; /* NOLINT(clang-analyzer-security.ArrayBound) */
}
