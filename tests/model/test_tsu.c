/* SPDX-License-Identifier: Apache-2.0 */
#include "tsu.h"
#include "units.h"

#define HOME 1U
#define READ WEFT_TSU_OP_READ
#define WRITE WEFT_TSU_OP_WRITE
#define PEEK WEFT_TSU_OP_PEEK

struct setting {
  struct weft_config config;
  struct weft_tsu *tsu;
  struct weft_lease_settings leases;
};

static struct setting make(unsigned bits, uint64_t entries, uint64_t ways, uint16_t read, uint16_t write)
{
  struct setting s = { .config = test_config("quad"), .leases = { read, write } };
  s.config.tsu_entries = entries;
  s.config.tsu_ways = ways;
  s.config.lease_bits = bits;
  s.tsu = malloc(weft_tsu_size(&s.config));
  assert_non_null(s.tsu);
  weft_tsu_reset(s.tsu, &s.config, HOME);
  return s;
}

/* A clock below 0: the request carries none. */
static struct weft_tsu_event request(uint8_t op, int cts, uint64_t offset)
{
  return (struct weft_tsu_event){
    .op = op, .causal = cts >= 0, .cts = cts < 0 ? 0 : (uint16_t)cts, .address = test_address(HOME, offset)
  };
}

static struct weft_tsu_event step(struct setting *s, uint8_t op, int cts, uint64_t offset)
{
  struct weft_tsu_event e = request(op, cts, offset);
  assert_null(weft_tsu_step(s->tsu, &s->leases, &e, &e));
  assert_int_equal(e.memts, e.rts);
  return e;
}

#define assert_times(event, from, until) \
  do { \
    struct weft_tsu_event told = (event); \
    assert_int_equal(told.wts, from); \
    assert_int_equal(told.rts, until); \
  } while (0)

/* ---------------------------------------------------------------- the rules, one by one */

/* A block that was written at 1, and until memts 20 has been promised; leases 10 and 5. */
static struct weft_tsu_event after(uint8_t op, int cts)
{
  struct setting s = make(16, 8, 2, 15, 5);
  assert_times(step(&s, WRITE, -1, 0), 1, 5);
  assert_times(step(&s, READ, -1, 0), 1, 20);
  s.leases.read = 10;
  struct weft_tsu_event told = step(&s, op, cts, 0);
  free(s.tsu);
  return told;
}

static void weak_requests(void **state)
{
  (void)state;
  assert_times(after(WRITE, -1), 21, 25);
  assert_times(after(READ, -1), 1, 30);
  assert_times(after(PEEK, -1), 1, 20);
}

static void causal_requests(void **state)
{
  (void)state;
  assert_times(after(WRITE, 0), 21, 25);
  assert_times(after(WRITE, 21), 21, 25);
  assert_times(after(WRITE, 40), 40, 44);
  assert_times(after(READ, 0), 1, 20);  /* 11 is less than what is promised already */
  assert_times(after(READ, 10), 1, 20); /* as is 20 */
  assert_times(after(READ, 11), 1, 21);
  assert_times(after(READ, 40), 1, 50);
  assert_times(after(PEEK, 0), 1, 20);
  assert_times(after(PEEK, 40), 1, 40); /* no lease, but its reader has it at 40 */
}

/* The paper's worked example; X is read with a lease of 10, Y with one of 7. */
static void figure_5(void **state)
{
  (void)state;
  for (int causal = 0; causal < 2; causal++) {
    struct setting s = make(16, 8, 2, 10, 5);
    uint64_t x = 0, y = 0x40;
    int start = causal ? 0 : -1;
    assert_times(step(&s, READ, start, x), 0, 10);
    s.leases.read = 7;
    assert_times(step(&s, READ, start, y), 0, 7);
    assert_times(step(&s, WRITE, start, y), 8, 12);
    assert_times(step(&s, WRITE, start, x), 11, 15);
    assert_times(step(&s, READ, causal ? 11 : -1, y), 8, causal ? 18 : 19);
    free(s.tsu);
  }
}

/* ---------------------------------------------------------------- entries */

