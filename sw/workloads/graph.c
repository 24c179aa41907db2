/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "text_input.h"

#define DEFAULT_VERTICES 1024u
#define EDGES_PER_VERTEX 8u
#define WEIGHT_DRAWN 15u /* weights from 1 to this, where the file has none */

int weft_edges_add(struct weft *w, struct weft_edges *e, uint32_t from, uint32_t to, uint32_t weight)
{
  if (e->count == e->room) {
    size_t room = e->room ? 2 * e->room : 1024;
    struct weft_edge *bigger = realloc(e->edge, room * sizeof *bigger);
    if (!bigger)
      return weft_fail_memory(w);
    e->edge = bigger;
    e->room = room;
  }
  e->edge[e->count++] = (struct weft_edge){ from, to, weight };
  return WEFT_OK;
}

void weft_edges_free(struct weft_edges *e)
{
  free(e->edge);
  memset(e, 0, sizeof *e);
}

/* ---- R-MAT ------------------------------------------------------------------------------------------- */

/* Bit by bit of the vertices' numbers: the quadrant by the thresholds of a, a + b, a + b + c. */
static void draw_edge(struct weft_random *r, unsigned bits, uint32_t *from, uint32_t *to)
{
  *from = *to = 0;
  for (unsigned i = 0; i < bits; i++) {
    uint32_t x = weft_random_below(r, 100);
    *from = *from << 1 | (x >= 76);
    *to = *to << 1 | ((x >= 57 && x < 76) || x >= 95);
  }
}

static uint32_t *draw_names(struct weft_random *r, uint32_t count)
{
  uint32_t *name = malloc(count * sizeof *name);
  for (uint32_t i = 0; name && i < count; i++) {
    uint32_t k = weft_random_below(r, i + 1);
    name[i] = name[k];
    name[k] = i;
  }
  return name;
}

int weft_rmat(struct weft *w, uint64_t seed, uint32_t vertices, uint64_t edges, struct weft_edges *e)
{
  struct weft_random r = weft_random_stream(seed, WEFT_STREAM_GRAPH);
  unsigned bits = 0;
  while ((UINT64_C(1) << bits) < vertices)
    bits++;
  *e = (struct weft_edges){ .vertices = vertices };
  uint32_t *name = draw_names(&r, vertices);
  int code = name ? WEFT_OK : weft_fail_memory(w);
  while (!code && e->count < edges) {
    uint32_t from, to;
    draw_edge(&r, bits, &from, &to);
    if (from < vertices && to < vertices)
      code = weft_edges_add(w, e, name[from], name[to], 0);
  }
  free(name);
  return code;
}

/* ---- By target --------------------------------------------------------------------------------------- */

void weft_graph_free(struct weft_graph *g)
{
  free(g->first);
  free(g->source);
  free(g->weight);
  free(g->degree);
  memset(g, 0, sizeof *g);
}

int weft_graph_build(struct weft *w, const struct weft_edges *e, uint64_t seed, struct weft_graph *g)
{
  struct weft_random r = weft_random_stream(seed, WEFT_STREAM_WEIGHTS);
  memset(g, 0, sizeof *g);
  g->vertices = e->vertices;
  g->edges = (uint32_t)e->count;
  g->first = calloc((size_t)e->vertices + 1, sizeof *g->first);
  g->degree = calloc(e->vertices, sizeof *g->degree);
  g->source = calloc(e->count + 1, sizeof *g->source);
  g->weight = calloc(e->count + 1, sizeof *g->weight);
  uint32_t *next = calloc((size_t)e->vertices + 1, sizeof *next);
  if (!g->first || !g->degree || !g->source || !g->weight || !next) {
    free(next);
    weft_graph_free(g);
    return weft_fail_memory(w);
  }
  for (size_t i = 0; i < e->count; i++) {
    g->first[e->edge[i].to + 1]++;
    g->degree[e->edge[i].from]++;
  }
  for (uint32_t v = 0; v < g->vertices; v++)
    g->first[v + 1] += g->first[v];
  memcpy(next, g->first, ((size_t)g->vertices + 1) * sizeof *next);
  for (size_t i = 0; i < e->count; i++) {
    uint32_t at = next[e->edge[i].to]++;
    g->source[at] = e->edge[i].from;
    g->weight[at] = e->weighted ? e->edge[i].weight : 1 + weft_random_below(&r, WEIGHT_DRAWN);
  }
  free(next);
  return WEFT_OK;
}

uint32_t weft_graph_hub(const struct weft_graph *g)
{
  uint32_t best = 0;
  for (uint32_t v = 1; v < g->vertices; v++)
    if (g->degree[v] > g->degree[best])
      best = v;
  return best;
}

static int uniform_edges(struct weft_job *job, struct weft_edges *e)
{
  uint32_t vertices;
  uint64_t edges;
  int code = weft_uniform_parse(job->w, job->options->graph, &vertices, &edges);
  if (code)
    return code;
  job->size = vertices; /* an edge takes 4 bytes at least, a vertex some 12 */
  if (weft_job_room(job, (uint64_t)vertices * 12 + edges * 4))
    return WEFT_NO_ROOM;
  return weft_uniform(job->w, job->seed, vertices, edges, e);
}

static int read_edges(struct weft_job *job, struct weft_edges *e)
{
  if (weft_graph_is_uniform(job->options->graph))
    return uniform_edges(job, e);
  char *text;
  size_t bytes;
  int code = weft_file_read(job->w, job->options->graph, &text, &bytes);
  if (code)
    return code;
  code = weft_mtx_parse(job->w, job->options->graph, text, bytes, e);
  free(text);
  return code;
}

int weft_graph_of_job(struct weft_job *job, struct weft_graph *g)
{
  struct weft_edges e = { 0 };
  int code;
  memset(g, 0, sizeof *g);
  if (job->options->graph) {
    if (job->size)
      return weft_fail(job->w, WEFT_BAD_ARGUMENT,
                       "%s: --size and --graph together; the graph has its own size", job->name);
    code = read_edges(job, &e);
  } else {
    /* A vertex takes some 40 bytes, an edge 8. */
    if (!job->size)
      job->size = weft_job_fit(job, DEFAULT_VERTICES, 40 + 8 * EDGES_PER_VERTEX);
    if (job->size > WEFT_VERTICES_MAX)
      return weft_job_bad_size(job, 1, WEFT_VERTICES_MAX);
    if (weft_job_room(job, job->size * (4 + 4 * EDGES_PER_VERTEX + 8)))
      return WEFT_NO_ROOM;
    code = weft_rmat(job->w, job->seed, (uint32_t)job->size, job->size * EDGES_PER_VERTEX, &e);
  }
  if (!code)
    code = weft_graph_build(job->w, &e, job->seed, g);
  weft_edges_free(&e);
  if (!code)
    job->size = g->vertices;
  return code;
}
