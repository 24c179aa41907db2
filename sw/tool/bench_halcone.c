/* SPDX-License-Identifier: Apache-2.0 */
/* HALCONE's eleven workloads (its Table 3) on the machines of its section 4.1, and HALCONE on 1 to 16 nodes. */
#include "bench_halcone.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Footprints of the paper in MB, divided by 64: aes 71, atax 64, bfs 574, bicg 64, bs 67, fir 67, fws 32, mm 192, mp 64, rl 67,
 * conv 145. bfs has a third of that, which is still 20 times all L2s; mp writes rows of whole lines. Few are powers of two, so that not all lines of a
 * column meet in one set. */
static const struct bench_work works[] = {
  { .label = "aes", .workload = "aes", .size = 69000 },
  { .label = "atax", .workload = "atax", .size = 496 },
  { .label = "bfs", .workload = "bfs", .graph = "uniform:131000,0.003" },
  { .label = "bicg", .workload = "bicg", .size = 496 },
  { .label = "bs", .workload = "bs", .size = 260000 },
  { .label = "fir", .workload = "fir", .size = 131000 },
  { .label = "fws", .workload = "fws", .size = 248 },
  { .label = "mm", .workload = "matmul", .size = 496 },
  { .label = "mp", .workload = "mp", .size = 225 },
  { .label = "rl", .workload = "rl", .size = 131000 },
  { .label = "conv", .workload = "sc", .size = 528 },
};

#define LEASES(name, ...) \
  { \
    .label = (name), .protocol = "halcone-weak", .set = { __VA_ARGS__ } \
  }
/* Four lines of an entry of HMG lie in one page, as in the paper; so do those of what it is compared with.
 * A memory for every node. The switch has 16 endpoints: of 16 nodes each shares its own with a memory, and reaches a
 * sixteenth of all pages without a link. */
static const struct bench_variant variants[HALCONE_VARIANTS] = {
  [HALCONE_RDMA] = { .label = "rdma",
                     .protocol = "none",
                     .config = "rdma4",
                     .set = { "page=256" },
                     .incoherent = true },
  [HALCONE_HMG] = { .label = "hmg", .protocol = "hmg", .config = "rdma4", .set = { "page=256" } },
  [HALCONE_WB] = { .label = "none-wb", .protocol = "none-wb", .incoherent = true },
  [HALCONE_WT] = { .label = "none-wt", .protocol = "none-wt", .incoherent = true },
  [HALCONE_LEASES] = LEASES("halcone", NULL),
  [HALCONE_RENEW] = { .label = "renewed", .protocol = "halcone-renew" },
  [HALCONE_ONE] = LEASES("1 node", "nodes=2", "memories=1"),
  [HALCONE_TWO] = LEASES("2 nodes", "nodes=4", "memories=2"),
  [HALCONE_EIGHT] = LEASES("8 nodes", "nodes=16", "memories=8"),
  [HALCONE_SIXTEEN] = LEASES("16 nodes", "nodes=16", "memories=0"),
};
static const size_t by_nodes[] = { HALCONE_ONE, HALCONE_TWO, HALCONE_LEASES, HALCONE_EIGHT, HALCONE_SIXTEEN };

static json_t *to_json(const struct bench_run *r);
static void print(const struct bench_run *r);

static const struct bench_family family = {
  HALCONE_MACHINE, .work = works, .works = COUNT(works), .json = to_json, .print = print,
};
const struct bench bench_halcone = {
  "halcone",
  "HALCONE's eleven workloads on RDMA, HMG, shared memory without coherence, HALCONE and HALCONE renewed; 1 to 16 nodes",
  &family,
  variants,
  COUNT(variants),
  true
};

