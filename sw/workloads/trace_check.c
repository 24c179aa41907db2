/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace's results must be, as far as that can be told from the file.
 *
 * Operations of one CU on one byte keep their order. So a byte that only one CU ever writes is known at every
 * point of that CU's lines, and at the end. One that nobody writes is 0. One that several CUs write with
 * plain stores ends as something that was stored to it. Nothing is said about the rest: atomics of several
 * CUs on one place. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define NOBODY 0u
#define MANY 0xffffu

struct line_info {
  uint64_t address; /* mapped; of the line */
  bool used;
  uint16_t writer[128]; /* NOBODY, MANY, or the stream's number from 1 */
  uint8_t atomic[128];  /* some atomic writes it */
  uint8_t value[128];   /* of bytes with one writer: as of now */
  uint8_t *stored;      /* [128][32]: which values plain stores gave a byte with many writers; or NULL */
};

struct weft_trace_map {
  struct line_info *info;
  size_t count, room; /* room: a power of two */
  unsigned line;
};

void weft_trace_map_free(struct weft_trace_map *map)
{
  for (size_t i = 0; map && i < map->room; i++)
    free(map->info[i].stored);
  if (map)
    free(map->info);
  free(map);
}

static struct line_info *slot_of(struct line_info *info, size_t room, uint64_t address)
{
  size_t at = (size_t)weft_random_mix(address) & (room - 1);
  while (info[at].used && info[at].address != address)
    at = (at + 1) & (room - 1);
  return &info[at];
}

static struct line_info *look_up(const struct weft_trace_map *map, uint64_t mapped)
{
  return slot_of(map->info, map->room, mapped & ~(uint64_t)(map->line - 1));
}

static bool grow(struct weft_trace_map *map)
{
  size_t room = map->room ? 2 * map->room : 64;
  struct line_info *bigger = calloc(room, sizeof *bigger);
  if (!bigger)
    return false;
  for (size_t i = 0; i < map->room; i++)
    if (map->info[i].used)
      *slot_of(bigger, room, map->info[i].address) = map->info[i];
  free(map->info);
  map->info = bigger;
  map->room = room;
  return true;
}

static struct line_info *look_up_or_add(struct weft_trace_map *map, uint64_t mapped)
{
  if (2 * (map->count + 1) > map->room && !grow(map))
    return NULL;
  struct line_info *info = look_up(map, mapped);
  if (!info->used) {
    info->used = true;
    info->address = mapped & ~(uint64_t)(map->line - 1);
    map->count++;
  }
  return info;
}

static uint16_t stream_of(const struct weft_trace_op *op)
{
  return (uint16_t)(1 + op->node * 8 + op->cu);
}

static bool writes(const struct weft_trace_op *op)
{
  return op->kind == WEFT_TRACE_STORE || op->kind == WEFT_TRACE_ATOMIC;
}

/* ---- First: who writes what -------------------------------------------------------------------------- */

static int note_writer(struct weft *w, struct weft_trace_map *map, const struct weft_trace_op *op)
{
  struct line_info *info = look_up_or_add(map, op->mapped);
  if (!info)
    return weft_fail_memory(w);
  unsigned at = (unsigned)(op->mapped & (map->line - 1));
  for (unsigned b = at; writes(op) && b < at + op->bytes; b++) {
    info->writer[b] = info->writer[b] == NOBODY || info->writer[b] == stream_of(op) ? stream_of(op) : MANY;
    info->atomic[b] |= op->kind == WEFT_TRACE_ATOMIC;
  }
  return WEFT_OK;
}

/* An atomic's result depends on all of its cell: if others write some byte of it, the rest is unknown too.
 * Returns whether that was news. */
static bool spread_doubt(const struct weft_trace_map *map, const struct weft_trace_op *op)
{
  struct line_info *info = look_up(map, op->mapped);
  unsigned at = (unsigned)(op->mapped & (map->line - 1)), many = 0;
  for (unsigned b = at; b < at + op->bytes; b++)
    many += info->writer[b] == MANY;
  for (unsigned b = at; many && b < at + op->bytes; b++) {
    info->writer[b] = MANY;
    info->atomic[b] = 1;
  }
  return many && many < op->bytes;
}

static void spread_all_doubts(const struct weft_trace_map *map, const struct weft_trace_file *file)
{
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < file->count; i++)
      if (file->op[i].kind == WEFT_TRACE_ATOMIC)
        again |= spread_doubt(map, &file->op[i]);
  }
}

/* ---- Then: file order, which is program order for every byte that counts ----------------------------- */

static bool known(const struct line_info *info, unsigned byte, const struct weft_trace_op *op)
{
  return info->writer[byte] == NOBODY || info->writer[byte] == stream_of(op);
}

static int foresee_result(struct weft *w, struct weft_trace_file *file, struct weft_trace_op *op,
                          const struct line_info *info, unsigned at)
{
  op->known = weft_trace_room(file, 2 * (size_t)op->bytes);
  if (!op->known)
    return weft_fail_memory(w);
  uint8_t *pair = file->pool + op->known;
  for (unsigned i = 0; i < op->bytes; i++) {
    pair[2 * i] = info->value[at + i];
    pair[2 * i + 1] = known(info, at + i, op);
    if (op->kind == WEFT_TRACE_LOAD && op->has_value) {
      pair[2 * i] = file->pool[op->data + i];
      pair[2 * i + 1] = true;
    }
  }
  return WEFT_OK;
}

