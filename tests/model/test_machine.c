/* SPDX-License-Identifier: Apache-2.0 */
/* The model's units together: what the memory model promises, over many random orders of events. */
#include "machine.h"

static struct weft_config shape(unsigned nodes, unsigned banks)
{
  struct weft_config c = test_config("tiny");
  c.nodes = nodes;
  c.l2_banks = banks;
  if (c.directory_entries < c.directory_ways * banks)
    c.directory_entries = c.directory_ways * banks;
  if (c.tsu_entries < c.tsu_ways * banks)
    c.tsu_entries = c.tsu_ways * banks;
  return c;
}

static struct weft_cu_req op(uint8_t kind, unsigned warp, unsigned tag, uint64_t address)
{
  struct weft_cu_req r = { .op = kind, .warp = (uint8_t)warp, .tag = (uint8_t)tag, .address = address };
  r.mask[0] = 0xf;
  return r;
}

static struct weft_cu_req fence(unsigned warp, unsigned tag, uint8_t order)
{
  struct weft_cu_req r = op(WEFT_CU_OP_FENCE, warp, tag, 0);
  r.order = order;
  r.scope = WEFT_SCOPE_SYS;
  return r;
}

/* ---------------------------------------------------------------- anything comes to an end */

static void random_op(struct machine *m, unsigned node, unsigned cu, unsigned tag)
{
  uint64_t bits = test_random(&m->random);
  uint64_t page = (bits >> 12) % (2 * m->banks);
  uint64_t address =
    test_address((unsigned)(bits >> 20) % m->nodes, page * 4096 + (bits >> 28) % 8 * m->line);
  struct weft_cu_req r = op((uint8_t)(bits & 3), (unsigned)(bits >> 2) & 1U, tag, address);
  r.order = (uint8_t)((bits >> 3) % 5);
  r.scope = (uint8_t)((bits >> 40) % 3);
  r.func = (uint8_t)((bits >> 44) % 10);
  r.wide = (uint8_t)(bits >> 48 & 1U);
  r.mask[0] = (bits >> 50 | 1) & weft_ones(m->line);
  if (r.op == WEFT_CU_OP_LOAD || r.op == WEFT_CU_OP_STORE)
    r.order &= 1U;
  if (bits >> 60 == 0)
    r.address = test_address(15, 0); /* an error now and then */
  for (unsigned i = 0; i < m->line; i++)
    r.data[i] = (uint8_t)test_random(&m->random);
  machine_issue(m, node, cu, &r);
}

static void random_traffic(unsigned nodes, unsigned banks, uint8_t protocol, unsigned ops)
{
  struct weft_config c = shape(nodes, banks);
  for (uint64_t seed = 1; seed <= 4; seed++) {
    struct machine *m = machine_new(&c, protocol, seed);
    for (unsigned i = 0; i < ops; i++)
      random_op(m, i % nodes, i / nodes % m->cus, i & 255U);
    machine_run(m);
    machine_free(m);
  }
}

static void random_traffic_comes_to_an_end(void **state)
{
  (void)state;
  random_traffic(1, 1, WEFT_PROTOCOL_BASELINE, 300);
  random_traffic(2, 1, WEFT_PROTOCOL_BASELINE, 1000);
  random_traffic(3, 2, WEFT_PROTOCOL_BASELINE, 1000);
  random_traffic(4, 1, WEFT_PROTOCOL_NONE, 1000);
}

/* ---------------------------------------------------------------- atomics lose nothing */

static void atomics_add_up(void **state)
{
  (void)state;
  struct weft_config c = shape(3, 2);
  for (uint64_t seed = 1; seed <= 5; seed++) {
    struct machine *m = machine_new(&c, WEFT_PROTOCOL_BASELINE, seed);
    for (unsigned i = 0; i < 600; i++) {
      struct weft_cu_req r = op(WEFT_CU_OP_ATOMIC, i & 1U, 0, test_address(i % 3, i / 3 % 2 * 4096 + 8));
      r.data[0] = 1;
      r.wide = 1;
      machine_issue(m, i / 6 % 3, i / 18 % 2, &r);
    }
    machine_run(m);
    machine_flush(m);
    for (unsigned home = 0; home < 3; home++)
      for (unsigned page = 0; page < 2; page++) {
        uint64_t sum;
        assert_true(weft_memory_host(m->memory[home], page * 4096 + 8, &sum, sizeof sum, false));
        assert_int_equal(sum, 100);
      }
    machine_free(m);
  }
}

/* ---------------------------------------------------------------- message passing */

