/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench.h"

/* ---- JSON -------------------------------------------------------------------------------------------- */

static json_t *values_json(const struct bench_run *r, size_t w, size_t v)
{
  const struct bench_point *p = bench_point_of(r, w, v);
  json_t *object =
    json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "workload", r->work[w]->label, "name",
              r->work[w]->workload, "variant", r->bench->variant[v].label, "protocol",
              r->bench->variant[v].protocol, "input", json_string_value(json_object_get(p->result, "input")),
              "cycles", (json_int_t)bench_amount(p, BENCH_SPEEDUP), "l2_misses_without_cold",
              (json_int_t)bench_amount(p, BENCH_MISSES), "transactions_total",
              (json_int_t)bench_amount(p, BENCH_TRANSACTIONS));
  for (int k = 0; k < BENCH_VALUES; k++)
    json_object_set_new(object, bench_value_names[k], json_real(bench_ratio(r, w, v, (enum bench_value)k)));
  json_object_set_new(object, "paper",
                      r->work[w]->paper_lines > 0 && !strcmp(r->bench->variant[v].label, "rec")
                        ? json_pack("{s:f}", "lines_per_entry", r->work[w]->paper_lines)
                        : json_object());
  json_object_set(object, "counters", json_object_get(p->result, "counters"));
  return object;
}

/* The means of one value, by variant; or what the paper tells of it. */
static json_t *means_json(const struct bench_run *r, enum bench_value value, bool paper)
{
  json_t *object = json_object();
  for (size_t v = 0; v < r->bench->variants; v++) {
    double mean = paper ? bench_paper(r, v, value) : bench_mean(r, v, value);
    if ((paper && mean <= 0) || r->bench->variant[v].reference == v)
      continue;
    json_object_set_new(object, r->bench->variant[v].label, json_real(mean));
  }
  return object;
}

json_t *bench_rec_json(const struct bench_run *r)
{
  json_t *rows = json_array(), *means = json_object(), *papers = json_object();
  for (size_t w = 0; w < r->works; w++)
    for (size_t v = 0; v < r->bench->variants; v++)
      json_array_append_new(rows, values_json(r, w, v));
  for (int k = 0; k < BENCH_VALUES; k++) {
    json_object_set_new(means, bench_value_names[k], means_json(r, (enum bench_value)k, false));
    json_object_set_new(papers, bench_value_names[k], means_json(r, (enum bench_value)k, true));
  }
  return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "bench", r->bench->name, "config",
                   r->bench->family->config, "computed", (json_int_t)r->computed, "cached",
                   (json_int_t)r->cached, "rows", rows, "geomean", means_json(r, BENCH_SPEEDUP, false),
                   "means", means, "paper", papers, "reasons", bench_reasons(r));
}

/* ---- For people -------------------------------------------------------------------------------------- */

void bench_print_number(double value, bool there)
{
  if (there)
    printf(" %10.3f", value);
  else
    printf(" %10s", "-");
}

static void print_table(const struct bench_run *r, enum bench_value value, const char *title)
{
  printf("\n%s\n%-9s", title, "");
  for (size_t v = 0; v < r->bench->variants; v++)
    printf(" %10s", r->bench->variant[v].label);
  for (size_t w = 0; w < r->works; w++) {
    printf("\n%-9s", r->work[w]->label);
    for (size_t v = 0; v < r->bench->variants; v++) {
      double ratio = bench_ratio(r, w, v, value);
      bench_print_number(ratio, value != BENCH_LINES || ratio > 0);
    }
    if (value == BENCH_LINES && r->work[w]->paper_lines > 0)
      printf("   (paper: %.1f)", r->work[w]->paper_lines);
  }
  printf("\n%-9s", value == BENCH_LINES || value == BENCH_UNNECESSARY ? "mean" : "geomean");
  for (size_t v = 0; v < r->bench->variants; v++) {
    double mean = bench_mean(r, v, value);
    bench_print_number(mean, value != BENCH_LINES || mean > 0);
  }
  printf("\n%-9s", "paper");
  for (size_t v = 0; v < r->bench->variants; v++)
    bench_print_number(bench_paper(r, v, value), bench_paper(r, v, value) > 0);
  putchar('\n');
}

void bench_print_reasons(json_t *reasons)
{
  if (json_array_size(reasons))
    puts("\nwhere these numbers come from");
  for (size_t i = 0; i < json_array_size(reasons); i++)
    printf("- %s\n", json_string_value(json_array_get(reasons, i)));
  json_decref(reasons);
}

void bench_rec_print(const struct bench_run *r)
{
  printf("%s: %s\n%zu points on model:%s, %zu of them computed now\n", r->bench->name, r->bench->about,
         r->points, r->bench->family->config, r->computed);
  print_table(r, BENCH_SPEEDUP, "speed-up");
  if (r->bench->full) {
    print_table(r, BENCH_MISSES, "L2 misses of remote lines without cold ones, over the baseline's");
    print_table(r, BENCH_UNNECESSARY,
                "unnecessary invalidations (by evictions, of live copies), over the baseline's");
    print_table(r, BENCH_TRANSACTIONS, "inter-GPU transactions (messages on the links), over the baseline's");
  }
  print_table(r, BENCH_LINES, "lines per entry at eviction");
  bench_print_reasons(bench_reasons(r));
}
