/* SPDX-License-Identifier: Apache-2.0 */
/* What the directories did, from their events: a step's state is what all earlier ones have left, which is followed here
 * for every line. Nothing of the directory's own bookkeeping is asked. */
#include <stdlib.h>
#include <string.h>

#include "episodes.h"
#include "weft_formats.h"

#include "watch.h"

/* Of a line: its sharers. Of an entry: how many of its lines have sharers. */
struct note {
  uint64_t key; /* 0: free */
  uint32_t value;
};

struct weft_coverage {
  struct weft *w;
  struct weft_episode_shape shape;
  uint64_t count[WEFT_REQUESTS][WEFT_STATES];
  uint64_t times[WEFT_TIME_REQUESTS][WEFT_TIME_STATES];
  struct note *note; /* a hash table */
  size_t room, used; /* a power of two */
  uint32_t nowhere;  /* in place of a note that there was no memory for */
  bool lost;
};

/* ---- Notes ------------------------------------------------------------------------------------------- */

static struct note *find(struct note *note, size_t room, uint64_t key)
{
  size_t at = (size_t)weft_random_mix(key) & (room - 1);
  while (note[at].key && note[at].key != key)
    at = (at + 1) & (room - 1);
  return &note[at];
}

static bool grow(struct weft_coverage *c)
{
  size_t room = c->room ? 2 * c->room : 1024;
  struct note *bigger = calloc(room, sizeof *bigger);
  if (!bigger)
    return false;
  for (size_t i = 0; i < c->room; i++)
    if (c->note[i].key)
      *find(bigger, room, c->note[i].key) = c->note[i];
  free(c->note);
  c->note = bigger;
  c->room = room;
  return true;
}

static uint32_t *note_of(struct weft_coverage *c, uint64_t key)
{
  if (2 * c->used >= c->room && !grow(c)) {
    c->lost = true;
    c->nowhere = 0;
    return &c->nowhere;
  }
  struct note *note = find(c->note, c->room, key);
  c->used += !note->key;
  note->key = key;
  return &note->value;
}

static uint64_t entry_bytes(const struct weft_coverage *c)
{
  return (uint64_t)c->shape.entry_lines * c->shape.line;
}

/* Lines of a block have their sharers in common: one note for all of them. */
static uint64_t line_key(const struct weft_coverage *c, uint64_t address)
{
  return (address / (c->shape.block ? entry_bytes(c) : c->shape.line) + 1) * 2;
}

static uint64_t entry_key(const struct weft_coverage *c, uint64_t address)
{
  return (address / entry_bytes(c) + 1) * 2 + 1;
}

static uint32_t value_at(struct weft_coverage *c, uint64_t key)
{
  return *note_of(c, key);
}

static void set_sharers(struct weft_coverage *c, uint64_t address, uint32_t sharers)
{
  uint32_t before = value_at(c, line_key(c, address));
  *note_of(c, line_key(c, address)) = sharers;
  *note_of(c, entry_key(c, address)) += (uint32_t)(sharers != 0) - (uint32_t)(before != 0);
}

static void forget_entry(struct weft_coverage *c, uint64_t address)
{
  uint64_t first = address - address % entry_bytes(c);
  unsigned step = c->shape.block ? c->shape.entry_lines : 1;
  for (unsigned i = 0; i < c->shape.entry_lines; i += step)
    set_sharers(c, first + (uint64_t)i * c->shape.line, 0);
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

static enum weft_transition_state hit_state(uint32_t sharers, uint32_t own, bool among)
{
  uint32_t others = sharers & ~own;
  enum weft_transition_state state = !others                  ? WEFT_HIT_OWN
                                     : sharers & own          ? WEFT_HIT_OWN_OTHERS
                                     : others & (others - 1U) ? WEFT_HIT_MANY
                                                              : WEFT_HIT_ONE;
  if (!sharers)
    return among ? WEFT_AMONG_CLEAR : WEFT_STRAY;
  return among ? state - WEFT_HIT_OWN + WEFT_AMONG_OWN : state;
}

static enum weft_transition_state miss_state(struct weft_coverage *c, const struct weft_dir_event *e,
                                             uint32_t tracked)
{
  if (tracked)
    return WEFT_FORGOTTEN;
  if (!e->allocated)
    return e->evicted ? WEFT_STRAY : WEFT_MISS;
  if (!e->evicted)
    return WEFT_MISS_FREE;
  uint32_t lines = value_at(c, entry_key(c, e->evicted_address));
  if (lines == 0 || (!c->shape.block && lines != e->lines))
    return WEFT_STRAY;
  return lines == 1 ? WEFT_MISS_FULL_ONE : WEFT_MISS_FULL_MANY;
}

static void step(void *arg, unsigned node, uint64_t cycle, const struct weft_dir_event *e)
{
  struct weft_coverage *c = arg;
  (void)cycle;
  if (e->tsu.valid) {
    const struct weft_tsu_event *t = &e->tsu;
    if (t->op < WEFT_TIME_REQUESTS) {
      c->times[t->op][t->hit ? WEFT_TIME_KNOWN : WEFT_TIME_ENTERS]++;
      c->times[t->op][WEFT_TIME_EVICTS] += t->evicted;
    }
    return;
  }
  unsigned request = e->op - WEFT_DIR_OP_READ + (e->local ? WEFT_LOCAL_READ : WEFT_REMOTE_READ);
  uint32_t own = e->local ? 0 : UINT32_C(1) << (e->requester < node ? e->requester : e->requester - 1U);
  uint32_t sharers = value_at(c, line_key(c, e->address));
  uint32_t tracked = value_at(c, entry_key(c, e->address));
  unsigned state = e->hit ? hit_state(sharers, own, tracked > (sharers != 0)) : miss_state(c, e, tracked);
  if (request < WEFT_REQUESTS)
    c->count[request][state]++;
  if (e->evicted)
    forget_entry(c, e->evicted_address);
  if (e->hit || e->allocated)
    set_sharers(c, e->address, e->sharers);
}

/* ---- Making, asking ---------------------------------------------------------------------------------- */

struct weft_coverage *weft_coverage_new(struct weft *w, const struct weft_episode_shape *s)
{
  struct weft_coverage *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->w = w;
  c->shape = *s;
  if (grow(c))
    return c;
  free(c);
  return NULL;
}

void weft_coverage_free(struct weft_coverage *c)
{
  if (!c)
    return;
  weft_watch_directory(c->w, NULL, NULL);
  free(c->note);
  free(c);
}

int weft_coverage_start(struct weft_coverage *c)
{
  return weft_watch_directory(c->w, step, c);
}

void weft_coverage_restart(struct weft_coverage *c)
{
  memset(c->count, 0, sizeof c->count);
  memset(c->times, 0, sizeof c->times);
  memset(c->note, 0, c->room * sizeof *c->note);
  c->used = 0;
}

bool weft_coverage_lost(const struct weft_coverage *c)
{
  return c->lost;
}

uint64_t weft_coverage_count(const struct weft_coverage *c, unsigned request, unsigned state)
{
  return c->count[request][state];
}

uint64_t weft_coverage_times(const struct weft_coverage *c, unsigned request, unsigned state)
{
  return c->times[request][state];
}
