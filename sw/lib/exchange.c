/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange of egress bulk and infinite: what a node wrote to its own replicas goes to its peers', line by line, by the
 * node's copy engine, or by its warps where there is none. Everybody stands still meanwhile: it lies between two barriers,
 * or is a launch of its own behind one that wrote. Both end with a release and begin with an acquire, so that no cache
 * keeps anything old. */
#include <stdlib.h>
#include <string.h>

#include "dma.h"
#include "run.h"

/* ---- What is copied ------------------------------------------------------------------------------------ */

static int by_line(const void *one, const void *other)
{
  const struct weft_copy *a = one, *b = other;
  return a->line < b->line ? -1 : a->line > b->line;
}

static bool only_writer(const struct weft *w, unsigned node, size_t line)
{
  for (unsigned n = 0; n < w->pages.nodes; n++)
    if (n != node && weft_bytes_any(w->replicas.node[n].written[line]))
      return false;
  return true;
}

static void freeze(struct weft *w, unsigned node)
{
  struct weft_replicas *r = &w->replicas;
  struct weft_replica_node *n = &r->node[node];
  qsort(n->copy, n->copies, sizeof *n->copy, by_line);
  for (size_t i = 0; i < n->copies; i++) {
    struct weft_copy *c = &n->copy[i];
    c->own = n->written[c->line];
    c->whole = only_writer(w, node, c->line);
    if (!r->asked)
      continue;
    weft_replicas_pushed(w, node, c->line, c->whole ? weft_bytes_from(0, (unsigned)w->config.line) : c->own);
  }
}

/* infinite: the counters now; the difference to those at the end is left out of what is told. */
static bool remember(struct weft *w, uint64_t cycle, struct weft_moment *m)
{
  struct weft_backend_error e = { "" };
  size_t raw = w->counters.raw;
  if (!m->counters)
    m->counters = calloc(raw, sizeof *m->counters);
  if (!m->counters || w->ops->counters(w->backend, m->counters, raw, &e))
    return false;
  m->cycle = cycle;
  m->operations = w->statistics.operations;
  m->bytes = w->statistics.bytes;
  return true;
}

bool weft_exchange_begin(struct weft *w, uint64_t cycle)
{
  struct weft_replicas *r = &w->replicas;
  if (!r->dirty)
    return false;
  for (unsigned n = 0; n < w->pages.nodes; n++)
    freeze(w, n);
  for (unsigned n = 0; n < w->pages.nodes; n++)
    for (size_t i = 0; i < r->node[n].copies; i++)
      memset(&r->node[n].written[r->node[n].copy[i].line], 0, sizeof *r->node[n].written);
  r->dirty = 0;
  if (w->egress == WEFT_EGRESS_INFINITE)
    r->failed |= !remember(w, cycle, &r->begun);
  return true;
}

void weft_exchange_end(struct weft *w, uint64_t cycle)
{
  struct weft_replicas *r = &w->replicas;
  for (unsigned n = 0; n < w->pages.nodes; n++)
    r->node[n].copies = 0;
  if (w->egress != WEFT_EGRESS_INFINITE)
    return;
  struct weft_moment now = { 0 };
  if (!r->elided.counters)
    r->elided.counters = calloc(w->counters.raw, sizeof *r->elided.counters);
  if (!r->elided.counters || !remember(w, cycle, &now)) {
    r->failed = true;
  } else {
    r->elided.cycle += now.cycle - r->begun.cycle;
    r->elided.operations += now.operations - r->begun.operations;
    r->elided.bytes += now.bytes - r->begun.bytes;
    for (size_t i = 0; i < w->counters.raw; i++)
      r->elided.counters[i] += now.counters[i] - r->begun.counters[i];
  }
  free(now.counters);
}

/* ---- The copy ------------------------------------------------------------------------------------------ */

static uint64_t physical_of(const struct weft *w, unsigned node, const struct weft_copy *c)
{
  const struct weft_pages *p = &w->pages;
  uint64_t at = (uint64_t)c->line << w->replicas.line_shift;
  return p->replica[(size_t)(at >> p->shift) * p->nodes + node] | (at & ((UINT64_C(1) << p->shift) - 1));
}

