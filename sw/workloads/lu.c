/* SPDX-License-Identifier: Apache-2.0 */
/* lu: A = L U in place, without pivoting, single precision, in tiles. Every step factors a tile, then the tiles below it and
 * to its right, then takes their product from all that remains: what one node has just written, all others read. Every
 * element gets its updates in the order of k, so that the result is that of the plain three loops. */
#include <inttypes.h>

#include "tiles.h"

#define DEFAULT_SIDE 64u
#define MOST_SIDE 16384u
#define LANES 32u

struct lu {
  uint64_t side;
  struct weft_field a;
};

static void factor(struct weft_tile *d)
{
  for (unsigned k = 0; k < d->rows; k++)
    for (unsigned i = k + 1; i < d->rows; i++) {
      d->value[i][k] /= d->value[k][k];
      for (unsigned j = k + 1; j < d->columns; j++)
        d->value[i][j] -= d->value[i][k] * d->value[k][j];
    }
}

/* Below the diagonal: x U = tile. */
static void solve_below(const struct weft_tile *d, struct weft_tile *x)
{
  for (unsigned i = 0; i < x->rows; i++)
    for (unsigned k = 0; k < d->columns; k++) {
      x->value[i][k] /= d->value[k][k];
      for (unsigned j = k + 1; j < d->columns; j++)
        x->value[i][j] -= x->value[i][k] * d->value[k][j];
    }
}

/* To the right of it: L x = tile. */
static void solve_right(const struct weft_tile *d, struct weft_tile *x)
{
  for (unsigned k = 0; k < d->rows; k++)
    for (unsigned i = k + 1; i < d->rows; i++)
      for (unsigned j = 0; j < x->columns; j++)
        x->value[i][j] -= d->value[i][k] * x->value[k][j];
}

static void subtract_product(const struct weft_tile *l, const struct weft_tile *u, struct weft_tile *x)
{
  for (unsigned k = 0; k < l->columns; k++)
    for (unsigned i = 0; i < x->rows; i++)
      for (unsigned j = 0; j < x->columns; j++)
        x->value[i][j] -= l->value[i][k] * u->value[k][j];
}

static struct weft_tile load(struct weft_warp *t, const struct lu *lu, uint64_t row, uint64_t column)
{
  struct weft_tile tile = weft_tile_at(lu->side, row, column);
  weft_tile_load(t, lu->a.at, lu->side, &tile);
  return tile;
}

/* Piece `piece` of the tiles below and to the right of the diagonal one of step k. */
static void do_panel(struct weft_warp *t, const struct lu *lu, uint64_t k, uint64_t left, uint64_t piece)
{
  bool below = piece < left;
  struct weft_tile d = load(t, lu, k, k);
  struct weft_tile x = below ? load(t, lu, k + 1 + piece, k) : load(t, lu, k, k + 1 + piece - left);
  (below ? solve_below : solve_right)(&d, &x);
  weft_compute(t, WEFT_TILE * WEFT_TILE * WEFT_TILE / 2 / LANES);
  weft_tile_store(t, lu->a.at, lu->side, &x);
}

static void do_rest(struct weft_warp *t, const struct lu *lu, uint64_t k, uint64_t left, uint64_t piece)
{
  uint64_t row = k + 1 + piece / left, column = k + 1 + piece % left;
  struct weft_tile l = load(t, lu, row, k), u = load(t, lu, k, column), x = load(t, lu, row, column);
  subtract_product(&l, &u, &x);
  weft_compute(t, WEFT_TILE * WEFT_TILE * WEFT_TILE / LANES);
  weft_tile_store(t, lu->a.at, lu->side, &x);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct lu *lu = arg;
  const struct weft_place *p = weft_where(t);
  uint64_t tiles = weft_tiles_of(lu->side);
  for (uint64_t k = 0; k < tiles; k++) {
    uint64_t left = tiles - k - 1;
    if (p->index == k % p->count) {
      struct weft_tile d = load(t, lu, k, k);
      factor(&d);
      weft_compute(t, WEFT_TILE * WEFT_TILE);
      weft_tile_store(t, lu->a.at, lu->side, &d);
    }
    weft_barrier(t);
    for (struct weft_deal d = weft_deal_to(2 * left, p); d.piece < d.end; d.piece += d.step)
      do_panel(t, lu, k, left, d.piece);
    weft_barrier(t);
    for (struct weft_deal d = weft_deal_to(left * left, p); d.piece < d.end; d.piece += d.step)
      do_rest(t, lu, k, left, d.piece);
    weft_barrier(t);
  }
}

/* A diagonal that outweighs its row needs no pivots. */
static void prepare(void *arg)
{
  struct lu *lu = arg;
  for (uint64_t i = 0; i < lu->side; i++)
    lu->a.reals[i * lu->side + i] += 16.0f * (float)lu->side;
}

static void plain(void *arg)
{
  struct lu *lu = arg;
  uint64_t side = lu->side;
  for (uint64_t k = 0; k < side; k++)
    for (uint64_t i = k + 1; i < side; i++) {
      float *row = lu->a.reals + i * side;
      const float *pivot = lu->a.reals + k * side;
      row[k] /= pivot[k];
      for (uint64_t j = k + 1; j < side; j++)
        row[j] -= row[k] * pivot[j];
    }
}

static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 4, 1, MOST_SIDE);
  if (code)
    return code;
  struct lu lu = { job->size, WEFT_REALS("a", job->size * job->size) };
  weft_job_say(job, "a matrix of %" PRIu64 " x %" PRIu64 ", tiles of %u x %u", lu.side, lu.side, WEFT_TILE,
               WEFT_TILE);
  return weft_fields_run(job, &(struct weft_fields){ &lu.a, 1, kernel, prepare, plain, &lu });
}

const struct weft_workload weft_workload_lu = {
  { "lu", "", "A = L U in place and in tiles, without pivoting, in single precision", "rows and columns" },
  run,
};
