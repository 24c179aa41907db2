/* SPDX-License-Identifier: Apache-2.0 */
/* Replicated memory and the ways of its stores to the peers. */
#include "lib_test.h"

#define PAGE 4096u

static const char *const egresses[] = { "plain", "finepack", "bulk", "infinite" };
static const char *const ways[] = { "plain", "bulk", "infinite" }; /* that every machine has */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct weft *open_egress(const char *backend, const char *egress)
{
  return open_with(backend, &(struct weft_options){ .egress = egress });
}

struct program {
  weft_address a, flag;
  unsigned pass;
  uint32_t seen; /* written by one warp, read by the host */
};

/* ---- Where it lies --------------------------------------------------------------------------------- */

static void every_node_has_a_replica(void **state)
{
  struct weft *w = open_machine("null:tiny"); /* 7 pages of each of the two nodes */
  weft_address a, b, c;
  uint64_t physical;
  uint32_t in = 0x12345678, out = 0;
  (void)state;
  assert_works(w, weft_alloc(w, 3 * PAGE, WEFT_REPLICATED, &a));
  assert_works(w, weft_translate(w, a, &physical));
  assert_int_equal(physical >> 36, 0);
  assert_works(w, weft_write(w, a + 2 * PAGE, &in, 4));
  assert_works(w, weft_read(w, WEFT_PHYSICAL(2 * PAGE), &out, 4));
  assert_int_equal(out, in);
  out = 0;
  assert_works(w, weft_read(w, WEFT_PHYSICAL((UINT64_C(1) << 36) + 2 * PAGE), &out, 4));
  assert_int_equal(out, in);
  /* 4 are left in each; 3 in node 0 after this, and a page is owed to the untouched one. */
  assert_works(w, weft_alloc(w, PAGE, 0, &b));
  assert_works(w, weft_alloc(w, PAGE, WEFT_FIRST_TOUCH, &c));
  assert_fails(w, weft_alloc(w, 4 * PAGE, WEFT_REPLICATED, &b), WEFT_NO_ROOM, "every node's memory");
  assert_works(w, weft_alloc(w, 3 * PAGE, WEFT_REPLICATED, &b));
  assert_fails(w, weft_alloc(w, PAGE, WEFT_REPLICATED, &b), WEFT_NO_ROOM, "0 bytes are left");
  assert_works(w, weft_dealloc(w, a));
  assert_works(w, weft_alloc(w, 3 * PAGE, WEFT_REPLICATED, &a));
  weft_free(w);
}

/* ---- Stores ---------------------------------------------------------------------------------------- */

/* Warp i writes word i: words of all nodes share lines. Then everybody reads all of them. */
static void write_words(struct weft_warp *t, void *arg)
{
  const struct program *p = arg;
  const struct weft_place *at = weft_where(t);
  weft_store32(t, p->a + 4 * at->index, 1000 * p->pass + at->index);
  weft_barrier(t);
  for (unsigned i = 0; i < at->count; i++)
    if (weft_load32(t, p->a + 4 * i) != 1000 * p->pass + i)
      weft_store32(t, WEFT_PHYSICAL(0), 1); /* a word of the host's */
  weft_barrier(t);
  weft_store32(t, p->a + PAGE + 4 * at->index, p->pass + at->index); /* copied at the end of the launch */
}

static void all_see_what_all_wrote(void **state)
{
  static const char *const backends[] = { "null:quad", "null:finepack4",  "model:quad", "model:tiny",
                                          "model:duo", "model:finepack4", "model:octo" };
  (void)state;
  for (size_t b = 0; b < COUNT(backends); b++)
    for (size_t e = 0; e < COUNT(egresses); e++) {
      if (!strcmp(egresses[e], "finepack") && strcmp(backends[b], "model:finepack4") != 0)
        continue;
      struct weft *w = open_egress(backends[b], egresses[e]);
      struct weft_machine m;
      weft_address mark;
      struct program p = { 0 };
      uint32_t words[64], wrong;
      assert_works(w, weft_describe(w, &m));
      assert_works(w, weft_alloc(w, 8, 0, &mark));
      assert_works(w, weft_alloc(w, 2 * PAGE, WEFT_REPLICATED, &p.a));
      for (p.pass = 1; p.pass <= 2; p.pass++)
        assert_works(w, weft_launch(w, write_words, &p));
      unsigned count = m.nodes * m.cus * m.warps;
      assert_works(w, weft_read(w, p.a, words, 4 * count)); /* compares the replicas too */
      for (unsigned i = 0; i < count; i++)
        assert_int_equal(words[i], 2000 + i);
      assert_works(w, weft_read(w, p.a + PAGE, words, 4 * count));
      for (unsigned i = 0; i < count; i++)
        assert_int_equal(words[i], 2 + i);
      assert_works(w, weft_read(w, mark, &wrong, 4));
      assert_int_equal(wrong, 0);
      weft_free(w);
    }
}

