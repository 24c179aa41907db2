/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench_halcone.h"

const char *const halcone_value_names[HALCONE_VALUES] = { "speedup", "l1_l2_transactions",
                                                          "l2_memory_transactions" };

double halcone_amount(const struct bench_point *p, enum halcone_value value)
{
  switch (value) {
  case HALCONE_L1_L2:
    return bench_counter(p, "l2.reads") + bench_counter(p, "l2.writes") + bench_counter(p, "l2.atomics");
  case HALCONE_L2_MEMORY:
    return bench_counter(p, "memory.reads") + bench_counter(p, "memory.writes");
  default:
    return bench_member(p, "cycles");
  }
}

double halcone_value(const struct bench_run *r, size_t work, size_t variant, enum halcone_value value)
{
  double here = halcone_amount(bench_point_of(r, work, variant), value);
  if (value == HALCONE_SPEEDUP)
    return halcone_amount(bench_point_of(r, work, HALCONE_RDMA), value) / here;
  double there = halcone_amount(bench_point_of(r, work, HALCONE_WT), value);
  return there > 0 ? here / there : 0;
}

double halcone_mean(const struct bench_run *r, size_t variant, enum halcone_value value)
{
  double sum = 0;
  for (size_t w = 0; w < r->works; w++)
    sum += log(halcone_value(r, w, variant, value));
  return exp(sum / (double)r->works);
}

/* Section 5.1: leases have 1 % more transactions than none, and write-back 22.7 % fewer to memory than write-through. */
double halcone_paper(size_t variant, enum halcone_value value)
{
  static const double told[HALCONE_MACHINES][HALCONE_VALUES] = {
    [HALCONE_RDMA] = { 1, 0, 0 }, [HALCONE_HMG] = { 1.5, 0, 0 },          [HALCONE_WB] = { 3.9, 0, 0.773 },
    [HALCONE_WT] = { 4.6, 1, 1 }, [HALCONE_LEASES] = { 4.6, 1.01, 1.01 },
  };
  return variant < HALCONE_MACHINES ? told[variant][value] : 0;
}

double halcone_scaling(const struct bench_run *r, size_t work, size_t variant)
{
  return halcone_amount(bench_point_of(r, work, HALCONE_ONE), HALCONE_SPEEDUP) /
         halcone_amount(bench_point_of(r, work, variant), HALCONE_SPEEDUP);
}

double halcone_scaling_mean(const struct bench_run *r, size_t variant)
{
  double sum = 0;
  for (size_t w = 0; w < r->works; w++)
    sum += log(halcone_scaling(r, w, variant));
  return exp(sum / (double)r->works);
}

/* Section 5.2.1. */
double halcone_scaling_paper(size_t variant)
{
  static const double told[HALCONE_VARIANTS] = { [HALCONE_ONE] = 1,
                                                 [HALCONE_TWO] = 1.76,
                                                 [HALCONE_LEASES] = 2.74,
                                                 [HALCONE_EIGHT] = 4.05,
                                                 [HALCONE_SIXTEEN] = 5.43 };
  return told[variant];
}

double halcone_overhead(const struct bench_run *r, size_t work, size_t variant)
{
  return 100 * (halcone_amount(bench_point_of(r, work, variant), HALCONE_SPEEDUP) /
                  halcone_amount(bench_point_of(r, work, HALCONE_WT), HALCONE_SPEEDUP) -
                1);
}

double halcone_overhead_mean(const struct bench_run *r, size_t variant)
{
  return 100 * (halcone_mean(r, HALCONE_WT, HALCONE_SPEEDUP) / halcone_mean(r, variant, HALCONE_SPEEDUP) - 1);
}

double halcone_overhead_worked(const struct bench_run *r, size_t work, size_t variant)
{
  return 100 *
         (bench_worked(bench_point_of(r, work, variant)) / bench_worked(bench_point_of(r, work, HALCONE_WT)) -
          1);
}

double halcone_overhead_worked_mean(const struct bench_run *r, size_t variant)
{
  double sum = 0;
  for (size_t w = 0; w < r->works; w++)
    sum += log(1 + halcone_overhead_worked(r, w, variant) / 100);
  return 100 * (exp(sum / (double)r->works) - 1);
}

double halcone_sum(const struct bench_run *r, size_t variant, const char *counter)
{
  double all = 0;
  for (size_t w = 0; w < r->works; w++)
    all += bench_counter(bench_point_of(r, w, variant), counter);
  return all;
}
