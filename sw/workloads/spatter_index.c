/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern's indices, written out or as one of Spatter's short forms. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json_reader.h"
#include "spatter.h"

#define NUMBERS_MOST 256u
#define FORM_BYTES 2048u

int weft_indices_add(struct weft_text_input *in, struct weft_indices *list, uint64_t index)
{
  if (list->count == WEFT_SPATTER_LENGTH_MAX)
    return weft_line_fail(in, "a pattern of more than %u indices", WEFT_SPATTER_LENGTH_MAX);
  if (index > WEFT_SPATTER_INDEX_MAX)
    return weft_line_fail(in, "the index %" PRIu64 " is larger than %u", index, WEFT_SPATTER_INDEX_MAX);
  if (list->count == list->room) {
    size_t room = list->room ? 2 * list->room : 64;
    uint64_t *bigger = realloc(list->index, room * sizeof *bigger);
    if (!bigger)
      return weft_fail_memory(in->w);
    list->index = bigger;
    list->room = room;
  }
  list->index[list->count++] = index;
  return WEFT_OK;
}

/* ---- Short forms ------------------------------------------------------------------------------------- */

/* "MS1:8:2,4:10,20" as words, each a list of numbers. */
struct form {
  unsigned words;
  unsigned count[4];
  uint64_t number[4][NUMBERS_MOST];
};

static int split(struct weft_text_input *in, char *text, struct form *form)
{
  form->words = 0;
  for (char *word = text; word;) {
    char *colon = strchr(word, ':');
    if (colon)
      *colon = 0;
    if (form->words == 4)
      return weft_line_fail(in, "too many parts in a pattern");
    unsigned *count = &form->count[form->words];
    *count = 0;
    for (char *at = word; at;) {
      char *comma = strchr(at, ',');
      struct weft_line number = { at, comma ? comma : at + strlen(at) };
      if (*count == NUMBERS_MOST || !weft_word_number(&number, &form->number[form->words][*count]))
        return weft_line_fail(in, "'%s' in a pattern is not a whole number", weft_word_shown(&number).text);
      if (form->number[form->words][(*count)++] > WEFT_SPATTER_INDEX_MAX)
        return weft_line_fail(in, "a number in a pattern is larger than %u", WEFT_SPATTER_INDEX_MAX);
      at = comma ? comma + 1 : NULL;
    }
    form->words++;
    word = colon ? colon + 1 : NULL;
  }
  return WEFT_OK;
}

static int make_uniform(struct weft_text_input *in, const struct form *f, struct weft_indices *list)
{
  if (f->words != 2 || f->count[0] != 1 || f->count[1] != 1)
    return weft_line_fail(in, "a uniform pattern is UNIFORM:LENGTH:STRIDE");
  int code = WEFT_OK;
  for (uint64_t i = 0; !code && i < f->number[0][0]; i++)
    code = weft_indices_add(in, list, i * f->number[1][0]);
  return code;
}

/* Mostly stride 1: at the given places the index grows by a gap instead. */
static int make_ms1(struct weft_text_input *in, const struct form *f, struct weft_indices *list)
{
  if (f->words != 3 || f->count[0] != 1 || (f->count[2] != 1 && f->count[2] != f->count[1]))
    return weft_line_fail(
      in, "a mostly-stride-1 pattern is MS1:LENGTH:PLACES:GAPS, one gap or as many as places");
  int code = WEFT_OK;
  unsigned next = 0;
  uint64_t value = UINT64_MAX; /* one before 0 */
  for (uint64_t i = 0; !code && i < f->number[0][0]; i++) {
    uint64_t step = 1;
    if (next < f->count[1] && f->number[1][next] == i) {
      step = f->number[2][f->count[2] > 1 ? next : 0];
      next++;
    }
    if (value == UINT64_MAX && !step)
      return weft_line_fail(in, "a gap of 0 at place 0 would make a negative index");
    value += step;
    code = weft_indices_add(in, list, value);
  }
  return code;
}

/* A star with `order` points on either side of the centre, along each dimension of a cube. */
static int make_laplacian(struct weft_text_input *in, const struct form *f, struct weft_indices *list)
{
  if (f->words != 3 || f->count[0] != 1 || f->count[1] != 1 || f->count[2] != 1 || !f->number[0][0] ||
      !f->number[1][0])
    return weft_line_fail(in, "a Laplacian pattern is LAPLACIAN:DIMENSIONS:ORDER:SIDE, all of them positive");
  struct weft_indices arm = { 0 };
  int code = WEFT_OK;
  uint64_t stride = 1;
  for (uint64_t d = 0; !code && d < f->number[0][0]; d++) {
    for (uint64_t k = 1; !code && k <= f->number[1][0]; k++)
      code = weft_indices_add(in, &arm, k * stride);
    stride *= f->number[2][0];
    if (!code && stride > WEFT_SPATTER_INDEX_MAX && d + 1 < f->number[0][0])
      code =
        weft_line_fail(in, "a Laplacian pattern whose indices are larger than %u", WEFT_SPATTER_INDEX_MAX);
  }
  uint64_t centre = arm.count ? arm.index[arm.count - 1] : 0;
  for (size_t i = arm.count; !code && i-- > 0;)
    code = arm.index[i] > centre
             ? weft_line_fail(in, "a Laplacian pattern whose arms overlap; use a larger side")
             : weft_indices_add(in, list, centre - arm.index[i]);
  if (!code)
    code = weft_indices_add(in, list, centre);
  for (size_t i = 0; !code && i < arm.count; i++)
    code = weft_indices_add(in, list, centre + arm.index[i]);
  free(arm.index);
  return code;
}

static int parse_form(struct weft_text_input *in, struct weft_indices *list)
{
  static const struct {
    const char *name;
    int (*make)(struct weft_text_input *, const struct form *, struct weft_indices *);
  } forms[] = { { "UNIFORM:", make_uniform }, { "MS1:", make_ms1 }, { "LAPLACIAN:", make_laplacian } };
  char text[FORM_BYTES];
  struct form *form = malloc(sizeof *form);
  int code = form ? weft_json_string(in, text, sizeof text) : weft_fail_memory(in->w);
  bool known = false;
  for (size_t i = 0; !code && i < 3; i++)
    if (!strncmp(text, forms[i].name, strlen(forms[i].name))) {
      known = true;
      code = split(in, text + strlen(forms[i].name), form);
      if (!code)
        code = forms[i].make(in, form, list);
    }
  if (!code && !known)
    code = weft_line_fail(in, "a pattern is a list of indices, UNIFORM:N:S, MS1:N:P:G or LAPLACIAN:D:O:S");
  free(form);
  return code;
}

int weft_indices_parse(struct weft_text_input *in, struct weft_indices *list)
{
  list->count = 0;
  if (weft_json_peek(in) == '"')
    return parse_form(in, list);
  bool first = true, more = true;
  int code = weft_json_expect(in, '[');
  while (!code) {
    uint64_t index;
    code = weft_json_next(in, ']', &first, &more);
    if (code || !more)
      break;
    code = weft_json_whole(in, &index);
    if (!code)
      code = weft_indices_add(in, list, index);
  }
  return code;
}
