/* SPDX-License-Identifier: Apache-2.0 */
/* The table of shapes. A thread is written as operations with `;` between them:
 *
 *   x=1          store              r0=x   weak load       r0=x!   strong load
 *   x=r0+1       store of a sum     r0=add(x,1), exch, cas(x,0,1), min: an atomic; -1 is written as 255
 *   rel acq sc   fence of the shape's scope (sc: release and acquire)
 *   [r0=0] OP    only if r0 is 0; the thread waits until it knows */
#include "shapes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
  const char *name, *about;
  uint8_t scope;
  enum explore_verdict verdict;
  const char *condition;
  const char *thread[EXPLORE_THREADS];
  bool one_line;
};

#define SYS WEFT_SCOPE_SYS
#define GPU WEFT_SCOPE_GPU
#define CTA WEFT_SCOPE_CTA
#define FORBIDDEN EXPLORE_FORBIDDEN
#define SEEN EXPLORE_SEEN
#define ALLOWED EXPLORE_ALLOWED

static const struct row rows[] = {
  /* one location: needs no fence */
  { "CoRR", "two strong loads", SYS, FORBIDDEN, "r0=1 r1=0", { "x=1", "r0=x!; r1=x!" }, 0 },
  { "CoRR+weak", "two weak loads", SYS, FORBIDDEN, "r0=1 r1=0", { "x=1", "r0=x; r1=x" }, 0 },
  { "CoRR+weak+strong",
    "a weak load, then a strong one",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1", "r0=x; r1=x!" },
    0 },
  { "CoRR+strong+weak",
    "a strong load, then a weak one",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1", "r0=x!; r1=x" },
    0 },
  { "CoRR+3", "weak, strong, weak", SYS, FORBIDDEN, "r1=1 r2=0", { "x=1", "r0=x; r1=x!; r2=x" }, 0 },
  { "CoWW", "the last store wins", SYS, FORBIDDEN, "x=1", { "x=1; x=2", "r0=x!; r1=x!" }, 0 },
  { "CoRW1", "a load before its thread's store", SYS, FORBIDDEN, "r0=1", { "r0=x; x=1", "r1=x" }, 0 },
  { "CoRW2", "and another store", SYS, FORBIDDEN, "r0=2 x=2", { "r0=x; x=1", "x=2" }, 0 },
  { "CoWR", "a load behind its thread's store", SYS, FORBIDDEN, "r0=2 x=1", { "x=1; r0=x", "x=2" }, 0 },
  { "CoWR+read", "while another one reads", SYS, FORBIDDEN, "r0=0", { "x=1; r0=x", "r1=x; r2=x" }, 0 },
  { "CoWR+strong",
    "a strong load behind its thread's store",
    SYS,
    FORBIDDEN,
    "r0=0",
    { "x=1; r0=x!", "r1=x" },
    0 },
  { "RxWxRx",
    "loads before and behind a store, while another one reads",
    SYS,
    FORBIDDEN,
    "r1=0",
    { "r0=x; x=1; r1=x", "r2=x" },
    0 },
  { "CoRR+warps",
    "two pairs of weak loads, as warps of a CU too",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1", "r0=x; r1=x", "r2=x; r3=x" },
    0 },
  { "CoRR+3warps",
    "weak and strong loads, as warps of a CU too",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1", "r0=x!; r1=x", "r2=x", "r3=x" },
    0 },
  { "CoRR+store",
    "another one stores to what is read",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1", "r0=x; r1=x", "r2=x; x=2" },
    0 },
  { "CoRR+line",
    "another one stores beside what is read",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "y=1", "r0=y!; r1=y", "r2=x; x=1" },
    1 },
  { "CoRR+times",
    "what is read has its times evicted by another line",
    SYS,
    FORBIDDEN,
    "r3=1 r4=0",
    { "r0=y; r1=x; x=1", "r2=x; r3=x!; r4=x" },
    0 },
  /* two locations */
  { "MP", "a message without fences", SYS, SEEN, "r0=1 r1=0", { "x=1; y=1", "r0=y; r1=x" }, 0 },
  { "MP+rel+acq", "a message", SYS, FORBIDDEN, "r0=1 r1=0", { "x=1; rel; y=1", "r0=y!; acq; r1=x" }, 0 },
  { "MP+gpu",
    "a message inside a node",
    GPU,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1; rel; y=1", "r0=y!; acq; r1=x" },
    0 },
  { "MP+cta",
    "a message inside a CU",
    CTA,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1; rel; y=1", "r0=y; acq; r1=x" },
    0 },
  { "MP+atomics",
    "the flag is an atomic",
    SYS,
    FORBIDDEN,
    "r1=1 r2=0",
    { "x=1; rel; r0=exch(y,1)", "r1=add(y,0); acq; r2=x" },
    0 },
  { "MP+own",
    "the reader has written the data itself before",
    SYS,
    FORBIDDEN,
    "r0=1 r1=1 x=2",
    { "x=2; rel; y=1", "x=1; r0=y!; acq; r1=x" },
    0 },
  { "MP+twice",
    "the flag is written before the data, too",
    SYS,
    FORBIDDEN,
    "r0=2 r1=0",
    { "y=1; x=1; rel; y=2", "r0=y!; acq; r1=x" },
    0 },
  { "MP+range",
    "the writer reads another range, the reader two lines of one",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "r2=z!; y=1; rel; z=1", "r0=z!; acq; r1=y; r3=x" },
    0 },
  { "SB", "store buffering without fences", SYS, SEEN, "r0=0 r1=0", { "x=1; r0=y", "y=1; r1=x" }, 0 },
  { "SB+sc+sc", "store buffering", SYS, FORBIDDEN, "r0=0 r1=0", { "x=1; sc; r0=y", "y=1; sc; r1=x" }, 0 },
  { "SB+gpu",
    "store buffering inside a node",
    GPU,
    FORBIDDEN,
    "r0=0 r1=0",
    { "x=1; sc; r0=y", "y=1; sc; r1=x" },
    0 },
  { "LB", "load buffering without fences", SYS, ALLOWED, "r0=1 r1=1", { "r0=x; y=1", "r1=y; x=1" }, 0 },
  { "LB+rel+rel", "load buffering", SYS, FORBIDDEN, "r0=1 r1=1", { "r0=x; rel; y=1", "r1=y; rel; x=1" }, 0 },
  { "LB+acq+acq",
    "an acquire waits for loads too",
    SYS,
    FORBIDDEN,
    "r0=1 r1=1",
    { "r0=x; acq; y=1", "r1=y; acq; x=1" },
    0 },
  { "LB+ctrl+ctrl",
    "a branch waits for its load",
    SYS,
    FORBIDDEN,
    "r0=1 r1=1",
    { "r0=x; [r0=1] y=1", "r1=y; [r1=1] x=1" },
    0 },
  { "S",
    "a message, then a store, without fences",
    SYS,
    ALLOWED,
    "r0=1 x=2",
    { "x=2; y=1", "r0=y; x=1" },
    0 },
  { "S+rel+acq",
    "a message, then a store",
    SYS,
    FORBIDDEN,
    "r0=1 x=2",
    { "x=2; rel; y=1", "r0=y!; acq; x=1" },
    0 },
  { "R", "stores and a load without fences", SYS, SEEN, "y=2 r0=0", { "x=1; y=1", "y=2; r0=x" }, 0 },
  { "R+sc+sc", "stores and a load", SYS, FORBIDDEN, "y=2 r0=0", { "x=1; sc; y=1", "y=2; sc; r0=x" }, 0 },
  { "2+2W", "stores only, without fences", SYS, SEEN, "x=1 y=1", { "x=1; y=2", "y=1; x=2" }, 0 },
  { "2+2W+rel+rel", "stores only", SYS, FORBIDDEN, "x=1 y=1", { "x=1; rel; y=2", "y=1; rel; x=2" }, 0 },
  /* atomics, locks, one line for two */
  { "fetch-add",
    "two increments, and who reads them",
    SYS,
    FORBIDDEN,
    "x=1",
    { "r0=x; r1=add(x,1); r2=x", "r3=add(x,1)" },
    0 },
  { "three-lines",
    "more lines than a small cache holds",
    SYS,
    FORBIDDEN,
    "r2=0",
    { "x=1; r0=y; r1=z; r2=x", "y=1" },
    0 },
  { "min", "a signed minimum", SYS, FORBIDDEN, "x=0", { "r0=min(x,255)", "r1=x" }, 0 },
  { "lock",
    "a lock that is tried once by each",
    SYS,
    FORBIDDEN,
    "r0=0 r2=0 y=1",
    { "r0=cas(x,0,1); [r0=0] acq; [r0=0] r1=y; [r0=0] y=r1+1; [r0=0] rel; [r0=0] x=0",
      "r2=cas(x,0,1); [r2=0] acq; [r2=0] r3=y; [r2=0] y=r3+1; [r2=0] rel; [r2=0] x=0" },
    0 },
  { "false-sharing", "two variables of one line", SYS, FORBIDDEN, "x=0", { "x=1; r0=y", "y=1; r1=x" }, 1 },
  { "false-sharing+sc", "and fences", SYS, FORBIDDEN, "r0=0 r1=0", { "x=1; sc; r0=y", "y=1; sc; r1=x" }, 1 },
  /* three and four threads */
  { "MP+reader",
    "somebody else reads the data",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1; rel; y=1", "r0=y!; acq; r1=x", "r2=x" },
    0 },
  { "MP+reader+second",
    "the data in the second line of a block",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "y=1; rel; x=1", "r0=x!; acq; r1=y", "r2=y" },
    0 },
  { "MP+flag",
    "somebody else reads the flag",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1; rel; y=1", "r0=y!; acq; r1=x", "r2=y!" },
    0 },
  { "MP+reader+gpu",
    "inside a node, while somebody else reads",
    GPU,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1; rel; y=1", "r0=y!; acq; r1=x", "r2=x" },
    0 },
  { "MP+reader+po",
    "somebody else reads the data, without fences",
    SYS,
    SEEN,
    "r0=1 r1=0",
    { "x=1; y=1", "r0=y; r1=x", "r2=x" },
    0 },
  { "MP+store",
    "somebody else stores to the data before",
    SYS,
    FORBIDDEN,
    "r0=1 r1=2 x=1",
    { "x=1; rel; y=1", "r0=y!; acq; r1=x", "x=2" },
    0 },
  { "MP+sibling",
    "somebody else reads the data twice",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1; rel; y=1", "r0=y!; acq; r1=x", "r2=x; r3=x" },
    0 },
  { "MP+2rel",
    "a second release meanwhile",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0",
    { "x=1; rel; y=1", "r0=y!; acq; r1=x", "rel" },
    0 },
  { "WRC",
    "about what was read, without fences",
    SYS,
    SEEN,
    "r0=1 r1=1 r2=0",
    { "x=1", "r0=x; y=1", "r1=y; r2=x" },
    0 },
  { "WRC+rel+acq",
    "a message about what was read",
    SYS,
    FORBIDDEN,
    "r0=1 r1=1 r2=0",
    { "x=1", "r0=x!; rel; y=1", "r1=y!; acq; r2=x" },
    0 },
  { "WRC+weak+rel+acq",
    "about what a weak load read",
    SYS,
    FORBIDDEN,
    "r0=1 r1=1 r2=0",
    { "x=1", "r0=x; rel; y=1", "r1=y!; acq; r2=x" },
    0 },
  { "WRC+atomic",
    "about what an atomic wrote",
    SYS,
    FORBIDDEN,
    "r1=1 r2=1 r3=0",
    { "r0=add(x,1)", "r1=x!; rel; y=1", "r2=y!; acq; r3=x" },
    0 },
  { "ISA2+rel+sc+acq",
    "a message passed on",
    SYS,
    FORBIDDEN,
    "r0=1 r1=1 r2=0",
    { "x=1; rel; y=1", "r0=y!; sc; z=1", "r1=z!; acq; r2=x" },
    0 },
  { "RWC+sc+sc",
    "read, write, and cause",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0 r2=0",
    { "x=1", "r0=x!; sc; r1=y!", "y=1; sc; r2=x!" },
    0 },
  { "IRIW",
    "two readers of two writers, without fences",
    SYS,
    SEEN,
    "r0=1 r1=0 r2=1 r3=0",
    { "x=1", "y=1", "r0=x; r1=y", "r2=y; r3=x" },
    0 },
  { "IRIW+sc+sc",
    "two readers of two writers",
    SYS,
    FORBIDDEN,
    "r0=1 r1=0 r2=1 r3=0",
    { "x=1", "y=1", "r0=x!; sc; r1=y!", "r2=y!; sc; r3=x!" },
    0 },
};
#define ROWS (sizeof rows / sizeof *rows)

