/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmarks: many runs of many workloads on variants of one machine, and what they say together. A point is one run; it is
 * kept in a file of its own, so that a benchmark that was cut off goes on where it was. */
#ifndef WEFT_BENCH_H
#define WEFT_BENCH_H

#include "tool.h"

#define BENCH_CONFIG "rec4"
#define BENCH_SETS_MAX 4

struct bench_work {
  const char *label;    /* as the paper calls it */
  const char *workload; /* of `weft list` */
  const char *graph;    /* NULL: made of the size */
  uint64_t size, iterations;
  double paper_lines; /* lines per entry at eviction that the paper tells; 0: it does not, but for the mean */
};
extern const struct bench_work bench_works[];
extern const size_t bench_work_count;

struct bench_variant {
  const char *label;
  const char *protocol;
  const char *set[BENCH_SETS_MAX]; /* parameters that differ from BENCH_CONFIG's; NULL at the end */
  size_t reference;                /* speed-ups are over this variant */
  double paper;                    /* mean speed-up that the paper tells; 0: none */
};

struct bench {
  const char *name, *about;
  const struct bench_variant *variant;
  size_t variants;
  bool full; /* with all columns of `rec`, else speed-ups alone */
};
const struct bench *bench_at(size_t index); /* NULL past the last */

struct bench_point {
  const struct bench_work *work;
  const struct bench_variant *variant;
  char *key;      /* all that the result depends on */
  char *path;     /* of the file that keeps it */
  json_t *result; /* NULL: not there yet */
  int pid;        /* of the process that computes it; 0: none */
};

/* All points of one benchmark, [work][variant]. */
struct bench_run {
  const struct bench *bench;
  const struct arguments *arguments;
  const struct bench_work *work[16];
  size_t works;
  struct bench_point *point;
  size_t points, cached, computed;
};
struct bench_point *bench_point_of(const struct bench_run *r, size_t work, size_t variant);

/* bench_cache.c: exit codes, or -1 to go on */
int bench_cache_open(struct bench_run *r); /* keys, paths, and what is there */
void bench_cache_load(struct bench_point *p);
void bench_cache_free(struct bench_run *r);

/* bench_pool.c: computes what is missing, on all cores */
int bench_compute(struct bench_run *r);
/* bench_point.c: one run, in this process; writes its file */
int bench_point_run(const struct bench_point *p, const struct arguments *a);

/* bench_values.c: what a point's counters say */
enum bench_value {
  BENCH_SPEEDUP,
  BENCH_MISSES,
  BENCH_UNNECESSARY,
  BENCH_TRANSACTIONS,
  BENCH_LINES,
  BENCH_VALUES
};
extern const char *const bench_value_names[BENCH_VALUES];
double bench_counter(const struct bench_point *p, const char *name);
/* Of itself, not of a ratio: cycles, misses without cold ones, ...; lines per entry, 0 if nothing was evicted. */
double bench_amount(const struct bench_point *p, enum bench_value value);
/* Over its reference; lines are what they are. */
double bench_ratio(const struct bench_run *r, size_t work, size_t variant, enum bench_value value);
/* Geometric mean over the workloads; of lines the mean of those that evict. */
double bench_mean(const struct bench_run *r, size_t variant, enum bench_value value);
double bench_paper(const struct bench_run *r, size_t variant, enum bench_value value); /* 0: not told */

/* bench_reasons.c: why ours differs from the paper's, sentence by sentence, from the counters */
json_t *bench_reasons(const struct bench_run *r);

/* bench_report.c */
json_t *bench_json(const struct bench_run *r);
void bench_print(const struct bench_run *r);

#endif
