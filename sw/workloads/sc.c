/* SPDX-License-Identifier: Apache-2.0 */
/* sc: simple convolution (AMD APP SDK) of an image with a mask that lies in memory, in whole numbers. The mask is read by
 * everybody all the time, between lines of the image that are read a few times and never again. */
#include <inttypes.h>

#include "fields.h"

#define DEFAULT_SIDE 128u
#define MOST_SIDE 32768u
#define MASK 3u /* rows and columns */

enum { IMAGE, COEFFICIENTS, RESULT, FIELDS };

struct sc {
  uint64_t side; /* of the image with its edge of one point */
  struct weft_field field[FIELDS];
};

static void kernel(struct weft_warp *t, void *arg)
{
  const struct sc *s = arg;
  uint64_t chunks = weft_chunks_of(s->side, 1);
  for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    struct weft_chunk c = weft_chunk_at(s->side, 1, d.piece, false);
    uint32_t window[MASK][WEFT_WINDOW], mask[MASK * MASK], sum[WEFT_CHUNK] = { 0 };
    weft_load_window(t, s->field[IMAGE].at, s->side, c, window);
    weft_load_span(t, s->field[COEFFICIENTS].at, mask, sizeof mask);
    for (unsigned i = 0; i < c.n; i++)
      for (unsigned m = 0; m < MASK * MASK; m++)
        sum[i] += window[m / MASK][i + m % MASK] * mask[m];
    weft_compute(t, 5 * MASK * MASK); /* load both, multiply, add, count */
    weft_store_span(t, s->field[RESULT].at + 4 * (c.row * s->side + c.first), sum, 4 * c.n);
  }
}

static void plain(void *arg)
{
  struct sc *s = arg;
  const uint32_t *mask = s->field[COEFFICIENTS].wholes;
  for (uint64_t row = 1; row + 1 < s->side; row++)
    for (uint64_t column = 1; column + 1 < s->side; column++) {
      const uint32_t *first = s->field[IMAGE].wholes + (row - 1) * s->side + column - 1;
      uint32_t sum = 0;
      for (unsigned m = 0; m < MASK * MASK; m++)
        sum += first[m / MASK * s->side + m % MASK] * mask[m];
      s->field[RESULT].wholes[row * s->side + column] = sum;
    }
}

/* The edge of the result is never written: it keeps what was there. */
static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 9, 3, MOST_SIDE);
  if (code)
    return code;
  uint64_t side = job->size;
  struct sc s = { side,
                  { [IMAGE] = WEFT_WHOLES("image", side * side),
                    [COEFFICIENTS] = WEFT_WHOLES("mask", MASK * MASK),
                    [RESULT] = WEFT_WHOLES("result", side * side) } };
  weft_job_say(job, "%" PRIu64 " x %" PRIu64 " points, mask of %u x %u", side, side, MASK, MASK);
  return weft_fields_run(job, &(struct weft_fields){ s.field, FIELDS, kernel, NULL, plain, &s });
}

const struct weft_workload weft_workload_sc = {
  { "sc", "simpleconv", "an image convolved with a mask that lies in memory, in whole numbers",
    "points per side" },
  run,
};
