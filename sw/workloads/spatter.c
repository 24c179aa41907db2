/* SPDX-License-Identifier: Apache-2.0 */
/* spatter: gathers and scatters by patterns taken from programs, one pattern after the other with a barrier
 * between.
 *   Gather          dense[i n + j]             = sparse[index[j] + delta i]
 *   Scatter         sparse[index[j] + delta i] = dense[i n + j]
 *   Gather-scatter  other[to[j] + delta' i]    = sparse[index[j] + delta i]
 * for i below the number of iterations and n indices, in elements of 8 bytes. Elements are dealt to warps in
 * runs. Scattered elements often coincide. What a scatter stores depends on the place alone, so every order
 * gives the same; of a gather-scatter only the last in program order stores. */
#include "spatter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text_input.h"

#define DEFAULT_ELEMENTS 8192u
#define MOST_ELEMENTS (UINT64_C(1) << 30)
#define RUN 16u /* elements that a warp has in hand */

static const char built_in[] =
  "[{\"kernel\": \"Gather\", \"pattern\": \"UNIFORM:16:1\", \"delta\": 16},\n"
  " {\"kernel\": \"Scatter\", \"pattern\": \"UNIFORM:16:24\", \"delta\": 8},\n"
  " {\"kernel\": \"Gather\", \"pattern\": \"MS1:16:4,8,12:100\", \"delta\": 4},\n"
  " {\"kernel\": \"GS\", \"pattern-gather\": \"UNIFORM:16:8\", \"pattern-scatter\": \"UNIFORM:16:1\",\n"
  "  \"delta-gather\": 1, \"delta-scatter\": 16},\n"
  " {\"kernel\": \"Scatter\", \"pattern\": [0, 24, 48, 72, 0, 24, 48, 72], \"delta\": 0},\n"
  " {\"kernel\": \"Gather\", \"pattern\": \"LAPLACIAN:2:2:32\", \"delta\": 1}]";

struct job {
  struct weft_spatter_set set;
  uint64_t *rounds;                                /* iterations of each pattern */
  uint64_t sparse_count, other_count, dense_count; /* elements */
  weft_address sparse, other, dense;
  uint64_t *
    *last; /* of each gather-scatter: which element is the last to store to a place; NULL for others */
  uint64_t seed;
};

static uint64_t index_of(const struct weft_spatter_pattern *p, uint64_t element)
{
  return p->index[element % p->length] + p->delta * (element / p->length);
}

static uint64_t to_of(const struct weft_spatter_pattern *p, uint64_t element)
{
  return p->to[element % p->length] + p->delta_to * (element / p->length);
}

/* What pattern number `k` scatters to a place. */
static uint64_t scattered(const struct job *s, size_t k, uint64_t place)
{
  return weft_random_mix(s->seed + ((uint64_t)k << 40) + place);
}

/* ---- On the fabric ----------------------------------------------------------------------------------- */

static void gather_run(struct weft_warp *t, const struct job *s, const struct weft_spatter_pattern *p,
                       uint64_t first, unsigned n, uint64_t *value)
{
  for (unsigned i = 0; i < n; i++)
    weft_load_async(t, s->sparse + 8 * index_of(p, first + i), &value[i], 8, WEFT_WEAK, WEFT_CTA);
  weft_wait_all(t);
  weft_compute(t, 1);
}

static void do_run(struct weft_warp *t, const struct job *s, size_t k, uint64_t first, unsigned n)
{
  const struct weft_spatter_pattern *p = &s->set.pattern[k];
  uint64_t value[RUN];
  switch (p->kernel) {
  case WEFT_GATHER:
    gather_run(t, s, p, first, n, value);
    weft_store_span(t, s->dense + 8 * first, value, 8 * n);
    break;
  case WEFT_SCATTER:
    for (unsigned i = 0; i < n; i++)
      value[i] = scattered(s, k, index_of(p, first + i));
    weft_store_span(t, s->dense + 8 * first, value, 8 * n);
    weft_load_span(t, s->dense + 8 * first, value, 8 * n);
    weft_compute(t, 1);
    for (unsigned i = 0; i < n; i++)
      weft_store64(t, s->sparse + 8 * index_of(p, first + i), value[i]);
    break;
  default:
    gather_run(t, s, p, first, n, value);
    for (unsigned i = 0; i < n; i++)
      if (s->last[k][to_of(p, first + i)] == first + i)
        weft_store64(t, s->other + 8 * to_of(p, first + i), value[i]);
  }
}

