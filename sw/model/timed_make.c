/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing the timed fabric. */
#include <stdlib.h>

#include "counters.h"
#include "timed_parts.h"

static bool new_queue(struct weft_queue *q, uint32_t depth, uint32_t stride)
{
  q->depth = depth;
  q->stride = stride;
  q->slot = calloc(depth, stride);
  return q->slot != NULL;
}

static bool new_l1s(struct weft_timed *t)
{
  t->l1 = calloc(t->nodes * t->cus, sizeof *t->l1);
  if (!t->l1)
    return false;
  for (unsigned p = 0; p < t->nodes * t->cus; p++) {
    struct weft_timed_l1 *u = &t->l1[p];
    u->state = calloc(1, weft_l1_size(&t->config));
    if (!u->state || !new_queue(&u->out, WEFT_L1_OUT_DEPTH, sizeof(struct weft_l1_req)))
      return false;
    u->node = p / t->cus;
    u->cu = p % t->cus;
    u->counters = weft_counters_of_cu(t->counters + u->node * t->per_node, u->cu);
    weft_l1_reset(u->state, &t->config, t->protocol, u->cu);
  }
  return true;
}

static bool new_dmas(struct weft_timed *t)
{
  if (!t->config.dma_slots)
    return true;
  t->dma = calloc(t->nodes, sizeof *t->dma);
  for (unsigned n = 0; t->dma && n < t->nodes; n++) {
    t->dma[n].state = calloc(1, weft_dma_size(&t->config));
    if (!t->dma[n].state)
      return false;
    weft_dma_reset(t->dma[n].state, &t->config);
  }
  return t->dma != NULL;
}

/* Stage C: its cycles, and the one by which a request leaves (`LateData`, `LateReq` of rtl/cache/l2_pkg.sv). */
static void take_cycles(const struct weft_timed *t, struct weft_timed_l2 *u)
{
  bool queue = t->config.egress_finepack;
  u->late = t->config.l2_interval > 4 && !queue ? 2 : t->config.l2_interval > 1;
  u->late_at = u->late > 1 || queue ? u->late : 0;
}

/* What is under way when banks are told to stop (`SettleCycles` of rtl/cache/l2_pkg.sv). */
static uint8_t settle(const struct weft_timed *t)
{
  return (uint8_t)(t->config.l2_interval + weft_timed_tries(t, &t->l2[0]));
}

static bool new_banks(struct weft_timed *t)
{
  t->l2 = calloc(t->nodes * t->banks, sizeof *t->l2);
  t->memory = calloc(t->nodes * t->banks, sizeof *t->memory);
  if (!t->l2 || !t->memory)
    return false;
  for (unsigned i = 0; i < t->nodes * t->banks; i++) {
    struct weft_timed_l2 *u = &t->l2[i];
    u->state = calloc(1, weft_l2_size(&t->config, t->protocol));
    if (!u->state || !new_queue(&u->req, WEFT_L2_REQ_DEPTH, sizeof(struct weft_req)) ||
        !new_queue(&u->rsp, WEFT_L2_OUT_DEPTH, sizeof(struct weft_rsp)) ||
        !new_queue(&u->l1, WEFT_L2_OUT_DEPTH, sizeof(struct weft_l1_rsp)) ||
        !new_queue(&u->mem, WEFT_L2_OUT_DEPTH, sizeof(struct weft_mem_req)) ||
        !new_queue(&t->memory[i].answers, (uint32_t)t->config.home_fetches, sizeof(struct weft_timed_answer)))
      return false;
    u->node = i / t->banks;
    u->bank = i % t->banks;
    u->counters = t->counters + u->node * t->per_node;
    take_cycles(t, u);
    weft_l2_reset(u->state, &t->config, t->protocol, u->node, u->bank);
  }
  t->rebase.settle = settle(t);
  return true;
}

