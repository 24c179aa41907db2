/* SPDX-License-Identifier: Apache-2.0 */
/* What the events of an L1 mean for one line, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "history.h"

static const char *const orders[] = WEFT_ORDER_NAMES, *const scopes[] = WEFT_SCOPE_NAMES;
static const char *const functions[] = WEFT_FUNC_NAMES;

/* Which bytes of the line an operation is about: the first one and how many. */
struct span {
  uint8_t first, bytes;
};

static struct span span_of(const struct weft_history *h, const struct weft_cu_req *r)
{
  if (r->op == WEFT_CU_OP_ATOMIC)
    return (struct span){ (uint8_t)(r->address - h->line), r->wide ? 8 : 4 };
  struct span s;
  weft_mask_span(r->mask, &s.first, &s.bytes);
  return s;
}

static bool touches_word(const struct weft_history *h, struct span s)
{
  uint64_t word = h->summary.physical - h->line;
  return s.first < word + h->bytes && word < s.first + s.bytes;
}

/* Up to eight bytes as a number. */
static const char *value(char *text, size_t size, const uint8_t *bytes, unsigned count)
{
  uint64_t number = 0;
  memcpy(&number, bytes, count < 8 ? count : 8);
  snprintf(text, size, "0x%0*" PRIx64 "%s", count < 8 ? 2 * (int)count : 16, number, count > 8 ? "..." : "");
  return text;
}

static bool is_strong(const struct weft_cu_req *r)
{
  return r->order != WEFT_ORDER_WEAK && r->scope != WEFT_SCOPE_CTA;
}

static void count_access(struct weft_history *h, unsigned node, unsigned op, bool word)
{
  struct weft_history_summary *s = &h->summary;
  bool reads = op != WEFT_CU_OP_STORE, writes = op != WEFT_CU_OP_LOAD;
  s->loads += op == WEFT_CU_OP_LOAD;
  s->stores += op == WEFT_CU_OP_STORE;
  s->atomics += op == WEFT_CU_OP_ATOMIC;
  s->word_reads += reads && word;
  s->word_writes += writes && word;
  if (reads)
    s->readers |= UINT32_C(1) << node;
  if (writes)
    s->writers |= UINT32_C(1) << node;
}

static void load(struct weft_history *h, struct happens *at, const struct weft_l1_event *in,
                 const struct weft_l1_event *out, struct span s)
{
  char number[32];
  if (is_strong(&in->cu)) {
    at->what = "load-strong";
    weft_history_note(h, at, "%s.%s load of %u bytes at +%u passes the L1 by%s; READ to the L2",
                      orders[in->cu.order], scopes[in->cu.scope], s.bytes, s.first,
                      out->hit ? ", its copy dropped" : "");
  } else if (out->hit) {
    at->what = "load-hit";
    weft_history_note(h, at, "load of %u bytes at +%u hits the L1: %s", s.bytes, s.first,
                      value(number, sizeof number, out->done.data + s.first, s.bytes));
  } else {
    at->what = out->joined ? "load-join" : "load-miss";
    weft_history_note(h, at, "load of %u bytes at +%u misses the L1; %s", s.bytes, s.first,
                      out->joined ? "joins the READ under way" : "READ to the L2");
  }
}

static void operation(struct weft_history *h, unsigned port, struct happens *at,
                      const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  char number[32];
  struct span s = span_of(h, &in->cu);
  at->word = touches_word(h, s);
  count_access(h, at->node, in->cu.op, at->word);
  if (in->cu.op == WEFT_CU_OP_LOAD) {
    load(h, at, in, out, s);
  } else if (in->cu.op == WEFT_CU_OP_STORE) {
    at->what = "store";
    weft_history_note(h, at, "store of %u bytes at +%u: %s%s; WRITE to the L2", s.bytes, s.first,
                      value(number, sizeof number, in->cu.data + s.first, s.bytes),
                      out->hit ? ", the L1's copy follows" : "");
    h->stored[port] = at->cycle;
    h->in_node[port] = false;
  } else {
    at->what = "atomic";
    weft_history_note(h, at, "atomic %s of %u bytes at +%u: %s%s; to the L2",
                      functions[in->cu.func % (sizeof functions / sizeof *functions)], s.bytes, s.first,
                      value(number, sizeof number, in->cu.data, s.bytes),
                      out->hit ? ", the L1's copy dropped" : "");
  }
  if (in->cu.op == WEFT_CU_OP_ATOMIC || (in->cu.op == WEFT_CU_OP_LOAD && is_strong(&in->cu)))
    h->l1_way[port] = -1;
}

