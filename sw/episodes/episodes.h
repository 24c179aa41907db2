/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the episode tester share; docs/episodes.md says how they go together.
 *
 *   layout.c    which lines are hot, and how each is cut into locations
 *   clocks.c    who is ordered with whom, and what an episode may therefore touch
 *   plan.c      episodes: drawn, and performed on the table of last writers
 *   run.c       the same on the machine, with every value compared
 *   failures.c  what was wrong, in words and numbers
 *   coverage.c  what the directories did; transitions.c what they could have done
 *   shrink.c    fewer episodes that still fail; program.c them as text */
#ifndef WEFT_EPISODES_INTERNAL_H
#define WEFT_EPISODES_INTERNAL_H

#include <weft/episodes.h>

#include "error.h"
#include "random.h"
#include "text.h"

#define WEFT_EPISODES_DEFAULT 5000u
#define WEFT_ROUND_EPISODES 5000u /* of one launch */
#define WEFT_EPISODE_OPS 20u      /* of one episode, at most */
#define WEFT_FOCUS 5u
#define WEFT_FAILURES_KEPT 16u
#define WEFT_EPISODE_STREAM 3000u /* of random numbers */

/* ---- The machine, as far as the program depends on it ------------------------------------------------ */

struct weft_episode_shape {
  unsigned nodes, cus, warps; /* warps of a CU */
  unsigned line, banks;
  uint64_t memory; /* bytes of a node that a program may use */
  /* The directory; without one `tracked` is false and the rest is that of some directory all the same. */
  bool tracked;
  bool leases;          /* a timestamp storage unit, whose sets and ways these are */
  bool block;           /* lines of an entry have their sharers in common */
  unsigned entry_lines; /* lines of an entry */
  uint64_t sets;        /* of one bank */
  unsigned ways;
};
int weft_shape_read(struct weft *w, struct weft_episode_shape *shape);
static inline unsigned weft_shape_warps(const struct weft_episode_shape *s)
{
  return s->nodes * s->cus * s->warps;
}
struct weft_episode_place weft_shape_place(const struct weft_episode_shape *s, unsigned warp,
                                           uint64_t episode);
/* The narrowest scope that both warps are in. */
enum weft_memory_scope weft_shape_scope(const struct weft_episode_shape *s, unsigned a, unsigned b);

/* ---- Layout ------------------------------------------------------------------------------------------ */

/* Some bytes of a hot line: for loads and stores, or for atomics that everybody does. */
struct weft_location {
  uint64_t offset; /* in its node's memory */
  uint8_t node;
  uint8_t bytes; /* 1, 2, 4 or 8, aligned */
  bool atomic;
  uint32_t line; /* its number among the hot ones */
};

struct weft_layout {
  struct weft_location *location;
  size_t count, room;
  uint32_t *data, *atomic; /* their numbers; those of one line are neighbours */
  size_t data_count, atomic_count;
  uint32_t *line; /* [hot line]: where its locations begin in `data`; one more for the end */
  uint32_t lines;
  uint64_t span;     /* bytes of each node that are in use */
  uint64_t counters; /* from here on, a line for each counter of a warp at home here */
  uint8_t *counter_node;
  uint32_t *counter_line; /* by warp */
  bool overflows;         /* some set of a directory gets more entries than it has ways */
};
bool weft_layout_make(struct weft_layout *l, const struct weft_episode_shape *s, struct weft_random *random);
void weft_layout_free(struct weft_layout *l);

/* ---- Plan -------------------------------------------------------------------------------------------- */

enum weft_episode_kind {
  WEFT_EPISODE_LOAD,  /* must see `expected` */
  WEFT_EPISODE_STORE, /* `value` */
  WEFT_EPISODE_RMW,   /* an atomic on data that the episode has to itself; must return `expected` */
  WEFT_EPISODE_COUNT, /* adds 1 to an atomic location; must return what no other one did */
};

struct weft_episode_op {
  uint8_t kind, order, scope, func;
  bool waits;    /* for its answer; else that is looked at when the episode is over */
  uint8_t pause; /* cycles of computing before it */
  uint32_t location;
  uint32_t writer_warp;
  uint64_t writer; /* the episode whose value `expected` is, of that warp */
  uint64_t value, compare, expected;
};

