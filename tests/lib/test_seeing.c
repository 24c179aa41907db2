/* SPDX-License-Identifier: Apache-2.0 */
/* Seeing inside: names of arrays, latencies, histories; what is asked at the wrong time or of the wrong back-end. */
#include <string.h>

#include "lib_test.h"

static void store_and_share(struct weft_warp *t, void *arg)
{
  weft_address a = *(const weft_address *)arg;
  const struct weft_place *p = weft_where(t);
  if (p->index == 0)
    weft_store64(t, a + 8, 7);
  weft_barrier(t);
  if (p->node == 1 && p->cu == 0 && p->warp == 0)
    assert_int_equal(weft_load64(t, a + 8), 7);
  weft_barrier(t);
  if (p->index == 0)
    weft_store(t, a + 8, &(uint64_t){ 9 }, 8, WEFT_RELEASE, WEFT_SYS);
}

static struct weft *open_shared(weft_address *a)
{
  struct weft *w = open_machine("model:quad"); /* large enough that nothing is evicted */
  assert_works(w, weft_alloc(w, 64 * 8, 0, a));
  assert_works(w, weft_name(w, *a, "shared", 8, 64));
  return w;
}

static void arrays_are_found_by_name(void **state)
{
  (void)state;
  weft_address a;
  struct weft *w = open_shared(&a);
  struct weft_array array;
  uint64_t physical, should, bytes;
  assert_true(weft_array_at(w, 0, &array));
  assert_false(weft_array_at(w, 1, &array));
  assert_string_equal(array.name, "shared");
  assert_int_equal(array.count, 64);
  assert_works(w, weft_locate(w, "shared[63]", &physical, &bytes));
  assert_works(w, weft_translate(w, a + 63 * 8, &should));
  assert_int_equal(physical, should);
  assert_int_equal(bytes, 8);
  assert_works(w, weft_locate(w, "shared", &physical, &bytes));
  assert_works(w, weft_locate(w, "0x40", &physical, &bytes));
  assert_int_equal(physical, 0x40);
  assert_fails(w, weft_locate(w, "shared[64]", &physical, &bytes), WEFT_BAD_ADDRESS, "0 to 63");
  assert_fails(w, weft_locate(w, "share[1]", &physical, &bytes), WEFT_BAD_ADDRESS, "shared[0..63]");
  assert_fails(w, weft_locate(w, "shared[-1]", &physical, &bytes), WEFT_BAD_ADDRESS, "no address");
  assert_fails(w, weft_locate(w, "", &physical, &bytes), WEFT_BAD_ADDRESS, "no address");
  assert_fails(w, weft_name(w, a + 1, "x", 8, 8), WEFT_BAD_ADDRESS, "not returned");
  assert_fails(w, weft_name(w, a, "7up", 8, 8), WEFT_BAD_ARGUMENT, "letter");
  assert_fails(w, weft_name(w, a, "x", 0, 8), WEFT_BAD_ARGUMENT, "0 bytes");
  weft_free(w);
}

static unsigned count_of(struct weft *w, const char *what)
{
  struct weft_happening h;
  unsigned n = 0;
  for (size_t i = 0; weft_history_at(w, i, &h); i++)
    n += !strcmp(h.what, what);
  return n;
}

static void a_history_knows_who_read_and_wrote(void **state)
{
  (void)state;
  weft_address a;
  struct weft *w = open_shared(&a);
  struct weft_history_summary s;
  assert_works(w, weft_explain(w, "shared[1]", NULL));
  assert_works(w, weft_launch(w, store_and_share, &a));
  assert_works(w, weft_history_read(w, &s));
  assert_int_equal(s.home, 0);
  assert_int_equal(s.stores, 2);
  assert_int_equal(s.word_writes, 2);
  assert_int_equal(s.word_reads, 1);
  assert_int_equal(s.writers, 1u << 0);
  assert_int_equal(s.readers, 1u << 1);
  assert_int_equal(s.copies, 1);
  assert_int_equal(s.invalidations, 1);
  assert_int_equal(s.invalidated, 1);
  assert_true(s.inv_cycles_min > 0 && s.inv_cycles_min == s.inv_cycles_max);
  assert_int_equal(count_of(w, "store"), 2);
  assert_int_equal(count_of(w, "inv"), 1);
  assert_int_equal(count_of(w, "directory-inv"), 1);
  assert_int_equal(count_of(w, "l2-install"), 1);
  assert_true(count_of(w, "release") >= 1);
  /* After a reset it begins again. */
  assert_works(w, weft_reset(w));
  assert_works(w, weft_launch(w, store_and_share, &a));
  assert_works(w, weft_history_read(w, &s));
  assert_int_equal(s.stores, 2);
  weft_free(w);
}

