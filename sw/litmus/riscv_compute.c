/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of RISC-V that stay inside a thread: arithmetic and branches. */
#include <string.h>

#include "riscv.h"

enum form {
  REGISTERS,  /* rd, rs1, rs2 */
  IMMEDIATE,  /* rd, rs1, number */
  UNARY,      /* rd, rs: with the constant on the right */
  UNARY_LEFT, /* rd, rs: with the constant on the left */
  BRANCH,     /* rs1, rs2, label */
  BRANCH_0,   /* rs, label: compared with 0 */
};

static const struct {
  const char *name;
  enum form form;
  enum litmus_alu alu;
  bool word;
  int64_t constant;
} table[] = {
  { "add", REGISTERS, LITMUS_ADD, false, 0 },  { "addi", IMMEDIATE, LITMUS_ADD, false, 0 },
  { "addw", REGISTERS, LITMUS_ADD, true, 0 },  { "addiw", IMMEDIATE, LITMUS_ADD, true, 0 },
  { "sub", REGISTERS, LITMUS_SUB, false, 0 },  { "subw", REGISTERS, LITMUS_SUB, true, 0 },
  { "mul", REGISTERS, LITMUS_MUL, false, 0 },  { "mulw", REGISTERS, LITMUS_MUL, true, 0 },
  { "and", REGISTERS, LITMUS_AND, false, 0 },  { "andi", IMMEDIATE, LITMUS_AND, false, 0 },
  { "or", REGISTERS, LITMUS_OR, false, 0 },    { "ori", IMMEDIATE, LITMUS_OR, false, 0 },
  { "xor", REGISTERS, LITMUS_XOR, false, 0 },  { "xori", IMMEDIATE, LITMUS_XOR, false, 0 },
  { "sll", REGISTERS, LITMUS_SLL, false, 0 },  { "slli", IMMEDIATE, LITMUS_SLL, false, 0 },
  { "srl", REGISTERS, LITMUS_SRL, false, 0 },  { "srli", IMMEDIATE, LITMUS_SRL, false, 0 },
  { "sra", REGISTERS, LITMUS_SRA, false, 0 },  { "srai", IMMEDIATE, LITMUS_SRA, false, 0 },
  { "sllw", REGISTERS, LITMUS_SLL, true, 0 },  { "slliw", IMMEDIATE, LITMUS_SLL, true, 0 },
  { "srlw", REGISTERS, LITMUS_SRL, true, 0 },  { "srliw", IMMEDIATE, LITMUS_SRL, true, 0 },
  { "sraw", REGISTERS, LITMUS_SRA, true, 0 },  { "sraiw", IMMEDIATE, LITMUS_SRA, true, 0 },
  { "slt", REGISTERS, LITMUS_LT, false, 0 },   { "slti", IMMEDIATE, LITMUS_LT, false, 0 },
  { "sltu", REGISTERS, LITMUS_LTU, false, 0 }, { "sltiu", IMMEDIATE, LITMUS_LTU, false, 0 },
  { "mv", UNARY, LITMUS_ADD, false, 0 },       { "not", UNARY, LITMUS_XOR, false, -1 },
  { "sext.w", UNARY, LITMUS_ADD, true, 0 },    { "seqz", UNARY, LITMUS_EQ, false, 0 },
  { "snez", UNARY, LITMUS_NE, false, 0 },      { "sltz", UNARY, LITMUS_LT, false, 0 },
  { "sgtz", UNARY, LITMUS_GT, false, 0 },      { "neg", UNARY_LEFT, LITMUS_SUB, false, 0 },
  { "negw", UNARY_LEFT, LITMUS_SUB, true, 0 }, { "beq", BRANCH, LITMUS_EQ, false, 0 },
  { "bne", BRANCH, LITMUS_NE, false, 0 },      { "blt", BRANCH, LITMUS_LT, false, 0 },
  { "bge", BRANCH, LITMUS_GE, false, 0 },      { "ble", BRANCH, LITMUS_LE, false, 0 },
  { "bgt", BRANCH, LITMUS_GT, false, 0 },      { "bltu", BRANCH, LITMUS_LTU, false, 0 },
  { "bgeu", BRANCH, LITMUS_GEU, false, 0 },    { "bleu", BRANCH, LITMUS_LEU, false, 0 },
  { "bgtu", BRANCH, LITMUS_GTU, false, 0 },    { "beqz", BRANCH_0, LITMUS_EQ, false, 0 },
  { "bnez", BRANCH_0, LITMUS_NE, false, 0 },   { "bltz", BRANCH_0, LITMUS_LT, false, 0 },
  { "bgez", BRANCH_0, LITMUS_GE, false, 0 },   { "blez", BRANCH_0, LITMUS_LE, false, 0 },
  { "bgtz", BRANCH_0, LITMUS_GT, false, 0 },
};

