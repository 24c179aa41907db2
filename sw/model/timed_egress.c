/* SPDX-License-Identifier: Apache-2.0 */
/* What leaves a node and what comes in, with FinePack: the remote write queue and the packetizer before the node's link,
 * the de-packetizer behind the switch's. Without FinePack there is only the rule that a WRITE on the link has no holes. */
#include "counters.h"
#include "timed_parts.h"

/* ---------------------------------------------------------------- without FinePack */

static bool has_holes(const struct weft_req *m)
{
  const struct weft_enables e = { { m->mask[0], m->mask[1] } };
  return m->kind == WEFT_REQ_KIND_WRITE && weft_runs(&e) > 1;
}

/* The bank that sends next, or -1. */
static int sending_bank(const struct weft_timed *t, const struct weft_timed_egress *e)
{
  uint32_t ready = 0;
  for (unsigned b = 0; b < t->banks; b++)
    ready |= (uint32_t)(weft_queue_head(&t->l2[e->node * t->banks + b].req, t->now) != NULL) << b;
  return ready ? (int)weft_turn(ready, e->turn) : -1;
}

static void leave_bank(struct weft_timed *t, struct weft_timed_egress *e, unsigned bank)
{
  unsigned index = e->node * t->banks + bank;
  e->turn = bank + 1U;
  weft_timed_pop(t, &t->l2[index].req, t->at.l2 + index);
}

/* The first run of a WRITE with holes leaves its bank with it; the others wait in `rest`. */
static const struct weft_req *plain_head(struct weft_timed *t, struct weft_timed_egress *e)
{
  unsigned line = (unsigned)t->config.line;
  struct weft_req *m = &e->rest;
  uint32_t from = e->from;
  if (!from) {
    int bank = sending_bank(t, e);
    if (bank < 0)
      return NULL;
    e->bank = (unsigned)bank;
    m = weft_queue_head(&t->l2[e->node * t->banks + e->bank].req, t->now);
    if (m->kind == WEFT_REQ_KIND_WRITE)
      m->wide = 0; /* a store's strength is for the queue alone */
    if (!has_holes(m))
      return m;
  }
  weft_next_plain(m, line, &from, &e->run);
  return &e->run;
}

static void plain_leaves(struct weft_timed *t, struct weft_timed_egress *e)
{
  unsigned line = (unsigned)t->config.line;
  struct weft_req next;
  if (!e->from) {
    const struct weft_req *m = weft_queue_head(&t->l2[e->node * t->banks + e->bank].req, t->now);
    bool holes = has_holes(m);
    if (holes)
      e->rest = *m;
    leave_bank(t, e, e->bank);
    if (!holes)
      return;
  }
  weft_next_plain(&e->rest, line, &e->from, &next);
  uint32_t from = e->from;
  if (!weft_next_plain(&e->rest, line, &from, &next))
    e->from = 0;
}

/* ---------------------------------------------------------------- what the link sees */

const struct weft_req *weft_timed_egress_head(struct weft_timed *t, unsigned node)
{
  struct weft_timed_egress *e = &t->egress[node];
  return e->state ? weft_queue_head(&e->out, t->now) : plain_head(t, e);
}

void weft_timed_egress_leaves(struct weft_timed *t, unsigned node)
{
  struct weft_timed_egress *e = &t->egress[node];
  if (e->state)
    weft_timed_pop(t, &e->out, t->at.egress + node);
  else
    plain_leaves(t, e);
}

bool weft_timed_egress_waits(const struct weft_timed *t, unsigned node)
{
  const struct weft_timed_egress *e = &t->egress[node];
  bool any = e->state ? e->out.count != 0 : e->from != 0;
  for (unsigned b = 0; !e->state && b < t->banks; b++)
    any |= t->l2[node * t->banks + b].req.count != 0;
  return any;
}

/* ---------------------------------------------------------------- egress */

static void add_counts(const struct weft_timed *t, const struct weft_timed_egress *e,
                       const struct weft_egress_count *c)
{
  weft_count_egress(t->counters + e->node * t->per_node, c);
}

