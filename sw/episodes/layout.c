/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines are hot. At every node some entries of the directory are chosen that meet in one set, two more than it
 * has ways, and a few others beside them; of each entry up to three lines are hot. A hot line is cut at random into
 * locations of 1, 2, 4 and 8 bytes, so that neighbours in a line belong to different episodes. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "episodes.h"

#define BLOCK_BYTES 4096u /* banks take turns by these */
#define DENSE_ENTRIES 6u
#define LINES_OF_ENTRY 3u
#define SPARE_WAYS 2u
#define WAYS_MOST 16u /* of a directory */
#define ATOMIC_OF_TEN \
  1u /* locations of 4 and 8 bytes that are atomic, of ten; the first of a line never is */

/* The place of entry `index` of a bank: banks are interleaved by blocks, and no entry is torn apart. */
static uint64_t entry_offset(const struct weft_episode_shape *s, unsigned bank, uint64_t index)
{
  uint64_t in_bank = index * s->entry_lines * s->line;
  return (in_bank / BLOCK_BYTES * s->banks + bank) * BLOCK_BYTES + in_bank % BLOCK_BYTES;
}

static bool add_location(struct weft_layout *l, struct weft_location location)
{
  if (l->count == l->room) {
    size_t room = l->room ? 2 * l->room : 256;
    struct weft_location *bigger = realloc(l->location, room * sizeof *bigger);
    if (!bigger)
      return false;
    l->location = bigger;
    l->room = room;
  }
  l->location[l->count++] = location;
  return true;
}

static bool cut_line(struct weft_layout *l, const struct weft_episode_shape *s, unsigned node,
                     uint64_t offset, struct weft_random *random)
{
  for (unsigned at = 0; at < s->line;) {
    unsigned bytes = 1u << weft_random_below(random, 4);
    while (at % bytes)
      bytes /= 2;
    bool atomic = at && bytes >= 4 && weft_random_below(random, 10) < ATOMIC_OF_TEN;
    if (!add_location(l,
                      (struct weft_location){ offset + at, (uint8_t)node, (uint8_t)bytes, atomic, l->lines }))
      return false;
    at += bytes;
  }
  l->lines++;
  if (l->span < offset + s->line)
    l->span = offset + s->line;
  return true;
}

/* The first line of the entry, the last one, and one between. */
static bool add_entry(struct weft_layout *l, const struct weft_episode_shape *s, unsigned node,
                      uint64_t offset, struct weft_random *random)
{
  unsigned hot = s->entry_lines < LINES_OF_ENTRY ? s->entry_lines : LINES_OF_ENTRY;
  for (unsigned i = 0; i < hot; i++) {
    unsigned line = i == 0   ? 0
                    : i == 1 ? s->entry_lines - 1
                             : 1 + weft_random_below(random, s->entry_lines - 2);
    if (!cut_line(l, s, node, offset + (uint64_t)line * s->line, random))
      return false;
  }
  return true;
}

/* Room is left for the counters, half of the memory. */
static bool fits(const struct weft_episode_shape *s, uint64_t offset)
{
  return offset + (uint64_t)s->entry_lines * s->line <= s->memory / 2;
}

/* Entries of one node that are hot, by their sets. */
struct hot {
  struct {
    unsigned bank;
    uint64_t set;
  } entry[WAYS_MOST + SPARE_WAYS + DENSE_ENTRIES];
  unsigned count;
};

static bool overflows(const struct hot *h, unsigned ways)
{
  for (unsigned i = 0; i < h->count; i++) {
    unsigned meeting = 0;
    for (unsigned k = 0; k < h->count; k++)
      meeting += h->entry[k].bank == h->entry[i].bank && h->entry[k].set == h->entry[i].set;
    if (meeting > ways)
      return true;
  }
  return false;
}

/* Entry `index` of the bank, if the memory has it. */
static bool add_indexed(struct weft_layout *l, const struct weft_episode_shape *s, struct hot *h,
                        unsigned node, unsigned bank, uint64_t index, struct weft_random *random)
{
  uint64_t offset = entry_offset(s, bank, index);
  if (!fits(s, offset))
    return true;
  h->entry[h->count].bank = bank;
  h->entry[h->count++].set = index % s->sets;
  return add_entry(l, s, node, offset, random);
}

static bool add_node(struct weft_layout *l, const struct weft_episode_shape *s, unsigned node,
                     struct weft_random *random)
{
  struct hot h = { .count = 0 };
  for (unsigned i = 0; i < s->ways + SPARE_WAYS; i++)
    if (!add_indexed(l, s, &h, node, 0, i * s->sets, random))
      return false;
  for (unsigned i = 0; i < DENSE_ENTRIES; i++) {
    unsigned bank = i % s->banks;
    uint64_t index = 1 + i / s->banks;
    bool there = bank == 0 && index % s->sets == 0; /* one of those above */
    if (!there && !add_indexed(l, s, &h, node, bank, index, random))
      return false;
  }
  l->overflows |= overflows(&h, s->ways);
  return true;
}

static bool list_kinds(struct weft_layout *l)
{
  l->data = calloc(l->count, sizeof *l->data);
  l->atomic = calloc(l->count, sizeof *l->atomic);
  l->line = calloc(l->lines + 1, sizeof *l->line);
  if (!l->data || !l->atomic || !l->line)
    return false;
  for (uint32_t i = 0; i < l->count; i++) {
    if (l->location[i].atomic)
      l->atomic[l->atomic_count++] = i;
    else
      l->data[l->data_count++] = i;
    l->line[l->location[i].line + 1] = (uint32_t)l->data_count;
  }
  return true;
}

/* Every warp's counter is at home at some node, in a line of its own. */
static bool place_counters(struct weft_layout *l, const struct weft_episode_shape *s,
                           struct weft_random *random)
{
  unsigned warps = weft_shape_warps(s);
  uint32_t used[64] = { 0 };
  assert(warps > 0);
  l->counter_node = calloc(warps, sizeof *l->counter_node);
  l->counter_line = calloc(warps, sizeof *l->counter_line);
  if (!l->counter_node || !l->counter_line)
    return false;
  l->counters = (l->span + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
  for (unsigned w = 0; w < warps; w++) {
    unsigned node = weft_random_below(random, s->nodes);
    l->counter_node[w] = (uint8_t)node;
    l->counter_line[w] = used[node]++;
    uint64_t end = l->counters + (uint64_t)used[node] * s->line;
    l->span = end > l->span ? end : l->span;
  }
  return true;
}

bool weft_layout_make(struct weft_layout *l, const struct weft_episode_shape *s, struct weft_random *random)
{
  memset(l, 0, sizeof *l);
  for (unsigned n = 0; n < s->nodes; n++)
    if (!add_node(l, s, n, random))
      return false;
  return list_kinds(l) && place_counters(l, s, random);
}

void weft_layout_free(struct weft_layout *l)
{
  free(l->location);
  free(l->data);
  free(l->atomic);
  free(l->line);
  free(l->counter_node);
  free(l->counter_line);
  memset(l, 0, sizeof *l);
}
