/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of the table. */
#include "shape_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  return weft_explore_row_count;
}

const char *weft_explore_shape_name(size_t index)
{
  return index < weft_explore_row_count ? weft_explore_rows[index].name : NULL;
}

const char *weft_explore_shape_about(size_t index)
{
  return index < weft_explore_row_count ? weft_explore_rows[index].about : NULL;
}

int weft_explore_shape_find(const char *name)
{
  for (size_t i = 0; i < weft_explore_row_count; i++)
    if (!strcmp(weft_explore_rows[i].name, name))
      return (int)i;
  return -1;
}

bool weft_explore_shape_read(size_t index, struct weft_explore_shape *s)
{
  const struct explore_row *r = &weft_explore_rows[index];
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
