/* SPDX-License-Identifier: Apache-2.0 */
/* st: nine-point stencil (SHOC's Stencil2D), single precision, step after step. SHOC numbers its workgroups down the
 * columns first, and so do we: pieces of work that run at one time lie in many rows, far apart in memory. */
#include <inttypes.h>

#include "fields.h"

#define DEFAULT_SIDE 96u
#define MOST_SIDE 32768u
#define DEFAULT_STEPS 4u
#define CENTRE 0.25f
#define CARDINAL 0.15f
#define DIAGONAL 0.05f

struct st {
  uint64_t side, steps;
  struct weft_field grid[2];
};

static float weighted(const float *up, const float *here, const float *down)
{
  return CENTRE * here[1] + CARDINAL * (up[1] + down[1] + here[0] + here[2]) +
         DIAGONAL * (up[0] + up[2] + down[0] + down[2]);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct st *s = arg;
  uint64_t chunks = weft_chunks_of(s->side, 1);
  for (uint64_t step = 0; step < s->steps; step++) {
    const struct weft_field *old = &s->grid[step & 1], *new = &s->grid[~step & 1];
    for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step) {
      struct weft_chunk c = weft_chunk_at(s->side, 1, d.piece, true);
      float window[3][WEFT_WINDOW], result[WEFT_CHUNK];
      weft_load_window(t, old->at, s->side, c, window);
      for (unsigned i = 0; i < c.n; i++)
        result[i] = weighted(window[0] + i, window[1] + i, window[2] + i);
      weft_compute(t, 30); /* 9 loads, 11 additions and products, a store; addresses and bounds */
      weft_store_span(t, new->at + 4 * (c.row * s->side + c.first), result, 4 * c.n);
    }
    weft_barrier(t);
  }
}

static void prepare(void *arg)
{
  struct st *s = arg;
  weft_fields_copy(&s->grid[1], &s->grid[0]);
}

static void plain(void *arg)
{
  struct st *s = arg;
  for (uint64_t step = 0; step < s->steps; step++) {
    const float *old = s->grid[step & 1].reals;
    float *new = s->grid[~step & 1].reals;
    for (uint64_t row = 1; row + 1 < s->side; row++)
      for (uint64_t at = row * s->side; at < row * s->side + s->side - 2; at++)
        new[at + 1] = weighted(old + at - s->side, old + at, old + at + s->side);
  }
}

static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 8, 3, MOST_SIDE);
  if (code)
    return code;
  uint64_t side = job->size;
  struct st s = { side,
                  job->iterations ? job->iterations : DEFAULT_STEPS,
                  { WEFT_REALS("grid0", side * side), WEFT_ZEROS("grid1", side * side) } };
  weft_job_say(job, "%" PRIu64 " x %" PRIu64 " points, %" PRIu64 " steps", side, side, s.steps);
  return weft_fields_run(job, &(struct weft_fields){ s.grid, 2, kernel, prepare, plain, &s });
}

const struct weft_workload weft_workload_st = {
  { "st", "stencil2d", "nine-point stencil on a square grid, down its columns, in single precision",
    "points per side" },
  run,
};