/* Node 0 writes and says so with an atomic; node 1 looks before any barrier. */
static void look_early(struct weft_warp *t, void *arg)
{
  struct program *p = arg;
  const struct weft_place *at = weft_where(t);
  if (!at->index) {
    weft_store32(t, p->a, 77);
    weft_rmw(t, WEFT_EXCH, p->flag, 4, 1, 0, WEFT_RELEASE, WEFT_SYS);
  }
  if (at->node == 1 && !at->cu && !at->warp) {
    weft_await(t, p->flag, 4, WEFT_EQUAL, 1, WEFT_SYS);
    p->seen = weft_load32(t, p->a);
  }
  weft_barrier(t);
  if (at->node == 1 && !at->cu && !at->warp)
    p->pass = weft_load32(t, p->a);
}

static void copies_come_at_barriers_alone(void **state)
{
  (void)state;
  for (size_t e = 0; e < COUNT(ways); e++) {
    struct weft *w = open_egress("model:quad", ways[e]);
    struct program p = { 0 };
    assert_works(w, weft_alloc(w, PAGE, WEFT_REPLICATED, &p.a));
    assert_works(w, weft_alloc(w, PAGE, 2, &p.flag));
    assert_works(w, weft_launch(w, look_early, &p));
    assert_int_equal(p.seen, e ? 0 : 77);
    assert_int_equal(p.pass, 77);
    weft_free(w);
  }
}

/* ---- What it costs --------------------------------------------------------------------------------- */

static uint64_t counter(struct weft *w, const char *name)
{
  uint64_t value;
  assert_works(w, weft_counter_get(w, name, &value));
  return value;
}

static void infinite_tells_of_no_copies(void **state)
{
  uint64_t cycles[COUNT(ways)], bytes[COUNT(ways)], operations[COUNT(ways)];
  struct weft_workload_options o = {
    .size = 2048, .iterations = 3, .place = true, .placement = WEFT_REPLICATED
  };
  (void)state;
  for (size_t e = 0; e < COUNT(ways); e++) {
    struct weft *w = open_egress("model:quad", ways[e]);
    struct weft_statistics s;
    assert_works(w, weft_workload_run(w, "pagerank", &o, NULL));
    assert_works(w, weft_statistics_read(w, &s));
    cycles[e] = s.cycles;
    operations[e] = s.operations;
    bytes[e] = counter(w, "total.link.bytes_request");
    weft_free(w);
  }
  assert_true(cycles[2] < cycles[0] && cycles[2] < cycles[1]);
  assert_true(operations[2] < operations[0] && operations[2] < operations[1]);
  /* 3 rounds of 2048 shares of 8 bytes to 3 peers, 64 bytes and 24 of headers at a time */
  uint64_t lines = 3 * 3 * 2048 * 8 / 64;
  assert_true(bytes[1] - bytes[2] >= lines * 88 && bytes[1] - bytes[2] < lines * 92);
}

/* Node 0 stores 8 bytes twice; one of the four nodes reads 3 of them, twice. Then node 1 overwrites its own. */
static void push_and_read(struct weft_warp *t, void *arg)
{
  const struct program *p = arg;
  const struct weft_place *at = weft_where(t);
  uint8_t bytes[3];
  bool first = !at->cu && !at->warp;
  for (unsigned i = 0; i < 2 && !at->index; i++)
    weft_store64(t, p->a + 8, 5 + i);
  weft_barrier(t);
  for (unsigned i = 0; i < 2 && first && at->node == 3; i++)
    weft_load(t, p->a + 9, bytes, sizeof bytes, WEFT_WEAK, WEFT_CTA);
  weft_barrier(t);
  if (first && at->node == 1)
    weft_store32(t, p->a + 8, 9);
  weft_barrier(t);
  if (first && at->node == 1)
    weft_load(t, p->a + 8, bytes, sizeof bytes, WEFT_WEAK, WEFT_CTA); /* its own */
}

static void useful_is_what_the_peer_reads(void **state)
{
  (void)state;
  for (size_t e = 0; e < COUNT(ways); e++) {
    struct weft *w = open_egress("model:quad", ways[e]);
    struct weft_replica_use use;
    struct program p = { 0 };
    assert_fails(w, weft_replica_read(w, &use), WEFT_BAD_STATE, "weft_replica_start()");
    assert_works(w, weft_replica_start(w));
    assert_works(w, weft_alloc(w, PAGE, WEFT_REPLICATED, &p.a));
    assert_works(w, weft_launch(w, push_and_read, &p));
    assert_works(w, weft_replica_read(w, &use));
    assert_int_equal(use.useful, 3);
    /* 8, 8 and 4 bytes, each to three peers; or two lines of 64. */
    assert_int_equal(use.stores, e ? 6 : 9);
    assert_int_equal(use.pushed, e ? 6 * 64 : 3 * (8 + 8 + 4));
    assert_fails(w, weft_replica_start(w), WEFT_BAD_STATE, "before it");
    assert_works(w, weft_reset(w));
    assert_works(w, weft_replica_read(w, &use));
    assert_int_equal(use.pushed, 0);
    weft_free(w);
  }
}

