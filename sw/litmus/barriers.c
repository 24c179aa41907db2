/* SPDX-License-Identifier: Apache-2.0 */
/* bar.sync and bar.arrive. A barrier of a CTA, named by the values of its operands, opens for a thread's n-th coming when
 * every other thread of the CTA has come n times or cannot come any more; with a number behind it, when so many
 * have come. Threads of one launch are coroutines that take turns, so plain variables are enough. */
#include <stdlib.h>
#include <string.h>

#include "runner.h"

/* ---- Which barriers lie ahead ------------------------------------------------------------------------ */

static uint64_t own_bit(const struct litmus_thread *th, unsigned at)
{
  unsigned ordinal = 0;
  for (unsigned i = 0; i < at; i++)
    ordinal += th->code[i].op == LITMUS_BARRIER;
  return th->code[at].op == LITMUS_BARRIER && ordinal < 64 ? UINT64_C(1) << ordinal : 0;
}

static void find_reach(const struct litmus_thread *th, uint64_t reach[LITMUS_INSTRUCTIONS + 1])
{
  bool changed = true;
  memset(reach, 0, (LITMUS_INSTRUCTIONS + 1) * sizeof *reach);
  while (changed) {
    changed = false;
    for (unsigned i = th->count; i--;) {
      uint64_t set = own_bit(th, i) | reach[i + 1];
      if (th->code[i].op == LITMUS_BRANCH)
        set |= reach[th->code[i].target];
      changed |= set != reach[i];
      reach[i] = set;
    }
  }
}

bool weft_litmus_barriers_prepare(struct litmus_run *r)
{
  if (!r->test->barriers)
    return true;
  r->reach = calloc(r->test->threads, sizeof *r->reach);
  if (!r->reach)
    return false;
  for (unsigned i = 0; i < r->test->threads; i++)
    find_reach(&r->test->thread[i], r->reach[i]);
  return true;
}

/* ---- Coming ------------------------------------------------------------------------------------------ */

static int find_point(struct litmus_barriers *b, int64_t first, int64_t second)
{
  for (unsigned i = 0; i < b->points; i++)
    if (b->point[i].a == first && b->point[i].b == second)
      return (int)i;
  if (b->points == LITMUS_POINTS)
    return -1;
  b->point[b->points].a = first;
  b->point[b->points].b = second;
  return (int)b->points++;
}

bool weft_litmus_barrier_come(struct litmus_run *r, struct litmus_instance *in, unsigned thread, unsigned at,
                              int64_t a, int64_t b, int64_t quorum, uint64_t cycle)
{
  (void)r;
  int number = find_point(in->barriers, a, b);
  if (number < 0)
    return false;
  struct litmus_point *point = &in->barriers->point[number];
  in->barriers->thread[thread].waits = true;
  in->barriers->thread[thread].point = number;
  in->barriers->thread[thread].nth = ++point->came[thread];
  in->barriers->thread[thread].at = at + 1;
  in->barriers->thread[thread].quorum = quorum;
  in->barriers->thread[thread].index = point->total++;
  if (cycle > point->latest)
    point->latest = cycle;
  return true;
}

/* ---- Opening ----------------------------------------------------------------------------------------- */

static bool may_be(const struct litmus_operand *o, int64_t value)
{
  return o->kind == LITMUS_REGISTER || o->value == value;
}

/* Could thread u, where it is now, still come to the point? */
static bool may_come(const struct litmus_run *r, const struct litmus_instance *in, unsigned u,
                     const struct litmus_point *point)
{
  const struct litmus_thread *th = &r->test->thread[u];
  uint64_t ahead = r->reach[u][in->barriers->thread[u].at];
  if (in->barriers->finished >> u & 1)
    return false;
  for (unsigned i = 0; i < th->count; i++)
    if (th->code[i].op == LITMUS_BARRIER && (own_bit(th, i) & ahead) && may_be(&th->code[i].a, point->a) &&
        may_be(&th->code[i].b, point->b))
      return true;
  return false;
}

static bool same_cta(const struct litmus_run *r, unsigned a, unsigned b)
{
  const struct litmus_thread *x = &r->test->thread[a], *y = &r->test->thread[b];
  return !r->test->placed || (x->cta == y->cta && x->gpu == y->gpu);
}

bool weft_litmus_barrier_open(const struct litmus_run *r, const struct litmus_instance *in, unsigned thread)
{
  const struct litmus_barriers *b = in->barriers;
  const struct litmus_point *point = &b->point[b->thread[thread].point];
  uint64_t quorum = b->thread[thread].quorum > 0 ? (uint64_t)b->thread[thread].quorum : 0;
  if (quorum)
    return point->total >= (b->thread[thread].index / quorum + 1) * quorum;
  for (unsigned u = 0; u < r->test->threads; u++)
    if (u != thread && same_cta(r, u, thread) && point->came[u] < b->thread[thread].nth &&
        may_come(r, in, u, point))
      return false;
  return true;
}

bool weft_litmus_barriers_stuck(const struct litmus_run *r, const struct litmus_instance *in)
{
  const struct litmus_barriers *b = in->barriers;
  for (unsigned u = 0; u < r->test->threads; u++) {
    if (b->finished >> u & 1)
      continue;
    if (!b->thread[u].waits || weft_litmus_barrier_open(r, in, u))
      return false;
  }
  return true;
}
