/* SPDX-License-Identifier: Apache-2.0 */
/* Why a slow-down of ours is not the paper's: every sentence is made of counters of these very runs. */
#include <string.h>

#include "bench_xtreme.h"

static double memory(const struct bench_point *p)
{
  return bench_counter(p, "memory.reads") + bench_counter(p, "memory.writes");
}

/* Loads that found no line at all: one that joins a miss may have found a line whose lease had run out. */
static double tag_misses(const struct bench_point *p, bool l2)
{
  return bench_counter(p, l2 ? "l2.misses" : "l1.misses") + bench_counter(p, l2 ? "l2.joins" : "l1.joins") -
         bench_counter(p, l2 ? "l2.lease_misses" : "l1.lease_misses");
}

static void about_worst(const struct bench_run *r, size_t w, json_t *list)
{
  const struct bench_point *p = bench_point_of(r, w, XTREME_HALCONE),
                           *n = bench_point_of(r, w, XTREME_WITHOUT);
  double loads = bench_counter(p, "l1.loads");
  double dropped = tag_misses(p, true) - tag_misses(n, true);
  bench_say(
    list,
    "%s is slowed most with vectors of %llu KiB: %.1f %%, the paper's %.1f %%. Of its loads %.1f %% find a lease that has run "
    "out in the L1 and %.1f %% in the L2 too; %.1f %% hit the L1, without coherence %.1f %%. L2s and memory exchange %.2f times "
    "the transactions, and %.0f cycles of all L1s were spent on blocks locked by a store under way.",
    r->work[w]->workload, (unsigned long long)xtreme_bytes(r->work[w]) / 1024,
    xtreme_slowdown(r, w, XTREME_HALCONE), xtreme_paper(r->work[w]->workload),
    bench_percent(bench_counter(p, "l1.lease_misses"), loads),
    bench_percent(bench_counter(p, "l2.lease_misses"), loads),
    bench_percent(bench_counter(p, "l1.hits"), loads),
    bench_percent(bench_counter(n, "l1.hits"), bench_counter(n, "l1.loads")), memory(p) / memory(n),
    bench_counter(p, "l1.locked"));
  bench_say(
    list,
    "launches: %.0f of its %.0f cycles are those of %.0f launches, the same with and without coherence; without them it is slower by %.1f %%. "
    "A launch is a latency and is not divided, the work of a CU is a sixteenth of the paper's: launches weigh the more here.",
    bench_member(p, "launch_cycles"), bench_member(p, "cycles"), bench_member(p, "launches"),
    xtreme_slowdown_worked(r, w, XTREME_HALCONE));
  bench_say(
    list,
    "why: without coherence L2s ask memory for a line %.0f times, with leases %.0f times. Of the loads that come to them %.0f find a lease that "
    "has run out, and %.0f more than without coherence find no line: an acquire of scope sys has dropped it (T6). A load that does not join a "
    "miss of an earlier time asks for itself (T4). "
    "%.0f %% of what comes to an L2 has run out on arrival: a lease begins where the line's last one ended, and clocks follow the warp that "
    "is ahead. "
    "Timestamp storage units forgot %.0f lines. L1s stalled for %.0f cycles in all, without coherence for %.0f.",
    bench_counter(n, "l2.misses"), bench_counter(p, "l2.misses"), bench_counter(p, "l2.lease_misses"),
    dropped > 0 ? dropped : 0, bench_percent(bench_counter(p, "l2.expired"), bench_counter(p, "l2.installs")),
    bench_counter(p, "tsu.evictions"), bench_counter(p, "l1.stalls"), bench_counter(n, "l1.stalls"));
}

/* The same sizes with leases that are renewed. */
static void about_renewed(const struct bench_run *r, size_t w, json_t *list)
{
  const struct bench_point *p = bench_point_of(r, w, XTREME_RENEW);
  double loads = bench_counter(p, "l1.loads");
  bench_say(
    list,
    "%s with vectors of %llu KiB and leases that are renewed: %.1f %%. %.1f %% of the loads find a lease that has run out in the L1, "
    "%.1f %% in the L2 too, and wait for a home that has nothing to send but stamps. The largest "
    "slow-down of all is %.1f %%, without launches %.1f %%.",
    r->work[w]->workload, (unsigned long long)xtreme_bytes(r->work[w]) / 1024,
    xtreme_slowdown(r, w, XTREME_RENEW), bench_percent(bench_counter(p, "l1.lease_misses"), loads),
    bench_percent(bench_counter(p, "l2.lease_misses"), loads), xtreme_largest(r, XTREME_RENEW),
    xtreme_largest_worked(r, XTREME_RENEW));
}

/* Where the vectors are largest leases cost least: misses for want of room outnumber theirs. */
static void about_largest(const struct bench_run *r, size_t w, json_t *list)
{
  const struct bench_point *p = bench_point_of(r, w, XTREME_HALCONE);
  bench_say(
    list,
    "%s with vectors of %llu KiB: %.1f %% slower. %.0f L1 misses are of tags and %.0f of leases; links are busy %.0f %% of the "
    "time, without coherence %.0f %%.",
    r->work[w]->workload, (unsigned long long)xtreme_bytes(r->work[w]) / 1024,
    xtreme_slowdown(r, w, XTREME_HALCONE), tag_misses(p, false), bench_counter(p, "l1.lease_misses"),
    100 * bench_busy(p), 100 * bench_busy(bench_point_of(r, w, XTREME_WITHOUT)));
}

static void about_pair(const struct bench_run *r, size_t v, json_t *list)
{
  double most = -100, least = 1e9;
  for (size_t w = 0; w < r->works; w++) {
    double more = 100 * (bench_member(bench_point_of(r, w, v), "cycles") /
                           bench_member(bench_point_of(r, w, XTREME_HALCONE), "cycles") -
                         1);
    most = more > most ? more : most;
    least = more < least ? more : least;
  }
  bench_say(list, "leases of %u and %u: %+.1f to %+.1f %% of the cycles of 10 and 5 (the paper: up to 3 %%).",
            xtreme_pair_of(v).read, xtreme_pair_of(v).write, least, most);
}

static void about_wrong(const struct bench_run *r, json_t *list)
{
  size_t wrong = 0;
  for (size_t w = 0; w < r->works; w++)
    wrong += !json_is_true(json_object_get(bench_point_of(r, w, XTREME_WITHOUT)->result, "verified"));
  bench_say(
    list,
    "%zu of %zu runs without coherence gave a wrong answer, as they may; all with leases were checked and "
    "right.",
    wrong, r->works);
}

json_t *xtreme_reasons(const struct bench_run *r)
{
  json_t *list = json_array();
  for (size_t w = 0; w < r->works; w++) {
    if (xtreme_worst(r, r->work[w]->workload) == w) {
      about_worst(r, w, list);
      about_renewed(r, w, list);
    } else if (w + 1 == r->works || strcmp(r->work[w]->workload, r->work[w + 1]->workload) != 0)
      about_largest(r, w, list);
  }
  for (size_t v = XTREME_PAIRS; v < r->bench->variants; v++)
    about_pair(r, v, list);
  about_wrong(r, list);
  return list;
}
