/* SPDX-License-Identifier: Apache-2.0 */
#include "write_queue.h"

/* ---------------------------------------------------------------- storage */

static size_t layout(struct weft_write_queue *q, const struct weft_config *c)
{
  size_t at = sizeof *q, sets = WEFT_QUEUE_SETS * (size_t)c->nodes;
  q->sets_at = weft_layout_take(&at, sets * sizeof(struct weft_queue_set));
  q->blocks_at = weft_layout_take(&at, sets * c->egress_entries * sizeof(struct weft_queue_block));
  return at;
}

size_t weft_write_queue_size(const struct weft_config *c)
{
  struct weft_write_queue shape;
  return layout(&shape, c);
}

void weft_write_queue_reset(struct weft_write_queue *q, const struct weft_config *c, unsigned self)
{
  memset(q, 0, weft_write_queue_size(c));
  layout(q, c);
  q->entries = (uint32_t)c->egress_entries;
  q->nodes = (uint32_t)c->nodes;
  q->self = self;
  q->line = (uint32_t)c->line;
  q->settings = (struct weft_finepack){ .enable = (uint32_t)c->egress_finepack,
                                        .sub_header = (uint32_t)c->egress_sub_header,
                                        .payload = (uint32_t)c->egress_payload,
                                        .prefix = (uint32_t)c->egress_prefix };
}

struct weft_queue_set *weft_queue_set(const struct weft_write_queue *q, unsigned dst, unsigned which)
{
  return (struct weft_queue_set *)weft_at(q, q->sets_at) + (WEFT_QUEUE_SETS * dst + which);
}

struct weft_queue_block *weft_queue_blocks(const struct weft_write_queue *q, unsigned dst, unsigned which)
{
  return (struct weft_queue_block *)weft_at(q, q->blocks_at) +
         (size_t)(WEFT_QUEUE_SETS * dst + which) * q->entries;
}

bool weft_queue_find(const struct weft_write_queue *q, unsigned dst, uint64_t address, unsigned *slot)
{
  unsigned which = q->filling[dst], used = weft_queue_set(q, dst, which)->used;
  const struct weft_queue_block *block = weft_queue_blocks(q, dst, which);
  for (unsigned i = 0; i < used; i++)
    if (block[i].block == address >> WEFT_BLOCK_SHIFT) {
      *slot = i;
      return true;
    }
  *slot = used;
  return false;
}

unsigned weft_write_queue_flush(struct weft_write_queue *q, unsigned dst)
{
  unsigned which = q->filling[dst];
  weft_queue_set(q, dst, which)->draining = 1;
  q->filling[dst] = (uint8_t)((which + 1U) % WEFT_QUEUE_SETS);
  return which;
}

void weft_write_queue_drained(struct weft_write_queue *q, unsigned dst, unsigned which)
{
  struct weft_queue_set *set = weft_queue_set(q, dst, which);
  memset(weft_queue_blocks(q, dst, which), 0, set->used * sizeof(struct weft_queue_block));
  memset(set, 0, sizeof *set); /* equal states must be equal bytes */
}

/* ---------------------------------------------------------------- policy */

static struct weft_enables enables_of(const struct weft_write_queue *q, const struct weft_req *store)
{
  return weft_line_in_block(store->mask, q->line, weft_place_in_block(store->address));
}

/* Alone in a packet the store is whole: all of it in one window (that of 2-byte sub-headers is half a block), and
 * not above the limit (which may be a block without its sub-header). */
static bool fits(const struct weft_write_queue *q, const struct weft_enables *e)
{
  bool crosses = weft_window_bits(q->settings.sub_header) < WEFT_BLOCK_SHIFT && e->bit[0] && e->bit[1];
  unsigned size = weft_encoded(e, q->settings.sub_header);
  return q->settings.enable && size && !crosses && size <= q->settings.payload;
}

/* The address of the store's first byte, which says what window it is in. */
static uint64_t first_byte(const struct weft_req *store, const struct weft_enables *e)
{
  unsigned start, length;
  weft_next_run(e, 0, &start, &length);
  return (store->address & ~(uint64_t)(WEFT_BLOCK - 1U)) + start;
}

