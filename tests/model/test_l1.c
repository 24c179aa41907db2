/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the L1's table in docs/protocol.md, and R5 and R7. */
#include "l1.h"
#include "units.h"

static struct weft_config config; /* tiny: 2 sets x 2 ways of 32 B, 2 misses, 4 waiters, 2 warps */
static struct weft_l1 *l1;

static int setup(void **state)
{
  (void)state;
  config = test_config("tiny");
  l1 = malloc(weft_l1_size(&config));
  assert_non_null(l1);
  weft_l1_reset(l1, &config, WEFT_PROTOCOL_BASELINE, 1);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  free(l1);
  return 0;
}

static struct weft_l1_event step(const struct weft_l1_event *in)
{
  struct weft_l1_event out;
  memset(&out, 0xee, sizeof out); /* whatever the step does not fill must not be looked at */
  const char *error = weft_l1_step(l1, in, &out);
  if (error)
    fail_msg("%s", error);
  return out;
}

static void refused(const struct weft_l1_event *in)
{
  struct weft_l1_event out;
  struct weft_l1 *before = malloc(l1->size);
  assert_non_null(before);
  memcpy(before, l1, l1->size);
  assert_non_null(weft_l1_step(l1, in, &out));
  assert_memory_equal(before, l1, l1->size);
  free(before);
}

static struct weft_l1_event op(uint8_t kind, unsigned warp, unsigned tag, uint64_t address)
{
  struct weft_l1_event e = { .kind = WEFT_L1_EVENT_KIND_OP,
                             .cu = { .warp = (uint8_t)warp,
                                     .tag = (uint8_t)tag,
                                     .op = kind,
                                     .address = address,
                                     .scope = WEFT_SCOPE_SYS } };
  e.cu.mask[0] = 0xf;
  return e;
}

static struct weft_l1_event load(unsigned warp, unsigned tag, uint64_t address)
{
  struct weft_l1_event e = op(WEFT_CU_OP_LOAD, warp, tag, address);
  return step(&e);
}

static struct weft_l1_event strong_load(unsigned warp, unsigned tag, uint64_t address, uint8_t scope)
{
  struct weft_l1_event e = op(WEFT_CU_OP_LOAD, warp, tag, address);
  e.cu.order = WEFT_ORDER_RELAXED;
  e.cu.scope = scope;
  return step(&e);
}

static struct weft_l1_event store(unsigned warp, uint64_t address, uint64_t mask, uint8_t byte)
{
  struct weft_l1_event e = op(WEFT_CU_OP_STORE, warp, 9, address);
  e.cu.mask[0] = mask;
  memset(e.cu.data, byte, config.line);
  return step(&e);
}

static struct weft_l1_event atomic(unsigned warp, unsigned tag, uint64_t address)
{
  struct weft_l1_event e = op(WEFT_CU_OP_ATOMIC, warp, tag, address);
  e.cu.func = WEFT_FUNC_XOR;
  e.cu.wide = 1;
  e.cu.data[0] = 0x5a;
  return step(&e);
}

static void fence(unsigned warp, unsigned tag, uint8_t order, uint8_t scope)
{
  struct weft_l1_event e = op(WEFT_CU_OP_FENCE, warp, tag, 0);
  e.cu.order = order;
  e.cu.scope = scope;
  struct weft_l1_event out = step(&e);
  assert_false(out.sent || out.answered || out.hit || out.allocated || out.closed);
}

static struct weft_l1_event respond(uint8_t kind, unsigned id, bool install, uint8_t byte)
{
  struct weft_l1_event e = { .kind = WEFT_L1_EVENT_KIND_RESPONSE,
                             .rsp = { .kind = kind, .cu = 1, .id = (uint8_t)id, .install = install } };
  memset(e.rsp.data, byte, config.line);
  return step(&e);
}

static struct weft_l1_event answer(void)
{
  struct weft_l1_event e = { .kind = WEFT_L1_EVENT_KIND_ANSWER };
  return step(&e);
}

static struct weft_l1_event warp_event(uint8_t kind, unsigned warp)
{
  return (struct weft_l1_event){ .kind = kind, .warp = (uint8_t)warp };
}

