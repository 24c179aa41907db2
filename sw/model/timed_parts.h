/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the timed fabric. Every cycle has two halves: in the first each unit chooses and takes (all of them see
 * the queues as the cycle found them), in the second each does its step and puts what comes of it into queues,
 * where it can be seen from the next cycle on. The names are those of the RTL: stage A chooses, stage B steps,
 * stage C delivers. */
#ifndef WEFT_TIMED_PARTS_H
#define WEFT_TIMED_PARTS_H

#include "l1.h"
#include "l2.h"
#include "link.h"
#include "memory.h"
#include "timed.h"

#define WEFT_NEVER UINT64_MAX
#define WEFT_L1_OUT_DEPTH 4
#define WEFT_L2_OUT_DEPTH 4
#define WEFT_L2_REQ_DEPTH 8
#define WEFT_SWITCH_DEPTH 2

/* rtl/common/fifo.sv: at most one push and one pop per cycle. */
struct weft_queue {
  uint32_t depth, stride, head, count;
  uint64_t pushed, popped; /* cycle of the last one, plus one */
  unsigned char *slot;
};

bool weft_queue_new(struct weft_queue *q, uint32_t depth, uint32_t stride);

static inline void *weft_queue_slot(const struct weft_queue *q, uint32_t index)
{
  return q->slot + (size_t)(index % q->depth) * q->stride;
}

/* The first element as this cycle found it, or NULL. */
static inline void *weft_queue_head(const struct weft_queue *q, uint64_t now)
{
  bool gone = q->popped == now + 1; /* and what follows is seen from the next cycle on */
  return !gone && q->count > (q->pushed == now + 1) ? weft_queue_slot(q, q->head) : NULL;
}

static inline uint32_t weft_queue_free(const struct weft_queue *q, uint64_t now)
{
  return q->depth - q->count - (q->popped == now + 1) + (q->pushed == now + 1);
}

/* A place for one element more; the caller fills it. */
static inline void *weft_queue_push(struct weft_queue *q, uint64_t now)
{
  q->pushed = now + 1;
  return weft_queue_slot(q, q->head + q->count++);
}

static inline void weft_queue_pop(struct weft_queue *q, uint64_t now)
{
  q->popped = now + 1;
  q->head = (q->head + 1) % q->depth;
  q->count--;
}

/* rtl/common/arbiter.sv: the requesting input from the turn upward and around. requests is not 0. */
static inline unsigned weft_turn(uint32_t requests, uint32_t turn)
{
  uint32_t ahead = requests >> turn << turn;
  return (unsigned)__builtin_ctz(ahead ? ahead : requests);
}

struct weft_timed_l1 {
  struct weft_l1 *state;
  struct weft_l1_event work[2]; /* of stages A and B, which change places every cycle */
  struct weft_l1_event c;       /* what stage C delivers */
  bool a_valid, b_valid, c_valid;
  uint8_t at; /* work[at] is stage B's */
  struct weft_queue out;
  uint32_t turn; /* among the banks' answers */
  uint64_t wake;
};

struct weft_timed_l2 {
  struct weft_l2 *state;
  struct weft_l2_event work[2]; /* as in the L1 */
  struct weft_l2_event c;
  struct weft_dir_event dir;
  bool a_valid, b_valid, c_valid, cu_last;
  bool second; /* the mark at the head has done its first half */
  uint8_t at;
  struct weft_queue req, rsp, l1, mem;
  uint32_t turn;       /* among the CUs' requests */
  uint64_t fwd_popped; /* cycle in which an item left the forward queue, plus one */
  uint64_t wake;
};

/* Credits come back one latency after a message was taken. */
struct weft_credits {
  uint64_t *due; /* ring */
  uint32_t head, count;
};

struct weft_timed_link {
  struct weft_link *state;
  struct weft_credits credits[WEFT_LINK_CLASSES];
  uint32_t turn[WEFT_LINK_CLASSES];  /* among the banks that send */
  uint64_t taken[WEFT_LINK_CLASSES]; /* cycle in which the last one was taken, plus one */
  uint64_t passed;                   /* cycle up to which owed bytes have passed */
  uint64_t busy;
  uint64_t wake;
};

struct weft_timed_output {
  struct weft_queue queue;
  uint32_t turn;
};

struct weft_timed_memory {
  struct weft_queue answers; /* of struct weft_timed_answer */
  uint64_t next;             /* first cycle in which it takes another access */
  uint64_t wake;
};

struct weft_timed_answer {
  uint64_t visible;
  struct weft_mem_rsp rsp;
};

struct weft_timed {
  struct weft_config config;
  struct weft_timed_host host;
  uint64_t now, seed;
  uint32_t jitter;
  uint8_t protocol;
  unsigned nodes, cus, banks;
  const char *wrong; /* the first illegal event */
  uint64_t *counters;
  size_t per_node;
  struct weft_timed_l1 *l1;          /* [node * cus + cu] */
  struct weft_timed_l2 *l2;          /* [node * banks + bank] */
  struct weft_timed_memory *memory;  /* likewise */
  struct weft_memory **bytes;        /* [node] */
  struct weft_timed_link *up, *down; /* [node] */
  struct weft_timed_output *output;  /* [node * classes + class], of the switch */
  uint64_t switch_wake;
};

static inline void weft_wake_at(uint64_t *wake, uint64_t cycle)
{
  if (cycle < *wake)
    *wake = cycle;
}

static inline unsigned weft_timed_bank_of(const struct weft_timed *t, uint64_t address)
{
  return (unsigned)(address >> WEFT_PAGE_SHIFT) & (t->banks - 1U);
}

/* timed_l1.c */
void weft_timed_l1_choose(struct weft_timed *t, unsigned port);
void weft_timed_l1_step(struct weft_timed *t, unsigned port);
/* timed_l2.c: choosing, in timed_admit.c; stepping. */
void weft_timed_l2_choose(struct weft_timed *t, unsigned index);
void weft_timed_l2_step(struct weft_timed *t, unsigned index);
/* timed_net.c */
bool weft_timed_link_new(struct weft_timed *t, struct weft_timed_link *l);
void weft_timed_link_free(struct weft_timed_link *l);
void weft_timed_up(struct weft_timed *t, unsigned node);
void weft_timed_switch(struct weft_timed *t);
void weft_timed_down(struct weft_timed *t, unsigned node);
/* The message of a class that can be read in this cycle, or NULL: one per cycle. */
const void *weft_timed_link_head(const struct weft_timed *t, const struct weft_timed_link *l,
                                 enum weft_link_class class);
/* Takes the head of a link's class, whose reader has just read it. */
void weft_timed_link_take(struct weft_timed *t, struct weft_timed_link *l, enum weft_link_class class);
/* timed_memory.c */
void weft_timed_memory_take(struct weft_timed *t, unsigned index);

#endif
