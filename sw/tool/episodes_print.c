/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "episodes_out.h"

#define FAILURES_PRINTED 5u

static void row(const char *about, uint64_t value)
{
  printf("  %-28s %16" PRIu64 "\n", about, value);
}

/* Transitions come request by request, each with all states. */
static size_t count_states(const struct weft_episodes *e)
{
  struct weft_transition first = { 0 }, t;
  size_t states = 0;
  weft_episodes_transition_at(e, 0, &first);
  while (weft_episodes_transition_at(e, states, &t) && !strcmp(t.request, first.request))
    states++;
  return states;
}

static bool can_be(const struct weft_episodes *e, size_t state, size_t states)
{
  struct weft_transition t;
  for (size_t i = state; weft_episodes_transition_at(e, i, &t); i += states)
    if (!t.why_not || t.count)
      return true;
  return false;
}

/* States stand below one another, requests side by side. States that no request can be in are left out. */
static void print_table(const struct weft_episodes *e)
{
  struct weft_transition t = { 0 };
  size_t states = count_states(e);
  printf("\n  %-22s", "transitions");
  for (size_t r = 0; weft_episodes_transition_at(e, r * states, &t); r++)
    printf(" %13s", t.request);
  for (size_t s = 0; s < states; s++) {
    if (!can_be(e, s, states))
      continue;
    weft_episodes_transition_at(e, s, &t);
    printf("\n  %-22s", t.state);
    for (size_t i = s; weft_episodes_transition_at(e, i, &t); i += states)
      if (t.why_not && !t.count)
        printf(" %13s", "-");
      else
        printf(" %13" PRIu64, t.count);
  }
  printf("\n");
}

static void print_coverage(const struct weft_episodes *e)
{
  struct episodes_coverage c = episodes_coverage(e);
  struct weft_transition t;
  if (!c.reachable) {
    printf("\nno transitions to cover: the protocol has no directory\n");
    return;
  }
  print_table(e);
  printf("\n%zu of %zu transitions that can be were seen (-: cannot be)%s\n", c.covered, c.reachable,
         c.covered == c.reachable ? "" : "; missing:");
  for (size_t i = 0; weft_episodes_transition_at(e, i, &t); i++)
    if (!t.why_not && !t.count)
      printf("  %s, %s: %s\n", t.request, t.state, t.about);
}

static void print_failures(const struct arguments *a, const struct episodes_result *r, uint64_t total)
{
  struct weft_episode_failure f;
  char *again = episodes_again(a, r);
  if (r->shrunk.runs) {
    char *program = weft_episodes_program(r->episodes);
    printf("\nwhat is left of it after %u runs, %zu of %" PRIu64
           " episodes (all others only synchronise):\n%s",
           r->shrunk.runs, r->shrunk.kept, r->shrunk.count, program ? program : "");
    free(program);
  }
  printf("\n%" PRIu64 " failures:\n", total);
  for (size_t i = 0; i < FAILURES_PRINTED && weft_episodes_failure_at(r->episodes, i, &f); i++)
    printf("%s\n", f.text);
  printf("seed %" PRIu64 "; again: %s\n", r->seed, again ? again : a->command);
  free(again);
}

void episodes_print(const struct arguments *a, const struct episodes_result *r)
{
  const struct weft_machine *m = &r->machine;
  struct weft_episodes_totals t;
  weft_episodes_totals(r->episodes, &t);
  printf("episodes on %s, protocol %s, %u nodes x %u CUs x %u warps, seed %" PRIu64 ", jitter %" PRIu64
         "\n\n",
         a->backend, m->protocol, m->nodes, m->cus, m->warps, r->seed, r->jitter);
  row("episodes", t.episodes);
  row("loads, stores and atomics", t.actions);
  row("values compared", t.checks);
  row("operations", r->statistics.operations);
  row("cycles", r->statistics.cycles);
  printf("  %-28s %16.3f\n", "seconds in the back-end", r->statistics.wall_seconds);
  print_coverage(r->episodes);
  if (t.failures)
    print_failures(a, r, t.failures);
  else
    printf("every value was right%s\n", m->lockstep ? "; every step of the RTL agreed with the model" : "");
}
