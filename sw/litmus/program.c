/* SPDX-License-Identifier: Apache-2.0 */
/* The table of instructions: a column per thread, rows that end with ';'. */
#include <stdio.h>
#include <string.h>

#include "parse.h"

bool weft_litmus_at_cell_end(const struct litmus_lexer *l)
{
  return weft_litmus_is(l, "|") || weft_litmus_is(l, ";") || l->kind == LITMUS_END;
}

bool weft_litmus_skip_cell(struct litmus_lexer *l)
{
  while (!weft_litmus_at_cell_end(l))
    if (!weft_litmus_next(l))
      return false;
  return true;
}

struct litmus_instruction *weft_litmus_put(struct litmus_lexer *l, struct litmus_thread *th,
                                           enum litmus_op op)
{
  if (th->count == LITMUS_INSTRUCTIONS) {
    weft_litmus_fail_text(l, l->token_line, "more than %d instructions in one thread", LITMUS_INSTRUCTIONS);
    return NULL;
  }
  struct litmus_instruction *i = weft_litmus_emit(th, op, l->token_line);
  if (!i)
    weft_litmus_fail_memory(l);
  return i;
}

bool weft_litmus_put_fence(struct litmus_lexer *l, struct litmus_thread *th, enum litmus_fence fence,
                           unsigned scope)
{
  struct litmus_instruction *i = weft_litmus_put(l, th, LITMUS_FENCE);
  if (!i)
    return false;
  i->func = (uint8_t)fence;
  i->scope = (uint8_t)scope;
  return true;
}

/* ---- Labels ------------------------------------------------------------------------------------------ */

static bool find_label(struct litmus_lexer *l, struct litmus_thread *th, const char *name, unsigned *number)
{
  for (unsigned i = 0; i < th->labels; i++)
    if (!strcmp(th->label[i].name, name)) {
      *number = i;
      return true;
    }
  if (!weft_litmus_grow((void **)&th->label, &th->label_room, th->labels, sizeof *th->label))
    return weft_litmus_fail_memory(l);
  struct litmus_label *label = &th->label[th->labels];
  memset(label, 0, sizeof *label);
  *number = th->labels++;
  snprintf(label->name, sizeof label->name, "%s", name);
  return true;
}

static bool define_label(struct litmus_lexer *l, struct litmus_thread *th, const char *name)
{
  unsigned number = 0;
  if (!find_label(l, th, name, &number))
    return false;
  struct litmus_label *label = &th->label[number];
  if (label->defined)
    return litmus_fail(l, "label '%s' was there already, line %u", name, label->line);
  label->defined = true;
  label->line = l->token_line;
  label->at = th->count;
  return true;
}

bool weft_litmus_branch_to(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_instruction *i)
{
  if (l->kind != LITMUS_WORD)
    return litmus_fail(l, "a label is needed, not %s", weft_litmus_shown(l));
  return find_label(l, th, l->word, &i->target) && weft_litmus_next(l);
}

/* ---- Rows -------------------------------------------------------------------------------------------- */

static bool read_cell(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th)
{
  char word[LITMUS_NAME];
  while (!weft_litmus_at_cell_end(l)) {
    if (l->kind != LITMUS_WORD)
      return litmus_fail(l, "an instruction is needed, not %s", weft_litmus_shown(l));
    memcpy(word, l->word, sizeof word);
    if (!weft_litmus_next(l))
      return false;
    if (weft_litmus_is(l, ":")) {
      if (!define_label(l, th, word) || !weft_litmus_next(l))
        return false;
      continue;
    }
    bool good =
      t->dialect == LITMUS_RISCV ? weft_litmus_riscv(l, t, th, word) : weft_litmus_ptx(l, t, th, word);
    if (!good)
      return false;
    if (!weft_litmus_at_cell_end(l))
      return litmus_fail(l, "'%s' stands behind the operands of %s", weft_litmus_shown(l), word);
  }
  return true;
}

static bool end_row(struct litmus_lexer *l, const struct weft_litmus *t, unsigned columns)
{
  if (l->kind == LITMUS_END)
    return litmus_fail(l, "the file ends inside its program: is it cut short?");
  if (columns != t->threads)
    return litmus_fail(l, "a row of %u columns; there are %u threads", columns, t->threads);
  return weft_litmus_expect(l, ";");
}

static bool read_row(struct litmus_lexer *l, struct weft_litmus *t)
{
  unsigned column = 0;
  for (;;) {
    if (column == t->threads)
      return litmus_fail(l, "a row of more columns than the %u threads", t->threads);
    if (!read_cell(l, t, &t->thread[column++]))
      return false;
    if (!weft_litmus_take(l, "|"))
      return !l->code && end_row(l, t, column);
  }
}

/* @cta 0, gpu 0 */
static bool read_scopes(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th)
{
  bool cta = false, gpu = false;
  int64_t number;
  do {
    char what[LITMUS_NAME];
    memcpy(what, l->word, sizeof what);
    if (l->kind != LITMUS_WORD || !weft_litmus_next(l) || !weft_litmus_integer(l, &number))
      return litmus_fail(l, "a scope such as `cta 0` is needed, not %s", weft_litmus_shown(l));
    if (number < 0 || number > 255)
      return litmus_fail(l, "scopes are numbered 0 to 255");
    if (!strcmp(what, "cta")) {
      th->cta = (unsigned)number;
      cta = true;
    } else if (!strcmp(what, "gpu")) {
      th->gpu = (unsigned)number;
      gpu = true;
    } else if (strcmp(what, "sys") != 0) {
      weft_litmus_skip(t, l->token_line, "scope '%s'; cta, gpu and sys are known", what);
    }
  } while (weft_litmus_take(l, ","));
  th->placed = cta && gpu;
  return !l->code;
}

static bool read_heads(struct litmus_lexer *l, struct weft_litmus *t)
{
  do {
    unsigned number;
    if (l->kind == LITMUS_END)
      return litmus_fail(l, "the file ends before its program: is it cut short?");
    if (l->kind != LITMUS_WORD || !weft_litmus_thread_number(l, &number))
      return litmus_fail(l, "a column's head, P%u, is needed, not %s", t->threads, weft_litmus_shown(l));
    if (t->threads == LITMUS_THREADS)
      return litmus_fail(l, "more than %d threads", LITMUS_THREADS);
    if (number != t->threads)
      return litmus_fail(l, "column %u is headed %s", t->threads, l->word);
    if (!weft_litmus_next(l))
      return false;
    struct litmus_thread *th = &t->thread[t->threads++];
    if (weft_litmus_take(l, "@") && !read_scopes(l, t, th))
      return false;
  } while (weft_litmus_take(l, "|"));
  return weft_litmus_expect(l, ";");
}

static bool at_rest(const struct litmus_lexer *l)
{
  static const char *const words[] = { "exists", "forall", "locations", "filter", "~" };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (weft_litmus_is(l, words[i]))
      return true;
  return false;
}

bool weft_litmus_read_program(struct litmus_lexer *l, struct weft_litmus *t)
{
  if (!read_heads(l, t))
    return false;
  while (!at_rest(l)) {
    if (l->kind == LITMUS_END)
      return litmus_fail(l, "the file ends without a condition: is it cut short?");
    if (!read_row(l, t))
      return false;
  }
  return true;
}
