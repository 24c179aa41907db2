/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that do what they must not: the launch ends, the message names the warp and the value, and after a
 * reset the machine works again. */
#include "lib_test.h"

struct wrong {
  void (*does)(struct weft_warp *t, weft_address a);
  int code;
  const char *message;
};

static uint8_t bytes[256];

static void empty_load(struct weft_warp *t, weft_address a)
{
  weft_load(t, a, bytes, 0, WEFT_WEAK, WEFT_CTA);
}

static void long_load(struct weft_warp *t, weft_address a)
{
  weft_load(t, a, bytes, 65, WEFT_WEAK, WEFT_CTA);
}

static void crossing_load(struct weft_warp *t, weft_address a)
{
  weft_load(t, a + 60, bytes, 8, WEFT_WEAK, WEFT_CTA);
}

static void empty_store(struct weft_warp *t, weft_address a)
{
  weft_store(t, a, bytes, 0, WEFT_WEAK, WEFT_CTA);
}

static void crossing_store(struct weft_warp *t, weft_address a)
{
  weft_store(t, a + 63, bytes, 2, WEFT_WEAK, WEFT_CTA);
}

static void stray_load(struct weft_warp *t, weft_address a)
{
  weft_load(t, a + 4096, bytes, 8, WEFT_WEAK, WEFT_CTA);
}

static void null_store(struct weft_warp *t, weft_address a)
{
  (void)a;
  weft_store64(t, 0, 1);
}

static void outside_load(struct weft_warp *t, weft_address a)
{
  (void)a;
  weft_load64(t, WEFT_PHYSICAL(UINT64_C(9) << 36));
}

static void outside_offset(struct weft_warp *t, weft_address a)
{
  (void)a;
  weft_load64(t, WEFT_PHYSICAL(16 << 20));
}

static void odd_atomic(struct weft_warp *t, weft_address a)
{
  weft_rmw(t, WEFT_ADD, a + 4, 8, 1, 0, WEFT_RELAXED, WEFT_SYS);
}

static void short_atomic(struct weft_warp *t, weft_address a)
{
  weft_rmw(t, WEFT_ADD, a, 2, 1, 0, WEFT_RELAXED, WEFT_SYS);
}

static void unknown_atomic(struct weft_warp *t, weft_address a)
{
  weft_rmw(t, (enum weft_function)10, a, 4, 1, 0, WEFT_RELAXED, WEFT_SYS); /* NOLINT: on purpose */
}

static void weak_fence(struct weft_warp *t, weft_address a)
{
  (void)a;
  weft_fence(t, WEFT_WEAK, WEFT_SYS);
}

static void releasing_load(struct weft_warp *t, weft_address a)
{
  weft_load(t, a, bytes, 8, WEFT_RELEASE, WEFT_SYS);
}

static void acquiring_async_load(struct weft_warp *t, weft_address a)
{
  weft_load_async(t, a, bytes, 8, WEFT_ACQUIRE, WEFT_SYS);
}

static void acquiring_store(struct weft_warp *t, weft_address a)
{
  weft_store(t, a, bytes, 8, WEFT_ACQUIRE, WEFT_SYS);
}

static void unknown_scope(struct weft_warp *t, weft_address a)
{
  weft_load(t, a, bytes, 8, WEFT_RELAXED, (enum weft_memory_scope)3); /* NOLINT: on purpose */
}

static void no_mask(struct weft_warp *t, weft_address a)
{
  weft_store_masked(t, a, bytes, (uint64_t[2]){ 0, 5 }, WEFT_WEAK, WEFT_CTA); /* a line has 64 bytes */
}

static void masked_off_line(struct weft_warp *t, weft_address a)
{
  weft_store_masked(t, a + 8, bytes, (uint64_t[2]){ 1, 0 }, WEFT_WEAK, WEFT_CTA);
}

static void bad_token(struct weft_warp *t, weft_address a)
{
  (void)a;
  weft_wait(t, 0xff);
}