/* ---------------------------------------------------------------- reading */

struct cursor {
  const char *at;
  bool wrong;
};

static void blanks(struct cursor *c)
{
  while (*c->at == ' ')
    c->at++;
}

static bool take(struct cursor *c, const char *word)
{
  blanks(c);
  size_t length = strlen(word);
  if (strncmp(c->at, word, length) != 0)
    return false;
  c->at += length;
  return true;
}

static void need(struct cursor *c, const char *word)
{
  c->wrong |= !take(c, word);
}

static uint8_t number(struct cursor *c)
{
  blanks(c);
  unsigned value = 0;
  c->wrong |= !isdigit((unsigned char)*c->at);
  for (; isdigit((unsigned char)*c->at); c->at++)
    value = value * 10 + (unsigned)(*c->at - '0');
  c->wrong |= value > 255;
  return (uint8_t)value;
}

static int reg(struct cursor *c)
{
  need(c, "r");
  uint8_t n = number(c);
  c->wrong |= n >= EXPLORE_REGISTERS;
  return n % EXPLORE_REGISTERS;
}

static uint8_t variable(struct cursor *c)
{
  blanks(c);
  bool known = *c->at >= 'x' && *c->at < 'x' + EXPLORE_VARIABLES;
  c->wrong |= !known;
  return known ? (uint8_t)(*c->at++ - 'x') : 0;
}

