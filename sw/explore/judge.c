/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the memory model allows an outcome: is there an order of the writes to each variable, and for each read a
 * write that it reads, so that
 *   coherence       program order on one variable agrees with the order of its writes,
 *   happens-before  so does what a release and an acquire that met have put in order, whoever was between,
 *   causality       nothing that waited for a load is the cause of what that load read,
 *   sc fences       all fences that release and acquire have one order that the values agree with.
 * Shapes are small: all of these orders are tried. */
#include "judge.h"

#include "atomic.h"

#define EVENTS (EXPLORE_THREADS * EXPLORE_OPS)

enum level { VALUES, COHERENCE, HAPPENS_BEFORE, CAUSALITY, SC_FENCES, ALLOWED };
static const char *const reasons[] = {
  [VALUES] = "a value that nobody can have written there, or an atomic that was torn apart",
  [COHERENCE] = "coherence: somebody reads backwards in the order of writes",
  [HAPPENS_BEFORE] = "happens-before: what a release made visible is not seen behind the acquire",
  [CAUSALITY] = "causality: a load reads what its own answer was the cause of",
  [SC_FENCES] = "the fences that release and acquire have no order that explains the values",
  [ALLOWED] = NULL,
};

struct event {
  const struct explore_op *op;
  uint8_t thread, index;
  bool reads, writes;
  uint32_t read, written;
  int from;     /* the write it reads: an event, or EXPLORE_NONE for the first value */
  int read_at;  /* place of that write in the order; 0: the first value */
  int write_at; /* place of its own write, from 1 */
};

struct case_ {
  const struct weft_explore_shape *shape;
  const struct explore_placement *placement;
  const struct explore_outcome *outcome;
  struct event event[EVENTS];
  unsigned count;
  unsigned written[EXPLORE_VARIABLES]; /* writes of it that have a place */
  enum level best;
};

typedef bool relation[EVENTS][EVENTS];

bool weft_explore_condition(const struct weft_explore_shape *shape, const struct explore_outcome *o)
{
  for (unsigned i = 0; i < shape->terms; i++) {
    const struct explore_term *t = &shape->term[i];
    if ((t->variable ? o->variable[t->index] : o->reg[t->index]) != explore_wide(t->value))
      return false;
  }
  return true;
}

static uint32_t reg_value(const struct case_ *c, int reg)
{
  return reg < 0 ? 0 : c->outcome->reg[reg];
}

static void list_events(struct case_ *c)
{
  for (unsigned t = 0; t < c->shape->threads; t++)
    for (unsigned i = 0; i < c->shape->count[t]; i++) {
      const struct explore_op *op = &c->shape->op[t][i];
      if (c->outcome->skipped >> 8 * t & 1U << i)
        continue;
      struct event *e = &c->event[c->count++];
      *e = (struct event){ .op = op, .thread = (uint8_t)t, .index = (uint8_t)i, .from = EXPLORE_NONE };
      e->reads = op->kind == WEFT_CU_OP_LOAD || op->kind == WEFT_CU_OP_ATOMIC;
      e->read = reg_value(c, op->result);
      uint32_t operand = explore_wide(op->value) + reg_value(c, op->plus);
      if (op->kind == WEFT_CU_OP_ATOMIC) {
        e->written = (uint32_t)weft_atomic(op->func, false, e->read, operand, explore_wide(op->compare));
        e->writes = op->func != WEFT_FUNC_CAS || e->read == explore_wide(op->compare);
      } else if (op->kind == WEFT_CU_OP_STORE) {
        e->written = operand;
        e->writes = true;
      }
    }
}

/* ---------------------------------------------------------------- relations */

/* Through the order of writes, event a is before b: as a write before a write or what reads it, or as a read of
 * something older. */
static bool before(const struct event *a, const struct event *b)
{
  if (a == b || a->op->kind == WEFT_CU_OP_FENCE || b->op->kind == WEFT_CU_OP_FENCE ||
      a->op->variable != b->op->variable)
    return false;
  return (a->writes && b->writes && a->write_at < b->write_at) ||
         (a->writes && b->reads && a->write_at <= b->read_at) ||
         (a->reads && b->writes && a->read_at < b->write_at) ||
         (a->reads && b->reads && a->read_at < b->read_at);
}