static void expect_answer(const struct weft_l1_event *e, unsigned warp, unsigned tag, uint8_t byte)
{
  assert_true(e->answered);
  assert_int_equal(e->done.warp, warp);
  assert_int_equal(e->done.tag, tag);
  assert_int_equal(e->done.error, 0);
  for (unsigned i = 0; i < config.line; i++)
    assert_int_equal(e->done.data[i], byte);
}

/* Brings a line in with `byte` everywhere. */
static void bring(uint64_t address, uint8_t byte)
{
  unsigned miss = load(0, 1, address).miss;
  assert_true(respond(WEFT_RSP_KIND_LINE, miss, true, byte).installed);
  struct weft_l1_event e = answer();
  expect_answer(&e, 0, 1, byte);
}

/* ---------------------------------------------------------------- loads */

static void miss_then_hit(void **state)
{
  (void)state;
  struct weft_l1_event e = load(1, 7, test_address(1, 0x44));
  assert_true(e.allocated && e.sent);
  assert_false(e.hit || e.joined || e.closed || e.answered || e.installed);
  assert_int_equal(e.out.kind, WEFT_REQ_KIND_READ);
  assert_int_equal(e.out.cu, 1);
  assert_int_equal(e.out.id, e.miss);
  assert_int_equal(e.out.address, test_address(1, 0x40)); /* the line's */
  e = respond(WEFT_RSP_KIND_LINE, e.miss, true, 0x11);
  assert_true(e.installed);
  assert_false(e.answered || e.sent);
  e = answer();
  expect_answer(&e, 1, 7, 0x11);
  e = load(0, 8, test_address(1, 0x5c));
  assert_true(e.hit);
  assert_false(e.sent || e.allocated);
  expect_answer(&e, 0, 8, 0x11);
  assert_true(weft_l1_idle(l1));
}

static void joins_share_one_read_and_are_answered_lowest_first(void **state)
{
  (void)state;
  unsigned miss = load(0, 1, 0x40).miss;
  for (unsigned i = 0; i < 2; i++) {
    struct weft_l1_event e = load(1, 2 + i, 0x40);
    assert_true(e.joined);
    assert_false(e.allocated || e.sent);
    assert_int_equal(e.miss, miss);
  }
  respond(WEFT_RSP_KIND_LINE, miss, true, 0x22);
  for (unsigned i = 0; i < 3; i++) {
    struct weft_l1_event e = answer();
    expect_answer(&e, i ? 1 : 0, 1 + i, 0x22);
  }
  refused(&(struct weft_l1_event){ .kind = WEFT_L1_EVENT_KIND_ANSWER });
}

static void strong_load_drops_copy_and_closes_miss(void **state)
{
  (void)state;
  bring(0x40, 0x33);
  struct weft_l1_event e = strong_load(0, 2, 0x40, WEFT_SCOPE_GPU);
  assert_true(e.hit && e.allocated && e.sent);
  assert_false(e.answered || e.closed);
  e = load(1, 3, 0x40); /* the copy is gone, and the strong load's miss takes no joins */
  assert_true(e.allocated && !e.hit && !e.joined);
  struct weft_l1_event other = respond(WEFT_RSP_KIND_LINE, 0, true, 0x34);
  assert_false(other.installed); /* its miss was never open */
  other = answer();
  expect_answer(&other, 0, 2, 0x34);
  e = strong_load(0, 4, 0x40, WEFT_SCOPE_SYS);
  assert_true(e.closed); /* the weak load's miss */
  assert_false(respond(WEFT_RSP_KIND_LINE, 1, true, 0x35).installed);
}

static void relaxed_load_of_cta_scope_is_weak(void **state)
{
  (void)state;
  bring(0x40, 0x36);
  struct weft_l1_event e = strong_load(0, 2, 0x40, WEFT_SCOPE_CTA);
  assert_true(e.hit && e.answered && !e.sent);
}

static void line_not_to_be_installed_only_answers(void **state)
{
  (void)state;
  unsigned miss = load(0, 1, 0x40).miss;
  assert_false(respond(WEFT_RSP_KIND_LINE, miss, false, 0x44).installed);
  struct weft_l1_event e = answer();
  expect_answer(&e, 0, 1, 0x44);
  assert_true(load(0, 2, 0x40).allocated);
}

/* ---------------------------------------------------------------- stores */