static struct weft_enables joined(const struct weft_enables *a, const struct weft_enables *b)
{
  return (struct weft_enables){ { a->bit[0] | b->bit[0], a->bit[1] | b->bit[1] } };
}

struct weft_queue_decision weft_write_queue_decide(const struct weft_write_queue *q,
                                                   const struct weft_req *store)
{
  unsigned dst = store->dst, slot;
  const struct weft_queue_set *set = weft_queue_filling(q, dst);
  struct weft_enables e = enables_of(q, store);
  struct weft_queue_decision d = { .hit = weft_queue_find(q, dst, store->address, &slot) };
  d.slot = (uint8_t)slot;
  if (!fits(q, &e)) {
    d.action = WEFT_QUEUE_PLAIN;
    d.cause = d.hit ? WEFT_FLUSH_CAUSE_PAYLOAD : WEFT_FLUSH_CAUSE_NONE;
    return d;
  }
  /* The base first: of 2-byte sub-headers, two windows share a block. Other sub-headers are another window too. */
  if (set->used && (set->sub_header != q->settings.sub_header ||
                    weft_base_of(first_byte(store, &e), set->sub_header) != set->base)) {
    d.cause = WEFT_FLUSH_CAUSE_BASE;
  } else if (d.hit) {
    const struct weft_enables *old = &weft_queue_blocks(q, dst, q->filling[dst])[slot].enable;
    struct weft_enables all = joined(old, &e);
    unsigned grown = set->payload + weft_encoded(&all, set->sub_header);
    if (grown - weft_encoded(old, set->sub_header) > set->limit)
      d.cause = WEFT_FLUSH_CAUSE_PAYLOAD;
  } else if (set->used == q->entries) {
    d.cause = WEFT_FLUSH_CAUSE_ROOM;
  } else if (set->used && set->payload + weft_encoded(&e, set->sub_header) > set->limit) {
    d.cause = WEFT_FLUSH_CAUSE_PAYLOAD;
  }
  if (d.cause != WEFT_FLUSH_CAUSE_NONE)
    d.action = WEFT_QUEUE_REOPEN;
  else
    d.action = d.hit ? WEFT_QUEUE_MERGE : WEFT_QUEUE_APPEND;
  d.slot = d.action == WEFT_QUEUE_REOPEN ? 0 : d.slot;
  return d;
}

/* The first store of a packet: base, limit and encoding are settled by it. */
static void open_set(struct weft_write_queue *q, struct weft_queue_set *set, uint64_t first)
{
  set->base = weft_base_of(first, q->settings.sub_header);
  set->limit = q->settings.payload;
  set->sub_header = q->settings.sub_header;
  set->prefix = q->settings.prefix;
}

unsigned weft_write_queue_put(struct weft_write_queue *q, const struct weft_req *store,
                              const struct weft_queue_decision *d)
{
  unsigned dst = store->dst, place = weft_place_in_block(store->address);
  struct weft_enables e = enables_of(q, store);
  if (d->action == WEFT_QUEUE_REOPEN)
    weft_write_queue_flush(q, dst);
  struct weft_queue_set *set = weft_queue_filling(q, dst);
  struct weft_queue_block *b = &weft_queue_blocks(q, dst, q->filling[dst])[d->slot];
  if (set->used == 0)
    open_set(q, set, first_byte(store, &e));
  if (d->action != WEFT_QUEUE_MERGE) {
    b->block = store->address >> WEFT_BLOCK_SHIFT;
    set->used++;
  }
  struct weft_enables all = joined(&b->enable, &e);
  set->payload += weft_encoded(&all, set->sub_header) - weft_encoded(&b->enable, set->sub_header);
  set->plain += weft_plain_cost(&all, q->line) - weft_plain_cost(&b->enable, q->line);
  set->runs += weft_runs(&all) - weft_runs(&b->enable);
  unsigned merged = weft_enabled_bytes(&b->enable) + weft_enabled_bytes(&e) - weft_enabled_bytes(&all);
  b->enable = all;
  weft_merge(b->data + place, store->data, store->mask, q->line);
  return merged;
}
