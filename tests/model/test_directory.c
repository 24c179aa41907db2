/* SPDX-License-Identifier: Apache-2.0 */
#include "directory.h"
#include "units.h"

#define HOME 1U

static struct weft_config shape(uint64_t nodes, uint64_t entries, uint64_t ways)
{
  struct weft_config c = test_config("quad");
  c.nodes = nodes;
  c.directory_entries = entries;
  c.directory_ways = ways;
  return c;
}

static struct weft_directory *make(const struct weft_config *c, unsigned home)
{
  struct weft_directory *d = malloc(weft_directory_size(c, WEFT_PROTOCOL_BASELINE));
  assert_non_null(d);
  weft_directory_reset(d, c, WEFT_PROTOCOL_BASELINE, home);
  return d;
}

static struct weft_dir_event step(struct weft_directory *d, uint8_t op, unsigned requester, uint64_t offset)
{
  struct weft_dir_event e = { .op = op,
                              .local = requester == d->home,
                              .requester = (uint8_t)requester,
                              .address = test_address(d->home, offset) };
  struct weft_directory_owed owed;
  assert_null(weft_directory_step(d, &e, &e, &owed));
  return e;
}

#define READ WEFT_DIR_OP_READ
#define WRITE WEFT_DIR_OP_WRITE
#define ATOMIC WEFT_DIR_OP_ATOMIC

/* Sharer bit of node n at home 1 of 4: node 0 is bit 0, node 2 bit 1, node 3 bit 2. */
#define N0 1U
#define N2 2U
#define N3 4U

/* One row of the protocol's table: the sharers before (0: no entry), the request, and all that follows. */
struct row {
  uint16_t before;
  uint8_t op, requester;
  uint16_t inv, after;
  bool allocated;
};

static const struct row rows[] = {
  { 0, READ, 0, 0, N0, true },
  { N2, READ, 0, 0, N0 | N2, false },
  { N0, READ, 0, 0, N0, false },
  { 0, READ, HOME, 0, 0, false },
  { N0 | N3, READ, HOME, 0, N0 | N3, false },
  { 0, WRITE, HOME, 0, 0, false },
  { N2, WRITE, HOME, N2, 0, false },
  { N0 | N2 | N3, WRITE, HOME, N0 | N2 | N3, 0, false },
  { 0, WRITE, 3, 0, N3, true },
  { N3, WRITE, 3, 0, N3, false },
  { N0 | N2, WRITE, 3, N0 | N2, N3, false },
  { N0 | N3, WRITE, 3, N0, N3, false },
  { 0, ATOMIC, HOME, 0, 0, false },
  { N0 | N2, ATOMIC, HOME, N0 | N2, 0, false },
  { 0, ATOMIC, 2, 0, 0, false },
  { N2, ATOMIC, 2, 0, 0, false },
  { N0 | N2 | N3, ATOMIC, 2, N0 | N3, 0, false },
};

static void prepare(struct weft_directory *d, uint16_t sharers)
{
  static const uint8_t node[] = { 0, 2, 3 };
  for (unsigned s = 0; s < 3; s++)
    if (sharers >> s & 1U)
      step(d, READ, node[s], 0x1000);
}

static void table_row_by_row(void **state)
{
  (void)state;
  struct weft_config c = shape(4, 16, 4);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *r = &rows[i];
    struct weft_directory *d = make(&c, HOME);
    prepare(d, r->before);
    struct weft_dir_event e = step(d, r->op, r->requester, 0x1000);
    assert_int_equal(e.hit, r->before != 0);
    assert_int_equal(e.inv_sharers, r->inv);
    assert_int_equal(e.sharers, r->after);
    assert_int_equal(e.allocated, r->allocated);
    assert_int_equal(e.evicted, 0);
    /* and what is kept: a read by the home only looks */
    e = step(d, READ, HOME, 0x1000);
    assert_int_equal(e.hit, r->after != 0);
    assert_int_equal(e.sharers, r->after);
    free(d);
  }
}

/* Figure 8 of the REC paper: a directory of two entries, GPU1 reads four times; the fourth misses. */
static void figure_8(void **state)
{
  (void)state;
  struct weft_config c = shape(4, 2, 2);
  struct weft_directory *d = make(&c, 0);
  assert_true(step(d, READ, 1, 0x1000).allocated);
  assert_true(step(d, READ, 1, 0x1040).allocated);
  struct weft_dir_event e = step(d, READ, 1, 0x1080);
  assert_true(e.allocated && e.evicted);
  assert_int_equal(e.evicted_address, 0x1000);
  assert_int_equal(e.inv_sharers, 1);
  assert_int_equal(e.sharers, 1);
  e = step(d, READ, 1, 0x1000);
  assert_false(e.hit);
  assert_true(e.allocated && e.evicted);
  assert_int_equal(e.evicted_address, 0x1040);
  free(d);
}

