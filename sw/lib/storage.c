/* SPDX-License-Identifier: Apache-2.0 */
/* What a protocol's tracker costs, from the parameters that build the RTL. */
#include <string.h>

#include "handle.h"
#include "names.h"
#include "weft_protocols.h"

#define PAPER_ADDRESS_BITS 48u

static unsigned log2_up(uint64_t value)
{
  unsigned n = 0;
  while ((UINT64_C(1) << n) < value)
    n++;
  return n;
}

/* Tag, the protocol's own fields, valid. The paper keeps the byte address of a single line, and of several lines what
 * they have in common (REC, Table 1). */
static void directory(const struct weft_config *c, const struct weft_protocol_row *row,
                      struct weft_storage *s)
{
  unsigned lines = row->entry_lines((unsigned)(c->directory_range / c->line));
  unsigned field_bits = row->entry_bits((unsigned)c->nodes - 1U, lines);
  uint64_t ways = row->ways ? row->ways : c->directory_ways;
  s->tracker = "directory";
  s->entries = row->entries(c->directory_entries, c->memory_bytes / c->line);
  s->entry_lines = lines;
  s->entry_bits = PAPER_ADDRESS_BITS - (lines > 1 ? log2_up(lines * c->line) : 0) + field_bits + 1;
  if (c->nodes == 1 || row->model)
    return; /* nobody to track, or nothing to build */
  /* Built, as rtl/home/directory.sv keeps it: of the line's number in the node's memory what does not choose
   * the bank, the set or the line inside the entry, and the age of the way; neither field is narrower
   * than a bit. */
  uint64_t sets = s->entries / ways / c->l2_banks;
  unsigned line_bits = log2_up(c->memory_bytes) - log2_up(c->line * lines) - log2_up(c->l2_banks);
  unsigned tag_bits = line_bits > log2_up(sets) ? line_bits - log2_up(sets) : 1;
  unsigned age_bits = ways > 1 ? log2_up(ways) : 1;
  s->built_entry_bits = 1 + tag_bits + (field_bits ? field_bits : 1) + age_bits;
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
  storage->total_bytes = (storage->entries * storage->entry_bits + 7) / 8;
  storage->built_total_bytes = (storage->entries * storage->built_entry_bits + 7) / 8;
  return WEFT_OK;
}
