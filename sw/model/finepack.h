/* SPDX-License-Identifier: Apache-2.0 */
/* FinePack's arithmetic (chapter V of the paper): byte masks and their runs, what they take in a packet and as plain
 * writes, sub-headers, windows. Shared by the remote write queue, the packetizer and the de-packetizer. */
#ifndef WEFT_FINEPACK_H
#define WEFT_FINEPACK_H

#include "layout.h"

#define WEFT_BLOCK 128U /* bytes of the queue's blocks, whatever the line */
#define WEFT_BLOCK_SHIFT 7U
#define WEFT_PAYLOAD_MAX 4096U
#define WEFT_SUB_HEADER_MIN 2U
#define WEFT_SUB_HEADER_MAX 6U
#define WEFT_LENGTH_BITS 10U /* of a sub-header; the rest is offset */
/* Link bytes around a write: STP token 4, header 16, LCRC 4; a vendor prefix is 4 more. */
#define WEFT_WRITE_COST 24U
#define WEFT_HEADER_BYTES 16U
#define WEFT_FRAMING_BYTES 8U
#define WEFT_PREFIX_BYTES 4U

/* What registers choose at run time. */
struct weft_finepack {
  uint32_t enable;     /* 0: every store leaves plain */
  uint32_t sub_header; /* 2 to 6 bytes */
  uint32_t payload;    /* most bytes of a packet, a power of two from 128 to 4096 */
  uint32_t prefix;     /* packets are memory writes with a vendor prefix */
};

/* A mask of the bytes of a block. */
struct weft_enables {
  uint64_t bit[2];
};

/* ---------------------------------------------------------------- masks */

static inline bool weft_enabled(const struct weft_enables *e, unsigned i)
{
  return e->bit[i >> 6] >> (i & 63U) & 1U;
}

static inline unsigned weft_ones_of(uint64_t low, uint64_t high)
{
  return (unsigned)(__builtin_popcountll(low) + __builtin_popcountll(high));
}

static inline unsigned weft_enabled_bytes(const struct weft_enables *e)
{
  return weft_ones_of(e->bit[0], e->bit[1]);
}

/* Bytes whose neighbour below is not enabled: a run begins there. */
static inline struct weft_enables weft_run_starts(const struct weft_enables *e)
{
  return (struct weft_enables){ { e->bit[0] & ~(e->bit[0] << 1),
                                  e->bit[1] & ~(e->bit[1] << 1 | e->bit[0] >> 63) } };
}

static inline unsigned weft_runs(const struct weft_enables *e)
{
  struct weft_enables starts = weft_run_starts(e);
  return weft_enabled_bytes(&starts);
}

/* The first run that begins at `from` or later; false if there is none. */
static inline bool weft_next_run(const struct weft_enables *e, unsigned from, unsigned *start,
                                 unsigned *length)
{
  while (from < WEFT_BLOCK && !weft_enabled(e, from))
    from++;
  *start = from;
  while (from < WEFT_BLOCK && weft_enabled(e, from))
    from++;
  *length = from - *start;
  return *length != 0;
}

/* Where a line's bytes lie in its block. */
static inline unsigned weft_place_in_block(uint64_t line_address)
{
  return (unsigned)line_address & (WEFT_BLOCK - 1U);
}

static inline struct weft_enables weft_line_in_block(const uint64_t mask[2], unsigned line, unsigned place)
{
  if (line == WEFT_BLOCK)
    return (struct weft_enables){ { mask[0], mask[1] } };
  uint64_t bits = mask[0] & weft_ones(line);
  return place >= 64 ? (struct weft_enables){ { 0, bits << (place - 64) } }
                     : (struct weft_enables){ { bits << place, 0 } };
}

/* ---------------------------------------------------------------- sizes */

/* What the bytes take in a packet: each maximal run is a sub-transaction. */
static inline unsigned weft_encoded(const struct weft_enables *e, unsigned sub_header)
{
  return weft_runs(e) * sub_header + weft_enabled_bytes(e);
}

static inline unsigned weft_padded(unsigned bytes)
{
  return (bytes + 3U) & ~3U;
}

static inline unsigned weft_packet_cost(unsigned payload, bool prefix)
{
  return WEFT_WRITE_COST + (prefix ? WEFT_PREFIX_BYTES : 0) + weft_padded(payload);
}

/* Link bytes of the bytes as plain writes, one for each run in each line: a word counts for every run in it. */
static inline unsigned weft_plain_cost(const struct weft_enables *e, unsigned line)
{
  struct weft_enables starts = weft_run_starts(e);
  uint64_t words = UINT64_C(0x1111111111111111);
  uint64_t lines = line == 16 ? UINT64_C(0x0001000100010001) : line == 32 ? UINT64_C(0x0000000100000001) : 1U;
  uint64_t high = line == WEFT_BLOCK ? 0 : lines; /* a line of 128 bytes starts at byte 0 alone */
  unsigned writes = weft_ones_of(e->bit[0] & (starts.bit[0] | lines), e->bit[1] & (starts.bit[1] | high));
  unsigned touched = weft_ones_of(e->bit[0] & (starts.bit[0] | words), e->bit[1] & (starts.bit[1] | words));
  return WEFT_WRITE_COST * writes + 4U * touched;
}

/* ---------------------------------------------------------------- windows and sub-headers */

/* Bits of address below a packet's base. The reach ends at a node's window, or a masked base could be another
 * node's address. */
static inline unsigned weft_window_bits(unsigned sub_header)
{
  unsigned bits = 8U * sub_header - WEFT_LENGTH_BITS;
  return bits < WEFT_HOME_SHIFT ? bits : WEFT_HOME_SHIFT;
}

static inline uint64_t weft_base_of(uint64_t address, unsigned sub_header)
{
  return address & ~weft_ones(weft_window_bits(sub_header));
}

/* Little-endian, the length in the low 10 bits. */
static inline void weft_put_sub_header(uint8_t *to, unsigned bytes, uint64_t offset, unsigned length)
{
  uint64_t value = offset << WEFT_LENGTH_BITS | length;
  for (unsigned i = 0; i < bytes; i++)
    to[i] = (uint8_t)(value >> 8U * i);
}

static inline void weft_get_sub_header(const uint8_t *from, unsigned bytes, uint64_t *offset,
                                       unsigned *length)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)from[i] << 8U * i;
  *length = (unsigned)(value & weft_ones(WEFT_LENGTH_BITS));
  *offset = value >> WEFT_LENGTH_BITS;
}

#endif
