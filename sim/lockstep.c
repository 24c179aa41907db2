/* SPDX-License-Identifier: Apache-2.0 */
/* Feeding the models with the RTL's events. */
#include "lockstep.h"

#include <stdlib.h>

#include "events.h"
#include "lockstep_parts.h"

static const char *const l1_kinds[] = WEFT_L1_EVENT_KIND_NAMES;
static const char *const l2_kinds[] = WEFT_L2_EVENT_KIND_NAMES;
static const char *const dir_ops[] = WEFT_DIR_OP_NAMES;

#define NAME(table, index) ((index) < sizeof(table) / sizeof *(table) ? (table)[index] : "unknown")

/* ---------------------------------------------------------------- life */

static void *block(size_t size, bool *good)
{
  void *b = calloc(1, size);
  *good = *good && b;
  return b;
}

static uint32_t *sequences(size_t count, bool *good)
{
  uint32_t *s = block(count * sizeof *s, good);
  for (size_t i = 0; s && i < count; i++)
    s[i] = WEFT_SEQ_FREE;
  return s;
}

static bool make_units(struct weft_lockstep *k)
{
  bool good = true;
  size_t l1s = (size_t)k->nodes * k->cus, l2s = (size_t)k->nodes * k->banks;
  k->l1 = block(l1s * sizeof *k->l1, &good);
  k->l2 = block(l2s * sizeof *k->l2, &good);
  k->memory = block(k->nodes * sizeof *k->memory, &good);
  k->counters = block(k->nodes * k->per_node * sizeof *k->counters, &good);
  k->dir = block(l2s * sizeof *k->dir, &good);
  k->seq_l1 = sequences(l1s, &good);
  k->seq_l2 = sequences(l2s, &good);
  k->seq_dir = sequences(l2s, &good);
  k->seq_link = sequences(2U * k->nodes, &good);
  k->seq_egress = sequences(k->nodes, &good);
  k->seq_ingress = sequences(k->nodes, &good);
  for (size_t i = 0; good && i < l1s; i++)
    if ((k->l1[i] = block(weft_l1_size(&k->config), &good)))
      weft_l1_reset(k->l1[i], &k->config, k->protocol, (unsigned)(i % k->cus));
  for (size_t i = 0; good && i < l2s; i++)
    if ((k->l2[i] = block(weft_l2_size(&k->config, k->protocol), &good)))
      weft_l2_reset(k->l2[i], &k->config, k->protocol, (unsigned)(i / k->banks), (unsigned)(i % k->banks));
  for (unsigned n = 0; good && n < k->nodes; n++)
    if ((k->memory[n] = block(weft_memory_size(&k->config), &good)))
      weft_memory_reset(k->memory[n], &k->config, n, true);
  return good;
}

struct weft_lockstep *weft_lockstep_new(const struct weft_config *config, uint8_t protocol, bool finepack,
                                        uint64_t seed, const char *command)
{
  struct weft_lockstep *k = calloc(1, sizeof *k);
  if (!k)
    return NULL;
  k->config = *config;
  k->protocol = protocol;
  k->seed = seed;
  k->nodes = (unsigned)config->nodes;
  k->cus = (unsigned)config->cus;
  k->banks = (unsigned)config->l2_banks;
  k->line = (unsigned)config->line;
  k->per_node = weft_counter_count(config);
  size_t length = command ? strlen(command) + 1 : 1;
  k->command = calloc(1, length);
  bool network = weft_lockstep_network_new(k), units = make_units(k);
  bool edges = !config->egress_finepack || weft_lockstep_edges_new(k, finepack);
  edges = weft_lockstep_dmas_new(k) && weft_lockstep_rebases_new(k) && edges;
  if (!k->command || !network || !units || !edges) {
    weft_lockstep_free(k);
    return NULL;
  }
  if (command)
    memcpy(k->command, command, length);
  return k;
}

void weft_lockstep_free(struct weft_lockstep *k)
{
  if (!k)
    return;
  for (size_t i = 0; k->l1 && i < (size_t)k->nodes * k->cus; i++)
    free(k->l1[i]);
  for (size_t i = 0; k->l2 && i < (size_t)k->nodes * k->banks; i++)
    free(k->l2[i]);
  for (unsigned n = 0; k->memory && n < k->nodes; n++)
    free(k->memory[n]);
  weft_lockstep_network_free(k);
  weft_lockstep_edges_free(k);
  weft_lockstep_dmas_free(k);
  weft_lockstep_rebases_free(k);
  free(k->l1);
  free(k->l2);
  free(k->memory);
  free(k->counters);
  free(k->dir);
  free(k->seq_l1);
  free(k->seq_l2);
  free(k->seq_dir);
  free(k->seq_link);
  free(k->seq_egress);
  free(k->seq_ingress);
  free(k->command);
  free(k);
}

/* ---------------------------------------------------------------- shared by the feeds */

