/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "tool.h"

static const struct {
  const char *counter, *about;
} rows[] = {
  { "total.l1.hits", "L1 hits" },
  { "total.l1.misses", "L1 misses" },
  { "total.l2.hits", "L2 hits, remote lines" },
  { "total.l2.misses", "L2 misses, remote lines" },
  { "total.home.fetches", "lines fetched from memory" },
  { "total.directory.lookups", "directory lookups" },
  { "total.directory.evictions", "directory evictions" },
  { "total.directory.inv_write", "invalidations, by writes" },
  { "total.directory.inv_evict", "invalidations, by evictions" },
  { "total.release.started", "releases to the system" },
  { "total.link.bytes_request", "link bytes, requests" },
  { "total.link.bytes_forward", "link bytes, forwards" },
  { "total.link.bytes_response", "link bytes, responses" },
};

static void row(const char *about, uint64_t value)
{
  printf("  %-28s %16" PRIu64 "\n", about, value);
}

/* What did not happen is left out. */
static void counter_row(struct weft *w, const struct run_result *r, const char *name, const char *about)
{
  for (size_t i = 0; i < weft_counter_total(w); i++)
    if (!strcmp(weft_counter_name(w, i), name) && r->counters[i])
      row(about, r->counters[i]);
}

static bool is_causal(const struct run_result *r)
{
  return !strcmp(r->machine.protocol, "halcone-causal");
}

static const char *equal_to(const struct run_result *r)
{
  if (!r->workload.step_count)
    return "equal to the plain C run bit for bit";
  return is_causal(r) ? "every number is the paper's, but for the last lease, which the causal rule gives"
                      : "every number is the paper's";
}

static void verdict(const char *workload, const struct run_result *r)
{
  if (r->code) {
    printf("%s: NOT CORRECT (%s)\n", workload, weft_code_name(r->code));
    return;
  }
  printf("%s: correct, %s%s\n", workload, equal_to(r),
         r->lockstep ? "; every step of the RTL agreed with the model" : "");
}

void summary_print(struct weft *w, const struct arguments *a, const char *workload,
                   const struct run_result *r)
{
  printf("%s on %s, protocol %s, %u nodes x %u CUs x %u warps: %s\n\n", workload, a->backend,
         r->machine.protocol, r->machine.nodes, r->machine.cus, r->machine.warps, r->workload.summary);
  if (r->workload.step_count)
    steps_print(&r->workload, is_causal(r));
  row("cycles", r->statistics.cycles);
  row("operations", r->statistics.operations);
  row("bytes", r->statistics.bytes);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    counter_row(w, r, rows[i].counter, rows[i].about);
  printf("  %-28s %16.3f\n\n", "seconds in the back-end", r->statistics.wall_seconds);
  verdict(workload, r);
}
