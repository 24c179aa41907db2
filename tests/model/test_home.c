/* SPDX-License-Identifier: Apache-2.0 */
/* Local lines: home steps, fetches, replays, write-backs, flush. */
#include "bank.h"

#define READ WEFT_REQ_KIND_READ
#define WRITE WEFT_REQ_KIND_WRITE
#define ATOMIC WEFT_REQ_KIND_ATOMIC
#define REPLAY WEFT_L2_EVENT_KIND_REPLAY

static uint64_t local(uint64_t offset)
{
  return test_address(SELF, offset);
}

static void write_event(struct weft_l2_event *e, uint64_t mask, uint8_t byte, unsigned line)
{
  e->req.mask[0] = mask;
  memset(e->req.data, byte, line);
}

/* What CU 0 reads at a byte of a line that is in the bank. */
static uint8_t peek(struct bank *b, uint64_t offset, unsigned byte)
{
  bank_do_cu(b, READ, 0, 0, local(offset));
  assert_true(b->out.hit);
  return b->out.out_l1.data[byte];
}

static void read_by_self_is_answered_to_its_l1(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0x11);
  bank_do_cu(b, READ, 1, 3, local(0x40));
  bank_expect_sent(b, "l1");
  assert_true(b->out.hit);
  assert_int_equal(b->out.out_l1.kind, WEFT_RSP_KIND_LINE);
  assert_int_equal(b->out.out_l1.cu, 1);
  assert_int_equal(b->out.out_l1.id, 3);
  assert_int_equal(b->out.out_l1.install, 1);
  assert_int_equal(b->out.out_l1.data[31], 0x11);
  assert_true(b->dir.valid && b->dir.local);
  assert_int_equal(b->dir.op, WEFT_DIR_OP_READ);
  assert_false(b->dir.hit || b->dir.allocated);
}

static void read_by_another_node_makes_it_a_sharer(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0x11);
  bank_do_request(b, READ, 2, 3, local(0x40));
  bank_expect_sent(b, "rsp");
  assert_int_equal(b->out.out_rsp.kind, WEFT_RSP_KIND_LINE);
  assert_int_equal(b->out.out_rsp.src, SELF);
  assert_int_equal(b->out.out_rsp.dst, 2);
  assert_int_equal(b->out.out_rsp.bank, 0);
  assert_int_equal(b->out.out_rsp.id, 3);
  assert_int_equal(b->out.out_rsp.data[31], 0x11);
  assert_true(b->dir.valid && b->dir.allocated && !b->dir.local);
  assert_int_equal(b->dir.requester, 2);
}

static void write_by_self_invalidates_the_sharers(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0x11);
  bank_do_request(b, READ, 0, 0, local(0x40));
  bank_do_request(b, READ, 2, 0, local(0x40));
  struct weft_l2_event e = bank_cu(WRITE, 0, 0, local(0x40));
  write_event(&e, 0xf0, 0x99, 32);
  bank_step(b, &e);
  bank_expect_sent(b, "fwd");
  assert_int_equal(b->out.out_fwd.kind, WEFT_FWD_KIND_INV);
  assert_int_equal(b->out.out_fwd.nodes, 0x5);
  assert_int_equal(b->out.out_fwd.cause, WEFT_CAUSE_WRITE);
  assert_int_equal(b->out.out_fwd.address, local(0x40));
  struct weft_fwd m;
  for (unsigned n = 0; n <= 2; n += 2) {
    assert_true(weft_l2_pop_forward(b->l2, &m));
    assert_int_equal(m.dst, n);
    assert_int_equal(m.src, SELF);
    assert_int_equal(m.address, local(0x40));
  }
  assert_false(weft_l2_pop_forward(b->l2, &m));
  for (unsigned i = 0; i < 32; i++)
    assert_int_equal(peek(b, 0x40, i), i / 4 == 1 ? 0x99 : 0x11);
}

