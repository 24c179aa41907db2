/* SPDX-License-Identifier: Apache-2.0 */
/* What is on its way between units: between nodes, between L1s and L2 banks, from memory, at the CU ports.
 * Per sender, receiver, class and bank the order is kept, and what arrives is what was sent. */
#include <stdio.h>
#include <stdlib.h>

#include "lockstep_parts.h"

/* ---------------------------------------------------------------- rings */

static bool grow(struct weft_ring *r)
{
  uint32_t capacity = r->capacity ? 2U * r->capacity : 4U;
  uint8_t *slots = malloc((size_t)capacity * r->stride);
  if (!slots)
    return false;
  for (uint32_t i = 0; i < r->count; i++)
    memcpy(slots + (size_t)i * r->stride, r->slots + (size_t)((r->head + i) & (r->capacity - 1U)) * r->stride,
           r->stride);
  free(r->slots);
  r->slots = slots;
  r->capacity = capacity;
  r->head = 0;
  return true;
}

void *weft_ring_push(struct weft_ring *r)
{
  if (r->count == r->capacity && !grow(r))
    return NULL;
  return r->slots + (size_t)((r->head + r->count++) & (r->capacity - 1U)) * r->stride;
}

static struct weft_ring *rings_new(size_t count, size_t stride)
{
  struct weft_ring *rings = calloc(count, sizeof *rings);
  for (size_t i = 0; rings && i < count; i++)
    rings[i].stride = (uint32_t)((stride + 7U) & ~(size_t)7U);
  return rings;
}

static void rings_free(struct weft_ring *rings, size_t count)
{
  for (size_t i = 0; rings && i < count; i++)
    free(rings[i].slots);
  free(rings);
}

/* The rings by their names, for what is done to all of them alike. */
struct group {
  struct weft_ring **rings;
  size_t count, stride;
  const char *what;
};

static unsigned groups(struct weft_lockstep *k, struct group *g)
{
  size_t pairs = (size_t)k->nodes * k->nodes * k->banks, ports = (size_t)k->nodes * k->cus;
  const struct group all[] = {
    { &k->request, pairs, sizeof(struct weft_req), "a request between nodes" },
    { &k->to_egress, (size_t)k->nodes * k->banks, sizeof(struct weft_req), "a request before an egress" },
    { &k->to_ingress, (size_t)k->nodes * k->nodes * k->banks, sizeof(struct weft_req),
      "a request before an ingress" },
    { &k->forward, pairs, sizeof(struct weft_fwd), "a forward between nodes" },
    { &k->response, pairs, sizeof(struct weft_rsp), "a response between nodes" },
    { &k->to_l2, ports * k->banks, sizeof(struct weft_l1_req), "a request of an L1 to an L2 bank" },
    { &k->to_l1, ports * k->banks, sizeof(struct weft_l1_rsp), "a response of an L2 bank to an L1" },
    { &k->from_memory, (size_t)k->nodes * k->banks, sizeof(struct weft_mem_rsp), "an answer of the memory" },
    { &k->issued, ports, sizeof(struct weft_cu_req), "an operation that no L1 has met" },
    { &k->described, k->nodes, sizeof(struct weft_cu_req), "a copy that has not begun" },
    { &k->promised, ports, sizeof(struct weft_cu_rsp), "an answer that did not come out of its port" },
    { &k->given, ports, sizeof(struct weft_cu_rsp), "an answer that no L1 has given" },
  };
  memcpy(g, all, sizeof all);
  return sizeof all / sizeof *all;
}

#define GROUPS_MAX 12

bool weft_lockstep_network_new(struct weft_lockstep *k)
{
  struct group g[GROUPS_MAX];
  bool good = true;
  unsigned count = groups(k, g);
  for (unsigned i = 0; i < count; i++) {
    *g[i].rings = rings_new(g[i].count, g[i].stride);
    good = good && *g[i].rings;
  }
  size_t per_link = (size_t)WEFT_LINK_CLASSES * WEFT_NODES_MAX * WEFT_LINK_KINDS * WEFT_LINK_SIZES;
  k->on_link = calloc(2U * k->nodes * per_link, sizeof *k->on_link);
  return good && k->on_link;
}

