/* SPDX-License-Identifier: Apache-2.0 */
/* pagerank: pull-style, in fixed point with 24 bits behind the point, so that every order of summing gives
 * the same ranks. Each round the owners publish what their vertices give to each successor (`share`), and
 * after a barrier everybody reads the shares of its predecessors, mostly other nodes'. The next round
 * overwrites the shares: a node that kept an old copy computes wrong ranks.
 * Eager: a vertex's share is stored by its warp as soon as its rank is known, while others still read the last
 * round's; so there are two arrays of shares by turns, and a barrier per round. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

#define ONE (UINT64_C(1) << 24)
#define DAMPING 55705u /* 0.85 in 1/65536 */
#define DEFAULT_ROUNDS 5u
#define GATHER 16u /* predecessors looked up at a time */

struct pagerank {
  uint32_t vertices;
  uint64_t rounds;
  bool eager;
  weft_address first, source, degree, rank, share[2]; /* not eager: the first of them alone */
};

static uint64_t share_of(uint64_t rank, uint32_t degree)
{
  return degree ? rank / degree : 0; /* what a vertex without successors holds is lost */
}

static uint64_t rank_of(uint64_t sum)
{
  return ((sum * DAMPING) >> 16) + ONE - ((ONE * DAMPING) >> 16);
}

/* ---- On the fabric ----------------------------------------------------------------------------------- */

static void publish(struct weft_warp *t, const struct pagerank *p, struct weft_part part)
{
  uint64_t rank[GATHER];
  uint32_t degree[GATHER];
  for (uint64_t v = part.first; v < part.end; v += GATHER) {
    size_t n = part.end - v < GATHER ? (size_t)(part.end - v) : GATHER;
    weft_load_span(t, p->rank + 8 * v, rank, 8 * n);
    weft_load_span(t, p->degree + 4 * v, degree, 4 * n);
    for (size_t i = 0; i < n; i++)
      rank[i] = share_of(rank[i], degree[i]);
    weft_compute(t, 8); /* a division */
    weft_store_span(t, p->share[0] + 8 * v, rank, 8 * n);
  }
}

static uint64_t gather(struct weft_warp *t, const struct pagerank *p, weft_address shares, uint32_t from,
                       uint32_t to)
{
  uint32_t source[GATHER];
  uint64_t share[GATHER], sum = 0;
  for (uint32_t at = from; at < to; at += GATHER) {
    unsigned n = to - at < GATHER ? to - at : GATHER;
    weft_load_span(t, p->source + 4 * (uint64_t)at, source, 4 * n);
    for (unsigned i = 0; i < n; i++)
      weft_load_async(t, shares + 8 * (uint64_t)source[i], &share[i], 8, WEFT_WEAK, WEFT_CTA);
    weft_wait_all(t);
    for (unsigned i = 0; i < n; i++)
      sum += share[i];
    weft_compute(t, 1);
  }
  return sum;
}

static void do_vertex(struct weft_warp *t, const struct pagerank *p, uint64_t round, uint64_t v)
{
  uint32_t bounds[2];
  weft_load_span(t, p->first + 4 * v, bounds, sizeof bounds);
  uint64_t rank = rank_of(gather(t, p, p->share[p->eager && round & 1], bounds[0], bounds[1]));
  weft_compute(t, 2);
  weft_store64(t, p->rank + 8 * v, rank);
  if (!p->eager)
    return;
  uint32_t degree = weft_load32(t, p->degree + 4 * v);
  weft_compute(t, 8); /* a division */
  weft_store64(t, p->share[~round & 1] + 8 * v, share_of(rank, degree));
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct pagerank *p = arg;
  struct weft_part part = weft_part_of_warp(p->vertices, weft_where(t));
  for (uint64_t round = 0; round < p->rounds; round++) {
    if (!round || !p->eager) {
      publish(t, p, part);
      weft_barrier(t);
    }
    for (uint64_t v = part.first; v < part.end; v++)
      do_vertex(t, p, round, v);
    weft_barrier(t);
  }
}

/* ---- Plain C ----------------------------------------------------------------------------------------- */

static void plain_shares(const struct weft_graph *g, const uint64_t *rank, uint64_t *share)
{
  for (uint32_t v = 0; v < g->vertices; v++)
    share[v] = share_of(rank[v], g->degree[v]);
}

/* `before`: the shares of the round before the last one; NULL: not eager, where the last ranks were not shared out. */
static void plain(const struct weft_graph *g, uint64_t rounds, uint64_t *rank, uint64_t *share,
                  uint64_t *before)
{
  for (uint64_t round = 0; round < rounds; round++) {
    plain_shares(g, rank, share);
    for (uint32_t v = 0; v < g->vertices; v++) {
      uint64_t sum = 0;
      for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
        sum += share[g->source[i]];
      rank[v] = rank_of(sum);
    }
  }
  if (!before)
    return;
  memcpy(before, share, g->vertices * sizeof *share);
  plain_shares(g, rank, share);
}

/* ---- The job ----------------------------------------------------------------------------------------- */

static int compare(struct weft_job *job, const struct weft_graph *g, const struct pagerank *p, uint64_t *rank,
                   uint64_t *share, uint64_t *before)
{
  plain(g, p->rounds, rank, share, p->eager ? before : NULL);
  int code = weft_job_compare(job, "rank", p->rank, rank, g->vertices, 8);
  unsigned last = p->eager && p->rounds & 1;
  if (!code)
    code = weft_job_compare(job, "share", p->share[last], share, g->vertices, 8);
  return code || !p->eager ? code : weft_job_compare(job, "share", p->share[!last], before, g->vertices, 8);
}

static int run_graph(struct weft_job *job, const struct weft_graph *g, uint64_t *rank, uint64_t *share,
                     uint64_t *before)
{
  struct pagerank p = { .vertices = g->vertices,
                        .rounds = job->iterations ? job->iterations : DEFAULT_ROUNDS,
                        .eager = job->options->eager };
  for (uint32_t v = 0; v < g->vertices; v++)
    rank[v] = ONE;
  int code = weft_job_array(job, "first", g->first, (uint64_t)g->vertices + 1, 4, &p.first);
  if (!code)
    code = weft_job_array(job, "source", g->source, (uint64_t)g->edges + 1, 4, &p.source);
  if (!code)
    code = weft_job_array(job, "degree", g->degree, g->vertices, 4, &p.degree);
  if (!code)
    code = weft_job_single(job, "rank", rank, g->vertices, 8, &p.rank);
  if (!code)
    code = weft_job_array(job, "share", NULL, g->vertices, 8, &p.share[0]);
  if (!code && p.eager)
    code = weft_job_array(job, "share1", NULL, g->vertices, 8, &p.share[1]);
  weft_job_say(job, "%u vertices, %u edges, %" PRIu64 " rounds", g->vertices, g->edges, p.rounds);
  if (!code)
    code = weft_job_launch(job, kernel, &p);
  return code ? code : compare(job, g, &p, rank, share, before);
}

static int run(struct weft_job *job)
{
  struct weft_graph g;
  int code = weft_graph_of_job(job, &g);
  if (code)
    return code;
  uint64_t *rank = calloc(g.vertices, 8), *share = calloc(g.vertices, 8), *before = calloc(g.vertices, 8);
  code = rank && share && before ? run_graph(job, &g, rank, share, before) : weft_fail_memory(job->w);
  free(rank);
  free(share);
  free(before);
  weft_graph_free(&g);
  return code;
}

const struct weft_workload weft_workload_pagerank = {
  { "pagerank", "PR", "ranks of a graph's vertices, pull-style, in fixed point", "vertices" },
  run,
};
