/* SPDX-License-Identifier: Apache-2.0 */
/* mp: the maxima of windows of 3 x 3 points, two points apart (DNNMark's max pooling), on several planes, single
 * precision. Windows overlap: every second row is read for two rows of the result. */
#include <inttypes.h>

#include "fields.h"

#define DEFAULT_SIDE 64u
#define MOST_SIDE 16384u
#define PLANES 4u
#define WINDOW 3u
#define STRIDE 2u
#define WIDTH (STRIDE * (WEFT_CHUNK - 1) + WINDOW) /* points of a row that a chunk of the result needs */

enum { IN, OUT, FIELDS };

struct mp {
  uint64_t side, pooled; /* of a plane, and of its result */
  struct weft_field field[FIELDS];
};

/* `row` has the window's three rows, `step` numbers apart. */
static float largest(const float *row, uint64_t step)
{
  float most = row[0];
  for (unsigned y = 0; y < WINDOW; y++)
    for (unsigned x = 0; x < WINDOW; x++)
      most = row[y * step + x] > most ? row[y * step + x] : most;
  return most;
}

/* Chunk c of the result, all planes' rows one below the other. */
static void do_chunk(struct weft_warp *t, const struct mp *m, struct weft_chunk c)
{
  uint64_t plane = c.row / m->pooled, y = c.row % m->pooled;
  uint64_t at = (plane * m->side + STRIDE * y) * m->side + STRIDE * c.first;
  float row[WINDOW][WIDTH], result[WEFT_CHUNK];
  for (unsigned i = 0; i < WINDOW; i++)
    weft_load_span_async(t, m->field[IN].at + 4 * (at + i * m->side), row[i],
                         4 * (STRIDE * (c.n - 1) + WINDOW));
  weft_wait_all(t);
  for (unsigned i = 0; i < c.n; i++)
    result[i] = largest(row[0] + (size_t)STRIDE * i, WIDTH);
  /* Column, row and plane of a thread's number by three divisions of some 20; 9 times bound, address, load, maximum */
  weft_compute(t, 3 * 20 + 9 * 5);
  weft_store_span(t, m->field[OUT].at + 4 * (c.row * m->pooled + c.first), result, 4 * c.n);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct mp *m = arg;
  uint64_t across = (m->pooled + WEFT_CHUNK - 1) / WEFT_CHUNK, chunks = PLANES * m->pooled * across;
  for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    uint64_t first = d.piece % across * WEFT_CHUNK, left = m->pooled - first;
    do_chunk(t, m,
             (struct weft_chunk){ d.piece / across, first, left < WEFT_CHUNK ? (unsigned)left : WEFT_CHUNK });
  }
}

static void plain(void *arg)
{
  struct mp *m = arg;
  for (uint64_t plane = 0; plane < PLANES; plane++)
    for (uint64_t y = 0; y < m->pooled; y++)
      for (uint64_t x = 0; x < m->pooled; x++)
        m->field[OUT].reals[(plane * m->pooled + y) * m->pooled + x] =
          largest(m->field[IN].reals + (plane * m->side + STRIDE * y) * m->side + STRIDE * x, m->side);
}

static int run(struct weft_job *job)
{
  int code = weft_fields_side(job, DEFAULT_SIDE, 5ul * PLANES, WINDOW, MOST_SIDE);
  if (code)
    return code;
  uint64_t side = job->size, pooled = (side - WINDOW) / STRIDE + 1;
  struct mp m = { side,
                  pooled,
                  { [IN] = WEFT_REALS("in", PLANES * side * side),
                    [OUT] = WEFT_ZEROS("out", PLANES * pooled * pooled) } };
  weft_job_say(job, "%u planes of %" PRIu64 " x %" PRIu64 " points, windows of %u x %u, %u apart", PLANES,
               side, side, WINDOW, WINDOW, STRIDE);
  return weft_fields_run(job, &(struct weft_fields){ m.field, FIELDS, kernel, NULL, plain, &m });
}

const struct weft_workload weft_workload_mp = {
  { "mp", "maxpool", "the maxima of windows of 3 x 3 points on four planes, in single precision",
    "points per side" },
  run,
};
