/* SPDX-License-Identifier: Apache-2.0 */
/* Why a number of ours is not the paper's: every sentence is made of counters of these very runs. */
#include "bench_halcone.h"

/* Bytes of an exchange as section 3.5 counts them: line 64, address 8, metadata 4, acknowledgement 4. */
#define PAPER_READ 80.0
#define PAPER_WRITE 76.0
#define PAPER_STAMPS 4.0

/* ---- Traffic ----------------------------------------------------------------------------------------- */

static double link_bytes(const struct bench_run *r, size_t variant)
{
  double all = 0;
  for (size_t w = 0; w < r->works; w++)
    all += bench_link_bytes(bench_point_of(r, w, variant));
  return all;
}

/* Stamps of an answer by the counters, in the paper's exchanges and in what our links carry. */
static double stamps_per_answer(const struct bench_run *r)
{
  double answers = halcone_sum(r, HALCONE_LEASES, "tsu.lookups");
  return answers > 0 ? halcone_sum(r, HALCONE_LEASES, "l2.stamp_bytes") / answers : 0;
}

json_t *halcone_traffic(const struct bench_run *r)
{
  double stamps = stamps_per_answer(r), with = link_bytes(r, HALCONE_LEASES),
         without = link_bytes(r, HALCONE_WT);
  return json_pack(
    "{s:f, s:f, s:f, s:f, s:f, s:{s:f, s:f}}", "stamp_bytes_per_answer", stamps, "read_percent",
    bench_percent(stamps, PAPER_READ), "write_percent", bench_percent(stamps, PAPER_WRITE), "link_bytes",
    with, "link_bytes_over_none_wt_percent", bench_percent(with - without, without), "paper", "read_percent",
    bench_percent(PAPER_STAMPS, PAPER_READ), "write_percent", bench_percent(PAPER_STAMPS, PAPER_WRITE));
}

static void about_traffic(const struct bench_run *r, json_t *list)
{
  double stamps = stamps_per_answer(r), with = link_bytes(r, HALCONE_LEASES),
         without = link_bytes(r, HALCONE_WT);
  bench_say(
    list,
    "traffic: an answer carries %.2f bytes of stamps on the mean, which are %.2f %% of a read's and %.2f %% of a write's "
    "exchange as the paper counts them (5 and 5.26 %%). On our links HALCONE moves %+.1f %% of the bytes of write-through "
    "without coherence, whose writes are answered too: stamps, and leases that ran out. Beyond the paper's four bytes, the answer of a "
    "write that is not of a whole line carries when the line had been written before.",
    stamps, bench_percent(stamps, PAPER_READ), bench_percent(stamps, PAPER_WRITE),
    bench_percent(with - without, without));
}

/* ---- Means ------------------------------------------------------------------------------------------- */

static double over_none(const struct bench_run *r, const char *counter)
{
  double without = halcone_sum(r, HALCONE_WT, counter);
  return without > 0 ? halcone_sum(r, HALCONE_LEASES, counter) / without : 0;
}

static void about_renewed(const struct bench_run *r, json_t *list)
{
  bench_say(
    list,
    "with leases that are renewed (halcone-renew) it takes %+.2f %%: a copy that has run out and is still memory's is not sent again, and a "
    "lease begins at the latest write that the home knows of. %.0f %% of the lines that come to an L2 have run out on arrival, responses have "
    "%.3f times the bytes. What is left is the stamps, and loads that do not join a miss which was sent at an earlier time (T4): %.3f times "
    "the misses of an L2 without coherence.",
    halcone_overhead_mean(r, HALCONE_RENEW),
    bench_percent(halcone_sum(r, HALCONE_RENEW, "l2.expired"), halcone_sum(r, HALCONE_RENEW, "l2.installs")),
    halcone_sum(r, HALCONE_RENEW, "link.bytes_response") / halcone_sum(r, HALCONE_WT, "link.bytes_response"),
    halcone_sum(r, HALCONE_RENEW, "l2.misses") / halcone_sum(r, HALCONE_WT, "l2.misses"));
}