/* An operation that had to wait. */
static void answer(struct weft_history *h, const struct weft_track *t, unsigned port, struct happens *at,
                   const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  static const char *const levels[WEFT_LEVELS] = { "the L1",          "the own L2's copy",
                                                   "the own home",    "the own home, from memory",
                                                   "the remote home", "the remote home, from memory" };
  char number[32];
  enum weft_level level;
  const struct weft_flight *f = weft_track_answered(t, port, in, out, &level);
  if (f->op == WEFT_CU_OP_FENCE || weft_history_line_of(h, f->address) != h->line)
    return;
  bool atomic = f->op == WEFT_CU_OP_ATOMIC;
  struct span s = { f->first, f->bytes };
  if (atomic)
    s = (struct span){ (uint8_t)(f->address - h->line), f->wide ? 8 : 4 };
  at->warp = out->done.warp;
  at->what = "answer";
  at->word = touches_word(h, s);
  weft_history_note(h, at, "%s answered after %" PRIu64 " cycles by %s: %s", atomic ? "atomic" : "load",
                    at->cycle - f->issue, levels[level],
                    value(number, sizeof number, out->done.data + (atomic ? 0 : s.first), s.bytes));
}

static void response(struct weft_history *h, const struct weft_track *t, unsigned port, struct happens *at,
                     const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  uint64_t line = t->l1[port].miss[in->rsp.id % WEFT_TABLE_MAX].line;
  if (line == h->line) {
    at->what = out->installed ? "l1-install" : "l1-pass";
    weft_history_note(h, at,
                      out->installed ? "the line is installed in the L1"
                                     : "the line comes, and is not kept in the L1");
    if (out->installed)
      h->l1_way[port] = out->way;
  } else if (out->installed && out->way == h->l1_way[port] &&
             line / h->config.line % h->config.l1_sets == h->l1_set) {
    at->what = "l1-evict";
    weft_history_note(h, at, "the L1 drops its copy to make room for 0x%" PRIx64, line);
    h->l1_way[port] = -1;
  }
}

static void fence_done(struct weft_history *h, const struct weft_track *t, unsigned port, struct happens *at,
                       const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  enum weft_level level;
  const struct weft_flight *f = weft_track_answered(t, port, in, out, &level);
  bool acquires = f->order == WEFT_ORDER_ACQUIRE || f->order == WEFT_ORDER_ACQ_REL;
  at->warp = out->done.warp;
  bool more = f->scope == WEFT_SCOPE_SYS || (f->scope == WEFT_SCOPE_GPU && !h->in_node[port]);
  if (f->order != WEFT_ORDER_ACQUIRE && h->stored[port] && more) {
    at->what = "release";
    weft_history_note(h, at, "%s.%s done after %" PRIu64 " cycles: covers the store of cycle %" PRIu64,
                      orders[f->order], scopes[f->scope], at->cycle - f->issue, h->stored[port]);
    h->in_node[port] = true;
    if (f->scope == WEFT_SCOPE_SYS)
      h->stored[port] = 0;
  }
  bool beyond = f->scope == WEFT_SCOPE_GPU || f->scope == WEFT_SCOPE_SYS;
  if (acquires && beyond && h->l1_way[port] >= 0) {
    at->what = "l1-drop";
    weft_history_note(h, at, "%s.%s drops the L1's copy", orders[f->order], scopes[f->scope]);
    h->l1_way[port] = -1;
  }
}

void weft_history_l1(struct weft_history *h, const struct weft_track *t, unsigned node, unsigned cu,
                     uint64_t cycle, const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  unsigned port = node * t->cus + cu;
  struct happens at = { .cycle = cycle, .node = node, .cu = (int)cu, .warp = -1, .unit = "l1" };
  h->sorted = false;
  if (!h->resolved)
    return;
  switch (in->kind) {
  case WEFT_L1_EVENT_KIND_OP:
    at.warp = in->cu.warp;
    if (in->cu.op != WEFT_CU_OP_FENCE && weft_history_line_of(h, in->cu.address) == h->line)
      operation(h, port, &at, in, out);
    break;
  case WEFT_L1_EVENT_KIND_RESPONSE:
    if (in->rsp.kind == WEFT_RSP_KIND_LINE)
      response(h, t, port, &at, in, out);
    break;
  case WEFT_L1_EVENT_KIND_ANSWER:
    answer(h, t, port, &at, in, out);
    break;
  case WEFT_L1_EVENT_KIND_FENCE_DONE:
    fence_done(h, t, port, &at, in, out);
    break;
  default:
    break;
  }
}
