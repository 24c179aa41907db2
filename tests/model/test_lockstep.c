/* SPDX-License-Identifier: Apache-2.0 */
/* The lock-step checker, fed with streams that the models themselves have made: a true stream passes, and
 * each field that means something is missed when it is wrong (and none that means nothing). */
#include <stdio.h>

#include "fields.h"
#include "stream.h"
#include "weft_counters.h"

static struct stream *stream; /* two nodes, one bank */

static int setup(void **state)
{
  (void)state;
  struct weft_config c = test_config("tiny");
  c.memory_bytes = 8192; /* a checker is made for every change below */
  stream = stream_record(&c, 400, 3);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  stream_free(stream);
  return 0;
}

/* ---------------------------------------------------------------- true streams */

static uint64_t total(const struct weft_lockstep *k, const struct weft_config *c, unsigned counter)
{
  uint64_t sum = 0;
  for (unsigned n = 0; n < c->nodes; n++)
    sum += weft_lockstep_counters(k)[n * weft_counter_count(c) + counter];
  return sum;
}

static uint64_t total_cu(const struct weft_lockstep *k, const struct weft_config *c, unsigned counter)
{
  uint64_t sum = 0;
  for (unsigned cu = 0; cu < c->cus; cu++)
    sum += total(k, c, weft_cu_counter(cu, counter));
  return sum;
}

/* What must hold between counters, whatever the traffic was. */
static void check_counters(const struct weft_lockstep *k, const struct stream *s, unsigned ops)
{
  const struct weft_config *c = &s->config;
#define SUM(name) total(k, c, WEFT_COUNTER_##name)
#define SUM_CU(name) total_cu(k, c, WEFT_CU_COUNTER_L1_##name)
  assert_int_equal(SUM_CU(LOADS) + SUM_CU(STORES) + SUM_CU(ATOMICS) + SUM_CU(FENCES) + SUM_CU(ERRORS), ops);
  assert_int_equal(SUM_CU(REQUESTS), SUM(L2_READS) + SUM(L2_WRITES) + SUM(L2_ATOMICS) + SUM(L2_FENCES));
  assert_int_equal(SUM(L2_MISSES), SUM(L2_INSTALLS) + SUM(L2_CLOSED));
  assert_int_equal(SUM(DIRECTORY_LOOKUPS), SUM(HOME_LOCAL) + SUM(HOME_REMOTE));
  assert_int_equal(SUM(HOME_LOCAL) + SUM(HOME_REMOTE), SUM(HOME_HITS) + SUM(HOME_FETCHES) + SUM(HOME_JOINS));
  assert_int_equal(SUM(DIRECTORY_INV_WRITE) + SUM(DIRECTORY_INV_EVICT),
                   SUM(L2_INV_HIT_WRITE) + SUM(L2_INV_HIT_EVICT) + SUM(L2_INV_MISS));
  assert_int_equal(SUM(HOME_MARKERS), SUM(RELEASE_STARTED) * c->nodes);
  assert_int_equal(SUM(HOME_MARKS) + SUM(HOME_SKIPS), SUM(HOME_MARKERS) * (c->nodes - 1));
  assert_int_equal(SUM(RELEASE_ACKS), SUM(HOME_MARKS) + SUM(HOME_SKIPS));
  assert_int_equal(SUM(MEMORY_READS), SUM(HOME_FETCHES));
  assert_int_equal(SUM(LINK_MESSAGES_FORWARD),
                   SUM(DIRECTORY_INV_WRITE) + SUM(DIRECTORY_INV_EVICT) + SUM(HOME_MARKS));
  assert_int_equal(SUM(LINK_BYTES_FORWARD), 24 * SUM(LINK_MESSAGES_FORWARD));
  assert_int_equal(SUM(SWITCH_MESSAGES),
                   SUM(LINK_MESSAGES_REQUEST) + SUM(LINK_MESSAGES_FORWARD) + SUM(LINK_MESSAGES_RESPONSE));
  assert_int_equal(SUM(SWITCH_BYTES),
                   SUM(LINK_BYTES_REQUEST) + SUM(LINK_BYTES_FORWARD) + SUM(LINK_BYTES_RESPONSE));
  assert_true(SUM_CU(HITS) && SUM_CU(JOINS) && SUM_CU(INSTALLS) && SUM_CU(CLOSED) && SUM_CU(DROPS));
  assert_true(SUM(L2_WRITEBACKS) && SUM(L2_HITS) && SUM(L2_JOINS) && SUM(DIRECTORY_EVICTIONS));
#undef SUM
#undef SUM_CU
}

