/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of several lines: hmg's blocks and rec's ranges, against the tables and figures of the REC paper. */
#include <stdlib.h>

#include "directory.h"
#include "units.h"

#define READ WEFT_DIR_OP_READ
#define WRITE WEFT_DIR_OP_WRITE
#define ATOMIC WEFT_DIR_OP_ATOMIC

struct slice {
  struct weft_config config;
  struct weft_directory *directory;
  struct weft_directory_owed owed;
};

/* Four GPUs, 64-byte lines, ranges of 1 KiB: the paper's machine with a directory of a few entries. */
static struct slice make(unsigned protocol, unsigned entries, unsigned ways)
{
  struct slice s = { .config = test_config("quad") };
  s.config.directory_entries = entries;
  s.config.directory_ways = ways;
  s.directory = malloc(weft_directory_size(&s.config, protocol));
  assert_non_null(s.directory);
  weft_directory_reset(s.directory, &s.config, protocol, 0);
  return s;
}

static struct weft_dir_event step(struct slice *s, uint8_t op, unsigned requester, uint64_t offset)
{
  struct weft_dir_event e = { .op = op,
                              .local = requester == s->directory->home,
                              .requester = (uint8_t)requester,
                              .address = test_address(s->directory->home, offset) };
  assert_null(weft_directory_step(s->directory, &e, &e, &s->owed));
  return e;
}

/* The fields of the first entry. */
static uint64_t fields(const struct slice *s)
{
  const struct weft_directory_entry *e = weft_at(s->directory, s->directory->entries_at);
  return e->fields[0];
}

static bool valid(const struct slice *s)
{
  const struct weft_directory_entry *e = weft_at(s->directory, s->directory->entries_at);
  return e->valid;
}

static uint64_t bits(unsigned a, unsigned b)
{
  return UINT64_C(1) << a | UINT64_C(1) << b;
}

/* Figure 9: offset 0x340 is at bit 52, and GPU1 as its reader sets bits 52 and 53. */
static void a_read_sets_position_and_sharer(void **state)
{
  (void)state;
  struct slice s = make(WEFT_PROTOCOL_REC, 1, 1);
  struct weft_dir_event e = step(&s, READ, 1, 0x340);
  assert_int_equal(e.allocated, 1);
  assert_int_equal(fields(&s), bits(52, 53));
  free(s.directory);
}

/* Figure 10: p = 0 is GPU1's, p = 56 GPU3's. */
static void writes_change_one_line_alone(void **state)
{
  (void)state;
  struct slice s = make(WEFT_PROTOCOL_REC, 1, 1);
  step(&s, READ, 1, 0);
  step(&s, READ, 3, 14 * 64);
  assert_int_equal(fields(&s), bits(0, 1) | bits(56, 59));
  struct weft_dir_event local = step(&s, WRITE, 0, 0);
  assert_int_equal(local.inv_sharers, 1); /* GPU1: a local write with exactly one remote sharer */
  assert_int_equal(local.invs, 1);
  assert_int_equal(fields(&s), bits(56, 59));
  assert_true(valid(&s));
  struct weft_dir_event remote = step(&s, WRITE, 2, 14 * 64);
  assert_int_equal(remote.inv_sharers, 4); /* GPU3 */
  assert_int_equal(remote.sharers, 2);     /* GPU2, the writer, stays */
  assert_int_equal(fields(&s), bits(56, 58));
  struct weft_dir_event last = step(&s, WRITE, 0, 14 * 64);
  assert_int_equal(last.inv_sharers, 2);
  assert_false(valid(&s)); /* the last line is cleared, and so is the entry */
  assert_int_equal(fields(&s), 0);
  free(s.directory);
}