static void store_writes_its_copy_and_through(void **state)
{
  (void)state;
  bring(0x40, 0x11);
  struct weft_l1_event e = store(1, 0x48, 0xff00, 0x99);
  assert_true(e.hit && e.sent);
  expect_answer(&e, 1, 9, 0);
  assert_int_equal(e.out.kind, WEFT_REQ_KIND_WRITE);
  assert_int_equal(e.out.address, 0x40);
  assert_int_equal(e.out.mask[0], 0xff00);
  assert_int_equal(e.out.data[31], 0x99); /* the whole field travels, the mask says what counts */
  e = load(0, 3, 0x40);
  for (unsigned i = 0; i < config.line; i++)
    assert_int_equal(e.done.data[i], i >= 8 && i < 16 ? 0x99 : 0x11);
}

static void store_does_not_allocate(void **state)
{
  (void)state;
  struct weft_l1_event e = store(0, 0x40, 1, 0x99);
  assert_false(e.hit || e.allocated || e.closed);
  assert_true(load(0, 1, 0x40).allocated);
}

static void store_closes_the_miss(void **state)
{
  (void)state;
  unsigned miss = load(0, 1, 0x40).miss;
  assert_true(store(1, 0x44, 0xf0, 0x99).closed);
  struct weft_l1_event e = load(1, 2, 0x40);
  assert_true(e.allocated && !e.joined); /* a closed miss takes no new load */
  assert_false(respond(WEFT_RSP_KIND_LINE, miss, true, 0x55).installed);
  e = answer();
  expect_answer(&e, 0, 1, 0x55); /* as it came: own bytes are not merged in */
}

static void store_elsewhere_leaves_the_miss_open(void **state)
{
  (void)state;
  unsigned miss = load(0, 1, 0x40).miss;
  assert_false(store(1, 0x60, 0xf, 0x99).closed);
  assert_true(respond(WEFT_RSP_KIND_LINE, miss, true, 0x55).installed);
}

/* ---------------------------------------------------------------- atomics */

static void atomic_drops_copy_and_closes_miss(void **state)
{
  (void)state;
  bring(0x40, 0x11);
  struct weft_l1_event e = atomic(1, 6, 0x48);
  assert_true(e.hit && e.allocated && e.sent);
  assert_int_equal(e.out.kind, WEFT_REQ_KIND_ATOMIC);
  assert_int_equal(e.out.address, 0x48);
  assert_int_equal(e.out.func, WEFT_FUNC_XOR);
  assert_int_equal(e.out.wide, 1);
  assert_int_equal(e.out.id, e.miss);
  assert_int_equal(e.out.data[0], 0x5a);
  unsigned miss = e.miss;
  e = load(0, 2, 0x40);
  assert_true(e.allocated && !e.hit && !e.joined);
  assert_false(respond(WEFT_RSP_KIND_ATOMIC, miss, false, 0x77).installed);
  e = answer();
  expect_answer(&e, 1, 6, 0x77);
  e = atomic(0, 5, 0x58);
  assert_true(e.closed); /* the load's miss */
}

/* ---------------------------------------------------------------- errors */

static void bad_operation(const struct weft_l1_event *in)
{
  struct weft_l1_event e = step(in);
  assert_true(e.answered);
  assert_int_equal(e.done.error, 1);
  assert_int_equal(e.done.tag, in->cu.tag);
  for (unsigned i = 0; i < config.line; i++)
    assert_int_equal(e.done.data[i], 0);
  assert_false(e.hit || e.sent || e.allocated || e.joined || e.closed);
}

static void what_no_memory_can_serve_is_an_error(void **state)
{
  (void)state;
  struct weft_l1_event e = op(WEFT_CU_OP_LOAD, 0, 3, test_address(2, 0)); /* two nodes: 0 and 1 */
  bad_operation(&e);
  e = op(WEFT_CU_OP_STORE, 0, 4, test_address(1, config.memory_bytes));
  bad_operation(&e);
  e = op(WEFT_CU_OP_LOAD, 0, 5, 0x40);
  e.cu.mask[0] = 0;
  bad_operation(&e);
  e.cu.op = WEFT_CU_OP_STORE;
  bad_operation(&e);
  e = op(WEFT_CU_OP_ATOMIC, 0, 6, 0x42);
  bad_operation(&e);
  e = op(WEFT_CU_OP_ATOMIC, 0, 7, 0x44);
  e.cu.wide = 1;
  bad_operation(&e);
  e = op(WEFT_CU_OP_ATOMIC, 0, 8, 0x40);
  e.cu.func = 10;
  bad_operation(&e);
  e = op(WEFT_CU_OP_ATOMIC, 0, 9, test_address(15, 0));
  bad_operation(&e);
  e = op(WEFT_CU_OP_LOAD, 0, 3, test_address(1, config.memory_bytes - 4)); /* the last word is fine */
  assert_true(step(&e).allocated);
}

