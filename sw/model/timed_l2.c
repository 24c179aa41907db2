/* SPDX-License-Identifier: Apache-2.0 */
/* Stages B and C of an L2 bank: the step, and where its messages go. */
#include "counters.h"
#include "timed_parts.h"

/* Stage C: what needed the data RAM leaves one cycle after the step; where steps take several, two or three. */
static void deliver(struct weft_timed *t, struct weft_timed_l2 *u, unsigned index)
{
  unsigned node = u->node, line = u->state->line;
  const struct weft_l2_event *c = &u->c;
  if (c->sent_rsp) {
    weft_copy_rsp(weft_queue_push(&u->rsp, t->now), &c->out_rsp, line);
    weft_wake_after(t, t->up[node].unit, t->up[node].open);
  }
  if (c->sent_l1) {
    weft_copy_l1_rsp(weft_queue_push(&u->l1, t->now), &c->out_l1, line);
    if (u->l1.count == 1)
      weft_timed_answers(t, node, u->bank);
  }
  if (c->sent_mem) {
    weft_copy_mem_req(weft_queue_push(&u->mem, t->now), &c->out_mem, line);
    weft_wake_after(t, t->at.memory + index, t->memory[index].next);
  }
}

/* Answers between nodes, and the walk of a TSU that forgets, one set in a cycle. */
static void follow_time(struct weft_timed *t, struct weft_timed_l2 *u, const struct weft_l2_event *b)
{
  t->flying += u->c.sent_rsp && weft_rsp_answers(u->c.out_rsp.kind);
  t->flying -= b->kind == WEFT_L2_EVENT_KIND_RESPONSE && weft_rsp_answers(b->rsp.kind);
  if (b->kind == WEFT_L2_EVENT_KIND_REBASE)
    u->ready = t->now + 1 + weft_l2_tsu(u->state)->sets;
}

/* What leaves by stage B, not by stage C: seen by the link, or by the egress queue, from the next cycle on. */
static void send_request(struct weft_timed *t, struct weft_timed_l2 *u)
{
  unsigned node = u->node;
  weft_copy_req(weft_queue_push(&u->req, t->now), &u->c.out_req, u->state->line);
  if (t->egress[node].state)
    weft_wake(t, t->at.egress + node, t->now + 1);
  else
    weft_wake_after(t, t->up[node].unit, t->up[node].open);
}

static void send_forward(struct weft_timed *t, struct weft_timed_l2 *u, uint64_t seen)
{
  struct weft_timed_link *up = &t->up[u->node];
  u->fwd_pushed = seen - 1;
  weft_wake_after(t, up->unit, up->open > seen ? up->open : seen);
}

static void step(struct weft_timed *t, struct weft_timed_l2 *u)
{
  unsigned node = u->node;
  const struct weft_l2_event *b = &u->work[u->at];
  const char *wrong = weft_l2_step(u->state, b, &u->c, &u->dir);
  if (wrong && !t->wrong)
    t->wrong = wrong;
  weft_count_l2(u->counters, b, &u->c, &u->dir, node, t->nodes);
  if (u->state->lease.mode)
    follow_time(t, u, b);
  if (t->observer && t->observer->l2)
    t->observer->l2(t->observer->context, node, u->bank, t->now + 1, b, &u->c, &u->dir);
  u->c_valid = true;
  u->c_left = u->late;
  if (u->c.sent_req && !weft_timed_request_late(u))
    send_request(t, u);
  if (u->c.sent_fwd)
    send_forward(t, u, t->now + 1 + (u->c_left == 2));
}

uint8_t weft_timed_tries(const struct weft_timed *t, const struct weft_timed_l2 *u)
{
  return (uint8_t)(2U + u->late + (t->config.l2_interval > 3));
}

/* Cycles that the step in stage B stays there beyond its first. An atomic that may fail is tried first, under leases: its word is read,
 * counted out and compared, so that the TSU knows what it is asked (`TryCycles` of rtl/cache/l2_pkg.sv). */
static uint8_t stays(const struct weft_timed *t, const struct weft_timed_l2 *u)
{
  unsigned interval = (unsigned)t->config.l2_interval;
  unsigned tries = u->b_valid && weft_home_tries(u->state, &u->work[u->at]) ? weft_timed_tries(t, u) : 0;
  return (uint8_t)(interval - 1 + tries);
}

void weft_timed_l2_step(struct weft_timed *t, unsigned index)
{
  struct weft_timed_l2 *u = &t->l2[index];
  bool delivers = u->c_valid && !u->c_left; /* and has kept room until now */
  if (delivers)
    deliver(t, u, index);
  if (weft_timed_request_late(u))
    send_request(t, u);
  u->c_valid = u->c_valid && u->c_left;
  u->c_left -= u->c_valid;
  if (u->b_valid && u->b_left) {
    u->b_left--;
    weft_wake_l2(t, index);
    return;
  }
  if (u->b_valid)
    step(t, u);
  u->b_valid = u->a_valid;
  u->a_valid = false;
  u->at ^= 1;
  u->b_left = stays(t, u);
  /* With an empty pipeline nothing of its own can change what it chose, which was nothing. */
  if (u->b_valid || u->c_valid || (u->blocked && delivers))
    weft_wake_l2(t, index);
  else if (u->stalls)
    u->stalling = t->now + 2;
}
