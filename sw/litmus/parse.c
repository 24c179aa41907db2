/* SPDX-License-Identifier: Apache-2.0 */
/* A file from its first line to its condition. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "text_input.h"

/* ---- Parts that occur in several sections ------------------------------------------------------------ */

bool weft_litmus_integer(struct litmus_lexer *l, int64_t *value)
{
  bool minus = weft_litmus_take(l, "-");
  if (!minus)
    weft_litmus_take(l, "+");
  if (l->kind != LITMUS_NUMBER)
    return litmus_fail(l, "a number is needed, not %s", weft_litmus_shown(l));
  *value = minus ? (int64_t)(0 - (uint64_t)l->number) : l->number;
  return weft_litmus_next(l);
}

bool weft_litmus_thread_number(const struct litmus_lexer *l, unsigned *number)
{
  uint64_t value = (uint64_t)l->number;
  if (l->kind == LITMUS_WORD) {
    const char *digits = l->word + 1;
    if ((l->word[0] != 'P' && l->word[0] != 'p') || !*digits || strlen(digits) > 3)
      return false;
    value = 0;
    for (; *digits; digits++) {
      if (!isdigit((unsigned char)*digits))
        return false;
      value = value * 10 + (uint64_t)(*digits - '0');
    }
  } else if (l->kind != LITMUS_NUMBER) {
    return false;
  }
  *number = value < LITMUS_THREADS ? (unsigned)value : LITMUS_THREADS;
  return true;
}

bool weft_litmus_at_register(struct litmus_lexer *l, unsigned *thread)
{
  size_t at = l->at;
  if (!weft_litmus_thread_number(l, thread))
    return false;
  while (at < l->bytes && isspace((unsigned char)l->text[at]))
    at++;
  return at < l->bytes && l->text[at] == ':';
}

bool weft_litmus_register(struct litmus_lexer *l, struct weft_litmus *t, unsigned thread, unsigned *index)
{
  char name[LITMUS_NAME];
  if (thread >= LITMUS_THREADS)
    return litmus_fail(l, "a thread's number is 0 to %d", LITMUS_THREADS - 1);
  if (l->kind != LITMUS_WORD)
    return litmus_fail(l, "a register is needed, not %s", weft_litmus_shown(l));
  if (t->dialect == LITMUS_PTX)
    memcpy(name, l->word, sizeof name);
  else if (!weft_litmus_riscv_register(l->word, name))
    return litmus_fail(l, "'%s' is no register of RISC-V", l->word);
  int found = weft_litmus_register_add(&t->thread[thread], name);
  if (found < 0)
    return litmus_fail(l, "more than %d registers in one thread", LITMUS_REGISTERS);
  *index = (unsigned)found;
  return weft_litmus_next(l);
}

bool weft_litmus_location(struct litmus_lexer *l, struct weft_litmus *t, unsigned *index)
{
  if (l->kind != LITMUS_WORD)
    return litmus_fail(l, "a location's name is needed, not %s", weft_litmus_shown(l));
  int found = weft_litmus_location_add(t, l->word);
  if (found < 0)
    return litmus_fail(l, "more than %d locations", LITMUS_LOCATIONS);
  *index = (unsigned)found;
  return weft_litmus_next(l);
}

/* ---- Sections ---------------------------------------------------------------------------------------- */

static bool read_quantified(struct litmus_lexer *l, struct weft_litmus *t)
{
  bool negated = weft_litmus_take(l, "~");
  if (weft_litmus_take(l, "exists"))
    t->quantifier = negated ? LITMUS_NOT_EXISTS : LITMUS_EXISTS;
  else if (!negated && weft_litmus_take(l, "forall"))
    t->quantifier = LITMUS_FORALL;
  else
    return litmus_fail(l, "exists, ~exists or forall is needed, not %s", weft_litmus_shown(l));
  return weft_litmus_read_condition(l, t, &t->condition);
}

