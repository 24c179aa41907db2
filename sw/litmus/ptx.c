/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of PTX, as the suites of tests write them: mnemonics whose parts, divided by dots, say order, scope,
 * operation and type. */
#include <string.h>

#include "ptx.h"

/* ---- Operands ---------------------------------------------------------------------------------------- */

bool weft_litmus_ptx_register(const struct litmus_thread *th, const char *name)
{
  const char *digits = name + 1 + (name[0] == '%');
  if (name[0] == '%' || (name[0] == 'r' && *digits && digits[strspn(digits, "0123456789")] == 0))
    return true;
  for (unsigned i = 0; i < th->regs; i++)
    if (!strcmp(th->reg[i], name))
      return true;
  return false;
}

static bool register_index(struct litmus_lexer *l, struct litmus_thread *th, unsigned *index)
{
  if (l->kind != LITMUS_WORD || !weft_litmus_ptx_register(th, l->word))
    return litmus_fail(l, "a register is needed, not %s", weft_litmus_shown(l));
  int found = weft_litmus_register_add(th, l->word);
  if (found < 0)
    return litmus_fail(l, "more than %d registers in one thread", LITMUS_REGISTERS);
  *index = (unsigned)found;
  return weft_litmus_next(l);
}

static bool target(struct litmus_lexer *l, struct litmus_thread *th, int *to)
{
  unsigned index;
  if (!register_index(l, th, &index))
    return false;
  *to = (int)index;
  return true;
}

/* A number or a register. */
static bool value(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_operand *to)
{
  *to = (struct litmus_operand){ .kind = LITMUS_VALUE };
  if (l->kind != LITMUS_WORD)
    return weft_litmus_integer(l, &to->value);
  to->kind = LITMUS_REGISTER;
  return register_index(l, th, &to->index);
}

/* x, [x], [x + 4], [r1] */
static bool memory(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                   struct litmus_instruction *i)
{
  bool bracket = weft_litmus_take(l, "[");
  if (bracket && l->kind == LITMUS_WORD && weft_litmus_ptx_register(th, l->word)) {
    i->a.kind = LITMUS_REGISTER;
    if (!register_index(l, th, &i->a.index))
      return false;
  } else {
    i->a.kind = LITMUS_ADDRESS;
    if (!weft_litmus_location(l, t, &i->a.index))
      return false;
  }
  if (!bracket)
    return true;
  if ((weft_litmus_is(l, "+") || weft_litmus_is(l, "-")) && !weft_litmus_integer(l, &i->offset))
    return false;
  return weft_litmus_expect(l, "]");
}

static bool comma(struct litmus_lexer *l)
{
  return weft_litmus_expect(l, ",");
}

/* ---- Instructions ------------------------------------------------------------------------------------ */

/* Everything that is not weak is relaxed at its scope; acquire and release are the fences beside it. */
static struct litmus_instruction *access(struct litmus_lexer *l, struct litmus_thread *th,
                                         const struct mnemonic *m, enum litmus_op op)
{
  if (m->release && !weft_litmus_put_fence(l, th, LITMUS_RELEASE, m->scope))
    return NULL;
  struct litmus_instruction *i = weft_litmus_put(l, th, op);
  if (!i)
    return NULL;
  bool weak = op != LITMUS_RMW && (m->weak || !m->ordered);
  i->order = weak ? WEFT_WEAK : WEFT_RELAXED;
  i->scope = weak ? WEFT_CTA : m->scope;
  i->bytes = m->bytes;
  i->sign = !m->is_unsigned;
  return i;
}

static bool after(struct litmus_lexer *l, struct litmus_thread *th, const struct mnemonic *m)
{
  return !m->acquire || weft_litmus_put_fence(l, th, LITMUS_ACQUIRE, m->scope);
}

static bool read_compute(struct litmus_lexer *l, struct litmus_thread *th, enum litmus_alu alu, bool unary)
{
  struct litmus_instruction *i = weft_litmus_put(l, th, LITMUS_COMPUTE);
  if (!i)
    return false;
  i->func = (uint8_t)alu;
  i->b.kind = LITMUS_VALUE;
  return target(l, th, &i->to) && comma(l) && value(l, th, &i->a) &&
         (unary || (comma(l) && value(l, th, &i->b)));
}

