/* SPDX-License-Identifier: Apache-2.0 */
/* A test from its first launch to its verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interleave.h"
#include "runner.h"

#define INSTANCES 1024u         /* in one launch, at most */
#define AREA_BYTES (256u << 10) /* of a node, at most */
#define RUNS 1000u
#define LONGEST 4000u /* cycles of a thread: of one that spins there is no more to see */

/* ---- Making and unmaking ----------------------------------------------------------------------------- */

static void unmake(struct litmus_run *r)
{
  unsigned warps = r->machine.nodes * r->machine.cus * r->machine.warps;
  for (unsigned i = 0; r->area && i < r->machine.nodes; i++) {
    if (r->area[i].base)
      weft_dealloc(r->w, r->area[i].base);
    free(r->area[i].line);
  }
  for (unsigned i = 0; r->queue && i < warps; i++)
    free(r->queue[i].job);
  for (uint32_t i = 0; r->instance && i < r->room; i++)
    free(r->instance[i].barriers);
  free(r->area);
  free(r->queue);
  free(r->instance);
  free(r->reg);
  free(r->reach);
}

static int make_areas(struct litmus_run *r)
{
  uint64_t bytes = r->machine.memory / 4 * 3;
  bytes = (bytes < AREA_BYTES ? bytes : AREA_BYTES) / r->machine.page * r->machine.page;
  for (unsigned i = 0; i < r->machine.nodes; i++) {
    struct litmus_area *area = &r->area[i];
    area->lines = (uint32_t)(bytes / r->machine.line);
    area->line = calloc(area->lines + 1, sizeof *area->line);
    int code = area->line ? weft_alloc(r->w, bytes, (int)i, &area->base) : weft_fail_memory(r->w);
    if (code)
      return code;
  }
  return WEFT_OK;
}

static int make(struct litmus_run *r)
{
  unsigned warps = r->machine.nodes * r->machine.cus * r->machine.warps;
  r->room = INSTANCES;
  r->period = 400;
  r->longest = 100;
  r->area = calloc(r->machine.nodes, sizeof *r->area);
  r->queue = calloc(warps, sizeof *r->queue);
  r->instance = calloc(r->room, sizeof *r->instance);
  r->reg = calloc((size_t)r->room * r->test->threads * LITMUS_REGISTERS, sizeof *r->reg);
  if (!r->area || !r->queue || !r->instance || !r->reg || !weft_litmus_barriers_prepare(r))
    return weft_fail_memory(r->w);
  return make_areas(r);
}

/* ---- One launch -------------------------------------------------------------------------------------- */

/* Memory is zero after a reset; only what begins otherwise is written. */
static int write_start(struct litmus_run *r, const struct litmus_instance *in)
{
  const struct weft_litmus *t = r->test;
  for (unsigned i = 0; i < t->locations; i++) {
    const struct litmus_location *location = &t->location[i];
    unsigned bytes = weft_litmus_element_bytes(t, i);
    for (unsigned e = 0; e < location->count; e++) {
      const struct litmus_operand *o = &location->start[e];
      int64_t value = o->kind == LITMUS_ADDRESS ? (int64_t)in->address[o->index] + o->value : o->value;
      int code = value ? weft_write(r->w, in->address[i] + (uint64_t)e * bytes, &value, bytes) : WEFT_OK;
      if (code)
        return code;
    }
  }
  return WEFT_OK;
}

static int64_t memory_value(const struct litmus_run *r, const uint8_t *const *image,
                            const struct litmus_instance *in, const struct litmus_observed *o)
{
  unsigned bytes = weft_litmus_element_bytes(r->test, o->index), node = 0;
  uint64_t address = in->address[o->index] + (uint64_t)o->element * bytes, value = 0;
  while (address - r->area[node].base >= (uint64_t)r->area[node].lines * r->machine.line)
    node++;
  memcpy(&value, image[node] + (address - r->area[node].base), bytes);
  return litmus_extend(value, bytes, !r->test->location[o->index].is_unsigned);
}

