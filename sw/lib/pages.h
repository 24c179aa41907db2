/* SPDX-License-Identifier: Apache-2.0 */
/* The page table: allocations of a program's addresses, and the frames of each node's memory behind them. */
#ifndef WEFT_PAGES_H
#define WEFT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_NODES_MAX 16u
#define WEFT_NODE_SHIFT 36u
#define WEFT_BANK_BYTES UINT64_C(4096) /* at which a node's banks interleave */
#define WEFT_PHYSICAL_FLAG (UINT64_C(1) << 62)

enum weft_page_state { WEFT_PAGE_NONE, WEFT_PAGE_UNPLACED, WEFT_PAGE_PLACED };

struct weft_page {
  uint64_t physical; /* of its first byte, once placed */
  uint32_t replica;  /* its number among the replicated ones, from 1; 0: it is not */
  uint8_t state;
};

struct weft_allocation {
  uint64_t first; /* page number */
  uint64_t count;
  char name[24]; /* "": none; then of how many elements of how many bytes */
  uint64_t element, elements;
};

/* Frames of one node: given out upwards, freed ones first. */
struct weft_frames {
  uint64_t next, end; /* frame numbers */
  uint64_t *freed;
  size_t freed_count, freed_room;
};

struct weft_pages {
  unsigned nodes, banks; /* that have pages */
  unsigned first;        /* of them */
  unsigned in_bank;      /* pages that follow one another in one bank */
  unsigned shift;        /* log2 of the page's bytes */
  uint64_t memory;       /* bytes per node */
  uint64_t base;         /* number of the first page that is given out: small addresses stay unmapped */
  struct weft_page *page;
  size_t count, room;
  struct weft_allocation *allocation;
  size_t allocations, allocation_room;
  struct weft_frames frames[WEFT_NODES_MAX];
  uint64_t *replica; /* [(number - 1) * nodes + node]: physical */
  size_t replicas, replica_room;
};

struct weft;
int weft_pages_open(struct weft *w);
void weft_pages_close(struct weft *w);

/* Why an address has no physical one. */
enum weft_translation { WEFT_TRANSLATED, WEFT_NOT_ALLOCATED, WEFT_OUTSIDE_MEMORY };
/* Where `node` finds it. No access to the handle's message: it also serves the warps, in the middle of a launch. Pages of
 * any placement must have been placed before; weft_pages_place_all() does it. */
enum weft_translation weft_pages_translate(const struct weft_pages *p, unsigned node, uint64_t address,
                                           uint64_t *physical);
/* Replicated bytes have numbers of their own, without gaps between allocations. WEFT_NO_REPLICA: it is not replicated. */
#define WEFT_NO_REPLICA UINT64_MAX
uint64_t weft_pages_replica(const struct weft_pages *p, uint64_t address);
int weft_pages_place_all(struct weft *w);
bool weft_pages_untouched(const struct weft_pages *p, uint64_t address); /* waits for its first touch */

#endif
