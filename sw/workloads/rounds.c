/* SPDX-License-Identifier: Apache-2.0 */
#include "rounds.h"

#include <inttypes.h>

#define STRIDE 128u /* a line of any size each */

int weft_rounds_make(struct weft_job *job, struct weft_rounds *r)
{
  *r = (struct weft_rounds){ .launches = job->options->launches };
  return weft_job_single(job, "changed", NULL, WEFT_ROUNDS_KEPT, STRIDE, &r->counters);
}

int weft_rounds_compare(struct weft_job *job, uint64_t made, uint64_t needed)
{
  if (made == needed)
    return WEFT_OK;
  return weft_fail(job->w, WEFT_WRONG_RESULT,
                   "%s: %" PRIu64 " rounds were made, the plain run needs %" PRIu64, job->name, made, needed);
}

static weft_address counter(const struct weft_rounds *r, uint64_t round)
{
  return r->counters + round % WEFT_ROUNDS_KEPT * STRIDE;
}

static bool kernel_ends(struct weft_warp *t, struct weft_rounds *r, uint64_t round, uint64_t changed)
{
  if (changed)
    weft_store64(t, counter(r, round), 1);
  r->host[round % WEFT_ROUNDS_KEPT] += changed;
  if (!weft_where(t)->index)
    r->host[(round + 1) % WEFT_ROUNDS_KEPT] = 0;
  weft_barrier(t);
  return r->host[round % WEFT_ROUNDS_KEPT];
}

bool weft_round_ends(struct weft_warp *t, struct weft_rounds *r, uint64_t round, uint64_t changed)
{
  if (r->launches)
    return kernel_ends(t, r, round, changed);
  if (changed)
    weft_rmw(t, WEFT_ADD, counter(r, round), 8, changed, 0, WEFT_RELAXED, WEFT_SYS);
  if (!weft_where(t)->index)
    weft_rmw(t, WEFT_EXCH, counter(r, round + 1), 8, 0, 0, WEFT_RELAXED, WEFT_SYS);
  weft_barrier(t);
  return weft_rmw(t, WEFT_OR, counter(r, round), 8, 0, 0, WEFT_RELAXED, WEFT_SYS);
}