static bool count_instance(struct litmus_run *r, const uint8_t *const *image, uint32_t number,
                           struct weft_litmus_result *result, int64_t *values)
{
  struct weft_litmus *t = r->test;
  const struct litmus_instance *in = &r->instance[number];
  result->runs++;
  if (in->cut || in->wild) {
    result->unfinished++;
    if (in->wild)
      snprintf(t->note, sizeof t->note, "an access outside of the test's locations");
    return true;
  }
  for (unsigned i = 0; i < t->observed_count; i++) {
    const struct litmus_observed *o = &t->observed[i];
    int64_t value = o->thread < 0 ? memory_value(r, image, in, o)
                                  : litmus_registers(r, number, (unsigned)o->thread)[o->index];
    values[i] = weft_litmus_name_address(t, in, value);
  }
  if (t->filter >= 0 && !weft_litmus_meets(t, t->filter, values)) {
    result->filtered++;
    return true;
  }
  return weft_litmus_states_count(t, values);
}

static int collect(struct litmus_run *r, struct weft_litmus_result *result)
{
  uint64_t bytes = (uint64_t)r->area[0].lines * r->machine.line;
  uint8_t *image = malloc(bytes * r->machine.nodes);
  const uint8_t **of_node = calloc(r->machine.nodes, sizeof *of_node);
  int64_t *values = calloc(r->test->observed_count + 1, sizeof *values);
  bool good = image && of_node && values;
  int code = good ? WEFT_OK : weft_fail_memory(r->w);
  for (unsigned i = 0; !code && i < r->machine.nodes; i++) {
    of_node[i] = image + i * bytes;
    code = weft_read(r->w, r->area[i].base, image + i * bytes, bytes);
  }
  for (uint32_t i = 0; !code && i < r->instances; i++)
    if (!count_instance(r, of_node, i, result, values))
      code = weft_fail_memory(r->w);
  free(image);
  free(of_node);
  free(values);
  return code;
}

/* Rounds are as long as they must be for threads to meet: longer when many come late, shorter when none does. How long
 * the threads take decides how far apart they begin. */
static void adapt(struct litmus_run *r)
{
  r->longest = 1;
  for (unsigned i = 0; i < r->test->threads; i++) {
    uint64_t mean = r->ended[i].count ? r->ended[i].cycles / r->ended[i].count : 0;
    r->span[i] = mean < LONGEST ? mean : LONGEST;
    r->longest = r->span[i] > r->longest ? r->span[i] : r->longest;
  }
  if (r->late * 8 > r->jobs)
    r->period = r->period * 3 / 2;
  else if (r->late * 50 < r->jobs && r->period > 100)
    r->period = r->period * 4 / 5;
}

static int launch(struct litmus_run *r, uint64_t batch, uint64_t runs, struct weft_litmus_result *result)
{
  int code = weft_reset(r->w);
  if (!code && !weft_litmus_plan(r, batch, runs))
    code = weft_fail_memory(r->w);
  for (uint32_t i = 0; !code && i < r->instances; i++)
    code = write_start(r, &r->instance[i]);
  r->jobs = r->late = 0;
  memset(r->ended, 0, sizeof r->ended);
  if (!code)
    code = weft_launch(r->w, weft_litmus_kernel, r);
  if (!code)
    code = collect(r, result);
  if (!code)
    adapt(r);
  return code;
}

/* ---- The verdict ------------------------------------------------------------------------------------- */

static enum weft_litmus_verdict judge(const struct weft_litmus *t)
{
  bool met = false, missed = false;
  for (size_t i = 0; i < t->states.count; i++) {
    met |= t->states.state[i].meets;
    missed |= !t->states.state[i].meets;
  }
  if (t->quantifier == LITMUS_EXISTS)
    return met ? WEFT_LITMUS_SEEN : WEFT_LITMUS_NOT_SEEN;
  bool violated = t->quantifier == LITMUS_FORALL ? missed : met;
  return violated ? WEFT_LITMUS_VIOLATED : WEFT_LITMUS_OK;
}

