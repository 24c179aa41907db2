/* SPDX-License-Identifier: Apache-2.0 */
/* Protocol none-wb, one bank: what a node has written to a remote line stays in its L2, and every byte of it goes home
 * once: with its copy, before an atomic, before a release's markers. */
#include "bank.h"

#define READ WEFT_REQ_KIND_READ
#define WRITE WEFT_REQ_KIND_WRITE
#define ATOMIC WEFT_REQ_KIND_ATOMIC
#define FENCE WEFT_REQ_KIND_FENCE
#define HOME 2U
#define SAME_SET 0x80U /* 4 sets of 32 B */
#define ALL 0xffffffffU

static int setup(void **state)
{
  int failed = bank_setup(state);
  bank_rebuild(*state, WEFT_PROTOCOL_NONE_WB);
  return failed;
}

static uint64_t remote(uint64_t offset)
{
  return test_address(HOME, offset);
}

static struct weft_l2_event store_of(uint64_t offset, uint64_t mask, uint8_t byte)
{
  struct weft_l2_event e = bank_cu(WRITE, 1, 0, remote(offset));
  e.order = WEFT_ORDER_WEAK;
  e.req.mask[0] = mask;
  memset(e.req.data, byte, 32);
  return e;
}

static void store(struct bank *b, uint64_t offset, uint64_t mask, uint8_t byte)
{
  struct weft_l2_event e = store_of(offset, mask, byte);
  bank_step(b, &e);
}

/* The last step has sent exactly these bytes of this line to its home. */
static void expect_write(const struct bank *b, uint64_t offset, uint64_t mask, uint8_t byte)
{
  const struct weft_req *m = &b->out.out_req;
  bank_expect_sent(b, "req");
  assert_int_equal(m->kind, WRITE);
  assert_int_equal(m->src, SELF);
  assert_int_equal(m->dst, HOME);
  assert_int_equal(m->func | m->wide, 0);
  assert_int_equal(m->address, remote(offset));
  assert_int_equal(m->mask[0], mask);
  assert_int_equal(m->mask[1], 0);
  for (unsigned i = 0; i < 32; i++)
    assert_int_equal(m->data[i], mask >> i & 1U ? byte : 0);
}

static void send(struct bank *b)
{
  bank_do(b, WEFT_L2_EVENT_KIND_MARKER_SEND);
}

/* Nothing waits to leave, no release is on its way. */
static void nothing_to_send(struct bank *b)
{
  struct weft_l2_event e = bank_event(WEFT_L2_EVENT_KIND_MARKER_SEND);
  bank_refuses(b, &e);
}

static void expect_hit(struct bank *b, uint64_t offset, unsigned at, uint8_t byte)
{
  bank_do_cu(b, READ, 0, 5, remote(offset));
  assert_true(b->out.hit);
  assert_int_equal(b->out.out_l1.data[at], byte);
}

static void a_store_that_hits_stays(void **state)
{
  struct bank *b = *state;
  bank_bring_remote(b, HOME, 0x40, 0x11);
  store(b, 0x40, 0xf0, 0x99);
  assert_true(b->out.hit && !b->out.victim_dirty);
  bank_expect_sent(b, "");
  expect_hit(b, 0x40, 4, 0x99);
  expect_hit(b, 0x40, 3, 0x11);
  nothing_to_send(b);
  assert_true(weft_l2_idle(b->l2));
}

static void a_whole_line_that_misses_is_there_at_once(void **state)
{
  struct bank *b = *state;
  store(b, 0x40, ALL, 0x99);
  assert_true(!b->out.hit && b->out.installed && !b->out.allocated);
  bank_expect_sent(b, "");
  expect_hit(b, 0x40, 31, 0x99);
}

