/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform random graphs, as G(n, m) of Erdős and Rényi: a given share of all possible edges, none of them twice. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "text_input.h"

#define MILLIONTHS UINT64_C(1000000)
#define SHAPE "uniform:VERTICES,PERCENT, for instance uniform:1024,1 or uniform:4096,0.05"

/* Numbers of edges that were drawn: open addressing, at most half full; 0 is empty, so they are kept plus one. */
struct drawn {
  uint64_t *slot;
  size_t mask;
};

/* Returns false if it is there already. */
static bool add(struct drawn *d, uint64_t number)
{
  size_t at = (size_t)weft_random_mix(number) & d->mask;
  for (; d->slot[at]; at = (at + 1) & d->mask)
    if (d->slot[at] == number + 1)
      return false;
  d->slot[at] = number + 1;
  return true;
}

/* From 0 to below - 1, for numbers of more than 32 bits; the bias is below 2^-16. */
static uint64_t below(struct weft_random *r, uint64_t limit)
{
  return weft_random_next(r) % limit;
}

/* Floyd's way to draw `count` of `all` numbers without a repetition: exactly `count` steps at any density. */
int weft_uniform(struct weft *w, uint64_t seed, uint32_t vertices, uint64_t count, struct weft_edges *e)
{
  struct weft_random r = weft_random_stream(seed, WEFT_STREAM_GRAPH);
  uint64_t all = (uint64_t)vertices * vertices;
  size_t slots = 16;
  while (slots < 2 * count)
    slots *= 2;
  struct drawn d = { calloc(slots, sizeof *d.slot), slots - 1 };
  *e = (struct weft_edges){ .vertices = vertices };
  int code = d.slot ? WEFT_OK : weft_fail_memory(w);
  for (uint64_t last = all - count; !code && last < all; last++) {
    uint64_t edge = below(&r, last + 1);
    if (!add(&d, edge)) {
      edge = last;
      add(&d, edge);
    }
    code = weft_edges_add(w, e, (uint32_t)(edge / vertices), (uint32_t)(edge % vertices), 0);
  }
  free(d.slot);
  return code;
}

/* ---- The option's text ------------------------------------------------------------------------------- */

/* A percentage with at most six decimals, in millionths of a percent; false if it is none. */
static bool parse_percent(const char *text, uint64_t *millionths)
{
  uint64_t value = 0, unit = MILLIONTHS;
  bool point = false, digits = false;
  for (; *text; text++) {
    if (*text == '.' && !point) {
      point = true;
      continue;
    }
    if (*text < '0' || *text > '9' || value > 1000 * MILLIONTHS || (point && unit == 1))
      return false;
    digits = true;
    if (point)
      value += (uint64_t)(*text - '0') * (unit /= 10);
    else
      value = 10 * value + (uint64_t)(*text - '0') * MILLIONTHS;
  }
  *millionths = value;
  return digits && value > 0 && value <= 100 * MILLIONTHS;
}

bool weft_graph_is_uniform(const char *graph)
{
  return !strncmp(graph, "uniform:", 8);
}

int weft_uniform_parse(struct weft *w, const char *graph, uint32_t *vertices, uint64_t *edges)
{
  const char *from = graph + 8, *comma = strchr(from, ',');
  struct weft_line word = { from, comma ? comma : from };
  uint64_t count, percent;
  if (!comma || !weft_word_number(&word, &count) || !parse_percent(comma + 1, &percent))
    return weft_fail(w, WEFT_BAD_ARGUMENT, "--graph %s: use %s", graph, SHAPE);
  if (!count || count > WEFT_VERTICES_MAX)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "--graph %s: %" PRIu64 " vertices; use 1 to %" PRIu32, graph,
                     count, WEFT_VERTICES_MAX);
  /* rounded to the nearest; split so that nothing overflows */
  uint64_t all = count * count, whole = 100 * MILLIONTHS;
  uint64_t some = all / whole * percent + (all % whole * percent + whole / 2) / whole;
  if (some > WEFT_UNIFORM_EDGES_MAX)
    return weft_fail(w, WEFT_BAD_ARGUMENT, "--graph %s: %" PRIu64 " edges; at most %" PRIu32 " are made",
                     graph, some, WEFT_UNIFORM_EDGES_MAX);
  *vertices = (uint32_t)count;
  *edges = some;
  return WEFT_OK;
}