/* Says of every state whether an interleaving of the threads ends in it. */
static bool ask_oracle(struct weft_litmus *t, struct weft_litmus_result *result)
{
  struct weft_intern ends;
  enum litmus_interleaved answer = weft_litmus_interleave(t, LITMUS_INTERLEAVINGS, &ends);
  if (answer == LITMUS_TOO_LARGE)
    result->unjudged = "too large: the threads can interleave in too many ways";
  else if (answer == LITMUS_BY_ADDRESS)
    result->unjudged = "the states depend on where the variables lie";
  else if (answer == LITMUS_ALL_FOUND) {
    result->allowed = ends.count;
    result->outside = weft_litmus_states_compare(t, &ends);
  }
  weft_intern_free(&ends);
  return answer != LITMUS_NO_MEMORY;
}

static int finish(struct litmus_run *r, struct weft_litmus_result *result)
{
  struct weft_litmus *t = r->test;
  if ((r->oracle == WEFT_LITMUS_ORACLE_SC && !ask_oracle(t, result)) || !weft_litmus_states_finish(t))
    return weft_fail_memory(r->w);
  if (result->unfinished == result->runs && !t->note[0])
    snprintf(t->note, sizeof t->note, "no run ended within %d steps of a thread", LITMUS_STEPS);
  result->verdict = judge(t);
  result->reason = t->note;
  result->states = t->states.state;
  result->state_count = t->states.count;
  return WEFT_OK;
}

static int run_all(struct litmus_run *r, uint64_t runs, struct weft_litmus_result *result)
{
  uint64_t seed = r->seed, most = 64; /* the first launch finds out how long a round must be */
  int code = WEFT_OK;
  for (uint64_t batch = 0; !code && result->runs < runs; batch++) {
    uint64_t left = runs - result->runs;
    r->seed = weft_random_stream(seed, batch).state;
    code = launch(r, batch, left < most ? left : most, result);
    most = INSTANCES;
  }
  return code ? code : finish(r, result);
}

static void clear(struct weft_litmus *t)
{
  weft_litmus_states_clear(&t->states);
  t->note[0] = 0;
}

int weft_litmus_run(struct weft *w, struct weft_litmus *test, const struct weft_litmus_options *options,
                    struct weft_litmus_result *result)
{
  static const struct weft_litmus_options defaults;
  const struct weft_litmus_options *o = options ? options : &defaults;
  struct litmus_run r = {
    .w = w, .test = test, .map = o->map, .place = o->place, .seed = o->seed ? o->seed : 1
  };
  memset(result, 0, sizeof *result);
  result->unjudged = "";
  result->verdict = WEFT_LITMUS_SKIPPED;
  result->reason = test->reason;
  clear(test);
  int code = weft_describe(w, &r.machine);
  if (code)
    return code;
  r.in_order = weft_litmus_promises_sc(r.machine.protocol);
  r.oracle = o->oracle;
  if (r.oracle == WEFT_LITMUS_ORACLE_AUTO)
    r.oracle = r.in_order ? WEFT_LITMUS_ORACLE_SC : WEFT_LITMUS_ORACLE_NONE;
  result->oracle = r.oracle;
  if (test->reason[0])
    return WEFT_OK;
  if (r.place == WEFT_LITMUS_BY_FILE && !test->placed)
    r.place = WEFT_LITMUS_MIXED;
  if (!weft_litmus_fits(&r, test->note, sizeof test->note)) {
    result->reason = test->note;
    return WEFT_OK;
  }
  code = make(&r);
  if (!code)
    code = run_all(&r, o->runs ? o->runs : RUNS, result);
  unmake(&r);
  return code;
}
