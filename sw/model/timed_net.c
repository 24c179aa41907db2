/* SPDX-License-Identifier: Apache-2.0 */
/* Links and switch: one message of a class per cycle and port, bytes metered, credits given back in time. */
#include "counters.h"
#include "timed_parts.h"

/* ---------------------------------------------------------------- a link */

void weft_timed_link_take(struct weft_timed *t, struct weft_timed_link *l, enum weft_link_class class)
{
  struct weft_credits *c = &l->credits[class];
  uint64_t due = t->now + t->config.link_latency;
  c->due[(c->head + c->count++) & (l->state->buffer - 1U)] = due;
  l->taken[class] = t->now + 1;
  weft_link_take(l->state, class);
  l->ready[class] = l->state->queue[class].count ? weft_link_oldest(l->state, class)->ready : WEFT_NEVER;
  if (l->starved)
    weft_wake_after(t, l->unit, due);
}

static uint64_t busy_since(const struct weft_timed *t, const struct weft_timed_link *l)
{
  uint64_t cycles = t->now - l->passed;
  uint64_t needed = (l->state->owed + l->state->bytes - 1) / l->state->bytes;
  return needed < cycles ? needed : cycles;
}

uint64_t weft_timed_link_busy(const struct weft_timed *t, const struct weft_timed_link *l)
{
  uint64_t needed = (l->state->owed + l->state->bytes - 1) / l->state->bytes;
  uint64_t cycles = t->flushed ? needed : t->now > l->passed ? t->now - l->passed - 1 : 0;
  return l->busy + (needed < cycles ? needed : cycles);
}

/* Brings owed bytes and credits up to the beginning of this cycle. */
static void catch_up(struct weft_timed *t, struct weft_timed_link *l)
{
  if (l->state->owed || l->state->spare) {
    l->busy += busy_since(t, l);
    weft_link_pass(l->state, t->now - l->passed);
  }
  l->passed = t->now;
  for (unsigned k = 0; k < WEFT_LINK_CLASSES; k++) {
    struct weft_credits *c = &l->credits[k];
    while (c->count && c->due[c->head] <= t->now) {
      weft_link_credit(l->state, (enum weft_link_class)k);
      c->head = (c->head + 1) & (l->state->buffer - 1U);
      c->count--;
    }
  }
}

/* A message starts: its reader will find it when it has arrived, which is said in *ready. */
static unsigned start(struct weft_timed *t, struct weft_timed_link *l, enum weft_link_class class,
                      const void *m, uint64_t *ready)
{
  struct weft_link *s = l->state;
  const struct weft_link_queue *q = &s->queue[class];
  unsigned bytes = weft_link_start(s, class, m, t->now);
  *ready = weft_link_slot(s, q, q->head + q->count - 1U)->ready;
  l->ready[class] = weft_link_oldest(s, class)->ready; /* a packet's are readable with its last */
  uint64_t cycles = s->owed / s->bytes;
  l->open = t->now + (cycles ? cycles : 1U);
  return bytes;
}

/* Tells whoever looks what was put on a wire. */
static void show(const struct weft_timed *t, unsigned link, enum weft_link_class class, const void *m,
                 unsigned bytes)
{
  if (!t->observer || !t->observer->link)
    return;
  struct weft_link_event e; /* of the messages only the one of its class is looked at */
  const struct weft_req *req = m;
  const struct weft_fwd *fwd = m;
  const struct weft_rsp *rsp = m;
  void *message = class == WEFT_LINK_REQUEST   ? (void *)&e.req
                  : class == WEFT_LINK_FORWARD ? (void *)&e.fwd
                                               : (void *)&e.rsp;
  weft_link_copy(message, class, m, (unsigned)t->config.line);
  e.class = (uint8_t)class;
  e.bytes = (uint8_t)bytes;
  e.kind = class == WEFT_LINK_REQUEST ? req->kind : class == WEFT_LINK_FORWARD ? fwd->kind : rsp->kind;
  e.src = class == WEFT_LINK_REQUEST ? req->src : class == WEFT_LINK_FORWARD ? fwd->src : rsp->src;
  e.dst = class == WEFT_LINK_REQUEST ? req->dst : class == WEFT_LINK_FORWARD ? fwd->dst : rsp->dst;
  t->observer->link(t->observer->context, link, t->now + 1, &e);
}

