/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of RISC-V that touch memory or order it: loads, stores, AMOs, lr and sc, fences. The others are in
 * riscv_compute.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "riscv.h"

/* ---- Operands ---------------------------------------------------------------------------------------- */

bool weft_litmus_riscv_register(const char *name, char canonical[LITMUS_NAME])
{
  static const char *const others[] = { "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                        "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                        "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
  if (name[0] == '%') {
    memcpy(canonical, name, LITMUS_NAME); /* a register that the file leaves open */
    return name[1];
  }
  for (unsigned i = 0; i < 32; i++) {
    char plain[8];
    snprintf(plain, sizeof plain, "x%u", i);
    if (strcmp(name, others[i]) != 0 && strcmp(name, plain) != 0 && (i != 8 || strcmp(name, "fp") != 0))
      continue;
    snprintf(canonical, LITMUS_NAME, "%s", plain);
    return true;
  }
  return false;
}

static bool register_index(struct litmus_lexer *l, struct litmus_thread *th, int *index)
{
  char name[LITMUS_NAME];
  if (l->kind != LITMUS_WORD || !weft_litmus_riscv_register(l->word, name))
    return litmus_fail(l, "a register is needed, not %s", weft_litmus_shown(l));
  *index = strcmp(name, "x0") ? weft_litmus_register_add(th, name) : -1;
  if (*index < 0 && strcmp(name, "x0") != 0)
    return litmus_fail(l, "more than %d registers in one thread", LITMUS_REGISTERS);
  return weft_litmus_next(l);
}

/* x0 is no register but the number 0. */
bool weft_litmus_riscv_source(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_operand *to)
{
  int index;
  *to = (struct litmus_operand){ .kind = LITMUS_VALUE };
  if (!register_index(l, th, &index))
    return false;
  if (index >= 0)
    *to = (struct litmus_operand){ .kind = LITMUS_REGISTER, .index = (unsigned)index };
  return true;
}

bool weft_litmus_riscv_target(struct litmus_lexer *l, struct litmus_thread *th, int *to)
{
  return register_index(l, th, to);
}

bool weft_litmus_riscv_comma(struct litmus_lexer *l)
{
  return weft_litmus_expect(l, ",");
}

/* 0(x5), (x5) */
static bool memory(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_instruction *i)
{
  if (!weft_litmus_is(l, "(") && !weft_litmus_integer(l, &i->offset))
    return false;
  return weft_litmus_expect(l, "(") && weft_litmus_riscv_source(l, th, &i->a) && weft_litmus_expect(l, ")");
}

/* ---- Orders ------------------------------------------------------------------------------------------ */

struct suffixes {
  bool acquire, release, wide, word;
};

/* What stands behind the first dot: w, d, aq, rl, aqrl. */
static bool take_suffixes(const char *text, struct suffixes *s)
{
  *s = (struct suffixes){ 0 };
  while (*text) {
    size_t length = strcspn(++text, ".");
    if (length == 1 && *text == 'w')
      s->word = true;
    else if (length == 1 && *text == 'd')
      s->wide = true;
    else if (length == 2 && !strncmp(text, "aq", 2))
      s->acquire = true;
    else if (length == 2 && !strncmp(text, "rl", 2))
      s->release = true;
    else if (length == 4 && !strncmp(text, "aqrl", 4))
      s->acquire = s->release = true;
    else
      return false;
    text += length;
  }
  return true;
}

/* RISC-V keeps accesses with .rl before later ones with .aq: the release covers them too. */
static bool before(struct litmus_lexer *l, struct litmus_thread *th, const struct suffixes *s)
{
  bool release = s->release || (s->acquire && th->released);
  th->released |= s->release;
  return !release || weft_litmus_put_fence(l, th, LITMUS_RELEASE, WEFT_SYS);
}

static bool after(struct litmus_lexer *l, struct litmus_thread *th, const struct suffixes *s)
{
  return !s->acquire || weft_litmus_put_fence(l, th, LITMUS_ACQUIRE, WEFT_SYS);
}

/* ---- Accesses ---------------------------------------------------------------------------------------- */

struct access {
  const char *name;
  enum litmus_op op;
  uint8_t bytes;
  bool sign;
  uint8_t func;
};

static const struct access accesses[] = {
  { "lb", LITMUS_LOAD, 1, true, 0 },
  { "lbu", LITMUS_LOAD, 1, false, 0 },
  { "lh", LITMUS_LOAD, 2, true, 0 },
  { "lhu", LITMUS_LOAD, 2, false, 0 },
  { "lw", LITMUS_LOAD, 4, true, 0 },
  { "lwu", LITMUS_LOAD, 4, false, 0 },
  { "ld", LITMUS_LOAD, 8, true, 0 },
  { "sb", LITMUS_STORE, 1, false, 0 },
  { "sh", LITMUS_STORE, 2, false, 0 },
  { "sw", LITMUS_STORE, 4, false, 0 },
  { "sd", LITMUS_STORE, 8, false, 0 },
  { "lr", LITMUS_RESERVE, 0, true, 0 },
  { "sc", LITMUS_CONDITIONAL, 0, true, 0 },
  { "amoswap", LITMUS_RMW, 0, true, WEFT_EXCH },
  { "amoadd", LITMUS_RMW, 0, true, WEFT_ADD },
  { "amoxor", LITMUS_RMW, 0, true, WEFT_XOR },
  { "amoand", LITMUS_RMW, 0, true, WEFT_AND },
  { "amoor", LITMUS_RMW, 0, true, WEFT_OR },
  { "amomin", LITMUS_RMW, 0, true, WEFT_MIN },
  { "amomax", LITMUS_RMW, 0, true, WEFT_MAX },
  { "amominu", LITMUS_RMW, 0, true, WEFT_MINU },
  { "amomaxu", LITMUS_RMW, 0, true, WEFT_MAXU },
};

static const struct access *find_access(const char *mnemonic, size_t length)
{
  for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
    if (strlen(accesses[i].name) == length && !strncmp(accesses[i].name, mnemonic, length))
      return &accesses[i];
  return NULL;
}

static bool operands(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_instruction *i)
{
  if (i->op == LITMUS_STORE)
    return weft_litmus_riscv_source(l, th, &i->b) && weft_litmus_riscv_comma(l) && memory(l, th, i);
  if (!weft_litmus_riscv_target(l, th, &i->to) || !weft_litmus_riscv_comma(l))
    return false;
  if ((i->op == LITMUS_RMW || i->op == LITMUS_CONDITIONAL) &&
      (!weft_litmus_riscv_source(l, th, &i->b) || !weft_litmus_riscv_comma(l)))
    return false;
  return memory(l, th, i);
}

static bool read_access(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                        const struct access *access, const struct suffixes *s)
{
  if (!before(l, th, s))
    return false;
  struct litmus_instruction *i = weft_litmus_put(l, th, access->op);
  if (!i)
    return false;
  i->bytes = access->bytes ? access->bytes : s->wide ? 8 : 4;
  i->sign = access->sign;
  i->func = access->func;
  i->plain = access->op == LITMUS_LOAD || access->op == LITMUS_STORE;
  if (i->bytes == 8)
    t->width = 8;
  if (access->op == LITMUS_CONDITIONAL) {
    bool reserved = false;
    for (unsigned k = 0; k + 1 < th->count; k++)
      reserved |= th->code[k].op == LITMUS_RESERVE;
    if (!reserved)
      weft_litmus_skip(t, l->token_line, "an sc without an lr before it");
  }
  return operands(l, th, i) && after(l, th, s);
}

/* ---- Fences ------------------------------------------------------------------------------------------ */

/* A set such as rw; *memory: it has r or w. Devices are not on the fabric. */
static bool take_set(struct litmus_lexer *l, const char *text, bool *reads, bool *any)
{
  *reads = *any = false;
  for (const char *c = text; *c; c++) {
    if (!strchr("iorw", *c))
      return litmus_fail(l, "'%s' is no set of a fence; it is made of r, w, i and o", text);
    *reads |= *c == 'r';
    *any |= *c == 'r' || *c == 'w';
  }
  return true;
}

/* The fabric's L2s do not all see a store at once, so a fence that only orders loads must still see to it that what they
 * saw is seen by all: each fence contains a release. If loads follow it is an acquire too. */
static bool read_fence(struct litmus_lexer *l, struct litmus_thread *th, const char *mnemonic)
{
  bool reads = true, any = true, after_reads = true, after_any = true;
  const char *first = mnemonic[5] == '.' ? mnemonic + 6 : NULL;
  char word[LITMUS_NAME];
  if (first && (!strcmp(first, "i") || !strcmp(first, "tso")))
    return weft_litmus_put_fence(l, th, first[0] == 'i' ? LITMUS_WAIT : LITMUS_SC, WEFT_SYS);
  if (!first && l->kind == LITMUS_WORD) {
    memcpy(word, l->word, sizeof word);
    first = word;
    if (!weft_litmus_next(l))
      return false;
  }
  if (first) {
    if (!take_set(l, first, &reads, &any) || !weft_litmus_riscv_comma(l))
      return false;
    if (l->kind != LITMUS_WORD)
      return litmus_fail(l, "the set behind a fence is needed, not %s", weft_litmus_shown(l));
    if (!take_set(l, l->word, &after_reads, &after_any) || !weft_litmus_next(l))
      return false;
  }
  enum litmus_fence fence = !any || !after_any ? LITMUS_WAIT : after_reads ? LITMUS_SC : LITMUS_RELEASE;
  return weft_litmus_put_fence(l, th, fence, WEFT_SYS);
}

bool weft_litmus_riscv(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                       const char *mnemonic)
{
  size_t length = strcspn(mnemonic, ".");
  const struct access *access = find_access(mnemonic, length);
  struct suffixes s;
  if (access && take_suffixes(mnemonic + length, &s) && (s.wide || s.word) == !access->bytes)
    return read_access(l, t, th, access, &s);
  if (length == 5 && !strncmp(mnemonic, "fence", 5))
    return read_fence(l, th, mnemonic);
  return weft_litmus_riscv_compute(l, t, th, mnemonic);
}
