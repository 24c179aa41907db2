/* SPDX-License-Identifier: Apache-2.0 */
#include "rounds.h"

#define COUNTERS 3u
#define STRIDE 128u /* a line of any size each */

int weft_rounds_array(struct weft_job *job, weft_address *counters)
{
  return weft_job_single(job, "changed", NULL, COUNTERS, STRIDE, counters);
}

static weft_address counter(weft_address counters, uint64_t round)
{
  return counters + round % COUNTERS * STRIDE;
}

bool weft_round_ends(struct weft_warp *t, weft_address counters, uint64_t round, uint64_t changed)
{
  if (changed)
    weft_rmw(t, WEFT_ADD, counter(counters, round), 8, changed, 0, WEFT_RELAXED, WEFT_SYS);
  if (!weft_where(t)->index)
    weft_rmw(t, WEFT_EXCH, counter(counters, round + 1), 8, 0, 0, WEFT_RELAXED, WEFT_SYS);
  weft_barrier(t);
  return weft_rmw(t, WEFT_OR, counter(counters, round), 8, 0, 0, WEFT_RELAXED, WEFT_SYS);
}