/* When a link can go on that has messages of these classes: with the wire free and a credit, or when a credit
 * comes back; if none is on its way, whoever takes a message wakes the link. */
static void sleep_until_open(struct weft_timed *t, struct weft_timed_link *l, unsigned classes)
{
  uint64_t wake = WEFT_NEVER;
  l->starved = false;
  for (unsigned k = 0; k < WEFT_LINK_CLASSES; k++) {
    const struct weft_credits *c = &l->credits[k];
    uint64_t due = l->state->queue[k].credits ? 0 : c->count ? c->due[c->head] : WEFT_NEVER;
    if (!(classes >> k & 1U))
      continue;
    l->starved |= due == WEFT_NEVER;
    if (due < wake)
      wake = due;
  }
  if (wake != WEFT_NEVER)
    weft_wake_after(t, l->unit, wake > l->open ? wake : l->open);
}

/* ---------------------------------------------------------------- node to switch */

/* The bank that sends next a forward or response, or -1. The forward queue is not one of the common queues. */
static int sending_bank(const struct weft_timed *t, const struct weft_timed_link *l, unsigned node,
                        enum weft_link_class class)
{
  uint32_t ready = 0;
  for (unsigned b = 0; b < t->banks; b++) {
    struct weft_timed_l2 *u = &t->l2[node * t->banks + b];
    bool has = class == WEFT_LINK_FORWARD ? weft_l2_forward(u->state)->count > (u->fwd_pushed == t->now)
                                          : weft_queue_head(&u->rsp, t->now) != NULL;
    ready |= (uint32_t)has << b;
  }
  return ready ? (int)weft_turn(ready, l->turn[class]) : -1;
}

static unsigned destination(const void *m, enum weft_link_class class)
{
  if (class == WEFT_LINK_REQUEST)
    return ((const struct weft_req *)m)->dst;
  if (class == WEFT_LINK_FORWARD)
    return ((const struct weft_fwd *)m)->dst;
  return ((const struct weft_rsp *)m)->dst;
}

static unsigned start_up(struct weft_timed *t, unsigned node, enum weft_link_class class, const void *m)
{
  struct weft_timed_switch *x = &t->crossbar;
  uint64_t ready;
  unsigned bytes = start(t, &t->up[node], class, m, &ready);
  show(t, node, class, m, bytes);
  if (!(x->loaded[class] >> node & 1U)) {
    x->loaded[class] |= 1U << node;
    x->to[class][node] = (uint8_t)destination(m, class);
  }
  if (ready != WEFT_NEVER)
    weft_wake_after(t, x->unit, ready);
  return bytes;
}

static bool try_up(struct weft_timed *t, unsigned node, enum weft_link_class class)
{
  struct weft_timed_link *l = &t->up[node];
  int bank = weft_link_may_start(l->state, class) ? sending_bank(t, l, node, class) : -1;
  if (bank < 0)
    return false;
  unsigned index = node * t->banks + (unsigned)bank, bytes;
  struct weft_timed_l2 *u = &t->l2[index];
  if (class == WEFT_LINK_FORWARD) {
    struct weft_forward *f = weft_l2_forward(u->state);
    struct weft_fwd m;
    uint32_t items = f->count;
    weft_forward_pop(f, &m);
    if (f->count != items) {
      u->fwd_popped = t->now + 1;
      if (items == f->depth)
        weft_wake_l2(t, index);
    }
    bytes = start_up(t, node, class, &m);
  } else {
    bytes = start_up(t, node, class, weft_queue_head(&u->rsp, t->now));
    weft_timed_pop(t, &u->rsp, t->at.l2 + index);
  }
  l->turn[class] = (uint32_t)bank + 1;
  weft_count_link(t->counters + node * t->per_node, class, bytes);
  return true;
}

