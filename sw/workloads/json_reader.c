/* SPDX-License-Identifier: Apache-2.0 */
#include "json_reader.h"

#include <ctype.h>
#include <string.h>

#include "error.h"

#define DEPTH_MOST 64u

static bool at_end(const struct weft_text_input *in)
{
  return in->at >= in->bytes;
}

char weft_json_peek(struct weft_text_input *in)
{
  if (!in->line)
    in->line = 1;
  while (!at_end(in)) {
    char c = in->text[in->at];
    if (c == '\n')
      in->line++;
    else if (c != ' ' && c != '\t' && c != '\r')
      return c;
    in->at++;
  }
  return 0;
}

static int unexpected(struct weft_text_input *in, const char *wanted)
{
  char c = weft_json_peek(in);
  if (at_end(in))
    return weft_line_fail(in, "the file ends where %s should be", wanted);
  return weft_line_fail(in, "'%c' where %s should be", c >= ' ' && c <= '~' ? c : '?', wanted);
}

int weft_json_expect(struct weft_text_input *in, char c)
{
  char wanted[] = { '\'', c, '\'', 0 };
  if (weft_json_peek(in) != c || at_end(in))
    return unexpected(in, wanted);
  in->at++;
  return WEFT_OK;
}

int weft_json_next(struct weft_text_input *in, char close, bool *first, bool *more)
{
  char wanted[] = "',' or ' '";
  wanted[8] = close;
  char c = weft_json_peek(in);
  *more = c != close;
  if (!*more || (!*first && c == ',')) {
    in->at++;
    if (*more && weft_json_peek(in) == close)
      return unexpected(in, "another element");
  } else if (!*first) {
    return unexpected(in, wanted);
  }
  *first = false;
  return WEFT_OK;
}

/* Behind a backslash; the character goes to *c. */
static int take_escape(struct weft_text_input *in, char *c)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  char escaped = at_end(in) ? 0 : in->text[in->at++];
  const char *found = escaped ? strchr(from, escaped) : NULL;
  if (found) {
    *c = to[found - from];
    return WEFT_OK;
  }
  if (escaped != 'u')
    return weft_line_fail(in, "an unknown escape in a string");
  for (int i = 0; i < 4; i++)
    if (at_end(in) || !isxdigit((unsigned char)in->text[in->at++]))
      return weft_line_fail(in, "an escape \\u needs four hexadecimal digits");
  *c = '?';
  return WEFT_OK;
}

int weft_json_string(struct weft_text_input *in, char *text, size_t size)
{
  size_t used = 0;
  if (weft_json_peek(in) != '"')
    return unexpected(in, "a string");
  in->at++;
  for (;;) {
    if (at_end(in))
      return weft_line_fail(in, "the file ends inside a string");
    char c = in->text[in->at++];
    if (c == '"')
      break;
    if ((unsigned char)c < ' ')
      return weft_line_fail(in, "a string that does not end on its line");
    int code = c == '\\' ? take_escape(in, &c) : WEFT_OK;
    if (code)
      return code;
    if (used + 1 < size)
      text[used++] = c;
  }
  if (size)
    text[used] = 0;
  return WEFT_OK;
}

int weft_json_whole(struct weft_text_input *in, uint64_t *value)
{
  weft_json_peek(in);
  struct weft_line word = { in->text + in->at, in->text + in->at };
  const char *end = in->text + in->bytes;
  while (word.end < end && !strchr(" \t\r\n,]}:[{\"", *word.end))
    word.end++;
  bool hexadecimal = word.end - word.at > 1 && (word.at[1] == 'x' || word.at[1] == 'X');
  if (word.end == word.at)
    return unexpected(in, "a whole number");
  if (hexadecimal || !weft_word_number(&word, value))
    return weft_line_fail(in, "'%s' where a whole number of 0 or more should be",
                          weft_word_shown(&word).text);
  in->at = (size_t)(word.end - in->text);
  return WEFT_OK;
}

static bool in_word(char c)
{
  return isalnum((unsigned char)c) || c == '+' || c == '-' || c == '.';
}

/* A number, true, false or null. */
static int skip_word(struct weft_text_input *in)
{
  size_t start = in->at;
  while (!at_end(in) && in_word(in->text[in->at]))
    in->at++;
  return in->at > start ? WEFT_OK : unexpected(in, "a value");
}

/* The brackets that are open are kept in a list: a file may nest deeper than a stack is. */
int weft_json_skip(struct weft_text_input *in)
{
  char open[DEPTH_MOST];
  bool first[DEPTH_MOST];
  unsigned depth = 0;
  for (;;) {
    int code = WEFT_OK;
    char c = weft_json_peek(in);
    if (c == '[' || c == '{') {
      if (depth == DEPTH_MOST)
        return weft_line_fail(in, "brackets more than %u deep", DEPTH_MOST);
      open[depth] = c;
      first[depth++] = true;
      in->at++;
    } else {
      code = c == '"' ? weft_json_string(in, NULL, 0) : skip_word(in);
    }
    bool more = false;
    while (!code && depth && !more) {
      char close = open[depth - 1] == '[' ? ']' : '}';
      code = weft_json_next(in, close, &first[depth - 1], &more);
      if (!more)
        depth--;
    }
    if (code || !depth)
      return code;
    if (open[depth - 1] == '{') {
      code = weft_json_string(in, NULL, 0);
      if (!code)
        code = weft_json_expect(in, ':');
      if (code)
        return code;
    }
  }
}
