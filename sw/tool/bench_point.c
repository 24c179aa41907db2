/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a benchmark, and the file that keeps it. */
#include <stdlib.h>

#include "bench.h"

const char *bench_config_of(const struct bench_point *p)
{
  return p->variant->config ? p->variant->config : p->family->config;
}

static bool replicated(const struct bench_point *p)
{
  return p->family->placement == WEFT_REPLICATED;
}

static json_t *result_of(struct weft *w, const struct bench_point *p, const struct weft_workload_result *r,
                         const uint64_t *values)
{
  struct weft_machine m = { 0 };
  struct weft_statistics s = { 0 };
  struct weft_cold_misses cold = { 0 };
  struct weft_replica_use use = { 0 };
  uint64_t endpoints = 0, launch = 0;
  if (weft_config_get(w, "nodes", &endpoints) || weft_config_get(w, "compute.launch", &launch) ||
      weft_describe(w, &m) || weft_statistics_read(w, &s) ||
      (replicated(p) ? weft_replica_read(w, &use) : weft_cold_read(w, &cold)))
    return NULL;
  launch *= s.launches;
  return json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:f, s:o}",
                   "key", p->key, "input", r->summary, "protocol", p->variant->protocol, "nodes",
                   (int)m.nodes, "endpoints", (int)endpoints, "cycles", (json_int_t)s.cycles, "launches",
                   (json_int_t)s.launches, "launch_cycles", (json_int_t)launch, "operations",
                   (json_int_t)s.operations, "cold_remote", (json_int_t)cold.remote, "cold_own",
                   (json_int_t)cold.own, "stores", (json_int_t)use.stores, "pushed", (json_int_t)use.pushed,
                   "useful", (json_int_t)use.useful, "verified", r->verified, "wall_seconds", s.wall_seconds,
                   "counters", json_counters(w, values, p->family->counters));
}

static int run_once(struct weft *w, const struct bench_point *p, const struct arguments *a, uint64_t size,
                    struct weft_workload_result *r, uint64_t *values)
{
  struct weft_workload_options o = { .size = size,
                                     .seed = a->seed,
                                     .iterations = p->work->iterations,
                                     .graph = p->work->graph,
                                     .eager = p->work->eager,
                                     .launches = p->family->launches,
                                     .dispatch = p->family->dispatch,
                                     .store = p->work->store,
                                     .stride = p->work->stride,
                                     .place = true,
                                     .placement = p->family->placement };
  int failed = weft_workload_run(w, p->work->workload, &o, r);
  if (failed == WEFT_WRONG_RESULT && p->variant->incoherent)
    failed = WEFT_OK; /* r->verified says so */
  return failed ? failed : weft_counters_read(w, values, weft_counter_total(w));
}

/* What the longer of two runs did more than the shorter one: beginning and end are no part of a steady state. */
static int run_steady(struct weft *w, const struct bench_point *p, const struct arguments *a,
                      struct weft_workload_result *r, uint64_t *values)
{
  size_t count = weft_counter_total(w);
  uint64_t size = p->family->steady(p), *shorter = calloc(count + 1, sizeof *shorter);
  if (!shorter)
    return WEFT_NO_MEMORY;
  int failed = run_once(w, p, a, size, r, shorter);
  if (!failed)
    failed = weft_reset(w);
  if (!failed)
    failed = run_once(w, p, a, 3 * size, r, values);
  for (size_t i = 0; !failed && i < count; i++)
    values[i] -= shorter[i];
  free(shorter);
  return failed;
}

static int run_open(struct weft *w, const struct bench_point *p, const struct arguments *a)
{
  struct weft_workload_result r = { 0 };
  struct output out;
  uint64_t *values = calloc(weft_counter_total(w) + 1, sizeof *values);
  if (!values)
    return complain(EXIT_LACKS, "out of memory");
  int failed = replicated(p) ? weft_replica_start(w) : weft_cold_start(w);
  if (!failed)
    failed =
      p->family->steady ? run_steady(w, p, a, &r, values) : run_once(w, p, a, p->work->size, &r, values);
  int code = failed ? complain_library(w, failed) : output_open(&out, p->path);
  if (code < 0)
    code = output_result(&out, result_of(w, p, &r, values), false);
  free(values);
  return code < 0 ? EXIT_DONE : code;
}

void bench_sets_of(const struct bench_point *p, const struct arguments *a, const char *set[BENCH_ALL_SETS])
{
  unsigned sets = 0;
  for (unsigned i = 0; i < BENCH_SETS_MAX && p->family->set[i]; i++)
    set[sets++] = p->family->set[i];
  for (unsigned i = 0; i < a->sets; i++)
    set[sets++] = a->set[i];
  for (unsigned i = 0; i < BENCH_SETS_MAX && p->variant->set[i]; i++)
    set[sets++] = p->variant->set[i];
  set[sets] = NULL;
}

int bench_point_run(const struct bench_point *p, const struct arguments *a)
{
  const char *set[BENCH_ALL_SETS];
  char model[64];
  bench_sets_of(p, a, set);
  snprintf(model, sizeof model, "model:%s", bench_config_of(p));
  struct weft_options o = { .protocol = p->variant->protocol,
                            .egress = p->variant->egress,
                            .set = set,
                            .seed = a->seed,
                            .command = a->command };
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  int failed = weft_open(w, a->backend ? a->backend : model, &o);
  int code = failed ? complain_library(w, failed) : run_open(w, p, a);
  weft_free(w);
  return code;
}
