/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics in plain C, for programs that know what theirs must return. Not the model's, so that neither hides a mistake
 * of the other. */
#ifndef WEFT_PLAIN_ATOMIC_H
#define WEFT_PLAIN_ATOMIC_H

#include <stdint.h>

/* The lowest `bytes` (1 to 8) of a value. */
static inline uint64_t weft_plain_cut(uint64_t value, unsigned bytes)
{
  return bytes < 8 ? value & ((UINT64_C(1) << (8 * bytes)) - 1) : value;
}

/* What an atomic (enum weft_function) of 4 or 8 bytes leaves where `old` was; only that many bytes of it count. */
uint64_t weft_plain_atomic(unsigned func, uint64_t old, uint64_t operand, uint64_t compare, unsigned bytes);

#endif
