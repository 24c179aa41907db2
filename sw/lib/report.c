/* SPDX-License-Identifier: Apache-2.0 */
/* What a run that makes no progress leaves behind: who waits for what. */
#include <inttypes.h>
#include <stdlib.h>

#include "run.h"
#include "text.h"

#define BACKEND_TEXT (64u << 10)

const char *weft_condition_text(unsigned condition)
{
  return condition == WEFT_EQUAL ? "to be" : condition == WEFT_NOT_EQUAL ? "not to be" : "to be at least";
}

static void add_operation(struct weft_text *text, const struct weft_warp *t, const struct weft_slot *s)
{
  static const char *const ops[] = WEFT_CU_OP_NAMES, *const funcs[] = WEFT_FUNC_NAMES;
  static const char *const orders[] = WEFT_ORDER_NAMES, *const scopes[] = WEFT_SCOPE_NAMES;
  uint64_t cycle = t->run->w->ops->now(t->run->w->backend);
  weft_text_add(text, "node %u cu %u warp %u: %s%s%s %s.%s", t->place.node, t->place.cu, t->place.warp,
                ops[s->op], s->op == WEFT_CU_OP_ATOMIC ? " " : "",
                s->op == WEFT_CU_OP_ATOMIC ? funcs[s->func] : "", orders[s->order], scopes[s->scope]);
  if (s->op != WEFT_CU_OP_FENCE)
    weft_text_add(text, " of %u bytes at 0x%" PRIx64 " (home node %u, offset 0x%" PRIx64 ")", s->bytes,
                  s->address & ~WEFT_PHYSICAL_FLAG, (unsigned)(s->physical >> WEFT_NODE_SHIFT),
                  s->physical & ((UINT64_C(1) << WEFT_NODE_SHIFT) - 1));
  if (s->issue > cycle)
    weft_text_add(text, ", due in %" PRIu64 " cycles\n", s->issue - cycle);
  else
    weft_text_add(text, ", waiting for %" PRIu64 " cycles\n", cycle - s->issue);
}

static void add_warp(struct weft_text *text, const struct weft_warp *t)
{
  for (unsigned i = 0; i < WEFT_OUTSTANDING_MAX; i++)
    if (t->slot[i].flying)
      add_operation(text, t, &t->slot[i]);
  if (t->spin.on)
    weft_text_add(
      text, "node %u cu %u warp %u: spins since cycle %" PRIu64 " for 0x%" PRIx64 " %s %" PRIu64 "\n",
      t->place.node, t->place.cu, t->place.warp, t->spin.since, t->spin.address & ~WEFT_PHYSICAL_FLAG,
      weft_condition_text(t->spin.condition), t->spin.value);
}

void weft_report_stuck(struct weft_run *run, uint64_t quiet)
{
  struct weft *w = run->w;
  struct weft_text text = { 0 };
  for (unsigned i = 0; i < run->warps; i++)
    add_warp(&text, &run->warp[i]);
  weft_text_add(&text, "%u of %u warps have ended\n", run->finished, run->warps);
  char *waits = malloc(BACKEND_TEXT);
  if (waits) {
    waits[0] = 0;
    w->ops->waits(w->backend, waits, BACKEND_TEXT);
    if (waits[0])
      weft_text_add(&text, "%s\n", waits);
    free(waits);
  }
  free(w->failure.report);
  w->failure.report = weft_text_take(&text);
  run->code = weft_fail(w, WEFT_STUCK,
                        "no progress for %" PRIu64 " cycles, at cycle %" PRIu64
                        "; what waits for what is listed\nif the run is only slow, give it more --patience",
                        quiet, w->ops->now(w->backend));
}
