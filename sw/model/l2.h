/* SPDX-License-Identifier: Apache-2.0 */
/* One L2 bank with its home: cache, outstanding fills of remote lines, fetches of local ones, releases,
 * parked markers, and, inside the same block, the directory slice or the timestamp storage unit, and the forward
 * queue. */
#ifndef WEFT_L2_H
#define WEFT_L2_H

#include "directory.h"
#include "forward.h"
#include "lease.h"
#include "lines.h"
#include "tsu.h"

struct weft_l2_miss {
  uint64_t line;    /* address */
  uint64_t waiters; /* set of waiters[] */
  uint16_t clock;   /* leases: the time that it was sent with (T4) */
  uint8_t pad[6];
};

struct weft_l2_waiter {
  uint8_t cu, id;
};

/* Leases: a store that waits for its answer (T3), or a copy that is to be renewed; the line's data follow. */
struct weft_l2_store {
  uint64_t mask[2];
  uint8_t data[];
};

struct weft_l2_fetch {
  uint64_t line;
  uint8_t first, last; /* of its list of waiting requests */
  uint8_t pad[6];
};

/* A request that waits for a fetch; the line's data follow. */
struct weft_l2_parked {
  uint64_t address;
  uint64_t mask[2];
  uint8_t kind, src, cu, id, func, wide;
  uint8_t next; /* in the list, if it is not the last */
  uint8_t era;
  uint16_t cts;
  uint8_t pad[6];
  uint8_t data[];
};

struct weft_l2_release {
  uint8_t cu, id;
  uint16_t remaining; /* acknowledgements */
  uint16_t homes;     /* set of homes that no marker was sent to yet */
  uint16_t pad;
  uint32_t next; /* write-back: dirty lines before this one have gone home */
};

struct weft_l2_marker {
  uint32_t fetches; /* set that it waits for */
  uint8_t src, id;
  uint8_t pad[2];
};

struct weft_l2 {
  uint32_t size; /* of the whole block */
  uint32_t self, bank, nodes, protocol, line, line_shift, bank_shift;
  uint32_t misses, waiters, fetches, parked, releases, markers; /* capacities */
  uint32_t parked_stride, store_stride;
  uint32_t lines_at, miss_at, store_at, waiter_at, fetch_at, parked_at, release_at, marker_at, fill_at;
  uint32_t directory_at, forward_at, tsu_at;
  uint32_t dirty_at, held_at;                 /* write-back: masks of dirty bytes; the held request */
  struct weft_lease_settings leases;          /* registers: ticks that a read, a write is promised */
  uint32_t fault;                             /* enum weft_fault; others' faults mean nothing here */
  uint64_t miss_used, miss_open, waiter_used; /* sets of table entries */
  uint64_t miss_store;  /* leases: misses that nobody joins: stores, loads that go home */
  uint64_t miss_renews; /* leases: loads whose copy has run out, and waits beside the stores */
  struct weft_lease lease;
  uint64_t fetch_used, parked_used;
  uint64_t release_used, release_sending; /* sending: has homes left */
  uint64_t marker_used;
  uint64_t replay_set;
  uint8_t replay_full, replay_fetch, replay_way; /* the replay register */
  uint8_t fill_full, fill_miss, fill_install;    /* the fill register; its data lie at fill_at */
  struct weft_stamps fill_stamps;
  uint8_t half_full, half_home; /* a mark whose second half (seen) is owed */
  uint16_t half_stamp;
  uint8_t block_next; /* line of a block whose INV comes next; 0: of a new message */
  uint8_t block_home; /* whose message that is */
  uint8_t held_full;  /* write-back: a request waits to leave by the next marker_send */
  /* What only faults need. */
  uint16_t fault_homes;    /* release_skips_homes: homes that were written to since the last release */
  uint8_t fault_late;      /* home_two_steps: a read that the directory does not know of yet ... */
  uint8_t fault_requester; /* ... by whom ... */
  uint8_t pad2[5];
  uint64_t fault_line;   /* ... and of which line */
  uint64_t fault_misses; /* l2_inv_keeps_joining: open misses that may not be installed */
  uint32_t fault_at;     /* l2_store_merges_fill: a mask and the bytes that belong to miss fault_miss */
  uint32_t fault_miss;
};

#define WEFT_BLOCK_LINES 4 /* of a block: what one INV of protocol hmg names */

size_t weft_l2_size(const struct weft_config *config, unsigned protocol);
void weft_l2_reset(struct weft_l2 *l2, const struct weft_config *config, uint8_t protocol, unsigned self,
                   unsigned bank);

/* From now on the bank, its directory and its forward queue have this fault of rtl/config/faults.toml, if it is one
 * of theirs. */