static bool earlier(const struct event *a, const struct event *b)
{
  return a->thread == b->thread && a->index < b->index;
}

static bool in_scope(const struct case_ *c, const struct event *fence, unsigned other)
{
  const struct explore_place *a = &c->placement->thread[fence->thread], *b = &c->placement->thread[other];
  return fence->op->scope == WEFT_SCOPE_SYS ||
         (a->node == b->node && (fence->op->scope == WEFT_SCOPE_GPU || a->cu == b->cu));
}

static bool releases(const struct event *e)
{
  return e->op->kind == WEFT_CU_OP_FENCE && e->op->order != WEFT_ORDER_ACQUIRE;
}

static bool acquires(const struct event *e)
{
  return e->op->kind == WEFT_CU_OP_FENCE && e->op->order != WEFT_ORDER_RELEASE;
}

/* Event r reads what w wrote, or what atomics made of it. */
static bool reads_from(const struct case_ *c, int w, const struct event *r)
{
  int from = r->from;
  for (unsigned steps = 0; steps < c->count && from >= 0; steps++) {
    if (from == w)
      return true;
    from = c->event[from].reads ? c->event[from].from : EXPLORE_NONE;
  }
  return false;
}

/* Release fence a and acquire fence b have met: somebody read behind a's write before b. */
static bool meet(const struct case_ *c, const struct event *a, const struct event *b)
{
  if (!releases(a) || !acquires(b) || a->thread == b->thread || !in_scope(c, a, b->thread) ||
      !in_scope(c, b, a->thread))
    return false;
  for (unsigned w = 0; w < c->count; w++)
    for (unsigned r = 0; r < c->count; r++)
      if (c->event[w].writes && earlier(a, &c->event[w]) && c->event[r].reads && earlier(&c->event[r], b) &&
          reads_from(c, (int)w, &c->event[r]))
        return true;
  return false;
}

static void close_over(const struct case_ *c, relation r)
{
  for (unsigned k = 0; k < c->count; k++)
    for (unsigned i = 0; i < c->count; i++)
      for (unsigned j = 0; r[i][k] && j < c->count; j++)
        r[i][j] |= r[k][j];
}

static bool has_circle(const struct case_ *c, relation r)
{
  close_over(c, r);
  for (unsigned i = 0; i < c->count; i++)
    if (r[i][i])
      return true;
  return false;
}

static void happens_before(const struct case_ *c, relation hb)
{
  for (unsigned i = 0; i < c->count; i++)
    for (unsigned j = 0; j < c->count; j++)
      hb[i][j] = earlier(&c->event[i], &c->event[j]) || meet(c, &c->event[i], &c->event[j]);
  close_over(c, hb);
}

/* ---------------------------------------------------------------- the rules */

static bool coherent(const struct case_ *c)
{
  for (unsigned i = 0; i < c->count; i++)
    for (unsigned j = 0; j < c->count; j++)
      if (earlier(&c->event[i], &c->event[j]) && before(&c->event[j], &c->event[i]))
        return false;
  return true;
}

static bool agrees(const struct case_ *c, relation hb)
{
  for (unsigned i = 0; i < c->count; i++)
    for (unsigned j = 0; j < c->count; j++)
      if (hb[i][j] && before(&c->event[j], &c->event[i]))
        return false;
  return true;
}

static bool waited_for(const struct case_ *c, const struct event *load, const struct event *b)
{
  if (!load->reads || !earlier(load, b))
    return false;
  if (load->op->result >= 0 && (b->op->guard == load->op->result || b->op->plus == load->op->result))
    return true;
  for (unsigned f = 0; f < c->count; f++)
    if (c->event[f].op->kind == WEFT_CU_OP_FENCE && earlier(load, &c->event[f]) && earlier(&c->event[f], b))
      return true;
  return false;
}