static void true_stream(unsigned nodes, unsigned banks, unsigned line, unsigned ops)
{
  struct weft_config c = test_config("tiny");
  c.nodes = nodes;
  c.l2_banks = banks;
  c.line = line;
  c.memory_bytes = 8192 * (uint64_t)banks;
  struct stream *s = stream_record(&c, ops, nodes);
  struct weft_lockstep *k = stream_feed(s, s->count, 0, NULL);
  const char *report = weft_lockstep_finish(k, s->count);
  if (report)
    fail_msg("%s", report);
  for (unsigned n = 0; n < nodes; n++)
    assert_memory_equal(weft_lockstep_node_memory(k, n), s->memory[n], c.memory_bytes);
  check_counters(k, s, ops);
  char text[256];
  weft_lockstep_waits(k, text, sizeof text);
  assert_string_equal(text, "nothing waits inside the fabric");
  weft_lockstep_free(k);
  stream_free(s);
}

static void true_streams_pass(void **state)
{
  (void)state;
  true_stream(2, 1, 32, 3000);
  true_stream(3, 2, 64, 3000);
  true_stream(4, 2, 128, 3000);
}

/* ---------------------------------------------------------------- every field */

/* Feeds the stream with one bit of one field of one event turned. */
static bool caught(size_t at, const struct event_field *f, char *report, size_t size)
{
  struct record change = stream->records[at];
  *((uint8_t *)&change + f->offset) ^= 1U;
  struct weft_lockstep *k = stream_feed(stream, stream->count, at, &change);
  const char *text = weft_lockstep_finish(k, stream->count);
  snprintf(report, size, "%s", text ? text : "");
  weft_lockstep_free(k);
  return text != NULL;
}

/* A wrong event is found when it comes, a directory's with its bank's; what the host says may wait for the
 * L1. */
static void found_at_once(size_t at, const char *report)
{
  const struct record *r = &stream->records[at];
  char cycle[32];
  snprintf(cycle, sizeof cycle, "cycle %zu,", r->kind == RECORD_DIR ? at + 1 : at);
  if (r->kind <= RECORD_LINK && !strstr(report, cycle))
    fail_msg("record %zu is wrong, but the report is of another one:\n%s", at, report);
}

/* Tries a field on up to `most` events for which it means something (or nothing). */
static unsigned try_field(const struct event_field *f, bool means, unsigned most)
{
  unsigned tried = 0;
  uint64_t random = (uint64_t)(f - event_fields) + 1;
  for (unsigned tries = 0; tries < 4000 && tried < most; tries++) {
    size_t at = test_random(&random) % stream->count;
    const struct record *r = &stream->records[at];
    if (r->kind != f->kind || f->means(r) != means)
      continue;
    /* the input of a flush is read off it whatever it says */
    if (!means && r->kind == RECORD_L2 && r->as.l2.kind == WEFT_L2_EVENT_KIND_FLUSH)
      continue;
    char report[2048];
    bool found = caught(at, f, report, sizeof report);
    if (found != means)
      fail_msg("%s of record %zu %s\n%s", f->name, at,
               means ? "is wrong, and was not found" : "means nothing", report);
    if (found && strcmp(f->name, "seq") != 0)
      found_at_once(at, report);
    tried++;
  }
  return tried;
}

static void every_wrong_field_is_found(void **state)
{
  (void)state;
  for (size_t i = 0; i < event_field_count; i++)
    if (try_field(&event_fields[i], true, 3) == 0)
      fail_msg("the stream has no event in which %s means something", event_fields[i].name);
}

static void what_means_nothing_is_no_difference(void **state)
{
  (void)state;
  unsigned tried = 0;
  for (size_t i = 0; i < event_field_count; i++)
    tried += try_field(&event_fields[i], false, 1);
  assert_true(tried > 50);
}

/* ---------------------------------------------------------------- lost, repeated, exchanged */

static void without(size_t at, enum record_kind kind)
{
  struct stream shorter = *stream;
  shorter.records = malloc(stream->count * sizeof *stream->records);
  assert_non_null(shorter.records);
  memcpy(shorter.records, stream->records, at * sizeof *stream->records);
  memcpy(shorter.records + at, stream->records + at + 1, (stream->count - at - 1) * sizeof *stream->records);
  shorter.count = stream->count - 1;
  struct weft_lockstep *k = stream_feed(&shorter, shorter.count, 0, NULL);
  if (!weft_lockstep_finish(k, shorter.count))
    fail_msg("the loss of record %zu (%d) was not found", at, kind);
  weft_lockstep_free(k);
  free(shorter.records);
}

static void lost_events_are_found(void **state)
{
  (void)state;
  for (unsigned kind = RECORD_L1; kind <= RECORD_ANSWERED; kind++) {
    size_t at = stream->count / 3;
    while (stream->records[at].kind != kind)
      at++;
    without(at, kind);
  }
}

/* The last event of a port leaves no gap in the numbers: the end of the run shows it. */
static void loss_of_the_last_is_found_at_the_end(void **state)
{
  (void)state;
  size_t at = stream->count - 1;
  while (stream->records[at].kind != RECORD_LINK)
    at--;
  without(at, RECORD_LINK);
}

/* ---------------------------------------------------------------- reports */

