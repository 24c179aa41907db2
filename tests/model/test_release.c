/* SPDX-License-Identifier: Apache-2.0 */
/* Releases and markers (R6). */
#include "bank.h"

#define FENCE WEFT_REQ_KIND_FENCE
#define MARKER WEFT_REQ_KIND_MARKER

static uint64_t local(uint64_t offset)
{
  return test_address(SELF, offset);
}

/* Makes the home owe node 2 an INV, and puts it out. */
static void owe_inv(struct bank *b)
{
  struct weft_fwd m;
  bank_do_request(b, WEFT_REQ_KIND_READ, 2, 0, local(0x40));
  bank_do_cu(b, WEFT_REQ_KIND_WRITE, 0, 0, local(0x40));
  bank_expect_sent(b, "fwd");
  assert_true(weft_l2_pop_forward(b->l2, &m));
}

static void ack(struct bank *b, unsigned src, unsigned id, unsigned count)
{
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_ACK, src, id);
  e.rsp.count = (uint8_t)count;
  bank_step(b, &e);
}

static struct weft_l2_event mark(unsigned home, unsigned releaser, unsigned id, unsigned stamp)
{
  struct weft_l2_event e = bank_forward(WEFT_FWD_KIND_MARK, home, test_address(home, 0));
  e.fwd.releaser = (uint8_t)releaser;
  e.fwd.id = (uint8_t)id;
  e.fwd.stamp = (uint16_t)stamp;
  return e;
}

static void expect_fence(const struct bank *b, unsigned cu, unsigned id)
{
  assert_true(b->out.sent_l1);
  assert_int_equal(b->out.out_l1.kind, WEFT_RSP_KIND_FENCE);
  assert_int_equal(b->out.out_l1.cu, cu);
  assert_int_equal(b->out.out_l1.id, id);
}

static void gpu_fence_is_answered_at_once(void **state)
{
  struct bank *b = *state;
  struct weft_l2_event e = bank_cu(FENCE, 1, 3, 0);
  e.scope = WEFT_SCOPE_GPU;
  bank_step(b, &e);
  expect_fence(b, 1, 3);
  assert_false(b->out.allocated);
  assert_true(weft_l2_idle(b->l2));
}

static void one_node_releases_at_once(void **state)
{
  struct bank *b = *state;
  b->config.nodes = 1;
  free(b->l2);
  b->l2 = malloc(weft_l2_size(&b->config, WEFT_PROTOCOL_BASELINE));
  assert_non_null(b->l2);
  weft_l2_reset(b->l2, &b->config, WEFT_PROTOCOL_BASELINE, 0, 0);
  bank_do_cu(b, FENCE, 1, 3, 0);
  expect_fence(b, 1, 3);
  assert_true(weft_l2_idle(b->l2));
}

static void release_sends_a_marker_to_every_home(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, FENCE, 1, 3, 0);
  bank_expect_sent(b, "");
  assert_true(b->out.allocated);
  unsigned release = b->out.slot;
  assert_int_equal(weft_l2_marker_send(b->l2), release);
  for (unsigned home = 0; home < 3; home++) {
    bank_do(b, WEFT_L2_EVENT_KIND_MARKER_SEND);
    assert_int_equal(b->out.index, release);
    if (home == SELF) { /* nothing owed: both others are skipped, and acknowledged here */
      bank_expect_sent(b, "");
      continue;
    }
    bank_expect_sent(b, "req");
    assert_int_equal(b->out.out_req.kind, MARKER);
    assert_int_equal(b->out.out_req.src, SELF);
    assert_int_equal(b->out.out_req.dst, home);
    assert_int_equal(b->out.out_req.id, release);
    assert_int_equal(b->out.out_req.address, test_address(home, 0));
  }
  struct weft_l2_event e = bank_event(WEFT_L2_EVENT_KIND_MARKER_SEND);
  bank_refuses(b, &e);
  /* 3 homes x 2 others = 6 acknowledgements; 2 came from the own home. */
  ack(b, 0, release, 2);
  bank_expect_sent(b, "");
  ack(b, 2, release, 1);
  bank_expect_sent(b, "");
  struct weft_l2_event m = mark(2, SELF, release, 0); /* the last one: a MARK met here */
  bank_step(b, &m);
  bank_expect_sent(b, "l1");
  expect_fence(b, 1, 3);
  assert_false(weft_l2_idle(b->l2)); /* the home has not been told yet */
  m.kind = WEFT_L2_EVENT_KIND_SEEN;
  bank_step(b, &m);
  assert_true(weft_l2_idle(b->l2));
}

