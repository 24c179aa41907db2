/* SPDX-License-Identifier: Apache-2.0 */
/* What the events of an L2 bank, its home and its directory mean for one line, in words. */
#include <inttypes.h>
#include <stdio.h>

#include "history.h"
#include "messages.h"

static const char *const requests[] = { "READ", "WRITE", "ATOMIC", "FENCE", "MARKER" };

/* "{1, 3}" */
static const char *nodes_text(char *text, size_t size, uint32_t nodes)
{
  size_t used = 0;
  text[used++] = '{';
  for (unsigned n = 0; n < WEFT_NODES_MAX && used + 8 < size; n++)
    if (nodes >> n & 1U)
      used += (size_t)snprintf(text + used, size - used, "%s%u", used > 1 ? ", " : "", n);
  snprintf(text + used, size - used, "}");
  return text;
}

/* A directory's sharer bits leave the home itself out. */
static uint32_t sharers_of(unsigned home, uint32_t bits)
{
  uint32_t below = bits & (uint32_t)weft_ones(home);
  return below | (bits & ~below) << 1;
}

/* The line's place in an entry of several that starts at `base`; negative: it is in another. */
static int64_t place_in(const struct weft_history *h, const struct weft_track *t, uint64_t base)
{
  uint64_t place = (h->line - base) / h->config.line;
  return h->line >= base && place < t->entry_lines ? (int64_t)place : -1;
}

static void directory(struct weft_history *h, const struct weft_track *t, struct happens *at,
                      const struct weft_l2_event *out, const struct weft_dir_event *dir)
{
  char owed[80], now[80];
  const struct weft_fwd_item *item = &out->out_fwd;
  int64_t place = dir->evicted ? place_in(h, t, dir->evicted_address) : -1;
  uint32_t invs = sharers_of(at->node, dir->inv_sharers);
  bool in_block = out->sent_fwd && item->block && !dir->evicted && place_in(h, t, item->address) >= 0;
  at->unit = "directory";
  if (place >= 0) {
    invs = t->owed.lines > 1 ? t->owed.nodes[place] : invs;
    if (!invs) /* the entry was of its neighbours alone */
      return;
    at->what = "directory-evict";
    weft_history_note(h, at, "entry evicted to make room for 0x%" PRIx64 "; INV to %s", dir->address,
                      nodes_text(owed, sizeof owed, invs));
  } else if (in_block || (dir->address == h->line &&
                          (dir->allocated || (dir->hit && !(dir->local && dir->op == WEFT_DIR_OP_READ))))) {
    bool inv = invs && !dir->evicted;
    at->what = inv ? "directory-inv" : "directory";
    nodes_text(now, sizeof now, sharers_of(at->node, dir->sharers));
    if (inv)
      weft_history_note(h, at, "INV to %s, for node %u wrote; sharers now %s",
                        nodes_text(owed, sizeof owed, invs), dir->requester, now);
    else
      weft_history_note(h, at, "%ssharers now %s", dir->allocated ? "entry allocated; " : "", now);
    invs = inv ? invs : 0;
  } else {
    return;
  }
  for (unsigned n = 0; n < h->config.nodes; n++)
    if (invs >> n & 1U) {
      h->summary.invalidations++;
      h->inv_since[n] = h->inv_since[n] ? h->inv_since[n] : at->cycle;
    }
}

/* A request that meets the home's own line. */
static void home(struct weft_history *h, struct happens *at, const struct weft_req *r,
                 const struct weft_l2_event *out, bool replay)
{
  static const char *const does[] = { "line sent", "line written", "line changed, old value sent" };
  char who[32];
  if (r->src == at->node)
    snprintf(who, sizeof who, "cu %u", r->cu);
  else
    snprintf(who, sizeof who, "node %u", r->src);
  at->unit = "home";
  if (out->hit) {
    at->what = r->kind == WEFT_REQ_KIND_READ    ? "home-read"
               : r->kind == WEFT_REQ_KIND_WRITE ? "home-write"
                                                : "home-atomic";
    weft_history_note(h, at, "%s of %s: %s%s", requests[r->kind], who, does[r->kind % 3U],
                      replay ? ", after the fetch" : "");
  } else if (out->allocated) {
    at->what = "fetch";
    h->summary.fetches++;
    weft_history_note(h, at, "%s of %s: not in the L2; fetched from memory", requests[r->kind], who);
  } else if (out->joined) {
    at->what = "fetch-join";
    weft_history_note(h, at, "%s of %s: waits for the fetch under way", requests[r->kind], who);
  }
}

