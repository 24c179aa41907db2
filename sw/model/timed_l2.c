/* SPDX-License-Identifier: Apache-2.0 */
/* Stages B and C of an L2 bank: the step, and where its messages go. */
#include "counters.h"
#include "timed_parts.h"

/* Stage C: what needed the data RAM leaves one cycle after the step. */
static void deliver(struct weft_timed *t, struct weft_timed_l2 *u, unsigned index)
{
  unsigned node = index / t->banks;
  const struct weft_l2_event *c = &u->c;
  if (c->sent_rsp) {
    *(struct weft_rsp *)weft_queue_push(&u->rsp, t->now) = c->out_rsp;
    weft_wake_at(&t->up[node].wake, t->now + 1);
  }
  if (c->sent_l1) {
    *(struct weft_l1_rsp *)weft_queue_push(&u->l1, t->now) = c->out_l1;
    weft_wake_at(&t->l1[node * t->cus + c->out_l1.cu].wake, t->now + 1);
  }
  if (c->sent_mem) {
    *(struct weft_mem_req *)weft_queue_push(&u->mem, t->now) = c->out_mem;
    weft_wake_at(&t->memory[index].wake, t->now + 1);
  }
}

static void step(struct weft_timed *t, struct weft_timed_l2 *u, unsigned index)
{
  unsigned node = index / t->banks;
  const struct weft_l2_event *b = &u->work[u->at];
  const char *wrong = weft_l2_step(u->state, b, &u->c, &u->dir);
  if (wrong && !t->wrong)
    t->wrong = wrong;
  weft_count_l2(t->counters + node * t->per_node, b, &u->c, &u->dir, node, t->nodes);
  if (u->c.sent_req)
    *(struct weft_req *)weft_queue_push(&u->req, t->now) = u->c.out_req;
  if (u->c.sent_req || u->c.sent_fwd)
    weft_wake_at(&t->up[node].wake, t->now + 1);
}

/* The first cycle in which a stream of the link towards this bank's node can be read. */
static uint64_t next_message(const struct weft_timed *t, unsigned node)
{
  uint64_t first = WEFT_NEVER;
  for (unsigned c = 0; c < WEFT_LINK_CLASSES; c++)
    weft_wake_at(&first, weft_link_ready(t->down[node].state, (enum weft_link_class)c));
  return first;
}

static uint64_t next_wake(const struct weft_timed *t, const struct weft_timed_l2 *u, unsigned index)
{
  const struct weft_l2 *s = u->state;
  unsigned node = index / t->banks, bank = index % t->banks;
  if (u->b_valid || u->c_valid || s->fill_full || s->replay_full || s->release_sending || s->marker_used)
    return t->now + 1;
  for (unsigned k = 0; k < t->cus; k++) {
    const struct weft_queue *q = &t->l1[node * t->cus + k].out;
    if (q->count &&
        weft_timed_bank_of(t, ((const struct weft_l1_req *)weft_queue_slot(q, q->head))->address) == bank)
      return t->now + 1;
  }
  uint64_t wake = next_message(t, node);
  const struct weft_queue *answers = &t->memory[index].answers;
  if (answers->count)
    weft_wake_at(&wake, ((const struct weft_timed_answer *)weft_queue_slot(answers, answers->head))->visible);
  return wake <= t->now ? t->now + 1 : wake;
}

void weft_timed_l2_step(struct weft_timed *t, unsigned index)
{
  struct weft_timed_l2 *u = &t->l2[index];
  if (u->c_valid)
    deliver(t, u, index);
  u->c_valid = u->b_valid;
  if (u->b_valid)
    step(t, u, index);
  u->b_valid = u->a_valid;
  u->a_valid = false;
  u->at ^= 1;
  u->wake = next_wake(t, u, index);
}