/* Figure 8, two entries: the fourth read misses in the baseline; rec has one entry with three lines. */
static void the_fourth_read(void **state)
{
  (void)state;
  static const uint64_t reads[] = { 0x1000, 0x1040, 0x1080, 0x1000 };
  static const struct {
    unsigned protocol, ways, hits, evictions;
  } rows[] = {
    { WEFT_PROTOCOL_BASELINE, 2, 0, 2 },
    { WEFT_PROTOCOL_REC, 2, 3, 0 },
    { WEFT_PROTOCOL_HMG, 2, 3, 0 },
    { WEFT_PROTOCOL_IDEAL, 2, 1, 0 },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct slice s = make(rows[i].protocol, 2, rows[i].ways);
    unsigned hits = 0, evictions = 0;
    for (size_t r = 0; r < 4; r++) {
      struct weft_dir_event e = step(&s, READ, 1, reads[r]);
      hits += e.hit;
      evictions += e.evicted;
    }
    assert_int_equal(hits, rows[i].hits);
    assert_int_equal(evictions, rows[i].evictions);
    free(s.directory);
  }
}

/* An evicted entry invalidates every tracked line at exactly its sharers. */
static void an_eviction_owes_every_line(void **state)
{
  (void)state;
  struct slice s = make(WEFT_PROTOCOL_REC, 1, 1);
  step(&s, READ, 1, 0x400);
  step(&s, READ, 3, 0x400);
  step(&s, READ, 2, 0x480);
  step(&s, WRITE, 1, 0x7c0);
  struct weft_dir_event e = step(&s, READ, 2, 0x800);
  assert_int_equal(e.evicted, 1);
  assert_int_equal(e.evicted_address, 0x400);
  assert_int_equal(e.lines, 3);
  assert_int_equal(e.invs, 4);
  assert_int_equal(e.inv_sharers, 7);
  assert_int_equal(e.cause, WEFT_CAUSE_EVICT);
  for (unsigned i = 0; i < 16; i++)
    assert_int_equal(s.owed.sharers[i], i == 0 ? 5 : i == 2 ? 2 : i == 15 ? 1 : 0);
  assert_int_equal(fields(&s), bits(0, 2)); /* of the old entry nothing is left */
  free(s.directory);
}

/* What each request does to a line of rec that two others share; and to one that nobody shares, in the same entry. */
static void every_request_on_a_range(void **state)
{
  (void)state;
  static const struct {
    uint8_t op, requester;
    uint64_t offset;
    uint16_t inv, sharers;
  } rows[] = {
    { READ, 0, 0x40, 0, 3 },   { READ, 3, 0x40, 0, 7 },   { WRITE, 0, 0x40, 3, 0 },
    { WRITE, 1, 0x40, 2, 1 },  { WRITE, 3, 0x40, 3, 4 },  { ATOMIC, 0, 0x40, 3, 0 },
    { ATOMIC, 2, 0x40, 1, 0 }, { ATOMIC, 3, 0x40, 3, 0 }, { READ, 0, 0x80, 0, 0 },
    { READ, 3, 0x80, 0, 4 },   { WRITE, 0, 0x80, 0, 0 },  { WRITE, 3, 0x80, 0, 4 },
    { ATOMIC, 0, 0x80, 0, 0 }, { ATOMIC, 3, 0x80, 0, 0 },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct slice s = make(WEFT_PROTOCOL_REC, 1, 1);
    step(&s, READ, 1, 0x40);
    step(&s, READ, 2, 0x40);
    step(&s, READ, 1, 0xc0);
    struct weft_dir_event e = step(&s, rows[i].op, rows[i].requester, rows[i].offset);
    assert_int_equal(e.hit, 1);
    assert_int_equal(e.inv_sharers, rows[i].inv);
    assert_int_equal(e.sharers, rows[i].sharers);
    assert_int_equal(step(&s, READ, 0, 0xc0).sharers, 1); /* the neighbour is as it was */
    free(s.directory);
  }
}

/* A write to one line of a block of hmg takes all four away; an atomic's requester stays, for it may hold others. */
static void every_request_on_a_block(void **state)
{
  (void)state;
  static const struct {
    uint8_t op, requester;
    uint16_t inv, sharers;
  } rows[] = {
    { READ, 0, 0, 3 },  { READ, 3, 0, 7 },   { WRITE, 0, 3, 0 },  { WRITE, 1, 2, 1 },
    { WRITE, 3, 3, 4 }, { ATOMIC, 0, 3, 0 }, { ATOMIC, 2, 1, 2 }, { ATOMIC, 3, 3, 0 },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct slice s = make(WEFT_PROTOCOL_HMG, 1, 1);
    step(&s, READ, 1, 0x40);
    step(&s, READ, 2, 0x80);
    struct weft_dir_event e = step(&s, rows[i].op, rows[i].requester, 0xc0);
    assert_int_equal(e.hit, 1);
    assert_int_equal(e.inv_sharers, rows[i].inv);
    assert_int_equal(e.sharers, rows[i].sharers);
    free(s.directory);
  }
}

