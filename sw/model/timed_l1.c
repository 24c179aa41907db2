/* SPDX-License-Identifier: Apache-2.0 */
/* The L1's pipeline: the choice of rtl/cache/l1.sv's stage A, then the step, then the answer. */
#include "counters.h"
#include "timed_parts.h"

/* What stage B is about to do, as far as stage A must know. */
struct behind {
  const struct weft_l1_event *work;
  bool op, fence_step, fills, answer;
};

static struct behind look_behind(const struct weft_timed_l1 *u)
{
  const struct weft_l1_event *b = &u->work[u->at];
  struct behind r = { .work = b };
  if (!u->b_valid)
    return r;
  r.op = b->kind == WEFT_L1_EVENT_KIND_OP;
  r.fence_step = b->kind == WEFT_L1_EVENT_KIND_FENCE_SEND || b->kind == WEFT_L1_EVENT_KIND_FENCE_DONE;
  r.fills = b->kind == WEFT_L1_EVENT_KIND_RESPONSE && b->rsp.kind != WEFT_RSP_KIND_FENCE;
  r.answer = b->kind == WEFT_L1_EVENT_KIND_ANSWER;
  return r;
}

/* Answers that the fill register still owes. */
static unsigned answers_left(const struct weft_l1 *s)
{
  return s->fill_full ? (unsigned)__builtin_popcountll(weft_l1_misses(s)[s->fill_miss].waiters) : 0;
}

/* The bank whose answer is first for this CU, or -1. */
static int answering_bank(const struct weft_timed *t, const struct weft_timed_l1 *u, unsigned port)
{
  unsigned node = port / t->cus, cu = port % t->cus;
  uint32_t ready = 0;
  for (unsigned b = 0; b < t->banks; b++) {
    const struct weft_l1_rsp *r = weft_queue_head(&t->l2[node * t->banks + b].l1, t->now);
    if (r && r->cu == cu)
      ready |= 1U << b;
  }
  return ready ? (int)weft_turn(ready, u->turn) : -1;
}

static bool choose_response(struct weft_timed *t, struct weft_timed_l1 *u, unsigned port, bool fills)
{
  int bank = answering_bank(t, u, port);
  if (bank < 0)
    return false;
  unsigned node = port / t->cus;
  struct weft_timed_l2 *from = &t->l2[node * t->banks + (unsigned)bank];
  const struct weft_l1_rsp *r = weft_queue_head(&from->l1, t->now);
  if (r->kind != WEFT_RSP_KIND_FENCE && (answers_left(u->state) || fills))
    return false;
  struct weft_l1_event *a = &u->work[u->at ^ 1];
  a->kind = WEFT_L1_EVENT_KIND_RESPONSE;
  a->rsp = *r;
  weft_queue_pop(&from->l1, t->now);
  u->turn = (uint32_t)bank + 1;
  if (from->l1.count) {
    const struct weft_l1_rsp *next = weft_queue_slot(&from->l1, from->l1.head);
    weft_wake_at(&t->l1[node * t->cus + next->cu].wake, t->now + 1);
  }
  return true;
}

static bool choose_fence(struct weft_timed_l1 *u, bool room)
{
  int done = weft_l1_fence_done(u->state), send = weft_l1_fence_send(u->state);
  if (done < 0 && (send < 0 || !room))
    return false;
  struct weft_l1_event *a = &u->work[u->at ^ 1];
  a->kind = done >= 0 ? WEFT_L1_EVENT_KIND_FENCE_DONE : WEFT_L1_EVENT_KIND_FENCE_SEND;
  a->warp = (uint8_t)(done >= 0 ? done : send);
  return true;
}

