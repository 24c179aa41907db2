/* SPDX-License-Identifier: Apache-2.0 */
/* What leases cost on the links, exchange by exchange: one warp's reads, writes and atomics of lines that nobody holds, on the
 * same caches with and without times. Beside it the paper's count (section 3.5), and what our corrections add to that. */
#include <inttypes.h>
#include <string.h>

#include "bench.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define CONFIG "halcone4"
#define EXCHANGES 512U /* lines: fewer than times of 16 bits have room for */
#define PAPER_STAMPS 4.0

enum exchange { READ, WRITE, PART, ATOMIC, EXCHANGES_OF };

/* The paper counts line 64, address 8, metadata 4, acknowledgement 4, and says nothing of the other two. */
static const struct {
  const char *name, *about;
  double paper;
} exchanges[EXCHANGES_OF] = {
  [READ] = { "read", "a line", 80 },
  [WRITE] = { "write", "a whole line", 76 },
  [PART] = { "write-part", "8 bytes of a line", 0 },
  [ATOMIC] = { "atomic", "4 bytes", 0 },
};

/* The first is what the others are compared with. */
static const char *const protocols[] = { "none-wt", "halcone-weak", "halcone-causal", "halcone-renew" };

struct stamps_bench {
  double bytes[EXCHANGES_OF][COUNT(protocols)]; /* of one exchange, on all links */
  double stamps[EXCHANGES_OF][COUNT(protocols)];
};

static const struct bench_family family = { .run = bench_stamps_run };
const struct bench bench_stamps = {
  "stamps", "bytes of a read and of a write on the links, with leases and without", &family, NULL, 0, false
};

/* ---- Measuring --------------------------------------------------------------------------------------- */

struct stream {
  enum exchange kind;
  uint64_t lines, line;
  weft_address at;
};

static void kernel(struct weft_warp *t, void *arg)
{
  const struct stream *s = arg;
  uint8_t bytes[256] = { 1 };
  if (weft_where(t)->index)
    return;
  weft_store(t, s->at + s->lines * s->line, bytes, s->line, WEFT_WEAK,
             WEFT_SYS); /* a clock at 0 is not sent */
  weft_fence(t, WEFT_RELEASE, WEFT_SYS);
  for (uint64_t i = 0; i < s->lines; i++) {
    weft_address line = s->at + i * s->line;
    if (s->kind == READ)
      weft_load(t, line, bytes, s->line, WEFT_WEAK, WEFT_SYS);
    else if (s->kind == ATOMIC)
      weft_rmw(t, WEFT_ADD, line, 4, 1, 0, WEFT_RELAXED, WEFT_SYS);
    else
      weft_store(t, line, bytes, s->kind == WRITE ? s->line : 8, WEFT_WEAK, WEFT_SYS);
  }
  weft_wait_all(t);
}

static int counted(struct weft *w, double *bytes, double *stamps)
{
  static const char *const of_links[] = { "total.link.bytes_request", "total.link.bytes_forward",
                                          "total.link.bytes_response" };
  uint64_t value = 0;
  *bytes = 0;
  for (size_t i = 0; i < COUNT(of_links); i++) {
    int code = weft_counter_get(w, of_links[i], &value);
    if (code)
      return code;
    *bytes += (double)value;
  }
  int code = weft_counter_get(w, "total.l2.stamp_bytes", &value);
  *stamps = (double)value;
  return code;
}

/* Of two runs the difference, so that a kernel's beginning and end count for nothing. */
static int measure(struct weft *w, enum exchange kind, double *bytes, double *stamps)
{
  struct weft_machine m;
  double shorter = 0, fewer = 0;
  struct stream s = { .kind = kind };
  int code = weft_describe(w, &m);
  s.line = m.line;
  for (uint64_t part = 1; part <= 2 && !code; part++) {
    s.lines = part * EXCHANGES;
    code = weft_clear(w);
    if (!code)
      code = weft_alloc(w, (s.lines + 1) * s.line, WEFT_INTERLEAVED, &s.at);
    if (!code)
      code = weft_launch(w, kernel, &s);
    if (!code && part == 1)
      code = counted(w, &shorter, &fewer);
  }
  if (!code)
    code = counted(w, bytes, stamps);
  *bytes = (*bytes - shorter) / EXCHANGES;
  *stamps = (*stamps - fewer) / EXCHANGES;
  return code;
}

