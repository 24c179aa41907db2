/* SPDX-License-Identifier: Apache-2.0 */
/* Remote lines: copies, fills and their closing (R3, R4). */
#include "bank.h"

#define READ WEFT_REQ_KIND_READ
#define WRITE WEFT_REQ_KIND_WRITE
#define ATOMIC WEFT_REQ_KIND_ATOMIC
#define HOME 2U

static uint64_t remote(uint64_t offset)
{
  return test_address(HOME, offset);
}

static void line(struct bank *b, unsigned miss, uint8_t byte)
{
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_LINE, HOME, miss);
  memset(e.rsp.data, byte, b->config.line);
  bank_step(b, &e);
}

static void inv(struct bank *b, uint64_t offset)
{
  struct weft_l2_event e = bank_forward(WEFT_FWD_KIND_INV, HOME, remote(offset));
  bank_step(b, &e);
  bank_expect_sent(b, "");
}

/* The next waiter: of which CU, with which byte, to be installed or not. */
static void answer(struct bank *b, unsigned cu, unsigned id, uint8_t byte, bool install)
{
  bank_do(b, WEFT_L2_EVENT_KIND_ANSWER);
  bank_expect_sent(b, "l1");
  assert_int_equal(b->out.out_l1.kind, WEFT_RSP_KIND_LINE);
  assert_int_equal(b->out.out_l1.cu, cu);
  assert_int_equal(b->out.out_l1.id, id);
  assert_int_equal(b->out.out_l1.install, install);
  for (unsigned i = 0; i < b->config.line; i++)
    assert_int_equal(b->out.out_l1.data[i], byte);
}

static void read_miss_is_sent_to_the_home(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, READ, 1, 3, remote(0x40));
  bank_expect_sent(b, "req");
  assert_true(b->out.allocated && !b->out.hit && !b->dir.valid);
  assert_int_equal(b->out.out_req.kind, READ);
  assert_int_equal(b->out.out_req.src, SELF);
  assert_int_equal(b->out.out_req.dst, HOME);
  assert_int_equal(b->out.out_req.id, b->out.slot);
  assert_int_equal(b->out.out_req.address, remote(0x40));
  line(b, b->out.slot, 0x11);
  assert_true(b->out.installed);
  bank_expect_sent(b, "");
  answer(b, 1, 3, 0x11, true);
  bank_do_cu(b, READ, 0, 5, remote(0x40));
  assert_true(b->out.hit);
  bank_expect_sent(b, "l1");
  assert_int_equal(b->out.out_l1.id, 5);
  assert_int_equal(b->out.out_l1.install, 1);
  assert_int_equal(b->out.out_l1.data[0], 0x11);
}

static void reads_join_an_open_miss(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, READ, 0, 1, remote(0x40));
  unsigned miss = b->out.slot;
  bank_do_cu(b, READ, 1, 2, remote(0x40));
  assert_true(b->out.joined && !b->out.allocated);
  assert_int_equal(b->out.slot, miss);
  bank_expect_sent(b, "");
  line(b, miss, 0x22);
  answer(b, 0, 1, 0x22, true);
  answer(b, 1, 2, 0x22, true);
  struct weft_l2_event e = bank_event(WEFT_L2_EVENT_KIND_ANSWER);
  bank_refuses(b, &e);
}

/* R4: what closes a fill, and what a closed one still does. */
static void closed_fill(struct bank *b, unsigned miss)
{
  assert_true(b->out.closed);
  bank_do_cu(b, READ, 1, 2, remote(0x40)); /* takes no new load: a new read is sent */
  assert_true(b->out.allocated && !b->out.joined);
  assert_int_not_equal(b->out.slot, miss);
  unsigned second = b->out.slot;
  line(b, miss, 0x33);
  assert_false(b->out.installed);
  answer(b, 0, 1, 0x33, false); /* the line as it came */
  line(b, second, 0x44);
  assert_true(b->out.installed);
  answer(b, 1, 2, 0x44, true);
}

