/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation, placement, translation, and the host's way to memory. */
#include "lib_test.h"

#define PAGE 4096u

static unsigned home(struct weft *w, weft_address a)
{
  uint64_t physical;
  assert_works(w, weft_translate(w, a, &physical));
  return (unsigned)(physical >> 36);
}

static void interleaved_pages_take_turns(void **state)
{
  struct weft *w = open_machine("null:quad");
  weft_address a;
  (void)state;
  assert_works(w, weft_alloc(w, 9 * PAGE, WEFT_INTERLEAVED, &a));
  for (unsigned i = 0; i < 9; i++)
    assert_int_equal(home(w, a + i * PAGE + 17), i % 4);
  weft_free(w);
}

static void fixed_pages_stay_on_their_node(void **state)
{
  struct weft *w = open_machine("null:quad");
  weft_address a;
  (void)state;
  assert_works(w, weft_alloc(w, 5 * PAGE, 2, &a));
  for (unsigned i = 0; i < 5; i++)
    assert_int_equal(home(w, a + i * PAGE), 2);
  assert_fails(w, weft_alloc(w, 1, 4, &a), WEFT_BAD_ARGUMENT, "0 to 3");
  assert_fails(w, weft_alloc(w, 1, -4, &a), WEFT_BAD_ARGUMENT, "-4");
  assert_fails(w, weft_alloc(w, 0, 0, &a), WEFT_BAD_SIZE, "0 bytes");
  weft_free(w);
}

static void the_first_touch_places_a_page(void **state)
{
  struct weft *w = open_machine("null:quad");
  weft_address a;
  (void)state;
  assert_works(w, weft_alloc(w, 6 * PAGE, WEFT_FIRST_TOUCH, &a));
  assert_works(w, weft_touch(w, 3, a + PAGE - 1, 2)); /* pages 0 and 1 */
  assert_works(w, weft_touch(w, 1, a, 3 * PAGE));     /* page 2 is left */
  assert_works(w, weft_touch(w, 2, a + 3 * PAGE, 0)); /* nothing */
  assert_int_equal(home(w, a), 3);
  assert_int_equal(home(w, a + PAGE), 3);
  assert_int_equal(home(w, a + 2 * PAGE), 1);
  /* Nobody touched these before they were used: as if interleaved. */
  for (unsigned i = 3; i < 6; i++)
    assert_int_equal(home(w, a + i * PAGE), i % 4);
  assert_works(w, weft_touch(w, 0, a, 6 * PAGE));
  assert_int_equal(home(w, a), 3);
  assert_fails(w, weft_touch(w, 4, a, 1), WEFT_BAD_ARGUMENT, "node 4");
  assert_fails(w, weft_touch(w, 0, a + 5 * PAGE, PAGE + 1), WEFT_BAD_ADDRESS, "not allocated");
  weft_free(w);
}

static void a_full_node_overflows(void **state)
{
  struct weft *w = open_machine("null:tiny"); /* 8 pages per node, of which the last is the barrier's */
  weft_address a, b, c;
  (void)state;
  assert_works(w, weft_alloc(w, 7 * PAGE, 0, &a));
  assert_fails(w, weft_alloc(w, PAGE, 0, &b), WEFT_NO_ROOM, "node 0");
  assert_works(w, weft_alloc(w, 2 * PAGE, WEFT_INTERLEAVED, &b));
  assert_int_equal(home(w, b), 1);
  assert_works(w, weft_alloc(w, 2 * PAGE, WEFT_FIRST_TOUCH, &c));
  assert_works(w, weft_touch(w, 0, c, PAGE));
  assert_int_equal(home(w, c), 1);
  /* 3 frames are left; one of them is owed to the untouched page of c. */
  assert_int_equal(home(w, c + PAGE), 1);
  assert_fails(w, weft_alloc(w, 4 * PAGE, WEFT_INTERLEAVED, &b), WEFT_NO_ROOM, "12288 bytes are left");
  assert_works(w, weft_alloc(w, 3 * PAGE, WEFT_FIRST_TOUCH, &b));
  assert_fails(w, weft_alloc(w, 1, WEFT_INTERLEAVED, &c), WEFT_NO_ROOM, "0 bytes are left");
  weft_free(w);
}

static void freed_pages_are_used_again(void **state)
{
  struct weft *w = open_machine("null:tiny");
  weft_address a, b;
  (void)state;
  assert_works(w, weft_alloc(w, 7 * PAGE, 0, &a));
  assert_works(w, weft_dealloc(w, a));
  assert_fails(w, weft_dealloc(w, a), WEFT_BAD_ADDRESS, "weft_alloc()");
  assert_fails(w, weft_read(w, a, &b, 1), WEFT_BAD_ADDRESS, "not allocated");
  assert_works(w, weft_alloc(w, 7 * PAGE, 0, &b));
  assert_true(a != b);
  weft_free(w);
}

