/* SPDX-License-Identifier: Apache-2.0 */
/* What was wrong: who saw it, who wrote what should have been seen, whose value it was instead, who read since. The plan
 * has all of that; it is looked up only when something is wrong. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "episodes.h"
#include "plain_atomic.h"

static const struct weft_episode_place nobody = { .episode = WEFT_NO_EPISODE };

void weft_failures_clear(struct weft_episodes *e)
{
  for (size_t i = 0; i < e->failures; i++)
    free(e->text[i]);
  memset(e->text, 0, sizeof e->text);
  e->failures = 0;
  e->totals.failures = 0;
}

bool weft_episodes_failure_at(const struct weft_episodes *e, size_t index,
                              struct weft_episode_failure *failure)
{
  if (index >= e->failures)
    return false;
  *failure = e->failure[index];
  return true;
}

/* Takes the text. NULL: there are enough already. */
static struct weft_episode_failure *keep(struct weft_episodes *e, const struct weft_episode_failure *f,
                                         struct weft_text *text)
{
  e->totals.failures++;
  if (e->failures == WEFT_FAILURES_KEPT) {
    weft_text_free(text);
    return NULL;
  }
  size_t at = e->failures++;
  e->text[at] = weft_text_take(text);
  e->failure[at] = *f;
  e->failure[at].text = e->text[at] ? e->text[at] : "";
  return &e->failure[at];
}

/* ---- The plan, looked at backwards ------------------------------------------------------------------- */

/* Does the operation leave `value` at the location? */
static bool leaves(const struct weft_episodes *e, const struct weft_episode_op *op, uint64_t value)
{
  unsigned bytes = e->layout.location[op->location].bytes;
  if (op->kind == WEFT_EPISODE_STORE)
    return op->value == value;
  return op->kind == WEFT_EPISODE_RMW &&
         weft_plain_cut(weft_plain_atomic(op->func, op->expected, op->value, op->compare, bytes), bytes) ==
           value;
}

static bool touches(const struct weft_episodes *e, const struct weft_episode *episode, uint32_t location,
                    bool (*how)(const struct weft_episodes *, const struct weft_episode_op *, uint64_t),
                    uint64_t value)
{
  for (unsigned i = 0; i < episode->ops; i++) {
    const struct weft_episode_op *op = weft_plan_op(&e->plan, episode->first_op + i);
    if (op->location == location && how(e, op, value))
      return true;
  }
  return false;
}

static bool reads(const struct weft_episodes *e, const struct weft_episode_op *op, uint64_t value)
{
  (void)e;
  (void)value;
  return op->kind == WEFT_EPISODE_LOAD || op->kind == WEFT_EPISODE_RMW;
}

static struct weft_episode_place place_of(const struct weft_episodes *e, const struct weft_episode *episode)
{
  return weft_shape_place(&e->shape, episode->warp, episode->number);
}

/* Who wrote what was seen: the latest such episode before `end`, else the first one after it. */
static struct weft_episode_place find_stale(const struct weft_episodes *e, uint32_t location, uint64_t seen,
                                            size_t end)
{
  for (size_t i = end; i-- > 0;)
    if (touches(e, weft_plan_episode(&e->plan, i), location, leaves, seen))
      return place_of(e, weft_plan_episode(&e->plan, i));
  for (size_t i = end; i < e->plan.episodes.count; i++)
    if (touches(e, weft_plan_episode(&e->plan, i), location, leaves, seen))
      return place_of(e, weft_plan_episode(&e->plan, i));
  return nobody;
}

static void find_readers(const struct weft_episodes *e, struct weft_episode_failure *f, uint32_t location,
                         size_t end)
{
  for (size_t i = end; i-- > 0 && f->readers_count < WEFT_READERS_SHOWN;) {
    const struct weft_episode *episode = weft_plan_episode(&e->plan, i);
    if (episode->number == f->writer.episode)
      return;
    if (touches(e, episode, location, reads, 0))
      f->readers[f->readers_count++] = place_of(e, episode);
  }
}

/* ---- In words ---------------------------------------------------------------------------------------- */

static void add_place(struct weft_text *text, const char *before, const struct weft_episode_place *p)
{
  weft_text_add(text, "%sepisode %" PRIu64 " (node %u cu %u warp %u)", before, p->episode, p->node, p->cu,
                p->warp);
}

