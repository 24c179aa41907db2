/* SPDX-License-Identifier: Apache-2.0 */
#include "forward.h"
#include "units.h"

static struct weft_forward *make(unsigned nodes, unsigned home)
{
  struct weft_config c = test_config("tiny");
  c.nodes = nodes;
  struct weft_forward *f = malloc(weft_forward_size(&c, WEFT_PROTOCOL_BASELINE));
  assert_non_null(f);
  weft_forward_reset(f, &c, WEFT_PROTOCOL_BASELINE, home, 0);
  return f;
}

static void inv(struct weft_forward *f, unsigned nodes, uint64_t address)
{
  struct weft_fwd_item item = { .kind = WEFT_FWD_KIND_INV, .nodes = (uint16_t)nodes, .address = address };
  assert_null(weft_forward_push(f, &item, NULL));
}

static struct weft_fwd pop(struct weft_forward *f)
{
  struct weft_fwd m;
  assert_true(weft_forward_pop(f, &m));
  return m;
}

static void items_become_messages_lowest_node_first(void **state)
{
  (void)state;
  struct weft_forward *f = make(4, 1);
  inv(f, 0xd, 0x40);
  struct weft_fwd_item mark = { .kind = WEFT_FWD_KIND_MARK, .nodes = 0x8, .releaser = 2, .id = 5 };
  assert_null(weft_forward_push(f, &mark, NULL));
  static const uint8_t expected[] = { 0, 2, 3 };
  for (unsigned i = 0; i < 3; i++) {
    struct weft_fwd m = pop(f);
    assert_int_equal(m.kind, WEFT_FWD_KIND_INV);
    assert_int_equal(m.src, 1);
    assert_int_equal(m.dst, expected[i]);
    assert_int_equal(m.stamp, 1);
    assert_int_equal(m.address, 0x40);
  }
  struct weft_fwd m = pop(f);
  assert_int_equal(m.kind, WEFT_FWD_KIND_MARK);
  assert_int_equal(m.dst, 3);
  assert_int_equal(m.releaser, 2);
  assert_int_equal(m.id, 5);
  assert_int_equal(m.stamp, 1); /* the INV before it */
  assert_false(weft_forward_pop(f, &m));
  free(f);
}

static void stamp_counts_what_left_and_sent_what_is_owed(void **state)
{
  (void)state;
  struct weft_forward *f = make(2, 0);
  inv(f, 2, 0x00);
  inv(f, 2, 0x20);
  assert_int_equal(f->sent[1], 2);
  assert_int_equal(pop(f).stamp, 1);
  assert_int_equal(pop(f).stamp, 2);
  free(f);
}

static void a_node_is_skipped_once_it_has_seen_all(void **state)
{
  (void)state;
  struct weft_forward *f = make(4, 0);
  assert_int_equal(weft_forward_unseen(f), 0);
  inv(f, 0x6, 0);
  assert_int_equal(weft_forward_unseen(f), 0x6);
  inv(f, 0x2, 0);
  weft_forward_seen(f, 1, 1); /* an INV followed that marker: not yet */
  assert_int_equal(weft_forward_unseen(f), 0x6);
  weft_forward_seen(f, 1, 2);
  assert_int_equal(weft_forward_unseen(f), 0x4);
  weft_forward_seen(f, 1, 1); /* late news does not set it back */
  assert_int_equal(weft_forward_unseen(f), 0x4);
  free(f);
}

static void stamps_wrap(void **state)
{
  (void)state;
  struct weft_forward *f = make(2, 0);
  for (unsigned i = 0; i < 70000; i++) {
    inv(f, 2, 0);
    uint16_t stamp = pop(f).stamp;
    assert_int_equal(stamp, (uint16_t)(i + 1));
    if (i % 1000 == 999)
      weft_forward_seen(f, 1, stamp);
  }
  assert_int_equal(weft_forward_unseen(f), 0);
  free(f);
}

/* 2^16 INVs without a marker must not look like none, and one marker must still be enough afterwards. */
static void many_unmarked_invs_are_not_forgotten(void **state)
{
  (void)state;
  struct weft_forward *f = make(2, 0);
  uint16_t stamp = 0;
  for (unsigned i = 0; i < 140000; i++) {
    inv(f, 2, 0);
    stamp = pop(f).stamp;
    assert_int_equal(weft_forward_unseen(f), 2);
  }
  weft_forward_seen(f, 1, stamp);
  assert_int_equal(weft_forward_unseen(f), 0);
  free(f);
}

static void illegal_items_are_told(void **state)
{
  (void)state;
  struct weft_forward *f = make(2, 0);
  struct weft_fwd_item nobody = { .nodes = 0 }, itself = { .nodes = 1 }, stranger = { .nodes = 4 },
                       good = { .nodes = 2 };
  assert_non_null(weft_forward_push(f, &nobody, NULL));
  assert_non_null(weft_forward_push(f, &itself, NULL));
  assert_non_null(weft_forward_push(f, &stranger, NULL));
  for (unsigned i = 0; i < 4; i++)
    assert_null(weft_forward_push(f, &good, NULL));
  assert_true(weft_forward_full(f));
  assert_non_null(weft_forward_push(f, &good, NULL));
  free(f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(items_become_messages_lowest_node_first),
    cmocka_unit_test(stamp_counts_what_left_and_sent_what_is_owed),
    cmocka_unit_test(a_node_is_skipped_once_it_has_seen_all),
    cmocka_unit_test(stamps_wrap),
    cmocka_unit_test(many_unmarked_invs_are_not_forgotten),
    cmocka_unit_test(illegal_items_are_told),
  };
  return cmocka_run_group_tests_name("model.forward", tests, NULL, NULL);
}
