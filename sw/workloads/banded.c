/* SPDX-License-Identifier: Apache-2.0 */
/* banded: Jacobi's method for a system of equations whose matrix is banded and strictly dominant on its diagonal, in whole
 * numbers. The band is sparse, as finite elements on a grid make it: groups of diagonals beside the main one and at an eighth, a
 * quarter and half of the side, so that a row needs unknowns of its own block and of others'. A warp has one row at
 * a time; its lanes multiply, its first one stores the unknown: stores of four bytes, one behind the other. */
#include <inttypes.h>
#include <stdlib.h>

#include "job.h"

#define GROUPS 7u
#define WIDE 8u /* diagonals of a group */
#define ROW (GROUPS * WIDE)
#define DIAGONAL (8 * (int32_t)ROW + 128) /* above the sum of the others' amounts, which are 8 at most */
#define DEFAULT_ROWS 1024u
#define MOST_ROWS (UINT64_C(1) << 22)
#define DEFAULT_STEPS 4u

struct banded {
  uint64_t rows, steps;
  int32_t *matrix, *right, *x[2]; /* the host's */
  weft_address matrix_at, right_at, x_at[2];
};

/* The unknowns that group g of row i multiplies: WIDE from here on, as far as there are such. */
static int64_t group_at(uint64_t rows, uint64_t i, unsigned g)
{
  static const int eighths[GROUPS] = { -4, -2, -1, 0, 1, 2, 4 };
  return (int64_t)i + eighths[g] * (int64_t)(rows / 8) - (int64_t)(WIDE / 2);
}

struct span {
  uint64_t first;
  unsigned from, n; /* of the group's diagonals */
};

static struct span inside(uint64_t rows, uint64_t i, unsigned g)
{
  int64_t at = group_at(rows, i, g), end = at + WIDE;
  int64_t first = at<0 ? 0 : at, last = end>(int64_t) rows ? (int64_t)rows : end;
  if (first >= last)
    return (struct span){ 0, 0, 0 };
  return (struct span){ (uint64_t)first, (unsigned)(first - at), (unsigned)(last - first) };
}

/* The main diagonal stands apart: its own factor in the group is not used. */
static int64_t product(uint64_t i, struct span s, const int32_t *a, const int32_t *x)
{
  int64_t sum = 0;
  for (unsigned k = 0; k < s.n; k++)
    sum += s.first + k == i ? 0 : (int64_t)a[s.from + k] * x[k];
  return sum;
}

static int32_t solve(int32_t right, int64_t sum)
{
  return (int32_t)((right - sum) / DIAGONAL);
}

/* ---- On the fabric ------------------------------------------------------------------------------------- */

static void do_row(struct weft_warp *t, const struct banded *b, weft_address old, weft_address new,
                   uint64_t i)
{
  int32_t a[ROW], x[GROUPS][WIDE], right;
  int64_t sum = 0;
  weft_load_span_async(t, b->matrix_at + 4 * ROW * i, a, sizeof a);
  weft_load_async(t, b->right_at + 4 * i, &right, 4, WEFT_WEAK, WEFT_CTA);
  for (unsigned g = 0; g < GROUPS; g++) {
    struct span s = inside(b->rows, i, g);
    weft_load_span_async(t, old + 4 * s.first, x[g], 4ul * s.n);
  }
  weft_wait_all(t);
  for (unsigned g = 0; g < GROUPS; g++)
    sum += product(i, inside(b->rows, i, g), a + g * WIDE, x[g]);
  weft_compute(
    t, 24); /* two products per lane with their addresses and bounds, the sum over the lanes, a division */
  int32_t result = solve(right, sum);
  weft_store(t, new + 4 * i, &result, 4, WEFT_WEAK, WEFT_CTA);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct banded *b = arg;
  struct weft_part part = weft_part_of_warp(b->rows, weft_where(t));
  for (uint64_t step = 0; step < b->steps; step++) {
    for (uint64_t i = part.first; i < part.end; i++)
      do_row(t, b, b->x_at[step & 1], b->x_at[~step & 1], i);
    weft_barrier(t);
  }
}

/* ---- Plain C ------------------------------------------------------------------------------------------- */

static void plain(struct banded *b)
{
  for (uint64_t step = 0; step < b->steps; step++)
    for (uint64_t i = 0; i < b->rows; i++) {
      int64_t sum = 0;
      for (unsigned g = 0; g < GROUPS; g++) {
        struct span s = inside(b->rows, i, g);
        sum += product(i, s, b->matrix + ROW * i + g * WIDE, b->x[step & 1] + s.first);
      }
      b->x[~step & 1][i] = solve(b->right[i], sum);
    }
}

/* ---- The job ------------------------------------------------------------------------------------------- */

static int run_system(struct weft_job *job, struct banded *b)
{
  struct weft_random random = weft_random_stream(job->seed, WEFT_STREAM_INPUT);
  for (uint64_t i = 0; i < b->rows * ROW; i++)
    b->matrix[i] = (int32_t)weft_random_below(&random, 17) - 8;
  for (uint64_t i = 0; i < b->rows; i++)
    b->right[i] = (int32_t)weft_random_below(&random, 1u << 30) - (1 << 29);
  weft_job_say(job, "%" PRIu64 " equations, %u diagonals, %" PRIu64 " steps", b->rows, ROW, b->steps);
  int code = weft_job_array(job, "matrix", b->matrix, b->rows * ROW, 4, &b->matrix_at);
  if (!code)
    code = weft_job_array(job, "right", b->right, b->rows, 4, &b->right_at);
  for (unsigned i = 0; !code && i < 2; i++)
    code = weft_job_array(job, i ? "x1" : "x0", NULL, b->rows, 4, &b->x_at[i]);
  if (!code)
    code = weft_job_launch(job, kernel, b);
  if (!code)
    plain(b);
  for (unsigned i = 0; !code && i < 2; i++)
    code = weft_job_compare(job, "unknown", b->x_at[i], b->x[i], b->rows, 4);
  return code;
}

static int run(struct weft_job *job)
{
  const uint64_t each = 4 * (ROW + 3);
  if (!job->size)
    job->size = weft_job_fit(job, DEFAULT_ROWS, each);
  if (job->size > MOST_ROWS)
    return weft_job_bad_size(job, 1, MOST_ROWS);
  if (weft_job_room(job, each * job->size))
    return WEFT_NO_ROOM;
  struct banded b = { .rows = job->size, .steps = job->iterations ? job->iterations : DEFAULT_STEPS };
  b.matrix = calloc(b.rows * ROW, 4);
  b.right = calloc(b.rows, 4);
  b.x[0] = calloc(b.rows, 4);
  b.x[1] = calloc(b.rows, 4);
  int code = b.matrix && b.right && b.x[0] && b.x[1] ? run_system(job, &b) : weft_fail_memory(job->w);
  free(b.matrix);
  free(b.right);
  free(b.x[0]);
  free(b.x[1]);
  return code;
}

const struct weft_workload weft_workload_banded = {
  { "banded", "JB", "equations with a banded matrix, by Jacobi's method, in whole numbers", "equations" },
  run,
};
