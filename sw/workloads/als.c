/* SPDX-License-Identifier: Apache-2.0 */
/* als: a matrix of ratings R as the product of two thin factors, R = U^T V (alternating least squares by stochastic gradient
 * descent). A round improves the rows of U while V stays as it is, then V while U stays. A row's owner goes through the
 * row's ratings some at a time, takes a step down the gradient, and stores the row: the next step overwrites it. Whole
 * numbers throughout, 12 bits behind the point, so that every machine finds the same factors. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

#define RANK 8u  /* features of a row */
#define BATCH 8u /* ratings per step: four lanes for each */
#define POINT 12 /* bits behind the point */
#define STEP 4   /* a step is 2^-STEP of the batch's mean gradient */
#define DECAY 7  /* and the row loses 2^-DECAY of itself */
#define DEFAULT_ROWS 1024u
#define DEFAULT_ROUNDS 2u

struct row {
  int16_t feature[RANK];
};

/* The ratings of one side: those of row i are first[i] .. first[i + 1] - 1; `other` is the row of the other factor. */
struct side {
  uint32_t *first, *other, *rating;
  weft_address first_at, other_at, rating_at, factor_at;
  struct row *factor; /* the host's */
};

struct als {
  uint32_t rows, ratings;
  uint64_t rounds;
  struct side side[2]; /* U, V */
};

/* ---- Arithmetic, the same on both ---------------------------------------------------------------------- */

static int32_t dot(const struct row *a, const struct row *b)
{
  int32_t sum = 0;
  for (unsigned k = 0; k < RANK; k++)
    sum += a->feature[k] * b->feature[k] / (1 << 4);
  return sum / (1 << (POINT - 4));
}