static void inv_closes_the_fill(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, READ, 0, 1, remote(0x40));
  unsigned miss = b->out.slot;
  inv(b, 0x40);
  assert_false(b->out.hit);
  closed_fill(b, miss);
}

static void store_closes_the_fill(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, READ, 0, 1, remote(0x40));
  unsigned miss = b->out.slot;
  bank_do_cu(b, WRITE, 1, 0, remote(0x40));
  closed_fill(b, miss);
}

static void atomic_closes_the_fill(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, READ, 0, 1, remote(0x40));
  unsigned miss = b->out.slot;
  bank_do_cu(b, ATOMIC, 1, 0, remote(0x44));
  closed_fill(b, miss);
}

static void inv_of_another_line_closes_nothing(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, READ, 0, 1, remote(0x40));
  unsigned miss = b->out.slot;
  inv(b, 0x60);
  assert_false(b->out.closed);
  line(b, miss, 0);
  assert_true(b->out.installed);
}

static void inv_drops_the_copy(void **state)
{
  struct bank *b = *state;
  bank_bring_remote(b, HOME, 0x40, 0x11);
  inv(b, 0x40);
  assert_true(b->out.hit && !b->out.closed);
  bank_do_cu(b, READ, 0, 1, remote(0x40));
  assert_true(b->out.allocated);
}

static void store_updates_the_copy_and_goes_through(void **state)
{
  struct bank *b = *state;
  bank_bring_remote(b, HOME, 0x40, 0x11);
  struct weft_l2_event e = bank_cu(WRITE, 1, 0, remote(0x40));
  e.req.mask[0] = 0xf0;
  memset(e.req.data, 0x99, 32);
  bank_step(b, &e);
  bank_expect_sent(b, "req");
  assert_true(b->out.hit);
  assert_int_equal(b->out.out_req.kind, WRITE);
  assert_int_equal(b->out.out_req.dst, HOME);
  assert_int_equal(b->out.out_req.address, remote(0x40));
  assert_int_equal(b->out.out_req.mask[0], 0xf0);
  assert_int_equal(b->out.out_req.data[4], 0x99);
  bank_do_cu(b, READ, 0, 5, remote(0x40));
  assert_true(b->out.hit);
  for (unsigned i = 0; i < 32; i++)
    assert_int_equal(b->out.out_l1.data[i], i / 4 == 1 ? 0x99 : 0x11);
}

static void store_never_allocates(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, WRITE, 1, 0, remote(0x40));
  assert_false(b->out.hit || b->out.allocated || b->out.closed);
  bank_do_cu(b, READ, 0, 5, remote(0x40));
  assert_true(b->out.allocated);
}

static void atomic_drops_the_copy_at_issue(void **state)
{
  struct bank *b = *state;
  bank_bring_remote(b, HOME, 0x40, 0x11);
  struct weft_l2_event e = bank_cu(ATOMIC, 1, 4, remote(0x48));
  e.req.func = WEFT_FUNC_CAS;
  e.req.wide = 1;
  e.req.data[8] = 0x21;
  bank_step(b, &e);
  bank_expect_sent(b, "req");
  assert_true(b->out.hit);
  assert_int_equal(b->out.out_req.kind, ATOMIC);
  assert_int_equal(b->out.out_req.address, remote(0x48));
  assert_int_equal(b->out.out_req.cu, 1);
  assert_int_equal(b->out.out_req.id, 4);
  assert_int_equal(b->out.out_req.func, WEFT_FUNC_CAS);
  assert_int_equal(b->out.out_req.wide, 1);
  assert_int_equal(b->out.out_req.data[8], 0x21);
  bank_do_cu(b, READ, 0, 5, remote(0x40));
  assert_true(b->out.allocated);
  line(b, b->out.slot, 0x55);
  /* The answer passes through and touches no copy. */
  e = bank_response(WEFT_RSP_KIND_ATOMIC, HOME, 4);
  e.rsp.cu = 1;
  e.rsp.data[0] = 0x77;
  bank_step(b, &e);
  bank_expect_sent(b, "l1");
  assert_int_equal(b->out.out_l1.kind, WEFT_RSP_KIND_ATOMIC);
  assert_int_equal(b->out.out_l1.cu, 1);
  assert_int_equal(b->out.out_l1.id, 4);
  assert_int_equal(b->out.out_l1.data[0], 0x77);
  answer(b, 0, 5, 0x55, true);
  bank_do_cu(b, READ, 0, 6, remote(0x40));
  assert_true(b->out.hit);
}

