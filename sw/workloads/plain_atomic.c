/* SPDX-License-Identifier: Apache-2.0 */
#include "plain_atomic.h"

#include <weft/weft.h>

uint64_t weft_plain_atomic(unsigned func, uint64_t old, uint64_t operand, uint64_t compare, unsigned bytes)
{
  int64_t a = bytes == 4 ? (int32_t)old : (int64_t)old, b = bytes == 4 ? (int32_t)operand : (int64_t)operand;
  switch (func) {
  case WEFT_ADD:
    return old + operand;
  case WEFT_EXCH:
    return operand;
  case WEFT_CAS:
    return old == compare ? operand : old;
  case WEFT_MIN:
    return b < a ? operand : old;
  case WEFT_MAX:
    return b > a ? operand : old;
  case WEFT_MINU:
    return operand < old ? operand : old;
  case WEFT_MAXU:
    return operand > old ? operand : old;
  case WEFT_AND:
    return old & operand;
  case WEFT_OR:
    return old | operand;
  default:
    return old ^ operand;
  }
}
