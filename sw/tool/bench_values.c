/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

const char *const bench_value_names[BENCH_VALUES] = { "speedup", "l2_misses", "unnecessary_invalidations",
                                                      "transactions", "lines_per_entry" };

struct bench_point *bench_point_of(const struct bench_run *r, size_t work, size_t variant)
{
  return &r->point[work * r->bench->variants + variant];
}

double bench_counter(const struct bench_point *p, const char *name)
{
  char whole[64];
  snprintf(whole, sizeof whole, "%s%s", p->family->counters, name);
  return (double)json_integer_value(json_object_get(json_object_get(p->result, "counters"), whole));
}

double bench_member(const struct bench_point *p, const char *name)
{
  return json_number_value(json_object_get(p->result, name));
}

double bench_worked(const struct bench_point *p)
{
  return bench_member(p, "cycles") - bench_member(p, "launch_cycles");
}

double bench_percent(double part, double whole)
{
  return whole > 0 ? 100 * part / whole : 0;
}

double bench_link_bytes(const struct bench_point *p)
{
  return bench_counter(p, "link.bytes_request") + bench_counter(p, "link.bytes_forward") +
         bench_counter(p, "link.bytes_response");
}

double bench_busy(const struct bench_point *p)
{
  return bench_counter(p, "link.busy") / (bench_member(p, "endpoints") * bench_member(p, "cycles"));
}

size_t bench_variant_of(const struct bench_run *r, const char *label)
{
  size_t v = 0;
  while (v < r->bench->variants && strcmp(r->bench->variant[v].label, label) != 0)
    v++;
  return v;
}

double bench_amount(const struct bench_point *p, enum bench_value value)
{
  double evictions;
  switch (value) {
  case BENCH_SPEEDUP:
    return bench_member(p, "cycles");
  case BENCH_MISSES:
    return bench_counter(p, "l2.misses") - bench_member(p, "cold_remote");
  case BENCH_UNNECESSARY:
    return bench_counter(p, "l2.inv_hit_evict");
  case BENCH_TRANSACTIONS:
    return bench_counter(p, "link.messages_request") + bench_counter(p, "link.messages_forward") +
           bench_counter(p, "link.messages_response");
  default:
    evictions = bench_counter(p, "directory.evictions");
    return evictions > 0 ? bench_counter(p, "directory.evicted_lines") / evictions : 0;
  }
}

double bench_ratio(const struct bench_run *r, size_t work, size_t variant, enum bench_value value)
{
  double here = bench_amount(bench_point_of(r, work, variant), value);
  double there = bench_amount(bench_point_of(r, work, r->bench->variant[variant].reference), value);
  if (value == BENCH_LINES)
    return here;
  if (value == BENCH_SPEEDUP)
    return here > 0 ? there / here : 0;
  return there > 0 ? here / there : 1;
}

/* A ratio of 0 has no logarithm: it counts as a thousandth. */
#define LEAST 1e-3

double bench_mean(const struct bench_run *r, size_t variant, enum bench_value value)
{
  double sum = 0;
  size_t count = 0;
  for (size_t w = 0; w < r->works; w++) {
    double ratio = bench_ratio(r, w, variant, value);
    if (value == BENCH_LINES && ratio <= 0)
      continue;
    sum += value == BENCH_LINES || value == BENCH_UNNECESSARY ? ratio : log(ratio > LEAST ? ratio : LEAST);
    count++;
  }
  if (!count)
    return 0;
  return value == BENCH_LINES || value == BENCH_UNNECESSARY ? sum / (double)count : exp(sum / (double)count);
}

double bench_paper(const struct bench_run *r, size_t variant, enum bench_value value)
{
  static const struct {
    const char *label;
    double value[BENCH_VALUES];
  } told[] = {
    { "baseline", { 1, 1, 1, 1, 0 } },
    { "baseline2x", { 0, 0.832, 0, 0, 0 } }, /* 1.79 times REC's */
    { "hmg", { 0, 0.651, 0, 0, 0 } },        /* 1.40 times REC's */
    { "rec", { 0, 0.465, 0.156, 0.651, 12.9 } },
    { "ideal", { 0, 0.417, 0, 0, 0 } }, /* the baseline's is 2.4 times it */
    { "128B", { 0, 0, 0, 0, 1.8 } },
    { "256B", { 0, 0, 0, 0, 3.4 } },
    { "1KiB", { 0, 0.465, 0.156, 0.651, 12.9 } },
    { "4KiB", { 0, 0, 0, 0, 54.7 } },
  };
  const struct bench_variant *v = &r->bench->variant[variant];
  if (value == BENCH_SPEEDUP)
    return v->paper;
  for (size_t i = 0; i < sizeof told / sizeof *told; i++)
    if (!strcmp(told[i].label, v->label))
      return told[i].value[value];
  return 0;
}