static bool new_link(struct weft_timed *t, struct weft_timed_link *l, unsigned unit)
{
  l->state = calloc(1, weft_link_size(&t->config));
  bool ok = l->state != NULL;
  if (ok)
    weft_link_reset(l->state, &t->config);
  for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++) {
    l->credits[c].due = calloc(t->config.link_buffer, sizeof *l->credits[c].due);
    l->ready[c] = WEFT_NEVER;
    ok = ok && l->credits[c].due;
  }
  l->unit = unit;
  return ok;
}

static void free_link(struct weft_timed_link *l)
{
  free(l->state);
  for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++)
    free(l->credits[c].due);
}

static bool new_network(struct weft_timed *t)
{
  static const uint32_t stride[WEFT_LINK_CLASSES] = { sizeof(struct weft_req), sizeof(struct weft_fwd),
                                                      sizeof(struct weft_rsp) };
  t->up = calloc(t->nodes, sizeof *t->up);
  t->down = calloc(t->nodes, sizeof *t->down);
  t->crossbar.output = calloc(t->nodes * WEFT_LINK_CLASSES, sizeof *t->crossbar.output);
  t->bytes = calloc(t->nodes, sizeof *t->bytes);
  if (!t->up || !t->down || !t->crossbar.output || !t->bytes)
    return false;
  for (unsigned n = 0; n < t->nodes; n++) {
    if (!new_link(t, &t->up[n], t->at.up + n) || !new_link(t, &t->down[n], t->at.down + n))
      return false;
    for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++)
      if (!new_queue(&t->crossbar.output[n * WEFT_LINK_CLASSES + c].queue, WEFT_SWITCH_DEPTH, stride[c]))
        return false;
    t->bytes[n] = calloc(1, weft_memory_size(&t->config));
    if (!t->bytes[n])
      return false;
    weft_memory_reset(t->bytes[n], &t->config, n, true);
  }
  return true;
}

static bool new_egress(struct weft_timed *t, struct weft_timed_egress *e, unsigned node, bool finepack)
{
  e->state = calloc(1, weft_egress_size(&t->config));
  if (!e->state || !new_queue(&e->out, WEFT_EGRESS_DEPTH, sizeof(struct weft_req)))
    return false;
  weft_egress_reset(e->state, &t->config, node);
  weft_egress_enable(e->state, finepack);
  return true;
}

static bool new_ingress(struct weft_timed *t, struct weft_timed_ingress *i, unsigned node)
{
  i->state = calloc(1, weft_depacketizer_size(&t->config));
  if (!i->state)
    return false;
  weft_depacketizer_reset(i->state, &t->config, node);
  return true;
}

static bool new_edges(struct weft_timed *t, bool finepack)
{
  t->egress = calloc(t->nodes, sizeof *t->egress);
  t->ingress = calloc(t->nodes, sizeof *t->ingress);
  if (!t->egress || !t->ingress)
    return false;
  for (unsigned n = 0; n < t->nodes; n++) {
    t->egress[n].node = t->ingress[n].node = n;
    if (t->config.egress_finepack &&
        (!new_egress(t, &t->egress[n], n, finepack) || !new_ingress(t, &t->ingress[n], n)))
      return false;
  }
  return true;
}

static void free_edges(struct weft_timed *t)
{
  for (unsigned n = 0; t->egress && n < t->nodes; n++) {
    free(t->egress[n].state);
    free(t->egress[n].out.slot);
  }
  for (unsigned n = 0; t->ingress && n < t->nodes; n++)
    free(t->ingress[n].state);
  free(t->egress);
  free(t->ingress);
}

static void number_units(struct weft_timed *t)
{
  struct weft_timed_units *at = &t->at;
  at->l1 = 0;
  at->l2 = at->l1 + t->nodes * t->cus;
  at->egress = at->l2 + t->nodes * t->banks;
  at->up = at->egress + t->nodes;
  at->down = at->up + t->nodes;
  at->ingress = at->down + t->nodes;
  at->crossbar = at->ingress + t->nodes;
  at->memory = at->crossbar + 1;
  at->end = at->memory + t->nodes * t->banks;
  t->crossbar.unit = at->crossbar;
}

