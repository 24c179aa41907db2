/* SPDX-License-Identifier: Apache-2.0 */
/* How long operations, units and messages take: histograms of the run's own events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finepack.h"
#include "latency.h"
#include "messages.h"

/* ---------------------------------------------------------------- histograms */

static unsigned bucket_of(uint64_t value)
{
  if (value < EXACT)
    return (unsigned)value;
  unsigned octave = 63U - (unsigned)__builtin_clzll(value);
  unsigned place = EXACT + (octave - 6U) * PARTS + (unsigned)(value >> (octave - 5U) & (PARTS - 1U));
  return place < BUCKETS ? place : BUCKETS - 1U;
}

/* The smallest value of a bucket. */
static uint64_t value_of(unsigned bucket)
{
  if (bucket < EXACT)
    return bucket;
  unsigned octave = 6U + (bucket - EXACT) / PARTS, part = (bucket - EXACT) % PARTS;
  return (uint64_t)(PARTS + part) << (octave - 5U);
}

static void add(struct histogram *h, uint64_t value)
{
  if (!h->count || value < h->min)
    h->min = value;
  if (value > h->max)
    h->max = value;
  h->count++;
  h->sum += value;
  h->bucket[bucket_of(value)]++;
}

/* The smallest value that at least `percent` of all do not exceed: exact below 64 cycles, else within 3 %. */
static uint64_t percentile(const struct histogram *h, unsigned percent)
{
  uint64_t rank = (h->count * percent + 99U) / 100U, seen = 0;
  for (unsigned i = 0; i < BUCKETS; i++) {
    seen += h->bucket[i];
    if (seen >= rank && h->bucket[i])
      return value_of(i) > h->min ? value_of(i) : h->min;
  }
  return h->max;
}

/* ---------------------------------------------------------------- messages on their way */

static void push(struct fifo *f, uint64_t cycle, uint8_t kind)
{
  if (f->count == f->room) {
    uint32_t room = f->room ? 2 * f->room : 16;
    struct sent *bigger = malloc(room * sizeof *bigger);
    if (!bigger)
      return; /* a figure is lost, the run is not */
    for (uint32_t i = 0; i < f->count; i++)
      bigger[i] = f->slot[(f->head + i) % f->room];
    free(f->slot);
    f->slot = bigger;
    f->room = room;
    f->head = 0;
  }
  f->slot[(f->head + f->count++) % f->room] = (struct sent){ cycle, kind };
}

static bool pop(struct fifo *f, struct sent *sent)
{
  if (!f->count)
    return false;
  *sent = f->slot[f->head];
  f->head = (f->head + 1) % f->room;
  f->count--;
  return true;
}

static unsigned message_number(unsigned class, unsigned kind)
{
  static const uint8_t requests[] = { MESSAGE_READ, MESSAGE_WRITE, MESSAGE_ATOMIC, MESSAGE_READ,
                                      MESSAGE_MARKER };
  static const uint8_t responses[] = { MESSAGE_LINE, MESSAGE_OLD, MESSAGE_OLD, MESSAGE_ACK, MESSAGE_SEEN };
  if (class == WEFT_MSG_CLASS_FORWARD)
    return kind == WEFT_FWD_KIND_INV ? MESSAGE_INV : MESSAGE_MARK;
  return class == WEFT_MSG_CLASS_REQUEST ? requests[kind % 5U] : responses[kind % 5U];
}

static struct fifo *on_wire(struct weft_latencies *l, unsigned src, unsigned dst, unsigned class)
{
  return &l->wire[(src * l->nodes + dst) * CLASSES + class];
}

static struct fifo *on_way(struct weft_latencies *l, unsigned src, unsigned dst, unsigned class,
                           unsigned bank)
{
  return &l->way[((src * l->nodes + dst) * CLASSES + class) * l->banks + bank];
}

/* FinePack's queue makes packets of requests, in another order: they cannot be followed. */
static bool followed(const struct weft_latencies *l, unsigned class)
{
  return !l->packed || class != WEFT_MSG_CLASS_REQUEST;
}

static void made(struct weft_latencies *l, unsigned src, unsigned dst, unsigned bank, uint64_t cycle,
                 unsigned class, uint8_t kind)
{
  if (!followed(l, class))
    return;
  push(on_wire(l, src, dst, class), cycle, kind);
  push(on_way(l, src, dst, class, bank), cycle, kind);
}

static void arrived(struct weft_latencies *l, unsigned src, unsigned dst, unsigned bank, uint64_t cycle,
                    unsigned class)
{
  struct sent s;
  if (followed(l, class) && pop(on_way(l, src, dst, class, bank), &s))
    add(&l->histogram[FIRST_DELIVERY + message_number(class, s.kind)], cycle - s.cycle);
}

