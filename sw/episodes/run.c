/* SPDX-License-Identifier: Apache-2.0 */
/* The program on the machine. Every warp goes through its episodes; each value is compared with what the plan says as
 * soon as it is there, and all of memory at the end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "episodes.h"
#include "plain_atomic.h"

#define EAGER_LOOKS 16u

weft_address weft_episodes_address(const struct weft_episodes *e, uint32_t location)
{
  const struct weft_location *l = &e->layout.location[location];
  return e->base[l->node] + l->offset;
}

weft_address weft_episodes_counter(const struct weft_episodes *e, unsigned warp)
{
  return e->base[e->layout.counter_node[warp]] + e->layout.counters +
         (uint64_t)e->layout.counter_line[warp] * e->shape.line;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

/* Counts return every number once, and a warp's in its order: the second follows from one order at the home. */
static bool count_is_new(struct weft_episodes *e, const struct weft_episode_op *op, uint64_t seen)
{
  const struct weft_plan_value *v = &e->plan.value[op->location];
  unsigned bytes = e->layout.location[op->location].bytes;
  uint64_t number = weft_plain_cut(seen - v->first, bytes);
  if (number >= weft_plain_cut(v->value - v->first, bytes))
    return false;
  size_t bit = e->taken_at[op->location] + (size_t)number;
  bool taken = e->taken[bit / 64] >> (bit % 64) & 1;
  e->taken[bit / 64] |= UINT64_C(1) << (bit % 64);
  return !taken;
}

static void check(struct weft_episodes *e, const struct weft_episode *episode,
                  const struct weft_episode_op *op, uint64_t seen, uint64_t issued, uint64_t cycle)
{
  e->totals.checks++;
  bool right = op->kind == WEFT_EPISODE_COUNT ? count_is_new(e, op, seen) : seen == op->expected;
  if (!right)
    weft_failure_value(e, episode, op, op->location, seen, issued, cycle);
}

/* ---- A warp ------------------------------------------------------------------------------------------ */

/* Operations that fly when the release comes: the release has to wait for them, not the program. */
struct pending {
  const struct weft_episode_op *op;
  uint64_t seen, issued;
  weft_token token;
};

struct pendings {
  struct pending item[WEFT_EPISODE_OPS];
  unsigned count;
};

static void issue(struct weft_warp *t, struct weft_episodes *e, const struct weft_episode_op *op,
                  struct pending *p)
{
  const struct weft_location *l = &e->layout.location[op->location];
  weft_address a = weft_episodes_address(e, op->location);
  *p = (struct pending){ .op = op, .issued = weft_cycle(t) };
  if (op->kind == WEFT_EPISODE_LOAD)
    p->token = weft_load_async(t, a, &p->seen, l->bytes, op->order, op->scope);
  else
    p->token = weft_rmw_async(t, op->func, a, l->bytes, op->value, op->compare, &p->seen, op->scope);
}

static void do_op(struct weft_warp *t, struct weft_episodes *e, const struct weft_episode *episode,
                  const struct weft_episode_op *op, struct pendings *pending)
{
  weft_compute(t, op->pause);
  if (op->kind == WEFT_EPISODE_STORE) {
    weft_store(t, weft_episodes_address(e, op->location), &op->value, e->layout.location[op->location].bytes,
               op->order, op->scope);
    return;
  }
  struct pending *p = &pending->item[pending->count];
  issue(t, e, op, p);
  if (op->waits) {
    weft_wait(t, p->token);
    check(e, episode, op, p->seen, p->issued, weft_cycle(t));
  } else {
    pending->count++;
  }
}

/* Looks often at first, so that what the release failed to do is seen before it happens by itself; then as the library
 * does, which finds out if it will never come. */
static void await(struct weft_warp *t, weft_address counter, const struct weft_episode_wait *wait)
{
  for (unsigned i = 0; i < EAGER_LOOKS; i++)
    if (weft_rmw(t, WEFT_OR, counter, 8, 0, 0, WEFT_RELAXED, wait->scope) >= wait->count) {
      weft_fence(t, WEFT_ACQUIRE, wait->scope);
      return;
    }
  weft_await(t, counter, 8, WEFT_AT_LEAST, wait->count, wait->scope);
}

