/* SPDX-License-Identifier: Apache-2.0 */
/* Why a number of ours is not the paper's: every sentence is made of counters of these very runs. */
#include <math.h>
#include <stdarg.h>

#include "bench.h"

void bench_say(json_t *list, const char *format, ...)
{
  char text[600];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  json_array_append_new(list, json_string(text));
}

static double sum(const struct bench_run *r, size_t variant, const char *counter)
{
  double all = 0;
  for (size_t w = 0; w < r->works; w++)
    all += bench_counter(bench_point_of(r, w, variant), counter);
  return all;
}

static double mean_busy(const struct bench_run *r, size_t variant)
{
  double all = 0;
  for (size_t w = 0; w < r->works; w++)
    all += bench_busy(bench_point_of(r, w, variant));
  return all / (double)r->works;
}

static void about_ideal(const struct bench_run *r, json_t *list)
{
  size_t ideal = bench_variant_of(r, "ideal");
  double ours = bench_mean(r, ideal, BENCH_SPEEDUP), misses = 1 / bench_mean(r, ideal, BENCH_MISSES);
  bench_say(
    list,
    "ideal: %.3f, the paper's 1.369. The baseline misses %.2f times as often as ideal (the paper's 2.4 times), so "
    "evictions have %s to lose here; its links are busy %.0f %% of the time.",
    ours, misses, misses < 2.4 ? "less" : "more", 100 * mean_busy(r, 0));
  double evict = sum(r, 0, "l2.inv_hit_evict"), write = sum(r, 0, "l2.inv_hit_write");
  bench_say(
    list,
    "Of the baseline's invalidations that met a live copy %.1f %% come from evictions (the paper's 79.5 %%).",
    evict + write > 0 ? 100 * evict / (evict + write) : 0);
}

static void about_rec(const struct bench_run *r, json_t *list)
{
  size_t rec = bench_variant_of(r, "rec"), ideal = bench_variant_of(r, "ideal");
  double forward = sum(r, rec, "link.bytes_forward");
  double all = forward + sum(r, rec, "link.bytes_request") + sum(r, rec, "link.bytes_response");
  double gap = 100 * (1 - bench_mean(r, rec, BENCH_SPEEDUP) / bench_mean(r, ideal, BENCH_SPEEDUP));
  bench_say(
    list,
    "rec is %.1f %% from ideal: its evictions met %.0f live copies, ideal's none, and its INVs and MARKs are %.1f %% of "
    "all bytes on the links, ideal's %.1f %%: a line that was tracked is invalidated once more, wanted or not.",
    gap, sum(r, rec, "l2.inv_hit_evict"), 100 * forward / all,
    100 * sum(r, ideal, "link.bytes_forward") /
      (sum(r, ideal, "link.bytes_forward") + sum(r, ideal, "link.bytes_request") +
       sum(r, ideal, "link.bytes_response")));
}

static void about_hmg(const struct bench_run *r, json_t *list)
{
  size_t hmg = bench_variant_of(r, "hmg"), twice = bench_variant_of(r, "baseline2x");
  double looks =
    sum(r, hmg, "l2.inv_miss") + sum(r, hmg, "l2.inv_hit_evict") + sum(r, hmg, "l2.inv_hit_write");
  double base = sum(r, 0, "l2.inv_miss") + sum(r, 0, "l2.inv_hit_evict") + sum(r, 0, "l2.inv_hit_write");
  bench_say(
    list,
    "hmg: %.3f, the paper's 1.167; baseline2x %.3f, 1.073. An INV of hmg looks four lines up in the sharer's L2: %.2f "
    "times as many look-ups for invalidations as in the baseline, and %.2f times its fills are closed by an INV while "
    "they are on their way.",
    bench_mean(r, hmg, BENCH_SPEEDUP), bench_mean(r, twice, BENCH_SPEEDUP), looks / base,
    sum(r, hmg, "l2.closed") / (sum(r, 0, "l2.closed") > 0 ? sum(r, 0, "l2.closed") : 1));
}

/* What the two have in common, and what makes up for it. */
static void about_tie(const struct bench_run *r, json_t *list)
{
  size_t hmg = bench_variant_of(r, "hmg"), rec = bench_variant_of(r, "rec");
  double ratio = bench_mean(r, rec, BENCH_SPEEDUP) / bench_mean(r, hmg, BENCH_SPEEDUP);
  bench_say(
    list,
    "rec over hmg: %.3f%s. rec keeps more copies: its misses are %.2f of the baseline's, hmg's %.2f. But it names every line "
    "that it gives up, hmg four at a time: %.2f times hmg's forwards, on links that are busy %.0f %% of the time.",
    ratio, fabs(ratio - 1) <= 0.01 ? ", a tie" : "", bench_mean(r, rec, BENCH_MISSES),
    bench_mean(r, hmg, BENCH_MISSES),
    sum(r, rec, "link.messages_forward") / sum(r, hmg, "link.messages_forward"), 100 * mean_busy(r, rec));
}

/* Ideal is the measure of what there is to win: a workload without gain there cannot have one elsewhere. */
static void about_work(const struct bench_run *r, size_t w, json_t *list)
{
  size_t ideal = bench_variant_of(r, "ideal"), rec = bench_variant_of(r, "rec");
  const struct bench_point *base = bench_point_of(r, w, 0);
  double gain = bench_ratio(r, w, ideal, BENCH_SPEEDUP), misses = bench_ratio(r, w, ideal, BENCH_MISSES);
  double reads = bench_counter(base, "l2.hits") + bench_counter(base, "l2.misses");
  bench_say(
    list,
    "%s: ideal %.3f, rec %.3f. The baseline hits %.0f %% of its reads of remote lines in the L2; without evictions %.0f %% "
    "of its misses remain. Links are busy %.0f %% of the time, rec's entries track %.1f lines when they are evicted.",
    r->work[w]->label, gain, bench_ratio(r, w, rec, BENCH_SPEEDUP),
    reads > 0 ? 100 * bench_counter(base, "l2.hits") / reads : 0, 100 * misses, 100 * bench_busy(base),
    bench_ratio(r, w, rec, BENCH_LINES));
}

json_t *bench_reasons(const struct bench_run *r)
{
  json_t *list = json_array();
  if (!r->bench->full)
    return list;
  about_ideal(r, list);
  about_hmg(r, list);
  about_rec(r, list);
  about_tie(r, list);
  for (size_t w = 0; w < r->works; w++)
    about_work(r, w, list);
  return list;
}
