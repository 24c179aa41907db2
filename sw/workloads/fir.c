/* SPDX-License-Identifier: Apache-2.0 */
/* fir: a finite impulse response filter of 16 taps (Hetero-Mark's FIR), single precision, applied again to its own result:
 * every pass overwrites what the pass before has read. */
#include <inttypes.h>
#include <string.h>

#include "matvec.h"

#define DEFAULT_SAMPLES 8192u
#define MOST_SAMPLES (UINT64_C(1) << 32)
#define DEFAULT_PASSES 2u
#define TAPS 16u

enum { SIGNAL0, SIGNAL1, TAP, FIELDS };

struct fir {
  uint64_t samples, passes;
  struct weft_field field[FIELDS];
};

/* here[0] is the sample itself; those before it lie before it. */
static float filtered(const float *here, const float *tap)
{
  float sum = 0;
  for (unsigned k = 0; k < TAPS; k++)
    sum += tap[k] * *(here - k);
  return sum;
}

/* What was before the first sample is zero. */
static void do_chunk(struct weft_warp *t, const struct fir *f, uint64_t pass, struct weft_chunk c)
{
  const struct weft_field *old = &f->field[pass & 1], *new = &f->field[~pass & 1];
  float sample[TAPS - 1 + WEFT_CHUNK] = { 0 }, tap[TAPS], result[WEFT_CHUNK];
  uint64_t before = c.first < TAPS - 1 ? c.first : TAPS - 1;
  weft_load_span(t, f->field[TAP].at, tap, sizeof tap);
  weft_load_span(t, old->at + 4 * (c.first - before), sample + (TAPS - 1 - before), 4 * (before + c.n));
  for (unsigned i = 0; i < c.n; i++)
    result[i] = filtered(sample + TAPS - 1 + i, tap);
  weft_compute(t, 4 * TAPS); /* load both, multiply-add, count */
  weft_store_span(t, new->at + 4 * c.first, result, 4 * c.n);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct fir *f = arg;
  uint64_t chunks = weft_vector_chunks(f->samples);
  for (uint64_t pass = 0; pass < f->passes; pass++) {
    for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step)
      do_chunk(t, f, pass, weft_vector_chunk(f->samples, d.piece));
    weft_barrier(t);
  }
}

/* Taps small enough that the signal does not grow from pass to pass. */
static void prepare(void *arg)
{
  struct fir *f = arg;
  for (unsigned k = 0; k < TAPS; k++)
    f->field[TAP].reals[k] *= 1.0f / 128;
}

static void plain(void *arg)
{
  struct fir *f = arg;
  for (uint64_t pass = 0; pass < f->passes; pass++) {
    const float *old = f->field[pass & 1].reals;
    float *new = f->field[~pass & 1].reals;
    for (uint64_t i = 0; i < f->samples; i++) {
      float sample[TAPS] = { 0 };
      uint64_t n = i < TAPS - 1 ? i + 1 : TAPS;
      memcpy(sample + TAPS - n, old + i + 1 - n, n * sizeof *sample);
      new[i] = filtered(sample + TAPS - 1, f->field[TAP].reals);
    }
  }
}

static int run(struct weft_job *job)
{
  if (!job->size)
    job->size = weft_job_fit(job, DEFAULT_SAMPLES, 9);
  if (job->size > MOST_SAMPLES)
    return weft_job_bad_size(job, 1, MOST_SAMPLES);
  struct fir f = { job->size,
                   job->iterations ? job->iterations : DEFAULT_PASSES,
                   { [SIGNAL0] = WEFT_REALS("signal0", job->size),
                     [SIGNAL1] = WEFT_ZEROS("signal1", job->size),
                     [TAP] = WEFT_REALS("tap", TAPS) } };
  weft_job_say(job, "%" PRIu64 " samples, %u taps, %" PRIu64 " passes", f.samples, TAPS, f.passes);
  return weft_fields_run(job, &(struct weft_fields){ f.field, FIELDS, kernel, prepare, plain, &f });
}

const struct weft_workload weft_workload_fir = {
  { "fir", "", "a filter of 16 taps, applied again to its own result, in single precision", "samples" },
  run,
};
