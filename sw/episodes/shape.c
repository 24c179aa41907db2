/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "episodes.h"
#include "weft_formats.h"
#include "weft_protocols.h"

static const struct weft_protocol_row *row_of(const char *protocol)
{
  for (size_t i = 0; i < weft_protocol_count; i++)
    if (!strcmp(weft_protocol_rows[i].name, protocol))
      return &weft_protocol_rows[i];
  return NULL;
}

/* Under leases a TSU's sets are what lines compete for. Without a directory of its own, a protocol is tried with the lines that would be hard for the baseline's. */
static void read_directory(struct weft_episode_shape *s, const struct weft_protocol_row *row,
                           uint64_t entries, uint64_t ways, uint64_t range)
{
  s->entry_lines = 1;
  s->leases = row && row->tracker == WEFT_TRACKER_TSU;
  s->tracked = row && row->tracker == WEFT_TRACKER_DIRECTORY;
  if (s->tracked) {
    s->entry_lines = row->entry_lines((unsigned)(range / s->line));
    s->block = row->block;
    ways = row->ways ? row->ways : ways;
    entries = row->entries(entries, s->memory / s->line);
  }
  s->ways = (unsigned)ways;
  s->sets = entries / ways / s->banks;
}

int weft_shape_read(struct weft *w, struct weft_episode_shape *s)
{
  struct weft_machine m;
  uint64_t entries, ways, range, banks;
  if (weft_describe(w, &m))
    return WEFT_BAD_STATE;
  const struct weft_protocol_row *row = row_of(m.protocol);
  bool leases = row && row->tracker == WEFT_TRACKER_TSU;
  if (weft_config_get(w, leases ? "tsu.entries" : "directory.entries", &entries) ||
      weft_config_get(w, leases ? "tsu.ways" : "directory.ways", &ways) ||
      weft_config_get(w, "directory.range", &range) || weft_config_get(w, "l2.banks", &banks))
    return WEFT_BAD_STATE;
  *s = (struct weft_episode_shape){ .nodes = m.nodes,
                                    .cus = m.cus,
                                    .warps = m.warps,
                                    .line = m.line,
                                    .banks = (unsigned)banks,
                                    .memory = m.memory };
  read_directory(s, row, entries, ways, range);
  return WEFT_OK;
}

struct weft_episode_place weft_shape_place(const struct weft_episode_shape *s, unsigned warp,
                                           uint64_t episode)
{
  return (struct weft_episode_place){ episode, warp / s->warps / s->cus, warp / s->warps % s->cus,
                                      warp % s->warps };
}

enum weft_memory_scope weft_shape_scope(const struct weft_episode_shape *s, unsigned a, unsigned b)
{
  if (a / s->warps == b / s->warps)
    return WEFT_CTA;
  return a / s->warps / s->cus == b / s->warps / s->cus ? WEFT_GPU : WEFT_SYS;
}