static void one_fill_at_a_time(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, READ, 0, 1, remote(0x40));
  bank_do_cu(b, READ, 0, 2, remote(0x60));
  line(b, 0, 1);
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_LINE, HOME, 1);
  bank_refuses(b, &e);
  answer(b, 0, 1, 1, true);
  bank_step(b, &e);
}

static void full_tables_refuse(void **state)
{
  struct bank *b = *state;
  for (unsigned i = 0; i < 3; i++)
    bank_do_cu(b, READ, 0, i, remote(0x40 * i));
  bank_do_cu(b, READ, 0, 3, remote(0));
  struct weft_l2_event e = bank_cu(READ, 0, 4, remote(0));
  bank_refuses(b, &e); /* all waiters */
  e = bank_cu(WRITE, 0, 4, remote(0));
  bank_step(b, &e); /* needs none */
  b->config.l2_waiters = 8;
  bank_rebuild(b, WEFT_PROTOCOL_BASELINE);
  for (unsigned i = 0; i < 4; i++)
    bank_do_cu(b, READ, 0, i, remote(0x40 * i));
  e = bank_cu(READ, 0, 4, remote(0x200));
  bank_refuses(b, &e); /* all misses */
}

static void illegal_events_are_told(void **state)
{
  struct bank *b = *state;
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_LINE, HOME, 0);
  bank_refuses(b, &e); /* no such miss */
  e = bank_response(WEFT_RSP_KIND_LINE, HOME, 63);
  bank_refuses(b, &e);
  bank_do_cu(b, READ, 0, 1, remote(0x40));
  e = bank_response(WEFT_RSP_KIND_LINE, 0, 0);
  bank_refuses(b, &e); /* not from its home */
  e = bank_response(WEFT_RSP_KIND_FENCE, HOME, 0);
  bank_refuses(b, &e);
  e = bank_response(WEFT_RSP_KIND_ATOMIC, SELF, 0);
  bank_refuses(b, &e);
  e = bank_forward(WEFT_FWD_KIND_INV, SELF, test_address(SELF, 0));
  bank_refuses(b, &e);
  e = bank_forward(WEFT_FWD_KIND_INV, 0, remote(0x40));
  bank_refuses(b, &e); /* not from its home */
  e = bank_cu(READ, 0, 0, test_address(3, 0));
  bank_refuses(b, &e); /* no such home */
  e = bank_cu(WEFT_REQ_KIND_MARKER, 0, 0, remote(0));
  bank_refuses(b, &e);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bank_setup, bank_teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(read_miss_is_sent_to_the_home),
    TEST(reads_join_an_open_miss),
    TEST(inv_closes_the_fill),
    TEST(store_closes_the_fill),
    TEST(atomic_closes_the_fill),
    TEST(inv_of_another_line_closes_nothing),
    TEST(inv_drops_the_copy),
    TEST(store_updates_the_copy_and_goes_through),
    TEST(store_never_allocates),
    TEST(atomic_drops_the_copy_at_issue),
    TEST(one_fill_at_a_time),
    TEST(full_tables_refuse),
    TEST(illegal_events_are_told),
  };
  return cmocka_run_group_tests_name("model.remote", tests, NULL, NULL);
}