/* Waits until warp `warp` has ended `count` episodes, then acquires. */
struct weft_episode_wait {
  uint32_t warp;
  uint8_t scope;
  uint64_t count;
};

struct weft_episode {
  uint64_t number;
  uint64_t sequence; /* among those of its warp, since the beginning */
  uint32_t warp;
  uint32_t next; /* of the same warp in this round; 0: none */
  uint32_t first_op, first_wait;
  uint8_t early; /* of its ops: those before the acquire */
  uint8_t ops, waits;
  uint8_t acquire, release; /* scopes; the acquire is for episodes that wait for nobody */
};

struct weft_plan_list {
  void *items;
  size_t count, room, size;
};

struct weft_plan_value {
  uint64_t value, writer;
  uint64_t first; /* value at the beginning of the round */
  uint32_t writer_warp;
};

struct weft_clocks {
  unsigned warps;
  size_t locations;
  uint32_t *ended;   /* [warp]: episodes in this round */
  uint32_t *known;   /* [warp * warps + other]: how many of the other's episodes are before what comes next */
  uint32_t *offered; /* [(scope * warps + warp) * warps + other]: the same at the end of the latest episode
                      * that released to the scope, or a wider one */
  uint64_t *offered_count; /* [scope * warps + warp]: episodes ended by then, since the beginning; 0: none */
  uint32_t *writer;        /* [location]: warp, */
  uint32_t *written;       /* and its episode, from 1; 0: nobody in this round */
  uint32_t *read;          /* [location * warps + warp]: its latest episode that did, from 1 */
};
bool weft_clocks_open(struct weft_clocks *c, unsigned warps, size_t locations);
void weft_clocks_close(struct weft_clocks *c);
void weft_clocks_round(struct weft_clocks *c); /* a launch lies between: all that was is known to all */
bool weft_clocks_may_read(const struct weft_clocks *c, unsigned warp, uint32_t location);
bool weft_clocks_may_write(const struct weft_clocks *c, unsigned warp, uint32_t location);
void weft_clocks_reads(struct weft_clocks *c, unsigned warp, uint32_t location);
void weft_clocks_writes(struct weft_clocks *c, unsigned warp, uint32_t location);
/* What `other` offers to this scope becomes known; returns the count to wait for, 0 if there is nothing. */
uint64_t weft_clocks_join(struct weft_clocks *c, unsigned warp, unsigned other, enum weft_memory_scope scope);
void weft_clocks_end(struct weft_clocks *c, unsigned warp, enum weft_memory_scope release, uint64_t count);

struct weft_plan {
  const struct weft_episode_shape *shape;
  const struct weft_layout *layout;
  struct weft_random random;
  struct weft_clocks clocks;
  struct weft_plan_value *value; /* [location]: the table of last writers */
  uint64_t *ended;               /* [warp], since the beginning */
  uint64_t planned;              /* episodes, since the beginning */
  uint32_t focus[WEFT_FOCUS];    /* lines that most of them are about just now */
  const uint64_t *keep;          /* those that load and store; NULL: all */
  size_t kept;
  uint64_t actions;
  bool out_of_memory;
  /* The round: */
  struct weft_plan_list episodes, ops, waits;
  uint32_t *first, *last; /* [warp]: numbers in `episodes`, from 1 */
};
bool weft_plan_open(struct weft_plan *p, const struct weft_episode_shape *s, const struct weft_layout *l,
                    uint64_t seed);
void weft_plan_close(struct weft_plan *p);
/* Plans so many episodes more; false: out of memory. */
bool weft_plan_round(struct weft_plan *p, size_t count);
static inline const struct weft_episode *weft_plan_episode(const struct weft_plan *p, size_t index)
{
  return (const struct weft_episode *)p->episodes.items + index;
}
static inline const struct weft_episode_op *weft_plan_op(const struct weft_plan *p, size_t index)
{
  return (const struct weft_episode_op *)p->ops.items + index;
}
static inline const struct weft_episode_wait *weft_plan_wait(const struct weft_plan *p, size_t index)
{
  return (const struct weft_episode_wait *)p->waits.items + index;
}

/* ---- Coverage ---------------------------------------------------------------------------------------- */

