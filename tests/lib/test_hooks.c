/* SPDX-License-Identifier: Apache-2.0 */
/* Counters, samples, traces and progress. */
#include <stdio.h>

#include "lib_test.h"

static void names_are_complete(void **state)
{
  struct weft *w = open_machine("model:tiny");
  size_t nodes = 0, totals = 0;
  (void)state;
  for (size_t i = 0; i < weft_counter_total(w); i++) {
    const char *name = weft_counter_name(w, i);
    nodes += !strncmp(name, "node", 4);
    totals += !strncmp(name, "total.", 6);
    for (size_t k = 0; k < i; k++)
      assert_string_not_equal(name, weft_counter_name(w, k));
    assert_null(strstr(name, "cu2")); /* tiny has two */
  }
  assert_int_equal(nodes + totals, weft_counter_total(w));
  assert_null(weft_counter_name(w, weft_counter_total(w)));
  uint64_t value;
  assert_works(w, weft_counter_get(w, "node1.cu1.l1.hits", &value));
  assert_works(w, weft_counter_get(w, "total.directory.evictions", &value));
  assert_fails(w, weft_counter_get(w, "node2.l2.hits", &value), WEFT_UNKNOWN_COUNTER, "node2.l2.hits");
  assert_fails(w, weft_counters_read(w, &value, 1), WEFT_BAD_ARGUMENT, "room for 1");
  weft_free(w);
}

static void few(struct weft_warp *t, void *arg)
{
  weft_address a = *(weft_address *)arg;
  weft_load64(t, a);
  weft_store64(t, a + 8 * weft_where(t)->index, 1);
  weft_rmw(t, WEFT_ADD, a + 1024, 8, 1, 0, WEFT_RELAXED, WEFT_SYS);
}

static uint64_t get(struct weft *w, const char *name)
{
  uint64_t value;
  assert_works(w, weft_counter_get(w, name, &value));
  return value;
}

static void counts_add_up(void **state)
{
  static const char *const backends[] = { "null:quad", "model:quad" };
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct weft *w = open_machine(backends[i]);
    weft_address a;
    assert_works(w, weft_alloc(w, 4096, 0, &a));
    assert_works(w, weft_launch(w, few, &a));
    assert_int_equal(get(w, "total.l1.loads"), 64);
    assert_int_equal(get(w, "total.l1.stores"), 64);
    assert_int_equal(get(w, "total.l1.atomics"), 64);
    assert_int_equal(get(w, "total.l1.fences"), 2 * 16);
    assert_int_equal(get(w, "node3.cu2.l1.loads"), 4);
    /* Time is one for all nodes. */
    assert_int_equal(get(w, "total.time.cycles"), get(w, "node2.time.cycles"));
    struct weft_statistics s;
    assert_works(w, weft_statistics_read(w, &s));
    assert_int_equal(s.operations, 3 * 64 + 32);
    assert_int_equal(s.bytes, 3 * 64 * 8);
    weft_free(w);
  }
}

struct samples {
  unsigned count;
  uint64_t last_cycle, last_loads;
  struct weft *w;
};

static void take_sample(void *arg, uint64_t cycle, const uint64_t *values, size_t count)
{
  struct samples *s = arg;
  assert_int_equal(count, weft_counter_total(s->w));
  assert_int_equal(s->last_cycle % 200, 0); /* only the last one is at the end of the launch */
  assert_true(cycle <= s->last_cycle + 200 || !s->count);
  assert_true(cycle > s->last_cycle);
  size_t at = 0;
  while (strcmp(weft_counter_name(s->w, at), "total.l1.loads") != 0)
    at++;
  assert_true(values[at] >= s->last_loads);
  s->last_loads = values[at];
  s->last_cycle = cycle;
  s->count++;
}

static void samples_come_at_their_time(void **state)
{
  struct weft *w = open_machine("model:tiny");
  struct samples s = { .w = w };
  struct weft_statistics statistics;
  (void)state;
  assert_fails(w, weft_sample(w, 0, take_sample, &s), WEFT_BAD_ARGUMENT, "0 cycles");
  assert_works(w, weft_sample(w, 200, take_sample, &s));
  assert_works(w, weft_workload_run(w, "vecadd", NULL, NULL));
  assert_works(w, weft_statistics_read(w, &statistics));
  assert_true(s.count > 3);
  assert_int_equal(s.count, (statistics.cycles + 199) / 200);
  assert_int_equal(s.last_cycle, statistics.cycles);
  weft_free(w);
}

