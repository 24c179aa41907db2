/* SPDX-License-Identifier: Apache-2.0 */
/* Links and switch: one message of a class per cycle and port, bytes metered, credits given back in time. */
#include <stdlib.h>

#include "counters.h"
#include "timed_parts.h"

bool weft_timed_link_new(struct weft_timed *t, struct weft_timed_link *l)
{
  l->state = calloc(1, weft_link_size(&t->config));
  bool ok = l->state != NULL;
  if (ok)
    weft_link_reset(l->state, &t->config);
  for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++) {
    l->credits[c].due = calloc(t->config.link_buffer, sizeof *l->credits[c].due);
    ok = ok && l->credits[c].due;
  }
  l->wake = WEFT_NEVER;
  return ok;
}

void weft_timed_link_free(struct weft_timed_link *l)
{
  free(l->state);
  for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++)
    free(l->credits[c].due);
}

const void *weft_timed_link_head(const struct weft_timed *t, const struct weft_timed_link *l,
                                 enum weft_link_class class)
{
  return l->taken[class] == t->now + 1 ? NULL : weft_link_head(l->state, class, t->now);
}

void weft_timed_link_take(struct weft_timed *t, struct weft_timed_link *l, enum weft_link_class class)
{
  struct weft_credits *c = &l->credits[class];
  c->due[(c->head + c->count++) % t->config.link_buffer] = t->now + t->config.link_latency;
  l->taken[class] = t->now + 1;
  weft_link_take(l->state, class);
}

/* Brings owed bytes and credits up to the beginning of this cycle. */
static void catch_up(struct weft_timed *t, struct weft_timed_link *l)
{
  uint64_t cycles = t->now - l->passed;
  uint64_t needed = (l->state->owed + l->state->bytes - 1) / l->state->bytes;
  l->busy += needed < cycles ? needed : cycles;
  weft_link_pass(l->state, cycles);
  l->passed = t->now;
  for (unsigned k = 0; k < WEFT_LINK_CLASSES; k++) {
    struct weft_credits *c = &l->credits[k];
    while (c->count && c->due[c->head] <= t->now) {
      weft_link_credit(l->state, (enum weft_link_class)k);
      c->head = (c->head + 1) % (uint32_t)t->config.link_buffer;
      c->count--;
    }
  }
}

/* A message starts: its reader will find it when it has arrived. */
static unsigned start(struct weft_timed *t, struct weft_timed_link *l, enum weft_link_class class,
                      const void *m, uint64_t *reader)
{
  unsigned bytes = weft_link_start(l->state, class, m, t->now);
  uint64_t ready = weft_link_ready(l->state, class);
  weft_wake_at(reader, ready > t->now ? ready : t->now + 1);
  return bytes;
}

/* ---------------------------------------------------------------- node to switch */

static struct weft_queue *bank_queue(struct weft_timed_l2 *u, enum weft_link_class class)
{
  return class == WEFT_LINK_REQUEST ? &u->req : &u->rsp;
}

/* The bank that sends next in a class, or -1. The forward queue is not one of the common queues. */
static int sending_bank(const struct weft_timed *t, const struct weft_timed_link *l, unsigned node,
                        enum weft_link_class class)
{
  uint32_t ready = 0;
  for (unsigned b = 0; b < t->banks; b++) {
    struct weft_timed_l2 *u = &t->l2[node * t->banks + b];
    bool has = class == WEFT_LINK_FORWARD ? weft_l2_forward(u->state)->count != 0
                                          : weft_queue_head(bank_queue(u, class), t->now) != NULL;
    ready |= (uint32_t)has << b;
  }
  return ready ? (int)weft_turn(ready, l->turn[class]) : -1;
}

static bool try_up(struct weft_timed *t, unsigned node, enum weft_link_class class)
{
  struct weft_timed_link *l = &t->up[node];
  int bank = weft_link_may_start(l->state, class) ? sending_bank(t, l, node, class) : -1;
  if (bank < 0)
    return false;
  struct weft_timed_l2 *u = &t->l2[node * t->banks + (unsigned)bank];
  unsigned bytes;
  if (class == WEFT_LINK_FORWARD) {
    struct weft_forward *f = weft_l2_forward(u->state);
    struct weft_fwd m;
    uint32_t items = f->count;
    weft_forward_pop(f, &m);
    if (f->count != items)
      u->fwd_popped = t->now + 1;
    bytes = start(t, l, class, &m, &t->switch_wake);
  } else {
    struct weft_queue *q = bank_queue(u, class);
    bytes = start(t, l, class, weft_queue_head(q, t->now), &t->switch_wake);
    weft_queue_pop(q, t->now);
  }
  l->turn[class] = (uint32_t)bank + 1;
  weft_count_link(t->counters + node * t->per_node, class, bytes);
  return true;
}

