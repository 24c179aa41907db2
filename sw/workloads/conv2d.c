/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d: a grid convolved with nine fixed coefficients (Polybench's 2DConvolution), single precision. A row is read for
 * three rows of the result; nothing is written that anybody reads. */
#include <inttypes.h>

#include "fields.h"

#define DEFAULT_SIDE 128u
#define MOST_SIDE 32768u

enum { A, B, FIELDS };

struct conv2d {
  uint64_t side;
  struct weft_field field[FIELDS];
};

static float convolved(const float *up, const float *here, const float *down)
{
  return 0.2f * up[0] + 0.5f * up[1] - 0.8f * up[2] - 0.3f * here[0] + 0.6f * here[1] - 0.9f * here[2] +
         0.4f * down[0] + 0.7f * down[1] + 0.1f * down[2];
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct conv2d *v = arg;
  uint64_t chunks = weft_chunks_of(v->side, 1);
  for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    struct weft_chunk c = weft_chunk_at(v->side, 1, d.piece, false);
    float window[3][WEFT_WINDOW], result[WEFT_CHUNK];
    weft_load_window(t, v->field[A].at, v->side, c, window);
    for (unsigned i = 0; i < c.n; i++)
      result[i] = convolved(window[0] + i, window[1] + i, window[2] + i);
    weft_compute(t, 30); /* 9 loads, 9 multiply-adds, a store; addresses and bounds */
    weft_store_span(t, v->field[B].at + 4 * (c.row * v->side + c.first), result, 4 * c.n);
  }
}

static void plain(void *arg)
{
  struct conv2d *v = arg;
  for (uint64_t row = 1; row + 1 < v->side; row++)
    for (uint64_t column = 1; column + 1 < v->side; column++) {
      const float *here = v->field[A].reals + row * v->side + column - 1;
      v->field[B].reals[row * v->side + column] = convolved(here - v->side, here, here + v->side);
    }
}

static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 8, 3, MOST_SIDE);
  if (code)
    return code;
  uint64_t side = job->size;
  struct conv2d v = { side, { [A] = WEFT_REALS("a", side * side), [B] = WEFT_ZEROS("b", side * side) } };
  weft_job_say(job, "%" PRIu64 " x %" PRIu64 " points, 3 x 3 coefficients", side, side);
  return weft_fields_run(job, &(struct weft_fields){ v.field, FIELDS, kernel, NULL, plain, &v });
}

const struct weft_workload weft_workload_conv2d = {
  { "conv2d", "C2D conv", "a square grid convolved with 3 x 3 fixed coefficients, in single precision",
    "points per side" },
  run,
};
