/* SPDX-License-Identifier: Apache-2.0 */
/* Words, numbers and signs, and the free text in front of them. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "parse.h"

void weft_litmus_fail_text(struct litmus_lexer *l, unsigned line, const char *format, ...)
{
  char text[512];
  va_list values;
  if (l->code)
    return;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  l->code = weft_fail(l->w, WEFT_BAD_FILE, "%s line %u: %s", l->name, line, text);
}

bool weft_litmus_fail_memory(struct litmus_lexer *l)
{
  if (!l->code)
    l->code = weft_fail_memory(l->w);
  return false;
}

const char *weft_litmus_shown(const struct litmus_lexer *l)
{
  return l->kind == LITMUS_END      ? "the end of the file: is it cut short?"
         : l->kind == LITMUS_NUMBER ? "a number"
                                    : l->word;
}

/* ---- Characters -------------------------------------------------------------------------------------- */

static int peek(const struct litmus_lexer *l, size_t ahead)
{
  return l->at + ahead < l->bytes ? (unsigned char)l->text[l->at + ahead] : -1;
}

static void pass(struct litmus_lexer *l)
{
  if (l->text[l->at++] == '\n')
    l->line++;
}

/* Comments nest. */
static bool pass_comment(struct litmus_lexer *l)
{
  unsigned depth = 0, start = l->line;
  do {
    if (peek(l, 0) < 0) {
      weft_litmus_fail_text(l, start, "a comment begins here and does not end");
      return false;
    }
    bool opens = peek(l, 0) == '(' && peek(l, 1) == '*', closes = peek(l, 0) == '*' && peek(l, 1) == ')';
    depth += opens;
    depth -= closes;
    if (opens || closes)
      pass(l);
    pass(l);
  } while (depth);
  return true;
}

static bool pass_blanks(struct litmus_lexer *l)
{
  for (;;) {
    if (peek(l, 0) == '(' && peek(l, 1) == '*') {
      if (!pass_comment(l))
        return false;
    } else if (peek(l, 0) >= 0 && isspace(peek(l, 0))) {
      pass(l);
    } else {
      return true;
    }
  }
}

static bool word_begins(int c)
{
  return c >= 0 && (isalpha(c) || strchr("_%$.", c)) && c;
}

/* ---- Tokens ------------------------------------------------------------------------------------------ */

static bool take_word(struct litmus_lexer *l)
{
  size_t length = 0;
  for (int c = peek(l, 0); word_begins(c) || (c >= 0 && isdigit(c)); c = peek(l, 0)) {
    if (length + 1 == sizeof l->word)
      return litmus_fail(l, "a word of more than %zu characters", sizeof l->word - 1);
    l->word[length++] = (char)c;
    pass(l);
  }
  l->word[length] = 0;
  l->kind = LITMUS_WORD;
  return true;
}

static bool take_number(struct litmus_lexer *l)
{
  unsigned base = 10;
  uint64_t value = 0;
  if (peek(l, 0) == '0' && (peek(l, 1) == 'x' || peek(l, 1) == 'X') && peek(l, 2) >= 0 &&
      isxdigit(peek(l, 2))) {
    base = 16;
    l->at += 2;
  }
  for (int c = peek(l, 0); c >= 0 && (base == 16 ? isxdigit(c) : isdigit(c)); c = peek(l, 0)) {
    unsigned digit = isdigit(c) ? (unsigned)(c - '0') : (unsigned)(tolower(c) - 'a') + 10;
    if (value > (UINT64_MAX - digit) / base)
      return litmus_fail(l, "a number that does not fit into 64 bits");
    value = value * base + digit;
    pass(l);
  }
  l->number = (int64_t)value;
  l->kind = LITMUS_NUMBER;
  return true;
}

static bool take_sign(struct litmus_lexer *l)
{
  static const char *const pairs[] = { "/\\", "\\/", "==", "!=", "<=", ">=", "=>", "->" };
  int c = peek(l, 0);
  if (c < ' ' || c > '~')
    return litmus_fail(l, "byte 0x%02x, which no litmus test has here", (unsigned)c);
  l->kind = LITMUS_SIGN;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] == c && pairs[i][1] == peek(l, 1)) {
      memcpy(l->word, pairs[i], 3);
      l->at += 2;
      return true;
    }
  l->word[0] = (char)c;
  l->word[1] = 0;
  l->at++;
  return true;
}