/* ld r0, 1 and ld r0, r1 only move; which it is shows behind the comma. */
static bool read_load(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                      const struct mnemonic *m)
{
  int to;
  if (!target(l, th, &to) || !comma(l))
    return false;
  bool moves = l->kind == LITMUS_NUMBER || weft_litmus_is(l, "-") ||
               (l->kind == LITMUS_WORD && weft_litmus_ptx_register(th, l->word));
  struct litmus_instruction *i =
    moves ? weft_litmus_put(l, th, LITMUS_COMPUTE) : access(l, th, m, LITMUS_LOAD);
  if (!i)
    return false;
  i->to = to;
  if (!moves)
    return memory(l, t, th, i) && after(l, th, m);
  i->func = LITMUS_ADD;
  i->b.kind = LITMUS_VALUE;
  return value(l, th, &i->a);
}

static bool read_store(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                       const struct mnemonic *m)
{
  struct litmus_instruction *i = access(l, th, m, LITMUS_STORE);
  return i && memory(l, t, th, i) && comma(l) && value(l, th, &i->b);
}

static bool negate(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_operand *operand,
                   int *scratch)
{
  if (operand->kind == LITMUS_VALUE) {
    operand->value = (int64_t)(0 - (uint64_t)operand->value);
    return true;
  }
  *scratch = weft_litmus_register_add(th, "%negated");
  return *scratch >= 0 || litmus_fail(l, "more than %d registers in one thread", LITMUS_REGISTERS);
}

/* Fabric atomics have no subtraction: the operand's negative is added, computed before if it is a register's. */
static bool negate_before(struct litmus_lexer *l, struct litmus_thread *th, unsigned at)
{
  int scratch = -1;
  struct litmus_operand operand = th->code[at].b;
  if (!negate(l, th, &th->code[at].b, &scratch))
    return false;
  if (scratch < 0)
    return true;
  struct litmus_instruction *last = weft_litmus_put(l, th, LITMUS_COMPUTE);
  if (!last)
    return false;
  struct litmus_instruction compute = *last;
  compute.func = LITMUS_SUB;
  compute.to = scratch;
  compute.a = (struct litmus_operand){ .kind = LITMUS_VALUE };
  compute.b = operand;
  th->code[at].b = (struct litmus_operand){ .kind = LITMUS_REGISTER, .index = (unsigned)scratch };
  *last = th->code[at];
  th->code[at] = compute;
  return true;
}

/* atom r, x, value[, value] and red x, value */
static bool read_atom(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                      const struct mnemonic *m)
{
  int to = -1;
  if (!m->operates) {
    weft_litmus_skip(t, l->token_line, "%s of an operation that the fabric has not", m->base);
    return weft_litmus_skip_cell(l);
  }
  if (m->base[0] == 'a' && (!target(l, th, &to) || !comma(l)))
    return false;
  struct litmus_instruction *i = access(l, th, m, LITMUS_RMW);
  if (!i)
    return false;
  i->to = to;
  i->func = m->func;
  if (!memory(l, t, th, i) || !comma(l) || !value(l, th, &i->b))
    return false;
  if (m->func == WEFT_CAS) {
    i->c = i->b; /* what is compared stands first */
    if (!comma(l) || !value(l, th, &i->b))
      return false;
  }
  if (m->negates && !negate_before(l, th, th->count - 1))
    return false;
  return after(l, th, m);
}

static bool read_fence(struct litmus_lexer *l, struct litmus_thread *th, const struct mnemonic *m)
{
  enum litmus_fence fence = m->acquire && m->release ? LITMUS_ACQ_REL
                            : m->acquire             ? LITMUS_ACQUIRE
                            : m->release             ? LITMUS_RELEASE
                                                     : LITMUS_SC;
  return weft_litmus_put_fence(l, th, fence, m->scoped ? m->scope : WEFT_SYS);
}