/* One message a cycle goes from the packetizer to the link. */
static void send(struct weft_timed *t, struct weft_timed_egress *e)
{
  struct weft_egress_count count;
  if (!e->state->count || !weft_queue_free(&e->out, t->now) || t->now < e->ready)
    return;
  weft_egress_pop(e->state, weft_queue_push(&e->out, t->now), &count);
  add_counts(t, e, &count);
  weft_wake_after(t, t->up[e->node].unit, t->up[e->node].open);
}

/* True if it happened; else it must wait. */
static bool step(struct weft_timed *t, struct weft_timed_egress *e, const struct weft_egress_event *in,
                 struct weft_egress_event *out)
{
  struct weft_egress_count count;
  bool idle = e->state->count == 0;
  if (weft_egress_step(e->state, in, out, &count))
    return false;
  add_counts(t, e, &count);
  if (idle && e->state->count)
    e->ready = t->now + (out->flushed ? WEFT_EGRESS_FLUSH : WEFT_EGRESS_PASS);
  return true;
}

static bool flush(struct weft_timed *t, struct weft_timed_egress *e, unsigned dst, uint8_t cause)
{
  struct weft_egress_event in = { .kind = WEFT_EGRESS_KIND_FLUSH, .cause = cause, .dst = (uint8_t)dst }, out;
  return step(t, e, &in, &out);
}

/* The queue's own flushes: of a strong store, at the end, of a partition that nobody stored to for long. */
static bool flush_by_itself(struct weft_timed *t, struct weft_timed_egress *e)
{
  if (e->state->due)
    return flush(t, e, e->state->due - 1U, WEFT_FLUSH_CAUSE_STRONG);
  for (unsigned dst = 0; dst < t->nodes; dst++) {
    if (dst == e->node || !weft_queue_filling(&e->state->queue, dst)->used)
      continue;
    bool late = t->config.egress_timeout && t->now >= e->stored[dst] + t->config.egress_timeout;
    if ((e->draining || late) &&
        flush(t, e, dst, e->draining ? WEFT_FLUSH_CAUSE_END : WEFT_FLUSH_CAUSE_TIMEOUT))
      return true;
  }
  return false;
}

/* Returns whether an input waits that could not be taken. */
static bool take(struct weft_timed *t, struct weft_timed_egress *e)
{
  int bank = sending_bank(t, e);
  if (bank < 0)
    return false;
  const struct weft_req *m = weft_queue_head(&t->l2[e->node * t->banks + (unsigned)bank].req, t->now);
  struct weft_egress_event in = { .kind = WEFT_EGRESS_KIND_INPUT, .req = *m }, out;
  in.urgent = m->kind == WEFT_REQ_KIND_WRITE && m->wide;
  if (in.urgent)
    in.req.wide = 0;
  if (!step(t, e, &in, &out) || !out.taken)
    return true;
  if (m->kind == WEFT_REQ_KIND_WRITE)
    e->stored[m->dst] = t->now;
  leave_bank(t, e, (unsigned)bank);
  return false;
}

static uint64_t next_timeout(const struct weft_timed *t, const struct weft_timed_egress *e)
{
  uint64_t next = WEFT_NEVER;
  for (unsigned dst = 0; t->config.egress_timeout && dst < t->nodes; dst++)
    if (dst != e->node && weft_queue_filling(&e->state->queue, dst)->used &&
        e->stored[dst] + t->config.egress_timeout < next)
      next = e->stored[dst] + t->config.egress_timeout;
  return next;
}

void weft_timed_egress(struct weft_timed *t, unsigned node)
{
  struct weft_timed_egress *e = &t->egress[node];
  send(t, e);
  bool flushed = flush_by_itself(t, e), waits = !flushed && take(t, e);
  t->counters[node * t->per_node + WEFT_COUNTER_EGRESS_STALLS] += waits;
  bool more = flushed || e->state->due; /* or a bank has a request, the one that waits among them */
  for (unsigned b = 0; b < t->banks; b++)
    more |= t->l2[node * t->banks + b].req.count != 0;
  more |= e->state->count && e->out.count < e->out.depth;
  more |= e->draining && !weft_egress_idle(e->state) && e->out.count < e->out.depth;
  if (more)
    weft_wake(t, t->at.egress + node, t->now + 1);
  uint64_t next = next_timeout(t, e);
  if (next != WEFT_NEVER)
    weft_wake_after(t, t->at.egress + node, next);
}

