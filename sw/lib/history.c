/* SPDX-License-Identifier: Apache-2.0 */
/* The history of one line in a run: its life, its end, and what people ask of it. */
#include "history.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "text.h"

#define LIMIT_DEFAULT 1000U
#define SLACK 1024U /* more than happens to one line in one cycle: where to cut is decided after sorting */

/* ---------------------------------------------------------------- life */

void weft_history_restart(struct weft_history *h)
{
  memset(h->l1_way, -1, sizeof h->l1_way);
  memset(h->l2_way, -1, sizeof h->l2_way);
  memset(h->stored, 0, sizeof h->stored);
  memset(h->inv_since, 0, sizeof h->inv_since);
  memset(h->high, 0, sizeof h->high);
  for (unsigned n = 0; n < WEFT_NODES_MAX; n++)
    h->low[n] = UINT64_MAX;
  memset(&h->summary, 0, sizeof h->summary);
  h->count = 0;
  h->order = 0;
  h->resolved = h->sorted = h->lost = false;
}

struct weft_history *weft_history_new(const struct weft_config *config, const char *address,
                                      const struct weft_explain_options *options)
{
  struct weft_history *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  h->text = strdup(address);
  h->config = *config;
  if (options)
    h->options = *options;
  if (!h->options.limit)
    h->options.limit = LIMIT_DEFAULT;
  if (!h->options.until)
    h->options.until = UINT64_MAX;
  weft_history_restart(h);
  if (h->text)
    return h;
  weft_history_free(h);
  return NULL;
}

void weft_history_free(struct weft_history *h)
{
  if (!h)
    return;
  free(h->text);
  free(h->kept);
  free(h);
}

int weft_history_resolve(struct weft *w, struct weft_history *h)
{
  if (h->resolved)
    return WEFT_OK;
  uint64_t physical;
  if (weft_locate(w, h->text, &physical, &h->bytes))
    return w->failure.code;
  const struct weft_config *c = &h->config;
  uint64_t offset = weft_offset_of(physical);
  unsigned bank_bits = weft_log2(c->l2_banks), line_bits = weft_log2(c->line);
  uint64_t bank_line = (offset >> (WEFT_PAGE_SHIFT + bank_bits)) << (WEFT_PAGE_SHIFT - line_bits) |
                       (offset & weft_ones(WEFT_PAGE_SHIFT)) >> line_bits;
  h->line = weft_history_line_of(h, physical);
  h->bank = (unsigned)(offset >> WEFT_PAGE_SHIFT & (c->l2_banks - 1));
  h->l1_set = (unsigned)(offset / c->line % c->l1_sets);
  h->l2_set = (unsigned)(bank_line % c->l2_sets);
  h->summary.physical = physical;
  h->summary.line = h->line;
  h->summary.home = weft_home_of(physical);
  h->resolved = true;
  return WEFT_OK;
}

/* ---------------------------------------------------------------- keeping */

void weft_history_note(struct weft_history *h, const struct happens *at, const char *format, ...)
{
  struct weft_history_summary *s = &h->summary;
  if (!s->happenings)
    s->first = at->cycle;
  s->last = at->cycle > s->last ? at->cycle : s->last;
  s->happenings++;
  if (at->cycle < h->options.from || at->cycle > h->options.until)
    return;
  s->in_window++;
  if (h->count >= h->options.limit + SLACK)
    return;
  if (h->count == h->room) {
    size_t room = h->room ? 2 * h->room : 256;
    struct kept *bigger = realloc(h->kept, room * sizeof *bigger);
    if (!bigger) {
      h->lost = true;
      return;
    }
    h->kept = bigger;
    h->room = room;
  }
  struct kept *k = &h->kept[h->count++];
  memset(k, 0, sizeof *k);
  k->order = h->order++;
  k->rank = strcmp(at->unit, "l1") != 0;
  k->happening = (struct weft_happening){ .cycle = at->cycle,
                                          .node = at->node,
                                          .cu = at->cu,
                                          .warp = at->warp,
                                          .unit = at->unit,
                                          .what = at->what,
                                          .word = at->word };
  va_list values;
  va_start(values, format);
  vsnprintf(k->happening.text, sizeof k->happening.text, format, values);
  va_end(values);
}

