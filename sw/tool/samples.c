/* SPDX-License-Identifier: Apache-2.0 */
/* Counters over time: what grew between one sample and the next. Memory is bounded: when there are too many samples,
 * every second one is left out, and intervals are twice as long from then on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define SAMPLES_MAX 8192U
#define COLUMNS 60U

static const char *const levels[] = { " ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                      "\u2585", "\u2586", "\u2587", "\u2588" };

void print_spark(const uint64_t *values, size_t count)
{
  uint64_t most = 1;
  for (size_t i = 0; i < count; i++)
    most = values[i] > most ? values[i] : most;
  for (size_t i = 0; i < count; i++)
    fputs(levels[values[i] ? 1 + values[i] * 7 / most : 0], stdout);
}

bool samples_open(struct samples *s, struct weft *w, uint64_t every)
{
  size_t total = weft_counter_total(w);
  memset(s, 0, sizeof *s);
  s->w = w;
  s->every = every;
  s->index = calloc(total + 1, sizeof *s->index);
  s->cycle = calloc(SAMPLES_MAX + 1, sizeof *s->cycle);
  for (size_t i = 0; s->index && i < total; i++)
    if (!strncmp(weft_counter_name(w, i), "total.", 6) &&
        strcmp(weft_counter_name(w, i), "total.time.cycles") != 0)
      s->index[s->counters++] = i;
  s->value = calloc((SAMPLES_MAX + 1) * s->counters + 1, sizeof *s->value);
  return s->index && s->cycle && s->value;
}

void samples_free(struct samples *s)
{
  free(s->index);
  free(s->cycle);
  free(s->value);
}

static uint64_t *row(const struct samples *s, size_t sample)
{
  return s->value + sample * s->counters;
}

/* Values are sums from the beginning on, so a sample can be left out. */
static void halve(struct samples *s)
{
  size_t kept = 0;
  s->every *= 2;
  for (size_t i = 0; i < s->count; i++) {
    if (s->cycle[i] % s->every)
      continue;
    s->cycle[kept] = s->cycle[i];
    memmove(row(s, kept++), row(s, i), s->counters * sizeof *s->value);
  }
  s->count = kept;
}

void samples_take(void *samples, uint64_t cycle, const uint64_t *values, size_t count)
{
  struct samples *s = samples;
  (void)count;
  /* The one at the end of a launch is kept until another comes, unless it is the last. */
  if (s->count && s->cycle[s->count - 1] % s->every)
    s->count--;
  if (s->count == SAMPLES_MAX)
    halve(s);
  s->cycle[s->count] = cycle;
  for (size_t i = 0; i < s->counters; i++)
    row(s, s->count)[i] = values[s->index[i]];
  s->count++;
}

static uint64_t grown(const struct samples *s, size_t sample, size_t counter)
{
  return row(s, sample)[counter] - (sample ? row(s, sample - 1)[counter] : 0);
}

json_t *samples_json(const struct samples *s)
{
  json_t *array = json_array();
  for (size_t i = 0; i < s->count; i++) {
    json_t *counters = json_object();
    for (size_t k = 0; k < s->counters; k++)
      if (grown(s, i, k))
        json_object_set_new(counters, weft_counter_name(s->w, s->index[k]),
                            json_integer((json_int_t)grown(s, i, k)));
    json_array_append_new(array, json_pack("{s:I, s:I, s:o}", "from", (json_int_t)(i ? s->cycle[i - 1] : 0),
                                           "cycle", (json_int_t)s->cycle[i], "counters", counters));
  }
  return array;
}

void samples_print(const struct samples *s)
{
  if (!s->count)
    return;
  size_t columns = s->count < COLUMNS ? s->count : COLUMNS;
  printf("\ncounters over time: %zu intervals of %" PRIu64 " cycles, up to cycle %" PRIu64 "\n", s->count,
         s->every, s->cycle[s->count - 1]);
  for (size_t k = 0; k < s->counters; k++) {
    uint64_t column[COLUMNS] = { 0 }, most = 0;
    for (size_t i = 0; i < s->count; i++) {
      column[i * columns / s->count] += grown(s, i, k);
      most = grown(s, i, k) > most ? grown(s, i, k) : most;
    }
    if (!most)
      continue;
    printf("  %-26s up to %8" PRIu64 "  ", weft_counter_name(s->w, s->index[k]) + 6, most);
    print_spark(column, columns);
    printf("\n");
  }
}