static const char *nodes_label(size_t variant)
{
  return variant == HALCONE_LEASES ? "4 nodes" : variants[variant].label;
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static json_t *row_json(const struct bench_run *r, size_t w, size_t v)
{
  const struct bench_point *p = bench_point_of(r, w, v);
  json_t *row = json_pack(
    "{s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:I, s:b}", "workload", r->work[w]->label, "name",
    r->work[w]->workload, "variant", p->variant->label, "protocol", p->variant->protocol, "config",
    bench_config_of(p), "nodes", (int)bench_member(p, "nodes"), "input",
    json_string_value(json_object_get(p->result, "input")), "cycles", (json_int_t)bench_member(p, "cycles"),
    "verified", json_is_true(json_object_get(p->result, "verified")));
  for (int k = 0; k < HALCONE_VALUES; k++) {
    json_object_set_new(row, halcone_value_names[k],
                        json_real(halcone_value(r, w, v, (enum halcone_value)k)));
    if (k != HALCONE_SPEEDUP) {
      char total[64];
      snprintf(total, sizeof total, "%s_total", halcone_value_names[k]);
      json_object_set_new(row, total, json_integer((json_int_t)halcone_amount(p, (enum halcone_value)k)));
    }
  }
  json_object_set_new(row, "launch_cycles", json_integer((json_int_t)bench_member(p, "launch_cycles")));
  if (v == HALCONE_LEASES || v == HALCONE_RENEW) {
    json_object_set_new(row, "overhead_percent", json_real(halcone_overhead(r, w, v)));
    json_object_set_new(row, "overhead_percent_without_launches",
                        json_real(halcone_overhead_worked(r, w, v)));
  }
  json_object_set(row, "counters", json_object_get(p->result, "counters"));
  return row;
}

static json_t *means_json(const struct bench_run *r, enum halcone_value value, bool paper)
{
  json_t *object = json_object();
  for (size_t v = 0; v < HALCONE_MACHINES; v++)
    if (!paper || halcone_paper(v, value) > 0)
      json_object_set_new(object, variants[v].label,
                          json_real(paper ? halcone_paper(v, value) : halcone_mean(r, v, value)));
  return object;
}

/* In the form of a benchmark of its own: rows, means, the paper's. */
static json_t *scaling_json(const struct bench_run *r)
{
  json_t *rows = json_array(), *means = json_object(), *paper = json_object();
  for (size_t i = 0; i < COUNT(by_nodes); i++) {
    size_t v = by_nodes[i];
    for (size_t w = 0; w < r->works; w++)
      json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:I, s:f}", "workload", r->work[w]->label,
                                            "variant", nodes_label(v), "nodes",
                                            (int)bench_member(bench_point_of(r, w, v), "nodes"), "cycles",
                                            (json_int_t)bench_member(bench_point_of(r, w, v), "cycles"),
                                            "scaling", halcone_scaling(r, w, v)));
    json_object_set_new(means, nodes_label(v), json_real(halcone_scaling_mean(r, v)));
    json_object_set_new(paper, nodes_label(v), json_real(halcone_scaling_paper(v)));
  }
  return json_pack("{s:o, s:{s:o}, s:{s:o}}", "rows", rows, "means", "scaling", means, "paper", "scaling",
                   paper);
}

static json_t *to_json(const struct bench_run *r)
{
  json_t *rows = json_array(), *means = json_object(), *papers = json_object();
  for (size_t w = 0; w < r->works; w++)
    for (size_t v = 0; v < HALCONE_MACHINES; v++)
      json_array_append_new(rows, row_json(r, w, v));
  for (int k = 0; k < HALCONE_VALUES; k++) {
    json_object_set_new(means, halcone_value_names[k], means_json(r, (enum halcone_value)k, false));
    json_object_set_new(papers, halcone_value_names[k], means_json(r, (enum halcone_value)k, true));
  }
  json_object_set_new(
    papers, "geomean",
    json_pack("{s:f, s:o}", "overhead_percent", 1.0, "speedup", means_json(r, HALCONE_SPEEDUP, true)));
  return json_pack("{s:s, s:s, s:I, s:I, s:o, s:{s:f, s:f, s:f, s:f, s:o}, s:o, s:o, s:o, s:o, s:o}", "bench",
                   r->bench->name, "config", r->bench->family->config, "computed", (json_int_t)r->computed,
                   "cached", (json_int_t)r->cached, "rows", rows, "geomean", "overhead_percent",
                   halcone_overhead_mean(r, HALCONE_LEASES), "overhead_percent_renewed",
                   halcone_overhead_mean(r, HALCONE_RENEW), "overhead_percent_without_launches",
                   halcone_overhead_worked_mean(r, HALCONE_LEASES),
                   "overhead_percent_renewed_without_launches",
                   halcone_overhead_worked_mean(r, HALCONE_RENEW), "speedup",
                   means_json(r, HALCONE_SPEEDUP, false), "means", means, "paper", papers, "scaling",
                   scaling_json(r), "traffic", halcone_traffic(r), "reasons", halcone_reasons(r));
}

