/* SPDX-License-Identifier: Apache-2.0 */
/* HALCONE's Xtreme programs (sections 4.3.2, 5.3 and 5.4) over sizes of their vectors: leases against write-through without
 * coherence on the same machine, and pairs of leases. */
#include <string.h>

#include "bench_halcone.h"
#include "bench_xtreme.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

#define WORK(program, kib) { .label = #program "-" #kib "K", .workload = #program, .size = (kib) * 256 }
/* The paper's vectors of 192 KB to 96 MB, divided by 64 as caches are; and one more that fits the L2s and not the L1s. */
#define SIZES(program) \
  WORK(program, 3), WORK(program, 6), WORK(program, 12), WORK(program, 24), WORK(program, 36), \
    WORK(program, 48), WORK(program, 96), WORK(program, 192), WORK(program, 384), WORK(program, 768), \
    WORK(program, 1536)
static const struct bench_work works[] = { SIZES(xtreme1), SIZES(xtreme2), SIZES(xtreme3) };

#define PAIR(rd, wr) \
  { \
    .label = #rd "/" #wr, .protocol = "halcone-weak", .set = { "lease.read=" #rd, "lease.write=" #wr } \
  }
static const struct bench_variant variants[] = {
  [XTREME_WITHOUT] = { .label = "none-wt", .protocol = "none-wt", .incoherent = true },
  [XTREME_HALCONE] = PAIR(10, 5),
  [XTREME_RENEW] = { .label = "renewed",
                     .protocol = "halcone-renew",
                     .set = { "lease.read=10", "lease.write=5" } },
  [XTREME_PAIRS] = PAIR(2, 10),
  PAIR(10, 2),
  PAIR(5, 10),
  PAIR(20, 10),
  PAIR(10, 20),
};
static const struct xtreme_pair pairs[] = { { 0, 0 },  { 10, 5 }, { 10, 5 },  { 2, 10 },
                                            { 10, 2 }, { 5, 10 }, { 20, 10 }, { 10, 20 } };
_Static_assert(COUNT(pairs) == COUNT(variants), "a pair for every variant");

struct xtreme_pair xtreme_pair_of(size_t variant)
{
  return pairs[variant];
}

static json_t *to_json(const struct bench_run *r);
static void print(const struct bench_run *r);

static const struct bench_family family = {
  HALCONE_MACHINE, .work = works, .works = COUNT(works), .json = to_json, .print = print,
};
const struct bench bench_xtreme = {
  "xtreme",
  "HALCONE's Xtreme programs: leases against write-through without coherence, and pairs of leases",
  &family,
  variants,
  COUNT(variants),
  true
};

/* ---- JSON -------------------------------------------------------------------------------------------- */

static json_t *row_json(const struct bench_run *r, size_t w, size_t v)
{
  const struct bench_point *p = bench_point_of(r, w, v), *without = bench_point_of(r, w, XTREME_WITHOUT);
  const struct bench_work *work = r->work[w];
  json_t *row = json_pack(
    "{s:s, s:s, s:I, s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:I, s:f, s:f, s:b}", "workload", work->workload,
    "variant", p->variant->label, "vector_bytes", (json_int_t)xtreme_bytes(work), "fits",
    xtreme_fits(p, r->arguments), "input", json_string_value(json_object_get(p->result, "input")),
    "lease_read", (int)xtreme_pair_of(v).read, "lease_write", (int)xtreme_pair_of(v).write, "cycles",
    (json_int_t)bench_member(p, "cycles"), "cycles_without", (json_int_t)bench_member(without, "cycles"),
    "launches", (json_int_t)bench_member(p, "launches"), "launch_cycles",
    (json_int_t)bench_member(p, "launch_cycles"), "slowdown_percent", xtreme_slowdown(r, w, v),
    "slowdown_percent_without_launches", xtreme_slowdown_worked(r, w, v), "verified",
    json_is_true(json_object_get(p->result, "verified")));
  if (v == XTREME_HALCONE) {
    bool worst = xtreme_worst(r, work->workload) == w;
    json_object_set_new(row, "paper",
                        worst ? json_pack("{s:f}", "worst_slowdown_percent", xtreme_paper(work->workload))
                              : json_object());
    json_object_set(row, "counters", json_object_get(p->result, "counters"));
    json_object_set(row, "counters_without", json_object_get(without->result, "counters"));
  } else {
    double first = bench_member(bench_point_of(r, w, XTREME_HALCONE), "cycles");
    json_object_set_new(row, "over_first_pair_percent",
                        json_real(100 * (bench_member(p, "cycles") / first - 1)));
  }
  return row;
}

