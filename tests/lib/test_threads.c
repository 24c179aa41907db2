/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads, a handle each: nothing is shared, so each gets what it would get alone. */
#include <pthread.h>
#include <stdio.h>

#include "lib_test.h"

#define THREADS 8

struct task {
  pthread_t thread;
  const char *backend;
  const char *workload;
  uint64_t seed;
  int code;
  struct weft_statistics statistics;
  char message[256];
};

static void *work(void *arg)
{
  struct task *task = arg;
  struct weft *w = weft_new();
  struct weft_workload_options o = { .seed = task->seed, .size = 600 };
  /* A failure of its own in between, whose message must stay this handle's. */
  weft_open(w, "nix", NULL);
  task->code = weft_open(w, task->backend, NULL);
  if (!task->code)
    task->code = weft_workload_run(w, task->workload, &o, NULL);
  snprintf(task->message, sizeof task->message, "%s", weft_message(w));
  weft_statistics_read(w, &task->statistics);
  weft_free(w);
  return NULL;
}

static struct task make(int i)
{
  static const char *const workloads[] = { "mix", "pagerank", "vecadd", "sssp" };
  return (struct task){ .backend = i % 2 ? "null:quad" : "model:tiny",
                        .workload = workloads[i % 4],
                        .seed = (uint64_t)i + 1 };
}

static void threads_do_not_meet(void **state)
{
  struct task together[THREADS], alone;
  (void)state;
  for (int i = 0; i < THREADS; i++) {
    together[i] = make(i);
    assert_int_equal(pthread_create(&together[i].thread, NULL, work, &together[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(together[i].thread, NULL), 0);
  for (int i = 0; i < THREADS; i++) {
    alone = make(i);
    work(&alone);
    if (together[i].code)
      fail_msg("%s on %s: %s", together[i].workload, together[i].backend, together[i].message);
    assert_int_equal(together[i].statistics.cycles, alone.statistics.cycles);
    assert_int_equal(together[i].statistics.operations, alone.statistics.operations);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(threads_do_not_meet) };
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
