/* SPDX-License-Identifier: Apache-2.0 */
#include "races.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An episode is two vertices, before its acquire and behind it. Edges: program order of a warp; the episode that a wait
 * is for, to what is behind the acquire, if both scopes reach. */
struct graph {
  const struct weft_plan *p;
  size_t vertices, words;
  uint64_t *before; /* [vertex * words]: set of vertices */
  size_t *order;    /* vertices, each behind all that are before it */
  size_t *place;    /* [vertex]: in `order` */
};

static char wrong[300];

static size_t early_of(size_t episode)
{
  return 2 * episode;
}

static size_t main_of(size_t episode)
{
  return 2 * episode + 1;
}

static bool is_before(const struct graph *g, size_t a, size_t b)
{
  return g->before[b * g->words + a / 64] >> (a % 64) & 1;
}

static void follow(struct graph *g, size_t from, size_t to)
{
  for (size_t i = 0; i < g->words; i++)
    g->before[to * g->words + i] |= g->before[from * g->words + i];
  g->before[to * g->words + from / 64] |= UINT64_C(1) << (from % 64);
}

/* The episode of a warp with this number among its own, counted from the beginning; SIZE_MAX: not in the round. */
static size_t find_episode(const struct weft_plan *p, unsigned warp, uint64_t sequence)
{
  for (size_t i = 0; i < p->episodes.count; i++)
    if (weft_plan_episode(p, i)->warp == warp && weft_plan_episode(p, i)->sequence == sequence)
      return i;
  return SIZE_MAX;
}

static unsigned scope_between(const struct weft_episode_shape *s, unsigned a, unsigned b)
{
  unsigned per_node = s->cus * s->warps;
  return a / s->warps == b / s->warps ? WEFT_CTA : a / per_node == b / per_node ? WEFT_GPU : WEFT_SYS;
}

/* The vertices that come right before a vertex; returns how many, SIZE_MAX for a wait that orders nothing. */
static size_t predecessors(const struct graph *g, size_t vertex, size_t found[8])
{
  const struct weft_plan *p = g->p;
  size_t index = vertex / 2, count = 0;
  const struct weft_episode *e = weft_plan_episode(p, index);
  if (vertex == early_of(index)) {
    size_t last = e->sequence ? find_episode(p, e->warp, e->sequence - 1) : SIZE_MAX;
    if (last != SIZE_MAX)
      found[count++] = main_of(last);
    return count;
  }
  found[count++] = early_of(index);
  for (unsigned i = 0; i < e->waits; i++) {
    const struct weft_episode_wait *w = weft_plan_wait(p, e->first_wait + i);
    size_t other = find_episode(p, w->warp, w->count - 1);
    unsigned needed = scope_between(p->shape, e->warp, w->warp);
    if (other == SIZE_MAX || w->scope < needed || weft_plan_episode(p, other)->release < needed) {
      snprintf(wrong, sizeof wrong, "episode %" PRIu64 " waits for what orders nothing", e->number);
      return SIZE_MAX;
    }
    found[count++] = main_of(other);
  }
  return count;
}

/* Vertices in an order in which each follows its predecessors, whatever their numbers. */
static bool sort(struct graph *g)
{
  size_t done = 0, found[8];
  for (bool more = true; more && done < g->vertices;) {
    more = false;
    for (size_t v = 0; v < g->vertices; v++) {
      if (g->place[v] != SIZE_MAX)
        continue;
      size_t count = predecessors(g, v, found), ready = 0;
      if (count == SIZE_MAX)
        return false;
      while (ready < count && g->place[found[ready]] != SIZE_MAX)
        ready++;
      if (ready < count)
        continue;
      for (size_t i = 0; i < count; i++)
        follow(g, found[i], v);
      g->place[v] = done;
      g->order[done++] = v;
      more = true;
    }
  }
  if (done < g->vertices)
    snprintf(wrong, sizeof wrong, "episodes wait for one another in a circle");
  return done == g->vertices;
}

static bool make(struct graph *g, const struct weft_plan *p)
{
  memset(g, 0, sizeof *g);
  g->p = p;
  g->vertices = 2 * p->episodes.count;
  g->words = g->vertices / 64 + 1;
  g->before = calloc(g->vertices * g->words, sizeof *g->before);
  g->order = calloc(g->vertices, sizeof *g->order);
  g->place = malloc(g->vertices * sizeof *g->place);
  if (!g->before || !g->order || !g->place)
    abort();
  memset(g->place, 0xff, g->vertices * sizeof *g->place);
  return sort(g);
}

static void unmake(struct graph *g)
{
  free(g->before);
  free(g->order);
  free(g->place);
}

/* ---- Accesses ---------------------------------------------------------------------------------------- */

struct access {
  size_t vertex;
  unsigned op; /* its number in the episode */
  const struct weft_episode_op *what;
  const struct weft_location *where;
};

struct accesses {
  struct access *item;
  size_t count;
};

static struct accesses list(const struct graph *g)
{
  const struct weft_plan *p = g->p;
  struct accesses all = { calloc(p->ops.count + 1, sizeof *all.item), 0 };
  if (!all.item)
    abort();
  for (size_t i = 0; i < p->episodes.count; i++) {
    const struct weft_episode *e = weft_plan_episode(p, i);
    for (unsigned k = 0; k < e->ops; k++) {
      const struct weft_episode_op *op = weft_plan_op(p, e->first_op + k);
      all.item[all.count++] =
        (struct access){ k < e->early ? early_of(i) : main_of(i), k, op, &p->layout->location[op->location] };
    }
  }
  return all;
}

