/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet's and zlib's CRC-32, a byte at a time: of the links' frames and of those between host and board. */
#ifndef WEFT_CRC32_H
#define WEFT_CRC32_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t weft_crc32_step(uint32_t crc, uint8_t byte)
{
  crc ^= byte;
  for (unsigned i = 0; i < 8; i++)
    crc = crc >> 1 ^ (crc & 1U ? 0xedb88320U : 0U);
  return crc;
}

static inline uint32_t weft_crc32_bytes(uint32_t crc, const uint8_t *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    crc = weft_crc32_step(crc, bytes[i]);
  return crc;
}

#endif