static void do_acquire(struct weft_warp *t, struct weft_episodes *e, const struct weft_episode *episode)
{
  for (unsigned i = 0; i < episode->waits; i++) {
    const struct weft_episode_wait *wait = weft_plan_wait(&e->plan, episode->first_wait + i);
    await(t, weft_episodes_counter(e, wait->warp), wait);
  }
  if (!episode->waits)
    weft_fence(t, WEFT_ACQUIRE, episode->acquire);
}

static void do_episode(struct weft_warp *t, struct weft_episodes *e, const struct weft_episode *episode)
{
  const struct weft_episode_op *op = weft_plan_op(&e->plan, episode->first_op);
  struct pendings pending = { .count = 0 };
  for (unsigned i = 0; i < episode->early; i++)
    do_op(t, e, episode, &op[i], &pending);
  do_acquire(t, e, episode);
  for (unsigned i = episode->early; i < episode->ops; i++)
    do_op(t, e, episode, &op[i], &pending);
  uint64_t ended =
    weft_rmw(t, WEFT_ADD, weft_episodes_counter(e, episode->warp), 8, 1, 0, WEFT_RELEASE, episode->release);
  e->totals.checks++;
  if (ended != episode->sequence)
    weft_failure_counter(e, episode, ended, weft_cycle(t));
  for (unsigned i = 0; i < pending.count; i++) {
    struct pending *p = &pending.item[i];
    weft_wait(t, p->token);
    check(e, episode, p->op, p->seen, p->issued, weft_cycle(t));
  }
  e->totals.episodes++;
}

