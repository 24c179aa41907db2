/* SPDX-License-Identifier: Apache-2.0 */
/* Cold misses: the first miss of a line in the L2 of a node. Counted from the events that the counters l2.misses and
 * home.fetches are made of, so that the difference is exact on every back-end. */
#include <stdlib.h>

#include "watch.h"

struct weft_colds {
  unsigned nodes, line_shift;
  uint64_t words; /* of one set of lines */
  uint64_t *
    *seen; /* [node * nodes + home]: the lines of that home that the node has missed before, as a set */
  struct weft_cold_misses count;
  bool failed; /* memory ran out */
};

struct weft_colds *weft_colds_new(const struct weft_config *config)
{
  struct weft_colds *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->nodes = (unsigned)config->nodes;
  c->line_shift = (unsigned)__builtin_ctzll(config->line);
  c->words = ((config->memory_bytes >> c->line_shift) + 63) / 64;
  c->seen = calloc((size_t)c->nodes * c->nodes, sizeof *c->seen);
  if (c->seen)
    return c;
  free(c);
  return NULL;
}

void weft_colds_free(struct weft_colds *c)
{
  if (!c)
    return;
  for (size_t i = 0; i < (size_t)c->nodes * c->nodes; i++)
    free(c->seen[i]);
  free((void *)c->seen);
  free(c);
}

/* Was it the first one? */
static bool first(struct weft_colds *c, unsigned node, uint64_t address)
{
  uint64_t **set = &c->seen[node * c->nodes + weft_home_of(address)];
  uint64_t line = weft_offset_of(address) >> c->line_shift, bit = UINT64_C(1) << (line % 64);
  if (!*set)
    *set = calloc(c->words, sizeof **set);
  if (!*set) {
    c->failed = true;
    return false;
  }
  bool is = !((*set)[line / 64] & bit);
  (*set)[line / 64] |= bit;
  return is;
}

void weft_colds_l2(struct weft_colds *c, unsigned node, const struct weft_l2_event *in,
                   const struct weft_l2_event *out)
{
  bool asks = in->kind == WEFT_L2_EVENT_KIND_CU || in->kind == WEFT_L2_EVENT_KIND_REQUEST;
  if (!asks || !out->allocated || in->req.kind == WEFT_REQ_KIND_FENCE || in->req.kind == WEFT_REQ_KIND_MARKER)
    return;
  bool own = weft_home_of(in->req.address) == node;
  if (!own && in->req.kind != WEFT_REQ_KIND_READ)
    return;
  if (first(c, node, in->req.address))
    ++*(own ? &c->count.own : &c->count.remote);
}

int weft_cold_start(struct weft *w)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (w->launched)
    return weft_fail(w, WEFT_BAD_STATE, "cold misses are counted from the first launch on; ask before it");
  if (weft_watch_begin(w))
    return w->failure.code;
  if (!w->watch->colds)
    w->watch->colds = weft_colds_new(&w->config);
  if (!w->watch->colds)
    return weft_fail_memory(w);
  weft_watch_update(w);
  return WEFT_OK;
}

int weft_cold_read(struct weft *w, struct weft_cold_misses *misses)
{
  if (!w->watch || !w->watch->colds)
    return weft_fail(w, WEFT_BAD_STATE,
                     "cold misses were not counted; call weft_cold_start() before the run");
  if (w->watch->colds->failed)
    return weft_fail_memory(w);
  *misses = w->watch->colds->count;
  return WEFT_OK;
}