static void a_history_is_asked_for_in_time(void **state)
{
  (void)state;
  weft_address a;
  struct weft *w = open_shared(&a);
  struct weft_history_summary s;
  struct weft_happening h;
  struct weft_latency l;
  struct weft_explain_options wrong = { .from = 5, .until = 4 };
  assert_fails(w, weft_history_read(w, &s), WEFT_BAD_STATE, "weft_explain");
  assert_false(weft_history_at(w, 0, &h));
  assert_fails(w, weft_latency_read(w, 0, &l), WEFT_BAD_STATE, "weft_latency_start");
  assert_fails(w, weft_explain(w, "shared", &wrong), WEFT_BAD_ARGUMENT, "no time");
  assert_fails(w, weft_explain(w, "0xf000000000", NULL), WEFT_BAD_ADDRESS, "outside");
  assert_works(w, weft_explain(w, "nobody[3]", NULL));
  assert_fails(w, weft_launch(w, store_and_share, &a), WEFT_BAD_ADDRESS, "shared[0..63]");
  assert_works(w, weft_explain(w, "shared[60]", NULL));
  assert_works(w, weft_launch(w, store_and_share, &a));
  assert_fails(w, weft_history_read(w, &s), WEFT_BAD_ADDRESS, "never occurs");
  assert_fails(w, weft_explain(w, "shared", NULL), WEFT_BAD_STATE, "before");
  assert_fails(w, weft_latency_start(w), WEFT_BAD_STATE, "before");
  weft_free(w);
}

static void latencies_count_what_they_measure(void **state)
{
  (void)state;
  weft_address a;
  struct weft *w = open_shared(&a);
  struct weft_latency l;
  struct weft_statistics s;
  uint64_t operations = 0;
  assert_works(w, weft_latency_start(w));
  assert_works(w, weft_launch(w, store_and_share, &a));
  assert_works(w, weft_statistics_read(w, &s));
  for (size_t i = 0; i < weft_latency_total(); i++) {
    uint64_t sum = 0;
    assert_works(w, weft_latency_read(w, i, &l));
    assert_non_null(weft_latency_about(i));
    for (unsigned k = 0; k < 65; k++)
      sum += l.octave[k];
    assert_int_equal(sum, l.count);
    if (!strncmp(weft_latency_name(i), "operation.", 10))
      operations += l.count;
  }
  assert_int_equal(operations, s.operations);
  assert_null(weft_latency_name(weft_latency_total()));
  assert_fails(w, weft_latency_read(w, weft_latency_total(), &l), WEFT_BAD_ARGUMENT, "there are");
  weft_free(w);
}

/* One warp of node 1 reads a word of node 0 three times: from its home, from the L1, and, in a lease of its own, strongly. */
static void read_thrice(struct weft_warp *t, void *arg)
{
  weft_address a = *(weft_address *)arg;
  uint32_t value;
  if (weft_where(t)->index != weft_where(t)->count - 1)
    return;
  weft_load32(t, a);
  weft_load32(t, a);
  weft_load(t, a, &value, sizeof value, WEFT_RELAXED, WEFT_SYS);
  weft_store32(t, a, 7);
}

struct answers {
  struct weft_answer answer[8];
  size_t count;
};

static void keep_answer(void *arg, const struct weft_answer *answer)
{
  struct answers *all = arg;
  if (strcmp(answer->op, "fence") != 0 && all->count < 8)
    all->answer[all->count++] = *answer;
}

