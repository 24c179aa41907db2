/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void weft_text_add(struct weft_text *text, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  int need = vsnprintf(NULL, 0, format, values);
  va_end(values);
  if (need < 0)
    return;
  size_t wanted = text->used + (size_t)need + 1;
  if (wanted > text->room) {
    size_t room = text->room ? text->room : 128;
    while (room < wanted)
      room *= 2;
    char *bigger = realloc(text->bytes, room);
    if (!bigger)
      return;
    text->bytes = bigger;
    text->room = room;
  }
  va_start(values, format);
  vsnprintf(text->bytes + text->used, text->room - text->used, format, values);
  va_end(values);
  text->used += (size_t)need;
}

const char *weft_text_get(const struct weft_text *text)
{
  return text->bytes ? text->bytes : "";
}

char *weft_text_take(struct weft_text *text)
{
  char *bytes = text->bytes;
  *text = (struct weft_text){ 0 };
  return bytes;
}

void weft_text_free(struct weft_text *text)
{
  free(text->bytes);
  *text = (struct weft_text){ 0 };
}