static void lowest_release_sends_first(void **state)
{
  struct bank *b = *state;
  bank_do_cu(b, FENCE, 0, 1, 0);
  bank_do_cu(b, FENCE, 1, 1, 0);
  struct weft_l2_event e = bank_cu(FENCE, 1, 0, 0);
  bank_refuses(b, &e); /* both releases in use */
  for (unsigned i = 0; i < 6; i++) {
    bank_do(b, WEFT_L2_EVENT_KIND_MARKER_SEND);
    assert_int_equal(b->out.index, i / 3);
  }
}

static void marker_marks_whom_an_inv_is_owed_and_skips_the_rest(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0);
  owe_inv(b);
  bank_do_request(b, MARKER, 0, 5, local(0));
  bank_expect_sent(b, "rsp fwd");
  assert_int_equal(b->out.out_fwd.kind, WEFT_FWD_KIND_MARK);
  assert_int_equal(b->out.out_fwd.nodes, 0x4);
  assert_int_equal(b->out.out_fwd.releaser, 0);
  assert_int_equal(b->out.out_fwd.id, 5);
  assert_int_equal(b->out.out_rsp.kind, WEFT_RSP_KIND_ACK);
  assert_int_equal(b->out.out_rsp.dst, 0);
  assert_int_equal(b->out.out_rsp.id, 5);
  assert_int_equal(b->out.out_rsp.count, 1); /* node 0 itself was skipped */
  assert_int_equal(b->out.out_rsp.seen, 0);
  struct weft_fwd m;
  assert_true(weft_l2_pop_forward(b->l2, &m));
  assert_int_equal(m.stamp, 1);
}

static void skipped_again_after_seen_but_not_if_an_inv_followed(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0);
  owe_inv(b);
  bank_do_request(b, MARKER, 0, 5, local(0));
  assert_true(b->out.sent_fwd);
  struct weft_fwd m;
  assert_true(weft_l2_pop_forward(b->l2, &m));
  bank_do_request(b, MARKER, 0, 6, local(0));
  assert_true(b->out.sent_fwd); /* two releases: the first marker being sent is not enough */
  assert_true(weft_l2_pop_forward(b->l2, &m));
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_SEEN, 2, 0);
  e.rsp.stamp = m.stamp;
  bank_step(b, &e);
  bank_expect_sent(b, "");
  bank_do_request(b, MARKER, 0, 7, local(0));
  assert_false(b->out.sent_fwd);
  assert_int_equal(b->out.out_rsp.count, 2);
  owe_inv(b);
  bank_step(b, &e); /* old news */
  bank_do_request(b, MARKER, 0, 8, local(0));
  assert_true(b->out.sent_fwd);
}

static void own_release_at_its_own_home(void **state)
{
  struct bank *b = *state;
  bank_bring_local(b, 0x40, 0);
  owe_inv(b);
  bank_do_cu(b, FENCE, 0, 1, 0);
  bank_do(b, WEFT_L2_EVENT_KIND_MARKER_SEND);
  bank_do(b, WEFT_L2_EVENT_KIND_MARKER_SEND); /* home 1 is self: one marked, one skipped */
  bank_expect_sent(b, "fwd");
  assert_int_equal(b->out.out_fwd.releaser, SELF);
  assert_int_equal(b->out.out_fwd.nodes, 0x4);
  struct weft_fwd m;
  assert_true(weft_l2_pop_forward(b->l2, &m));
  bank_do(b, WEFT_L2_EVENT_KIND_MARKER_SEND);
  /* Node 2 acknowledges to its releaser, who is the home too: both in one. */
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_ACK, 2, 0);
  e.rsp.count = 1;
  e.rsp.seen = 1;
  e.rsp.stamp = m.stamp;
  bank_step(b, &e);
  assert_int_equal(weft_forward_unseen(weft_l2_forward(b->l2)), 0);
  ack(b, 0, 0, 2);
  bank_expect_sent(b, "");
  ack(b, 2, 0, 2);
  expect_fence(b, 0, 1);
}