static void lowest_memts_goes(void **state)
{
  (void)state;
  struct setting s = make(16, 4, 4, 10, 5);
  for (uint64_t i = 0; i < 4; i++) { /* memts 10, 10, 20, 5 */
    struct weft_tsu_event e = step(&s, i == 3 ? WRITE : READ, -1, i * 0x40);
    assert_int_equal(e.way, i);
    assert_int_equal(e.hit | e.evicted | e.reentered, 0);
    assert_int_equal(e.allocated, 1);
  }
  assert_int_equal(step(&s, READ, -1, 0x80).hit, 1);
  struct weft_tsu_event e = step(&s, READ, -1, 0x100); /* 5 goes */
  assert_int_equal(e.way, 3);
  assert_int_equal(e.evicted && e.reentered && e.allocated && !e.hit, 1);
  assert_int_equal(e.hwm, 5);
  assert_times(e, 1, 15);        /* what was written has a mark of its own */
  e = step(&s, READ, -1, 0x140); /* of the two at 10, the lower way */
  assert_int_equal(e.way, 0);
  assert_int_equal(e.hwm, 10);
  assert_times(e, 1, 20);
  e = step(&s, READ, -1, 0x180); /* the other one: the mark stays */
  assert_int_equal(e.way, 1);
  assert_int_equal(e.hwm, 10);
  free(s.tsu);
}

/* What was promised of a block holds when it comes back, and it has moved in time with its set. */
static void a_block_comes_back_behind_its_promise(void **state)
{
  (void)state;
  struct setting s = make(16, 1, 1, 10, 5);
  assert_times(step(&s, READ, -1, 0), 0, 10);
  assert_times(step(&s, PEEK, -1, 0x40), 0, 10);
  assert_times(step(&s, WRITE, -1, 0), 11, 15);
  assert_times(step(&s, PEEK, 3, 0x40), 11, 15);
  assert_times(step(&s, READ, 3, 0), 11, 21);
  free(s.tsu);
}

static void sets_do_not_mix(void **state)
{
  (void)state;
  struct setting s = make(16, 4, 1, 10, 5);
  s.config.l2_banks = 2; /* banks interleave at 4 KiB: the set follows the bank's line */
  weft_tsu_reset(s.tsu, &s.config, HOME);
  assert_times(step(&s, READ, -1, 0), 0, 10);
  assert_times(step(&s, READ, -1, 0x40), 0, 10);
  assert_int_equal(step(&s, READ, -1, 0x7f).hit, 1); /* any address of the line means the line */
  struct weft_tsu_event e = step(&s, READ, -1, 0x2000);
  assert_int_equal(e.evicted, 1);
  assert_times(e, 0, 20);
  free(s.tsu);
}

/* ---------------------------------------------------------------- the end of time */

static void rebase_is_asked_for_in_time(void **state)
{
  (void)state;
  struct setting s = make(6, 4, 2, 3, 7); /* times up to 63: served while the largest is at most 62 - 7 */
  for (int causal = 0; causal < 2; causal++) {
    struct weft_tsu_event e, late = request(READ, 56, 0x40), still = request(READ, 55, 0x40);
    step(&s, WRITE, causal ? 49 : -1, 0);
    while (!causal && s.tsu->largest < 55)
      step(&s, READ, -1, 0);
    assert_int_equal(s.tsu->largest, 55);
    assert_false(weft_tsu_wants_rebase(s.tsu, &s.leases, &still));
    assert_true(weft_tsu_wants_rebase(s.tsu, &s.leases, &late));
    late.causal = 0; /* a clock that is not carried is none */
    assert_false(weft_tsu_wants_rebase(s.tsu, &s.leases, &late));
    e = step(&s, READ, 55, 0x40);
    assert_int_equal(e.rts, 58);
    e = request(PEEK, -1, 0); /* of any block now */
    size_t size = weft_tsu_size(&s.config);
    void *before = malloc(size);
    assert_non_null(before);
    memcpy(before, s.tsu, size);
    assert_non_null(weft_tsu_step(s.tsu, &s.leases, &e, &e));
    assert_memory_equal(before, s.tsu, size);
    free(before);
    weft_tsu_rebase(s.tsu);
    assert_times(step(&s, PEEK, -1, 0), 0, 0);
    weft_tsu_rebase(s.tsu);
  }
  free(s.tsu);
}

/* As after a reset, to the byte, but for the fault. */
static void rebase_is_a_reset(void **state)
{
  (void)state;
  struct setting s = make(6, 4, 2, 3, 2), fresh = make(6, 4, 2, 3, 2);
  for (uint64_t i = 0; i < 12; i++)
    step(&s, READ, -1, i * 0x40);
  weft_tsu_rebase(s.tsu);
  assert_memory_equal(s.tsu, fresh.tsu, weft_tsu_size(&s.config));
  free(s.tsu);
  free(fresh.tsu);
}