/* bar.cta.sync which[, part of it[, how many]] */
static bool read_barrier(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                         const struct mnemonic *m)
{
  struct litmus_instruction *i = weft_litmus_put(l, th, LITMUS_BARRIER);
  if (!i)
    return false;
  t->barriers = true;
  i->arrives = m->arrive;
  i->b.kind = LITMUS_VALUE;
  if (!value(l, th, &i->a))
    return false;
  if (weft_litmus_take(l, ",") && !value(l, th, &i->b))
    return false;
  if (weft_litmus_take(l, ",") && !value(l, th, &i->c))
    return false;
  return !l->code;
}

static bool read_branch(struct litmus_lexer *l, struct litmus_thread *th, enum litmus_alu alu)
{
  struct litmus_instruction *i = weft_litmus_put(l, th, LITMUS_BRANCH);
  if (!i)
    return false;
  i->func = (uint8_t)alu;
  return value(l, th, &i->a) && comma(l) && value(l, th, &i->b) && comma(l) &&
         weft_litmus_branch_to(l, th, i);
}

static bool read_jump(struct litmus_lexer *l, struct litmus_thread *th)
{
  struct litmus_instruction *i = weft_litmus_put(l, th, LITMUS_BRANCH);
  if (!i)
    return false;
  i->func = LITMUS_EQ;
  i->a.kind = i->b.kind = LITMUS_VALUE;
  return weft_litmus_branch_to(l, th, i);
}

/* Arithmetic and branches; *known: it is one of them. */
static bool read_local(struct litmus_lexer *l, struct litmus_thread *th, const char *base, bool *known)
{
  static const struct {
    const char *name;
    enum litmus_alu alu;
    bool branch;
  } table[] = {
    { "add", LITMUS_ADD, false }, { "sub", LITMUS_SUB, false }, { "mul", LITMUS_MUL, false },
    { "div", LITMUS_DIV, false }, { "and", LITMUS_AND, false }, { "or", LITMUS_OR, false },
    { "xor", LITMUS_XOR, false }, { "beq", LITMUS_EQ, true },   { "bne", LITMUS_NE, true },
    { "blt", LITMUS_LT, true },   { "bge", LITMUS_GE, true },   { "ble", LITMUS_LE, true },
    { "bgt", LITMUS_GT, true },
  };
  *known = true;
  if (!strcmp(base, "goto") || !strcmp(base, "bra"))
    return read_jump(l, th);
  if (!strcmp(base, "mov"))
    return read_compute(l, th, LITMUS_ADD, true);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(base, table[i].name))
      return table[i].branch ? read_branch(l, th, table[i].alu) : read_compute(l, th, table[i].alu, false);
  *known = false;
  return true;
}

static bool read_memory(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                        struct mnemonic *m, bool *known)
{
  const char *base = m->base;
  bool fence = !strcmp(base, "fence") || !strcmp(base, "membar");
  if (!m->scoped) /* PTX's default for what is not weak */
    m->scope = WEFT_GPU;
  *known = !m->unknown;
  if (*known && fence)
    return read_fence(l, th, m);
  if (*known && !strcmp(base, "ld"))
    return read_load(l, t, th, m);
  if (*known && !strcmp(base, "st"))
    return read_store(l, t, th, m);
  if (*known && (!strcmp(base, "atom") || !strcmp(base, "red")))
    return read_atom(l, t, th, m);
  if (*known && (!strcmp(base, "bar") || !strcmp(base, "barrier")) && m->sync != m->arrive)
    return read_barrier(l, t, th, m);
  *known = false;
  return true;
}

bool weft_litmus_ptx(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                     const char *mnemonic)
{
  struct mnemonic m;
  char parts[LITMUS_NAME];
  bool known;
  memcpy(parts, mnemonic, sizeof parts);
  weft_litmus_ptx_mnemonic(&m, parts);
  if (!read_local(l, th, m.base, &known))
    return false;
  if (known)
    return true;
  if (!read_memory(l, t, th, &m, &known))
    return false;
  if (known)
    return true;
  weft_litmus_skip(t, l->token_line, "instruction %s", mnemonic);
  return weft_litmus_skip_cell(l);
}