bool weft_lockstep_in_sequence(struct weft_lockstep *k, uint32_t *next, uint64_t seq,
                               const struct weft_place *place)
{
  struct weft_difference d = { 0 };
  if (*next != WEFT_SEQ_FREE && *next != seq) {
    weft_differs(&d, "", "seq", seq, *next);
    weft_lockstep_differ(k, place, &d);
    return false;
  }
  *next = (uint32_t)(seq + 1U) & 0xffffU;
  return true;
}

/* ---------------------------------------------------------------- L1 */

void weft_lockstep_l1(struct weft_lockstep *k, unsigned node, unsigned cu, uint64_t cycle,
                      const uint32_t *bits)
{
  if (k->failed)
    return;
  unsigned index = node * k->cus + cu;
  struct weft_l1_event *rtl = &k->rtl_l1, *model = &k->model_l1;
  weft_event_read_l1(rtl, bits, k->line);
  struct weft_place place = weft_place_cu("l1", node, cu, cycle, NAME(l1_kinds, rtl->kind));
  if (!weft_lockstep_in_sequence(k, &k->seq_l1[index], weft_get_l1_event_seq(bits, k->line), &place))
    return;
  if (!weft_lockstep_rebase_l1(k, rtl, index, &place) || !weft_lockstep_into_l1(k, node, cu, rtl, cycle))
    return;
  const char *error = weft_l1_step(k->l1[index], rtl, model);
  struct weft_difference d = { 0 };
  if (error) {
    weft_lockstep_wrong(k, &place, error);
  } else if (weft_differs_l1(&d, rtl, model, k->line)) {
    weft_lockstep_differ(k, &place, &d);
  } else {
    weft_count_l1(weft_counters_of_cu(k->counters + node * k->per_node, cu), rtl, model);
    weft_lockstep_sent_by_l1(k, node, cu, model, cycle);
  }
}

/* ---------------------------------------------------------------- L2 bank and directory slice */

/* The directory's event of this step against what the bank's model asked its directory. */
static bool directory_agrees(struct weft_lockstep *k, unsigned node, unsigned bank, uint64_t cycle,
                             const struct weft_dir_event *model)
{
  struct weft_dir_event *rtl = &k->dir[node * k->banks + bank];
  struct weft_difference d = { 0 };
  const char *op = rtl->valid ? NAME(dir_ops, rtl->op) : "none";
  if (rtl->valid == model->valid && (!rtl->valid || !weft_differs_dir(&d, rtl, model))) {
    rtl->valid = 0;
    return true;
  }
  struct weft_place place = weft_place_bank("directory", node, bank, cycle, op);
  if (rtl->valid != model->valid)
    weft_differs(&d, "", "valid", rtl->valid, model->valid);
  weft_lockstep_differ(k, &place, &d);
  return false;
}

void weft_lockstep_l2(struct weft_lockstep *k, unsigned node, unsigned bank, uint64_t cycle,
                      const uint32_t *bits)
{
  if (k->failed)
    return;
  unsigned index = node * k->banks + bank;
  struct weft_l2_event *rtl = &k->rtl_l2, *model = &k->model_l2;
  weft_event_read_l2(rtl, bits, k->line);
  struct weft_place place = weft_place_bank("l2", node, bank, cycle, NAME(l2_kinds, rtl->kind));
  if (!weft_lockstep_in_sequence(k, &k->seq_l2[index], weft_get_l2_event_seq(bits, k->line), &place))
    return;
  if (!weft_lockstep_rebase_l2(k, rtl, index, &place) || !weft_lockstep_into_l2(k, node, bank, rtl, cycle))
    return;
  struct weft_dir_event dir;
  const char *error = weft_l2_step(k->l2[index], rtl, model, &dir);
  struct weft_difference d = { 0 };
  if (error) {
    weft_lockstep_wrong(k, &place, error);
  } else if (!directory_agrees(k, node, bank, cycle, &dir)) {
    return;
  } else if (weft_differs_l2(&d, rtl, model, k->line)) {
    weft_lockstep_differ(k, &place, &d);
  } else {
    weft_count_l2(k->counters + node * k->per_node, rtl, model, &dir, node, k->nodes);
    weft_lockstep_sent_by_l2(k, node, bank, model, cycle);
  }
}

void weft_lockstep_dir(struct weft_lockstep *k, unsigned node, unsigned bank, uint64_t cycle,
                       const uint32_t *bits)
{
  if (k->failed)
    return;
  unsigned index = node * k->banks + bank;
  struct weft_dir_event *e = &k->dir[index];
  struct weft_bits c = { bits, 0, k->line };
  struct weft_place place = weft_place_bank("directory", node, bank, cycle, "lookup");
  if (e->valid) {
    weft_lockstep_wrong(k, &place, "a directory event without an event of its bank");
    return;
  }
  weft_read_dir_event(&c, e);
  weft_lockstep_in_sequence(k, &k->seq_dir[index], e->seq, &place);
  e->valid = 1;
}

