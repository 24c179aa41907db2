/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix Market files (Boisvert, Pozo and Remington, NISTIR 5935, 1996): the coordinate form, as graphs. */
#include <inttypes.h>
#include <stdlib.h>

#include "graph.h"
#include "text_input.h"

enum field { PATTERN, INTEGER, REAL, COMPLEX };

struct header {
  enum field field;
  bool symmetric; /* an entry off the diagonal stands for two */
};

static int parse_banner(struct weft_text_input *in, struct header *h)
{
  struct weft_line line, word[5];
  if (!weft_line_next(in, &line))
    return weft_line_fail(in, "the file is empty; a Matrix Market file is needed");
  for (int i = 0; i < 5; i++)
    if (!weft_line_word(&line, &word[i]) || (i == 0 && !weft_word_is(&word[0], "%%MatrixMarket")))
      return weft_line_fail(
        in, "a Matrix Market file begins with '%%%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
  if (!weft_word_is(&word[1], "matrix") || !weft_word_is(&word[2], "coordinate"))
    return weft_line_fail(in, "'%s %s': only 'matrix coordinate' is a graph", weft_word_shown(&word[1]).text,
                          weft_word_shown(&word[2]).text);
  static const char *const fields[] = { "pattern", "integer", "real", "complex" };
  int field = -1;
  for (int i = 0; i < 4; i++)
    if (weft_word_is(&word[3], fields[i]))
      field = i;
  if (weft_word_is(&word[3], "double"))
    field = REAL;
  if (field < 0)
    return weft_line_fail(in, "the field '%s' is none of pattern, integer, real, complex",
                          weft_word_shown(&word[3]).text);
  h->field = (enum field)field;
  h->symmetric = !weft_word_is(&word[4], "general");
  if (h->symmetric && !weft_word_is(&word[4], "symmetric") && !weft_word_is(&word[4], "skew-symmetric") &&
      !weft_word_is(&word[4], "hermitian"))
    return weft_line_fail(in, "the symmetry '%s' is none of general, symmetric, skew-symmetric, hermitian",
                          weft_word_shown(&word[4]).text);
  return WEFT_OK;
}

/* The next line that is neither empty nor a comment. */
static bool next_line(struct weft_text_input *in, struct weft_line *line)
{
  while (weft_line_next(in, line)) {
    struct weft_line look = *line, word;
    if (weft_line_word(&look, &word) && *word.at != '%')
      return true;
  }
  return false;
}

static int parse_size(struct weft_text_input *in, struct weft_edges *e, uint64_t *entries)
{
  struct weft_line line, word;
  uint64_t rows, columns;
  if (!next_line(in, &line))
    return weft_line_fail(in, "the file ends before its line of sizes, 'rows columns entries'");
  if (!weft_line_word(&line, &word) || !weft_word_number(&word, &rows) || !weft_line_word(&line, &word) ||
      !weft_word_number(&word, &columns) || !weft_line_word(&line, &word) ||
      !weft_word_number(&word, entries) || weft_line_word(&line, &word))
    return weft_line_fail(in, "three whole numbers are needed here: rows columns entries");
  if (rows != columns)
    return weft_line_fail(in, "%" PRIu64 " rows and %" PRIu64 " columns: a graph is a square matrix", rows,
                          columns);
  if (!rows || rows > WEFT_VERTICES_MAX)
    return weft_line_fail(in, "%" PRIu64 " rows: 1 to %u are possible", rows, WEFT_VERTICES_MAX);
  if (*entries > UINT32_MAX / 2)
    return weft_line_fail(in, "%" PRIu64 " entries: up to %u are possible", *entries, UINT32_MAX / 2);
  e->vertices = (uint32_t)rows;
  return WEFT_OK;
}

static bool looks_real(const struct weft_line *word)
{
  char text[64], *end;
  size_t length = (size_t)(word->end - word->at);
  if (!length || length >= sizeof text)
    return false;
  for (size_t i = 0; i < length; i++)
    text[i] = word->at[i];
  text[length] = 0;
  strtod(text, &end);
  return end == text + length;
}

/* The values of an entry: they must be there and be numbers, but only whole positive ones are used. */
static int parse_values(struct weft_text_input *in, const struct header *h, struct weft_line *line,
                        struct weft_edges *e, uint32_t *weight)
{
  struct weft_line word = { NULL, NULL };
  uint64_t whole;
  unsigned values = h->field == PATTERN ? 0 : h->field == COMPLEX ? 2 : 1;
  for (unsigned i = 0; i < values; i++) {
    if (!weft_line_word(line, &word))
      return weft_line_fail(in, "the entry has no value");
    if (!looks_real(&word))
      return weft_line_fail(in, "'%s' is not a number", weft_word_shown(&word).text);
  }
  if (h->field != INTEGER || !weft_word_number(&word, &whole) || !whole || whole > WEFT_WEIGHT_MAX)
    e->weighted = false;
  else
    *weight = (uint32_t)whole;
  if (weft_line_word(line, &word))
    return weft_line_fail(in, "'%s' is one word too many", weft_word_shown(&word).text);
  return WEFT_OK;
}

static int parse_index(struct weft_text_input *in, struct weft_line *line, const struct weft_edges *e,
                       uint32_t *index)
{
  struct weft_line word;
  uint64_t value;
  if (!weft_line_word(line, &word))
    return weft_line_fail(in, "an entry needs a row and a column");
  if (!weft_word_number(&word, &value) || !value || value > e->vertices)
    return weft_line_fail(in, "'%s' is not a row or column from 1 to %u", weft_word_shown(&word).text,
                          e->vertices);
  *index = (uint32_t)value - 1;
  return WEFT_OK;
}

static int parse_entry(struct weft_text_input *in, const struct header *h, struct weft_line *line,
                       struct weft_edges *e)
{
  uint32_t from = 0, to = 0, weight = 1;
  int code = parse_index(in, line, e, &from);
  if (!code)
    code = parse_index(in, line, e, &to);
  if (!code)
    code = parse_values(in, h, line, e, &weight);
  if (!code)
    code = weft_edges_add(in->w, e, from, to, weight);
  if (!code && h->symmetric && from != to)
    code = weft_edges_add(in->w, e, to, from, weight);
  return code;
}

int weft_mtx_parse(struct weft *w, const char *name, const char *text, size_t bytes, struct weft_edges *e)
{
  struct weft_text_input in = { .w = w, .name = name, .text = text, .bytes = bytes };
  struct header h = { PATTERN, false };
  struct weft_line line;
  uint64_t entries = 0, seen = 0;
  *e = (struct weft_edges){ .weighted = true };
  int code = parse_banner(&in, &h);
  if (!code)
    code = parse_size(&in, e, &entries);
  while (!code && next_line(&in, &line)) {
    if (seen++ == entries)
      code = weft_line_fail(&in, "more entries than the %" PRIu64 " of the line of sizes", entries);
    else
      code = parse_entry(&in, &h, &line, e);
  }
  if (!code && seen < entries)
    code = weft_line_fail(&in, "the file ends after %" PRIu64 " of %" PRIu64 " entries", seen, entries);
  if (code)
    weft_edges_free(e);
  return code;
}
