/* SPDX-License-Identifier: Apache-2.0 */
/* The tester on the model: right machines pass and broken ones do not; runs repeat; what cannot be is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "episodes.h"

static struct weft *open_tiny(const char *protocol, uint64_t patience)
{
  struct weft *w = weft_new();
  struct weft_options o = { .protocol = protocol, .jitter = 300, .patience = patience };
  assert_non_null(w);
  if (weft_open(w, "model:tiny", &o))
    fail_msg("%s", weft_message(w));
  return w;
}

static struct weft_episodes *new_on(struct weft *w)
{
  struct weft_episodes *e;
  if (weft_episodes_new(w, 1, &e))
    fail_msg("%s", weft_message(w));
  return e;
}

static void end(struct weft *w, struct weft_episodes *e)
{
  weft_episodes_free(e);
  weft_free(w);
}

static void more_than_one_round(void **state)
{
  struct weft *w = open_tiny("baseline", 0);
  struct weft_episodes *e = new_on(w);
  struct weft_episodes_totals t;
  (void)state;
  if (weft_episodes_run(e, &(struct weft_episodes_options){ .count = 2 * WEFT_ROUND_EPISODES + 600 }))
    fail_msg("%s", weft_message(w));
  weft_episodes_totals(e, &t);
  assert_int_equal(t.episodes, 2 * WEFT_ROUND_EPISODES + 600);
  assert_int_equal(t.failures, 0);
  assert_true(t.checks > t.episodes * 5);
  end(w, e);
}

static void failures_say_all(void **state)
{
  struct weft *w = open_tiny("none", 0);
  struct weft_episodes *e = new_on(w);
  struct weft_episode_failure f;
  (void)state;
  assert_int_equal(weft_episodes_run(e, &(struct weft_episodes_options){ .count = 500 }), WEFT_WRONG_RESULT);
  assert_true(weft_episodes_failure_at(e, 0, &f));
  assert_string_equal(f.kind, "load");
  const struct weft_episode *x = weft_plan_episode(&e->plan, (size_t)f.at.episode);
  assert_int_equal(x->number, f.at.episode);
  assert_int_equal((f.at.node * 2 + f.at.cu) * 2 + f.at.warp, x->warp);
  assert_true(f.issued < f.cycle);
  assert_int_not_equal(f.seen, f.expected);
  assert_true(f.writer.episode == WEFT_NO_EPISODE || f.writer.episode < f.at.episode);
  assert_non_null(strstr(f.text, "should be"));
  assert_non_null(strstr(weft_message(w), "failures"));
  assert_false(weft_episodes_failure_at(e, WEFT_FAILURES_KEPT, &f));
  end(w, e);
}

static void runs_repeat(void **state)
{
  struct weft *w = open_tiny("none", 0);
  struct weft_episodes *e = new_on(w);
  struct weft_episode_failure first, again;
  (void)state;
  assert_int_equal(weft_episodes_run(e, &(struct weft_episodes_options){ .count = 500 }), WEFT_WRONG_RESULT);
  assert_true(weft_episodes_failure_at(e, 0, &first));
  assert_int_equal(weft_episodes_run(e, &(struct weft_episodes_options){ .count = 500 }), WEFT_WRONG_RESULT);
  assert_true(weft_episodes_failure_at(e, 0, &again));
  assert_int_equal(first.cycle, again.cycle);
  assert_int_equal(first.at.episode, again.at.episode);
  assert_int_equal(first.seen, again.seen);
  end(w, e);
}

/* What happens although it was declared impossible is a failure: here a full set, on a machine that has them. */
static void impossible_transitions_fail(void **state)
{
  struct weft *w = open_tiny("baseline", 0);
  struct weft_episodes *e = new_on(w);
  struct weft_episode_failure f;
  (void)state;
  e->layout.overflows = false;
  assert_int_equal(weft_episodes_run(e, &(struct weft_episodes_options){ .count = 500 }), WEFT_WRONG_RESULT);
  assert_true(weft_episodes_failure_at(e, 0, &f));
  assert_string_equal(f.kind, "directory");
  assert_non_null(strstr(f.text, "miss full"));
  assert_non_null(strstr(f.text, "no set is ever full"));
  end(w, e);
}

