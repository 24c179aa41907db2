/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"
#include "units.h"

static unsigned write_cost(uint64_t low, uint64_t high)
{
  struct weft_req m = { .kind = WEFT_REQ_KIND_WRITE, .mask = { low, high } };
  return weft_link_cost_req(&m);
}

static void requests_cost_as_the_table_says(void **state)
{
  (void)state;
  struct weft_req read = { .kind = WEFT_REQ_KIND_READ }, marker = { .kind = WEFT_REQ_KIND_MARKER };
  assert_int_equal(weft_link_cost_req(&read), 24);
  assert_int_equal(weft_link_cost_req(&marker), 24);
  assert_int_equal(write_cost(0x1, 0), 28);
  assert_int_equal(write_cost(0x8, 0), 28);
  assert_int_equal(write_cost(0x18, 0), 32);         /* two words touched by two bytes */
  assert_int_equal(write_cost(0x10001, 0), 24 + 20); /* a hole costs as if it were full */
  assert_int_equal(write_cost(UINT64_MAX, 0), 24 + 64);
  assert_int_equal(write_cost(UINT64_MAX, UINT64_MAX), 24 + 128);
  assert_int_equal(write_cost(0, UINT64_C(1) << 63), 28);
  assert_int_equal(write_cost(UINT64_C(1) << 63, 1), 32); /* across the two mask words */
  for (unsigned func = 0; func <= WEFT_FUNC_XOR; func++) {
    struct weft_req m = { .kind = WEFT_REQ_KIND_ATOMIC, .func = (uint8_t)func };
    unsigned operands = func == WEFT_FUNC_CAS ? 2 : 1;
    assert_int_equal(weft_link_cost_req(&m), 24 + 4 * operands);
    m.wide = 1;
    assert_int_equal(weft_link_cost_req(&m), 24 + 8 * operands);
  }
}

static void forwards_and_responses_cost_as_the_table_says(void **state)
{
  (void)state;
  struct weft_fwd inv = { .kind = WEFT_FWD_KIND_INV }, mark = { .kind = WEFT_FWD_KIND_MARK };
  assert_int_equal(weft_link_cost_fwd(&inv), 24);
  assert_int_equal(weft_link_cost_fwd(&mark), 24);
  struct weft_rsp line = { .kind = WEFT_RSP_KIND_LINE }, atomic = { .kind = WEFT_RSP_KIND_ATOMIC };
  struct weft_rsp ack = { .kind = WEFT_RSP_KIND_ACK }, seen = { .kind = WEFT_RSP_KIND_SEEN };
  for (unsigned bytes = 32; bytes <= 128; bytes *= 2)
    assert_int_equal(weft_link_cost_rsp(&line, bytes), 20 + bytes);
  assert_int_equal(weft_link_cost_rsp(&atomic, 64), 24);
  atomic.wide = 1;
  assert_int_equal(weft_link_cost_rsp(&atomic, 64), 28);
  assert_int_equal(weft_link_cost_rsp(&ack, 64), 24);
  assert_int_equal(weft_link_cost_rsp(&seen, 64), 24);
}

static struct weft_link *make(struct weft_config *c)
{
  *c = test_config("tiny"); /* 16 bytes per cycle, latency 3, 8 credits */
  struct weft_link *l = malloc(weft_link_size(c));
  assert_non_null(l);
  weft_link_reset(l, c);
  return l;
}

static void meters_bytes(void **state)
{
  (void)state;
  struct weft_config c;
  struct weft_link *l = make(&c);
  struct weft_req read = { .kind = WEFT_REQ_KIND_READ };
  assert_true(weft_link_may_start(l, WEFT_LINK_REQUEST));
  assert_int_equal(weft_link_start(l, WEFT_LINK_REQUEST, &read, 100), 24);
  assert_int_equal(weft_link_ready(l, WEFT_LINK_REQUEST), 100 + 2 + 3);
  assert_false(weft_link_may_start(l, WEFT_LINK_RESPONSE)); /* 24 owed */
  weft_link_pass(l, 1);
  assert_true(weft_link_may_start(l, WEFT_LINK_RESPONSE)); /* 8 owed: less than a cycle's bytes */
  struct weft_rsp line = { .kind = WEFT_RSP_KIND_LINE };
  assert_int_equal(weft_link_start(l, WEFT_LINK_RESPONSE, &line, 101), 52);
  assert_int_equal(weft_link_ready(l, WEFT_LINK_RESPONSE), 101 + 4 + 3); /* 60 bytes: four cycles */
  weft_link_pass(l, 100);
  assert_int_equal(l->owed, 0);
  free(l);
}

static void keeps_order_and_contents_of_a_class(void **state)
{
  (void)state;
  struct weft_config c;
  struct weft_link *l = make(&c);
  for (unsigned i = 0; i < 30; i++) {
    struct weft_req write = { .kind = WEFT_REQ_KIND_WRITE, .id = 1, .mask = { 0xff } };
    write.data[c.line - 1] = (uint8_t)i;
    weft_link_pass(l, 100);
    weft_link_start(l, WEFT_LINK_REQUEST, &write, i);
    if (i >= 5) {
      assert_null(weft_link_head(l, WEFT_LINK_REQUEST, 0));
      const struct weft_req *head = weft_link_head(l, WEFT_LINK_REQUEST, 1000);
      assert_non_null(head);
      assert_int_equal(head->data[c.line - 1], i - 5);
      weft_link_take(l, WEFT_LINK_REQUEST);
      weft_link_credit(l, WEFT_LINK_REQUEST);
    }
  }
  assert_null(weft_link_head(l, WEFT_LINK_FORWARD, UINT64_MAX - 1));
  free(l);
}