static int measure_all(const struct arguments *a, struct stamps_bench *b)
{
  for (size_t p = 0; p < COUNT(protocols); p++) {
    struct weft_options options = { .protocol = protocols[p], .set = a->set, .seed = a->seed };
    struct weft *w = weft_new();
    if (!w)
      return complain(EXIT_LACKS, "out of memory");
    int code = weft_open(w, "model:" CONFIG, &options);
    for (int e = 0; e < EXCHANGES_OF && !code; e++)
      code = measure(w, (enum exchange)e, &b->bytes[e][p], &b->stamps[e][p]);
    int failed = code ? complain_library(w, code) : -1;
    weft_free(w);
    if (failed >= 0)
      return failed;
  }
  return -1;
}

/* ---- Telling ----------------------------------------------------------------------------------------- */

static double extra(const struct stamps_bench *b, int exchange, size_t protocol)
{
  return b->bytes[exchange][protocol] - b->bytes[exchange][0];
}

/* What our corrections add to the paper's stamps: the time of a causal request, and of a write that is not of a whole line
 * when the line had been written before. */
static double corrections(const struct stamps_bench *b, int exchange, size_t protocol)
{
  return protocol ? b->stamps[exchange][protocol] - PAPER_STAMPS : 0;
}

static json_t *row_json(const struct stamps_bench *b, int e, size_t p)
{
  json_t *row =
    json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "exchange", exchanges[e].name, "of",
              exchanges[e].about, "protocol", protocols[p], "bytes", b->bytes[e][p], "extra_bytes",
              extra(b, e, p), "extra_percent", bench_percent(extra(b, e, p), b->bytes[e][0]), "stamp_bytes",
              b->stamps[e][p], "correction_bytes", corrections(b, e, p));
  if (p && exchanges[e].paper > 0)
    json_object_update_new(row, json_pack("{s:f, s:f}", "paper_count_percent",
                                          bench_percent(b->stamps[e][p], exchanges[e].paper), "paper",
                                          bench_percent(PAPER_STAMPS, exchanges[e].paper)));
  return row;
}

static json_t *to_json(const struct arguments *a, const struct stamps_bench *b)
{
  json_t *rows = json_array();
  for (int e = 0; e < EXCHANGES_OF; e++)
    for (size_t p = 0; p < COUNT(protocols); p++)
      json_array_append_new(rows, row_json(b, e, p));
  return json_pack("{s:s, s:s, s:o, s:o}", "bench", "stamps", "config", CONFIG, "rows", rows, "provenance",
                   json_provenance(a, ""));
}

static void print(const struct stamps_bench *b)
{
  printf(
    "stamps: bytes of an exchange on the links of %s, of lines that no cache has\n"
    "extra: over none-wt, the same caches without times, whose writes are answered by acknowledgements of 24 bytes\n"
    "stamps: bytes of times; beyond: those that the paper's 4 do not have, in whole words as all on a link\n"
    "paper's count: stamps over its exchange of 80 bytes (read) and 76 (write)\n\n"
    "%-11s %-15s %8s %14s %7s %7s %17s\n",
    CONFIG, "exchange", "protocol", "bytes", "extra", "stamps", "beyond", "paper's count");
  for (int e = 0; e < EXCHANGES_OF; e++)
    for (size_t p = 0; p < COUNT(protocols); p++) {
      printf("%-11s %-15s %8.2f", p ? "" : exchanges[e].name, protocols[p], b->bytes[e][p]);
      if (p)
        printf(" %5.2f %6.2f %% %7.2f %7.2f", extra(b, e, p), bench_percent(extra(b, e, p), b->bytes[e][0]),
               b->stamps[e][p], corrections(b, e, p));
      if (p && exchanges[e].paper > 0)
        printf("   %5.2f %% (%.2f)", bench_percent(b->stamps[e][p], exchanges[e].paper),
               bench_percent(PAPER_STAMPS, exchanges[e].paper));
      printf("\n");
    }
}

int bench_stamps_run(const struct arguments *a, struct output *out)
{
  struct stamps_bench b;
  if (a->only)
    return complain(EXIT_USE, "bench stamps has no workloads to choose from; leave --only out");
  int code = measure_all(a, &b);
  if (code < 0)
    code = output_result(out, to_json(a, &b), a->json);
  if (code >= 0)
    return code;
  print(&b);
  return print_done();
}
