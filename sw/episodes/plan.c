/* SPDX-License-Identifier: Apache-2.0 */
/* Episodes are drawn one after the other, each for some warp, in an order that the machine need not follow: an episode
 * waits only for earlier ones, so the order is one that could be. Whatever two episodes touch in conflict, one of them
 * waits for the other, so each value is known when its episode is drawn. */
#include <stdlib.h>
#include <string.h>

#include "episodes.h"
#include "plain_atomic.h"

#define ACTIONS_LEAST 3u
#define ACTIONS_MOST 12u
#define EARLY_MOST 3u /* loads before the acquire */
#define TRIES 12u     /* for a location that the episode may touch */
#define APART_MOST 3u /* episodes by which a warp is planned ahead of the last one */
#define WAITS_MOST 2u
#define FOCUSED 95u        /* of a hundred locations, those in lines that are in focus */
#define FOCUS_EPISODES 24u /* after which one of those lines changes */
#define TOPICAL 60u        /* of a hundred operations, those on lines that the episode is about */
_Static_assert(1 + EARLY_MOST + WAITS_MOST + ACTIONS_MOST <= WEFT_EPISODE_OPS,
               "an episode has room for its operations");

static uint32_t below(struct weft_plan *p, uint32_t n)
{
  return weft_random_below(&p->random, n);
}

/* ---- Growing lists ----------------------------------------------------------------------------------- */

static bool grow(struct weft_plan_list *list)
{
  size_t room = list->room ? 2 * list->room : 1024;
  void *bigger = realloc(list->items, room * list->size);
  if (!bigger)
    return false;
  list->items = bigger;
  list->room = room;
  return true;
}

/* A zeroed item at the end; NULL: out of memory. */
static void *add(struct weft_plan *p, struct weft_plan_list *list)
{
  if (list->count == list->room && !grow(list)) {
    p->out_of_memory = true;
    return NULL;
  }
  void *item = (char *)list->items + list->count++ * list->size;
  memset(item, 0, list->size);
  return item;
}

bool weft_plan_open(struct weft_plan *p, const struct weft_episode_shape *s, const struct weft_layout *l,
                    uint64_t seed)
{
  unsigned warps = weft_shape_warps(s);
  memset(p, 0, sizeof *p);
  p->shape = s;
  p->layout = l;
  p->random = weft_random_stream(seed, WEFT_EPISODE_STREAM + 1);
  p->episodes.size = sizeof(struct weft_episode);
  p->ops.size = sizeof(struct weft_episode_op);
  p->waits.size = sizeof(struct weft_episode_wait);
  if (!grow(&p->episodes) || !grow(&p->ops) || !grow(&p->waits))
    return false;
  p->value = calloc(l->count, sizeof *p->value);
  p->ended = calloc(warps, sizeof *p->ended);
  p->first = calloc(warps, sizeof *p->first);
  p->last = calloc(warps, sizeof *p->last);
  if (!weft_clocks_open(&p->clocks, warps, l->count) || !p->value || !p->ended || !p->first || !p->last)
    return false;
  for (size_t i = 0; i < l->count; i++) {
    uint64_t start = weft_random_next(&p->random);
    p->value[i].writer = WEFT_NO_EPISODE;
    p->value[i].value = l->location[i].atomic ? 0 : weft_plain_cut(start, l->location[i].bytes);
  }
  return true;
}

void weft_plan_close(struct weft_plan *p)
{
  weft_clocks_close(&p->clocks);
  free(p->value);
  free(p->ended);
  free(p->first);
  free(p->last);
  free(p->episodes.items);
  free(p->ops.items);
  free(p->waits.items);
  memset(p, 0, sizeof *p);
}

/* ---- Operations -------------------------------------------------------------------------------------- */

/* What is drawn does not depend on whether the episode is kept, so that what is left of a program that is made smaller
 * stays as it was. */
