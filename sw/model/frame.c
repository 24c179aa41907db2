/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include "crc32.h"

#define STP 15U /* the token's first four bits */

/* PCIe's check bits of the length field: which of its bits go into each, and all of it into the parity. */
static unsigned length_check(unsigned length)
{
  static const unsigned bits[4] = { 0x4d7, 0x6bc, 0x35e, 0x1af };
  unsigned check = 0;
  for (unsigned i = 0; i < 4; i++)
    check |= (unsigned)__builtin_parity(length & bits[i]) << i;
  return check;
}

uint32_t weft_frame_token(unsigned words, unsigned sequence)
{
  unsigned check = length_check(words);
  uint32_t parity = (uint32_t)__builtin_parity(words << 4 | check);
  return STP << 28 | (uint32_t)words << 17 | parity << 16 | check << 12 | (sequence & WEFT_SEQUENCE_MASK);
}

bool weft_frame_read_token(uint32_t token, unsigned *words, unsigned *sequence)
{
  *words = token >> 17 & 0x7ffU;
  *sequence = token & WEFT_SEQUENCE_MASK;
  return token == weft_frame_token(*words, *sequence) && *words >= WEFT_FRAME_WORDS_MIN &&
         *words <= WEFT_FRAME_WORDS_MAX;
}

uint32_t weft_frame_crc_step(uint32_t crc, uint32_t word)
{
  for (unsigned shift = 32; shift; shift -= 8)
    crc = weft_crc32_step(crc, (uint8_t)(word >> (shift - 8U)));
  return crc;
}

uint32_t weft_frame_crc(const uint32_t *words, unsigned count)
{
  uint32_t crc = WEFT_FRAME_CRC_BEGIN;
  for (unsigned i = 0; i < count; i++)
    crc = weft_frame_crc_step(crc, words[i]);
  return ~crc;
}

unsigned weft_frame_close(uint32_t *frame, unsigned count, unsigned sequence)
{
  unsigned words = count + WEFT_FRAME_AROUND;
  frame[0] = weft_frame_token(words, sequence);
  frame[words - 1U] = weft_frame_crc(frame, words - 1U);
  return words;
}
