/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, replaces and keeps the entries; what a request does to one is the protocol's policy. */
#include "directory.h"

#include "directory_policy.h"
#include "replacement.h"
#include "weft_protocols.h"

static const struct weft_protocol_row *row_of(unsigned protocol)
{
  return &weft_protocol_rows[protocol];
}

static uint64_t ways_of(const struct weft_config *c, unsigned protocol)
{
  return row_of(protocol)->ways ? row_of(protocol)->ways : c->directory_ways;
}

static uint64_t sets_of(const struct weft_config *c, unsigned protocol)
{
  uint64_t entries = row_of(protocol)->entries(c->directory_entries, c->memory_bytes / c->line);
  return entries / ways_of(c, protocol) / c->l2_banks;
}

static size_t entry_size(const struct weft_config *c, unsigned protocol)
{
  unsigned bits = row_of(protocol)->entry_bits((unsigned)c->nodes - 1U, weft_protocol_lines(c, protocol));
  size_t words = bits ? (bits + 63U) / 64U : 1;
  return sizeof(struct weft_directory_entry) + words * sizeof(uint64_t);
}

static size_t layout(struct weft_directory *d, const struct weft_config *c, unsigned protocol)
{
  uint64_t entries = sets_of(c, protocol) * ways_of(c, protocol);
  size_t at = sizeof *d;
  d->entry_size = (uint32_t)entry_size(c, protocol);
  d->entries_at = weft_layout_take(&at, entries * d->entry_size);
  d->blank_at = weft_layout_take(&at, d->entry_size);
  d->ages_at = weft_layout_take(&at, entries);
  return at;
}

size_t weft_directory_size(const struct weft_config *c, unsigned protocol)
{
  struct weft_directory shape;
  return row_of(protocol)->tracker == WEFT_TRACKER_DIRECTORY ? layout(&shape, c, protocol) : 0;
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
  memset(d, 0, weft_directory_size(c, protocol));
  layout(d, c, protocol);
  d->sets = (uint32_t)sets_of(c, protocol);
  d->ways = (uint32_t)ways_of(c, protocol);
  d->lines = weft_protocol_lines(c, protocol);
  d->refresh = row_of(protocol)->refresh && c->directory_refresh;
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
  return weft_bank_line(address, d->line_shift, d->bank_shift) / d->lines & (d->sets - 1U);
}

static uint16_t sharer_bit(const struct weft_directory *d, unsigned node)
{
  return (uint16_t)(1U << (node < d->home ? node : node - 1U));
}

static const struct weft_directory_policy *policy_of(const struct weft_directory *d)
{
  return row_of(d->protocol)->policy;
}

bool weft_directory_block(const struct weft_directory *d)
{
  return row_of(d->protocol)->block && d->fault != WEFT_FAULT_DIRECTORY_BLOCK_ONE_LINE;
}

static struct weft_directory_shape shape_of(const struct weft_directory *d)
{
  return (struct weft_directory_shape){ .sharers = (uint8_t)(d->nodes - 1U),
                                        .lines = (uint8_t)d->lines,
                                        .fault = (uint8_t)d->fault };
}

/* What the entry that goes leaves behind: an INV for every sharer of every line, or of the whole block. */
static void evict(const struct weft_directory *d, const struct weft_directory_entry *victim,
                  struct weft_dir_event *out, struct weft_directory_owed *owed)
{
  struct weft_directory_shape shape = shape_of(d);
  unsigned sets = row_of(d->protocol)->block ? 1 : d->lines;
  bool first_only = d->fault == WEFT_FAULT_DIRECTORY_EVICTS_FIRST_LINE;
  out->evicted = 1;
  out->evicted_address = victim->address;
  out->cause = WEFT_CAUSE_EVICT;
  out->inv_sharers = out->invs = 0; /* a line that had no entry had no sharers */
  for (unsigned i = 0; i < sets; i++) {
    uint16_t sharers = policy_of(d)->sharers(victim->fields, &shape, i);
    out->lines += sharers != 0;
    if (d->fault == WEFT_FAULT_DIRECTORY_EVICTS_SILENTLY || (first_only && out->inv_sharers))
      sharers = 0;
    owed->sharers[i] = sharers;
    out->inv_sharers |= sharers;
    out->invs = (uint16_t)(out->invs + __builtin_popcount(sharers));
  }
  if (row_of(d->protocol)->block)
    out->lines = (uint8_t)d->lines;
}

/* Makes room: the way that is free now, or freed by evicting what was in it. */
static unsigned make_room(struct weft_directory *d, uint64_t set, struct weft_dir_event *out,
                          struct weft_directory_owed *owed)
{
  uint32_t valid = 0;
  for (unsigned w = 0; w < d->ways; w++)
    valid |= (uint32_t)entry_at(d, set, w)->valid << w;
  unsigned way = weft_ages_victim(ages_of(d, set), d->ways, valid, WEFT_NO_WAY);
  struct weft_directory_entry *victim = entry_at(d, set, way);
  if (victim->valid)
    evict(d, victim, out, owed);
  weft_ages_touch(ages_of(d, set), d->ways, way);
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
                  const struct weft_directory_request *r, struct weft_dir_event *out)
{
  struct weft_directory_change change = policy_of(d)->step(entry->fields, r);
  entry->valid = change.valid;
  if (!change.valid)
    entry->address = 0; /* equal states must be equal bytes */
  out->inv_sharers = change.inv;
  out->invs = (uint16_t)__builtin_popcount(change.inv);
  out->cause = change.cause;
  out->sharers = change.valid ? policy_of(d)->sharers(entry->fields, &r->shape, r->position) : 0;
}

/* A line without an entry: the policy may want one. Returns its way, or WEFT_NO_WAY. */
static int enter(struct weft_directory *d, uint64_t set, uint64_t address,
                 const struct weft_directory_request *request, struct weft_dir_event *out,
                 struct weft_directory_owed *owed)
{
  struct weft_directory_entry *blank = weft_at(d, d->blank_at);
  int way = WEFT_NO_WAY;
  apply(d, blank, request, out);
  if (blank->valid) {
    way = (int)make_room(d, set, out, owed);
    blank->address = weft_directory_base(d, address);
    memcpy(entry_at(d, set, (unsigned)way), blank, d->entry_size);
    out->allocated = 1;
  }
  memset(blank, 0, d->entry_size);
  return way;
}

const char *weft_directory_step(struct weft_directory *d, const struct weft_dir_event *in,
                                struct weft_dir_event *out, struct weft_directory_owed *owed)
{
  const char *error = refused(d, in);
  if (error)
    return error;
  uint64_t address = in->address >> d->line_shift << d->line_shift, set = set_of(d, address);
  int way = find(d, set, weft_directory_base(d, address));
  struct weft_directory_request request = {
    .shape = shape_of(d),
    .op = in->op,
    .local = in->local,
    .hit = way != WEFT_NO_WAY,
    .position = (uint8_t)(address >> d->line_shift & (d->lines - 1U)),
    .requester = in->local ? 0 : sharer_bit(d, in->requester),
  };
  out->hit = request.hit;
  out->allocated = out->evicted = out->lines = 0;
  out->evicted_address = 0;
  if (request.hit) {
    apply(d, entry_at(d, set, (unsigned)way), &request, out);
    if (d->refresh && !(request.local && request.op == WEFT_DIR_OP_READ))
      weft_ages_touch(ages_of(d, set), d->ways, (unsigned)way);
  } else {
    way = enter(d, set, address, &request, out, owed);
  }
  out->way = way == WEFT_NO_WAY ? 0 : (uint8_t)way;
  return NULL;
}
