/* SPDX-License-Identifier: Apache-2.0 */
#include "explore.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct pool {
  const struct explore_job *job;
  struct explore_placement *list;
  size_t count, next, done;
  struct explore_result *result;
  pthread_mutex_t lock;
};

static void add_outcomes(struct explore_result *r, const struct explore_found *f)
{
  for (unsigned i = 0; i < f->outcomes; i++) {
    unsigned at = 0;
    while (at < r->outcomes && memcmp(&r->outcome[at], &f->outcome[i], sizeof r->outcome[at]) != 0)
      at++;
    if (at < r->outcomes)
      continue;
    if (at == EXPLORE_OUTCOMES)
      r->end = EXPLORE_OVERFLOW;
    else
      r->outcome[r->outcomes++] = f->outcome[i];
  }
}

static uint64_t lines_of(const char *text)
{
  uint64_t lines = 0;
  for (; *text; text++)
    lines += *text == '\n';
  return lines;
}

/* Takes over what was found; of all traces the shortest is kept. */
static void add(struct explore_result *r, const struct explore_placement *p, struct explore_found *f)
{
  r->placements++;
  r->states += f->states;
  r->violations += f->violations;
  r->deadlocks += f->deadlocks;
  r->incomplete += f->end != EXPLORE_COMPLETE;
  r->condition |= f->condition;
  r->end = f->end > r->end ? f->end : r->end;
  add_outcomes(r, f);
  uint64_t lines = f->trace ? lines_of(f->trace) : 0;
  if (f->trace && (!r->trace || lines < r->trace_lines)) {
    free(r->trace);
    r->trace = f->trace;
    r->trace_lines = lines;
    memcpy(r->what, f->what, sizeof r->what);
    weft_explore_placement_text(&r->shape, p, r->where, sizeof r->where);
    f->trace = NULL;
  }
  free(f->trace);
}

static void *work(void *context)
{
  struct pool *pool = context;
  const struct explore_job *job = pool->job;
  struct explore_found *found = malloc(sizeof *found);
  pthread_mutex_lock(&pool->lock);
  while (found && pool->next < pool->count && !(job->stop && pool->result->trace)) {
    const struct explore_placement *p = &pool->list[pool->next++];
    struct explore_machine m;
    pthread_mutex_unlock(&pool->lock);
    weft_explore_machine_make(&m, &pool->result->shape, p, &job->options);
    weft_explore_search(&m, job->stop, found);
    pthread_mutex_lock(&pool->lock);
    add(pool->result, p, found);
    pool->done++;
    if (job->progress)
      job->progress(job->context, pool->result->shape.name, pool->done, pool->count, pool->result->states);
  }
  pthread_mutex_unlock(&pool->lock);
  free(found);
  return NULL;
}

bool weft_explore_shape(const struct weft_explore_shape *shape, const struct explore_job *job,
                        struct explore_result *result)
{
  enum { WORKERS = 64 };
  pthread_t worker[WORKERS];
  unsigned started = 0;
  *result = (struct explore_result){ .shape = *shape };
  if (weft_lease_mode(job->options.protocol) == WEFT_LEASE_CAUSAL)
    result->shape.verdict = EXPLORE_FORBIDDEN; /* no condition of the table is sequentially consistent */
  struct pool pool = { .job = job, .result = result, .lock = PTHREAD_MUTEX_INITIALIZER };
  pool.count = weft_explore_placements(shape, job, &pool.list);
  while (started + 1 < job->workers && started < WORKERS && started + 1 < pool.count &&
         !pthread_create(&worker[started], NULL, work, &pool))
    started++;
  work(&pool);
  for (unsigned i = 0; i < started; i++)
    pthread_join(worker[i], NULL);
  free(pool.list);
  return pool.count && (pool.done == pool.count || (job->stop && result->trace));
}
