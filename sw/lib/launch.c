/* SPDX-License-Identifier: Apache-2.0 */
/* A launch: every warp a coroutine; whoever can go on does; then time runs to the fabric's next answer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "watch.h"

#define ANSWERS 512u

/* ---- Beginning and end of a CU ----------------------------------------------------------------------- */

static struct weft_warp *leader(struct weft_warp *t)
{
  return t - t->place.warp;
}

static void make_ready(struct weft_warp *t)
{
  t->state = WEFT_WARP_READY;
  t->run->ready[t->run->ready_count++] = t;
}

static void cu_begin(struct weft_warp *first)
{
  struct weft_request acquire = { .op = WEFT_CU_OP_FENCE, .order = WEFT_ORDER_ACQUIRE };
  for (unsigned i = 0; i < first->place.warps; i++)
    if (!first[i].coroutine.finished && first[i].acquires > acquire.scope)
      acquire.scope = first[i].acquires;
  first->state = WEFT_WARP_BEGINNING;
  weft_issue(first, &acquire);
}

static void cu_begun(struct weft_warp *first, uint64_t cycle)
{
  for (unsigned i = 0; i < first->place.warps; i++) {
    first[i].now = cycle + 1 + first->run->w->dispatch * (i * first->place.cus + first->place.cu);
    first[i].at_boundary = false;
    if (!first[i].coroutine.finished)
      make_ready(&first[i]);
  }
}

/* The release is shown to the port behind everything that the CU's warps have issued. */
static void cu_end(struct weft_warp *first)
{
  struct weft_request release = { .op = WEFT_CU_OP_FENCE,
                                  .order = WEFT_ORDER_RELEASE,
                                  .scope = WEFT_SCOPE_SYS };
  for (unsigned i = 1; i < first->place.warps; i++)
    if (first[i].now > first->now)
      first->now = first[i].now;
  first->state = WEFT_WARP_ENDING;
  weft_issue(first, &release);
}

static void warp_main(void *arg)
{
  struct weft_warp *t = arg;
  t->run->kernel(t, t->run->arg);
  /* Slots may still fly, but warp 0 needs a free one for its CU's release. */
  weft_drain(t);
}

static unsigned cu_of(const struct weft_warp *t)
{
  return t->place.node * t->place.cus + t->place.cu;
}

static void warp_stops(struct weft_warp *t, enum weft_warp_state state)
{
  t->state = state;
  t->run->progress = t->run->cycle;
  if (--t->run->alive[cu_of(t)] == 0)
    cu_end(leader(t));
}

static void warp_ended(struct weft_warp *t)
{
  t->run->finished++;
  warp_stops(t, WEFT_WARP_ENDED);
}

/* ---- Kernel after kernel ----------------------------------------------------------------------------- */

void weft_boundary(struct weft_warp *t, enum weft_memory_scope scope)
{
  weft_drain(t);
  t->at_boundary = true;
  t->acquires = (uint8_t)scope;
  warp_stops(t, WEFT_WARP_AT_BOUNDARY);
  weft_coroutine_yield(&t->coroutine);
}

/* All CUs have ended. Those whose warps wait for another kernel begin again; a launch costs what it always does. */
static void next_kernel(struct weft_run *run)
{
  const struct weft_config *c = &run->w->config;
  run->w->statistics.launches += run->finished < run->warps;
  for (unsigned i = 0; i < run->warps; i++)
    run->alive[cu_of(&run->warp[i])] += run->warp[i].at_boundary;
  for (unsigned i = 0; i < run->warps; i += (unsigned)c->warps)
    if (run->alive[cu_of(&run->warp[i])]) {
      run->cus_left++;
      run->warp[i].now = run->end + c->compute_launch;
      cu_begin(&run->warp[i]);
    }
}

/* ---- The loop ---------------------------------------------------------------------------------------- */

static void run_ready(struct weft_run *run)
{
  for (unsigned i = 0; i < run->ready_count && !run->code; i++) {
    struct weft_warp *t = run->ready[i];
    weft_coroutine_resume(&t->coroutine);
    if (t->coroutine.finished)
      warp_ended(t);
  }
  run->ready_count = 0;
}

static void deliver(struct weft_warp *t, struct weft_slot *slot, const struct weft_cu_rsp *rsp)
{
  if (slot->op == WEFT_CU_OP_LOAD)
    memcpy(slot->to, rsp->data + (slot->physical & (t->place.line - 1)), slot->bytes);
  else if (slot->op == WEFT_CU_OP_ATOMIC && slot->to)
    memcpy(slot->to, rsp->data, slot->bytes);
  if (slot->op != WEFT_CU_OP_FENCE)
    t->run->w->statistics.bytes += slot->bytes;
  t->run->w->statistics.operations++;
}

