/* SPDX-License-Identifier: Apache-2.0 */
/* One placement of a shape on a small machine, and a node of it taken apart: the model's own blocks, and what the
 * explorer adds to them (threads, memory, the way between L1 and L2). */
#ifndef WEFT_EXPLORE_MACHINE_H
#define WEFT_EXPLORE_MACHINE_H

#include "intern.h"
#include "l1.h"
#include "l2.h"
#include "shapes.h"

#define EXPLORE_NODES 3
#define EXPLORE_CUS 2
#define EXPLORE_SLOTS 2
#define EXPLORE_BAG 12
#define EXPLORE_LINE 32

/* Where a thread runs, where a variable lives. */
struct explore_place {
  uint8_t node, cu, warp;
};

/* What was loaded before the threads begin. A directory of one entry forgets all but the last line of a home, so the
 * order makes a difference. */
enum explore_warm {
  EXPLORE_COLD,
  EXPLORE_WARM,     /* every thread has loaded what it will load, the first thread first */
  EXPLORE_WARM_LAST /* the last thread first */
};

struct explore_placement {
  unsigned nodes;
  struct explore_place thread[EXPLORE_THREADS];
  uint8_t home[EXPLORE_VARIABLES];
  uint8_t
    apart; /* the variables from this one on lie in pages of their own, so in no block or range of others */
  uint8_t warm; /* enum explore_warm */
};

struct explore_options {
  uint8_t protocol, fault;
  unsigned slots; /* messages of one class between two nodes */
  unsigned drops; /* copies that are replaced out of the blue, in one run */
  bool tight;     /* caches of one line per L1 and two per L2: copies are replaced for want of room */
  bool no_reduction;
  uint8_t lease_read, lease_write; /* ticks, under leases */
  unsigned rebase;                 /* steps of a home after which time overflows; 0: never */
  uint64_t limit;                  /* states of one placement */
};

struct explore_machine {
  const struct weft_explore_shape *shape;
  struct explore_placement placement;
  struct explore_options options;
  struct weft_config config;
  uint64_t address[EXPLORE_VARIABLES];
  uint8_t alone[EXPLORE_THREADS]; /* the only thread of its CU */
  size_t l1_size, l2_size;
  uint8_t leases; /* enum weft_lease_mode */
};

struct explore_thread {
  uint8_t pc;      /* next operation to issue */
  uint8_t done;    /* set of operations that were answered */
  uint8_t skipped; /* of those whose guard did not hold */
  uint8_t pad;
  uint32_t result[EXPLORE_OPS];
};

/* What a node has beside its L1s and its L2. Numbers of messages, 0 for none. */
struct explore_rest {
  struct explore_thread thread[EXPLORE_THREADS];   /* those that are elsewhere stay zero */
  uint16_t to_l2[EXPLORE_CUS];                     /* a queue of one */
  uint16_t to_l1[EXPLORE_BAG];                     /* in no order; kept sorted */
  uint16_t block, pad;                             /* an INV of a block that is applied line by line */
  uint8_t memory[EXPLORE_VARIABLES][EXPLORE_LINE]; /* the lines of variables whose home is here */
};

enum explore_class {
  EXPLORE_REQUEST,
  EXPLORE_FORWARD,
  EXPLORE_RESPONSE,
  EXPLORE_CLASSES,
  EXPLORE_TO_L2 = 3,
  EXPLORE_TO_L1
};

struct explore_message {
  uint32_t class; /* enum explore_class */
  uint32_t pad;
  union {
    struct weft_req req;
    struct weft_fwd fwd;
    struct weft_rsp rsp;
    struct weft_l1_req l1_req;
    struct weft_l1_rsp l1_rsp;
  };
};

/* A node's blocks, as numbers. */
struct explore_parts {
  uint32_t l1[EXPLORE_CUS], l2, rest;
};

/* All blocks that one search has met. */
struct explore_store {
  struct weft_intern l1, l2, rest, message, node;
};

/* A node laid out for a step. */
struct explore_node {
  unsigned id;
  struct weft_l1 *l1[EXPLORE_CUS];
  struct weft_l2 *l2;
  struct explore_rest rest;
};

