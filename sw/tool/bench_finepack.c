/* SPDX-License-Identifier: Apache-2.0 */
/* FinePack's five workloads (section 5.4) on one node, and on four whose stores go to their peers in four ways. */
#include "bench_finepack.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct bench_work works[] = {
  { .label = "SSSP", .workload = "sssp", .graph = "uniform:65000,0.0075", .iterations = 4 },
  { .label = "PR", .workload = "pagerank", .graph = "uniform:65000,0.015", .iterations = 4, .eager = true },
  { .label = "ALS", .workload = "als", .graph = "uniform:16384,0.15", .iterations = 2 },
  { .label = "CT", .workload = "ct", .size = 192, .iterations = 2 },
  { .label = "Jacobi", .workload = "banded", .size = 32000, .iterations = 2 },
};

static json_t *to_json(const struct bench_run *r);
static void print(const struct bench_run *r);

/* The paper's GPU has 80 SMs, 6 MB of L2 and 32 GB/s of PCIe 4.0 at some 1.4 GHz, 23 bytes a cycle. Divided by ten that
 * are eight CUs, 512 KiB and 2.3 bytes; links have four at least. Its fabric has no directory: ours has an entry for
 * every line. */
static const struct bench_family family = {
  .config = "finepack4",
  .set = { "cus=8", "l2.banks=8", "link.bytes=4", "directory.entries=131072", "directory.ways=16" },
  .work = works,
  .works = COUNT(works),
  .placement = WEFT_REPLICATED,
  .counters = "total.",
  .json = to_json,
  .print = print,
};

/* Mean speed-ups of the paper: 3.6 without transfer time; FinePack has 77 % of that, which is 1.5 times bulk's and 3.9
 * times plain stores'. */
#define PAPER_INFINITE 3.6
#define PAPER_FINEPACK (0.77 * PAPER_INFINITE)
#define PAPER_BULK (PAPER_FINEPACK / 1.5)
#define PAPER_PLAIN (PAPER_FINEPACK / 3.9)

#define ONE { .label = "one node", .protocol = "baseline", .set = { "nodes=1" }, .paper = 1 }
#define WAY(name, out, mean, ...) \
  { \
    .label = (name), .protocol = "baseline", .egress = (out), .paper = (mean), .set = { __VA_ARGS__ } \
  }

static const struct bench_variant ways[] = {
  ONE,
  WAY("plain", "plain", PAPER_PLAIN, NULL),
  WAY("bulk", "bulk", PAPER_BULK, NULL),
  WAY("infinite", "infinite", PAPER_INFINITE, NULL),
  WAY("finepack", "finepack", PAPER_FINEPACK, NULL),
};
const struct bench bench_finepack = {
  "finepack",
  "FinePack's five workloads: one node; four with plain stores, bulk copies, infinite bandwidth, FinePack",
  &family,
  ways,
  COUNT(ways),
  true
};

static const struct bench_variant sub_headers[] = {
  ONE,
  WAY("2 B", "finepack", 0, "egress.sub_header=2"),
  WAY("3 B", "finepack", 0, "egress.sub_header=3"),
  WAY("4 B", "finepack", 0, "egress.sub_header=4"),
  WAY("5 B", "finepack", PAPER_FINEPACK, "egress.sub_header=5"),
  WAY("6 B", "finepack", 0, "egress.sub_header=6"),
};
const struct bench bench_finepack_subheader = { "finepack-subheader",
                                                "FinePack with sub-headers of 2 to 6 bytes",
                                                &family,
                                                sub_headers,
                                                COUNT(sub_headers),
                                                false };