static uint64_t apply(unsigned func, uint64_t old, uint64_t operand, uint64_t compare, bool wide)
{
  int64_t a = wide ? (int64_t)old : (int32_t)old, b = wide ? (int64_t)operand : (int32_t)operand;
  const uint64_t results[] = {
    [WEFT_ADD] = old + operand,
    [WEFT_EXCH] = operand,
    [WEFT_CAS] = old == compare ? operand : old,
    [WEFT_MIN] = b < a ? operand : old,
    [WEFT_MAX] = b > a ? operand : old,
    [WEFT_MINU] = operand < old ? operand : old,
    [WEFT_MAXU] = operand > old ? operand : old,
    [WEFT_AND] = old & operand,
    [WEFT_OR] = old | operand,
    [WEFT_XOR] = old ^ operand,
  };
  return results[func];
}

static void foresee_atomic(const struct weft_trace_file *file, const struct weft_trace_op *op,
                           struct line_info *info, unsigned at)
{
  uint64_t old = 0, operand = 0, compare = 0;
  memcpy(&old, info->value + at, op->bytes);
  memcpy(&operand, file->pool + op->data, op->bytes);
  memcpy(&compare, file->pool + op->data + 8, op->bytes);
  uint64_t new = apply(op->func, old, operand, compare, op->bytes == 8);
  memcpy(info->value + at, &new, op->bytes);
}

static int foresee_store(struct weft *w, const struct weft_trace_file *file, const struct weft_trace_op *op,
                         struct line_info *info, unsigned at)
{
  for (unsigned i = 0; i < op->bytes; i++) {
    uint8_t value = file->pool[op->data + i];
    info->value[at + i] = value;
    if (info->writer[at + i] != MANY)
      continue;
    if (!info->stored)
      info->stored = calloc(128, 32);
    if (!info->stored)
      return weft_fail_memory(w);
    info->stored[(at + i) * 32 + value / 8] |= (uint8_t)(1u << (value % 8));
  }
  return WEFT_OK;
}

int weft_trace_foresee(struct weft *w, struct weft_trace_file *file, unsigned line,
                       struct weft_trace_map **result)
{
  struct weft_trace_map *map = calloc(1, sizeof *map);
  int code = map ? WEFT_OK : weft_fail_memory(w);
  *result = map;
  if (map)
    map->line = line;
  for (size_t i = 0; !code && i < file->count; i++)
    if (file->op[i].kind != WEFT_TRACE_FENCE)
      code = note_writer(w, map, &file->op[i]);
  if (!code)
    spread_all_doubts(map, file);
  for (size_t i = 0; !code && i < file->count; i++) {
    struct weft_trace_op *op = &file->op[i];
    if (op->kind == WEFT_TRACE_FENCE)
      continue;
    struct line_info *info = look_up(map, op->mapped);
    unsigned at = (unsigned)(op->mapped & (line - 1));
    if (op->kind != WEFT_TRACE_STORE)
      code = foresee_result(w, file, op, info, at);
    if (!code && op->kind == WEFT_TRACE_ATOMIC)
      foresee_atomic(file, op, info, at);
    if (!code && op->kind == WEFT_TRACE_STORE)
      code = foresee_store(w, file, op, info, at);
  }
  return code;
}

/* ---- After the run ----------------------------------------------------------------------------------- */

static int check_result(struct weft_job *job, const struct weft_trace_file *file,
                        const struct weft_trace_op *op)
{
  const uint8_t *pair = file->pool + op->known, *is = file->pool + op->result;
  for (unsigned i = 0; op->known && i < op->bytes; i++)
    if (pair[2 * i + 1] && pair[2 * i] != is[i])
      return weft_fail(job->w, WEFT_WRONG_RESULT,
                       "trace: line %u saw 0x%02x in byte %u of 0x%" PRIx64 ", and should see 0x%02x",
                       op->line, is[i], i, op->address, pair[2 * i]);
  return WEFT_OK;
}

static bool acceptable(const struct line_info *info, unsigned byte, uint8_t is)
{
  if (info->writer[byte] == NOBODY)
    return is == 0;
  if (info->writer[byte] != MANY)
    return is == info->value[byte];
  return info->atomic[byte] || (info->stored[byte * 32 + is / 8] >> (is % 8) & 1);
}

static int check_line(struct weft_job *job, const struct line_info *info, unsigned line)
{
  uint8_t is[128];
  int code = weft_read(job->w, info->address, is, line);
  for (unsigned b = 0; !code && b < line; b++)
    if (!acceptable(info, b, is[b]))
      code = weft_fail(job->w, WEFT_WRONG_RESULT,
                       "trace: memory at 0x%" PRIx64 " ends as 0x%02x, which nobody wrote last",
                       (info->address + b) & ~WEFT_PHYSICAL(0), is[b]);
  return code;
}

int weft_trace_check(struct weft_job *job, const struct weft_trace_file *file,
                     const struct weft_trace_map *map)
{
  int code = WEFT_OK;
  for (size_t i = 0; !code && i < file->count; i++)
    code = check_result(job, file, &file->op[i]);
  for (size_t i = 0; !code && i < map->room; i++)
    if (map->info[i].used)
      code = check_line(job, &map->info[i], map->line);
  return code;
}