void weft_latencies_link(struct weft_latencies *l, unsigned link, uint64_t cycle,
                         const struct weft_link_event *e)
{
  struct sent s;
  if (link >= l->nodes) /* the switch's: it counts to the way, not to the waiting for the wire */
    return;
  if (followed(l, e->class) && pop(on_wire(l, e->src, e->dst, e->class), &s))
    add(&l->histogram[FIRST_WIRE + message_number(e->class, e->kind)], cycle - s.cycle);
}

/* ---------------------------------------------------------------- operations and units */

void weft_latencies_taken(struct weft_latencies *l, uint64_t cycle, uint64_t issue)
{
  add(&l->histogram[UNIT_PORT], cycle - issue);
}

static unsigned operation_number(const struct weft_flight *f, enum weft_level level)
{
  switch (f->op) {
  case WEFT_CU_OP_LOAD:
    return FIRST_LOAD + level;
  case WEFT_CU_OP_ATOMIC:
    return FIRST_ATOMIC + level;
  case WEFT_CU_OP_STORE:
    return STORE;
  default:
    return f->order == WEFT_ORDER_ACQUIRE ? ACQUIRE : f->order == WEFT_ORDER_RELEASE ? RELEASE : ACQ_REL;
  }
}

void weft_latencies_l1(struct weft_latencies *l, const struct weft_track *t, unsigned port, uint64_t cycle,
                       const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  if (out->sent)
    push(&l->to_l2[port * l->banks + (unsigned)(out->out.address >> WEFT_PAGE_SHIFT & (l->banks - 1U))],
         cycle, 0);
  if (!out->answered)
    return;
  enum weft_level level;
  const struct weft_flight *f = weft_track_answered(t, port, in, out, &level);
  add(&l->histogram[operation_number(f, level)], cycle - f->issue);
}

static void arrives(struct weft_latencies *l, unsigned node, unsigned bank, uint64_t cycle,
                    const struct weft_l2_event *in)
{
  struct sent s;
  switch (in->kind) {
  case WEFT_L2_EVENT_KIND_CU:
    if (pop(&l->to_l2[(node * l->cus + in->req.cu) * l->banks + bank], &s))
      add(&l->histogram[UNIT_L1_TO_L2], cycle - s.cycle);
    break;
  case WEFT_L2_EVENT_KIND_REQUEST:
    arrived(l, in->req.src, node, bank, cycle, WEFT_MSG_CLASS_REQUEST);
    break;
  case WEFT_L2_EVENT_KIND_INV:
  case WEFT_L2_EVENT_KIND_MARK:
    if (in->kind == WEFT_L2_EVENT_KIND_MARK || in->index == 0) /* a block's other lines came with the first */
      arrived(l, in->fwd.src, node, bank, cycle, WEFT_MSG_CLASS_FORWARD);
    break;
  case WEFT_L2_EVENT_KIND_RESPONSE:
    arrived(l, in->rsp.src, node, bank, cycle, WEFT_MSG_CLASS_RESPONSE);
    break;
  default:
    break;
  }
}

/* When the release of a warp's fence began in a bank. */
static uint64_t *release_of(struct weft_latencies *l, unsigned node, unsigned bank, unsigned cu,
                            unsigned warp)
{
  return &l->release[(node * l->cus + cu) * l->banks + bank][warp % WEFT_WARPS_MAX];
}

static void forwards(struct weft_latencies *l, unsigned node, unsigned bank, uint64_t cycle,
                     const struct weft_fwd_item *item, unsigned nodes)
{
  for (unsigned n = 0; n < l->nodes; n++)
    if (nodes >> n & 1U)
      made(l, node, n, bank, cycle, WEFT_MSG_CLASS_FORWARD, item->kind);
}

/* A WRITE with holes is a message for every run. */
static void requests(struct weft_latencies *l, unsigned node, unsigned bank, uint64_t cycle,
                     const struct weft_req *m)
{
  const struct weft_enables enables = { { m->mask[0], m->mask[1] } };
  unsigned messages = m->kind == WEFT_REQ_KIND_WRITE ? weft_runs(&enables) : 1;
  for (unsigned i = 0; i < (messages ? messages : 1U); i++)
    made(l, node, m->dst, bank, cycle, WEFT_MSG_CLASS_REQUEST, m->kind);
}