static bool choose_op(struct weft_timed *t, struct weft_timed_l1 *u, unsigned port, bool room,
                      struct behind b)
{
  const struct weft_l1 *s = u->state;
  const struct weft_cu_req *r = t->host.show(t->host.context, port, t->now);
  if (!r)
    return false;
  unsigned misses = s->misses - (unsigned)__builtin_popcountll(s->miss_used);
  unsigned waiters = s->waiters - (unsigned)__builtin_popcountll(s->waiter_used);
  bool fence_behind = b.op && b.work->cu.op == WEFT_CU_OP_FENCE && b.work->cu.warp == r->warp;
  if (!room || misses <= b.op || waiters <= b.op || fence_behind || r->warp >= s->warps ||
      weft_l1_warps(s)[r->warp].pending)
    return false;
  struct weft_l1_event *a = &u->work[u->at ^ 1];
  a->kind = WEFT_L1_EVENT_KIND_OP;
  a->cu = *r;
  t->host.take(t->host.context, port);
  return true;
}

void weft_timed_l1_choose(struct weft_timed *t, unsigned port)
{
  struct weft_timed_l1 *u = &t->l1[port];
  struct behind b = look_behind(u);
  bool room = weft_queue_free(&u->out, t->now) > (b.op || b.fence_step);
  bool op = false;
  if (answers_left(u->state) > b.answer) {
    u->work[u->at ^ 1].kind = WEFT_L1_EVENT_KIND_ANSWER;
    u->a_valid = true;
  } else {
    u->a_valid = choose_response(t, u, port, b.fills) || (!b.fence_step && choose_fence(u, room));
  }
  if (!u->a_valid)
    u->a_valid = op = choose_op(t, u, port, room, b);
  if (!op && t->host.show(t->host.context, port, t->now)) {
    uint64_t *values = t->counters + port / t->cus * t->per_node;
    weft_counters_of_cu(values, port % t->cus)[WEFT_CU_COUNTER_L1_STALLS]++;
  }
}

static void send(struct weft_timed *t, struct weft_timed_l1 *u, unsigned port, const struct weft_l1_req *r)
{
  struct weft_l1_req *slot = weft_queue_push(&u->out, t->now);
  *slot = *r;
  unsigned bank = weft_timed_bank_of(t, r->address);
  weft_wake_at(&t->l2[port / t->cus * t->banks + bank].wake, t->now + 1);
}

/* When there will be something to choose: at once, if anything could be waiting. */
static uint64_t next_wake(const struct weft_timed *t, const struct weft_timed_l1 *u, unsigned port)
{
  const struct weft_l1 *s = u->state;
  if (u->b_valid || u->c_valid || answers_left(s) || weft_l1_fence_done(s) >= 0 || weft_l1_fence_send(s) >= 0)
    return t->now + 1;
  unsigned node = port / t->cus, cu = port % t->cus;
  for (unsigned b = 0; b < t->banks; b++) {
    const struct weft_queue *q = &t->l2[node * t->banks + b].l1;
    if (q->count && ((const struct weft_l1_rsp *)weft_queue_slot(q, q->head))->cu == cu)
      return t->now + 1;
  }
  uint64_t next = t->host.next(t->host.context, port);
  return next <= t->now ? t->now + 1 : next;
}

void weft_timed_l1_step(struct weft_timed *t, unsigned port)
{
  struct weft_timed_l1 *u = &t->l1[port];
  if (u->c_valid && u->c.answered)
    t->host.answer(t->host.context, port, &u->c.done, t->now);
  u->c_valid = u->b_valid;
  if (u->b_valid) {
    const struct weft_l1_event *b = &u->work[u->at];
    const char *wrong = weft_l1_step(u->state, b, &u->c);
    if (wrong && !t->wrong)
      t->wrong = wrong;
    weft_count_l1(weft_counters_of_cu(t->counters + port / t->cus * t->per_node, port % t->cus), b, &u->c);
    if (u->c.sent)
      send(t, u, port, &u->c.out);
  }
  u->b_valid = u->a_valid;
  u->a_valid = false;
  u->at ^= 1;
  u->wake = next_wake(t, u, port);
}
