/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a rebase (T10), read off the events: no unit's own model sees it, since each starts again when it is told to.
 * Answers between nodes, then banks, then answers to L1s, then L1s; and no home takes a step until all have started again. */
#include <stdlib.h>

#include "lockstep_parts.h"

bool weft_lockstep_rebases_new(struct weft_lockstep *k)
{
  k->l1_eras = calloc((size_t)k->nodes * k->cus, sizeof *k->l1_eras);
  k->l2_eras = calloc((size_t)k->nodes * k->banks, sizeof *k->l2_eras);
  return k->l1_eras && k->l2_eras;
}

void weft_lockstep_rebases_free(struct weft_lockstep *k)
{
  free(k->l1_eras);
  free(k->l2_eras);
}

static bool all_are(const uint32_t *eras, size_t count, uint32_t era)
{
  for (size_t i = 0; i < count; i++)
    if (eras[i] != era)
      return false;
  return true;
}

/* A memory on the switch is one of the last nodes, and has no CUs. */
static size_t l1s(const struct weft_lockstep *k)
{
  return (size_t)(k->nodes - k->config.memories) * k->cus;
}

static size_t banks(const struct weft_lockstep *k)
{
  return (size_t)k->nodes * k->banks;
}

static void starts_again(struct weft_lockstep *k, uint32_t *era)
{
  ++*era;
  if (++k->rebased == banks(k) + l1s(k))
    k->rebased = 0;
}

static bool has_stamps(const struct weft_rsp *m)
{
  return m->kind == WEFT_RSP_KIND_LINE || m->kind == WEFT_RSP_KIND_ATOMIC || m->kind == WEFT_RSP_KIND_WROTE;
}

/* An answer with stamps is on its way between two nodes. */
static bool answers_fly(const struct weft_lockstep *k)
{
  size_t pairs = (size_t)k->nodes * k->nodes * k->banks;
  for (size_t i = 0; i < pairs; i++) {
    const struct weft_ring *r = &k->response[i];
    for (uint32_t n = 0; n < r->count; n++)
      if (has_stamps((const void *)(r->slots + (size_t)((r->head + n) & (r->capacity - 1U)) * r->stride)))
        return true;
  }
  return false;
}

static bool answers_to_l1s(const struct weft_lockstep *k)
{
  size_t count = (size_t)k->nodes * k->cus * k->banks;
  for (size_t i = 0; i < count; i++)
    if (k->to_l1[i].count)
      return true;
  return false;
}

static const char *bank_starts_again(struct weft_lockstep *k, uint32_t *era)
{
  if (!all_are(k->l1_eras, l1s(k), *era))
    return "a bank starts again before L1s have done so for the last time, or after them";
  if (answers_fly(k))
    return "a bank starts again while answers of the old time are on their way";
  starts_again(k, era);
  return NULL;
}

static const char *l1_starts_again(struct weft_lockstep *k, uint32_t *era)
{
  if (!all_are(k->l2_eras, banks(k), *era + 1U))
    return "an L1 starts again before the banks";
  if (answers_to_l1s(k))
    return "an L1 starts again while answers of the old time are on their way to L1s";
  starts_again(k, era);
  return NULL;
}

static bool in_order(struct weft_lockstep *k, const struct weft_place *place, const char *wrong)
{
  struct weft_place here = *place;
  here.unit = "rebase";
  if (wrong)
    weft_lockstep_wrong(k, &here, wrong);
  return !wrong;
}

static bool may_be_home_step(const struct weft_l2_event *e)
{
  return e->kind == WEFT_L2_EVENT_KIND_CU || e->kind == WEFT_L2_EVENT_KIND_REQUEST ||
         e->kind == WEFT_L2_EVENT_KIND_REPLAY;
}

bool weft_lockstep_rebase_l2(struct weft_lockstep *k, const struct weft_l2_event *e, unsigned index,
                             const struct weft_place *place)
{
  const char *wrong = NULL;
  if (e->kind == WEFT_L2_EVENT_KIND_REBASE)
    wrong = bank_starts_again(k, &k->l2_eras[index]);
  else if (k->rebased && may_be_home_step(e))
    wrong = "a bank takes a request before all of the fabric has started again";
  return in_order(k, place, wrong);
}

bool weft_lockstep_rebase_l1(struct weft_lockstep *k, const struct weft_l1_event *e, unsigned index,
                             const struct weft_place *place)
{
  if (e->kind != WEFT_L1_EVENT_KIND_REBASE)
    return true;
  return in_order(k, place, l1_starts_again(k, &k->l1_eras[index]));
}