static void credits_of_one_class_do_not_hold_up_another(void **state)
{
  (void)state;
  struct weft_config c;
  struct weft_link *l = make(&c);
  struct weft_fwd inv = { .kind = WEFT_FWD_KIND_INV };
  for (unsigned i = 0; i < c.link_buffer; i++) {
    assert_true(weft_link_may_start(l, WEFT_LINK_FORWARD));
    weft_link_start(l, WEFT_LINK_FORWARD, &inv, i);
    weft_link_pass(l, 100);
  }
  assert_false(weft_link_may_start(l, WEFT_LINK_FORWARD));
  assert_true(weft_link_may_start(l, WEFT_LINK_REQUEST));
  assert_true(weft_link_may_start(l, WEFT_LINK_RESPONSE));
  weft_link_take(l, WEFT_LINK_FORWARD);
  assert_false(weft_link_may_start(l, WEFT_LINK_FORWARD)); /* the credit has not come back yet */
  weft_link_credit(l, WEFT_LINK_FORWARD);
  assert_true(weft_link_may_start(l, WEFT_LINK_FORWARD));
  free(l);
}

/* A head, a full chunk and a last one of 8 bytes. */
static const struct weft_req packet[3] = {
  { .kind = WEFT_REQ_KIND_PACKET, .data = { 40 } },
  { .kind = WEFT_REQ_KIND_CHUNK, .mask = { 0xffffffff } },
  { .kind = WEFT_REQ_KIND_CHUNK, .mask = { 0xff }, .id = 1 },
};

static void a_packet_stays_together(void **state)
{
  (void)state;
  struct weft_config c;
  struct weft_link *l = make(&c);
  struct weft_req read = { .kind = WEFT_REQ_KIND_READ };
  assert_false(weft_link_may_start_req(l, &packet[1])); /* no head before it */
  assert_int_equal(weft_link_start(l, WEFT_LINK_REQUEST, &packet[0], 100), 20);
  weft_link_pass(l, 1);
  assert_false(weft_link_may_start(l, WEFT_LINK_RESPONSE));
  assert_false(weft_link_may_start_req(l, &read));
  assert_true(weft_link_may_start_req(l, &packet[1]));
  assert_int_equal(weft_link_start(l, WEFT_LINK_REQUEST, &packet[1], 101), 32); /* on top of 4 */
  weft_link_pass(l, 2);
  assert_int_equal(weft_link_ready(l, WEFT_LINK_REQUEST), UINT64_MAX); /* its CRC has not come */
  assert_int_equal(weft_link_start(l, WEFT_LINK_REQUEST, &packet[2], 103), 12);
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(weft_link_ready(l, WEFT_LINK_REQUEST), 103 + 1 + 3);
    weft_link_take(l, WEFT_LINK_REQUEST);
  }
  weft_link_pass(l, 1);
  assert_true(weft_link_may_start(l, WEFT_LINK_RESPONSE));
  assert_int_equal(l->queue[WEFT_LINK_REQUEST].credits, c.link_buffer - 3U);
  free(l);
}

static void a_chunk_fills_the_beat_before_it(void **state)
{
  (void)state;
  struct weft_config c;
  for (unsigned late = 0; late < 2; late++) {
    struct weft_link *l = make(&c);
    weft_link_start(l, WEFT_LINK_REQUEST, &packet[0], 100); /* 20 bytes: a beat, and 4 of the next */
    weft_link_pass(l, 2);
    weft_link_pass(l, late);
    weft_link_start(l, WEFT_LINK_REQUEST, &packet[1], 102 + late);
    assert_int_equal(l->owed, late ? 32 : 32 - 12); /* a cycle later that beat is gone */
    free(l);
  }
}

static void a_head_wants_credits_for_all_of_its_packet(void **state)
{
  (void)state;
  struct weft_config c;
  struct weft_link *l = make(&c);
  struct weft_req read = { .kind = WEFT_REQ_KIND_READ };
  for (unsigned i = 0; i < c.link_buffer - 3U; i++) {
    assert_true(weft_link_may_start_req(l, &packet[0]));
    weft_link_start(l, WEFT_LINK_REQUEST, &read, i);
    weft_link_pass(l, 100);
  }
  assert_true(weft_link_may_start_req(l, &packet[0]));
  weft_link_start(l, WEFT_LINK_REQUEST, &read, 10000);
  weft_link_pass(l, 100);
  assert_false(weft_link_may_start_req(l, &packet[0])); /* two left */
  assert_true(weft_link_may_start_req(l, &read));
  free(l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(requests_cost_as_the_table_says),
    cmocka_unit_test(forwards_and_responses_cost_as_the_table_says),
    cmocka_unit_test(meters_bytes),
    cmocka_unit_test(keeps_order_and_contents_of_a_class),
    cmocka_unit_test(credits_of_one_class_do_not_hold_up_another),
    cmocka_unit_test(a_packet_stays_together),
    cmocka_unit_test(a_chunk_fills_the_beat_before_it),
    cmocka_unit_test(a_head_wants_credits_for_all_of_its_packet),
  };
  return cmocka_run_group_tests_name("model.link", tests, NULL, NULL);
}
