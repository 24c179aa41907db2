/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, replaces and keeps the entries; what a request does to one is the protocol's policy. */
#include "directory.h"

#include "directory_policy.h"
#include "replacement.h"
#include "weft_protocols.h"

static uint64_t sets_of(const struct weft_config *c)
{
  return c->directory_entries / c->directory_ways / c->l2_banks;
}

/* An entry has room for every protocol, so that the size of the block depends on the configuration alone. */
static size_t entry_size(const struct weft_config *c)
{
  size_t words = 1;
  for (size_t i = 0; i < weft_protocol_count; i++) {
    const struct weft_protocol_row *p = &weft_protocol_rows[i];
    size_t needed = p->entry_bits ? (p->entry_bits((unsigned)c->nodes - 1U) + 63U) / 64U : 0;
    words = needed > words ? needed : words;
  }
  return sizeof(struct weft_directory_entry) + words * sizeof(uint64_t);
}

static size_t layout(struct weft_directory *d, const struct weft_config *c)
{
  uint64_t entries = sets_of(c) * c->directory_ways;
  size_t at = sizeof *d;
  d->entry_size = (uint32_t)entry_size(c);
  d->entries_at = weft_layout_take(&at, entries * d->entry_size);
  d->blank_at = weft_layout_take(&at, d->entry_size);
  d->ages_at = weft_layout_take(&at, entries);
  return at;
}

size_t weft_directory_size(const struct weft_config *c)
{
  struct weft_directory shape;
  return layout(&shape, c);
}

static uint8_t *ages_of(struct weft_directory *d, uint64_t set)
{
  return (uint8_t *)weft_at(d, d->ages_at) + set * d->ways;
}

static struct weft_directory_entry *entry_at(struct weft_directory *d, uint64_t set, unsigned way)
{
  return weft_at(d, d->entries_at + (set * d->ways + way) * d->entry_size);
}

void weft_directory_reset(struct weft_directory *d, const struct weft_config *c, unsigned protocol,
                          unsigned home)
{
  memset(d, 0, weft_directory_size(c));
  layout(d, c);
  d->sets = (uint32_t)sets_of(c);
  d->ways = (uint32_t)c->directory_ways;
  d->home = home;
  d->nodes = (uint32_t)c->nodes;
  d->line_shift = weft_log2(c->line);
  d->bank_shift = weft_log2(c->l2_banks);
  d->protocol = protocol;
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

static const struct weft_directory_policy *policy_of(const struct weft_directory *d)
{
  return weft_protocol_rows[d->protocol].policy;
}

/* Makes room: the way that is free now, or freed by evicting what was in it. */
static unsigned make_room(struct weft_directory *d, uint64_t set, struct weft_dir_event *out)
{
  uint32_t valid = 0;
  for (unsigned w = 0; w < d->ways; w++)
    valid |= (uint32_t)entry_at(d, set, w)->valid << w;
  unsigned way = weft_ages_victim(ages_of(d, set), d->ways, valid, WEFT_NO_WAY);
  struct weft_directory_entry *victim = entry_at(d, set, way);
  if (victim->valid) {
    out->evicted = 1;
    out->evicted_address = victim->address;
    out->inv_sharers = policy_of(d)->sharers(victim->fields);
    out->cause = WEFT_CAUSE_EVICT;
  }
  weft_ages_touch(ages_of(d, set), d->ways, way); /* on allocation only: first in, first out */
  return way;
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

static int find(struct weft_directory *d, uint64_t set, uint64_t address)
{
  for (unsigned w = 0; w < d->ways; w++)
    if (entry_at(d, set, w)->valid && entry_at(d, set, w)->address == address)
      return (int)w;
  return WEFT_NO_WAY;
}

/* What the policy says, about an entry or about the blank one. */
static void apply(struct weft_directory *d, struct weft_directory_entry *entry,
                  const struct weft_directory_request *request, struct weft_dir_event *out)
{
  struct weft_directory_change change = policy_of(d)->step(entry->fields, request);
  entry->valid = change.valid;
  out->inv_sharers = change.inv;
  out->cause = change.cause;
  out->sharers = change.valid ? policy_of(d)->sharers(entry->fields) : 0;
}

const char *weft_directory_step(struct weft_directory *d, const struct weft_dir_event *in,
                                struct weft_dir_event *out)
{
  const char *error = refused(d, in);
  if (error)
    return error;
  uint64_t address = in->address >> d->line_shift << d->line_shift, set = set_of(d, address);
  int way = find(d, set, address);
  struct weft_directory_request request = { .op = in->op,
                                            .local = in->local,
                                            .hit = way != WEFT_NO_WAY,
                                            .requester = in->local ? 0 : sharer_bit(d, in->requester) };
  struct weft_directory_entry *blank = weft_at(d, d->blank_at);
  out->hit = request.hit;
  out->allocated = out->evicted = 0;
  out->evicted_address = 0;
  apply(d, request.hit ? entry_at(d, set, (unsigned)way) : blank, &request, out);
  if (!request.hit && blank->valid) {
    way = (int)make_room(d, set, out);
    blank->address = address;
    memcpy(entry_at(d, set, (unsigned)way), blank, d->entry_size);
    out->allocated = 1;
  }
  if (!request.hit)
    memset(blank, 0, d->entry_size);
  out->way = way == WEFT_NO_WAY ? 0 : (uint8_t)way;
  return NULL;
}
