/* SPDX-License-Identifier: Apache-2.0 */
/* Why a number of ours is not the paper's: every sentence is made of counters of these very runs. */
#include "bench_finepack.h"

static double sum(const struct bench_run *r, size_t variant, const char *counter)
{
  double all = 0;
  for (size_t w = 0; w < r->works; w++)
    all += bench_counter(bench_point_of(r, w, variant), counter);
  return all;
}

static double sum_member(const struct bench_run *r, size_t variant, const char *member)
{
  double all = 0;
  for (size_t w = 0; w < r->works; w++)
    all += bench_member(bench_point_of(r, w, variant), member);
  return all;
}

static double mean_busy(const struct bench_run *r, size_t variant)
{
  double all = 0;
  for (size_t w = 0; w < r->works; w++)
    all += bench_busy(bench_point_of(r, w, variant));
  return all / (double)r->works;
}

static void about_efficiency(const struct bench_run *r, size_t fine, size_t plain, json_t *list)
{
  double pushed = sum_member(r, plain, "pushed"), stores = sum_member(r, plain, "stores");
  double bytes = sum(r, fine, "egress.bytes"), merged = sum(r, fine, "egress.merged");
  bench_say(
    list,
    "efficiency over plain: %.2f, the paper's 5.1. A plain store has %.1f bytes on the mean and 24 of headers. "
    "FinePack's queue overwrites %.1f %% of the bytes before they leave, and joins the rest to runs of %.0f bytes: "
    "%.1f stores to a run.",
    finepack_gain(r, fine, plain, FINEPACK_EFFICIENCY), stores > 0 ? pushed / stores : 0,
    bench_percent(merged, bytes), (bytes - merged) / sum(r, fine, "egress.subs"),
    sum(r, fine, "egress.stores") / sum(r, fine, "egress.subs"));
}

static void about_infinite(const struct bench_run *r, size_t fine, size_t infinite, json_t *list)
{
  double cycles = sum_member(r, fine, "cycles") * bench_member(bench_point_of(r, 0, fine), "nodes");
  bench_say(
    list,
    "of infinite bandwidth: %.2f, the paper's 0.77. FinePack's links are busy %.0f %% of the time, so most of the "
    "transfer hides behind the kernels. What is left: stores to three peers instead of none (%.2f times the "
    "operations), requests that wait before the egress (%.1f %% of the cycles), and the last packets at each barrier.",
    finepack_faster(r, fine, infinite), 100 * mean_busy(r, fine),
    sum_member(r, fine, "operations") / sum_member(r, infinite, "operations"),
    bench_percent(sum(r, fine, "egress.stalls"), cycles));
}

static void about_others(const struct bench_run *r, size_t fine, size_t bulk, size_t plain, json_t *list)
{
  bench_say(
    list,
    "over bulk copies: %.2f, the paper's 1.5. Bulk's links are busy %.0f %% of the time: they stand still while "
    "kernels run, and the kernels while they copy; both move about as much (FinePack %.2f of bulk's bytes).",
    finepack_faster(r, fine, bulk), 100 * mean_busy(r, bulk), finepack_mean(r, fine, FINEPACK_LINK));
  bench_say(
    list,
    "over plain stores: %.2f, the paper's 3.9. Plain's links are busy %.0f %% of the time, with %.1f times bulk's bytes "
    "(the paper: often ten times). Links of four bytes a cycle are the slowest there are, and the paper's would have "
    "2.3 for as many CUs: where plain is not bound by its links the gain ends.",
    finepack_faster(r, fine, plain), 100 * mean_busy(r, plain), finepack_mean(r, plain, FINEPACK_LINK));
}

static void about_packets(const struct bench_run *r, size_t fine, json_t *list)
{
  double packets = sum(r, fine, "egress.packets");
  double full = sum(r, fine, "egress.flush_payload"), room = sum(r, fine, "egress.flush_room");
  double release = sum(r, fine, "egress.flush_release"), base = sum(r, fine, "egress.flush_base");
  double flushes = full + room + release + base;
  bench_say(
    list,
    "stores per packet: %.0f in %.1f runs of bytes, the paper's 38 to 40. Of all flushes %.0f %% come because the payload "
    "is full, %.0f %% because all blocks are in use, %.0f %% at releases, %.0f %% because a store lies outside the window.",
    sum(r, fine, "egress.stores") / packets, sum(r, fine, "egress.subs") / packets,
    bench_percent(full, flushes), bench_percent(room, flushes), bench_percent(release, flushes),
    bench_percent(base, flushes));
}

static void about_work(const struct bench_run *r, size_t w, size_t fine, size_t plain, json_t *list)
{
  size_t infinite = bench_variant_of(r, "infinite"), bulk = bench_variant_of(r, "bulk");
  const struct bench_point *f = bench_point_of(r, w, fine), *p = bench_point_of(r, w, plain);
  struct finepack_bytes b = finepack_bytes_of(f);
  double bytes = bench_counter(f, "egress.bytes");
  bench_say(
    list,
    "%s: %.2f times one node, infinite bandwidth %.2f, bulk %.2f, plain %.2f. Its stores have %.0f bytes; the queue drops %.0f "
    "%% of them, %.1f stores make a run. Links are busy %.0f %% of the time, plain's %.0f %%. Of the bytes on the links %.0f %% "
    "are useful, %.0f %% overhead, %.0f %% never read.",
    r->work[w]->label, finepack_value(r, w, fine, FINEPACK_SPEEDUP),
    finepack_value(r, w, infinite, FINEPACK_SPEEDUP), finepack_value(r, w, bulk, FINEPACK_SPEEDUP),
    finepack_value(r, w, plain, FINEPACK_SPEEDUP), bench_member(p, "pushed") / bench_member(p, "stores"),
    bench_percent(bench_counter(f, "egress.merged"), bytes),
    bench_counter(f, "egress.stores") / bench_counter(f, "egress.subs"), 100 * bench_busy(f),
    100 * bench_busy(p), bench_percent(b.useful, b.link), bench_percent(b.overhead, b.link),
    bench_percent(b.wasted, b.link));
}

/* Of a sweep: what each of its machines with a queue is held up by. */
static void about_variant(const struct bench_run *r, size_t v, json_t *list)
{
  double packets = sum(r, v, "egress.packets") + sum(r, v, "egress.plain");
  if (!(sum(r, v, "egress.stores") > 0))
    return;
  bench_say(
    list,
    "%s: %.3f times one node. %.1f stores to a packet or plain write; %.0f flushes because a store lay outside the window; "
    "links busy %.0f %% of the time.",
    r->bench->variant[v].label, finepack_mean(r, v, FINEPACK_SPEEDUP), sum(r, v, "egress.stores") / packets,
    sum(r, v, "egress.flush_base"), 100 * mean_busy(r, v));
}

json_t *bench_finepack_reasons(const struct bench_run *r)
{
  json_t *list = json_array();
  size_t fine = bench_variant_of(r, "finepack"), plain = bench_variant_of(r, "plain");
  if (!r->bench->full) {
    for (size_t v = 0; v < r->bench->variants; v++)
      about_variant(r, v, list);
    return list;
  }
  about_efficiency(r, fine, plain, list);
  about_infinite(r, fine, bench_variant_of(r, "infinite"), list);
  about_others(r, fine, bench_variant_of(r, "bulk"), plain, list);
  about_packets(r, fine, list);
  for (size_t w = 0; w < r->works; w++)
    about_work(r, w, fine, plain, list);
  return list;
}