static bool number(struct litmus_lexer *l, struct litmus_operand *to)
{
  to->kind = LITMUS_VALUE;
  return weft_litmus_integer(l, &to->value);
}

static bool read_compute(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_instruction *i,
                         enum form form, int64_t constant)
{
  const struct litmus_operand fixed = { .kind = LITMUS_VALUE, .value = constant };
  if (!weft_litmus_riscv_target(l, th, &i->to) || !weft_litmus_riscv_comma(l))
    return false;
  if (form == UNARY_LEFT) {
    i->a = fixed;
    return weft_litmus_riscv_source(l, th, &i->b);
  }
  if (!weft_litmus_riscv_source(l, th, &i->a))
    return false;
  i->b = fixed;
  if (form == UNARY)
    return true;
  return weft_litmus_riscv_comma(l) &&
         (form == REGISTERS ? weft_litmus_riscv_source(l, th, &i->b) : number(l, &i->b));
}

static bool read_branch(struct litmus_lexer *l, struct litmus_thread *th, struct litmus_instruction *i,
                        enum form form)
{
  i->b.kind = LITMUS_VALUE;
  if (!weft_litmus_riscv_source(l, th, &i->a) || !weft_litmus_riscv_comma(l))
    return false;
  if (form == BRANCH && (!weft_litmus_riscv_source(l, th, &i->b) || !weft_litmus_riscv_comma(l)))
    return false;
  return weft_litmus_branch_to(l, th, i);
}

/* j label */
static bool read_jump(struct litmus_lexer *l, struct litmus_thread *th)
{
  struct litmus_instruction *i = weft_litmus_put(l, th, LITMUS_BRANCH);
  if (!i)
    return false;
  i->a.kind = i->b.kind = LITMUS_VALUE;
  i->func = LITMUS_EQ;
  return weft_litmus_branch_to(l, th, i);
}

/* li x5,1   lui x5,1   la x5,x */
static bool read_constant(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                          const char *mnemonic)
{
  struct litmus_instruction *i = weft_litmus_put(l, th, LITMUS_COMPUTE);
  if (!i || !weft_litmus_riscv_target(l, th, &i->to) || !weft_litmus_riscv_comma(l))
    return false;
  i->func = LITMUS_ADD;
  i->b.kind = LITMUS_VALUE;
  if (!strcmp(mnemonic, "la")) {
    i->a.kind = LITMUS_ADDRESS;
    return weft_litmus_location(l, t, &i->a.index);
  }
  if (!number(l, &i->a))
    return false;
  if (!strcmp(mnemonic, "lui"))
    i->a.value = (int64_t)(int32_t)((uint32_t)i->a.value << 12);
  return true;
}

bool weft_litmus_riscv_compute(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_thread *th,
                               const char *mnemonic)
{
  if (!strcmp(mnemonic, "nop"))
    return true;
  if (!strcmp(mnemonic, "j"))
    return read_jump(l, th);
  if (!strcmp(mnemonic, "li") || !strcmp(mnemonic, "lui") || !strcmp(mnemonic, "la"))
    return read_constant(l, t, th, mnemonic);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    if (strcmp(table[k].name, mnemonic) != 0)
      continue;
    bool branch = table[k].form >= BRANCH;
    struct litmus_instruction *i = weft_litmus_put(l, th, branch ? LITMUS_BRANCH : LITMUS_COMPUTE);
    if (!i)
      return false;
    i->func = (uint8_t)table[k].alu;
    i->word = table[k].word;
    return branch ? read_branch(l, th, i, table[k].form)
                  : read_compute(l, th, i, table[k].form, table[k].constant);
  }
  weft_litmus_skip(t, l->token_line, "instruction %s", mnemonic);
  return weft_litmus_skip_cell(l);
}
