/* SPDX-License-Identifier: Apache-2.0 */
/* matmul: C = A B, square, in single precision, every sum in the order of k. Rows of A and C belong to the
 * node that computes them; all of B is read by everybody, so most of it comes from other nodes. */
#include <inttypes.h>
#include <stdlib.h>

#include "job.h"

#define DEFAULT_SIDE 64u
#define MOST_SIDE 16384u
#define TILE 16u /* columns of C that a warp sums at a time */

struct matmul {
  uint64_t side;
  weft_address a, b, c;
};

static void do_tile(struct weft_warp *t, const struct matmul *m, uint64_t row, uint64_t column,
                    unsigned width)
{
  float sum[TILE] = { 0 }, a[TILE], b[TILE];
  for (uint64_t k = 0; k < m->side; k++) {
    if (k % TILE == 0) {
      uint64_t left = m->side - k;
      weft_load_span(t, m->a + 4 * (row * m->side + k), a, 4 * (left < TILE ? left : TILE));
    }
    weft_load_span(t, m->b + 4 * (k * m->side + column), b, 4 * width);
    for (unsigned i = 0; i < width; i++)
      sum[i] += a[k % TILE] * b[i];
    weft_compute(t, 1);
  }
  weft_store_span(t, m->c + 4 * (row * m->side + column), sum, 4 * width);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct matmul *m = arg;
  uint64_t across = (m->side + TILE - 1) / TILE;
  struct weft_part tiles = weft_part_of_warp(m->side * across, weft_where(t));
  for (uint64_t i = tiles.first; i < tiles.end; i++) {
    uint64_t column = i % across * TILE, left = m->side - column;
    do_tile(t, m, i / across, column, left < TILE ? (unsigned)left : TILE);
  }
}

/* The analyser loses sight of each matrix having side x side elements. */
static void plain(uint64_t side, const float *a, const float *b, float *c)
{
  for (uint64_t row = 0; row < side; row++)
    for (uint64_t column = 0; column < side; column++) {
      float sum = 0;
      for (uint64_t k = 0; k < side; k++)
        sum += a[row * side + k] * b[k * side + column]; /* NOLINT(clang-analyzer-security.ArrayBound) */
      c[row * side + column] = sum;
    }
}

static void fill(struct weft_random *random, float *matrix, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    matrix[i] = (float)weft_random_below(random, 1u << 16) / (float)(1u << 12) - 8.0f;
}

static int run_matrices(struct weft_job *job, float *a, float *b, float *c, uint64_t count)
{
  struct weft_random random = weft_random_stream(job->seed, WEFT_STREAM_INPUT);
  struct matmul m = { .side = job->size };
  fill(&random, a, count);
  fill(&random, b, count);
  weft_job_say(job, "%" PRIu64 " x %" PRIu64 " matrices", m.side, m.side);
  int code = weft_job_array(job, "a", a, count, 4, &m.a);
  if (!code)
    code = weft_job_array(job, "b", b, count, 4, &m.b);
  if (!code)
    code = weft_job_array(job, "c", NULL, count, 4, &m.c);
  if (!code)
    code = weft_job_launch(job, kernel, &m);
  if (code)
    return code;
  plain(m.side, a, b, c);
  return weft_job_compare(job, "element", m.c, c, count, 4);
}

static int run(struct weft_job *job)
{
  if (!job->size) {
    job->size = DEFAULT_SIDE;
    while (job->size * job->size > weft_job_fit(job, job->size * job->size, 12))
      job->size -= 8;
  }
  if (job->size > MOST_SIDE)
    return weft_job_bad_size(job, 1, MOST_SIDE);
  if (weft_job_room(job, 12 * job->size * job->size))
    return WEFT_NO_ROOM;
  uint64_t count = job->size * job->size;
  float *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b), *c = calloc(count, sizeof *c);
  int code = a && b && c ? run_matrices(job, a, b, c, count) : weft_fail_memory(job->w);
  free(a);
  free(b);
  free(c);
  return code;
}

const struct weft_workload weft_workload_matmul = {
  { "matmul", "GEMM MM mm", "C = A B in single precision; B is read by everybody", "rows and columns" },
  run,
};