static bool is_register(struct cursor *c)
{
  blanks(c);
  return c->at[0] == 'r' && isdigit((unsigned char)c->at[1]);
}

static void read_fence(struct cursor *c, struct explore_op *op)
{
  op->kind = WEFT_CU_OP_FENCE;
  if (take(c, "rel"))
    op->order = WEFT_ORDER_RELEASE;
  else if (take(c, "acq"))
    op->order = WEFT_ORDER_ACQUIRE;
  else if (take(c, "sc"))
    op->order = WEFT_ORDER_ACQ_REL;
  else
    c->wrong = true;
}

static bool read_atomic(struct cursor *c, struct explore_op *op)
{
  static const struct {
    const char *name;
    uint8_t func;
  } atomics[] = { { "add(", WEFT_FUNC_ADD },
                  { "exch(", WEFT_FUNC_EXCH },
                  { "cas(", WEFT_FUNC_CAS },
                  { "min(", WEFT_FUNC_MIN } };
  for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
    if (!take(c, atomics[i].name))
      continue;
    op->kind = WEFT_CU_OP_ATOMIC;
    op->order = WEFT_ORDER_RELAXED;
    op->func = atomics[i].func;
    op->variable = variable(c);
    need(c, ",");
    if (op->func == WEFT_FUNC_CAS) {
      op->compare = number(c);
      need(c, ",");
    }
    op->value = number(c);
    need(c, ")");
    return true;
  }
  return false;
}

