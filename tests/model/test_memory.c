/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"
#include "units.h"

static struct weft_memory *make(const struct weft_config *c, unsigned node)
{
  struct weft_memory *m = malloc(weft_memory_size(c));
  assert_non_null(m);
  weft_memory_reset(m, c, node, false);
  return m;
}

static void lines_come_back_as_written(void **state)
{
  (void)state;
  struct weft_config c = test_config("tiny");
  struct weft_memory *m = make(&c, 1);
  struct weft_mem_req r = { .id = 3, .address = test_address(1, c.memory_bytes - c.line) };
  struct weft_mem_rsp answer;
  assert_null(weft_memory_step(m, &r, &answer));
  assert_int_equal(answer.id, 3);
  for (unsigned i = 0; i < c.line; i++)
    assert_int_equal(answer.data[i], 0); /* zero at reset */
  r.write = 1;
  for (unsigned i = 0; i < c.line; i++)
    r.data[i] = (uint8_t)(i + 1);
  assert_null(weft_memory_step(m, &r, &answer));
  r.write = 0;
  assert_null(weft_memory_step(m, &r, &answer));
  assert_memory_equal(answer.data, r.data, c.line);
  r.address -= c.line; /* its neighbour */
  assert_null(weft_memory_step(m, &r, &answer));
  assert_int_equal(answer.data[c.line - 1], 0);
  free(m);
}

static void the_host_reads_and_writes_any_bytes(void **state)
{
  (void)state;
  struct weft_config c = test_config("tiny");
  struct weft_memory *m = make(&c, 0);
  char text[8] = "abcdefg", back[8] = "";
  assert_true(weft_memory_host(m, c.line - 3, text, sizeof text, true)); /* across two lines */
  assert_true(weft_memory_host(m, c.line - 3, back, sizeof back, false));
  assert_string_equal(back, text);
  struct weft_mem_req r = { .address = c.line };
  struct weft_mem_rsp answer;
  assert_null(weft_memory_step(m, &r, &answer));
  assert_memory_equal(answer.data, "defg", 5);
  assert_true(weft_memory_host(m, c.memory_bytes - 8, back, 8, false));
  assert_false(weft_memory_host(m, c.memory_bytes - 7, back, 8, false));
  assert_false(weft_memory_host(m, UINT64_MAX - 3, back, 8, false));
  free(m);
}

static void illegal_requests_are_told(void **state)
{
  (void)state;
  struct weft_config c = test_config("tiny");
  struct weft_memory *m = make(&c, 1);
  struct weft_mem_rsp answer;
  struct weft_mem_req other = { .address = test_address(0, 0) }, odd = { .address = test_address(1, 8) };
  struct weft_mem_req outside = { .address = test_address(1, c.memory_bytes) };
  assert_non_null(weft_memory_step(m, &other, &answer));
  assert_non_null(weft_memory_step(m, &odd, &answer));
  assert_non_null(weft_memory_step(m, &outside, &answer));
  free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lines_come_back_as_written),
    cmocka_unit_test(the_host_reads_and_writes_any_bytes),
    cmocka_unit_test(illegal_requests_are_told),
  };
  return cmocka_run_group_tests_name("model.memory", tests, NULL, NULL);
}
