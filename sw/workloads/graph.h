/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: lists of edges, made or read, and the form that pull-style kernels want, by target. */
#ifndef WEFT_GRAPH_H
#define WEFT_GRAPH_H

#include "job.h"

#define WEFT_VERTICES_MAX (UINT32_C(1) << 24)
#define WEFT_WEIGHT_MAX 65536u
#define WEFT_UNIFORM_EDGES_MAX (UINT32_C(1) << 26)

struct weft_edge {
  uint32_t from, to, weight;
};

struct weft_edges {
  uint32_t vertices;
  struct weft_edge *edge;
  size_t count, room;
  bool weighted; /* the file gave whole weights from 1 to WEFT_WEIGHT_MAX */
};

/* The edges that end at v are first[v] .. first[v + 1] - 1. */
struct weft_graph {
  uint32_t vertices, edges;
  uint32_t *first;  /* vertices + 1 */
  uint32_t *source; /* edges */
  uint32_t *weight; /* edges */
  uint32_t *degree; /* edges that leave a vertex */
};

int weft_edges_add(struct weft *w, struct weft_edges *e, uint32_t from, uint32_t to, uint32_t weight);
void weft_edges_free(struct weft_edges *e);
/* R-MAT (Chakrabarti, Zhan and Faloutsos, 2004) with a, b, c, d = 0.57, 0.19, 0.19, 0.05; then the vertices
 * are renamed at random, so that the busy ones do not all belong to the first node. */
int weft_rmat(struct weft *w, uint64_t seed, uint32_t vertices, uint64_t edges, struct weft_edges *e);
/* `count` different ones of the vertices^2 possible edges, all sets of them as likely as another. */
int weft_uniform(struct weft *w, uint64_t seed, uint32_t vertices, uint64_t count, struct weft_edges *e);
/* "uniform:VERTICES,PERCENT" instead of a file's name. */
bool weft_graph_is_uniform(const char *graph);
int weft_uniform_parse(struct weft *w, const char *graph, uint32_t *vertices, uint64_t *edges);
/* Matrix Market, coordinate form, square: entry (i, j) is an edge from i to j. */
int weft_mtx_parse(struct weft *w, const char *name, const char *text, size_t bytes, struct weft_edges *e);

int weft_graph_build(struct weft *w, const struct weft_edges *e, uint64_t seed, struct weft_graph *g);
void weft_graph_free(struct weft_graph *g);
/* The vertex that most edges leave. */
uint32_t weft_graph_hub(const struct weft_graph *g);
/* The job's graph: its file, a uniform one, or an R-MAT graph of its size; sets job->size. */
int weft_graph_of_job(struct weft_job *job, struct weft_graph *g);

#endif