static void kernel(struct weft_warp *t, void *arg)
{
  const struct job *s = arg;
  for (size_t k = 0; k < s->set.count; k++) {
    uint64_t elements = s->rounds[k] * s->set.pattern[k].length;
    struct weft_part runs = weft_part_of_warp((elements + RUN - 1) / RUN, weft_where(t));
    for (uint64_t r = runs.first; r < runs.end; r++) {
      uint64_t left = elements - r * RUN;
      do_run(t, s, k, r * RUN, left < RUN ? (unsigned)left : RUN);
    }
    weft_barrier(t);
  }
}

/* ---- Plain C ----------------------------------------------------------------------------------------- */

static void plain(const struct job *s, uint64_t *sparse, uint64_t *other, uint64_t *dense)
{
  for (size_t k = 0; k < s->set.count; k++) {
    const struct weft_spatter_pattern *p = &s->set.pattern[k];
    for (uint64_t e = 0; e < s->rounds[k] * p->length; e++) {
      if (p->kernel == WEFT_GATHER)
        dense[e] = sparse[index_of(p, e)];
      else if (p->kernel == WEFT_SCATTER)
        sparse[index_of(p, e)] = dense[e] = scattered(s, k, index_of(p, e));
      else
        other[to_of(p, e)] = sparse[index_of(p, e)];
    }
  }
}

/* ---- The job ----------------------------------------------------------------------------------------- */

static uint64_t largest(const uint64_t *index, size_t count)
{
  uint64_t most = 0;
  for (size_t i = 0; i < count; i++)
    if (index[i] > most)
      most = index[i];
  return most;
}

