/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

static size_t layout(struct weft_lines *l, uint64_t sets, uint64_t ways, uint64_t line)
{
  size_t at = sizeof(struct weft_lines) + sets * ways * sizeof(uint64_t);
  l->ages_at = weft_layout_take(&at, sets * ways);
  l->stamps_at = weft_layout_take(&at, sets * ways * sizeof(struct weft_stamps));
  l->data_at = weft_layout_take(&at, sets * ways * line);
  return at;
}

size_t weft_lines_size(uint64_t sets, uint64_t ways, uint64_t line)
{
  struct weft_lines shape;
  return layout(&shape, sets, ways, line);
}

void weft_lines_reset(struct weft_lines *l, uint64_t sets, uint64_t ways, uint64_t line)
{
  memset(l, 0, weft_lines_size(sets, ways, line));
  l->sets = (uint32_t)sets;
  l->ways = (uint32_t)ways;
  l->line = (uint32_t)line;
  layout(l, sets, ways, line);
  for (uint64_t set = 0; set < sets; set++)
    weft_ages_reset(weft_lines_ages(l, set), l->ways);
}

unsigned weft_lines_victim(struct weft_lines *l, uint64_t set, int excluded)
{
  const uint64_t *tags = weft_lines_tags(l, set);
  uint32_t valid = 0;
  for (unsigned w = 0; w < l->ways; w++)
    valid |= (uint32_t)(tags[w] & WEFT_TAG_VALID) << w;
  return weft_ages_victim(weft_lines_ages(l, set), l->ways, valid, excluded);
}

void weft_lines_drop_all(struct weft_lines *l)
{
  memset(l->tags, 0, (size_t)l->sets * l->ways * sizeof(uint64_t));
}