static void kernel(struct weft_warp *t, void *arg)
{
  struct weft_episodes *e = arg;
  uint32_t next = e->plan.first[weft_where(t)->index];
  while (next) {
    const struct weft_episode *episode = weft_plan_episode(&e->plan, next - 1);
    do_episode(t, e, episode);
    next = episode->next;
  }
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

/* Physical places matter: they decide which lines meet in a set. An empty machine's pages lie one behind the other. */
static int allocate(struct weft_episodes *e)
{
  for (unsigned n = 0; n < e->shape.nodes; n++) {
    uint64_t physical;
    int code = weft_alloc(e->w, e->layout.span, (int)n, &e->base[n]);
    if (!code)
      code = weft_translate(e->w, e->base[n], &physical);
    if (code)
      return code;
    if (physical & 0xfffffffffu)
      return weft_fail(e->w, WEFT_BAD_STATE, "episodes: the machine's memory was used before");
  }
  return WEFT_OK;
}

static int write_start(struct weft_episodes *e)
{
  for (uint32_t i = 0; i < e->layout.count; i++) {
    int code =
      weft_write(e->w, weft_episodes_address(e, i), &e->plan.value[i].value, e->layout.location[i].bytes);
    if (code)
      return code;
  }
  return WEFT_OK;
}

static int compare_memory(struct weft_episodes *e)
{
  for (uint32_t i = 0; i < e->layout.count; i++) {
    uint64_t seen = 0;
    int code = weft_read(e->w, weft_episodes_address(e, i), &seen, e->layout.location[i].bytes);
    if (code)
      return code;
    e->totals.checks++;
    if (seen != e->plan.value[i].value)
      weft_failure_value(e, NULL, NULL, i, seen, 0, 0);
  }
  return WEFT_OK;
}

/* ---- Rounds ------------------------------------------------------------------------------------------ */

static bool make_room_for_counts(struct weft_episodes *e)
{
  size_t bits = 0;
  for (size_t i = 0; i < e->layout.atomic_count; i++) {
    uint32_t location = e->layout.atomic[i];
    const struct weft_plan_value *v = &e->plan.value[location];
    e->taken_at[location] = bits;
    bits += weft_plain_cut(v->value - v->first, e->layout.location[location].bytes);
  }
  free(e->taken);
  e->taken = calloc(bits / 64 + 1, sizeof *e->taken);
  return e->taken;
}

static int run_rounds(struct weft_episodes *e, uint64_t count)
{
  int code = WEFT_OK;
  while (!code && count && !e->totals.failures) {
    size_t round = count < WEFT_ROUND_EPISODES ? (size_t)count : WEFT_ROUND_EPISODES;
    if (!weft_plan_round(&e->plan, round) || !make_room_for_counts(e))
      return weft_fail_memory(e->w);
    e->totals.planned += round;
    e->ran = true;
    code = weft_launch(e->w, kernel, e);
    count -= round;
  }
  return code;
}

/* What the directories can never do is a failure if they do it. */
static void note_transitions(struct weft_episodes *e)
{
  struct weft_transition t;
  char words[200];
  for (size_t i = 0; weft_episodes_transition_at(e, i, &t); i++) {
    if (!t.count || !t.why_not)
      continue;
    snprintf(words, sizeof words, "%s in state %s, %" PRIu64 " times, which cannot be: %s", t.request,
             t.state, t.count, t.why_not);
    weft_failure_words(e, "directory", words, "");
  }
}

/* What ended the run early is a failure too, where it is the machine's. */
static int note_end(struct weft_episodes *e, int code)
{
  if (code == WEFT_STUCK)
    weft_failure_words(e, "deadlock", weft_message(e->w), weft_report(e->w));
  else if (code == WEFT_MISMATCH)
    weft_failure_words(e, "lockstep", weft_message(e->w), "");
  if (!code && weft_coverage_lost(e->coverage))
    code = weft_fail_memory(e->w);
  if (!code || code == WEFT_STUCK || code == WEFT_MISMATCH)
    note_transitions(e);
  if (!code && e->totals.failures)
    code = weft_fail(e->w, WEFT_WRONG_RESULT, "episodes: %" PRIu64 " failures; %.600s", e->totals.failures,
                     e->failure[0].text);
  return code;
}

int weft_episodes_run(struct weft_episodes *e, const struct weft_episodes_options *o)
{
  uint64_t count = o->count ? o->count : WEFT_EPISODES_DEFAULT;
  int code = e->ran ? weft_reset(e->w) : WEFT_OK;
  if (code)
    return code;
  e->ran = false;
  weft_coverage_restart(e->coverage);
  weft_failures_clear(e);
  weft_plan_close(&e->plan);
  memset(&e->totals, 0, sizeof e->totals);
  if (!weft_plan_open(&e->plan, &e->shape, &e->layout, e->seed))
    return weft_fail_memory(e->w);
  e->plan.keep = o->keep;
  e->plan.kept = o->kept;
  code = write_start(e);
  if (!code)
    code = run_rounds(e, count);
  if (!code && !e->totals.failures)
    code = compare_memory(e);
  e->totals.actions = e->plan.actions;
  return note_end(e, code);
}

/* ---- Making and unmaking ----------------------------------------------------------------------------- */

static int make(struct weft_episodes *e)
{
  struct weft_random random = weft_random_stream(e->seed, WEFT_EPISODE_STREAM);
  if (weft_shape_read(e->w, &e->shape))
    return weft_fail(e->w, WEFT_BAD_STATE, "episodes: open a back-end first");
  e->base = calloc(e->shape.nodes, sizeof *e->base);
  if (!e->base || !weft_layout_make(&e->layout, &e->shape, &random))
    return weft_fail_memory(e->w);
  e->taken_at = calloc(e->layout.count, sizeof *e->taken_at);
  e->coverage = weft_coverage_new(e->w, &e->shape);
  if (!e->taken_at || !e->coverage)
    return weft_fail_memory(e->w);
  int code = weft_coverage_start(e->coverage);
  return code ? code : allocate(e);
}

int weft_episodes_new(struct weft *w, uint64_t seed, struct weft_episodes **out)
{
  struct weft_episodes *e = calloc(1, sizeof *e);
  *out = NULL;
  if (!e)
    return weft_fail_memory(w);
  e->w = w;
  e->seed = seed ? seed : 1;
  int code = make(e);
  if (code)
    weft_episodes_free(e);
  else
    *out = e;
  return code;
}

void weft_episodes_free(struct weft_episodes *e)
{
  if (!e)
    return;
  weft_failures_clear(e);
  weft_plan_close(&e->plan);
  weft_layout_free(&e->layout);
  weft_coverage_free(e->coverage);
  free(e->base);
  free(e->taken);
  free(e->taken_at);
  free(e);
}

void weft_episodes_totals(const struct weft_episodes *e, struct weft_episodes_totals *totals)
{
  *totals = e->totals;
}
