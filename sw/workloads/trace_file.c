/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text_input.h"
#include "trace.h"

#define OPS_MOST (1u << 26)
#define LINE_MOST 128u

void weft_trace_free(struct weft_trace_file *file)
{
  free(file->op);
  free(file->pool);
  memset(file, 0, sizeof *file);
}

size_t weft_trace_room(struct weft_trace_file *file, size_t bytes)
{
  size_t start = file->pool_used ? file->pool_used : 1;
  if (start + bytes > file->pool_room) {
    size_t room = file->pool_room ? file->pool_room : 4096;
    while (room < start + bytes)
      room *= 2;
    uint8_t *bigger = realloc(file->pool, room);
    if (!bigger)
      return 0;
    file->pool = bigger;
    file->pool_room = room;
  }
  memset(file->pool + start, 0, bytes);
  file->pool_used = start + bytes;
  return start;
}

/* ---- Words ------------------------------------------------------------------------------------------- */

static const char *const functions[] = { "add",  "exch", "cas", "min", "max",
                                         "minu", "maxu", "and", "or",  "xor" };
static const char *const orders[] = { "weak", "relaxed", "acquire", "release", "acq_rel" };
static const char *const scopes[] = { "cta", "gpu", "sys" };

static int find(const struct weft_line *word, const char *const *names, int count)
{
  for (int i = 0; i < count; i++)
    if (weft_word_is(word, names[i]))
      return i;
  return -1;
}

static bool order_fits(const struct weft_trace_op *op)
{
  switch (op->kind) {
  case WEFT_TRACE_LOAD:
    return op->order <= WEFT_ACQUIRE;
  case WEFT_TRACE_STORE:
    return op->order <= WEFT_RELAXED || op->order == WEFT_RELEASE;
  case WEFT_TRACE_FENCE:
    return op->order >= WEFT_ACQUIRE;
  default:
    return op->order != WEFT_WEAK;
  }
}

static int parse_op(struct weft_text_input *in, const struct weft_line *word, struct weft_trace_op *op)
{
  const char *dot = memchr(word->at, '.', (size_t)(word->end - word->at));
  struct weft_line name = { word->at, dot ? dot : word->end };
  int func = find(&name, functions, 10);
  if (weft_word_is(&name, "load") || weft_word_is(&name, "ld"))
    op->kind = WEFT_TRACE_LOAD;
  else if (weft_word_is(&name, "store") || weft_word_is(&name, "st"))
    op->kind = WEFT_TRACE_STORE;
  else if (weft_word_is(&name, "fence"))
    op->kind = WEFT_TRACE_FENCE;
  else if (func >= 0)
    op->kind = WEFT_TRACE_ATOMIC;
  else
    return weft_line_fail(
      in,
      "there is no operation '%s'; there are load, store, fence and the atomics add, exch, cas, "
      "min, max, minu, maxu, and, or, xor",
      weft_word_shown(word).text);
  op->func = (uint8_t)(func < 0 ? 0 : func);
  op->order = op->kind == WEFT_TRACE_FENCE    ? WEFT_ACQ_REL
              : op->kind == WEFT_TRACE_ATOMIC ? WEFT_RELAXED
                                              : WEFT_WEAK;
  if (dot) {
    struct weft_line order = { dot + 1, word->end };
    int found = find(&order, orders, 5);
    op->order = (uint8_t)found;
    if (found < 0 || !order_fits(op))
      return weft_line_fail(in, "'%s' cannot have this order", weft_word_shown(word).text);
  }
  return WEFT_OK;
}

static int parse_below(struct weft_text_input *in, struct weft_line *line, const char *what, unsigned below,
                       uint8_t *value)
{
  struct weft_line word;
  uint64_t number;
  if (!weft_line_word(line, &word))
    return weft_line_fail(
      in, "the %s is missing; a line is `node cu op scope address size [value [compare]]`", what);
  if (!weft_word_number(&word, &number) || number > 255)
    return weft_line_fail(in, "'%s' is not a %s's number", weft_word_shown(&word).text, what);
  if (below && number >= below)
    return weft_line_fail(in, "there is no %s %" PRIu64 "; there are 0 to %u", what, number, below - 1);
  *value = (uint8_t)number;
  return WEFT_OK;
}

