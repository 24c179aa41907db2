/* SPDX-License-Identifier: Apache-2.0 */
#include "text_input.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "error.h"

/* Reads to the end, however long that is: pipes have no size. */
static int slurp(struct weft *w, FILE *file, const char *path, char **text, size_t *bytes)
{
  size_t room = 1 << 16, used = 0;
  char *buffer = malloc(room);
  while (buffer) {
    used += fread(buffer + used, 1, room - used, file);
    if (used < room)
      break;
    char *bigger = realloc(buffer, room *= 2);
    if (!bigger)
      free(buffer);
    buffer = bigger;
  }
  if (!buffer)
    return weft_fail_memory(w);
  if (ferror(file)) {
    free(buffer);
    return weft_fail_errno(w, WEFT_NO_FILE, errno, "cannot read %s", path);
  }
  *text = buffer;
  *bytes = used;
  return WEFT_OK;
}

int weft_file_read(struct weft *w, const char *path, char **text, size_t *bytes)
{
  struct stat status;
  FILE *file = fopen(path, "rb");
  if (!file)
    return weft_fail_errno(w, WEFT_NO_FILE, errno, "cannot open %s", path);
  if (!fstat(fileno(file), &status) && S_ISDIR(status.st_mode)) {
    fclose(file);
    return weft_fail(w, WEFT_NO_FILE, "cannot read %s: it is a folder", path);
  }
  int code = slurp(w, file, path, text, bytes);
  fclose(file);
  return code;
}

bool weft_line_next(struct weft_text_input *in, struct weft_line *line)
{
  if (in->at >= in->bytes)
    return false;
  const char *start = in->text + in->at;
  const char *end = memchr(start, '\n', in->bytes - in->at);
  size_t length = end ? (size_t)(end - start) : in->bytes - in->at;
  in->at += length + 1;
  in->line++;
  if (length && start[length - 1] == '\r')
    length--;
  *line = (struct weft_line){ start, start + length };
  return true;
}

static bool blank(char c)
{
  return c == ' ' || c == '\t';
}

bool weft_line_word(struct weft_line *line, struct weft_line *word)
{
  while (line->at < line->end && blank(*line->at))
    line->at++;
  word->at = line->at;
  while (line->at < line->end && !blank(*line->at))
    line->at++;
  word->end = line->at;
  return word->end > word->at;
}

bool weft_word_is(const struct weft_line *word, const char *text)
{
  size_t length = (size_t)(word->end - word->at);
  return strlen(text) == length && !strncasecmp(word->at, text, length);
}

int weft_hex_digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

bool weft_word_number(const struct weft_line *word, uint64_t *value)
{
  const char *at = word->at;
  uint64_t base = 10, result = 0;
  if (word->end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
    base = 16;
    at += 2;
  }
  if (at == word->end)
    return false;
  for (; at < word->end; at++) {
    uint64_t d = (uint64_t)(int64_t)weft_hex_digit(*at); /* -1 becomes larger than any base */
    if (d >= base || result > (UINT64_MAX - d) / base)
      return false;
    result = result * base + d;
  }
  *value = result;
  return true;
}

void weft_line_fail_text(struct weft_text_input *in, const char *format, ...)
{
  char text[512];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  weft_fail_text(in->w, WEFT_BAD_FILE, "%s line %u: %s", in->name, in->line ? in->line : 1, text);
}

struct weft_shown weft_word_shown(const struct weft_line *word)
{
  struct weft_shown shown = { "" };
  size_t length = (size_t)(word->end - word->at), most = sizeof shown.text - 4;
  for (size_t i = 0; i < length && i < most; i++)
    shown.text[i] = word->at[i] >= ' ' && word->at[i] <= '~' ? word->at[i] : '?';
  if (length > most)
    memcpy(shown.text + most, "...", 4);
  return shown;
}
