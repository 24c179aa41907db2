/* SPDX-License-Identifier: Apache-2.0 */
/* The table of shapes is readable, and the judge says of every shape what the table says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "explore.h"
#include "intern.h"
#include "judge.h"

/* Registers and variables run over 0, 1, 2; a minimum also over -1. */
#define VALUES 4
static const uint8_t small[VALUES] = { 0, 1, 2, 255 };

/* What guards leave out follows from the registers. */
static uint32_t skipped(const struct weft_explore_shape *s, const struct explore_outcome *o)
{
  uint32_t set = 0;
  for (unsigned t = 0; t < s->threads; t++)
    for (unsigned i = 0; i < s->count[t]; i++) {
      const struct explore_op *op = &s->op[t][i];
      if (op->guard >= 0 && o->reg[op->guard] != explore_wide(op->guard_value))
        set |= 1U << i << 8 * t;
    }
  return set;
}

/* How many outcomes that satisfy the condition the judge allows. */
static unsigned allowed(const struct weft_explore_shape *s)
{
  struct explore_placement p = { .nodes = 2 };
  unsigned digits = s->registers + s->variables, count = 0;
  for (unsigned t = 0; t < s->threads; t++)
    p.thread[t] = (struct explore_place){ .node = s->scope == WEFT_SCOPE_SYS ? (uint8_t)(t & 1U) : 0,
                                          .warp = (uint8_t)t };
  for (uint64_t n = 0; n < UINT64_C(1) << 2 * digits; n++) {
    struct explore_outcome o = { 0 };
    for (unsigned i = 0; i < digits; i++) {
      uint32_t value = explore_wide(small[n >> 2 * i & 3U]);
      if (i < s->registers)
        o.reg[i] = value;
      else
        o.variable[i - s->registers] = value;
    }
    if (!weft_explore_condition(s, &o))
      continue;
    o.skipped = skipped(s, &o);
    count += weft_explore_judge(s, &p, &o) == NULL;
  }
  return count;
}

static void test_table(void **state)
{
  (void)state;
  for (size_t i = 0; i < weft_explore_shape_count(); i++) {
    struct weft_explore_shape s;
    if (!weft_explore_shape_read(i, &s))
      fail_msg("shape %s cannot be read", weft_explore_shape_name(i));
    assert_int_equal(weft_explore_shape_find(s.name), (int)i);
    assert_true(s.threads > 0 && s.terms > 0 && s.variables > 0);
  }
  assert_int_equal(weft_explore_shape_find("nix"), -1);
  assert_null(weft_explore_shape_name(weft_explore_shape_count()));
}

/* A release alone orders the stores of 2+2W in the fabric, and is not asked to by the contract's happens-before. */
static bool beyond_contract(const char *name)
{
  return !strcmp(name, "2+2W+rel+rel");
}

static void test_verdicts(void **state)
{
  (void)state;
  for (size_t i = 0; i < weft_explore_shape_count(); i++) {
    struct weft_explore_shape s;
    assert_true(weft_explore_shape_read(i, &s));
    unsigned count = allowed(&s);
    bool forbidden = s.verdict == EXPLORE_FORBIDDEN && !beyond_contract(s.name);
    if (forbidden ? count != 0 : count == 0)
      fail_msg("%s: %u outcomes of its condition are allowed", s.name, count);
  }
}

/* The same fences do not help threads that are outside their scope. */
static void test_scope(void **state)
{
  (void)state;
  struct weft_explore_shape s;
  struct explore_outcome o = { .reg = { EXPLORE_BYTES, 0 }, .variable = { EXPLORE_BYTES, EXPLORE_BYTES } };
  struct explore_placement near = { .nodes = 2 }, far = { .nodes = 2 };
  assert_true(weft_explore_shape_read((size_t)weft_explore_shape_find("MP+gpu"), &s));
  near.thread[1].cu = 1;
  far.thread[1].node = 1;
  assert_non_null(weft_explore_judge(&s, &near, &o));
  assert_null(weft_explore_judge(&s, &far, &o));
}

static void test_invented_value(void **state)
{
  (void)state;
  struct weft_explore_shape s;
  struct explore_placement p = { .nodes = 2 };
  struct explore_outcome o = { .reg = { 0x00010101 }, .variable = { EXPLORE_BYTES } };
  assert_true(weft_explore_shape_read((size_t)weft_explore_shape_find("CoRR"), &s));
  assert_non_null(weft_explore_judge(&s, &p, &o));
}

static void test_intern(void **state)
{
  (void)state;
  struct weft_intern n;
  bool fresh;
  weft_intern_open(&n, sizeof(uint64_t));
  for (uint64_t i = 0; i < 5000; i++) {
    assert_int_equal(weft_intern(&n, &i, &fresh), i);
    assert_true(fresh);
  }
  for (uint64_t i = 0; i < 5000; i++) {
    assert_int_equal(weft_intern(&n, &i, &fresh), i);
    assert_false(fresh);
  }
  uint64_t absent = 5000;
  assert_true(weft_intern_has(&n, &(uint64_t){ 4999 }));
  assert_false(weft_intern_has(&n, &absent));
  weft_intern_free(&n);
}

/* Every placement once: nodes and CUs have no names. */
static void test_placements(void **state)
{
  (void)state;
  struct weft_explore_shape s;
  struct explore_job job = { .nodes = 3 };
  struct explore_placement *list;
  assert_true(weft_explore_shape_read((size_t)weft_explore_shape_find("2+2W"), &s)); /* nothing to warm up */
  size_t count = weft_explore_placements(&s, &job, &list);
  /* two threads of a node (one CU or two) and five ways to place two homes, of which two have one home and two
   * layouts; on two nodes nine, of which three have one home */
  assert_int_equal(count, 2 * (5 + 2) + 9 + 3);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      assert_memory_not_equal(&list[i], &list[j], sizeof *list);
  free(list);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_table),          cmocka_unit_test(test_verdicts), cmocka_unit_test(test_scope),
    cmocka_unit_test(test_invented_value), cmocka_unit_test(test_intern),   cmocka_unit_test(test_placements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
