/* SPDX-License-Identifier: Apache-2.0 */
/* jacobi2d: the mean of every point of a grid and its four neighbours, again and again, in single precision.
 * Rows are dealt out in blocks; the rows at a block's edge are read by the neighbour and rewritten by their
 * owner every step. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

#define DEFAULT_SIDE 96u
#define MOST_SIDE 32768u
#define DEFAULT_STEPS 6u
#define CHUNK 16u /* points that a warp has in hand */

struct jacobi {
  uint64_t side, steps;
  weft_address grid[2];
};

static float mean(float here, float left, float right, float up, float down)
{
  return 0.2f * (here + left + right + up + down);
}

/* Points first .. first + n - 1 of a row; `old` and `new` are the grids. */
static void do_chunk(struct weft_warp *t, const struct jacobi *j, uint64_t step, uint64_t row, uint64_t first,
                     unsigned n)
{
  weft_address old = j->grid[step & 1], new = j->grid[~step & 1];
  uint64_t at = row * j->side + first;
  float up[CHUNK], here[CHUNK + 2], down[CHUNK], result[CHUNK];
  weft_load_span(t, old + 4 * (at - j->side), up, 4 * n);
  weft_load_span(t, old + 4 * (at - 1), here, 4 * (n + 2));
  weft_load_span(t, old + 4 * (at + j->side), down, 4 * n);
  for (unsigned i = 0; i < n; i++)
    result[i] = mean(here[i + 1], here[i], here[i + 2], up[i], down[i]);
  weft_compute(t, 5);
  weft_store_span(t, new + 4 * at, result, 4 * n);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct jacobi *j = arg;
  struct weft_part rows = weft_part_of_warp(j->side, weft_where(t));
  for (uint64_t step = 0; step < j->steps; step++) {
    for (uint64_t row = rows.first; row < rows.end; row++) {
      if (row == 0 || row == j->side - 1)
        continue; /* the border stays */
      for (uint64_t first = 1; first < j->side - 1; first += CHUNK) {
        uint64_t left = j->side - 1 - first;
        do_chunk(t, j, step, row, first, left < CHUNK ? (unsigned)left : CHUNK);
      }
    }
    weft_barrier(t);
  }
}

static void plain(uint64_t side, uint64_t steps, float *grid[2])
{
  for (uint64_t step = 0; step < steps; step++) {
    const float *old = grid[step & 1];
    float *new = grid[~step & 1];
    for (uint64_t row = 1; row + 1 < side; row++)
      for (uint64_t at = row * side + 1; at < row * side + side - 1; at++)
        new[at] = mean(old[at], old[at - 1], old[at + 1], old[at - side], old[at + side]);
  }
}

static int run_grids(struct weft_job *job, struct jacobi *j, float *grid[2])
{
  struct weft_random random = weft_random_stream(job->seed, WEFT_STREAM_INPUT);
  uint64_t points = j->side * j->side;
  for (uint64_t i = 0; i < points; i++)
    grid[0][i] = grid[1][i] = (float)weft_random_below(&random, 1u << 24) / (float)(1u << 14);
  weft_job_say(job, "%" PRIu64 " x %" PRIu64 " points, %" PRIu64 " steps", j->side, j->side, j->steps);
  int code = WEFT_OK;
  for (int i = 0; !code && i < 2; i++)
    code = weft_job_array(job, i ? "grid1" : "grid0", grid[i], points, 4, &j->grid[i]);
  if (!code)
    code = weft_job_launch(job, kernel, j);
  if (code)
    return code;
  plain(j->side, j->steps, grid);
  for (int i = 0; !code && i < 2; i++)
    code = weft_job_compare(job, "point", j->grid[i], grid[i], points, 4);
  return code;
}

static int run(struct weft_job *job)
{
  if (!job->size) {
    job->size = DEFAULT_SIDE;
    while (job->size * job->size > weft_job_fit(job, job->size * job->size, 8))
      job->size -= 8;
  }
  if (job->size < 3 || job->size > MOST_SIDE)
    return weft_job_bad_size(job, 3, MOST_SIDE);
  if (weft_job_room(job, 8 * job->size * job->size))
    return WEFT_NO_ROOM;
  struct jacobi j = { .side = job->size, .steps = job->iterations ? job->iterations : DEFAULT_STEPS };
  float *grid[2] = { malloc(j.side * j.side * 4), malloc(j.side * j.side * 4) };
  int code = grid[0] && grid[1] ? run_grids(job, &j, grid) : weft_fail_memory(job->w);
  free(grid[0]);
  free(grid[1]);
  return code;
}

const struct weft_workload weft_workload_jacobi2d = {
  { "jacobi2d", "J2D jacobi", "five-point means on a square grid, in single precision", "points per side" },
  run,
};
