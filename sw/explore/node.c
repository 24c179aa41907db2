/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of one node: events for the model's units, and what becomes of their effects. */
#include "machine.h"
#include "messages.h"
#include "words.h"

/* ---------------------------------------------------------------- effects */

static uint16_t number_of(struct explore_context *c, const struct explore_message *message)
{
  return (uint16_t)weft_intern(&c->s->message, message, NULL);
}

static bool bag_has_room(const struct explore_rest *r)
{
  return r->to_l1[EXPLORE_BAG - 1] == 0;
}

/* Sorted downwards, so that equal bags are equal bytes and empty places are behind. */
static void bag_put(struct explore_rest *r, uint16_t message)
{
  unsigned at = EXPLORE_BAG - 1;
  for (; at && r->to_l1[at - 1] < message; at--)
    r->to_l1[at] = r->to_l1[at - 1];
  r->to_l1[at] = message;
}

static void bag_take(struct explore_rest *r, unsigned at)
{
  for (; at + 1 < EXPLORE_BAG; at++)
    r->to_l1[at] = r->to_l1[at + 1];
  r->to_l1[EXPLORE_BAG - 1] = 0;
}

static void write_memory(struct explore_context *c, struct explore_node *n, const struct weft_mem_req *r)
{
  int v = weft_explore_variable_of(c->m, r->address);
  if (v < 0)
    return;
  uint8_t *line = n->rest.memory[v];
  memcpy(line, r->data, EXPLORE_LINE);
  if (c->m->options.fault == WEFT_FAULT_MEMORY_LOSES_BYTE)
    line[0] = 0;
}

static void send_request(struct explore_context *c, const struct weft_req *r, struct explore_sent *sent)
{
  struct explore_message message = { .class = EXPLORE_REQUEST };
  weft_copy_req(&message.req, r, EXPLORE_LINE);
  sent->message[EXPLORE_REQUEST] = number_of(c, &message);
}

static void send_response(struct explore_context *c, const struct weft_rsp *r, struct explore_sent *sent)
{
  struct explore_message message = { .class = EXPLORE_RESPONSE };
  weft_copy_rsp(&message.rsp, r, EXPLORE_LINE);
  sent->message[EXPLORE_RESPONSE] = number_of(c, &message);
}

static void send_to_l1(struct explore_context *c, struct explore_node *n, const struct weft_l1_rsp *r)
{
  struct explore_message message = { .class = EXPLORE_TO_L1 };
  weft_copy_l1_rsp(&message.l1_rsp, r, EXPLORE_LINE);
  bag_put(&n->rest, number_of(c, &message));
}

/* ---------------------------------------------------------------- L1 */

static void take_answer(struct explore_context *c, struct explore_node *n, unsigned cu,
                        const struct weft_cu_rsp *r)
{
  int t = weft_explore_thread_at(c->m, n->id, cu, r->warp);
  if (t < 0 || r->tag >= EXPLORE_OPS)
    return;
  struct explore_thread *thread = &n->rest.thread[t];
  const struct explore_op *op = &c->m->shape->op[t][r->tag];
  thread->done |= (uint8_t)(1U << r->tag);
  if (op->result >= 0) {
    unsigned at = op->kind == WEFT_CU_OP_LOAD ? (unsigned)(c->m->address[op->variable] % EXPLORE_LINE) : 0;
    memcpy(&thread->result[r->tag], r->data + at, sizeof thread->result[r->tag]);
  }
  weft_explore_log_answer(c, (unsigned)t, r->tag, thread->result[r->tag]);
}

static bool step_l1(struct explore_context *c, struct explore_node *n, unsigned cu,
                    const struct weft_l1_event *in)
{
  struct weft_l1 *l1 = n->l1[cu];
  struct weft_l1_event out;
  memset(&out, 0, sizeof out);
  if (weft_l1_step(l1, in, &out))
    return false;
  if (out.sent) {
    struct explore_message message = { .class = EXPLORE_TO_L2 };
    weft_copy_l1_req(&message.l1_req, &out.out, EXPLORE_LINE);
    n->rest.to_l2[cu] = number_of(c, &message);
  }
  weft_explore_log_l1(c, n, cu, in, &out);
  if (out.answered)
    take_answer(c, n, cu, &out.done);
  return true;
}

