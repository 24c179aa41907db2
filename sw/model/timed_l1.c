/* SPDX-License-Identifier: Apache-2.0 */
/* The L1's pipeline: the choice of rtl/cache/l1.sv's stage A, then the step, then the answer. */
#include "counters.h"
#include "timed_parts.h"

/* What stage B is about to do, as far as stage A must know. */
struct behind {
  const struct weft_l1_event *work;
  bool op, fence_step, fills, answer, rebase;
};

static struct behind look_behind(const struct weft_timed_l1 *u)
{
  const struct weft_l1_event *b = &u->work[u->at];
  struct behind r = { .work = b };
  if (!u->b_valid)
    return r;
  r.op = b->kind == WEFT_L1_EVENT_KIND_OP;
  r.fence_step = b->kind == WEFT_L1_EVENT_KIND_FENCE_SEND || b->kind == WEFT_L1_EVENT_KIND_FENCE_DONE;
  if (u->state->fault == WEFT_FAULT_LEASE_L1_BEFORE_L2)
    r.fence_step |= r.op && b->cu.op == WEFT_CU_OP_FENCE; /* it drops the L1 when it comes */
  r.fills = b->kind == WEFT_L1_EVENT_KIND_RESPONSE && b->rsp.kind != WEFT_RSP_KIND_FENCE;
  r.answer = b->kind == WEFT_L1_EVENT_KIND_ANSWER;
  r.rebase = b->kind == WEFT_L1_EVENT_KIND_REBASE;
  return r;
}

/* The waiters that the fill register still owes an answer, as a set. */
static uint64_t answers_left(const struct weft_l1 *s)
{
  return s->fill_full ? weft_l1_misses(s)[s->fill_miss].waiters : 0;
}

/* The bank whose answer is first for this CU, or -1. */
static int answering_bank(const struct weft_timed *t, const struct weft_timed_l1 *u, unsigned node)
{
  uint32_t ready = 0;
  for (uint32_t left = u->answers; left; left &= left - 1U) {
    unsigned b = weft_lowest(left);
    if (weft_queue_head(&t->l2[node * t->banks + b].l1, t->now))
      ready |= 1U << b;
  }
  return ready ? (int)weft_turn(ready, u->turn) : -1;
}

/* Takes the answer; the CU that the next one is for is told. */
static void take_answer(struct weft_timed *t, struct weft_timed_l1 *u, unsigned node, unsigned bank)
{
  unsigned index = node * t->banks + bank;
  struct weft_queue *q = &t->l2[index].l1;
  weft_timed_pop(t, q, t->at.l2 + index);
  u->turn = bank + 1U;
  u->answers &= ~(1U << bank);
  if (q->count)
    weft_timed_answers(t, node, bank);
}

