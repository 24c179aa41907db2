/* SPDX-License-Identifier: Apache-2.0 */
/* The host's end of the frames against a board whose line is bad: everything is done once and in order, or is reported as failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host_session.h"
#include "soft_board.h"

#define COMMANDS 300U

static struct soft_board board;

static struct weft_session *begin(uint64_t seed, unsigned per_million)
{
  struct weft_line line;
  soft_board_line(&board, seed, &line);
  board.per_million = per_million;
  struct weft_session *s = weft_session_new(&line, 2000);
  assert_non_null(s);
  return s;
}

static int echo(struct weft_session *s, uint32_t value, struct weft_backend_error *e)
{
  struct weft_host_command c = { .code = WEFT_HOST_ECHO, .count = 1 + value % WEFT_HOST_ECHO_MAX };
  struct weft_host_answer a;
  for (unsigned i = 0; i < c.count; i++)
    c.bytes[i] = (uint8_t)(value * 7 + i);
  int result = weft_session_put(s, &c, e);
  if (!result)
    result = weft_session_expect(s, WEFT_HOST_ECHO, &a, e);
  if (!result) {
    assert_int_equal(a.count, c.count);
    assert_memory_equal(a.bytes, c.bytes, c.count);
  }
  return result;
}

/* So many WRITEs with echoes in between; the result of the first that fails. */
static int work(struct weft_session *s, struct weft_backend_error *e)
{
  int result = WEFT_BACKEND_OK;
  for (uint32_t i = 0; i < COMMANDS && !result; i++) {
    struct weft_host_command c = { .code = WEFT_HOST_WRITE, .address = 4, .value = i };
    result = weft_session_put(s, &c, e);
    if (!result && i % 16 == 15)
      result = echo(s, i, e);
  }
  return result ? result : weft_session_finish(s, e);
}

/* What the board did is what was asked for, each once and in order, as far as it came. */
static bool done_once(unsigned *count)
{
  *count = board.log_count;
  for (unsigned i = 0; i < board.log_count; i++)
    if (board.log[i] != i)
      return false;
  return true;
}

static void check_message(const struct weft_backend_error *e)
{
  unsigned lines = 1;
  assert_true(e->text[0] != 0);
  for (const char *c = e->text; *c; c++)
    lines += *c == '\n';
  assert_in_range(lines, 2, 3);
}

static void without_faults(void **state)
{
  struct weft_backend_error e = { "" };
  unsigned count;
  (void)state;
  struct weft_session *s = begin(1, 0);
  assert_int_equal(weft_session_open(s, true, &e), 0);
  assert_int_equal(s->identity.line, 32);
  assert_int_equal(work(s, &e), 0);
  assert_true(done_once(&count));
  assert_int_equal(count, COMMANDS);
  assert_int_equal(s->traffic.frames_again, 0);
  assert_int_equal(s->traffic.dropped_board, 0);
  weft_session_free(s);
}

struct tally {
  unsigned faults, good, failed;
  uint64_t again;
};

/* One run over a bad line; then, over a good one, the same session opens again and works. */
static void one_bad_run(uint64_t seed, unsigned per_million, struct tally *t)
{
  struct weft_backend_error e = { "" };
  unsigned count;
  struct weft_session *s = begin(seed, per_million);
  int result = weft_session_open(s, true, &e);
  if (!result)
    result = work(s, &e);
  if (result)
    check_message(&e);
  assert_true(done_once(&count));
  if (!result)
    assert_int_equal(count, COMMANDS);
  t->faults += board.faults;
  t->again += s->traffic.frames_again;
  ++*(result ? &t->failed : &t->good);
  board.per_million = 0;
  board.log_count = 0;
  assert_int_equal(weft_session_open(s, true, &e), 0);
  assert_int_equal(work(s, &e), 0);
  assert_true(done_once(&count) && count == COMMANDS);
  weft_session_free(s);
}