static bool try_up_request(struct weft_timed *t, unsigned node)
{
  const struct weft_link *l = t->up[node].state;
  const struct weft_req *m =
    weft_link_may_start(l, WEFT_LINK_REQUEST) ? weft_timed_egress_head(t, node) : NULL;
  if (!m || !weft_link_may_start_req(l, m))
    return false;
  unsigned bytes = start_up(t, node, WEFT_LINK_REQUEST, m);
  weft_timed_egress_leaves(t, node);
  weft_count_link(t->counters + node * t->per_node, WEFT_LINK_REQUEST, bytes);
  return true;
}

/* Classes in which a node has something to send, as a set. */
static unsigned waiting_up(const struct weft_timed *t, unsigned node)
{
  unsigned classes = (unsigned)weft_timed_egress_waits(t, node) << WEFT_LINK_REQUEST;
  for (unsigned b = 0; b < t->banks; b++) {
    const struct weft_timed_l2 *u = &t->l2[node * t->banks + b];
    classes |= (unsigned)(weft_l2_forward(u->state)->count != 0) << WEFT_LINK_FORWARD;
    classes |= (unsigned)(u->rsp.count != 0) << WEFT_LINK_RESPONSE;
  }
  return classes;
}

void weft_timed_up(struct weft_timed *t, unsigned node)
{
  struct weft_timed_link *l = &t->up[node];
  catch_up(t, l);
  bool first = weft_link_request_first(l->state) && try_up_request(t, node);
  if (!first && !try_up(t, node, WEFT_LINK_RESPONSE) && !try_up(t, node, WEFT_LINK_FORWARD))
    try_up_request(t, node);
  sleep_until_open(t, l, waiting_up(t, node));
}

/* ---------------------------------------------------------------- the switch */

static struct weft_timed_output *output_of(const struct weft_timed *t, unsigned node,
                                           enum weft_link_class class)
{
  return &t->crossbar.output[node * WEFT_LINK_CLASSES + class];
}

/* From a packet's head to its last chunk the output stays with its input. */
static void note_packet(struct weft_timed_output *out, unsigned from, const void *message)
{
  const struct weft_req *m = message;
  if (m->kind == WEFT_REQ_KIND_PACKET)
    out->packet = from + 1U;
  else if (weft_req_ends_packet(m))
    out->packet = 0;
}

/* Moves the oldest message of an input to its output. */
static void grant(struct weft_timed *t, unsigned from, unsigned to, enum weft_link_class class)
{
  struct weft_timed_switch *x = &t->crossbar;
  struct weft_timed_output *out = output_of(t, to, class);
  struct weft_timed_link *l = &t->up[from], *next = &t->down[to];
  weft_link_copy(weft_queue_push(&out->queue, t->now), class, weft_link_oldest(l->state, class)->message,
                 l->state->line);
  if (class == WEFT_LINK_REQUEST)
    note_packet(out, from, weft_link_oldest(l->state, class)->message);
  weft_timed_link_take(t, l, class);
  out->turn = from + 1;
  if (l->ready[class] == WEFT_NEVER)
    x->loaded[class] &= ~(1U << from);
  else
    x->to[class][from] = (uint8_t)destination(weft_link_oldest(l->state, class)->message, class);
  weft_wake_after(t, next->unit, next->open);
}

/* The inputs of a class whose oldest message can be read by cycle `by`, per output; returns the set of outputs. */
static uint32_t requests_of(const struct weft_timed *t, enum weft_link_class class, uint64_t by,
                            uint32_t request[WEFT_NODES_MAX])
{
  const struct weft_timed_switch *x = &t->crossbar;
  uint32_t outputs = 0;
  for (uint32_t left = x->loaded[class]; left; left &= left - 1U) {
    unsigned n = weft_lowest(left), to = x->to[class][n];
    const struct weft_timed_output *out = &x->output[to * WEFT_LINK_CLASSES + class];
    if (t->up[n].ready[class] > by || (out->packet && out->packet != n + 1U))
      continue;
    request[to] = (outputs >> to & 1U ? request[to] : 0) | 1U << n;
    outputs |= 1U << to;
  }
  return outputs;
}

