/* SPDX-License-Identifier: Apache-2.0 */
/* The episode tester: a random program without data races that tries to make a coherence protocol go wrong.
 *
 * Every warp goes through episodes: atomics, an acquire, loads and stores, a release, an atomic. An episode has the
 * places that it writes to itself, against every episode that is not ordered with it; a table of last writers says
 * what each load must return. Places that are neighbours in a line belong to different episodes, and the lines are
 * chosen so that they push one another out of the directory. What the directories did meanwhile is counted, as a table
 * of transitions: request by state.
 *
 *   struct weft *w = weft_new();
 *   struct weft_episodes *e;
 *   if (weft_open(w, "model:tiny", &(struct weft_options){ .jitter = 100 }) || weft_episodes_new(w, 1, &e))
 *     fprintf(stderr, "%s\n", weft_message(w));
 *   int code = weft_episodes_run(e, &(struct weft_episodes_options){ .count = 5000 });
 *
 * See docs/episodes.md. */
#ifndef WEFT_EPISODES_H
#define WEFT_EPISODES_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_episodes; /* a tester on one machine */

/* On an open handle that was not used since weft_open(), and that lives as long. The seed is that of the program (0: 1);
 * random delays have the handle's. */
WEFT_API int weft_episodes_new(struct weft *w, uint64_t seed, struct weft_episodes **episodes);
WEFT_API void weft_episodes_free(struct weft_episodes *e);

struct weft_episodes_options {
  uint64_t count; /* of episodes; 0: 5000 */
  /* Episodes that load and store, by number, ascending; all others only synchronise. NULL: all do. The way to try
   * whether fewer of them still fail. */
  const uint64_t *keep;
  size_t kept;
};

/* From a reset machine on: runs the program, settles, compares all of memory. WEFT_WRONG_RESULT: there are failures,
 * and so they are after WEFT_STUCK and WEFT_MISMATCH. May be called again. */
WEFT_API int weft_episodes_run(struct weft_episodes *e, const struct weft_episodes_options *options);

struct weft_episodes_totals {
  uint64_t episodes; /* that came to their end */
  uint64_t planned;  /* of how many */
  uint64_t actions;  /* loads, stores and atomics of those that were planned */
  uint64_t checks;   /* values that were compared, memory at the end included */
  uint64_t failures; /* all; those that weft_episodes_failure_at() has are the first ones */
};
WEFT_API void weft_episodes_totals(const struct weft_episodes *e, struct weft_episodes_totals *totals);

#define WEFT_NO_EPISODE UINT64_MAX
#define WEFT_READERS_SHOWN 4

struct weft_episode_place {
  uint64_t episode; /* WEFT_NO_EPISODE: none; nobody wrote it before */
  unsigned node, cu, warp;
};

struct weft_episode_failure {
  /* "load"; "atomic" on data; "count": an atomic that everybody does, and that returns every number once; "memory" at
   * the end; "directory": a transition that cannot be; "deadlock"; "lockstep" */
  const char *kind;
  struct weft_episode_place at;     /* who saw it; memory: nobody */
  uint64_t cycle;                   /* by which the value was there, */
  uint64_t issued;                  /* and the one in which it was asked for */
  uint64_t physical;                /* address */
  unsigned bytes;                   /* 0: the failure is about no value */
  uint64_t seen, expected;          /* count: the numbers below `expected` are returned once each */
  struct weft_episode_place writer; /* of what was expected */
  struct weft_episode_place stale;  /* of what was seen instead, if somebody wrote that there */
  struct weft_episode_place readers[WEFT_READERS_SHOWN]; /* of the place since then, the latest first */
  unsigned readers_count;
  const char *text; /* in words; lives until the next run */
};
/* false past the last that was kept. */
WEFT_API bool weft_episodes_failure_at(const struct weft_episodes *e, size_t index,
                                       struct weft_episode_failure *failure);

/* ---- Coverage ---------------------------------------------------------------------------------------- */

struct weft_transition {
  const char *request; /* "remote write" */
  const char *state;   /* "hit own+others" */
  const char *about;   /* what that state is */
  const char *why_not; /* why it cannot happen on this machine; NULL: it can */
  uint64_t count;      /* how often it did */
};
/* Transitions of the directory by number; false past the last. Of the last run. */
WEFT_API bool weft_episodes_transition_at(const struct weft_episodes *e, size_t index,
                                          struct weft_transition *transition);

/* ---- Making a failure smaller ------------------------------------------------------------------------ */

struct weft_episodes_shrunk {
  uint64_t count; /* options.count, */
  uint64_t *keep; /* and options.keep that still fail; the caller's to free() */
  size_t kept;
  unsigned runs; /* that it took */
};
/* After a run that failed: resets the machine and runs with ever fewer episodes, `runs` times at most (0: 300). Leaves
 * the failures of the smallest one. */
WEFT_API int weft_episodes_shrink(struct weft_episodes *e, const struct weft_episodes_options *options,
                                  unsigned runs, struct weft_episodes_shrunk *shrunk);

/* The program of the last run as text, a line for each operation of the episodes that load and store; free() it.
 * NULL: out of memory. */
WEFT_API char *weft_episodes_program(const struct weft_episodes *e);

#ifdef __cplusplus
}
#endif
#endif
