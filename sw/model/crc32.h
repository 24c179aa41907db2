/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet's and zlib's CRC-32, a byte at a time: of the links' frames and of those between host and board. */
#ifndef WEFT_CRC32_H
#define WEFT_CRC32_H

#include <stdint.h>

static inline uint32_t weft_crc32_step(uint32_t crc, uint8_t byte)
{
  crc ^= byte;
  for (unsigned i = 0; i < 8; i++)
    crc = crc >> 1 ^ (crc & 1U ? 0xedb88320U : 0U);
  return crc;
}

#endif
