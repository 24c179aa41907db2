/* SPDX-License-Identifier: Apache-2.0 */
/* Who answered each operation; under leases, with which time stamps, and where the clocks stand then. */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "lines.h"
#include "watch.h"

struct weft_answerer {
  weft_answer_function function;
  void *arg;
  unsigned cus, banks, line, sets, ways;
  size_t l1s, l2s;
  struct weft_stamps *kept;   /* [(port * sets + set) * ways + way]: as the line came into the L1 */
  struct weft_stamps *filled; /* [port]: of the latest response */
  uint16_t *bank_clock;       /* [node * banks + bank] */
};

struct weft_answerer *weft_answerer_new(const struct weft_config *c, weft_answer_function function, void *arg)
{
  struct weft_answerer *a = calloc(1, sizeof *a);
  if (!a)
    return NULL;
  *a = (struct weft_answerer){ .function = function,
                               .arg = arg,
                               .cus = (unsigned)c->cus,
                               .banks = (unsigned)c->l2_banks,
                               .line = (unsigned)c->line,
                               .sets = (unsigned)c->l1_sets,
                               .ways = (unsigned)c->l1_ways,
                               .l1s = c->nodes * c->cus,
                               .l2s = c->nodes * c->l2_banks };
  a->kept = calloc(a->l1s * a->sets * a->ways, sizeof *a->kept);
  a->filled = calloc(a->l1s, sizeof *a->filled);
  a->bank_clock = calloc(a->l2s, sizeof *a->bank_clock);
  if (a->kept && a->filled && a->bank_clock)
    return a;
  weft_answerer_free(a);
  return NULL;
}

void weft_answerer_free(struct weft_answerer *a)
{
  if (!a)
    return;
  free(a->kept);
  free(a->filled);
  free(a->bank_clock);
  free(a);
}

void weft_answerer_restart(struct weft_answerer *a)
{
  memset(a->kept, 0, a->l1s * a->sets * a->ways * sizeof *a->kept);
  memset(a->filled, 0, a->l1s * sizeof *a->filled);
  memset(a->bank_clock, 0, a->l2s * sizeof *a->bank_clock);
}

void weft_answerer_l2(struct weft_answerer *a, unsigned node, unsigned bank, const struct weft_l2_event *out)
{
  a->bank_clock[node * a->banks + bank] = out->clock;
}

static struct weft_stamps *kept_at(const struct weft_answerer *a, unsigned port, uint64_t address,
                                   unsigned way)
{
  size_t set = weft_offset_of(address) / a->line % a->sets;
  return &a->kept[(port * a->sets + set) * a->ways + way % a->ways];
}

static struct weft_stamps stamps_of(const struct weft_answerer *a, unsigned port, const struct weft_flight *f,
                                    const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  if (in->kind == WEFT_L1_EVENT_KIND_ANSWER)
    return a->filled[port];
  if (in->kind == WEFT_L1_EVENT_KIND_OP && out->hit)
    return *kept_at(a, port, f->address, out->way);
  return (struct weft_stamps){ 0 };
}

static void tell(const struct weft_answerer *a, const struct weft_track *t, unsigned node, unsigned cu,
                 uint64_t cycle, const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  static const char *const ops[] = WEFT_CU_OP_NAMES;
  enum weft_level level;
  unsigned port = node * a->cus + cu;
  const struct weft_flight *f = weft_track_answered(t, port, in, out, &level);
  struct weft_stamps s = stamps_of(a, port, f, in, out);
  unsigned bank = (unsigned)(weft_offset_of(f->address) >> WEFT_PAGE_SHIFT) & (a->banks - 1U);
  const struct weft_answer answer = { .cycle = cycle,
                                      .node = node,
                                      .cu = cu,
                                      .warp = out->done.warp,
                                      .op = ops[f->op],
                                      .level = weft_level_names[level],
                                      .physical = f->address,
                                      .wts = s.wts,
                                      .rts = s.rts,
                                      .l1_clock = out->clock,
                                      .l2_clock = a->bank_clock[node * a->banks + bank] };
  a->function(a->arg, &answer);
}

void weft_answerer_l1(struct weft_answerer *a, const struct weft_track *t, unsigned node, unsigned cu,
                      uint64_t cycle, const struct weft_l1_event *in, const struct weft_l1_event *out)
{
  unsigned port = node * a->cus + cu;
  if (in->kind == WEFT_L1_EVENT_KIND_RESPONSE && in->rsp.kind != WEFT_RSP_KIND_FENCE) {
    a->filled[port] = (struct weft_stamps){ .wts = in->rsp.wts, .rts = in->rsp.rts };
    if (out->installed)
      *kept_at(a, port, t->l1[port].miss[in->rsp.id % WEFT_TABLE_MAX].line, out->way) = a->filled[port];
  }
  if (out->answered)
    tell(a, t, node, cu, cycle, in, out);
}

int weft_answers(struct weft *w, weft_answer_function function, void *arg)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (w->launched)
    return weft_fail(w, WEFT_BAD_STATE, "answers are told from the first launch on; ask before it");
  if (weft_watch_begin(w))
    return w->failure.code;
  weft_answerer_free(w->watch->answerer);
  w->watch->answerer = function ? weft_answerer_new(&w->config, function, arg) : NULL;
  weft_watch_update(w);
  return function && !w->watch->answerer ? weft_fail_memory(w) : WEFT_OK;
}
