/* SPDX-License-Identifier: Apache-2.0 */
#include "forward.h"

#include "weft_protocols.h"

/* sent may run ahead of seen by this: stamps are compared as signed 16-bit numbers. */
#define FARTHEST 0x7fffU

/* Lines of an entry whose eviction owes an INV of each. */
static unsigned spread_lines(const struct weft_config *c, unsigned protocol)
{
  const struct weft_protocol_row *row = &weft_protocol_rows[protocol];
  if (row->tracker != WEFT_TRACKER_DIRECTORY || row->block)
    return 1;
  return weft_protocol_lines(c, protocol);
}

static size_t layout(struct weft_forward *f, const struct weft_config *c, unsigned protocol)
{
  size_t at = sizeof *f;
  weft_layout_take(&at, c->home_forwards * sizeof(struct weft_fwd_item));
  f->lines = spread_lines(c, protocol);
  f->lines_at = weft_layout_take(&at, f->lines > 1 ? c->home_forwards * f->lines * sizeof(uint16_t) : 0);
  return at;
}

size_t weft_forward_size(const struct weft_config *c, unsigned protocol)
{
  struct weft_forward shape;
  return layout(&shape, c, protocol);
}

void weft_forward_reset(struct weft_forward *f, const struct weft_config *c, unsigned protocol, unsigned home,
                        unsigned bank)
{
  memset(f, 0, weft_forward_size(c, protocol));
  layout(f, c, protocol);
  f->depth = (uint32_t)c->home_forwards;
  f->line_shift = weft_log2(c->line);
  f->home = (uint8_t)home;
  f->nodes = (uint8_t)c->nodes;
  f->bank = (uint8_t)bank;
}

static uint16_t *lines_of(struct weft_forward *f, uint32_t slot)
{
  return (uint16_t *)weft_at(f, f->lines_at) + (size_t)slot * f->lines;
}

static void count_sent(struct weft_forward *f, uint32_t nodes)
{
  for (; nodes; nodes &= nodes - 1U) {
    unsigned n = weft_lowest(nodes);
    if ((uint16_t)(f->sent[n] - f->seen[n]) == FARTHEST)
      f->seen[n]++;
    f->sent[n]++;
  }
}

/* The item at the head starts with its first line that is owed to anybody. */
static void start_head(struct weft_forward *f)
{
  const struct weft_fwd_item *item = &f->items[f->head];
  f->line = 0;
  f->left = item->nodes;
  if (!item->spread)
    return;
  const uint16_t *nodes = lines_of(f, f->head);
  while (!nodes[f->line])
    f->line++;
  f->left = nodes[f->line];
}

static const char *refused(const struct weft_forward *f, const struct weft_fwd_item *item)
{
  uint32_t others = ((1U << f->nodes) - 1U) & ~(1U << f->home);
  if (weft_forward_full(f))
    return "forward: an item for a full queue";
  if (item->nodes == 0 || (item->nodes & ~others))
    return "forward: an item for the home itself, for no node or for one that does not exist";
  if (item->spread && f->lines == 1)
    return "forward: an item of several lines, in a protocol that has none";
  return NULL;
}

/* The slot of an item that comes last; with the faults, a MARK's is before INVs that came earlier. */
static uint32_t place(struct weft_forward *f, const struct weft_fwd_item *item)
{
  uint32_t at = f->count, first = f->left == f->items[f->head].nodes && !f->line ? 0 : 1;
  bool all = f->fault == WEFT_FAULT_FORWARD_MARK_OVERTAKES,
       evictions = f->fault == WEFT_FAULT_FORWARD_MARK_OVERTAKES_EVICTIONS;
  if (item->kind != WEFT_FWD_KIND_MARK || !(all || evictions))
    return at;
  for (; at > first; at--) {
    uint32_t from = (f->head + at - 1U) & (f->depth - 1U), to = (f->head + at) & (f->depth - 1U);
    const struct weft_fwd_item *before = &f->items[from];
    if (before->kind != WEFT_FWD_KIND_INV || (evictions && before->cause != WEFT_CAUSE_EVICT))
      break;
    f->items[to] = *before;
    if (f->lines > 1)
      memcpy(lines_of(f, to), lines_of(f, from), f->lines * sizeof(uint16_t));
  }
  return at;
}