static void part_of_a_line_that_misses_goes_home(void **state)
{
  struct bank *b = *state;
  store(b, 0x40, 0xf0, 0x99);
  bank_expect_sent(b, "req");
  assert_false(b->out.installed);
  assert_int_equal(b->out.out_req.mask[0], 0xf0);
  bank_do_cu(b, READ, 0, 5, remote(0x40));
  assert_true(b->out.allocated);
}

/* The fill on its way is older than the line that is there now. */
static void a_whole_line_closes_the_fill(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, READ, 0, 1, remote(0x40));
  unsigned miss = b->out.slot;
  store(b, 0x40, ALL, 0x99);
  assert_true(b->out.closed && b->out.installed);
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_LINE, HOME, miss);
  bank_step(b, &e);
  assert_false(b->out.installed);
  bank_do(b, WEFT_L2_EVENT_KIND_ANSWER);
  expect_hit(b, 0x40, 0, 0x99);
}

/* Somebody may spin on it; and what went home is not sent again. */
static void a_strong_store_of_scope_sys_goes_home(void **state)
{
  struct bank *b = *state;
  bank_bring_remote(b, HOME, 0x40, 0x11);
  store(b, 0x40, 0xff, 0x99);
  struct weft_l2_event e = store_of(0x40, 0xf0, 0xaa);
  e.order = WEFT_ORDER_RELAXED;
  bank_step(b, &e);
  bank_expect_sent(b, "req");
  assert_int_equal(b->out.out_req.wide, 1);
  expect_hit(b, 0x40, 4, 0xaa);
  bank_do_cu(b, FENCE, 0, 1, 0);
  send(b);
  expect_write(b, 0x40, 0x0f, 0x99);
  e.scope = WEFT_SCOPE_GPU;
  bank_step(b, &e);
  bank_expect_sent(b, "");
}

/* In the step that takes its place it is held; nothing of the node's may overtake it. */
static void a_dirty_victim_of_a_fill_goes_home(void **state)
{
  struct bank *b = *state;
  bank_bring_remote(b, HOME, 0x40, 0x11);
  store(b, 0x40, 0x3c, 0x99);
  bank_bring_remote(b, HOME, 0x40 + SAME_SET, 0x22);
  bank_do_cu(b, READ, 0, 0, remote(0x40 + 2 * SAME_SET));
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_LINE, HOME, b->out.slot);
  assert_true(weft_l2_will_hold(b->l2, &e));
  bank_step(b, &e);
  assert_true(b->out.installed && b->out.victim_dirty);
  bank_expect_sent(b, "");
  assert_false(weft_l2_idle(b->l2));
  struct weft_l2_event again = bank_cu(READ, 0, 1, remote(0x40));
  bank_refuses(b, &again);
  bank_do_cu(b, READ, 0, 1, test_address(SELF, 0x20)); /* a local line is not concerned */
  assert_true(b->out.allocated);
  send(b);
  expect_write(b, 0x40, 0x3c, 0x99);
  assert_false(b->out.victim_dirty); /* counted already */
  nothing_to_send(b);
  bank_do(b, WEFT_L2_EVENT_KIND_ANSWER);
  bank_step(b, &again);
  assert_true(b->out.allocated);
}

static void a_dirty_victim_of_a_whole_line_goes_home(void **state)
{
  struct bank *b = *state;
  store(b, 0x40, ALL, 0x99);
  bank_bring_remote(b, HOME, 0x40 + SAME_SET, 0x22);
  struct weft_l2_event e = store_of(0x40 + 2 * SAME_SET, ALL, 0x77);
  assert_true(weft_l2_will_hold(b->l2, &e));
  bank_step(b, &e);
  assert_true(b->out.installed && b->out.victim_dirty);
  send(b);
  expect_write(b, 0x40, ALL, 0x99);
  expect_hit(b, 0x40 + 2 * SAME_SET, 9, 0x77);
}

/* A clean victim has nothing to say. */
static void a_clean_victim_goes_in_silence(void **state)
{
  struct bank *b = *state;
  for (unsigned i = 0; i < 4; i++) {
    bank_bring_remote(b, HOME, 0x40 + i * SAME_SET, 0x22);
    nothing_to_send(b);
  }
}