static void marks_are_acknowledged_to_the_releaser(void **state)
{
  struct bank *b = *state;
  struct weft_l2_event e = mark(0, 2, 5, 9); /* home 0, releaser 2: told apart */
  bank_step(b, &e);
  bank_expect_sent(b, "rsp");
  assert_int_equal(b->out.out_rsp.kind, WEFT_RSP_KIND_ACK);
  assert_int_equal(b->out.out_rsp.dst, 2);
  assert_int_equal(b->out.out_rsp.id, 5);
  assert_int_equal(b->out.out_rsp.count, 1);
  assert_int_equal(b->out.out_rsp.seen, 0);
  struct weft_l2_event early = bank_forward(WEFT_FWD_KIND_INV, 0, test_address(0, 0));
  bank_refuses(b, &early); /* its second half comes first */
  e.kind = WEFT_L2_EVENT_KIND_SEEN;
  bank_step(b, &e);
  bank_expect_sent(b, "rsp");
  assert_int_equal(b->out.out_rsp.kind, WEFT_RSP_KIND_SEEN);
  assert_int_equal(b->out.out_rsp.dst, 0);
  assert_int_equal(b->out.out_rsp.stamp, 9);
  bank_refuses(b, &e);  /* not twice */
  e = mark(2, 2, 6, 7); /* home and releaser are one: one message, no second half */
  bank_step(b, &e);
  assert_int_equal(b->out.out_rsp.kind, WEFT_RSP_KIND_ACK);
  assert_int_equal(b->out.out_rsp.dst, 2);
  assert_int_equal(b->out.out_rsp.seen, 1);
  assert_int_equal(b->out.out_rsp.stamp, 7);
  bank_step(b, &early);
}

static void markers_wait_for_the_fetches_before_them(void **state)
{
  struct bank *b = *state;
  bank_do_request(b, WEFT_REQ_KIND_WRITE, 2, 0, local(0x40));
  bank_do_request(b, MARKER, 2, 1, local(0));
  bank_expect_sent(b, "");
  assert_true(b->out.allocated);
  assert_int_equal(b->out.slot, 0);
  bank_do_request(b, WEFT_REQ_KIND_READ, 0, 0, local(0x60)); /* a later fetch does not matter */
  bank_do_request(b, MARKER, 0, 2, local(0));                /* but to this one it does */
  assert_int_equal(b->out.slot, 1);
  struct weft_l2_event e = bank_request(MARKER, 0, 3, local(0));
  bank_refuses(b, &e); /* both markers in use */
  struct weft_l2_event go = bank_event(WEFT_L2_EVENT_KIND_MARKER_GO);
  bank_refuses(b, &go);
  bank_do_memory(b, 0, 0);
  bank_refuses(b, &go);
  bank_do(b, WEFT_L2_EVENT_KIND_REPLAY);
  assert_int_equal(weft_l2_marker_go(b->l2), 0);
  bank_step(b, &go);
  assert_int_equal(b->out.index, 0);
  bank_expect_sent(b, "rsp");
  assert_int_equal(b->out.out_rsp.dst, 2);
  assert_int_equal(b->out.out_rsp.count, 2);
  bank_refuses(b, &go); /* the other still waits for the second fetch */
  bank_do_memory(b, 1, 0);
  bank_do(b, WEFT_L2_EVENT_KIND_REPLAY);
  bank_step(b, &go);
  assert_int_equal(b->out.index, 1);
  assert_int_equal(b->out.out_rsp.dst, 0);
}

static void illegal_acknowledgements_are_told(void **state)
{
  struct bank *b = *state;
  struct weft_l2_event e = bank_response(WEFT_RSP_KIND_ACK, 2, 0);
  e.rsp.count = 1;
  bank_refuses(b, &e); /* no release */
  bank_do_cu(b, FENCE, 0, 0, 0);
  e.rsp.count = 7;
  bank_refuses(b, &e); /* six are awaited */
  e.rsp.id = 2;
  bank_refuses(b, &e);
  e = mark(2, SELF, 1, 0);
  bank_refuses(b, &e);
  e = mark(2, 3, 0, 0);
  bank_refuses(b, &e);
  e = mark(0, 2, 0, 4);
  bank_step(b, &e);
  e.kind = WEFT_L2_EVENT_KIND_SEEN;
  e.fwd.stamp = 5;
  bank_refuses(b, &e); /* not the mark's stamp */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bank_setup, bank_teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(gpu_fence_is_answered_at_once),
    TEST(one_node_releases_at_once),
    TEST(release_sends_a_marker_to_every_home),
    TEST(lowest_release_sends_first),
    TEST(marker_marks_whom_an_inv_is_owed_and_skips_the_rest),
    TEST(skipped_again_after_seen_but_not_if_an_inv_followed),
    TEST(own_release_at_its_own_home),
    TEST(marks_are_acknowledged_to_the_releaser),
    TEST(markers_wait_for_the_fetches_before_them),
    TEST(illegal_acknowledgements_are_told),
  };
  return cmocka_run_group_tests_name("model.release", tests, NULL, NULL);
}