static void write_by_another_node_keeps_it_and_needs_no_answer(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0x11);
  bank_do_request(b, READ, 0, 0, local(0x40));
  struct weft_l2_event e = bank_request(WRITE, 2, 0, local(0x40));
  write_event(&e, 1, 0x99, 32);
  bank_step(b, &e);
  bank_expect_sent(b, "fwd");
  assert_int_equal(b->out.out_fwd.nodes, 0x1);
  assert_int_equal(b->dir.sharers, 2); /* node 2 is bit 1 at home 1 */
  assert_int_equal(peek(b, 0x40, 0), 0x99);
}

static void atomics_return_the_old_value(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0x01);
  struct weft_l2_event e = bank_cu(ATOMIC, 1, 5, local(0x48));
  e.req.wide = 1;
  e.req.data[0] = 2;
  bank_step(b, &e);
  bank_expect_sent(b, "l1");
  assert_int_equal(b->out.out_l1.kind, WEFT_RSP_KIND_ATOMIC);
  assert_int_equal(b->out.out_l1.cu, 1);
  assert_int_equal(b->out.out_l1.id, 5);
  assert_int_equal(b->out.out_l1.install, 0);
  for (unsigned i = 0; i < 32; i++)
    assert_int_equal(b->out.out_l1.data[i], i < 8 ? 1 : 0);
  e = bank_request(ATOMIC, 2, 6, local(0x48));
  e.req.func = WEFT_FUNC_EXCH;
  e.req.data[0] = 0x77;
  bank_step(b, &e);
  bank_expect_sent(b, "rsp");
  assert_int_equal(b->out.out_rsp.kind, WEFT_RSP_KIND_ATOMIC);
  assert_int_equal(b->out.out_rsp.dst, 2);
  assert_int_equal(b->out.out_rsp.cu, 1);
  assert_int_equal(b->out.out_rsp.id, 6);
  assert_int_equal(b->out.out_rsp.wide, 0);
  static const uint8_t old[8] = { 3, 1, 1, 1, 0, 0, 0, 0 }; /* narrow: the upper half is 0 */
  assert_memory_equal(b->out.out_rsp.data, old, 8);
  assert_int_equal(peek(b, 0x40, 8), 0x77);
  assert_int_equal(peek(b, 0x40, 12), 0x01);
}

static void atomic_does_not_invalidate_its_requester(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0);
  bank_do_request(b, READ, 2, 0, local(0x40));
  bank_do_request(b, READ, 0, 0, local(0x40));
  bank_do_request(b, ATOMIC, 2, 0, local(0x40));
  assert_int_equal(b->out.out_fwd.nodes, 0x1);
  assert_int_equal(b->dir.sharers, 0);
}

static void failed_cas_makes_the_line_dirty(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0x05);
  struct weft_l2_event e = bank_cu(ATOMIC, 0, 0, local(0x40));
  e.req.func = WEFT_FUNC_CAS;
  bank_step(b, &e);
  struct weft_l2_event flush = bank_event(WEFT_L2_EVENT_KIND_FLUSH);
  flush.req.address = 2; /* 0x40 / 32, of 4 sets */
  flush.way = b->out.way;
  bank_step(b, &flush);
  assert_true(b->out.hit);
  bank_expect_sent(b, "mem");
}

/* ---------------------------------------------------------------- fetches */

/* An atomic of node 2, narrow, on the first word of a line that is in the bank; what the TSU was asked. */
static struct weft_tsu_event timed(struct bank *b, uint8_t func, uint8_t operand, uint8_t compare,
                                   uint16_t cts)
{
  struct weft_l2_event e = bank_request(ATOMIC, 2, 0, local(0x40));
  e.req.func = func;
  e.req.cts = cts;
  e.req.data[0] = operand;
  e.req.data[8] = compare;
  bank_step(b, &e);
  bank_expect_sent(b, "rsp");
  assert_int_equal(b->out.out_rsp.kind, WEFT_RSP_KIND_ATOMIC);
  assert_int_equal(b->out.out_rsp.wts, b->dir.tsu.wts);
  assert_int_equal(b->out.out_rsp.rts, b->dir.tsu.rts);
  return b->dir.tsu;
}