/* ---- What goes wrong ------------------------------------------------------------------------------- */

static void store_past_the_table(struct weft_warp *t, void *arg)
{
  (void)arg;
  if (!weft_where(t)->index)
    weft_store32(t, WEFT_PHYSICAL((UINT64_C(2) << 36) + 16), 0xbad);
}

static void replicas_that_differ_are_found(void **state)
{
  struct weft *w = open_machine("model:quad");
  weft_address a;
  uint8_t bytes[64];
  (void)state;
  assert_works(w, weft_alloc(w, PAGE, WEFT_REPLICATED, &a));
  assert_works(w, weft_launch(w, store_past_the_table, NULL));
  assert_works(w, weft_read(w, a, bytes, 16));
  assert_fails(w, weft_read(w, a, bytes, sizeof bytes), WEFT_WRONG_RESULT, "node 2 has 0xad");
  weft_free(w);
}

static void add(struct weft_warp *t, void *arg)
{
  weft_rmw(t, WEFT_ADD, ((struct program *)arg)->a, 4, 1, 0, WEFT_RELAXED, WEFT_SYS);
}

static void atomics_are_refused(void **state)
{
  struct weft *w = open_machine("model:quad");
  struct program p = { 0 };
  (void)state;
  assert_works(w, weft_alloc(w, PAGE, WEFT_REPLICATED, &p.a));
  assert_fails(w, weft_launch(w, add, &p), WEFT_BAD_ADDRESS, "which is replicated");
  weft_free(w);
}

static void a_copy_of_nothing_is_refused(void **state)
{
  (void)state;
  for (size_t e = 1; e < COUNT(ways); e++) {
    struct weft *w = open_egress("model:quad", ways[e]);
    assert_fails(w, weft_workload_run(w, "vecadd", NULL, NULL), WEFT_BAD_STATE, "--placement replicated");
    weft_free(w);
  }
  struct weft *w = weft_new();
  assert_fails(w, weft_open(w, "model:quad", &(struct weft_options){ .egress = "bulky" }),
               WEFT_UNKNOWN_EGRESS, "infinite");
  assert_fails(w, weft_open(w, "model:quad", &(struct weft_options){ .egress = "finepack" }),
               WEFT_NOT_BUILT_IN, "finepack4");
  weft_free(w);
}

/* ---- Programs -------------------------------------------------------------------------------------- */

static void programs_are_right_in_every_way(void **state)
{
  static const struct {
    const char *name;
    uint64_t size;
    bool eager;
  } programs[] = { { "pagerank", 200, false }, { "pagerank", 200, true }, { "sssp", 200, false },
                   { "jacobi2d", 24, false },  { "als", 120, false },     { "ct", 14, false },
                   { "banded", 150, false },   { "vecadd", 500, false },  { "lu", 24, false } };
  static const char *const shapes[][4] = { { NULL },
                                           { "nodes=1", NULL },
                                           { "nodes=3", "cus=1", "dma.slots=1", NULL },
                                           { "page=128", "l2.banks=4", "dma.slots=0", NULL } };
  (void)state;
  for (size_t s = 0; s < COUNT(shapes); s++)
    for (size_t e = 0; e < COUNT(egresses); e++)
      for (size_t i = 0; i < COUNT(programs); i++) {
        struct weft *w =
          open_with("model:finepack4", &(struct weft_options){ .egress = egresses[e], .set = shapes[s] });
        struct weft_workload_options o = {
          .size = programs[i].size, .eager = programs[i].eager, .place = true, .placement = WEFT_REPLICATED
        };
        if (weft_workload_run(w, programs[i].name, &o, NULL))
          fail_msg("%s, egress %s, %s: %s", programs[i].name, egresses[e],
                   shapes[s][0] ? shapes[s][0] : "as it is", weft_message(w));
        weft_free(w);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_node_has_a_replica),
    cmocka_unit_test(all_see_what_all_wrote),
    cmocka_unit_test(copies_come_at_barriers_alone),
    cmocka_unit_test(infinite_tells_of_no_copies),
    cmocka_unit_test(useful_is_what_the_peer_reads),
    cmocka_unit_test(replicas_that_differ_are_found),
    cmocka_unit_test(atomics_are_refused),
    cmocka_unit_test(a_copy_of_nothing_is_refused),
    cmocka_unit_test(programs_are_right_in_every_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
