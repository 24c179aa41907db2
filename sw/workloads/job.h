/* SPDX-License-Identifier: Apache-2.0 */
/* What the workloads share: one run of one of them, its parts, its memory and its check. */
#ifndef WEFT_JOB_H
#define WEFT_JOB_H

#include <weft/workload.h>

#include "error.h"
#include "random.h"

struct weft_job {
  struct weft *w;
  const char *name;
  const struct weft_workload_options *options;
  struct weft_workload_result *result;
  struct weft_machine machine;
  int placement;
  uint64_t size, seed, iterations; /* size and iterations: 0 where the user left it open */
};

struct weft_workload {
  struct weft_workload_info info;
  int (*run)(struct weft_job *job);
};

/* Every unit that draws random numbers has a stream of its own. */
enum weft_job_stream {
  WEFT_STREAM_INPUT = 1,
  WEFT_STREAM_WEIGHTS,
  WEFT_STREAM_GRAPH,
  WEFT_STREAM_PLAN = 1000
};

/* ---- Parts: block `index` of `parts` of the numbers 0 .. total - 1 ----------------------------------- */
struct weft_part {
  uint64_t first, end;
};
struct weft_part weft_part_of(uint64_t total, uint64_t parts, uint64_t index);
struct weft_part weft_part_of_node(uint64_t total, const struct weft_machine *m, unsigned node);
/* A node's block, divided among its warps. */
struct weft_part weft_part_of_warp(uint64_t total, const struct weft_place *p);

/* Pieces of work as a GPU hands out its workgroups: a node has a block of them, and of that block one after the other
 * goes to the CUs by turns, and then to the CUs' warps:
 *   for (struct weft_deal d = weft_deal_to(total, place); d.piece < d.end; d.piece += d.step) */
struct weft_deal {
  uint64_t piece, end, step;
};
struct weft_deal weft_deal_to(uint64_t total, const struct weft_place *p);

/* ---- Memory ------------------------------------------------------------------------------------------ */
/* What arrays may take together: replicas all lie in each node's memory. */
uint64_t weft_job_memory(const struct weft_job *job);
/* The largest size up to `wanted` whose bytes take at most half of that; at least 1. */
uint64_t weft_job_fit(const struct weft_job *job, uint64_t wanted, uint64_t bytes_per_unit);
/* Before an input of that size is made: does it fit at all? */
int weft_job_room(struct weft_job *job, uint64_t bytes);
/* Named, so that people can ask for NAME[INDEX]; elements of `element` bytes. */
int weft_job_alloc(struct weft_job *job, const char *name, uint64_t count, uint64_t element,
                   weft_address *address);
/* As weft_job_array(), but where replicas would be wrong (what atomics work on) or in vain (each node uses its own block
 * alone): with --placement replicated it is placed by first touch. */
int weft_job_single(struct weft_job *job, const char *name, const void *bytes, uint64_t count,
                    uint64_t element, weft_address *address);
/* An array of `count` elements: each node touches its block, in the order of the nodes; then the host fills
 * it with `bytes` (NULL: stays zero). */
int weft_job_array(struct weft_job *job, const char *name, const void *bytes, uint64_t count,
                   uint64_t element, weft_address *address);

/* ---- The end ----------------------------------------------------------------------------------------- */
/* Launches and settles. */
int weft_job_launch(struct weft_job *job, weft_kernel kernel, void *arg);
/* Reads `count` elements back and compares them with what they should be; names the first that differs. */
int weft_job_compare(struct weft_job *job, const char *what, weft_address address, const void *should,
                     uint64_t count, uint64_t element);
void weft_job_say(struct weft_job *job, const char *format, ...) WEFT_PRINTF(2, 3);
/* For sizes that do not make sense. */
int weft_job_bad_size(struct weft_job *job, uint64_t least, uint64_t most);

/* ---- The workloads ----------------------------------------------------------------------------------- */
extern const struct weft_workload weft_workload_pagerank, weft_workload_sssp, weft_workload_jacobi2d,
  weft_workload_matmul, weft_workload_vecadd, weft_workload_spatter, weft_workload_trace, weft_workload_mix,
  weft_workload_atax, weft_workload_conv2d, weft_workload_fir, weft_workload_gemv, weft_workload_lu,
  weft_workload_mm2, weft_workload_mm3, weft_workload_sc, weft_workload_st, weft_workload_als,
  weft_workload_banded, weft_workload_ct, weft_workload_goodput, weft_workload_bicg, weft_workload_bs,
  weft_workload_fws, weft_workload_mp, weft_workload_rl, weft_workload_aes, weft_workload_bfs,
  weft_workload_xtreme1, weft_workload_xtreme2, weft_workload_xtreme3, weft_workload_fig5;

#endif
