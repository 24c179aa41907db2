/* SPDX-License-Identifier: Apache-2.0 */
/* The remote write queue's rule, store by store: what is charged, what is flushed and why, what leaves plain. */
#include "egress.h"
#include "units.h"

static struct weft_egress *egress;

static void make(unsigned line, unsigned entries, unsigned sub_header, unsigned payload)
{
  struct weft_config c = test_config("finepack4");
  c.line = line;
  c.egress_entries = entries;
  c.egress_sub_header = sub_header;
  c.egress_payload = payload;
  egress = malloc(weft_egress_size(&c));
  assert_non_null(egress);
  weft_egress_reset(egress, &c, 0);
}

static int discard(void **state)
{
  (void)state;
  free(egress);
  egress = NULL;
  return 0;
}

static struct weft_req request(unsigned kind, uint64_t offset, uint64_t mask)
{
  return (struct weft_req){
    .kind = (uint8_t)kind, .dst = 1, .address = test_address(1, offset), .mask = { mask, 0 }
  };
}

static struct weft_egress_event step(struct weft_req req)
{
  struct weft_egress_event in = { .kind = WEFT_EGRESS_KIND_INPUT, .req = req }, out;
  struct weft_egress_count count;
  assert_null(weft_egress_step(egress, &in, &out, &count));
  return out;
}

/* A store, and the cause of the flush before it. */
static unsigned store(uint64_t offset, uint64_t mask)
{
  struct weft_egress_event out = step(request(WEFT_REQ_KIND_WRITE, offset, mask));
  return out.flushed ? out.cause : WEFT_FLUSH_CAUSE_NONE;
}

static unsigned payload(void)
{
  return weft_queue_filling(&egress->queue, 1)->payload;
}

static void growth_is_charged_exactly(void **state)
{
  (void)state;
  make(64, 64, 5, 4096);
  store(0, 0x1);
  assert_int_equal(payload(), 6); /* a byte and its sub-header */
  store(0, 0x2);
  assert_int_equal(payload(), 7); /* the run grows */
  store(0, 0x8);
  assert_int_equal(payload(), 13); /* a second run */
  store(0, 0x4);
  assert_int_equal(payload(), 9); /* two runs join: a byte more, a sub-header less */
  store(0, 0xf);
  assert_int_equal(payload(), 9); /* overwritten: nothing new */
  store(128, 0xff);
  assert_int_equal(payload(), 9 + 13);
  store(64, 0x1);
  assert_int_equal(payload(), 9 + 13 + 6); /* the other line of the first block */
}

static void base_is_looked_at_first(void **state)
{
  (void)state;
  make(32, 64, 2, 4096);
  assert_int_equal(store(0, 0xf), WEFT_FLUSH_CAUSE_NONE);
  assert_int_equal(store(32, 0xf), WEFT_FLUSH_CAUSE_NONE);
  assert_int_equal(store(64, 0xf), WEFT_FLUSH_CAUSE_BASE); /* the same block, the next window */
  assert_int_equal(weft_queue_filling(&egress->queue, 1)->used, 1);
}

static void room_and_payload(void **state)
{
  (void)state;
  make(64, 2, 5, 128);
  assert_int_equal(store(0, 0xf), WEFT_FLUSH_CAUSE_NONE);
  assert_int_equal(store(128, 0xf), WEFT_FLUSH_CAUSE_NONE);
  assert_int_equal(store(256, 0xf), WEFT_FLUSH_CAUSE_ROOM);
  assert_int_equal(store(384, ~UINT64_C(0)), WEFT_FLUSH_CAUSE_NONE);                 /* 9 + 69 of 128 */
  assert_int_equal(store(512, UINT64_C(0x5555555555555555)), WEFT_FLUSH_CAUSE_NONE); /* 32 runs: not at all */
  assert_int_equal(egress->work[egress->count - 1U].message.kind, WEFT_REQ_KIND_WRITE);
}