static bool read_rest(struct litmus_lexer *l, struct weft_litmus *t)
{
  for (;;) {
    if (weft_litmus_take(l, "locations")) {
      if (!weft_litmus_read_locations(l, t))
        return false;
    } else if (weft_litmus_take(l, "filter")) {
      if (!weft_litmus_read_condition(l, t, &t->filter))
        return false;
      weft_litmus_take(l, ";");
    } else {
      break;
    }
  }
  if (l->code || !read_quantified(l, t))
    return false;
  weft_litmus_take(l, ";");
  if (!l->code && l->kind != LITMUS_END)
    return litmus_fail(l, "'%s' stands behind the condition", weft_litmus_shown(l));
  return !l->code;
}

/* Registers and conditions may name a thread before its column is seen. */
static bool check_threads(struct litmus_lexer *l, const struct weft_litmus *t)
{
  for (unsigned i = t->threads; i < LITMUS_THREADS; i++)
    if (t->thread[i].regs) {
      weft_litmus_fail_text(l, l->line, "register %s of thread %u, which has no column", t->thread[i].reg[0],
                            i);
      return false;
    }
  return true;
}

static bool check_labels(struct litmus_lexer *l, struct litmus_thread *th)
{
  for (unsigned i = 0; i < th->count; i++) {
    struct litmus_instruction *in = &th->code[i];
    if (in->op != LITMUS_BRANCH)
      continue;
    const struct litmus_label *label = &th->label[in->target];
    if (!label->defined) {
      weft_litmus_fail_text(l, in->line, "there is no label '%s' in this thread", label->name);
      return false;
    }
    in->target = label->at;
  }
  return true;
}

/* Accesses whose width the instruction does not tell have that of their location. */
static void settle_widths(struct weft_litmus *t, struct litmus_thread *th)
{
  for (unsigned i = 0; i < th->count; i++) {
    struct litmus_instruction *in = &th->code[i];
    bool rmw = in->op == LITMUS_RMW || in->op == LITMUS_CONDITIONAL;
    if (in->op > LITMUS_CONDITIONAL)
      continue;
    if (!in->bytes)
      in->bytes =
        (uint8_t)(in->a.kind == LITMUS_ADDRESS ? weft_litmus_element_bytes(t, in->a.index) : t->width);
    if (rmw && in->bytes != 4 && in->bytes != 8)
      weft_litmus_skip(t, in->line, "an atomic of %u bytes; the fabric has those of 4 and 8", in->bytes);
  }
}

static bool finish(struct litmus_lexer *l, struct weft_litmus *t)
{
  if (!check_threads(l, t))
    return false;
  t->placed = true;
  for (unsigned i = 0; i < t->threads; i++) {
    if (!check_labels(l, &t->thread[i]))
      return false;
    settle_widths(t, &t->thread[i]);
    t->placed = t->placed && t->thread[i].placed;
  }
  return true;
}

int weft_litmus_parse(struct weft *w, const char *name, const char *text, size_t bytes,
                      struct weft_litmus **test)
{
  struct litmus_lexer l = { .w = w, .name = name, .text = text, .bytes = bytes, .line = 1 };
  struct weft_litmus *t = calloc(1, sizeof *t);
  *test = NULL;
  if (t)
    t->thread = calloc(LITMUS_THREADS, sizeof *t->thread);
  if (!t || !t->thread) {
    free(t);
    return weft_fail_memory(w);
  }
  t->filter = -1;
  t->width = 4;
  bool good = weft_litmus_read_head(&l, t) && weft_litmus_next(&l) && weft_litmus_read_init(&l, t) &&
              weft_litmus_read_program(&l, t) && read_rest(&l, t) && finish(&l, t);
  if (!good) {
    weft_litmus_free(t);
    return l.code ? l.code : weft_fail(w, WEFT_BAD_FILE, "%s: not a litmus test", name);
  }
  *test = t;
  return WEFT_OK;
}

int weft_litmus_read(struct weft *w, const char *path, struct weft_litmus **test)
{
  char *text = NULL;
  size_t bytes = 0;
  *test = NULL;
  int code = weft_file_read(w, path, &text, &bytes);
  if (!code)
    code = weft_litmus_parse(w, path, text, bytes, test);
  free(text);
  return code;
}