/* ---------------------------------------------------------------- links */

/* What this message should cost: of those that the link has still to show, one like it but for its bytes. */
static unsigned other_cost(const struct weft_lockstep *k, unsigned link, const struct weft_link_event *e,
                           unsigned peer)
{
  for (unsigned bytes = 0; bytes < 4U * WEFT_LINK_SIZES; bytes += 4)
    if (*weft_lockstep_on_link(k, link, e->class, peer, e->kind, bytes))
      return bytes;
  return 0;
}

void weft_lockstep_link(struct weft_lockstep *k, unsigned link, uint64_t cycle, const uint32_t *bits)
{
  static const char *const classes[] = { "request", "forward", "response" };
  if (k->failed)
    return;
  struct weft_link_event e;
  weft_event_read_link(&e, bits, k->line);
  bool up = link < k->nodes;
  unsigned node = up ? link : link - k->nodes, peer = up ? e.dst : e.src;
  struct weft_place place = weft_place_bank(up ? "link" : "switch", node, 0, cycle, NAME(classes, e.class));
  struct weft_difference d = { 0 };
  if (!weft_lockstep_in_sequence(k, &k->seq_link[link], e.seq, &place))
    return;
  if (e.class >= WEFT_LINK_CLASSES || peer >= k->nodes || (up ? e.src : e.dst) != node) {
    weft_lockstep_wrong(k, &place, "a message between nodes or of a class that do not exist");
    return;
  }
  uint16_t *count = weft_lockstep_on_link(k, link, e.class, peer, e.kind, e.bytes);
  if ((e.bytes & 3U) || *count == 0) {
    unsigned bytes = other_cost(k, link, &e, peer);
    if (bytes) {
      weft_differs(&d, "", "bytes", e.bytes, bytes);
      weft_lockstep_differ(k, &place, &d);
    } else {
      weft_lockstep_wrong(k, &place, "a message on the wire that nobody sent");
    }
    return;
  }
  --*count;
  if (up) {
    weft_count_link(k->counters + node * k->per_node, e.class, e.bytes);
    ++*weft_lockstep_on_link(k, k->nodes + e.dst, e.class, node, e.kind, e.bytes);
  } else {
    weft_count_switch(k->counters + node * k->per_node, e.bytes);
  }
}

/* ---------------------------------------------------------------- the host's side */

void weft_lockstep_issued(struct weft_lockstep *k, unsigned node, unsigned cu, uint64_t cycle,
                          const struct weft_cu_req *request)
{
  if (k->failed || weft_lockstep_dma_issued(k, node, cu, cycle, request))
    return;
  struct weft_cu_req *slot = weft_ring_push(&k->issued[node * k->cus + cu]);
  struct weft_place place = weft_place_cu("port", node, cu, cycle, "op");
  if (slot)
    memcpy(slot, request, offsetof(struct weft_cu_req, data) + k->line);
  else
    weft_lockstep_wrong(k, &place, "out of memory");
}

void weft_lockstep_answered(struct weft_lockstep *k, unsigned node, unsigned cu, uint64_t cycle,
                            const struct weft_cu_rsp *answer)
{
  if (k->failed || weft_lockstep_dma_answered(k, node, cu, cycle, answer))
    return;
  size_t port = (size_t)node * k->cus + cu;
  struct weft_place place = weft_place_cu("port", node, cu, cycle, "answer");
  const struct weft_cu_rsp *promised = weft_ring_head(&k->promised[port]);
  struct weft_difference d = { 0 };
  if (!promised) { /* the port shows it in the cycle of the L1's event, which may be fed after it */
    struct weft_cu_rsp *slot = weft_ring_push(&k->given[port]);
    if (slot)
      memcpy(slot, answer, offsetof(struct weft_cu_rsp, data) + k->line);
    else
      weft_lockstep_wrong(k, &place, "out of memory");
    return;
  }
  if (weft_differs_cu_rsp(&d, "answer", answer, promised, k->line))
    weft_lockstep_differ(k, &place, &d);
  weft_ring_pop(&k->promised[port]);
}

void weft_lockstep_memory(struct weft_lockstep *k, uint64_t address, const void *bytes, size_t count)
{
  unsigned node = weft_home_of(address);
  if (node < k->nodes)
    weft_memory_host(k->memory[node], weft_offset_of(address), (void *)(uintptr_t)bytes, count, true);
}

void weft_lockstep_leases(struct weft_lockstep *k, const struct weft_lease_settings *leases)
{
  for (size_t i = 0; i < (size_t)k->nodes * k->banks; i++)
    weft_l2_set_leases(k->l2[i], leases);
}

const uint8_t *weft_lockstep_node_memory(const struct weft_lockstep *k, unsigned node)
{
  return k->memory[node]->data;
}

const uint64_t *weft_lockstep_counters(const struct weft_lockstep *k)
{
  return k->counters;
}
