/* SPDX-License-Identifier: Apache-2.0 */
/* Where threads run and variables live, each way once: nodes have no names of their own, and neither have the CUs of a
 * node, so they are numbered in the order in which threads and then variables come to them. */
#include <stdio.h>
#include <stdlib.h>

#include "explore.h"

struct maker {
  const struct weft_explore_shape *shape;
  const struct explore_job *job;
  struct explore_placement now;
  struct explore_placement *list;
  size_t count, room;
  bool failed;
};

static bool within_scope(const struct maker *m)
{
  const struct explore_place *first = &m->now.thread[0];
  for (unsigned t = 1; t < m->shape->threads; t++) {
    const struct explore_place *p = &m->now.thread[t];
    if (m->shape->scope != WEFT_SCOPE_SYS && p->node != first->node)
      return false;
    if (m->shape->scope == WEFT_SCOPE_CTA && p->cu != first->cu)
      return false;
  }
  return true;
}

static void keep(struct maker *m)
{
  if (m->count == m->room) {
    size_t room = m->room ? 2 * m->room : 64;
    struct explore_placement *wider = realloc(m->list, room * sizeof *wider);
    if (!wider) {
      m->failed = true;
      return;
    }
    m->list = wider;
    m->room = room;
  }
  m->list[m->count++] = m->now;
}

/* Cold and warm caches, lines beside one another or in pages of their own. */
static void keep_variants(struct maker *m, unsigned nodes)
{
  bool same_home = false;
  unsigned loading = 0; /* threads */
  for (unsigned v = 1; v < m->shape->variables && !m->shape->one_line; v++)
    for (unsigned u = 0; u < v; u++)
      same_home |= m->now.home[u] == m->now.home[v];
  for (unsigned t = 0; t < m->shape->threads; t++) {
    bool loads = false;
    for (unsigned i = 0; i < m->shape->count[t]; i++)
      loads |= m->shape->op[t][i].kind == WEFT_CU_OP_LOAD;
    loading += loads;
  }
  unsigned last = loading > 1 ? EXPLORE_WARM_LAST : loading ? EXPLORE_WARM : EXPLORE_COLD;
  m->now.nodes = nodes < 2 ? 2 : nodes;
  /* All lines of a home in one page, only the first two of three, or none with another. */
  for (unsigned apart = m->shape->variables; apart + 1 > (same_home ? 1U : m->shape->variables); apart--)
    for (unsigned warm = EXPLORE_COLD; warm <= last; warm++) {
      m->now.apart = (uint8_t)apart;
      m->now.warm = (uint8_t)warm;
      keep(m);
    }
}

static void place_variable(struct maker *m, unsigned v, unsigned nodes)
{
  if (v == m->shape->variables) {
    keep_variants(m, nodes);
    return;
  }
  if (v && m->shape->one_line) {
    m->now.home[v] = m->now.home[0];
    place_variable(m, v + 1, nodes);
    return;
  }
  for (unsigned home = 0; home <= nodes && home < m->job->nodes; home++) {
    m->now.home[v] = (uint8_t)home;
    place_variable(m, v + 1, home == nodes ? nodes + 1 : nodes);
  }
}

static void place_thread(struct maker *m, unsigned t, unsigned nodes)
{
  if (t == m->shape->threads) {
    if (within_scope(m))
      place_variable(m, 0, nodes);
    return;
  }
  for (unsigned node = 0; node <= nodes && node < m->job->nodes; node++) {
    unsigned cus = 0;
    for (unsigned u = 0; u < t; u++)
      if (m->now.thread[u].node == node && m->now.thread[u].cu >= cus)
        cus = m->now.thread[u].cu + 1U;
    for (unsigned cu = 0; cu <= cus && cu < EXPLORE_CUS; cu++) {
      uint8_t warp = 0;
      for (unsigned u = 0; u < t; u++)
        warp = (uint8_t)(warp + (m->now.thread[u].node == node && m->now.thread[u].cu == cu));
      m->now.thread[t] = (struct explore_place){ (uint8_t)node, (uint8_t)cu, warp };
      place_thread(m, t + 1, node == nodes ? nodes + 1 : nodes);
    }
  }
}

size_t weft_explore_placements(const struct weft_explore_shape *shape, const struct explore_job *job,
                               struct explore_placement **list)
{
  struct maker m = { .shape = shape, .job = job };
  place_thread(&m, 0, 0);
  if (m.failed) {
    free(m.list);
    m.list = NULL;
    m.count = 0;
  }
  *list = m.list;
  return m.count;
}

void weft_explore_placement_text(const struct weft_explore_shape *shape, const struct explore_placement *p,
                                 char *text, size_t size)
{
  static const char *const pages[] = { "", ", in pages of their own", ", z in a page of its own" };
  static const char *const warm[] = { "cold", "warm", "warm, last thread first" };
  size_t at = 0;
  text[0] = 0;
  for (unsigned t = 0; t < shape->threads && at < size; t++)
    at +=
      (size_t)snprintf(text + at, size - at, "T%u on node %u CU %u, ", t, p->thread[t].node, p->thread[t].cu);
  for (unsigned v = 0; v < shape->variables && at < size; v++)
    at += (size_t)snprintf(text + at, size - at, "%c at node %u%s", 'x' + (int)v, p->home[v],
                           v + 1 < shape->variables ? ", " : "");
  if (at < size)
    snprintf(text + at, size - at, "%s, caches %s", p->apart < shape->variables ? pages[p->apart] : "",
             warm[p->warm]);
}
