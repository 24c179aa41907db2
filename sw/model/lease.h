/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a cache under leases, and what it makes of time stamps (docs/units/lease.md; T1 to T11 of
 * docs/protocol.md "Leases"). */
#ifndef WEFT_LEASE_H
#define WEFT_LEASE_H

#include "lines.h"
#include "weft_protocols.h"

/* Endless: stores are answered and lines locked as under leases, but nobody keeps times, and no lease runs out. */
enum weft_lease_mode { WEFT_LEASE_OFF, WEFT_LEASE_WEAK, WEFT_LEASE_CAUSAL, WEFT_LEASE_ENDLESS };

struct weft_lease {
  uint16_t clock;   /* cts */
  uint16_t max_rts; /* the end of the longest lease that has come in */
  uint8_t mode;     /* enum weft_lease_mode */
  uint8_t era;      /* rebases so far, as far as a request carries them */
  uint8_t renews;   /* of an L2: copies that have run out are renewed */
  uint8_t pad;
};

#define WEFT_ERAS 4U

static inline uint8_t weft_lease_mode(unsigned protocol)
{
  const struct weft_protocol_row *row = &weft_protocol_rows[protocol];
  if (row->tracker != WEFT_TRACKER_TSU)
    return row->answered ? WEFT_LEASE_ENDLESS : WEFT_LEASE_OFF;
  return row->causal ? WEFT_LEASE_CAUSAL : WEFT_LEASE_WEAK;
}

/* Leases run out: homes have a TSU. */
static inline bool weft_lease_ends(unsigned mode)
{
  return mode == WEFT_LEASE_WEAK || mode == WEFT_LEASE_CAUSAL;
}

/* What a request sent now says of the time (T9). */
static inline uint16_t weft_lease_says(const struct weft_lease *l, uint16_t clock)
{
  return l->mode == WEFT_LEASE_CAUSAL ? clock : 0;
}

/* What a request that came says of it: nothing, if it was sent before the last rebase (T10). */
static inline uint16_t weft_lease_heard(const struct weft_lease *l, uint16_t cts, uint8_t era)
{
  return (l->mode == WEFT_LEASE_CAUSAL || l->renews) && era == l->era ? cts : 0;
}

static inline uint16_t weft_later(uint16_t a, uint16_t b)
{
  return a > b ? a : b;
}

/* Every answer moves the clock, installed or not (T5). */
static inline void weft_lease_answered(struct weft_lease *l, uint16_t wts, uint16_t rts)
{
  l->clock = weft_later(l->clock, wts);
  l->max_rts = weft_later(l->max_rts, rts);
}

/* An acquire in causal mode: every lease of the cache has run out (T6). Where none has come in there is none to outlive (a
 * lease ends at 1 at the earliest), and the clock stays at 0 in the first launch, as in the paper's Figure 5. */
static inline void weft_lease_outlive(struct weft_lease *l)
{
  if (l->max_rts)
    l->clock = weft_later(l->clock, (uint16_t)(l->max_rts + 1U));
}

/* Time starts again (T10). */
static inline void weft_lease_rebase(struct weft_lease *l)
{
  l->clock = l->max_rts = 0;
  l->era = (uint8_t)((l->era + 1U) % WEFT_ERAS);
}

#endif