void weft_timed_drain(struct weft_timed *t, bool on)
{
  for (unsigned n = 0; t->egress[0].state && n < t->nodes; n++) {
    t->egress[n].draining = on;
    if (on)
      weft_wake(t, t->at.egress + n, t->now);
  }
}

/* ---------------------------------------------------------------- ingress */

static void wake_bank(struct weft_timed *t, unsigned node, const struct weft_req *m, uint64_t cycle)
{
  weft_wake_after(t, t->at.l2 + node * t->banks + weft_timed_bank_of(t, m->address), cycle);
}

/* The next store of the packets that have come, to be seen from `visible` on. */
static void offer(struct weft_timed *t, struct weft_timed_ingress *i, uint64_t visible)
{
  struct weft_ingress_count count;
  i->offers = weft_depacketizer_pop(i->state, &i->next, &count);
  if (!i->offers)
    return;
  weft_count_ingress(t->counters + i->node * t->per_node, &count);
  i->visible = visible;
  wake_bank(t, i->node, &i->next, visible);
}

/* A packet comes in, a message a cycle; what is none waits at the link for the stores of those before it. */
void weft_timed_ingress(struct weft_timed *t, unsigned node)
{
  struct weft_timed_ingress *i = &t->ingress[node];
  struct weft_timed_link *l = &t->down[node];
  const struct weft_req *m = weft_timed_link_head(t, l, WEFT_LINK_REQUEST);
  struct weft_ingress_count count;
  if (m && weft_req_in_packet(m) && !weft_depacketizer_step(i->state, m, &count)) {
    weft_count_ingress(t->counters + node * t->per_node, &count);
    weft_timed_link_take(t, l, WEFT_LINK_REQUEST);
  }
  if (!i->offers && i->state->whole)
    offer(t, i, t->now + WEFT_INGRESS_LATENCY);
  weft_timed_ingress_next(t, node);
}

void weft_timed_ingress_next(struct weft_timed *t, unsigned node)
{
  const struct weft_timed_ingress *i = &t->ingress[node];
  const struct weft_timed_link *l = &t->down[node];
  if (l->ready[WEFT_LINK_REQUEST] > t->now + 1)
    return; /* whoever puts it there wakes us */
  const struct weft_req *next = (const void *)weft_link_oldest(l->state, WEFT_LINK_REQUEST)->message;
  if (weft_req_in_packet(next))
    weft_wake(t, t->at.ingress + node, t->now + 1);
  else if (!i->offers && weft_depacketizer_idle(i->state))
    wake_bank(t, node, next, t->now + 1);
}

const struct weft_req *weft_timed_request_head(const struct weft_timed *t, unsigned node)
{
  const struct weft_timed_ingress *i = &t->ingress[node];
  const struct weft_req *m = weft_timed_link_head(t, &t->down[node], WEFT_LINK_REQUEST);
  if (!i->state)
    return m;
  if (i->offers)
    return i->visible <= t->now ? &i->next : NULL;
  return m && !weft_req_in_packet(m) && weft_depacketizer_idle(i->state) ? m : NULL;
}

void weft_timed_request_take(struct weft_timed *t, unsigned node)
{
  struct weft_timed_ingress *i = &t->ingress[node];
  if (!i->state) {
    weft_timed_arrived(t, node, WEFT_LINK_REQUEST);
    return;
  }
  if (i->offers)
    offer(t, i, t->now + 1);
  else
    weft_timed_link_take(t, &t->down[node], WEFT_LINK_REQUEST);
  weft_timed_ingress_next(t, node);
}
