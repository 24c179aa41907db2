/* SPDX-License-Identifier: Apache-2.0 */
/* Explores shapes on all their placements, several at a time. */
#ifndef WEFT_EXPLORE_EXPLORE_H
#define WEFT_EXPLORE_EXPLORE_H

#include "search.h"

struct weft;

/* Everything that was found about one shape. */
struct explore_result {
  struct weft_explore_shape shape;
  uint64_t placements, states, violations, deadlocks, incomplete;
  bool condition; /* reached on some placement */
  unsigned outcomes;
  struct explore_outcome outcome[EXPLORE_OUTCOMES];
  enum explore_end end; /* the worst of them */
  char *trace;          /* the shortest of all, and where it happens; NULL: nothing is wrong; to be freed */
  uint64_t trace_lines;
  char what[200], where[240];
};

struct explore_job {
  struct explore_options options;
  unsigned nodes;   /* of the machine, at most */
  unsigned workers; /* threads that search */
  bool stop;        /* at the first violation of a shape */
  /* Called after every placement, by one thread at a time; may be NULL. */
  void (*progress)(void *context, const char *shape, uint64_t done, uint64_t all, uint64_t states);
  void *context;
};

/* Names as numbers; an error is told by the library's handle. A shape's row, or -1. */
int weft_explore_find(struct weft *w, const char *protocol, const char *fault,
                      struct explore_options *options);
int weft_explore_find_shape(struct weft *w, const char *name);

/* The placements of a shape; the caller frees the list. */
size_t weft_explore_placements(const struct weft_explore_shape *shape, const struct explore_job *job,
                               struct explore_placement **list);
/* Where threads and variables are, in words. */
void weft_explore_placement_text(const struct weft_explore_shape *shape, const struct explore_placement *p,
                                 char *text, size_t size);

/* False: no memory. */
bool weft_explore_shape(const struct weft_explore_shape *shape, const struct explore_job *job,
                        struct explore_result *result);

#endif