/* ---------------------------------------------------------------- fences */

static void acquire_drops_all_and_closes_all_misses(void **state)
{
  (void)state;
  bring(0x40, 0x11);
  unsigned miss = load(1, 2, 0x60).miss; /* of another warp (R7) */
  fence(0, 4, WEFT_ORDER_ACQUIRE, WEFT_SCOPE_GPU);
  assert_int_equal(weft_l1_fence_send(l1), -1); /* no release part */
  assert_int_equal(weft_l1_fence_done(l1), 0);
  struct weft_l1_event in = warp_event(WEFT_L1_EVENT_KIND_FENCE_DONE, 0), e = step(&in);
  expect_answer(&e, 0, 4, 0);
  assert_true(load(0, 5, 0x40).allocated);
  assert_false(respond(WEFT_RSP_KIND_LINE, miss, true, 0x66).installed);
}

static void cta_acquire_drops_nothing(void **state)
{
  (void)state;
  bring(0x40, 0x11);
  fence(0, 4, WEFT_ORDER_ACQ_REL, WEFT_SCOPE_CTA);
  assert_int_equal(weft_l1_fence_send(l1), -1);
  struct weft_l1_event in = warp_event(WEFT_L1_EVENT_KIND_FENCE_DONE, 0);
  step(&in);
  assert_true(load(0, 5, 0x40).hit);
}

static void fence_waits_for_its_own_warps_loads(void **state)
{
  (void)state;
  unsigned miss = load(0, 1, 0x40).miss;
  load(1, 2, 0x60);
  fence(0, 3, WEFT_ORDER_ACQ_REL, WEFT_SCOPE_SYS);
  struct weft_l1_event send = warp_event(WEFT_L1_EVENT_KIND_FENCE_SEND, 0);
  refused(&send);
  respond(WEFT_RSP_KIND_LINE, miss, true, 0);
  refused(&send); /* it came, but is not answered yet */
  answer();
  assert_int_equal(weft_l1_fence_send(l1), 0); /* warp 1's load does not matter */
  assert_true(step(&send).sent);
}

static void release_is_sent_to_every_bank_and_awaits_them(void **state)
{
  (void)state;
  free(l1);
  config.l2_banks = 4;
  l1 = malloc(weft_l1_size(&config));
  assert_non_null(l1);
  weft_l1_reset(l1, &config, WEFT_PROTOCOL_BASELINE, 1);
  fence(1, 3, WEFT_ORDER_RELEASE, WEFT_SCOPE_SYS);
  struct weft_l1_event send = warp_event(WEFT_L1_EVENT_KIND_FENCE_SEND, 1);
  struct weft_l1_event done = warp_event(WEFT_L1_EVENT_KIND_FENCE_DONE, 1);
  for (unsigned bank = 0; bank < 4; bank++) {
    refused(&done);
    struct weft_l1_event e = step(&send);
    assert_int_equal(e.out.kind, WEFT_REQ_KIND_FENCE);
    assert_int_equal(e.out.id, 1);
    assert_int_equal(e.out.order, WEFT_ORDER_RELEASE);
    assert_int_equal(e.out.scope, WEFT_SCOPE_SYS);
    assert_int_equal(e.out.address, bank * 4096);
    if (bank == 1)
      respond(WEFT_RSP_KIND_FENCE, 1, false, 0); /* a bank may answer before the last was sent to */
  }
  refused(&send);
  for (unsigned bank = 1; bank < 4; bank++) {
    refused(&done);
    respond(WEFT_RSP_KIND_FENCE, 1, false, 0);
  }
  bring(0x40, 0x11);
  struct weft_l1_event e = step(&done);
  expect_answer(&e, 1, 3, 0);
  assert_true(load(0, 1, 0x40).hit); /* a release alone drops nothing */
}