bool weft_litmus_next(struct litmus_lexer *l)
{
  l->kind = LITMUS_END;
  if (l->code || !pass_blanks(l))
    return false;
  l->token_line = l->line;
  int c = peek(l, 0);
  if (c < 0)
    return true;
  if (word_begins(c))
    return take_word(l);
  return isdigit(c) ? take_number(l) : take_sign(l);
}

bool weft_litmus_is(const struct litmus_lexer *l, const char *text)
{
  return (l->kind == LITMUS_WORD || l->kind == LITMUS_SIGN) && !strcmp(l->word, text);
}

bool weft_litmus_take(struct litmus_lexer *l, const char *text)
{
  return weft_litmus_is(l, text) && weft_litmus_next(l);
}

bool weft_litmus_expect(struct litmus_lexer *l, const char *text)
{
  if (!weft_litmus_is(l, text))
    return litmus_fail(l, "'%s' is needed, not %s", text, weft_litmus_shown(l));
  return weft_litmus_next(l);
}

/* ---- The head ---------------------------------------------------------------------------------------- */

/* A file of another kind is told apart before anything in it is looked at. */
static bool check_text(struct litmus_lexer *l)
{
  size_t seen = 0;
  unsigned line = 1;
  for (size_t i = 0; i < l->bytes; i++) {
    unsigned char c = (unsigned char)l->text[i];
    if ((c < ' ' && !isspace(c)) || c == 0x7f) {
      weft_litmus_fail_text(l, line, "byte 0x%02x: this is no text file", c);
      return false;
    }
    line += c == '\n';
    seen += !isspace(c);
  }
  if (!seen)
    weft_litmus_fail_text(l, 1, "the file is empty; a litmus test begins with RISCV or PTX and its name");
  return seen;
}

static bool take_line(struct litmus_lexer *l, char **text)
{
  const char *start = l->text + l->at;
  const char *end = memchr(start, '\n', l->bytes - l->at);
  size_t length = end ? (size_t)(end - start) : l->bytes - l->at;
  l->at += length;
  while (length && isspace((unsigned char)*start))
    start++, length--;
  while (length && isspace((unsigned char)start[length - 1]))
    length--;
  *text = strndup(start, length);
  return *text || weft_litmus_fail_memory(l);
}

static bool pass_quoted(struct litmus_lexer *l)
{
  unsigned start = l->line;
  pass(l);
  while (peek(l, 0) >= 0 && peek(l, 0) != '"')
    pass(l);
  if (peek(l, 0) < 0) {
    weft_litmus_fail_text(l, start, "a text in quotes begins here and does not end");
    return false;
  }
  pass(l);
  return true;
}

/* Texts in quotes, and lines such as `Cycle=Rfe PodRR Fre`. */
static bool pass_information(struct litmus_lexer *l)
{
  while (pass_blanks(l) && peek(l, 0) != '{') {
    if (peek(l, 0) < 0) {
      weft_litmus_fail_text(l, l->line, "the file ends before its '{': is it cut short?");
      return false;
    }
    if (peek(l, 0) == '"') {
      if (!pass_quoted(l))
        return false;
      continue;
    }
    while (peek(l, 0) >= 0 && peek(l, 0) != '\n' && peek(l, 0) != '{')
      pass(l);
  }
  return !l->code;
}

bool weft_litmus_read_head(struct litmus_lexer *l, struct weft_litmus *t)
{
  if (!check_text(l) || !weft_litmus_next(l))
    return false;
  if (l->kind == LITMUS_WORD && !strcasecmp(l->word, "RISCV"))
    t->dialect = LITMUS_RISCV;
  else if (l->kind == LITMUS_WORD && !strcasecmp(l->word, "PTX"))
    t->dialect = LITMUS_PTX;
  else if (l->kind == LITMUS_WORD)
    return litmus_fail(l, "dialect '%s'; RISCV and PTX are read", l->word);
  else
    return litmus_fail(l, "a litmus test begins with its dialect, RISCV or PTX, and its name");
  return take_line(l, &t->name) && pass_information(l);
}