void weft_lockstep_network_free(struct weft_lockstep *k)
{
  struct group g[GROUPS_MAX];
  unsigned count = groups(k, g);
  for (unsigned i = 0; i < count; i++)
    rings_free(*g[i].rings, g[i].count);
  free(k->on_link);
}

bool weft_lockstep_on_its_way(const struct weft_lockstep *k, char *text, size_t size)
{
  struct group g[GROUPS_MAX];
  unsigned count = groups((struct weft_lockstep *)(uintptr_t)k, g);
  for (unsigned i = 0; i < count; i++)
    for (size_t r = 0; r < g[i].count; r++)
      if ((*g[i].rings)[r].count) {
        snprintf(text, size, "%s is still on its way", g[i].what);
        return true;
      }
  size_t kinds =
    2U * (size_t)k->nodes * WEFT_LINK_CLASSES * WEFT_NODES_MAX * WEFT_LINK_KINDS * WEFT_LINK_SIZES;
  for (size_t i = 0; i < kinds; i++)
    if (k->on_link[i]) {
      snprintf(text, size, "a message has not passed its link");
      return true;
    }
  if (!weft_lockstep_dmas_idle(k)) {
    snprintf(text, size, "a copy is still on its way");
    return true;
  }
  return false;
}

/* ---------------------------------------------------------------- sending */

static size_t pair(const struct weft_lockstep *k, unsigned src, unsigned dst, unsigned bank)
{
  return ((size_t)src * k->nodes + dst) * k->banks + bank;
}

static size_t local(const struct weft_lockstep *k, unsigned node, unsigned cu, unsigned bank)
{
  return ((size_t)node * k->cus + cu) * k->banks + bank;
}

static unsigned bank_of(const struct weft_lockstep *k, uint64_t address)
{
  return (unsigned)(address >> WEFT_PAGE_SHIFT) & (k->banks - 1U);
}

/* Copies the first `bytes` of a message to the end of a ring. */
static void put(struct weft_lockstep *k, struct weft_ring *ring, const void *message, size_t bytes)
{
  void *slot = weft_ring_push(ring);
  if (slot) {
    memcpy(slot, message, bytes);
  } else {
    struct weft_place place = weft_place_bank("checker", 0, 0, 0, "none");
    weft_lockstep_wrong(k, &place, "out of memory");
  }
}

void weft_lockstep_sent_by_l1(struct weft_lockstep *k, unsigned node, unsigned cu,
                              const struct weft_l1_event *e, uint64_t cycle)
{
  if (e->sent)
    put(k, &k->to_l2[local(k, node, cu, bank_of(k, e->out.address))], &e->out,
        offsetof(struct weft_l1_req, data) + k->line);
  if (!e->answered)
    return;
  if (weft_lockstep_dma_has(k, cu, e->done.tag)) {
    weft_lockstep_dma_back(k, node, cu, &e->done, cycle);
    return;
  }
  size_t port = (size_t)node * k->cus + cu;
  const struct weft_cu_rsp *given = weft_ring_head(&k->given[port]);
  if (!given) {
    put(k, &k->promised[port], &e->done, offsetof(struct weft_cu_rsp, data) + k->line);
    return;
  }
  struct weft_difference d = { 0 };
  if (weft_differs_cu_rsp(&d, "answer", given, &e->done, k->line)) {
    struct weft_place place = weft_place_cu("port", node, cu, cycle, "answer");
    weft_lockstep_differ(k, &place, &d);
  }
  weft_ring_pop(&k->given[port]);
}

static void onto_link(struct weft_lockstep *k, unsigned node, unsigned class, unsigned dst, unsigned kind,
                      unsigned bytes)
{
  ++*weft_lockstep_on_link(k, node, class, dst, kind, bytes);
}