void weft_l2_set_fault(struct weft_l2 *l2, unsigned fault);

/* Why this event cannot happen now, or NULL: what a scheduler asks before it steps. A home step and a marker
 * step want room for one item in the forward queue. */
const char *weft_l2_refuses(const struct weft_l2 *l2, const struct weft_l2_event *in);

/* Reads kind and the inputs of `in`, changes the bank and fills the effects of `out` and of `dir`: dir->valid
 * says whether the directory was asked. What a kind has no use for is left alone in messages, and zero among
 * the bits. Items for the forward queue are in it when the step returns: take its messages out with
 * weft_forward_pop. `in` and `out` must differ. Returns NULL, or why the event is illegal; then nothing has
 * changed. */
const char *weft_l2_step(struct weft_l2 *l2, const struct weft_l2_event *in, struct weft_l2_event *out,
                         struct weft_dir_event *dir);

/* Leases: the time that the home serves a request of node `src` by; of its own CUs, the bank's if that is later (T9). */
uint16_t weft_home_time(const struct weft_l2 *l2, uint16_t cts, uint8_t era, unsigned src);

/* Whether this step is an atomic of which the TSU must know if it fails (T8): it is tried before it is performed. */
bool weft_home_tries(const struct weft_l2 *l2, const struct weft_l2_event *event);

/* Leases: from now on the home promises this. */
void weft_l2_set_leases(struct weft_l2 *l2, const struct weft_lease_settings *leases);

/* Takes the next message out of the bank's forward queue; false if there is none. */
bool weft_l2_pop_forward(struct weft_l2 *l2, struct weft_fwd *out);

/* What marker_send and marker_go would take: the release, the marker; -1 for none. */
int weft_l2_marker_send(const struct weft_l2 *l2);
int weft_l2_marker_go(const struct weft_l2 *l2);

/* Write-back: this event would leave a request waiting, and no CU's request to another home may follow it. */
bool weft_l2_will_hold(const struct weft_l2 *l2, const struct weft_l2_event *in);

/* Nothing waits. */
bool weft_l2_idle(const struct weft_l2 *l2);

static inline struct weft_lines *weft_l2_lines(const struct weft_l2 *l)
{
  return (struct weft_lines *)weft_at(l, l->lines_at);
}

static inline struct weft_l2_miss *weft_l2_misses(const struct weft_l2 *l)
{
  return (struct weft_l2_miss *)weft_at(l, l->miss_at);
}

/* The store of a miss. */
static inline struct weft_l2_store *weft_l2_store(const struct weft_l2 *l, unsigned miss)
{
  return (struct weft_l2_store *)weft_at(l, l->store_at + miss * l->store_stride);
}

static inline struct weft_l2_waiter *weft_l2_waiters(const struct weft_l2 *l)
{
  return (struct weft_l2_waiter *)weft_at(l, l->waiter_at);
}

static inline struct weft_l2_fetch *weft_l2_fetches(const struct weft_l2 *l)
{
  return (struct weft_l2_fetch *)weft_at(l, l->fetch_at);
}

static inline struct weft_l2_parked *weft_l2_parked(const struct weft_l2 *l, unsigned index)
{
  return (struct weft_l2_parked *)weft_at(l, l->parked_at + (size_t)index * l->parked_stride);
}

static inline struct weft_l2_release *weft_l2_releases(const struct weft_l2 *l)
{
  return (struct weft_l2_release *)weft_at(l, l->release_at);
}

static inline struct weft_l2_marker *weft_l2_markers(const struct weft_l2 *l)
{
  return (struct weft_l2_marker *)weft_at(l, l->marker_at);
}

/* Write-back: the bytes of a copy that its home does not know yet. */
static inline uint64_t *weft_l2_dirty(const struct weft_l2 *l, uint64_t set, unsigned way)
{
  return (uint64_t *)weft_at(l, l->dirty_at) + 2 * (set * weft_l2_lines(l)->ways + way);
}

static inline struct weft_req *weft_l2_held(const struct weft_l2 *l)
{
  return (struct weft_req *)weft_at(l, l->held_at);
}

static inline struct weft_directory *weft_l2_directory(const struct weft_l2 *l)
{
  return (struct weft_directory *)weft_at(l, l->directory_at);
}

static inline struct weft_tsu *weft_l2_tsu(const struct weft_l2 *l)
{
  return (struct weft_tsu *)weft_at(l, l->tsu_at);
}

static inline struct weft_forward *weft_l2_forward(const struct weft_l2 *l)
{
  return (struct weft_forward *)weft_at(l, l->forward_at);
}

#endif
