/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram: which final states there were, and how often. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interleave.h"
#include "text.h"

void weft_litmus_states_clear(struct litmus_states *s)
{
  for (size_t i = 0; i < s->count; i++)
    free((char *)(uintptr_t)s->state[i].text);
  free(s->value);
  free(s->state);
  memset(s, 0, sizeof *s);
}

static bool grow(struct litmus_states *s, size_t each)
{
  size_t room = s->room ? 2 * s->room : 16;
  int64_t *value = realloc(s->value, (room * each + 1) * sizeof *value);
  if (value)
    s->value = value;
  struct weft_litmus_state *state = realloc(s->state, room * sizeof *state);
  if (state)
    s->state = state;
  if (value && state)
    s->room = room;
  return value && state;
}

bool weft_litmus_states_count(struct weft_litmus *t, const int64_t *values)
{
  struct litmus_states *s = &t->states;
  size_t each = t->observed_count, bytes = each * sizeof *values;
  for (size_t i = 0; i < s->count; i++)
    if (!bytes || !memcmp(s->value + i * each, values, bytes)) {
      s->state[i].count++;
      return true;
    }
  if (s->count == s->room && !grow(s, each))
    return false;
  if (bytes)
    memcpy(s->value + s->count * each, values, bytes);
  s->state[s->count++] = (struct weft_litmus_state){ .count = 1 };
  return true;
}

static void add_value(const struct weft_litmus *t, struct weft_text *text, int64_t value)
{
  unsigned location = (unsigned)(value >> 16) & 0xff;
  if (!(value & LITMUS_POINTER) || value < 0 || location >= t->locations)
    weft_text_add(text, "%" PRId64 ";", value);
  else if (value & 0xffff)
    weft_text_add(text, "%s+%u;", t->location[location].name, (unsigned)(value & 0xffff));
  else
    weft_text_add(text, "%s;", t->location[location].name);
}

char *weft_litmus_state_text(const struct weft_litmus *t, const int64_t *values)
{
  struct weft_text text = { 0 };
  for (unsigned i = 0; i < t->observed_count; i++) {
    const struct litmus_observed *o = &t->observed[i];
    const char *space = i ? " " : "";
    if (o->thread >= 0)
      weft_text_add(&text, "%s%d:%s=", space, o->thread, t->thread[o->thread].reg[o->index]);
    else if (t->location[o->index].count > 1)
      weft_text_add(&text, "%s%s[%u]=", space, t->location[o->index].name, o->element);
    else
      weft_text_add(&text, "%s%s=", space, t->location[o->index].name);
    add_value(t, &text, values[i]);
  }
  return weft_text_take(&text);
}

size_t weft_litmus_states_compare(struct weft_litmus *t, const struct weft_intern *ends)
{
  struct litmus_states *s = &t->states;
  size_t outside = 0;
  for (size_t i = 0; i < s->count; i++) {
    s->state[i].outside = !weft_litmus_interleave_has(t, ends, s->value + i * t->observed_count);
    outside += s->state[i].outside;
  }
  return outside;
}

static int more_frequent(const void *a, const void *b)
{
  const struct weft_litmus_state *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return strcmp(x->text, y->text);
}

bool weft_litmus_states_finish(struct weft_litmus *t)
{
  struct litmus_states *s = &t->states;
  for (size_t i = 0; i < s->count; i++) {
    const int64_t *values = s->value + i * t->observed_count;
    char *text = weft_litmus_state_text(t, values);
    s->state[i].text = text ? text : strdup("");
    if (!s->state[i].text)
      return false;
    s->state[i].meets = weft_litmus_meets(t, t->condition, values);
  }
  if (s->count)
    qsort(s->state, s->count, sizeof *s->state, more_frequent); /* the values are not needed any more */
  return true;
}
