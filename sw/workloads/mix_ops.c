/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "mix.h"
#include "plain_atomic.h"

#define FAVOURITES 4u /* lines, evenly spread; there are always more hot ones */

static uint32_t below(struct weft_mix *m, uint32_t n)
{
  return weft_random_below(&m->random, n);
}

/* ---- Growing lists ----------------------------------------------------------------------------------- */

static struct weft_mix_op *add_op(struct weft_mix *m, unsigned warp, enum weft_mix_kind kind)
{
  struct weft_mix_program *p = &m->program[warp];
  if (p->count == p->room) {
    size_t room = p->room ? 2 * p->room : 64;
    struct weft_mix_op *bigger = realloc(p->op, room * sizeof *bigger);
    if (!bigger) {
      m->out_of_memory = true;
      return &m->no_op;
    }
    p->op = bigger;
    p->room = room;
  }
  struct weft_mix_op *op = &p->op[p->count++];
  *op = (struct weft_mix_op){ .kind = (uint8_t)kind, .phase = m->phase };
  op->pause = (uint8_t)(below(m, 4) ? 0 : below(m, 40));
  return op;
}

static struct weft_mix_wide *add_wide(struct weft_mix *m, struct weft_mix_op *op)
{
  if (m->pool_count == m->pool_room) {
    size_t room = m->pool_room ? 2 * m->pool_room : 256;
    struct weft_mix_wide *bigger = realloc(m->pool, room * sizeof *bigger);
    if (!bigger) {
      m->out_of_memory = true;
      return &m->no_wide;
    }
    m->pool = bigger;
    m->pool_room = room;
  }
  op->wide = (uint32_t)m->pool_count;
  struct weft_mix_wide *wide = &m->pool[m->pool_count++];
  memset(wide, 0, sizeof *wide);
  return wide;
}

/* ---- The parts of a phase ---------------------------------------------------------------------------- */

static const uint8_t commutative[] = { WEFT_ADD,  WEFT_MIN, WEFT_MAX, WEFT_MINU,
                                       WEFT_MAXU, WEFT_AND, WEFT_OR,  WEFT_XOR };

static void cast_cell(struct weft_mix *m, struct weft_mix_cell *c, uint32_t dice)
{
  memset(c, 0, sizeof *c);
  c->part = dice < 25   ? WEFT_MIX_READ_ONLY
            : dice < 60 ? WEFT_MIX_OWNED
            : dice < 80 ? WEFT_MIX_SPLIT
                        : WEFT_MIX_CELL_SHARED;
  c->func = commutative[below(m, sizeof commutative)];
  c->wide = (uint8_t)below(m, 2);
  uint16_t one = (uint16_t)below(m, m->warps);
  for (unsigned b = 0; b < 8; b++)
    c->owner[b] = c->part == WEFT_MIX_SPLIT ? (uint16_t)below(m, m->warps) : one;
}

void weft_mix_cast(struct weft_mix *m)
{
  unsigned cells = m->line / 8;
  for (unsigned l = 0; l < m->hot_count; l++) {
    bool all_read = below(m, 100) < 40;
    for (unsigned c = 0; c < cells; c++)
      cast_cell(m, &m->cell[l * cells + c], all_read ? 0 : below(m, 100));
  }
}

static bool may_read(const struct weft_mix *m, unsigned warp, unsigned line, unsigned byte)
{
  const struct weft_mix_cell *c = &m->cell[line * (m->line / 8) + byte / 8];
  return c->part == WEFT_MIX_READ_ONLY || (c->part != WEFT_MIX_CELL_SHARED && c->owner[byte % 8] == warp);
}

static bool may_write(const struct weft_mix *m, unsigned warp, unsigned line, unsigned byte)
{
  const struct weft_mix_cell *c = &m->cell[line * (m->line / 8) + byte / 8];
  return (c->part == WEFT_MIX_OWNED || c->part == WEFT_MIX_SPLIT) && c->owner[byte % 8] == warp;
}

/* The run of bytes around a random one for which `allowed` holds, cut to a random part; false if it holds for
 * none. */
static bool find_run(struct weft_mix *m, unsigned warp, unsigned line, unsigned most,
                     bool (*allowed)(const struct weft_mix *, unsigned, unsigned, unsigned), unsigned *at,
                     unsigned *bytes)
{
  unsigned start = below(m, m->line), tried = 0;
  while (tried < m->line && !allowed(m, warp, line, start)) {
    start = (start + 1) % m->line;
    tried++;
  }
  if (tried == m->line)
    return false;
  unsigned end = start;
  while (end < m->line && end - start < most && allowed(m, warp, line, end))
    end++;
  *at = start;
  *bytes = 1 + below(m, end - start);
  if (below(m, 2))
    *bytes = end - start;
  return true;
}