enum weft_transition_request {
  WEFT_LOCAL_READ,
  WEFT_LOCAL_WRITE,
  WEFT_LOCAL_ATOMIC,
  WEFT_REMOTE_READ,
  WEFT_REMOTE_WRITE,
  WEFT_REMOTE_ATOMIC,
  WEFT_REQUESTS
};

/* What the directory knows of the line when the request comes. `own`: the requester is a sharer. `among`: the entry
 * tracks other lines of its range too. */
enum weft_transition_state {
  WEFT_HIT_OWN,
  WEFT_HIT_ONE,
  WEFT_HIT_MANY,
  WEFT_HIT_OWN_OTHERS,
  WEFT_AMONG_OWN,
  WEFT_AMONG_ONE,
  WEFT_AMONG_MANY,
  WEFT_AMONG_OWN_OTHERS,
  WEFT_AMONG_CLEAR,
  WEFT_MISS,
  WEFT_MISS_FREE,
  WEFT_MISS_FULL_ONE,
  WEFT_MISS_FULL_MANY,
  WEFT_STRAY,     /* an entry without a sharer, or a hit where there was no entry */
  WEFT_FORGOTTEN, /* sharers without an entry */
  WEFT_STATES
};

/* The same of a timestamp storage unit. */
enum weft_time_request { WEFT_TIME_READ, WEFT_TIME_WRITE, WEFT_TIME_PEEK, WEFT_TIME_REQUESTS };
enum weft_time_state {
  WEFT_TIME_KNOWN,  /* the block's times are there */
  WEFT_TIME_ENTERS, /* they were not */
  WEFT_TIME_EVICTS, /* they enter where another block's were, and begin at what was promised of that */
  WEFT_TIME_STATES
};

struct weft_coverage;
struct weft_coverage *weft_coverage_new(struct weft *w, const struct weft_episode_shape *s);
void weft_coverage_free(struct weft_coverage *c);
int weft_coverage_start(struct weft_coverage *c);       /* looks at the machine's directories from now on */
void weft_coverage_restart(struct weft_coverage *c);    /* they are empty again */
bool weft_coverage_lost(const struct weft_coverage *c); /* for want of memory */
uint64_t weft_coverage_count(const struct weft_coverage *c, unsigned request, unsigned state);
uint64_t weft_coverage_times(const struct weft_coverage *c, unsigned request, unsigned state);
/* Why it cannot happen; NULL: it can. */
const char *weft_transition_why_not(const struct weft_episode_shape *s, bool overflows, unsigned request,
                                    unsigned state);
extern const char *const weft_transition_requests[WEFT_REQUESTS];
extern const char *const weft_transition_states[WEFT_STATES];
extern const char *const weft_transition_about[WEFT_STATES];

/* ---- The tester -------------------------------------------------------------------------------------- */

struct weft_episodes {
  struct weft *w;
  struct weft_episode_shape shape;
  struct weft_layout layout;
  struct weft_plan plan;
  weft_address *base; /* [node]: of its memory */
  struct weft_coverage *coverage;
  bool made, ran; /* the layout; a launch since the last reset */
  uint64_t seed;
  struct weft_episodes_totals totals;
  struct weft_episode_failure failure[WEFT_FAILURES_KEPT];
  char *text[WEFT_FAILURES_KEPT]; /* of each, owned */
  size_t failures;
  uint64_t *taken;  /* values that counts have returned, a bit each */
  size_t *taken_at; /* [location]: its first bit */
};
weft_address weft_episodes_address(const struct weft_episodes *e, uint32_t location);
weft_address weft_episodes_counter(const struct weft_episodes *e, unsigned warp);

/* A value that is wrong: what else is to be said of it is found in the plan. `op` NULL: memory at the end. */
void weft_failure_value(struct weft_episodes *e, const struct weft_episode *episode,
                        const struct weft_episode_op *op, uint32_t location, uint64_t seen, uint64_t issued,
                        uint64_t cycle);
/* The counter of a warp did not return the number of its episodes. */
void weft_failure_counter(struct weft_episodes *e, const struct weft_episode *episode, uint64_t seen,
                          uint64_t cycle);
void weft_failure_words(struct weft_episodes *e, const char *kind, const char *words, const char *more);
void weft_failures_clear(struct weft_episodes *e);

#endif
