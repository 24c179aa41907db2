/* SPDX-License-Identifier: Apache-2.0 */
/* The forward queue of a home bank: what INVs and MARKs are owed, in order, and what each node has applied.
 *
 * sent[n] counts the INVs owed to node n at the moment they are queued, put[n] when they leave, seen[n] those
 * that n has acknowledged by a marker; all modulo 2^16. */
#ifndef WEFT_FORWARD_H
#define WEFT_FORWARD_H

#include "directory.h"

#define WEFT_NODES_MAX 16

struct weft_forward {
  uint32_t depth, head, count;
  uint32_t lines; /* that an evicted entry may owe INVs of, one by one */
  uint32_t line_shift;
  uint32_t lines_at; /* per item, the nodes by line, if it is spread over several */
  uint32_t fault;    /* enum weft_fault */
  uint8_t home, nodes, bank;
  uint8_t line;  /* of the item at the head, if that is spread */
  uint16_t left; /* nodes of that line of the item at the head that have not got their message */
  uint16_t sent[WEFT_NODES_MAX], put[WEFT_NODES_MAX], seen[WEFT_NODES_MAX];
  struct weft_fwd_item items[];
};

size_t weft_forward_size(const struct weft_config *config, unsigned protocol);
void weft_forward_reset(struct weft_forward *forward, const struct weft_config *config, unsigned protocol,
                        unsigned home, unsigned bank);

static inline bool weft_forward_full(const struct weft_forward *f)
{
  return f->count == f->depth;
}

/* Queues an item; `owed` says who gets an INV of which line if it is spread over several. Returns NULL, or
 * what is wrong with it. */
const char *weft_forward_push(struct weft_forward *forward, const struct weft_fwd_item *item,
                              const struct weft_directory_owed *owed);

/* Takes the next message out; false if there is none. */
bool weft_forward_pop(struct weft_forward *forward, struct weft_fwd *out);

/* Node `from` has applied all INVs up to `stamp`. */
void weft_forward_seen(struct weft_forward *forward, unsigned from, uint16_t stamp);

/* The nodes other than the home that a marker must reach: those that may not have applied all INVs. */
uint16_t weft_forward_unseen(const struct weft_forward *forward);

#endif
