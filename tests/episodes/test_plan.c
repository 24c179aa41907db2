/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: no data races, values that fit, scopes that reach; the same plan again, and parts of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "directory.h"
#include "races.h"
#include "weft_configs.h"
#include "weft_protocols.h"

#define EPISODES 400u

struct made {
  struct weft_episode_shape shape;
  struct weft_layout layout;
  struct weft_plan plan;
};

static const struct weft_episode_shape shapes[] = {
  { .nodes = 2,
    .cus = 2,
    .warps = 2,
    .line = 32,
    .banks = 1,
    .memory = 32768,
    .tracked = true,
    .entry_lines = 1,
    .sets = 2,
    .ways = 2 },
  { .nodes = 4,
    .cus = 2,
    .warps = 2,
    .line = 32,
    .banks = 1,
    .memory = 32768,
    .tracked = true,
    .entry_lines = 4,
    .block = true,
    .sets = 2,
    .ways = 2 },
  { .nodes = 3,
    .cus = 1,
    .warps = 4,
    .line = 128,
    .banks = 2,
    .memory = 65536,
    .tracked = true,
    .entry_lines = 8,
    .sets = 2,
    .ways = 2 },
  { .nodes = 1,
    .cus = 2,
    .warps = 2,
    .line = 64,
    .banks = 1,
    .memory = 32768,
    .tracked = true,
    .entry_lines = 1,
    .sets = 1,
    .ways = 1 },
  { .nodes = 1,
    .cus = 1,
    .warps = 1,
    .line = 64,
    .banks = 1,
    .memory = 32768,
    .tracked = true,
    .entry_lines = 2,
    .sets = 1,
    .ways = 4 },
  { .nodes = 4,
    .cus = 4,
    .warps = 4,
    .line = 64,
    .banks = 4,
    .memory = 1 << 24,
    .tracked = true,
    .entry_lines = 16,
    .sets = 8,
    .ways = 8 },
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static void make(struct made *m, const struct weft_episode_shape *s, uint64_t seed)
{
  struct weft_random random = weft_random_stream(seed, WEFT_EPISODE_STREAM);
  m->shape = *s;
  assert_true(weft_layout_make(&m->layout, &m->shape, &random));
  assert_true(weft_plan_open(&m->plan, &m->shape, &m->layout, seed));
}

static void unmake(struct made *m)
{
  weft_plan_close(&m->plan);
  weft_layout_free(&m->layout);
}

/* ---- Races ------------------------------------------------------------------------------------------- */

static void plans_have_no_races(void **state)
{
  (void)state;
  for (size_t s = 0; s < SHAPES; s++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      struct made m;
      make(&m, &shapes[s], seed);
      for (unsigned round = 0; round < 2; round++) {
        assert_true(weft_plan_round(&m.plan, EPISODES));
        const char *wrong = races_find(&m.plan);
        if (wrong)
          fail_msg("shape %zu, seed %d, round %u: %s", s, (int)seed, round, wrong);
      }
      unmake(&m);
    }
}

/* A tester whose episodes never meet finds nothing. */
static void episodes_meet_in_lines(void **state)
{
  (void)state;
  for (size_t s = 0; s < 4; s++) {
    struct made m;
    make(&m, &shapes[s], 1);
    assert_true(weft_plan_round(&m.plan, EPISODES));
    assert_true(races_concurrent_pairs(&m.plan) > 2000);
    unmake(&m);
  }
}

static struct weft_episode *episode_at(struct made *m, size_t index)
{
  return (struct weft_episode *)m->plan.episodes.items + index;
}

/* The checker is shown plans that are broken on purpose, and finds each of them out. */
static void forget_waits(struct made *m)
{
  for (size_t i = 0; i < m->plan.episodes.count; i++)
    episode_at(m, i)->waits = 0;
}

static void narrow_releases(struct made *m)
{
  for (size_t i = 0; i < m->plan.episodes.count; i++)
    episode_at(m, i)->release = WEFT_CTA;
}

static void narrow_acquires(struct made *m)
{
  for (size_t i = 0; i < m->plan.waits.count; i++)
    ((struct weft_episode_wait *)m->plan.waits.items)[i].scope = WEFT_CTA;
}

static void acquire_late(struct made *m)
{
  for (size_t i = 0; i < m->plan.episodes.count; i++)
    episode_at(m, i)->early = episode_at(m, i)->ops;
}

static void wait_for_too_little(struct made *m)
{
  for (size_t i = 0; i < m->plan.waits.count; i++) {
    struct weft_episode_wait *w = (struct weft_episode_wait *)m->plan.waits.items + i;
    w->count -= w->count > 3 ? 3 : 0;
  }
}

static void expect_something_else(struct made *m)
{
  for (size_t i = 0; i < m->plan.ops.count; i++)
    ((struct weft_episode_op *)m->plan.ops.items)[i].expected ^= 1;
}

static void store_something_else(struct made *m)
{
  for (size_t i = 0; i < m->plan.ops.count; i++)
    ((struct weft_episode_op *)m->plan.ops.items)[i].value ^= 1;
}

static void the_checker_finds_broken_plans(void **state)
{
  static void (*const breaks[])(
    struct made *) = { forget_waits,        narrow_releases,       narrow_acquires,     acquire_late,
                       wait_for_too_little, expect_something_else, store_something_else };
  (void)state;
  for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
    struct made m;
    make(&m, &shapes[1], 1);
    assert_true(weft_plan_round(&m.plan, EPISODES));
    breaks[i](&m);
    if (!races_find(&m.plan))
      fail_msg("break %zu was not found", i);
    unmake(&m);
  }
}

