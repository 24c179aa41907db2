/* SPDX-License-Identifier: Apache-2.0 */
/* The remote write queue of a node: stores to other nodes gather here by destination until they leave as a packet
 * (chapter V of the FinePack paper, section on the remote write queue).
 *
 * Storage: a partition per destination has several sets of blocks. One fills; those that were flushed drain, so that the
 * next packet opens in the very step that closes the last one. Policy: what a store does to its partition is
 * decided by weft_write_queue_decide alone, which looks and changes nothing; another policy (GPS: drain at a watermark,
 * the least recently added first) is another such function. */
#ifndef WEFT_WRITE_QUEUE_H
#define WEFT_WRITE_QUEUE_H

#include "finepack.h"

#define WEFT_DESTINATIONS 16U
/* Sets of a partition that the model keeps until their last message has left. The RTL has two: it takes a set's blocks
 * into its lanes and output while they are on their way. */
#define WEFT_QUEUE_SETS 16U

struct weft_queue_block {
  uint64_t block; /* address / 128 */
  struct weft_enables enable;
  uint8_t data[WEFT_BLOCK];
};

/* The stores of one packet. The settings are those of the store that opened it. */
struct weft_queue_set {
  uint64_t base;
  uint32_t used;    /* blocks */
  uint32_t payload; /* bytes that they take in a packet, exactly */
  uint32_t limit;   /* most that they may: what is left is the paper's available payload length */
  uint32_t plain;   /* link bytes as plain writes */
  uint32_t runs;
  uint32_t sub_header, prefix;
  uint32_t draining;
};

struct weft_write_queue {
  uint32_t entries, nodes, self, line;
  uint32_t sets_at, blocks_at;
  uint8_t filling[WEFT_DESTINATIONS]; /* which of a partition's sets */
  struct weft_finepack settings;
};

/* What a store does. */
enum weft_queue_action { WEFT_QUEUE_MERGE, WEFT_QUEUE_APPEND, WEFT_QUEUE_REOPEN, WEFT_QUEUE_PLAIN };
struct weft_queue_decision {
  uint8_t action; /* REOPEN: flush, then the store opens the next packet. PLAIN: it never enters */
  uint8_t cause;  /* of the flush, WEFT_FLUSH_CAUSE_NONE if there is none */
  uint8_t hit;    /* the block is in the queue */
  uint8_t slot;   /* of the block that it meets or makes */
};

size_t weft_write_queue_size(const struct weft_config *config);
void weft_write_queue_reset(struct weft_write_queue *queue, const struct weft_config *config, unsigned self);

struct weft_queue_set *weft_queue_set(const struct weft_write_queue *queue, unsigned dst, unsigned which);
struct weft_queue_block *weft_queue_blocks(const struct weft_write_queue *queue, unsigned dst,
                                           unsigned which);

static inline struct weft_queue_set *weft_queue_filling(const struct weft_write_queue *q, unsigned dst)
{
  return weft_queue_set(q, dst, q->filling[dst]);
}

/* A partition for this destination exists. */
static inline bool weft_queue_serves(const struct weft_write_queue *q, unsigned dst)
{
  return dst < q->nodes && dst != q->self;
}

/* The block of an address is in the set that fills; *slot says where. */
bool weft_queue_find(const struct weft_write_queue *queue, unsigned dst, uint64_t address, unsigned *slot);

/* The three-way rule: base first; a hit charges its exact growth; a miss needs a block and payload. */
struct weft_queue_decision weft_write_queue_decide(const struct weft_write_queue *queue,
                                                   const struct weft_req *store);

/* Does what was decided, but for PLAIN. Returns bytes that overwrote queued ones. A REOPEN flushes first. */
unsigned weft_write_queue_put(struct weft_write_queue *queue, const struct weft_req *store,
                              const struct weft_queue_decision *decision);

/* The set that would fill next has not left yet: no flush now. */
static inline bool weft_queue_stuck(const struct weft_write_queue *q, unsigned dst)
{
  return weft_queue_set(q, dst, (q->filling[dst] + 1U) % WEFT_QUEUE_SETS)->draining;
}

/* The set that fills begins to drain, the next one to fill. Returns which one drains. */
unsigned weft_write_queue_flush(struct weft_write_queue *queue, unsigned dst);

/* A set has left. */
void weft_write_queue_drained(struct weft_write_queue *queue, unsigned dst, unsigned which);

#endif