static void read_load(struct cursor *c, struct explore_op *op)
{
  op->result = (int8_t)reg(c);
  need(c, "=");
  if (read_atomic(c, op))
    return;
  op->kind = WEFT_CU_OP_LOAD;
  op->variable = variable(c);
  op->order = take(c, "!") ? WEFT_ORDER_RELAXED : WEFT_ORDER_WEAK;
}

static void read_store(struct cursor *c, struct explore_op *op)
{
  op->kind = WEFT_CU_OP_STORE;
  op->variable = variable(c);
  need(c, "=");
  if (is_register(c)) {
    op->plus = (int8_t)reg(c);
    need(c, "+");
  }
  op->value = number(c);
}

static void read_op(struct cursor *c, struct explore_op *op, uint8_t scope)
{
  *op = (struct explore_op){
    .scope = scope, .result = EXPLORE_NONE, .plus = EXPLORE_NONE, .guard = EXPLORE_NONE
  };
  blanks(c);
  const char *from = c->at;
  if (take(c, "[")) {
    op->guard = (int8_t)reg(c);
    need(c, "=");
    op->guard_value = number(c);
    need(c, "]");
  }
  blanks(c);
  if (is_register(c))
    read_load(c, op);
  else if (*c->at >= 'x' && *c->at <= 'z')
    read_store(c, op);
  else
    read_fence(c, op);
  snprintf(op->text, sizeof op->text, "%.*s", (int)(c->at - from), from);
}

