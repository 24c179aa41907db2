/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of registers, as RISC-V and PTX have it in common. */
#include "runner.h"

static int64_t shifted(enum litmus_alu alu, int64_t a, int64_t b, bool word)
{
  unsigned by = (unsigned)b & (word ? 31 : 63);
  if (alu == LITMUS_SLL)
    return (int64_t)((uint64_t)a << by);
  if (alu == LITMUS_SRA)
    return (word ? (int64_t)(int32_t)a : a) >> by;
  return word ? (int64_t)((uint32_t)a >> by) : (int64_t)((uint64_t)a >> by);
}

int64_t weft_litmus_compute(enum litmus_alu alu, int64_t a, int64_t b, bool word)
{
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (alu) {
  case LITMUS_ADD:
    return (int64_t)(x + y);
  case LITMUS_SUB:
    return (int64_t)(x - y);
  case LITMUS_MUL:
    return (int64_t)(x * y);
  case LITMUS_DIV:
    return !b ? -1 : b == -1 ? (int64_t)(0 - x) : a / b;
  case LITMUS_AND:
    return (int64_t)(x & y);
  case LITMUS_OR:
    return (int64_t)(x | y);
  case LITMUS_XOR:
    return (int64_t)(x ^ y);
  case LITMUS_EQ:
    return a == b;
  case LITMUS_NE:
    return a != b;
  case LITMUS_LT:
    return a < b;
  case LITMUS_GE:
    return a >= b;
  case LITMUS_LE:
    return a <= b;
  case LITMUS_GT:
    return a > b;
  case LITMUS_LTU:
    return x < y;
  case LITMUS_GEU:
    return x >= y;
  case LITMUS_LEU:
    return x <= y;
  case LITMUS_GTU:
    return x > y;
  default:
    return shifted(alu, a, b, word);
  }
}
