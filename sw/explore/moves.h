/* SPDX-License-Identifier: Apache-2.0 */
/* What can happen in a state of the whole machine. A state is a row of numbers: a node's for each node, messages' for
 * the slots of the network, and how many copies may still be dropped.
 *
 * What a node can do depends on its own blocks alone, so it is worked out once for each of them and remembered:
 * most of a search is looking up. */
#ifndef WEFT_EXPLORE_MOVES_H
#define WEFT_EXPLORE_MOVES_H

#include "machine.h"
#include "rebase.h"

#define EXPLORE_PAIRS (EXPLORE_NODES * (EXPLORE_NODES - 1))
#define EXPLORE_ALL_SLOTS (EXPLORE_CLASSES * EXPLORE_PAIRS * EXPLORE_SLOTS)

struct explore_state {
  uint32_t node[EXPLORE_NODES];
  uint16_t slot[EXPLORE_ALL_SLOTS];
  uint16_t drops;
  uint8_t phase;   /* enum weft_rebase_phase */
  uint8_t rebased; /* banks, or L1s, that have started again in this phase: a set */
};

struct explore_move {
  uint32_t to; /* the node afterwards */
  struct explore_sent sent;
  uint8_t action; /* enum explore_action */
  bool settles;   /* a delivery that is made at once */
  uint16_t argument;
};

struct explore_local {
  uint32_t first, count; /* of the moves */
  int32_t pop;           /* the move that sends a forward, or -1 */
  bool known, rests;
  bool late;  /* a home step waits for time to start again */
  bool quiet; /* no answer is on its way to an L1 */
};

struct explore_moves {
  const struct explore_machine *m;
  bool reduce;
  bool pops; /* a forward leaves its queue as soon as it can: part of the reduction */
  struct explore_store store;
  struct explore_node work;
  struct explore_local *local; /* [number of a node] */
  uint32_t locals;
  struct explore_move *move;
  uint32_t count, room;
  struct weft_intern delivery; /* pairs of node and message */
  int32_t *delivered;          /* [number of the pair]: a move, or -1 */
  uint32_t deliveries;
  bool failed;
};

/* One thing that can happen: a node's own step, or (slot >= 0) the delivery of the message there, or that the
 * rebase goes on to its next phase. */
#define EXPLORE_OWN (-1)
#define EXPLORE_PHASE (-2)
static inline bool explore_drops(uint8_t action)
{
  return action == EXPLORE_DROP_L1 || action == EXPLORE_DROP_L2 || action == EXPLORE_DROP_TSU;
}

struct explore_choice {
  unsigned node;
  uint32_t move;
  int slot;
};

bool weft_explore_moves_open(struct explore_moves *s, const struct explore_machine *m, bool reduce);
void weft_explore_moves_free(struct explore_moves *s);
bool weft_explore_moves_failed(const struct explore_moves *s);

/* Lists what can happen in a state; false with no memory left. At most `room`, which is more than ever can. */
#define EXPLORE_CHOICES 192
unsigned weft_explore_choices(struct explore_moves *s, const struct explore_state *state,
                              struct explore_choice *list);
/* Does it, and whatever is done at once after it; false: there is no room for a message that it sends. */
bool weft_explore_choose(struct explore_moves *s, const struct explore_state *from,
                         const struct explore_choice *choice, struct explore_state *to,
                         struct weft_text *log);
/* What is done at once in a state. */
void weft_explore_settle_all(struct explore_moves *s, struct explore_state *state, struct weft_text *log);
/* All nodes rest, and the network is empty. */
bool weft_explore_at_end(struct explore_moves *s, const struct explore_state *state);

#endif
