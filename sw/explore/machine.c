/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <stdlib.h>

#define NARROW 4 /* bits of a time that is about to overflow */

/* The smallest of everything that the shape can use. Caches have a set for every line, so that copies go by
 * explicit drops, which cover every order of replacement; `tight` ones have less room than there are lines. */
static struct weft_config config_of(const struct explore_machine *m)
{
  struct weft_config c = { 0 };
  bool tight = m->options.tight;
  c.nodes = m->placement.nodes;
  c.cus = EXPLORE_CUS;
  c.warps = EXPLORE_THREADS;
  c.outstanding = EXPLORE_OPS;
  c.line = EXPLORE_LINE;
  c.page = UINT64_C(1) << WEFT_PAGE_SHIFT;
  c.l1_sets = tight ? 1 : 4;
  c.l1_ways = 1;
  c.l1_misses = 4;
  c.l1_waiters = 4;
  c.l2_banks = 1;
  c.l2_sets = tight ? 1 : 4;
  c.l2_ways =
    tight || weft_protocol_rows[m->options.protocol].writeback ? 2 : 1; /* one of them stays clean */
  c.l2_misses = 4;
  c.l2_waiters = 4;
  c.l2_releases = 2;
  c.home_fetches = 3;
  c.home_waiters = 6;
  c.home_markers = 2;
  c.home_forwards = m->options.slots > 1 ? 4 : 2;
  c.directory_entries = 1;
  c.directory_ways = 1;
  c.directory_range = 4 * EXPLORE_LINE;
  c.directory_refresh = 1;
  c.tsu_entries = tight ? 1 : 4; /* one set: what an evicted block leaves behind is there for all */
  c.tsu_ways = c.tsu_entries;
  c.lease_bits = m->options.rebase ? NARROW : 16;
  c.lease_read = m->options.lease_read;
  c.lease_write = m->options.lease_write;
  c.memory_bytes = UINT64_C(4) << WEFT_PAGE_SHIFT;
  return c;
}

/* Variable n has line n of the first page, or of page n; either way set n of a cache of four, whoever its home is. */
static void place_variables(struct explore_machine *m)
{
  for (unsigned v = 0; v < m->shape->variables; v++) {
    unsigned home = m->placement.home[v];
    uint64_t line = m->shape->one_line ? 0 : v;
    uint64_t page = v >= m->placement.apart ? line : 0;
    m->address[v] = (uint64_t)home << WEFT_HOME_SHIFT | page << WEFT_PAGE_SHIFT | line * EXPLORE_LINE;
    if (m->shape->one_line)
      m->address[v] += UINT64_C(4) * v;
  }
}

bool weft_explore_machine_make(struct explore_machine *m, const struct weft_explore_shape *shape,
                               const struct explore_placement *placement,
                               const struct explore_options *options)
{
  memset(m, 0, sizeof *m);
  m->shape = shape;
  m->placement = *placement;
  m->options = *options;
  m->leases = weft_lease_mode(options->protocol);
  m->config = config_of(m);
  m->l1_size = weft_l1_size(&m->config);
  m->l2_size = weft_l2_size(&m->config, options->protocol);
  place_variables(m);
  for (unsigned t = 0; t < shape->threads; t++) {
    m->alone[t] = 1;
    for (unsigned o = 0; o < shape->threads; o++)
      if (o != t && placement->thread[o].node == placement->thread[t].node &&
          placement->thread[o].cu == placement->thread[t].cu)
        m->alone[t] = 0;
  }
  return true;
}

void weft_explore_store_open(struct explore_store *s, const struct explore_machine *m)
{
  static const struct explore_message none;
  weft_intern_open(&s->l1, m->l1_size);
  weft_intern_open(&s->l2, m->l2_size);
  weft_intern_open(&s->rest, sizeof(struct explore_rest));
  weft_intern_open(&s->message, sizeof(struct explore_message));
  weft_intern_open(&s->node, sizeof(struct explore_parts));
  weft_intern(&s->message, &none, NULL); /* number 0: no message */
}

void weft_explore_store_free(struct explore_store *s)
{
  weft_intern_free(&s->l1);
  weft_intern_free(&s->l2);
  weft_intern_free(&s->rest);
  weft_intern_free(&s->message);
  weft_intern_free(&s->node);
}

bool weft_explore_store_failed(const struct explore_store *s)
{
  return s->l1.failed || s->l2.failed || s->rest.failed || s->message.failed || s->node.failed ||
         s->message.count > UINT16_MAX;
}

bool weft_explore_node_open(struct explore_node *n, const struct explore_machine *m)
{
  memset(n, 0, sizeof *n);
  bool all = true;
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++)
    all &= (n->l1[cu] = malloc(m->l1_size)) != NULL;
  n->l2 = malloc(m->l2_size);
  return all && n->l2;
}

void weft_explore_node_free(struct explore_node *n)
{
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++)
    free(n->l1[cu]);
  free(n->l2);
}