static void everything_once_or_failed(void **state)
{
  struct tally t = { 0 };
  unsigned most = getenv("WEFT_LONG") ? 100000 : 2000;
  (void)state;
  for (uint64_t seed = 1; t.faults < most; seed++)
    one_bad_run(seed, seed % 4 == 0 ? 3000 : 150, &t);
  print_message("%u faults: %u runs good, %u failed, %llu frames sent again\n", t.faults, t.good, t.failed,
                (unsigned long long)t.again);
  assert_true(t.good > 0 && t.failed > 0 && t.again > 0);
}

/* The same check finds a board that executes what it has executed already. */
static void a_board_that_forgets_numbers_is_found(void **state)
{
  bool found = false;
  unsigned count;
  (void)state;
  for (uint64_t seed = 1; seed < 200 && !found; seed++) {
    struct weft_backend_error e = { "" };
    struct weft_session *s = begin(seed, 1000);
    board.forgets_numbers = true;
    if (!weft_session_open(s, true, &e))
      work(s, &e);
    found = !done_once(&count);
    weft_session_free(s);
  }
  assert_true(found);
}

static void a_deaf_board(void **state)
{
  struct weft_backend_error e = { "" };
  (void)state;
  struct weft_session *s = begin(3, 0);
  board.deaf = true;
  assert_int_equal(weft_session_open(s, true, &e), WEFT_BACKEND_SILENT);
  assert_non_null(strstr(e.text, "2000 ms"));
  board.deaf = false;
  assert_int_equal(weft_session_open(s, true, &e), 0);
  board.deaf = true; /* in the middle of something */
  assert_int_equal(echo(s, 5, &e), WEFT_BACKEND_SILENT);
  assert_int_equal(echo(s, 5, &e), WEFT_BACKEND_SILENT); /* and it stays so */
  weft_session_free(s);
}

/* It is nudged with a frame at a time, and everything is done once. */
static void a_slow_board(void **state)
{
  struct weft_backend_error e = { "" };
  unsigned count;
  (void)state;
  struct weft_session *s = begin(8, 0);
  assert_int_equal(weft_session_open(s, true, &e), 0);
  board.late = 3;
  assert_int_equal(work(s, &e), 0);
  assert_true(done_once(&count) && count == COMMANDS);
  assert_true(s->traffic.frames_again > 0);
  assert_true(s->traffic.frames_again <= 3 * s->traffic.frames_received);
  weft_session_free(s);
}

static void a_board_of_another_version(void **state)
{
  struct weft_backend_error e = { "" };
  (void)state;
  struct weft_session *s = begin(4, 0);
  board.version = 2;
  assert_int_equal(weft_session_open(s, true, &e), WEFT_BACKEND_VERSION);
  assert_non_null(strstr(e.text, "version 2"));
  assert_non_null(strstr(e.text, "version 1"));
  weft_session_free(s);
}

static void unplugged(void **state)
{
  struct weft_backend_error e = { "" };
  (void)state;
  struct weft_session *s = begin(5, 0);
  assert_int_equal(weft_session_open(s, true, &e), 0);
  board.unplugged = true;
  assert_int_equal(echo(s, 1, &e), WEFT_BACKEND_GONE);
  weft_session_free(s);
}

/* Of an earlier session: hellos with other nonces, frames, half of one. */
static void what_was_before(void **state)
{
  struct weft_backend_error e = { "" };
  (void)state;
  struct weft_session *s = begin(6, 0);
  assert_int_equal(weft_session_open(s, true, &e), 0);
  for (unsigned i = 0; i < 20; i++) {
    struct weft_host_command c = { .code = WEFT_HOST_READ, .address = 0, .count = 64 };
    assert_int_equal(weft_session_put(s, &c, &e), 0);
  }
  assert_int_equal(weft_session_flush(s, &e), 0);
  assert_int_equal(weft_session_open(s, true, &e), 0);
  assert_int_equal(echo(s, 77, &e), 0);
  weft_session_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(without_faults),
    cmocka_unit_test(everything_once_or_failed),
    cmocka_unit_test(a_board_that_forgets_numbers_is_found),
    cmocka_unit_test(a_deaf_board),
    cmocka_unit_test(a_slow_board),
    cmocka_unit_test(a_board_of_another_version),
    cmocka_unit_test(unplugged),
    cmocka_unit_test(what_was_before),
  };
  return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