static bool writes(const struct access *a)
{
  return a->what->kind != WEFT_EPISODE_LOAD;
}

static bool overlap(const struct access *a, const struct access *b)
{
  return a->where->node == b->where->node && a->where->offset < b->where->offset + b->where->bytes &&
         b->where->offset < a->where->offset + a->where->bytes;
}

static unsigned warp_of(const struct graph *g, const struct access *a)
{
  return weft_plan_episode(g->p, a->vertex / 2)->warp;
}

/* In the order of the program or of what waits make of it. */
static bool comes_before(const struct graph *g, const struct access *a, const struct access *b)
{
  if (a->vertex / 2 == b->vertex / 2)
    return a->op < b->op;
  return is_before(g, a->vertex, b->vertex);
}

static bool is_race(const struct graph *g, const struct access *a, const struct access *b)
{
  bool counts = a->what->kind == WEFT_EPISODE_COUNT && b->what->kind == WEFT_EPISODE_COUNT;
  if (!overlap(a, b) || counts || (!writes(a) && !writes(b)) || warp_of(g, a) == warp_of(g, b))
    return false;
  return !comes_before(g, a, b) && !comes_before(g, b, a);
}

/* ---- Values ------------------------------------------------------------------------------------------ */

/* Atomics once more, one bit of sense at a time, so that a mistake of the planner's is not repeated here. */
static uint64_t result_of(const struct access *a, uint64_t old)
{
  unsigned bits = 8u * a->where->bytes;
  uint64_t ones = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, sign = UINT64_C(1) << (bits - 1);
  uint64_t v = a->what->value & ones;
  bool less = (v ^ sign) < (old ^ sign); /* signed */
  switch (a->what->kind == WEFT_EPISODE_STORE ? WEFT_EXCH : a->what->func) {
  case WEFT_ADD:
    return (old + v) & ones;
  case WEFT_EXCH:
    return v;
  case WEFT_CAS:
    return old == (a->what->compare & ones) ? v : old;
  case WEFT_MIN:
    return less ? v : old;
  case WEFT_MAX:
    return less ? old : v;
  case WEFT_MINU:
    return v < old ? v : old;
  case WEFT_MAXU:
    return v < old ? old : v;
  case WEFT_AND:
    return old & v;
  case WEFT_OR:
    return old | v;
  default:
    return old ^ v;
  }
}

static const struct graph *sorted;
static int by_order(const void *one, const void *other)
{
  const struct access *a = one, *b = other;
  if (a->vertex / 2 == b->vertex / 2)
    return (a->op > b->op) - (a->op < b->op);
  size_t pa = sorted->place[a->vertex], pb = sorted->place[b->vertex];
  return (pa > pb) - (pa < pb);
}

/* Performs everything, one location after the other, in an order that fits all that is before what. */
static bool values_fit(const struct graph *g, struct accesses all)
{
  const struct weft_plan *p = g->p;
  uint64_t *value = calloc(p->layout->count, sizeof *value);
  bool fit = value;
  sorted = g;
  qsort(all.item, all.count, sizeof *all.item, by_order);
  sorted = NULL;
  for (size_t i = 0; fit && i < p->layout->count; i++)
    value[i] = p->value[i].first;
  for (size_t i = 0; fit && i < all.count; i++) {
    const struct access *a = &all.item[i];
    uint64_t *v = &value[a->what->location];
    bool looks = a->what->kind == WEFT_EPISODE_LOAD || a->what->kind == WEFT_EPISODE_RMW;
    if (looks && a->what->expected != *v) {
      snprintf(wrong, sizeof wrong, "episode %" PRIu64 " expects 0x%" PRIx64 " where 0x%" PRIx64 " is",
               weft_plan_episode(p, a->vertex / 2)->number, a->what->expected, *v);
      fit = false;
    }
    if (writes(a))
      *v = result_of(a, *v);
  }
  for (size_t i = 0; fit && i < p->layout->count; i++)
    if (value[i] != p->value[i].value) {
      snprintf(wrong, sizeof wrong, "location %zu ends as something else", i);
      fit = false;
    }
  free(value);
  return fit;
}

const char *races_find(const struct weft_plan *p)
{
  struct graph g;
  bool right = make(&g, p);
  if (right) {
    struct accesses all = list(&g);
    for (size_t i = 0; right && i < all.count; i++)
      for (size_t k = 0; right && k < i; k++)
        if (is_race(&g, &all.item[i], &all.item[k])) {
          snprintf(wrong, sizeof wrong, "episodes %zu and %zu race", all.item[i].vertex / 2,
                   all.item[k].vertex / 2);
          right = false;
        }
    right = right && values_fit(&g, all);
    free(all.item);
  }
  unmake(&g);
  return right ? NULL : wrong;
}

size_t races_concurrent_pairs(const struct weft_plan *p)
{
  struct graph g;
  size_t pairs = 0;
  if (make(&g, p)) {
    struct accesses all = list(&g);
    for (size_t i = 0; i < all.count; i++)
      for (size_t k = 0; k < i; k++) {
        const struct access *a = &all.item[i], *b = &all.item[k];
        pairs += a->where->line == b->where->line && (writes(a) || writes(b)) &&
                 warp_of(&g, a) != warp_of(&g, b) && !comes_before(&g, a, b) && !comes_before(&g, b, a);
      }
    free(all.item);
  }
  unmake(&g);
  return pairs;
}