/* T8: its block's time stands still. */
static void failed_atomic_takes_no_lease(void **state)
{
  struct bank *b = *state;
  bank_rebuild(b, WEFT_PROTOCOL_HALCONE_WEAK);
  bank_bring_local(b, 0x40, 0);
  struct weft_tsu_event wrote = timed(b, WEFT_FUNC_CAS, 7, 0, 0);
  assert_int_equal(wrote.op, WEFT_TSU_OP_WRITE);
  static const uint8_t leave[][2] = {
    { WEFT_FUNC_CAS, 9 }, { WEFT_FUNC_EXCH, 7 }, { WEFT_FUNC_MIN, 8 },  { WEFT_FUNC_MAX, 6 },
    { WEFT_FUNC_OR, 3 },  { WEFT_FUNC_AND, 15 }, { WEFT_FUNC_MINU, 7 }, { WEFT_FUNC_XOR, 0 },
  };
  for (size_t i = 0; i < sizeof leave / sizeof *leave; i++) {
    struct weft_tsu_event failed = timed(b, leave[i][0], leave[i][1], 1, 0);
    assert_int_equal(failed.op, WEFT_TSU_OP_PEEK);
    assert_int_equal(failed.wts, wrote.wts);
    assert_int_equal(failed.rts, wrote.rts);
    assert_int_equal(b->out.out_rsp.data[0], 7);
  }
  struct weft_tsu_event later = timed(b, WEFT_FUNC_MIN, 5, 0, 0);
  assert_int_equal(later.op, WEFT_TSU_OP_WRITE);
  assert_int_equal(later.wts, wrote.rts + 1);
  assert_int_equal(timed(b, WEFT_FUNC_ADD, 0, 0, 0).op, WEFT_TSU_OP_WRITE); /* nobody looks */
}

static void failed_atomic_is_not_before_its_sender(void **state)
{
  struct bank *b = *state;
  bank_rebuild(b, WEFT_PROTOCOL_HALCONE_CAUSAL);
  bank_bring_local(b, 0x40, 0);
  struct weft_tsu_event wrote = timed(b, WEFT_FUNC_EXCH, 7, 0, 0);
  struct weft_tsu_event failed = timed(b, WEFT_FUNC_CAS, 1, 1, (uint16_t)(wrote.rts + 9U));
  assert_int_equal(failed.op, WEFT_TSU_OP_PEEK);
  assert_int_equal(failed.wts, wrote.wts);
  assert_int_equal(failed.rts, wrote.rts + 9);
  assert_int_equal(timed(b, WEFT_FUNC_EXCH, 8, 0, 0).wts, wrote.rts + 10);
}

/* One that had to wait for its line, too; and what is not tried. */
static void atomics_at_their_home_are_tried(void **state)
{
  struct bank *b = *state;
  bank_rebuild(b, WEFT_PROTOCOL_HALCONE_WEAK);
  struct weft_l2_event e = bank_request(ATOMIC, 2, 0, local(0x40)), replay = bank_event(REPLAY);
  e.req.func = WEFT_FUNC_CAS;
  e.req.data[8] = 1;
  assert_true(weft_home_tries(b->l2, &e));
  bank_step(b, &e);
  bank_do_memory(b, b->out.slot, 0);
  assert_true(weft_home_tries(b->l2, &replay));
  bank_step(b, &replay);
  assert_int_equal(b->dir.tsu.op, WEFT_TSU_OP_PEEK);
  e.req.func = WEFT_FUNC_ADD;
  assert_false(weft_home_tries(b->l2, &e));
  e = bank_cu(ATOMIC, 0, 0, test_address(2, 0x40));
  e.req.func = WEFT_FUNC_CAS;
  assert_false(weft_home_tries(b->l2, &e)); /* another's line */
  e = bank_cu(ATOMIC, 0, 0, local(0x40));
  e.req.func = WEFT_FUNC_CAS;
  assert_true(weft_home_tries(b->l2, &e));
  bank_rebuild(b, WEFT_PROTOCOL_BASELINE);
  assert_false(weft_home_tries(b->l2, &e));
}