/* One way of each set stays clean: memory's line must find a place though nothing can leave. */
static void the_last_clean_way_stays_clean(void **state)
{
  struct bank *b = *state;
  store(b, 0x40, ALL, 0x99);
  bank_bring_remote(b, HOME, 0x40 + SAME_SET, 0x22);
  store(b, 0x40 + SAME_SET, 0xff, 0x55);
  bank_expect_sent(b, "req"); /* goes home */
  expect_hit(b, 0x40 + SAME_SET, 0, 0x55);
  store(b, 0x40, 0xff, 0x88);
  bank_expect_sent(b, ""); /* is dirty already */
  store(b, 0x40 + 2 * SAME_SET, ALL, 0x66);
  bank_expect_sent(b, "req");
  assert_false(b->out.installed); /* it would have taken the clean one's place */
}

static void while_something_is_held_clean_ways_go(void **state)
{
  struct bank *b = *state;
  store(b, 0x60, ALL, 0x33);
  bank_do_cu(b, READ, 0, 0, remote(0x60 + SAME_SET)); /* before anything is held */
  unsigned first = b->out.slot;
  bank_do_cu(b, READ, 0, 1, remote(0x60 + 2 * SAME_SET));
  unsigned second = b->out.slot;
  bank_do_cu(b, READ, 0, 2, remote(0x40));
  unsigned third = b->out.slot;
  store(b, 0x40 + SAME_SET, ALL, 0x44);
  const unsigned order[] = { first, second };
  for (unsigned i = 0; i < 2; i++) {
    struct weft_l2_event e = bank_response(WEFT_RSP_KIND_LINE, HOME, order[i]);
    bank_step(b, &e);
    assert_true(b->out.installed);
    bank_do(b, WEFT_L2_EVENT_KIND_ANSWER);
  }
  assert_true(b->l2->held_full); /* line 0x60 */
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_LINE, HOME, third);
  bank_step(b, &e);
  bank_do(b, WEFT_L2_EVENT_KIND_ANSWER);
  bank_bring_local(b, 0x40 + 2 * SAME_SET, 0x05); /* line 0x40 + SAME_SET is older, dirty, and stays */
  bank_bring_local(b, 0x40 + 3 * SAME_SET, 0x06);
  send(b);
  expect_write(b, 0x60, ALL, 0x33);
  nothing_to_send(b);
  expect_hit(b, 0x40 + SAME_SET, 0, 0x44);
}

static void an_atomic_follows_its_lines_bytes(void **state)
{
  struct bank *b = *state;
  bank_bring_remote(b, HOME, 0x40, 0x11);
  store(b, 0x40, 0xf00, 0x99);
  struct weft_l2_event e = bank_cu(ATOMIC, 1, 3, remote(0x48));
  e.req.data[0] = 7;
  assert_true(weft_l2_will_hold(b->l2, &e));
  bank_step(b, &e);
  assert_true(b->out.hit && b->out.victim_dirty);
  expect_write(b, 0x40, 0xf00, 0x99);
  struct weft_l2_event next = bank_cu(ATOMIC, 0, 2, remote(0x48));
  bank_refuses(b, &next);
  send(b);
  bank_expect_sent(b, "req");
  assert_int_equal(b->out.out_req.kind, ATOMIC);
  assert_int_equal(b->out.out_req.address, remote(0x48));
  assert_int_equal(b->out.out_req.cu, 1);
  assert_int_equal(b->out.out_req.id, 3);
  assert_int_equal(b->out.out_req.data[0], 7);
  bank_step(b, &next); /* no copy any more: at once */
  bank_expect_sent(b, "req");
  assert_int_equal(b->out.out_req.kind, ATOMIC);
  assert_false(b->out.hit);
}