static void hits_do_not_refresh(void **state)
{
  (void)state;
  struct weft_config c = shape(4, 2, 2);
  struct weft_directory *d = make(&c, 0);
  step(d, READ, 1, 0x1000);
  step(d, READ, 1, 0x1040);
  step(d, READ, 2, 0x1000); /* first in, first out: a hit does not help 0x1000 */
  struct weft_dir_event e = step(d, WRITE, 3, 0x1080);
  assert_int_equal(e.evicted_address, 0x1000);
  assert_int_equal(e.inv_sharers, 3);
  free(d);
}

static void invalid_ways_go_first(void **state)
{
  (void)state;
  struct weft_config c = shape(4, 2, 2);
  struct weft_directory *d = make(&c, 0);
  step(d, READ, 1, 0x1000);
  step(d, READ, 1, 0x1040);
  step(d, WRITE, 0, 0x1040); /* its entry is free again */
  struct weft_dir_event e = step(d, READ, 1, 0x1080);
  assert_true(e.allocated);
  assert_false(e.evicted);
  assert_int_equal(e.way, 1);
  assert_true(step(d, READ, 0, 0x1000).hit);
  free(d);
}

static void sets_follow_the_bank_line(void **state)
{
  (void)state;
  struct weft_config c = shape(4, 4, 1);
  c.l2_banks = 2; /* two sets in each slice; bank 1 has the odd pages */
  struct weft_directory *d = make(&c, 0);
  step(d, READ, 1, 0x1000);
  assert_false(step(d, READ, 1, 0x1040).evicted);     /* the other set */
  struct weft_dir_event e = step(d, READ, 1, 0x3000); /* next page of the bank: 64 lines on, set 0 */
  assert_true(e.evicted);
  assert_int_equal(e.evicted_address, 0x1000);
  free(d);
}

static void any_address_of_the_line_means_the_line(void **state)
{
  (void)state;
  struct weft_config c = shape(2, 2, 2);
  struct weft_directory *d = make(&c, 0);
  step(d, READ, 1, 0x1000);
  assert_true(step(d, ATOMIC, 1, 0x103c).hit);
  free(d);
}

static void sixteen_nodes(void **state)
{
  (void)state;
  struct weft_config c = shape(16, 16, 4);
  for (unsigned home = 0; home < 16; home++) {
    struct weft_directory *d = make(&c, home);
    for (unsigned n = 0; n < 16; n++)
      if (n != home)
        step(d, READ, n, 0x40);
    struct weft_dir_event e = step(d, WRITE, home, 0x40);
    assert_int_equal(e.inv_sharers, 0x7fff);
    assert_int_equal(weft_directory_nodes(e.inv_sharers, home), 0xffff & ~(1U << home));
    free(d);
  }
}

static void one_node_tracks_nobody(void **state)
{
  (void)state;
  struct weft_config c = shape(1, 2, 2);
  struct weft_directory *d = make(&c, 0);
  for (uint8_t op = 0; op < 3; op++) {
    struct weft_dir_event e = step(d, op, 0, 0x40);
    assert_int_equal(e.hit | e.allocated | e.inv_sharers | e.sharers, 0);
  }
  free(d);
}

static void illegal_events_are_told(void **state)
{
  (void)state;
  struct weft_config c = shape(2, 2, 2);
  struct weft_directory *d = make(&c, 0);
  struct weft_dir_event out, other_home = { .requester = 1, .address = test_address(1, 0) };
  struct weft_dir_event stranger = { .requester = 2 }, liar = { .requester = 1, .local = 1 },
                        op = { .op = 3, .local = 1 };
  struct weft_directory_owed owed;
  assert_non_null(weft_directory_step(d, &other_home, &out, &owed));
  assert_non_null(weft_directory_step(d, &stranger, &out, &owed));
  assert_non_null(weft_directory_step(d, &liar, &out, &owed));
  assert_non_null(weft_directory_step(d, &op, &out, &owed));
  free(d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(table_row_by_row),
    cmocka_unit_test(figure_8),
    cmocka_unit_test(hits_do_not_refresh),
    cmocka_unit_test(invalid_ways_go_first),
    cmocka_unit_test(sets_follow_the_bank_line),
    cmocka_unit_test(any_address_of_the_line_means_the_line),
    cmocka_unit_test(sixteen_nodes),
    cmocka_unit_test(one_node_tracks_nobody),
    cmocka_unit_test(illegal_events_are_told),
  };
  return cmocka_run_group_tests_name("model.directory", tests, NULL, NULL);
}