static void requests_wait_for_memory_in_their_order(void **state)
{
  struct bank *b = *state;
  bank_do_request(b, READ, 2, 1, local(0x40));
  bank_expect_sent(b, "mem");
  assert_true(b->out.allocated && !b->out.hit && !b->dir.valid);
  assert_int_equal(b->out.out_mem.write, 0);
  assert_int_equal(b->out.out_mem.id, b->out.slot);
  assert_int_equal(b->out.out_mem.address, local(0x40));
  unsigned fetch = b->out.slot;
  struct weft_l2_event write = bank_cu(WRITE, 1, 0, local(0x40));
  write_event(&write, 2, 0x99, 32);
  bank_step(b, &write);
  bank_expect_sent(b, "");
  assert_true(b->out.joined);
  assert_int_equal(b->out.slot, fetch);
  bank_do_request(b, READ, 0, 4, local(0x40));
  bank_do_memory(b, fetch, 0x11);
  assert_true(b->out.installed && !b->out.victim_dirty);
  bank_expect_sent(b, "");
  bank_do(b, REPLAY);
  assert_int_equal(b->out.index, fetch);
  assert_int_equal(b->out.req.src, 2);
  assert_int_equal(b->out.out_rsp.dst, 2);
  assert_int_equal(b->out.out_rsp.data[1], 0x11);
  bank_do(b, REPLAY);
  assert_int_equal(b->out.req.kind, WRITE);
  assert_int_equal(b->out.req.src, SELF);
  assert_int_equal(b->out.req.mask[0], 2);
  bank_expect_sent(b, "fwd"); /* the reader before it */
  bank_do(b, REPLAY);
  assert_int_equal(b->out.out_rsp.dst, 0);
  assert_int_equal(b->out.out_rsp.id, 4);
  assert_int_equal(b->out.out_rsp.data[1], 0x99);
  struct weft_l2_event e = bank_event(REPLAY);
  bank_refuses(b, &e);
  bank_do_cu(b, READ, 0, 0, local(0x40));
  assert_true(b->out.hit); /* the fetch is over */
}

static void nothing_but_responses_and_forwards_passes_a_replay(void **state)
{
  struct bank *b = *state;
  bank_do_request(b, READ, 2, 1, local(0x40));
  bank_do_cu(b, READ, 0, 1, local(0x60));
  bank_do_cu(b, READ, 0, 2, test_address(2, 0x40));
  bank_do_memory(b, 0, 0);
  struct weft_l2_event e = bank_cu(READ, 0, 0, local(0x40));
  bank_refuses(b, &e);
  e = bank_cu(WEFT_REQ_KIND_FENCE, 0, 0, 0);
  bank_refuses(b, &e);
  e = bank_request(READ, 2, 0, local(0x40));
  bank_refuses(b, &e);
  e = bank_request(WEFT_REQ_KIND_MARKER, 2, 0, local(0));
  bank_refuses(b, &e);
  e = bank_event(WEFT_L2_EVENT_KIND_MEMORY);
  e.index = 1;
  bank_refuses(b, &e);
  e = bank_forward(WEFT_FWD_KIND_INV, 2, test_address(2, 0x40));
  bank_step(b, &e);
  e = bank_response(WEFT_RSP_KIND_LINE, 2, 0);
  bank_step(b, &e);
  bank_do(b, WEFT_L2_EVENT_KIND_ANSWER);
  bank_do(b, REPLAY);
}