void weft_latencies_l2(struct weft_latencies *l, const struct weft_track *t, unsigned node, unsigned bank,
                       uint64_t cycle, const struct weft_l2_event *in, const struct weft_l2_event *out)
{
  const struct weft_track_l2 *u = &t->l2[node * t->banks + bank];
  arrives(l, node, bank, cycle, in);
  if (in->kind == WEFT_L2_EVENT_KIND_RESPONSE && weft_rsp_fills(in->rsp.kind))
    add(&l->histogram[UNIT_L2_MISS], cycle - u->miss[in->rsp.id % WEFT_TABLE_MAX].since);
  if (in->kind == WEFT_L2_EVENT_KIND_MEMORY)
    add(&l->histogram[UNIT_FETCH], cycle - u->fetch[in->index % WEFT_TABLE_MAX].since);
  if (in->kind == WEFT_L2_EVENT_KIND_MARKER_GO)
    add(&l->histogram[UNIT_MARKER], cycle - u->marker[out->index % WEFT_TABLE_MAX].since);
  if (in->kind == WEFT_L2_EVENT_KIND_CU && in->req.kind == WEFT_REQ_KIND_FENCE && out->allocated)
    *release_of(l, node, bank, in->req.cu, in->req.id) = cycle;
  if (out->sent_l1 && out->out_l1.kind == WEFT_RSP_KIND_FENCE && in->kind != WEFT_L2_EVENT_KIND_CU)
    add(&l->histogram[UNIT_RELEASE], cycle - *release_of(l, node, bank, out->out_l1.cu, out->out_l1.id));
  if (out->sent_req)
    requests(l, node, bank, cycle, &out->out_req);
  if (out->sent_rsp)
    made(l, node, out->out_rsp.dst, bank, cycle, WEFT_MSG_CLASS_RESPONSE, out->out_rsp.kind);
  if (!out->sent_fwd)
    return;
  if (out->out_fwd.kind == WEFT_FWD_KIND_MARK)
    forwards(l, node, bank, cycle, &out->out_fwd, out->out_fwd.nodes);
  for (unsigned i = 0; i < t->owed.lines; i++)
    forwards(l, node, bank, cycle, &out->out_fwd, t->owed.nodes[i]);
}

/* ---------------------------------------------------------------- life */

static size_t wires(const struct weft_latencies *l)
{
  return (size_t)l->nodes * l->nodes * CLASSES;
}

struct weft_latencies *weft_latencies_new(const struct weft_config *config, bool packed)
{
  struct weft_latencies *l = calloc(1, sizeof *l);
  if (!l)
    return NULL;
  l->nodes = (unsigned)config->nodes;
  l->cus = (unsigned)config->cus;
  l->banks = (unsigned)config->l2_banks;
  l->packed = packed;
  l->wire = calloc(wires(l), sizeof *l->wire);
  l->way = calloc(wires(l) * l->banks, sizeof *l->way);
  l->to_l2 = calloc((size_t)l->nodes * l->cus * l->banks, sizeof *l->to_l2);
  l->release = calloc((size_t)l->nodes * l->cus * l->banks, sizeof *l->release);
  if (l->wire && l->way && l->to_l2 && l->release)
    return l;
  weft_latencies_free(l);
  return NULL;
}

static void free_all(struct fifo *f, size_t count)
{
  for (size_t i = 0; f && i < count; i++)
    free(f[i].slot);
  free(f);
}

void weft_latencies_free(struct weft_latencies *l)
{
  if (!l)
    return;
  free_all(l->wire, wires(l));
  free_all(l->way, wires(l) * l->banks);
  free_all(l->to_l2, (size_t)l->nodes * l->cus * l->banks);
  free(l->release);
  free(l);
}

/* ---------------------------------------------------------------- for users */

int weft_latency_start(struct weft *w)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (w->launched)
    return weft_fail(w, WEFT_BAD_STATE, "latencies are measured from the first launch on; ask before it");
  if (weft_watch_begin(w))
    return w->failure.code;
  if (!w->watch->latencies)
    w->watch->latencies = weft_latencies_new(&w->config, w->egress == WEFT_EGRESS_FINEPACK);
  if (!w->watch->latencies)
    return weft_fail_memory(w);
  weft_watch_update(w);
  return WEFT_OK;
}

size_t weft_latency_total(void)
{
  return HISTOGRAMS;
}

const char *weft_latency_name(size_t index)
{
  static const char *const names[HISTOGRAMS] = WEFT_LATENCY_NAMES;
  return index < HISTOGRAMS ? names[index] : NULL;
}

const char *weft_latency_about(size_t index)
{
  static const char *const abouts[HISTOGRAMS] = WEFT_LATENCY_ABOUTS;
  return index < HISTOGRAMS ? abouts[index] : NULL;
}

int weft_latency_read(struct weft *w, size_t index, struct weft_latency *latency)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (!w->watch || !w->watch->latencies)
    return weft_fail(w, WEFT_BAD_STATE,
                     "latencies were not measured; call weft_latency_start() before the run");
  if (index >= HISTOGRAMS)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "latency number %zu; there are %d", index, (int)HISTOGRAMS);
  const struct histogram *h = &w->watch->latencies->histogram[index];
  memset(latency, 0, sizeof *latency);
  latency->count = h->count;
  if (!h->count)
    return WEFT_OK;
  latency->sum = h->sum;
  latency->min = h->min;
  latency->max = h->max;
  latency->p50 = percentile(h, 50);
  latency->p90 = percentile(h, 90);
  latency->p99 = percentile(h, 99);
  for (unsigned i = 0; i < BUCKETS; i++)
    if (h->bucket[i])
      latency->octave[value_of(i) ? 64U - (unsigned)__builtin_clzll(value_of(i)) : 0] += h->bucket[i];
  return WEFT_OK;
}
