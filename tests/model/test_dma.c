/* SPDX-License-Identifier: Apache-2.0 */
/* The copy engine's model refuses what cannot happen; and the lock-step checker, shown an engine that is wrong in one
 * thing, says so. */
#include "dma.h"
#include "lockstep_parts.h"
#include "units.h"

static struct weft_config config;
static struct weft_dma *engine;

static int setup(void **state)
{
  (void)state;
  config = test_config("duo");
  engine = calloc(1, weft_dma_size(&config));
  weft_dma_reset(engine, &config);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  free(engine);
  return 0;
}

static struct weft_cu_req describe(uint64_t from, uint64_t to, uint16_t lines, uint8_t tag)
{
  struct weft_cu_req r = { .op = WEFT_CU_OP_STORE, .attr = WEFT_DMA_ATTRIBUTE, .tag = tag, .address = from };
  r.mask[0] = r.mask[1] = UINT64_MAX;
  memcpy(r.data, &to, sizeof to);
  memcpy(r.data + 8, &lines, sizeof lines);
  return r;
}

/* ---------------------------------------------------------------- the model */

static void assert_refuses(const struct weft_dma_input *in, const char *why)
{
  struct weft_dma before = *engine;
  const char *error = weft_dma_step(engine, in);
  assert_non_null(error);
  assert_non_null(strstr(error, why));
  assert_memory_equal(&before, engine, sizeof before);
}

static void what_cannot_happen_is_refused(void **state)
{
  struct weft_cu_req job = describe(0, 4096, 2, 0), load;
  struct weft_cu_rsp other = { .tag = 3 }, early = { .tag = WEFT_DMA_TAG },
                     beyond = { .tag = WEFT_DMA_TAG | 15U };
  (void)state;
  assert_true(weft_dma_idle(engine));
  assert_refuses(&(struct weft_dma_input){ .told = true }, "answers nothing");
  assert_refuses(&(struct weft_dma_input){ .sent = &job }, "no such operation");
  assert_refuses(&(struct weft_dma_input){ .back = &other }, "not the engine's");
  assert_refuses(&(struct weft_dma_input){ .back = &beyond }, "not the engine's");
  assert_refuses(&(struct weft_dma_input){ .back = &early }, "does not wait");
  for (unsigned i = 0; i < WEFT_DMA_JOBS; i++) {
    assert_int_equal(weft_dma_room(engine), i);
    assert_null(weft_dma_step(engine, &(struct weft_dma_input){ .job = &job, .entry = i }));
  }
  assert_int_equal(weft_dma_room(engine), -1);
  assert_refuses(&(struct weft_dma_input){ .job = &job, .entry = 2 }, "no room");
  for (unsigned i = 0; i < config.dma_slots; i++) {
    assert_true(weft_dma_offer(engine, &load));
    assert_int_equal(load.attr, i); /* by turns */
    assert_null(weft_dma_step(engine, &(struct weft_dma_input){ .sent = &load }));
  }
  assert_false(weft_dma_offer(engine, &load));
  assert_refuses(&(struct weft_dma_input){ .sent = &load }, "no such operation");
}

/* ---------------------------------------------------------------- the checker */

enum wrong { NOTHING, ADDRESS, DATA, MASK, TAG, LOAD_ORDER, SKIPS_A_LINE, ERROR, EARLY, NEVER, WRONGS };

/* What the RTL's engine would do before an L1 that answers at once, wrong in one thing; the checker's report, or NULL. */
static const char *watch(struct weft_lockstep *k, enum wrong wrong)
{
  struct weft_cu_req jobs[2] = { describe(0, 4096, 3, 0), describe(512, 8192, 2, 1) };
  struct weft_dma_input none = { 0 };
  struct weft_cu_req op;
  struct weft_cu_rsp done;
  for (unsigned i = 0; i < 2; i++) {
    assert_true(weft_lockstep_dma_issued(k, 0, 0, i, &jobs[i]));
    assert_null(weft_dma_step(engine, &(struct weft_dma_input){ .job = &jobs[i], .entry = i }));
  }
  for (unsigned cycle = 2; !weft_dma_idle(engine) && !k->failed; cycle++) {
    if (weft_dma_answer(engine, &done)) {
      done.error ^= wrong == ERROR;
      if (wrong != NEVER)
        assert_true(weft_lockstep_dma_answered(k, 0, 0, cycle, &done));
      assert_null(weft_dma_step(engine, &(struct weft_dma_input){ .told = true }));
      continue;
    }
    if (!weft_dma_offer(engine, &op)) {
      assert_null(weft_dma_step(engine, &none));
      continue;
    }
    struct weft_cu_rsp back = { .tag = op.tag, .warp = op.warp };
    memset(back.data, (int)cycle, sizeof back.data);
    assert_null(weft_dma_step(engine, &(struct weft_dma_input){ .sent = &op }));
    assert_null(weft_dma_step(engine, &(struct weft_dma_input){ .back = &back }));
    bool store = op.op == WEFT_CU_OP_STORE;
    op.address += wrong == ADDRESS && store ? 128 : 0;
    op.data[5] ^= wrong == DATA && store;
    op.mask[1] ^= wrong == MASK && store;
    op.tag ^= wrong == TAG;
    op.order ^= wrong == LOAD_ORDER && !store;
    if ((wrong == SKIPS_A_LINE && store) || !weft_lockstep_dma_op(k, 0, 0, &op, cycle))
      continue;
    weft_lockstep_dma_back(k, 0, 0, &back, cycle);
    if (wrong == EARLY)
      weft_lockstep_dma_back(k, 0, 0, &back, cycle);
  }
  return weft_lockstep_finish(k, 1000);
}

static void a_wrong_engine_is_found(void **state)
{
  (void)state;
  for (unsigned wrong = NOTHING; wrong < WRONGS; wrong++) {
    struct weft_lockstep *k = weft_lockstep_new(&config, 0, false, 1, NULL);
    weft_dma_reset(engine, &config);
    const char *report = watch(k, (enum wrong)wrong);
    if (wrong == NOTHING && report)
      fail_msg("%s", report);
    if (wrong != NOTHING && !report)
      fail_msg("wrong in %u, and not found", wrong);
    weft_lockstep_free(k);
  }
}

static void without_an_engine_all_is_the_port_s(void **state)
{
  struct weft_config tiny = test_config("tiny");
  struct weft_lockstep *k = weft_lockstep_new(&tiny, 0, false, 1, NULL);
  struct weft_cu_req job = describe(0, 64, 1, 0);
  struct weft_cu_rsp answer = { .tag = 0 };
  (void)state;
  assert_false(weft_lockstep_dma_has(k, 0, WEFT_DMA_TAG));
  assert_false(weft_lockstep_dma_issued(k, 0, 0, 1, &job));
  assert_false(weft_lockstep_dma_answered(k, 0, 0, 2, &answer));
  assert_null(weft_lockstep_report(k));
  weft_lockstep_free(k);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(what_cannot_happen_is_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(a_wrong_engine_is_found, setup, teardown),
    cmocka_unit_test(without_an_engine_all_is_the_port_s),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