static int16_t clamp(int32_t value)
{
  return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

/* One step for row u, by n ratings. */
static void descend(struct row *u, const struct row *v, const uint32_t *rating, unsigned n)
{
  int64_t gradient[RANK] = { 0 };
  if (!n)
    return;
  for (unsigned i = 0; i < n; i++) {
    int32_t error = (int32_t)((rating[i] & 15u) << (POINT - 2)) - dot(u, &v[i]);
    for (unsigned k = 0; k < RANK; k++)
      gradient[k] += (int64_t)error * v[i].feature[k];
  }
  for (unsigned k = 0; k < RANK; k++) {
    int32_t step = (int32_t)(gradient[k] / (int32_t)n / (1 << (POINT + STEP)));
    u->feature[k] = clamp(u->feature[k] + step - u->feature[k] / (1 << DECAY));
  }
}

/* ---- On the fabric ------------------------------------------------------------------------------------- */

static void improve(struct weft_warp *t, const struct side *s, weft_address others, uint64_t i)
{
  uint32_t bounds[2], other[BATCH], rating[BATCH];
  struct row u, v[BATCH];
  weft_load_span_async(t, s->first_at + 4 * i, bounds, sizeof bounds);
  weft_load_span(t, s->factor_at + sizeof u * i, &u, sizeof u);
  for (uint32_t at = bounds[0]; at < bounds[1]; at += BATCH) {
    unsigned n = bounds[1] - at < BATCH ? bounds[1] - at : BATCH;
    weft_load_span_async(t, s->other_at + 4 * (uint64_t)at, other, 4 * n);
    weft_load_span(t, s->rating_at + 4 * (uint64_t)at, rating, 4 * n);
    for (unsigned r = 0; r < n; r++)
      weft_load_async(t, others + sizeof u * other[r], &v[r], sizeof u, WEFT_WEAK, WEFT_CTA);
    weft_wait_all(t);
    descend(&u, v, rating, n);
    weft_compute(t, 4 * RANK + 12); /* products and gradients, the sums over the lanes, the step */
    weft_store_span(t, s->factor_at + sizeof u * i, &u, sizeof u);
  }
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct als *a = arg;
  struct weft_part part = weft_part_of_warp(a->rows, weft_where(t));
  for (uint64_t half = 0; half < 2 * a->rounds; half++) {
    for (uint64_t i = part.first; i < part.end; i++)
      improve(t, &a->side[half & 1], a->side[~half & 1].factor_at, i);
    weft_barrier(t);
  }
}

/* ---- Plain C ------------------------------------------------------------------------------------------- */

static void plain(struct als *a)
{
  for (uint64_t half = 0; half < 2 * a->rounds; half++) {
    const struct side *s = &a->side[half & 1], *o = &a->side[~half & 1];
    for (uint32_t i = 0; i < a->rows; i++)
      for (uint32_t at = s->first[i]; at < s->first[i + 1]; at += BATCH) {
        unsigned n = s->first[i + 1] - at < BATCH ? s->first[i + 1] - at : BATCH;
        struct row v[BATCH];
        for (unsigned r = 0; r < n; r++)
          v[r] = o->factor[s->other[at + r]];
        descend(&s->factor[i], v, s->rating + at, n);
      }
  }
}

/* ---- The job ------------------------------------------------------------------------------------------- */

/* The same ratings by column: V's side. */
static void transpose(const struct als *a, const struct side *u, struct side *v)
{
  for (uint32_t r = 0; r < a->ratings; r++)
    v->first[u->other[r] + 1]++;
  for (uint32_t i = 0; i < a->rows; i++)
    v->first[i + 1] += v->first[i];
  for (uint32_t i = 0; i < a->rows; i++)
    for (uint32_t r = u->first[i]; r < u->first[i + 1]; r++) {
      uint32_t at = v->first[u->other[r]]++;
      v->other[at] = i;
      v->rating[at] = u->rating[r];
    }
  memmove(v->first + 1, v->first, a->rows * sizeof *v->first); /* each had moved to the next one's place */
  v->first[0] = 0;
}

static void draw(struct weft_job *job, struct als *a)
{
  struct weft_random random = weft_random_stream(job->seed, WEFT_STREAM_INPUT);
  for (unsigned s = 0; s < 2; s++)
    for (uint32_t i = 0; i < a->rows; i++)
      for (unsigned k = 0; k < RANK; k++)
        a->side[s].factor[i].feature[k] = (int16_t)(256 + weft_random_below(&random, 1024));
}

static int upload(struct weft_job *job, const struct als *a, struct side *s, const char *const names[4])
{
  int code = weft_job_array(job, names[0], s->first, (uint64_t)a->rows + 1, 4, &s->first_at);
  if (!code)
    code = weft_job_array(job, names[1], s->other, (uint64_t)a->ratings + 1, 4, &s->other_at);
  if (!code)
    code = weft_job_array(job, names[2], s->rating, (uint64_t)a->ratings + 1, 4, &s->rating_at);
  return code ? code : weft_job_array(job, names[3], s->factor, a->rows, sizeof *s->factor, &s->factor_at);
}

static int run_factors(struct weft_job *job, struct als *a)
{
  static const char *const names[2][4] = { { "first_u", "other_u", "rating_u", "u" },
                                           { "first_v", "other_v", "rating_v", "v" } };
  transpose(a, &a->side[0], &a->side[1]);
  draw(job, a);
  weft_job_say(job, "%u rows and columns, %u ratings, %" PRIu64 " rounds", a->rows, a->ratings, a->rounds);
  int code = upload(job, a, &a->side[0], names[0]);
  if (!code)
    code = upload(job, a, &a->side[1], names[1]);
  if (!code)
    code = weft_job_launch(job, kernel, a);
  if (!code)
    plain(a);
  for (unsigned s = 0; !code && s < 2; s++)
    code = weft_job_compare(job, s ? "row of v" : "row of u", a->side[s].factor_at, a->side[s].factor,
                            a->rows, sizeof(struct row));
  return code;
}

static int run(struct weft_job *job)
{
  struct weft_graph g;
  if (!job->size && !job->options->graph)
    job->size =
      weft_job_fit(job, DEFAULT_ROWS, 2 * (4 + sizeof(struct row)) + 16 * 8); /* 8 ratings per row */
  int code = weft_graph_of_job(job, &g);
  if (code)
    return code;
  size_t rows = g.vertices, ratings = (size_t)g.edges + 1;
  struct als a = { g.vertices,
                   g.edges,
                   job->iterations ? job->iterations : DEFAULT_ROUNDS,
                   { { .first = g.first, .other = g.source, .rating = g.weight } } };
  struct side *v = &a.side[1];
  *v = (struct side){ .first = calloc(rows + 1, sizeof *v->first),
                      .other = calloc(ratings, sizeof *v->other),
                      .rating = calloc(ratings, sizeof *v->rating),
                      .factor = calloc(rows, sizeof *v->factor) };
  a.side[0].factor = calloc(rows, sizeof *v->factor);
  bool made = v->first && v->other && v->rating && v->factor && a.side[0].factor;
  code = made ? run_factors(job, &a) : weft_fail_memory(job->w);
  free(v->first);
  free(v->other);
  free(v->rating);
  free(v->factor);
  free(a.side[0].factor);
  weft_graph_free(&g);
  return code;
}

const struct weft_workload weft_workload_als = {
  { "als", "",
    "factors of a matrix of ratings, alternating least squares by gradient descent, in fixed point",
    "rows and columns" },
  run,
};