static void about_overhead(const struct bench_run *r, json_t *list)
{
  double loads = halcone_sum(r, HALCONE_LEASES, "l1.loads");
  bench_say(
    list,
    "HALCONE takes %+.2f %% of the cycles of write-through without coherence, the paper's +1 %%. Of all loads %.2f %% find "
    "their line in the L1 with a lease that has run out, %.2f %% in the L2; L1 to L2 it has %.3f times the transactions, L2 to "
    "memory %.3f times (the paper: 1.01 both).",
    halcone_overhead_mean(r, HALCONE_LEASES),
    bench_percent(halcone_sum(r, HALCONE_LEASES, "l1.lease_misses"), loads),
    bench_percent(halcone_sum(r, HALCONE_LEASES, "l2.lease_misses"), loads),
    halcone_mean(r, HALCONE_LEASES, HALCONE_L1_L2) / halcone_mean(r, HALCONE_WT, HALCONE_L1_L2),
    halcone_mean(r, HALCONE_LEASES, HALCONE_L2_MEMORY) / halcone_mean(r, HALCONE_WT, HALCONE_L2_MEMORY));
  bench_say(
    list,
    "where it comes from: four bytes of stamps in each answer of 84 bytes are all that a workload without reuse pays, and where the "
    "memories' links are the limit it pays all of it: responses have %.3f times the bytes. Reuse suffers where the timestamp storage "
    "units forget: %.0f %% of the lines that come to an L1 have run out on arrival (%.0f %% of those that come to an L2), since a write's "
    "time begins behind all promises of its set, sets differ, and the L1's clock follows the fastest of them.",
    over_none(r, "link.bytes_response"),
    bench_percent(halcone_sum(r, HALCONE_LEASES, "l1.expired"),
                  halcone_sum(r, HALCONE_LEASES, "l1.installs")),
    bench_percent(halcone_sum(r, HALCONE_LEASES, "l2.expired"),
                  halcone_sum(r, HALCONE_LEASES, "l2.installs")));
  bench_say(
    list,
    "launches: their cycles are the same on both. Without them HALCONE takes %+.2f %%, renewed %+.2f %%: a launch is a latency and is not divided, "
    "what a kernel does is, so launches weigh the more here than in the paper.",
    halcone_overhead_worked_mean(r, HALCONE_LEASES), halcone_overhead_worked_mean(r, HALCONE_RENEW));
  about_renewed(r, list);
}

static double mean_busy(const struct bench_run *r, size_t variant)
{
  double all = 0;
  for (size_t w = 0; w < r->works; w++)
    all += bench_busy(bench_point_of(r, w, variant));
  return 100 * all / (double)r->works;
}

static void about_machines(const struct bench_run *r, json_t *list)
{
  bench_say(
    list,
    "shared memory against RDMA: %.2f times as fast with write-through, the paper's 4.6. The "
    "links of RDMA are busy %.0f %% of the time, those to the shared memory %.0f %%. The paper's RDMA also copies all data "
    "from the CPU to the GPUs first, and fetches remote lines into the L1 alone; ours copies nothing and keeps remote lines "
    "in the L2 (%.0f %% of its reads of them hit), so it is the faster one of the two.",
    halcone_mean(r, HALCONE_WT, HALCONE_SPEEDUP), mean_busy(r, HALCONE_RDMA), mean_busy(r, HALCONE_WT),
    bench_percent(halcone_sum(r, HALCONE_RDMA, "l2.hits"),
                  halcone_sum(r, HALCONE_RDMA, "l2.hits") + halcone_sum(r, HALCONE_RDMA, "l2.misses")));
  bench_say(
    list,
    "HMG against RDMA without coherence: %.2f, the paper's 1.5, whose gain is the L2 that its RDMA passes by. Ours has it in "
    "both, and what HMG adds is the cost of coherence: %.0f invalidations, and releases that wait for them.",
    halcone_mean(r, HALCONE_HMG, HALCONE_SPEEDUP),
    halcone_sum(r, HALCONE_HMG, "directory.inv_write") + halcone_sum(r, HALCONE_HMG, "directory.inv_evict"));
}

/* What L2s send to memories, which have caches of their own before them: loads, stores and atomics that came to a home, and
 * what of that were no loads. */
static double at_homes(const struct bench_run *r, size_t variant)
{
  return halcone_sum(r, variant, "home.remote");
}

static double stores_at_homes(const struct bench_run *r, size_t variant)
{
  return at_homes(r, variant) - halcone_sum(r, variant, "l2.misses");
}

