/* SPDX-License-Identifier: Apache-2.0 */
/* bicg: s = A^T r and q = A p, the two products of a step of the biconjugate gradients (Polybench's bicg), single
 * precision. A thread per column, then a thread per row; neither product needs the other. */
#include <inttypes.h>

#include "matvec.h"

#define DEFAULT_SIDE 64u
#define MOST_SIDE 32768u

enum { A, R, P, S, Q, FIELDS };

struct bicg {
  uint64_t side;
  struct weft_field field[FIELDS];
};

static void kernel(struct weft_warp *t, void *arg)
{
  const struct bicg *b = arg;
  const struct weft_field *f = b->field;
  uint64_t chunks = weft_vector_chunks(b->side);
  for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    struct weft_chunk columns = weft_vector_chunk(b->side, d.piece);
    float sum[WEFT_CHUNK] = { 0 };
    weft_columns_times(t, f[A].at, b->side, f[R].at, columns, sum);
    weft_store_span(t, f[S].at + 4 * columns.first, sum, 4 * columns.n);
  }
  for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    struct weft_chunk rows = weft_vector_chunk(b->side, d.piece);
    float sum[WEFT_CHUNK];
    weft_rows_times(t, f[A].at, b->side, f[P].at, rows, sum);
    weft_store_span(t, f[Q].at + 4 * rows.first, sum, 4 * rows.n);
  }
}

static void plain(void *arg)
{
  struct bicg *b = arg;
  struct weft_field *f = b->field;
  weft_plain_columns_times(f[A].reals, b->side, f[R].reals, f[S].reals);
  weft_plain_rows_times(f[A].reals, b->side, f[P].reals, f[Q].reals);
}

static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 5, 1, MOST_SIDE);
  if (code)
    return code;
  uint64_t side = job->size;
  struct bicg b = { side,
                    { [A] = WEFT_REALS("a", side * side),
                      [R] = WEFT_REALS("r", side),
                      [P] = WEFT_REALS("p", side),
                      [S] = WEFT_ZEROS("s", side),
                      [Q] = WEFT_ZEROS("q", side) } };
  weft_job_say(job, "a matrix of %" PRIu64 " x %" PRIu64, side, side);
  return weft_fields_run(job, &(struct weft_fields){ b.field, FIELDS, kernel, NULL, plain, &b });
}

const struct weft_workload weft_workload_bicg = {
  { "bicg", "", "s = A^T r and q = A p in single precision", "rows and columns" },
  run,
};
