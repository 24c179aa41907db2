/* SPDX-License-Identifier: Apache-2.0 */
/* What the points of the Xtreme family say. */
#ifndef WEFT_BENCH_XTREME_H
#define WEFT_BENCH_XTREME_H

#include "bench.h"

/* Variants: without coherence; HALCONE with the pair of leases that counts; the same renewed; HALCONE with other pairs. */
enum { XTREME_WITHOUT, XTREME_HALCONE, XTREME_RENEW, XTREME_PAIRS };

struct xtreme_pair {
  unsigned read, write;
};
struct xtreme_pair xtreme_pair_of(size_t variant);

/* Positive: slower than without coherence. */
double xtreme_slowdown(const struct bench_run *r, size_t work, size_t variant);
/* Of cycles without those of the launches, which are the same on both. */
double xtreme_slowdown_worked(const struct bench_run *r, size_t work, size_t variant);
/* The work of one program ("xtreme1") whose slow-down with the first pair is largest; works: none. */
size_t xtreme_worst(const struct bench_run *r, const char *program);
double xtreme_largest(const struct bench_run *r, size_t variant); /* slow-down of all */
double xtreme_largest_worked(const struct bench_run *r, size_t variant);
double xtreme_paper(const char *program); /* the largest that the paper tells, percent */
/* Where a slice's three parts find room: "L1", "L2", "memory". */
const char *xtreme_fits(const struct bench_point *p, const struct arguments *a);
uint64_t xtreme_bytes(const struct bench_work *work); /* of one vector */

json_t *xtreme_reasons(const struct bench_run *r); /* bench_xtreme_reasons.c */

#endif
