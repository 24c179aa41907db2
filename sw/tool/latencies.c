/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "tool.h"

#define OCTAVES 65

static uint64_t least(unsigned octave)
{
  return octave ? UINT64_C(1) << (octave - 1) : 0;
}

static json_t *one_json(const struct weft_latency *l, const char *about)
{
  json_t *buckets = json_array();
  for (unsigned i = 0; i < OCTAVES; i++)
    if (l->octave[i])
      json_array_append_new(buckets, json_pack("{s:I, s:I, s:I}", "from", (json_int_t)least(i), "to",
                                               (json_int_t)(i ? 2 * least(i) - 1 : 0), "count",
                                               (json_int_t)l->octave[i]));
  return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "about", about, "count",
                   (json_int_t)l->count, "sum", (json_int_t)l->sum, "min", (json_int_t)l->min, "p50",
                   (json_int_t)l->p50, "p90", (json_int_t)l->p90, "p99", (json_int_t)l->p99, "max",
                   (json_int_t)l->max, "buckets", buckets);
}

json_t *latencies_json(struct weft *w)
{
  json_t *object = json_object();
  struct weft_latency l;
  for (size_t i = 0; i < weft_latency_total(); i++)
    if (!weft_latency_read(w, i, &l) && l.count)
      json_object_set_new(object, weft_latency_name(i), one_json(&l, weft_latency_about(i)));
  return object;
}

/* The octaves between the smallest and the largest value. */
static void bars(const struct weft_latency *l)
{
  unsigned first = 0, last = OCTAVES - 1;
  while (!l->octave[first])
    first++;
  while (!l->octave[last])
    last--;
  printf("  %5" PRIu64 " ", least(first));
  print_spark(l->octave + first, last - first + 1);
  printf(" %" PRIu64 "\n", last ? 2 * least(last) - 1 : 0);
}

void latencies_print(struct weft *w)
{
  struct weft_latency l;
  printf("\n%-31s%9s %8s %6s %6s %6s %6s %7s  bars: each twice as wide as the one before\n",
         "latencies in cycles", "count", "mean", "min", "p50", "p90", "p99", "max");
  for (size_t i = 0; i < weft_latency_total(); i++) {
    if (weft_latency_read(w, i, &l) || !l.count)
      continue;
    printf("  %-29s%9" PRIu64 " %8.1f %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %7" PRIu64,
           weft_latency_name(i), l.count, (double)l.sum / (double)l.count, l.min, l.p50, l.p90, l.p99, l.max);
    bars(&l);
  }
}