/* ---- What the plans are made of ---------------------------------------------------------------------- */

static void all_scopes_and_kinds_occur(void **state)
{
  struct made m;
  unsigned releases[3] = { 0 }, acquires[3] = { 0 }, kinds[4] = { 0 }, early = 0, funcs = 0;
  (void)state;
  make(&m, &shapes[0], 1);
  assert_true(weft_plan_round(&m.plan, EPISODES));
  for (size_t i = 0; i < m.plan.episodes.count; i++) {
    releases[episode_at(&m, i)->release]++;
    early += episode_at(&m, i)->early > 1;
  }
  for (size_t i = 0; i < m.plan.waits.count; i++)
    acquires[weft_plan_wait(&m.plan, i)->scope]++;
  for (size_t i = 0; i < m.plan.ops.count; i++) {
    kinds[weft_plan_op(&m.plan, i)->kind]++;
    if (weft_plan_op(&m.plan, i)->kind == WEFT_EPISODE_RMW)
      funcs |= 1u << weft_plan_op(&m.plan, i)->func;
  }
  for (unsigned i = 0; i < 3; i++) {
    assert_true(releases[i] > 20);
    assert_true(acquires[i] > 20);
  }
  for (unsigned i = 0; i < 4; i++)
    assert_true(kinds[i] > 50);
  assert_true(early > 50);
  assert_int_equal(funcs, (1u << (WEFT_XOR + 1)) - 1);
  unmake(&m);
}

static void equal_episodes(const struct made *a, const struct made *b, size_t index)
{
  const struct weft_episode *one = weft_plan_episode(&a->plan, index),
                            *other = weft_plan_episode(&b->plan, index);
  assert_int_equal(one->number, other->number);
  assert_int_equal(one->warp, other->warp);
  assert_int_equal(one->waits, other->waits);
  assert_int_equal(one->release, other->release);
  if (other->ops == 0)
    return;
  assert_int_equal(one->ops, other->ops);
  for (unsigned i = 0; i < one->ops; i++)
    assert_int_equal(weft_plan_op(&a->plan, one->first_op + i)->location,
                     weft_plan_op(&b->plan, other->first_op + i)->location);
}

/* --count N is the beginning of every longer program. */
static void a_short_plan_begins_a_long_one(void **state)
{
  struct made whole, part;
  (void)state;
  make(&whole, &shapes[0], 5);
  make(&part, &shapes[0], 5);
  assert_true(weft_plan_round(&whole.plan, EPISODES) && weft_plan_round(&part.plan, EPISODES / 3));
  for (size_t i = 0; i < EPISODES / 3; i++)
    equal_episodes(&whole, &part, i);
  unmake(&whole);
  unmake(&part);
}