static void add_origin(struct weft_text *text, const struct weft_episode_failure *f, bool from_start)
{
  if (f->writer.episode == WEFT_NO_EPISODE)
    weft_text_add(text, "\nnobody wrote it before");
  else
    add_place(text, "\nlast writer ", &f->writer);
  if (f->stale.episode != WEFT_NO_EPISODE)
    add_place(text, "; what was seen is of ", &f->stale);
  else
    weft_text_add(text, from_start ? "; what was seen is of the beginning" : "; nobody wrote what was seen");
  for (unsigned i = 0; i < f->readers_count; i++)
    add_place(text, i ? ", " : "\nread since by ", &f->readers[i]);
}

void weft_failure_value(struct weft_episodes *e, const struct weft_episode *episode,
                        const struct weft_episode_op *op, uint32_t location, uint64_t seen, uint64_t issued,
                        uint64_t cycle)
{
  static const char *const kinds[] = { [WEFT_EPISODE_LOAD] = "load",
                                       [WEFT_EPISODE_RMW] = "atomic",
                                       [WEFT_EPISODE_COUNT] = "count" };
  const struct weft_location *l = &e->layout.location[location];
  const struct weft_plan_value *v = &e->plan.value[location];
  size_t end = episode ? (size_t)(episode - weft_plan_episode(&e->plan, 0)) : e->plan.episodes.count;
  uint64_t writer = op ? op->writer : v->writer;
  bool count = op && op->kind == WEFT_EPISODE_COUNT;
  struct weft_text text = { 0 };
  struct weft_episode_failure f = {
    .kind = op ? kinds[op->kind] : "memory",
    .at = episode ? place_of(e, episode) : nobody,
    .cycle = cycle,
    .issued = issued,
    .physical = (uint64_t)l->node << 36 | l->offset,
    .bytes = l->bytes,
    .seen = seen,
    .expected = op && !count ? op->expected : v->value,
    .writer = count || writer == WEFT_NO_EPISODE
                ? nobody
                : weft_shape_place(&e->shape, op ? op->writer_warp : v->writer_warp, writer),
    .stale = count ? nobody : find_stale(e, location, seen, end),
  };
  weft_text_add(&text, "%s: ", f.kind);
  if (episode)
    add_place(&text, "", &f.at);
  else
    weft_text_add(&text, "at the end");
  weft_text_add(&text, ": %u bytes at 0x%" PRIx64 " are 0x%" PRIx64, f.bytes, f.physical, seen);
  if (count) {
    weft_text_add(&text, ", which an atomic has returned before, or none can return");
  } else {
    find_readers(e, &f, location, end);
    weft_text_add(&text, ", should be 0x%" PRIx64, f.expected);
  }
  if (episode)
    weft_text_add(&text, "; asked for in cycle %" PRIu64 ", there by cycle %" PRIu64, issued, cycle);
  if (!count)
    add_origin(&text, &f, seen == v->first);
  keep(e, &f, &text);
}

void weft_failure_counter(struct weft_episodes *e, const struct weft_episode *episode, uint64_t seen,
                          uint64_t cycle)
{
  struct weft_text text = { 0 };
  struct weft_episode_failure f = {
    .kind = "count",
    .at = place_of(e, episode),
    .cycle = cycle,
    .issued = cycle,
    .bytes = 8,
    .seen = seen,
    .expected = episode->sequence,
    .writer = nobody,
    .stale = nobody,
  };
  weft_translate(e->w, weft_episodes_counter(e, episode->warp), &f.physical);
  add_place(&text, "count: ", &f.at);
  weft_text_add(&text,
                ": the atomic that ends it returned %" PRIu64 " at 0x%" PRIx64
                ", should be the number of the warp's episodes before it, %" PRIu64 "; by cycle %" PRIu64,
                seen, f.physical, episode->sequence, cycle);
  keep(e, &f, &text);
}

void weft_failure_words(struct weft_episodes *e, const char *kind, const char *words, const char *more)
{
  struct weft_text text = { 0 };
  struct weft_episode_failure f = { .kind = kind, .at = nobody, .writer = nobody, .stale = nobody };
  weft_text_add(&text, "%s: %s%s%s", kind, words, more[0] ? "\n" : "", more);
  keep(e, &f, &text);
}
