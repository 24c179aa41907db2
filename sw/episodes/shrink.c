/* SPDX-License-Identifier: Apache-2.0 */
/* Fewer episodes that still fail. First the program is cut short; then groups of the episodes that are left only
 * synchronise any more, ever smaller groups, as long as the run goes on failing (delta debugging, after Zeller). */
#include <stdlib.h>
#include <string.h>

#include "episodes.h"

#define RUNS_DEFAULT 300u

struct search {
  struct weft_episodes *e;
  struct weft_episodes_options best;
  uint64_t *keep;  /* of the best; owned */
  uint64_t *trial; /* room for another */
  unsigned runs, most;
  int code; /* that ends the search */
};

/* Does it fail with these? Failures of other kinds count as well: all of them are wrong. */
static bool fails(struct search *s, const struct weft_episodes_options *o)
{
  if (s->code || s->runs == s->most)
    return false;
  s->runs++;
  int code = weft_episodes_run(s->e, o);
  if (code && weft_code_class(code) != 1)
    s->code = code;
  return weft_code_class(code) == 1;
}

/* The first that failed had a number; what comes later in the plan is seldom needed. */
static void cut_short(struct search *s, uint64_t failed)
{
  uint64_t most = failed + 1 < s->best.count ? failed + 1 : s->best.count;
  struct weft_episodes_options o = s->best;
  o.count = most;
  if (fails(s, &o))
    s->best.count = most;
  for (uint64_t less = s->best.count / 2; less;) {
    o.count = s->best.count - less;
    if (fails(s, &o))
      s->best.count = o.count;
    less = less < s->best.count ? less / 2 : s->best.count / 2;
  }
}

static bool list_all(struct search *s)
{
  s->keep = calloc(s->best.count, sizeof *s->keep);
  s->trial = calloc(s->best.count, sizeof *s->trial);
  if (!s->keep || !s->trial)
    return false;
  if (s->best.keep) {
    size_t left = 0;
    for (size_t i = 0; i < s->best.kept && s->best.keep[i] < s->best.count; i++)
      if (!left || s->best.keep[i] > s->keep[left - 1]) /* each once */
        s->keep[left++] = s->best.keep[i];
    s->best.kept = left;
  } else {
    s->best.kept = s->best.count;
    for (uint64_t i = 0; i < s->best.count; i++)
      s->keep[i] = i;
  }
  s->best.keep = s->keep;
  return true;
}

/* Without the episodes from `at` to below `end`. */
static bool without(struct search *s, size_t at, size_t end)
{
  struct weft_episodes_options o = s->best;
  size_t left = s->best.kept - (end - at);
  memcpy(s->trial, s->keep, at * sizeof *s->keep);
  memcpy(s->trial + at, s->keep + end, (s->best.kept - end) * sizeof *s->keep);
  o.keep = s->trial;
  o.kept = left;
  if (!fails(s, &o))
    return false;
  memcpy(s->keep, s->trial, left * sizeof *s->keep);
  s->best.kept = left;
  return true;
}

static void thin_out(struct search *s)
{
  for (size_t group = (s->best.kept + 1) / 2; group && s->runs < s->most && !s->code;) {
    bool less = false;
    for (size_t at = 0; at < s->best.kept && s->best.kept > 1;) {
      size_t end = at + group < s->best.kept ? at + group : s->best.kept;
      if (without(s, at, end))
        less = true;
      else
        at = end;
    }
    if (group > s->best.kept)
      group = s->best.kept;
    if (!less || group > 1)
      group /= 2;
  }
}

static uint64_t first_failed(const struct weft_episodes *e)
{
  for (size_t i = 0; i < e->failures; i++)
    if (e->failure[i].at.episode != WEFT_NO_EPISODE)
      return e->failure[i].at.episode;
  return e->totals.planned;
}

int weft_episodes_shrink(struct weft_episodes *e, const struct weft_episodes_options *options, unsigned runs,
                         struct weft_episodes_shrunk *shrunk)
{
  struct search s = { .e = e, .best = *options, .most = runs ? runs : RUNS_DEFAULT };
  memset(shrunk, 0, sizeof *shrunk);
  if (!e->totals.failures)
    return weft_fail(e->w, WEFT_BAD_STATE,
                     "episodes: nothing has failed, so there is nothing to make smaller");
  if (!s.best.count)
    s.best.count = WEFT_EPISODES_DEFAULT;
  if (s.best.count > e->totals.planned)
    s.best.count = e->totals.planned;
  cut_short(&s, first_failed(e));
  if (!list_all(&s))
    s.code = weft_fail_memory(e->w);
  else
    thin_out(&s);
  if (!s.code) {
    s.most = s.runs + 1; /* once more, for its failures and its program */
    fails(&s, &s.best);
  }
  *shrunk = (struct weft_episodes_shrunk){ s.best.count, s.keep, s.best.kept, s.runs };
  free(s.trial);
  return s.code;
}
