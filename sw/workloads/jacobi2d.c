/* SPDX-License-Identifier: Apache-2.0 */
/* jacobi2d: the mean of every point of a grid and its four neighbours, again and again, in single precision. A node has a
 * block of rows; the rows at a block's edge are read by the neighbour and rewritten by their owner every step. */
#include <inttypes.h>

#include "fields.h"

#define DEFAULT_SIDE 96u
#define MOST_SIDE 32768u
#define DEFAULT_STEPS 6u

struct jacobi {
  uint64_t side, steps;
  struct weft_field grid[2];
};

static float mean(float here, float left, float right, float up, float down)
{
  return 0.2f * (here + left + right + up + down);
}

static void do_chunk(struct weft_warp *t, const struct jacobi *j, uint64_t step, struct weft_chunk c)
{
  weft_address old = j->grid[step & 1].at, new = j->grid[~step & 1].at;
  uint64_t at = c.row * j->side + c.first;
  float up[WEFT_CHUNK], here[WEFT_WINDOW], down[WEFT_CHUNK], result[WEFT_CHUNK];
  weft_load_span_async(t, old + 4 * (at - j->side), up, 4 * c.n);
  weft_load_span_async(t, old + 4 * (at - 1), here, 4 * (c.n + 2));
  weft_load_span_async(t, old + 4 * (at + j->side), down, 4 * c.n);
  weft_wait_all(t);
  for (unsigned i = 0; i < c.n; i++)
    result[i] = mean(here[i + 1], here[i], here[i + 2], up[i], down[i]);
  weft_compute(t, 20); /* 5 loads, 5 additions and products, a store; addresses and bounds */
  weft_store_span(t, new + 4 * at, result, 4 * c.n);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct jacobi *j = arg;
  uint64_t chunks = weft_chunks_of(j->side, 1);
  for (uint64_t step = 0; step < j->steps; step++) {
    for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step)
      do_chunk(t, j, step, weft_chunk_at(j->side, 1, d.piece, false));
    weft_barrier(t);
  }
}

static void plain(void *arg)
{
  struct jacobi *j = arg;
  uint64_t side = j->side;
  for (uint64_t step = 0; step < j->steps; step++) {
    const float *old = j->grid[step & 1].reals;
    float *new = j->grid[~step & 1].reals;
    for (uint64_t row = 1; row + 1 < side; row++)
      for (uint64_t at = row * side + 1; at < row * side + side - 1; at++)
        new[at] = mean(old[at], old[at - 1], old[at + 1], old[at - side], old[at + side]);
  }
}

static void prepare(void *arg)
{
  struct jacobi *j = arg;
  weft_fields_copy(&j->grid[1], &j->grid[0]);
}

static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 8, 3, MOST_SIDE);
  if (code)
    return code;
  uint64_t side = job->size;
  struct jacobi j = { side,
                      job->iterations ? job->iterations : DEFAULT_STEPS,
                      { WEFT_REALS("grid0", side * side), WEFT_ZEROS("grid1", side * side) } };
  weft_job_say(job, "%" PRIu64 " x %" PRIu64 " points, %" PRIu64 " steps", side, side, j.steps);
  return weft_fields_run(job, &(struct weft_fields){ j.grid, 2, kernel, prepare, plain, &j });
}

const struct weft_workload weft_workload_jacobi2d = {
  { "jacobi2d", "J2D jacobi", "five-point means on a square grid, in single precision", "points per side" },
  run,
};
