/* SPDX-License-Identifier: Apache-2.0 */
/* Counters over time. What counts events is counted here from the events themselves, so that a sample means the same on
 * every back-end, however long a counter's pipeline is; what counts cycles comes from the back-end's snapshot. */
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "watch.h"

struct weft_sampler {
  weft_sample_function function;
  void *arg;
  uint64_t every;
  size_t per_node, raw, names;
  unsigned nodes;
  uint64_t latest;  /* the latest cycle of which an event was shown: time may not have reached it yet */
  uint64_t *before; /* raw values up to it, */
  uint64_t *in;     /* and of what happens in it, */
  uint32_t touched; /* at these nodes */
  uint64_t *snapshot, *values;
  int code; /* of the first snapshot that failed */
};

struct weft_sampler *weft_sampler_new(const struct weft *w, uint64_t every, weft_sample_function function,
                                      void *arg)
{
  struct weft_sampler *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->function = function;
  s->arg = arg;
  s->every = every;
  s->per_node = weft_counter_count(&w->config);
  s->nodes = (unsigned)w->config.nodes;
  s->raw = w->counters.raw;
  s->names = w->counters.count;
  s->before = calloc(s->raw, sizeof *s->before);
  s->in = calloc(s->raw, sizeof *s->in);
  s->snapshot = calloc(s->raw, sizeof *s->snapshot);
  s->values = calloc(s->names, sizeof *s->values);
  weft_sampler_restart(s);
  if (s->before && s->in && s->snapshot && s->values)
    return s;
  weft_sampler_free(s);
  return NULL;
}

void weft_sampler_free(struct weft_sampler *s)
{
  if (!s)
    return;
  free(s->before);
  free(s->in);
  free(s->snapshot);
  free(s->values);
  free(s);
}

uint64_t weft_sampler_every(const struct weft_sampler *s)
{
  return s->every;
}

void weft_sampler_restart(struct weft_sampler *s)
{
  s->latest = 0;
  s->touched = 0;
  s->code = WEFT_OK;
  if (s->before && s->in) {
    memset(s->before, 0, s->raw * sizeof *s->before);
    memset(s->in, 0, s->raw * sizeof *s->in);
  }
}

/* The latest cycle is over. */
static void move_on(struct weft_sampler *s)
{
  for (; s->touched; s->touched &= s->touched - 1) {
    size_t first = (unsigned)__builtin_ctz(s->touched) * s->per_node;
    for (size_t i = first; i < first + s->per_node; i++)
      s->before[i] += s->in[i];
    memset(s->in + first, 0, s->per_node * sizeof *s->in);
  }
}

static uint64_t *values_at(struct weft_sampler *s, unsigned node, uint64_t cycle)
{
  if (cycle > s->latest) {
    move_on(s);
    s->latest = cycle;
  }
  s->touched |= UINT32_C(1) << node;
  return s->in + node * s->per_node;
}

void weft_sampler_l1(struct weft_sampler *s, const struct weft_track *t, unsigned node, unsigned cu,
                     uint64_t cycle, const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  uint64_t *values = weft_counters_of_cu(values_at(s, node, cycle), cu);
  if (in->kind != WEFT_L1_EVENT_KIND_FENCE_DONE) {
    weft_count_l1(values, in, out);
    return;
  }
  /* What kind of fence it was is not in its event. */
  enum weft_level level;
  const struct weft_flight *f = weft_track_answered(t, node * t->cus + cu, in, out, &level);
  struct weft_l1_event whole = *out;
  whole.cu.order = f->order;
  whole.cu.scope = f->scope;
  weft_count_l1(values, in, &whole);
}

void weft_sampler_l2(struct weft_sampler *s, unsigned node, uint64_t cycle, const struct weft_l2_event *in,
                     const struct weft_l2_event *out, const struct weft_dir_event *dir)
{
  weft_count_l2(values_at(s, node, cycle), in, out, dir, node, s->nodes);
}

void weft_sampler_link(struct weft_sampler *s, unsigned link, uint64_t cycle, const struct weft_link_event *e)
{
  if (link < s->nodes)
    weft_count_link(values_at(s, link, cycle), e->class, e->bytes);
  else
    weft_count_switch(values_at(s, link - s->nodes, cycle), e->bytes);
}

/* The back-end's values for what counts cycles, our own for the rest; then under their names. */
static void hand_out(struct weft *w, struct weft_sampler *s, uint64_t cycle)
{
  struct weft_backend_error e = { "" };
  int result = w->ops->counters(w->backend, s->snapshot, s->raw, &e);
  if (result) {
    s->code = s->code ? s->code : weft_backend_fail(w, result, &e);
    return;
  }
  for (size_t i = 0; i < s->raw; i++)
    if (weft_counter_table[i % s->per_node].kind == WEFT_COUNTER_EVENT)
      s->snapshot[i] = s->before[i];
  weft_counters_sum(w, s->snapshot, s->values);
  s->function(s->arg, cycle, s->values, s->names);
}

void weft_sampler_tick(struct weft *w, struct weft_sampler *s, uint64_t cycle)
{
  if (s->latest < cycle)
    move_on(s);
  hand_out(w, s, cycle);
}

int weft_sampler_finish(struct weft *w, struct weft_sampler *s, uint64_t cycle)
{
  weft_sampler_tick(w, s, cycle);
  return s->code;
}
