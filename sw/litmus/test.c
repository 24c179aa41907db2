/* SPDX-License-Identifier: Apache-2.0 */
/* A test's parts: made, found, freed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "weft_protocols.h"

void weft_litmus_skip(struct weft_litmus *t, unsigned line, const char *format, ...)
{
  va_list values;
  if (t->reason[0])
    return;
  int used = line ? snprintf(t->reason, sizeof t->reason, "line %u: ", line) : 0;
  va_start(values, format);
  vsnprintf(t->reason + used, sizeof t->reason - (size_t)used, format, values);
  va_end(values);
}

int weft_litmus_location_find(const struct weft_litmus *t, const char *name)
{
  for (unsigned i = 0; i < t->locations; i++)
    if (!strcmp(t->location[i].name, name))
      return (int)i;
  return -1;
}

int weft_litmus_location_add(struct weft_litmus *t, const char *name)
{
  int found = weft_litmus_location_find(t, name);
  if (found >= 0 || t->locations == LITMUS_LOCATIONS)
    return found;
  struct litmus_location *location = &t->location[t->locations];
  snprintf(location->name, sizeof location->name, "%s", name);
  location->count = 1;
  return (int)t->locations++;
}

int weft_litmus_register_add(struct litmus_thread *t, const char *name)
{
  for (unsigned i = 0; i < t->regs; i++)
    if (!strcmp(t->reg[i], name))
      return (int)i;
  if (t->regs == LITMUS_REGISTERS)
    return -1;
  snprintf(t->reg[t->regs], sizeof t->reg[0], "%s", name);
  t->start[t->regs] = (struct litmus_operand){ .kind = LITMUS_VALUE };
  return (int)t->regs++;
}

bool weft_litmus_grow(void **array, unsigned *room, unsigned count, size_t size)
{
  if (count < *room)
    return true;
  unsigned wanted = *room ? 2 * *room : 16;
  void *bigger = realloc(*array, wanted * size);
  if (!bigger)
    return false;
  *array = bigger;
  *room = wanted;
  return true;
}

struct litmus_instruction *weft_litmus_emit(struct litmus_thread *t, enum litmus_op op, unsigned line)
{
  if (!weft_litmus_grow((void **)&t->code, &t->room, t->count, sizeof *t->code))
    return NULL;
  struct litmus_instruction *i = &t->code[t->count++];
  memset(i, 0, sizeof *i);
  i->op = op;
  i->line = line;
  i->to = -1;
  i->order = WEFT_RELAXED;
  i->scope = WEFT_SYS;
  return i;
}

unsigned weft_litmus_element_bytes(const struct weft_litmus *t, unsigned location)
{
  return t->location[location].bytes ? t->location[location].bytes : t->width;
}

unsigned weft_litmus_location_bytes(const struct weft_litmus *t, unsigned location)
{
  return weft_litmus_element_bytes(t, location) * t->location[location].count;
}

const char *weft_litmus_name(const struct weft_litmus *test)
{
  return test->name;
}

unsigned weft_litmus_threads(const struct weft_litmus *test)
{
  return test->threads;
}

void weft_litmus_free(struct weft_litmus *test)
{
  if (!test)
    return;
  for (unsigned i = 0; i < LITMUS_THREADS; i++) {
    free(test->thread[i].code);
    free(test->thread[i].label);
  }
  weft_litmus_states_clear(&test->states);
  free(test->thread);
  free(test->observed);
  free(test->node);
  free(test->name);
  free(test);
}

bool weft_litmus_promises_sc(const char *protocol)
{
  for (size_t i = 0; i < weft_protocol_count; i++)
    if (!strcmp(weft_protocol_rows[i].name, protocol))
      return weft_protocol_rows[i].causal;
  return false;
}

/* ---- Names ------------------------------------------------------------------------------------------- */

const char *weft_litmus_map_at(size_t index)
{
  static const char *const names[] = { "relaxed", "weak" };
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *weft_litmus_place_at(size_t index)
{
  static const char *const names[] = { "file", "mixed", "random", "spread", "one-gpu", "one-cta" };
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *weft_litmus_oracle_at(size_t index)
{
  static const char *const names[] = { "auto", "none", "sc" };
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *weft_litmus_verdict_name(enum weft_litmus_verdict verdict)
{
  static const char *const names[] = { "seen", "not-seen", "ok", "violated", "skipped" };
  return names[verdict];
}

bool weft_litmus_contradicts(enum weft_litmus_verdict verdict, int expected)
{
  return (expected == 0 && verdict == WEFT_LITMUS_SEEN) || (expected == 1 && verdict == WEFT_LITMUS_VIOLATED);
}
