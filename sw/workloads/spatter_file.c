/* SPDX-License-Identifier: Apache-2.0 */
/* Spatter's JSON: a list of objects, each a pattern and how often it is applied. Keys that only matter to the
 * machine it was made for are passed over. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json_reader.h"
#include "spatter.h"

#define PATTERNS_MOST 1024u
#define DEFAULT_DELTA 8u
#define DEFAULT_COUNT 1024u

/* An object as it stands in the file. */
struct entry {
  char kernel[24];
  struct weft_indices pattern, gather, scatter;
  uint64_t delta, delta_gather, delta_scatter, count;
  uint64_t pattern_size, boundary; /* 0: not given */
};

static int parse_key(struct weft_text_input *in, const char *key, struct entry *e)
{
  const struct {
    const char *key;
    struct weft_indices *list;
    uint64_t *number;
  } known[] = {
    { "pattern", &e->pattern, NULL },
    { "pattern-gather", &e->gather, NULL },
    { "pattern-scatter", &e->scatter, NULL },
    { "delta", NULL, &e->delta },
    { "delta-gather", NULL, &e->delta_gather },
    { "delta-scatter", NULL, &e->delta_scatter },
    { "count", NULL, &e->count },
    { "pattern-size", NULL, &e->pattern_size },
    { "boundary", NULL, &e->boundary },
  };
  if (!strcmp(key, "kernel"))
    return weft_json_string(in, e->kernel, sizeof e->kernel);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(key, known[i].key))
      return known[i].list ? weft_indices_parse(in, known[i].list) : weft_json_whole(in, known[i].number);
  return weft_json_skip(in);
}

static int parse_object(struct weft_text_input *in, struct entry *e)
{
  char key[32];
  bool first = true, more = true;
  *e = (struct entry){ .kernel = "gather",
                       .delta = DEFAULT_DELTA,
                       .delta_gather = DEFAULT_DELTA,
                       .delta_scatter = DEFAULT_DELTA,
                       .count = DEFAULT_COUNT };
  int code = weft_json_expect(in, '{');
  while (!code) {
    code = weft_json_next(in, '}', &first, &more);
    if (code || !more)
      break;
    code = weft_json_string(in, key, sizeof key);
    if (!code)
      code = weft_json_expect(in, ':');
    if (!code)
      code = parse_key(in, key, e);
  }
  return code;
}

static int trim(struct weft_text_input *in, const struct entry *e, struct weft_indices *list)
{
  if (e->pattern_size > list->count)
    return weft_line_fail(in, "a pattern-size of %" PRIu64 " for a pattern of %zu", e->pattern_size,
                          list->count);
  if (e->pattern_size)
    list->count = (size_t)e->pattern_size;
  for (size_t i = 0; e->boundary && i < list->count; i++)
    list->index[i] %= e->boundary;
  return WEFT_OK;
}

/* indices := through[indices] */
static int compose(struct weft_text_input *in, struct weft_indices *indices,
                   const struct weft_indices *through)
{
  for (size_t i = 0; i < indices->count; i++) {
    if (indices->index[i] >= through->count)
      return weft_line_fail(in, "the index %" PRIu64 " of the inner pattern is not in the outer one of %zu",
                            indices->index[i], through->count);
    indices->index[i] = through->index[indices->index[i]];
  }
  return WEFT_OK;
}

static void take(struct weft_indices *from, uint64_t **index, size_t *length)
{
  *index = from->index;
  *length = from->count;
  *from = (struct weft_indices){ 0 };
}

static int make_pattern(struct weft_text_input *in, struct entry *e, struct weft_spatter_pattern *p)
{
  bool both = !strcasecmp(e->kernel, "gs") || !strcasecmp(e->kernel, "sg");
  bool multi_gather = !strcasecmp(e->kernel, "multigather"),
       multi_scatter = !strcasecmp(e->kernel, "multiscatter");
  bool gather = multi_gather || !strcasecmp(e->kernel, "gather");
  if (!both && !gather && !multi_scatter && strcasecmp(e->kernel, "scatter") != 0)
    return weft_line_fail(in, "the kernel '%s' is none of Gather, Scatter, GS, MultiGather, MultiScatter",
                          e->kernel);
  struct weft_indices *indices = both || multi_gather ? &e->gather
                                 : multi_scatter      ? &e->scatter
                                                      : &e->pattern;
  int code = trim(in, e, indices);
  if (!code && (multi_gather || multi_scatter))
    code = compose(in, indices, &e->pattern);
  if (!code && !indices->count)
    code = weft_line_fail(in, "the pattern '%s' of this entry is missing or empty",
                          indices == &e->pattern  ? "pattern"
                          : indices == &e->gather ? "pattern-gather"
                                                  : "pattern-scatter");
  if (!code && both) {
    code = trim(in, e, &e->scatter);
    if (!code && e->scatter.count != indices->count)
      code = weft_line_fail(in, "a pattern-gather of %zu and a pattern-scatter of %zu indices",
                            indices->count, e->scatter.count);
  }
  uint64_t delta = both ? e->delta_gather : e->delta;
  if (!code && (delta > WEFT_SPATTER_INDEX_MAX || e->delta_scatter > WEFT_SPATTER_INDEX_MAX))
    code = weft_line_fail(in, "a delta larger than %u", WEFT_SPATTER_INDEX_MAX);
  if (!code && !e->count)
    code = weft_line_fail(in, "a count of 0");
  if (code)
    return code;
  *p = (struct weft_spatter_pattern){ .kernel = both     ? WEFT_GATHER_SCATTER
                                                : gather ? WEFT_GATHER
                                                         : WEFT_SCATTER,
                                      .delta = delta,
                                      .delta_to = e->delta_scatter,
                                      .count = e->count };
  take(indices, &p->index, &p->length);
  if (both)
    take(&e->scatter, &p->to, &p->length);
  return WEFT_OK;
}

static int add_entry(struct weft_text_input *in, struct weft_spatter_set *set)
{
  struct entry e;
  int code = parse_object(in, &e);
  if (!code && set->count == PATTERNS_MOST)
    code = weft_line_fail(in, "more than %u patterns", PATTERNS_MOST);
  if (!code && !set->pattern) {
    set->pattern = calloc(PATTERNS_MOST, sizeof *set->pattern);
    code = set->pattern ? WEFT_OK : weft_fail_memory(in->w);
  }
  if (!code)
    code = make_pattern(in, &e, &set->pattern[set->count]);
  if (!code)
    set->count++;
  free(e.pattern.index);
  free(e.gather.index);
  free(e.scatter.index);
  return code;
}

int weft_spatter_parse(struct weft *w, const char *name, const char *text, size_t bytes,
                       struct weft_spatter_set *set)
{
  struct weft_text_input in = { .w = w, .name = name, .text = text, .bytes = bytes };
  bool first = true, more = true;
  memset(set, 0, sizeof *set);
  int code = weft_json_expect(&in, '[');
  while (!code) {
    code = weft_json_next(&in, ']', &first, &more);
    if (code || !more)
      break;
    code = add_entry(&in, set);
  }
  if (!code)
    weft_json_peek(&in);
  if (!code && in.at < in.bytes)
    code = weft_line_fail(&in, "something stands behind the end of the list");
  if (!code && !set->count)
    code = weft_line_fail(&in, "the file holds no pattern");
  if (code)
    weft_spatter_free(set);
  return code;
}

void weft_spatter_free(struct weft_spatter_set *set)
{
  for (size_t i = 0; i < set->count; i++) {
    free(set->pattern[i].index);
    free(set->pattern[i].to);
  }
  free(set->pattern);
  memset(set, 0, sizeof *set);
}