static void answered(struct weft_warp *t, unsigned number)
{
  struct weft_run *run = t->run;
  uint64_t cycle = t->slot[number].answered;
  switch (t->state) {
  case WEFT_WARP_BEGINNING:
    cu_begun(t, cycle);
    break;
  case WEFT_WARP_ENDING:
    run->cus_left--;
    if (cycle + 1 > run->end)
      run->end = cycle + 1;
    if (!run->cus_left)
      next_kernel(run);
    break;
  case WEFT_WARP_WAITS_ONE:
    if (t->waits == number)
      make_ready(t);
    break;
  case WEFT_WARP_WAITS_ANY:
    make_ready(t);
    break;
  default:
    break;
  }
}

static void take_answer(struct weft_run *run, const struct weft_port_done *done)
{
  struct weft *w = run->w;
  const struct weft_config *c = &w->config;
  uint64_t index = (done->node * c->cus + done->cu) * c->warps + done->rsp.warp;
  struct weft_warp *t = index < run->warps && done->rsp.warp < c->warps ? &run->warp[index] : NULL;
  if (!t || done->rsp.tag >= c->outstanding || !t->slot[done->rsp.tag].flying) {
    run->code = weft_fail(w, WEFT_BACKEND_BROKE,
                          "an answer that nobody asked for: node %u cu %u warp %u tag %u, cycle %" PRIu64,
                          done->node, done->cu, done->rsp.warp, done->rsp.tag, done->cycle);
    return;
  }
  struct weft_slot *slot = &t->slot[done->rsp.tag];
  slot->flying = false;
  slot->answered = done->cycle;
  run->in_flight--;
  run->cycle = done->cycle;
  if (done->rsp.error) {
    run->code = weft_fail(w, WEFT_BACKEND_BROKE,
                          "the fabric answered with an error: node %u cu %u warp %u, physical "
                          "address 0x%" PRIx64 ", cycle %" PRIu64,
                          done->node, done->cu, done->rsp.warp, slot->physical, done->cycle);
    return;
  }
  if (!t->spin.on)
    run->progress = done->cycle;
  deliver(t, slot, &done->rsp);
  answered(t, done->rsp.tag);
}

/* Somebody may be at work without an answer for a while, by a long weft_compute(). */
static bool somebody_works(const struct weft_run *run)
{
  for (unsigned i = 0; i < run->warps; i++) {
    const struct weft_warp *t = &run->warp[i];
    if (t->spin.on)
      continue;
    for (unsigned k = 0; k < WEFT_OUTSTANDING_MAX; k++)
      if (t->slot[k].flying && t->slot[k].issue + run->w->patience > run->cycle)
        return true;
  }
  return false;
}

/* The back-end finds that nothing is answered; that spins alone are answered is found here. */
static void check_spins(struct weft_run *run)
{
  uint64_t patience = run->w->patience;
  if (run->cycle - run->progress <= patience || run->cycle < run->check_at)
    return;
  run->check_at = run->cycle + patience / 4 + 1;
  if (!somebody_works(run))
    weft_report_stuck(run, run->cycle - run->progress);
}

static void step(struct weft_run *run, struct weft_port_done *done)
{
  struct weft *w = run->w;
  struct weft_backend_error e = { "" };
  size_t count = 0;
  double start = weft_clock();
  int result = w->ops->submit(w->backend, run->batch, run->batch_count, &e);
  run->batch_count = 0;
  if (!result)
    result = w->ops->poll(w->backend, done, ANSWERS, &count, &e);
  w->statistics.wall_seconds += weft_clock() - start;
  if (result == WEFT_BACKEND_STUCK)
    weft_report_stuck(run, w->patience);
  else if (result)
    run->code = weft_backend_fail(w, result, &e);
  else if (!count)
    run->code =
      weft_fail(w, WEFT_BACKEND_BROKE, "%zu operations were lost by the back-end, at cycle %" PRIu64,
                run->in_flight, w->ops->now(w->backend));
  for (size_t i = 0; i < count && !run->code; i++)
    take_answer(run, &done[i]);
  if (!run->code)
    check_spins(run);
}

static void loop(struct weft_run *run, struct weft_port_done *done)
{
  while (!run->code && (run->cus_left || run->in_flight)) {
    run_ready(run);
    if (run->code)
      break;
    step(run, done);
    if (!run->code)
      run->code = weft_hooks_call(run);
  }
  if (run->w->hooks.trace)
    weft_trace_flush(run, UINT64_MAX);
}

/* ---- Making and unmaking a run ----------------------------------------------------------------------- */

static void unmake(struct weft_run *run)
{
  weft_stacks_close(&run->stacks);
  free(run->warp);
  free(run->ready);
  free(run->alive);
  free(run->batch);
  free(run->traced);
}

