/* SPDX-License-Identifier: Apache-2.0 */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

uint64_t weft_intern_hash(const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ size;
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  if (size) {
    uint32_t word;
    memcpy(&word, at, 4);
    h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  h *= UINT64_C(0xc4ceb9fe1a85ec53);
  return h ^ h >> 29;
}

void weft_intern_open(struct weft_intern *n, size_t size)
{
  *n = (struct weft_intern){ .size = size };
}

void weft_intern_free(struct weft_intern *n)
{
  free(n->block);
  free(n->table);
  *n = (struct weft_intern){ 0 };
}

static uint32_t *place_of(const struct weft_intern *n, const void *block)
{
  uint32_t mask = n->places - 1U, at = (uint32_t)weft_intern_hash(block, n->size) & mask;
  while (n->table[at] && memcmp(weft_intern_block(n, n->table[at] - 1U), block, n->size) != 0)
    at = (at + 1U) & mask;
  return &n->table[at];
}

static bool widen_table(struct weft_intern *n)
{
  uint32_t places = n->places ? 2 * n->places : 1024;
  uint32_t *old = n->table;
  n->table = calloc(places, sizeof *n->table);
  if (!n->table || !places) {
    free(n->table);
    n->table = old;
    return false;
  }
  free(old);
  n->places = places;
  for (uint32_t i = 0; i < n->count; i++)
    *place_of(n, weft_intern_block(n, i)) = i + 1U;
  return true;
}

static bool widen_blocks(struct weft_intern *n)
{
  uint32_t room = n->room ? n->room + n->room / 2 : 512;
  unsigned char *block = realloc(n->block, room * n->size);
  if (!block)
    return false;
  n->block = block;
  n->room = room;
  return true;
}

uint32_t weft_intern(struct weft_intern *n, const void *block, bool *fresh)
{
  if (fresh)
    *fresh = false;
  if (n->failed || (n->count >= n->places / 2 && !widen_table(n)) ||
      (n->count == n->room && !widen_blocks(n))) {
    n->failed = true;
    return 0;
  }
  uint32_t *place = place_of(n, block);
  if (*place)
    return *place - 1U;
  memcpy(n->block + (size_t)n->count * n->size, block, n->size);
  *place = ++n->count;
  if (fresh)
    *fresh = true;
  return n->count - 1U;
}

bool weft_intern_has(const struct weft_intern *n, const void *block)
{
  return n->places && *place_of(n, block);
}
