/* SPDX-License-Identifier: Apache-2.0 */
#include "replicas.h"

#include <stdlib.h>
#include <string.h>

#include "handle.h"

#define COPIES(w) weft_egress_copies((w)->egress)

/* ---- Tables ------------------------------------------------------------------------------------------ */

static bool widen(struct weft_bytes **table, size_t from, size_t to)
{
  struct weft_bytes *wider = realloc(*table, to * sizeof *wider);
  if (!wider)
    return false;
  memset(wider + from, 0, (to - from) * sizeof *wider);
  *table = wider;
  return true;
}

static bool widen_node(struct weft *w, struct weft_replica_node *n, size_t lines)
{
  const struct weft_replicas *r = &w->replicas;
  if (COPIES(w)) {
    struct weft_copy *copy = realloc(n->copy, lines * sizeof *copy);
    if (!copy)
      return false;
    n->copy = copy;
    if (!widen(&n->written, r->lines, lines))
      return false;
  }
  return !r->asked || widen(&n->fresh, r->lines, lines);
}

int weft_replicas_prepare(struct weft *w)
{
  static const char *const names[] = { "plain", "finepack", "bulk", "infinite" };
  struct weft_replicas *r = &w->replicas;
  const struct weft_pages *p = &w->pages;
  if (COPIES(w) && !p->replicas)
    return weft_fail(w, WEFT_BAD_STATE,
                     "egress %s copies replicated memory, and there is none\n"
                     "use --placement replicated, or egress plain",
                     names[w->egress]);
  r->line_shift = (unsigned)__builtin_ctzll(w->config.line);
  size_t lines = p->replicas << (p->shift - r->line_shift);
  if (lines <= r->lines || !(COPIES(w) || r->asked))
    return WEFT_OK;
  for (unsigned n = 0; n < p->nodes; n++)
    if (!widen_node(w, &r->node[n], lines))
      return weft_fail_memory(w);
  r->lines = lines;
  return WEFT_OK;
}

static void forget_moment(struct weft_moment *m)
{
  free(m->counters);
  memset(m, 0, sizeof *m);
}

void weft_replicas_restart(struct weft *w)
{
  struct weft_replicas *r = &w->replicas;
  for (unsigned n = 0; n < WEFT_NODES_MAX; n++) {
    r->node[n].copies = 0;
    if (r->node[n].written)
      memset(r->node[n].written, 0, r->lines * sizeof *r->node[n].written);
    if (r->node[n].fresh)
      memset(r->node[n].fresh, 0, r->lines * sizeof *r->node[n].fresh);
  }
  r->dirty = 0;
  r->failed = false;
  memset(&r->use, 0, sizeof r->use);
  forget_moment(&r->begun);
  forget_moment(&r->elided);
}

void weft_replicas_close(struct weft *w)
{
  struct weft_replicas *r = &w->replicas;
  for (unsigned n = 0; n < WEFT_NODES_MAX; n++) {
    free(r->node[n].written);
    free(r->node[n].copy);
    free(r->node[n].fresh);
  }
  forget_moment(&r->begun);
  forget_moment(&r->elided);
  memset(r, 0, sizeof *r);
}

/* ---- What is written and read ------------------------------------------------------------------------ */

static void pushed(struct weft_replicas *r, unsigned node, size_t line, struct weft_bytes mask)
{
  struct weft_bytes *fresh = &r->node[node].fresh[line];
  fresh->word[0] |= mask.word[0];
  fresh->word[1] |= mask.word[1];
  r->use.stores++;
  r->use.pushed += weft_bytes_count(mask);
}

void weft_replicas_pushed(struct weft *w, unsigned node, size_t line, struct weft_bytes mask)
{
  struct weft_replicas *r = &w->replicas;
  for (unsigned n = 0; n < w->pages.nodes; n++)
    if (n != node)
      pushed(r, n, line, mask);
}

void weft_replicas_loaded(struct weft *w, unsigned node, uint64_t at, struct weft_bytes mask)
{
  struct weft_replicas *r = &w->replicas;
  struct weft_bytes *fresh = &r->node[node].fresh[at >> r->line_shift];
  for (unsigned i = 0; i < 2; i++) {
    r->use.useful += (unsigned)__builtin_popcountll(fresh->word[i] & mask.word[i]);
    fresh->word[i] &= ~mask.word[i];
  }
}

static void note_written(struct weft_replicas *r, struct weft_replica_node *n, size_t line,
                         struct weft_bytes mask)
{
  struct weft_bytes *written = &n->written[line];
  if (!weft_bytes_any(*written)) {
    n->copy[n->copies++] = (struct weft_copy){ .line = (uint32_t)line };
    r->dirty++;
  }
  written->word[0] |= mask.word[0];
  written->word[1] |= mask.word[1];
}

void weft_replicas_stored(struct weft *w, unsigned node, uint64_t at, struct weft_bytes mask)
{
  struct weft_replicas *r = &w->replicas;
  size_t line = (size_t)(at >> r->line_shift);
  if (COPIES(w))
    note_written(r, &r->node[node], line, mask);
  if (!r->asked)
    return;
  for (unsigned i = 0; i < 2; i++) /* what lies there was overwritten before anybody read it */
    r->node[node].fresh[line].word[i] &= ~mask.word[i];
  if (!COPIES(w))
    weft_replicas_pushed(w, node, line, mask);
}

int weft_replica_start(struct weft *w)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (w->launched)
    return weft_fail(w, WEFT_BAD_STATE, "replicas are watched from the first launch on; ask before it");
  w->replicas.asked = true;
  return WEFT_OK;
}

int weft_replica_read(struct weft *w, struct weft_replica_use *use)
{
  if (!w->replicas.asked)
    return weft_fail(w, WEFT_BAD_STATE,
                     "replicas were not watched; call weft_replica_start() before the run");
  *use = w->replicas.use;
  return WEFT_OK;
}
