/* SPDX-License-Identifier: Apache-2.0 */
/* A timestamp storage unit (HALCONE, section 3.2): until when the blocks of a home bank have been promised. */
#ifndef WEFT_TSU_H
#define WEFT_TSU_H

#include "layout.h"

struct weft_tsu_entry {
  uint64_t address;
  uint16_t memts; /* the last tick that any copy may be read at */
  uint16_t wts;   /* when the block's value was written */
  uint8_t valid;
  uint8_t pad[3];
};

/* Of a set: no block that was evicted has a later time (rule T1). */
struct weft_tsu_mark {
  uint16_t memts; /* what has been promised */
  uint16_t wts;   /* what has been written */
};

struct weft_tsu {
  uint32_t sets, ways;
  uint32_t home;
  uint32_t line_shift, bank_shift;
  uint32_t last;    /* tick that a time can hold */
  uint32_t largest; /* rts handed out since reset or rebase */
  uint32_t now;     /* the latest time of a write here or of a renewal's sender; never later than `largest` */
  uint32_t pad;
  uint32_t fault; /* enum weft_fault */
  uint32_t entries_at, marks_at;
};

static inline struct weft_tsu_entry *weft_tsu_entries(const struct weft_tsu *t, uint64_t set)
{
  return (struct weft_tsu_entry *)weft_at(t, t->entries_at) + set * t->ways;
}

static inline struct weft_tsu_mark *weft_tsu_mark(const struct weft_tsu *t, uint64_t set)
{
  return (struct weft_tsu_mark *)weft_at(t, t->marks_at) + set;
}

static inline uint32_t weft_lease_longest(const struct weft_lease_settings *leases)
{
  return leases->read > leases->write ? leases->read : leases->write;
}

size_t weft_tsu_size(const struct weft_config *config);
void weft_tsu_reset(struct weft_tsu *tsu, const struct weft_config *config, unsigned home);
void weft_tsu_set_fault(struct weft_tsu *tsu, unsigned fault);

/* The request would take a time beyond what the fields hold: rebase first (rule T10). */
bool weft_tsu_wants_rebase(const struct weft_tsu *tsu, const struct weft_lease_settings *leases,
                           const struct weft_tsu_event *in);

/* Why this request cannot be served now, or NULL. */
const char *weft_tsu_refuses(const struct weft_tsu *tsu, const struct weft_lease_settings *leases,
                             const struct weft_tsu_event *in);

/* Reads op, causal, cts and address of `in`, changes the unit, and fills the effects of `out`, which may be `in`.
 * Returns NULL, or why the request is refused; then nothing has changed. */
const char *weft_tsu_step(struct weft_tsu *tsu, const struct weft_lease_settings *leases,
                          const struct weft_tsu_event *in, struct weft_tsu_event *out);

/* Time starts again at 0: every block and every high-water mark is forgotten, which says the same as all zero. No
 * copy may be left that was promised anything. */
void weft_tsu_rebase(struct weft_tsu *tsu);

#endif