static void send_forwards(struct weft_lockstep *k, unsigned node, unsigned bank)
{
  struct weft_fwd m;
  while (weft_l2_pop_forward(k->l2[node * k->banks + bank], &m)) {
    put(k, &k->forward[pair(k, node, m.dst, bank)], &m, sizeof m);
    onto_link(k, node, WEFT_LINK_FORWARD, m.dst, m.kind, weft_link_cost_fwd(&m));
  }
}

static void send_memory(struct weft_lockstep *k, unsigned node, unsigned bank, const struct weft_mem_req *m,
                        uint64_t cycle)
{
  struct weft_mem_rsp answer;
  const char *error = weft_memory_step(k->memory[node], m, &answer);
  if (error) {
    struct weft_place place = weft_place_bank("memory", node, bank, cycle, m->write ? "write" : "read");
    weft_lockstep_wrong(k, &place, error);
  } else if (!m->write) {
    put(k, &k->from_memory[node * k->banks + bank], &answer, offsetof(struct weft_mem_rsp, data) + k->line);
  }
}

/* A message of class request as it leaves its node; of a packet, its receiver is the ingress. */
void weft_lockstep_leaves(struct weft_lockstep *k, unsigned node, const struct weft_req *m)
{
  unsigned bank = bank_of(k, m->address);
  struct weft_ring *ring =
    k->ingress ? &k->to_ingress[pair(k, node, m->dst, 0)] : &k->request[pair(k, node, m->dst, bank)];
  put(k, ring, m, offsetof(struct weft_req, data) + k->line);
  onto_link(k, node, WEFT_LINK_REQUEST, m->dst, m->kind, weft_link_cost_req(m));
}

void weft_lockstep_handed(struct weft_lockstep *k, unsigned node, const struct weft_req *m)
{
  put(k, &k->request[pair(k, m->src, node, bank_of(k, m->address))], m,
      offsetof(struct weft_req, data) + k->line);
}

/* Without FinePack a WRITE leaves as one for each of its runs. */
static void leave_plain(struct weft_lockstep *k, unsigned node, const struct weft_req *m)
{
  struct weft_req run;
  uint32_t from = 0;
  if (m->kind != WEFT_REQ_KIND_WRITE) {
    weft_lockstep_leaves(k, node, m);
    return;
  }
  while (weft_next_plain(m, k->line, &from, &run)) {
    run.wide = 0;
    weft_lockstep_leaves(k, node, &run);
  }
}

void weft_lockstep_sent_by_l2(struct weft_lockstep *k, unsigned node, unsigned bank,
                              const struct weft_l2_event *e, uint64_t cycle)
{
  if (e->sent_req && k->egress)
    put(k, &k->to_egress[node * k->banks + bank], &e->out_req, offsetof(struct weft_req, data) + k->line);
  else if (e->sent_req)
    leave_plain(k, node, &e->out_req);
  if (e->sent_rsp) {
    const struct weft_rsp *m = &e->out_rsp;
    put(k, &k->response[pair(k, node, m->dst, bank)], m, offsetof(struct weft_rsp, data) + k->line);
    onto_link(k, node, WEFT_LINK_RESPONSE, m->dst, m->kind, weft_link_cost_rsp(m, k->line));
  }
  if (e->sent_fwd)
    send_forwards(k, node, bank);
  if (e->sent_l1) {
    struct weft_ring *ring = &k->to_l1[local(k, node, e->out_l1.cu, bank)];
    put(k, ring, &e->out_l1, offsetof(struct weft_l1_rsp, data) + k->line);
  }
  if (e->sent_mem)
    send_memory(k, node, bank, &e->out_mem, cycle);
}

/* ---------------------------------------------------------------- arriving */

/* An INV of a block is an event for each of its lines: the message has arrived with the last. */
static bool more_to_come(const struct weft_l2_event *e)
{
  return e->kind == WEFT_L2_EVENT_KIND_INV && e->fwd.block && e->index + 1U < WEFT_BLOCK_LINES;
}

