/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench_xtreme.h"

double xtreme_slowdown(const struct bench_run *r, size_t work, size_t variant)
{
  double without = bench_member(bench_point_of(r, work, XTREME_WITHOUT), "cycles");
  return 100 * (bench_member(bench_point_of(r, work, variant), "cycles") / without - 1);
}

double xtreme_slowdown_worked(const struct bench_run *r, size_t work, size_t variant)
{
  double without = bench_worked(bench_point_of(r, work, XTREME_WITHOUT));
  return 100 * (bench_worked(bench_point_of(r, work, variant)) / without - 1);
}

size_t xtreme_worst(const struct bench_run *r, const char *program)
{
  size_t worst = r->works;
  for (size_t w = 0; w < r->works; w++)
    if (!strcmp(program, r->work[w]->workload) &&
        (worst == r->works ||
         xtreme_slowdown(r, w, XTREME_HALCONE) > xtreme_slowdown(r, worst, XTREME_HALCONE)))
      worst = w;
  return worst;
}

static double largest(const struct bench_run *r, size_t variant,
                      double (*slowdown)(const struct bench_run *r, size_t work, size_t variant))
{
  double found = slowdown(r, 0, variant);
  for (size_t w = 1; w < r->works; w++)
    if (slowdown(r, w, variant) > found)
      found = slowdown(r, w, variant);
  return found;
}

double xtreme_largest(const struct bench_run *r, size_t variant)
{
  return largest(r, variant, xtreme_slowdown);
}

double xtreme_largest_worked(const struct bench_run *r, size_t variant)
{
  return largest(r, variant, xtreme_slowdown_worked);
}

/* Section 5.3. */
double xtreme_paper(const char *program)
{
  static const double told[] = { 14.3, 12.1, 16.8 };
  return told[strtoul(program + strlen("xtreme"), NULL, 10) - 1];
}

uint64_t xtreme_bytes(const struct bench_work *work)
{
  return 4 * work->size;
}

static uint64_t parameter(struct weft *w, const char *name)
{
  uint64_t value = 0;
  weft_config_get(w, name, &value);
  return value;
}

const char *xtreme_fits(const struct bench_point *p, const struct arguments *a)
{
  const char *set[BENCH_ALL_SETS];
  struct weft *w = weft_new();
  bench_sets_of(p, a, set);
  int failed = w ? weft_config_load(w, bench_config_of(p)) : WEFT_NO_MEMORY;
  for (unsigned i = 0; !failed && set[i]; i++)
    failed = weft_config_set(w, set[i]);
  if (failed) {
    weft_free(w);
    return "?"; /* of runs that were there */
  }
  uint64_t line = parameter(w, "line"), nodes = parameter(w, "nodes") - parameter(w, "memories");
  uint64_t l1 = line * parameter(w, "l1.sets") * parameter(w, "l1.ways") * parameter(w, "cus") * nodes;
  uint64_t l2 = line * parameter(w, "l2.sets") * parameter(w, "l2.ways") * parameter(w, "l2.banks") * nodes;
  weft_free(w);
  uint64_t all = 3 * xtreme_bytes(p->work);
  return all <= l1 ? "L1" : all <= l2 ? "L2" : "memory";
}
