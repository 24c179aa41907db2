/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the timed fabric. Every cycle has two halves: in the first each unit chooses and takes (all of them see
 * the queues as the cycle found them), in the second each does its step and puts what comes of it into queues,
 * where it can be seen from the next cycle on. The names are those of the RTL: stage A chooses, stage B steps,
 * stage C delivers.
 *
 * A unit sleeps unless somebody wakes it. It wakes itself while its pipeline holds something; whoever puts a
 * message before it wakes it for the cycle in which the message can be seen; whoever takes an element out of a full
 * queue wakes the one who fills that queue. A unit that wants to and cannot go on sleeps too, and counts the
 * cycles that it slept as stalls when it is woken. */
#ifndef WEFT_TIMED_PARTS_H
#define WEFT_TIMED_PARTS_H

#include "agenda.h"
#include "depacketizer.h"
#include "dma.h"
#include "egress.h"
#include "l1.h"
#include "l2.h"
#include "link.h"
#include "memory.h"
#include "messages.h"
#include "rebase.h"
#include "timed.h"

#define WEFT_L1_OUT_DEPTH 4
#define WEFT_L2_OUT_DEPTH 4
#define WEFT_L2_REQ_DEPTH 8
#define WEFT_SWITCH_DEPTH 2
#define WEFT_EGRESS_DEPTH 4
#define WEFT_INGRESS_LATENCY 5U /* cycles from a packet's last chunk to its first store */
#define WEFT_EGRESS_PASS 1U     /* cycles from a message's taking to its leaving an idle packetizer */
#define WEFT_EGRESS_FLUSH 5U    /* the same of a flush and its packet's head: plan, fetch, walk */

/* rtl/common/fifo.sv: at most one push and one pop per cycle. */
struct weft_queue {
  uint32_t depth, stride, head, count;
  uint64_t pushed, popped; /* cycle of the last one, plus one */
  unsigned char *slot;
};

/* index: less than twice the depth */
static inline void *weft_queue_slot(const struct weft_queue *q, uint32_t index)
{
  return q->slot + (size_t)(index < q->depth ? index : index - q->depth) * q->stride;
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
  q->head = q->head + 1 < q->depth ? q->head + 1 : 0;
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
  uint64_t *counters; /* of its CU */
  uint32_t node, cu;
  const struct weft_cu_req *shown; /* by the port, until it is taken */
  struct weft_l1_event work[2];    /* of stages A and B, which change places every cycle */
  struct weft_l1_event c;          /* what stage C delivers */
  bool a_valid, b_valid, c_valid;
  uint8_t b_left;    /* cycles that the step has still to spend in stage B */
  bool rebased;      /* since the L1s were told to start again */
  uint8_t at;        /* work[at] is stage B's */
  uint32_t answers;  /* banks whose first answer is for this CU */
  uint32_t turn;     /* among them */
  uint64_t stalling; /* first cycle that is not counted as a stall yet, plus one; 0: it does not stall */
  bool locked;       /* it stalls for a line's transaction */
  struct weft_queue out;
};

/* Between the port of a node's first CU and that CU's L1. */
struct weft_timed_dma {
  struct weft_dma *state;
  const struct weft_cu_req *shown; /* by the port, until it is taken */
  struct weft_cu_req job;          /* the descriptor that came in this cycle, if it takes one */
  struct weft_cu_req offer;        /* what it shows to the L1 in this cycle, if it sends */
  bool takes, sends, sent;
};

struct weft_timed_l2 {
  struct weft_l2 *state;
  uint64_t *counters; /* of its node */
  uint32_t node, bank;
  struct weft_l2_event work[2]; /* as in the L1 */
  struct weft_l2_event c;
  struct weft_dir_event dir;
  bool a_valid, b_valid, c_valid, cu_last;
  uint8_t b_left, c_left; /* cycles that the step has still to spend in stage B, in stage C */
  uint8_t late;           /* cycles of stage C beyond its first */
  uint8_t late_at;        /* with how many of them left a request leaves; 0: by stage B */
  uint8_t chosen;         /* where steps take several cycles: what was chosen in the cycle before */
  int chosen_cu;          /* and of CUs, whose request */
  bool second;            /* the mark at the head has done its first half */
  uint8_t block_line;     /* of the block whose INV is at the head: the next to be invalidated */
  bool blocked;           /* there is something to do, and stage A could do nothing */
  bool stalls;            /* likewise, and a message waits */
  bool rebased;           /* since the banks were told to start again */
  uint64_t ready;         /* cycle from which the bank works: the TSU walks over its sets before */
  uint8_t at;
  uint32_t asking; /* CUs whose first request is for this bank */
  uint32_t turn;   /* among them */
  uint64_t stalling;
  struct weft_queue req, rsp, l1, mem;
  uint64_t fwd_popped; /* cycle in which an item left the forward queue, plus one */
  uint64_t fwd_pushed; /* cycle in which its last item cannot be seen yet */
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
  uint64_t ready[WEFT_LINK_CLASSES]; /* cycle from which the oldest message can be read, or never */
  uint64_t passed;                   /* cycle up to which owed bytes have passed */
  uint64_t open;                     /* first cycle in which the wire takes another message */
  uint64_t busy;
  unsigned unit; /* its number among those who can be woken */
  bool starved;  /* has a message and no credit on its way */
};