/* PCIe 4.0, 5.0 and 6.0, and twice that. */
static const struct bench_variant bandwidths[] = {
  ONE,
  WAY("plain 4", "plain", PAPER_PLAIN, NULL),
  WAY("bulk 4", "bulk", PAPER_BULK, NULL),
  WAY("fine 4", "finepack", PAPER_FINEPACK, NULL),
  WAY("plain 8", "plain", 0, "link.bytes=8"),
  WAY("bulk 8", "bulk", 0, "link.bytes=8"),
  WAY("fine 8", "finepack", 0, "link.bytes=8"),
  WAY("plain 16", "plain", 0, "link.bytes=16"),
  WAY("bulk 16", "bulk", 0, "link.bytes=16"),
  WAY("fine 16", "finepack", 0, "link.bytes=16"),
  WAY("infinite", "infinite", PAPER_INFINITE, NULL),
};
const struct bench bench_finepack_link = {
  "finepack-link",   "plain stores, bulk copies and FinePack on links of 4, 8 and 16 bytes a cycle",
  &family,           bandwidths,
  COUNT(bandwidths), false
};

/* ---- JSON -------------------------------------------------------------------------------------------- */

static const char *egress_of(const struct bench_variant *v)
{
  return v->egress ? v->egress : "plain";
}

static json_t *row_json(const struct bench_run *r, size_t w, size_t v)
{
  const struct bench_point *p = bench_point_of(r, w, v);
  struct finepack_bytes b = finepack_bytes_of(p);
  json_t *row = json_pack(
    "{s:s, s:s, s:s, s:s, s:i, s:s, s:I, s:{s:I, s:I, s:I, s:I}, s:I, s:I}", "workload", r->work[w]->label,
    "name", r->work[w]->workload, "variant", r->bench->variant[v].label, "egress", egress_of(p->variant),
    "nodes", (int)bench_member(p, "nodes"), "input", json_string_value(json_object_get(p->result, "input")),
    "cycles", (json_int_t)bench_member(p, "cycles"), "bytes", "link", (json_int_t)b.link, "useful",
    (json_int_t)b.useful, "overhead", (json_int_t)b.overhead, "wasted", (json_int_t)b.wasted, "stores",
    (json_int_t)bench_member(p, "stores"), "pushed", (json_int_t)bench_member(p, "pushed"));
  for (int k = 0; k < FINEPACK_VALUES; k++)
    json_object_set_new(row, finepack_value_names[k],
                        json_real(finepack_has(r, v, (enum finepack_value)k)
                                    ? finepack_value(r, w, v, (enum finepack_value)k)
                                    : 0));
  json_object_set(row, "counters", json_object_get(p->result, "counters"));
  return row;
}

static json_t *means_json(const struct bench_run *r, enum finepack_value value, bool paper)
{
  json_t *object = json_object();
  for (size_t v = 0; v < r->bench->variants; v++) {
    if (!finepack_has(r, v, value) ||
        (paper && (value != FINEPACK_SPEEDUP || !(r->bench->variant[v].paper > 0))))
      continue;
    json_object_set_new(object, r->bench->variant[v].label,
                        json_real(paper ? r->bench->variant[v].paper : finepack_mean(r, v, value)));
  }
  return object;
}

/* What the paper sums up: of the full benchmark alone. */
static json_t *geomean_json(const struct bench_run *r)
{
  if (!r->bench->full)
    return means_json(r, FINEPACK_SPEEDUP, false);
  size_t fine = bench_variant_of(r, "finepack"), plain = bench_variant_of(r, "plain");
  return json_pack(
    "{s:f, s:f, s:f, s:f}", "efficiency_over_plain", finepack_gain(r, fine, plain, FINEPACK_EFFICIENCY),
    "of_infinite", finepack_faster(r, fine, bench_variant_of(r, "infinite")), "over_bulk",
    finepack_faster(r, fine, bench_variant_of(r, "bulk")), "over_plain", finepack_faster(r, fine, plain));
}

static json_t *set_json(const struct bench_run *r)
{
  json_t *list = json_array();
  for (unsigned i = 0; i < BENCH_SETS_MAX && r->bench->family->set[i]; i++)
    json_array_append_new(list, json_string(r->bench->family->set[i]));
  return list;
}

