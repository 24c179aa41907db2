/* SPDX-License-Identifier: Apache-2.0 */
/* Tags, ages and data of a set-associative cache: the part that L1 and L2 have in common. */
#ifndef WEFT_LINES_H
#define WEFT_LINES_H

#include "layout.h"
#include "replacement.h"

#define WEFT_TAG_VALID UINT64_C(1) /* the low bits of a tag are free: it is a line's address */
#define WEFT_TAG_DIRTY UINT64_C(2)

/* Of a line under a lease: when its value was written, until when it may be read. */
struct weft_stamps {
  uint16_t wts, rts;
};

/* A block inside a unit's block: this, the tags, the ages, the stamps, the data. */
struct weft_lines {
  uint32_t sets, ways, line;
  uint32_t ages_at, stamps_at, data_at; /* from the start of this struct */
  uint64_t tags[];
};

size_t weft_lines_size(uint64_t sets, uint64_t ways, uint64_t line);
void weft_lines_reset(struct weft_lines *lines, uint64_t sets, uint64_t ways, uint64_t line);

static inline uint64_t *weft_lines_tags(struct weft_lines *l, uint64_t set)
{
  return l->tags + set * l->ways;
}

static inline uint8_t *weft_lines_ages(struct weft_lines *l, uint64_t set)
{
  return (uint8_t *)weft_at(l, l->ages_at) + set * l->ways;
}

static inline struct weft_stamps *weft_lines_stamps(struct weft_lines *l, uint64_t set, unsigned way)
{
  return (struct weft_stamps *)weft_at(l, l->stamps_at) + set * l->ways + way;
}

static inline uint8_t *weft_lines_data(struct weft_lines *l, uint64_t set, unsigned way)
{
  return (uint8_t *)weft_at(l, l->data_at) + (set * l->ways + way) * l->line;
}

/* The way that holds the line of this address, or WEFT_NO_WAY. */
static inline int weft_lines_find(const struct weft_lines *l, uint64_t set, uint64_t line_address)
{
  const uint64_t *tags = l->tags + set * l->ways;
  for (unsigned w = 0; w < l->ways; w++)
    if ((tags[w] & ~WEFT_TAG_DIRTY) == (line_address | WEFT_TAG_VALID))
      return (int)w;
  return WEFT_NO_WAY;
}

static inline void weft_lines_touch(struct weft_lines *l, uint64_t set, unsigned way)
{
  uint8_t *ages = weft_lines_ages(l, set);
  if (ages[way]) /* else it is the youngest already */
    weft_ages_touch(ages, l->ways, way);
}

unsigned weft_lines_victim(struct weft_lines *l, uint64_t set, int excluded);
void weft_lines_drop_all(struct weft_lines *l);

#endif