/* Episodes that are left out synchronise as before; those that are kept do the same, and still without races. */
static void kept_episodes_stay_what_they_were(void **state)
{
  static const uint64_t keep[] = { 3, 17, 18, 60, 61, 62, 99, 200, 201, 202, 203, 300, 399 };
  struct made whole, part;
  size_t kept = 0;
  (void)state;
  make(&whole, &shapes[0], 5);
  make(&part, &shapes[0], 5);
  part.plan.keep = keep;
  part.plan.kept = sizeof keep / sizeof *keep;
  assert_true(weft_plan_round(&whole.plan, EPISODES) && weft_plan_round(&part.plan, EPISODES));
  for (size_t i = 0; i < EPISODES; i++) {
    equal_episodes(&whole, &part, i);
    kept += weft_plan_episode(&part.plan, i)->ops != 0;
  }
  assert_int_equal(kept, sizeof keep / sizeof *keep);
  const char *wrong = races_find(&part.plan);
  if (wrong)
    fail_msg("%s", wrong);
  unmake(&whole);
  unmake(&part);
}

/* ---- Layout ------------------------------------------------------------------------------------------ */

static void locations_fill_their_lines(void **state)
{
  (void)state;
  for (size_t s = 0; s < SHAPES; s++) {
    struct made m;
    make(&m, &shapes[s], 2);
    uint64_t bytes = 0;
    for (size_t i = 0; i < m.layout.count; i++) {
      const struct weft_location *l = &m.layout.location[i];
      assert_int_equal(l->offset % l->bytes, 0);
      assert_true(l->offset + l->bytes <= m.layout.counters);
      bytes += l->bytes;
      for (size_t k = 0; k < i; k++) {
        const struct weft_location *o = &m.layout.location[k];
        assert_true(o->node != l->node || o->offset + o->bytes <= l->offset ||
                    l->offset + l->bytes <= o->offset);
      }
    }
    assert_int_equal(bytes, (uint64_t)m.layout.lines * m.shape.line);
    assert_true(m.layout.span <= m.shape.memory);
    for (uint32_t i = 0; i < m.layout.lines; i++)
      assert_true(m.layout.line[i] < m.layout.line[i + 1]); /* every line has data */
    unmake(&m);
  }
}

/* Whether sets overflow is asked of the directory itself: all hot lines are read by another node, in turn. */
static void the_directory_overflows_as_planned(void **state)
{
  (void)state;
  for (size_t protocol = 0; protocol < weft_protocol_count; protocol++) {
    const struct weft_protocol_row *row = &weft_protocol_rows[protocol];
    struct weft_config c = { 0 };
    for (size_t i = 0; i < weft_named_config_count; i++)
      if (!strcmp(weft_named_configs[i].name, "tiny"))
        c = weft_named_configs[i].value;
    struct weft *w = weft_new();
    struct made m;
    bool evicted = false;
    if (row->tracker != WEFT_TRACKER_DIRECTORY ||
        weft_open(w, "model:tiny", &(struct weft_options){ .protocol = row->name })) {
      weft_free(w);
      continue;
    }
    assert_int_equal(weft_shape_read(w, &m.shape), WEFT_OK);
    struct weft_episode_shape shape = m.shape;
    make(&m, &shape, 1);
    struct weft_directory *d = calloc(1, weft_directory_size(&c, (unsigned)protocol));
    assert_non_null(d);
    weft_directory_reset(d, &c, (unsigned)protocol, 0);
    for (unsigned twice = 0; twice < 2; twice++)
      for (size_t i = 0; i < m.layout.count; i++) {
        struct weft_dir_event e = { .op = WEFT_DIR_OP_READ,
                                    .requester = 1,
                                    .address = m.layout.location[i].offset };
        struct weft_directory_owed owed;
        if (m.layout.location[i].node == 0) {
          assert_null(weft_directory_step(d, &e, &e, &owed));
          evicted |= e.evicted;
        }
      }
    assert_int_equal(evicted, m.layout.overflows);
    free(d);
    unmake(&m);
    weft_free(w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(plans_have_no_races),
    cmocka_unit_test(episodes_meet_in_lines),
    cmocka_unit_test(the_checker_finds_broken_plans),
    cmocka_unit_test(all_scopes_and_kinds_occur),
    cmocka_unit_test(a_short_plan_begins_a_long_one),
    cmocka_unit_test(kept_episodes_stay_what_they_were),
    cmocka_unit_test(locations_fill_their_lines),
    cmocka_unit_test(the_directory_overflows_as_planned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
