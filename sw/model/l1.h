/* SPDX-License-Identifier: Apache-2.0 */
/* The L1 of one compute unit: write-through. A line is valid until it is dropped, or under leases until its
 * lease has run out: the one thing in which the protocols differ here. */
#ifndef WEFT_L1_H
#define WEFT_L1_H

#include "lease.h"
#include "lines.h"

struct weft_l1_miss {
  uint64_t line;    /* address */
  uint64_t waiters; /* set of waiters[] */
  uint16_t clock;   /* leases: the L1's when it was sent (T4) */
  uint8_t pad[6];
};

struct weft_l1_waiter {
  uint8_t miss, warp, tag, pad;
};

struct weft_l1_warp {
  uint8_t loads; /* operations that wait for data */
  uint8_t pending, tag, order, scope;
  uint8_t sent;    /* banks that the fence's release part was sent to */
  uint8_t awaited; /* of those, the ones that have not answered */
  uint8_t pad;
};

struct weft_l1 {
  uint32_t size; /* of the whole block */
  uint32_t cu, nodes, warps, banks, line, line_shift;
  uint32_t misses, waiters;
  uint32_t lines_at, miss_at, waiter_at, warp_at, fill_at;
  uint32_t fault; /* enum weft_fault; others' faults mean nothing here */
  uint32_t pad;
  uint64_t memory_bytes;
  uint64_t miss_used, miss_open, waiter_used; /* sets of table entries */
  uint64_t miss_store;                        /* leases: misses that are stores, which nobody joins */
  struct weft_lease lease;
  uint64_t fences;               /* warps whose fence is pending */
  uint64_t fill_full, fill_miss; /* the fill register; its data lie at fill_at */
};

size_t weft_l1_size(const struct weft_config *config);
void weft_l1_reset(struct weft_l1 *l1, const struct weft_config *config, uint8_t protocol, unsigned cu);

/* From now on the L1 has this fault of rtl/config/faults.toml, if it is one of an L1's. */
void weft_l1_set_fault(struct weft_l1 *l1, unsigned fault);

/* Why this event cannot happen now, or NULL: what a scheduler asks before it steps. */
const char *weft_l1_refuses(const struct weft_l1 *l1, const struct weft_l1_event *in);

/* Leases: the operation has to wait for the transaction of its line, or of its warp, that is outstanding (T2, T9). */
bool weft_l1_locked(const struct weft_l1 *l1, const struct weft_cu_req *request);

/* Reads kind and the inputs of `in`, changes the L1 and fills the effects of `out`; what a kind has no use
 * for is left alone in messages, and zero among the bits. For fence_done, out->cu holds order and scope of
 * the fence. `in` and `out` may be the same. Returns NULL, or why the event is illegal; then nothing has
 * changed. */
const char *weft_l1_step(struct weft_l1 *l1, const struct weft_l1_event *in, struct weft_l1_event *out);

/* The lowest warp that could do fence_send, fence_done; -1 for none. */
int weft_l1_fence_send(const struct weft_l1 *l1);
int weft_l1_fence_done(const struct weft_l1 *l1);

/* Nothing waits. */
bool weft_l1_idle(const struct weft_l1 *l1);

static inline struct weft_lines *weft_l1_lines(const struct weft_l1 *l)
{
  return (struct weft_lines *)weft_at(l, l->lines_at);
}

static inline struct weft_l1_miss *weft_l1_misses(const struct weft_l1 *l)
{
  return (struct weft_l1_miss *)weft_at(l, l->miss_at);
}

static inline struct weft_l1_waiter *weft_l1_waiters(const struct weft_l1 *l)
{
  return (struct weft_l1_waiter *)weft_at(l, l->waiter_at);
}

static inline struct weft_l1_warp *weft_l1_warps(const struct weft_l1 *l)
{
  return (struct weft_l1_warp *)weft_at(l, l->warp_at);
}

#endif
