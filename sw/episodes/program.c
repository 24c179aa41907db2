/* SPDX-License-Identifier: Apache-2.0 */
/* A program, or what is left of it, for people to read. */
#include <inttypes.h>

#include "episodes.h"
#include "weft_formats.h"

static const char *const scopes[] = WEFT_SCOPE_NAMES, *const orders[] = WEFT_ORDER_NAMES,
                         *const funcs[] = WEFT_FUNC_NAMES;

static void add_op(struct weft_text *text, const struct weft_episodes *e, const struct weft_episode_op *op)
{
  const struct weft_location *l = &e->layout.location[op->location];
  uint64_t physical = (uint64_t)l->node << 36 | l->offset;
  weft_text_add(text, "  ");
  switch ((enum weft_episode_kind)op->kind) {
  case WEFT_EPISODE_LOAD:
    weft_text_add(text, "load %s.%s of %u bytes at 0x%" PRIx64 ", should be 0x%" PRIx64, orders[op->order],
                  scopes[op->scope], l->bytes, physical, op->expected);
    break;
  case WEFT_EPISODE_STORE:
    weft_text_add(text, "store %s.%s of %u bytes at 0x%" PRIx64 ": 0x%" PRIx64, orders[op->order],
                  scopes[op->scope], l->bytes, physical, op->value);
    break;
  case WEFT_EPISODE_RMW:
    weft_text_add(text, "atomic %s %s.%s of %u bytes at 0x%" PRIx64 ": 0x%" PRIx64, funcs[op->func],
                  orders[op->order], scopes[op->scope], l->bytes, physical, op->value);
    if (op->func == WEFT_CAS)
      weft_text_add(text, " if it is 0x%" PRIx64, op->compare);
    weft_text_add(text, ", should return 0x%" PRIx64, op->expected);
    break;
  case WEFT_EPISODE_COUNT:
    weft_text_add(text, "atomic add %s.%s of %u bytes at 0x%" PRIx64 ": 1, should return what no other does",
                  orders[op->order], scopes[op->scope], l->bytes, physical);
    break;
  }
  weft_text_add(text, "%s\n", op->kind == WEFT_EPISODE_STORE || op->waits ? "" : " (looked at in the end)");
}

static void add_acquire(struct weft_text *text, const struct weft_episodes *e, const struct weft_episode *x)
{
  for (unsigned i = 0; i < x->waits; i++) {
    const struct weft_episode_wait *wait = weft_plan_wait(&e->plan, x->first_wait + i);
    struct weft_episode_place p = weft_shape_place(&e->shape, wait->warp, 0);
    weft_text_add(text, "  wait for %" PRIu64 " episodes of node %u cu %u warp %u; acquire.%s\n", wait->count,
                  p.node, p.cu, p.warp, scopes[wait->scope]);
  }
  if (!x->waits)
    weft_text_add(text, "  acquire.%s\n", scopes[x->acquire]);
}

static void add_episode(struct weft_text *text, const struct weft_episodes *e, const struct weft_episode *x)
{
  struct weft_episode_place p = weft_shape_place(&e->shape, x->warp, x->number);
  weft_text_add(text, "episode %" PRIu64 ", node %u cu %u warp %u:\n", x->number, p.node, p.cu, p.warp);
  for (unsigned i = 0; i < x->early; i++)
    add_op(text, e, weft_plan_op(&e->plan, x->first_op + i));
  add_acquire(text, e, x);
  for (unsigned i = x->early; i < x->ops; i++)
    add_op(text, e, weft_plan_op(&e->plan, x->first_op + i));
  weft_text_add(text, "  release.%s\n", scopes[x->release]);
}

char *weft_episodes_program(const struct weft_episodes *e)
{
  struct weft_text text = { 0 };
  weft_text_add(&text, "%s", "");
  for (size_t i = 0; i < e->plan.episodes.count; i++)
    if (weft_plan_episode(&e->plan, i)->ops)
      add_episode(&text, e, weft_plan_episode(&e->plan, i));
  return weft_text_take(&text);
}