/* A CU's request for a line whose home is elsewhere. */
static void remote(struct weft_history *h, struct happens *at, const struct weft_req *r,
                   const struct weft_l2_event *out)
{
  at->cu = r->cu;
  if (r->kind == WEFT_REQ_KIND_READ) {
    at->what = out->hit ? "l2-hit" : out->joined ? "l2-join" : "l2-miss";
    if (out->allocated)
      weft_history_note(h, at, "READ of cu %u misses the L2; READ to home node %u", r->cu, h->summary.home);
    else
      weft_history_note(h, at, "READ of cu %u %s", r->cu,
                        out->hit ? "hits the L2's copy" : "misses the L2; joins the READ under way");
    return;
  }
  at->what = r->kind == WEFT_REQ_KIND_WRITE ? "l2-write" : "l2-atomic";
  weft_history_note(h, at, "%s of cu %u goes on to home node %u%s%s", requests[r->kind], r->cu,
                    h->summary.home,
                    !out->hit                        ? ""
                    : r->kind == WEFT_REQ_KIND_WRITE ? ", the L2's copy follows"
                                                     : ", the L2's copy dropped",
                    out->closed ? "; the line under way will not be kept" : "");
  if (r->kind == WEFT_REQ_KIND_ATOMIC)
    h->l2_way[at->node] = -1;
}

static void inv(struct weft_history *h, struct happens *at, const struct weft_l2_event *in,
                const struct weft_l2_event *out)
{
  struct weft_history_summary *s = &h->summary;
  if (h->inv_since[at->node]) {
    uint64_t took = at->cycle - h->inv_since[at->node];
    s->inv_cycles_max = took > s->inv_cycles_max ? took : s->inv_cycles_max;
    s->inv_cycles_min = s->inv_cycles_min && s->inv_cycles_min < took ? s->inv_cycles_min : took;
    h->inv_since[at->node] = 0;
  }
  s->invalidated += out->hit;
  at->what = "inv";
  weft_history_note(h, at, "INV from home node %u (%s): %s%s", in->fwd.src,
                    in->fwd.cause == WEFT_CAUSE_WRITE ? "a write" : "directory entry evicted",
                    out->hit ? "copy dropped" : "no copy here",
                    out->closed ? "; the line under way will not be kept" : "");
  h->l2_way[at->node] = -1;
}

/* A line comes into the bank: ours, or one that takes our place. */
static void comes(struct weft_history *h, struct happens *at, uint64_t line, const struct weft_l2_event *out,
                  bool memory)
{
  if (line == h->line) {
    at->what = memory ? "fetched" : out->installed ? "l2-install" : "l2-pass";
    weft_history_note(h, at,
                      memory           ? "the line comes from memory into the L2"
                      : out->installed ? "the line comes, and is installed in the L2"
                                       : "the line comes, and is not kept in the L2");
    h->summary.copies += !memory && out->installed;
    if (out->installed)
      h->l2_way[at->node] = out->way;
    return;
  }
  const struct weft_config *c = &h->config;
  uint64_t offset = weft_offset_of(line);
  unsigned shift = WEFT_PAGE_SHIFT + weft_log2(c->l2_banks), line_bits = weft_log2(c->line);
  uint64_t number =
    (offset >> shift) << (WEFT_PAGE_SHIFT - line_bits) | (offset & weft_ones(WEFT_PAGE_SHIFT)) >> line_bits;
  if (!out->installed || out->way != h->l2_way[at->node] || number % c->l2_sets != h->l2_set)
    return;
  at->what = "l2-evict";
  weft_history_note(h, at, "the L2 drops the line to make room for 0x%" PRIx64 "%s", line,
                    out->victim_dirty ? "; dirty, so it goes to memory" : "");
  h->l2_way[at->node] = -1;
  h->summary.evictions++;
}

void weft_history_bank(struct weft_history *h, const struct weft_track *t, unsigned node, uint64_t cycle,
                       unsigned bank, const struct weft_l2_event *in, const struct weft_l2_event *out,
                       const struct weft_dir_event *dir)
{
  const struct weft_track_l2 *u = &t->l2[node * t->banks + bank];
  struct happens at = { .cycle = cycle, .node = node, .cu = -1, .warp = -1, .unit = "l2" };
  switch (in->kind) {
  case WEFT_L2_EVENT_KIND_CU:
  case WEFT_L2_EVENT_KIND_REQUEST:
    if (in->req.kind > WEFT_REQ_KIND_ATOMIC || weft_history_line_of(h, in->req.address) != h->line)
      break;
    if (h->summary.home == node)
      home(h, &at, &in->req, out, false);
    else
      remote(h, &at, &in->req, out);
    break;
  case WEFT_L2_EVENT_KIND_REPLAY:
    if (weft_history_line_of(h, out->req.address) == h->line)
      home(h, &at, &out->req, out, true);
    break;
  case WEFT_L2_EVENT_KIND_INV:
    if (in->fwd.address + (uint64_t)in->index * h->config.line == h->line)
      inv(h, &at, in, out);
    break;
  case WEFT_L2_EVENT_KIND_RESPONSE:
    if (weft_rsp_fills(in->rsp.kind))
      comes(h, &at, u->miss[in->rsp.id % WEFT_TABLE_MAX].line, out, false);
    break;
  case WEFT_L2_EVENT_KIND_MEMORY:
    comes(h, &at, u->fetch[in->index % WEFT_TABLE_MAX].line, out, true);
    break;
  default:
    break;
  }
  if (dir->valid)
    directory(h, t, &at, out, dir);
}
