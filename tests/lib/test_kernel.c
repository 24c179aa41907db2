/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels call: data, atomics, spans, tokens, barriers, locks, launches. On the null back-end and the
 * model. */
#include "lib_test.h"

static const char *const machines[] = { "null:tiny", "null:quad", "model:tiny", "model:quad" };

/* Runs a test's body on each machine. */
static void on_all(void (*body)(struct weft *w))
{
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
    struct weft *w = open_machine(machines[i]);
    body(w);
    weft_free(w);
  }
}

/* ---- Loads and stores -------------------------------------------------------------------------------- */

struct area {
  weft_address a;
  unsigned wrong;
};

static void sizes_kernel(struct weft_warp *t, void *arg)
{
  struct area *area = arg;
  const struct weft_place *p = weft_where(t);
  weft_address mine = area->a + 2 * p->index * p->line;
  uint8_t out[128], in[128];
  for (unsigned bytes = 1; bytes <= p->line; bytes++)
    for (unsigned at = 0; at + bytes <= p->line; at += 5) {
      for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(bytes * 31 + at * 7 + i + p->index);
      weft_store(t, mine + at, out, bytes, bytes % 2 ? WEFT_WEAK : WEFT_RELEASE, WEFT_GPU);
      weft_load(t, mine + at, in, bytes,
                bytes % 3   ? WEFT_WEAK
                : bytes % 2 ? WEFT_RELAXED
                            : WEFT_ACQUIRE,
                WEFT_SYS);
      area->wrong += memcmp(in, out, bytes) != 0;
    }
}

static void sizes_body(struct weft *w)
{
  struct area area = { .wrong = 0 };
  assert_works(w, weft_alloc(w, 64 * 2 * 64, WEFT_INTERLEAVED, &area.a));
  assert_works(w, weft_launch(w, sizes_kernel, &area));
  assert_int_equal(area.wrong, 0);
}

static void every_size_and_place_in_a_line(void **state)
{
  (void)state;
  on_all(sizes_body);
}

static void masked_kernel(struct weft_warp *t, void *arg)
{
  const struct weft_place *p = weft_where(t);
  weft_address a = *(weft_address *)arg;
  uint8_t line[128];
  uint64_t mask[2] = { 0, 0 };
  for (unsigned i = 0; i < p->line; i++) {
    line[i] = (uint8_t)(p->index + 1);
    if (i % p->count == p->index % p->line)
      mask[i / 64] |= UINT64_C(1) << (i % 64);
  }
  if (mask[0] | mask[1])
    weft_store_masked(t, a, line, mask, WEFT_WEAK, WEFT_CTA);
}

/* Every byte of one line has a writer of its own: none is lost, none invented. */
static void masked_body(struct weft *w)
{
  weft_address a;
  uint8_t line[128];
  struct weft_machine m;
  assert_works(w, weft_describe(w, &m));
  unsigned warps = m.nodes * m.cus * m.warps;
  assert_works(w, weft_alloc(w, 4096, 1, &a));
  assert_works(w, weft_launch(w, masked_kernel, &a));
  assert_works(w, weft_read(w, a, line, m.line));
  for (unsigned i = 0; i < m.line; i++)
    assert_int_equal(line[i], i % warps + 1);
}

static void masked_stores_of_all_warps_meet_in_a_line(void **state)
{
  (void)state;
  on_all(masked_body);
}

static void span_kernel(struct weft_warp *t, void *arg)
{
  struct area *area = arg;
  uint8_t out[700], in[700];
  if (weft_where(t)->index)
    return;
  for (unsigned i = 0; i < sizeof out; i++)
    out[i] = (uint8_t)(i * 3);
  weft_store_span(t, area->a + 13, out, sizeof out);
  weft_load_span(t, area->a + 13, in, sizeof in);
  weft_load_span(t, area->a, in, 0);
  area->wrong = memcmp(in, out, sizeof in) != 0;
}

static void span_body(struct weft *w)
{
  struct area area = { .wrong = 1 };
  assert_works(w, weft_alloc(w, 1000, WEFT_INTERLEAVED, &area.a));
  assert_works(w, weft_launch(w, span_kernel, &area));
  assert_int_equal(area.wrong, 0);
}

static void spans_cross_lines(void **state)
{
  (void)state;
  on_all(span_body);
}

static void token_kernel(struct weft_warp *t, void *arg)
{
  struct area *area = arg;
  const struct weft_place *p = weft_where(t);
  uint64_t in[40], old = 7;
  weft_token token[40];
  if (p->index)
    return;
  for (unsigned i = 0; i < 40; i++)
    weft_store64(t, area->a + 128 * i, 1000 + i);
  for (unsigned i = 0; i < 40; i++)
    token[i] = weft_load_async(t, area->a + 128 * i, &in[i], 8, WEFT_WEAK, WEFT_CTA);
  for (unsigned i = 40; i-- > 0;) {
    weft_wait(t, token[i]);
    area->wrong += in[i] != 1000 + i;
  }
  weft_wait(t, token[0]); /* again: nothing happens */
  weft_wait(t, weft_rmw_async(t, WEFT_ADD, area->a, 4, 1, 0, &old, WEFT_SYS));
  area->wrong += old != 1000;
  weft_rmw_async(t, WEFT_ADD, area->a, 8, 1, 0, NULL, WEFT_SYS);
  weft_wait_all(t);
  area->wrong += weft_load64(t, area->a) != 1002;
}