struct weft_timed_output {
  struct weft_queue queue;
  uint32_t turn;
  uint32_t packet; /* a packet of input packet - 1 passes: no other one's messages; 0: none */
};

/* Between the banks of a node and its link. */
struct weft_timed_egress {
  struct weft_egress *state; /* NULL: FinePack is not built in */
  unsigned node;
  uint32_t turn;                      /* among the banks */
  unsigned bank;                      /* plain: the one whose request is the head */
  struct weft_queue out;              /* FinePack: before the link */
  uint64_t ready;                     /* FinePack: cycle from which the packetizer gives its next message */
  uint64_t stored[WEFT_DESTINATIONS]; /* FinePack: cycle of the last store */
  bool draining;
  uint32_t from; /* plain: bytes of `rest` that have left; 0: there is none */
  struct weft_req rest, run;
};

/* Between a node's link and its banks, with FinePack. */
struct weft_timed_ingress {
  struct weft_depacketizer *state; /* likewise */
  unsigned node;
  bool offers;          /* `next`, a store of a packet, stands before the banks */
  uint64_t visible;     /* from this cycle on */
  struct weft_req next; /* taken from the de-packetizer already */
};

struct weft_timed_switch {
  unsigned unit;
  uint32_t loaded[WEFT_LINK_CLASSES];            /* inputs with a message, arrived or not */
  uint8_t to[WEFT_LINK_CLASSES][WEFT_NODES_MAX]; /* where the oldest one of each of them goes */
  struct weft_timed_output *output;              /* [node * classes + class] */
};

struct weft_timed_memory {
  struct weft_queue answers; /* of struct weft_timed_answer */
  uint64_t next;             /* first cycle in which it takes another access */
};

struct weft_timed_answer {
  uint64_t visible;
  struct weft_mem_rsp rsp;
};

/* The first number of each kind of unit, in the order in which a cycle visits them. */
struct weft_timed_units {
  unsigned l1, l2, egress, up, down, ingress, crossbar, memory, end;
};

struct weft_timed {
  struct weft_config config;
  struct weft_timed_host host;
  const struct weft_observer *observer; /* NULL: nobody looks */
  uint64_t now, seed;
  uint32_t jitter;
  uint8_t protocol;
  unsigned nodes, cus, banks;
  const char *wrong; /* the first illegal event */
  uint64_t *counters;
  size_t per_node;
  uint64_t visits;
  struct weft_timed_units at;
  struct weft_agenda agenda;
  struct weft_timed_l1 *l1;           /* [node * cus + cu] */
  struct weft_timed_dma *dma;         /* [node]; NULL: there are none */
  struct weft_timed_l2 *l2;           /* [node * banks + bank] */
  struct weft_timed_memory *memory;   /* likewise */
  struct weft_memory **bytes;         /* [node] */
  struct weft_timed_link *up, *down;  /* [node] */
  struct weft_timed_egress *egress;   /* [node] */
  struct weft_timed_ingress *ingress; /* [node] */
  struct weft_timed_switch crossbar;
  struct weft_rebase rebase;
  bool wants_rebase; /* some bank, in this cycle */
  uint64_t flying;   /* answers of homes that no bank has taken in yet */
  bool flushed;      /* and since then time has not moved */
};

static inline void weft_wake(struct weft_timed *t, unsigned unit, uint64_t cycle)
{
  weft_agenda_add(&t->agenda, unit, cycle, t->now);
}

/* For the next cycle, or a later one. */
static inline void weft_wake_after(struct weft_timed *t, unsigned unit, uint64_t cycle)
{
  weft_wake(t, unit, cycle > t->now ? cycle : t->now + 1);
}

static inline void weft_wake_l1(struct weft_timed *t, unsigned port)
{
  weft_wake(t, t->at.l1 + port, t->now + 1);
}

static inline void weft_wake_l2(struct weft_timed *t, unsigned index)
{
  weft_wake(t, t->at.l2 + index, t->now + 1);
}

/* Cycles that an atomic is tried for before its step takes effect. */
uint8_t weft_timed_tries(const struct weft_timed *t, const struct weft_timed_l2 *u);

/* A step's request that has left stage B and is not in its queue: in the first cycle of stage C, where requests leave by that. */
static inline bool weft_timed_request_late(const struct weft_timed_l2 *u)
{
  return u->c_valid && u->c_left && u->c_left == u->late_at && u->c.sent_req;
}

/* Takes the head out; whoever fills the queue is woken if it could not. */
static inline void weft_timed_pop(struct weft_timed *t, struct weft_queue *q, unsigned filler)
{
  if (q->count == q->depth)
    weft_wake(t, filler, t->now + 1);
  weft_queue_pop(q, t->now);
}