static void what_fits_no_packet_leaves_plain(void **state)
{
  (void)state;
  make(128, 64, 5, 128);
  struct weft_req whole = request(WEFT_REQ_KIND_WRITE, 0, ~UINT64_C(0));
  whole.mask[1] = ~UINT64_C(0);
  assert_int_equal(step(whole).plain, 1); /* 133 bytes */
  store(0, 1);
  struct weft_egress_event out = step(whole);
  assert_int_equal(out.taken, 0); /* first what is queued of its block */
  assert_int_equal(out.cause, WEFT_FLUSH_CAUSE_PAYLOAD);
  assert_int_equal(step(whole).plain, 1);
}

static void what_must_not_overtake(void **state)
{
  (void)state;
  make(64, 64, 5, 4096);
  store(0, 1);
  assert_int_equal(step(request(WEFT_REQ_KIND_READ, 128, 0)).taken, 1);
  struct weft_egress_event out = step(request(WEFT_REQ_KIND_READ, 64, 0)); /* another line, the same block */
  assert_int_equal(out.taken, 0);
  assert_int_equal(out.cause, WEFT_FLUSH_CAUSE_LOAD);
  assert_int_equal(step(request(WEFT_REQ_KIND_READ, 64, 0)).taken, 1);
  store(0, 1);
  assert_int_equal(step(request(WEFT_REQ_KIND_ATOMIC, 4, 0)).cause, WEFT_FLUSH_CAUSE_ATOMIC);
  store(0, 1);
  assert_int_equal(step(request(WEFT_REQ_KIND_MARKER, 4096, 0)).cause, WEFT_FLUSH_CAUSE_RELEASE);
  assert_int_equal(step(request(WEFT_REQ_KIND_MARKER, 4096, 0)).taken, 1);
}

/* The next message's kind. */
static unsigned leaves(struct weft_req *m)
{
  struct weft_egress_count count;
  assert_true(weft_egress_pop(egress, m, &count));
  return m->kind;
}

static void one_run_leaves_plain_and_two_as_a_packet(void **state)
{
  (void)state;
  make(64, 64, 5, 4096);
  struct weft_req m;
  store(0, 0xff0);
  step(request(WEFT_REQ_KIND_MARKER, 0, 0));
  assert_int_equal(leaves(&m), WEFT_REQ_KIND_WRITE);
  assert_int_equal(m.mask[0], 0xff0);
  store(0, 0x5);
  step(request(WEFT_REQ_KIND_MARKER, 0, 0));
  assert_int_equal(leaves(&m), WEFT_REQ_KIND_PACKET);
  assert_int_equal(m.data[0], 12);
  assert_int_equal(leaves(&m), WEFT_REQ_KIND_CHUNK);
  assert_int_equal(m.id, 1);
  assert_int_equal(m.mask[0], 0xfff);
}

static void impossible_steps_are_refused(void **state)
{
  (void)state;
  make(64, 64, 5, 4096);
  struct weft_egress_event in = { .kind = WEFT_EGRESS_KIND_FLUSH,
                                  .cause = WEFT_FLUSH_CAUSE_TIMEOUT,
                                  .dst = 1 };
  struct weft_egress_event out;
  struct weft_egress_count count;
  assert_non_null(weft_egress_step(egress, &in, &out, &count)); /* of nothing */
  store(0, 1);
  in.cause = WEFT_FLUSH_CAUSE_STRONG;
  assert_non_null(weft_egress_step(egress, &in, &out, &count)); /* no strong store */
  in.cause = WEFT_FLUSH_CAUSE_LOAD;
  assert_non_null(weft_egress_step(egress, &in, &out, &count)); /* without a load */
  in = (struct weft_egress_event){ .kind = WEFT_EGRESS_KIND_INPUT,
                                   .urgent = 1,
                                   .req = request(WEFT_REQ_KIND_WRITE, 0, 1) };
  assert_null(weft_egress_step(egress, &in, &out, &count));
  assert_non_null(weft_egress_step(egress, &in, &out, &count)); /* its flush comes first */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(growth_is_charged_exactly, discard),
    cmocka_unit_test_teardown(base_is_looked_at_first, discard),
    cmocka_unit_test_teardown(room_and_payload, discard),
    cmocka_unit_test_teardown(what_fits_no_packet_leaves_plain, discard),
    cmocka_unit_test_teardown(what_must_not_overtake, discard),
    cmocka_unit_test_teardown(one_run_leaves_plain_and_two_as_a_packet, discard),
    cmocka_unit_test_teardown(impossible_steps_are_refused, discard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