struct draft {
  struct weft_plan *p;
  struct weft_episode *episode;
  bool kept;
  uint32_t topic[WAITS_MOST]; /* locations whose lines it is mostly about */
  unsigned other[WAITS_MOST]; /* warps that it waits for */
  unsigned waits;
};

static void draw_delays(struct weft_plan *p, struct weft_episode_op *op)
{
  op->pause = (uint8_t)(below(p, 4) ? 0 : below(p, 60));
  op->waits = below(p, 3) == 0;
}

static void keep_op(struct draft *d, const struct weft_episode_op *op)
{
  if (!d->kept)
    return;
  struct weft_episode_op *kept = add(d->p, &d->p->ops);
  if (!kept)
    return;
  *kept = *op;
  d->episode->ops++;
  d->p->actions++;
}

static void set_value(struct draft *d, const struct weft_episode_op *op, uint64_t value)
{
  struct weft_plan_value *v = &d->p->value[op->location];
  if (!d->kept)
    return;
  v->value = weft_plain_cut(value, d->p->layout->location[op->location].bytes);
  v->writer = d->episode->number;
  v->writer_warp = d->episode->warp;
}

static void draft_count(struct draft *d)
{
  struct weft_plan *p = d->p;
  if (!p->layout->atomic_count)
    return;
  struct weft_episode_op op = { .kind = WEFT_EPISODE_COUNT, .order = WEFT_RELAXED, .func = WEFT_ADD };
  op.location = p->layout->atomic[below(p, (uint32_t)p->layout->atomic_count)];
  op.scope = (uint8_t)below(p, WEFT_SYS + 1);
  op.value = 1;
  draw_delays(p, &op);
  keep_op(d, &op);
  set_value(d, &op, p->value[op.location].value + 1);
}

static uint32_t draw_of_line(struct weft_plan *p, uint32_t line)
{
  const uint32_t *first = &p->layout->line[line];
  return p->layout->data[first[0] + below(p, first[1] - first[0])];
}

/* Few lines at a time are in use by all, so that copies of them are everywhere; which ones changes slowly. */
static uint32_t draw_data(struct weft_plan *p)
{
  if (below(p, 100) < FOCUSED)
    return draw_of_line(p, p->focus[below(p, WEFT_FOCUS)]);
  return p->layout->data[below(p, (uint32_t)p->layout->data_count)];
}

static void move_focus(struct weft_plan *p)
{
  if (p->planned % FOCUS_EPISODES == 0)
    p->focus[p->planned / FOCUS_EPISODES % WEFT_FOCUS] = below(p, p->layout->lines);
}

/* Of a line that the episode is about. */
static uint32_t draw_topic(struct draft *d)
{
  return draw_of_line(d->p, d->p->layout->location[d->topic[below(d->p, WAITS_MOST)]].line);
}

/* A location that the warp may read or write; false: chance did not find one. */
static bool find_data(struct draft *d, uint32_t topical, bool write, unsigned least, uint32_t *location)
{
  struct weft_plan *p = d->p;
  for (unsigned i = 0; i < TRIES; i++) {
    *location = below(p, 100) < topical ? draw_topic(d) : draw_data(p);
    if (p->layout->location[*location].bytes >= least &&
        (write ? weft_clocks_may_write : weft_clocks_may_read)(&p->clocks, d->episode->warp, *location))
      return true;
  }
  return false;
}

static void draft_load(struct draft *d, uint32_t location)
{
  struct weft_plan *p = d->p;
  struct weft_episode_op op = { .kind = WEFT_EPISODE_LOAD, .location = location };
  bool strong = below(p, 4) == 0;
  op.order = strong ? WEFT_RELAXED : WEFT_WEAK;
  op.scope = (uint8_t)(strong ? below(p, WEFT_SYS + 1) : WEFT_CTA);
  op.expected = p->value[location].value;
  op.writer = p->value[location].writer;
  op.writer_warp = p->value[location].writer_warp;
  draw_delays(p, &op);
  weft_clocks_reads(&p->clocks, d->episode->warp, location);
  keep_op(d, &op);
}

