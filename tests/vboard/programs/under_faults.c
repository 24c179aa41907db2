/* SPDX-License-Identifier: Apache-2.0 */
/* One process, many runs over a bad line. A run that says it went well has the results, cycles and counters of the same
 * run on the model, so that nothing was done twice or left out; any other must say that the board failed, and the next one
 * begins anew.
 *
 * under_faults BACKEND MODEL ATTEMPTS */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/workload.h>

#define SEEDS 3U
#define CLASS_BACKEND 3
#define CODES 100

struct outcome {
  uint64_t cycles;
  uint64_t *counters;
  size_t count;
};

/* A run; the handle is closed again. */
static int run(struct weft *w, const char *backend, uint64_t seed, struct outcome *o)
{
  struct weft_workload_options options = { .size = 40, .seed = seed };
  struct weft_workload_result result;
  struct weft_statistics statistics = { 0 };
  *o = (struct outcome){ 0 };
  int code = weft_open(w, backend, NULL);
  if (!code)
    code = weft_workload_run(w, "mix", &options, &result);
  if (!code)
    code = weft_statistics_read(w, &statistics);
  if (!code) {
    o->cycles = statistics.cycles;
    o->count = weft_counter_total(w);
    o->counters = calloc(o->count, sizeof *o->counters);
    code = o->counters ? weft_counters_read(w, o->counters, o->count) : WEFT_NO_MEMORY;
  }
  weft_close(w);
  return code;
}

static bool same(const struct outcome *a, const struct outcome *b)
{
  return a->cycles == b->cycles && a->count == b->count &&
         !memcmp(a->counters, b->counters, a->count * sizeof *a->counters);
}

static void tell(const unsigned *seen)
{
  for (int code = 0; code < CODES; code++)
    if (seen[code])
      printf("%s %u\n", weft_code_name(code), seen[code]);
}

int main(int argc, char **argv)
{
  struct outcome expected[SEEDS], now;
  unsigned seen[CODES] = { 0 }, wrong = 0;
  struct weft *w = weft_new();
  if (argc != 4 || !w)
    return 2;
  for (uint64_t s = 0; s < SEEDS; s++)
    if (run(w, argv[2], s + 1, &expected[s]))
      return 2;
  for (unsigned i = 0, attempts = (unsigned)strtoul(argv[3], NULL, 10); i < attempts; i++) {
    int code = run(w, argv[1], i % SEEDS + 1, &now);
    seen[code]++;
    if (code && weft_code_class(code) != CLASS_BACKEND) {
      printf("run %u: %s: %s\n", i, weft_code_name(code), weft_message(w));
      wrong++;
    } else if (!code && !same(&now, &expected[i % SEEDS])) {
      printf("run %u: cycles or counters differ: %" PRIu64 " cycles, not %" PRIu64 "\n", i, now.cycles,
             expected[i % SEEDS].cycles);
      wrong++;
    }
    free(now.counters);
  }
  tell(seen);
  printf("wrong %u\n", wrong);
  for (unsigned s = 0; s < SEEDS; s++)
    free(expected[s].counters);
  weft_free(w);
  return wrong != 0;
}
