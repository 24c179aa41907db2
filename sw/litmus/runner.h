/* SPDX-License-Identifier: Apache-2.0 */
/* One launch of a test: many instances of it, each with variables of its own, on warps that are drawn anew.
 *
 * Time is cut into rounds. In a round every warp has at most one job: to run a thread of some instance, or to stand by
 * and read its variables. All threads of an instance aim at the same cycle, each with a delay of its own. */
#ifndef WEFT_LITMUS_RUNNER_H
#define WEFT_LITMUS_RUNNER_H

#include <assert.h>

#include "random.h"
#include "test.h"

#define LITMUS_STEPS 1000 /* instructions of a thread, after which it is cut off */
#define LITMUS_POINTS 8   /* barriers of one instance */

/* A barrier that somebody came to. */
struct litmus_point {
  int64_t a, b;
  unsigned came[LITMUS_THREADS]; /* how often each thread did */
  unsigned total;
  uint64_t latest; /* cycle of the last to come */
};

struct litmus_barriers {
  struct litmus_point point[LITMUS_POINTS];
  unsigned points;
  unsigned finished; /* threads that ended, a set */
  struct {
    bool waits;
    int point;
    unsigned nth, at; /* its how-manieth coming; instruction */
    int64_t quorum;
    unsigned index; /* among all that came */
  } thread[LITMUS_THREADS];
};

struct litmus_instance {
  weft_address address[LITMUS_LOCATIONS];
  uint8_t warm;                     /* how many of the variables are read before, in tenths */
  uint32_t delay[LITMUS_THREADS];   /* cycles by which each thread starts late */
  uint8_t pause;                    /* most cycles between two instructions */
  uint8_t busy;                     /* how often there are such, in tenths */
  bool cut;                         /* a thread did not end */
  bool wild;                        /* a thread went outside the variables */
  struct litmus_barriers *barriers; /* NULL: the test has none */
};

struct litmus_job {
  uint32_t instance;
  int thread; /* -1: stands by */
  uint64_t start;
};

struct litmus_queue {
  struct litmus_job *job;
  unsigned count, room;
};

/* Memory of one node, from which lines are taken in a shuffled order. */
struct litmus_area {
  weft_address base;
  uint32_t *line;
  uint32_t lines, taken;
};

struct litmus_run {
  struct weft *w;
  struct weft_litmus *test;
  struct weft_machine machine;
  enum weft_litmus_map map;
  enum weft_litmus_place place;
  enum weft_litmus_oracle oracle;
  bool in_order; /* a thread has one operation outstanding */
  uint64_t seed;
  uint64_t period;               /* cycles of a round */
  uint64_t span[LITMUS_THREADS]; /* cycles that each thread takes, about */
  uint64_t longest;              /* of them */
  struct litmus_area *area;
  struct litmus_queue *queue; /* a warp's jobs, by its index */
  struct litmus_instance *instance;
  uint32_t instances, room; /* in this launch; at most */
  int64_t *reg;             /* [instance][thread][register], at the end */
  uint64_t jobs, late;      /* that were run; that came too late for their cycle */
  struct {
    uint64_t count, cycles; /* how often it ran to its end; what that took, all in all */
  } ended[LITMUS_THREADS];
  uint64_t (
    *reach)[LITMUS_INSTRUCTIONS + 1]; /* barriers.c: barriers that may be met from an instruction on */
};

static inline int64_t *litmus_registers(struct litmus_run *r, uint32_t instance, unsigned thread)
{
  return r->reg + ((size_t)instance * r->test->threads + thread) * LITMUS_REGISTERS;
}

/* What `bytes` of a value, 1 to 8, are as a register has them. */
static inline int64_t litmus_extend(uint64_t raw, unsigned bytes, bool sign)
{
  assert(bytes > 0 && bytes <= 8);
  if (bytes == 8)
    return (int64_t)raw;
  raw &= (UINT64_C(1) << 8 * bytes) - 1;
  uint64_t top = UINT64_C(1) << (8 * bytes - 1);
  return sign ? (int64_t)((raw ^ top) - top) : (int64_t)raw;
}

/* place.c: threads to warps, variables to lines */
bool weft_litmus_fits(const struct litmus_run *r, char *reason, size_t bytes);
/* Warps for all threads, by index, out of those that are not used. */
bool weft_litmus_place_threads(const struct litmus_run *r, struct weft_random *random, const bool *used,
                               unsigned *warp);
/* False: the areas are empty. */
bool weft_litmus_place_variables(struct litmus_run *r, struct weft_random *random, const unsigned *warp,
                                 struct litmus_instance *instance);

/* An access goes to a variable of its instance, or the thread ends: a test may compute an address from anything. */
bool weft_litmus_reaches(const struct weft_litmus *t, const struct litmus_instance *in, uint64_t address,
                         const struct litmus_instruction *i, unsigned *location);
/* Addresses differ from run to run; which location it is does not. */
int64_t weft_litmus_name_address(const struct weft_litmus *t, const struct litmus_instance *in,
                                 int64_t value);

/* plan.c: fills queues and instances for `runs` instances at most */
bool weft_litmus_plan(struct litmus_run *r, uint64_t batch, uint64_t runs);

/* jobs.c: the kernel */
void weft_litmus_kernel(struct weft_warp *t, void *run);

/* interpret.c, compute.c: one thread from its first instruction to its end */
void weft_litmus_run_thread(struct weft_warp *t, struct litmus_run *r, struct litmus_instance *in,
                            unsigned number, struct weft_random random);
int64_t weft_litmus_compute(enum litmus_alu alu, int64_t a, int64_t b, bool word);

/* barriers.c: bar.sync and bar.arrive, which are the CU's own and do not touch memory */
bool weft_litmus_barriers_prepare(struct litmus_run *r);
/* Comes to the barrier; false: there are too many. */
bool weft_litmus_barrier_come(struct litmus_run *r, struct litmus_instance *in, unsigned thread, unsigned at,
                              int64_t a, int64_t b, int64_t quorum, uint64_t cycle);
bool weft_litmus_barrier_open(const struct litmus_run *r, const struct litmus_instance *in, unsigned thread);
/* Every thread that has not ended waits, and none of them can go on. */
bool weft_litmus_barriers_stuck(const struct litmus_run *r, const struct litmus_instance *in);

#endif