/* Takes the head of a ring if the input was found equal to it; else reports. */
static bool arrived(struct weft_lockstep *k, struct weft_ring *ring, bool differs,
                    const struct weft_place *place, const struct weft_difference *d)
{
  if (differs) {
    weft_lockstep_differ(k, place, d);
    return false;
  }
  weft_ring_pop(ring);
  return true;
}

static bool nothing_sent(struct weft_lockstep *k, const struct weft_place *place)
{
  weft_lockstep_wrong(k, place, "a message has arrived that nobody sent");
  return false;
}

/* An input that waits for a flush is shown again. */
bool weft_lockstep_into_egress(struct weft_lockstep *k, unsigned node, const struct weft_req *m, bool taken,
                               uint64_t cycle)
{
  unsigned bank = bank_of(k, m->address);
  struct weft_ring *ring = &k->to_egress[node * k->banks + bank];
  struct weft_place place = weft_place_bank("network", node, bank, cycle, "request before the egress");
  const struct weft_req *sent = weft_ring_head(ring);
  struct weft_difference d = { 0 };
  if (!sent)
    return nothing_sent(k, &place);
  bool differs = weft_differs_req(&d, "req", m, sent, k->line);
  return !differs && !taken ? true : arrived(k, ring, differs, &place, &d);
}

bool weft_lockstep_into_ingress(struct weft_lockstep *k, unsigned node, const struct weft_req *m,
                                uint64_t cycle)
{
  struct weft_ring *ring = m->src < k->nodes ? &k->to_ingress[pair(k, m->src, node, 0)] : NULL;
  struct weft_place place = weft_place_bank("network", node, 0, cycle, "request before the ingress");
  const struct weft_req *sent = ring ? weft_ring_head(ring) : NULL;
  struct weft_difference d = { 0 };
  if (!sent)
    return nothing_sent(k, &place);
  return arrived(k, ring, weft_differs_req(&d, "req", m, sent, k->line), &place, &d);
}

static bool response_into_l1(struct weft_lockstep *k, unsigned node, unsigned cu, const struct weft_l1_rsp *r,
                             uint64_t cycle)
{
  struct weft_ring *ring = &k->to_l1[local(k, node, cu, r->bank & (k->banks - 1U))];
  struct weft_place place = weft_place_cu("network", node, cu, cycle, "response of the L2 to the L1");
  const struct weft_l1_rsp *sent = weft_ring_head(ring);
  struct weft_difference d = { 0 };
  if (!sent)
    return nothing_sent(k, &place);
  return arrived(k, ring, weft_differs_l1_rsp(&d, "rsp", r, sent, k->line), &place, &d);
}

static bool op_into_l1(struct weft_lockstep *k, unsigned node, unsigned cu, const struct weft_cu_req *r,
                       uint64_t cycle)
{
  struct weft_ring *ring = &k->issued[node * k->cus + cu];
  struct weft_place place = weft_place_cu("port", node, cu, cycle, "op");
  const struct weft_cu_req *issued = weft_ring_head(ring);
  struct weft_difference d = { 0 };
  if (!issued)
    return nothing_sent(k, &place);
  return arrived(k, ring, weft_differs_cu_req(&d, r, issued, k->line), &place, &d);
}

bool weft_lockstep_into_l1(struct weft_lockstep *k, unsigned node, unsigned cu, const struct weft_l1_event *e,
                           uint64_t cycle)
{
  if (e->kind == WEFT_L1_EVENT_KIND_OP)
    return (weft_lockstep_dma_has(k, cu, e->cu.tag) ? weft_lockstep_dma_op : op_into_l1)(k, node, cu, &e->cu,
                                                                                         cycle);
  return e->kind != WEFT_L1_EVENT_KIND_RESPONSE || response_into_l1(k, node, cu, &e->rsp, cycle);
}

