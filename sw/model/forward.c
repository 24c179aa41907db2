/* SPDX-License-Identifier: Apache-2.0 */
#include "forward.h"

/* sent may run ahead of seen by this: stamps are compared as signed 16-bit numbers. */
#define FARTHEST 0x7fffU

size_t weft_forward_size(const struct weft_config *c)
{
  return sizeof(struct weft_forward) + c->home_forwards * sizeof(struct weft_fwd_item);
}

void weft_forward_reset(struct weft_forward *f, const struct weft_config *c, unsigned home, unsigned bank)
{
  memset(f, 0, weft_forward_size(c));
  f->depth = (uint32_t)c->home_forwards;
  f->home = (uint8_t)home;
  f->nodes = (uint8_t)c->nodes;
  f->bank = (uint8_t)bank;
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

const char *weft_forward_push(struct weft_forward *f, const struct weft_fwd_item *item)
{
  uint32_t others = ((1U << f->nodes) - 1U) & ~(1U << f->home);
  if (weft_forward_full(f))
    return "forward: an item for a full queue";
  if (item->nodes == 0 || (item->nodes & ~others))
    return "forward: an item for the home itself, for no node or for one that does not exist";
  uint32_t at = (f->head + f->count) & (f->depth - 1U);
  struct weft_fwd_item *slot = &f->items[at]; /* zero; field by field, so that no padding comes along */
  slot->kind = item->kind;
  slot->nodes = item->nodes;
  slot->cause = item->cause;
  slot->releaser = item->releaser;
  slot->id = item->id;
  slot->address = item->address;
  if (f->count++ == 0)
    f->left = item->nodes;
  if (item->kind == WEFT_FWD_KIND_INV)
    count_sent(f, item->nodes);
  return NULL;
}

bool weft_forward_pop(struct weft_forward *f, struct weft_fwd *out)
{
  if (f->count == 0)
    return false;
  struct weft_fwd_item *item = &f->items[f->head];
  unsigned n = weft_lowest(f->left);
  if (item->kind == WEFT_FWD_KIND_INV)
    f->put[n]++;
  *out = (struct weft_fwd){ .kind = item->kind,
                            .src = f->home,
                            .dst = (uint8_t)n,
                            .cause = item->cause,
                            .releaser = item->releaser,
                            .id = item->id,
                            .stamp = f->put[n],
                            .address = item->address };
  f->left &= (uint16_t)(f->left - 1U);
  if (f->left == 0) {
    memset(item, 0, sizeof *item); /* equal states must be equal bytes */
    f->head = (f->head + 1U) & (f->depth - 1U);
    f->count--;
    if (f->count)
      f->left = f->items[f->head].nodes;
  }
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
