/* SPDX-License-Identifier: Apache-2.0 */
/* Records: what was recorded plays back to the same session, and a file that is not whole is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host_session.h"
#include "record.h"
#include "soft_board.h"

static struct soft_board board;
static char path[] = "/tmp/weft-record-XXXXXX";

static int work(struct weft_session *s, unsigned rounds, uint32_t *sum, struct weft_backend_error *e)
{
  struct weft_host_answer a;
  int result = weft_session_open(s, true, e);
  *sum = 0;
  for (unsigned i = 0; i < rounds && !result; i++) {
    struct weft_host_command c = { .code = WEFT_HOST_ECHO, .count = 1 + i * 17 % 200 };
    memset(c.bytes, (int)i, c.count);
    result = weft_session_put(s, &c, e);
    if (!result)
      result = weft_session_expect(s, WEFT_HOST_ECHO, &a, e);
    *sum += result ? 0 : a.count * a.bytes[0];
  }
  return result;
}

static uint32_t record(uint64_t seed, unsigned per_million)
{
  struct weft_backend_error e = { "" };
  struct weft_line line;
  uint32_t sum;
  soft_board_line(&board, seed, &line);
  board.per_million = per_million;
  assert_int_equal(weft_record_open(&line, path, &e), 0);
  struct weft_session *s = weft_session_new(&line, 2000);
  work(s, 60, &sum, &e);
  weft_session_free(s);
  line.close(line.context);
  return sum;
}

static void plays_back(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed < 30; seed++) { /* losses, pauses and failures included */
    uint32_t first = record(seed, seed % 3 ? 200 : 0), second;
    struct weft_backend_error e = { "" };
    struct weft_line line;
    assert_int_equal(weft_replay_open(&line, path, &e), 0);
    struct weft_session *s = weft_session_new(&line, 2000);
    work(s, 60, &second, &e);
    assert_int_equal(first, second);
    weft_session_free(s);
    line.close(line.context);
  }
}

static void another_run(void **state)
{
  struct weft_backend_error e = { "" };
  struct weft_line line;
  uint32_t sum;
  (void)state;
  record(1, 0);
  assert_int_equal(weft_replay_open(&line, path, &e), 0);
  struct weft_session *s = weft_session_new(&line, 2000);
  s->nonce += 5;
  assert_int_equal(work(s, 60, &sum, &e), WEFT_BACKEND_RECORD);
  assert_non_null(strstr(e.text, "something else"));
  weft_session_free(s);
  line.close(line.context);
}

static uint8_t *load(size_t *count)
{
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc(1 << 20);
  *count = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
  assert_true(file && *count);
  if (file)
    fclose(file);
  return bytes;
}

/* Cut anywhere, or with any bit turned: refused, with a message. */
static void not_whole(void **state)
{
  struct weft_backend_error e = { "" };
  struct weft_line line;
  size_t count;
  (void)state;
  record(1, 0);
  uint8_t *whole = load(&count);
  for (size_t cut = 0; cut < count; cut += 1 + cut / 40) {
    uint8_t *copy = malloc(cut + 1);
    memcpy(copy, whole, cut);
    e.text[0] = 0;
    assert_int_equal(weft_replay_bytes(&line, copy, cut, "cut", &e), WEFT_BACKEND_RECORD);
    assert_non_null(strstr(e.text, cut < 8 ? "no record" : "cut short"));
  }
  for (size_t at = 0; at < count; at += 1 + at / 40) {
    if (at >= 12 && at < 16)
      continue; /* the nonce, which only the board's answer belies */
    uint8_t *copy = malloc(count);
    memcpy(copy, whole, count);
    copy[at] ^= 0x10;
    e.text[0] = 0;
    assert_int_equal(weft_replay_bytes(&line, copy, count, "flipped", &e), WEFT_BACKEND_RECORD);
    assert_true(e.text[0] != 0);
  }
  free(whole);
}

static int make_name(void **state)
{
  (void)state;
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int remove_name(void **state)
{
  (void)state;
  return unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(plays_back),
    cmocka_unit_test(another_run),
    cmocka_unit_test(not_whole),
  };
  return cmocka_run_group_tests_name("record", tests, make_name, remove_name);
}
