/* SPDX-License-Identifier: Apache-2.0 */
/* The section in braces: types, and what registers and locations hold at the start. */
#include <string.h>

#include "parse.h"

struct type {
  bool said;
  unsigned bytes;
  bool is_unsigned;
};

/* Looking at a word of a C type: takes it in. */
static bool type_word(const char *word, struct type *type)
{
  static const struct {
    const char *name;
    unsigned bytes;
    bool is_unsigned;
  } types[] = {
    { "int", 4, false },        { "char", 1, false },     { "short", 2, false },    { "long", 8, false },
    { "signed", 4, false },     { "unsigned", 4, true },  { "int8_t", 1, false },   { "uint8_t", 1, true },
    { "int16_t", 2, false },    { "uint16_t", 2, true },  { "int32_t", 4, false },  { "uint32_t", 4, true },
    { "int64_t", 8, false },    { "uint64_t", 8, true },  { "intptr_t", 8, false }, { "uintptr_t", 8, true },
    { "atomic_int", 4, false }, { "volatile", 0, false }, { "const", 0, false },    { "_Atomic", 0, false },
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i].name, word)) {
      bool wider = strcmp(word, "int") != 0 || !type->bytes;
      if (types[i].bytes && wider)
        type->bytes = types[i].bytes;
      type->is_unsigned |= types[i].is_unsigned;
      type->said = true;
      return true;
    }
  return false;
}

static bool read_type(struct litmus_lexer *l, struct type *type)
{
  *type = (struct type){ 0 };
  while (l->kind == LITMUS_WORD && type_word(l->word, type))
    if (!weft_litmus_next(l))
      return false;
  while (weft_litmus_take(l, "*")) {
    type->said = true;
    type->bytes = 8;
  }
  return !l->code;
}

/* A number, or the address of a location. */
static bool read_value(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_operand *value)
{
  *value = (struct litmus_operand){ .kind = LITMUS_VALUE };
  bool inside = weft_litmus_take(l, "(");
  weft_litmus_take(l, "&");
  if (l->kind != LITMUS_WORD)
    return weft_litmus_integer(l, &value->value) && (!inside || weft_litmus_expect(l, ")"));
  int64_t element = 0;
  value->kind = LITMUS_ADDRESS;
  if (!weft_litmus_location(l, t, &value->index))
    return false;
  if (weft_litmus_take(l, "[")) {
    if (!weft_litmus_integer(l, &element) || !weft_litmus_expect(l, "]"))
      return false;
    if (element < 0 || element >= LITMUS_ELEMENTS)
      return litmus_fail(l, "an array has at most %d elements", LITMUS_ELEMENTS);
    value->value = element * (int64_t)weft_litmus_element_bytes(t, value->index);
  } else if (weft_litmus_take(l, "+") && !weft_litmus_integer(l, &value->value)) {
    return false;
  }
  return !inside || weft_litmus_expect(l, ")");
}

static bool read_register(struct litmus_lexer *l, struct weft_litmus *t, unsigned thread)
{
  unsigned index;
  if (!weft_litmus_next(l) || !weft_litmus_expect(l, ":") || !weft_litmus_register(l, t, thread, &index))
    return false;
  return !weft_litmus_take(l, "=") || read_value(l, t, &t->thread[thread].start[index]);
}

static bool read_elements(struct litmus_lexer *l, struct weft_litmus *t, struct litmus_location *location)
{
  unsigned i = 0;
  while (!weft_litmus_is(l, "}")) {
    if (i == location->count)
      return litmus_fail(l, "more values than the %u elements of %s", location->count, location->name);
    if (!read_value(l, t, &location->start[i++]) || (!weft_litmus_is(l, "}") && !weft_litmus_expect(l, ",")))
      return false;
  }
  return weft_litmus_next(l);
}

/* x=1   int x[2]={1,2}   uint64_t x   [x]=1 */
static bool read_location(struct litmus_lexer *l, struct weft_litmus *t, const struct type *type)
{
  unsigned index;
  int64_t count = 1;
  bool bracket = weft_litmus_take(l, "[");
  if (!weft_litmus_location(l, t, &index) || (bracket && !weft_litmus_expect(l, "]")))
    return false;
  struct litmus_location *location = &t->location[index];
  if (type->said) {
    location->bytes = type->bytes ? type->bytes : 4;
    location->is_unsigned = type->is_unsigned;
  }
  if (!bracket && weft_litmus_take(l, "[")) {
    if (!weft_litmus_integer(l, &count) || !weft_litmus_expect(l, "]"))
      return false;
    if (count < 1 || count > LITMUS_ELEMENTS)
      return litmus_fail(l, "an array of %lld elements; 1 to %d are read", (long long)count, LITMUS_ELEMENTS);
    location->count = (unsigned)count;
  }
  if (weft_litmus_is(l, "@") || weft_litmus_is(l, "->")) {
    weft_litmus_skip(t, l->token_line, "locations that alias others");
    while (!weft_litmus_is(l, ";") && !weft_litmus_is(l, "}") && l->kind != LITMUS_END)
      if (!weft_litmus_next(l))
        return false;
    return true;
  }
  if (!weft_litmus_take(l, "="))
    return !l->code;
  if (weft_litmus_take(l, "{"))
    return read_elements(l, t, location);
  return read_value(l, t, &location->start[0]);
}

bool weft_litmus_read_init(struct litmus_lexer *l, struct weft_litmus *t)
{
  if (!weft_litmus_expect(l, "{"))
    return false;
  while (!weft_litmus_is(l, "}")) {
    struct type type;
    unsigned thread;
    if (l->kind == LITMUS_END)
      return litmus_fail(l, "the file ends before its '}': is it cut short?");
    if (weft_litmus_take(l, ";"))
      continue;
    if (!read_type(l, &type))
      return false;
    bool good =
      weft_litmus_at_register(l, &thread) ? read_register(l, t, thread) : read_location(l, t, &type);
    if (!good)
      return false;
    if (!weft_litmus_is(l, "}") && !weft_litmus_expect(l, ";"))
      return false;
  }
  if (!weft_litmus_next(l))
    return false;
  weft_litmus_take(l, ";");
  return !l->code;
}
