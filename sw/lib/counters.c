/* SPDX-License-Identifier: Apache-2.0 */
/* Counters as users see them: the back-end's values under their full names, then sums over nodes and CUs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "weft_counters.h"

#define NAME_BYTES 96

void weft_counters_close(struct weft *w)
{
  struct weft_counter_set *s = &w->counters;
  for (size_t i = 0; s->counter && i < s->count; i++)
    free(s->counter[i].name);
  free(s->counter);
  free(s->parts);
  memset(s, 0, sizeof *s);
}

static bool append(struct weft_counter_set *s, const char *name, uint32_t first, uint32_t count)
{
  char *copy = strdup(name);
  if (copy)
    s->counter[s->count++] = (struct weft_counter_view){ .name = copy, .first = first, .count = count };
  return copy != NULL;
}

static bool add_nodes(struct weft *w, size_t per_node)
{
  struct weft_counter_set *s = &w->counters;
  for (size_t n = 0; n < w->config.nodes; n++)
    for (size_t i = 0; i < per_node; i++) {
      char name[NAME_BYTES];
      uint32_t raw = (uint32_t)(n * per_node + i);
      s->parts[raw] = raw;
      snprintf(name, sizeof name, "node%zu.%s", n, weft_counter_table[i].name);
      if (!append(s, name, raw, 1))
        return false;
    }
  return true;
}

/* Adds up the counters of one node that share a total with number `first`; later ones are marked as taken. */
static bool add_total(struct weft *w, size_t per_node, size_t first, bool *taken, uint32_t *used)
{
  struct weft_counter_set *s = &w->counters;
  const char *total = weft_counter_table[first].total;
  /* Time passes once for all nodes: its total is not a sum. */
  size_t nodes = first == WEFT_COUNTER_TIME_CYCLES ? 1 : w->config.nodes;
  uint32_t begin = *used;
  char name[NAME_BYTES];
  for (size_t i = first; i < per_node; i++) {
    if (strcmp(weft_counter_table[i].total, total) != 0)
      continue;
    taken[i] = true;
    for (size_t n = 0; n < nodes; n++)
      s->parts[(*used)++] = (uint32_t)(n * per_node + i);
  }
  snprintf(name, sizeof name, "total.%s", total);
  return append(s, name, begin, *used - begin);
}

static bool add_totals(struct weft *w, size_t per_node)
{
  bool taken[WEFT_COUNTERS_MAX] = { false };
  uint32_t used = (uint32_t)w->counters.raw;
  for (size_t i = 0; i < per_node; i++)
    if (!taken[i] && !add_total(w, per_node, i, taken, &used))
      return false;
  return true;
}

int weft_counters_open(struct weft *w)
{
  struct weft_counter_set *s = &w->counters;
  size_t per_node = weft_counter_count(&w->config);
  s->raw = per_node * w->config.nodes;
  s->counter = calloc(s->raw + per_node, sizeof *s->counter);
  s->parts = calloc(2 * s->raw, sizeof *s->parts);
  if (!s->counter || !s->parts || !add_nodes(w, per_node) || !add_totals(w, per_node))
    return weft_fail_memory(w);
  return WEFT_OK;
}

size_t weft_counter_total(struct weft *w)
{
  return w->counters.count;
}

const char *weft_counter_name(struct weft *w, size_t index)
{
  return index < w->counters.count ? w->counters.counter[index].name : NULL;
}

void weft_counters_sum(const struct weft *w, const uint64_t *raw, uint64_t *values)
{
  const struct weft_counter_set *s = &w->counters;
  for (size_t i = 0; i < s->count; i++) {
    values[i] = 0;
    for (uint32_t k = 0; k < s->counter[i].count; k++)
      values[i] += raw[s->parts[s->counter[i].first + k]];
  }
}

int weft_counters_read(struct weft *w, uint64_t *values, size_t count)
{
  struct weft_backend_error e = { "" };
  if (weft_need_open(w))
    return w->failure.code;
  const struct weft_counter_set *s = &w->counters;
  if (count != s->count)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "room for %zu counters; there are %zu", count, s->count);
  uint64_t *raw = calloc(s->raw, sizeof *raw);
  if (!raw)
    return weft_fail_memory(w);
  int result = w->ops->counters(w->backend, raw, s->raw, &e);
  for (size_t i = 0; !result && w->replicas.elided.counters && i < s->raw; i++)
    raw[i] -= w->replicas.elided.counters[i];
  if (!result)
    weft_counters_sum(w, raw, values);
  free(raw);
  return result ? weft_backend_fail(w, result, &e) : WEFT_OK;
}

int weft_counter_get(struct weft *w, const char *name, uint64_t *value)
{
  if (weft_need_open(w))
    return w->failure.code;
  size_t count = w->counters.count, at = 0;
  while (at < count && strcmp(w->counters.counter[at].name, name) != 0)
    at++;
  if (at == count)
    return weft_fail(w, WEFT_UNKNOWN_COUNTER, "there is no counter '%s'; `weft info -b BACKEND` lists them",
                     name);
  uint64_t *values = calloc(count, sizeof *values);
  if (!values)
    return weft_fail_memory(w);
  int code = weft_counters_read(w, values, count);
  *value = values[at];
  free(values);
  return code;
}
