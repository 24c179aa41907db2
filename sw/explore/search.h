/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth-first search over all states of one placement. */
#ifndef WEFT_EXPLORE_SEARCH_H
#define WEFT_EXPLORE_SEARCH_H

#include "machine.h"

#define EXPLORE_OUTCOMES 256

/* How a run can end: what the registers hold, and the variables at their homes. */
struct explore_outcome {
  uint32_t reg[EXPLORE_REGISTERS];
  uint32_t variable[EXPLORE_VARIABLES];
  uint32_t skipped; /* eight bits per thread: operations that its guards left out */
};

enum explore_end { EXPLORE_COMPLETE, EXPLORE_LIMIT, EXPLORE_NO_MEMORY, EXPLORE_OVERFLOW };

struct explore_found {
  enum explore_end end;
  uint64_t states, moves, violations, deadlocks; /* violations: outcomes that must not be */
  unsigned outcomes;
  struct explore_outcome outcome[EXPLORE_OUTCOMES];
  bool condition; /* the shape's condition was reached */
  char *trace;    /* of the first violation or deadlock: the shortest way to it; NULL; to be freed */
  char what[200]; /* and what is wrong with it */
};

/* With `stop`, it ends at the first violation or deadlock. */
void weft_explore_search(const struct explore_machine *m, bool stop, struct explore_found *found);

#endif
