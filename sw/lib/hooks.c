/* SPDX-License-Identifier: Apache-2.0 */
/* Those who watch a launch: trace, samples of the counters, progress. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run.h"
#include "watch.h"

#define PROGRESS_SECONDS 0.1

double weft_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int weft_trace(struct weft *w, weft_trace_function trace, void *arg)
{
  if (weft_need_open(w))
    return w->failure.code;
  w->hooks.trace = trace;
  w->hooks.trace_arg = arg;
  return WEFT_OK;
}

int weft_sample(struct weft *w, uint64_t every, weft_sample_function sample, void *arg)
{
  if (weft_need_open(w))
    return w->failure.code;
  if (sample && !every)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "a sample every 0 cycles; use at least 1");
  if (!w->ops->watch) { /* nothing to look into while time runs: at the answers, then */
    w->hooks.sample = sample;
    w->hooks.sample_arg = arg;
    w->hooks.sample_every = w->hooks.sample_next = every;
    return WEFT_OK;
  }
  if (weft_watch_begin(w))
    return w->failure.code;
  weft_sampler_free(w->watch->sampler);
  w->watch->sampler = sample ? weft_sampler_new(w, every, sample, arg) : NULL;
  weft_watch_update(w);
  return sample && !w->watch->sampler ? weft_fail_memory(w) : WEFT_OK;
}

void weft_trace_note(struct weft_run *run, const struct weft_port_op *op, unsigned bytes)
{
  if (!run->w->hooks.trace || op->req.attr) /* a descriptor of the copy engine is no access */
    return;
  if (run->traced_count == run->traced_room) {
    size_t room = run->traced_room ? 2 * run->traced_room : 256;
    struct weft_traced *bigger = realloc(run->traced, room * sizeof *bigger);
    if (!bigger) {
      run->code = weft_fail_memory(run->w);
      return;
    }
    run->traced = bigger;
    run->traced_room = room;
  }
  run->traced[run->traced_count++] = (struct weft_traced){ *op, run->traced_order++, (uint8_t)bytes };
}

/* The order in which ports show operations: issue, then warp, then submission; CUs one after the other. */
static int compare(const void *one, const void *other)
{
  const struct weft_traced *a = one, *b = other;
  if (a->op.issue != b->op.issue)
    return a->op.issue < b->op.issue ? -1 : 1;
  if (a->op.node != b->op.node)
    return a->op.node < b->op.node ? -1 : 1;
  if (a->op.cu != b->op.cu)
    return a->op.cu < b->op.cu ? -1 : 1;
  if (a->op.req.warp != b->op.req.warp)
    return a->op.req.warp < b->op.req.warp ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

static void show(const struct weft *w, const struct weft_traced *item, unsigned first, unsigned bytes)
{
  static const char *const ops[] = WEFT_CU_OP_NAMES, *const funcs[] = WEFT_FUNC_NAMES;
  static const char *const orders[] = WEFT_ORDER_NAMES, *const scopes[] = WEFT_SCOPE_NAMES;
  const struct weft_cu_req *req = &item->op.req;
  struct weft_operation o = {
    .issue = item->op.issue,
    .node = item->op.node,
    .cu = item->op.cu,
    .warp = req->warp,
    .op = ops[req->op],
    .detail = req->op == WEFT_CU_OP_ATOMIC ? funcs[req->func] : "",
    .order = orders[req->order],
    .scope = scopes[req->scope],
    .physical = req->address,
    .bytes = bytes,
  };
  if (req->op == WEFT_CU_OP_STORE) {
    o.physical = (req->address & ~(w->config.line - 1)) + first;
    o.value = req->data + first;
  } else if (req->op == WEFT_CU_OP_ATOMIC) {
    o.value = req->data;
  }
  w->hooks.trace(w->hooks.trace_arg, &o);
}

/* A store whose mask has holes is shown as several. */
static void show_runs(const struct weft *w, const struct weft_traced *item)
{
  const uint64_t *mask = item->op.req.mask;
  for (unsigned i = 0; i < w->config.line;) {
    unsigned end = i;
    while (end < w->config.line && mask[end / 64] >> (end % 64) & 1)
      end++;
    if (end > i)
      show(w, item, i, end - i);
    i = end + 1;
  }
}

void weft_trace_flush(struct weft_run *run, uint64_t until)
{
  if (!run->traced_count)
    return;
  qsort(run->traced, run->traced_count, sizeof *run->traced, compare);
  size_t n = 0;
  for (; n < run->traced_count && run->traced[n].op.issue <= until; n++) {
    if (run->traced[n].op.req.op == WEFT_CU_OP_STORE)
      show_runs(run->w, &run->traced[n]);
    else
      show(run->w, &run->traced[n], 0, run->traced[n].bytes);
  }
  run->traced_count -= n;
  memmove(run->traced, run->traced + n, run->traced_count * sizeof *run->traced);
}

static int take_sample(struct weft_run *run)
{
  struct weft *w = run->w;
  size_t count = w->counters.count;
  uint64_t *values = calloc(count, sizeof *values);
  if (!values)
    return weft_fail_memory(w);
  int code = weft_counters_read(w, values, count);
  if (!code)
    w->hooks.sample(w->hooks.sample_arg, run->cycle, values, count);
  free(values);
  w->hooks.sample_next = (run->cycle / w->hooks.sample_every + 1) * w->hooks.sample_every;
  return code;
}

static void tell_progress(struct weft_run *run)
{
  double now = weft_clock();
  if (now - run->told < PROGRESS_SECONDS)
    return;
  run->told = now;
  struct weft_progress p = {
    .what = "running",
    .detail = "",
    .cycle = run->cycle,
    .operations = run->w->statistics.operations,
    .finished = run->finished,
    .warps = run->warps,
  };
  run->w->hooks.progress(run->w->hooks.progress_arg, &p);
}

int weft_hooks_call(struct weft_run *run)
{
  const struct weft_hooks *h = &run->w->hooks;
  /* Whatever is submitted from now on is issued after the cycle of the latest answer. */
  if (h->trace)
    weft_trace_flush(run, run->cycle);
  if (h->progress)
    tell_progress(run);
  return h->sample && run->cycle >= h->sample_next ? take_sample(run) : WEFT_OK;
}