/* ---- For people -------------------------------------------------------------------------------------- */

static void print_table(const struct bench_run *r, enum halcone_value value, const char *title)
{
  printf("\n%s\n%-9s", title, "");
  for (size_t v = 0; v < HALCONE_MACHINES; v++)
    printf(" %10s", variants[v].label);
  for (size_t w = 0; w < r->works; w++) {
    printf("\n%-9s", r->work[w]->label);
    for (size_t v = 0; v < HALCONE_MACHINES; v++)
      bench_print_number(halcone_value(r, w, v, value), true);
  }
  printf("\n%-9s", "geomean");
  for (size_t v = 0; v < HALCONE_MACHINES; v++)
    bench_print_number(halcone_mean(r, v, value), true);
  printf("\n%-9s", "paper");
  for (size_t v = 0; v < HALCONE_MACHINES; v++)
    bench_print_number(halcone_paper(v, value), halcone_paper(v, value) > 0);
  putchar('\n');
}

static void print_scaling(const struct bench_run *r)
{
  printf("\nHALCONE on so many nodes: speed-up over one\n%-9s", "");
  for (size_t i = 0; i < COUNT(by_nodes); i++)
    printf(" %10s", nodes_label(by_nodes[i]));
  for (size_t w = 0; w < r->works; w++) {
    printf("\n%-9s", r->work[w]->label);
    for (size_t i = 0; i < COUNT(by_nodes); i++)
      bench_print_number(halcone_scaling(r, w, by_nodes[i]), true);
  }
  printf("\n%-9s", "geomean");
  for (size_t i = 0; i < COUNT(by_nodes); i++)
    bench_print_number(halcone_scaling_mean(r, by_nodes[i]), true);
  printf("\n%-9s", "paper");
  for (size_t i = 0; i < COUNT(by_nodes); i++)
    bench_print_number(halcone_scaling_paper(by_nodes[i]), true);
  putchar('\n');
}

static void print(const struct bench_run *r)
{
  printf("%s: %s\n%zu points on model:%s and model:rdma4, %zu of them computed now\n", r->bench->name,
         r->bench->about, r->points, r->bench->family->config, r->computed);
  print_table(r, HALCONE_SPEEDUP, "speed-up over RDMA without coherence");
  print_table(r, HALCONE_L2_MEMORY, "L2 to memory transactions, over write-through without coherence");
  print_table(r, HALCONE_L1_L2, "L1 to L2 transactions, over write-through without coherence");
  print_scaling(r);
  printf(
    "\nHALCONE over write-through without coherence: %+.2f %% of its cycles, the paper's +1 %%; with leases that are renewed %+.2f %%\n"
    "without the cycles of launches: %+.2f %%, renewed %+.2f %%\n",
    halcone_overhead_mean(r, HALCONE_LEASES), halcone_overhead_mean(r, HALCONE_RENEW),
    halcone_overhead_worked_mean(r, HALCONE_LEASES), halcone_overhead_worked_mean(r, HALCONE_RENEW));
  for (size_t w = 0; w < r->works; w++)
    printf("  %-7s %+7.2f %%  %+7.2f %%  without launches %+7.2f %%  %+7.2f %%\n", r->work[w]->label,
           halcone_overhead(r, w, HALCONE_LEASES), halcone_overhead(r, w, HALCONE_RENEW),
           halcone_overhead_worked(r, w, HALCONE_LEASES), halcone_overhead_worked(r, w, HALCONE_RENEW));
  bench_print_reasons(halcone_reasons(r));
}