static const struct wrong wrongs[] = {
  { empty_load, WEFT_BAD_SIZE, "a load of 0 bytes" },
  { long_load, WEFT_BAD_SIZE, "use 1 to 64 bytes" },
  { crossing_load, WEFT_ACROSS_LINE, "split it at" },
  { empty_store, WEFT_BAD_SIZE, "a store of 0 bytes" },
  { crossing_store, WEFT_ACROSS_LINE, "a store of 2 bytes" },
  { stray_load, WEFT_BAD_ADDRESS, "not allocated" },
  { null_store, WEFT_BAD_ADDRESS, "at 0x0" },
  { outside_load, WEFT_BAD_ADDRESS, "0x9000000000" },
  { outside_offset, WEFT_BAD_ADDRESS, "outside memory" },
  { odd_atomic, WEFT_MISALIGNED, "a multiple of 8" },
  { short_atomic, WEFT_BAD_SIZE, "use 4 or 8" },
  { unknown_atomic, WEFT_BAD_ARGUMENT, "function 10" },
  { weak_fence, WEFT_BAD_ARGUMENT, "a fence of order weak" },
  { releasing_load, WEFT_BAD_ARGUMENT, "a load of order release" },
  { acquiring_async_load, WEFT_BAD_ARGUMENT, "order acquire" },
  { acquiring_store, WEFT_BAD_ARGUMENT, "a store of order acquire" },
  { unknown_scope, WEFT_BAD_ARGUMENT, "scope 3" },
  { no_mask, WEFT_BAD_SIZE, "no bytes" },
  { masked_off_line, WEFT_ACROSS_LINE, "a masked store" },
  { bad_token, WEFT_BAD_ARGUMENT, "0xff" },
};

struct task {
  const struct wrong *wrong;
  weft_address a;
};

/* The others are in the middle of something when it happens. */
static void kernel(struct weft_warp *t, void *arg)
{
  const struct task *task = arg;
  const struct weft_place *p = weft_where(t);
  if (p->node == 2 && p->cu == 1 && p->warp == 3) {
    weft_compute(t, 50);
    weft_load64(t, task->a);
    task->wrong->does(t, task->a);
  }
  weft_barrier(t);
}

static void harmless(struct weft_warp *t, void *arg)
{
  weft_rmw(t, WEFT_ADD, *(weft_address *)arg, 8, 1, 0, WEFT_RELAXED, WEFT_SYS);
  weft_barrier(t);
}

static void check_on(const char *backend)
{
  struct weft *w = open_machine(backend);
  struct task task;
  uint64_t sum;
  assert_works(w, weft_alloc(w, 4096, 1, &task.a));
  for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
    task.wrong = &wrongs[i];
    assert_fails(w, weft_launch(w, kernel, &task), wrongs[i].code, wrongs[i].message);
    assert_non_null(strstr(weft_message(w), "node 2 cu 1 warp 3"));
    assert_int_equal(weft_launch(w, harmless, &task.a), WEFT_BAD_STATE);
    assert_int_equal(weft_settle(w), WEFT_BAD_STATE);
    assert_works(w, weft_reset(w));
    assert_works(w, weft_launch(w, harmless, &task.a));
    assert_works(w, weft_read(w, task.a, &sum, 8));
    assert_int_equal(sum, 64);
    assert_works(w, weft_reset(w));
  }
  weft_free(w);
}

static void each_is_named_on_null(void **state)
{
  (void)state;
  check_on("null:quad");
}

static void each_is_named_on_the_model(void **state)
{
  (void)state;
  check_on("model:quad");
}

/* ---- No progress ------------------------------------------------------------------------------------- */

static void forgets_barrier(struct weft_warp *t, void *arg)
{
  (void)arg;
  if (weft_where(t)->index != 5)
    weft_barrier(t);
}

static void waits_for_ever(struct weft_warp *t, void *arg)
{
  weft_address a = *(weft_address *)arg;
  weft_await(t, a, 4, WEFT_EQUAL, 99, WEFT_SYS);
}

static void works_long(struct weft_warp *t, void *arg)
{
  (void)arg;
  if (!weft_where(t)->index)
    weft_compute(t, 100000); /* much longer than the patience */
  weft_barrier(t);
}

static void everybody_waiting_is_found_out(void **state)
{
  static const char *const backends[] = { "null:tiny", "model:tiny" };
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct weft *w = open_with(backends[i], &(struct weft_options){ .patience = 5000 });
    weft_address a;
    assert_works(w, weft_alloc(w, 8, 0, &a));
    assert_string_equal(weft_report(w), "");
    assert_fails(w, weft_launch(w, forgets_barrier, NULL), WEFT_STUCK, "--patience");
    assert_non_null(strstr(weft_report(w), "spins since cycle"));
    assert_non_null(strstr(weft_report(w), "1 of 8 warps have ended"));
    assert_works(w, weft_reset(w));
    assert_fails(w, weft_launch(w, waits_for_ever, &a), WEFT_STUCK, "no progress for");
    assert_non_null(strstr(weft_report(w), "to be 99"));
    assert_non_null(strstr(weft_report(w), "0 of 8 warps have ended"));
    assert_works(w, weft_reset(w));
    assert_works(w, weft_launch(w, works_long, NULL));
    weft_free(w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_is_named_on_null),
    cmocka_unit_test(each_is_named_on_the_model),
    cmocka_unit_test(everybody_waiting_is_found_out),
  };
  return cmocka_run_group_tests_name("faulty_kernels", tests, NULL, NULL);
}