const char *weft_forward_push(struct weft_forward *f, const struct weft_fwd_item *item,
                              const struct weft_directory_owed *owed)
{
  const char *error = refused(f, item);
  if (error)
    return error;
  uint32_t place_of_item = place(f, item), at = (f->head + place_of_item) & (f->depth - 1U);
  struct weft_fwd_item *slot = &f->items[at];
  memset(slot, 0, sizeof *slot); /* field by field, so that no padding comes along */
  slot->kind = item->kind;
  slot->nodes = item->nodes;
  slot->block = item->block;
  slot->spread = item->spread;
  slot->cause = item->cause;
  slot->releaser = item->releaser;
  slot->id = item->id;
  slot->address = item->address;
  f->count++;
  for (unsigned i = 0; item->spread && i < f->lines; i++) {
    lines_of(f, at)[i] = weft_directory_nodes(owed->sharers[i], f->home);
    count_sent(f, lines_of(f, at)[i]);
  }
  if (item->kind == WEFT_FWD_KIND_INV && !item->spread)
    count_sent(f, item->nodes);
  if (item->kind == WEFT_FWD_KIND_MARK && f->fault == WEFT_FAULT_FORWARD_SKIP_EARLY)
    for (unsigned n = 0; n < f->nodes; n++)
      f->seen[n] = item->nodes >> n & 1U ? f->sent[n] : f->seen[n];
  if (place_of_item == 0)
    start_head(f);
  return NULL;
}

/* The next line of the item at the head, or the next item. */
static void next_line(struct weft_forward *f)
{
  struct weft_fwd_item *item = &f->items[f->head];
  if (item->spread) {
    const uint16_t *nodes = lines_of(f, f->head);
    for (unsigned line = f->line + 1U; line < f->lines; line++)
      if (nodes[line]) {
        f->line = (uint8_t)line;
        f->left = nodes[line];
        return;
      }
    memset(lines_of(f, f->head), 0, f->lines * sizeof(uint16_t)); /* equal states must be equal bytes */
  }
  memset(item, 0, sizeof *item);
  f->head = (f->head + 1U) & (f->depth - 1U);
  f->line = 0;
  if (--f->count)
    start_head(f);
}

bool weft_forward_pop(struct weft_forward *f, struct weft_fwd *out)
{
  if (f->count == 0)
    return false;
  const struct weft_fwd_item *item = &f->items[f->head];
  unsigned n = weft_lowest(f->left);
  if (item->kind == WEFT_FWD_KIND_INV)
    f->put[n]++;
  *out = (struct weft_fwd){ .kind = item->kind,
                            .src = f->home,
                            .dst = (uint8_t)n,
                            .block = item->block,
                            .cause = item->cause,
                            .releaser = item->releaser,
                            .id = item->id,
                            .stamp = f->put[n],
                            .address = item->address + ((uint64_t)f->line << f->line_shift) };
  f->left &= (uint16_t)(f->left - 1U);
  if (f->left == 0)
    next_line(f);
  return true;
}

void weft_forward_seen(struct weft_forward *f, unsigned from, uint16_t stamp)
{
  if ((int16_t)(uint16_t)(stamp - f->seen[from]) > 0)
    f->seen[from] = stamp;
}

uint16_t weft_forward_unseen(const struct weft_forward *f)
{
  uint32_t unseen = 0;
  for (unsigned n = 0; n < f->nodes; n++)
    if (n != f->home && f->seen[n] != f->sent[n])
      unseen |= 1U << n;
  return (uint16_t)unseen;
}