/* ---- Operations -------------------------------------------------------------------------------------- */

static void draw_order(struct weft_mix *m, struct weft_mix_op *op)
{
  uint32_t dice = below(m, 100);
  op->order = dice < 70 ? WEFT_WEAK : dice < 95 ? WEFT_RELAXED : WEFT_ACQUIRE;
  op->scope = below(m, 4) ? WEFT_SYS : WEFT_GPU;
}

static bool plan_load(struct weft_mix *m, unsigned warp, unsigned line)
{
  unsigned at, bytes;
  if (!find_run(m, warp, line, m->line, may_read, &at, &bytes))
    return false;
  struct weft_mix_op *op = add_op(m, warp, WEFT_MIX_LOAD);
  draw_order(m, op);
  op->at = m->hot[line] + at;
  op->bytes = (uint8_t)bytes;
  if (bytes <= 8)
    memcpy(&op->expected, m->memory + op->at, bytes);
  else
    memcpy(add_wide(m, op)->bytes, m->memory + op->at, bytes);
  return true;
}

static bool plan_store(struct weft_mix *m, unsigned warp, unsigned line)
{
  unsigned at, bytes;
  if (!find_run(m, warp, line, 8, may_write, &at, &bytes))
    return false;
  struct weft_mix_op *op = add_op(m, warp, WEFT_MIX_STORE);
  op->order = below(m, 8) ? WEFT_WEAK : WEFT_RELAXED;
  op->scope = WEFT_SYS;
  op->at = m->hot[line] + at;
  op->bytes = (uint8_t)bytes;
  op->value = weft_random_next(&m->random);
  memcpy(m->memory + op->at, &op->value, bytes);
  return true;
}

/* All that the warp owns of a line in one store, holes and all. */
static bool plan_masked(struct weft_mix *m, unsigned warp, unsigned line)
{
  uint64_t mask[2] = { 0, 0 };
  for (unsigned b = 0; b < m->line; b++)
    if (may_write(m, warp, line, b))
      mask[b / 64] |= UINT64_C(1) << (b % 64);
  if (!(mask[0] | mask[1]))
    return false;
  struct weft_mix_op *op = add_op(m, warp, WEFT_MIX_STORE_MASKED);
  op->at = m->hot[line];
  op->scope = WEFT_SYS;
  struct weft_mix_wide *wide = add_wide(m, op);
  memcpy(wide->mask, mask, sizeof mask);
  for (unsigned b = 0; b < m->line; b++) {
    wide->bytes[b] = (uint8_t)weft_random_next(&m->random);
    if (mask[b / 64] >> (b % 64) & 1)
      m->memory[op->at + b] = wide->bytes[b];
  }
  return true;
}

/* Performs it on the plain memory; returns the old value. */
static uint64_t perform(struct weft_mix *m, const struct weft_mix_op *op)
{
  uint64_t old = 0;
  memcpy(&old, m->memory + op->at, op->bytes);
  uint64_t new = weft_plain_atomic(op->func, old, op->value, op->compare, op->bytes);
  memcpy(m->memory + op->at, &new, op->bytes);
  return old;
}

/* A cell of the line that `warp` may do an atomic on: shared, or its own as a whole. */
static int find_cell(struct weft_mix *m, unsigned warp, unsigned line, bool shared)
{
  unsigned cells = m->line / 8, first = below(m, cells);
  for (unsigned i = 0; i < cells; i++) {
    unsigned c = (first + i) % cells;
    const struct weft_mix_cell *cell = &m->cell[line * cells + c];
    if (shared ? cell->part == WEFT_MIX_CELL_SHARED : cell->part == WEFT_MIX_OWNED && cell->owner[0] == warp)
      return (int)c;
  }
  return -1;
}