static void a_release_sends_dirty_lines_before_markers(void **state)
{
  struct bank *b = *state;
  store(b, 0x40, ALL, 0x99);
  bank_bring_remote(b, HOME, 0x60, 0x11);
  store(b, 0x60, 0xff, 0x88);
  bank_bring_local(b, 0x20, 0x01);
  bank_do_cu(b, WRITE, 0, 0, test_address(SELF, 0x20)); /* dirty too, but its home is here */
  bank_do_cu(b, FENCE, 0, 1, 0);
  send(b);
  expect_write(b, 0x40, ALL, 0x99);
  assert_true(b->out.victim_dirty);
  store(b, 0x40, 0x0f, 0x77); /* behind the release: not its business */
  send(b);
  expect_write(b, 0x60, 0xff, 0x88);
  for (unsigned home = 0; home < 3; home++) {
    send(b);
    assert_int_equal(b->out.sent_req, home != SELF);
    if (home != SELF)
      assert_int_equal(b->out.out_req.kind, WEFT_REQ_KIND_MARKER);
  }
  nothing_to_send(b);
  expect_hit(b, 0x60, 0, 0x88); /* the copies stay */
  bank_do_cu(b, FENCE, 1, 1, 0);
  send(b);
  expect_write(b, 0x40, 0x0f, 0x77);
}

static void a_gpu_release_sends_nothing(void **state)
{
  struct bank *b = *state;
  store(b, 0x40, ALL, 0x99);
  struct weft_l2_event e = bank_cu(FENCE, 0, 1, 0);
  e.scope = WEFT_SCOPE_GPU;
  bank_step(b, &e);
  bank_expect_sent(b, "l1");
  nothing_to_send(b);
}

static void a_flush_sends_dirty_bytes_home(void **state)
{
  struct bank *b = *state;
  bank_bring_remote(b, HOME, 0x40, 0x11);
  store(b, 0x40, 0xf0f0, 0x99);
  unsigned sent = 0;
  for (unsigned round = 0; round < 2; round++)
    for (unsigned way = 0; way < 2; way++) {
      struct weft_l2_event e = bank_event(WEFT_L2_EVENT_KIND_FLUSH);
      e.req.address = 2;
      e.way = (uint8_t)way;
      bank_step(b, &e);
      sent += b->out.sent_req;
      if (b->out.sent_req)
        expect_write(b, 0x40, 0xf0f0, 0x99);
    }
  assert_int_equal(sent, 1);
}

/* The fault that the tests of whole programs must find. */
static void a_fault_loses_the_victim(void **state)
{
  struct bank *b = *state;
  weft_l2_set_fault(b->l2, WEFT_FAULT_L2_VICTIM_NOT_WRITTEN);
  store(b, 0x40, ALL, 0x99);
  bank_bring_remote(b, HOME, 0x40 + SAME_SET, 0x22);
  bank_bring_remote(b, HOME, 0x40 + 2 * SAME_SET, 0x22);
  nothing_to_send(b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, bank_teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(a_store_that_hits_stays),
    TEST(a_whole_line_that_misses_is_there_at_once),
    TEST(part_of_a_line_that_misses_goes_home),
    TEST(a_whole_line_closes_the_fill),
    TEST(a_strong_store_of_scope_sys_goes_home),
    TEST(a_dirty_victim_of_a_fill_goes_home),
    TEST(a_dirty_victim_of_a_whole_line_goes_home),
    TEST(a_clean_victim_goes_in_silence),
    TEST(the_last_clean_way_stays_clean),
    TEST(while_something_is_held_clean_ways_go),
    TEST(an_atomic_follows_its_lines_bytes),
    TEST(a_release_sends_dirty_lines_before_markers),
    TEST(a_gpu_release_sends_nothing),
    TEST(a_flush_sends_dirty_bytes_home),
    TEST(a_fault_loses_the_victim),
  };
  return cmocka_run_group_tests_name("model.writeback", tests, NULL, NULL);
}