static bool read_thread(struct weft_explore_shape *s, unsigned thread, const char *text)
{
  struct cursor c = { text, false };
  unsigned n = 0;
  do {
    if (n == EXPLORE_OPS)
      return false;
    struct explore_op *op = &s->op[thread][n];
    read_op(&c, op, s->scope);
    if (op->result >= 0) {
      s->reg_thread[op->result] = (uint8_t)thread;
      s->reg_op[op->result] = (uint8_t)n;
      s->registers = (unsigned)op->result + 1U > s->registers ? (unsigned)op->result + 1U : s->registers;
    }
    if (op->kind != WEFT_CU_OP_FENCE && op->variable >= s->variables)
      s->variables = op->variable + 1U;
    n++;
  } while (!c.wrong && take(&c, ";"));
  blanks(&c);
  s->count[thread] = n;
  return !c.wrong && !*c.at;
}

static bool read_condition(struct weft_explore_shape *s, const char *text)
{
  struct cursor c = { text, false };
  for (blanks(&c); *c.at && !c.wrong && s->terms < EXPLORE_REGISTERS; blanks(&c)) {
    struct explore_term *term = &s->term[s->terms++];
    term->variable = !is_register(&c);
    term->index = term->variable ? variable(&c) : (uint8_t)reg(&c);
    need(&c, "=");
    term->value = number(&c);
  }
  return !c.wrong && !*c.at;
}

size_t weft_explore_shape_count(void)
{
  return ROWS;
}

const char *weft_explore_shape_name(size_t index)
{
  return index < ROWS ? rows[index].name : NULL;
}

const char *weft_explore_shape_about(size_t index)
{
  return index < ROWS ? rows[index].about : NULL;
}

int weft_explore_shape_find(const char *name)
{
  for (size_t i = 0; i < ROWS; i++)
    if (!strcmp(rows[i].name, name))
      return (int)i;
  return -1;
}

bool weft_explore_shape_read(size_t index, struct weft_explore_shape *s)
{
  const struct row *r = &rows[index];
  *s = (struct weft_explore_shape){ .name = r->name,
                                    .about = r->about,
                                    .condition = r->condition,
                                    .verdict = r->verdict,
                                    .scope = r->scope,
                                    .one_line = r->one_line };
  for (; s->threads < EXPLORE_THREADS && r->thread[s->threads]; s->threads++)
    if (!read_thread(s, s->threads, r->thread[s->threads]))
      return false;
  return read_condition(s, r->condition);
}
