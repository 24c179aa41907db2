/* SPDX-License-Identifier: Apache-2.0 */
/* What the timed fabric itself costs, in visits of units, which repeat exactly: they follow the operations, not the
 * cycles that pass in between. And a unit that sleeps misses nothing: every operation is answered, every sum is right. */
#include "timed.h"
#include "units.h"
#include "weft_counters.h"

#define PORTS 128U
#define COUNTERS 8U /* shared words that everybody adds to */

struct port {
  struct weft_cu_req shown;
  bool showing;
  uint64_t due; /* of the next operation */
  unsigned left, flying;
};

struct host {
  struct weft_config config;
  struct weft_timed *fabric;
  struct port port[PORTS];
  unsigned ports, outstanding;
  uint64_t random, gap, added, answered;
  uint64_t changed[PORTS / 64U]; /* ports that may show something again */
};

/* Of eight operations four are loads, three stores, one an atomic add. */
static struct weft_cu_req random_op(struct host *h, unsigned tag)
{
  uint64_t bits = test_random(&h->random);
  unsigned kind = (unsigned)(bits & 7U);
  uint64_t line = h->config.line, home = (bits >> 8) % h->config.nodes;
  struct weft_cu_req r = { .tag = (uint8_t)tag, .warp = (uint8_t)((bits >> 3) % h->config.warps) };
  r.order = WEFT_ORDER_RELAXED;
  r.scope = bits >> 5 & 1U ? WEFT_SCOPE_SYS : WEFT_SCOPE_CTA;
  if (kind == 7) {
    r.op = WEFT_CU_OP_ATOMIC;
    r.wide = 1;
    r.address = test_address((unsigned)home, (bits >> 16) % COUNTERS * line);
    r.data[0] = 1;
    h->added++;
    return r;
  }
  r.op = kind < 4 ? WEFT_CU_OP_LOAD : WEFT_CU_OP_STORE;
  r.address = test_address((unsigned)home, 4096 + (bits >> 16) % 64 * line);
  r.mask[0] = 0xff;
  return r;
}

static const struct weft_cu_req *show(void *context, unsigned number, uint64_t now)
{
  struct host *h = context;
  struct port *p = &h->port[number];
  if (!p->showing) {
    if (!p->left || p->flying == h->outstanding || p->due > now)
      return NULL;
    p->shown = random_op(h, p->left % h->outstanding);
    p->showing = true;
  }
  return &p->shown;
}

static void take(void *context, unsigned number)
{
  struct host *h = context;
  struct port *p = &h->port[number];
  p->showing = false;
  p->left--;
  p->flying++;
  p->due += h->gap;
}

static uint64_t next(void *context, unsigned number)
{
  struct host *h = context;
  struct port *p = &h->port[number];
  if (p->showing)
    return 0;
  return p->left && p->flying < h->outstanding ? p->due : UINT64_MAX;
}

static void answer(void *context, unsigned number, const struct weft_cu_rsp *rsp, uint64_t now)
{
  struct host *h = context;
  struct port *p = &h->port[number];
  (void)now;
  assert_false(rsp->error);
  p->flying--;
  h->answered++;
  h->changed[number / 64U] |= UINT64_C(1) << number % 64U;
}

static void wake_changed(struct host *h)
{
  for (unsigned i = 0; i < h->ports; i++)
    if (h->changed[i / 64U] >> i % 64U & 1U && next(h, i) != UINT64_MAX)
      weft_timed_wake(h->fabric, i, next(h, i));
  memset(h->changed, 0, sizeof h->changed);
}

/* The sum of all shared words, over all homes. */
static uint64_t sum(struct host *h)
{
  uint64_t total = 0;
  weft_timed_flush(h->fabric);
  for (unsigned n = 0; n < h->config.nodes; n++) {
    for (unsigned k = 0; k < COUNTERS; k++) {
      uint64_t value = 0;
      assert_true(weft_timed_memory(h->fabric, test_address(n, k * h->config.line), &value, 8, false));
      total += value;
    }
  }
  return total;
}

struct cost {
  double visits; /* per operation */
  uint64_t cycles, stalls;
};

static uint64_t stalls_of(const struct host *h)
{
  uint64_t total = 0, *values = calloc(h->config.nodes * weft_counter_count(&h->config), sizeof *values);
  assert_non_null(values);
  weft_timed_counters(h->fabric, values);
  for (unsigned n = 0; n < h->config.nodes; n++)
    for (unsigned k = 0; k < h->config.cus; k++)
      total += values[n * weft_counter_count(&h->config) + weft_cu_counter(k, WEFT_CU_COUNTER_L1_STALLS)];
  free(values);
  return total;
}

