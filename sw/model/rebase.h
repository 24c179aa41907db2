/* SPDX-License-Identifier: Apache-2.0 */
/* Time starts again: what all homes, banks and L1s of the fabric go through together when time stamps are about to
 * overflow (T10). No byte is in danger: everything is in memory when its store is answered. */
#ifndef WEFT_REBASE_H
#define WEFT_REBASE_H

#include <stdbool.h>
#include <stdint.h>

enum weft_rebase_phase {
  WEFT_REBASE_RUN,   /* nothing is the matter */
  WEFT_REBASE_STOP,  /* homes and banks take no requests; answers between nodes arrive */
  WEFT_REBASE_BANKS, /* every bank drops its copies and forgets the time, its home too */
  WEFT_REBASE_DRAIN, /* answers to the L1s arrive */
  WEFT_REBASE_L1S    /* every L1 likewise */
};

struct weft_rebase {
  uint8_t phase;
  uint8_t wait;
  uint8_t settle; /* cycles until a step that was under way at the stop is counted (l2_pkg::SettleCycles) */
  uint8_t fault;  /* enum weft_fault */
};

struct weft_rebase_input {
  bool wants;   /* a home step would need times that the fields do not hold */
  bool flying;  /* an answer of a home is on its way to a bank */
  bool banks;   /* every bank has started again */
  bool answers; /* an answer is on its way from a bank to an L1 */
  bool l1s;     /* every L1 has started again */
};

/* One cycle; true if the phase changes. */
bool weft_rebase_step(struct weft_rebase *rebase, const struct weft_rebase_input *in);

/* A home step that would see these times must wait for a rebase. The fields hold two leases more: a step may be under way
 * already, and the clocks that it moves are seen one cycle late. */
static inline bool weft_rebase_due(uint32_t largest, uint32_t cts, uint32_t last, uint32_t lease)
{
  return (largest > cts ? largest : cts) + 2U * lease + 3U > last;
}

#endif
