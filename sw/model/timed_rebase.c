/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric's rebase: what rtl/home/rebase.sv sees and does in a cycle. */
#include "counters.h"
#include "timed_parts.h"

bool weft_timed_late(const struct weft_l2 *bank, const struct weft_req *r)
{
  const struct weft_tsu *tsu = weft_l2_tsu(bank);
  uint16_t cts = weft_home_time(bank, r->cts, r->era, r->src);
  return weft_rebase_due(tsu->largest, cts, tsu->last, weft_lease_longest(&bank->leases));
}

static bool all_banks(const struct weft_timed *t)
{
  for (unsigned i = 0; i < t->nodes * t->banks; i++)
    if (!t->l2[i].rebased || t->l2[i].b_valid)
      return false;
  return true;
}

static bool any_answer(const struct weft_timed *t)
{
  for (unsigned i = 0; i < t->nodes * t->banks; i++) {
    const struct weft_timed_l2 *u = &t->l2[i];
    if (u->state->fill_full || u->l1.count || u->b_valid || u->c_valid || u->ready > t->now)
      return true;
  }
  return false;
}

static bool all_l1s(const struct weft_timed *t)
{
  for (unsigned p = 0; p < t->nodes * t->cus; p++)
    if (!t->l1[p].rebased || t->l1[p].b_valid)
      return false;
  return true;
}

static void wake_all(struct weft_timed *t)
{
  for (unsigned p = 0; p < t->nodes * t->cus; p++)
    weft_wake_l1(t, p);
  for (unsigned i = 0; i < t->nodes * t->banks; i++)
    weft_wake_l2(t, i);
}

struct weft_rebase_input weft_timed_rebase_look(const struct weft_timed *t)
{
  const struct weft_rebase *r = &t->rebase;
  struct weft_rebase_input in = { .flying = t->flying != 0 };
  in.banks = r->phase == WEFT_REBASE_BANKS && all_banks(t);
  in.answers = r->phase == WEFT_REBASE_DRAIN && any_answer(t);
  in.l1s = r->phase == WEFT_REBASE_L1S && all_l1s(t);
  return in;
}

static void count(struct weft_timed *t, unsigned counter)
{
  for (unsigned n = 0; n < t->nodes; n++)
    t->counters[n * t->per_node + counter]++;
}

void weft_timed_rebase(struct weft_timed *t, struct weft_rebase_input *in)
{
  struct weft_rebase *r = &t->rebase;
  in->wants = t->wants_rebase;
  t->wants_rebase = false;
  if (r->phase == WEFT_REBASE_RUN && !in->wants)
    return;
  if (r->phase != WEFT_REBASE_RUN)
    count(t, WEFT_COUNTER_LEASE_REBASE_CYCLES);
  if (weft_rebase_step(r, in)) {
    for (unsigned p = 0; p < t->nodes * t->cus; p++)
      t->l1[p].rebased = false;
    for (unsigned i = 0; i < t->nodes * t->banks; i++)
      t->l2[i].rebased = false;
    if (r->phase == WEFT_REBASE_STOP)
      count(t, WEFT_COUNTER_LEASE_REBASES);
  }
  wake_all(t);
}