enum explore_action {
  EXPLORE_ISSUE,      /* of a thread */
  EXPLORE_FENCE_SEND, /* of a thread */
  EXPLORE_FENCE_DONE, /* of a thread */
  EXPLORE_L1_TAKES,   /* a message of the bag */
  EXPLORE_L1_ANSWERS, /* of a CU */
  EXPLORE_L2_TAKES,   /* the request of a CU */
  EXPLORE_L2_ANSWERS,
  EXPLORE_REPLAY,
  EXPLORE_MEMORY, /* of a fetch */
  EXPLORE_MARKER_SEND,
  EXPLORE_MARKER_GO,
  EXPLORE_SEEN_SENT,
  EXPLORE_BLOCK, /* the next line of an INV of a block */
  EXPLORE_FORWARD_POP,
  EXPLORE_WRITE_BACK, /* set * ways + way: the dirty bytes of a remote line go home, the copy stays */
  EXPLORE_DROP_L1,    /* cu << 8 | set */
  EXPLORE_DROP_L2,    /* set */
  EXPLORE_DROP_TSU,   /* way: a timestamp storage unit has no room for a block's times any more */
  EXPLORE_REBASE_L2,
  EXPLORE_REBASE_L1, /* of a CU */
  EXPLORE_DELIVER    /* a message */
};

/* What a step sends to other nodes: numbers of messages, 0 for none. */
struct explore_sent {
  uint16_t message[EXPLORE_CLASSES];
};

struct weft_text;

/* machine.c */
bool weft_explore_machine_make(struct explore_machine *m, const struct weft_explore_shape *shape,
                               const struct explore_placement *placement,
                               const struct explore_options *options);
void weft_explore_store_open(struct explore_store *s, const struct explore_machine *m);
void weft_explore_store_free(struct explore_store *s);
bool weft_explore_store_failed(const struct explore_store *s);
bool weft_explore_node_open(struct explore_node *n, const struct explore_machine *m);
void weft_explore_node_free(struct explore_node *n);
void weft_explore_node_reset(struct explore_node *n, const struct explore_machine *m, unsigned id);
void weft_explore_node_load(struct explore_node *n, const struct explore_store *s,
                            const struct explore_machine *m, uint32_t number, unsigned id);
uint32_t weft_explore_node_number(struct explore_node *n, struct explore_store *s,
                                  const struct explore_machine *m);
/* The variable whose line this is, or EXPLORE_NONE. */
int weft_explore_variable_of(const struct explore_machine *m, uint64_t address);
/* The thread of a warp, or EXPLORE_NONE. */
int weft_explore_thread_at(const struct explore_machine *m, unsigned node, unsigned cu, unsigned warp);
const struct explore_message *weft_explore_message_at(const struct explore_store *s, uint16_t number);

/* A step, and everything that it may say about itself. */
struct explore_context {
  const struct explore_machine *m;
  struct explore_store *s;
  struct weft_text *log; /* NULL: nobody reads it */
};

/* node.c: does one action if it may happen now; false: it may not, and nothing has changed. */
bool weft_explore_step(struct explore_context *c, struct explore_node *n, enum explore_action action,
                       unsigned argument, struct explore_sent *sent);
/* The request of a CU, as an event of its bank. */
struct weft_l2_event weft_explore_cu_event(const struct explore_store *s, const struct explore_node *n,
                                           uint16_t number);
/* tries.c: the actions that the node may try by itself, at most `room`. */
struct explore_try {
  uint8_t action;
  uint16_t argument;
};
unsigned weft_explore_tries(const struct explore_machine *m, const struct explore_node *n,
                            struct explore_try *list, unsigned room);
/* A step at this home waits for time to start again: its own, or (a number that is not 0) this message's. */
bool weft_explore_node_late(const struct explore_store *s, const struct explore_node *n, uint16_t message);
/* Nothing waits, and all threads have ended. */
bool weft_explore_node_rests(const struct explore_machine *m, const struct explore_node *n);

/* Steps that commute with all others are done at once. */
void weft_explore_settle(struct explore_context *c, struct explore_node *n);
/* Whether the delivery of this message is such a step. */
bool weft_explore_settles(const struct explore_machine *m, const struct explore_node *n,
                          const struct explore_message *message);

#endif