struct trace {
  unsigned counts[4];
  uint64_t last[64]; /* issue of the last operation of each CU */
  uint64_t bytes;
};

static void take_operation(void *arg, const struct weft_operation *o)
{
  static const char *const ops[] = { "load", "store", "atomic", "fence" };
  struct trace *t = arg;
  for (int i = 0; i < 4; i++)
    t->counts[i] += !strcmp(o->op, ops[i]);
  unsigned cu = o->node * 4 + o->cu;
  assert_true(o->issue >= t->last[cu]); /* in the order of its port */
  t->last[cu] = o->issue;
  t->bytes += o->bytes;
  assert_true(!strcmp(o->op, "fence") == !o->bytes);
  assert_true((!strcmp(o->op, "store") || !strcmp(o->op, "atomic")) == !!o->value);
  assert_true(!strcmp(o->op, "atomic") == !!o->detail[0]);
}

static void a_trace_has_every_operation(void **state)
{
  struct weft *w = open_machine("model:quad");
  static struct trace t;
  struct weft_statistics s;
  (void)state;
  assert_works(w, weft_trace(w, take_operation, &t));
  assert_works(w, weft_workload_run(w, "mix", &(struct weft_workload_options){ .size = 3000 }, NULL));
  assert_works(w, weft_statistics_read(w, &s));
  assert_int_equal(t.counts[0], get(w, "total.l1.loads"));
  assert_int_equal(t.counts[2], get(w, "total.l1.atomics"));
  assert_int_equal(t.counts[3], get(w, "total.l1.fences"));
  /* Stores with holes are shown in several parts, but their bytes are the same. */
  assert_true(t.counts[1] >= get(w, "total.l1.stores"));
  assert_int_equal(t.bytes, s.bytes);
  weft_free(w);
}

static void a_masked_store(struct weft_warp *t, void *arg)
{
  uint8_t line[64] = { 1, 2, 3, 4, [63] = 5 };
  if (!weft_where(t)->index)
    weft_store_masked(t, *(weft_address *)arg, line, (uint64_t[2]){ 0x800000000000000b, 0 }, WEFT_WEAK,
                      WEFT_CTA);
}

static void note_store(void *arg, const struct weft_operation *o)
{
  char *text = arg;
  if (o->value)
    sprintf(text + strlen(text), "%u+%u=%u ", (unsigned)(o->physical & 63), o->bytes, o->value[0]);
}

static void holes_are_left_out_of_a_trace(void **state)
{
  struct weft *w = open_machine("null:quad");
  weft_address a;
  char text[100] = "";
  (void)state;
  assert_works(w, weft_alloc(w, 64, 0, &a));
  assert_works(w, weft_trace(w, note_store, text));
  assert_works(w, weft_launch(w, a_masked_store, &a));
  assert_string_equal(text, "0+2=1 3+1=4 63+1=5 ");
  weft_free(w);
}

static void see_progress(void *arg, const struct weft_progress *p)
{
  unsigned *calls = arg;
  assert_string_equal(p->what, "running");
  assert_int_equal(p->warps, 8);
  assert_true(p->finished <= p->warps);
  ++*calls;
}

static void progress_is_told(void **state)
{
  unsigned calls = 0;
  struct weft_options o = { .progress = see_progress, .progress_arg = &calls };
  struct weft *w = open_with("model:tiny", &o);
  (void)state;
  assert_works(w, weft_workload_run(w, "vecadd", NULL, NULL));
  assert_true(calls >= 1);
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_complete),
    cmocka_unit_test(counts_add_up),
    cmocka_unit_test(samples_come_at_their_time),
    cmocka_unit_test(a_trace_has_every_operation),
    cmocka_unit_test(holes_are_left_out_of_a_trace),
    cmocka_unit_test(progress_is_told),
  };
  return cmocka_run_group_tests_name("hooks", tests, NULL, NULL);
}
