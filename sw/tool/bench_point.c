/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a benchmark, and the file that keeps it. */
#include <stdlib.h>

#include "bench.h"

static json_t *result_of(struct weft *w, const struct bench_point *p, const struct weft_workload_result *r)
{
  struct weft_machine m;
  struct weft_statistics s;
  struct weft_cold_misses cold = { 0 };
  size_t count = weft_counter_total(w);
  uint64_t *values = calloc(count + 1, sizeof *values);
  json_t *object = NULL;
  if (values && !weft_describe(w, &m) && !weft_statistics_read(w, &s) && !weft_cold_read(w, &cold) &&
      !weft_counters_read(w, values, count))
    object = json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:b, s:f, s:o}", "key", p->key, "input",
                       r->summary, "protocol", p->variant->protocol, "nodes", (int)m.nodes, "cycles",
                       (json_int_t)s.cycles, "operations", (json_int_t)s.operations, "cold_remote",
                       (json_int_t)cold.remote, "cold_own", (json_int_t)cold.own, "verified", r->verified,
                       "wall_seconds", s.wall_seconds, "counters", json_counters(w, values, "total."));
  free(values);
  return object;
}

static int run_open(struct weft *w, const struct bench_point *p, const struct arguments *a)
{
  /* Pages go to the nodes by turns, as in the simulator that the paper used. */
  struct weft_workload_options o = { .size = p->work->size,
                                     .seed = a->seed,
                                     .iterations = p->work->iterations,
                                     .graph = p->work->graph,
                                     .place = true,
                                     .placement = WEFT_INTERLEAVED };
  struct weft_workload_result r;
  struct output out;
  int failed = weft_cold_start(w);
  if (!failed)
    failed = weft_workload_run(w, p->work->workload, &o, &r);
  if (failed)
    return complain_library(w, failed);
  int code = output_open(&out, p->path);
  if (code < 0)
    code = output_result(&out, result_of(w, p, &r), false);
  return code < 0 ? EXIT_DONE : code;
}

int bench_point_run(const struct bench_point *p, const struct arguments *a)
{
  const char *set[SETS_MAX + 2 + BENCH_SETS_MAX] = { NULL };
  unsigned sets = 0;
  for (unsigned i = 0; i < a->sets; i++)
    set[sets++] = a->set[i];
  for (unsigned i = 0; i < BENCH_SETS_MAX && p->variant->set[i]; i++)
    set[sets++] = p->variant->set[i];
  struct weft_options o = {
    .protocol = p->variant->protocol, .set = set, .seed = a->seed, .command = a->command
  };
  struct weft *w = weft_new();
  if (!w)
    return complain(EXIT_LACKS, "out of memory");
  int failed = weft_open(w, "model:" BENCH_CONFIG, &o);
  int code = failed ? complain_library(w, failed) : run_open(w, p, a);
  weft_free(w);
  return code;
}
