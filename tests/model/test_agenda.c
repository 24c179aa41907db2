/* SPDX-License-Identifier: Apache-2.0 */
/* The agenda of the timed fabric against a plain list of who wants to be woken when. */
#include "agenda.h"
#include "units.h"

#define UNITS 200U
#define PLANS 4000U

struct plan {
  uint64_t cycle;
  unsigned unit;
};

static uint64_t first_of(const struct plan *plans, size_t count)
{
  uint64_t first = WEFT_NEVER;
  for (size_t i = 0; i < count; i++)
    if (plans[i].cycle < first)
      first = plans[i].cycle;
  return first;
}

/* Takes the plans of a cycle out of the list; returns how many units they name. */
static unsigned take(struct plan *plans, size_t *count, uint64_t cycle, uint64_t awake[WEFT_AGENDA_WORDS])
{
  unsigned units = 0;
  memset(awake, 0, WEFT_AGENDA_WORDS * sizeof *awake);
  for (size_t i = 0; i < *count;) {
    if (plans[i].cycle != cycle) {
      i++;
      continue;
    }
    uint64_t bit = weft_bit(plans[i].unit % 64U);
    units += !(awake[plans[i].unit / 64U] & bit);
    awake[plans[i].unit / 64U] |= bit;
    plans[i] = plans[--*count];
  }
  return units;
}

/* How far ahead: mostly a cycle, often a latency, sometimes around the wheel's end, seldom very far. */
static uint64_t distance(uint64_t bits)
{
  static const uint64_t most[] = { 2, 2, 2, 50, 50, 1000, WEFT_AGENDA_CYCLES + 5, 10000000 };
  return (bits >> 8) % most[bits & 7U];
}

static void wakes_everybody_in_time(void **state)
{
  (void)state;
  struct weft_agenda a = { 0 };
  static struct plan plans[PLANS];
  uint64_t random = 7, now = 3, visited = 0;
  size_t count = 0;
  assert_true(weft_agenda_new(&a, UNITS));
  assert_true(weft_agenda_next(&a, now) == WEFT_NEVER);
  while (visited < 50000) {
    for (unsigned more = (unsigned)(test_random(&random) % 4); more && count < PLANS; more--) {
      struct plan p = { now + distance(test_random(&random)), (unsigned)(test_random(&random) % UNITS) };
      /* beyond the wheel a unit is known by its first plan alone; nobody has two there */
      if (p.cycle - now >= WEFT_AGENDA_CYCLES && a.far[p.unit] != WEFT_NEVER)
        continue;
      weft_agenda_add(&a, p.unit, p.cycle, now);
      plans[count++] = p;
    }
    uint64_t first = first_of(plans, count);
    assert_true(weft_agenda_next(&a, now) == first);
    if (first == WEFT_NEVER || test_random(&random) % 8 == 0)
      continue; /* somebody may still be added before time goes on */
    uint64_t expected[WEFT_AGENDA_WORDS], awake[WEFT_AGENDA_WORDS];
    unsigned units = take(plans, &count, first, expected);
    now = first;
    assert_int_equal(weft_agenda_take(&a, now, awake), units);
    assert_memory_equal(awake, expected, a.words * sizeof *awake);
    visited += units;
    now++;
  }
  weft_agenda_free(&a);
}

static void the_nearer_of_two_far_plans_counts(void **state)
{
  (void)state;
  struct weft_agenda a = { 0 };
  uint64_t awake[WEFT_AGENDA_WORDS];
  assert_true(weft_agenda_new(&a, 3));
  weft_agenda_add(&a, 1, 900000, 0);
  weft_agenda_add(&a, 1, 500000, 0);
  weft_agenda_add(&a, 2, 700000, 0);
  assert_true(weft_agenda_next(&a, 0) == 500000);
  assert_int_equal(weft_agenda_take(&a, 500000, awake), 1);
  assert_int_equal(awake[0], 2);
  assert_true(weft_agenda_next(&a, 500001) == 700000);
  weft_agenda_free(&a);
}

static void refuses_more_units_than_it_has_sets_for(void **state)
{
  (void)state;
  struct weft_agenda a = { 0 };
  assert_false(weft_agenda_new(&a, 64U * WEFT_AGENDA_WORDS + 1U));
  weft_agenda_free(&a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(wakes_everybody_in_time),
    cmocka_unit_test(the_nearer_of_two_far_plans_counts),
    cmocka_unit_test(refuses_more_units_than_it_has_sets_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
