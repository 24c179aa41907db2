/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmarks: many runs of many workloads on variants of one machine, and what they say together. A point is one run; it is
 * kept in a file of its own, so that a benchmark that was cut off goes on where it was. */
#ifndef WEFT_BENCH_H
#define WEFT_BENCH_H

#include "tool.h"

#define BENCH_SETS_MAX 6
#define BENCH_WORKS_MAX 40

struct bench_work {
  const char *label;    /* as the paper calls it */
  const char *workload; /* of `weft list` */
  const char *graph;    /* NULL: made of the size */
  uint64_t size, iterations;
  double
    paper_lines; /* rec: lines per entry at eviction that the paper tells; 0: it does not, but for the mean */
  bool eager;    /* as weft_workload_options' */
  uint64_t store, stride; /* likewise */
};

struct bench_variant {
  const char *label;
  const char *protocol;
  const char *config;              /* NULL: the family's */
  bool incoherent;                 /* results may be wrong: it is there to be compared with */
  const char *set[BENCH_SETS_MAX]; /* parameters that differ from the family's; NULL at the end */
  size_t reference;                /* speed-ups are over this variant */
  double paper;                    /* mean speed-up that the paper tells; 0: none */
  const char *egress;              /* NULL: plain */
  unsigned sub_header;             /* goodput: bytes; 0: no FinePack */
  bool prefix;                     /* goodput: the packets' other encoding */
};

/* Benchmarks of one paper: its machine, its workloads, and how they are told. */
struct bench_run;
struct bench_point;
struct bench_family {
  const char *config;
  const char *set[BENCH_SETS_MAX]; /* parameters that differ from it; NULL at the end */
  const struct bench_work *work;
  size_t works;
  int placement;        /* of pages */
  bool launches;        /* as weft_workload_options' */
  uint64_t dispatch;    /* likewise */
  bool any_backend;     /* takes -b */
  const char *counters; /* those that are kept begin with this */
  /* Of how many stores (size) a stream's steady state is measured: two runs, this many and three times as many, and
   * their difference. NULL: one run, of the work's size. */
  uint64_t (*steady)(const struct bench_point *p);
  /* Not of points: measures and reports by itself; an exit code. NULL: by points, of which the following tell. */
  int (*run)(const struct arguments *a, struct output *out);
  json_t *(*json)(const struct bench_run *r);
  void (*print)(const struct bench_run *r);
};

struct bench {
  const char *name, *about;
  const struct bench_family *family;
  const struct bench_variant *variant;
  size_t variants;
  bool full; /* with all columns, else speed-ups alone */
};
const struct bench *bench_at(size_t index); /* NULL past the last */
extern const struct bench bench_finepack, bench_finepack_subheader, bench_finepack_link, bench_goodput,
  bench_xtreme, bench_halcone, bench_stamps, bench_board;
int bench_stamps_run(const struct arguments *a, struct output *out); /* bench_stamps.c */

struct bench_point {
  const struct bench_family *family;
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
  const struct bench_work *work[BENCH_WORKS_MAX];
  size_t works;
  struct bench_point *point;
  size_t points, cached, computed;
};
const char *bench_config_of(const struct bench_point *p);
struct bench_point *bench_point_of(const struct bench_run *r, size_t work, size_t variant);
size_t bench_variant_of(const struct bench_run *r, const char *label); /* variants: there is no such */
/* The parameters of a point: the family's, the user's, the variant's; NULL at the end. */
#define BENCH_ALL_SETS (SETS_MAX + 2 + 2 * BENCH_SETS_MAX)
void bench_sets_of(const struct bench_point *p, const struct arguments *a, const char *set[BENCH_ALL_SETS]);

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
double bench_member(const struct bench_point *p, const char *name); /* a number of the point's file */
double bench_worked(const struct bench_point *p);                   /* cycles without those of its launches */
double bench_percent(double part, double whole);                    /* 0 of nothing */
double bench_link_bytes(const struct bench_point *p);
/* Of all cycles of all links to the switch, those in which bytes passed. */
double bench_busy(const struct bench_point *p);
/* Of itself, not of a ratio: cycles, misses without cold ones, ...; lines per entry, 0 if nothing was evicted. */
double bench_amount(const struct bench_point *p, enum bench_value value);
/* Over its reference; lines are what they are. */
double bench_ratio(const struct bench_run *r, size_t work, size_t variant, enum bench_value value);
/* Geometric mean over the workloads; of lines the mean of those that evict. */
double bench_mean(const struct bench_run *r, size_t variant, enum bench_value value);
double bench_paper(const struct bench_run *r, size_t variant, enum bench_value value); /* 0: not told */

/* bench_reasons.c: why ours differs from the paper's, sentence by sentence, from the counters */
json_t *bench_reasons(const struct bench_run *r);
void bench_say(json_t *list, const char *format, ...) WEFT_PRINTF(2, 3);
json_t *bench_finepack_reasons(const struct bench_run *r); /* bench_finepack_reasons.c */
void bench_print_reasons(json_t *reasons);                 /* takes them */

/* bench_report.c: rec's family */
json_t *bench_rec_json(const struct bench_run *r);
void bench_rec_print(const struct bench_run *r);
void bench_print_number(double value, bool there);

#endif