/* Whether an operation would need the queue towards the L2: only a weak load may do without. */
static bool needs_queue(const struct explore_machine *m, const struct explore_node *n, unsigned cu,
                        const struct explore_op *op)
{
  if (op->kind == WEFT_CU_OP_FENCE)
    return false;
  if (op->kind != WEFT_CU_OP_LOAD || op->order != WEFT_ORDER_WEAK)
    return true;
  const struct weft_l1 *l1 = n->l1[cu];
  uint64_t line = m->address[op->variable] / EXPLORE_LINE * EXPLORE_LINE;
  struct weft_lines *lines = weft_l1_lines(l1);
  uint64_t set = weft_offset_of(line) / EXPLORE_LINE & (lines->sets - 1U);
  int way = weft_lines_find(lines, set, line);
  if (way != WEFT_NO_WAY &&
      (!m->leases || l1->lease.clock <= weft_lines_stamps(lines, set, (unsigned)way)->rts))
    return false;
  for (uint64_t open = l1->miss_open & ~l1->miss_store; open; open &= open - 1)
    if (weft_l1_misses(l1)[weft_lowest(open)].line == line)
      return false;
  return true;
}

static bool register_known(const struct explore_machine *m, const struct explore_thread *thread, int reg)
{
  return reg < 0 || (thread->done & 1U << m->shape->reg_op[reg]);
}

static uint32_t register_value(const struct explore_machine *m, const struct explore_thread *thread, int reg)
{
  return reg < 0 ? 0 : thread->result[m->shape->reg_op[reg]];
}

static void put_operands(struct weft_cu_req *r, const struct explore_op *op, unsigned at, uint32_t value)
{
  if (op->kind == WEFT_CU_OP_ATOMIC) {
    uint32_t compare = explore_wide(op->compare);
    memcpy(r->data, &value, sizeof value);
    memcpy(r->data + 8, &compare, sizeof compare);
  } else {
    r->mask[0] = UINT64_C(0xf) << at;
    if (op->kind == WEFT_CU_OP_STORE)
      memcpy(r->data + at, &value, sizeof value);
  }
}

static bool issue(struct explore_context *c, struct explore_node *n, unsigned t)
{
  const struct explore_machine *m = c->m;
  const struct explore_place *p = &m->placement.thread[t];
  struct explore_thread *thread = &n->rest.thread[t];
  if (p->node != n->id || thread->pc >= m->shape->count[t])
    return false;
  unsigned tag = thread->pc;
  const struct explore_op *op = &m->shape->op[t][tag];
  if (!register_known(m, thread, op->guard) || !register_known(m, thread, op->plus))
    return false;
  if (op->guard >= 0 && register_value(m, thread, op->guard) != explore_wide(op->guard_value)) {
    thread->done |= (uint8_t)(1U << tag);
    thread->skipped |= (uint8_t)(1U << tag);
    thread->pc++;
    weft_explore_log_skip(c, t, tag);
    return true;
  }
  if (n->rest.to_l2[p->cu] && needs_queue(m, n, p->cu, op))
    return false;
  struct weft_l1_event in = { .kind = WEFT_L1_EVENT_KIND_OP,
                              .cu = { .warp = p->warp,
                                      .tag = (uint8_t)tag,
                                      .op = op->kind,
                                      .func = op->func,
                                      .order = op->order,
                                      .scope = op->scope } };
  if (op->kind != WEFT_CU_OP_FENCE)
    in.cu.address = m->address[op->variable];
  put_operands(&in.cu, op, (unsigned)(in.cu.address % EXPLORE_LINE),
               explore_wide(op->value) + register_value(m, thread, op->plus));
  thread->pc++;
  if (step_l1(c, n, p->cu, &in))
    return true;
  thread->pc--;
  return false;
}

static bool fence(struct explore_context *c, struct explore_node *n, unsigned t, uint8_t kind)
{
  const struct explore_place *p = &c->m->placement.thread[t];
  if (p->node != n->id || (kind == WEFT_L1_EVENT_KIND_FENCE_SEND && n->rest.to_l2[p->cu]))
    return false;
  struct weft_l1_event in = { .kind = kind, .warp = p->warp };
  return step_l1(c, n, p->cu, &in);
}