/* ---------------------------------------------------------------- promises, over many random requests */

#define BLOCKS 12

/* How often a write came before the end of what was promised of its block, or a lease ended before it began, or the
 * value that a load got was older than one that an earlier load of the block got. */
static unsigned broken_promises(unsigned bits, unsigned fault, unsigned steps)
{
  struct setting s = make(bits, 4, 2, 6, 3);
  uint64_t seed = 1;
  int promised[BLOCKS], written[BLOCKS];
  unsigned broken = 0;
  weft_tsu_set_fault(s.tsu, fault);
  for (unsigned i = 0; i < BLOCKS; i++)
    promised[i] = written[i] = -1;
  for (unsigned i = 0; i < steps; i++) {
    uint64_t r = test_random(&seed) >> 16;
    unsigned block = (unsigned)(r % BLOCKS);
    int cts = (int)(r >> 8 & 1) ? (int)(r >> 9 & 15) : -1;
    struct weft_tsu_event e = request((uint8_t)(r >> 16 & 0xff) % 3, cts, block * 0x40ULL);
    if (weft_tsu_wants_rebase(s.tsu, &s.leases, &e)) {
      weft_tsu_rebase(s.tsu);
      e.cts = 0; /* what was sent before counts as sent at 0 */
      for (unsigned b = 0; b < BLOCKS; b++)
        promised[b] = written[b] = -1;
    }
    assert_null(weft_tsu_step(s.tsu, &s.leases, &e, &e));
    broken += (e.op == WRITE && e.wts <= promised[block]) || e.rts < e.wts || e.wts < written[block];
    promised[block] = e.rts > promised[block] ? e.rts : promised[block];
    written[block] = e.wts;
  }
  free(s.tsu);
  return broken;
}

static void every_promise_is_kept(void **state)
{
  (void)state;
  static const unsigned bits[] = { 4, 5, 6, 8, 16 };
  for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++)
    assert_int_equal(broken_promises(bits[i], WEFT_FAULT_NONE, 50000), 0);
}

static void every_fault_breaks_one(void **state)
{
  (void)state;
  for (unsigned fault = WEFT_FAULT_TSU_WRITE_AT_MEMTS; fault <= WEFT_FAULT_TSU_REBASE_MISSES_VICTIM; fault++)
    if (!broken_promises(6, fault, 5000))
      fail_msg("fault %u breaks no promise", fault);
  assert_int_equal(broken_promises(6, WEFT_FAULT_DIRECTORY_SINGLE_SHARER, 5000), 0); /* another unit's */
}

static void illegal_requests_are_told(void **state)
{
  (void)state;
  struct setting s = make(6, 4, 2, 10, 5);
  struct weft_tsu_event out, fine = request(READ, 0, 0), op = request(3, -1, 0), clock = request(READ, 64, 0);
  struct weft_tsu_event other = { .address = test_address(HOME + 1, 0) };
  static const struct weft_lease_settings bad[] = { { 0, 5 }, { 10, 0 }, { 62, 5 }, { 10, 62 } };
  assert_null(weft_tsu_refuses(s.tsu, &s.leases, &fine));
  assert_non_null(weft_tsu_step(s.tsu, &s.leases, &op, &out));
  assert_non_null(weft_tsu_step(s.tsu, &s.leases, &clock, &out));
  assert_non_null(weft_tsu_step(s.tsu, &s.leases, &other, &out));
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_non_null(weft_tsu_step(s.tsu, &bad[i], &fine, &out));
  s.leases.read = s.leases.write = 61; /* the largest: one request between two rebases */
  assert_times(step(&s, WRITE, 0, 0), 1, 61);
  assert_non_null(weft_tsu_step(s.tsu, &s.leases, &fine, &out));
  free(s.tsu);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(weak_requests),
    cmocka_unit_test(causal_requests),
    cmocka_unit_test(figure_5),
    cmocka_unit_test(lowest_memts_goes),
    cmocka_unit_test(a_block_comes_back_behind_its_promise),
    cmocka_unit_test(sets_do_not_mix),
    cmocka_unit_test(rebase_is_asked_for_in_time),
    cmocka_unit_test(rebase_is_a_reset),
    cmocka_unit_test(every_promise_is_kept),
    cmocka_unit_test(every_fault_breaks_one),
    cmocka_unit_test(illegal_requests_are_told),
  };
  return cmocka_run_group_tests_name("model.tsu", tests, NULL, NULL);
}
