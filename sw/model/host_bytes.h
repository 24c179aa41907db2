/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian numbers in frames between host and board. */
#ifndef WEFT_HOST_BYTES_H
#define WEFT_HOST_BYTES_H

#include <stdint.h>

static inline uint64_t weft_host_get(const uint8_t *at, unsigned bytes)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)at[i] << 8 * i;
  return value;
}

static inline uint8_t *weft_host_put(uint8_t *at, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (uint8_t)(value >> 8 * i);
  return at + bytes;
}

#endif