/* Two remote lines of the same set come while a local one is in replay: the second would find the local line
 * the oldest. */
static void the_way_in_replay_is_no_victim(void **state)
{
  struct bank *b = *state;
  unsigned miss[2];
  for (unsigned i = 0; i < 2; i++) {
    bank_do_cu(b, READ, 0, 0, test_address(2, 0x40 + 0x80 * i));
    miss[i] = b->out.slot;
  }
  bank_do_cu(b, READ, 0, 0, local(0x40));
  bank_do_memory(b, b->out.slot, 3);
  unsigned way = b->out.way;
  for (unsigned i = 0; i < 2; i++) {
    struct weft_l2_event e = bank_response(WEFT_RSP_KIND_LINE, 2, miss[i]);
    bank_step(b, &e);
    assert_true(b->out.installed);
    assert_int_not_equal(b->out.way, way);
    bank_do(b, WEFT_L2_EVENT_KIND_ANSWER);
  }
  bank_do(b, REPLAY);
  assert_int_equal(b->out.out_l1.data[0], 3);
}

static void dirty_victims_are_written_back(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0x11);
  struct weft_l2_event e = bank_cu(WRITE, 0, 0, local(0x40));
  write_event(&e, 0xff, 0x99, 32);
  bank_step(b, &e);
  bank_bring_local(b, 0xc0, 0x22); /* the same set */
  bank_do_cu(b, READ, 0, 0, local(0x140));
  bank_do_memory(b, b->out.slot, 0x33);
  assert_true(b->out.installed && b->out.victim_dirty);
  bank_expect_sent(b, "mem");
  assert_int_equal(b->out.out_mem.write, 1);
  assert_int_equal(b->out.out_mem.address, local(0x40));
  assert_int_equal(b->out.out_mem.data[0], 0x99);
  assert_int_equal(b->out.out_mem.data[8], 0x11);
  bank_do(b, REPLAY);
  bank_do_cu(b, READ, 0, 0, local(0x1c0)); /* 0xc0 is clean */
  bank_do_memory(b, b->out.slot, 0x44);
  assert_true(b->out.installed && !b->out.victim_dirty);
  bank_expect_sent(b, "");
}

static void flush_writes_and_keeps(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0x11);
  struct weft_l2_event flush = bank_event(WEFT_L2_EVENT_KIND_FLUSH);
  flush.req.address = 2;
  bank_step(b, &flush);
  assert_false(b->out.hit); /* clean */
  bank_expect_sent(b, "");
  struct weft_l2_event e = bank_cu(WRITE, 0, 0, local(0x40));
  write_event(&e, 1, 0x99, 32);
  bank_step(b, &e);
  flush.way = b->out.way;
  bank_step(b, &flush);
  assert_true(b->out.hit);
  bank_expect_sent(b, "mem");
  assert_int_equal(b->out.out_mem.data[0], 0x99);
  bank_step(b, &flush);
  assert_false(b->out.hit);
  assert_int_equal(peek(b, 0x40, 0), 0x99);
  flush.way = 2;
  bank_refuses(b, &flush);
  flush.way = 0;
  flush.req.address = 4;
  bank_refuses(b, &flush);
}

static void none_asks_no_directory(void **state)
{
  struct bank *b = *state;
  bank_rebuild(b, WEFT_PROTOCOL_NONE);
  bank_bring_local(b, 0x40, 0x11);
  bank_do_request(b, READ, 2, 0, local(0x40));
  assert_false(b->dir.valid);
  bank_do_cu(b, WRITE, 0, 0, local(0x40));
  assert_false(b->dir.valid);
  bank_expect_sent(b, "");
}

