/* SPDX-License-Identifier: Apache-2.0 */
/* What a node may do by itself; and, as a reduction, what it does at once.
 *
 * A step is done at once if it commutes with everything that could happen before it, whoever does that, and takes
 * no possibility away: then every run has an equivalent one in which it happens first, with the same results of all
 * loads and the same end, and a deadlock stays one (a persistent set of one step). None of them can repeat for ever.
 * docs/explore.md argues for each. */
#include "machine.h"

static void add(struct explore_try *list, unsigned *count, unsigned room, enum explore_action action,
                unsigned argument)
{
  if (*count < room)
    list[(*count)++] = (struct explore_try){ (uint8_t)action, (uint16_t)argument };
}

unsigned weft_explore_tries(const struct explore_machine *m, const struct explore_node *n,
                            struct explore_try *list, unsigned room)
{
  unsigned count = 0;
  for (unsigned t = 0; t < m->shape->threads; t++) {
    if (m->placement.thread[t].node != n->id)
      continue;
    add(list, &count, room, EXPLORE_ISSUE, t);
    add(list, &count, room, EXPLORE_FENCE_SEND, t);
    add(list, &count, room, EXPLORE_FENCE_DONE, t);
  }
  for (unsigned i = 0; i < EXPLORE_BAG && n->rest.to_l1[i]; i++)
    if (!i || n->rest.to_l1[i] != n->rest.to_l1[i - 1])
      add(list, &count, room, EXPLORE_L1_TAKES, i);
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++) {
    add(list, &count, room, EXPLORE_L1_ANSWERS, cu);
    add(list, &count, room, EXPLORE_L2_TAKES, cu);
  }
  add(list, &count, room, EXPLORE_L2_ANSWERS, 0);
  add(list, &count, room, EXPLORE_REPLAY, 0);
  for (uint64_t used = n->l2->fetch_used; used; used &= used - 1)
    add(list, &count, room, EXPLORE_MEMORY, weft_lowest(used));
  add(list, &count, room, EXPLORE_MARKER_SEND, 0);
  add(list, &count, room, EXPLORE_MARKER_GO, 0);
  add(list, &count, room, EXPLORE_SEEN_SENT, 0);
  add(list, &count, room, EXPLORE_BLOCK, 0);
  add(list, &count, room, EXPLORE_FORWARD_POP, 0);
  if (weft_protocol_rows[m->options.protocol].writeback)
    for (unsigned at = 0; at < m->config.l2_sets * m->config.l2_ways; at++)
      add(list, &count, room, EXPLORE_WRITE_BACK, at);
  if (m->options.rebase) {
    add(list, &count, room, EXPLORE_REBASE_L2, 0);
    for (unsigned cu = 0; cu < EXPLORE_CUS; cu++)
      add(list, &count, room, EXPLORE_REBASE_L1, cu);
  }
  if (m->options.drops == 0 || m->options.tight)
    return count;
  for (unsigned set = 0; set < m->config.l1_sets; set++)
    for (unsigned cu = 0; cu < EXPLORE_CUS; cu++)
      add(list, &count, room, EXPLORE_DROP_L1, cu << 8 | set);
  for (unsigned set = 0; set < m->config.l2_sets; set++)
    add(list, &count, room, EXPLORE_DROP_L2, set);
  for (unsigned way = 0; m->leases && way < m->config.tsu_ways; way++)
    add(list, &count, room, EXPLORE_DROP_TSU, way);
  return count;
}

bool weft_explore_node_rests(const struct explore_machine *m, const struct explore_node *n)
{
  for (unsigned t = 0; t < m->shape->threads; t++)
    if (m->placement.thread[t].node == n->id && n->rest.thread[t].done != (1U << m->shape->count[t]) - 1U)
      return false;
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++)
    if (n->rest.to_l2[cu] || !weft_l1_idle(n->l1[cu]))
      return false;
  return !n->rest.to_l1[0] && weft_l2_idle(n->l2);
}

/* The unit that keeps the times is the only one that speaks so of itself. */
static bool late(const struct explore_node *n, const struct weft_l2_event *in)
{
  const char *reason = weft_l2_refuses(n->l2, in);
  return reason && !strncmp(reason, "tsu: ", 5);
}

bool weft_explore_node_late(const struct explore_store *s, const struct explore_node *n, uint16_t message)
{
  struct weft_l2_event in;
  memset(&in, 0, sizeof in);
  if (message) {
    in.kind = WEFT_L2_EVENT_KIND_REQUEST;
    in.req = weft_explore_message_at(s, message)->req;
    return late(n, &in);
  }
  in.kind = WEFT_L2_EVENT_KIND_REPLAY;
  if (n->l2->replay_full && late(n, &in))
    return true;
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++) {
    struct weft_l2_event own = weft_explore_cu_event(s, n, n->rest.to_l2[cu]);
    if (n->rest.to_l2[cu] && late(n, &own))
      return true;
  }
  return false;
}