static void token_body(struct weft *w)
{
  struct area area = { .wrong = 0 };
  assert_works(w, weft_alloc(w, 40 * 128, WEFT_INTERLEAVED, &area.a));
  assert_works(w, weft_launch(w, token_kernel, &area));
  assert_int_equal(area.wrong, 0);
}

static void tokens_can_be_waited_for_in_any_order(void **state)
{
  (void)state;
  on_all(token_body);
}

/* ---- Atomics ----------------------------------------------------------------------------------------- */

struct vector {
  enum weft_function function;
  uint64_t old, operand, compare, narrow, wide; /* what it leaves, as 4 and as 8 bytes */
};

static const struct vector vectors[] = {
  { WEFT_ADD, 0xffffffff, 1, 0, 0, 0x100000000 },
  { WEFT_EXCH, 5, 9, 0, 9, 9 },
  { WEFT_CAS, 5, 9, 5, 9, 9 },
  { WEFT_CAS, 5, 9, 4, 5, 5 },
  { WEFT_MIN, 0x80000000, 1, 0, 0x80000000, 1 },
  { WEFT_MAX, 0x80000000, 1, 0, 1, 0x80000000 },
  { WEFT_MIN, 1, UINT64_MAX, 0, 0xffffffff, UINT64_MAX },
  { WEFT_MINU, 0x80000000, 1, 0, 1, 1 },
  { WEFT_MAXU, 1, UINT64_MAX, 0, 0xffffffff, UINT64_MAX },
  { WEFT_AND, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00, 0x0f000f00 },
  { WEFT_OR, 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0, 0xfff0fff0 },
  { WEFT_XOR, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0, 0xf0f0f0f0 },
};
#define VECTORS (sizeof vectors / sizeof *vectors)

static void atomic_kernel(struct weft_warp *t, void *arg)
{
  struct area *area = arg;
  if (weft_where(t)->index)
    return;
  for (unsigned i = 0; i < 2 * VECTORS; i++) {
    const struct vector *v = &vectors[i / 2];
    unsigned bytes = i % 2 ? 8 : 4;
    weft_address a = area->a + 8 * i;
    weft_store64(t, a, v->old);
    uint64_t old = weft_rmw(t, v->function, a, bytes, v->operand, v->compare, WEFT_ACQ_REL, WEFT_SYS);
    area->wrong += old != v->old;
    area->wrong += weft_load64(t, a) != (bytes == 8 ? v->wide : v->narrow);
  }
}

static void atomic_body(struct weft *w)
{
  struct area area = { .wrong = 0 };
  assert_works(w, weft_alloc(w, 16 * VECTORS, 1, &area.a));
  assert_works(w, weft_launch(w, atomic_kernel, &area));
  assert_int_equal(area.wrong, 0);
}

static void atomics_by_hand(void **state)
{
  (void)state;
  on_all(atomic_body);
}

/* ---- Barriers, locks, launches ----------------------------------------------------------------------- */

static void barrier_kernel(struct weft_warp *t, void *arg)
{
  struct area *area = arg;
  const struct weft_place *p = weft_where(t);
  for (uint32_t round = 1; round <= 5; round++) {
    weft_store32(t, area->a + 4 * p->index, round);
    weft_barrier(t);
    for (unsigned i = 0; i < p->count; i += 3)
      area->wrong += weft_load32(t, area->a + 4 * i) != round;
    weft_barrier(t);
  }
}

static void barrier_body(struct weft *w)
{
  struct area area = { .wrong = 0 };
  assert_works(w, weft_alloc(w, 4096, 0, &area.a));
  for (int launch = 0; launch < 2; launch++) /* the barrier's variables go on counting */
    assert_works(w, weft_launch(w, barrier_kernel, &area));
  assert_int_equal(area.wrong, 0);
}

static void all_see_what_was_written_before_a_barrier(void **state)
{
  (void)state;
  on_all(barrier_body);
}

static void lock_kernel(struct weft_warp *t, void *arg)
{
  weft_address a = *(weft_address *)arg;
  for (int i = 0; i < 3; i++) {
    weft_lock(t, a, WEFT_SYS);
    weft_store64(t, a + 128, weft_load64(t, a + 128) + 1);
    weft_unlock(t, a, WEFT_SYS);
  }
}

