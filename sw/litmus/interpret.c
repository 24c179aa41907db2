/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of a test on a warp. Instructions begin in order; loads and atomics are only waited for when somebody needs
 * their value, so several of them are on their way at once and the fabric may answer them in any order it likes. */
#include <string.h>

#include "runner.h"

/* A register, and where the answer goes that it waits for. */
struct cell {
  int64_t value;
  uint64_t raw;
  weft_token token;
  bool flies, sign;
  uint8_t bytes;
};

struct state {
  struct weft_warp *t;
  struct litmus_run *r;
  struct litmus_instance *in;
  unsigned number; /* of the thread */
  const struct litmus_thread *thread;
  struct weft_random random;
  struct cell cell[LITMUS_REGISTERS];
  uint64_t dropped; /* answers that nobody wants */
  struct cell reserved;
  weft_address reserved_at;
  unsigned at, steps;
};

/* ---- Values ------------------------------------------------------------------------------------------ */

static void settle(struct state *s, struct cell *c)
{
  if (!c->flies)
    return;
  weft_wait(s->t, c->token);
  c->flies = false;
  c->value = litmus_extend(c->raw, c->bytes, c->sign);
}

static int64_t operand(struct state *s, const struct litmus_operand *o)
{
  switch (o->kind) {
  case LITMUS_REGISTER:
    settle(s, &s->cell[o->index]);
    return s->cell[o->index].value;
  case LITMUS_ADDRESS:
    return (int64_t)s->in->address[o->index] + o->value;
  default:
    return o->value;
  }
}

static void put(struct state *s, int to, int64_t value)
{
  if (to < 0)
    return;
  settle(s, &s->cell[to]);
  s->cell[to].value = value;
}