static bool l1_takes(struct explore_context *c, struct explore_node *n, unsigned at)
{
  if (at >= EXPLORE_BAG || !n->rest.to_l1[at])
    return false;
  struct weft_l1_event in = { .kind = WEFT_L1_EVENT_KIND_RESPONSE };
  in.rsp = weft_explore_message_at(c->s, n->rest.to_l1[at])->l1_rsp;
  if (weft_l1_refuses(n->l1[in.rsp.cu], &in))
    return false;
  bag_take(&n->rest, at);
  return step_l1(c, n, in.rsp.cu, &in);
}

static bool l1_alone(struct explore_context *c, struct explore_node *n, unsigned cu, uint8_t kind)
{
  struct weft_l1_event in = { .kind = kind };
  return step_l1(c, n, cu, &in);
}

/* ---------------------------------------------------------------- L2 */

static bool step_l2(struct explore_context *c, struct explore_node *n, const struct weft_l2_event *in,
                    struct explore_sent *sent)
{
  struct weft_l2_event out;
  struct weft_dir_event dir;
  if (!bag_has_room(&n->rest))
    return false;
  memset(&out, 0, sizeof out);
  memset(&dir, 0, sizeof dir);
  if (weft_l2_step(n->l2, in, &out, &dir))
    return false;
  if (out.sent_mem && out.out_mem.write)
    write_memory(c, n, &out.out_mem);
  if (out.sent_req)
    send_request(c, &out.out_req, sent);
  if (out.sent_rsp)
    send_response(c, &out.out_rsp, sent);
  if (out.sent_l1)
    send_to_l1(c, n, &out.out_l1);
  weft_explore_log_l2(c, n, in, &out, &dir);
  return true;
}

static bool step_l2_alone(struct explore_context *c, struct explore_node *n, uint8_t kind,
                          struct explore_sent *sent)
{
  struct weft_l2_event in;
  memset(&in, 0, sizeof in);
  in.kind = kind;
  return step_l2(c, n, &in, sent);
}

struct weft_l2_event weft_explore_cu_event(const struct explore_store *s, const struct explore_node *n,
                                           uint16_t number)
{
  const struct weft_l1_req *r = &weft_explore_message_at(s, number)->l1_req;
  struct weft_l2_event in;
  memset(&in, 0, sizeof in);
  in.kind = WEFT_L2_EVENT_KIND_CU;
  in.order = r->order;
  in.scope = r->scope;
  in.req.kind = r->kind;
  in.req.src = (uint8_t)n->id;
  in.req.dst = (uint8_t)weft_home_of(r->address);
  in.req.cu = r->cu;
  in.req.id = r->id;
  in.req.func = r->func;
  in.req.wide = r->wide;
  in.req.era = r->era;
  in.req.cts = r->cts;
  in.req.address = r->address;
  memcpy(in.req.mask, r->mask, sizeof in.req.mask);
  memcpy(in.req.data, r->data, EXPLORE_LINE);
  if (r->kind == WEFT_REQ_KIND_FENCE) /* any address of the bank; the bank is 0 */
    in.req.dst = 0;
  return in;
}

static bool l2_takes(struct explore_context *c, struct explore_node *n, unsigned cu,
                     struct explore_sent *sent)
{
  if (!n->rest.to_l2[cu])
    return false;
  struct weft_l2_event in = weft_explore_cu_event(c->s, n, n->rest.to_l2[cu]);
  if (weft_l2_refuses(n->l2, &in))
    return false;
  n->rest.to_l2[cu] = 0;
  return step_l2(c, n, &in, sent);
}

static bool memory(struct explore_context *c, struct explore_node *n, unsigned fetch,
                   struct explore_sent *sent)
{
  struct weft_l2_event in;
  memset(&in, 0, sizeof in);
  in.kind = WEFT_L2_EVENT_KIND_MEMORY;
  in.index = in.rsp.id = (uint8_t)fetch;
  if (fetch >= n->l2->fetches || !(n->l2->fetch_used & weft_bit(fetch)))
    return false;
  int v = weft_explore_variable_of(c->m, weft_l2_fetches(n->l2)[fetch].line);
  if (v >= 0)
    memcpy(in.rsp.data, n->rest.memory[v], EXPLORE_LINE);
  return step_l2(c, n, &in, sent);
}

