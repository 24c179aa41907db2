/* SPDX-License-Identifier: Apache-2.0 */
/* What the seeded faults of leases change in the caches (rtl/config/faults.toml): each is a rule of T1 to T11 left out. */
#ifndef WEFT_LEASE_FAULTS_H
#define WEFT_LEASE_FAULTS_H

#include "l1.h"

/* Whether a unit with `fault` has this one: the paper's pseudo-code to the letter is several of them at once. */
static inline bool weft_lease_has(unsigned fault, unsigned asked)
{
  if (fault != WEFT_FAULT_LEASE_AS_PUBLISHED)
    return fault == asked;
  return asked == WEFT_FAULT_TSU_WRITE_AT_MEMTS || asked == WEFT_FAULT_TSU_REENTERS_MEMTS_ZERO ||
         asked == WEFT_FAULT_LEASE_READS_KEEP_CLOCK || asked == WEFT_FAULT_LEASE_EXTENDS_ITSELF ||
         asked == WEFT_FAULT_LEASE_L2_KEEPS_BLOCK;
}

/* An answer came: the clock moves (T5), but for a fault. */
static inline void weft_lease_hears(struct weft_lease *l, unsigned fault, bool read, bool installed,
                                    struct weft_stamps s)
{
  if ((read && weft_lease_has(fault, WEFT_FAULT_LEASE_READS_KEEP_CLOCK)) ||
      (!installed && weft_lease_has(fault, WEFT_FAULT_LEASE_CLOCK_BY_INSTALLED)))
    s.wts = 0;
  weft_lease_answered(l, s.wts, s.rts);
}

/* The stamps that a cache keeps: those that came, but for a fault. */
static inline struct weft_stamps weft_lease_kept(const struct weft_lease *l, unsigned fault,
                                                 struct weft_stamps s)
{
  if (weft_lease_has(fault, WEFT_FAULT_LEASE_EXTENDS_ITSELF)) {
    s.wts = weft_later(l->clock, s.wts);
    s.rts = weft_later((uint16_t)(s.wts + 1U), s.rts);
  }
  return s;
}

/* Misses that somebody of this warp waits for. */
static inline uint64_t weft_l1_misses_of(const struct weft_l1 *l, unsigned warp)
{
  uint64_t set = 0;
  for (uint64_t used = l->waiter_used; used; used &= used - 1) {
    const struct weft_l1_waiter *w = &weft_l1_waiters(l)[weft_lowest(used)];
    set |= w->warp == warp ? weft_bit(w->miss) : 0;
  }
  return set;
}

/* Misses for which a faulty L1 does not make this operation wait (T2). */
static inline uint64_t weft_lease_overlooked(const struct weft_l1 *l, const struct weft_cu_req *r)
{
  bool load = r->op == WEFT_CU_OP_LOAD, store = r->op == WEFT_CU_OP_STORE;
  switch (l->fault) {
  case WEFT_FAULT_LEASE_LOAD_PASSES_STORE:
    return load ? l->miss_store : 0;
  case WEFT_FAULT_LEASE_TWO_STORES:
    return store ? l->miss_store : 0;
  case WEFT_FAULT_LEASE_STORE_PASSES_LOAD:
    return store ? ~l->miss_store : 0;
  case WEFT_FAULT_LEASE_WEAK_BESIDE_STRONG:
    return load ? ~l->miss_store : 0;
  case WEFT_FAULT_LEASE_LOCK_PER_WARP:
    return ~weft_l1_misses_of(l, r->warp);
  default:
    return 0;
  }
}

#endif
