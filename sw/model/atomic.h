/* SPDX-License-Identifier: Apache-2.0 */
/* What an atomic writes. */
#ifndef WEFT_ATOMIC_H
#define WEFT_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "weft_formats.h"

/* The new value from the old one. A narrow atomic uses the low 32 bits of its inputs, and the upper half of
 * its result is 0. `compare` is what cas compares the old value with. An unknown function leaves the old
 * value. */
uint64_t weft_atomic(uint8_t func, bool wide, uint64_t old, uint64_t operand, uint64_t compare);

/* Performs an atomic on `bytes` with the operands of a message's data field, and returns the old value. */
uint64_t weft_atomic_apply(uint8_t func, bool wide, uint8_t *bytes, const uint8_t *operands);

/* Whether it is to be seen if it leaves what it finds, and so writes nothing. An add is not: it would have to add 0. */
static inline bool weft_atomic_may_fail(uint8_t func)
{
  return func != WEFT_FUNC_ADD;
}

#endif