/* Returns whether the next cycle can move more of this class. */
static bool move(struct weft_timed *t, enum weft_link_class class)
{
  uint32_t request[WEFT_NODES_MAX];
  bool more = false;
  for (uint32_t left = requests_of(t, class, t->now, request); left; left &= left - 1U) {
    unsigned o = weft_lowest(left);
    struct weft_timed_output *out = output_of(t, o, class);
    if (weft_queue_free(&out->queue, t->now))
      grant(t, weft_turn(request[o], out->turn), o, class);
  }
  for (uint32_t left = requests_of(t, class, t->now + 1, request); left; left &= left - 1U) {
    const struct weft_queue *q = &output_of(t, weft_lowest(left), class)->queue;
    more |= q->count < q->depth; /* else the one who takes from it wakes the switch */
  }
  return more;
}

void weft_timed_switch(struct weft_timed *t)
{
  bool more = false;
  for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++)
    if (t->crossbar.loaded[c])
      more |= move(t, (enum weft_link_class)c);
  if (more)
    weft_wake(t, t->crossbar.unit, t->now + 1);
}

/* ---------------------------------------------------------------- switch to node */

/* The bank of its destination that a message is for. */
static unsigned bank_of(const struct weft_timed *t, const void *m, enum weft_link_class class)
{
  if (class == WEFT_LINK_REQUEST)
    return weft_timed_bank_of(t, ((const struct weft_req *)m)->address);
  if (class == WEFT_LINK_FORWARD)
    return weft_timed_bank_of(t, ((const struct weft_fwd *)m)->address);
  return ((const struct weft_rsp *)m)->bank;
}

void weft_timed_arrived(struct weft_timed *t, unsigned node, enum weft_link_class class)
{
  struct weft_timed_link *l = &t->down[node];
  weft_timed_link_take(t, l, class);
  if (l->ready[class] <= t->now + 1) /* a later one wakes its bank by itself */
    weft_wake_l2(t, node * t->banks + bank_of(t, weft_link_oldest(l->state, class)->message, class));
}

static bool try_down(struct weft_timed *t, unsigned node, enum weft_link_class class)
{
  struct weft_timed_link *l = &t->down[node];
  struct weft_queue *q = &output_of(t, node, class)->queue;
  const void *m = weft_queue_head(q, t->now);
  if (!m || !(class == WEFT_LINK_REQUEST ? weft_link_may_start_req(l->state, m)
                                         : weft_link_may_start(l->state, class)))
    return false;
  uint64_t ready;
  unsigned bytes = start(t, l, class, m, &ready);
  show(t, t->nodes + node, class, m, bytes);
  if (ready != WEFT_NEVER)
    weft_wake_after(t, t->at.l2 + node * t->banks + bank_of(t, m, class), ready);
  if (ready != WEFT_NEVER && class == WEFT_LINK_REQUEST && t->ingress[node].state)
    weft_wake_after(t, t->at.ingress + node, ready);
  weft_timed_pop(t, q, t->crossbar.unit);
  weft_count_switch(t->counters + node * t->per_node, bytes);
  return true;
}

void weft_timed_down(struct weft_timed *t, unsigned node)
{
  struct weft_timed_link *l = &t->down[node];
  catch_up(t, l);
  bool first = weft_link_request_first(l->state) && try_down(t, node, WEFT_LINK_REQUEST);
  if (!first && !try_down(t, node, WEFT_LINK_RESPONSE) && !try_down(t, node, WEFT_LINK_FORWARD))
    try_down(t, node, WEFT_LINK_REQUEST);
  unsigned classes = 0;
  for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++)
    classes |= (unsigned)(output_of(t, node, (enum weft_link_class)c)->queue.count != 0) << c;
  sleep_until_open(t, l, classes);
}