/* Hexadecimal digits of any number, the last one first, into `bytes` little-endian bytes. */
static int parse_hex(struct weft_text_input *in, const struct weft_line *word, uint8_t *to, unsigned bytes)
{
  const char *first = word->at + 2;
  for (const char *at = word->end - 1; at >= first; at--) {
    size_t i = (size_t)(word->end - 1 - at);
    int digit = weft_hex_digit(*at);
    if (digit < 0)
      return weft_line_fail(in, "the value '%s' is not a number", weft_word_shown(word).text);
    if (digit && i >= 2 * (size_t)bytes)
      return weft_line_fail(in, "the value '%s' has more than %u bytes", weft_word_shown(word).text, bytes);
    if (digit)
      to[i / 2] |= (uint8_t)(digit << (i % 2 * 4));
  }
  return WEFT_OK;
}

static int parse_value(struct weft_text_input *in, const struct weft_line *word, uint8_t *to, unsigned bytes)
{
  uint64_t number;
  if (word->end - word->at > 2 && word->at[0] == '0' && (word->at[1] == 'x' || word->at[1] == 'X'))
    return parse_hex(in, word, to, bytes);
  if (!weft_word_number(word, &number))
    return weft_line_fail(in, "the value '%s' is not a number", weft_word_shown(word).text);
  if (bytes < 8 && number >> (8 * bytes))
    return weft_line_fail(in, "the value %" PRIu64 " has more than %u bytes", number, bytes);
  memcpy(to, &number, bytes < 8 ? bytes : 8);
  return WEFT_OK;
}

/* ---- Lines ------------------------------------------------------------------------------------------- */

static int check_address(struct weft_text_input *in, const struct weft_trace_op *op,
                         const struct weft_trace_limits *l)
{
  unsigned line = l->line ? l->line : LINE_MOST;
  uint64_t node = op->address >> 36, offset = op->address & ((UINT64_C(1) << 36) - 1);
  if ((op->address & (line - 1)) + op->bytes > line)
    return weft_line_fail(in, "%u bytes at 0x%" PRIx64 " cross a line of %u bytes", op->bytes, op->address,
                          line);
  if (op->kind == WEFT_TRACE_ATOMIC && op->address % op->bytes)
    return weft_line_fail(in, "an atomic of %u bytes at 0x%" PRIx64 ", which is no multiple of %u", op->bytes,
                          op->address, op->bytes);
  if (l->physical && l->nodes && (node >= l->nodes || offset >= l->memory))
    return weft_line_fail(
      in,
      "address 0x%" PRIx64 " is outside memory: %u nodes of 0x%" PRIx64
      " bytes, the node's number in bits 39 to 36\nto have other addresses mapped, give a --placement",
      op->address, l->nodes, l->memory);
  return WEFT_OK;
}

static int parse_place(struct weft_text_input *in, struct weft_line *line, const struct weft_trace_limits *l,
                       struct weft_trace_op *op)
{
  struct weft_line word;
  uint64_t size;
  unsigned most = l->line ? l->line : LINE_MOST;
  if (!weft_line_word(line, &word))
    return weft_line_fail(in, "the address is missing");
  if (!weft_word_number(&word, &op->address) || op->address >> 62)
    return weft_line_fail(in, "'%s' is not an address", weft_word_shown(&word).text);
  if (!weft_line_word(line, &word))
    return weft_line_fail(in, "the size is missing");
  if (!weft_word_number(&word, &size))
    return weft_line_fail(in, "'%s' is not a size", weft_word_shown(&word).text);
  if (!size || size > most)
    return weft_line_fail(in, "a size of %" PRIu64 "; use 1 to %u bytes, a line", size, most);
  if (op->kind == WEFT_TRACE_ATOMIC && size != 4 && size != 8)
    return weft_line_fail(in, "an atomic of %" PRIu64 " bytes; use 4 or 8", size);
  op->bytes = (uint8_t)size;
  return check_address(in, op, l);
}