/* Units report in any order inside a cycle; each keeps its own. */
static int compare(const void *one, const void *other)
{
  const struct kept *a = one, *b = other;
  const struct weft_happening *x = &a->happening, *y = &b->happening;
  if (x->cycle != y->cycle)
    return x->cycle < y->cycle ? -1 : 1;
  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  if (a->rank == 0 && x->cu != y->cu)
    return x->cu < y->cu ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static void sort(struct weft_history *h)
{
  if (!h->sorted && h->count)
    qsort(h->kept, h->count, sizeof *h->kept, compare);
  h->sorted = true;
  h->summary.kept = h->count < h->options.limit ? h->count : h->options.limit;
}

/* ---------------------------------------------------------------- what is shown to it */

void weft_history_taken(struct weft_history *h, const struct weft_cu_req *r)
{
  unsigned home = weft_home_of(r->address);
  if (r->op == WEFT_CU_OP_FENCE)
    return;
  if (r->address < h->low[home])
    h->low[home] = r->address;
  if (r->address > h->high[home])
    h->high[home] = r->address;
}

void weft_history_l2(struct weft_history *h, const struct weft_track *t, unsigned node, unsigned bank,
                     uint64_t cycle, const struct weft_l2_event *in, const struct weft_l2_event *out,
                     const struct weft_dir_event *dir)
{
  h->sorted = false;
  if (h->resolved && bank == h->bank)
    weft_history_bank(h, t, node, cycle, bank, in, out, dir);
}

/* ---------------------------------------------------------------- for users */

int weft_explain(struct weft *w, const char *address, const struct weft_explain_options *options)
{
  uint64_t physical;
  if (weft_need_open(w))
    return w->failure.code;
  if (w->launched)
    return weft_fail(w, WEFT_BAD_STATE, "a history begins with the first launch; ask before it");
  if (options && options->until && options->from > options->until)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "from cycle %" PRIu64 " until cycle %" PRIu64 ": that is no time",
                     options->from, options->until);
  /* A number can be looked at now; what has a name will be allocated later. */
  if (isdigit((unsigned char)address[0]) && weft_locate_physical(w, address, &physical))
    return w->failure.code;
  if (weft_watch_begin(w))
    return w->failure.code;
  weft_history_free(w->watch->history);
  w->watch->history = weft_history_new(&w->config, address, options);
  weft_watch_update(w);
  return w->watch->history ? WEFT_OK : weft_fail_memory(w);
}

/* Where the run was, since it was not where one looked. */
static int never(struct weft *w, const struct weft_history *h)
{
  struct weft_text ranges = { 0 };
  for (unsigned n = 0; n < h->config.nodes; n++)
    if (h->low[n] <= h->high[n])
      weft_text_add(&ranges, "%s0x%" PRIx64 "-0x%" PRIx64, weft_text_get(&ranges)[0] ? ", " : "", h->low[n],
                    h->high[n]);
  int code =
    weft_fail(w, WEFT_BAD_ADDRESS,
              "%s (physical 0x%" PRIx64 ") never occurs in this run\nthe run used these addresses: %s",
              h->text, h->summary.physical, weft_text_get(&ranges)[0] ? weft_text_get(&ranges) : "none");
  weft_text_free(&ranges);
  return code;
}

int weft_history_read(struct weft *w, struct weft_history_summary *summary)
{
  if (weft_need_open(w))
    return w->failure.code;
  struct weft_history *h = w->watch ? w->watch->history : NULL;
  if (!h || !h->resolved)
    return weft_fail(w, WEFT_BAD_STATE, "there is no history; call weft_explain() before the launch");
  if (h->lost)
    return weft_fail_memory(w);
  if (!h->summary.happenings)
    return never(w, h);
  sort(h);
  *summary = h->summary;
  return WEFT_OK;
}

bool weft_history_at(struct weft *w, size_t index, struct weft_happening *happening)
{
  struct weft_history *h = w->watch ? w->watch->history : NULL;
  if (!h)
    return false;
  sort(h);
  if (index >= h->summary.kept)
    return false;
  *happening = h->kept[index].happening;
  return true;
}
