/* SPDX-License-Identifier: Apache-2.0 */
/* The packaged workloads. Each is a kernel partitioned over the nodes, an input that it makes or reads, and a
 * plain C run of the same algorithm; after a run the two results are compared, bit for bit. */
#ifndef WEFT_WORKLOAD_H
#define WEFT_WORKLOAD_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_workload_info {
  const char *name;    /* "pagerank" */
  const char *aliases; /* "PR", separated by spaces; names are compared without regard to case */
  const char *about;   /* one line */
  const char *size;    /* what options.size counts: "vertices"; "": it takes none */
};
/* false past the last. */
WEFT_API bool weft_workload_at(size_t index, struct weft_workload_info *info);
/* Finds by name or alias. */
WEFT_API bool weft_workload_find(const char *name, struct weft_workload_info *info);
/* The protocol that it is about, for those who leave it open; NULL: runs on all alike. */
WEFT_API const char *weft_workload_protocol(const char *name);

struct weft_workload_options {
  uint64_t size;       /* 0: the workload's default, which depends on the machine's memory */
  uint64_t seed;       /* 0: 1. Of the input; the machine has its own */
  int placement;       /* as weft_alloc()'s; 0 is node 0 */
  bool place;          /* use `placement`; else first touch (trace: addresses are physical) */
  uint64_t iterations; /* of an iterative workload; 0: its default */
  bool launches;       /* a kernel per step, not a barrier: weft_barrier_launches() */
  uint64_t dispatch; /* cycles from the beginning of one warp of a node to the next one's: weft_dispatch() */
  bool eager;     /* pagerank: a vertex's share is stored as soon as it is known, not in a phase of its own */
  uint64_t store; /* goodput: bytes of a store; 0: 8 */
  uint64_t stride; /* goodput: bytes from one store to the next; 0: 128 */
  const char
    *graph; /* pagerank, sssp, als, bfs: a Matrix Market file, or uniform:VERTICES,PERCENT; else R-MAT */
  const char *pattern; /* spatter: a Spatter JSON file; else a built-in set */
  const char *file;    /* trace: the file */
};

/* fig5: one operation, with what was seen and what the paper has. */
struct weft_step_state {
  uint64_t value;
  uint64_t wts, rts;    /* of the block in the CU's L1: written when, to be read until when */
  uint64_t cts, l2_cts; /* clocks of the CU's L1 and L2 after it */
  const char *level;    /* who answered: "L1", "L2", "memory" */
};
struct weft_step {
  const char *placement; /* of the two CUs: "intra" one node, "inter" two */
  unsigned cu;           /* as the paper numbers them: 0 or 1 */
  unsigned node, unit;   /* which CU of the machine that is */
  const char *op;        /* "read", "write" */
  const char *block;     /* "X", "Y" */
  struct weft_step_state is, paper;
};
#define WEFT_STEPS_MAX 12

struct weft_workload_result {
  bool verified;     /* it ran to its end, and equals the plain run */
  uint64_t size;     /* that was used */
  char summary[160]; /* "1024 vertices, 8192 edges, 5 iterations" */
  size_t step_count; /* fig5: those that were answered; else 0 */
  struct weft_step step[WEFT_STEPS_MAX];
};

/* Allocates, runs, settles and checks, on an open handle that was not used since weft_open() or weft_reset().
 * The result is filled in also when the code is not WEFT_OK. */
WEFT_API int weft_workload_run(struct weft *w, const char *name, const struct weft_workload_options *options,
                               struct weft_workload_result *result);

#ifdef __cplusplus
}
#endif
#endif