/* Where an answer is to go; a register that waits for an earlier one gets that first. */
static struct cell *await(struct state *s, const struct litmus_instruction *i)
{
  if (i->to < 0)
    return NULL;
  struct cell *c = &s->cell[i->to];
  settle(s, c);
  c->flies = true;
  c->bytes = i->bytes;
  c->sign = i->sign;
  c->raw = 0;
  return c;
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

static enum weft_memory_order order_of(const struct state *s, const struct litmus_instruction *i)
{
  return i->plain && s->r->map == WEFT_LITMUS_WEAK ? WEFT_WEAK : (enum weft_memory_order)i->order;
}

static void load(struct state *s, const struct litmus_instruction *i, weft_address a)
{
  struct cell *c = await(s, i);
  weft_token token = weft_load_async(s->t, a, c ? &c->raw : &s->dropped, i->bytes, order_of(s, i),
                                     (enum weft_memory_scope)i->scope);
  if (c)
    c->token = token;
}

static void rmw(struct state *s, const struct litmus_instruction *i, weft_address a)
{
  uint64_t value = (uint64_t)operand(s, &i->b), with = (uint64_t)operand(s, &i->c);
  struct cell *c = await(s, i);
  weft_token token = weft_rmw_async(s->t, (enum weft_function)i->func, a, i->bytes, value, with,
                                    c ? &c->raw : &s->dropped, (enum weft_memory_scope)i->scope);
  if (c)
    c->token = token;
}

/* lr keeps what it saw; sc is a compare-and-swap with that. */
static void reserve(struct state *s, const struct litmus_instruction *i, weft_address a)
{
  load(s, i, a);
  struct cell *c = i->to < 0 ? NULL : &s->cell[i->to];
  if (c)
    settle(s, c);
  else
    weft_wait_all(s->t);
  s->reserved_at = a;
  s->reserved.value = c ? c->value : litmus_extend(s->dropped, i->bytes, true);
  s->reserved.bytes = i->bytes;
}

static void conditional(struct state *s, const struct litmus_instruction *i, weft_address a)
{
  uint64_t value = (uint64_t)operand(s, &i->b);
  bool kept = s->reserved_at == a && s->reserved.bytes == i->bytes, done = false;
  if (kept) {
    uint64_t old = weft_rmw(s->t, WEFT_CAS, a, i->bytes, value, (uint64_t)s->reserved.value, WEFT_RELAXED,
                            (enum weft_memory_scope)i->scope);
    done = litmus_extend(old, i->bytes, true) == s->reserved.value;
  }
  s->reserved_at = 0;
  put(s, i->to, !done);
}

/* False: outside of the variables. */
static bool access(struct state *s, const struct litmus_instruction *i)
{
  uint64_t a = (uint64_t)operand(s, &i->a) + (uint64_t)i->offset, value;
  unsigned location;
  if (!weft_litmus_reaches(s->r->test, s->in, a, i, &location)) {
    s->in->wild = true;
    return false;
  }
  switch (i->op) {
  case LITMUS_LOAD:
    load(s, i, a);
    break;
  case LITMUS_STORE:
    value = (uint64_t)operand(s, &i->b);
    weft_store(s->t, a, &value, i->bytes, order_of(s, i), (enum weft_memory_scope)i->scope);
    break;
  case LITMUS_RMW:
    rmw(s, i, a);
    break;
  case LITMUS_RESERVE:
    reserve(s, i, a);
    break;
  default:
    conditional(s, i, a);
  }
  return true;
}

static void fence(struct state *s, enum litmus_fence fence, enum weft_memory_scope scope)
{
  switch (fence) {
  case LITMUS_WAIT:
    for (unsigned k = 0; k < s->thread->regs; k++)
      settle(s, &s->cell[k]);
    break;
  case LITMUS_ACQUIRE:
    weft_fence(s->t, WEFT_ACQUIRE, scope);
    break;
  case LITMUS_RELEASE:
    weft_fence(s->t, WEFT_RELEASE, scope);
    break;
  case LITMUS_ACQ_REL:
    weft_fence(s->t, WEFT_ACQ_REL, scope);
    break;
  case LITMUS_SC:
    weft_fence(s->t, WEFT_RELEASE, scope);
    weft_fence(s->t, WEFT_ACQUIRE, scope);
    break;
  }
}

/* ---- Barriers ---------------------------------------------------------------------------------------- */

/* The CU's own wires: nothing of it is seen by the fabric but the fences, and the fence with which time passes. Threads
 * of a CTA that were placed on several CUs are no CTA for the fabric, which is told so by the scope. */
static bool barrier(struct state *s, const struct litmus_instruction *i)
{
  enum weft_memory_scope scope = s->r->place == WEFT_LITMUS_BY_FILE ? WEFT_CTA : WEFT_SYS;
  int64_t a = operand(s, &i->a), b = operand(s, &i->b), quorum = operand(s, &i->c);
  weft_fence(s->t, WEFT_RELEASE, scope);
  if (!weft_litmus_barrier_come(s->r, s->in, s->number, s->at, a, b, quorum, weft_cycle(s->t)))
    return false;
  int point = s->in->barriers->thread[s->number].point;
  if (i->arrives) {
    s->in->barriers->thread[s->number].waits = false;
    return true;
  }
  while (!weft_litmus_barrier_open(s->r, s->in, s->number)) {
    if (++s->steps > LITMUS_STEPS || weft_litmus_barriers_stuck(s->r, s->in) || s->in->cut)
      return false;
    weft_compute(s->t, 12);
    weft_fence(s->t, WEFT_ACQUIRE, WEFT_CTA);
  }
  s->in->barriers->thread[s->number].waits = false;
  uint64_t latest = s->in->barriers->point[point].latest, now = weft_cycle(s->t);
  if (latest >= now)
    weft_compute(s->t, latest + 1 - now);
  weft_fence(s->t, WEFT_ACQUIRE, scope);
  return true;
}

/* ---- A thread ---------------------------------------------------------------------------------------- */

static bool step(struct state *s)
{
  const struct litmus_instruction *i = &s->thread->code[s->at];
  if (s->in->pause && weft_random_below(&s->random, 10) < s->in->busy)
    weft_compute(s->t, weft_random_below(&s->random, s->in->pause + 1u));
  switch (i->op) {
  case LITMUS_FENCE:
    fence(s, (enum litmus_fence)i->func, (enum weft_memory_scope)i->scope);
    break;
  case LITMUS_COMPUTE: {
    int64_t value =
      weft_litmus_compute((enum litmus_alu)i->func, operand(s, &i->a), operand(s, &i->b), i->word);
    put(s, i->to, i->word ? (int64_t)(int32_t)value : value);
    break;
  }
  case LITMUS_BRANCH:
    if (weft_litmus_compute((enum litmus_alu)i->func, operand(s, &i->a), operand(s, &i->b), false)) {
      s->at = i->target;
      return true;
    }
    break;
  case LITMUS_BARRIER:
    if (!barrier(s, i))
      return false;
    break;
  default:
    if (!access(s, i))
      return false;
    if (s->r->in_order)
      weft_wait_all(s->t);
  }
  s->at++;
  return true;
}

static void run(struct state *s)
{
  bool whole = true;
  uint64_t begun = weft_cycle(s->t);
  int64_t *end = litmus_registers(s->r, (uint32_t)(s->in - s->r->instance), s->number);
  for (unsigned k = 0; k < s->thread->regs; k++)
    s->cell[k].value = operand(s, &s->thread->start[k]);
  while (whole && s->at < s->thread->count)
    whole = ++s->steps <= LITMUS_STEPS && step(s);
  if (!whole)
    s->in->cut = true;
  if (s->in->barriers)
    s->in->barriers->finished |= 1u << s->number;
  for (unsigned k = 0; k < s->thread->regs; k++) {
    settle(s, &s->cell[k]);
    end[k] = s->cell[k].value;
  }
  weft_wait_all(s->t);
  s->r->ended[s->number].count += whole;
  s->r->ended[s->number].cycles += whole ? weft_cycle(s->t) - begun : 0;
}

void weft_litmus_run_thread(struct weft_warp *t, struct litmus_run *r, struct litmus_instance *in,
                            unsigned number, struct weft_random random)
{
  struct state s = {
    .t = t, .r = r, .in = in, .number = number, .thread = &r->test->thread[number], .random = random
  };
  run(&s);
}