/* `outstanding` operations of each port at a time, one every `gap` cycles at most, `each` in all. */
static struct cost run(const struct weft_config *config, unsigned outstanding, uint64_t gap, unsigned each,
                       uint32_t jitter)
{
  static struct host h;
  h = (struct host){ .config = *config, .outstanding = outstanding, .random = 99, .gap = gap };
  const struct weft_timed_host table = { &h, show, take, next, answer };
  h.ports = (unsigned)(config->nodes * config->cus);
  assert_in_range(h.ports, 1, PORTS);
  h.fabric = weft_timed_new(config, WEFT_PROTOCOL_BASELINE, false, 1, jitter, &table);
  assert_non_null(h.fabric);
  for (unsigned i = 0; i < h.ports; i++) {
    h.port[i].left = each;
    weft_timed_wake(h.fabric, i, 0);
  }
  while (weft_timed_busy(h.fabric)) {
    assert_null(weft_timed_cycle(h.fabric, UINT64_MAX));
    wake_changed(&h);
  }
  assert_int_equal(h.answered, (uint64_t)h.ports * each);
  struct cost c = { .visits = (double)weft_timed_visits(h.fabric) / (double)h.answered,
                    .cycles = weft_timed_now(h.fabric),
                    .stalls = stalls_of(&h) };
  assert_int_equal(sum(&h), h.added);
  weft_timed_free(h.fabric);
  print_message("%2u nodes of %u CUs, memory %4u, link %3u: %.1f visits per operation, %llu cycles\n",
                (unsigned)config->nodes, (unsigned)config->cus, (unsigned)config->memory_latency,
                (unsigned)config->link_latency, c.visits, (unsigned long long)c.cycles);
  return c;
}

static struct weft_config slower(const char *name, unsigned times)
{
  struct weft_config c = test_config(name);
  c.memory_latency *= times;
  c.link_latency *= times;
  return c;
}

static void latency_costs_nothing(void **state)
{
  (void)state;
  static const char *const names[] = { "tiny", "duo", "octo" };
  for (unsigned i = 0; i < 3; i++) {
    struct weft_config c = slower(names[i], 1), ten = slower(names[i], 10), hundred = slower(names[i], 100);
    struct cost base = run(&c, 1, 1, 400, 0), slow = run(&ten, 1, 1, 400, 0);
    struct cost slowest = run(&hundred, 1, 1, 400, 0);
    assert_true(slowest.cycles > 20 * base.cycles);
    assert_true(slow.visits < 1.1 * base.visits);
    assert_true(slowest.visits < 1.1 * base.visits);
  }
}

/* Each port wants to have more in flight than its L1 can hold: it stalls nearly always, and sleeps. */
static void stalling_costs_nothing(void **state)
{
  (void)state;
  struct weft_config c = slower("duo", 1), hundred = slower("duo", 100);
  struct cost base = run(&c, 8, 1, 400, 0), slowest = run(&hundred, 8, 1, 400, 0);
  assert_true(slowest.stalls > 20 * base.stalls);
  assert_true(slowest.visits < 1.1 * base.visits);
}

static void idle_cycles_cost_nothing(void **state)
{
  (void)state;
  struct weft_config c = test_config("quad");
  struct cost soon = run(&c, 1, 500, 100, 0), late = run(&c, 1, 1000000, 100, 0);
  assert_true(late.cycles > 1000 * soon.cycles);
  assert_true(late.visits < 1.02 * soon.visits);
}

static void nodes_cost_what_their_operations_cost(void **state)
{
  (void)state;
  struct weft_config c = test_config("quad");
  c.cus = 8;
  double base = run(&c, 4, 1, 100, 0).visits;
  for (c.nodes = 2; c.nodes <= 16; c.nodes *= 2)
    assert_true(run(&c, 4, 1, 100, 0).visits < 1.3 * base);
}

/* Nothing is lost either when messages are held back at random. */
static void random_delays_lose_nothing(void **state)
{
  (void)state;
  for (uint32_t jitter = 100; jitter <= 900; jitter += 400) {
    struct weft_config tiny = test_config("tiny"), duo = test_config("duo");
    run(&tiny, 4, 1, 300, jitter);
    run(&duo, 4, 1, 300, jitter);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(latency_costs_nothing),      cmocka_unit_test(stalling_costs_nothing),
    cmocka_unit_test(idle_cycles_cost_nothing),   cmocka_unit_test(nodes_cost_what_their_operations_cost),
    cmocka_unit_test(random_delays_lose_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
