/* SPDX-License-Identifier: Apache-2.0 */
/* What a protocol's tracker costs, from the parameters that build the RTL. */
#include <string.h>

#include "handle.h"
#include "layout.h"
#include "names.h"
#include "weft_protocols.h"

#define PAPER_ADDRESS_BITS 48u
#define PAPER_TIME_BITS 16u
#define BLOCK_LINES 4u /* of an entry, with no protocol built in */

/* Bits of an entry as rtl/home/directory.sv keeps it: valid; of the line's number in the node's memory what does not
 * choose the bank, the set or the line inside the entry; the fields; the age of the way. None is narrower than a
 * bit. */
static unsigned stored_bits(const struct weft_config *c, uint64_t sets, uint64_t ways, unsigned lines,
                            unsigned fields)
{
  unsigned number_bits =
    weft_log2_up(c->memory_bytes) - weft_log2_up(c->line * lines) - weft_log2_up(c->l2_banks);
  unsigned tag_bits = number_bits > weft_log2_up(sets) ? number_bits - weft_log2_up(sets) : 1;
  unsigned age_bits = ways > 1 ? weft_log2_up(ways) : 1;
  return 1 + tag_bits + (fields ? fields : 1) + age_bits;
}

/* The RTL's RAM: the largest fields of all protocols built in, and a tag for the entry with the fewest lines. */
static unsigned ram_bits(const struct weft_config *c)
{
  unsigned range = (unsigned)(c->directory_range / c->line);
  unsigned fewest = range > BLOCK_LINES ? range : BLOCK_LINES, most = 0;
  for (size_t i = 0; i < weft_protocol_count; i++) {
    const struct weft_protocol_row *row = &weft_protocol_rows[i];
    if (row->tracker != WEFT_TRACKER_DIRECTORY || !weft_protocol_built(c, i))
      continue;
    unsigned lines = weft_protocol_lines(c, i);
    unsigned fields = row->entry_bits((unsigned)c->nodes - 1U, lines);
    fewest = lines < fewest ? lines : fewest;
    most = fields > most ? fields : most;
  }
  return stored_bits(c, c->directory_entries / c->directory_ways / c->l2_banks, c->directory_ways, fewest,
                     most);
}

/* Tag, the protocol's own fields, valid. The paper keeps the byte address of a single line, and of several lines what
 * they have in common (REC, Table 1). */
static void directory(const struct weft_config *c, const struct weft_protocol_row *row,
                      struct weft_storage *s)
{
  unsigned lines = weft_protocol_lines(c, (size_t)(row - weft_protocol_rows));
  unsigned field_bits = row->entry_bits((unsigned)c->nodes - 1U, lines);
  uint64_t ways = row->ways ? row->ways : c->directory_ways;
  s->tracker = "directory";
  s->entries = row->entries(c->directory_entries, c->memory_bytes / c->line);
  s->entry_lines = lines;
  s->entry_bits = PAPER_ADDRESS_BITS - (lines > 1 ? weft_log2_up(lines * c->line) : 0) + field_bits + 1;
  s->total_bytes = (s->entries * s->entry_bits + 7) / 8;
  if (c->nodes == 1)
    return; /* nobody to track */
  if (weft_protocol_built(c, (size_t)(row - weft_protocol_rows)))
    s->ram_entry_bits = ram_bits(c);
  if (!row->model)
    s->built_entry_bits = stored_bits(c, s->entries / ways / c->l2_banks, ways, lines, field_bits);
  s->built_total_bytes = (s->entries * s->built_entry_bits + 7) / 8;
  s->ram_total_bytes = (c->directory_entries * s->ram_entry_bits + 7) / 8;
}

/* The paper counts a time per block, 64 KB for 2 MB of L2 (HALCONE, 3.2.5), and no tag. Built, as rtl/home/tsu.sv keeps
 * it: valid, tag and two times for a block, and the two high-water marks of a set. */
static void tsu(const struct weft_config *c, size_t number, struct weft_storage *s)
{
  uint64_t sets = c->tsu_entries / c->tsu_ways;
  unsigned line_bits = weft_log2_up(c->memory_bytes) - weft_log2_up(c->line) - weft_log2_up(c->l2_banks);
  unsigned set_bits = weft_log2_up(sets / c->l2_banks), time_bits = (unsigned)c->lease_bits;
  s->tracker = "tsu";
  s->entries = c->tsu_entries;
  s->entry_lines = 1;
  s->entry_bits = PAPER_TIME_BITS;
  s->built_entry_bits = 1 + (line_bits > set_bits ? line_bits - set_bits : 1) + 2 * time_bits;
  s->built_set_bits = 2 * time_bits;
  s->total_bytes = (s->entries * s->entry_bits + 7) / 8;
  s->built_total_bytes = (s->entries * s->built_entry_bits + sets * s->built_set_bits + 7) / 8;
  if (weft_protocol_built(c, number)) {
    s->ram_entry_bits = s->built_entry_bits;
    s->ram_total_bytes = s->built_total_bytes;
  }
}

int weft_storage_of(struct weft *w, const char *protocol, struct weft_storage *storage)
{
  uint8_t number;
  if (weft_protocol_find(w, protocol, &number) || weft_config_check(w))
    return w->failure.code;
  memset(storage, 0, sizeof *storage);
  const struct weft_protocol_row *row = &weft_protocol_rows[number];
  if (row->tracker == WEFT_TRACKER_DIRECTORY)
    directory(&w->config, row, storage);
  else if (row->tracker == WEFT_TRACKER_TSU)
    tsu(&w->config, number, storage);
  return WEFT_OK;
}