/* A store without a value stores something that tells its line. */
static void make_up(uint8_t *to, unsigned bytes, unsigned line)
{
  for (unsigned i = 0; i < bytes; i += 8) {
    uint64_t value = weft_random_mix(((uint64_t)line << 8) + i);
    memcpy(to + i, &value, bytes - i < 8 ? bytes - i : 8);
  }
}

static int parse_values(struct weft_text_input *in, struct weft_line *line, struct weft_trace_file *file,
                        struct weft_trace_op *op)
{
  struct weft_line word;
  bool atomic = op->kind == WEFT_TRACE_ATOMIC, cas = atomic && op->func == WEFT_CAS;
  op->data = weft_trace_room(file, atomic ? 16 : op->bytes);
  op->result = op->kind == WEFT_TRACE_STORE ? 0 : weft_trace_room(file, atomic ? 8 : op->bytes);
  if (!op->data || (op->kind != WEFT_TRACE_STORE && !op->result))
    return weft_fail_memory(in->w);
  int code = WEFT_OK;
  op->has_value = weft_line_word(line, &word);
  if (op->has_value)
    code = parse_value(in, &word, file->pool + op->data, op->bytes);
  else if (atomic)
    return weft_line_fail(in, "an atomic needs its operand as a value");
  else if (op->kind == WEFT_TRACE_STORE)
    make_up(file->pool + op->data, op->bytes, op->line);
  if (!code && cas) {
    if (!weft_line_word(line, &word))
      return weft_line_fail(in, "cas needs two values: what to store, and what to compare with");
    code = parse_value(in, &word, file->pool + op->data + 8, op->bytes);
  }
  return code;
}

static int parse_line(struct weft_text_input *in, struct weft_line *line, const struct weft_trace_limits *l,
                      struct weft_trace_file *file, struct weft_trace_op *op)
{
  struct weft_line word;
  int code = parse_below(in, line, "node", l->nodes, &op->node);
  if (!code)
    code = parse_below(in, line, "cu", l->cus, &op->cu);
  if (!code)
    code =
      weft_line_word(line, &word) ? parse_op(in, &word, op) : weft_line_fail(in, "the operation is missing");
  if (code)
    return code;
  int scope = weft_line_word(line, &word) ? find(&word, scopes, 3) : -1;
  if (scope < 0)
    return weft_line_fail(in, "a scope is needed behind the operation: cta, gpu or sys");
  op->scope = (uint8_t)scope;
  op->line = in->line;
  if (op->kind != WEFT_TRACE_FENCE) {
    code = parse_place(in, line, l, op);
    if (!code)
      code = parse_values(in, line, file, op);
  }
  if (!code && weft_line_word(line, &word))
    code = weft_line_fail(in, "'%s' is one word too many", weft_word_shown(&word).text);
  return code;
}

static struct weft_trace_op *add_op(struct weft_trace_file *file)
{
  if (file->count == file->room) {
    size_t room = file->room ? 2 * file->room : 256;
    struct weft_trace_op *bigger = realloc(file->op, room * sizeof *bigger);
    if (!bigger)
      return NULL;
    file->op = bigger;
    file->room = room;
  }
  struct weft_trace_op *op = &file->op[file->count++];
  memset(op, 0, sizeof *op);
  return op;
}

int weft_trace_parse(struct weft *w, const char *name, const char *text, size_t bytes,
                     const struct weft_trace_limits *limits, struct weft_trace_file *file)
{
  struct weft_text_input in = { .w = w, .name = name, .text = text, .bytes = bytes };
  struct weft_line line;
  int code = WEFT_OK;
  memset(file, 0, sizeof *file);
  while (!code && weft_line_next(&in, &line)) {
    const char *hash = memchr(line.at, '#', (size_t)(line.end - line.at));
    if (hash)
      line.end = hash;
    struct weft_line look = line, word;
    if (!weft_line_word(&look, &word))
      continue;
    if (file->count == OPS_MOST)
      code = weft_line_fail(&in, "more than %u operations", OPS_MOST);
    struct weft_trace_op *op = code ? NULL : add_op(file);
    if (!code)
      code = op ? parse_line(&in, &line, limits, file, op) : weft_fail_memory(w);
  }
  if (!code && !file->count)
    code = weft_line_fail(&in, "the file holds no operation");
  if (code)
    weft_trace_free(file);
  return code;
}
