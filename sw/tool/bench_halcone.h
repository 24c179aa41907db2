/* SPDX-License-Identifier: Apache-2.0 */
/* What the points of HALCONE's family say. */
#ifndef WEFT_BENCH_HALCONE_H
#define WEFT_BENCH_HALCONE_H

#include "bench.h"

/* What all of HALCONE's benches run on. Pages go to the memories by turns, as in the paper (section 4.1); its 4 KB are
 * divided by 64 as all capacities are. A wavefront may have 64 operations in flight, and its stores are answered late: as
 * many as there can be. The dispatcher of the paper's simulator takes four cycles for a work-group of up to four wavefronts, which
 * are 16 of our warps; it is a rate, and divided by 4: a warp a cycle. */
#define HALCONE_MACHINE \
  .config = "halcone4", .set = { "page=64", "outstanding=16" }, .placement = WEFT_INTERLEAVED, \
  .launches = true, .dispatch = 1, .counters = "total."

/* Variants: the machines of the paper's section 4.1, then HALCONE on other numbers of nodes. */
enum {
  HALCONE_RDMA,
  HALCONE_HMG,
  HALCONE_WB,
  HALCONE_WT,
  HALCONE_LEASES,
  HALCONE_RENEW, /* ours: leases that are renewed */
  HALCONE_MACHINES,
  HALCONE_ONE = HALCONE_MACHINES,
  HALCONE_TWO,
  HALCONE_EIGHT,
  HALCONE_SIXTEEN,
  HALCONE_VARIANTS
};

enum halcone_value {
  HALCONE_SPEEDUP,   /* over RDMA without coherence; on other numbers of nodes over one */
  HALCONE_L1_L2,     /* transactions, over those of write-through without coherence */
  HALCONE_L2_MEMORY, /* likewise */
  HALCONE_VALUES
};
extern const char *const halcone_value_names[HALCONE_VALUES];

double halcone_amount(const struct bench_point *p, enum halcone_value value); /* cycles; transactions */
double halcone_value(const struct bench_run *r, size_t work, size_t variant, enum halcone_value value);
double halcone_mean(const struct bench_run *r, size_t variant, enum halcone_value value); /* geometric */
double halcone_paper(size_t variant, enum halcone_value value); /* its mean; 0: not told */
/* Of four nodes, as of the others: over one. */
double halcone_scaling(const struct bench_run *r, size_t work, size_t variant);
double halcone_scaling_mean(const struct bench_run *r, size_t variant);
double halcone_scaling_paper(size_t variant);
/* Leases over write-through without coherence, percent; positive: slower. */
double halcone_overhead(const struct bench_run *r, size_t work, size_t variant);
double halcone_overhead_mean(const struct bench_run *r, size_t variant);
/* The same of cycles without those of the launches. */
double halcone_overhead_worked(const struct bench_run *r, size_t work, size_t variant);
double halcone_overhead_worked_mean(const struct bench_run *r, size_t variant);
double halcone_sum(const struct bench_run *r, size_t variant, const char *counter);

json_t *halcone_traffic(const struct bench_run *r);
json_t *halcone_reasons(const struct bench_run *r); /* bench_halcone_reasons.c */

#endif
