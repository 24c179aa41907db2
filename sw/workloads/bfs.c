/* SPDX-License-Identifier: Apache-2.0 */
/* bfs: how many edges each vertex lies from the one that most edges leave (SHOC's BFS), level by level, pull-style: a thread
 * per vertex, and a vertex that has no level looks for a neighbour of the last one. Levels lie in one array. A vertex may
 * get its level while its neighbours look at it: whether they see it or not, it is not of the level that they look for, so
 * that every legal result is the same. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "matvec.h"
#include "rounds.h"

#define NONE UINT32_MAX

struct bfs {
  uint32_t vertices;
  uint64_t rounds; /* at most */
  weft_address first, source, level;
  struct weft_rounds changed;
  uint64_t done; /* rounds that were needed: written by warp 0, read by the host */
};

/* The edges of 16 vertices, the threads side by side: lane i still has those from at[i] to end[i]. */
struct lanes {
  uint32_t at[WEFT_CHUNK], end[WEFT_CHUNK];
  unsigned looking, found; /* bits */
};

static void look(struct weft_warp *t, const struct bfs *b, uint64_t round, struct lanes *l)
{
  uint32_t source[WEFT_CHUNK], level[WEFT_CHUNK];
  for (unsigned i = 0; i < WEFT_CHUNK; i++)
    if (l->looking >> i & 1)
      weft_load_async(t, b->source + 4 * (uint64_t)l->at[i]++, &source[i], 4, WEFT_WEAK, WEFT_CTA);
  weft_wait_all(t);
  for (unsigned i = 0; i < WEFT_CHUNK; i++)
    if (l->looking >> i & 1)
      weft_load_async(t, b->level + 4 * (uint64_t)source[i], &level[i], 4, WEFT_WEAK, WEFT_CTA);
  weft_wait_all(t);
  weft_compute(t, 8); /* two addresses and loads, two comparisons, a count, a jump */
  for (unsigned i = 0; i < WEFT_CHUNK; i++) {
    unsigned lane = 1u << i;
    if (!(l->looking & lane))
      continue;
    if (level[i] == round)
      l->found |= lane;
    if (level[i] == round || l->at[i] == l->end[i])
      l->looking &= ~lane;
  }
}

static uint64_t do_chunk(struct weft_warp *t, const struct bfs *b, uint64_t round, struct weft_chunk c)
{
  uint32_t level[WEFT_CHUNK], bounds[WEFT_CHUNK + 1];
  struct lanes l = { 0 };
  weft_load_span(t, b->level + 4 * c.first, level, 4 * (size_t)c.n);
  weft_compute(t, 6); /* a thread's number and its bound, address, load, comparison */
  for (unsigned i = 0; i < c.n; i++)
    l.looking |= (unsigned)(level[i] == NONE) << i;
  if (!l.looking)
    return 0;
  weft_load_span(t, b->first + 4 * c.first, bounds, 4 * ((size_t)c.n + 1));
  for (unsigned i = 0; i < c.n; i++) {
    l.at[i] = bounds[i];
    l.end[i] = bounds[i + 1];
    if (l.at[i] == l.end[i])
      l.looking &= ~(1u << i);
  }
  while (l.looking)
    look(t, b, round, &l);
  for (unsigned i = 0; i < c.n; i++)
    level[i] = (uint32_t)round + 1;
  weft_store_lanes(t, b->level + 4 * c.first, level, l.found);
  return (uint64_t)__builtin_popcount(l.found);
}

static void kernel(struct weft_warp *t, void *arg)
{
  struct bfs *b = arg;
  uint64_t chunks = weft_vector_chunks(b->vertices), round = 0;
  for (bool more = true; more && round < b->rounds; round++) {
    uint64_t changed = 0;
    for (struct weft_deal d = weft_deal_to(chunks, weft_where(t)); d.piece < d.end; d.piece += d.step)
      changed += do_chunk(t, b, round, weft_vector_chunk(b->vertices, d.piece));
    more = weft_round_ends(t, &b->changed, round, changed);
  }
  if (!weft_where(t)->index)
    b->done = round;
}

static uint64_t plain(const struct weft_graph *g, uint64_t rounds, uint32_t *level)
{
  uint64_t round = 0;
  for (bool more = true; more && round < rounds; round++) {
    more = false;
    for (uint32_t v = 0; v < g->vertices; v++)
      for (uint32_t i = g->first[v]; level[v] == NONE && i < g->first[v + 1]; i++)
        if (level[g->source[i]] == round) {
          level[v] = (uint32_t)round + 1;
          more = true;
        }
  }
  return round;
}

static int run_graph(struct weft_job *job, const struct weft_graph *g, uint32_t *level)
{
  struct bfs b = { .vertices = g->vertices, .rounds = job->iterations ? job->iterations : g->vertices };
  memset(level, 0xff, g->vertices * sizeof *level);
  level[weft_graph_hub(g)] = 0;
  int code = weft_job_array(job, "first", g->first, (uint64_t)g->vertices + 1, 4, &b.first);
  if (!code)
    code = weft_job_array(job, "source", g->source, (uint64_t)g->edges + 1, 4, &b.source);
  if (!code)
    code = weft_job_array(job, "level", level, g->vertices, 4, &b.level);
  if (!code)
    code = weft_rounds_make(job, &b.changed);
  weft_job_say(job, "%u vertices, %u edges", g->vertices, g->edges);
  if (!code)
    code = weft_job_launch(job, kernel, &b);
  if (code)
    return code;
  uint64_t rounds = plain(g, b.rounds, level);
  weft_job_say(job, "%u vertices, %u edges, %" PRIu64 " rounds", g->vertices, g->edges, b.done);
  code = weft_job_compare(job, "level", b.level, level, g->vertices, 4);
  return code ? code : weft_rounds_compare(job, b.done, rounds);
}

static int run(struct weft_job *job)
{
  struct weft_graph g;
  int code = weft_graph_of_job(job, &g);
  if (code)
    return code;
  uint32_t *level = calloc(g.vertices, sizeof *level);
  code = level ? run_graph(job, &g, level) : weft_fail_memory(job->w);
  free(level);
  weft_graph_free(&g);
  return code;
}

const struct weft_workload weft_workload_bfs = {
  { "bfs", "", "a graph's vertices level by level from one of them, pull-style", "vertices" },
  run,
};
