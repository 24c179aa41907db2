/* SPDX-License-Identifier: Apache-2.0 */
/* sssp: shortest paths from the vertex that most edges leave, Bellman and Ford's way, pull-style in whole
 * numbers. Each round reads the distances of the last one and writes the other array; the rounds end when
 * nobody's distance fell. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "rounds.h"

#define FAR UINT32_MAX
#define GATHER 16u

struct sssp {
  uint32_t vertices;
  uint64_t rounds; /* at most */
  weft_address first, source, weight, distance[2];
  struct weft_rounds changed;
  uint64_t done; /* rounds that were needed: written by warp 0, read by the host */
};

static uint32_t nearer(uint32_t best, uint32_t distance, uint32_t weight)
{
  return distance != FAR && distance < FAR - weight && distance + weight < best ? distance + weight : best;
}

static uint32_t relax(struct weft_warp *t, const struct sssp *s, weft_address old, uint32_t from, uint32_t to,
                      uint32_t best)
{
  uint32_t source[GATHER], weight[GATHER], distance[GATHER];
  for (uint32_t at = from; at < to; at += GATHER) {
    unsigned n = to - at < GATHER ? to - at : GATHER;
    weft_load_span(t, s->source + 4 * (uint64_t)at, source, 4 * n);
    weft_load_span(t, s->weight + 4 * (uint64_t)at, weight, 4 * n);
    for (unsigned i = 0; i < n; i++)
      weft_load_async(t, old + 4 * (uint64_t)source[i], &distance[i], 4, WEFT_WEAK, WEFT_CTA);
    weft_wait_all(t);
    for (unsigned i = 0; i < n; i++)
      best = nearer(best, distance[i], weight[i]);
    weft_compute(t, 2);
  }
  return best;
}

static uint64_t one_round(struct weft_warp *t, const struct sssp *s, struct weft_part part, uint64_t round)
{
  weft_address old = s->distance[round & 1], new = s->distance[~round & 1];
  uint64_t changed = 0;
  for (uint64_t v = part.first; v < part.end; v++) {
    uint32_t bounds[2], was = weft_load32(t, old + 4 * v);
    weft_load_span(t, s->first + 4 * v, bounds, sizeof bounds);
    uint32_t best = relax(t, s, old, bounds[0], bounds[1], was);
    changed += best != was;
    weft_store32(t, new + 4 * v, best);
  }
  return changed;
}

static void kernel(struct weft_warp *t, void *arg)
{
  struct sssp *s = arg;
  const struct weft_place *p = weft_where(t);
  struct weft_part part = weft_part_of_warp(s->vertices, p);
  uint64_t round = 0;
  for (bool more = true; more && round < s->rounds; round++) {
    uint64_t changed = one_round(t, s, part, round);
    more = weft_round_ends(t, &s->changed, round, changed);
  }
  if (!p->index)
    s->done = round;
}

static uint64_t plain(const struct weft_graph *g, uint64_t rounds, uint32_t *distance[2])
{
  uint64_t round = 0;
  for (bool more = true; more && round < rounds; round++) {
    const uint32_t *old = distance[round & 1];
    more = false;
    for (uint32_t v = 0; v < g->vertices; v++) {
      uint32_t best = old[v];
      for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
        best = nearer(best, old[g->source[i]], g->weight[i]);
      more |= best != old[v];
      distance[~round & 1][v] = best;
    }
  }
  return round;
}

static int make_arrays(struct weft_job *job, const struct weft_graph *g, const uint32_t *start,
                       struct sssp *s)
{
  int code = weft_job_array(job, "first", g->first, (uint64_t)g->vertices + 1, 4, &s->first);
  if (!code)
    code = weft_job_array(job, "source", g->source, (uint64_t)g->edges + 1, 4, &s->source);
  if (!code)
    code = weft_job_array(job, "weight", g->weight, (uint64_t)g->edges + 1, 4, &s->weight);
  for (int i = 0; !code && i < 2; i++)
    code = weft_job_array(job, i ? "distance1" : "distance0", start, g->vertices, 4, &s->distance[i]);
  return code ? code : weft_rounds_make(job, &s->changed);
}

static int run_graph(struct weft_job *job, const struct weft_graph *g, uint32_t *distance[2])
{
  struct sssp s = { .vertices = g->vertices, .rounds = job->iterations ? job->iterations : g->vertices };
  memset(distance[0], 0xff, g->vertices * sizeof **distance);
  distance[0][weft_graph_hub(g)] = 0;
  memcpy(distance[1], distance[0], g->vertices * sizeof **distance);
  int code = make_arrays(job, g, distance[0], &s);
  weft_job_say(job, "%u vertices, %u edges", g->vertices, g->edges);
  if (!code)
    code = weft_job_launch(job, kernel, &s);
  if (code)
    return code;
  uint64_t rounds = plain(g, s.rounds, distance);
  weft_job_say(job, "%u vertices, %u edges, %" PRIu64 " rounds", g->vertices, g->edges, s.done);
  for (int i = 0; !code && i < 2; i++)
    code = weft_job_compare(job, "distance", s.distance[i], distance[i], g->vertices, 4);
  return code ? code : weft_rounds_compare(job, s.done, rounds);
}

static int run(struct weft_job *job)
{
  struct weft_graph g;
  int code = weft_graph_of_job(job, &g);
  if (code)
    return code;
  uint32_t *distance[2] = { calloc(g.vertices, 4), calloc(g.vertices, 4) };
  code = distance[0] && distance[1] ? run_graph(job, &g, distance) : weft_fail_memory(job->w);
  free(distance[0]);
  free(distance[1]);
  weft_graph_free(&g);
  return code;
}

const struct weft_workload weft_workload_sssp = {
  { "sssp", "BF", "shortest paths in a graph, Bellman-Ford, pull-style", "vertices" },
  run,
};
