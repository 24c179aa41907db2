/* SPDX-License-Identifier: Apache-2.0 */
/* gemv: A += u1 v1^T + u2 v2^T; x += beta A^T y + z; w = alpha A x (Polybench's gemver), single precision, sums in the order
 * of the index. Three dependent steps: every one reads what all nodes wrote in the one before. */
#include <inttypes.h>

#include "matvec.h"

#define DEFAULT_SIDE 64u
#define MOST_SIDE 32768u
#define ALPHA 0.75f
#define BETA 0.5f

enum { A, U1, V1, U2, V2, Y, Z, X, W, FIELDS };

struct gemv {
  uint64_t side;
  struct weft_field field[FIELDS];
};

static float updated(float a, float u1, float v1, float u2, float v2)
{
  return a + u1 * v1 + u2 * v2;
}

static void update(struct weft_warp *t, const struct gemv *g, struct weft_chunk c)
{
  const struct weft_field *f = g->field;
  float a[WEFT_CHUNK], v1[WEFT_CHUNK], v2[WEFT_CHUNK], u1, u2;
  weft_address at = f[A].at + 4 * (c.row * g->side + c.first);
  weft_load_async(t, f[U1].at + 4 * c.row, &u1, 4, WEFT_WEAK, WEFT_CTA);
  weft_load_async(t, f[U2].at + 4 * c.row, &u2, 4, WEFT_WEAK, WEFT_CTA);
  weft_load_span(t, f[V1].at + 4 * c.first, v1, 4 * c.n);
  weft_load_span(t, f[V2].at + 4 * c.first, v2, 4 * c.n);
  weft_load_span(t, at, a, 4 * c.n);
  for (unsigned i = 0; i < c.n; i++)
    a[i] = updated(a[i], u1, v1[i], u2, v2[i]);
  weft_compute(t, 16); /* 5 loads, 2 multiply-adds, a store; addresses */
  weft_store_span(t, at, a, 4 * c.n);
}

static void add_columns(struct weft_warp *t, const struct gemv *g, struct weft_chunk c)
{
  const struct weft_field *f = g->field;
  float sum[WEFT_CHUNK] = { 0 }, x[WEFT_CHUNK], z[WEFT_CHUNK];
  weft_columns_times(t, f[A].at, g->side, f[Y].at, c, sum);
  weft_load_span(t, f[X].at + 4 * c.first, x, 4 * c.n);
  weft_load_span(t, f[Z].at + 4 * c.first, z, 4 * c.n);
  for (unsigned i = 0; i < c.n; i++)
    x[i] = x[i] + BETA * sum[i] + z[i];
  weft_compute(t, 3);
  weft_store_span(t, f[X].at + 4 * c.first, x, 4 * c.n);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct gemv *g = arg;
  const struct weft_place *p = weft_where(t);
  uint64_t chunks = weft_vector_chunks(g->side);
  for (struct weft_deal d = weft_deal_to(weft_chunks_of(g->side, 0), p); d.piece < d.end; d.piece += d.step)
    update(t, g, weft_chunk_at(g->side, 0, d.piece, false));
  weft_barrier(t);
  for (struct weft_deal d = weft_deal_to(chunks, p); d.piece < d.end; d.piece += d.step)
    add_columns(t, g, weft_vector_chunk(g->side, d.piece));
  weft_barrier(t);
  for (struct weft_deal d = weft_deal_to(chunks, p); d.piece < d.end; d.piece += d.step) {
    struct weft_chunk rows = weft_vector_chunk(g->side, d.piece);
    float sum[WEFT_CHUNK];
    weft_rows_times(t, g->field[A].at, g->side, g->field[X].at, rows, sum);
    for (unsigned i = 0; i < rows.n; i++)
      sum[i] *= ALPHA;
    weft_compute(t, 1);
    weft_store_span(t, g->field[W].at + 4 * rows.first, sum, 4 * rows.n);
  }
}

/* w holds the sums of the columns until it gets its own. */
static void plain(void *arg)
{
  struct gemv *g = arg;
  struct weft_field *f = g->field;
  for (uint64_t row = 0; row < g->side; row++)
    for (uint64_t column = 0; column < g->side; column++) {
      float *a = &f[A].reals[row * g->side + column];
      *a = updated(*a, f[U1].reals[row], f[V1].reals[column], f[U2].reals[row], f[V2].reals[column]);
    }
  weft_plain_columns_times(f[A].reals, g->side, f[Y].reals, f[W].reals);
  for (uint64_t i = 0; i < g->side; i++)
    f[X].reals[i] = f[X].reals[i] + BETA * f[W].reals[i] + f[Z].reals[i];
  weft_plain_rows_times(f[A].reals, g->side, f[X].reals, f[W].reals);
  for (uint64_t i = 0; i < g->side; i++)
    f[W].reals[i] *= ALPHA;
}

static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 6, 1, MOST_SIDE);
  if (code)
    return code;
  uint64_t side = job->size;
  struct gemv g = { side,
                    { [A] = WEFT_REALS("a", side * side),
                      [U1] = WEFT_REALS("u1", side),
                      [V1] = WEFT_REALS("v1", side),
                      [U2] = WEFT_REALS("u2", side),
                      [V2] = WEFT_REALS("v2", side),
                      [Y] = WEFT_REALS("y", side),
                      [Z] = WEFT_REALS("z", side),
                      [X] = WEFT_ZEROS("x", side),
                      [W] = WEFT_ZEROS("w", side) } };
  weft_job_say(job, "a matrix of %" PRIu64 " x %" PRIu64 ", eight vectors", side, side);
  return weft_fields_run(job, &(struct weft_fields){ g.field, FIELDS, kernel, NULL, plain, &g });
}

const struct weft_workload weft_workload_gemv = {
  { "gemv", "gemver", "A += u1 v1^T + u2 v2^T; x += b A^T y + z; w = a A x, in single precision",
    "rows and columns" },
  run,
};
