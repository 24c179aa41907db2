/* SPDX-License-Identifier: Apache-2.0 */
/* A random program for all warps that has no data race, and what each of its loads must see.
 *
 * Time is cut into phases by barriers. In a phase every byte of the hot lines has one part to play: nobody
 * writes it and everybody may read it; one warp alone reads and writes it (neighbouring bytes often belong to
 * others: false sharing); or it lies in a cell to which one commutative atomic is applied by everybody.
 * Besides, every warp sends a message to another one (write, release, flag; wait, acquire, read), and sums
 * are kept under locks. Whatever order the fabric finds, all loads and the final memory are determined; the
 * plan computes them by running the program, warp after warp, on plain memory. */
#ifndef WEFT_MIX_H
#define WEFT_MIX_H

#include "job.h"

enum weft_mix_kind {
  WEFT_MIX_LOAD,         /* `bytes` at `at`; must see `expected`, or pool[wide] if longer than 8 bytes */
  WEFT_MIX_STORE,        /* `value` */
  WEFT_MIX_STORE_MASKED, /* pool[wide] under its mask */
  WEFT_MIX_SHARED,       /* an atomic whose old value nobody knows */
  WEFT_MIX_OWN,          /* an atomic on the warp's own bytes; must return `expected` */
  WEFT_MIX_SEND,         /* `value` into the own mailbox, then its flag */
  WEFT_MIX_RECEIVE,      /* waits for the flag of warp `other`; must see `expected` */
  WEFT_MIX_LOCKED,       /* adds `value` under lock `other` */
  WEFT_MIX_FENCE,
  WEFT_MIX_BARRIER,
};

struct weft_mix_op {
  uint8_t kind, order, scope, func, bytes;
  uint8_t pause; /* cycles of computing before it */
  uint32_t phase;
  uint32_t at; /* offset in the region */
  uint32_t wide, other;
  uint64_t value, expected, compare;
};

struct weft_mix_wide {
  uint8_t bytes[128];
  uint64_t mask[2];
};

struct weft_mix_program {
  struct weft_mix_op *op;
  size_t count, room;
};

/* What an 8-byte cell of a hot line is for in a phase. */
enum weft_mix_part { WEFT_MIX_READ_ONLY, WEFT_MIX_OWNED, WEFT_MIX_SPLIT, WEFT_MIX_CELL_SHARED };
struct weft_mix_cell {
  uint8_t part;
  uint8_t func, wide; /* shared */
  uint16_t owner[8];  /* owned, split: of each byte */
};

struct weft_mix {
  struct weft_random random;
  unsigned line, nodes, warps;
  unsigned blocks; /* of 4 KiB with hot lines, per node */
  uint64_t phases;
  uint32_t *hot; /* offsets of the hot lines */
  unsigned hot_count;
  uint8_t *memory;                  /* the region as the plain run leaves it */
  uint64_t bytes;                   /* of the region */
  uint32_t mail, locks;             /* where the mailboxes and locks begin */
  struct weft_mix_program *program; /* one per warp */
  struct weft_mix_wide *pool;
  size_t pool_count, pool_room;
  /* Of the phase being planned: */
  uint32_t phase;
  uint32_t shift;             /* warp i sends to warp i + shift */
  uint64_t *sent;             /* what each warp sends */
  struct weft_mix_cell *cell; /* of every hot line */
  bool out_of_memory;
  struct weft_mix_op no_op; /* written in place of what there was no memory for */
  struct weft_mix_wide no_wide;
};

#define WEFT_MIX_BLOCK 4096u
#define WEFT_MIX_LOCKS 4u

/* mix_ops.c: plans one operation of a warp, and performs it on the plain memory. */
void weft_mix_cast(struct weft_mix *m); /* gives every cell its part for a phase */
void weft_mix_any(struct weft_mix *m, unsigned warp);
void weft_mix_look(struct weft_mix *m, unsigned warp); /* loads from the warp's favourite line */
void weft_mix_send(struct weft_mix *m, unsigned warp);
void weft_mix_receive(struct weft_mix *m, unsigned warp);
void weft_mix_barrier(struct weft_mix *m, unsigned warp);

/* The region as it is before the program runs goes to `start` (free() it). A code of the library. */
int weft_mix_plan(struct weft_job *job, struct weft_mix *m, uint8_t **start);
void weft_mix_free(struct weft_mix *m);
uint32_t weft_mix_mailbox(const struct weft_mix *m, unsigned warp); /* data; the flag is a line further */
uint32_t weft_mix_lock(const struct weft_mix *m, unsigned number);  /* lock; the sum is a line further */

#endif