/* Iterations after which an index that starts at `most` and grows by `delta` leaves `room`; at least 1. */
static uint64_t rounds_in(uint64_t room, uint64_t most, uint64_t delta)
{
  if (most >= room)
    return 1;
  return delta ? (room - 1 - most) / delta + 1 : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* As many iterations of a pattern as were asked for, as are in the file, and as leave each of the three
 * arrays in a quarter of the machine's memory. */
static int choose_rounds(struct weft_job *job, struct job *s, size_t k)
{
  const struct weft_spatter_pattern *p = &s->set.pattern[k];
  uint64_t room = job->machine.memory / 8 * job->machine.nodes / 4,
           rounds = least(job->size / p->length, p->count);
  uint64_t most = largest(p->index, p->length), most_to = p->to ? largest(p->to, p->length) : 0;
  rounds = least(rounds, rounds_in(room, most, p->delta));
  rounds = least(rounds, p->to ? rounds_in(room, most_to, p->delta_to) : rounds);
  rounds = least(rounds, room / p->length);
  if (!rounds)
    rounds = 1;
  s->rounds[k] = rounds;
  uint64_t sparse = most + p->delta * (rounds - 1) + 1;
  uint64_t other = p->to ? most_to + p->delta_to * (rounds - 1) + 1 : 0;
  if (sparse > room || other > room || rounds * p->length > room)
    return weft_fail(job->w, WEFT_NO_ROOM,
                     "spatter: pattern %zu reaches element %" PRIu64
                     " of 8 bytes; this machine has room for %" PRIu64
                     "\nuse a larger one, such as model:quad, or --set memory.bytes=N",
                     k + 1, sparse > other ? sparse : other, room);
  if (sparse > s->sparse_count)
    s->sparse_count = sparse;
  if (other > s->other_count)
    s->other_count = other;
  if (rounds * p->length > s->dense_count)
    s->dense_count = rounds * p->length;
  return WEFT_OK;
}

static int find_last(struct weft_job *job, struct job *s, size_t k)
{
  const struct weft_spatter_pattern *p = &s->set.pattern[k];
  if (p->kernel != WEFT_GATHER_SCATTER)
    return WEFT_OK;
  s->last[k] = calloc(s->other_count, sizeof *s->last[k]);
  if (!s->last[k])
    return weft_fail_memory(job->w);
  for (uint64_t e = 0; e < s->rounds[k] * p->length; e++)
    s->last[k][to_of(p, e)] = e;
  return WEFT_OK;
}

static int read_patterns(struct weft_job *job, struct job *s)
{
  char *text;
  size_t bytes;
  if (!job->options->pattern)
    return weft_spatter_parse(job->w, "built-in", built_in, sizeof built_in - 1, &s->set);
  int code = weft_file_read(job->w, job->options->pattern, &text, &bytes);
  if (code)
    return code;
  code = weft_spatter_parse(job->w, job->options->pattern, text, bytes, &s->set);
  free(text);
  return code;
}

static int prepare(struct weft_job *job, struct job *s)
{
  int code = read_patterns(job, s);
  if (code)
    return code;
  s->seed = job->seed;
  s->rounds = calloc(s->set.count, sizeof *s->rounds);
  s->last = calloc(s->set.count, sizeof *s->last);
  if (!s->rounds || !s->last)
    return weft_fail_memory(job->w);
  s->other_count = 1;
  for (size_t k = 0; !code && k < s->set.count; k++)
    code = choose_rounds(job, s, k);
  for (size_t k = 0; !code && k < s->set.count; k++)
    code = find_last(job, s, k);
  weft_job_say(job, "%zu patterns, %" PRIu64 " sparse and %" PRIu64 " dense elements of 8 bytes",
               s->set.count, s->sparse_count, s->dense_count);
  return code;
}

static int run_arrays(struct weft_job *job, struct job *s, uint64_t *sparse, uint64_t *other, uint64_t *dense)
{
  struct weft_random random = weft_random_stream(job->seed, WEFT_STREAM_INPUT);
  for (uint64_t i = 0; i < s->sparse_count; i++)
    sparse[i] = weft_random_next(&random);
  int code = weft_job_array(job, "sparse", sparse, s->sparse_count, 8, &s->sparse);
  if (!code)
    code = weft_job_array(job, "other", NULL, s->other_count, 8, &s->other);
  if (!code)
    code = weft_job_array(job, "dense", NULL, s->dense_count, 8, &s->dense);
  if (!code)
    code = weft_job_launch(job, kernel, s);
  if (code)
    return code;
  plain(s, sparse, other, dense);
  code = weft_job_compare(job, "sparse element", s->sparse, sparse, s->sparse_count, 8);
  if (!code)
    code = weft_job_compare(job, "scattered element", s->other, other, s->other_count, 8);
  return code ? code : weft_job_compare(job, "dense element", s->dense, dense, s->dense_count, 8);
}

static int run(struct weft_job *job)
{
  struct job s = { 0 };
  if (!job->size)
    job->size = DEFAULT_ELEMENTS;
  if (job->size > MOST_ELEMENTS)
    return weft_job_bad_size(job, 1, MOST_ELEMENTS);
  int code = prepare(job, &s);
  if (!code) {
    uint64_t *sparse = calloc(s.sparse_count, 8), *other = calloc(s.other_count, 8),
             *dense = calloc(s.dense_count, 8);
    code = sparse && other && dense ? run_arrays(job, &s, sparse, other, dense) : weft_fail_memory(job->w);
    free(sparse);
    free(other);
    free(dense);
  }
  for (size_t k = 0; s.last && k < s.set.count; k++)
    free(s.last[k]);
  free(s.last);
  free(s.rounds);
  weft_spatter_free(&s.set);
  return code;
}

const struct weft_workload weft_workload_spatter = {
  { "spatter", "", "gathers and scatters by Spatter's patterns", "elements per pattern" },
  run,
};
