/* SPDX-License-Identifier: Apache-2.0 */
#include "atomic.h"
#include "units.h"

/* Old value, operand, compare value, and what each width must give: written out by hand, so that nothing here
 * is computed the way the model computes it. */
struct vector {
  uint8_t func;
  uint64_t old, operand, compare, wide, narrow;
};

static const struct vector vectors[] = {
  { WEFT_FUNC_ADD, 0xffffffff, 1, 0, 0x100000000, 0 },
  { WEFT_FUNC_ADD, 0xffffffffffffffff, 1, 0, 0, 0 },
  { WEFT_FUNC_ADD, 0x1122334455667788, 0x0000000100000001, 0, 0x1122334555667789, 0x55667789 },
  { WEFT_FUNC_EXCH, 1, 0xaabbccdd00112233, 0, 0xaabbccdd00112233, 0x00112233 },
  { WEFT_FUNC_CAS, 5, 9, 5, 9, 9 },
  { WEFT_FUNC_CAS, 5, 9, 6, 5, 5 },
  { WEFT_FUNC_CAS, 0x700000005, 9, 5, 0x700000005, 9 }, /* narrow: the upper halves do not count */
  { WEFT_FUNC_MIN, 1, 0xffffffffffffffff, 0, 0xffffffffffffffff, 0xffffffff },
  { WEFT_FUNC_MIN, 0x80000000, 1, 0, 1, 0x80000000 },
  { WEFT_FUNC_MAX, 1, 0xffffffffffffffff, 0, 1, 1 },
  { WEFT_FUNC_MAX, 0x80000000, 1, 0, 0x80000000, 1 },
  { WEFT_FUNC_MINU, 1, 0xffffffffffffffff, 0, 1, 1 },
  { WEFT_FUNC_MINU, 0x100000002, 3, 0, 3, 2 },
  { WEFT_FUNC_MINU, 0x80000000, 1, 0, 1, 1 },
  { WEFT_FUNC_MAXU, 1, 0xffffffffffffffff, 0, 0xffffffffffffffff, 0xffffffff },
  { WEFT_FUNC_MAXU, 0x100000002, 3, 0, 0x100000002, 3 },
  { WEFT_FUNC_AND, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0, 0xf000f000f000f000, 0xf000f000 },
  { WEFT_FUNC_OR, 0xf0f0f0f0f0f0f0f0, 0x0f000f000f000f00, 0, 0xfff0fff0fff0fff0, 0xfff0fff0 },
  { WEFT_FUNC_XOR, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0, 0x0ff00ff00ff00ff0, 0x0ff00ff0 },
  { 15, 0x1234567890abcdef, 7, 0, 0x1234567890abcdef, 0x90abcdef }, /* unknown: as it was */
};

static void every_function_in_both_widths(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    const struct vector *v = &vectors[i];
    assert_int_equal(weft_atomic(v->func, true, v->old, v->operand, v->compare), v->wide);
    assert_int_equal(weft_atomic(v->func, false, v->old, v->operand, v->compare), v->narrow);
  }
}

static void vectors_cover_every_function(void **state)
{
  (void)state;
  unsigned seen = 0;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    seen |= 1U << vectors[i].func;
  assert_int_equal(seen & 0x3ffU, 0x3ffU);
}

static void applies_to_its_own_bytes_only(void **state)
{
  (void)state;
  uint8_t bytes[16], operands[16] = { 1 };
  memset(bytes, 0xff, sizeof bytes);
  assert_int_equal(weft_atomic_apply(WEFT_FUNC_ADD, false, bytes + 4, operands), 0xffffffff);
  for (unsigned i = 0; i < 16; i++)
    assert_int_equal(bytes[i], i / 4 == 1 ? 0 : 0xff);
  assert_int_equal(weft_atomic_apply(WEFT_FUNC_ADD, true, bytes + 8, operands), UINT64_MAX);
  for (unsigned i = 0; i < 16; i++)
    assert_int_equal(bytes[i], i < 4 ? 0xff : 0);
}

static void compare_value_is_in_bytes_8_to_15(void **state)
{
  (void)state;
  uint8_t bytes[8] = { 7 }, operands[16] = { 0 };
  operands[0] = 3;
  operands[8] = 7;
  assert_int_equal(weft_atomic_apply(WEFT_FUNC_CAS, true, bytes, operands), 7);
  assert_int_equal(bytes[0], 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_function_in_both_widths),
    cmocka_unit_test(vectors_cover_every_function),
    cmocka_unit_test(applies_to_its_own_bytes_only),
    cmocka_unit_test(compare_value_is_in_bytes_8_to_15),
  };
  return cmocka_run_group_tests_name("model.atomic", tests, NULL, NULL);
}
