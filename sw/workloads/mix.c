/* SPDX-License-Identifier: Apache-2.0 */
/* mix: a random program without races (mix.h), heavy on coherence. Every load is compared as it returns, all
 * of memory at the end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mix.h"

struct wrong {
  struct weft_place place;
  const struct weft_mix_op *op;
  unsigned byte; /* from which on it differs */
  uint64_t seen, expected;
};

struct run {
  const struct weft_mix *m;
  weft_address region;
  uint64_t wrong; /* loads that saw something else, all warps' */
  struct wrong first;
};

static const char *const kinds[] = {
  [WEFT_MIX_LOAD] = "a load",
  [WEFT_MIX_OWN] = "an atomic on its own bytes",
  [WEFT_MIX_RECEIVE] = "a message",
};

static void check(struct weft_warp *t, struct run *r, const struct weft_mix_op *op, const uint8_t *seen,
                  const uint8_t *expected)
{
  unsigned at = 0;
  while (at < op->bytes && seen[at] == expected[at])
    at++;
  if (at == op->bytes || r->wrong++)
    return;
  unsigned shown = op->bytes - at < 8 ? op->bytes - at : 8;
  r->first = (struct wrong){ .place = *weft_where(t), .op = op, .byte = at };
  memcpy(&r->first.seen, seen + at, shown);
  memcpy(&r->first.expected, expected + at, shown);
}

static void do_load(struct weft_warp *t, struct run *r, const struct weft_mix_op *op)
{
  uint8_t seen[128];
  weft_load(t, r->region + op->at, seen, op->bytes, op->order, op->scope);
  check(t, r, op, seen, op->bytes <= 8 ? (const uint8_t *)&op->expected : r->m->pool[op->wide].bytes);
}

static void do_own(struct weft_warp *t, struct run *r, const struct weft_mix_op *op)
{
  uint64_t old =
    weft_rmw(t, op->func, r->region + op->at, op->bytes, op->value, op->compare, op->order, op->scope);
  check(t, r, op, (const uint8_t *)&old, (const uint8_t *)&op->expected);
}

static void do_send(struct weft_warp *t, struct run *r, const struct weft_mix_op *op)
{
  uint32_t flag = op->phase + 1;
  weft_store(t, r->region + op->at, &op->value, 8, WEFT_WEAK, WEFT_CTA);
  weft_store(t, r->region + op->at + r->m->line, &flag, 4, WEFT_RELEASE, op->scope);
}

static void do_receive(struct weft_warp *t, struct run *r, const struct weft_mix_op *op)
{
  uint64_t seen;
  weft_await(t, r->region + op->at + r->m->line, 4, WEFT_AT_LEAST, (uint64_t)op->phase + 1, op->scope);
  weft_load(t, r->region + op->at, &seen, 8, WEFT_WEAK, WEFT_CTA);
  check(t, r, op, (const uint8_t *)&seen, (const uint8_t *)&op->expected);
}

static void do_locked(struct weft_warp *t, struct run *r, const struct weft_mix_op *op)
{
  weft_address lock = r->region + weft_mix_lock(r->m, op->other);
  weft_lock(t, lock, WEFT_SYS);
  weft_store64(t, r->region + op->at, weft_load64(t, r->region + op->at) + op->value);
  weft_unlock(t, lock, WEFT_SYS);
}

static void do_op(struct weft_warp *t, struct run *r, const struct weft_mix_op *op)
{
  const struct weft_mix_wide *wide = &r->m->pool[op->wide];
  switch ((enum weft_mix_kind)op->kind) {
  case WEFT_MIX_LOAD:
    do_load(t, r, op);
    break;
  case WEFT_MIX_STORE:
    weft_store(t, r->region + op->at, &op->value, op->bytes, op->order, op->scope);
    break;
  case WEFT_MIX_STORE_MASKED:
    weft_store_masked(t, r->region + op->at, wide->bytes, wide->mask, op->order, op->scope);
    break;
  case WEFT_MIX_SHARED:
    weft_rmw_async(t, op->func, r->region + op->at, op->bytes, op->value, 0, NULL, op->scope);
    break;
  case WEFT_MIX_OWN:
    do_own(t, r, op);
    break;
  case WEFT_MIX_SEND:
    do_send(t, r, op);
    break;
  case WEFT_MIX_RECEIVE:
    do_receive(t, r, op);
    break;
  case WEFT_MIX_LOCKED:
    do_locked(t, r, op);
    break;
  case WEFT_MIX_FENCE:
    weft_fence(t, op->order, op->scope);
    break;
  case WEFT_MIX_BARRIER:
    weft_barrier(t);
    break;
  }
}

static void kernel(struct weft_warp *t, void *arg)
{
  struct run *r = arg;
  const struct weft_mix_program *program = &r->m->program[weft_where(t)->index];
  for (size_t i = 0; i < program->count; i++) {
    weft_compute(t, program->op[i].pause);
    do_op(t, r, &program->op[i]);
  }
}

static int report_wrong(struct weft_job *job, const struct run *r)
{
  const struct wrong *f = &r->first;
  return weft_fail(
    job->w, WEFT_WRONG_RESULT,
    "mix: %" PRIu64 " loads saw something else than the plain run\nthe first: node %u cu %u warp %u, "
    "phase %u, %s of %u bytes at 0x%" PRIx64 ": from byte %u on 0x%" PRIx64 ", should be 0x%" PRIx64,
    r->wrong, f->place.node, f->place.cu, f->place.warp, f->op->phase, kinds[f->op->kind], f->op->bytes,
    r->region + f->op->at, f->byte, f->seen, f->expected);
}

/* Every block of the region is touched by one node: hot lines, mailboxes and locks are spread evenly. */
static int place(struct weft_job *job, const struct weft_mix *m, weft_address region)
{
  int code = WEFT_OK;
  for (uint64_t at = 0; !code && at < m->bytes; at += WEFT_MIX_BLOCK)
    code = weft_touch(job->w, (unsigned)(at / WEFT_MIX_BLOCK % m->nodes), region + at, WEFT_MIX_BLOCK);
  return code;
}

static int run_plan(struct weft_job *job, const struct weft_mix *m, const uint8_t *start)
{
  struct run r = { .m = m };
  int code = weft_job_alloc(job, "region", m->bytes / 8, 8, &r.region);
  if (!code)
    code = place(job, m, r.region);
  if (!code)
    code = weft_write(job->w, r.region, start, m->bytes);
  if (!code)
    code = weft_job_launch(job, kernel, &r);
  if (!code && r.wrong)
    code = report_wrong(job, &r);
  return code ? code
              : weft_job_compare(job, "8 bytes of memory, number", r.region, m->memory, m->bytes / 8, 8);
}

static int run(struct weft_job *job)
{
  struct weft_mix m;
  uint8_t *start = NULL;
  int code = weft_mix_plan(job, &m, &start);
  if (!code) {
    weft_job_say(job, "about %" PRIu64 " operations on %u hot lines, %" PRIu64 " phases", job->size,
                 m.hot_count, m.phases);
    code = run_plan(job, &m, start);
  }
  free(start);
  weft_mix_free(&m);
  return code;
}

const struct weft_workload weft_workload_mix = {
  { "mix", "", "random and race-free, heavy on coherence: false sharing, atomics, messages, locks",
    "operations" },
  run,
};
