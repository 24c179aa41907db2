/* SPDX-License-Identifier: Apache-2.0 */
#include "directory.h"

#include "replacement.h"

static uint64_t sets_of(const struct weft_config *c)
{
  return c->directory_entries / c->directory_ways / c->l2_banks;
}

size_t weft_directory_size(const struct weft_config *c)
{
  uint64_t entries = sets_of(c) * c->directory_ways;
  size_t at = sizeof(struct weft_directory) + entries * sizeof(struct weft_directory_entry);
  weft_layout_take(&at, entries);
  return at;
}

static uint8_t *ages_of(struct weft_directory *d, uint64_t set)
{
  return (uint8_t *)weft_at(d, d->ages_at) + set * d->ways;
}

void weft_directory_reset(struct weft_directory *d, const struct weft_config *c, unsigned home)
{
  memset(d, 0, weft_directory_size(c));
  d->sets = (uint32_t)sets_of(c);
  d->ways = (uint32_t)c->directory_ways;
  d->home = home;
  d->nodes = (uint32_t)c->nodes;
  d->line_shift = weft_log2(c->line);
  d->bank_shift = weft_log2(c->l2_banks);
  size_t at = sizeof(struct weft_directory) + (size_t)d->sets * d->ways * sizeof(struct weft_directory_entry);
  d->ages_at = weft_layout_take(&at, (size_t)d->sets * d->ways);
  for (uint64_t set = 0; set < d->sets; set++)
    weft_ages_reset(ages_of(d, set), d->ways);
}

static uint64_t set_of(const struct weft_directory *d, uint64_t address)
{
  uint64_t offset = weft_offset_of(address);
  uint64_t page = offset >> (WEFT_PAGE_SHIFT + d->bank_shift);
  uint64_t in_page = (offset & weft_ones(WEFT_PAGE_SHIFT)) >> d->line_shift;
  return ((page << (WEFT_PAGE_SHIFT - d->line_shift)) | in_page) & (d->sets - 1U);
}

static uint16_t sharer_bit(const struct weft_directory *d, unsigned node)
{
  return (uint16_t)(1U << (node < d->home ? node : node - 1U));
}

static void allocate(struct weft_directory *d, uint64_t set, uint64_t address, uint16_t sharers,
                     struct weft_dir_event *out)
{
  struct weft_directory_entry *ways = d->entries + set * d->ways;
  uint32_t valid = 0;
  for (unsigned w = 0; w < d->ways; w++)
    valid |= (uint32_t)ways[w].valid << w;
  unsigned way = weft_ages_victim(ages_of(d, set), d->ways, valid, WEFT_NO_WAY);
  if (ways[way].valid) {
    out->evicted = 1;
    out->evicted_address = ways[way].address;
    out->inv_sharers = ways[way].sharers;
  }
  ways[way] = (struct weft_directory_entry){ .address = address, .sharers = sharers, .valid = 1 };
  weft_ages_touch(ages_of(d, set), d->ways, way); /* on allocation only: first in, first out */
  out->allocated = 1;
  out->way = (uint8_t)way;
  out->sharers = sharers;
}

static void hit(struct weft_directory_entry *entry, const struct weft_dir_event *in, uint16_t own,
                struct weft_dir_event *out)
{
  if (in->op == WEFT_DIR_OP_READ) {
    entry->sharers |= own;
  } else {
    out->inv_sharers = entry->sharers & (uint16_t)~own;
    entry->sharers = in->op == WEFT_DIR_OP_WRITE ? own : 0;
    entry->valid = entry->sharers != 0;
  }
  out->sharers = entry->sharers;
}

static const char *refused(const struct weft_directory *d, const struct weft_dir_event *in)
{
  if (in->op > WEFT_DIR_OP_ATOMIC)
    return "directory: unknown operation";
  if (weft_home_of(in->address) != d->home)
    return "directory: the line's home is another node";
  if (in->requester >= d->nodes || in->local != (in->requester == d->home))
    return "directory: no such requester";
  return NULL;
}

const char *weft_directory_step(struct weft_directory *d, const struct weft_dir_event *in,
                                struct weft_dir_event *out)
{
  const char *error = refused(d, in);
  if (error)
    return error;
  uint64_t address = in->address >> d->line_shift << d->line_shift, set = set_of(d, address);
  uint16_t own = in->local ? 0 : sharer_bit(d, in->requester);
  struct weft_directory_entry *ways = d->entries + set * d->ways;
  out->hit = out->way = out->allocated = out->evicted = 0;
  out->evicted_address = 0;
  out->inv_sharers = out->sharers = 0;
  for (unsigned w = 0; w < d->ways; w++) {
    if (ways[w].valid && ways[w].address == address) {
      out->hit = 1;
      out->way = (uint8_t)w;
      hit(&ways[w], in, own, out);
      return NULL;
    }
  }
  if (own && in->op != WEFT_DIR_OP_ATOMIC)
    allocate(d, set, address, own, out);
  return NULL;
}
