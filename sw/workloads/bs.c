/* SPDX-License-Identifier: Apache-2.0 */
/* bs: bitonic sort (AMD APP SDK) of whole numbers in place; a pass over all of them for every step of the network, and a
 * barrier after it. In the network's first step of every stage a number meets its mirror image, later ones at a fixed
 * distance, and always the smaller one goes down: so any count of numbers can be sorted, as if more that are larger than
 * all followed (Batcher's network without the half that is turned round). */
#include <inttypes.h>
#include <stdlib.h>

#include "matvec.h"

#define DEFAULT_NUMBERS 1024u
#define MOST_NUMBERS (UINT64_C(1) << 31)
#define NOTHING UINT32_MAX /* where no number is: nothing is larger */

struct bs {
  uint64_t count, seed;
  struct weft_field numbers;
};

/* One pass: partners lie `distance` apart, or are mirror images in blocks of 2 x distance. */
struct pass {
  uint64_t distance;
  bool mirrored;
};

struct in_hand {
  uint64_t first;
  unsigned n;
  uint32_t value[WEFT_CHUNK];
};

static void load(struct weft_warp *t, const struct bs *b, uint64_t first, struct in_hand *h)
{
  uint64_t left = b->count - first;
  h->first = first;
  h->n = left < WEFT_CHUNK ? (unsigned)left : WEFT_CHUNK;
  for (unsigned i = h->n; i < WEFT_CHUNK; i++)
    h->value[i] = NOTHING;
  weft_load_span_async(t, b->numbers.at + 4 * first, h->value, 4 * (size_t)h->n);
}

static void store(struct weft_warp *t, const struct bs *b, const struct in_hand *h)
{
  weft_store_span(t, b->numbers.at + 4 * h->first, h->value, 4 * (size_t)h->n);
}

static void exchange(uint32_t *low, uint32_t *high)
{
  uint32_t less = *low < *high ? *low : *high;
  *high = *low < *high ? *high : *low;
  *low = less;
}

/* Partners in one chunk. */
static void within(struct weft_warp *t, const struct bs *b, struct pass p, uint64_t chunk)
{
  struct in_hand h;
  load(t, b, chunk * WEFT_CHUNK, &h);
  weft_wait_all(t);
  for (unsigned i = 0; i < WEFT_CHUNK; i++) {
    unsigned partner = p.mirrored ? i ^ (unsigned)(2 * p.distance - 1) : i ^ (unsigned)p.distance;
    if (i < partner)
      exchange(&h.value[i], &h.value[partner]);
  }
  weft_compute(t, 20); /* both places from a thread's number, two loads, a comparison, two stores */
  store(t, b, &h);
}

/* Pair `pair` of chunks. */
static void between(struct weft_warp *t, const struct bs *b, struct pass p, uint64_t pair)
{
  uint64_t apart = p.distance / WEFT_CHUNK, block = pair / apart * 2 * apart, place = pair % apart;
  uint64_t high = p.mirrored ? block + 2 * apart - 1 - place : block + apart + place;
  struct in_hand l, h;
  if (high * WEFT_CHUNK >= b->count)
    return;
  load(t, b, (block + place) * WEFT_CHUNK, &l);
  load(t, b, high * WEFT_CHUNK, &h);
  weft_wait_all(t);
  for (unsigned i = 0; i < WEFT_CHUNK; i++)
    exchange(&l.value[i], &h.value[p.mirrored ? WEFT_CHUNK - 1 - i : i]);
  weft_compute(t, 20);
  store(t, b, &l);
  store(t, b, &h);
}

static void do_pass(struct weft_warp *t, const struct bs *b, struct pass p)
{
  uint64_t chunks = weft_vector_chunks(b->count);
  if (p.distance < WEFT_CHUNK) {
    for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step)
      within(t, b, p, d.piece);
  } else {
    uint64_t block = 2 * p.distance / WEFT_CHUNK, pairs = (chunks + block - 1) / block * block / 2;
    for (struct weft_deal d = weft_deal_to(pairs, weft_where(t)); d.piece < d.end; d.piece += d.step)
      between(t, b, p, d.piece);
  }
  weft_barrier(t);
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct bs *b = arg;
  for (uint64_t half = 1; half < b->count; half *= 2)
    for (uint64_t distance = half; distance; distance /= 2)
      do_pass(t, b, (struct pass){ distance, distance == half });
}

static void prepare(void *arg)
{
  struct bs *b = arg;
  struct weft_random random = weft_random_stream(b->seed, WEFT_STREAM_INPUT);
  for (uint64_t i = 0; i < b->count; i++)
    b->numbers.wholes[i] = (uint32_t)weft_random_next(&random);
}

static int compare(const void *a, const void *b)
{
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

/* There is one right order, however it is found. */
static void plain(void *arg)
{
  struct bs *b = arg;
  qsort(b->numbers.wholes, b->count, 4, compare);
}

static int run(struct weft_job *job)
{
  if (!job->size)
    job->size = weft_job_fit(job, DEFAULT_NUMBERS, 4);
  if (job->size > MOST_NUMBERS)
    return weft_job_bad_size(job, 1, MOST_NUMBERS);
  struct bs b = { job->size, job->seed, WEFT_WHOLES("numbers", job->size) };
  weft_job_say(job, "%" PRIu64 " numbers", b.count);
  return weft_fields_run(job, &(struct weft_fields){ &b.numbers, 1, kernel, prepare, plain, &b });
}

const struct weft_workload weft_workload_bs = {
  { "bs", "bitonic", "whole numbers sorted in place by a bitonic network", "numbers" },
  run,
};