static bool choose_response(struct weft_timed *t, struct weft_timed_l1 *u, bool fills)
{
  unsigned node = u->node;
  int bank = answering_bank(t, u, node);
  if (bank < 0)
    return false;
  const struct weft_l1_rsp *r = weft_queue_head(&t->l2[node * t->banks + (unsigned)bank].l1, t->now);
  if (r->kind != WEFT_RSP_KIND_FENCE && (answers_left(u->state) || fills))
    return false;
  struct weft_l1_event *a = &u->work[u->at ^ 1];
  a->kind = WEFT_L1_EVENT_KIND_RESPONSE;
  weft_copy_l1_rsp(&a->rsp, r, u->state->line);
  take_answer(t, u, node, (unsigned)bank);
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

/* More than `taken` of a table's entries are free; `taken` is 0 or 1. */
static bool more_free(uint32_t capacity, uint64_t used, bool taken)
{
  uint64_t left = ~used & weft_ones(capacity);
  return taken ? left & (left - 1) : left;
}

/* Under leases an operation also waits for the transaction of its line. What stage B is about to do to lines, clock and
 * misses must be done before stage A can tell. */
static bool waits_for_line(const struct weft_l1 *s, const struct weft_cu_req *r, struct behind b)
{
  uint64_t line = r->address >> s->line_shift;
  bool causal = s->lease.mode == WEFT_LEASE_CAUSAL;
  bool same = b.op && (b.work->cu.address >> s->line_shift == line || (causal && b.work->cu.warp == r->warp));
  return s->lease.mode && (b.fills || b.fence_step || b.rebase || same || weft_l1_locked(s, r));
}

static bool choose_op(struct weft_timed *t, struct weft_timed_l1 *u, unsigned port, bool room,
                      struct behind b)
{
  const struct weft_l1 *s = u->state;
  const struct weft_cu_req *r = u->shown;
  bool fence_behind = b.op && b.work->cu.op == WEFT_CU_OP_FENCE && b.work->cu.warp == r->warp;
  if (!room || !more_free(s->misses, s->miss_used, b.op) || !more_free(s->waiters, s->waiter_used, b.op) ||
      fence_behind || r->warp >= s->warps || weft_l1_warps(s)[r->warp].pending || waits_for_line(s, r, b))
    return false;
  struct weft_l1_event *a = &u->work[u->at ^ 1];
  a->kind = WEFT_L1_EVENT_KIND_OP;
  weft_copy_cu_req(&a->cu, r, s->line);
  u->shown = NULL;
  struct weft_timed_dma *d = weft_timed_dma_of(t, u);
  if (d)
    weft_timed_dma_taken(t, d, port);
  else
    t->host.take(t->host.context, port);
  return true;
}

/* What stage A takes, in the RTL's order of preference; true if it takes something. */
static bool choose(struct weft_timed *t, struct weft_timed_l1 *u, unsigned port)
{
  if (t->rebase.phase == WEFT_REBASE_L1S && !u->rebased) {
    u->work[u->at ^ 1].kind = WEFT_L1_EVENT_KIND_REBASE;
    u->rebased = true;
    return true;
  }
  const struct weft_l1 *s = u->state;
  struct behind b = look_behind(u);
  bool room = weft_queue_free(&u->out, t->now) > (b.op || b.fence_step);
  uint64_t answers = answers_left(s);
  if (b.answer ? answers & (answers - 1) : answers) {
    u->work[u->at ^ 1].kind = WEFT_L1_EVENT_KIND_ANSWER;
    return true;
  }
  return (u->answers && choose_response(t, u, b.fills)) ||
         (s->fences && !b.fence_step && choose_fence(u, room)) ||
         (u->shown && choose_op(t, u, port, room, b));
}

void weft_timed_l1_choose(struct weft_timed *t, unsigned port)
{
  struct weft_timed_l1 *u = &t->l1[port];
  uint64_t stalls = weft_timed_stalled(t, u->stalling);
  if (stalls && u->locked)
    u->counters[WEFT_CU_COUNTER_L1_LOCKED] += stalls;
  u->stalling = 0;
  struct weft_timed_dma *d = weft_timed_dma_of(t, u);
  if (d)
    u->shown = weft_timed_dma_show(t, d, port);
  else if (!u->shown)
    u->shown = t->host.show(t->host.context, port, t->now);
  bool starts = t->rebase.phase == WEFT_REBASE_L1S && !u->rebased;
  if (!u->b_left && (u->shown || u->answers || u->state->fill_full || u->state->fences || starts))
    u->a_valid = choose(t, u, port);
  u->locked = u->shown && weft_l1_locked(u->state, u->shown);
  if (u->shown)
    stalls++;
  u->counters[WEFT_CU_COUNTER_L1_LOCKED] += u->locked;
  if (stalls)
    u->counters[WEFT_CU_COUNTER_L1_STALLS] += stalls;
}

static void send(struct weft_timed *t, struct weft_timed_l1 *u, unsigned port, const struct weft_l1_req *r)
{
  weft_copy_l1_req(weft_queue_push(&u->out, t->now), r, u->state->line);
  if (u->out.count == 1)
    weft_timed_asks(t, port);
}

/* Stage B in the cycle in which its step takes effect. */
static void take_effect(struct weft_timed *t, struct weft_timed_l1 *u, unsigned port)
{
  const struct weft_l1_event *b = &u->work[u->at];
  const char *wrong = weft_l1_step(u->state, b, &u->c);
  if (wrong && !t->wrong)
    t->wrong = wrong;
  weft_count_l1(u->counters, b, &u->c);
  if (t->observer && t->observer->l1)
    t->observer->l1(t->observer->context, u->node, u->cu, t->now + 1, b, &u->c);
  if (u->c.sent)
    send(t, u, port, &u->c.out);
}

static void sleep_until_shown(struct weft_timed *t, unsigned port)
{
  uint64_t next = t->host.next(t->host.context, port);
  if (next != WEFT_NEVER)
    weft_wake_after(t, t->at.l1 + port, next);
}

void weft_timed_l1_step(struct weft_timed *t, unsigned port)
{
  struct weft_timed_l1 *u = &t->l1[port];
  struct weft_timed_dma *d = weft_timed_dma_of(t, u);
  const struct weft_cu_rsp *answer = u->c_valid && u->c.answered ? &u->c.done : NULL;
  if (d)
    weft_timed_dma_step(t, d, port, answer);
  else if (answer)
    t->host.answer(t->host.context, port, answer, t->now);
  u->c_valid = u->b_valid && !u->b_left;
  if (u->b_left) {
    u->b_left--;
    weft_wake_l1(t, port);
    return;
  }
  if (u->b_valid)
    take_effect(t, u, port);
  u->b_valid = u->a_valid;
  u->b_left = u->b_valid ? (uint8_t)(t->config.l1_interval - 1) : 0;
  u->a_valid = false;
  u->at ^= 1;
  /* With an empty pipeline nothing of its own can change what it chose, which was nothing. */
  if (u->b_valid || u->c_valid || (d && !weft_dma_idle(d->state)))
    weft_wake_l1(t, port);
  else if (u->shown)
    u->stalling = t->now + 2;
  else
    sleep_until_shown(t, port);
}
