/* SPDX-License-Identifier: Apache-2.0 */
/* atax: y = A^T (A x), single precision, sums in the order of the index. A thread per row for the first product, so that
 * the lines that are in use at one time lie far apart; a thread per column for the second. */
#include <inttypes.h>

#include "matvec.h"

#define DEFAULT_SIDE 64u
#define MOST_SIDE 32768u

enum { A, X, TMP, Y, FIELDS };

struct atax {
  uint64_t side;
  struct weft_field field[FIELDS];
};

static void kernel(struct weft_warp *t, void *arg)
{
  const struct atax *a = arg;
  const struct weft_field *f = a->field;
  uint64_t chunks = weft_vector_chunks(a->side);
  float sum[WEFT_CHUNK];
  for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    struct weft_chunk rows = weft_vector_chunk(a->side, d.piece);
    weft_rows_times(t, f[A].at, a->side, f[X].at, rows, sum);
    weft_store_span(t, f[TMP].at + 4 * rows.first, sum, 4 * rows.n);
  }
  weft_barrier(t);
  for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    struct weft_chunk columns = weft_vector_chunk(a->side, d.piece);
    for (unsigned c = 0; c < columns.n; c++)
      sum[c] = 0;
    weft_columns_times(t, f[A].at, a->side, f[TMP].at, columns, sum);
    weft_store_span(t, f[Y].at + 4 * columns.first, sum, 4 * columns.n);
  }
}

static void plain(void *arg)
{
  struct atax *a = arg;
  struct weft_field *f = a->field;
  weft_plain_rows_times(f[A].reals, a->side, f[X].reals, f[TMP].reals);
  weft_plain_columns_times(f[A].reals, a->side, f[TMP].reals, f[Y].reals);
}

static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 5, 1, MOST_SIDE);
  if (code)
    return code;
  uint64_t side = job->size;
  struct atax a = { side,
                    { [A] = WEFT_REALS("a", side * side),
                      [X] = WEFT_REALS("x", side),
                      [TMP] = WEFT_ZEROS("tmp", side),
                      [Y] = WEFT_ZEROS("y", side) } };
  weft_job_say(job, "a matrix of %" PRIu64 " x %" PRIu64, side, side);
  return weft_fields_run(job, &(struct weft_fields){ a.field, FIELDS, kernel, NULL, plain, &a });
}

const struct weft_workload weft_workload_atax = {
  { "atax", "", "y = A^T (A x) in single precision; all of A is read twice", "rows and columns" },
  run,
};