static void lock_body(struct weft *w)
{
  weft_address a;
  uint64_t sum;
  struct weft_machine m;
  assert_works(w, weft_describe(w, &m));
  assert_works(w, weft_alloc(w, 4096, 1, &a));
  assert_works(w, weft_launch(w, lock_kernel, &a));
  assert_works(w, weft_read(w, a + 128, &sum, 8));
  assert_int_equal(sum, 3 * m.nodes * m.cus * m.warps);
}

static void locks_lose_nothing(void **state)
{
  (void)state;
  on_all(lock_body);
}

static void write_kernel(struct weft_warp *t, void *arg)
{
  const struct weft_place *p = weft_where(t);
  weft_store32(t, ((struct area *)arg)->a + 4 * p->index, p->index + 1);
}

static void read_kernel(struct weft_warp *t, void *arg)
{
  struct area *area = arg;
  const struct weft_place *p = weft_where(t);
  unsigned other = p->count - 1 - p->index;
  area->wrong += weft_load32(t, area->a + 4 * other) != other + 1;
}

/* Reading first puts old lines into every cache. */
static void launch_body(struct weft *w)
{
  struct area area = { .wrong = 0 };
  assert_works(w, weft_alloc(w, 4096, 1, &area.a));
  assert_works(w, weft_launch(w, read_kernel, &area));
  area.wrong = 0;
  assert_works(w, weft_launch(w, write_kernel, &area));
  assert_works(w, weft_launch(w, read_kernel, &area));
  assert_int_equal(area.wrong, 0);
}

static void a_launch_sees_the_last_one(void **state)
{
  (void)state;
  on_all(launch_body);
}

/* ---- Time -------------------------------------------------------------------------------------------- */

static void compute_kernel(struct weft_warp *t, void *arg)
{
  uint64_t *start = arg;
  if (!weft_where(t)->index)
    *start = weft_cycle(t);
  weft_compute(t, 5000);
}

static void time_passes_by_computing(void **state)
{
  const char *set[] = { "compute.launch=777", NULL };
  struct weft *w = open_with("null:tiny", &(struct weft_options){ .set = set });
  struct weft_statistics s;
  uint64_t start;
  (void)state;
  assert_works(w, weft_launch(w, compute_kernel, &start));
  assert_works(w, weft_statistics_read(w, &s));
  assert_true(start >= 777 && start < 800);
  assert_true(s.cycles >= 5777 && s.cycles < 5800);
  /* Two fences per CU begin and end a launch. */
  assert_int_equal(s.operations, 2 * 2 * 2);
  assert_int_equal(s.bytes, 0);
  weft_free(w);
}

static void runs_repeat_exactly(void **state)
{
  struct weft_statistics s[3];
  struct weft *w = weft_new();
  (void)state;
  for (int i = 0; i < 3; i++) {
    struct weft_workload_options o = { .size = 2000, .seed = 3 };
    assert_works(w, weft_open(w, "model:quad", NULL));
    assert_works(w, weft_workload_run(w, "mix", &o, NULL));
    assert_works(w, weft_statistics_read(w, &s[i]));
    weft_close(w);
    assert_true(s[i].cycles && s[i].operations && s[i].bytes);
    assert_int_equal(s[0].cycles, s[i].cycles);
    assert_int_equal(s[0].operations, s[i].operations);
    assert_int_equal(s[0].bytes, s[i].bytes);
  }
  weft_free(w);
}

static void count_kernel(struct weft_warp *t, void *arg)
{
  weft_rmw(t, WEFT_ADD, *(weft_address *)arg, 8, 1, 0, WEFT_RELAXED, WEFT_SYS);
  weft_barrier(t);
}

static void a_reset_machine_is_as_new(void **state)
{
  struct weft *w = open_machine("model:quad");
  struct weft_statistics first, second;
  weft_address a;
  uint64_t sum;
  (void)state;
  assert_works(w, weft_alloc(w, 8, 3, &a));
  assert_works(w, weft_launch(w, count_kernel, &a));
  assert_works(w, weft_statistics_read(w, &first));
  assert_works(w, weft_reset(w));
  assert_works(w, weft_launch(w, count_kernel, &a));
  assert_works(w, weft_statistics_read(w, &second));
  assert_int_equal(first.cycles, second.cycles);
  assert_int_equal(first.operations, second.operations);
  assert_works(w, weft_read(w, a, &sum, 8));
  assert_int_equal(sum, 64);
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_size_and_place_in_a_line),
    cmocka_unit_test(masked_stores_of_all_warps_meet_in_a_line),
    cmocka_unit_test(spans_cross_lines),
    cmocka_unit_test(tokens_can_be_waited_for_in_any_order),
    cmocka_unit_test(atomics_by_hand),
    cmocka_unit_test(all_see_what_was_written_before_a_barrier),
    cmocka_unit_test(locks_lose_nothing),
    cmocka_unit_test(a_launch_sees_the_last_one),
    cmocka_unit_test(time_passes_by_computing),
    cmocka_unit_test(runs_repeat_exactly),
    cmocka_unit_test(a_reset_machine_is_as_new),
  };
  return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