static bool anything_to_send(const struct weft_timed *t, unsigned node)
{
  for (unsigned b = 0; b < t->banks; b++) {
    const struct weft_timed_l2 *u = &t->l2[node * t->banks + b];
    if (u->req.count || u->rsp.count || weft_l2_forward(u->state)->count)
      return true;
  }
  return false;
}

void weft_timed_up(struct weft_timed *t, unsigned node)
{
  struct weft_timed_link *l = &t->up[node];
  catch_up(t, l);
  if (!try_up(t, node, WEFT_LINK_RESPONSE) && !try_up(t, node, WEFT_LINK_FORWARD))
    try_up(t, node, WEFT_LINK_REQUEST);
  l->wake = anything_to_send(t, node) ? t->now + 1 : WEFT_NEVER;
}

/* ---------------------------------------------------------------- the switch */

static unsigned destination(const void *m, enum weft_link_class class)
{
  if (class == WEFT_LINK_REQUEST)
    return ((const struct weft_req *)m)->dst;
  if (class == WEFT_LINK_FORWARD)
    return ((const struct weft_fwd *)m)->dst;
  return ((const struct weft_rsp *)m)->dst;
}

static void move(struct weft_timed *t, enum weft_link_class class)
{
  const void *head[16];
  for (unsigned n = 0; n < t->nodes; n++)
    head[n] = weft_link_head(t->up[n].state, class, t->now);
  for (unsigned o = 0; o < t->nodes; o++) {
    struct weft_timed_output *out = &t->output[o * WEFT_LINK_CLASSES + class];
    uint32_t requests = 0;
    for (unsigned n = 0; n < t->nodes; n++)
      requests |= (uint32_t)(head[n] && destination(head[n], class) == o) << n;
    if (!requests || !weft_queue_free(&out->queue, t->now))
      continue;
    unsigned from = weft_turn(requests, out->turn);
    memcpy(weft_queue_push(&out->queue, t->now), head[from], out->queue.stride);
    weft_timed_link_take(t, &t->up[from], class);
    out->turn = from + 1;
    weft_wake_at(&t->down[o].wake, t->now + 1);
  }
}

void weft_timed_switch(struct weft_timed *t)
{
  t->switch_wake = WEFT_NEVER;
  for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++)
    move(t, (enum weft_link_class)c);
  for (unsigned n = 0; n < t->nodes; n++) {
    for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++) {
      uint64_t ready = weft_link_ready(t->up[n].state, (enum weft_link_class)c);
      weft_wake_at(&t->switch_wake, ready <= t->now ? t->now + 1 : ready);
    }
  }
}

/* ---------------------------------------------------------------- switch to node */

static bool try_down(struct weft_timed *t, unsigned node, enum weft_link_class class)
{
  struct weft_timed_link *l = &t->down[node];
  struct weft_queue *q = &t->output[node * WEFT_LINK_CLASSES + class].queue;
  const void *m = weft_queue_head(q, t->now);
  if (!m || !weft_link_may_start(l->state, class))
    return false;
  uint64_t reader = WEFT_NEVER;
  unsigned bytes = start(t, l, class, m, &reader);
  weft_queue_pop(q, t->now);
  for (unsigned b = 0; b < t->banks; b++)
    weft_wake_at(&t->l2[node * t->banks + b].wake, reader);
  weft_count_switch(t->counters + node * t->per_node, bytes);
  return true;
}

void weft_timed_down(struct weft_timed *t, unsigned node)
{
  struct weft_timed_link *l = &t->down[node];
  catch_up(t, l);
  if (!try_down(t, node, WEFT_LINK_RESPONSE) && !try_down(t, node, WEFT_LINK_FORWARD))
    try_down(t, node, WEFT_LINK_REQUEST);
  l->wake = WEFT_NEVER;
  for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++)
    if (t->output[node * WEFT_LINK_CLASSES + c].queue.count)
      l->wake = t->now + 1;
}