static bool seen(struct explore_context *c, struct explore_node *n, struct explore_sent *sent)
{
  struct weft_l2_event in;
  if (!n->l2->half_full)
    return false;
  memset(&in, 0, sizeof in);
  in.kind = WEFT_L2_EVENT_KIND_SEEN;
  in.fwd.kind = WEFT_FWD_KIND_MARK;
  in.fwd.src = n->l2->half_home;
  in.fwd.stamp = n->l2->half_stamp;
  return step_l2(c, n, &in, sent);
}

static bool forward_pop(struct explore_context *c, struct explore_node *n, struct explore_sent *sent)
{
  struct explore_message message = { .class = EXPLORE_FORWARD };
  struct weft_fwd f;
  memset(&f, 0, sizeof f);
  if (!weft_l2_pop_forward(n->l2, &f))
    return false;
  if (f.kind == WEFT_FWD_KIND_INV)
    f.stamp = 0;             /* only a MARK's is looked at */
  message.fwd.kind = f.kind; /* field by field: no padding comes along */
  message.fwd.src = f.src;
  message.fwd.dst = f.dst;
  message.fwd.block = f.block;
  message.fwd.cause = f.cause;
  message.fwd.releaser = f.releaser;
  message.fwd.id = f.id;
  message.fwd.stamp = f.stamp;
  message.fwd.address = f.address;
  sent->message[EXPLORE_FORWARD] = number_of(c, &message);
  weft_explore_log_forward(c, n, &f);
  return true;
}

/* An INV of a block has an event for each of its lines; in between it is the node's. */
static bool invalidate(struct explore_context *c, struct explore_node *n, uint16_t number,
                       struct explore_sent *sent)
{
  struct weft_l2_event in;
  if (!number)
    return false;
  memset(&in, 0, sizeof in);
  in.kind = WEFT_L2_EVENT_KIND_INV;
  in.fwd = weft_explore_message_at(c->s, number)->fwd;
  in.index = n->l2->block_next;
  if (!step_l2(c, n, &in, sent))
    return false;
  n->rest.block = n->l2->block_next ? number : 0;
  return true;
}

static bool deliver(struct explore_context *c, struct explore_node *n, uint16_t number,
                    struct explore_sent *sent)
{
  const struct explore_message *message = weft_explore_message_at(c->s, number);
  struct weft_l2_event in;
  memset(&in, 0, sizeof in);
  switch (message->class) {
  case EXPLORE_REQUEST:
    in.kind = WEFT_L2_EVENT_KIND_REQUEST;
    in.req = message->req;
    break;
  case EXPLORE_FORWARD:
    if (n->rest.block)
      return false;
    if (message->fwd.kind == WEFT_FWD_KIND_INV)
      return invalidate(c, n, number, sent);
    in.kind = WEFT_L2_EVENT_KIND_MARK;
    in.fwd = message->fwd;
    break;
  default:
    in.kind = WEFT_L2_EVENT_KIND_RESPONSE;
    in.rsp = message->rsp;
    break;
  }
  return step_l2(c, n, &in, sent);
}

/* ---------------------------------------------------------------- replacement out of the blue */

static bool drop_l1(struct explore_context *c, struct explore_node *n, unsigned cu, unsigned set)
{
  uint64_t *tag = weft_lines_tags(weft_l1_lines(n->l1[cu]), set);
  if (!*tag)
    return false;
  weft_explore_log_drop(c, n, (int)cu, *tag);
  *tag = 0;
  return true;
}

/* As an install of another line would: a dirty one is written back, the line that is being replayed stays. */
static bool drop_l2(struct explore_context *c, struct explore_node *n, unsigned set,
                    struct explore_sent *sent)
{
  uint64_t *tag = weft_lines_tags(weft_l2_lines(n->l2), set);
  if (!*tag || n->l2->held_full || (n->l2->replay_full && n->l2->replay_set == set))
    return false;
  weft_explore_log_drop(c, n, EXPLORE_NONE, *tag);
  if (*tag & WEFT_TAG_DIRTY) {
    struct weft_l2_event in;
    memset(&in, 0, sizeof in);
    in.kind = WEFT_L2_EVENT_KIND_FLUSH;
    in.req.address = set;
    if (!step_l2(c, n, &in, sent))
      return false;
  }
  *tag = 0;
  return true;
}