/* ---------------------------------------------------------------- what is done at once */

/* The L1 of a fence's response, an atomic's, or a line's whose miss is closed: none of them touches a copy, and
 * nobody can join them any more. Under leases only the fence's: the others move the clock, and that ends leases. */
static bool touches_no_copy(const struct explore_machine *m, const struct explore_node *n,
                            const struct weft_l1_rsp *r)
{
  if (m->leases)
    return r->kind == WEFT_RSP_KIND_FENCE;
  return r->kind != WEFT_RSP_KIND_LINE || !(n->l1[r->cu]->miss_open & weft_bit(r->id));
}

static bool settle_bag(struct explore_context *c, struct explore_node *n)
{
  struct explore_sent sent;
  for (unsigned i = 0; i < EXPLORE_BAG && n->rest.to_l1[i]; i++)
    if (touches_no_copy(c->m, n, &weft_explore_message_at(c->s, n->rest.to_l1[i])->l1_rsp) &&
        weft_explore_step(c, n, EXPLORE_L1_TAKES, i, &sent))
      return true;
  return false;
}

/* A fence of a thread that is alone in its CU: with its loads answered, nothing else happens in that L1. */
static bool settle_fences(struct explore_context *c, struct explore_node *n)
{
  const struct explore_machine *m = c->m;
  struct explore_sent sent;
  for (unsigned t = 0; t < m->shape->threads; t++) {
    const struct explore_thread *thread = &n->rest.thread[t];
    if (m->placement.thread[t].node != n->id)
      continue;
    bool fence = thread->pc < m->shape->count[t] && m->shape->op[t][thread->pc].kind == WEFT_CU_OP_FENCE;
    if (fence && weft_explore_step(c, n, EXPLORE_ISSUE, t, &sent))
      return true;
    if (m->alone[t] && (weft_explore_step(c, n, EXPLORE_FENCE_SEND, t, &sent) ||
                        weft_explore_step(c, n, EXPLORE_FENCE_DONE, t, &sent)))
      return true;
  }
  return false;
}

/* A replay that answers no other node: requests, markers and memory wait for it anyway. */
static bool settle_replay(struct explore_context *c, struct explore_node *n)
{
  struct explore_sent sent;
  if (!n->l2->replay_full || c->m->options.rebase) /* a home that has stopped replays nothing */
    return false;
  const struct weft_l2_parked *p = weft_l2_parked(n->l2, weft_l2_fetches(n->l2)[n->l2->replay_fetch].first);
  return (p->src == n->id || (p->kind == WEFT_REQ_KIND_WRITE && !c->m->leases)) &&
         weft_explore_step(c, n, EXPLORE_REPLAY, 0, &sent);
}

/* The INV of a line that no variable is in: nobody has ever asked for it. */
static bool settle_block(struct explore_context *c, struct explore_node *n)
{
  struct explore_sent sent;
  if (!n->rest.block)
    return false;
  uint64_t address =
    weft_explore_message_at(c->s, n->rest.block)->fwd.address + n->l2->block_next * EXPLORE_LINE;
  return weft_explore_variable_of(c->m, address) < 0 && weft_explore_step(c, n, EXPLORE_BLOCK, 0, &sent);
}

static bool settle_answers(struct explore_context *c, struct explore_node *n)
{
  struct explore_sent sent;
  for (unsigned cu = 0; cu < EXPLORE_CUS; cu++)
    if (weft_explore_step(c, n, EXPLORE_L1_ANSWERS, cu, &sent))
      return true;
  return weft_explore_step(c, n, EXPLORE_L2_ANSWERS, 0, &sent);
}

void weft_explore_settle(struct explore_context *c, struct explore_node *n)
{
  while (settle_answers(c, n) || settle_bag(c, n) || settle_fences(c, n) || settle_replay(c, n) ||
         settle_block(c, n))
    ;
}

bool weft_explore_settles(const struct explore_machine *m, const struct explore_node *n,
                          const struct explore_message *message)
{
  const struct weft_rsp *r = &message->rsp;
  if (message->class != EXPLORE_RESPONSE || m->leases)
    return false;
  switch (r->kind) {
  case WEFT_RSP_KIND_ATOMIC:
    return true;
  case WEFT_RSP_KIND_ACK:
    return !r->seen;
  case WEFT_RSP_KIND_LINE:
    return !(n->l2->miss_open & weft_bit(r->id));
  default:
    return false;
  }
}