static void a_warp_with_a_pending_fence_is_not_served(void **state)
{
  (void)state;
  fence(0, 3, WEFT_ORDER_ACQUIRE, WEFT_SCOPE_SYS);
  struct weft_l1_event e = op(WEFT_CU_OP_STORE, 0, 1, 0x40);
  refused(&e);
  e.cu.warp = 1;
  step(&e);
}

/* ---------------------------------------------------------------- replacement, limits, illegal events */

static void least_recently_used_goes(void **state)
{
  (void)state;
  bring(0x00, 1); /* set 0 has 0x00, 0x40, 0x80 ... */
  bring(0x40, 2);
  assert_true(load(0, 1, 0x00).hit);
  bring(0x80, 3); /* takes the place of 0x40 */
  assert_true(load(0, 1, 0x00).hit);
  assert_true(load(0, 1, 0x80).hit);
  assert_false(load(0, 1, 0x40).hit);
}

static void full_tables_refuse(void **state)
{
  (void)state;
  load(0, 1, 0x00);
  load(0, 2, 0x20);
  struct weft_l1_event e = op(WEFT_CU_OP_LOAD, 0, 3, 0x40);
  refused(&e); /* both misses in use */
  e.cu.op = WEFT_CU_OP_ATOMIC;
  refused(&e);
  load(0, 3, 0x00);
  load(0, 4, 0x00);
  e = op(WEFT_CU_OP_LOAD, 0, 5, 0x00);
  refused(&e); /* all waiters in use */
  e = op(WEFT_CU_OP_STORE, 0, 5, 0x00);
  step(&e); /* a store needs neither */
}

static void illegal_events_are_told(void **state)
{
  (void)state;
  struct weft_l1_event e = { .kind = WEFT_L1_EVENT_KIND_ANSWER };
  refused(&e);
  e = (struct weft_l1_event){ .kind = WEFT_L1_EVENT_KIND_RESPONSE, .rsp = { .cu = 1, .id = 0 } };
  refused(&e); /* no such miss in use */
  e.rsp.id = 63;
  refused(&e);
  load(0, 1, 0x40);
  e.rsp.id = 0;
  e.rsp.cu = 0;
  refused(&e); /* another CU's */
  e.rsp.cu = 1;
  e.rsp.kind = WEFT_RSP_KIND_ACK;
  refused(&e);
  e.rsp.kind = WEFT_RSP_KIND_FENCE;
  refused(&e); /* no fence awaits it */
  load(0, 1, 0x60);
  respond(WEFT_RSP_KIND_LINE, 0, true, 0);
  e.rsp.kind = WEFT_RSP_KIND_LINE;
  e.rsp.id = 1;
  refused(&e); /* the fill register is full */
  e = warp_event(WEFT_L1_EVENT_KIND_FENCE_DONE, 0);
  refused(&e);
  e = warp_event(WEFT_L1_EVENT_KIND_FENCE_SEND, 15);
  refused(&e);
  e = op(WEFT_CU_OP_LOAD, 2, 0, 0);
  refused(&e); /* no such warp */
  e.kind = 7;
  refused(&e);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(miss_then_hit),
    TEST(joins_share_one_read_and_are_answered_lowest_first),
    TEST(strong_load_drops_copy_and_closes_miss),
    TEST(relaxed_load_of_cta_scope_is_weak),
    TEST(line_not_to_be_installed_only_answers),
    TEST(store_writes_its_copy_and_through),
    TEST(store_does_not_allocate),
    TEST(store_closes_the_miss),
    TEST(store_elsewhere_leaves_the_miss_open),
    TEST(atomic_drops_copy_and_closes_miss),
    TEST(what_no_memory_can_serve_is_an_error),
    TEST(acquire_drops_all_and_closes_all_misses),
    TEST(cta_acquire_drops_nothing),
    TEST(fence_waits_for_its_own_warps_loads),
    TEST(release_is_sent_to_every_bank_and_awaits_them),
    TEST(a_warp_with_a_pending_fence_is_not_served),
    TEST(least_recently_used_goes),
    TEST(full_tables_refuse),
    TEST(illegal_events_are_told),
  };
  return cmocka_run_group_tests_name("model.l1", tests, NULL, NULL);
}
