/* SPDX-License-Identifier: Apache-2.0 */
/* Who does what in which round of a launch. */
#include <stdlib.h>
#include <string.h>

#include "runner.h"

#define FIRST_ROUND 600u /* cycles: launched and warmed by then */

static bool add_job(struct litmus_queue *queue, uint32_t instance, int thread, uint64_t start)
{
  if (!weft_litmus_grow((void **)&queue->job, &queue->room, queue->count, sizeof *queue->job))
    return false;
  queue->job[queue->count++] = (struct litmus_job){ instance, thread, start };
  return true;
}

static void shuffle(struct litmus_area *area, struct weft_random *random)
{
  area->taken = 0;
  for (uint32_t i = 0; i < area->lines; i++)
    area->line[i] = i;
  for (uint32_t i = area->lines; i > 1; i--) {
    uint32_t other = weft_random_below(random, i), kept = area->line[i - 1];
    area->line[i - 1] = area->line[other];
    area->line[other] = kept;
  }
}

/* Either all begin at about the same time, or one after the other in some order, each about when the one before it
 * ends: what a thread hands on is then looked for just when it comes. */
static void draw_delays(const struct litmus_run *r, struct weft_random *random, struct litmus_instance *in)
{
  unsigned threads = r->test->threads, order[LITMUS_THREADS];
  uint32_t longest = (uint32_t)r->longest;
  const uint32_t apart[] = { 0, 8, longest / 8, longest / 4, longest };
  bool staggered = weft_random_below(random, 2);
  uint32_t most = apart[weft_random_below(random, 5)], at = 0;
  for (unsigned i = 0; i < threads; i++) {
    unsigned other = weft_random_below(random, i + 1);
    order[i] = order[other];
    order[other] = i;
  }
  for (unsigned i = 0; i < threads; i++) {
    uint32_t span = (uint32_t)(r->span[order[i]] > longest / 2 ? r->span[order[i]] : longest / 2);
    uint32_t back = weft_random_below(random, span / 2 + 2);
    in->delay[order[i]] = !staggered ? weft_random_below(random, most + 1) : at > back ? at - back : 0;
    at += span / 2 + weft_random_below(random, span + 2);
  }
}

/* How wild it gets is drawn for each instance: all cold or all warm, in step or apart, with pauses or without. */
static void draw_manners(const struct litmus_run *r, struct weft_random *random, struct litmus_instance *in)
{
  static const uint8_t warm[] = { 0, 2, 5, 8, 10 };
  static const uint8_t pause[] = { 0, 0, 4, 40 };
  in->warm = warm[weft_random_below(random, 5)];
  in->pause = pause[weft_random_below(random, 4)];
  in->busy = (uint8_t)(2 + weft_random_below(random, 6));
  draw_delays(r, random, in);
}

static bool begin_instance(struct litmus_run *r, struct weft_random *random, const unsigned *warp)
{
  struct litmus_instance *in = &r->instance[r->instances];
  struct litmus_barriers *barriers = in->barriers;
  memset(in, 0, sizeof *in);
  if (r->test->barriers && !barriers)
    barriers = malloc(sizeof *barriers);
  if (r->test->barriers && !barriers)
    return false;
  if (barriers)
    memset(barriers, 0, sizeof *barriers);
  in->barriers = barriers;
  draw_manners(r, random, in);
  return weft_litmus_place_variables(r, random, warp, in);
}

static bool stand_by(struct litmus_run *r, struct weft_random *random, const bool *used, uint32_t first,
                     uint64_t start)
{
  unsigned warps = r->machine.nodes * r->machine.cus * r->machine.warps;
  unsigned count = weft_random_below(random, 4);
  for (unsigned i = 0; i < count; i++) {
    unsigned warp = weft_random_below(random, warps);
    uint32_t instance = first + weft_random_below(random, r->instances - first);
    if (!used[warp] && !add_job(&r->queue[warp], instance, -1, start))
      return false;
  }
  return true;
}

/* As many instances as were drawn, and find warps and lines. *full: no lines are left. */
static bool plan_round(struct litmus_run *r, struct weft_random *random, uint64_t start, uint64_t most,
                       bool *used, bool *full)
{
  unsigned warps = r->machine.nodes * r->machine.cus * r->machine.warps;
  unsigned want = 1 + weft_random_below(random, (warps / 2 + r->test->threads) / r->test->threads);
  uint32_t first = r->instances;
  unsigned warp[LITMUS_THREADS];
  memset(used, 0, warps * sizeof *used);
  while (want-- && r->instances - first < most) {
    if (!weft_litmus_place_threads(r, random, used, warp))
      break;
    if (!begin_instance(r, random, warp)) {
      *full = true;
      break;
    }
    for (unsigned i = 0; i < r->test->threads; i++) {
      used[warp[i]] = true;
      if (!add_job(&r->queue[warp[i]], r->instances, (int)i, start))
        return false;
    }
    r->instances++;
  }
  return r->instances == first || stand_by(r, random, used, first, start);
}

bool weft_litmus_plan(struct litmus_run *r, uint64_t batch, uint64_t runs)
{
  unsigned warps = r->machine.nodes * r->machine.cus * r->machine.warps;
  struct weft_random random = weft_random_stream(r->seed, batch);
  bool *used = calloc(warps, sizeof *used), full = false, good = used;
  r->instances = 0;
  for (unsigned i = 0; i < warps; i++)
    r->queue[i].count = 0;
  for (unsigned i = 0; i < r->machine.nodes; i++)
    shuffle(&r->area[i], &random);
  if (runs > r->room)
    runs = r->room;
  for (uint64_t round = 0; good && !full && r->instances < runs; round++)
    good = plan_round(r, &random, FIRST_ROUND + round * r->period, runs - r->instances, used, &full);
  free(used);
  return good && r->instances;
}