static json_t *to_json(const struct bench_run *r)
{
  json_t *rows = json_array(), *means = json_object(), *papers = json_object();
  for (size_t w = 0; w < r->works; w++)
    for (size_t v = 0; v < r->bench->variants; v++)
      json_array_append_new(rows, row_json(r, w, v));
  for (int k = 0; k < FINEPACK_VALUES; k++) {
    json_object_set_new(means, finepack_value_names[k], means_json(r, (enum finepack_value)k, false));
    json_object_set_new(papers, finepack_value_names[k], means_json(r, (enum finepack_value)k, true));
  }
  if (r->bench->full)
    json_object_set_new(papers, "geomean",
                        json_pack("{s:f, s:f, s:f, s:f}", "efficiency_over_plain", 5.1, "of_infinite", 0.77,
                                  "over_bulk", 1.5, "over_plain", 3.9));
  return json_pack("{s:s, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "bench", r->bench->name, "config",
                   r->bench->family->config, "set", set_json(r), "computed", (json_int_t)r->computed,
                   "cached", (json_int_t)r->cached, "rows", rows, "geomean", geomean_json(r), "means", means,
                   "paper", papers, "reasons", bench_finepack_reasons(r));
}

/* ---- For people -------------------------------------------------------------------------------------- */

static void print_table(const struct bench_run *r, enum finepack_value value, const char *title)
{
  printf("\n%s\n%-9s", title, "");
  for (size_t v = 0; v < r->bench->variants; v++)
    printf(" %10s", r->bench->variant[v].label);
  for (size_t w = 0; w < r->works; w++) {
    printf("\n%-9s", r->work[w]->label);
    for (size_t v = 0; v < r->bench->variants; v++)
      bench_print_number(finepack_value(r, w, v, value), finepack_has(r, v, value));
  }
  printf("\n%-9s", "geomean");
  for (size_t v = 0; v < r->bench->variants; v++)
    bench_print_number(finepack_mean(r, v, value), finepack_has(r, v, value));
  if (value == FINEPACK_SPEEDUP) {
    printf("\n%-9s", "paper");
    for (size_t v = 0; v < r->bench->variants; v++)
      bench_print_number(r->bench->variant[v].paper, r->bench->variant[v].paper > 0);
  }
  putchar('\n');
}

static void print_summary(const struct bench_run *r)
{
  size_t fine = bench_variant_of(r, "finepack"), plain = bench_variant_of(r, "plain");
  printf("\nFinePack, means               ours      paper\n");
  printf("  efficiency over plain  %10.2f %10.2f\n", finepack_gain(r, fine, plain, FINEPACK_EFFICIENCY), 5.1);
  printf("  of infinite bandwidth  %10.2f %10.2f\n",
         finepack_faster(r, fine, bench_variant_of(r, "infinite")), 0.77);
  printf("  times bulk copies      %10.2f %10.2f\n", finepack_faster(r, fine, bench_variant_of(r, "bulk")),
         1.5);
  printf("  times plain stores     %10.2f %10.2f\n", finepack_faster(r, fine, plain), 3.9);
}

static void print(const struct bench_run *r)
{
  printf("%s: %s\n%zu points on model:%s, %zu of them computed now\n", r->bench->name, r->bench->about,
         r->points, r->bench->family->config, r->computed);
  printf("with");
  for (unsigned i = 0; i < BENCH_SETS_MAX && r->bench->family->set[i]; i++)
    printf(" %s", r->bench->family->set[i]);
  putchar('\n');
  print_table(r, FINEPACK_SPEEDUP, "speed-up over one node");
  print_table(r, FINEPACK_EFFICIENCY, "useful bytes of all bytes on the links");
  if (r->bench->full) {
    print_table(r, FINEPACK_USEFUL, "useful bytes (read by the peer), over bulk's bytes on the links");
    print_table(r, FINEPACK_OVERHEAD, "overhead (headers, padding, synchronisation), likewise");
    print_table(r, FINEPACK_WASTED, "wasted bytes (never read, or overwritten first), likewise");
  }
  print_table(r, FINEPACK_STORES, "stores per packet (the paper: 38 to 40)");
  print_table(r, FINEPACK_RUNS, "runs of bytes (sub-transactions) per packet");
  if (r->bench->full)
    print_summary(r);
  bench_print_reasons(bench_finepack_reasons(r));
}