static void a_deadlock_is_a_failure(void **state)
{
  struct weft *w = open_tiny("baseline", 3); /* no memory answers so fast */
  struct weft_episodes *e = new_on(w);
  struct weft_episode_failure f;
  (void)state;
  assert_int_equal(weft_episodes_run(e, &(struct weft_episodes_options){ .count = 100 }), WEFT_STUCK);
  assert_true(weft_episodes_failure_at(e, 0, &f));
  assert_string_equal(f.kind, "deadlock");
  assert_non_null(strstr(f.text, "warps have ended"));
  end(w, e);
}

static void shrinking_leaves_what_fails(void **state)
{
  struct weft *w = open_tiny("none", 0);
  struct weft_episodes *e = new_on(w);
  struct weft_episodes_options all = { .count = 1000 };
  struct weft_episodes_shrunk s;
  struct weft_episodes_totals t;
  (void)state;
  assert_int_equal(weft_episodes_shrink(e, &all, 0, &s), WEFT_BAD_STATE); /* nothing has failed yet */
  assert_int_equal(weft_episodes_run(e, &all), WEFT_WRONG_RESULT);
  assert_int_equal(weft_episodes_shrink(e, &all, 0, &s), WEFT_OK);
  assert_true(s.count < 1000 && s.kept < 10 && s.kept >= 1);
  weft_episodes_totals(e, &t);
  assert_true(t.failures > 0);
  char *program = weft_episodes_program(e);
  assert_non_null(strstr(program, "load "));
  struct weft_episodes_options less = { .count = s.count, .keep = s.keep, .kept = s.kept };
  assert_int_equal(weft_episodes_run(e, &less), WEFT_WRONG_RESULT);
  free(program);
  free(s.keep);
  end(w, e);
}

static void what_it_cannot_run_on(void **state)
{
  struct weft *w = weft_new();
  struct weft_episodes *e;
  weft_address a;
  (void)state;
  assert_int_equal(weft_episodes_new(w, 1, &e), WEFT_BAD_STATE);
  assert_int_equal(weft_open(w, "null:tiny", NULL), WEFT_OK);
  assert_int_equal(weft_episodes_new(w, 1, &e), WEFT_NOT_BUILT_IN);
  assert_null(e);
  weft_close(w);
  assert_int_equal(weft_open(w, "model:tiny", NULL), WEFT_OK);
  assert_int_equal(weft_alloc(w, 8, 0, &a), WEFT_OK);
  assert_int_equal(weft_episodes_new(w, 1, &e), WEFT_BAD_STATE);
  weft_free(w);
}

/* Every state of every request is either possible or has its reason, on all shapes of machines. */
static void reasons_depend_on_the_shape(void **state)
{
  static const unsigned possible[][5] = {
    /* nodes: one line, block, range, without a full set */
    { 1, 3, 3, 3, 3 },     { 2, 14, 14, 28, 12 },  { 3, 23, 23, 46, 21 },
    { 4, 26, 26, 52, 24 }, { 16, 26, 26, 52, 24 },
  };
  (void)state;
  for (size_t i = 0; i < sizeof possible / sizeof *possible; i++)
    for (unsigned kind = 0; kind < 4; kind++) {
      struct weft_episode_shape s = { .nodes = possible[i][0],
                                      .tracked = true,
                                      .entry_lines = kind == 1 || kind == 2 ? 4 : 1,
                                      .block = kind == 1 };
      unsigned count = 0;
      for (unsigned r = 0; r < WEFT_REQUESTS; r++)
        for (unsigned t = 0; t < WEFT_STATES; t++)
          count += !weft_transition_why_not(&s, kind != 3, r, t);
      assert_int_equal(count, possible[i][1 + kind]);
      s.tracked = false;
      assert_non_null(weft_transition_why_not(&s, true, WEFT_LOCAL_READ, WEFT_MISS));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(more_than_one_round),
    cmocka_unit_test(failures_say_all),
    cmocka_unit_test(runs_repeat),
    cmocka_unit_test(impossible_transitions_fail),
    cmocka_unit_test(a_deadlock_is_a_failure),
    cmocka_unit_test(shrinking_leaves_what_fails),
    cmocka_unit_test(what_it_cannot_run_on),
    cmocka_unit_test(reasons_depend_on_the_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