/* Stalls of the cycles that a unit has slept through since it began to stall, up to this one. */
static inline uint64_t weft_timed_stalled(const struct weft_timed *t, uint64_t stalling)
{
  return stalling ? t->now + 1 - stalling : 0;
}

static inline unsigned weft_timed_bank_of(const struct weft_timed *t, uint64_t address)
{
  return (unsigned)(address >> WEFT_PAGE_SHIFT) & (t->banks - 1U);
}

/* The bank that the first request of a CU is for learns of it, and can see it from the next cycle on. */
static inline void weft_timed_asks(struct weft_timed *t, unsigned port)
{
  const struct weft_queue *q = &t->l1[port].out;
  const struct weft_l1_req *first = weft_queue_slot(q, q->head);
  unsigned index = t->l1[port].node * t->banks + weft_timed_bank_of(t, first->address);
  t->l2[index].asking |= 1U << t->l1[port].cu;
  weft_wake_l2(t, index);
}

/* The same of the CU that the first answer of a bank is for. */
static inline void weft_timed_answers(struct weft_timed *t, unsigned node, unsigned bank)
{
  const struct weft_queue *q = &t->l2[node * t->banks + bank].l1;
  unsigned port = node * t->cus + ((const struct weft_l1_rsp *)weft_queue_slot(q, q->head))->cu;
  t->l1[port].answers |= 1U << bank;
  weft_wake_l1(t, port);
}

/* timed_rebase.c: leases alone. What the controller sees as the cycle begins, and what it makes of it at its end;
 * whether a home step must wait for a rebase. */
struct weft_rebase_input weft_timed_rebase_look(const struct weft_timed *t);
void weft_timed_rebase(struct weft_timed *t, struct weft_rebase_input *in);
bool weft_timed_late(const struct weft_l2 *bank, const struct weft_req *request);
/* timed_dma.c: what the L1 behind an engine is shown in this cycle, or NULL; it takes that; the cycle ends, in which the
 * L1 has answered this, or NULL. The engine before a port's L1, or NULL. */
const struct weft_cu_req *weft_timed_dma_show(struct weft_timed *t, struct weft_timed_dma *d, unsigned port);
void weft_timed_dma_taken(struct weft_timed *t, struct weft_timed_dma *d, unsigned port);
void weft_timed_dma_step(struct weft_timed *t, struct weft_timed_dma *d, unsigned port,
                         const struct weft_cu_rsp *answer);
static inline struct weft_timed_dma *weft_timed_dma_of(const struct weft_timed *t,
                                                       const struct weft_timed_l1 *u)
{
  return t->dma && !u->cu ? &t->dma[u->node] : NULL;
}

/* timed_l1.c */
void weft_timed_l1_choose(struct weft_timed *t, unsigned port);
void weft_timed_l1_step(struct weft_timed *t, unsigned port);
/* timed_l2.c: choosing, in timed_admit.c; stepping. */
void weft_timed_l2_choose(struct weft_timed *t, unsigned index);
void weft_timed_l2_step(struct weft_timed *t, unsigned index);
/* timed_net.c */
void weft_timed_up(struct weft_timed *t, unsigned node);
void weft_timed_switch(struct weft_timed *t);
void weft_timed_down(struct weft_timed *t, unsigned node);
/* The message of a class that can be read in this cycle, or NULL: one per cycle. */
static inline const void *weft_timed_link_head(const struct weft_timed *t, const struct weft_timed_link *l,
                                               enum weft_link_class class)
{
  bool readable = l->ready[class] <= t->now && l->taken[class] != t->now + 1;
  return readable ? weft_link_oldest(l->state, class)->message : NULL;
}

/* Takes the head of a link's class, whose reader has just read it. */
void weft_timed_link_take(struct weft_timed *t, struct weft_timed_link *l, enum weft_link_class class);
/* The same of the link towards a node; the bank that the next message is for is woken. */
void weft_timed_arrived(struct weft_timed *t, unsigned node, enum weft_link_class class);
/* Cycles in which a link has been busy, as the RTL's counter has it: one cycle late; after a flush, all of them. */
uint64_t weft_timed_link_busy(const struct weft_timed *t, const struct weft_timed_link *l);
/* timed_egress.c */
void weft_timed_egress(struct weft_timed *t, unsigned node);
void weft_timed_ingress(struct weft_timed *t, unsigned node);
/* Wakes whoever is concerned with the next request of a node's link. */
void weft_timed_ingress_next(struct weft_timed *t, unsigned node);
/* The request that stands before a node's link, or NULL; it leaves; there is one, or will be. */
const struct weft_req *weft_timed_egress_head(struct weft_timed *t, unsigned node);
void weft_timed_egress_leaves(struct weft_timed *t, unsigned node);
bool weft_timed_egress_waits(const struct weft_timed *t, unsigned node);
/* The request that stands before a node's banks, or NULL; a bank takes it. */
const struct weft_req *weft_timed_request_head(const struct weft_timed *t, unsigned node);
void weft_timed_request_take(struct weft_timed *t, unsigned node);
/* timed.c */
void weft_timed_memory_take(struct weft_timed *t, unsigned index);

#endif