static void report_says_all(void **state)
{
  (void)state;
  size_t at = stream->count / 2;
  while (stream->records[at].kind != RECORD_L2 || !stream->records[at].as.l2.sent_l1 ||
         stream->records[at].as.l2.out_l1.kind != WEFT_RSP_KIND_LINE)
    at++;
  struct record change = stream->records[at];
  uint8_t right = change.as.l2.out_l1.data[5];
  change.as.l2.out_l1.data[5] ^= 0x40;
  struct weft_lockstep *k = stream_feed(stream, stream->count, at, &change);
  const char *report = weft_lockstep_report(k);
  assert_non_null(report);
  char expected[128];
  snprintf(expected, sizeof expected, "unit l2, node %u bank 0, cycle %zu", change.node, at);
  assert_non_null(strstr(report, expected));
  snprintf(expected, sizeof expected, "out_l1.data[5]: RTL 0x%x, model 0x%x", right ^ 0x40U, right);
  assert_non_null(strstr(report, expected));
  assert_non_null(strstr(report, "seed 42"));
  assert_non_null(strstr(report, STREAM_COMMAND));
  weft_lockstep_free(k);
}

/* A wrong directory is reported as such, though its bank's effects are wrong too. */
static void directory_comes_before_its_bank(void **state)
{
  (void)state;
  size_t at = 0;
  while (stream->records[at].kind != RECORD_DIR || !stream->records[at].as.dir.inv_sharers)
    at++;
  struct stream *s = stream;
  struct record bank = s->records[at + 1], slice = s->records[at];
  assert_int_equal(bank.kind, RECORD_L2);
  slice.as.dir.inv_sharers = 0;
  s->records[at + 1].as.l2.sent_fwd = 0;
  struct weft_lockstep *k = stream_feed(s, s->count, at, &slice);
  s->records[at + 1] = bank;
  assert_non_null(weft_lockstep_report(k));
  assert_non_null(strstr(weft_lockstep_report(k), "unit directory"));
  assert_non_null(strstr(weft_lockstep_report(k), "inv_sharers"));
  weft_lockstep_free(k);
}

static void end_of_run_reports(void **state)
{
  (void)state;
  char text[2048];
  uint8_t rtl[32] = { 0 }, model[32] = { 0 };
  model[7] = 9;
  struct weft_lockstep *k = stream_feed(stream, 0, 0, NULL);
  weft_lockstep_memory_differs(k, test_address(1, 0x40), rtl, model, 77, text, sizeof text);
  assert_non_null(strstr(text, "unit memory, node 1"));
  assert_non_null(strstr(text, "line 0x1000000040.data[7]: RTL 0x0, model 0x9"));
  weft_lockstep_free(k);
  k = stream_feed(stream, 0, 0, NULL);
  weft_lockstep_counter_differs(k, weft_counter_count(&stream->config) + WEFT_COUNTER_LINK_BUSY, 3, 77, text,
                                sizeof text);
  assert_non_null(strstr(text, "unit counters, node 1"));
  assert_non_null(strstr(text, "link.busy: RTL 0x3, model 0x0"));
  weft_lockstep_free(k);
}

static void host_writes_are_in_the_models_memory(void **state)
{
  (void)state;
  struct weft_lockstep *k = stream_feed(stream, 0, 0, NULL);
  weft_lockstep_memory(k, test_address(1, 0x123), "abc", 3);
  assert_memory_equal(weft_lockstep_node_memory(k, 1) + 0x123, "abc", 3);
  assert_null(weft_lockstep_finish(k, 0));
  weft_lockstep_free(k);
}

static void waits_say_what_waits(void **state)
{
  (void)state;
  static const char *const phrases[] = { "wait for the L2's answer to miss",
                                         "wait for memory's answer to fetch", "acknowledgements", "of warp",
                                         "network:" };
  bool met[sizeof phrases / sizeof *phrases] = { false };
  for (size_t count = 0; count < stream->count; count += stream->count / 200) {
    char text[8192];
    struct weft_lockstep *k = stream_feed(stream, count, 0, NULL);
    weft_lockstep_waits(k, text, sizeof text);
    assert_true(*text);
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
      met[i] = met[i] || strstr(text, phrases[i]);
    char small[16];
    memset(small, 'x', sizeof small);
    weft_lockstep_waits(k, small, sizeof small);
    assert_non_null(memchr(small, 0, sizeof small)); /* terminated, however small */
    weft_lockstep_free(k);
  }
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
    if (!met[i])
      fail_msg("never said: %s", phrases[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(true_streams_pass),
    cmocka_unit_test(every_wrong_field_is_found),
    cmocka_unit_test(what_means_nothing_is_no_difference),
    cmocka_unit_test(lost_events_are_found),
    cmocka_unit_test(loss_of_the_last_is_found_at_the_end),
    cmocka_unit_test(report_says_all),
    cmocka_unit_test(directory_comes_before_its_bank),
    cmocka_unit_test(end_of_run_reports),
    cmocka_unit_test(host_writes_are_in_the_models_memory),
    cmocka_unit_test(waits_say_what_waits),
  };
  return cmocka_run_group_tests_name("sim.lockstep", tests, setup, teardown);
}
