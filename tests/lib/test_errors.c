/* SPDX-License-Identifier: Apache-2.0 */
/* Codes, messages, and calls at the wrong time or with wrong values. */
#include "lib_test.h"

static const int all_codes[] = {
  WEFT_OK,
  WEFT_WRONG_RESULT,
  WEFT_MISMATCH,
  WEFT_STUCK,
  WEFT_BAD_ARGUMENT,
  WEFT_BAD_STATE,
  WEFT_UNKNOWN_BACKEND,
  WEFT_UNKNOWN_CONFIG,
  WEFT_UNKNOWN_PARAMETER,
  WEFT_BAD_PARAMETER,
  WEFT_UNKNOWN_PROTOCOL,
  WEFT_UNKNOWN_EGRESS,
  WEFT_UNKNOWN_WORKLOAD,
  WEFT_UNKNOWN_FAULT,
  WEFT_BAD_ADDRESS,
  WEFT_ACROSS_LINE,
  WEFT_BAD_SIZE,
  WEFT_MISALIGNED,
  WEFT_BAD_FILE,
  WEFT_NO_ROOM,
  WEFT_NOT_BUILT_IN,
  WEFT_UNKNOWN_COUNTER,
  WEFT_UNKNOWN_TIMING,
  WEFT_BACKEND_BROKE,
  WEFT_BACKEND_OTHER,
  WEFT_BUILD_BROKE,
  WEFT_LINK_DOWN,
  WEFT_BOARD_ABSENT,
  WEFT_BOARD_AMBIGUOUS,
  WEFT_BOARD_BUSY,
  WEFT_BOARD_GONE,
  WEFT_BOARD_SILENT,
  WEFT_BAD_RECORD,
  WEFT_NO_FILE,
  WEFT_NO_DISK,
  WEFT_NO_MEMORY,
  WEFT_NOT_BUILT,
  WEFT_NO_PERMISSION,
};

/* Numbers are a promise: what is here may grow, but no line may change. */
static void numbers_stay(void **state)
{
  static const int numbers[] = { 0,  1,  2,  3,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                                 25, 26, 27, 28, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 60, 61, 62, 63, 64 };
  (void)state;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    assert_int_equal(all_codes[i], numbers[i]);
}

static void every_code_has_a_name_and_a_class(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof all_codes / sizeof *all_codes; i++) {
    assert_memory_equal(weft_code_name(all_codes[i]), "WEFT_", 5);
    int tens = all_codes[i] / 10, class = weft_code_class(all_codes[i]);
    assert_int_equal(class, all_codes[i] == 0 ? 0 : tens < 1 ? 1 : tens < 4 ? 2 : tens < 6 ? 3 : 4);
  }
  assert_string_equal(weft_code_name(9999), "unknown code");
}

static void opening_names_what_is_wrong(void **state)
{
  struct weft *w = weft_new();
  (void)state;
  assert_fails(w, weft_open(w, "nix:quad", NULL), WEFT_UNKNOWN_BACKEND, "'nix:quad'");
  assert_fails(w, weft_open(w, "null", NULL), WEFT_UNKNOWN_BACKEND, "null:quad");
  assert_fails(w, weft_open(w, "null:", NULL), WEFT_UNKNOWN_BACKEND, "needs a configuration");
  assert_fails(w, weft_open(w, "null:nix", NULL), WEFT_UNKNOWN_CONFIG, "tiny");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .protocol = "nix" }),
               WEFT_UNKNOWN_PROTOCOL, "baseline");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .egress = "nix" }), WEFT_UNKNOWN_EGRESS,
               "plain");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .timing = "nix" }), WEFT_UNKNOWN_TIMING,
               "exact");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .fault = "nix" }), WEFT_UNKNOWN_FAULT,
               "'nix'");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .fault = "250" }), WEFT_UNKNOWN_FAULT,
               "'250'");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .jitter = 1001 }), WEFT_BAD_ARGUMENT,
               "1001");
  /* A handle that failed to open can still be opened. */
  assert_works(w, weft_open(w, "null:quad", NULL));
  assert_string_equal(weft_message(w), "");
  assert_fails(w, weft_open(w, "null:quad", NULL), WEFT_BAD_STATE, "weft_close()");
  weft_free(w);
}

