/* SPDX-License-Identifier: Apache-2.0 */
/* rl: the rectified linear unit of a neural network (DNNMark's ReLU), single precision. Every number is read once and
 * written once, elsewhere. */
#include <inttypes.h>

#include "matvec.h"

#define DEFAULT_NUMBERS 16384u
#define MOST_NUMBERS (UINT64_C(1) << 32)

enum { IN, OUT, FIELDS };

struct rl {
  uint64_t count;
  struct weft_field field[FIELDS];
};

static float rectified(float x)
{
  return x > 0 ? x : 0;
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct rl *r = arg;
  uint64_t chunks = weft_vector_chunks(r->count);
  for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step) {
    struct weft_chunk c = weft_vector_chunk(r->count, d.piece);
    float x[WEFT_CHUNK];
    weft_load_span(t, r->field[IN].at + 4 * c.first, x, 4 * c.n);
    for (unsigned i = 0; i < c.n; i++)
      x[i] = rectified(x[i]);
    weft_compute(t, 8); /* a thread's number and its bound, two addresses, load, maximum, store */
    weft_store_span(t, r->field[OUT].at + 4 * c.first, x, 4 * c.n);
  }
}

static void plain(void *arg)
{
  struct rl *r = arg;
  for (uint64_t i = 0; i < r->count; i++)
    r->field[OUT].reals[i] = rectified(r->field[IN].reals[i]);
}

static int run(struct weft_job *job)
{
  if (!job->size)
    job->size = weft_job_fit(job, DEFAULT_NUMBERS, 8);
  if (job->size > MOST_NUMBERS)
    return weft_job_bad_size(job, 1, MOST_NUMBERS);
  struct rl r = { job->size, { [IN] = WEFT_REALS("in", job->size), [OUT] = WEFT_ZEROS("out", job->size) } };
  weft_job_say(job, "%" PRIu64 " numbers", r.count);
  return weft_fields_run(job, &(struct weft_fields){ r.field, FIELDS, kernel, NULL, plain, &r });
}

const struct weft_workload weft_workload_rl = {
  { "rl", "relu", "the larger of each number and zero, in single precision", "numbers" },
  run,
};
