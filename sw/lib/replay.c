/* SPDX-License-Identifier: Apache-2.0 */
/* A line that is made of a record: what came then comes now, if the host sends now what it sent then. All of the file is looked
 * at before the first byte is given out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc32.h"
#include "host_bytes.h"
#include "record.h"

struct replayer {
  uint8_t *bytes;
  size_t count;
  size_t at;   /* of the present block */
  size_t used; /* bytes of its content */
  char name[512];
};

#define CURE "record the run again: record:FILE,usb:serial=S"

static size_t length_at(const struct replayer *r)
{
  return (size_t)weft_host_get(r->bytes + r->at + 4, 4);
}

static unsigned kind_at(const struct replayer *r)
{
  return (unsigned)weft_host_get(r->bytes + r->at, 4);
}

static const uint8_t *content(const struct replayer *r)
{
  return r->bytes + r->at + WEFT_RECORD_BLOCK;
}

static void advance(struct replayer *r)
{
  r->at += WEFT_RECORD_BLOCK + length_at(r) + WEFT_RECORD_CRC;
  r->used = 0;
}

/* ---- Is it whole? ------------------------------------------------------------------------------------ */

static int cut_short(const struct replayer *r, struct weft_backend_error *e)
{
  return weft_line_fails(e, WEFT_BACKEND_RECORD, "%s: the record is cut short, at byte %zu\n" CURE, r->name,
                         r->count);
}

static int damaged(const struct replayer *r, struct weft_backend_error *e)
{
  return weft_line_fails(e, WEFT_BACKEND_RECORD, "%s: the record is damaged at byte %zu\n" CURE, r->name,
                         r->at);
}

static bool block_is_sound(const struct replayer *r)
{
  size_t length = length_at(r);
  uint32_t crc = weft_crc32_bytes(~0U, r->bytes + r->at, WEFT_RECORD_BLOCK + length);
  unsigned kind = kind_at(r);
  return (uint32_t)weft_host_get(content(r) + length, 4) == (uint32_t)~crc && kind >= WEFT_RECORD_SENT &&
         kind <= WEFT_RECORD_END && (kind != WEFT_RECORD_QUIET || length == 4) &&
         (kind != WEFT_RECORD_END || !length);
}

static int check_blocks(struct replayer *r, struct weft_backend_error *e)
{
  for (r->at = WEFT_RECORD_HEADER; r->at < r->count; advance(r)) {
    size_t left = r->count - r->at;
    if (left < WEFT_RECORD_BLOCK)
      return cut_short(r, e);
    if (length_at(r) > WEFT_RECORD_LENGTH_MAX)
      return damaged(r, e);
    if (left - WEFT_RECORD_BLOCK < length_at(r) + WEFT_RECORD_CRC)
      return cut_short(r, e);
    if (!block_is_sound(r))
      return damaged(r, e);
    if (kind_at(r) == WEFT_RECORD_END) {
      r->at = WEFT_RECORD_HEADER;
      return WEFT_BACKEND_OK;
    }
  }
  return cut_short(r, e);
}

static int check(struct replayer *r, struct weft_backend_error *e)
{
  static const uint8_t magic[8] = WEFT_RECORD_MAGIC;
  if (r->count < sizeof magic || memcmp(r->bytes, magic, sizeof magic) != 0)
    return weft_line_fails(e, WEFT_BACKEND_RECORD, "%s is no record of a board\n" CURE, r->name);
  if (r->count < WEFT_RECORD_HEADER)
    return cut_short(r, e);
  uint32_t version = (uint32_t)weft_host_get(r->bytes + 8, 4);
  if (version != WEFT_RECORD_VERSION)
    return weft_line_fails(e, WEFT_BACKEND_RECORD,
                           "%s is a record of version %u, this library reads %u\n" CURE, r->name, version,
                           WEFT_RECORD_VERSION);
  return check_blocks(r, e);
}

/* ---- The line ---------------------------------------------------------------------------------------- */

static int other_run(const struct replayer *r, struct weft_backend_error *e)
{
  return weft_line_fails(e, WEFT_BACKEND_RECORD,
                         "%s: the host does something else now than when it was recorded (at byte %zu)\n"
                         "use the same command and the same version of Weft",
                         r->name, r->at);
}

static int replay_send(void *context, const uint8_t *bytes, size_t count, struct weft_backend_error *e)
{
  struct replayer *r = context;
  if (kind_at(r) != WEFT_RECORD_SENT || length_at(r) != count || memcmp(content(r), bytes, count) != 0)
    return other_run(r, e);
  advance(r);
  return WEFT_BACKEND_OK;
}

static int replay_receive(void *context, uint8_t *bytes, size_t room, unsigned milliseconds, size_t *count,
                          struct weft_backend_error *e)
{
  struct replayer *r = context;
  (void)milliseconds;
  *count = 0;
  while (kind_at(r) == WEFT_RECORD_CAME && length_at(r) == 0)
    advance(r);
  if (kind_at(r) == WEFT_RECORD_QUIET) {
    advance(r);
    return WEFT_BACKEND_OK;
  }
  if (kind_at(r) == WEFT_RECORD_END)
    return weft_line_fails(e, WEFT_BACKEND_RECORD, "%s: the record ends here: the board failed then\n" CURE,
                           r->name);
  if (kind_at(r) != WEFT_RECORD_CAME)
    return other_run(r, e);
  size_t left = length_at(r) - r->used;
  *count = left < room ? left : room;
  memcpy(bytes, content(r) + r->used, *count);
  r->used += *count;
  if (r->used == length_at(r))
    advance(r);
  return WEFT_BACKEND_OK;
}

static void replay_close(void *context)
{
  struct replayer *r = context;
  free(r->bytes);
  free(r);
}

int weft_replay_bytes(struct weft_line *line, uint8_t *bytes, size_t count, const char *name,
                      struct weft_backend_error *e)
{
  struct replayer *r = calloc(1, sizeof *r);
  if (!r) {
    free(bytes);
    return weft_line_fails(e, WEFT_BACKEND_LACKS, "out of memory");
  }
  r->bytes = bytes;
  r->count = count;
  snprintf(r->name, sizeof r->name, "%s", name);
  int result = check(r, e);
  if (result) {
    replay_close(r);
    return result;
  }
  *line = (struct weft_line){ .context = r,
                              .nonce = (uint32_t)weft_host_get(bytes + 12, 4),
                              .send = replay_send,
                              .receive = replay_receive,
                              .close = replay_close };
  snprintf(line->name, sizeof line->name, "replay:%.80s", name);
  return WEFT_BACKEND_OK;
}

static bool read_all(FILE *file, uint8_t **bytes, size_t *count)
{
  size_t room = 0;
  do {
    if (*count == room) {
      room = room ? 2 * room : 65536;
      uint8_t *more = realloc(*bytes, room);
      if (!more)
        return false;
      *bytes = more;
    }
    *count += fread(*bytes + *count, 1, room - *count, file);
  } while (!feof(file) && !ferror(file));
  return !ferror(file);
}

int weft_replay_open(struct weft_line *line, const char *path, struct weft_backend_error *e)
{
  FILE *file = fopen(path, "re");
  uint8_t *bytes = NULL;
  size_t count = 0;
  bool whole = file && read_all(file, &bytes, &count);
  int error = errno;
  if (file)
    fclose(file);
  if (whole)
    return weft_replay_bytes(line, bytes, count, path, e);
  free(bytes);
  return weft_line_fails(e, WEFT_BACKEND_NO_FILE,
                         "cannot read %s: %s\nname a file that record:FILE,usb:... wrote", path,
                         strerror(error));
}