static void about_write_back(const struct bench_run *r, json_t *list)
{
  bench_say(
    list,
    "write-back without coherence: %.2f times RDMA, the paper's 3.9, and %.2f of write-through (0.85). Its L2s send the memories %.3f "
    "times the loads and stores of write-through's (the paper: 0.773): of %.0f stores %.0f come there, with write-through %.0f. A step "
    "ends with a release, which sends home all that is dirty: only what is written more than once in a step is written less often. "
    "It waits for that with %.0f markers, which write-through needs none of.",
    halcone_mean(r, HALCONE_WB, HALCONE_SPEEDUP),
    halcone_mean(r, HALCONE_WB, HALCONE_SPEEDUP) / halcone_mean(r, HALCONE_WT, HALCONE_SPEEDUP),
    at_homes(r, HALCONE_WB) / at_homes(r, HALCONE_WT), halcone_sum(r, HALCONE_WB, "l2.writes"),
    stores_at_homes(r, HALCONE_WB), stores_at_homes(r, HALCONE_WT),
    halcone_sum(r, HALCONE_WB, "home.markers"));
  bench_say(
    list,
    "the memories themselves, behind caches of their own, have %.3f times the reads and %.3f times the writes of write-through: a line "
    "that comes home late has left the memory's cache, and is fetched again for it.",
    halcone_sum(r, HALCONE_WB, "memory.reads") / halcone_sum(r, HALCONE_WT, "memory.reads"),
    halcone_sum(r, HALCONE_WB, "memory.writes") / halcone_sum(r, HALCONE_WT, "memory.writes"));
}

static void about_nodes(const struct bench_run *r, json_t *list)
{
  bench_say(
    list,
    "nodes: 2, 4, 8 and 16 are %.2f, %.2f, %.2f and %.2f times as fast as one, the paper's 1.76, 2.74, 4.05 and 5.43. Links are "
    "busy %.0f %% of the time with one node and %.0f %% with 16, whose L2s together are 16 times as large.",
    halcone_scaling_mean(r, HALCONE_TWO), halcone_scaling_mean(r, HALCONE_LEASES),
    halcone_scaling_mean(r, HALCONE_EIGHT), halcone_scaling_mean(r, HALCONE_SIXTEEN),
    mean_busy(r, HALCONE_ONE), mean_busy(r, HALCONE_SIXTEEN));
}

/* ---- Workload by workload ---------------------------------------------------------------------------- */

static void about_work(const struct bench_run *r, size_t w, json_t *list)
{
  const struct bench_point *p = bench_point_of(r, w, HALCONE_LEASES), *n = bench_point_of(r, w, HALCONE_WT);
  double loads = bench_counter(p, "l1.loads");
  bench_say(
    list,
    "%s: %.2f times RDMA, HMG %.2f; %+.2f %% over no coherence. L1 hits %.1f %% (without coherence %.1f %%), leases run out for "
    "%.2f %% of the loads in the L1 and %.2f %% in the L2; links busy %.0f %% (%.0f %%); %.0f TSU evictions, %.0f rebases.%s",
    r->work[w]->label, halcone_value(r, w, HALCONE_LEASES, HALCONE_SPEEDUP),
    halcone_value(r, w, HALCONE_HMG, HALCONE_SPEEDUP), halcone_overhead(r, w, HALCONE_LEASES),
    bench_percent(bench_counter(p, "l1.hits"), loads),
    bench_percent(bench_counter(n, "l1.hits"), bench_counter(n, "l1.loads")),
    bench_percent(bench_counter(p, "l1.lease_misses"), loads),
    bench_percent(bench_counter(p, "l2.lease_misses"), loads), 100 * bench_busy(p), 100 * bench_busy(n),
    bench_counter(p, "tsu.evictions"), bench_counter(p, "lease.rebases"),
    json_is_true(json_object_get(n->result, "verified")) ? "" : " Without coherence its answer is wrong.");
}

json_t *halcone_reasons(const struct bench_run *r)
{
  json_t *list = json_array();
  about_overhead(r, list);
  about_machines(r, list);
  about_write_back(r, list);
  about_nodes(r, list);
  about_traffic(r, list);
  for (size_t w = 0; w < r->works; w++)
    about_work(r, w, list);
  return list;
}
