/* SPDX-License-Identifier: Apache-2.0 */
/* What a warp does in a round: it makes its caches warm, waits for the round's cycle, and runs its thread; or it stands
 * by and reads. */
#include "runner.h"

struct job {
  struct weft_warp *t;
  struct litmus_run *r;
  struct litmus_instance *in;
  struct weft_random random;
};

/* Reads some of the variables, so that old copies of them lie about in L1 and L2. */
static void warm(struct job *s, unsigned tenths)
{
  const struct weft_litmus *test = s->r->test;
  uint8_t dropped[128];
  for (unsigned k = 0; k < test->locations; k++) {
    if (weft_random_below(&s->random, 10) >= tenths)
      continue;
    bool weak = weft_random_below(&s->random, 4);
    weft_load_async(s->t, s->in->address[k], dropped, weft_litmus_element_bytes(test, k),
                    weak ? WEFT_WEAK : WEFT_RELAXED, weak ? WEFT_CTA : WEFT_SYS);
  }
  weft_wait_all(s->t);
}

/* Reads lines that nobody needs, for what they push out of caches and directory. */
static void push_out(struct job *s)
{
  uint8_t dropped[128];
  unsigned count = 1 + weft_random_below(&s->random, 6);
  while (count--) {
    const struct litmus_area *area = &s->r->area[weft_random_below(&s->random, s->r->machine.nodes)];
    weft_load_async(s->t,
                    area->base + (uint64_t)weft_random_below(&s->random, area->lines) * s->r->machine.line,
                    dropped, 4, WEFT_WEAK, WEFT_CTA);
  }
  weft_wait_all(s->t);
}

static void stand_by(struct job *s)
{
  unsigned times = weft_random_below(&s->random, 3);
  while (times--) {
    weft_compute(s->t, weft_random_below(&s->random, (uint32_t)s->r->longest + 20u));
    if (weft_random_below(&s->random, 2))
      push_out(s);
    warm(s, 5);
  }
}

static void do_job(struct job *s, const struct litmus_job *job)
{
  warm(s, s->in->warm);
  if (!weft_random_below(&s->random, 8))
    push_out(s);
  uint64_t now = weft_cycle(s->t);
  if (now < job->start)
    weft_compute(s->t, job->start - now);
  s->r->jobs++;
  s->r->late += now > job->start;
  if (job->thread < 0) {
    stand_by(s);
    return;
  }
  weft_compute(s->t, s->in->delay[job->thread]);
  weft_litmus_run_thread(s->t, s->r, s->in, (unsigned)job->thread, s->random);
}

void weft_litmus_kernel(struct weft_warp *t, void *run)
{
  struct litmus_run *r = run;
  const struct litmus_queue *queue = &r->queue[weft_where(t)->index];
  for (unsigned i = 0; i < queue->count; i++) {
    const struct litmus_job *job = &queue->job[i];
    uint64_t stream = (uint64_t)job->instance * 64 +
                      (job->thread < 0 ? 32 + weft_where(t)->index % 32 : (unsigned)job->thread);
    struct job s = {
      .t = t, .r = r, .in = &r->instance[job->instance], .random = weft_random_stream(r->seed, stream)
    };
    do_job(&s, job);
  }
}
