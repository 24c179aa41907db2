/* SPDX-License-Identifier: Apache-2.0 */
/* `top`: counters and their rates while a workload runs, again and again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define SHOW_SECONDS 0.5
#define SAMPLE_CYCLES 2000

struct top {
  struct weft *w;
  const struct arguments *a;
  bool terminal;
  uint64_t rounds, operations, cycles; /* of those that ended */
  double begin, shown;                 /* seconds */
  uint64_t cycle;                      /* of the last sample */
  uint64_t *last, *sums;               /* [counter]: at the last show; of rounds that ended */
  size_t count;
};

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_worth_a_line(const char *name, uint64_t value)
{
  return !strncmp(name, "total.", 6) && value;
}

static void show(struct top *t, const uint64_t *values)
{
  double now = seconds(), passed = now - t->shown;
  if (t->a->json)
    return;
  if (t->terminal)
    fputs("\033[H\033[2J", stdout);
  printf("%s on %s, round %" PRIu64 ", cycle %" PRIu64 ", %.1f s; Ctrl-C ends\n\n  %-36s %14s %14s\n",
         t->a->name, t->a->backend, t->rounds + 1, t->cycle, now - t->begin, "counter", "value",
         "per second");
  for (size_t i = 0; i < t->count; i++) {
    uint64_t value = values[i] + t->sums[i];
    if (is_worth_a_line(weft_counter_name(t->w, i), value))
      printf("  %-36s %14" PRIu64 " %14.0f\n", weft_counter_name(t->w, i) + 6, value,
             passed > 0 ? (double)(value - t->last[i]) / passed : 0);
    t->last[i] = value;
  }
  fflush(stdout);
  t->shown = now;
}

static void sampled(void *arg, uint64_t cycle, const uint64_t *values, size_t count)
{
  struct top *t = arg;
  t->cycle = cycle;
  if (count == t->count && seconds() - t->shown >= SHOW_SECONDS)
    show(t, values);
}

/* One round, from a reset to its checked result. */
static int run_round(struct top *t, const struct session *s)
{
  struct weft_workload_result result;
  struct weft_statistics statistics;
  uint64_t *values = calloc(t->count + 1, sizeof *values);
  int code = values ? WEFT_OK : WEFT_NO_MEMORY;
  if (!code && t->rounds)
    code = weft_clear(t->w);
  if (!code)
    code = weft_sample(t->w, SAMPLE_CYCLES, sampled, t);
  if (!code)
    code = weft_workload_run(t->w, s->info.name, &s->options, &result);
  if (!code)
    code = weft_counters_read(t->w, values, t->count);
  for (size_t i = 0; i < t->count && !code; i++)
    t->sums[i] += values[i];
  if (!code && !weft_statistics_read(t->w, &statistics)) {
    t->rounds++;
    t->cycles += statistics.cycles;
    t->operations += statistics.operations;
  }
  free(values);
  return code;
}

static json_t *top_json(struct top *t, int code)
{
  struct weft_machine machine;
  double passed = seconds() - t->begin;
  weft_describe(t->w, &machine);
  return json_pack("{s:b, s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:o, s:o}", "ok", !code, "workload", t->a->name,
                   "backend", t->a->backend, "rounds", (json_int_t)t->rounds, "cycles", (json_int_t)t->cycles,
                   "operations", (json_int_t)t->operations, "wall_seconds", passed, "operations_per_second",
                   (double)t->operations / (passed > 0 ? passed : 1e-9), "counters",
                   json_counters(t->w, t->sums, "total."), "provenance", json_provenance(t->a, machine.hash));
}

static int run_open(struct top *t, const struct session *s, struct output *out)
{
  uint64_t rounds = t->a->count ? t->a->count : t->terminal && !t->a->json ? UINT64_MAX : 1;
  int code = WEFT_OK;
  t->count = weft_counter_total(t->w);
  t->last = calloc(t->count + 1, sizeof *t->last);
  t->sums = calloc(t->count + 1, sizeof *t->sums);
  if (!t->last || !t->sums)
    return complain(EXIT_LACKS, "out of memory");
  t->begin = t->shown = seconds();
  while (!code && t->rounds < rounds)
    code = run_round(t, s);
  if (code)
    complain_library(t->w, code);
  int told = output_result(out, top_json(t, code), t->a->json);
  if (told < 0) {
    uint64_t *none = calloc(t->count + 1, sizeof *none);
    if (none && t->rounds)
      show(t, none);
    free(none);
    told = print_done();
  }
  return told ? told : weft_code_class(code);
}

static int run(const struct arguments *given)
{
  struct session s;
  struct output out;
  struct arguments a = *given;
  if (!a.backend)
    a.backend = "usb:";
  if (!a.name)
    a.name = "mix";
  struct top t = { .a = &a, .terminal = isatty(STDOUT_FILENO) };
  int code = session_begin(&s, &a);
  s.progress.on = false;
  memset(&out, 0, sizeof out);
  if (code < 0)
    code = output_open(&out, a.output);
  if (code < 0)
    code = session_open(&s, &a, NULL);
  t.w = s.w;
  if (code < 0)
    code = run_open(&t, &s, &out);
  free(t.last);
  free(t.sums);
  output_discard(&out);
  session_end(&s);
  return code;
}

const struct verb verb_top = {
  .name = "top",
  .synopsis = "[WORKLOAD] [-b BACKEND] [options]",
  .about = "show counters and rates while a workload runs on and on",
  .teaches =
    "Runs a workload (`mix`) again and again, and shows every half second what the counters say and how fast they\n"
    "grow. Every round is checked; a wrong result ends it. Without -b: the only board that is there. Where standard\n"
    "output is no terminal, it is one round unless --count says otherwise.\n"
    "\n"
    "  weft top -b usb:serial=D00039 --timing free\n"
    "  weft top pagerank -b rtl:quad\n"
    "  weft top --count 3 --json -b usb:",
  .takes_name = true,
  .bit = VERB_TOP,
  .run = run,
};
