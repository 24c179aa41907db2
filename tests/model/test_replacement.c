/* SPDX-License-Identifier: Apache-2.0 */
#include "replacement.h"
#include "units.h"

static void starts_with_own_number(void **state)
{
  (void)state;
  uint8_t ages[16];
  weft_ages_reset(ages, 16);
  for (unsigned w = 0; w < 16; w++)
    assert_int_equal(ages[w], w);
}

static void touch_ages_only_the_younger(void **state)
{
  (void)state;
  uint8_t ages[4] = { 2, 0, 3, 1 };
  weft_ages_touch(ages, 4, 0);
  uint8_t expected[4] = { 0, 1, 3, 2 };
  assert_memory_equal(ages, expected, 4);
  weft_ages_touch(ages, 4, 0); /* again: nothing changes */
  assert_memory_equal(ages, expected, 4);
}

static void ages_stay_a_permutation(void **state)
{
  (void)state;
  for (unsigned ways = 1; ways <= 16; ways++) {
    uint8_t ages[16];
    uint64_t seed = ways;
    weft_ages_reset(ages, ways);
    for (unsigned i = 0; i < 200; i++) {
      unsigned way = (unsigned)(test_random(&seed) % ways);
      weft_ages_touch(ages, ways, way);
      assert_int_equal(ages[way], 0);
      uint32_t seen = 0;
      for (unsigned w = 0; w < ways; w++)
        seen |= 1U << ages[w];
      assert_int_equal(seen, (1U << ways) - 1);
    }
  }
}

static void victim_is_invalid_first_then_oldest(void **state)
{
  (void)state;
  const uint8_t ages[4] = { 2, 0, 3, 1 };
  assert_int_equal(weft_ages_victim(ages, 4, 0xf, WEFT_NO_WAY), 2);
  assert_int_equal(weft_ages_victim(ages, 4, 0x5, WEFT_NO_WAY), 1); /* 1 and 3 are invalid: the lowest */
  assert_int_equal(weft_ages_victim(ages, 4, 0x7, WEFT_NO_WAY), 3);
  assert_int_equal(weft_ages_victim(ages, 4, 0xf, 2), 0); /* the oldest is excluded */
  assert_int_equal(weft_ages_victim(ages, 4, 0x5, 1), 3); /* so is an invalid one */
}

static void victim_of_the_most_and_the_fewest_ways(void **state)
{
  (void)state;
  uint8_t ages[16];
  weft_ages_reset(ages, 16);
  assert_int_equal(weft_ages_victim(ages, 16, 0xffff, WEFT_NO_WAY), 15);
  assert_int_equal(weft_ages_victim(ages, 16, 0xffff, 15), 14);
  assert_int_equal(weft_ages_victim(ages, 1, 1, WEFT_NO_WAY), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(starts_with_own_number),
    cmocka_unit_test(touch_ages_only_the_younger),
    cmocka_unit_test(ages_stay_a_permutation),
    cmocka_unit_test(victim_is_invalid_first_then_oldest),
    cmocka_unit_test(victim_of_the_most_and_the_fewest_ways),
  };
  return cmocka_run_group_tests_name("model.replacement", tests, NULL, NULL);
}
