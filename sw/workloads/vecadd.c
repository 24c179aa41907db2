/* SPDX-License-Identifier: Apache-2.0 */
/* vecadd: c = a + b. Every warp has a block; nothing is shared but what lies on the same line or page. */
#include <inttypes.h>
#include <stdlib.h>

#include "job.h"

#define DEFAULT_ELEMENTS 65536u
#define MOST_ELEMENTS (UINT64_C(1) << 32)
#define LANES 32u
#define CHUNK 32u /* elements that a warp has in hand: at most two lines of 64 bytes of each array */

struct vecadd {
  weft_address a, b, c;
  uint64_t count;
};

static void kernel(struct weft_warp *t, void *arg)
{
  const struct vecadd *v = arg;
  struct weft_part part = weft_part_of_warp(v->count, weft_where(t));
  uint32_t a[CHUNK], b[CHUNK];
  for (uint64_t i = part.first; i < part.end; i += CHUNK) {
    size_t n = part.end - i < CHUNK ? (size_t)(part.end - i) : CHUNK;
    weft_load_span(t, v->a + 4 * i, a, 4 * n);
    weft_load_span(t, v->b + 4 * i, b, 4 * n);
    weft_compute(t, (n + LANES - 1) / LANES);
    for (size_t k = 0; k < n; k++)
      a[k] += b[k];
    weft_store_span(t, v->c + 4 * i, a, 4 * n);
  }
}

static int run_vectors(struct weft_job *job, uint32_t *a, uint32_t *b, uint64_t count)
{
  struct vecadd v = { .count = count };
  struct weft_random random = weft_random_stream(job->seed, WEFT_STREAM_INPUT);
  for (uint64_t i = 0; i < count; i++) {
    a[i] = (uint32_t)weft_random_next(&random);
    b[i] = (uint32_t)weft_random_next(&random);
  }
  weft_job_say(job, "%" PRIu64 " elements of 4 bytes", count);
  int code = weft_job_array(job, "a", a, count, 4, &v.a);
  if (!code)
    code = weft_job_array(job, "b", b, count, 4, &v.b);
  if (!code)
    code = weft_job_array(job, "c", NULL, count, 4, &v.c);
  if (!code)
    code = weft_job_launch(job, kernel, &v);
  if (code)
    return code;
  for (uint64_t i = 0; i < count; i++)
    a[i] += b[i];
  return weft_job_compare(job, "element", v.c, a, count, 4);
}

static int run(struct weft_job *job)
{
  if (!job->size)
    job->size = weft_job_fit(job, DEFAULT_ELEMENTS, 12);
  if (job->size > MOST_ELEMENTS)
    return weft_job_bad_size(job, 1, MOST_ELEMENTS);
  if (weft_job_room(job, 12 * job->size))
    return WEFT_NO_ROOM;
  uint32_t *a = calloc(job->size, 4), *b = calloc(job->size, 4);
  int code = a && b ? run_vectors(job, a, b, job->size) : weft_fail_memory(job->w);
  free(a);
  free(b);
  return code;
}

const struct weft_workload weft_workload_vecadd = {
  { "vecadd", "VA", "c = a + b, every warp a block: no sharing, the simplest there is", "elements" }, run
};