static json_t *worst_json(const struct bench_run *r)
{
  json_t *object = json_object();
  for (size_t w = 0; w < r->works; w++)
    if (xtreme_worst(r, r->work[w]->workload) == w)
      json_object_set_new(object, r->work[w]->workload, json_real(xtreme_slowdown(r, w, XTREME_HALCONE)));
  return object;
}

static json_t *to_json(const struct bench_run *r)
{
  json_t *rows = json_array(), *renewed = json_array(), *lease_rows = json_array();
  for (size_t w = 0; w < r->works; w++) {
    json_array_append_new(rows, row_json(r, w, XTREME_HALCONE));
    json_array_append_new(renewed, row_json(r, w, XTREME_RENEW));
    for (size_t v = XTREME_HALCONE; v < r->bench->variants; v++)
      if (v != XTREME_RENEW)
        json_array_append_new(lease_rows, row_json(r, w, v));
  }
  return json_pack(
    "{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:{s:{s:f, s:f, s:f}, s:f}, s:o}", "bench",
    r->bench->name, "config", r->bench->family->config, "computed", (json_int_t)r->computed, "cached",
    (json_int_t)r->cached, "rows", rows, "renewed_rows", renewed, "lease_rows", lease_rows, "worst",
    worst_json(r), "worst_percent", xtreme_largest(r, XTREME_HALCONE), "worst_percent_renewed",
    xtreme_largest(r, XTREME_RENEW), "worst_percent_without_launches",
    xtreme_largest_worked(r, XTREME_HALCONE), "worst_percent_renewed_without_launches",
    xtreme_largest_worked(r, XTREME_RENEW), "paper", "worst", "xtreme1", xtreme_paper("xtreme1"), "xtreme2",
    xtreme_paper("xtreme2"), "xtreme3", xtreme_paper("xtreme3"), "pairs_worst", 3.0, "reasons",
    xtreme_reasons(r));
}

/* ---- For people -------------------------------------------------------------------------------------- */

static void print_sizes(const struct bench_run *r)
{
  printf(
    "\nleases of 10 and 5 against write-through without coherence\n%-9s %9s %7s %11s %11s %9s %9s %10s %10s %10s\n",
    "", "KiB", "fits", "without", "HALCONE", "launches", "slower %", "not them %", "L1 leases", "L2 leases");
  for (size_t w = 0; w < r->works; w++) {
    const struct bench_point *p = bench_point_of(r, w, XTREME_HALCONE);
    printf("%-9s %9llu %7s %11.0f %11.0f %9.0f %9.1f %10.1f %10.0f %10.0f\n", r->work[w]->workload,
           (unsigned long long)xtreme_bytes(r->work[w]) / 1024, xtreme_fits(p, r->arguments),
           bench_member(bench_point_of(r, w, XTREME_WITHOUT), "cycles"), bench_member(p, "cycles"),
           bench_member(p, "launch_cycles"), xtreme_slowdown(r, w, XTREME_HALCONE),
           xtreme_slowdown_worked(r, w, XTREME_HALCONE), bench_counter(p, "l1.lease_misses"),
           bench_counter(p, "l2.lease_misses"));
    if (w + 1 == r->works || strcmp(r->work[w]->workload, r->work[w + 1]->workload) != 0)
      printf("%-9s worst %.1f %%, the paper's %.1f %%\n", "",
             xtreme_slowdown(r, xtreme_worst(r, r->work[w]->workload), XTREME_HALCONE),
             xtreme_paper(r->work[w]->workload));
  }
  printf("launches: their cycles, in both; not them %%: slower without these\n");
}

static void print_pairs(const struct bench_run *r)
{
  printf("\npairs of leases, read / write: slower than without coherence, in percent\n%-14s", "");
  for (size_t v = XTREME_HALCONE; v < r->bench->variants; v++)
    printf(" %8s", r->bench->variant[v].label);
  for (size_t w = 0; w < r->works; w++) {
    printf("\n%-14s", r->work[w]->label);
    for (size_t v = XTREME_HALCONE; v < r->bench->variants; v++)
      printf(" %8.1f", xtreme_slowdown(r, w, v));
  }
  putchar('\n');
}

static void print(const struct bench_run *r)
{
  printf("%s: %s\n%zu points on model:%s, %zu of them computed now\n", r->bench->name, r->bench->about,
         r->points, r->bench->family->config, r->computed);
  print_sizes(r);
  print_pairs(r);
  bench_print_reasons(xtreme_reasons(r));
}