static bool has_causes(const struct case_ *c)
{
  relation r;
  for (unsigned i = 0; i < c->count; i++)
    for (unsigned j = 0; j < c->count; j++)
      r[i][j] =
        waited_for(c, &c->event[i], &c->event[j]) || (c->event[j].reads && c->event[j].from == (int)i);
  return !has_circle(c, r);
}

static bool fence_before(const struct case_ *c, relation hb, unsigned f, unsigned g)
{
  if (hb[f][g])
    return true;
  for (unsigned i = 0; i < c->count; i++)
    for (unsigned j = 0; hb[f][i] && j < c->count; j++)
      if (hb[j][g] && before(&c->event[i], &c->event[j]))
        return true;
  return false;
}

static bool fences_agree(const struct case_ *c, relation hb)
{
  relation r = { { false } };
  for (unsigned f = 0; f < c->count; f++)
    for (unsigned g = 0; g < c->count; g++) {
      const struct event *a = &c->event[f], *b = &c->event[g];
      r[f][g] = f != g && releases(a) && acquires(a) && releases(b) && acquires(b) &&
                in_scope(c, a, b->thread) && in_scope(c, b, a->thread) && fence_before(c, hb, f, g);
    }
  return !has_circle(c, r);
}

static enum level try_rules(const struct case_ *c)
{
  relation hb;
  if (!coherent(c))
    return COHERENCE;
  happens_before(c, hb);
  if (!agrees(c, hb))
    return HAPPENS_BEFORE;
  if (!has_causes(c))
    return CAUSALITY;
  return fences_agree(c, hb) ? ALLOWED : SC_FENCES;
}

/* ---------------------------------------------------------------- all orders */

static void note(struct case_ *c, enum level level)
{
  c->best = level > c->best ? level : c->best;
}

/* An atomic's write follows at once what it has read. */
static bool untorn(const struct event *e)
{
  return !e->reads || !e->writes || e->write_at == e->read_at + 1;
}

/* Chooses for every read from `at` on what it reads. */
static void choose_reads(struct case_ *c, unsigned at)
{
  while (at < c->count && !c->event[at].reads)
    at++;
  if (c->best == ALLOWED)
    return;
  if (at == c->count) {
    note(c, try_rules(c));
    return;
  }
  struct event *e = &c->event[at];
  for (int w = EXPLORE_NONE; w < (int)c->count; w++) {
    const struct event *from = w < 0 ? NULL : &c->event[w];
    if (from
          ? w == (int)at || !from->writes || from->op->variable != e->op->variable || from->written != e->read
          : e->read != 0)
      continue;
    e->from = w;
    e->read_at = from ? from->write_at : 0;
    if (untorn(e))
      choose_reads(c, at + 1);
  }
}

static bool ends_right(const struct case_ *c)
{
  for (unsigned v = 0; v < c->shape->variables; v++) {
    uint32_t last = 0;
    for (unsigned i = 0; i < c->count; i++)
      if (c->event[i].writes && c->event[i].op->variable == v && c->event[i].write_at == (int)c->written[v])
        last = c->event[i].written;
    if (last != c->outcome->variable[v])
      return false;
  }
  return true;
}

/* Gives the writes places in the order of their variable, one after the other. */
static void choose_writes(struct case_ *c)
{
  bool left = false;
  if (c->best == ALLOWED)
    return;
  for (unsigned v = 0; v < c->shape->variables && !left; v++)
    for (unsigned i = 0; i < c->count; i++) {
      struct event *e = &c->event[i];
      if (!e->writes || e->op->variable != v || e->write_at)
        continue;
      left = true;
      e->write_at = (int)++c->written[v];
      choose_writes(c);
      e->write_at = 0;
      c->written[v]--;
    }
  if (!left && ends_right(c))
    choose_reads(c, 0);
}

const char *weft_explore_judge(const struct weft_explore_shape *shape,
                               const struct explore_placement *placement,
                               const struct explore_outcome *outcome)
{
  struct case_ c = { .shape = shape, .placement = placement, .outcome = outcome };
  list_events(&c);
  choose_writes(&c);
  return reasons[c.best];
}