/* A CU's request stands in a bank's event as one of the node; order and scope stand beside it. */
static bool cu_into_l2(struct weft_lockstep *k, unsigned node, unsigned bank, const struct weft_l2_event *e,
                       uint64_t cycle)
{
  const struct weft_req *r = &e->req;
  struct weft_place place = weft_place_bank("network", node, bank, cycle, "request of an L1");
  struct weft_ring *ring = r->cu < k->cus ? &k->to_l2[local(k, node, r->cu, bank)] : NULL;
  const struct weft_l1_req *sent = ring ? weft_ring_head(ring) : NULL;
  struct weft_difference d = { 0 };
  if (!sent)
    return nothing_sent(k, &place);
  struct weft_l1_req m;
  m.kind = r->kind;
  m.cu = r->cu;
  m.id = r->id;
  m.func = r->func;
  m.wide = r->wide;
  m.order = e->order;
  m.scope = e->scope;
  m.era = r->era;
  m.cts = r->cts;
  m.address = r->address;
  memcpy(m.mask, r->mask, sizeof m.mask);
  memcpy(m.data, r->data, k->line);
  return arrived(k, ring, weft_differs_l1_req(&d, "req", &m, sent, k->line), &place, &d);
}

static bool memory_into_l2(struct weft_lockstep *k, unsigned node, unsigned bank,
                           const struct weft_l2_event *e, uint64_t cycle)
{
  struct weft_ring *ring = &k->from_memory[node * k->banks + bank];
  struct weft_place place = weft_place_bank("memory", node, bank, cycle, "answer");
  const struct weft_mem_rsp *sent = weft_ring_head(ring);
  struct weft_difference d = { 0 };
  if (!sent)
    return nothing_sent(k, &place);
  bool differs = (e->index != sent->id && weft_differs(&d, "", "index", e->index, sent->id)) ||
                 weft_differs_data(&d, "rsp", e->rsp.data, sent->data, k->line);
  return arrived(k, ring, differs, &place, &d);
}

static bool between_nodes(struct weft_lockstep *k, unsigned node, unsigned bank,
                          const struct weft_l2_event *e, uint64_t cycle)
{
  bool is_request = e->kind == WEFT_L2_EVENT_KIND_REQUEST,
       is_response = e->kind == WEFT_L2_EVENT_KIND_RESPONSE;
  unsigned src = is_request ? e->req.src : is_response ? e->rsp.src : e->fwd.src;
  struct weft_ring *rings = is_request ? k->request : is_response ? k->response : k->forward;
  struct weft_place place = weft_place_bank("network", node, bank, cycle,
                                            is_request    ? "request"
                                            : is_response ? "response"
                                                          : "forward");
  struct weft_ring *ring = src < k->nodes ? &rings[pair(k, src, node, bank)] : NULL;
  const void *sent = ring ? weft_ring_head(ring) : NULL;
  struct weft_difference d = { 0 };
  if (!sent)
    return nothing_sent(k, &place);
  bool differs = is_request    ? weft_differs_req(&d, "req", &e->req, sent, k->line)
                 : is_response ? weft_differs_rsp(&d, "rsp", &e->rsp, sent, k->line)
                               : weft_differs_fwd(&d, "fwd", &e->fwd, sent);
  if (!differs && more_to_come(e))
    return true;
  return arrived(k, ring, differs, &place, &d);
}

bool weft_lockstep_into_l2(struct weft_lockstep *k, unsigned node, unsigned bank,
                           const struct weft_l2_event *e, uint64_t cycle)
{
  switch (e->kind) {
  case WEFT_L2_EVENT_KIND_CU:
    return cu_into_l2(k, node, bank, e, cycle);
  case WEFT_L2_EVENT_KIND_REQUEST:
  case WEFT_L2_EVENT_KIND_RESPONSE:
  case WEFT_L2_EVENT_KIND_INV:
  case WEFT_L2_EVENT_KIND_MARK:
    return between_nodes(k, node, bank, e, cycle);
  case WEFT_L2_EVENT_KIND_MEMORY:
    return memory_into_l2(k, node, bank, e, cycle);
  default:
    return true; /* nothing comes in from outside; of a seen, the model knows the mark before it */
  }
}