static void draft_store(struct draft *d, uint32_t location)
{
  struct weft_plan *p = d->p;
  struct weft_episode_op op = { .kind = WEFT_EPISODE_STORE, .location = location };
  op.order = below(p, 4) ? WEFT_WEAK : WEFT_RELAXED;
  op.scope = (uint8_t)below(p, WEFT_SYS + 1);
  op.value = weft_plain_cut(weft_random_next(&p->random), p->layout->location[location].bytes);
  draw_delays(p, &op);
  weft_clocks_writes(&p->clocks, d->episode->warp, location);
  keep_op(d, &op);
  set_value(d, &op, op.value);
}

static void draft_rmw(struct draft *d, uint32_t location)
{
  struct weft_plan *p = d->p;
  const struct weft_plan_value *v = &p->value[location];
  unsigned bytes = p->layout->location[location].bytes;
  struct weft_episode_op op = { .kind = WEFT_EPISODE_RMW, .order = WEFT_RELAXED, .location = location };
  op.func = (uint8_t)below(p, WEFT_XOR + 1);
  op.scope = (uint8_t)below(p, WEFT_SYS + 1);
  op.value = weft_plain_cut(weft_random_next(&p->random), bytes);
  op.compare = v->value ^ (below(p, 3) == 0); /* some fail */
  op.expected = v->value;
  op.writer = v->writer;
  op.writer_warp = v->writer_warp;
  draw_delays(p, &op);
  weft_clocks_reads(&p->clocks, d->episode->warp, location);
  weft_clocks_writes(&p->clocks, d->episode->warp, location);
  keep_op(d, &op);
  set_value(d, &op, weft_plain_atomic(op.func, v->value, op.value, op.compare, bytes));
}

static void draft_action(struct draft *d)
{
  uint32_t dice = below(d->p, 100), location;
  unsigned kind = dice < 60 ? WEFT_EPISODE_LOAD : dice < 92 ? WEFT_EPISODE_STORE : WEFT_EPISODE_RMW;
  if (!find_data(d, TOPICAL, kind != WEFT_EPISODE_LOAD, kind == WEFT_EPISODE_RMW ? 4 : 1, &location))
    return;
  if (kind == WEFT_EPISODE_LOAD)
    draft_load(d, location);
  else if (kind == WEFT_EPISODE_STORE)
    draft_store(d, location);
  else
    draft_rmw(d, location);
}

/* ---- Episodes ---------------------------------------------------------------------------------------- */

/* Warps are planned side by side, so that their episodes overlap on the machine. */
static unsigned draw_warp(struct weft_plan *p)
{
  unsigned warps = p->clocks.warps;
  uint32_t least = UINT32_MAX;
  for (unsigned w = 0; w < warps; w++)
    least = p->clocks.ended[w] < least ? p->clocks.ended[w] : least;
  for (;;) {
    unsigned warp = below(p, warps);
    if (p->clocks.ended[warp] < least + APART_MOST)
      return warp;
  }
}

/* Whom to wait for: mostly one who wrote something last that cannot be read yet. That is what the episode is about. */
static void draw_others(struct draft *d)
{
  struct weft_plan *p = d->p;
  unsigned warp = d->episode->warp;
  d->waits = p->clocks.warps > 1 ? below(p, WAITS_MOST + 1) : 0;
  for (unsigned k = 0; k < WAITS_MOST; k++) {
    d->topic[k] = draw_data(p);
    for (unsigned i = 0; i < TRIES && weft_clocks_may_read(&p->clocks, warp, d->topic[k]); i++)
      d->topic[k] = draw_data(p);
    if (!weft_clocks_may_read(&p->clocks, warp, d->topic[k]))
      d->other[k] = p->clocks.writer[d->topic[k]];
    else
      d->other[k] = p->clocks.warps > 1 ? (warp + 1 + below(p, p->clocks.warps - 1)) % p->clocks.warps : 0;
  }
}

