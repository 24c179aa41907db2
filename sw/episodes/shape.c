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

int weft_shape_read(struct weft *w, struct weft_episode_shape *s)
{
  struct weft_machine m;
  uint64_t entries, ways, banks;
  if (weft_describe(w, &m) || weft_config_get(w, "directory.entries", &entries) ||
      weft_config_get(w, "directory.ways", &ways) || weft_config_get(w, "l2.banks", &banks))
    return WEFT_BAD_STATE;
  const struct weft_protocol_row *row = row_of(m.protocol);
  memset(s, 0, sizeof *s);
  s->nodes = m.nodes;
  s->cus = m.cus;
  s->warps = m.warps;
  s->line = m.line;
  s->banks = (unsigned)banks;
  s->memory = m.memory;
  s->tracked = row && row->tracker == WEFT_TRACKER_DIRECTORY;
  s->entry_lines = 1;
  s->ways = (unsigned)ways;
  s->sets = (unsigned)(entries / ways / banks);
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