static void eviction_owes_the_victims_sharers(void **state)
{
  struct bank *b = *state; /* four entries in two sets of two */
  static const uint64_t offset[] = { 0x00, 0x40, 0x80 };
  for (unsigned i = 0; i < 3; i++) {
    bank_bring_local(b, offset[i], 0);
    bank_do_request(b, READ, 2, 0, local(offset[i]));
  }
  bank_expect_sent(b, "rsp fwd");
  assert_true(b->dir.evicted);
  assert_int_equal(b->out.out_fwd.cause, WEFT_CAUSE_EVICT);
  assert_int_equal(b->out.out_fwd.address, local(0x00));
  assert_int_equal(b->out.out_fwd.nodes, 0x4);
}

static void full_tables_refuse(void **state)
{
  struct bank *b = *state;
  bank_do_request(b, READ, 2, 0, local(0x00));
  bank_do_request(b, READ, 2, 1, local(0x20));
  struct weft_l2_event e = bank_request(READ, 2, 2, local(0x40));
  bank_refuses(b, &e); /* both fetches */
  bank_do_request(b, READ, 2, 2, local(0x00));
  bank_do_request(b, READ, 2, 3, local(0x20));
  e = bank_request(READ, 2, 4, local(0x00));
  bank_refuses(b, &e); /* all waiting requests */
}

static void full_forward_queue_refuses(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0);
  for (unsigned i = 0; i < 4; i++) {
    bank_do_request(b, READ, 2, 0, local(0x40));
    bank_do_cu(b, WRITE, 0, 0, local(0x40));
    bank_expect_sent(b, "fwd");
  }
  struct weft_l2_event e = bank_cu(READ, 0, 0, local(0x40));
  bank_refuses(b, &e);
  struct weft_fwd m;
  assert_true(weft_l2_pop_forward(b->l2, &m));
  bank_step(b, &e);
}

static void illegal_requests_are_told(void **state)
{
  struct bank *b = *state;
  struct weft_l2_event e = bank_request(READ, SELF, 0, local(0));
  bank_refuses(b, &e);
  e = bank_request(READ, 3, 0, local(0));
  bank_refuses(b, &e);
  e = bank_request(READ, 2, 0, test_address(2, 0));
  bank_refuses(b, &e);
  e = bank_request(WEFT_REQ_KIND_FENCE, 2, 0, local(0));
  bank_refuses(b, &e);
  e = bank_request(ATOMIC, 2, 0, local(2));
  bank_refuses(b, &e);
  e = bank_event(WEFT_L2_EVENT_KIND_MEMORY);
  bank_refuses(b, &e); /* no fetch */
  e.kind = 15;
  bank_refuses(b, &e);
  b->config.l2_banks = 2;
  bank_rebuild(b, WEFT_PROTOCOL_BASELINE);
  e = bank_request(READ, 2, 0, local(0x1000));
  bank_refuses(b, &e); /* bank 1's */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bank_setup, bank_teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(read_by_self_is_answered_to_its_l1),
    TEST(read_by_another_node_makes_it_a_sharer),
    TEST(write_by_self_invalidates_the_sharers),
    TEST(write_by_another_node_keeps_it_and_needs_no_answer),
    TEST(atomics_return_the_old_value),
    TEST(atomic_does_not_invalidate_its_requester),
    TEST(failed_cas_makes_the_line_dirty),
    TEST(failed_atomic_takes_no_lease),
    TEST(failed_atomic_is_not_before_its_sender),
    TEST(atomics_at_their_home_are_tried),
    TEST(requests_wait_for_memory_in_their_order),
    TEST(nothing_but_responses_and_forwards_passes_a_replay),
    TEST(the_way_in_replay_is_no_victim),
    TEST(dirty_victims_are_written_back),
    TEST(flush_writes_and_keeps),
    TEST(none_asks_no_directory),
    TEST(eviction_owes_the_victims_sharers),
    TEST(full_tables_refuse),
    TEST(full_forward_queue_refuses),
    TEST(illegal_requests_are_told),
  };
  return cmocka_run_group_tests_name("model.home", tests, NULL, NULL);
}
