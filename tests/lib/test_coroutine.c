/* SPDX-License-Identifier: Apache-2.0 */
/* The switch itself: state kept across it, deep stacks, coroutines that are abandoned. */
#include <fenv.h>

#include "coroutine.h"
#include "lib_test.h"

struct visit {
  struct weft_coroutine c;
  int number, steps;
  int trail[8];
  double kept;
};

static void walk(void *arg)
{
  struct visit *v = arg;
  /* Enough live values that some stay in registers which the switch must keep. */
  long a = v->number, b = a * 3, c = a * 5, d = a * 7, e = a * 11, f = a * 13;
  double x = v->number + 0.5;
  for (int i = 0; i < 4; i++) {
    v->trail[v->steps++] = v->number * 10 + i;
    weft_coroutine_yield(&v->c);
    a += b ^ c, b += c ^ d, c += d ^ e, d += e ^ f, e += a, f += b;
    x *= 1.5;
  }
  v->kept = x + (double)(a + b + c + d + e + f);
}

static double expected(int number)
{
  long a = number, b = a * 3, c = a * 5, d = a * 7, e = a * 11, f = a * 13;
  double x = number + 0.5;
  for (int i = 0; i < 4; i++) {
    a += b ^ c, b += c ^ d, c += d ^ e, d += e ^ f, e += a, f += b;
    x *= 1.5;
  }
  return x + (double)(a + b + c + d + e + f);
}

static void many_take_turns_and_keep_their_state(void **state)
{
  enum { COUNT = 50 };
  static struct visit visits[COUNT];
  struct weft_stacks stacks;
  (void)state;
  assert_true(weft_stacks_open(&stacks, COUNT, 64 << 10));
  for (int i = 0; i < COUNT; i++) {
    visits[i] = (struct visit){ .number = i };
    weft_coroutine_start(&visits[i].c, &stacks, (size_t)i, walk, &visits[i]);
  }
  for (int round = 0; round < 5; round++)
    for (int i = 0; i < COUNT; i++) {
      assert_false(visits[i].c.finished);
      weft_coroutine_resume(&visits[i].c);
    }
  for (int i = 0; i < COUNT; i++) {
    assert_true(visits[i].c.finished);
    assert_int_equal(visits[i].steps, 4);
    for (int k = 0; k < 4; k++)
      assert_int_equal(visits[i].trail[k], i * 10 + k);
    assert_true(visits[i].kept == expected(i));
  }
  weft_stacks_close(&stacks);
}

static int descend(struct weft_coroutine *c, int depth)
{
  volatile char pad[256];
  pad[0] = (char)depth;
  if (depth == 100)
    weft_coroutine_yield(c);
  return depth ? descend(c, depth - 1) + pad[0] : 0;
}

static void dig(void *arg)
{
  struct visit *v = arg;
  v->steps = descend(&v->c, 120);
}

static void stacks_are_deep(void **state)
{
  struct visit v = { .number = 0 };
  struct weft_stacks stacks;
  (void)state;
  assert_true(weft_stacks_open(&stacks, 1, 128 << 10));
  weft_coroutine_start(&v.c, &stacks, 0, dig, &v);
  weft_coroutine_resume(&v.c);
  assert_false(v.c.finished);
  weft_coroutine_resume(&v.c);
  assert_true(v.c.finished);
  assert_int_equal(v.steps, 120 * 121 / 2);
  weft_stacks_close(&stacks);
}

static void one_that_is_abandoned_leaves_its_stack_usable(void **state)
{
  struct visit v = { .number = 1 };
  struct weft_stacks stacks;
  (void)state;
  assert_true(weft_stacks_open(&stacks, 1, 64 << 10));
  for (int i = 0; i < 100; i++) {
    v.steps = 0;
    weft_coroutine_start(&v.c, &stacks, 0, i % 2 ? walk : dig, &v);
    weft_coroutine_resume(&v.c);
    assert_false(v.c.finished);
  }
  weft_stacks_close(&stacks);
}

static void round_up(void *arg)
{
  struct visit *v = arg;
  fesetround(FE_UPWARD);
  weft_coroutine_yield(&v->c);
  v->steps = fegetround();
}

/* As the ABIs say: rounding belongs to who set it, not to the thread. */
static void rounding_is_kept_apart(void **state)
{
  struct visit v = { .number = 0 };
  struct weft_stacks stacks;
  (void)state;
#if defined(__aarch64__)
  skip(); /* FPCR is not among what a callee keeps */
#endif
  assert_true(weft_stacks_open(&stacks, 1, 64 << 10));
  weft_coroutine_start(&v.c, &stacks, 0, round_up, &v);
  weft_coroutine_resume(&v.c);
  assert_int_equal(fegetround(), FE_TONEAREST);
  weft_coroutine_resume(&v.c);
  assert_int_equal(v.steps, FE_UPWARD);
  assert_int_equal(fegetround(), FE_TONEAREST);
  weft_stacks_close(&stacks);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(many_take_turns_and_keep_their_state),
    cmocka_unit_test(stacks_are_deep),
    cmocka_unit_test(one_that_is_abandoned_leaves_its_stack_usable),
    cmocka_unit_test(rounding_is_kept_apart),
  };
  return cmocka_run_group_tests_name("coroutine", tests, NULL, NULL);
}
