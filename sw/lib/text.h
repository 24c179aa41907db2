/* SPDX-License-Identifier: Apache-2.0 */
/* A string that grows. When memory runs out it keeps what it has and stops growing. */
#ifndef WEFT_TEXT_H
#define WEFT_TEXT_H

#include <stddef.h>
#include <weft/weft.h>

struct weft_text {
  char *bytes;
  size_t used, room;
};

void weft_text_add(struct weft_text *text, const char *format, ...) WEFT_PRINTF(2, 3);
const char *weft_text_get(const struct weft_text *text); /* "" when nothing was added */
char *weft_text_take(struct weft_text *text);            /* the caller's from now on; may be NULL */
void weft_text_free(struct weft_text *text);

#endif
