/* SPDX-License-Identifier: Apache-2.0 */
/* What all units of the model share: where things lie in a unit's block, and in an address.
 *
 * The state of a unit is one flat block without pointers: it can be copied, compared and hashed. Tables whose
 * size comes from the configuration lie behind the fixed part, at offsets that the fixed part holds. */
#ifndef WEFT_LAYOUT_H
#define WEFT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "weft_configs.h"
#include "weft_formats.h"

#define WEFT_HOME_SHIFT 36U
#define WEFT_PAGE_SHIFT 12U /* banks interleave at 4 KiB */

static inline unsigned weft_log2(uint64_t power2)
{
  return (unsigned)__builtin_ctzll(power2);
}

/* The smallest power of two, as its exponent, that is not below `n`; n from 1 on. */
static inline unsigned weft_log2_up(uint64_t n)
{
  return n > 1 ? 64U - (unsigned)__builtin_clzll(n - 1) : 0;
}

static inline unsigned weft_lowest(uint64_t bits)
{
  return (unsigned)__builtin_ctzll(bits);
}

/* A set of `n` bits, all ones. */
static inline uint64_t weft_ones(unsigned n)
{
  return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

static inline uint64_t weft_bit(unsigned n)
{
  return UINT64_C(1) << n;
}

static inline unsigned weft_home_of(uint64_t address)
{
  return (unsigned)(address >> WEFT_HOME_SHIFT) & 15U;
}

static inline uint64_t weft_offset_of(uint64_t address)
{
  return address & weft_ones(WEFT_HOME_SHIFT);
}

/* The number of an address's line among those of its bank; banks interleave at 4 KiB. */
static inline uint64_t weft_bank_line(uint64_t address, unsigned line_shift, unsigned bank_shift)
{
  uint64_t offset = weft_offset_of(address), page = offset >> (WEFT_PAGE_SHIFT + bank_shift);
  uint64_t in_page = (offset & weft_ones(WEFT_PAGE_SHIFT)) >> line_shift;
  return (page << (WEFT_PAGE_SHIFT - line_shift)) | in_page;
}

/* Reserves `bytes` in a block that has grown to *at, and says where they start. */
static inline uint32_t weft_layout_take(size_t *at, size_t bytes)
{
  size_t here = (*at + 7U) & ~(size_t)7U;
  *at = here + bytes;
  return (uint32_t)here;
}

static inline void *weft_at(const void *block, size_t offset)
{
  return (char *)(uintptr_t)block + offset;
}

/* Eight bits of a byte mask, each spread over its byte. */
static inline uint64_t weft_spread(uint64_t bits)
{
  uint64_t low = ((bits & 0xffU) * UINT64_C(0x0101010101010101)) & UINT64_C(0x8040201008040201);
  uint64_t set = ((low + UINT64_C(0x7f7f7f7f7f7f7f7f)) | low) & UINT64_C(0x8080808080808080);
  return (set >> 7) * 0xffU;
}

/* Every byte of a line. */
static inline void weft_mask_fill(uint64_t mask[2], unsigned line)
{
  mask[0] = weft_ones(line);
  mask[1] = line > 64U ? weft_ones(64) : 0;
}

/* The mask is of all bytes of a line. */
static inline bool weft_mask_full(const uint64_t mask[2], unsigned line)
{
  return mask[0] == weft_ones(line) && (line <= 64U || mask[1] == weft_ones(64));
}

static inline void weft_merge(uint8_t *to, const uint8_t *from, const uint64_t mask[2], unsigned line)
{
  for (unsigned i = 0; i < line; i += 8) {
    uint64_t enable = weft_spread(mask[i >> 6] >> (i & 63U)), old, new;
    memcpy(&old, to + i, 8);
    memcpy(&new, from + i, 8);
    old = (old & ~enable) | (new &enable);
    memcpy(to + i, &old, 8);
  }
}

#endif