struct weft_timed *weft_timed_new(const struct weft_config *config, uint8_t protocol, bool finepack,
                                  uint64_t seed, uint32_t jitter, const struct weft_timed_host *host)
{
  struct weft_timed *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->config = *config;
  t->host = *host;
  t->seed = seed;
  t->jitter = jitter;
  t->protocol = protocol;
  t->nodes = (unsigned)config->nodes;
  t->cus = (unsigned)config->cus;
  t->banks = (unsigned)config->l2_banks;
  t->per_node = weft_counter_count(config);
  number_units(t);
  t->counters = calloc(t->nodes, t->per_node * sizeof *t->counters);
  if (!t->counters || !weft_agenda_new(&t->agenda, t->at.end) || !new_l1s(t) || !new_dmas(t) ||
      !new_banks(t) || !new_network(t) || !new_edges(t, finepack)) {
    weft_timed_free(t);
    return NULL;
  }
  return t;
}

bool weft_timed_has_fault(unsigned fault)
{
  static const uint8_t rtl_alone[] = {
    WEFT_FAULT_LINK_MISCOUNTS,
    WEFT_FAULT_LINK_SWAPS,
    WEFT_FAULT_COUNTER_DROPS,
    WEFT_FAULT_LINK_IGNORES_CRC,
    WEFT_FAULT_LINK_FORGETS_REPLAY,
    WEFT_FAULT_LINK_ACCEPTS_DUPLICATE,
    WEFT_FAULT_QUEUE_FORGETS_ENABLE,
    WEFT_FAULT_QUEUE_SKIPS_LOAD_CHECK,
    WEFT_FAULT_PACKETIZER_WRONG_LENGTH,
    WEFT_FAULT_PACKETIZER_RELEASES_EARLY,
    WEFT_FAULT_DEPACKETIZER_ACCEPTS_CUT,
  };
  for (size_t i = 0; i < sizeof rtl_alone; i++)
    if (fault == rtl_alone[i])
      return false;
  return true;
}

void weft_timed_set_fault(struct weft_timed *t, unsigned fault)
{
  for (unsigned p = 0; p < t->nodes * t->cus; p++)
    weft_l1_set_fault(t->l1[p].state, fault);
  for (unsigned i = 0; i < t->nodes * t->banks; i++)
    weft_l2_set_fault(t->l2[i].state, fault);
  for (unsigned n = 0; n < t->nodes; n++)
    t->bytes[n]->fault = fault;
  t->rebase.fault = (uint8_t)fault;
}

void weft_timed_set_leases(struct weft_timed *t, const struct weft_lease_settings *leases)
{
  for (unsigned i = 0; i < t->nodes * t->banks; i++)
    weft_l2_set_leases(t->l2[i].state, leases);
}

void weft_timed_free(struct weft_timed *t)
{
  if (!t)
    return;
  for (unsigned p = 0; t->l1 && p < t->nodes * t->cus; p++) {
    free(t->l1[p].state);
    free(t->l1[p].out.slot);
  }
  for (unsigned n = 0; t->dma && n < t->nodes; n++)
    free(t->dma[n].state);
  for (unsigned i = 0; t->l2 && i < t->nodes * t->banks; i++) {
    free(t->l2[i].state);
    free(t->l2[i].req.slot);
    free(t->l2[i].rsp.slot);
    free(t->l2[i].l1.slot);
    free(t->l2[i].mem.slot);
    if (t->memory)
      free(t->memory[i].answers.slot);
  }
  for (unsigned n = 0; n < t->nodes; n++) {
    if (t->up)
      free_link(&t->up[n]);
    if (t->down)
      free_link(&t->down[n]);
    if (t->bytes)
      free(t->bytes[n]);
    for (unsigned c = 0; t->crossbar.output && c < WEFT_LINK_CLASSES; c++)
      free(t->crossbar.output[n * WEFT_LINK_CLASSES + c].queue.slot);
  }
  free_edges(t);
  free(t->l1);
  free(t->dma);
  free(t->l2);
  free(t->memory);
  free(t->up);
  free(t->down);
  free(t->crossbar.output);
  free(t->bytes);
  free(t->counters);
  weft_agenda_free(&t->agenda);
  free(t);
}
