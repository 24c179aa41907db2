/* SPDX-License-Identifier: Apache-2.0 */
/* Replicated memory while kernels run: who wrote what since the last exchange (bulk, infinite), which bytes of a replica
 * were pushed there and not yet read, and the exchange itself. Lines are numbered as weft_pages_replica() numbers bytes. */
#ifndef WEFT_REPLICAS_H
#define WEFT_REPLICAS_H

#include <weft/weft.h>

#include "pages.h"

enum weft_egress { WEFT_EGRESS_PLAIN, WEFT_EGRESS_FINEPACK, WEFT_EGRESS_BULK, WEFT_EGRESS_INFINITE };

/* Bytes of a line of up to 128. */
struct weft_bytes {
  uint64_t word[2];
};

static inline bool weft_bytes_any(struct weft_bytes b)
{
  return b.word[0] | b.word[1];
}

static inline unsigned weft_bytes_count(struct weft_bytes b)
{
  return (unsigned)(__builtin_popcountll(b.word[0]) + __builtin_popcountll(b.word[1]));
}

static inline struct weft_bytes weft_bytes_from(unsigned first, unsigned count)
{
  struct weft_bytes b = { { 0, 0 } };
  for (unsigned end = first + count, i = first; i < end && i < 128;) {
    unsigned n = 64 - i % 64 < end - i ? 64 - i % 64 : end - i;
    b.word[i / 64] |= (UINT64_MAX >> (64 - n)) << (i % 64);
    i += n;
  }
  return b;
}

/* One line that an exchange copies. */
struct weft_copy {
  uint32_t line;
  bool whole; /* nobody else wrote to it */
  struct weft_bytes own;
};

struct weft_replica_node {
  struct weft_bytes *written; /* by line: since the last exchange, by this node */
  struct weft_copy
    *copy; /* its lines, in the order of their first store; then as the exchange freezes them */
  size_t copies;
  struct weft_bytes *fresh; /* by line: pushed into this node's replica, not read yet. NULL: nobody asks */
};

/* What a machine has counted, at one moment. */
struct weft_moment {
  uint64_t cycle, operations, bytes;
  uint64_t *counters; /* as the back-end has them */
};

struct weft_replicas {
  size_t lines; /* that the tables have room for */
  unsigned line_shift;
  size_t dirty; /* lines written by anybody since the last exchange */
  struct weft_replica_node node[WEFT_NODES_MAX];
  bool asked;  /* weft_replica_start() */
  bool failed; /* memory ran out in the middle of a launch */
  struct weft_replica_use use;
  struct weft_moment begun, elided; /* infinite: where the exchange began; what all of them took */
};

struct weft;
struct weft_run;
struct weft_warp;

/* Before a launch: room for all that is allocated by now. Refuses an egress that would have nothing to copy. */
int weft_replicas_prepare(struct weft *w);
void weft_replicas_restart(struct weft *w); /* after weft_reset() */
void weft_replicas_close(struct weft *w);

/* A warp's load (only if it is asked for) or store of the bytes `mask` of the line in which replicated byte `at` lies. */
void weft_replicas_loaded(struct weft *w, unsigned node, uint64_t at, struct weft_bytes mask);
void weft_replicas_stored(struct weft *w, unsigned node, uint64_t at, struct weft_bytes mask);
void weft_replicas_pushed(struct weft *w, unsigned node, size_t line,
                          struct weft_bytes mask); /* to its peers */
static inline bool weft_egress_copies(unsigned egress)
{
  return egress == WEFT_EGRESS_BULK || egress == WEFT_EGRESS_INFINITE;
}

/* An exchange. Begins when everybody has come to the barrier or ended; false: there is nothing to copy. */
bool weft_exchange_begin(struct weft *w, uint64_t cycle);
void weft_exchange_copy(struct weft_warp *t); /* the warp's share of it */
void weft_exchange_end(struct weft *w, uint64_t cycle);
void weft_exchange_kernel(struct weft_warp *t, void *unused);

#endif