static void parameters_are_checked(void **state)
{
  struct weft *w = weft_new();
  const char *unknown[] = { "nix=3", NULL }, *large[] = { "l2.ways=99", NULL },
             *odd[] = { "l2.sets=3", NULL };
  const char *text[] = { "l2.ways=many", NULL }, *bare[] = { "l2.ways", NULL },
             *few[] = { "directory.entries=4", NULL };
  const char *page[] = { "page=64", "line=128", NULL };
  (void)state;
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .set = unknown }), WEFT_UNKNOWN_PARAMETER,
               "nix");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .set = large }), WEFT_BAD_PARAMETER,
               "2..16");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .set = odd }), WEFT_BAD_PARAMETER,
               "power of two");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .set = text }), WEFT_BAD_PARAMETER,
               "many");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .set = bare }), WEFT_BAD_PARAMETER,
               "l2.ways=8");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .set = few }), WEFT_BAD_PARAMETER,
               "directory.entries=4");
  assert_fails(w, weft_open(w, "null:quad", &(struct weft_options){ .set = page }), WEFT_BAD_PARAMETER,
               "page=64");
  weft_free(w);
}

static void calls_need_an_open_handle(void **state)
{
  struct weft *w = weft_new();
  weft_address a;
  uint64_t value;
  struct weft_machine machine;
  struct weft_statistics statistics;
  struct weft_workload_result result;
  (void)state;
  assert_int_equal(weft_alloc(w, 8, 0, &a), WEFT_BAD_STATE);
  assert_int_equal(weft_dealloc(w, 8), WEFT_BAD_STATE);
  assert_int_equal(weft_touch(w, 0, 8, 8), WEFT_BAD_STATE);
  assert_int_equal(weft_translate(w, 8, &value), WEFT_BAD_STATE);
  assert_int_equal(weft_read(w, 0, &value, 8), WEFT_BAD_STATE);
  assert_int_equal(weft_write(w, 0, &value, 8), WEFT_BAD_STATE);
  assert_int_equal(weft_launch(w, NULL, NULL), WEFT_BAD_STATE);
  assert_int_equal(weft_settle(w), WEFT_BAD_STATE);
  assert_int_equal(weft_reset(w), WEFT_BAD_STATE);
  assert_int_equal(weft_describe(w, &machine), WEFT_BAD_STATE);
  assert_int_equal(weft_statistics_read(w, &statistics), WEFT_BAD_STATE);
  assert_int_equal(weft_counter_get(w, "total.l1.hits", &value), WEFT_BAD_STATE);
  assert_int_equal(weft_counters_read(w, &value, 1), WEFT_BAD_STATE);
  assert_int_equal(weft_sample(w, 1, NULL, NULL), WEFT_BAD_STATE);
  assert_int_equal(weft_trace(w, NULL, NULL), WEFT_BAD_STATE);
  assert_int_equal(weft_workload_run(w, "vecadd", NULL, &result), WEFT_BAD_STATE);
  assert_false(result.verified);
  assert_int_equal(weft_counter_total(w), 0);
  assert_null(weft_counter_name(w, 0));
  weft_free(w);
  weft_free(NULL);
}

static void configuration_is_fixed_while_open(void **state)
{
  struct weft *w = open_machine("null:tiny");
  (void)state;
  assert_int_equal(weft_config_load(w, "quad"), WEFT_BAD_STATE);
  assert_int_equal(weft_config_set(w, "l2.ways=4"), WEFT_BAD_STATE);
  weft_close(w);
  assert_works(w, weft_config_load(w, "quad"));
  assert_fails(w, weft_open(w, "null:tiny", &(struct weft_options){ .keep_config = true }), WEFT_BAD_ARGUMENT,
               "quad");
  weft_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_stay),
    cmocka_unit_test(every_code_has_a_name_and_a_class),
    cmocka_unit_test(opening_names_what_is_wrong),
    cmocka_unit_test(parameters_are_checked),
    cmocka_unit_test(calls_need_an_open_handle),
    cmocka_unit_test(configuration_is_fixed_while_open),
  };
  return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