static bool plan_atomic(struct weft_mix *m, unsigned warp, unsigned line, bool shared)
{
  int c = find_cell(m, warp, line, shared);
  if (c < 0)
    return false;
  const struct weft_mix_cell *cell = &m->cell[line * (m->line / 8) + (unsigned)c];
  struct weft_mix_op *op = add_op(m, warp, shared ? WEFT_MIX_SHARED : WEFT_MIX_OWN);
  bool wide = shared ? cell->wide : below(m, 2);
  op->bytes = wide ? 8 : 4;
  op->func = (uint8_t)(shared ? cell->func : below(m, WEFT_XOR + 1));
  op->scope = (uint8_t)below(m, 3);
  op->order = shared || below(m, 8) ? WEFT_RELAXED : WEFT_ACQ_REL;
  op->at = m->hot[line] + 8 * (uint32_t)c + (wide ? 0 : 4 * below(m, 2));
  op->value = weft_plain_cut(weft_random_next(&m->random), op->bytes);
  if (!shared) {
    memcpy(&op->compare, m->memory + op->at, op->bytes);
    if (below(m, 3) == 0)
      op->compare ^= 1; /* a compare-exchange that fails */
  }
  op->expected = perform(m, op);
  return true;
}

static bool plan_shared(struct weft_mix *m, unsigned warp, unsigned line)
{
  return plan_atomic(m, warp, line, true);
}

static bool plan_own(struct weft_mix *m, unsigned warp, unsigned line)
{
  return plan_atomic(m, warp, line, false);
}

static void plan_locked(struct weft_mix *m, unsigned warp)
{
  struct weft_mix_op *op = add_op(m, warp, WEFT_MIX_LOCKED);
  op->other = below(m, WEFT_MIX_LOCKS);
  op->at = weft_mix_lock(m, op->other) + m->line;
  op->bytes = 8;
  op->func = WEFT_ADD;
  op->value = weft_random_next(&m->random);
  perform(m, op);
}

static void plan_fence(struct weft_mix *m, unsigned warp)
{
  struct weft_mix_op *op = add_op(m, warp, WEFT_MIX_FENCE);
  op->order = (uint8_t)(WEFT_ACQUIRE + below(m, 3));
  op->scope = (uint8_t)below(m, 3);
}

/* From a random line on, the first one on which the warp may do it: few lines have bytes of its own. Half of
 * the time from a few favourites on, which even a small cache keeps from one phase to the next. */
static void on_some_line(struct weft_mix *m, unsigned warp,
                         bool (*plan)(struct weft_mix *, unsigned, unsigned))
{
  unsigned first = below(m, m->hot_count);
  if (below(m, 2))
    first -= first % (m->hot_count / FAVOURITES);
  for (unsigned i = 0; i < m->hot_count; i++)
    if (plan(m, warp, (first + i) % m->hot_count))
      return;
}

void weft_mix_look(struct weft_mix *m, unsigned warp)
{
  unsigned first = warp % FAVOURITES * (m->hot_count / FAVOURITES);
  for (unsigned i = 0; i < m->hot_count; i++)
    if (plan_load(m, warp, (first + i) % m->hot_count))
      return;
}

void weft_mix_any(struct weft_mix *m, unsigned warp)
{
  uint32_t dice = below(m, 1000);
  if (dice < 520)
    on_some_line(m, warp, plan_load);
  else if (dice < 780)
    on_some_line(m, warp, plan_store);
  else if (dice < 850)
    on_some_line(m, warp, plan_masked);
  else if (dice < 930)
    on_some_line(m, warp, plan_shared);
  else if (dice < 985)
    on_some_line(m, warp, plan_own);
  else if (dice < 990)
    plan_locked(m, warp);
  else
    plan_fence(m, warp);
}

/* ---- Messages and barriers --------------------------------------------------------------------------- */

static uint8_t scope_between(const struct weft_mix *m, unsigned a, unsigned b)
{
  unsigned per_node = m->warps / m->nodes;
  return a / per_node == b / per_node ? WEFT_GPU : WEFT_SYS;
}

void weft_mix_send(struct weft_mix *m, unsigned warp)
{
  struct weft_mix_op *op = add_op(m, warp, WEFT_MIX_SEND);
  uint32_t flag = m->phase + 1;
  op->at = weft_mix_mailbox(m, warp);
  op->bytes = 8;
  op->scope = scope_between(m, warp, (warp + m->shift) % m->warps);
  op->value = m->sent[warp];
  memcpy(m->memory + op->at, &op->value, 8);
  memcpy(m->memory + op->at + m->line, &flag, 4);
}

void weft_mix_receive(struct weft_mix *m, unsigned warp)
{
  struct weft_mix_op *op = add_op(m, warp, WEFT_MIX_RECEIVE);
  op->other = (warp + m->warps - m->shift) % m->warps;
  op->at = weft_mix_mailbox(m, op->other);
  op->bytes = 8;
  op->scope = scope_between(m, warp, op->other);
  op->expected = m->sent[op->other];
}

void weft_mix_barrier(struct weft_mix *m, unsigned warp)
{
  add_op(m, warp, WEFT_MIX_BARRIER);
}
