/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON front to back, and knows the line that it is at: a library's tree would have forgotten it. */
#ifndef WEFT_JSON_READER_H
#define WEFT_JSON_READER_H

#include "text_input.h"

/* Every function returns a code of the library. `in` moves on; on failure it stands where the error is. */

/* The next character that is no blank, without taking it; 0 at the end. */
char weft_json_peek(struct weft_text_input *in);
int weft_json_expect(struct weft_text_input *in, char c);
/* Inside '[' or '{', before an element: sets *more, and takes the comma. `first` belongs to the caller. */
int weft_json_next(struct weft_text_input *in, char close, bool *first, bool *more);
/* A string; escapes are taken, those of other than ASCII characters as '?'. Longer ones are cut. */
int weft_json_string(struct weft_text_input *in, char *text, size_t size);
/* A whole number of at most 64 bits, not negative. */
int weft_json_whole(struct weft_text_input *in, uint64_t *value);
/* Any value, passed over. */
int weft_json_skip(struct weft_text_input *in);

#endif