static void allocations_are_apart(void **state)
{
  struct weft *w = open_machine("null:quad");
  weft_address a, b;
  uint8_t byte = 1;
  (void)state;
  assert_works(w, weft_alloc(w, PAGE, WEFT_INTERLEAVED, &a));
  assert_works(w, weft_alloc(w, PAGE, WEFT_INTERLEAVED, &b));
  assert_fails(w, weft_write(w, a + PAGE, &byte, 1), WEFT_BAD_ADDRESS, "not allocated");
  assert_fails(w, weft_write(w, a - 1, &byte, 1), WEFT_BAD_ADDRESS, "not allocated");
  assert_fails(w, weft_read(w, 0, &byte, 1), WEFT_BAD_ADDRESS, "0x0");
  assert_int_equal(a % PAGE, 0);
  weft_free(w);
}

static void the_host_reads_what_it_wrote(void **state)
{
  static const char *const pages[] = { "page=64", "page=4096", "page=1048576" };
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    const char *set[] = { pages[k], NULL };
    struct weft *w = open_with("null:quad", &(struct weft_options){ .set = set });
    uint8_t out[20000], in[20000];
    weft_address a;
    for (size_t i = 0; i < sizeof out; i++)
      out[i] = (uint8_t)(i * 7 + i / 251);
    assert_works(w, weft_alloc(w, sizeof out + 100, WEFT_INTERLEAVED, &a));
    assert_works(w, weft_read(w, a, in, sizeof in));
    for (size_t i = 0; i < sizeof in; i++)
      assert_int_equal(in[i], 0);
    assert_works(w, weft_write(w, a + 33, out, sizeof out));
    assert_works(w, weft_read(w, a + 33, in, sizeof in));
    assert_memory_equal(in, out, sizeof in);
    assert_works(w, weft_reset(w));
    assert_works(w, weft_read(w, a + 33, in, 1));
    assert_int_equal(in[0], 0);
    weft_free(w);
  }
}

static void physical_addresses_pass_the_table_by(void **state)
{
  struct weft *w = open_machine("null:quad");
  uint64_t value = 42, physical;
  (void)state;
  assert_works(w, weft_write(w, WEFT_PHYSICAL(UINT64_C(3) << 36 | 64), &value, 8));
  assert_works(w, weft_translate(w, WEFT_PHYSICAL(UINT64_C(3) << 36 | 64), &physical));
  assert_int_equal(physical, UINT64_C(3) << 36 | 64);
  assert_fails(w, weft_read(w, WEFT_PHYSICAL(UINT64_C(4) << 36), &value, 8), WEFT_BAD_ADDRESS,
               "outside memory");
  assert_fails(w, weft_read(w, WEFT_PHYSICAL(16 << 20), &value, 8), WEFT_BAD_ADDRESS, "outside memory");
  assert_fails(w, weft_read(w, WEFT_PHYSICAL((16 << 20) - 4), &value, 8), WEFT_BAD_ADDRESS, "outside memory");
  weft_free(w);
}

static void nothing(struct weft_warp *t, void *arg)
{
  (void)t;
  (void)arg;
}

static void the_host_does_not_write_behind_caches(void **state)
{
  struct weft *w = open_machine("null:tiny");
  weft_address a;
  uint8_t byte = 1;
  (void)state;
  assert_works(w, weft_alloc(w, 1, 0, &a));
  assert_works(w, weft_write(w, a, &byte, 1));
  assert_works(w, weft_launch(w, nothing, NULL));
  assert_fails(w, weft_write(w, a, &byte, 1), WEFT_BAD_STATE, "weft_reset()");
  assert_works(w, weft_read(w, a, &byte, 1));
  assert_works(w, weft_reset(w));
  assert_works(w, weft_write(w, a, &byte, 1));
  weft_free(w);
}

static void cleared_it_is_as_opened(void **state)
{
  struct weft *w = open_machine("null:tiny");
  weft_address a, again;
  uint8_t byte = 1;
  (void)state;
  for (int i = 0; i < 100; i++) {
    assert_works(w, weft_alloc(w, 24576, WEFT_FIRST_TOUCH, i ? &again : &a));
    if (i)
      assert_int_equal(again, a);
    assert_works(w, weft_write(w, a, &byte, 1));
    assert_works(w, weft_launch(w, nothing, NULL));
    assert_works(w, weft_clear(w));
    assert_fails(w, weft_read(w, a, &byte, 1), WEFT_BAD_ADDRESS, "not allocated");
  }
  assert_works(w, weft_alloc(w, 1, 0, &a));
  assert_works(w, weft_read(w, a, &byte, 1));
  assert_int_equal(byte, 0);
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(interleaved_pages_take_turns),
    cmocka_unit_test(fixed_pages_stay_on_their_node),
    cmocka_unit_test(the_first_touch_places_a_page),
    cmocka_unit_test(a_full_node_overflows),
    cmocka_unit_test(freed_pages_are_used_again),
    cmocka_unit_test(allocations_are_apart),
    cmocka_unit_test(the_host_reads_what_it_wrote),
    cmocka_unit_test(physical_addresses_pass_the_table_by),
    cmocka_unit_test(the_host_does_not_write_behind_caches),
    cmocka_unit_test(cleared_it_is_as_opened),
  };
  return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