/* As a release would, but at any time, and at the end without one: what is written comes home some day. */
static bool write_back(struct explore_context *c, struct explore_node *n, unsigned at,
                       struct explore_sent *sent)
{
  const struct weft_lines *lines = weft_l2_lines(n->l2);
  uint64_t tag = lines->tags[at];
  struct weft_l2_event in;
  if (!(tag & WEFT_TAG_DIRTY) || weft_home_of(tag) == n->id || n->l2->held_full)
    return false;
  memset(&in, 0, sizeof in);
  in.kind = WEFT_L2_EVENT_KIND_FLUSH;
  in.req.address = at / lines->ways;
  in.way = (uint8_t)(at % lines->ways);
  return step_l2(c, n, &in, sent);
}

/* As another block that enters the set would. */
static bool drop_tsu(struct explore_context *c, struct explore_node *n, unsigned way)
{
  struct weft_tsu *tsu = weft_l2_tsu(n->l2);
  struct weft_tsu_entry *entry = weft_tsu_entries(tsu, 0) + way;
  struct weft_tsu_mark *mark = weft_tsu_mark(tsu, 0);
  if (!entry->valid)
    return false;
  weft_explore_log_forgets(c, n, entry->address);
  mark->memts = weft_later(mark->memts, entry->memts);
  mark->wts = weft_later(mark->wts, entry->wts);
  *entry = (struct weft_tsu_entry){ 0 };
  return true;
}

/* ---------------------------------------------------------------- all together */

bool weft_explore_step(struct explore_context *c, struct explore_node *n, enum explore_action action,
                       unsigned argument, struct explore_sent *sent)
{
  memset(sent, 0, sizeof *sent);
  switch (action) {
  case EXPLORE_ISSUE:
    return issue(c, n, argument);
  case EXPLORE_FENCE_SEND:
    return fence(c, n, argument, WEFT_L1_EVENT_KIND_FENCE_SEND);
  case EXPLORE_FENCE_DONE:
    return fence(c, n, argument, WEFT_L1_EVENT_KIND_FENCE_DONE);
  case EXPLORE_L1_TAKES:
    return l1_takes(c, n, argument);
  case EXPLORE_L1_ANSWERS:
    return l1_alone(c, n, argument, WEFT_L1_EVENT_KIND_ANSWER);
  case EXPLORE_L2_TAKES:
    return l2_takes(c, n, argument, sent);
  case EXPLORE_L2_ANSWERS:
    return step_l2_alone(c, n, WEFT_L2_EVENT_KIND_ANSWER, sent);
  case EXPLORE_REPLAY:
    return step_l2_alone(c, n, WEFT_L2_EVENT_KIND_REPLAY, sent);
  case EXPLORE_MEMORY:
    return memory(c, n, argument, sent);
  case EXPLORE_MARKER_SEND:
    return step_l2_alone(c, n, WEFT_L2_EVENT_KIND_MARKER_SEND, sent);
  case EXPLORE_MARKER_GO:
    return step_l2_alone(c, n, WEFT_L2_EVENT_KIND_MARKER_GO, sent);
  case EXPLORE_SEEN_SENT:
    return seen(c, n, sent);
  case EXPLORE_BLOCK:
    return invalidate(c, n, n->rest.block, sent);
  case EXPLORE_FORWARD_POP:
    return forward_pop(c, n, sent);
  case EXPLORE_WRITE_BACK:
    return write_back(c, n, argument, sent);
  case EXPLORE_DROP_L1:
    return drop_l1(c, n, argument >> 8, argument & 0xffU);
  case EXPLORE_DROP_L2:
    return drop_l2(c, n, argument, sent);
  case EXPLORE_DROP_TSU:
    return drop_tsu(c, n, argument);
  case EXPLORE_REBASE_L2:
    return step_l2_alone(c, n, WEFT_L2_EVENT_KIND_REBASE, sent);
  case EXPLORE_REBASE_L1:
    return l1_alone(c, n, argument, WEFT_L1_EVENT_KIND_REBASE);
  default:
    return deliver(c, n, (uint16_t)argument, sent);
  }
}
