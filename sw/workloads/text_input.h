/* SPDX-License-Identifier: Apache-2.0 */
/* Text files as the parsers read them: whole in memory, line by line, every error with its line's number. */
#ifndef WEFT_TEXT_INPUT_H
#define WEFT_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct weft;

struct weft_text_input {
  struct weft *w;
  const char *name; /* of the file, for messages */
  const char *text; /* `bytes` of it; no NUL needed behind */
  size_t bytes;
  size_t at;
  unsigned line; /* of the last one returned, from 1 */
};

/* Reads a file into memory (free() it); a code of the library. */
int weft_file_read(struct weft *w, const char *path, char **text, size_t *bytes);

/* A line without its end; false at the end of the text. */
struct weft_line {
  const char *at, *end;
};
bool weft_line_next(struct weft_text_input *in, struct weft_line *line);
/* Skips blanks, then takes a word; false if none is left. */
bool weft_line_word(struct weft_line *line, struct weft_line *word);
bool weft_word_is(const struct weft_line *word, const char *text); /* without regard to case */
/* A whole number, decimal or 0x; false if the word is anything else or too large. */
bool weft_word_number(const struct weft_line *word, uint64_t *value);
int weft_hex_digit(char c); /* 0 to 15, or -1 */
/* "FILE line N: ..." */
void weft_line_fail_text(struct weft_text_input *in, const char *format, ...) WEFT_PRINTF(2, 3);
#define weft_line_fail(in, ...) (weft_line_fail_text(in, __VA_ARGS__), weft_fail_code(WEFT_BAD_FILE))
/* A word for a message: at most 40 characters of it, unprintable ones as '?'. */
struct weft_shown {
  char text[44];
};
struct weft_shown weft_word_shown(const struct weft_line *word);

#endif
