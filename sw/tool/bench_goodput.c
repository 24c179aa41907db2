/* SPDX-License-Identifier: Apache-2.0 */
/* Payload per byte on the link, beside the closed form: one stream of stores of one size, plain and in FinePack's packets. */
#include <math.h>
#include <string.h>

#include "bench.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define BLOCK 128u
#define ENTRIES 64u
#define PAYLOAD 4096u
#define HEADERS 24u /* token, header of four words, CRC */
#define PREFIX 4u
#define PACKETS 32u /* of the shorter run */

static const struct bench_work works[] = {
  { .label = "4", .workload = "goodput", .store = 4 },
  { .label = "8", .workload = "goodput", .store = 8 },
  { .label = "16", .workload = "goodput", .store = 16 },
  { .label = "32", .workload = "goodput", .store = 32 },
  { .label = "64", .workload = "goodput", .store = 64 },
  { .label = "128", .workload = "goodput", .store = 128 },
  { .label = "dense", .workload = "goodput", .store = 4, .stride = 4 },
};

static const struct bench_variant variants[] = {
  { .label = "plain", .protocol = "baseline" },
#define FINE(bytes) \
  { .label = #bytes " B", \
    .protocol = "baseline", \
    .egress = "finepack", \
    .set = { "egress.sub_header=" #bytes }, \
    .sub_header = (bytes) }
  FINE(2),
  FINE(3),
  FINE(4),
  FINE(5),
  FINE(6),
#define WITH_PREFIX(bytes) \
  { .label = #bytes " B prefix", \
    .protocol = "baseline", \
    .egress = "finepack", \
    .set = { "egress.sub_header=" #bytes, "egress.prefix=1" }, \
    .sub_header = (bytes), \
    .prefix = true }
  WITH_PREFIX(3),
  WITH_PREFIX(4),
  WITH_PREFIX(5),
  WITH_PREFIX(6),
};

static uint64_t steady(const struct bench_point *p);
static json_t *to_json(const struct bench_run *r);
static void print(const struct bench_run *r);

static const struct bench_family family = {
  .config = "finepack4",
  .work = works,
  .works = COUNT(works),
  .placement = WEFT_REPLICATED, /* of nothing: the stream has its own window */
  .any_backend = true,
  .counters = "node0.",
  .steady = steady,
  .json = to_json,
  .print = print,
};
const struct bench bench_goodput = {
  "goodput",       "payload of all bytes on the link, for stores of 4 to 128 bytes, plain and FinePack",
  &family,         variants,
  COUNT(variants), true
};

/* ---- The closed form ----------------------------------------------------------------------------------- */

static bool dense(const struct bench_work *work)
{
  return work->stride;
}

static unsigned stores_per_packet(unsigned sub_header, unsigned store)
{
  unsigned n = PAYLOAD / (sub_header + store);
  return n < ENTRIES ? n : ENTRIES;
}

static double plain_form(double store, double headers)
{
  return store / (store + headers);
}

/* A dense stream fills packets to the last byte, and each end cuts one block in two. */
static double dense_form(unsigned sub_header, unsigned headers)
{
  double bytes = (double)(PAYLOAD - sub_header) / (1 + (double)sub_header / BLOCK);
  return bytes / (PAYLOAD + headers);
}

/* A window of sub-headers of two bytes has 64: one store of our streams, or 16 dense ones, for which a plain write is
 * shorter than a packet. */
static double closed_form(const struct bench_work *work, const struct bench_variant *v)
{
  unsigned s = (unsigned)work->store, b = v->sub_header, headers = HEADERS + (v->prefix ? PREFIX : 0);
  if (!b)
    return plain_form(s, HEADERS);
  if (b == 2)
    return plain_form(dense(work) ? 64 : s, HEADERS);
  if (dense(work))
    return dense_form(b, headers);
  unsigned n = stores_per_packet(b, s), words = (n * (b + s) + 3) / 4;
  return (double)(n * s) / (headers + 4 * words);
}

/* As many as make whole packets, so that the two runs end alike. */
static uint64_t steady(const struct bench_point *p)
{
  if (dense(p->work))
    return 8 * PAYLOAD; /* stores: some 32 packets, in which the one cut at the end is lost */
  unsigned b = p->variant->sub_header;
  return PACKETS * (uint64_t)(b > 2 ? stores_per_packet(b, (unsigned)p->work->store) : ENTRIES);
}

/* ---- What was measured --------------------------------------------------------------------------------- */

static double payload(const struct bench_point *p)
{
  return 2 * (double)steady(p) * (double)p->work->store; /* of the longer run, less the shorter */
}

static double measured(const struct bench_point *p)
{
  return payload(p) / bench_link_bytes(p);
}

/* Is it the stream of the table, in packets of a type of their own? */
static bool is_row(const struct bench_point *p)
{
  return !dense(p->work) && !p->variant->prefix;
}

static json_t *row_json(const struct bench_point *p, const char *what)
{
  unsigned b = p->variant->sub_header;
  json_t *row = json_pack("{s:I, s:o, s:f, s:f}", "store_bytes", (json_int_t)p->work->store, "sub_header",
                          b ? json_integer(b) : json_null(), "measured", measured(p), "closed_form",
                          closed_form(p->work, p->variant));
  if (what)
    json_object_set_new(row, "stream", json_string(what));
  return row;
}

/* Headers of three words, of which the link has none: what the same messages would take with them. */
static json_t *short_json(const struct bench_point *p)
{
  double messages = bench_counter(p, "link.messages_request");
  double store = (double)p->work->store;
  return json_pack("{s:I, s:n, s:f, s:f, s:s}", "store_bytes", (json_int_t)p->work->store, "sub_header",
                   "measured", payload(p) / (bench_link_bytes(p) - 4 * messages), "closed_form",
                   plain_form(store, HEADERS - 4), "stream", "plain, headers of three words (computed)");
}

static json_t *to_json(const struct bench_run *r)
{
  json_t *rows = json_array(), *more = json_array();
  for (size_t w = 0; w < r->works; w++)
    for (size_t v = 0; v < r->bench->variants; v++) {
      const struct bench_point *p = bench_point_of(r, w, v);
      if (is_row(p))
        json_array_append_new(rows, row_json(p, NULL));
      else
        json_array_append_new(more, row_json(p, dense(p->work)
                                                  ? p->variant->prefix ? "dense, vendor prefix" : "dense"
                                                  : "vendor prefix"));
      if (is_row(p) && !p->variant->sub_header)
        json_array_append_new(more, short_json(p));
    }
  return json_pack(
    "{s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:[]}", "bench", r->bench->name, "config", r->bench->family->config,
    "backend", r->arguments->backend ? r->arguments->backend : "model:finepack4", "computed",
    (json_int_t)r->computed, "cached", (json_int_t)r->cached, "rows", rows, "more", more, "reasons");
}

static void print(const struct bench_run *r)
{
  double worst = 0;
  printf("%s: %s\nmeasured by node 0's counters on %s, closed form below each\n\n%-9s", r->bench->name,
         r->bench->about, r->arguments->backend ? r->arguments->backend : "model:finepack4", "bytes");
  for (size_t v = 0; v < r->bench->variants; v++)
    printf(" %10s", r->bench->variant[v].label);
  for (size_t w = 0; w < r->works; w++) {
    printf("\n%-9s", r->work[w]->label);
    for (size_t v = 0; v < r->bench->variants; v++)
      printf(" %10.4f", measured(bench_point_of(r, w, v)));
    printf("\n%-9s", "");
    for (size_t v = 0; v < r->bench->variants; v++) {
      double form = closed_form(r->work[w], &r->bench->variant[v]);
      double off = fabs(measured(bench_point_of(r, w, v)) / form - 1);
      worst = is_row(bench_point_of(r, w, v)) && off > worst ? off : worst;
      printf(" %10.4f", form);
    }
  }
  printf("\n\nlargest difference, the dense stream and the prefix apart: %.3f %%\n", 100 * worst);
}