/* Copies of the lines that the others are writing to, or are yet to write to: what must be gone after the acquire. */
static void draft_early(struct draft *d)
{
  uint32_t location;
  for (unsigned i = d->waits ? below(d->p, EARLY_MOST + 1) : 0; i; i--)
    if (find_data(d, 100, false, 1, &location))
      draft_load(d, location);
  d->episode->early = d->episode->ops;
}

static void draft_wait(struct draft *d, unsigned other)
{
  struct weft_plan *p = d->p;
  unsigned warp = d->episode->warp, scope = weft_shape_scope(p->shape, warp, other);
  uint64_t count = weft_clocks_join(&p->clocks, warp, other, scope);
  struct weft_episode_wait *wait = count ? add(p, &p->waits) : NULL;
  if (!wait)
    return;
  if (below(p, 4) == 0) /* wider than it must be */
    scope += below(p, WEFT_SYS - scope + 1);
  *wait = (struct weft_episode_wait){ other, (uint8_t)scope, count };
  d->episode->waits++;
}

/* What was waited for is looked at first: a moment later it would be right in any case. */
static void draft_fresh(struct draft *d)
{
  for (unsigned k = 0; k < d->waits; k++)
    if (weft_clocks_may_read(&d->p->clocks, d->episode->warp, d->topic[k]) && below(d->p, 4))
      draft_load(d, d->topic[k]);
}

static uint8_t draw_scope(struct weft_plan *p)
{
  uint32_t dice = below(p, 100);
  return dice < 20 ? WEFT_CTA : dice < 45 ? WEFT_GPU : WEFT_SYS;
}

static void link_to_warp(struct weft_plan *p, unsigned warp)
{
  uint32_t number = (uint32_t)p->episodes.count; /* from 1 */
  if (p->last[warp])
    ((struct weft_episode *)p->episodes.items)[p->last[warp] - 1].next = number;
  else
    p->first[warp] = number;
  p->last[warp] = number;
}

static bool is_kept(struct weft_plan *p, uint64_t number)
{
  if (!p->keep)
    return true;
  while (p->kept && *p->keep < number) {
    p->keep++;
    p->kept--;
  }
  return p->kept && *p->keep == number;
}

static void draft_episode(struct weft_plan *p)
{
  unsigned warp = draw_warp(p);
  struct weft_episode episode = { .number = p->planned, .warp = warp, .sequence = p->ended[warp] };
  struct draft d = { .p = p, .episode = &episode, .kept = is_kept(p, p->planned) };
  if (!add(p, &p->episodes))
    return;
  move_focus(p);
  episode.first_op = (uint32_t)p->ops.count;
  episode.first_wait = (uint32_t)p->waits.count;
  draw_others(&d);
  if (!d.waits || below(p, 2))
    draft_count(&d);
  draft_early(&d);
  for (unsigned k = 0; k < d.waits; k++)
    draft_wait(&d, d.other[k]);
  episode.acquire = draw_scope(p);
  draft_fresh(&d);
  for (unsigned i = ACTIONS_LEAST + below(p, ACTIONS_MOST - ACTIONS_LEAST + 1); i; i--)
    draft_action(&d);
  episode.release = draw_scope(p);
  ((struct weft_episode *)p->episodes.items)[p->episodes.count - 1] = episode;
  link_to_warp(p, warp);
  weft_clocks_end(&p->clocks, warp, episode.release, ++p->ended[warp]);
  p->planned++;
}

bool weft_plan_round(struct weft_plan *p, size_t count)
{
  p->episodes.count = p->ops.count = p->waits.count = 0;
  memset(p->first, 0, p->clocks.warps * sizeof *p->first);
  memset(p->last, 0, p->clocks.warps * sizeof *p->last);
  weft_clocks_round(&p->clocks);
  for (size_t i = 0; i < p->layout->count; i++)
    p->value[i].first = p->value[i].value;
  for (size_t i = 0; i < count && !p->out_of_memory; i++)
    draft_episode(p);
  return !p->out_of_memory;
}