static void assert_answer(const struct weft_answer *a, const char *op, const char *level, unsigned wts,
                          unsigned rts, unsigned clock)
{
  assert_string_equal(a->op, op);
  assert_string_equal(a->level, level);
  assert_int_equal(a->wts, wts);
  assert_int_equal(a->rts, rts);
  assert_int_equal(a->l1_clock, clock);
  assert_int_equal(a->l2_clock, clock);
}

static void answers_have_their_stamps(void **state)
{
  (void)state;
  struct weft *w = weft_new();
  const struct weft_options leases = { .protocol = "halcone-weak" };
  struct answers all = { .count = 0 };
  weft_address a;
  assert_works(w, weft_open(w, "model:tiny", &leases));
  assert_works(w, weft_alloc(w, 64, 0, &a));
  assert_works(w, weft_answers(w, keep_answer, &all));
  assert_works(w, weft_set_leases(w, 20, 3));
  assert_works(w, weft_launch(w, read_thrice, &a));
  assert_int_equal(all.count, 4);
  assert_answer(&all.answer[0], "load", "remote_memory", 0, 20, 0);
  assert_answer(&all.answer[1], "load", "l1", 0, 20, 0);
  assert_answer(&all.answer[2], "load", "remote", 0, 20, 0);
  assert_answer(&all.answer[3], "store", "remote", 21, 23, 21);
  assert_fails(w, weft_answers(w, keep_answer, &all), WEFT_BAD_STATE, "before");
  /* A reset brings back the configuration's leases, and forgets all stamps. */
  assert_works(w, weft_reset(w));
  all.count = 0;
  assert_works(w, weft_launch(w, read_thrice, &a));
  assert_answer(&all.answer[3], "store", "remote", 11, 15, 11);
  assert_works(w, weft_reset(w));
  assert_works(w, weft_answers(w, NULL, NULL));
  assert_works(w, weft_launch(w, read_thrice, &a));
  assert_int_equal(all.count, 4);
  weft_free(w);
}

static void leases_are_checked(void **state)
{
  (void)state;
  struct weft *w = weft_new();
  const char *const six[] = { "lease.bits=6", NULL };
  const struct weft_options leases = { .protocol = "halcone-causal", .set = six };
  assert_fails(w, weft_set_leases(w, 10, 5), WEFT_BAD_STATE, "open");
  assert_works(w, weft_open(w, "model:tiny", &leases));
  assert_fails(w, weft_set_leases(w, 0, 5), WEFT_BAD_ARGUMENT, "use 1 to 30");
  assert_fails(w, weft_set_leases(w, 10, 0), WEFT_BAD_ARGUMENT, "a lease of 0");
  assert_fails(w, weft_set_leases(w, 31, 5), WEFT_BAD_ARGUMENT, "a lease of 31");
  assert_fails(w, weft_set_leases(w, 10, UINT64_MAX), WEFT_BAD_ARGUMENT, "lease.bits=6");
  assert_works(w, weft_set_leases(w, 30, 1));
  weft_free(w);
  w = open_machine("model:tiny");
  assert_fails(w, weft_set_leases(w, 10, 5), WEFT_BAD_STATE, "halcone-weak");
  weft_free(w);
}

static void nothing_to_see_is_said(void **state)
{
  (void)state;
  struct weft *w = open_machine("null:tiny");
  assert_fails(w, weft_latency_start(w), WEFT_NOT_BUILT_IN, "model:tiny");
  assert_fails(w, weft_explain(w, "0x40", NULL), WEFT_NOT_BUILT_IN, "model:tiny");
  assert_fails(w, weft_answers(w, keep_answer, NULL), WEFT_NOT_BUILT_IN, "model:tiny");
  assert_works(w, weft_wave_end(w)); /* there is none */
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(arrays_are_found_by_name),
    cmocka_unit_test(a_history_knows_who_read_and_wrote),
    cmocka_unit_test(a_history_is_asked_for_in_time),
    cmocka_unit_test(latencies_count_what_they_measure),
    cmocka_unit_test(nothing_to_see_is_said),
    cmocka_unit_test(answers_have_their_stamps),
    cmocka_unit_test(leases_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