void weft_explore_node_reset(struct explore_node *n, const struct explore_machine *m, unsigned id)
{
  n->id = id;
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++) {
    weft_l1_reset(n->l1[cu], &m->config, m->options.protocol, cu);
    weft_l1_set_fault(n->l1[cu], m->options.fault);
  }
  weft_l2_reset(n->l2, &m->config, m->options.protocol, id, 0);
  weft_l2_set_fault(n->l2, m->options.fault);
  memset(&n->rest, 0, sizeof n->rest);
  if (m->options.rebase) {
    struct weft_tsu *tsu = weft_l2_tsu(n->l2);
    uint8_t longest =
      m->options.lease_read > m->options.lease_write ? m->options.lease_read : m->options.lease_write;
    tsu->largest = tsu->last - 2U - longest * m->options.rebase; /* so many steps more, and a rebase is due */
    *weft_tsu_mark(tsu, 0) =
      (struct weft_tsu_mark){ .memts = (uint16_t)tsu->largest,
                              .wts = (uint16_t)tsu->largest }; /* left by blocks that were there before */
  }
}

void weft_explore_node_load(struct explore_node *n, const struct explore_store *s,
                            const struct explore_machine *m, uint32_t number, unsigned id)
{
  struct explore_parts parts;
  memcpy(&parts, weft_intern_block(&s->node, number), sizeof parts);
  n->id = id;
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++)
    memcpy(n->l1[cu], weft_intern_block(&s->l1, parts.l1[cu]), m->l1_size);
  memcpy(n->l2, weft_intern_block(&s->l2, parts.l2), m->l2_size);
  memcpy(&n->rest, weft_intern_block(&s->rest, parts.rest), sizeof n->rest);
}

/* What an invalid line held makes no difference to anybody. Nor does one whose lease has run out, but that it is the
 * one to be replaced; caches with a set for every line have no choice. */
static void forget_invalid(struct weft_lines *l, const struct weft_lease *lease, unsigned self, bool tight)
{
  for (uint64_t set = 0; set < l->sets; set++)
    for (unsigned way = 0; way < l->ways; way++) {
      uint64_t *tag = &weft_lines_tags(l, set)[way];
      struct weft_stamps *stamps = weft_lines_stamps(l, set, way);
      if (lease->mode && !lease->renews && !tight && weft_home_of(*tag) != self && lease->clock > stamps->rts)
        *tag = 0;
      if (*tag)
        continue;
      memset(weft_lines_data(l, set, way), 0, l->line);
      *stamps = (struct weft_stamps){ 0 };
    }
}

/* Times that nobody looks at: equal states are to be equal bytes. */
static void forget_times(struct explore_node *n, const struct explore_machine *m)
{
  bool causal = m->leases == WEFT_LEASE_CAUSAL;
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++) {
    struct weft_lines *lines = weft_l1_lines(n->l1[cu]);
    for (uint64_t i = 0; i < (uint64_t)lines->sets * lines->ways; i++)
      weft_lines_stamps(lines, 0, 0)[i].wts = 0; /* the answer that brought the line has moved the clock */
    if (causal)
      continue;
    n->l1[cu]->lease.max_rts = 0;
    for (uint64_t used = n->l1[cu]->miss_used; used; used &= used - 1)
      weft_l1_misses(n->l1[cu])[weft_lowest(used)].clock = 0;
  }
  if (!causal)
    n->l2->lease.max_rts = 0;
  for (uint64_t used = n->l2->miss_used & n->l2->miss_store; used; used &= used - 1)
    weft_l2_misses(n->l2)[weft_lowest(used)].clock = 0;
  if (!m->options.rebase)
    weft_l2_tsu(n->l2)->largest = 0; /* only a rebase asks */
}

uint32_t weft_explore_node_number(struct explore_node *n, struct explore_store *s,
                                  const struct explore_machine *m)
{
  struct explore_parts parts;
  if (m->leases)
    forget_times(n, m);
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++) {
    forget_invalid(weft_l1_lines(n->l1[cu]), &n->l1[cu]->lease, EXPLORE_NODES, m->options.tight);
    parts.l1[cu] = weft_intern(&s->l1, n->l1[cu], NULL);
  }
  forget_invalid(weft_l2_lines(n->l2), &n->l2->lease, n->id, m->options.tight);
  parts.l2 = weft_intern(&s->l2, n->l2, NULL);
  parts.rest = weft_intern(&s->rest, &n->rest, NULL);
  return weft_intern(&s->node, &parts, NULL);
}

int weft_explore_variable_of(const struct explore_machine *m, uint64_t address)
{
  for (unsigned v = 0; v < m->shape->variables; v++)
    if (m->address[v] / EXPLORE_LINE == address / EXPLORE_LINE)
      return (int)v;
  return EXPLORE_NONE;
}

int weft_explore_thread_at(const struct explore_machine *m, unsigned node, unsigned cu, unsigned warp)
{
  for (unsigned t = 0; t < m->shape->threads; t++) {
    const struct explore_place *p = &m->placement.thread[t];
    if (p->node == node && p->cu == cu && p->warp == warp)
      return (int)t;
  }
  return EXPLORE_NONE;
}

const struct explore_message *weft_explore_message_at(const struct explore_store *s, uint16_t number)
{
  return weft_intern_block(&s->message, number);
}