static void load_line(struct weft_warp *t, const struct weft_copy *c, uint8_t *to)
{
  struct weft_request r = {
    .op = WEFT_CU_OP_LOAD,
    .order = WEFT_ORDER_WEAK,
    .scope = WEFT_SCOPE_CTA,
    .physical = physical_of(t->run->w, t->place.node, c),
    .bytes = (uint8_t)t->place.line,
    .to = to,
  };
  weft_issue(t, &r);
}

/* To the next node first: all at the same one would wait for each other. */
static void store_line(struct weft_warp *t, const struct weft_copy *c, const uint8_t *line)
{
  struct weft_request r = {
    .op = WEFT_CU_OP_STORE,
    .order = WEFT_ORDER_WEAK,
    .scope = WEFT_SCOPE_CTA,
    .bytes = (uint8_t)(c->whole ? t->place.line : weft_bytes_count(c->own)),
    .mask = c->whole ? NULL : c->own.word,
    .data = line,
  };
  for (unsigned i = 1; i < t->place.nodes; i++) {
    r.physical = physical_of(t->run->w, (t->place.node + i) % t->place.nodes, c);
    weft_issue(t, &r);
  }
}

/* Lines from the first on that one descriptor can copy: one after the other in one page, and written alike. */
static size_t run_of(const struct weft *w, const struct weft_replica_node *n, size_t first)
{
  const struct weft_copy *c = &n->copy[first];
  size_t in_page = (size_t)1 << (w->pages.shift - w->replicas.line_shift), count = 1;
  while (first + count < n->copies && c[count].line == c->line + count && c[count].line % in_page &&
         c->whole && c[count].whole)
    count++;
  return count;
}

static void describe(struct weft_warp *t, const struct weft_copy *c, size_t lines, unsigned peer)
{
  struct weft_bytes all = weft_bytes_from(0, t->place.line);
  uint8_t data[128] = { 0 };
  weft_dma_put(data, physical_of(t->run->w, peer, c), (uint16_t)lines);
  struct weft_request r = {
    .op = WEFT_CU_OP_STORE,
    .order = WEFT_ORDER_WEAK,
    .scope = WEFT_SCOPE_CTA,
    .attr = WEFT_DMA_ATTRIBUTE,
    .physical = physical_of(t->run->w, t->place.node, c),
    .mask = c->whole ? all.word : c->own.word,
    .data = data,
  };
  weft_issue(t, &r);
}

/* The engine stands before the first CU, whose warps give it the runs by turns, each to the next node first. */
static void exchange_by_engine(struct weft_warp *t)
{
  const struct weft_replica_node *n = &t->run->w->replicas.node[t->place.node];
  size_t turn = 0, count;
  for (size_t first = 0; !t->place.cu && first < n->copies; first += count) {
    count = run_of(t->run->w, n, first);
    for (unsigned i = 1; i < t->place.nodes; i++)
      if (turn++ % t->place.warps == t->place.warp)
        describe(t, &n->copy[first], count, (t->place.node + i) % t->place.nodes);
  }
  weft_drain(t);
}

void weft_exchange_copy(struct weft_warp *t)
{
  if (t->run->w->config.dma_slots) {
    exchange_by_engine(t);
    return;
  }
  const struct weft_replica_node *n = &t->run->w->replicas.node[t->place.node];
  unsigned many = (unsigned)t->run->w->config.outstanding, warps = t->place.cus * t->place.warps;
  size_t first = t->place.warp * t->place.cus + t->place.cu;
  uint8_t line[WEFT_OUTSTANDING_MAX][128];
  while (first < n->copies) {
    unsigned count = 0;
    for (; count < many && first + (size_t)count * warps < n->copies; count++)
      load_line(t, &n->copy[first + (size_t)count * warps], line[count]);
    weft_wait_all(t);
    for (unsigned i = 0; i < count; i++)
      store_line(t, &n->copy[first + (size_t)i * warps], line[i]);
    first += (size_t)count * warps;
  }
  weft_wait_all(t);
}

void weft_exchange_kernel(struct weft_warp *t, void *unused)
{
  (void)unused;
  weft_exchange_copy(t);
}