/* Every round, node 0 writes the round's number to its data, releases, and raises the flag; each other CU
 * waits for the flag, acquires, and reads the data with a weak load, which may hit its L1. All data are read
 * before too, so that stale copies lie everywhere. */
#define ROUNDS 12U
#define LINES 3U

struct passing {
  struct machine *m;
  uint32_t seen[4][2]; /* round that a CU has passed */
  unsigned wrong;
};

enum { TAG_FLAG = 1, TAG_ACQUIRE, TAG_DATA, TAG_OTHER };

static uint64_t data_address(unsigned i)
{
  return test_address(i % 2, 0x100 + i * 0x100U);
}

static uint64_t flag_address(void)
{
  return test_address(1, 0x800);
}

static void poll_flag(struct passing *p, unsigned node, unsigned cu)
{
  struct weft_cu_req r = op(WEFT_CU_OP_ATOMIC, 0, TAG_FLAG, flag_address());
  r.scope = WEFT_SCOPE_SYS;
  machine_issue(p->m, node, cu, &r); /* adds 0 */
}

static void read_data(struct passing *p, unsigned node, unsigned cu)
{
  for (unsigned i = 0; i < LINES; i++) {
    struct weft_cu_req r = op(WEFT_CU_OP_LOAD, 0, TAG_DATA + (i << 4), data_address(i));
    machine_issue(p->m, node, cu, &r);
  }
}

static void write_round(struct passing *p, uint32_t round)
{
  for (unsigned i = 0; i < LINES; i++) {
    struct weft_cu_req r = op(WEFT_CU_OP_STORE, 0, TAG_OTHER, data_address(i));
    memcpy(r.data, &round, sizeof round);
    machine_issue(p->m, 0, 0, &r);
  }
  struct weft_cu_req r = fence(0, TAG_OTHER, WEFT_ORDER_RELEASE);
  machine_issue(p->m, 0, 0, &r);
  r = op(WEFT_CU_OP_ATOMIC, 0, TAG_OTHER, flag_address());
  r.func = WEFT_FUNC_MAXU;
  memcpy(r.data, &round, sizeof round);
  machine_issue(p->m, 0, 0, &r);
}

static void passing_answered(void *context, unsigned node, unsigned cu, const struct weft_cu_rsp *r)
{
  struct passing *p = context;
  uint32_t value, *seen = &p->seen[node][cu];
  memcpy(&value, r->data, sizeof value);
  switch (r->tag & 15U) {
  case TAG_FLAG:
    *seen = value;
    struct weft_cu_req f = fence(0, TAG_ACQUIRE, WEFT_ORDER_ACQUIRE);
    machine_issue(p->m, node, cu, &f);
    break;
  case TAG_ACQUIRE:
    read_data(p, node, cu);
    if (*seen < ROUNDS)
      poll_flag(p, node, cu);
    break;
  case TAG_DATA:
    p->wrong += value < *seen;
    break;
  default:
    break;
  }
}

/* How often a CU read data older than the flag it had seen. */
static unsigned pass_messages(unsigned nodes, uint8_t protocol, uint64_t seed)
{
  struct weft_config c = shape(nodes, 1);
  struct machine *m = machine_new(&c, protocol, seed);
  struct passing p = { .m = m };
  m->watcher = (struct machine_watcher){ .context = &p, .answered = passing_answered };
  for (unsigned node = 0; node < nodes; node++)
    for (unsigned cu = 0; cu < 2; cu++)
      if (node || cu)
        poll_flag(&p, node, cu);
  for (uint32_t round = 1; round <= ROUNDS; round++)
    write_round(&p, round);
  machine_run(m);
  machine_free(m);
  return p.wrong;
}

static void message_passing_sees_no_stale_data(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++)
    for (unsigned nodes = 2; nodes <= 4; nodes++)
      assert_int_equal(pass_messages(nodes, WEFT_PROTOCOL_BASELINE, seed), 0);
}

/* The test above can fail: without coherence it does. */
static void without_coherence_it_does(void **state)
{
  (void)state;
  unsigned wrong = 0;
  for (uint64_t seed = 1; seed <= 10; seed++)
    wrong += pass_messages(3, WEFT_PROTOCOL_NONE, seed);
  assert_int_not_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_traffic_comes_to_an_end),
    cmocka_unit_test(atomics_add_up),
    cmocka_unit_test(message_passing_sees_no_stale_data),
    cmocka_unit_test(without_coherence_it_does),
  };
  return cmocka_run_group_tests_name("model.machine", tests, NULL, NULL);
}