static void an_evicted_block_is_one_message_each(void **state)
{
  (void)state;
  struct slice s = make(WEFT_PROTOCOL_HMG, 1, 1);
  step(&s, READ, 1, 0x40);
  step(&s, READ, 3, 0xc0);
  struct weft_dir_event e = step(&s, READ, 2, 0x100);
  assert_int_equal(e.evicted, 1);
  assert_int_equal(e.evicted_address, 0);
  assert_int_equal(e.lines, 4);
  assert_int_equal(e.invs, 2);
  assert_int_equal(s.owed.sharers[0], 5);
  assert_true(weft_directory_block(s.directory));
  free(s.directory);
}

/* Two ways of one set: with refreshing a hit saves its entry, without it the first in goes first. */
static void a_hit_keeps_an_entry_young(void **state)
{
  (void)state;
  for (unsigned refresh = 0; refresh < 2; refresh++) {
    struct slice s = make(WEFT_PROTOCOL_REC, 2, 2);
    s.config.directory_refresh = refresh;
    weft_directory_reset(s.directory, &s.config, WEFT_PROTOCOL_REC, 0);
    step(&s, READ, 1, 0x0);
    step(&s, READ, 1, 0x400);
    step(&s, READ, 2, 0x80);  /* hits the first */
    step(&s, READ, 0, 0x440); /* the home's own read is none of the directory's business */
    struct weft_dir_event e = step(&s, READ, 1, 0x800);
    assert_int_equal(e.evicted_address, refresh ? 0x400 : 0x0);
    free(s.directory);
  }
}

/* Three nodes: a line's three bits lie across words; all ranges, every line and sharer goes in and comes out. */
static void every_place_of_every_range(void **state)
{
  (void)state;
  for (unsigned range = 64; range <= 4096; range *= 2) {
    struct slice s = make(WEFT_PROTOCOL_REC, 1, 1);
    free(s.directory);
    s.config.nodes = 3;
    s.config.directory_range = range;
    s.directory = malloc(weft_directory_size(&s.config, WEFT_PROTOCOL_REC));
    assert_non_null(s.directory);
    weft_directory_reset(s.directory, &s.config, WEFT_PROTOCOL_REC, 2);
    for (unsigned i = 0; i < range / 64; i++)
      assert_int_equal(step(&s, READ, i % 2, i * 64).sharers, 1U << i % 2);
    for (unsigned i = 0; i < range / 64; i++)
      assert_int_equal(step(&s, READ, 2, i * 64).sharers, 1U << i % 2);
    struct weft_dir_event e = step(&s, READ, 0, range);
    assert_int_equal(e.lines, range / 64);
    assert_int_equal(e.invs, range / 64);
    free(s.directory);
  }
}

static void twice_the_entries(void **state)
{
  (void)state;
  struct slice one = make(WEFT_PROTOCOL_BASELINE, 4, 2), two = make(WEFT_PROTOCOL_BASELINE2X, 4, 2);
  assert_int_equal(two.directory->sets, 2 * one.directory->sets);
  assert_int_equal(two.directory->ways, one.directory->ways);
  free(one.directory);
  free(two.directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_read_sets_position_and_sharer),
    cmocka_unit_test(writes_change_one_line_alone),
    cmocka_unit_test(the_fourth_read),
    cmocka_unit_test(an_eviction_owes_every_line),
    cmocka_unit_test(every_request_on_a_range),
    cmocka_unit_test(every_request_on_a_block),
    cmocka_unit_test(an_evicted_block_is_one_message_each),
    cmocka_unit_test(a_hit_keeps_an_entry_young),
    cmocka_unit_test(every_place_of_every_range),
    cmocka_unit_test(twice_the_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
