/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bench_finepack.h"

const char *const finepack_value_names[FINEPACK_VALUES] = {
  "speedup",    "link_bytes",        "useful",         "overhead", "wasted",
  "efficiency", "stores_per_packet", "runs_per_packet"
};

static bool is(const struct bench_variant *v, const char *egress)
{
  return !strcmp(v->egress ? v->egress : "plain", egress);
}

/* Bytes of stores that crossed the links: all that were pushed, less what the write queue merged. */
static double payload_of(const struct bench_point *p)
{
  return is(p->variant, "finepack") ? bench_counter(p, "egress.bytes") - bench_counter(p, "egress.merged")
                                    : bench_member(p, "pushed");
}

struct finepack_bytes finepack_bytes_of(const struct bench_point *p)
{
  struct finepack_bytes b = { .link = bench_link_bytes(p) };
  if (is(p->variant, "infinite")) {
    b.overhead = b.link; /* barriers alone */
    return b;
  }
  double payload = payload_of(p);
  b.useful = bench_member(p, "useful");
  b.overhead = b.link - payload;
  b.wasted = payload - b.useful;
  return b;
}

bool finepack_has(const struct bench_run *r, size_t variant, enum finepack_value value)
{
  const struct bench_variant *v = &r->bench->variant[variant];
  bool links = bench_member(bench_point_of(r, 0, variant), "nodes") > 1;
  return value == FINEPACK_SPEEDUP || (links && !is(v, "infinite"));
}

/* Plain stores and bulk's lines are packets of their own. */
static double per_packet(const struct bench_point *p, bool runs)
{
  if (!is(p->variant, "finepack"))
    return 1;
  double plain = bench_counter(p, "egress.plain"), packets = bench_counter(p, "egress.packets") + plain;
  double parts = runs ? bench_counter(p, "egress.subs") + plain : bench_counter(p, "egress.stores");
  return packets > 0 ? parts / packets : 0;
}

/* Bytes are shown as the paper shows them, over those of the bulk copy at the same machine: the last one before. */
static double of_bulk(const struct bench_run *r, size_t work, size_t variant, double bytes)
{
  size_t bulk = bench_variant_of(r, "bulk");
  double all = bench_link_bytes(bench_point_of(r, work, bulk < r->bench->variants ? bulk : variant));
  return all > 0 ? bytes / all : 0;
}

double finepack_value(const struct bench_run *r, size_t work, size_t variant, enum finepack_value value)
{
  const struct bench_point *p = bench_point_of(r, work, variant);
  const struct bench_point *one = bench_point_of(r, work, r->bench->variant[variant].reference);
  struct finepack_bytes b = finepack_bytes_of(p);
  switch (value) {
  case FINEPACK_SPEEDUP:
    return bench_member(one, "cycles") / bench_member(p, "cycles");
  case FINEPACK_LINK:
    return of_bulk(r, work, variant, b.link);
  case FINEPACK_USEFUL:
    return of_bulk(r, work, variant, b.useful);
  case FINEPACK_OVERHEAD:
    return of_bulk(r, work, variant, b.overhead);
  case FINEPACK_WASTED:
    return of_bulk(r, work, variant, b.wasted);
  case FINEPACK_EFFICIENCY:
    return b.link > 0 ? b.useful / b.link : 0;
  default:
    return per_packet(p, value == FINEPACK_RUNS);
  }
}

/* A value of 0 has no logarithm: it counts as a thousandth. */
#define LEAST 1e-3

double finepack_mean(const struct bench_run *r, size_t variant, enum finepack_value value)
{
  double sum = 0;
  for (size_t w = 0; w < r->works; w++) {
    double one = finepack_value(r, w, variant, value);
    sum += log(one > LEAST ? one : LEAST);
  }
  return exp(sum / (double)r->works);
}

double finepack_faster(const struct bench_run *r, size_t variant, size_t than)
{
  double sum = 0;
  for (size_t w = 0; w < r->works; w++)
    sum += log(bench_member(bench_point_of(r, w, than), "cycles") /
               bench_member(bench_point_of(r, w, variant), "cycles"));
  return exp(sum / (double)r->works);
}

double finepack_gain(const struct bench_run *r, size_t variant, size_t over, enum finepack_value value)
{
  return finepack_mean(r, variant, value) / finepack_mean(r, over, value);
}