static int make(struct weft_run *run)
{
  struct weft *w = run->w;
  const struct weft_config *c = &w->config;
  unsigned nodes = (unsigned)(c->nodes - c->memories), ports = nodes * (unsigned)c->cus;
  run->warps = (unsigned)(ports * c->warps);
  run->warp = calloc(run->warps, sizeof *run->warp);
  run->ready = calloc(run->warps, sizeof *run->ready);
  run->alive = calloc(ports, sizeof *run->alive);
  run->batch = calloc(run->warps * c->outstanding, sizeof *run->batch);
  if (!run->warp || !run->ready || !run->alive || !run->batch ||
      !weft_stacks_open(&run->stacks, run->warps, w->stack))
    return weft_fail_memory(w);
  run->cus_left = ports;
  uint64_t now = w->ops->now(w->backend);
  uint64_t start = (now > w->statistics.cycles ? now : w->statistics.cycles) + c->compute_launch;
  run->cycle = run->progress = start;
  for (unsigned i = 0; i < run->warps; i++) {
    struct weft_warp *t = &run->warp[i];
    t->run = run;
    t->now = start;
    t->acquires = WEFT_SCOPE_SYS;
    t->place = (struct weft_place){
      .node = (unsigned)(i / c->warps / c->cus),
      .cu = (unsigned)(i / c->warps % c->cus),
      .warp = (unsigned)(i % c->warps),
      .nodes = nodes,
      .cus = (unsigned)c->cus,
      .warps = (unsigned)c->warps,
      .index = i,
      .count = run->warps,
      .line = (unsigned)c->line,
    };
    weft_coroutine_start(&t->coroutine, &run->stacks, i, warp_main, t);
  }
  for (unsigned i = 0; i < ports; i++)
    run->alive[i] = (unsigned)c->warps;
  return WEFT_OK;
}

/* Leaves nothing in the back-end that a later answer could belong to. */
static void give_up(struct weft *w, struct weft_port_done *done)
{
  struct weft_backend_error e = { "" };
  size_t count = 0;
  w->broken = true;
  w->ops->cancel(w->backend);
  if (w->failure.code == WEFT_STUCK || weft_code_class(w->failure.code) == 3 ||
      w->failure.code == WEFT_MISMATCH)
    return;
  while (!w->ops->poll(w->backend, done, ANSWERS, &count, &e) && count)
    ;
}

static int launch(struct weft *w, weft_kernel kernel, void *arg)
{
  struct weft_run run = { .w = w, .kernel = kernel, .arg = arg };
  struct weft_port_done *done = malloc(ANSWERS * sizeof *done);
  int code = done ? weft_pages_place_all(w) : weft_fail_memory(w);
  if (!code && w->watch && w->watch->history)
    code = weft_history_resolve(w, w->watch->history);
  if (!code)
    code = make(&run);
  if (!code) {
    w->launched = true;
    w->settled = false;
    w->statistics.launches++;
    for (unsigned i = 0; i < run.warps; i += (unsigned)w->config.warps)
      cu_begin(&run.warp[i]);
    loop(&run, done);
    code = run.code;
    w->statistics.cycles = code ? w->ops->now(w->backend) : run.end;
    if (!code && w->watch && w->watch->sampler)
      code = weft_sampler_finish(w, w->watch->sampler, run.end);
    for (unsigned i = 0; i < run.warps; i++)
      if (run.warp[i].barriers > run.warp[0].barriers)
        run.warp[0].barriers = run.warp[i].barriers;
    w->barriers += run.warp[0].barriers;
    if (code)
      give_up(w, done);
  }
  unmake(&run);
  free(done);
  return code;
}

int weft_barrier_launches(struct weft *w, bool on)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (on && weft_egress_copies(w->egress))
    return weft_fail(w, WEFT_BAD_ARGUMENT,
                     "with an egress that copies at barriers, a barrier cannot be a launch");
  w->barrier_launches = on;
  return WEFT_OK;
}

int weft_dispatch(struct weft *w, uint64_t cycles)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (cycles > 1000)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "warps that begin %" PRIu64 " cycles apart; use at most 1000",
                     cycles);
  w->dispatch = cycles;
  return WEFT_OK;
}

int weft_launch(struct weft *w, weft_kernel kernel, void *arg)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (w->broken)
    return weft_fail(w, WEFT_BAD_STATE, "an earlier launch failed; call weft_reset() first");
  int code = weft_replicas_prepare(w);
  if (!code)
    code = launch(w, kernel, arg);
  if (!code && weft_exchange_begin(w, w->statistics.cycles)) {
    code = launch(w, weft_exchange_kernel, NULL);
    weft_exchange_end(w, w->statistics.cycles);
  }
  return !code && w->replicas.failed ? weft_fail_memory(w) : code;
}
