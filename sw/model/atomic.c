/* SPDX-License-Identifier: Apache-2.0 */
#include "atomic.h"

#include <string.h>

static uint64_t wide_result(uint8_t func, uint64_t old, uint64_t operand, uint64_t compare)
{
  switch (func) {
  case WEFT_FUNC_ADD:
    return old + operand;
  case WEFT_FUNC_EXCH:
    return operand;
  case WEFT_FUNC_CAS:
    return old == compare ? operand : old;
  case WEFT_FUNC_MIN:
    return (int64_t)old < (int64_t)operand ? old : operand;
  case WEFT_FUNC_MAX:
    return (int64_t)old < (int64_t)operand ? operand : old;
  case WEFT_FUNC_MINU:
    return old < operand ? old : operand;
  case WEFT_FUNC_MAXU:
    return old < operand ? operand : old;
  case WEFT_FUNC_AND:
    return old & operand;
  case WEFT_FUNC_OR:
    return old | operand;
  case WEFT_FUNC_XOR:
    return old ^ operand;
  default:
    return old;
  }
}

static uint64_t extended(uint64_t value)
{
  return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

uint64_t weft_atomic(uint8_t func, bool wide, uint64_t old, uint64_t operand, uint64_t compare)
{
  if (wide)
    return wide_result(func, old, operand, compare);
  /* Extended by their signs, narrow values keep both their signed and their unsigned order. */
  return (uint32_t)wide_result(func, extended(old), extended(operand), extended(compare));
}

uint64_t weft_atomic_apply(uint8_t func, bool wide, uint8_t *bytes, const uint8_t *operands)
{
  uint64_t old = 0, operand, compare;
  size_t size = wide ? 8 : 4;
  memcpy(&old, bytes, size);
  memcpy(&operand, operands, 8);
  memcpy(&compare, operands + 8, 8);
  uint64_t result = weft_atomic(func, wide, old, operand, compare);
  memcpy(bytes, &result, size);
  return old;
}
